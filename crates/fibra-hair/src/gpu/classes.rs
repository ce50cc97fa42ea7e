//! Strands of similar length, for kernels whose cubes take as much shared memory as the longest strand needs: with short strands among themselves, more
//! cubes are at work at once.

use crate::gpu::strands::MOST_TEAMS;
use std::ops::Range;

/// Least strands of a class: so many fill a large device more than once. Launches run one after the other, and fewer would leave most of it idle.
pub const LEAST_OF_CLASS: usize = 8192;

/// Shares of the longest strand at which classes may begin, in quarters.
const QUARTERS: [usize; 3] = [3, 2, 1];

/// Some strands of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Which.
    pub strands: Range<usize>,
    /// Vertices of the longest.
    pub longest: usize,
}

/// Classes of strands, given their numbers of vertices from the longest to the shortest, with at least so many in each where there are as many.
pub fn classes(lengths: &[usize], least: usize) -> Vec<Class> {
    let Some(&longest) = lengths.first() else { return Vec::new() };
    let least = least.max(1);
    let mut begins = vec![0];
    for quarters in QUARTERS {
        let shorter = lengths.partition_point(|&length| 4 * length > quarters * longest);
        // No cube has strands of two classes.
        let begin = shorter.next_multiple_of(MOST_TEAMS as usize);
        let large = begin - begins[begins.len() - 1] >= least && lengths.len().saturating_sub(begin) >= least;
        if large {
            begins.push(begin);
        }
    }
    let ends = begins[1..].iter().copied().chain([lengths.len()]);
    begins.iter().zip(ends).map(|(&begin, end)| Class { strands: begin..end, longest: lengths[begin] }).collect()
}
