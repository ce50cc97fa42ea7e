//! Values in text: numbers and words in any nesting of brackets, dictionaries, samples, references.

use super::{DEEPEST, Parser};
use crate::error::Fault;
use crate::usd::read::value::{Arc, TimeMap, Value};
use std::collections::BTreeMap;

impl Parser<'_> {
    /// Any value.
    pub(super) fn value(&mut self, depth: u32) -> Result<Value, Fault> {
        if depth >= DEEPEST {
            return Err(self.cursor.fault("values are too deep in each other", format!("at most {DEEPEST} can be")));
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

    /// Truth, a number without digits, or nothing.
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

    /// Numbers and words between brackets, one after the other.
    fn elements(&mut self, numbers: &mut Vec<f64>, words: &mut Vec<String>, depth: u32) -> Result<(), Fault> {
        if depth >= DEEPEST {
            return Err(self.cursor.fault("values are too deep in each other", format!("at most {DEEPEST} can be")));
        }
        let close = if self.cursor.passes(b'(') {
            b')'
        } else {
            self.cursor.expect(b'[')?;
            b']'
        };
        loop {
            match self.cursor.peek() {
                byte if byte == close => {
                    self.cursor.passes(close);
                    return Ok(());
                }
                b',' | b';' => {
                    self.cursor.passes(b',');
                    self.cursor.passes(b';');
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

    /// `{ type name = value ... }`.
    fn dictionary(&mut self, depth: u32) -> Result<Value, Fault> {
        self.cursor.expect(b'{')?;
        let mut entries = BTreeMap::new();
        loop {
            if self.cursor.passes(b',') || self.cursor.passes(b';') {
                continue;
            }
            if self.cursor.passes(b'}') {
                return Ok(Value::Dictionary(entries));
            }
            let kind = self.cursor.word();
            if self.cursor.passes(b'[') {
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

    /// `{ time: value, ... }`.
    pub(super) fn samples(&mut self) -> Result<Value, Fault> {
        if self.cursor.peek() != b'{' {
            return self.value(0);
        }
        self.cursor.expect(b'{')?;
        let mut samples = Vec::new();
        while !self.cursor.passes(b'}') {
            let time = self.cursor.number()?;
            if !time.is_finite() {
                return Err(self.cursor.fault("the time of a sample is not finite", "write another number"));
            }
            self.cursor.expect(b':')?;
            samples.push((time, self.value(0)?));
            self.cursor.passes(b',');
        }
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Value::Samples(samples))
    }

    /// A value that geometry does not need and that is written as no other is: relocates, splines.
    pub(super) fn passed_over(&mut self) -> Result<Value, Fault> {
        if self.cursor.peek() != b'{' {
            return self.value(0);
        }
        self.cursor.pass_block()?;
        Ok(Value::Other)
    }

    /// References or payloads: `@file@</prim> (offset = 1; scale = 2)`, one or several in brackets, or none.
    pub(super) fn arcs(&mut self) -> Result<Value, Fault> {
        let mut arcs = Vec::new();
        if self.cursor.passes(b'[') {
            while !self.cursor.passes(b']') {
                arcs.push(self.arc()?);
                self.cursor.passes(b',');
            }
        } else if matches!(self.cursor.peek(), b'@' | b'<') {
            arcs.push(self.arc()?);
        } else {
            self.value(0)?;
        }
        Ok(Value::Arcs(arcs))
    }

    fn arc(&mut self) -> Result<Arc, Fault> {
        let mut arc = Arc { asset: String::new(), prim: String::new(), time: TimeMap::SAME };
        match self.cursor.peek() {
            b'@' => arc.asset = self.cursor.enclosed()?.to_owned(),
            b'<' => {}
            _ => return Err(self.cursor.expected("a file between @ or a path between < and >")),
        }
        if self.cursor.peek() == b'<' {
            arc.prim = self.cursor.enclosed()?.to_owned();
        }
        arc.time = self.time_map()?;
        Ok(arc)
    }

    /// `(offset = 1; scale = 2)`, if it is next.
    fn time_map(&mut self) -> Result<TimeMap, Fault> {
        let mut time = TimeMap::SAME;
        if !self.cursor.passes(b'(') {
            return Ok(time);
        }
        while !self.cursor.passes(b')') {
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
            while self.cursor.passes(b';') || self.cursor.passes(b',') {}
        }
        Ok(time)
    }

    /// Files with their maps of time, which become another field of the layer.
    pub(super) fn sublayers(&mut self, path: &str) -> Result<Value, Fault> {
        self.cursor.expect(b'[')?;
        let (mut files, mut times) = (Vec::new(), Vec::new());
        while !self.cursor.passes(b']') {
            if self.cursor.peek() != b'@' {
                return Err(self.cursor.expected("a file between @"));
            }
            files.push(self.cursor.enclosed()?.to_owned());
            let time = self.time_map()?;
            times.extend([time.offset, time.scale]);
            self.cursor.passes(b',');
        }
        self.set(path, "subLayerOffsets", Value::Numbers(times));
        Ok(Value::Words(files))
    }
}
