//! Recursive descent parser of text USD files (`.usda`).
//!
//! Commas, semicolons and line ends are not needed to find the end of a value, and are skipped.

mod cursor;
mod values;

use super::layer::{MAX_PATH, MAX_TEXT, ROOT, TextSpecs};
use super::value::Value;
use crate::error::Fault;
use cursor::Cursor;
use std::collections::BTreeMap;

/// Limit on the nesting of prims, and of values.
const MAX_DEPTH: u32 = 64;

/// List-editing keywords before a field.
const LIST_WORDS: [&str; 5] = ["prepend", "append", "add", "delete", "reorder"];

/// Parses the contents of a file.
pub(super) fn parse(bytes: &[u8]) -> Result<TextSpecs, Fault> {
    let remedy = "use a .usda file, which begins with `#usda 1.0`, or a .usdc file, which begins with `PXR-USDC`";
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::new(
            format!("byte {}", error.valid_up_to()),
            "this is not a USD file: it is neither UTF-8 text nor binary USD",
            remedy,
        )
    })?;
    if !text.starts_with("#usda") {
        return Err(Fault::new(
            "line 1",
            "this is not a USD file: its first bytes are neither `#usda` nor `PXR-USDC`",
            remedy,
        ));
    }
    let left = MAX_TEXT.0 + MAX_TEXT.1 * text.len();
    let mut file = Parser { cursor: Cursor::new(text), specs: TextSpecs::new(), left };
    file.specs.insert(ROOT.to_owned(), BTreeMap::new());
    file.metadata(ROOT)?;
    while !file.cursor.at_end() {
        let word = file.cursor.word();
        match word {
            "def" | "over" | "class" => file.prim(ROOT, word, 0)?,
            "reorder" => file.reorder()?,
            _ => return Err(file.cursor.expected("`def`, `over` or `class`")),
        }
    }
    Ok(file.specs)
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    specs: TextSpecs,
    /// Remaining budget for the text of paths [bytes]: each property repeats the path of its prim.
    left: usize,
}

impl Parser<'_> {
    fn set(&mut self, path: &str, field: &str, value: Value) {
        self.specs.entry(path.to_owned()).or_default().insert(field.to_owned(), value);
    }

    /// Concatenates the parts of a path.
    fn path(&mut self, parts: &[&str]) -> Result<String, Fault> {
        let length = parts.iter().map(|part| part.len()).sum();
        if length > MAX_PATH {
            let problem = format!("a path has {length} bytes");
            return Err(self.cursor.fault(problem, format!("at most {MAX_PATH} are allowed")));
        }
        let Some(left) = self.left.checked_sub(length) else {
            return Err(self
                .cursor
                .fault("the text of all paths together is much larger than the file", "use shorter names"));
        };
        self.left = left;
        Ok(parts.concat())
    }

    /// Parses a prim after its specifier: `Xform "World" (...) { ... }`.
    fn prim(&mut self, parent: &str, specifier: &str, depth: u32) -> Result<(), Fault> {
        if depth >= MAX_DEPTH {
            return Err(self
                .cursor
                .fault("prims are nested too deeply", format!("at most {MAX_DEPTH} levels are allowed")));
        }
        let kind = self.cursor.word();
        if !matches!(self.cursor.peek(), b'"' | b'\'') {
            return Err(self.cursor.expected("the name of a prim"));
        }
        let name = self.cursor.string()?;
        let between = if parent.ends_with(['/', '}']) { "" } else { "/" };
        let path = self.path(&[parent, between, &name])?;
        let number = match specifier {
            "def" => 0.0,
            "over" => 1.0,
            _ => 2.0,
        };
        self.set(&path, "specifier", Value::Numbers(vec![number]));
        if !kind.is_empty() {
            self.set(&path, "typeName", Value::Words(vec![kind.to_owned()]));
        }
        let children = self.specs.entry(parent.to_owned()).or_default().entry("primChildren".to_owned());
        if let Value::Words(names) = children.or_insert(Value::Words(Vec::new())) {
            names.push(name);
        }
        self.metadata(&path)?;
        self.block(&path, depth)
    }

    /// Parses the body of a prim or variant, in braces.
    fn block(&mut self, path: &str, depth: u32) -> Result<(), Fault> {
        self.cursor.expect(b'{')?;
        loop {
            if self.cursor.accept(b';') {
                continue;
            }
            if self.cursor.accept(b'}') {
                return Ok(());
            }
            match self.cursor.word() {
                "" => return Err(self.cursor.expected("a prim, a property or `}`")),
                word @ ("def" | "over" | "class") => self.prim(path, word, depth + 1)?,
                "variantSet" => self.variant_set(path, depth)?,
                "reorder" => self.reorder()?,
                word => self.property(path, word)?,
            }
        }
    }

    /// Parses and ignores `reorder nameChildren = [...]`.
    fn reorder(&mut self) -> Result<(), Fault> {
        self.cursor.word();
        self.cursor.expect(b'=')?;
        self.value(0).map(|_| ())
    }

    /// Parses `"set" = { "variant" (...) { ... } ... }`.
    fn variant_set(&mut self, path: &str, depth: u32) -> Result<(), Fault> {
        let set = self.cursor.string()?;
        self.cursor.expect(b'=')?;
        self.cursor.expect(b'{')?;
        while !self.cursor.accept(b'}') {
            if !matches!(self.cursor.peek(), b'"' | b'\'') {
                return Err(self.cursor.expected("the name of a variant"));
            }
            let variant = self.cursor.string()?;
            let path = self.path(&[path, "{", &set, "=", &variant, "}"])?;
            self.specs.entry(path.clone()).or_default();
            if depth >= MAX_DEPTH {
                return Err(self
                    .cursor
                    .fault("variants are nested too deeply", format!("at most {MAX_DEPTH} levels are allowed")));
            }
            self.metadata(&path)?;
            self.block(&path, depth + 1)?;
        }
        Ok(())
    }

    /// Parses a property after its first word: `uniform token[] xformOpOrder = [...] (...)`.
    fn property(&mut self, path: &str, first: &str) -> Result<(), Fault> {
        let mut kind = first;
        let mut listed = "";
        while matches!(kind, "custom" | "uniform" | "varying" | "config") || LIST_WORDS.contains(&kind) {
            if LIST_WORDS.contains(&kind) {
                listed = kind;
            }
            kind = self.cursor.word();
        }
        if self.cursor.accept(b'[') {
            self.cursor.expect(b']')?;
        }
        let name = self.cursor.word();
        if kind.is_empty() || name.is_empty() {
            return Err(self.cursor.expected("the type and name of a property"));
        }
        let (name, suffix) = name.split_once('.').unwrap_or((name, ""));
        let path = self.path(&[path, ".", name])?;
        self.specs.entry(path.clone()).or_default();
        if self.cursor.accept(b'=') {
            let value = match suffix {
                "timeSamples" => self.samples()?,
                "spline" => self.skipped()?,
                _ => self.value(0)?,
            };
            let field = match (suffix, kind) {
                ("timeSamples", _) => "timeSamples",
                ("", "rel") => "targetPaths",
                ("", _) => "default",
                // Connections and splines do not affect geometry.
                _ => "",
            };
            if !field.is_empty() && listed != "delete" {
                self.set(&path, field, value);
            }
        }
        self.metadata(&path)
    }

    /// Parses metadata fields in parentheses, if they are next.
    fn metadata(&mut self, path: &str) -> Result<(), Fault> {
        if !self.cursor.accept(b'(') {
            return Ok(());
        }
        // Prepended, added and appended items: all three may be present.
        let mut lists: BTreeMap<&str, [Option<Value>; 3]> = BTreeMap::new();
        loop {
            if self.cursor.accept(b';') || self.cursor.accept(b',') {
                continue;
            }
            if self.cursor.accept(b')') {
                break;
            }
            if matches!(self.cursor.peek(), b'"' | b'\'') {
                self.cursor.string()?;
                continue;
            }
            let mut name = self.cursor.word();
            let listed = LIST_WORDS.contains(&name).then_some(name);
            if listed.is_some() {
                name = self.cursor.word();
            }
            if name.is_empty() {
                return Err(self.cursor.expected("the name of a field or `)`"));
            }
            self.cursor.expect(b'=')?;
            let value = match name {
                "references" | "payload" => self.arcs()?,
                "subLayers" => self.sublayers(path)?,
                "relocates" => self.skipped()?,
                _ => self.value(0)?,
            };
            let field = match name {
                "inherits" => "inheritPaths",
                "variants" => "variantSelection",
                "variantSets" => "variantSetNames",
                other => other,
            };
            match listed {
                Some("delete" | "reorder") => {}
                Some(word) => {
                    let place = ["prepend", "add", "append"].iter().position(|known| *known == word);
                    lists.entry(field).or_default()[place.unwrap_or(1)] = Some(value);
                }
                None => {
                    lists.remove(field);
                    self.set(path, field, value);
                }
            }
        }
        for (field, parts) in lists {
            if let Some(whole) = parts.into_iter().flatten().reduce(joined) {
                self.set(path, field, whole);
            }
        }
        Ok(())
    }
}

/// Concatenates two lists.
fn joined(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Words(mut all), Value::Words(more)) => {
            all.extend(more);
            Value::Words(all)
        }
        (Value::Arcs(mut all), Value::Arcs(more)) => {
            all.extend(more);
            Value::Arcs(all)
        }
        // The element type of an empty list is unknown.
        (all, Value::Numbers(none)) if none.is_empty() => all,
        (_, more) => more,
    }
}
