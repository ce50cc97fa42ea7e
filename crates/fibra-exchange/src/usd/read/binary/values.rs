//! Values of a binary file: 64 bits with the value itself or its offset.

use super::bytes::Reader;
use super::{Crate, SampleTable, integers};
use crate::error::Fault;
use crate::usd::read::layer::MAX_TEXT;
use crate::usd::read::value::{Arc, TimeMap, Value};
use std::collections::BTreeMap;

/// Limit on the nesting of dictionaries.
const MAX_DEPTH: u32 = 32;

/// Limit on the size of all values in one dictionary [bytes]: many entries can refer to the same value.
const MAX_NESTED: u64 = 1 << 27;

/// Approximate limit on the number of samples in the cache of sample tables.
const MAX_CACHED: usize = 1 << 21;

/// Approximate overhead of a dictionary entry besides its value [bytes].
const ENTRY: u64 = 128;

/// Arrays of fewer numbers are never compressed, even if they are flagged as compressed.
const MIN_COMPRESSED: usize = 16;

/// An encoded value: flags, a type, and the value or its offset.
#[derive(Clone, Copy)]
pub(in crate::usd::read) struct Code(pub(super) u64);

impl Code {
    fn is_array(self) -> bool {
        self.0 >> 63 & 1 == 1
    }

    fn is_inlined(self) -> bool {
        self.0 >> 62 & 1 == 1
    }

    fn is_compressed(self) -> bool {
        self.0 >> 61 & 1 == 1
    }

    fn kind(self) -> u8 {
        (self.0 >> 48) as u8
    }

    fn payload(self) -> u64 {
        self.0 & 0xFFFF_FFFF_FFFF
    }
}

/// Binary format of a number.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Number {
    fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Decodes a number from exactly its size in bytes.
    fn read(self, bytes: &[u8]) -> f64 {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(eight);
        match self {
            Self::U8 | Self::U32 | Self::U64 => bits as f64,
            Self::I32 => f64::from(bits as u32 as i32),
            Self::I64 => bits as i64 as f64,
            Self::F16 => half::f16::from_bits(bits as u16).to_f64(),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }
}

/// Returns the format of the numbers of a type, and how many numbers an element has.
fn layout(kind: u8) -> Option<(Number, usize)> {
    const VECTORS: [Number; 4] = [Number::F64, Number::F32, Number::F16, Number::I32];
    Some(match kind {
        1 | 2 => (Number::U8, 1),
        3 => (Number::I32, 1),
        4 => (Number::U32, 1),
        5 => (Number::I64, 1),
        6 => (Number::U64, 1),
        7 => (Number::F16, 1),
        8 => (Number::F32, 1),
        9 | 56 => (Number::F64, 1),
        13..=15 => (Number::F64, usize::from(kind - 11).pow(2)),
        16..=18 => (VECTORS[usize::from(kind - 16)], 4),
        19..=30 => (VECTORS[usize::from((kind - 19) % 4)], usize::from((kind - 19) / 4) + 2),
        _ => return None,
    })
}

/// Tables that values refer to by index.
#[derive(Clone, Copy)]
enum Table {
    Tokens,
    Strings,
    Paths,
}

impl Crate {
    /// Decodes a value.
    pub fn value(&self, code: Code) -> Result<Value, Fault> {
        self.nested(code, 0, &mut MAX_NESTED.clone())
    }

    /// Decodes a value at a nesting depth of dictionaries. The value may take `left` more bytes.
    fn nested(&self, code: Code, depth: u32, left: &mut u64) -> Result<Value, Fault> {
        if let Some((number, width)) = layout(code.kind()) {
            let numbers = match (code.is_array(), code.is_inlined()) {
                (true, _) => self.array(code, number, width)?,
                (false, true) => inlined(code, number, width),
                (false, false) => {
                    numbers(Reader::new(&self.bytes, code.payload())?.take((number.size() * width) as u64)?, number)
                }
            };
            return Ok(Value::Numbers(if (16..=18).contains(&code.kind()) { real_first(numbers) } else { numbers }));
        }
        let reader = || Reader::new(&self.bytes, code.payload());
        Ok(match code.kind() {
            10 => self.words_of(code, Table::Strings)?,
            // Asset paths are strings in arrays, but tokens as single values.
            12 if code.is_array() => self.words_of(code, Table::Strings)?,
            11 | 12 => self.words_of(code, Table::Tokens)?,
            31 if code.is_inlined() => Value::Dictionary(BTreeMap::new()),
            31 => Value::Dictionary(self.dictionary(&mut reader()?, depth, left)?),
            32 => self.list(reader()?, |reader, left| self.words(reader, Table::Tokens, left))?,
            33 => self.list(reader()?, |reader, left| self.words(reader, Table::Strings, left))?,
            34 => self.list(reader()?, |reader, left| self.words(reader, Table::Paths, left))?,
            35 => self.list(reader()?, |reader, left| self.arcs(reader, true, left))?,
            40 => Value::Words(self.words(&mut reader()?, Table::Paths, &mut self.max_text())?),
            41 => Value::Words(self.words(&mut reader()?, Table::Tokens, &mut self.max_text())?),
            50 => Value::Words(self.words(&mut reader()?, Table::Strings, &mut self.max_text())?),
            // Specifiers, permissions and variabilities are small numbers.
            42..=44 => Value::Numbers(vec![code.payload() as f64]),
            45 => self.selections(reader()?)?,
            47 => Value::Arcs(vec![self.arc(&mut reader()?, false, &mut self.max_text())?]),
            48 | 49 => {
                let mut reader = reader()?;
                let width = if code.kind() == 48 { 8 } else { 16 };
                let count = reader.count(width)?;
                Value::Numbers(numbers(reader.take((width * count) as u64)?, Number::F64))
            }
            51 => Value::Blocked,
            55 => self.list(reader()?, |reader, left| self.arcs(reader, false, left))?,
            _ => Value::Other,
        })
    }

    /// Returns the times and encoded values of time samples.
    pub fn samples(&self, code: Code) -> Result<SampleTable, Fault> {
        if let Some(known) = self.sample_tables.borrow().get(&code.0) {
            return Ok(known.clone());
        }
        let table: SampleTable = self.read_samples(code)?.into();
        let mut tables = self.sample_tables.borrow_mut();
        // Tables of hostile files can overlap, so their total size can exceed that of the file.
        if tables.values().map(|known| known.len()).sum::<usize>() > MAX_CACHED {
            tables.clear();
        }
        tables.insert(code.0, table.clone());
        Ok(table)
    }

    fn read_samples(&self, code: Code) -> Result<Vec<(f64, Code)>, Fault> {
        const SAMPLES: u8 = 46;
        let mut reader = Reader::new(&self.bytes, code.payload())?;
        if code.kind() != SAMPLES {
            return Err(reader.fault("the type of time samples is wrong"));
        }
        reader.jump()?;
        let times = self.nested(Code(reader.u64()?), MAX_DEPTH, &mut 0)?;
        reader.jump()?;
        let count = reader.count(8)?;
        let Value::Numbers(times) = times else {
            return Err(reader.fault("the sample times are not numbers"));
        };
        if times.len() != count || times.iter().any(|t| !t.is_finite()) || !times.is_sorted() {
            return Err(
                reader.fault("the sample times are not finite and ascending, or there are not as many times as values")
            );
        }
        times.into_iter().map(|t| Ok((t, Code(reader.u64()?)))).collect()
    }

    fn array(&self, code: Code, number: Number, width: usize) -> Result<Vec<f64>, Fault> {
        if code.payload() == 0 {
            return Ok(Vec::new());
        }
        let (mut reader, count) = self.array_start(code)?;
        let compressible = width == 1 && number != Number::U8;
        if !(code.is_compressed() && compressible) || count < MIN_COMPRESSED as u64 {
            let bytes = count.checked_mul((number.size() * width) as u64);
            let bytes = bytes.ok_or_else(|| reader.fault("an array is too long"))?;
            return Ok(numbers(reader.take(bytes)?, number));
        }
        let count = integers::check_count(&reader, count, &integers::ARRAY)?;
        match number {
            Number::I32 => integers::read_32(&mut reader, count, f64::from),
            Number::U32 => integers::read_32(&mut reader, count, |value| f64::from(value as u32)),
            Number::I64 => integers::read_64(&mut reader, count, |value| value as f64),
            Number::U64 => integers::read_64(&mut reader, count, |value| value as u64 as f64),
            _ => match reader.array()? {
                // All numbers are integers.
                [b'i'] => integers::read_32(&mut reader, count, f64::from),
                // Few distinct numbers: a lookup table and indices into it.
                [b't'] => {
                    let entries = reader.u32()?;
                    let table = numbers(reader.take(u64::from(entries) * number.size() as u64)?, number);
                    let places = integers::read_32(&mut reader, count, |place| place as u32)?;
                    let found = places.into_iter().map(|place| table.get(place as usize).copied());
                    let found: Option<Vec<f64>> = found.collect();
                    found.ok_or_else(|| reader.fault("an array has an index outside its lookup table"))
                }
                _ => Err(reader.fault("an array has an unknown compression")),
            },
        }
    }

    /// Returns a reader at the first element of an array, and the number of elements.
    fn array_start(&self, code: Code) -> Result<(Reader<'_>, u64), Fault> {
        let mut reader = Reader::new(&self.bytes, code.payload())?;
        if self.version < [0, 5, 0] {
            // The number of dimensions, which is always 1.
            reader.u32()?;
        }
        let count = if self.version < [0, 7, 0] { u64::from(reader.u32()?) } else { reader.u64()? };
        Ok((reader, count))
    }

    fn words_of(&self, code: Code, table: Table) -> Result<Value, Fault> {
        if !code.is_array() {
            let reader = Reader::new(&self.bytes, 0)?;
            return Ok(Value::Words(vec![self.word(&reader, table, code.payload() as u32)?.to_owned()]));
        }
        if code.payload() == 0 {
            return Ok(Value::Words(Vec::new()));
        }
        let (mut reader, count) = self.array_start(code)?;
        self.some_words(&mut reader, table, count, &mut self.max_text()).map(Value::Words)
    }

    fn words(&self, reader: &mut Reader, table: Table, left: &mut usize) -> Result<Vec<String>, Fault> {
        let count = reader.u64()?;
        self.some_words(reader, table, count, left)
    }

    fn some_words(
        &self,
        reader: &mut Reader,
        table: Table,
        count: u64,
        left: &mut usize,
    ) -> Result<Vec<String>, Fault> {
        let indices = reader.take(count.checked_mul(4).ok_or_else(|| reader.fault("a list is too long"))?)?;
        let indices = indices.as_chunks().0.iter();
        indices.map(|index| self.copied(reader, table, u32::from_le_bytes(*index), left)).collect()
    }

    /// Returns the limit on the text of one value [bytes]: it can repeat a long token many times.
    fn max_text(&self) -> usize {
        MAX_TEXT.0 + MAX_TEXT.1 * self.bytes.len()
    }

    /// Copies a word of a value that may have `left` more bytes of text.
    fn copied(&self, reader: &Reader, table: Table, index: u32, left: &mut usize) -> Result<String, Fault> {
        let word = self.word(reader, table, index)?;
        *left = left
            .checked_sub(word.len())
            .ok_or_else(|| reader.fault("the text of a list is much larger than the file"))?;
        Ok(word.to_owned())
    }

    fn word(&self, reader: &Reader, table: Table, index: u32) -> Result<&str, Fault> {
        let word = match table {
            Table::Tokens => self.token(index),
            Table::Strings => self.string(index),
            Table::Paths => self.paths.get(index as usize).map(String::as_str),
        };
        word.ok_or_else(|| reader.fault(format!("there is no token, string or path with the index {index}")))
    }

    /// Reads a list: explicit items, or prepended, added and appended items. Deleted and reordered items are ignored.
    fn list<T>(
        &self,
        mut reader: Reader,
        items: impl Fn(&mut Reader, &mut usize) -> Result<Vec<T>, Fault>,
    ) -> Result<Value, Fault>
    where
        Vec<T>: Into<Value>,
    {
        let [flags] = reader.array()?;
        let mut all: [Vec<T>; 3] = Default::default();
        let mut left = self.max_text();
        // In the file: explicit, added, prepended, appended, deleted, ordered.
        for (flag, place) in [(1 << 1, 0), (1 << 2, 1), (1 << 5, 0), (1 << 6, 2)] {
            if flags & flag != 0 {
                all[place].extend(items(&mut reader, &mut left)?);
            }
        }
        Ok(all.into_iter().flatten().collect::<Vec<T>>().into())
    }

    fn arcs(&self, reader: &mut Reader, has_data: bool, left: &mut usize) -> Result<Vec<Arc>, Fault> {
        let count = reader.count(8)?;
        (0..count).map(|_| self.arc(reader, has_data, left)).collect()
    }

    fn arc(&self, reader: &mut Reader, has_data: bool, left: &mut usize) -> Result<Arc, Fault> {
        let [asset, prim] = [Table::Strings, Table::Paths].map(|table| {
            let index = reader.u32()?;
            self.copied(reader, table, index, left)
        });
        let (asset, prim) = (asset?, prim?);
        let has_time = has_data || self.version >= [0, 8, 0];
        let time = if has_time { TimeMap { offset: reader.f64()?, scale: reader.f64()? } } else { TimeMap::IDENTITY };
        if has_data {
            // Skips the custom data.
            for _ in 0..reader.count(20)? {
                reader.u32()?;
                reader.jump()?;
                reader.u64()?;
            }
        }
        Ok(Arc { asset, prim, time })
    }

    fn dictionary(&self, reader: &mut Reader, depth: u32, left: &mut u64) -> Result<BTreeMap<String, Value>, Fault> {
        if depth >= MAX_DEPTH {
            return Err(reader.fault("dictionaries are nested too deeply"));
        }
        let mut entries = BTreeMap::new();
        for _ in 0..reader.count(20)? {
            let index = reader.u32()?;
            let key = self.word(reader, Table::Strings, index)?.to_owned();
            reader.jump()?;
            let value = self.nested(Code(reader.u64()?), depth + 1, left)?;
            let taken = ENTRY + key.len() as u64 + size(&value);
            *left = left.checked_sub(taken).ok_or_else(|| reader.fault("a dictionary is too large"))?;
            entries.insert(key, value);
        }
        Ok(entries)
    }

    fn selections(&self, mut reader: Reader) -> Result<Value, Fault> {
        let mut chosen = BTreeMap::new();
        let mut left = self.max_text();
        for _ in 0..reader.count(8)? {
            let [set, variant] = [reader.u32()?, reader.u32()?];
            let [set, variant] = [set, variant].map(|index| self.copied(&reader, Table::Strings, index, &mut left));
            chosen.insert(set?, Value::Words(vec![variant?]));
        }
        Ok(Value::Dictionary(chosen))
    }
}

impl From<Vec<String>> for Value {
    fn from(words: Vec<String>) -> Self {
        Self::Words(words)
    }
}

impl From<Vec<Arc>> for Value {
    fn from(arcs: Vec<Arc>) -> Self {
        Self::Arcs(arcs)
    }
}

fn numbers(bytes: &[u8], number: Number) -> Vec<f64> {
    bytes.chunks_exact(number.size()).map(|bytes| number.read(bytes)).collect()
}

/// Decodes a value that is stored in place of its offset: numbers of four bytes, and vectors and diagonal matrices of small integers.
fn inlined(code: Code, number: Number, width: usize) -> Vec<f64> {
    let bytes = (code.payload() as u32).to_le_bytes();
    let small = |place: usize| f64::from(bytes[place] as i8);
    match (code.kind(), number) {
        (13..=15, _) => {
            let side = usize::from(code.kind() - 11);
            let diagonal = |i: usize| if i.is_multiple_of(side + 1) { small(i / (side + 1)) } else { 0.0 };
            (0..width).map(diagonal).collect()
        }
        (_, Number::F64 | Number::F32) if width == 1 => vec![Number::F32.read(&bytes)],
        (_, Number::I64) if width == 1 => vec![Number::I32.read(&bytes)],
        (_, Number::U64) if width == 1 => vec![Number::U32.read(&bytes)],
        _ if width == 1 => vec![number.read(&bytes[..number.size()])],
        _ => (0..width).map(small).collect(),
    }
}

/// Returns the approximate size of a value [bytes]. Values in dictionaries are already counted.
fn size(value: &Value) -> u64 {
    match value {
        Value::Numbers(numbers) => 8 * numbers.len() as u64,
        Value::Words(words) => words.iter().map(|word| 24 + word.len() as u64).sum(),
        Value::Arcs(arcs) => arcs.iter().map(|arc| 64 + (arc.asset.len() + arc.prim.len()) as u64).sum(),
        _ => 0,
    }
}

/// Reorders quaternions, which are stored with the real part last.
fn real_first(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.as_chunks_mut::<4>().0.iter_mut().for_each(|quaternion| quaternion.rotate_right(1));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_are_stored_inline() {
        let code = |kind: u64, payload: u64| Code(1 << 62 | kind << 48 | payload);
        assert_eq!(inlined(code(9, u64::from(0.5f32.to_bits())), Number::F64, 1), [0.5]);
        assert_eq!(inlined(code(3, u64::from(-7i32 as u32)), Number::I32, 1), [-7.0]);
        assert_eq!(inlined(code(24, 0x00FF_0201), Number::F32, 3), [1.0, 2.0, -1.0]);
        assert_eq!(inlined(code(13, 0x0302), Number::F64, 4), [2.0, 0.0, 0.0, 3.0]);
    }
}
