//! Delta-encoded integers. The most common difference takes two bits; others take 1, 2 or 4 more bytes (2, 4 or 8 for 64-bit integers).

use super::bytes::Reader;
use crate::error::Fault;

/// Upper bound on the number of integers per compressed byte: the compression ratio of LZ4 times the four two-bit integers of a byte.
const MAX_PER_BYTE: u64 = 255 * 4;

/// Limit on a number of integers: a constant, plus a factor times the size of the file, up to a maximum. Repetitive data compresses to almost nothing, so
/// the limit must be generous.
pub(super) struct Limit(u64, u64, u64);

/// Limit for the entries of a table, such as paths and fields, which do not repeat.
pub(super) const TABLE: Limit = Limit(1 << 20, 2, 1 << 27);

/// Limit for the numbers of an array, which may repeat: all faces of a grid have the same number of corners.
pub(super) const ARRAY: Limit = Limit(1 << 25, 16, 1 << 28);

/// Reads `count` 32-bit integers from a compressed block and converts them.
pub(super) fn read_32<T>(reader: &mut Reader, count: usize, convert: impl Fn(i32) -> T) -> Result<Vec<T>, Fault> {
    let coded = coded_bytes(reader, count, 4)?;
    let whole = |bytes: &[u8]| i64::from(i32::from_le_bytes(four(bytes)));
    let decoded = decode(&coded, count, [1, 2, 4], whole, |value| convert(value as i32));
    decoded.ok_or_else(|| reader.fault("the integer data is truncated"))
}

/// Reads `count` 64-bit integers from a compressed block and converts them.
pub(super) fn read_64<T>(reader: &mut Reader, count: usize, convert: impl Fn(i64) -> T) -> Result<Vec<T>, Fault> {
    let coded = coded_bytes(reader, count, 8)?;
    let decoded = decode(&coded, count, [2, 4, 8], |bytes| i64::from_le_bytes(eight(bytes)), convert);
    decoded.ok_or_else(|| reader.fault("the integer data is truncated"))
}

/// Rejects counts that the remaining bytes cannot encode, or that exceed the limit.
pub(super) fn check_count(reader: &Reader, count: u64, limit: &Limit) -> Result<usize, Fault> {
    if count > (reader.left() as u64).saturating_mul(MAX_PER_BYTE) {
        return Err(reader.fault(format!("{count} integers do not fit into the remaining {} bytes", reader.left())));
    }
    let Limit(constant, per_byte, max) = *limit;
    let allowed = (per_byte.saturating_mul(reader.size() as u64)).saturating_add(constant).min(max);
    if count > allowed {
        return Err(reader.fault(format!("there are {count} integers; a file of this size may have {allowed}")));
    }
    Ok(count as usize)
}

fn coded_bytes(reader: &mut Reader, count: usize, width: usize) -> Result<Vec<u8>, Fault> {
    reader.decompressed(width + count.div_ceil(4) + width * count)
}

fn four(bytes: &[u8]) -> [u8; 4] {
    std::array::from_fn(|i| bytes[i])
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    std::array::from_fn(|i| bytes[i])
}

/// Decodes and converts the integers; `None` if the data is truncated. `widths` are the sizes of small, medium and large differences [bytes].
fn decode<T>(
    coded: &[u8],
    count: usize,
    widths: [usize; 3],
    whole: impl Fn(&[u8]) -> i64,
    convert: impl Fn(i64) -> T,
) -> Option<Vec<T>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let most_common = whole(coded.get(..widths[2])?);
    let codes = coded.get(widths[2]..widths[2] + count.div_ceil(4))?;
    let mut rest = &coded[widths[2] + codes.len()..];
    let mut last = 0i64;
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    for index in 0..count {
        let difference = match (codes[index / 4] >> (2 * (index % 4))) & 3 {
            0 => most_common,
            code => {
                let width = widths[usize::from(code) - 1];
                let (bytes, after) = rest.split_at_checked(width)?;
                rest = after;
                signed(bytes)
            }
        };
        last = last.wrapping_add(difference);
        values.push(convert(last));
    }
    Some(values)
}

/// Decodes a little-endian signed integer of 1, 2, 4 or 8 bytes.
fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    let value = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    (value << unused) as i64 >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_add_up() {
        // The integers 7, 6, 306, -99694, -99687, -99680: the most common difference is 7. It is followed by one difference of each width, and by
        // the most common difference twice.
        let mut coded = 7i32.to_le_bytes().to_vec();
        coded.extend([0b11_10_01_00, 0b00_00]);
        coded.extend((-1i8).to_le_bytes());
        coded.extend(300i16.to_le_bytes());
        coded.extend((-100_000i32).to_le_bytes());
        let whole = |bytes: &[u8]| i64::from(i32::from_le_bytes(four(bytes)));
        let decoded = |count| decode(&coded, count, [1, 2, 4], whole, |value| value);
        assert_eq!(decoded(6).unwrap(), [7, 6, 306, -99_694, -99_687, -99_680]);
        assert!(decoded(0).unwrap().is_empty());
        assert_eq!(decode(&coded[..12], 6, [1, 2, 4], whole, |value| value), None);
    }
}
