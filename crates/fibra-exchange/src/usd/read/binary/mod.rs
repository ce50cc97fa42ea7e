//! Binary USD files (`.usdc`, versions 0.4 to 0.10 and what keeps to them): a table of sections, which hold words, paths, and
//! fields of specs; values lie between them and are read when they are asked for.
//!
//! Nothing the file says is believed: counts are compared with the bytes that are left, indices with the tables, and what
//! little compressed bytes can stand for is bounded, as is the text of all paths together, since a chain of them can name a
//! long word again and again.

mod bytes;
mod integers;
mod paths;
mod values;

use super::layer::TEXT;
use crate::error::Fault;
use bytes::Reader;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
pub(in crate::usd::read) use values::Code;

/// Most fields that a prim or property may have.
const MOST_FIELDS: usize = 1024;

/// Marks the end of the fields of a spec.
const END: u32 = u32::MAX;

/// Kinds of specs that have fields of their own: attributes, prims, the layer itself, relationships and variants.
const KINDS: [i32; 5] = [1, 6, 7, 8, 10];

/// A binary file with its tables read.
pub(in crate::usd::read) struct Crate {
    bytes: Vec<u8>,
    version: [u8; 3],
    /// Text of all words, and where in it each is.
    text: String,
    tokens: Vec<Range<usize>>,
    strings: Vec<u32>,
    fields: Vec<(u32, Code)>,
    field_sets: Vec<u32>,
    paths: Vec<String>,
    /// The first of a spec's `field_sets`, for each path.
    specs: HashMap<String, usize>,
    /// Tables of samples that were read already: whoever plays a scene asks for them again in every frame.
    tables: RefCell<HashMap<u64, SampleTable>>,
}

/// Times and values of samples.
pub(in crate::usd::read) type SampleTable = Rc<[(f64, Code)]>;

impl Crate {
    /// What binary files begin with.
    pub const SIGNATURE: &[u8] = b"PXR-USDC";

    pub fn parse(bytes: Vec<u8>) -> Result<Self, Fault> {
        let mut head = Reader::new(&bytes, Self::SIGNATURE.len() as u64)?;
        let [major, minor, patch, ..] = head.array::<8>()?;
        let version = [major, minor, patch];
        if !([0, 4, 0]..=[0, 255, 255]).contains(&version) {
            let problem = format!("the file's version is {major}.{minor}.{patch}");
            return Err(Fault::new(
                "byte 8",
                problem,
                "versions from 0.4.0 on can be read; save it with a newer program",
            ));
        }
        let contents = head.u64()?;
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
        let most_text = TEXT.0 + TEXT.1 * bytes.len();
        let (text, tokens) = tokens(section("TOKENS")?, most_text)?;
        let strings = strings(section("STRINGS")?)?;
        let fields = fields(section("FIELDS")?)?;
        let field_sets = field_sets(section("FIELDSETS")?)?;
        let paths = paths::read(section("PATHS")?, &text, &tokens, most_text)?;
        let specs = specs(section("SPECS")?, &paths, field_sets.len())?;
        let tables = RefCell::default();
        Ok(Self { version, text, tokens, strings, fields, field_sets, paths, specs, tables, bytes })
    }

    /// Whether something is said about a path.
    pub fn has(&self, path: &str) -> bool {
        self.specs.contains_key(path)
    }

    /// All paths that something is said about, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.specs.keys().map(String::as_str)
    }

    /// A field of a path.
    pub fn field(&self, path: &str, name: &str) -> Option<Code> {
        let set = self.field_sets.get(*self.specs.get(path)?..)?;
        let own = set.iter().take(MOST_FIELDS).take_while(|&&index| index != END);
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

fn tokens(mut section: Reader, most_text: usize) -> Result<(String, Vec<Range<usize>>), Fault> {
    let count = section.u64()?;
    let length = section.u64()?;
    let start = section;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    if length > most_text as u64 {
        return Err(start.fault(format!("the words have {length} bytes; a file of this size may have {most_text}")));
    }
    let unpacked = section.unpacked(length as usize)?;
    let text = String::from_utf8(unpacked).map_err(|_| start.fault("the words are not text (UTF-8)"))?;
    let ends = text.bytes().filter(|&byte| byte == 0).count();
    if ends != count {
        return Err(start.fault(format!("{count} words are announced, but there are {ends}")));
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
    let codes = section.unpacked(8 * count)?;
    if codes.len() != 8 * count {
        return Err(section.fault("there are not as many values as fields"));
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
        return Err(section.fault(format!("there are {count} specs, but {} paths", paths.len())));
    }
    let own_paths = integers::read_32(&mut section, count, |path| path as u32)?;
    let sets = integers::read_32(&mut section, count, |set| set as u32)?;
    let kinds = integers::read_32(&mut section, count, |kind| kind)?;
    let mut specs = HashMap::new();
    for ((path, set), kind) in own_paths.into_iter().zip(sets).zip(kinds) {
        let (path, set) = (paths.get(path as usize), set as usize);
        let (Some(path), true) = (path, set < field_sets) else {
            return Err(section.fault("a spec has a path or fields that do not exist"));
        };
        if KINDS.contains(&kind) {
            specs.insert(path.clone(), set);
        }
    }
    Ok(specs)
}
