//! The header of a PLY file.

use crate::error::Fault;

/// Encoding of the values after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// Type of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Scalar(Number),
    List { count: Number, item: Number },
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

#[derive(Clone, Debug)]
pub struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Number of lines of the header.
    pub lines: usize,
    /// Size of the header [bytes].
    pub bytes: usize,
}

impl Number {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

impl Header {
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut start = 0;
        for line in 1.. {
            let reject = |problem: &str, remedy: &str| Err(Fault::new(format!("line {line}"), problem, remedy));
            let Some(length) = bytes[start..].iter().position(|&b| b == b'\n') else {
                return match line {
                    1 => reject("not a PLY file", "a PLY file begins with the line `ply`"),
                    _ => reject("the file ends inside its header", "end the header with a line `end_header`"),
                };
            };
            let text = String::from_utf8_lossy(&bytes[start..start + length]);
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            start += length + 1;

            match words.as_slice() {
                _ if line == 1 => {
                    if words != ["ply"] {
                        return reject("not a PLY file", "a PLY file begins with the line `ply`");
                    }
                }
                [] | ["comment" | "obj_info", ..] => {}
                ["format", name, "1.0"] => {
                    encoding = Some(match *name {
                        "ascii" => Encoding::Ascii,
                        "binary_little_endian" => Encoding::LittleEndian,
                        "binary_big_endian" => Encoding::BigEndian,
                        _ => {
                            let remedy = "allowed formats are ascii, binary_little_endian and binary_big_endian";
                            return reject("unknown format", remedy);
                        }
                    });
                }
                ["element", name, count] => {
                    let Ok(count) = count.parse() else {
                        return reject(
                            "the number of elements is not a non-negative integer",
                            "write `element NAME COUNT`",
                        );
                    };
                    if elements.iter().any(|element| element.name == *name) {
                        return reject("an element is declared twice", "declare each element once");
                    }
                    elements.push(Element { name: name.to_string(), count, properties: Vec::new() });
                }
                ["property", declaration @ ..] => {
                    let Some(property) = Property::parse(declaration) else {
                        let remedy = "write `property TYPE NAME` or `property list COUNT_TYPE TYPE NAME` with types char, \
                            uchar, short, ushort, int, uint, float or double, and an integer COUNT_TYPE";
                        return reject("not a valid property declaration", remedy);
                    };
                    let Some(element) = elements.last_mut() else {
                        return reject("a property precedes all elements", "declare the element first");
                    };
                    if element.properties.iter().any(|known| known.name == property.name) {
                        return reject("a property is declared twice", "declare each property once");
                    }
                    element.properties.push(property);
                }
                ["end_header"] => {
                    return match encoding {
                        Some(encoding) => Ok(Self { encoding, elements, lines: line, bytes: start }),
                        None => reject("the header has no format", "add a line such as `format ascii 1.0`"),
                    };
                }
                _ => {
                    let remedy = "allowed keywords are format (version 1.0), comment, obj_info, element, property and end_header";
                    return reject("not a valid header line", remedy);
                }
            }
        }
        unreachable!("every iteration consumes a line, and the loop returns when none is left")
    }
}

impl Property {
    fn parse(declaration: &[&str]) -> Option<Self> {
        let (kind, name) = match *declaration {
            ["list", count, item, name] => {
                let count = Number::parse(count).filter(|number| number.is_integer())?;
                (Kind::List { count, item: Number::parse(item)? }, name)
            }
            [number, name] => (Kind::Scalar(Number::parse(number)?), name),
            _ => return None,
        };
        Some(Self { name: name.to_string(), kind })
    }
}
