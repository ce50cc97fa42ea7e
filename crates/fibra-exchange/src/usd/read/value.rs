//! Values of the fields of a USD layer, as far as geometry needs them.

use std::collections::BTreeMap;

/// The value of a field. Similar types are merged; the caller interprets the value by the name of the field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// One or more numbers. Booleans are 0 or 1; vectors, quaternions (real part first) and matrices (row-major) are flattened.
    Numbers(Vec<f64>),
    /// One or more words: strings, tokens, paths or file names.
    Words(Vec<String>),
    /// Named values.
    Dictionary(BTreeMap<String, Value>),
    /// References or payloads.
    Arcs(Vec<Arc>),
    /// Values at times [time codes].
    Samples(Vec<(f64, Value)>),
    /// A value block, which hides weaker values.
    Blocked,
    /// A value that geometry does not need.
    Other,
}

/// A reference to a prim, possibly in another file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arc {
    /// The file; empty for the same file.
    pub asset: String,
    /// The prim; empty for the file's default prim.
    pub prim: String,
    /// Map from times of the target to times of the referring layer.
    pub time: TimeMap,
}

/// A linear map of times: `t -> offset + scale * t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeMap {
    pub offset: f64,
    pub scale: f64,
}

impl TimeMap {
    pub const IDENTITY: Self = Self { offset: 0.0, scale: 1.0 };

    /// Returns the composition that applies `first`, then this map.
    pub fn after(self, first: Self) -> Self {
        Self { offset: self.apply(first.offset), scale: self.scale * first.scale }
    }

    pub fn apply(self, t: f64) -> f64 {
        self.offset + self.scale * t
    }

    /// Returns the time that is mapped to `t`.
    pub fn inverse(self, t: f64) -> f64 {
        (t - self.offset) / self.scale
    }

    /// Returns whether the map is finite and has an inverse.
    pub fn is_valid(self) -> bool {
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
