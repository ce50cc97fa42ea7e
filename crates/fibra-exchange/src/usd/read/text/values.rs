//! Parsing of values: numbers and words in nested brackets, dictionaries, time samples, references.

use super::{MAX_DEPTH, Parser};
use crate::error::Fault;
use crate::usd::read::value::{Arc, TimeMap, Value};
use std::collections::BTreeMap;

impl Parser<'_> {
    /// Parses any value.
    pub(super) fn value(&mut self, depth: u32) -> Result<Value, Fault> {
        if depth >= MAX_DEPTH {
            return Err(self
                .cursor
                .fault("values are nested too deeply", format!("at most {MAX_DEPTH} levels are allowed")));
        }
        match self.cursor.peek() {
            b'{' => self.dictionary(depth),
            b'(' | b'[' => {
                let (mut numbers, mut words) = (Vec::new(), Vec::new());
                self.elements(&mut numbers, &mut words, depth)?;
                Ok(if words.is_empty() { Value::Numbers(numbers) } else { Value::Words(words) })
            }
            b'"' | b'\'' => Ok(Value::Words(vec![self.cursor.string()?])),
            b'@' | b'<' => Ok(Value::Words(vec![self.cursor.enclosed()?.to_owned()])),
            byte if byte.is_ascii_alphabetic() => self.named(),
            _ => Ok(Value::Numbers(vec![self.cursor.number()?])),
        }
    }

    /// Parses a keyword: a boolean, `inf`, `nan`, `None`, or any other word.
    fn named(&mut self) -> Result<Value, Fault> {
        let word = self.cursor.word();
        Ok(match word {
            "None" | "AnimationBlock" => Value::Blocked,
            "true" => Value::Numbers(vec![1.0]),
            "false" => Value::Numbers(vec![0.0]),
            "inf" => Value::Numbers(vec![f64::INFINITY]),
            "nan" => Value::Numbers(vec![f64::NAN]),
            other => Value::Words(vec![other.to_owned()]),
        })
    }

    /// Parses and flattens numbers and words in brackets.
    fn elements(&mut self, numbers: &mut Vec<f64>, words: &mut Vec<String>, depth: u32) -> Result<(), Fault> {
        if depth >= MAX_DEPTH {
            return Err(self
                .cursor
                .fault("values are nested too deeply", format!("at most {MAX_DEPTH} levels are allowed")));
        }
        let close = if self.cursor.accept(b'(') {
            b')'
        } else {
            self.cursor.expect(b'[')?;
            b']'
        };
        loop {
            match self.cursor.peek() {
                byte if byte == close => {
                    self.cursor.accept(close);
                    return Ok(());
                }
                b',' | b';' => {
                    self.cursor.accept(b',');
                    self.cursor.accept(b';');
                }
                b'(' | b'[' => self.elements(numbers, words, depth + 1)?,
                b'0'..=b'9' | b'-' | b'+' | b'.' => numbers.push(self.cursor.number()?),
                b'{' => {
                    self.dictionary(depth + 1)?;
                }
                _ => match self.value(depth + 1)? {
                    Value::Numbers(more) => numbers.extend(more),
                    Value::Words(more) => words.extend(more),
                    _ => return Err(self.cursor.expected("a number or a word")),
                },
            }
        }
    }

    /// Parses `{ type name = value ... }`.
    fn dictionary(&mut self, depth: u32) -> Result<Value, Fault> {
        self.cursor.expect(b'{')?;
        let mut entries = BTreeMap::new();
        loop {
            if self.cursor.accept(b',') || self.cursor.accept(b';') {
                continue;
            }
            if self.cursor.accept(b'}') {
                return Ok(Value::Dictionary(entries));
            }
            let kind = self.cursor.word();
            if self.cursor.accept(b'[') {
                self.cursor.expect(b']')?;
            }
            let name = match self.cursor.peek() {
                b'"' | b'\'' => self.cursor.string()?,
                _ => self.cursor.word().to_owned(),
            };
            if kind.is_empty() || name.is_empty() {
                return Err(self.cursor.expected("the type and name of an entry, or `}`"));
            }
            self.cursor.expect(b'=')?;
            entries.insert(name, self.value(depth + 1)?);
        }
    }

    /// Parses `{ time: value, ... }`.
    pub(super) fn samples(&mut self) -> Result<Value, Fault> {
        if self.cursor.peek() != b'{' {
            return self.value(0);
        }
        self.cursor.expect(b'{')?;
        let mut samples = Vec::new();
        while !self.cursor.accept(b'}') {
            let time = self.cursor.number()?;
            if !time.is_finite() {
                return Err(self.cursor.fault("the time of a sample is not finite", "use a finite number"));
            }
            self.cursor.expect(b':')?;
            samples.push((time, self.value(0)?));
            self.cursor.accept(b',');
        }
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Value::Samples(samples))
    }

    /// Skips a value with its own syntax that geometry does not need: relocates, splines.
    pub(super) fn skipped(&mut self) -> Result<Value, Fault> {
        if self.cursor.peek() != b'{' {
            return self.value(0);
        }
        self.cursor.skip_block()?;
        Ok(Value::Other)
    }

    /// Parses references or payloads: one `@file@</prim> (offset = 1; scale = 2)`, several in brackets, or none.
    pub(super) fn arcs(&mut self) -> Result<Value, Fault> {
        let mut arcs = Vec::new();
        if self.cursor.accept(b'[') {
            while !self.cursor.accept(b']') {
                arcs.push(self.arc()?);
                self.cursor.accept(b',');
            }
        } else if matches!(self.cursor.peek(), b'@' | b'<') {
            arcs.push(self.arc()?);
        } else {
            self.value(0)?;
        }
        Ok(Value::Arcs(arcs))
    }

    fn arc(&mut self) -> Result<Arc, Fault> {
        let mut arc = Arc { asset: String::new(), prim: String::new(), time: TimeMap::IDENTITY };
        match self.cursor.peek() {
            b'@' => arc.asset = self.cursor.enclosed()?.to_owned(),
            b'<' => {}
            _ => return Err(self.cursor.expected("a file name between @ or a path between < and >")),
        }
        if self.cursor.peek() == b'<' {
            arc.prim = self.cursor.enclosed()?.to_owned();
        }
        arc.time = self.time_map()?;
        Ok(arc)
    }

    /// Parses `(offset = 1; scale = 2)`, if it is next.
    fn time_map(&mut self) -> Result<TimeMap, Fault> {
        let mut time = TimeMap::IDENTITY;
        if !self.cursor.accept(b'(') {
            return Ok(time);
        }
        while !self.cursor.accept(b')') {
            let name = self.cursor.word();
            if name.is_empty() {
                return Err(self.cursor.expected("`offset`, `scale` or `)`"));
            }
            self.cursor.expect(b'=')?;
            let value = self.value(0)?;
            match name {
                "offset" => time.offset = value.number().unwrap_or(0.0),
                "scale" => time.scale = value.number().unwrap_or(1.0),
                _ => {}
            }
            while self.cursor.accept(b';') || self.cursor.accept(b',') {}
        }
        Ok(time)
    }

    /// Parses the sublayers. Their time maps are stored in a separate field of the layer.
    pub(super) fn sublayers(&mut self, path: &str) -> Result<Value, Fault> {
        self.cursor.expect(b'[')?;
        let (mut files, mut times) = (Vec::new(), Vec::new());
        while !self.cursor.accept(b']') {
            if self.cursor.peek() != b'@' {
                return Err(self.cursor.expected("a file name between @"));
            }
            files.push(self.cursor.enclosed()?.to_owned());
            let time = self.time_map()?;
            times.extend([time.offset, time.scale]);
            self.cursor.accept(b',');
        }
        self.set(path, "subLayerOffsets", Value::Numbers(times));
        Ok(Value::Words(files))
    }
}
