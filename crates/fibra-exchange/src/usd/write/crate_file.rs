//! The bytes of a `.usdc` file ("crate file", version 0.8.0). Values are written first, as they arrive; the index tables are written last.
//!
//! ```text
//! bootstrap: "PXR-USDC", version, offset of the table of contents
//! values: arrays, times and all values that do not fit into 48 bits
//! TOKENS, STRINGS, FIELDS (name and value), FIELDSETS, PATHS, SPECS
//! table of contents: name, start and length of each table
//! ```
//! Only the tables are held in memory, so files can be of any length.

use super::coding::{lz4_chunk, pack_integers};
use bytemuck::Pod;
use std::collections::HashMap;
use std::io::{self, Seek, SeekFrom, Write};

/// Size of the bootstrap at the start of the file [bytes].
const BOOTSTRAP: u64 = 88;
/// The oldest version that has all features used here, so that old readers can open the files.
const VERSION: [u8; 8] = [0, 8, 0, 0, 0, 0, 0, 0];

/// A reference to a value from a field or sample: its type, and either the value itself or its offset in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value(u64);

const IS_ARRAY: u64 = 1 << 63;
const IS_INLINE: u64 = 1 << 62;

/// Types of values, with their codes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool = 1,
    Int = 3,
    Int64 = 5,
    Float = 8,
    Double = 9,
    String = 10,
    Token = 11,
    Quatf = 17,
    Quath = 18,
    Vec3d = 23,
    Vec3f = 24,
    PathListOp = 34,
    TokenVector = 41,
    Specifier = 42,
    Variability = 44,
    TimeSamples = 46,
    DoubleVector = 48,
}

impl Type {
    /// Size of an element of an array [bytes].
    fn size(self) -> usize {
        match self {
            Type::Bool => 1,
            Type::Int | Type::Float | Type::String | Type::Token | Type::Specifier | Type::Variability => 4,
            Type::Int64 | Type::Double | Type::Quath => 8,
            Type::Vec3f => 12,
            Type::Quatf => 16,
            Type::Vec3d => 24,
            // These types do not occur in arrays.
            Type::PathListOp | Type::TokenVector | Type::TimeSamples | Type::DoubleVector => 8,
        }
    }
}

impl Value {
    fn inline(kind: Type, bits: u32) -> Value {
        Value(IS_INLINE | (kind as u64) << 48 | u64::from(bits))
    }

    fn at(kind: Type, offset: u64) -> Value {
        Value((kind as u64) << 48 | offset)
    }

    /// Returns an empty array.
    pub(super) fn empty_array(kind: Type) -> Value {
        Value(IS_ARRAY | (kind as u64) << 48)
    }

    pub(super) fn bool(value: bool) -> Value {
        Value::inline(Type::Bool, value.into())
    }

    /// Returns the specifier `def`, whose code is 0: the spec defines a prim.
    pub(super) fn def() -> Value {
        Value::inline(Type::Specifier, 0)
    }

    /// Returns the variability `uniform`: the attribute cannot have time samples.
    pub(super) fn uniform() -> Value {
        Value::inline(Type::Variability, 1)
    }
}

/// Kinds of specs, with their codes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecKind {
    Attribute = 1,
    Prim = 6,
    Root = 7,
    Relationship = 8,
}

/// A path of the file with its fields. Specs are in depth-first order, each parent before its children.
pub(super) struct Spec {
    pub(super) kind: SpecKind,
    /// Last element of the path; unused for the root.
    pub(super) name: String,
    /// Number of paths in the subtree below this path, including the path itself.
    pub(super) subtree: usize,
    /// Whether a later path has the same parent.
    pub(super) has_sibling: bool,
    pub(super) fields: Vec<(&'static str, Value)>,
}

/// A file under construction.
pub(super) struct CrateWriter<W> {
    out: W,
    position: u64,
    tokens: Vec<String>,
    token_indices: HashMap<String, u32>,
    /// The token index of each string.
    strings: Vec<u32>,
}

impl<W: Write + Seek> CrateWriter<W> {
    pub(super) fn new(out: W) -> io::Result<CrateWriter<W>> {
        let mut writer =
            CrateWriter { out, position: 0, tokens: Vec::new(), token_indices: HashMap::new(), strings: Vec::new() };
        writer.write(&[0; BOOTSTRAP as usize])?;
        // The token index of a property name is negated in the file. Index 0 cannot be negated, so the empty token occupies it.
        writer.token_index("");
        Ok(writer)
    }

    /// Returns the number of bytes written so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn count(&mut self, count: usize) -> io::Result<()> {
        self.write(&(count as u64).to_le_bytes())
    }

    /// Pads the file to a multiple of eight bytes, so that readers can use arrays without a copy. Returns the offset.
    fn align(&mut self) -> io::Result<u64> {
        let gap = self.position.next_multiple_of(8) - self.position;
        self.write(&[0; 8][..gap as usize])?;
        Ok(self.position)
    }

    fn token_index(&mut self, token: &str) -> u32 {
        if let Some(&index) = self.token_indices.get(token) {
            return index;
        }
        let index = self.tokens.len() as u32;
        self.tokens.push(token.to_owned());
        self.token_indices.insert(token.to_owned(), index);
        index
    }

    pub(super) fn token(&mut self, token: &str) -> Value {
        Value::inline(Type::Token, self.token_index(token))
    }

    pub(super) fn string(&mut self, string: &str) -> Value {
        let token = self.token_index(string);
        self.strings.push(token);
        Value::inline(Type::String, self.strings.len() as u32 - 1)
    }

    /// Writes a value of the given type from its bytes.
    pub(super) fn scalar(&mut self, kind: Type, value: &[u8]) -> io::Result<Value> {
        let offset = self.align()?;
        self.write(value)?;
        Ok(Value::at(kind, offset))
    }

    pub(super) fn double(&mut self, value: f64) -> io::Result<Value> {
        self.scalar(Type::Double, &value.to_le_bytes())
    }

    /// Writes an array of elements of the given type from their bytes.
    pub(super) fn array(&mut self, kind: Type, elements: &[u8]) -> io::Result<Value> {
        if elements.is_empty() {
            return Ok(Value::empty_array(kind));
        }
        let offset = self.align()?;
        self.count(elements.len() / kind.size())?;
        self.write(elements)?;
        Ok(Value(IS_ARRAY | Value::at(kind, offset).0))
    }

    pub(super) fn token_array(&mut self, tokens: &[&str]) -> io::Result<Value> {
        let indices: Vec<u32> = tokens.iter().map(|token| self.token_index(token)).collect();
        self.array(Type::Token, bytemuck::cast_slice(&indices))
    }

    /// Writes the names of children, in order.
    pub(super) fn names(&mut self, names: &[&str]) -> io::Result<Value> {
        let indices: Vec<u32> = names.iter().map(|name| self.token_index(name)).collect();
        self.listed(Type::TokenVector, &indices)
    }

    fn listed<T: Pod>(&mut self, kind: Type, items: &[T]) -> io::Result<Value> {
        let offset = self.align()?;
        self.count(items.len())?;
        self.write(bytemuck::cast_slice(items))?;
        Ok(Value::at(kind, offset))
    }

    /// Writes the target paths of a relationship, as indices into the specs.
    pub(super) fn targets(&mut self, paths: &[u32]) -> io::Result<Value> {
        const EXPLICIT: u8 = 1 | 2;
        let offset = self.align()?;
        self.write(&[EXPLICIT])?;
        self.count(paths.len())?;
        self.write(bytemuck::cast_slice(paths))?;
        Ok(Value::at(Type::PathListOp, offset))
    }

    /// Writes a list of sample times, which many attributes can share.
    pub(super) fn times(&mut self, times: &[f64]) -> io::Result<Value> {
        self.listed(Type::DoubleVector, times)
    }

    /// Writes time samples: one value for each of the times.
    pub(super) fn samples(&mut self, times: Value, values: &[Value]) -> io::Result<Value> {
        let offset = self.align()?;
        // Relative offsets: the times and the values both follow directly, although the format allows gaps.
        self.write(&8i64.to_le_bytes())?;
        self.write(&times.0.to_le_bytes())?;
        self.write(&8i64.to_le_bytes())?;
        self.count(values.len())?;
        for value in values {
            self.write(&value.0.to_le_bytes())?;
        }
        Ok(Value::at(Type::TimeSamples, offset))
    }

    /// Writes the tables and the bootstrap, and returns the output.
    pub(super) fn finish(mut self, specs: &[Spec]) -> io::Result<W> {
        let names: Vec<i32> = specs
            .iter()
            .map(|spec| {
                let index = self.token_index(&spec.name) as i32;
                let is_property = matches!(spec.kind, SpecKind::Attribute | SpecKind::Relationship);
                if is_property { -index } else { index }
            })
            .collect();
        let (mut fields, mut field_indices) = (Vec::new(), HashMap::new());
        let (mut sets, mut first_of_set) = (Vec::new(), Vec::new());
        for spec in specs {
            first_of_set.push(sets.len() as i32);
            for &(name, value) in &spec.fields {
                let field = (self.token_index(name), value);
                let index = *field_indices.entry(field).or_insert_with(|| {
                    fields.push(field);
                    fields.len() as i32 - 1
                });
                sets.push(index);
            }
            // Marks the end of a field set.
            sets.push(-1);
        }

        let mut contents = Vec::new();
        let mut section = |writer: &mut Self, name: &str, write: &dyn Fn(&mut Self) -> io::Result<()>| {
            let start = writer.position;
            write(writer)?;
            contents.push((name.to_owned(), start, writer.position - start));
            Ok::<(), io::Error>(())
        };
        section(&mut self, "TOKENS", &Self::write_tokens)?;
        section(&mut self, "STRINGS", &|writer| {
            writer.count(writer.strings.len())?;
            let strings = std::mem::take(&mut writer.strings);
            writer.write(bytemuck::cast_slice(&strings))
        })?;
        section(&mut self, "FIELDS", &|writer| {
            writer.count(fields.len())?;
            writer.integers(fields.iter().map(|field| field.0 as i32))?;
            let values: Vec<u64> = fields.iter().map(|field| field.1.0).collect();
            writer.packed(bytemuck::cast_slice(&values))
        })?;
        section(&mut self, "FIELDSETS", &|writer| {
            writer.count(sets.len())?;
            writer.integers(sets.iter().copied())
        })?;
        section(&mut self, "PATHS", &|writer| {
            writer.count(specs.len())?;
            writer.count(specs.len())?;
            writer.integers(0..specs.len() as i32)?;
            writer.integers(names.iter().copied())?;
            writer.integers(specs.iter().map(Spec::jump))
        })?;
        section(&mut self, "SPECS", &|writer| {
            writer.count(specs.len())?;
            writer.integers(0..specs.len() as i32)?;
            writer.integers(first_of_set.iter().copied())?;
            writer.integers(specs.iter().map(|spec| spec.kind as i32))
        })?;
        let start = self.position;
        self.count(contents.len())?;
        for (name, start, length) in contents {
            let mut bytes = [0; 16];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            self.write(&bytes)?;
            self.write(bytemuck::cast_slice(&[start, length]))?;
        }
        self.out.seek(SeekFrom::Start(0))?;
        self.write(b"PXR-USDC")?;
        self.write(&VERSION)?;
        self.write(&start.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_tokens(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        for token in &self.tokens {
            bytes.extend(token.as_bytes());
            bytes.push(0);
        }
        self.count(self.tokens.len())?;
        self.count(bytes.len())?;
        self.packed(&bytes)
    }

    fn integers(&mut self, integers: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.packed(&pack_integers(integers))
    }

    fn packed(&mut self, bytes: &[u8]) -> io::Result<()> {
        let chunk = lz4_chunk(bytes);
        self.count(chunk.len())?;
        self.write(&chunk)
    }
}

impl Spec {
    /// Returns the jump code of the format. With children and a next sibling, it is the distance to this sibling in paths. It is -1
    /// with children only, 0 with a sibling only, and -2 with neither.
    fn jump(&self) -> i32 {
        match (self.subtree > 1, self.has_sibling) {
            (true, true) => self.subtree as i32,
            (true, false) => -1,
            (false, true) => 0,
            (false, false) => -2,
        }
    }
}
