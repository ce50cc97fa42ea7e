//! Connectivity graph: material points are linked where their spheres overlap [Martin2010, Sec. 10, cutting].

use crate::cloud::Cloud;
use fibra_core::geometry::{PointNode, PointTree};
use rayon::prelude::*;
use thiserror::Error;

/// Maximum number of other spheres that a sphere may overlap. Normal clouds have at most dozens of overlaps per sphere.
/// More than this maximum means that the radii are wrong, and would exhaust memory.
const MAX_LINKS: usize = 4096;

/// The links of each material point, in ascending order of the neighbors (an adjacency list in CSR form).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connectivity {
    /// Start of each material point's neighbors in `neighbors`, followed by the end of the last list.
    starts: Vec<usize>,
    neighbors: Vec<u32>,
}

/// A sphere that overlaps too many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the sphere of point {point} overlaps more than {MAX_LINKS} others; use smaller radii")]
pub struct TooManyLinks {
    /// The point, counted from 0.
    pub point: usize,
}

impl Connectivity {
    /// Links all pairs of material points whose spheres overlap.
    pub fn new(cloud: &Cloud) -> Result<Self, TooManyLinks> {
        let tree = PointTree::new(&cloud.points);
        let largest = tree.largest(&cloud.radii);
        let of = |i: usize| {
            let (position, radius) = (cloud.points[i], cloud.radii[i]);
            let mut found: Vec<u32> = Vec::new();
            let near = |at: usize, node: &PointNode| {
                let reach = radius + largest[at];
                node.distance_squared(position) < reach * reach
            };
            tree.visit(near, |j, point| {
                let reach = radius + cloud.radii[j as usize];
                if j as usize != i && point.distance_squared(position) < reach * reach {
                    found.push(j);
                }
                found.len() <= MAX_LINKS
            });
            found.sort_unstable();
            if found.len() <= MAX_LINKS { Ok(found) } else { Err(TooManyLinks { point: i }) }
        };
        let lists: Vec<Result<Vec<u32>, TooManyLinks>> =
            (0..cloud.points.len()).into_par_iter().with_min_len(256).map(of).collect();
        // Reports the first error in the order of points, for any number of threads.
        Ok(Self::from_lists(lists.into_iter().collect::<Result<Vec<_>, _>>()?))
    }

    /// Creates a graph from the neighbors of each material point. Links must be symmetric.
    pub fn from_lists(lists: Vec<Vec<u32>>) -> Self {
        let mut starts = Vec::with_capacity(lists.len() + 1);
        starts.push(0);
        starts.extend(lists.iter().scan(0, |sum, list| {
            *sum += list.len();
            Some(*sum)
        }));
        Self { starts, neighbors: lists.concat() }
    }

    /// Number of material points.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no material points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Neighbors of a material point, in ascending order.
    pub fn neighbors(&self, piece: usize) -> &[u32] {
        &self.neighbors[self.starts[piece]..self.starts[piece + 1]]
    }

    /// Returns the graph without the links for which `keep` returns false. The arguments of `keep` are in ascending
    /// order.
    pub fn retain(&self, keep: impl Fn(usize, usize) -> bool + Sync) -> Self {
        let kept = |i: usize| {
            let both = |&&j: &&u32| keep(i.min(j as usize), i.max(j as usize));
            self.neighbors(i).iter().filter(both).copied().collect()
        };
        Self::from_lists((0..self.len()).into_par_iter().with_min_len(256).map(kept).collect())
    }

    /// The subgraph of some material points, which are numbered in the given order.
    pub fn induced(&self, pieces: &[u32]) -> Self {
        let mut place = vec![u32::MAX; self.len()];
        pieces.iter().enumerate().for_each(|(at, &piece)| place[piece as usize] = at as u32);
        let list = |&piece: &u32| {
            let near = self.neighbors(piece as usize).iter().map(|&next| place[next as usize]);
            let mut list: Vec<u32> = near.filter(|&next| next != u32::MAX).collect();
            list.sort_unstable();
            list
        };
        Self::from_lists(pieces.iter().map(list).collect())
    }

    /// Connected components of the subgraph of some material points. The members of each component are in ascending
    /// order; components are in the order of their first members. `marks` has one flag per material point; all flags
    /// must be false, and are false again afterwards.
    pub fn parts(&self, pieces: &[u32], marks: &mut [bool]) -> Vec<Vec<u32>> {
        pieces.iter().for_each(|&piece| marks[piece as usize] = true);
        let mut parts = Vec::new();
        for &first in pieces {
            if !std::mem::take(&mut marks[first as usize]) {
                continue;
            }
            let mut part = vec![first];
            let mut next = 0;
            while let Some(&piece) = part.get(next) {
                next += 1;
                for &neighbor in self.neighbors(piece as usize) {
                    if std::mem::take(&mut marks[neighbor as usize]) {
                        part.push(neighbor);
                    }
                }
            }
            part.sort_unstable();
            parts.push(part);
        }
        parts
    }

    /// Connected component of each material point, numbered in the order of their first members.
    pub fn components(&self) -> Vec<u32> {
        let mut component = vec![u32::MAX; self.len()];
        let mut waiting = Vec::new();
        let mut count = 0;
        for first in 0..self.len() {
            if component[first] != u32::MAX {
                continue;
            }
            component[first] = count;
            waiting.push(first);
            while let Some(piece) = waiting.pop() {
                for &next in self.neighbors(piece) {
                    if component[next as usize] == u32::MAX {
                        component[next as usize] = count;
                        waiting.push(next as usize);
                    }
                }
            }
            count += 1;
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::cuboid;
    use fibra_core::geometry::RigidPose;
    use fibra_core::random::CounterRng;
    use glam::{DMat3, DVec3};

    #[test]
    fn links_match_brute_force() {
        let rng = CounterRng::new(11);
        let draw = |i: usize, k: u64| rng.uniform_in_cube([i as u64, k, 0]);
        let cloud = Cloud {
            points: (0..300).map(|i| draw(i, 0)).collect(),
            radii: (0..300).map(|i| 0.01 + 0.08 * draw(i, 1).x).collect(),
            volumes: vec![1.0; 300],
            spreads: vec![DMat3::IDENTITY; 300],
        };
        let graph = Connectivity::new(&cloud).unwrap();
        for i in 0..300 {
            let overlaps =
                |&j: &usize| j != i && cloud.points[i].distance(cloud.points[j]) < cloud.radii[i] + cloud.radii[j];
            let expected: Vec<u32> = (0..300).filter(overlaps).map(|j| j as u32).collect();
            assert_eq!(graph.neighbors(i), expected);
        }
    }

    #[test]
    fn separate_bodies_and_cut_parts_are_components() {
        let mut cloud = cuboid(DVec3::new(1.0, 0.1, 0.1), [20, 2, 2], &RigidPose::IDENTITY).unwrap();
        let other = cuboid(DVec3::new(1.0, 0.1, 0.1), [10, 1, 1], &RigidPose::at(DVec3::Y)).unwrap();
        cloud.append(other);
        let graph = Connectivity::new(&cloud).unwrap();
        let components = graph.components();
        assert!(components[..80].iter().all(|&c| c == 0) && components[80..].iter().all(|&c| c == 1));
        let side = |i: usize| cloud.points[i].x > 0.26;
        let cut = graph.retain(|i, j| side(i) == side(j)).components();
        assert_eq!(cut.iter().max(), Some(&3));
        assert!((0..90).all(|i| (cut[i] % 2 == 1) == side(i)));
        assert!(Connectivity::default().components().is_empty());
    }

    #[test]
    fn spheres_with_too_many_overlaps_are_rejected() {
        let mut cloud = cuboid(DVec3::ONE, [20, 20, 20], &RigidPose::IDENTITY).unwrap();
        cloud.radii[7] = 10.0;
        assert_eq!(Connectivity::new(&cloud), Err(TooManyLinks { point: 7 }));
    }
}
