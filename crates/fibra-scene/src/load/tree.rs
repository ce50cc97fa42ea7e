//! A parsed scene with the source location of every key and value.
//!
//! A scene is merged from a file, its presets and `--set` options. Errors in the result must still point at the
//! characters in the original text.

use super::error::{Place, Problem};
use miette::NamedSource;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A source text: a scene file or a command-line option.
pub(crate) type Text = NamedSource<Arc<str>>;

/// A source location.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The text that contains the value.
    pub(crate) text: Text,
    /// The byte range of the value in the text.
    pub(crate) span: Range<usize>,
}

impl Origin {
    /// Returns the range to underline: the span up to the end of its first line, so that a table is shown as its header.
    /// A span past the end of the text is shown at its last character.
    pub(crate) fn place(&self) -> Place {
        let all = self.text.inner();
        let last = all.trim_end().char_indices().next_back().map_or(0, |(index, _)| index);
        let start = if self.span.start < all.len() { self.span.start } else { last };
        let end = self.span.end.clamp(start, all.len());
        let first_line = all.get(start..end).unwrap_or("").lines().next().unwrap_or("");
        Place { text: self.text.clone(), span: (start, first_line.len()).into() }
    }
}

/// A value and its source location.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) origin: Origin,
    pub(crate) value: Value,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Source location of the key.
    pub(crate) key: Origin,
    pub(crate) node: Node,
}

pub(crate) type Table = BTreeMap<String, Entry>;

/// The value of a node.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// A date. No field of a scene is a date; the variant exists for the error message.
    Date,
    Array(Vec<Node>),
    Table(Table),
    /// A table created from the steps of a `--set` path.
    Path(Table),
}

impl Node {
    /// Parses a TOML document.
    pub(crate) fn parse_document(text: &Text) -> Result<Node, Problem> {
        let parsed = DeTable::parse(text.inner()).map_err(|error| syntax_problem(text, 0, &error))?;
        let span = parsed.span();
        node(text, 0, span, DeValue::Table(parsed.into_inner()))
    }

    /// Parses one TOML value that extends from byte `offset` of the text to its end.
    pub(crate) fn parse_value(text: &Text, offset: usize) -> Result<Node, Problem> {
        let source = text.inner().get(offset..).unwrap_or("");
        let parsed = DeValue::parse(source).map_err(|error| syntax_problem(text, offset, &error))?;
        let span = parsed.span();
        node(text, offset, span, parsed.into_inner())
    }

    /// Returns the table, if the node is one.
    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) | Value::Path(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the table for changes, if the node is one.
    pub(crate) fn table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.value {
            Value::Table(table) | Value::Path(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the `name` of a table in a list.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.table()?.get("name")?.node.value {
            Value::String(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the value at a dotted path (list elements by index), or the deepest existing value along it.
    pub(crate) fn deepest(&self, path: &str) -> &Node {
        let mut node = self;
        for step in path.split('.') {
            let next = match &node.value {
                Value::Table(table) | Value::Path(table) => table.get(step).map(|entry| &entry.node),
                Value::Array(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// Returns a dotted path in readable form: list elements by name where they have one.
    pub(crate) fn readable(&self, path: &str) -> String {
        let mut node = Some(self);
        let mut steps = Vec::new();
        for step in path.split('.') {
            let mut shown = step;
            node = match node.map(|node| &node.value) {
                Some(Value::Table(table) | Value::Path(table)) => table.get(step).map(|entry| &entry.node),
                Some(Value::Array(items)) => {
                    let item = step.parse::<usize>().ok().and_then(|index| items.get(index));
                    shown = item.and_then(Node::name).unwrap_or(step);
                    item
                }
                _ => None,
            };
            steps.push(shown);
        }
        steps.join(".")
    }

    /// Calls `visit` with the path and the value of every floating-point number, depth first.
    pub(crate) fn for_each_float(&self, path: &str, visit: &mut impl FnMut(&str, f64)) {
        let join = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
        match &self.value {
            Value::Float(value) => visit(path, *value),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    item.for_each_float(&join(&index.to_string()), visit);
                }
            }
            Value::Table(table) | Value::Path(table) => {
                for (key, entry) in table {
                    entry.node.for_each_float(&join(key), visit);
                }
            }
            _ => {}
        }
    }
}

/// Converts a value of the TOML parser, whose nesting limit bounds the recursion here.
fn node(text: &Text, offset: usize, span: Range<usize>, value: DeValue<'_>) -> Result<Node, Problem> {
    let origin = Origin { text: text.clone(), span: span.start + offset..span.end + offset };
    let too_large = |origin: &Origin| {
        Problem::new("the number is too large").at(origin.place(), "too large").remedy("write a smaller number")
    };
    let value = match value {
        DeValue::String(string) => Value::String(string.into_owned()),
        DeValue::Integer(integer) => {
            Value::Integer(i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| too_large(&origin))?)
        }
        DeValue::Float(float) => {
            let value = float.as_str().parse::<f64>().map_err(|_| too_large(&origin))?;
            if value.is_infinite() && !float.as_str().contains("inf") {
                return Err(too_large(&origin));
            }
            Value::Float(value)
        }
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| {
                    let span = item.span();
                    node(text, offset, span, item.into_inner())
                })
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(entries) => {
            let mut table = Table::new();
            for (key, value) in entries {
                let key_span = key.span();
                let key_origin = Origin { text: text.clone(), span: key_span.start + offset..key_span.end + offset };
                let span = value.span();
                let node = node(text, offset, span, value.into_inner())?;
                table.insert(key.into_inner().into_owned(), Entry { key: key_origin, node });
            }
            Value::Table(table)
        }
    };
    Ok(Node { origin, value })
}

fn syntax_problem(text: &Text, offset: usize, error: &toml::de::Error) -> Problem {
    let span = error.span().unwrap_or(0..0);
    let origin = Origin { text: text.clone(), span: span.start + offset..span.end + offset };
    let remedy = if error.message().contains("duplicate") {
        "remove one of the two"
    } else {
        "a line is `key = value`, `[table]` or `[[list]]`; text goes in \"quotes\"; see https://toml.io"
    };
    Problem::new(format!("invalid TOML: {}", error.message())).at(origin.place(), "here").remedy(remedy)
}
