//! Points sorted into nested boxes, for every question about who is near whom.

use fibra_core::geometry::Bounds;
use glam::DVec3;

/// Points in a box that is split no further.
const LEAF: usize = 8;

/// A binary tree of boxes around points.
#[derive(Clone, Debug)]
pub struct PointTree {
    /// The points [m], in the order of the leaves.
    points: Vec<DVec3>,
    /// Which point each of them is.
    order: Vec<u32>,
    /// The root first; the first child of a node follows it.
    nodes: Vec<Node>,
}

/// A box around the points `start..end` of the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The second child; 0 for a leaf.
    pub(crate) second: u32,
}

impl Node {
    /// Squared distance of the box from a place [m^2], 0 inside.
    #[inline]
    pub(crate) fn distance_squared(&self, place: DVec3) -> f64 {
        (self.min - place).max(place - self.max).max(DVec3::ZERO).length_squared()
    }
}

/// The two of some scaled points that are nearest to a place, the nearest first: scaled distance [-] and index. With a
/// single point the second is infinitely far away.
pub type NearestTwo = [(f64, u32); 2];

impl PointTree {
    /// Sorts points [m], which must be finite.
    pub fn new(points: &[DVec3]) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let mut nodes = Vec::with_capacity(points.len().div_ceil(LEAF) * 4);
        if !points.is_empty() {
            split(points, &mut order, 0, &mut nodes);
        }
        Self { points: order.iter().map(|&i| points[i as usize]).collect(), order, nodes }
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The points [m] and their indices in a node.
    pub(crate) fn content(&self, node: &Node) -> impl Iterator<Item = (u32, DVec3)> + '_ {
        let range = node.start as usize..node.end as usize;
        self.order[range.clone()].iter().copied().zip(self.points[range].iter().copied())
    }

    /// For each node the largest of its points' values.
    pub(crate) fn largest(&self, values: &[f64]) -> Vec<f64> {
        let of = |node: &Node| self.content(node).map(|(i, _)| values[i as usize]).fold(0.0, f64::max);
        self.nodes.iter().map(of).collect()
    }

    /// Calls `each` for every point in the nodes that `enter` accepts (given their index), until it answers false.
    pub(crate) fn visit(&self, enter: impl Fn(usize, &Node) -> bool, mut each: impl FnMut(u32, DVec3) -> bool) {
        let mut stack = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            if !enter(at, node) {
                continue;
            }
            if node.second != 0 {
                stack.push(node.second as usize);
                stack.push(at + 1);
            } else if !self.content(node).all(|(i, point)| each(i, point)) {
                return;
            }
        }
    }

    /// The two points nearest to a place [m] when the distance from each is divided by its scale [m]. Of equally near
    /// ones the lower index is nearer. `guess` are two different points from which to start; any will do, near ones are
    /// quicker.
    pub fn nearest_two(&self, place: DVec3, scales: &Scales, guess: Option<NearestTwo>) -> NearestTwo {
        let mut best = guess.unwrap_or([(f64::INFINITY, u32::MAX); 2]);
        if !self.nodes.is_empty() {
            self.search(0, place, scales, &mut best);
        }
        best
    }

    fn search(&self, at: usize, place: DVec3, scales: &Scales, best: &mut NearestTwo) {
        let node = &self.nodes[at];
        if node.second == 0 {
            for (i, point) in self.content(node) {
                let candidate = (point.distance(place) / scales.of[i as usize], i);
                if candidate < best[1] && candidate.1 != best[0].1 {
                    best[1] = candidate;
                    if best[1] < best[0] {
                        best.swap(0, 1);
                    }
                }
            }
            return;
        }
        let children = [at + 1, node.second as usize];
        let reach = children.map(|child| self.nodes[child].distance_squared(place));
        let near = usize::from(reach[1] < reach[0]);
        for k in [near, 1 - near] {
            let bound = best[1].0 * scales.largest;
            if reach[k] <= bound * bound {
                self.search(children[k], place, scales, best);
            }
        }
    }
}

/// Lengths by which distances from points are divided.
#[derive(Clone, Debug)]
pub struct Scales {
    of: Vec<f64>,
    largest: f64,
}

impl Scales {
    /// One scale above 0 for each point [m].
    pub fn new(of: Vec<f64>) -> Self {
        let largest = of.iter().copied().fold(0.0, f64::max);
        Self { of, largest }
    }

    /// The scale of a point [m].
    pub fn of(&self, point: u32) -> f64 {
        self.of[point as usize]
    }
}

fn split(points: &[DVec3], order: &mut [u32], start: u32, nodes: &mut Vec<Node>) {
    let Bounds { min, max } = Bounds::around(order.iter().map(|&i| points[i as usize]));
    let at = nodes.len();
    nodes.push(Node { min, max, start, end: start + order.len() as u32, second: 0 });
    if order.len() <= LEAF {
        return;
    }
    let axis = (max - min).max_position();
    let middle = order.len() / 2;
    // Indices decide between equal places, so that the tree is always the same.
    order.select_nth_unstable_by(middle, |&i, &j| {
        points[i as usize][axis].total_cmp(&points[j as usize][axis]).then(i.cmp(&j))
    });
    let (below, above) = order.split_at_mut(middle);
    split(points, below, start, nodes);
    nodes[at].second = nodes.len() as u32;
    split(points, above, start + middle as u32, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    #[test]
    fn the_nearest_two_are_those_found_by_looking_at_all() {
        let rng = CounterRng::new(3);
        for flat in [1.0, 0.0] {
            let points: Vec<DVec3> =
                (0..300).map(|i| rng.uniform_in_cube([i, 0, 0]) * DVec3::new(1.0, 1.0, flat)).collect();
            let scales = Scales::new((0..300).map(|i| 1.0 + rng.uniform_in_cube([i, 1, 0]).x).collect());
            let tree = PointTree::new(&points);
            for i in 0..200 {
                let place = rng.uniform_in_cube([i, 2, 0]);
                let mut all: Vec<(f64, u32)> =
                    (0..300).map(|p| (points[p as usize].distance(place) / scales.of(p), p)).collect();
                let guess = [all[7], all[9]];
                all.sort_by(|a, b| a.0.total_cmp(&b.0));
                assert_eq!(tree.nearest_two(place, &scales, None)[..], all[..2]);
                let [a, b] = guess;
                let sorted = if a < b { [a, b] } else { [b, a] };
                assert_eq!(tree.nearest_two(place, &scales, Some(sorted))[..], all[..2]);
            }
        }
    }

    #[test]
    fn a_single_point_none_and_many_at_one_place() {
        let ones = |n| Scales::new(vec![1.0; n]);
        assert_eq!(PointTree::new(&[DVec3::X]).nearest_two(DVec3::ZERO, &ones(1), None)[0], (1.0, 0));
        assert_eq!(PointTree::new(&[]).nearest_two(DVec3::ZERO, &ones(0), None)[0].0, f64::INFINITY);
        let heap = PointTree::new(&[DVec3::X; 1000]);
        assert_eq!(heap.nearest_two(DVec3::X, &ones(1000), None), [(0.0, 0), (0.0, 1)]);
    }
}
