//! One USD file: fields of prims and properties, known by their paths.

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

/// The path of a layer's own fields.
pub(super) const ROOT: &str = "/";

/// Longest path of a prim or property [bytes]: each is kept with the names of all that is above it.
pub(super) const LONGEST_PATH: usize = 4096;

/// Text of words, of paths and of one value's words that any file may have, and how much more for each of its bytes [bytes].
pub(super) const TEXT: (usize, usize) = (1 << 24, 64);

/// Time codes per second where the layer does not say [1/s].
const USUAL_RATE: f64 = 24.0;

/// What a text file says about prims (`/World/Shirt`), properties (`/World/Shirt.points`) and variants
/// (`/World/Shirt{size=large}`).
pub(super) type TextSpecs = HashMap<String, BTreeMap<String, Value>>;

/// One file, read.
pub(super) struct Layer {
    pub file: PathBuf,
    source: Source,
}

enum Source {
    Text(TextSpecs),
    /// Values stay coded until somebody asks for them: a run of many frames would fill the memory.
    Binary(Box<Crate>),
}

/// Samples of a field, their values perhaps still coded.
pub(super) enum Samples<'a> {
    Ready(&'a [(f64, Value)]),
    Coded(SampleTable),
}

impl Layer {
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        Self::parse(file::read(path)?, path)
    }

    /// A layer from the contents of a file.
    pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, ImportError> {
        let source = if bytes.starts_with(Crate::SIGNATURE) {
            Crate::parse(bytes).map(|file| Source::Binary(Box::new(file)))
        } else if bytes.starts_with(b"PK\x03\x04") {
            Err(Fault::new("byte 0", "it is a usdz archive", "unpack it and name the .usd, .usda or .usdc file in it"))
        } else {
            text::parse(&bytes).map(Source::Text)
        };
        let source = source.map_err(|fault| fault.in_file(path))?;
        Ok(Self { file: path.to_owned(), source })
    }

    /// Whether something is said about a prim or property.
    pub fn has(&self, path: &str) -> bool {
        match &self.source {
            Source::Text(specs) => specs.contains_key(path),
            Source::Binary(file) => file.has(path),
        }
    }

    /// Whether a prim or property has a field.
    pub fn has_field(&self, path: &str, name: &str) -> bool {
        match &self.source {
            Source::Text(specs) => specs.get(path).is_some_and(|fields| fields.contains_key(name)),
            Source::Binary(file) => file.field(path, name).is_some(),
        }
    }

    /// A field of a prim or property, if it has one.
    pub fn field(&self, path: &str, name: &str) -> Result<Option<Value>, ImportError> {
        match &self.source {
            Source::Text(specs) => Ok(specs.get(path).and_then(|fields| fields.get(name)).cloned()),
            Source::Binary(file) => {
                file.field(path, name).map(|code| file.value(code).map_err(|fault| self.at(path, fault))).transpose()
            }
        }
    }

    /// The samples of a property over time, if it has some.
    pub fn samples(&self, path: &str) -> Result<Option<Samples<'_>>, ImportError> {
        const NAME: &str = "timeSamples";
        match &self.source {
            Source::Text(specs) => match specs.get(path).and_then(|fields| fields.get(NAME)) {
                Some(Value::Samples(samples)) => Ok(Some(Samples::Ready(samples))),
                _ => Ok(None),
            },
            Source::Binary(file) => file
                .field(path, NAME)
                .map(|code| file.samples(code).map(Samples::Coded).map_err(|fault| self.at(path, fault)))
                .transpose(),
        }
    }

    /// The value of one of the samples of a property.
    pub fn sample(&self, path: &str, samples: &Samples, index: usize) -> Result<Value, ImportError> {
        match (samples, &self.source) {
            (Samples::Ready(samples), _) => Ok(samples[index].1.clone()),
            (Samples::Coded(samples), Source::Binary(file)) => {
                file.value(samples[index].1).map_err(|fault| self.at(path, fault))
            }
            (Samples::Coded(_), Source::Text(_)) => Ok(Value::Other),
        }
    }

    /// The files that it names as layers (sublayers, references and payloads, also of variants that are not chosen), in an order that depends on its
    /// contents alone. What is damaged names none.
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

    /// The files that it names as value clips, in an order that depends on its contents alone. What is damaged names none.
    pub fn named_clips(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let with_clips = self.paths().into_iter().filter(|path| self.has_field(path, "clips"));
        let sets: Vec<_> = with_clips.filter_map(|path| Clips::read(self, path).ok()).flatten().collect();
        sets.into_iter().flat_map(|(clips, _)| clips.files())
    }

    /// The paths of all prims, properties and variants, sorted.
    fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = match &self.source {
            Source::Text(specs) => specs.keys().map(String::as_str).collect(),
            Source::Binary(file) => file.paths().collect(),
        };
        paths.sort_unstable();
        paths
    }

    /// Time codes per second [1/s].
    pub fn rate(&self) -> Result<f64, ImportError> {
        for name in ["timeCodesPerSecond", "framesPerSecond"] {
            match self.field(ROOT, name)?.as_ref().and_then(Value::number) {
                None => {}
                Some(rate) if rate > 0.0 && rate.is_finite() => return Ok(rate),
                Some(rate) => {
                    let problem = format!("`{name}` is {rate}");
                    return Err(Fault::new("the layer", problem, "it must be above 0 and finite").in_file(&self.file));
                }
            }
        }
        Ok(USUAL_RATE)
    }

    fn at(&self, path: &str, fault: Fault) -> ImportError {
        Fault { place: format!("{path}, {}", fault.place), ..fault }.in_file(&self.file)
    }
}

impl Samples<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Ready(samples) => samples.len(),
            Self::Coded(samples) => samples.len(),
        }
    }

    /// The time of a sample [time codes].
    pub fn time(&self, index: usize) -> f64 {
        match self {
            Self::Ready(samples) => samples[index].0,
            Self::Coded(samples) => samples[index].0,
        }
    }

    pub fn times(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|index| self.time(index))
    }
}
