//! What fields of a USD layer hold, as far as geometry needs it.

use std::collections::BTreeMap;

/// The value of a field. Types of the same kind are not told apart: whoever asks knows what a field must hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// One number or many; truth is 1; vectors, quaternions (real part first) and matrices (row by row) one after the other.
    Numbers(Vec<f64>),
    /// One word or many: strings, tokens, paths, names of files.
    Words(Vec<String>),
    /// Named values.
    Dictionary(BTreeMap<String, Value>),
    /// References or payloads.
    Arcs(Vec<Arc>),
    /// Values at times [time codes].
    Samples(Vec<(f64, Value)>),
    /// No value, which hides weaker ones.
    Blocked,
    /// A value that geometry does not need.
    Other,
}

/// A reference to a prim, perhaps of another file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arc {
    /// The file; empty for the same one.
    pub asset: String,
    /// The prim; empty for the file's default prim.
    pub prim: String,
    /// How times of the target become times of whoever refers to it.
    pub time: TimeMap,
}

/// A straight map of times: `t -> offset + scale * t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeMap {
    pub offset: f64,
    pub scale: f64,
}

impl TimeMap {
    pub const SAME: Self = Self { offset: 0.0, scale: 1.0 };

    /// This map after another.
    pub fn after(self, first: Self) -> Self {
        Self { offset: self.apply(first.offset), scale: self.scale * first.scale }
    }

    pub fn apply(self, t: f64) -> f64 {
        self.offset + self.scale * t
    }

    /// The time that is mapped to `t`.
    pub fn undo(self, t: f64) -> f64 {
        (t - self.offset) / self.scale
    }

    /// Whether it can be undone.
    pub fn is_sound(self) -> bool {
        self.offset.is_finite() && self.scale.is_finite() && self.scale != 0.0
    }
}

impl Value {
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Numbers(numbers) => numbers.first().copied(),
            _ => None,
        }
    }

    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Words(words) => words.first().map(String::as_str),
            _ => None,
        }
    }
}
