//! Parallel iteration over subslices of unequal lengths.

/// Number of elements below which work is not split further.
const MIN_CHUNK: usize = 4096;

/// Calls `work` with the index and the elements of each part of `values`. A part lies between consecutive `offsets` [parts + 1].
///
/// Allocates nothing. Parts run in any order on any thread, so `work` must treat each one independently.
pub(super) fn for_each_part<T: Send>(offsets: &[u32], values: &mut [T], work: &(impl Fn(usize, &mut [T]) + Sync)) {
    between(offsets, 0..offsets.len() - 1, values, work);
}

fn between<T: Send>(
    offsets: &[u32],
    parts: std::ops::Range<usize>,
    values: &mut [T],
    work: &(impl Fn(usize, &mut [T]) + Sync),
) {
    let first = offsets[parts.start];
    if parts.len() > 1 && values.len() > MIN_CHUNK {
        let middle = parts.start + parts.len() / 2;
        let (before, after) = values.split_at_mut((offsets[middle] - first) as usize);
        rayon::join(
            || between(offsets, parts.start..middle, before, work),
            || between(offsets, middle..parts.end, after, work),
        );
    } else {
        let mut left = values;
        for part in parts {
            let own = left.split_off_mut(..(offsets[part + 1] - offsets[part]) as usize);
            work(part, own.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_visited_once() {
        let offsets: Vec<u32> = (0..3000)
            .map(|i| i * (i % 7) / 6 + 7 * i)
            .scan(0, |most, at| {
                *most = at.max(*most);
                Some(*most)
            })
            .collect();
        let mut values = vec![0; offsets[offsets.len() - 1] as usize];
        for_each_part(&offsets, &mut values, &|part, values| values.iter_mut().for_each(|value| *value += part + 1));
        for part in 0..offsets.len() - 1 {
            let own = &values[offsets[part] as usize..offsets[part + 1] as usize];
            assert!(own.iter().all(|value| *value == part + 1), "{part}");
        }
    }
}
