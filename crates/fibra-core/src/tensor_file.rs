//! Named tensors with text metadata in standard safetensors files.
//!
//! Any safetensors reader (Python, JavaScript, Rust) opens these files. We do not write them with the `safetensors` crate because it keeps
//! metadata in a hash map, and equal states must give equal bytes. We also read them ourselves, with the crate's header types: the crate
//! adds untrusted lengths without overflow checks, and some of its errors do not name the tensor.

use crate::atomic_file::{WriteError, write_atomic};
use crate::tensor::{Element, Tensor, TensorData};
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Named tensors and text metadata: the contents of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorFile<'a> {
    /// Text by key.
    pub metadata: BTreeMap<String, String>,
    /// Tensors by name. The format reserves the name `__metadata__`.
    pub tensors: BTreeMap<String, Tensor<'a>>,
}

/// The JSON header of a file, in file order.
#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__", default, skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, TensorInfo>,
}

/// Size of the header's length field, a 64-bit integer at the start of the file. The header is padded to a multiple of this size so that
/// the tensors are aligned.
const LENGTH_BYTES: usize = size_of::<u64>();

/// The format's limit on the header size [bytes].
const MAX_HEADER_BYTES: usize = 100_000_000;

impl<'a> TensorFile<'a> {
    /// Reads and validates a file.
    pub fn read(path: &Path) -> Result<TensorFile<'static>, TensorFileError> {
        let bytes =
            std::fs::read(path).map_err(|source| TensorFileError::Unreadable { path: path.to_owned(), source })?;
        TensorFile::from_bytes(&bytes).map_err(|fault| fault.in_file(path))
    }

    /// Writes the file atomically.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        write_atomic(path, self.byte_len() as u64, |file| self.write_to(file))
    }

    /// Returns the size of the file [bytes].
    pub fn byte_len(&self) -> usize {
        LENGTH_BYTES + self.header().len() + self.tensors.values().map(|t| t.data().byte_len()).sum::<usize>()
    }

    /// Writes the file's bytes to `out`. Equal contents give equal bytes.
    pub fn write_to(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let header = self.header();
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(&header)?;
        for (_, tensor) in self.in_data_order() {
            tensor.data().for_each_block(|block| out.write_all(block))?;
        }
        Ok(())
    }

    /// Returns the tensors with wide elements first, then by name. The format allows no gaps between tensors; this order keeps each one
    /// aligned.
    fn in_data_order(&self) -> Vec<(&String, &Tensor<'a>)> {
        let mut order: Vec<_> = self.tensors.iter().collect();
        order.sort_by_key(|(_, tensor)| std::cmp::Reverse(tensor.data().dtype().bitsize()));
        order
    }

    fn header(&self) -> Vec<u8> {
        let mut end = 0;
        let tensors = self
            .in_data_order()
            .into_iter()
            .map(|(name, tensor)| {
                let start = end;
                end += tensor.data().byte_len();
                let info = TensorInfo {
                    dtype: tensor.data().dtype(),
                    shape: tensor.shape().to_vec(),
                    data_offsets: (start, end),
                };
                (name.clone(), info)
            })
            .collect();
        let metadata = self.metadata.clone();
        let mut header = serde_json::to_vec(&Header { metadata, tensors }).expect("text and integers always serialize");
        header.resize(header.len().next_multiple_of(LENGTH_BYTES), b' ');
        header
    }

    /// Parses a file's bytes. Arbitrary bytes are safe.
    pub fn from_bytes(bytes: &[u8]) -> Result<TensorFile<'static>, TensorFault> {
        let TensorFile { metadata, tensors } = TensorFile::borrow_bytes(bytes)?;
        let tensors = tensors.into_iter().map(|(name, tensor)| (name, tensor.into_owned())).collect();
        Ok(TensorFile { metadata, tensors })
    }

    /// Parses a file's bytes, borrowing the elements if alignment and endianness allow.
    pub fn borrow_bytes(bytes: &'a [u8]) -> Result<TensorFile<'a>, TensorFault> {
        let (header, data) = split_header(bytes)?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| TensorFault::Malformed(format!("invalid safetensors header: {error}")))?;

        // The tensors must cover the data without gaps or overlaps.
        let mut infos: Vec<_> = header.tensors.into_iter().collect();
        infos.sort_by_key(|(_, info)| info.data_offsets);
        let mut covered = 0;
        let mut tensors = BTreeMap::new();
        for (name, info) in infos {
            let (start, end) = info.data_offsets;
            if start != covered || end < start {
                return Err(TensorFault::BadOffsets { tensor: name, start, end, expected: covered });
            }
            let Some(bytes) = data.get(start..end) else {
                return Err(TensorFault::Truncated { tensor: name, end, available: data.len() });
            };
            covered = end;
            tensors.insert(name.clone(), decode(name, info, bytes)?);
        }
        if covered != data.len() {
            return Err(TensorFault::Malformed(format!("{} bytes follow the last tensor", data.len() - covered)));
        }
        Ok(TensorFile { metadata: header.metadata, tensors })
    }

    /// Returns a required tensor.
    pub fn tensor(&self, name: &str) -> Result<&Tensor<'a>, TensorFault> {
        self.tensors.get(name).ok_or_else(|| TensorFault::Missing { tensor: name.to_owned() })
    }

    /// Returns the scalars of a tensor of shape `[n]`.
    pub fn values<T: Element>(&self, name: &str) -> Result<&[T], TensorFault> {
        let tensor = self.tensor(name)?;
        let values = typed::<T>(name, tensor)?;
        match tensor.shape() {
            [_] => Ok(values),
            _ => Err(wrong_shape(name, tensor, "[n]".to_owned())),
        }
    }

    /// Returns the vectors of a tensor of shape `[n, N]`.
    pub fn rows<T: Element, const N: usize>(&self, name: &str) -> Result<&[[T; N]], TensorFault> {
        let tensor = self.tensor(name)?;
        let values = typed::<T>(name, tensor)?;
        match tensor.shape() {
            [_, columns] if *columns == N => Ok(values.as_chunks().0),
            _ => Err(wrong_shape(name, tensor, format!("[n, {N}]"))),
        }
    }

    /// Returns the scalars of a tensor of shape `[N]`.
    pub fn array<T: Element, const N: usize>(&self, name: &str) -> Result<[T; N], TensorFault> {
        self.expect_rows(name, N)?;
        let values = self.values::<T>(name)?;
        Ok(std::array::from_fn(|i| values[i]))
    }

    /// Returns the simulated time from which a run resumes [s].
    pub fn time(&self, name: &str) -> Result<f64, TensorFault> {
        match self.array(name)? {
            [time] if time >= 0.0 && f64::is_finite(time) => Ok(time),
            [time] => Err(TensorFault::element(name, 0, format!("{time} s is not a valid time"))),
        }
    }

    /// Returns the number of completed steps. At most half the range of `u64` is allowed, so that counting cannot overflow.
    pub fn steps(&self, name: &str) -> Result<u64, TensorFault> {
        match self.array(name)? {
            [steps] if steps <= u64::MAX / 2 => Ok(steps),
            [steps] => Err(TensorFault::element(name, 0, format!("the step count {steps} is out of range"))),
        }
    }

    /// Returns an error unless the first axis of a tensor has length `rows`.
    pub fn expect_rows(&self, name: &str, rows: usize) -> Result<(), TensorFault> {
        let tensor = self.tensor(name)?;
        match tensor.shape() {
            [first, ..] if *first == rows => Ok(()),
            _ => Err(wrong_shape(name, tensor, format!("{rows} rows"))),
        }
    }

    /// Returns an error if a tensor holds infinite or NaN values.
    pub fn expect_finite(&self, name: &str) -> Result<(), TensorFault> {
        match self.tensor(name)?.first_non_finite() {
            None => Ok(()),
            Some(index) => Err(TensorFault::NotFinite { tensor: name.to_owned(), index }),
        }
    }

    /// Returns a required metadata text.
    pub fn text(&self, key: &str) -> Result<&str, TensorFault> {
        self.metadata
            .get(key)
            .map(String::as_str)
            .ok_or_else(|| TensorFault::Metadata { key: key.to_owned(), reason: "is missing".to_owned() })
    }

    /// Parses a required metadata entry, e.g. as a number.
    pub fn parsed<T: FromStr>(&self, key: &str) -> Result<T, TensorFault> {
        let text = self.text(key)?;
        text.parse().map_err(|_| TensorFault::Metadata { key: key.to_owned(), reason: format!("cannot be `{text}`") })
    }
}

/// Splits a file into header and data.
fn split_header(bytes: &[u8]) -> Result<(&[u8], &[u8]), TensorFault> {
    let short = || TensorFault::Malformed(format!("{} bytes are too few for a header", bytes.len()));
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>().ok_or_else(short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > MAX_HEADER_BYTES {
        return Err(TensorFault::Malformed("not a safetensors file: the header length is out of range".to_owned()));
    }
    rest.split_at_checked(length).ok_or_else(short)
}

/// Decodes a tensor after checking that shape, type and length agree.
fn decode(name: String, info: TensorInfo, bytes: &[u8]) -> Result<Tensor<'_>, TensorFault> {
    let elements = info.shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
    let bits = elements.and_then(|n| n.checked_mul(info.dtype.bitsize()));
    if bits != bytes.len().checked_mul(8) {
        return Err(TensorFault::WrongLength {
            tensor: name,
            shape: format!("{:?}", info.shape),
            dtype: info.dtype,
            bytes: bytes.len(),
        });
    }
    match TensorData::decode(info.dtype, bytes) {
        Some(data) => Ok(Tensor::from_parts(info.shape, data)),
        None => Err(TensorFault::UnknownType { tensor: name, dtype: info.dtype }),
    }
}

fn typed<'a, T: Element>(name: &str, tensor: &'a Tensor) -> Result<&'a [T], TensorFault> {
    tensor.as_slice().ok_or_else(|| TensorFault::WrongType {
        tensor: name.to_owned(),
        expected: T::DTYPE,
        found: tensor.data().dtype(),
    })
}

fn wrong_shape(name: &str, tensor: &Tensor, expected: String) -> TensorFault {
    TensorFault::WrongShape { tensor: name.to_owned(), expected, found: format!("{:?}", tensor.shape()) }
}

/// An error in a file's contents.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message explains its fields")]
pub enum TensorFault {
    /// The bytes are not a safetensors file.
    #[error("{0}")]
    Malformed(String),
    /// A tensor does not begin at the end of the previous one.
    #[error("tensor `{tensor}` lies at bytes {start}..{end}, but must begin at {expected}")]
    BadOffsets { tensor: String, start: usize, end: usize, expected: usize },
    /// The file ends before the tensor does.
    #[error("tensor `{tensor}` ends at byte {end} of the data, but the data have only {available} bytes")]
    Truncated { tensor: String, end: usize, available: usize },
    /// Shape and type do not match the number of bytes.
    #[error("tensor `{tensor}` of shape {shape} and type {dtype} cannot have {bytes} bytes")]
    WrongLength { tensor: String, shape: String, dtype: Dtype, bytes: usize },
    /// The element type is not supported.
    #[error("tensor `{tensor}` is of type {dtype}; supported types are F32, F64, U32 and U64")]
    UnknownType { tensor: String, dtype: Dtype },
    /// A required tensor is missing.
    #[error("tensor `{tensor}` is missing")]
    Missing { tensor: String },
    /// A tensor has the wrong element type.
    #[error("tensor `{tensor}` is of type {found}, expected {expected}")]
    WrongType { tensor: String, expected: Dtype, found: Dtype },
    /// A tensor has the wrong shape.
    #[error("tensor `{tensor}` is of shape {found}, expected {expected}")]
    WrongShape { tensor: String, expected: String, found: String },
    /// A tensor has a non-finite element.
    #[error("tensor `{tensor}` is not finite at element {index}")]
    NotFinite { tensor: String, index: usize },
    /// A tensor has an index out of range.
    #[error("tensor `{tensor}` joins points {found} in row {row}, but there are only {available} points")]
    BadIndex { tensor: String, row: usize, found: String, available: usize },
    /// A metadata entry is missing or invalid.
    #[error("metadata `{key}` {reason}")]
    Metadata { key: String, reason: String },
}

impl TensorFault {
    /// Creates an error for one element of a tensor.
    pub fn element(tensor: &str, element: usize, problem: impl Display) -> Self {
        Self::Malformed(format!("tensor `{tensor}`, element {element}: {problem}"))
    }

    /// Adds the path of the file.
    pub fn in_file(self, path: &Path) -> TensorFileError {
        TensorFileError::Damaged { path: path.to_owned(), fault: self }
    }
}

/// Error from reading a file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message explains its fields")]
pub enum TensorFileError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The contents are invalid.
    #[error("{}: {fault}", path.display())]
    Damaged { path: PathBuf, fault: TensorFault },
}

#[cfg(test)]
#[path = "tensor_file_tests.rs"]
mod tests;
