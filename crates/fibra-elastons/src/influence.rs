//! Samples that influence each material point [Martin2010, Sec. 10].

use crate::gmls::Sample;
use crate::table::Lists;
use crate::world::Matter;

/// Samples that influence each material point. The material point must be in the support of the sample. Inside the
/// support, it must be connected with the sample's anchor, by material of the same branch.
pub fn influences(matter: &Matter) -> Lists {
    let mut lists = vec![Vec::new(); matter.cloud.points.len()];
    // Samples are visited in ascending order, so the lists are sorted.
    let mut seen = vec![u32::MAX; matter.cloud.points.len()];
    for (index, (sample, &anchor)) in matter.samples.iter().zip(&matter.anchors).enumerate() {
        for piece in inside(sample, anchor, index as u32, matter, &mut seen) {
            lists[piece as usize].push(index as u32);
        }
    }
    Lists::new(lists.iter().map(Vec::as_slice))
}

/// Returns the material points in a sample's support that are connected with `anchor` within the support. They are
/// marked with `mark` in `seen`.
fn inside(sample: &Sample, anchor: u32, mark: u32, matter: &Matter, seen: &mut [u32]) -> Vec<u32> {
    let branch = matter.branches[anchor as usize];
    let mut found = vec![anchor];
    seen[anchor as usize] = mark;
    let mut next = 0;
    while let Some(&piece) = found.get(next) {
        next += 1;
        for &neighbor in matter.links.neighbors(piece as usize) {
            let at = neighbor as usize;
            let is_new = seen[at] != mark && matter.branches[at] == branch;
            if is_new && sample.weight(matter.cloud.points[at]) > 0.0 {
                seen[at] = mark;
                found.push(neighbor);
            }
        }
    }
    found
}
