//! Integers as differences: the commonest one takes two bits, others one, two or four bytes more (two, four or eight of 64
//! bits).

use super::bytes::Reader;
use crate::error::Fault;

/// LZ4 and two bits for an integer: no block holds more for each of its bytes.
const MOST_PER_BYTE: u64 = 255 * 4;

/// Reads `count` integers of 32 bits from a compressed block.
pub(super) fn read_32(reader: &mut Reader, count: usize) -> Result<Vec<i32>, Fault> {
    let coded = coded_bytes(reader, count, 4)?;
    let decoded = decode(&coded, count, [1, 2, 4], |bytes| i64::from(i32::from_le_bytes(four(bytes))));
    let decoded = decoded.ok_or_else(|| reader.fault("integers end too early"))?;
    Ok(decoded.into_iter().map(|value| value as i32).collect())
}

/// The same of 64 bits.
pub(super) fn read_64(reader: &mut Reader, count: usize) -> Result<Vec<i64>, Fault> {
    let coded = coded_bytes(reader, count, 8)?;
    let decoded = decode(&coded, count, [2, 4, 8], |bytes| i64::from_le_bytes(eight(bytes)));
    decoded.ok_or_else(|| reader.fault("integers end too early"))
}

/// Refuses counts that no block of what is left can hold.
pub(super) fn check_count(reader: &Reader, count: u64) -> Result<usize, Fault> {
    if count > (reader.left() as u64).saturating_mul(MOST_PER_BYTE) {
        return Err(reader.fault(format!("{count} integers do not fit into the {} bytes that follow", reader.left())));
    }
    Ok(count as usize)
}

fn coded_bytes(reader: &mut Reader, count: usize, width: usize) -> Result<Vec<u8>, Fault> {
    check_count(reader, count as u64)?;
    reader.unpacked(width + count.div_ceil(4) + width * count)
}

fn four(bytes: &[u8]) -> [u8; 4] {
    std::array::from_fn(|i| bytes[i])
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    std::array::from_fn(|i| bytes[i])
}

/// The integers, or nothing where they end too early. `widths` are those of small, middle and large differences [bytes].
fn decode(coded: &[u8], count: usize, widths: [usize; 3], whole: impl Fn(&[u8]) -> i64) -> Option<Vec<i64>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let commonest = whole(coded.get(..widths[2])?);
    let codes = coded.get(widths[2]..widths[2] + count.div_ceil(4))?;
    let mut rest = &coded[widths[2] + codes.len()..];
    let mut last = 0i64;
    let mut values = Vec::with_capacity(count);
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
        values.push(last);
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
        let decoded = |count| decode(&coded, count, [1, 2, 4], |bytes| i64::from(i32::from_le_bytes(four(bytes))));
        assert_eq!(decoded(6).unwrap(), [7, 6, 306, -99_694, -99_687, -99_680]);
        assert!(decoded(0).unwrap().is_empty());
        assert_eq!(decode(&coded[..12], 6, [1, 2, 4], |bytes| i64::from(i32::from_le_bytes(four(bytes)))), None);
    }
}
