//! Scene errors: what is wrong, where, and how to fix it.

use super::tree::Text;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity, SourceCode, SourceSpan};
use std::fmt::{Display, Formatter, Result as FmtResult};

/// Why a scene cannot be used: one or more problems, each with its source location and remedy.
#[derive(Clone, Debug, thiserror::Error)]
pub struct SceneError {
    /// The problems; at least one.
    problems: Vec<Problem>,
}

/// One problem of a scene.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    message: String,
    label: String,
    remedy: Option<String>,
    /// Boxed to keep results small.
    place: Option<Box<Place>>,
}

/// A range of characters to underline.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) text: Text,
    pub(crate) span: SourceSpan,
}

/// Longest line that is shown [B]. The report printer cannot align marks beyond column 65535, with tabs counted as four.
const LONGEST_SHOWN: usize = 10_000;

impl SceneError {
    /// Returns the problems, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Renders the error for a terminal: location, source line, remedy. Without `color` the text has no escape codes.
    pub fn render(&self, color: bool) -> String {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_wrap_lines(false);
        let mut text = String::new();
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            if handler.render_report(&mut text, problem).is_err() {
                // The handler fails only for an unreadable source; the message itself is still useful.
                text.push_str(&format!("{problem}\n"));
            }
        }
        text
    }

    pub(crate) fn from_problems(problems: Vec<Problem>) -> Result<(), SceneError> {
        if problems.is_empty() { Ok(()) } else { Err(SceneError { problems }) }
    }
}

impl From<Problem> for SceneError {
    fn from(problem: Problem) -> Self {
        SceneError { problems: vec![problem] }
    }
}

impl Display for SceneError {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self.problems.as_slice() {
            [only] => only.fmt(f),
            several => write!(f, "{} problems in the scene", several.len()),
        }
    }
}

/// A single problem is shown by itself, several as a list.
impl Diagnostic for SceneError {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.only().and_then(Diagnostic::help)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.only().and_then(Diagnostic::source_code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only().and_then(Diagnostic::labels)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self.only() {
            Some(_) => None,
            None => Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic))),
        }
    }
}

impl SceneError {
    fn only(&self) -> Option<&Problem> {
        match self.problems.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl Problem {
    /// Creates a problem without a source location.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), label: String::new(), remedy: None, place: None }
    }

    /// Sets the source location, with a short note beside it.
    pub(crate) fn at(mut self, place: Place, label: impl Into<String>) -> Self {
        self.label = label.into();
        if place.can_be_shown() {
            self.place = Some(Box::new(place));
        } else {
            self.message = format!("{}, {} ({})", self.message, self.label, place.in_words());
        }
        self
    }

    /// Sets the remedy.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl Place {
    /// Returns whether the lines around the location are short enough to show.
    fn can_be_shown(&self) -> bool {
        let line = self.before().matches('\n').count();
        self.text.inner().lines().skip(line.saturating_sub(1)).take(3).all(|line| line.len() <= LONGEST_SHOWN)
    }

    fn in_words(&self) -> String {
        let line = self.before().matches('\n').count() + 1;
        let column = self.before().chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!("{}, line {line}, column {column}", self.text.name())
    }

    fn before(&self) -> &str {
        self.text.inner().get(..self.span.offset()).unwrap_or("")
    }
}

impl Diagnostic for Problem {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.remedy.as_ref().map(|remedy| Box::new(remedy) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label = LabeledSpan::new_primary_with_span(Some(self.label.clone()), place.span);
        Some(Box::new(std::iter::once(label)))
    }
}
