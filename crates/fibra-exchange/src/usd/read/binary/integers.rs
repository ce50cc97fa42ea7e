//! Integers as differences: the commonest one takes two bits, others one, two or four bytes more (two, four or eight of 64
//! bits).

use super::bytes::Reader;
use crate::error::Fault;

/// LZ4 and two bits for an integer: no block holds more for each of its bytes.
const MOST_PER_BYTE: u64 = 255 * 4;

/// How many integers there may be: so many in any file, so many more for each of its bytes, and never above the last. What
/// repeats itself takes next to no bytes, so that some freedom is needed.
pub(super) struct Most(u64, u64, u64);

/// Entries of a table: paths, fields and the like, of which each says something new.
pub(super) const TABLE: Most = Most(1 << 20, 2, 1 << 27);

/// Numbers of an array: the faces of a grid are the same all over.
pub(super) const ARRAY: Most = Most(1 << 25, 16, 1 << 28);

/// Reads `count` integers of 32 bits from a compressed block.
pub(super) fn read_32<T>(reader: &mut Reader, count: usize, made: impl Fn(i32) -> T) -> Result<Vec<T>, Fault> {
    let coded = coded_bytes(reader, count, 4)?;
    let whole = |bytes: &[u8]| i64::from(i32::from_le_bytes(four(bytes)));
    let decoded = decode(&coded, count, [1, 2, 4], whole, |value| made(value as i32));
    decoded.ok_or_else(|| reader.fault("integers end too early"))
}

/// The same of 64 bits.
pub(super) fn read_64<T>(reader: &mut Reader, count: usize, made: impl Fn(i64) -> T) -> Result<Vec<T>, Fault> {
    let coded = coded_bytes(reader, count, 8)?;
    let decoded = decode(&coded, count, [2, 4, 8], |bytes| i64::from_le_bytes(eight(bytes)), made);
    decoded.ok_or_else(|| reader.fault("integers end too early"))
}

/// Refuses counts that no block of what is left can hold, or that take more memory than any good file's.
pub(super) fn check_count(reader: &Reader, count: u64, most: &Most) -> Result<usize, Fault> {
    if count > (reader.left() as u64).saturating_mul(MOST_PER_BYTE) {
        return Err(reader.fault(format!("{count} integers do not fit into the {} bytes that follow", reader.left())));
    }
    let Most(any, per_byte, ever) = *most;
    let most = (per_byte.saturating_mul(reader.size() as u64)).saturating_add(any).min(ever);
    if count > most {
        return Err(reader.fault(format!("there are {count} integers; a file of this size may have {most}")));
    }
    Ok(count as usize)
}

fn coded_bytes(reader: &mut Reader, count: usize, width: usize) -> Result<Vec<u8>, Fault> {
    reader.unpacked(width + count.div_ceil(4) + width * count)
}

fn four(bytes: &[u8]) -> [u8; 4] {
    std::array::from_fn(|i| bytes[i])
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    std::array::from_fn(|i| bytes[i])
}

/// The integers as they are wanted, or nothing where they end too early. `widths` are those of small, middle and large
/// differences [bytes].
fn decode<T>(
    coded: &[u8],
    count: usize,
    widths: [usize; 3],
    whole: impl Fn(&[u8]) -> i64,
    made: impl Fn(i64) -> T,
) -> Option<Vec<T>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let commonest = whole(coded.get(..widths[2])?);
    let codes = coded.get(widths[2]..widths[2] + count.div_ceil(4))?;
    let mut rest = &coded[widths[2] + codes.len()..];
    let mut last = 0i64;
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    for index in 0..count {
        let difference = match (codes[index / 4] >> (2 * (index % 4))) & 3 {
            0 => commonest,
            code => {
                let width = widths[usize::from(code) - 1];
                let (bytes, after) = rest.split_at_checked(width)?;
                rest = after;
                signed(bytes)
            }
        };
        last = last.wrapping_add(difference);
        values.push(made(last));
    }
    Some(values)
}

/// A signed integer of one, two, four or eight bytes, the lowest first.
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
        // The commonest difference 7, then one of each width, then the commonest twice: 7, 6, 306, -99694, -99687, -99680.
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
