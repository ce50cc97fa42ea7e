//! Encoding of the tables of a crate file: delta-encoded integers, and LZ4 blocks of bytes.

/// The difference that takes no bytes besides its two-bit width code. Indices in tables mostly increase by one.
const COMMON: i32 = 1;

/// Encodes integers in USD's format: the common difference, a two-bit width code per integer, and the differences between consecutive integers. Unsigned
/// indices are passed as signed integers with the same bits.
pub(super) fn pack_integers(integers: impl ExactSizeIterator<Item = i32>) -> Vec<u8> {
    if integers.len() == 0 {
        return Vec::new();
    }
    let mut widths = vec![0u8; integers.len().div_ceil(4)];
    let mut differences = Vec::new();
    let mut before = 0i32;
    for (place, integer) in integers.enumerate() {
        let difference = integer.wrapping_sub(before);
        before = integer;
        let width = if difference == COMMON {
            0
        } else if let Ok(small) = i8::try_from(difference) {
            differences.extend(small.to_le_bytes());
            1
        } else if let Ok(medium) = i16::try_from(difference) {
            differences.extend(medium.to_le_bytes());
            2
        } else {
            differences.extend(difference.to_le_bytes());
            3
        };
        widths[place / 4] |= width << (2 * (place % 4));
    }
    [&COMMON.to_le_bytes()[..], &widths, &differences].concat()
}

/// Encodes bytes as one LZ4 chunk of literals, without compression: tables are small compared with the arrays.
pub(super) fn lz4_chunk(bytes: &[u8]) -> Vec<u8> {
    // In this format, a chunk count of 0 means a single chunk.
    let mut chunk = vec![0];
    match bytes.len().checked_sub(15) {
        None => chunk.push((bytes.len() as u8) << 4),
        Some(mut rest) => {
            chunk.push(15 << 4);
            while rest >= 255 {
                chunk.push(255);
                rest -= 255;
            }
            chunk.push(rest as u8);
        }
    }
    chunk.extend(bytes);
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Decodes packed integers, as a reader does.
    fn unpack(bytes: &[u8], count: usize) -> Vec<i32> {
        let (common, rest) = bytes.split_first_chunk::<4>().unwrap();
        let (widths, mut rest) = rest.split_at(count.div_ceil(4));
        let mut before = 0i32;
        let unpacked = (0..count).map(|place| {
            let (bytes, difference) = match widths[place / 4] >> (2 * (place % 4)) & 3 {
                0 => (0, i32::from_le_bytes(*common)),
                1 => (1, i32::from(rest[0] as i8)),
                2 => (2, i32::from(i16::from_le_bytes(rest[..2].try_into().unwrap()))),
                _ => (4, i32::from_le_bytes(rest[..4].try_into().unwrap())),
            };
            rest = &rest[bytes..];
            before = before.wrapping_add(difference);
            before
        });
        let unpacked = unpacked.collect();
        assert!(rest.is_empty());
        unpacked
    }

    proptest! {
        #[test]
        fn packed_integers_round_trip(integers in proptest::collection::vec(prop_oneof![any::<i32>(), -300..300i32], 1..50)) {
            prop_assert_eq!(unpack(&pack_integers(integers.iter().copied()), integers.len()), integers);
        }

        #[test]
        fn chunks_encode_their_length(length in 0..2000usize) {
            let bytes = vec![7u8; length];
            let chunk = lz4_chunk(&bytes);
            let mut decoded_length = usize::from(chunk[1] >> 4);
            let mut at = 2;
            if decoded_length == 15 {
                loop {
                    decoded_length += usize::from(chunk[at]);
                    at += 1;
                    if chunk[at - 1] != 255 {
                        break;
                    }
                }
            }
            prop_assert_eq!((decoded_length, &chunk[at..]), (length, &bytes[..]));
        }
    }
}
