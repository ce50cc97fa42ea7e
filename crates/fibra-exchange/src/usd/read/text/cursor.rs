//! Tokenizer of text files: words, strings, numbers and line numbers.

use crate::error::Fault;

/// A position in the text of a USD file.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Returns a fault at this position.
    pub fn fault(&self, problem: impl Into<String>, remedy: impl Into<String>) -> Fault {
        let line = 1 + self.text.as_bytes()[..self.at].iter().filter(|&&byte| byte == b'\n').count();
        Fault::new(format!("line {line}"), problem, remedy)
    }

    /// Returns a fault that names the expected syntax.
    pub fn expected(&self, what: &str) -> Fault {
        let found: String = self.text[self.at..].chars().take_while(|c| *c != '\n').take(20).collect();
        let problem = if found.is_empty() { "the file ends here".to_owned() } else { format!("unexpected `{found}`") };
        self.fault(problem, format!("expected {what}"))
    }

    /// Skips whitespace and comments.
    fn skip(&mut self) {
        loop {
            let bytes = self.bytes();
            let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let rest = &bytes[blank..];
            let comment = match rest {
                [b'#', ..] | [b'/', b'/', ..] => rest.iter().take_while(|&&byte| byte != b'\n').count(),
                [b'/', b'*', ..] => {
                    let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                    end.map_or(rest.len(), |end| end + 4)
                }
                _ => 0,
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// Returns the next byte after whitespace, or 0 at the end.
    pub fn peek(&mut self) -> u8 {
        self.skip();
        self.bytes().first().copied().unwrap_or(0)
    }

    pub fn at_end(&mut self) -> bool {
        self.skip();
        self.at == self.text.len()
    }

    /// Consumes a character if it is next, and returns whether it was.
    pub fn accept(&mut self, mark: u8) -> bool {
        let is_next = self.peek() == mark && !self.at_end();
        self.at += usize::from(is_next);
        is_next
    }

    /// Consumes a character that must be next.
    pub fn expect(&mut self, mark: u8) -> Result<(), Fault> {
        if self.accept(mark) { Ok(()) } else { Err(self.expected(&format!("`{}`", mark as char))) }
    }

    /// Returns the next word: letters, digits, and the punctuation in names of types and properties. It may be empty.
    pub fn word(&mut self) -> &'a str {
        self.skip();
        let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.') || *byte >= 128;
        let length = self.bytes().iter().take_while(|byte| in_word(byte)).count();
        let word = &self.text[self.at..self.at + length];
        self.at += length;
        word
    }

    /// Skips a block in braces.
    pub fn skip_block(&mut self) -> Result<(), Fault> {
        self.expect(b'{')?;
        let mut open = 1u32;
        while open > 0 {
            match self.peek() {
                b'"' | b'\'' => {
                    self.string()?;
                }
                b'@' | b'<' => {
                    self.enclosed()?;
                }
                _ if self.at_end() => return Err(self.expected("`}`")),
                mark => {
                    // A multi-byte character must not be split.
                    if self.word().is_empty() {
                        self.at += 1;
                        open = open + u32::from(mark == b'{') - u32::from(mark == b'}');
                    }
                }
            }
        }
        Ok(())
    }

    /// Parses a number, `inf` or `nan`.
    pub fn number(&mut self) -> Result<f64, Fault> {
        self.skip();
        let in_number = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = self.bytes().iter().take_while(|byte| in_number(byte)).count();
        let Ok(number) = self.text[self.at..self.at + length].parse() else { return Err(self.expected("a number")) };
        self.at += length;
        Ok(number)
    }

    /// Parses a string in single or triple quotes.
    pub fn string(&mut self) -> Result<String, Fault> {
        let quote = self.peek();
        let start = self.at;
        if !matches!(quote, b'"' | b'\'') {
            return Err(self.expected("a string in quotes"));
        }
        let many = self.bytes().starts_with(&[quote; 3]);
        let end = [quote; 3];
        let end = if many { &end[..] } else { &end[..1] };
        self.at += end.len();
        let mut text = Vec::new();
        loop {
            match self.bytes() {
                [] => break,
                [b'\n', ..] if !many => break,
                [b'\\', escaped, ..] => {
                    text.push(match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        other => *other,
                    });
                    self.at += 2;
                }
                bytes if bytes.starts_with(end) => {
                    self.at += end.len();
                    return String::from_utf8(text).map_err(|_| self.expected("text"));
                }
                [byte, ..] => {
                    text.push(*byte);
                    self.at += 1;
                }
            }
        }
        self.at = start;
        Err(self.expected("a string with a closing quote"))
    }

    /// Parses a file name between `@` or `@@@`, or a path between `<` and `>`.
    pub fn enclosed(&mut self) -> Result<&'a str, Fault> {
        self.skip();
        let (open, close) = match self.bytes() {
            [b'@', b'@', b'@', ..] => (3, "@@@"),
            [b'@', ..] => (1, "@"),
            _ => (1, ">"),
        };
        let rest = &self.text[(self.at + open).min(self.text.len())..];
        let Some(length) = rest.find(close).filter(|length| !rest[..*length].contains('\n')) else {
            return Err(self.expected("a name with a closing delimiter"));
        };
        self.at += open + length + close.len();
        Ok(&rest[..length])
    }
}
