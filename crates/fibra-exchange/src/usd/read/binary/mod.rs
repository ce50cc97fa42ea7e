//! Binary USD files (`.usdc`, version 0.4 to 0.10 and compatible later versions). A table of contents lists the sections: tokens, paths, fields and specs.
//! Values are stored outside the sections and decoded on demand.
//!
//! All input is validated: counts against the remaining bytes, and indices against the tables. The size of decompressed data is limited, and so is the
//! text of all paths together, because nested paths can repeat a long token many times.

mod bytes;
mod integers;
mod paths;
mod values;

use super::layer::MAX_TEXT;
use crate::error::Fault;
use bytes::Reader;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
pub(in crate::usd::read) use values::Code;

/// Limit on the number of fields of a prim or property.
const MAX_FIELDS: usize = 1024;

/// Marks the end of the fields of a spec.
const END: u32 = u32::MAX;

/// Spec types that are read: attributes, prims, the layer itself, relationships and variants.
const KINDS: [i32; 5] = [1, 6, 7, 8, 10];

/// A binary file with parsed tables.
pub(in crate::usd::read) struct Crate {
    bytes: Vec<u8>,
    version: [u8; 3],
    /// Text of all tokens, and the range of each token in it.
    text: String,
    tokens: Vec<Range<usize>>,
    strings: Vec<u32>,
    fields: Vec<(u32, Code)>,
    field_sets: Vec<u32>,
    paths: Vec<String>,
    /// Index of the first entry in `field_sets`, by path.
    specs: HashMap<String, usize>,
    /// Cache of sample tables: playback needs them again in every frame.
    sample_tables: RefCell<HashMap<u64, SampleTable>>,
}

/// Times and encoded values of time samples.
pub(in crate::usd::read) type SampleTable = Rc<[(f64, Code)]>;

impl Crate {
    /// The first bytes of a binary file.
    pub const SIGNATURE: &[u8] = b"PXR-USDC";

    pub fn parse(bytes: Vec<u8>) -> Result<Self, Fault> {
        let mut header = Reader::new(&bytes, Self::SIGNATURE.len() as u64)?;
        let [major, minor, patch, ..] = header.array::<8>()?;
        let version = [major, minor, patch];
        if !([0, 4, 0]..=[0, 255, 255]).contains(&version) {
            let problem = format!("the format version is {major}.{minor}.{patch}");
            return Err(Fault::new(
                "byte 8",
                problem,
                "versions from 0.4.0 to below 1.0 are supported; save the file again in a supported version",
            ));
        }
        let contents = header.u64()?;
        let mut contents = Reader::new(&bytes, contents)?;
        let mut sections = HashMap::new();
        for _ in 0..contents.count(32)? {
            let name = contents.array::<16>()?;
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec();
            let start = contents.u64()?;
            contents.u64()?;
            sections.insert(name, start);
        }
        let section = |name: &str| match sections.get(name.as_bytes()) {
            Some(&start) => Reader::new(&bytes, start),
            None => Err(contents.fault(format!("the file has no section {name}"))),
        };
        let max_text = MAX_TEXT.0 + MAX_TEXT.1 * bytes.len();
        let (text, tokens) = tokens(section("TOKENS")?, max_text)?;
        let strings = strings(section("STRINGS")?)?;
        let fields = fields(section("FIELDS")?)?;
        let field_sets = field_sets(section("FIELDSETS")?)?;
        let paths = paths::read(section("PATHS")?, &text, &tokens, max_text)?;
        let specs = specs(section("SPECS")?, &paths, field_sets.len())?;
        let sample_tables = RefCell::default();
        Ok(Self { version, text, tokens, strings, fields, field_sets, paths, specs, sample_tables, bytes })
    }

    /// Returns whether there is a spec for a path.
    pub fn has(&self, path: &str) -> bool {
        self.specs.contains_key(path)
    }

    /// Returns the paths of all specs, in no particular order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.specs.keys().map(String::as_str)
    }

    /// Returns a field of a path, still encoded.
    pub fn field(&self, path: &str, name: &str) -> Option<Code> {
        let set = self.field_sets.get(*self.specs.get(path)?..)?;
        let own = set.iter().take(MAX_FIELDS).take_while(|&&index| index != END);
        let mut own = own.filter_map(|&index| self.fields.get(index as usize));
        own.find(|(token, _)| self.token(*token) == Some(name)).map(|(_, code)| *code)
    }

    fn token(&self, index: u32) -> Option<&str> {
        self.text.get(self.tokens.get(index as usize)?.clone())
    }

    fn string(&self, index: u32) -> Option<&str> {
        self.token(*self.strings.get(index as usize)?)
    }
}

fn tokens(mut section: Reader, max_text: usize) -> Result<(String, Vec<Range<usize>>), Fault> {
    let count = section.u64()?;
    let length = section.u64()?;
    let start = section;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    if length > max_text as u64 {
        return Err(start.fault(format!("the tokens have {length} bytes; a file of this size may have {max_text}")));
    }
    let decompressed = section.decompressed(length as usize)?;
    let text = String::from_utf8(decompressed).map_err(|_| start.fault("the tokens are not UTF-8 text"))?;
    let ends = text.bytes().filter(|&byte| byte == 0).count();
    if ends != count {
        return Err(start.fault(format!("the token count is {count}, but there are {ends} tokens")));
    }
    let mut tokens = Vec::with_capacity(count);
    let mut from = 0;
    for (to, _) in text.match_indices('\0') {
        tokens.push(from..to);
        from = to + 1;
    }
    Ok((text, tokens))
}

fn strings(mut section: Reader) -> Result<Vec<u32>, Fault> {
    let count = section.count(4)?;
    (0..count).map(|_| section.u32()).collect()
}

fn fields(mut section: Reader) -> Result<Vec<(u32, Code)>, Fault> {
    let count = section.u64()?;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    let tokens = integers::read_32(&mut section, count, |token| token as u32)?;
    let codes = section.decompressed(8 * count)?;
    if codes.len() != 8 * count {
        return Err(section.fault("the numbers of values and fields differ"));
    }
    let codes = codes.as_chunks().0.iter().map(|code| Code(u64::from_le_bytes(*code)));
    Ok(tokens.into_iter().zip(codes).collect())
}

fn field_sets(mut section: Reader) -> Result<Vec<u32>, Fault> {
    let count = section.u64()?;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    integers::read_32(&mut section, count, |index| index as u32)
}

fn specs(mut section: Reader, paths: &[String], field_sets: usize) -> Result<HashMap<String, usize>, Fault> {
    let count = section.u64()?;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    if count > paths.len() {
        return Err(section.fault(format!("there are {count} specs, but only {} paths", paths.len())));
    }
    let own_paths = integers::read_32(&mut section, count, |path| path as u32)?;
    let sets = integers::read_32(&mut section, count, |set| set as u32)?;
    let kinds = integers::read_32(&mut section, count, |kind| kind)?;
    let mut specs = HashMap::new();
    for ((path, set), kind) in own_paths.into_iter().zip(sets).zip(kinds) {
        let (path, set) = (paths.get(path as usize), set as usize);
        let (Some(path), true) = (path, set < field_sets) else {
            return Err(section.fault("a spec has a path or field set that does not exist"));
        };
        if KINDS.contains(&kind) {
            specs.insert(path.clone(), set);
        }
    }
    Ok(specs)
}
