//! A bounding volume hierarchy over points for nearest-neighbor and range queries.

use super::Bounds;
use glam::DVec3;

/// Maximum number of points in a leaf.
const LEAF: usize = 8;

/// A binary tree of bounding boxes over points.
#[derive(Clone, Debug)]
pub struct PointTree {
    /// The points [m], in leaf order.
    points: Vec<DVec3>,
    /// Input index of each point in leaf order.
    order: Vec<u32>,
    /// Position of each input point in leaf order.
    rank: Vec<u32>,
    /// Nodes, the root first. The first child of a node follows it.
    nodes: Vec<PointNode>,
}

/// The bounding box of the points `start..end` in leaf order.
#[derive(Clone, Copy, Debug)]
pub struct PointNode {
    min: DVec3,
    max: DVec3,
    start: u32,
    end: u32,
    /// Index of the second child; 0 for a leaf.
    second: u32,
}

impl PointNode {
    /// Returns the index of the second child; `None` for a leaf. The first child follows its parent.
    #[inline]
    pub fn second_child(&self) -> Option<usize> {
        (self.second != 0).then_some(self.second as usize)
    }

    /// Returns the squared distance from the box to a position [m^2], 0 inside.
    #[inline]
    pub fn distance_squared(&self, place: DVec3) -> f64 {
        (self.min - place).max(place - self.max).max(DVec3::ZERO).length_squared()
    }
}

/// The two nearest points by scaled distance, nearest first: scaled distance [-] and index. If there is only one point, the second distance
/// is infinite.
pub type NearestTwo = [(f64, u32); 2];

impl PointTree {
    /// Builds a tree over points [m], which must be finite.
    pub fn new(points: &[DVec3]) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let mut nodes = Vec::with_capacity(points.len().div_ceil(LEAF) * 4);
        if !points.is_empty() {
            split(points, &mut order, 0, &mut nodes);
        }
        let mut rank = vec![0; points.len()];
        for (at, &i) in order.iter().enumerate() {
            rank[i as usize] = at as u32;
        }
        Self { rank, points: order.iter().map(|&i| points[i as usize]).collect(), order, nodes }
    }

    /// Returns all nodes, the root first. The first child of a node follows it.
    pub fn nodes(&self) -> &[PointNode] {
        &self.nodes
    }

    /// Returns the indices and positions [m] of the points in a node.
    pub fn content(&self, node: &PointNode) -> impl ExactSizeIterator<Item = (u32, DVec3)> + '_ {
        let range = node.start as usize..node.end as usize;
        self.order[range.clone()].iter().copied().zip(self.points[range].iter().copied())
    }

    /// Returns, for each node, the largest of the nonnegative `values` of its points.
    pub fn largest(&self, values: &[f64]) -> Vec<f64> {
        let of = |node: &PointNode| self.content(node).map(|(i, _)| values[i as usize]).fold(0.0, f64::max);
        self.nodes.iter().map(of).collect()
    }

    /// Calls `each` for every point in the nodes that `enter` accepts, until `each` returns false. `enter` receives the index of a node and
    /// the node.
    pub fn visit(&self, enter: impl Fn(usize, &PointNode) -> bool, mut each: impl FnMut(u32, DVec3) -> bool) {
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

    /// Prepares queries with scaled distances. The distance from each point is divided by the positive scale of this point [m].
    pub fn scales(&self, of: &[f64]) -> Scales {
        let inverse_squares = self.order.iter().map(|&i| of[i as usize].powi(-2)).collect();
        let largest = of.iter().copied().fold(0.0, f64::max);
        Scales { inverse_squares, largest_square: largest * largest }
    }

    /// Finds the two points nearest to a position [m], with the distance from each point divided by its scale. Ties are resolved by the
    /// lower index. `guess` contains two different initial candidates; a good guess speeds up the search.
    pub fn nearest_two(&self, place: DVec3, scales: &Scales, guess: Option<[u32; 2]>) -> NearestTwo {
        let mut best = [(f64::INFINITY, u32::MAX); 2];
        if let Some(guess) = guess {
            best = guess.map(|i| (self.scaled_square(self.rank[i as usize] as usize, place, scales), i));
            if best[1] < best[0] {
                best.swap(0, 1);
            }
        }
        if !self.nodes.is_empty() {
            self.search(0, place, scales, &mut best);
        }
        best.map(|(square, i)| (square.sqrt(), i))
    }

    /// Finds the `N` points nearest to a position [m], each with its distance [m], nearest first. Ties are resolved by the lower index.
    /// Missing points are replaced by index 0 at infinite distance.
    pub fn nearest<const N: usize>(&self, place: DVec3) -> [(f64, u32); N] {
        let mut best = [(f64::INFINITY, u32::MAX); N];
        if !self.nodes.is_empty() {
            self.search_nearest(0, place, &mut best);
        }
        best.map(|(square, point)| if square < f64::INFINITY { (square.sqrt(), point) } else { (square, 0) })
    }

    fn search_nearest<const N: usize>(&self, at: usize, place: DVec3, best: &mut [(f64, u32); N]) {
        let node = &self.nodes[at];
        if node.second == 0 {
            for (point, position) in self.content(node) {
                let candidate = (position.distance_squared(place), point);
                if candidate < best[N - 1] {
                    let rank = best.partition_point(|&other| other < candidate);
                    best[rank..].rotate_right(1);
                    best[rank] = candidate;
                }
            }
            return;
        }
        let children = [at + 1, node.second as usize];
        let reach = children.map(|child| self.nodes[child].distance_squared(place));
        let near = usize::from(reach[1] < reach[0]);
        for k in [near, 1 - near] {
            if reach[k] <= best[N - 1].0 {
                self.search_nearest(children[k], place, best);
            }
        }
    }

    #[inline]
    fn scaled_square(&self, rank: usize, place: DVec3, scales: &Scales) -> f64 {
        self.points[rank].distance_squared(place) * scales.inverse_squares[rank]
    }

    /// Works with squared distances; square roots are taken only of the final result.
    fn search(&self, at: usize, place: DVec3, scales: &Scales, best: &mut NearestTwo) {
        let node = &self.nodes[at];
        if node.second == 0 {
            for rank in node.start as usize..node.end as usize {
                let candidate = (self.scaled_square(rank, place, scales), self.order[rank]);
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
            if reach[k] <= best[1].0 * scales.largest_square {
                self.search(children[k], place, scales, best);
            }
        }
    }
}

/// Scale of each point of a tree: the divisor of distances from this point.
#[derive(Clone, Debug)]
pub struct Scales {
    /// Inverse squared scales, in leaf order [1/m^2].
    inverse_squares: Vec<f64>,
    /// Square of the largest scale [m^2].
    largest_square: f64,
}

fn split(points: &[DVec3], order: &mut [u32], start: u32, nodes: &mut Vec<PointNode>) {
    let Bounds { min, max } = Bounds::around(order.iter().map(|&i| points[i as usize]));
    let at = nodes.len();
    nodes.push(PointNode { min, max, start, end: start + order.len() as u32, second: 0 });
    if order.len() <= LEAF {
        return;
    }
    let axis = (max - min).max_position();
    let middle = order.len() / 2;
    // Indices break ties, so that the tree is deterministic.
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
    use crate::random::CounterRng;

    #[test]
    fn nearest_two_equal_brute_force() {
        let rng = CounterRng::new(3);
        for flat in [1.0, 0.0] {
            let points: Vec<DVec3> =
                (0..300).map(|i| rng.uniform_in_cube([i, 0, 0]) * DVec3::new(1.0, 1.0, flat)).collect();
            let scales: Vec<f64> = (0..300).map(|i| 1.0 + rng.uniform_in_cube([i, 1, 0]).x).collect();
            let tree = PointTree::new(&points);
            let made = tree.scales(&scales);
            for i in 0..200 {
                let place = rng.uniform_in_cube([i, 2, 0]);
                let mut all: Vec<(f64, u32)> =
                    (0..300).map(|p| (points[p].distance(place) / scales[p], p as u32)).collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0));
                for guess in [None, Some([7, 9]), Some([all[1].1, all[0].1]), Some([all[0].1, all[5].1])] {
                    for (found, expected) in tree.nearest_two(place, &made, guess).iter().zip(&all) {
                        assert_eq!(found.1, expected.1);
                        assert!((found.0 - expected.0).abs() < 1e-14);
                    }
                }
            }
        }
    }

    #[test]
    fn nearest_two_of_single_zero_and_coincident_points() {
        let nearest = |points: &[DVec3], place: DVec3| {
            let tree = PointTree::new(points);
            tree.nearest_two(place, &tree.scales(&vec![1.0; points.len()]), None)
        };
        assert_eq!(nearest(&[DVec3::X], DVec3::ZERO)[0], (1.0, 0));
        assert_eq!(nearest(&[], DVec3::ZERO)[0].0, f64::INFINITY);
        assert_eq!(nearest(&[DVec3::X; 1000], DVec3::X), [(0.0, 0), (0.0, 1)]);
    }
    #[test]
    fn nearest_points_equal_brute_force() {
        let rng = CounterRng::new(5);
        let points: Vec<DVec3> = (0..500).map(|i| rng.uniform_in_cube([i, 0, 0])).collect();
        let tree = PointTree::new(&points);
        for i in 0..100 {
            let place = 1.4 * rng.uniform_in_cube([i, 1, 0]) - DVec3::splat(0.2);
            let mut all: Vec<(f64, u32)> = (0..500).map(|p| (points[p as usize].distance(place), p)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(tree.nearest::<9>(place)[..], all[..9]);
        }
    }

    #[test]
    fn nearest_of_few_and_coincident_points() {
        let tree = PointTree::new(&[DVec3::X, 2.0 * DVec3::X]);
        let far = (f64::INFINITY, 0);
        assert_eq!(tree.nearest::<4>(DVec3::ZERO), [(1.0, 0), (2.0, 1), far, far]);
        let heap = PointTree::new(&[DVec3::X; 10_000]);
        assert!(heap.nearest::<9>(DVec3::X).iter().all(|(distance, _)| *distance == 0.0));
    }
}
