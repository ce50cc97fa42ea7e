//! Frictional contact problems in JSON files, a format to exchange problems with other programs:
//! `{"mu": [n], "b": [3n], "W": {"rows": [], "cols": [], "blocks": [[9 numbers, row by row], ...]}}`. Contacts are counted from 0, components are
//! ordered normal, tangent, tangent, and missing blocks are zero. Other fields are allowed and ignored.

use super::problem::{Block, FrictionProblem, ProblemError};
use glam::{DMat3, DVec3};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Error of reading a problem file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct FrictionFileError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub fault: FrictionFault,
}

/// The reason why a problem file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FrictionFault {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(std::io::Error),
    /// The file ends too early.
    #[error("ends in the middle of {place} (line {line}): the file is truncated")]
    Truncated {
        /// The last field named before the error.
        place: String,
        /// The last line.
        line: usize,
    },
    /// The file is not valid JSON.
    #[error("not JSON, in {place}: {source}; numbers must be finite")]
    Syntax {
        /// The last field named before the error.
        place: String,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// A field is missing.
    #[error(
        "`{0}` is missing: a problem is {{\"mu\": [n], \"b\": [3n], \"W\": {{\"rows\": [], \"cols\": [], \"blocks\": [[9], ...]}}}}"
    )]
    Missing(&'static str),
    /// A field has the wrong type.
    #[error("`{field}` is {found}: it must be {wanted}")]
    Kind {
        /// The field, with its index in a list.
        field: String,
        /// The value found.
        found: String,
        /// The expected value.
        wanted: &'static str,
    },
    /// A list has the wrong length.
    #[error("`{field}` has {found} entries: it must have {wanted}")]
    Length {
        /// The field.
        field: String,
        /// Its length.
        found: usize,
        /// The expected length and why.
        wanted: String,
    },
    /// The numbers do not form a valid problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Reads a problem from a JSON file.
pub fn read_friction_problem(path: &Path) -> Result<FrictionProblem, FrictionFileError> {
    let read = std::fs::read_to_string(path).map_err(FrictionFault::Read);
    read.and_then(|text| parse(&text)).map_err(|fault| FrictionFileError { path: path.to_owned(), fault })
}

fn parse(text: &str) -> Result<FrictionProblem, FrictionFault> {
    let file: Value = serde_json::from_str(text).map_err(|source| syntax_fault(text, source))?;
    let mu = numbers(field(&file, "mu", "mu")?, "mu")?;
    let b = numbers(field(&file, "b", "b")?, "b")?;
    if b.len() != 3 * mu.len() {
        return Err(ProblemError::Lengths { velocities: b.len(), contacts: mu.len() }.into());
    }
    let w = field(&file, "W", "W")?;
    let rows = list(field(w, "rows", "W.rows")?, "W.rows")?;
    let cols = list(field(w, "cols", "W.cols")?, "W.cols")?;
    let matrices = list(field(w, "blocks", "W.blocks")?, "W.blocks")?;
    for (name, found) in [("W.cols", cols.len()), ("W.blocks", matrices.len())] {
        if found != rows.len() {
            let wanted = format!("{}, as many as `W.rows`", rows.len());
            return Err(FrictionFault::Length { field: name.to_owned(), found, wanted });
        }
    }
    let block = |at: usize| {
        let entries = numbers(&matrices[at], &format!("W.blocks[{at}]"))?;
        let entries: &[f64; 9] = entries.as_slice().try_into().map_err(|_| FrictionFault::Length {
            field: format!("W.blocks[{at}]"),
            found: entries.len(),
            wanted: "9: a 3x3 block, row by row".to_owned(),
        })?;
        Ok(Block {
            row: index(&rows[at], "W.rows", at)?,
            column: index(&cols[at], "W.cols", at)?,
            matrix: DMat3::from_cols_array(entries).transpose(),
        })
    };
    let blocks = (0..rows.len()).map(block).collect::<Result<Vec<Block>, FrictionFault>>()?;
    Ok(FrictionProblem::new(mu, b.chunks_exact(3).map(DVec3::from_slice).collect(), &blocks)?)
}

/// Reports the field in which the parser stopped: the last one named before the error.
fn syntax_fault(text: &str, source: serde_json::Error) -> FrictionFault {
    let line_start = text.split_inclusive('\n').take(source.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let before = &text.as_bytes()[..(line_start + source.column()).min(text.len())];
    let last = |name: &&str| {
        let quoted = format!("\"{name}\"");
        before.windows(quoted.len()).rposition(|window| window == quoted.as_bytes())
    };
    let names = ["mu", "b", "W", "rows", "cols", "blocks"];
    let place = match names.iter().filter(|name| last(name).is_some()).max_by_key(|name| last(name)) {
        Some(name @ (&"rows" | &"cols" | &"blocks")) => format!("`W.{name}`"),
        Some(name) => format!("`{name}`"),
        None => "the file".to_owned(),
    };
    if source.is_eof() {
        FrictionFault::Truncated { place, line: source.line() }
    } else {
        FrictionFault::Syntax { place, source }
    }
}

fn field<'a>(from: &'a Value, key: &str, name: &'static str) -> Result<&'a Value, FrictionFault> {
    from.get(key).ok_or(FrictionFault::Missing(name))
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], FrictionFault> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| kind(value, name.to_owned(), "a list"))
}

fn numbers(value: &Value, name: &str) -> Result<Vec<f64>, FrictionFault> {
    let number = |(at, value): (usize, &Value)| {
        value.as_f64().ok_or_else(|| kind(value, format!("{name}[{at}]"), "a finite number"))
    };
    list(value, name)?.iter().enumerate().map(number).collect()
}

fn index(value: &Value, name: &str, at: usize) -> Result<usize, FrictionFault> {
    let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
    index.ok_or_else(|| kind(value, format!("{name}[{at}]"), "a contact index, counted from 0"))
}

fn kind(value: &Value, field: String, wanted: &'static str) -> FrictionFault {
    let found = match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(_) => "text".to_owned(),
        plain => plain.to_string(),
    };
    FrictionFault::Kind { field, found, wanted }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        r#"{"mu": [0.1], "b": [-1.0, 2, 3], "W": {"rows": [0], "cols": [0], "blocks": [[1, 2, 3, 4, 5, 6, 7, 8, 9]]}}"#;

    #[test]
    fn blocks_are_stored_row_by_row() {
        let problem = parse(GOOD).unwrap();
        let mut u = [DVec3::ZERO];
        problem.velocities(&[DVec3::X], &mut u);
        assert_eq!(u, [DVec3::new(0.0, 6.0, 10.0)]);
    }

    #[test]
    fn errors_name_the_field() {
        for (from, to, expected) in [
            (r#""mu": [0.1], "#, "", "`mu` is missing"),
            (r#", "cols": [0]"#, "", "`W.cols` is missing"),
            ("[0.1]", "[0.1, 0.2]", "`b` has 3 numbers for 2 contacts"),
            ("-1.0, 2, 3", "-1.0, 2", "`b` has 2 numbers for 1 contacts"),
            ("[0.1]", "[-0.1]", "`mu[0]` is -0.1"),
            ("[0.1]", "0.1", "`mu` is 0.1: it must be a list"),
            ("2, 3]", "null, 3]", "`b[1]` is null: it must be a finite number"),
            ("2, 3]", "\"2\", 3]", "`b[1]` is text"),
            ("2, 3]", "NaN, 3]", "not JSON, in `b`"),
            ("2, 3]", "1e999, 3]", "not JSON, in `b`: number out of range"),
            ("7, 8, 9]", "7, 8, Infinity]", "not JSON, in `W.blocks`"),
            ("8, 9]]", "8]]", "`W.blocks[0]` has 8 entries: it must have 9"),
            (r#""rows": [0]"#, r#""rows": [0, 0]"#, "`W.cols` has 1 entries: it must have 2, as many as `W.rows`"),
            (r#""rows": [0]"#, r#""rows": [1]"#, "`W.rows[0]` is 1: `W` has 1 rows and columns of blocks"),
            (r#""cols": [0]"#, r#""cols": [-1]"#, "`W.cols[0]` is -1: it must be a contact index"),
            (r#""cols": [0]"#, r#""cols": [0.5]"#, "`W.cols[0]` is 0.5"),
            (r#"8, 9]]}}"#, "8, ", "ends in the middle of `W.blocks` (line 1)"),
            (
                r#", "b": [-1.0, 2, 3], "W": {"rows": [0], "cols": [0], "blocks": [[1, 2, 3, 4, 5, 6, 7, 8, 9]]}}"#,
                "",
                "middle of `mu`",
            ),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let message = parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(message.contains(expected), "{to}: {message}");
        }
        assert!(parse("").unwrap_err().to_string().contains("middle of the file"));
        assert!(parse("[]").unwrap_err().to_string().contains("`mu` is missing"));
    }

    #[test]
    fn a_problem_without_contacts_is_valid() {
        let empty = r#"{"mu": [], "b": [], "W": {"rows": [], "cols": [], "blocks": []}, "comment": "nothing"}"#;
        assert_eq!(parse(empty).unwrap().contacts(), 0);
    }
}
