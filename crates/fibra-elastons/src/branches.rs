//! Branches of bodies: parts that are joined only by permanently held material.
//!
//! Held material has a prescribed motion, so no force passes through it. In the continuum, two prongs on a held base
//! therefore do not influence each other. Without branches, a sample whose support contains both roots would couple them.
//! Each piece of held material belongs to the nearest branch, and samples and elastons do not extend beyond their branch.

use crate::connectivity::Connectivity;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A material point to visit, at a distance along the links. The nearest one comes first; on ties, the lowest index.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Visit {
    /// Distance, or another measure of order [m].
    pub(crate) distance: f64,
    /// The material point.
    pub(crate) piece: u32,
    /// Index of the source from which the material point is reached.
    pub(crate) source: u32,
}

impl Eq for Visit {}

impl Ord for Visit {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_index = || (other.source, other.piece).cmp(&(self.source, self.piece));
        other.distance.total_cmp(&self.distance).then_with(by_index)
    }
}

impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Branch of each material point, numbered in the order of their first members. Without held material, branches are the
/// connected components.
///
/// Two regions of free material are in one branch if they are connected, or if a held material point is linked with
/// both: both must be clamped to it. Other held material points belong to the branch that is nearest along the links.
pub fn branches(links: &Connectivity, points: &[DVec3], held: &[bool]) -> Vec<u32> {
    if !held.contains(&true) {
        return links.components();
    }
    let free = links.retain(|i, j| !held[i] && !held[j]);
    let mut region = free.components();
    for piece in (0..points.len()).filter(|&piece| held[piece]) {
        let mut near = links.neighbors(piece).iter().map(|&next| next as usize).filter(|&next| !held[next]);
        let Some(first) = near.next() else { continue };
        let first = region[first];
        for next in near {
            let other = region[next];
            if other != first {
                region.iter_mut().filter(|region| **region == other).for_each(|region| *region = first);
            }
        }
    }
    let mut branch: Vec<Option<u32>> = (0..points.len()).map(|piece| (!held[piece]).then_some(region[piece])).collect();
    let mut waiting = BinaryHeap::new();
    for piece in (0..points.len()).filter(|&piece| held[piece]) {
        if let Some(next) = links.neighbors(piece).iter().find(|&&next| !held[next as usize]) {
            waiting.push(Visit { distance: 0.0, piece: piece as u32, source: region[*next as usize] });
        }
    }
    while let Some(Visit { distance, piece, source }) = waiting.pop() {
        let at = piece as usize;
        if branch[at].is_some() {
            continue;
        }
        branch[at] = Some(source);
        for &next in links.neighbors(at).iter().filter(|&&next| branch[next as usize].is_none()) {
            let distance = distance + points[at].distance(points[next as usize]);
            waiting.push(Visit { distance, piece: next, source });
        }
    }
    // Bodies that are held everywhere have no free region. They stay connected.
    let whole = links.components();
    let place = |(piece, branch): (usize, &Option<u32>)| match branch {
        Some(branch) => *branch as usize,
        None => points.len() + whole[piece] as usize,
    };
    numbered(branch.iter().enumerate().map(place).collect())
}

/// Renumbers labels in the order of their first occurrence.
fn numbered(labels: Vec<usize>) -> Vec<u32> {
    let mut names = vec![u32::MAX; labels.iter().max().map_or(0, |&last| last + 1)];
    let mut count = 0;
    let mut name = |label: usize| {
        if names[label] == u32::MAX {
            names[label] = count;
            count += 1;
        }
        names[label]
    };
    labels.into_iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::Cloud;
    use crate::fill::cuboid;
    use fibra_core::geometry::RigidPose;

    /// A base of 12 x 2 x 1 pieces with two prongs of 2 x 10 x 1 pieces at its ends. Pieces have a side of 1 m.
    fn fork() -> Cloud {
        let at = |x: f64, y: f64| RigidPose::at(DVec3::new(x, y, 0.0));
        let mut cloud = cuboid(DVec3::new(12.0, 2.0, 1.0), [12, 2, 1], &at(6.0, 1.0)).unwrap();
        cloud.append(cuboid(DVec3::new(2.0, 10.0, 1.0), [2, 10, 1], &at(1.0, 7.0)).unwrap());
        cloud.append(cuboid(DVec3::new(2.0, 10.0, 1.0), [2, 10, 1], &at(11.0, 7.0)).unwrap());
        cloud
    }

    fn of(cloud: &Cloud, is_held: impl Fn(DVec3) -> bool) -> Vec<u32> {
        let held: Vec<bool> = cloud.points.iter().map(|&point| is_held(point)).collect();
        branches(&Connectivity::new(cloud).unwrap(), &cloud.points, &held)
    }

    #[test]
    fn a_held_base_separates_prongs_and_is_divided_between_them() {
        let cloud = fork();
        let branches = of(&cloud, |point| point.y < 2.0);
        for (point, &branch) in cloud.points.iter().zip(&branches) {
            assert_eq!(branch, u32::from(point.x > 6.0), "{point}");
        }
    }

    #[test]
    fn free_material_and_shared_clamps_stay_in_one_branch() {
        let cloud = fork();
        let all_in_one = |branches: Vec<u32>| branches.iter().all(|&branch| branch == 0);
        assert!(all_in_one(of(&cloud, |_| false)));
        assert!(all_in_one(of(&cloud, |_| true)));
        // Free material below the hold joins the prongs.
        assert!(all_in_one(of(&cloud, |point| (1.0..2.0).contains(&point.y))));
        // A single layer across a bar clamps both of its sides.
        let bar = cuboid(DVec3::new(9.0, 1.0, 1.0), [9, 1, 1], &RigidPose::IDENTITY).unwrap();
        assert!(all_in_one(of(&bar, |point| point.x.abs() < 0.1)));
        let two = of(&bar, |point| point.x.abs() < 1.1);
        assert_eq!(two, [0, 0, 0, 0, 0, 1, 1, 1, 1]);
    }
}
