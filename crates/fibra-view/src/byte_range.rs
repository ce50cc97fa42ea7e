//! The part of a file that a `Range` header asks for.

use super::response::Status;
use std::ops::Range;

/// The bytes wanted of a file of `length` bytes: none where the header asks for nothing that we give in parts, and then all is sent.
pub(super) fn wanted(header: Option<&str>, length: u64) -> Result<Option<Range<u64>>, Status> {
    let Some(spec) = header.and_then(|header| header.strip_prefix("bytes=")) else { return Ok(None) };
    // Several parts at once are answered with the whole, as HTTP allows: no page of ours asks for them.
    if spec.contains(',') {
        return Ok(None);
    }
    let Some((first, last)) = spec.split_once('-') else { return Ok(None) };
    let number = |text: &str| (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok());
    let range = match (number(first.trim()), number(last.trim())) {
        // More digits than a file can have bytes.
        (Some(None), _) => return Err(Status::RangeNotSatisfiable),
        (Some(Some(first)), Some(last)) => first..last.map_or(length, |last: u64| last.saturating_add(1)).min(length),
        (Some(Some(first)), None) if last.trim().is_empty() => first..length,
        (None, Some(count)) if first.trim().is_empty() => length.saturating_sub(count.unwrap_or(u64::MAX))..length,
        _ => return Ok(None),
    };
    if range.is_empty() { Err(Status::RangeNotSatisfiable) } else { Ok(Some(range)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_are_cut_to_the_file() {
        let wanted = |header| wanted(Some(header), 100);
        assert_eq!(wanted("bytes=0-7"), Ok(Some(0..8)));
        assert_eq!(wanted("bytes=90-"), Ok(Some(90..100)));
        assert_eq!(wanted("bytes=90-18446744073709551615"), Ok(Some(90..100)));
        assert_eq!(wanted("bytes=90-99999999999999999999999"), Ok(Some(90..100)));
        assert_eq!(wanted("bytes=-7"), Ok(Some(93..100)));
        assert_eq!(wanted("bytes=-99999999999999999999999"), Ok(Some(0..100)));
        for outside in ["bytes=100-", "bytes=7-6", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(wanted(outside), Err(Status::RangeNotSatisfiable), "{outside}");
        }
        for ignored in ["lines=0-7", "bytes=0-1,5-6", "bytes=", "bytes=-", "bytes=a-b", "bytes=+1-2", "bytes=1"] {
            assert_eq!(wanted(ignored), Ok(None), "{ignored}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_never_outside(header in "bytes=[0-9]{0,21}-[0-9]{0,21}", length in any::<u64>()) {
            if let Ok(Some(range)) = wanted(Some(&header), length) {
                prop_assert!(range.start < range.end && range.end <= length);
            }
        }
    }
}
