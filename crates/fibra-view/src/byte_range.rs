//! Parses the `Range` header of a request.

use super::response::Status;
use std::ops::Range;

/// Returns the requested byte range of a file of `length` bytes. `None` means the whole file: the header is absent or not supported.
pub(super) fn requested(header: Option<&str>, length: u64) -> Result<Option<Range<u64>>, Status> {
    let Some(spec) = header.and_then(|header| header.strip_prefix("bytes=")) else { return Ok(None) };
    // HTTP allows the whole file as the response to a request for several ranges. Our page never sends such a request.
    if spec.contains(',') {
        return Ok(None);
    }
    let Some((first, last)) = spec.split_once('-') else { return Ok(None) };
    let number = |text: &str| (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok());
    let range = match (number(first.trim()), number(last.trim())) {
        // The number is too large for any file.
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
    fn ranges_are_clamped_to_the_file() {
        let requested = |header| requested(Some(header), 100);
        assert_eq!(requested("bytes=0-7"), Ok(Some(0..8)));
        assert_eq!(requested("bytes=90-"), Ok(Some(90..100)));
        assert_eq!(requested("bytes=90-18446744073709551615"), Ok(Some(90..100)));
        assert_eq!(requested("bytes=90-99999999999999999999999"), Ok(Some(90..100)));
        assert_eq!(requested("bytes=-7"), Ok(Some(93..100)));
        assert_eq!(requested("bytes=-99999999999999999999999"), Ok(Some(0..100)));
        for outside in ["bytes=100-", "bytes=7-6", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(requested(outside), Err(Status::RangeNotSatisfiable), "{outside}");
        }
        for ignored in ["lines=0-7", "bytes=0-1,5-6", "bytes=", "bytes=-", "bytes=a-b", "bytes=+1-2", "bytes=1"] {
            assert_eq!(requested(ignored), Ok(None), "{ignored}");
        }
    }

    proptest! {
        #[test]
        fn ranges_are_never_empty_or_outside_the_file(header in "bytes=[0-9]{0,21}-[0-9]{0,21}", length in any::<u64>()) {
            if let Ok(Some(range)) = requested(Some(&header), length) {
                prop_assert!(range.start < range.end && range.end <= length);
            }
        }
    }
}
