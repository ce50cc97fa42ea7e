//! Values of a binary file: 64 bits that are the value itself or say where it is.

use super::bytes::Reader;
use super::{Crate, SampleTable, integers};
use crate::error::Fault;
use crate::usd::read::layer::TEXT;
use crate::usd::read::value::{Arc, TimeMap, Value};
use std::collections::BTreeMap;

/// Deepest nesting of dictionaries.
const DEEPEST: u32 = 32;

/// How much all values in one dictionary may take, since they can be the same one again and again [bytes].
const MOST_NESTED: u64 = 1 << 27;

/// Samples of tables that are kept in memory, about.
const MOST_KEPT: usize = 1 << 21;

/// Bytes that an entry of a dictionary takes besides its value, about.
const ENTRY: u64 = 128;

/// Arrays of fewer numbers are not compressed, whatever is said about them.
const SHORTEST_COMPRESSED: usize = 16;

/// A value as the file has it: flags, a type, and the value or its place.
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

/// How a number is written.
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

    /// The number in as many bytes as it has.
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

/// How the numbers of a type are written, and how many make one element.
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

/// Things that have a number and lie in a table.
#[derive(Clone, Copy)]
enum Table {
    Tokens,
    Strings,
    Paths,
}

impl Crate {
    /// Decodes a value.
    pub fn value(&self, code: Code) -> Result<Value, Fault> {
        self.nested(code, 0, &mut MOST_NESTED.clone())
    }

    /// Decodes a value that is so deep in dictionaries, which may take so many bytes more.
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
            // Names of files are strings in arrays, but words where there is one.
            12 if code.is_array() => self.words_of(code, Table::Strings)?,
            11 | 12 => self.words_of(code, Table::Tokens)?,
            31 if code.is_inlined() => Value::Dictionary(BTreeMap::new()),
            31 => Value::Dictionary(self.dictionary(&mut reader()?, depth, left)?),
            32 => self.list(reader()?, |reader, left| self.words(reader, Table::Tokens, left))?,
            33 => self.list(reader()?, |reader, left| self.words(reader, Table::Strings, left))?,
            34 => self.list(reader()?, |reader, left| self.words(reader, Table::Paths, left))?,
            35 => self.list(reader()?, |reader, left| self.arcs(reader, true, left))?,
            40 => Value::Words(self.words(&mut reader()?, Table::Paths, &mut self.most_text())?),
            41 => Value::Words(self.words(&mut reader()?, Table::Tokens, &mut self.most_text())?),
            50 => Value::Words(self.words(&mut reader()?, Table::Strings, &mut self.most_text())?),
            // Specifiers and the like are small numbers.
            42..=44 => Value::Numbers(vec![code.payload() as f64]),
            45 => self.selections(reader()?)?,
            47 => Value::Arcs(vec![self.arc(&mut reader()?, false, &mut self.most_text())?]),
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

    /// The times and values of samples.
    pub fn samples(&self, code: Code) -> Result<SampleTable, Fault> {
        if let Some(known) = self.tables.borrow().get(&code.0) {
            return Ok(known.clone());
        }
        let table: SampleTable = self.read_samples(code)?.into();
        let mut tables = self.tables.borrow_mut();
        // Tables of hostile files overlap, so that there can be more of them than bytes.
        if tables.values().map(|known| known.len()).sum::<usize>() > MOST_KEPT {
            tables.clear();
        }
        tables.insert(code.0, table.clone());
        Ok(table)
    }

    fn read_samples(&self, code: Code) -> Result<Vec<(f64, Code)>, Fault> {
        const SAMPLES: u8 = 46;
        let mut reader = Reader::new(&self.bytes, code.payload())?;
        if code.kind() != SAMPLES {
            return Err(reader.fault("time samples have another type"));
        }
        reader.jump()?;
        let times = self.nested(Code(reader.u64()?), DEEPEST, &mut 0)?;
        reader.jump()?;
        let count = reader.count(8)?;
        let Value::Numbers(times) = times else {
            return Err(reader.fault("the times of samples are no numbers"));
        };
        if times.len() != count || times.iter().any(|t| !t.is_finite()) || !times.is_sorted() {
            return Err(reader.fault("the times of samples are not sorted, or not as many as their values"));
        }
        times.into_iter().map(|t| Ok((t, Code(reader.u64()?)))).collect()
    }

    fn array(&self, code: Code, number: Number, width: usize) -> Result<Vec<f64>, Fault> {
        if code.payload() == 0 {
            return Ok(Vec::new());
        }
        let (mut reader, count) = self.array_start(code)?;
        let compressible = width == 1 && number != Number::U8;
        if !(code.is_compressed() && compressible) || count < SHORTEST_COMPRESSED as u64 {
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
                // All of them are integers.
                [b'i'] => integers::read_32(&mut reader, count, f64::from),
                // Few of them differ: a table of them, and their places in it.
                [b't'] => {
                    let entries = reader.u32()?;
                    let table = numbers(reader.take(u64::from(entries) * number.size() as u64)?, number);
                    let places = integers::read_32(&mut reader, count, |place| place as u32)?;
                    let found = places.into_iter().map(|place| table.get(place as usize).copied());
                    let found: Option<Vec<f64>> = found.collect();
                    found.ok_or_else(|| reader.fault("a number of an array is not in its table"))
                }
                _ => Err(reader.fault("an array is compressed in an unknown way")),
            },
        }
    }

    /// Where the elements of an array begin, and how many there are.
    fn array_start(&self, code: Code) -> Result<(Reader<'_>, u64), Fault> {
        let mut reader = Reader::new(&self.bytes, code.payload())?;
        if self.version < [0, 5, 0] {
            // The number of dimensions, which was always 1.
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
        self.some_words(&mut reader, table, count, &mut self.most_text()).map(Value::Words)
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

    /// How much text one value may have [bytes]: it can name a long word again and again.
    fn most_text(&self) -> usize {
        TEXT.0 + TEXT.1 * self.bytes.len()
    }

    /// A word of a value that may have so much text more.
    fn copied(&self, reader: &Reader, table: Table, index: u32, left: &mut usize) -> Result<String, Fault> {
        let word = self.word(reader, table, index)?;
        *left = left.checked_sub(word.len()).ok_or_else(|| reader.fault("a list has far more text than the file"))?;
        Ok(word.to_owned())
    }

    fn word(&self, reader: &Reader, table: Table, index: u32) -> Result<&str, Fault> {
        let word = match table {
            Table::Tokens => self.token(index),
            Table::Strings => self.string(index),
            Table::Paths => self.paths.get(index as usize).map(String::as_str),
        };
        word.ok_or_else(|| reader.fault(format!("there is no word or path of the number {index}")))
    }

    /// A list that is given whole or as changes of weaker ones; what is deleted or only put in another order is not looked at.
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
        let mut left = self.most_text();
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
        let time = if has_time { TimeMap { offset: reader.f64()?, scale: reader.f64()? } } else { TimeMap::SAME };
        if has_data {
            // Whatever is noted there is not looked at.
            for _ in 0..reader.count(20)? {
                reader.u32()?;
                reader.jump()?;
                reader.u64()?;
            }
        }
        Ok(Arc { asset, prim, time })
    }

    fn dictionary(&self, reader: &mut Reader, depth: u32, left: &mut u64) -> Result<BTreeMap<String, Value>, Fault> {
        if depth >= DEEPEST {
            return Err(reader.fault("dictionaries are too deep in each other"));
        }
        let mut entries = BTreeMap::new();
        for _ in 0..reader.count(20)? {
            let index = reader.u32()?;
            let key = self.word(reader, Table::Strings, index)?.to_owned();
            reader.jump()?;
            let value = self.nested(Code(reader.u64()?), depth + 1, left)?;
            let taken = ENTRY + key.len() as u64 + size(&value);
            *left = left.checked_sub(taken).ok_or_else(|| reader.fault("a dictionary is far larger than the file"))?;
            entries.insert(key, value);
        }
        Ok(entries)
    }

    fn selections(&self, mut reader: Reader) -> Result<Value, Fault> {
        let mut chosen = BTreeMap::new();
        let mut left = self.most_text();
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

/// A value that fits into the place of its offset: numbers in four bytes, vectors and diagonals of small integers.
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

/// About how many bytes a value takes; what is in dictionaries has been counted already.
fn size(value: &Value) -> u64 {
    match value {
        Value::Numbers(numbers) => 8 * numbers.len() as u64,
        Value::Words(words) => words.iter().map(|word| 24 + word.len() as u64).sum(),
        Value::Arcs(arcs) => arcs.iter().map(|arc| 64 + (arc.asset.len() + arc.prim.len()) as u64).sum(),
        _ => 0,
    }
}

/// Quaternions are written with their real part last.
fn real_first(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.as_chunks_mut::<4>().0.iter_mut().for_each(|quaternion| quaternion.rotate_right(1));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_are_in_their_code() {
        let code = |kind: u64, payload: u64| Code(1 << 62 | kind << 48 | payload);
        assert_eq!(inlined(code(9, u64::from(0.5f32.to_bits())), Number::F64, 1), [0.5]);
        assert_eq!(inlined(code(3, u64::from(-7i32 as u32)), Number::I32, 1), [-7.0]);
        assert_eq!(inlined(code(24, 0x00FF_0201), Number::F32, 3), [1.0, 2.0, -1.0]);
        assert_eq!(inlined(code(13, 0x0302), Number::F64, 4), [2.0, 0.0, 0.0, 3.0]);
    }
}
