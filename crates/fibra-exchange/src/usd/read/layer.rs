//! One USD file: the fields of prims and properties, by path.

use super::binary::{Crate, SampleTable};
use super::clips::Clips;
use super::stage::beside;
use super::text;
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use crate::file;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The path of the layer's metadata.
pub(super) const ROOT: &str = "/";

/// Limit on the length of a path [bytes]: every path is stored in full, with the names of all ancestors.
pub(super) const MAX_PATH: usize = 4096;

/// Limit on the text of all tokens, of all paths and of one value [bytes]: a constant, plus a factor times the size of the file.
pub(super) const MAX_TEXT: (usize, usize) = (1 << 24, 64);

/// Time codes per second of a layer that does not set them [1/s].
const DEFAULT_RATE: f64 = 24.0;

/// The fields of prims (`/World/Shirt`), properties (`/World/Shirt.points`) and variants (`/World/Shirt{size=large}`) in a text file.
pub(super) type TextSpecs = HashMap<String, BTreeMap<String, Value>>;

/// A parsed file.
pub(super) struct Layer {
    pub file: PathBuf,
    source: Source,
}

enum Source {
    Text(TextSpecs),
    /// Values are decoded on demand, because a run of many frames would not fit into memory.
    Binary(Box<Crate>),
}

/// Time samples of a field, whose values may still be encoded.
pub(super) enum Samples<'a> {
    Decoded(&'a [(f64, Value)]),
    Encoded(SampleTable),
}

impl Layer {
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        Self::parse(file::read(path)?, path)
    }

    /// Parses a layer from the contents of a file.
    pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, ImportError> {
        let source = if bytes.starts_with(Crate::SIGNATURE) {
            Crate::parse(bytes).map(|file| Source::Binary(Box::new(file)))
        } else if bytes.starts_with(b"PK\x03\x04") {
            Err(Fault::new("byte 0", "this is a usdz archive", "unpack it and use the .usd, .usda or .usdc file in it"))
        } else {
            text::parse(&bytes).map(Source::Text)
        };
        let source = source.map_err(|fault| fault.in_file(path))?;
        Ok(Self { file: path.to_owned(), source })
    }

    /// Returns whether the layer has a spec for a prim or property.
    pub fn has(&self, path: &str) -> bool {
        match &self.source {
            Source::Text(specs) => specs.contains_key(path),
            Source::Binary(file) => file.has(path),
        }
    }

    /// Returns whether a prim or property has a field.
    pub fn has_field(&self, path: &str, name: &str) -> bool {
        match &self.source {
            Source::Text(specs) => specs.get(path).is_some_and(|fields| fields.contains_key(name)),
            Source::Binary(file) => file.field(path, name).is_some(),
        }
    }

    /// Returns a field of a prim or property, if it exists.
    pub fn field(&self, path: &str, name: &str) -> Result<Option<Value>, ImportError> {
        match &self.source {
            Source::Text(specs) => Ok(specs.get(path).and_then(|fields| fields.get(name)).cloned()),
            Source::Binary(file) => {
                file.field(path, name).map(|code| file.value(code).map_err(|fault| self.at(path, fault))).transpose()
            }
        }
    }

    /// Returns the time samples of a property, if it has any.
    pub fn samples(&self, path: &str) -> Result<Option<Samples<'_>>, ImportError> {
        const NAME: &str = "timeSamples";
        match &self.source {
            Source::Text(specs) => match specs.get(path).and_then(|fields| fields.get(NAME)) {
                Some(Value::Samples(samples)) => Ok(Some(Samples::Decoded(samples))),
                _ => Ok(None),
            },
            Source::Binary(file) => file
                .field(path, NAME)
                .map(|code| file.samples(code).map(Samples::Encoded).map_err(|fault| self.at(path, fault)))
                .transpose(),
        }
    }

    /// Returns the value of one of the time samples of a property.
    pub fn sample(&self, path: &str, samples: &Samples, index: usize) -> Result<Value, ImportError> {
        match (samples, &self.source) {
            (Samples::Decoded(samples), _) => Ok(samples[index].1.clone()),
            (Samples::Encoded(samples), Source::Binary(file)) => {
                file.value(samples[index].1).map_err(|fault| self.at(path, fault))
            }
            (Samples::Encoded(_), Source::Text(_)) => Ok(Value::Other),
        }
    }

    /// Returns the layer files that this layer refers to: its sublayers, references and payloads, also those in unselected variants. The order depends
    /// only on the contents. Damaged fields are skipped.
    pub fn named_layers(&self) -> Vec<PathBuf> {
        let mut names = match self.field(ROOT, "subLayers") {
            Ok(Some(Value::Words(files))) => files,
            _ => Vec::new(),
        };
        for path in self.paths() {
            for name in ["references", "payload"] {
                if let Ok(Some(Value::Arcs(arcs))) = self.field(path, name) {
                    names.extend(arcs.into_iter().map(|arc| arc.asset).filter(|asset| !asset.is_empty()));
                }
            }
        }
        names.iter().map(|name| beside(&self.file, name)).collect()
    }

    /// Returns the files that this layer refers to as value clips. The order depends only on the contents. Damaged fields are skipped.
    pub fn named_clips(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let with_clips = self.paths().into_iter().filter(|path| self.has_field(path, "clips"));
        let sets: Vec<_> = with_clips.filter_map(|path| Clips::read(self, path).ok()).flatten().collect();
        sets.into_iter().flat_map(|(clips, _)| clips.files())
    }

    /// Returns the paths of all prims, properties and variants, sorted.
    fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = match &self.source {
            Source::Text(specs) => specs.keys().map(String::as_str).collect(),
            Source::Binary(file) => file.paths().collect(),
        };
        paths.sort_unstable();
        paths
    }

    /// Returns the time codes per second [1/s].
    pub fn rate(&self) -> Result<f64, ImportError> {
        for name in ["timeCodesPerSecond", "framesPerSecond"] {
            match self.field(ROOT, name)?.as_ref().and_then(Value::number) {
                None => {}
                Some(rate) if rate > 0.0 && rate.is_finite() => return Ok(rate),
                Some(rate) => {
                    let problem = format!("`{name}` is {rate}");
                    return Err(
                        Fault::new("layer metadata", problem, "it must be finite and above 0").in_file(&self.file)
                    );
                }
            }
        }
        Ok(DEFAULT_RATE)
    }

    fn at(&self, path: &str, fault: Fault) -> ImportError {
        Fault { place: format!("{path}, {}", fault.place), ..fault }.in_file(&self.file)
    }
}

impl Samples<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Decoded(samples) => samples.len(),
            Self::Encoded(samples) => samples.len(),
        }
    }

    /// Returns the time of a sample [time codes].
    pub fn time(&self, index: usize) -> f64 {
        match self {
            Self::Decoded(samples) => samples[index].0,
            Self::Encoded(samples) => samples[index].0,
        }
    }

    pub fn times(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|index| self.time(index))
    }
}
