//! Strands of similar length, for kernels whose cubes take as much shared memory as the longest strand needs: with short strands among themselves, more
//! cubes are at work at once.

use crate::gpu::strands::MOST_TEAMS;
use std::ops::Range;

/// Least strands of a class: so many fill a large device more than once. Launches run one after the other, and fewer would leave most of it idle.
pub(crate) const LEAST_OF_CLASS: usize = 8192;

/// Shares of the longest strand at which classes may begin, in quarters.
const QUARTERS: [usize; 3] = [3, 2, 1];

/// Some strands of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// Which.
    pub strands: Range<usize>,
    /// Vertices of the longest.
    pub longest: usize,
}

/// Classes of strands, given their numbers of vertices from the longest to the shortest, with at least so many in each where there are as many.
pub(crate) fn classes(lengths: &[usize], least: usize) -> Vec<Class> {
    let Some(&longest) = lengths.first() else { return Vec::new() };
    let mut begins = vec![0];
    for quarters in QUARTERS {
        let shorter = lengths.partition_point(|&length| 4 * length > quarters * longest);
        // No cube has strands of two classes.
        let begin = shorter.next_multiple_of(MOST_TEAMS as usize);
        if begin >= begins[begins.len() - 1] + least && begin + least <= lengths.len() {
            begins.push(begin);
        }
    }
    let ends = begins[1..].iter().copied().chain([lengths.len()]);
    begins.iter().zip(ends).map(|(&begin, end)| Class { strands: begin..end, longest: lengths[begin] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_large_and_hold_every_strand_once() {
        assert_eq!(classes(&[], 1), []);
        assert_eq!(classes(&[9; 3], 1), [Class { strands: 0..3, longest: 9 }]);
        let mut lengths: Vec<usize> = (0..40_000).map(|i| 5 + i * 7 % 52).collect();
        lengths.sort_by_key(|&length| std::cmp::Reverse(length));
        let found = classes(&lengths, LEAST_OF_CLASS);
        let longest: Vec<usize> = found.iter().map(|class| class.longest).collect();
        assert_eq!(longest, [56, 42, 28]);
        assert!(found.iter().all(|class| class.strands.len() >= LEAST_OF_CLASS && class.strands.start % 8 == 0));
        assert!(found.windows(2).all(|pair| pair[0].strands.end == pair[1].strands.start));
        assert_eq!((found[0].strands.start, found[2].strands.end), (0, 40_000));
        assert_eq!(classes(&lengths[..16_000], LEAST_OF_CLASS).len(), 1);
    }
}
