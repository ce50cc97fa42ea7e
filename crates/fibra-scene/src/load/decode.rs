//! Decodes the value tree into the model's structs, with errors that have a source location.
//!
//! This is a serde deserializer over [`Node`]. A custom deserializer keeps errors as data (which key, which keys are
//! allowed) instead of text. It gives every error the source location of its value.

use super::error::Problem;
use super::suggest::{listed, nearest};
use super::tree::{Entry, Node, Origin, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt::{Display, Formatter, Result as FmtResult};

/// Decodes a struct of the model from a tree.
pub(crate) fn decode<T: DeserializeOwned>(root: &Node) -> Result<T, Problem> {
    T::deserialize(root).map_err(|error| error.into_problem(root))
}

/// A decoding error with its path from the root to the value.
#[derive(Debug)]
pub(crate) struct DecodeError {
    fault: Box<Fault>,
    /// Path steps from the innermost to the outermost, the order in which they are added.
    steps: Vec<String>,
    origin: Option<Origin>,
}

#[derive(Debug)]
enum Fault {
    UnknownKey { key: String, allowed: &'static [&'static str] },
    MissingKey(&'static str),
    UnknownChoice { found: String, allowed: &'static [&'static str] },
    NotOneChoice { found: Vec<String>, allowed: &'static [&'static str] },
    ChoiceNeedsValues(String),
    ChoiceTakesNoValues(String),
    Wrong { found: String, expected: String },
    Other(String),
}

impl DecodeError {
    fn new(fault: Fault) -> Self {
        DecodeError { fault: Box::new(fault), steps: Vec::new(), origin: None }
    }

    /// Sets the source location, unless a deeper one is set already, and adds a step to the path.
    fn under(mut self, step: Option<&str>, origin: &Origin) -> Self {
        self.origin.get_or_insert_with(|| origin.clone());
        self.steps.extend(step.map(str::to_owned));
        self
    }

    fn into_problem(mut self, root: &Node) -> Problem {
        self.steps.reverse();
        let path = root.readable(&self.steps.join("."));
        let place = if path.is_empty() { "the scene".to_owned() } else { format!("`{path}`") };
        let field = self.steps.last().map_or("", String::as_str);
        let (message, label, remedy) = match *self.fault {
            Fault::UnknownKey { key, allowed } => {
                (format!("unknown key `{key}` in {place}"), "unknown".to_owned(), hint(&key, allowed, "allowed keys"))
            }
            Fault::MissingKey(key) => (
                format!("{place} lacks the key `{key}`"),
                format!("`{key}` is missing here"),
                format!("add `{key}`; `fibra schema` explains it"),
            ),
            Fault::UnknownChoice { found, allowed } => {
                (format!("{place} cannot be `{found}`"), "unknown".to_owned(), hint(&found, allowed, "allowed"))
            }
            Fault::NotOneChoice { found, allowed } => (
                format!("{place} must have exactly one key, but has {}", found.len()),
                if found.is_empty() { "empty".to_owned() } else { found.join(" and ") },
                format!("choose one of {}", listed(allowed.iter().copied())),
            ),
            Fault::ChoiceNeedsValues(choice) => (
                format!("{place} = \"{choice}\" needs a table of values"),
                "values are missing".to_owned(),
                format!("write `{field}.{choice} = {{ ... }}`"),
            ),
            Fault::ChoiceTakesNoValues(choice) => (
                format!("{place} `{choice}` takes no values"),
                "a table is not expected here".to_owned(),
                format!("write `{field} = \"{choice}\"`"),
            ),
            Fault::Wrong { found, expected } => (
                format!("{place} must be {expected}"),
                format!("this is {found}"),
                match (expected.as_str(), self.steps.len()) {
                    ("a list", 1) if found == "a table" => format!("write `[[{field}]]`, once for each"),
                    ("a table of keys and values", 1) => format!("write `[{field}]` and below it one key per line"),
                    _ => format!("replace {found} by {expected}"),
                },
            ),
            Fault::Other(message) => {
                (format!("{place}: {message}"), "here".to_owned(), "see `fibra schema`".to_owned())
            }
        };
        let origin = self.origin.as_ref().unwrap_or(&root.origin);
        Problem::new(message).at(origin.place(), label).remedy(remedy)
    }
}

fn hint(typed: &str, allowed: &'static [&'static str], what: &str) -> String {
    let all = format!("{what}: {}", listed(allowed.iter().copied()));
    match nearest(typed, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {all}"),
        None => all,
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "{:?}", self.fault)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: Display>(message: T) -> Self {
        DecodeError::new(Fault::Other(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        DecodeError::new(Fault::Wrong { found: described(found), expected: in_words(expected) })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        let found = format!("a list of {length}");
        DecodeError::new(Fault::Wrong { found, expected: in_words(expected) })
    }

    fn unknown_variant(variant: &str, allowed: &'static [&'static str]) -> Self {
        DecodeError::new(Fault::UnknownChoice { found: variant.to_owned(), allowed })
    }

    fn unknown_field(field: &str, allowed: &'static [&'static str]) -> Self {
        DecodeError::new(Fault::UnknownKey { key: field.to_owned(), allowed })
    }

    fn missing_field(field: &'static str) -> Self {
        DecodeError::new(Fault::MissingKey(field))
    }
}

fn described(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Str(value) => format!("the text \"{value}\""),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// Describes, in terms of TOML, the type that serde's derived code expects.
fn in_words(expected: &dyn Expected) -> String {
    let name = expected.to_string();
    match name.as_str() {
        "f64" => "a number".to_owned(),
        "u32" | "u64" => "a whole number, 0 or above".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "a list".to_owned(),
        _ if name.starts_with("struct ") => "a table of keys and values".to_owned(),
        _ => match name.strip_prefix("an array of length ") {
            Some(length) => format!("a list of {length} numbers"),
            None => name,
        },
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.value {
            Value::String(value) => visitor.visit_borrowed_str(value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Date => Err(DecodeError::invalid_type(Unexpected::Other("a date"), &visitor)),
            Value::Array(items) => visit_items(items, visitor),
            Value::Table(table) | Value::Path(table) => visitor.visit_map(Entries { rest: table.iter(), value: None }),
        }
        .map_err(|error| error.under(None, &self.origin))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        allowed: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match &self.value {
            Value::String(name) => visitor.visit_enum(Choice { name, key: &self.origin, values: None }),
            Value::Table(table) | Value::Path(table) => match table.first_key_value() {
                Some((name, entry)) if table.len() == 1 => {
                    visitor.visit_enum(Choice { name, key: &entry.key, values: Some(&entry.node) })
                }
                _ => Err(DecodeError::new(Fault::NotOneChoice { found: table.keys().cloned().collect(), allowed })),
            },
            _ => {
                let found = match &self.value {
                    Value::Integer(value) => described(Unexpected::Signed(*value)),
                    Value::Float(value) => described(Unexpected::Float(*value)),
                    Value::Boolean(value) => described(Unexpected::Bool(*value)),
                    Value::Array(_) => "a list".to_owned(),
                    _ => "a date".to_owned(),
                };
                let expected = format!("one of {}", listed(allowed.iter().copied()));
                Err(DecodeError::new(Fault::Wrong { found, expected }))
            }
        }
        .map_err(|error| error.under(None, &self.origin))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Visits the items of a list and rejects surplus items, which a visitor of fixed length would leave unread.
fn visit_items<'de, V: Visitor<'de>>(items: &'de [Node], visitor: V) -> Result<V::Value, DecodeError> {
    let expected = in_words(&visitor);
    let mut access = Items { rest: items.iter(), next: 0 };
    let value = visitor.visit_seq(&mut access)?;
    if access.rest.len() > 0 {
        return Err(DecodeError::new(Fault::Wrong { found: format!("a list of {}", items.len()), expected }));
    }
    Ok(value)
}

struct Items<'de> {
    rest: std::slice::Iter<'de, Node>,
    next: usize,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DecodeError> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        let index = self.next.to_string();
        self.next += 1;
        seed.deserialize(node).map(Some).map_err(|error| error.under(Some(&index), &node.origin))
    }
}

struct Entries<'de> {
    rest: std::collections::btree_map::Iter<'de, String, Entry>,
    value: Option<(&'de String, &'de Entry)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        let Some((key, entry)) = self.rest.next() else { return Ok(None) };
        self.value = Some((key, entry));
        let deserializer: StrDeserializer<'_, DecodeError> = key.as_str().into_deserializer();
        // An unknown key is reported for the table that contains it, so it adds no step to the path.
        seed.deserialize(deserializer).map(Some).map_err(|error| error.under(None, &entry.key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let Some((key, entry)) = self.value.take() else {
            return Err(DecodeError::custom("a value was requested before its key"));
        };
        seed.deserialize(&entry.node).map_err(|error| error.under(Some(key), &entry.node.origin))
    }
}

/// One variant of an enum: `name` alone, or `name = values`.
struct Choice<'de> {
    name: &'de str,
    key: &'de Origin,
    values: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DecodeError> {
        let deserializer: StrDeserializer<'_, DecodeError> = self.name.into_deserializer();
        let value = seed.deserialize(deserializer).map_err(|error: DecodeError| error.under(None, self.key))?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.values {
            None => Ok(()),
            Some(node) => {
                Err(DecodeError::new(Fault::ChoiceTakesNoValues(self.name.to_owned())).under(None, &node.origin))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        match self.values {
            Some(node) => seed.deserialize(node).map_err(|error| error.under(Some(self.name), &node.origin)),
            None => Err(DecodeError::new(Fault::ChoiceNeedsValues(self.name.to_owned()))),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError::custom("scenes have no tuple variants"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError::custom("struct variants are not supported"))
    }
}
