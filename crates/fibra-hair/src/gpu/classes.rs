//! Classes of strands of similar length. Kernel blocks allocate shared memory for their longest strand, so separate launches for short strands allow
//! more concurrent blocks.

use crate::gpu::strands::MAX_TEAMS_PER_BLOCK;
use std::ops::Range;

/// Minimum number of strands per class: enough to fill a large device more than once. Launches run sequentially, and fewer strands would leave most
/// of the device idle.
pub const MIN_STRANDS_PER_CLASS: usize = 8192;

/// Lengths at which classes may begin, in quarters of the longest strand.
const QUARTERS: [usize; 3] = [3, 2, 1];

/// A range of strands in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Range of the strands.
    pub strands: Range<usize>,
    /// Number of vertices of the longest strand.
    pub longest: usize,
}

/// Divides strands into classes, given their vertex counts in descending order. Each class has at least `least` strands, if there are enough strands.
pub fn classes(lengths: &[usize], least: usize) -> Vec<Class> {
    let Some(&longest) = lengths.first() else { return Vec::new() };
    let least = least.max(1);
    let mut begins = vec![0];
    for quarters in QUARTERS {
        let shorter = lengths.partition_point(|&length| 4 * length > quarters * longest);
        // No block contains strands of two classes.
        let begin = shorter.next_multiple_of(MAX_TEAMS_PER_BLOCK as usize);
        let large = begin - begins[begins.len() - 1] >= least && lengths.len().saturating_sub(begin) >= least;
        if large {
            begins.push(begin);
        }
    }
    let ends = begins[1..].iter().copied().chain([lengths.len()]);
    begins.iter().zip(ends).map(|(&begin, end)| Class { strands: begin..end, longest: lengths[begin] }).collect()
}
