//! Bounding volume hierarchy over triangles.

use super::Bounds;
use glam::DVec3;
use std::fmt;

/// Triangles per leaf: small enough to cull well, large enough to keep the tree shallow.
const LEAF_SIZE: usize = 4;

/// Corners of a triangle [m].
pub type Triangle = [DVec3; 3];

/// Triangles, stored in the leaf order of a binary tree of bounding boxes.
#[derive(Clone)]
pub struct Bvh {
    triangles: Vec<Triangle>,
    /// Nodes in depth-first order: the left child follows its parent.
    nodes: Vec<Node>,
}

#[derive(Clone)]
struct Node {
    bounds: Bounds,
    /// First triangle and one past the last.
    range: (u32, u32),
    /// Index of the right child; 0 for a leaf.
    right: u32,
}

impl Bvh {
    /// Builds a tree over `triangles`, which must not be empty.
    pub fn new(mut triangles: Vec<Triangle>) -> Self {
        let mut nodes = Vec::with_capacity(triangles.len());
        let count = triangles.len();
        split(&mut triangles, (0, count), &mut nodes);
        Self { triangles, nodes }
    }

    /// Returns the triangles, in tree order.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Returns the bounding box of all triangles.
    pub fn bounds(&self) -> Bounds {
        self.nodes[0].bounds
    }

    /// Calls `visit` for every triangle of a leaf if `enter` accepts the bounding boxes of the leaf and of all its ancestors.
    pub fn visit(&self, enter: &impl Fn(&Bounds) -> bool, visit: &mut impl FnMut(&Triangle)) {
        self.visit_from(0, enter, visit);
    }

    fn visit_from(&self, node: usize, enter: &impl Fn(&Bounds) -> bool, visit: &mut impl FnMut(&Triangle)) {
        let Node { bounds, right, .. } = &self.nodes[node];
        if !enter(bounds) {
            return;
        }
        if *right == 0 {
            self.leaf(node).iter().for_each(visit);
        } else {
            self.visit_from(node + 1, enter, visit);
            self.visit_from(*right as usize, enter, visit);
        }
    }

    /// Returns the smallest squared distance [m^2] from `point` to a triangle, or `bound` [m^2] if no squared distance is smaller.
    pub fn distance_squared(&self, point: DVec3, bound: f64) -> f64 {
        self.distance_from(0, point, bound)
    }

    fn distance_from(&self, node: usize, point: DVec3, mut best: f64) -> f64 {
        let right = self.nodes[node].right as usize;
        if right == 0 {
            return self.leaf(node).iter().fold(best, |best, t| best.min(triangle_distance_squared(point, t)));
        }
        // Search the closer child first: it is more likely to cull the other.
        let mut children =
            [node + 1, right].map(|child| (box_distance_squared(point, &self.nodes[child].bounds), child));
        if children[1].0 < children[0].0 {
            children.swap(0, 1);
        }
        for (distance, child) in children {
            if distance < best {
                best = self.distance_from(child, point, best);
            }
        }
        best
    }

    fn leaf(&self, node: usize) -> &[Triangle] {
        let (from, to) = self.nodes[node].range;
        &self.triangles[from as usize..to as usize]
    }
}

impl fmt::Debug for Bvh {
    /// Prints the number of triangles only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bvh of {} triangles", self.triangles.len())
    }
}

/// Adds the node over `triangles[range]` and its descendants, and sorts the triangles into tree order.
fn split(triangles: &mut [Triangle], range: (usize, usize), nodes: &mut Vec<Node>) {
    let part = &mut triangles[range.0..range.1];
    let bounds = Bounds::around(part.iter().flatten().copied());
    let node = nodes.len();
    nodes.push(Node { bounds, range: (range.0 as u32, range.1 as u32), right: 0 });
    if part.len() <= LEAF_SIZE {
        return;
    }
    // Splitting at the median of the centroids keeps the depth logarithmic for any mesh.
    let center = |t: &Triangle| t[0] + t[1] + t[2];
    let axis = Bounds::around(part.iter().map(center)).extent().max_position();
    let half = part.len() / 2;
    part.select_nth_unstable_by(half, |s, t| center(s)[axis].total_cmp(&center(t)[axis]));
    let middle = range.0 + half;
    split(triangles, (range.0, middle), nodes);
    nodes[node].right = nodes.len() as u32;
    split(triangles, (middle, range.1), nodes);
}

fn box_distance_squared(point: DVec3, bounds: &Bounds) -> f64 {
    point.distance_squared(point.clamp(bounds.min, bounds.max))
}

/// Returns the squared distance [m^2] from a point to a triangle.
fn triangle_distance_squared(point: DVec3, [a, b, c]: &Triangle) -> f64 {
    let normal = (b - a).cross(c - a);
    // If the projection of the point lies outside the triangle, the closest point is on an edge. Only edges with the projection on their
    // outer side are candidates.
    let mut beyond_an_edge = false;
    let mut best = f64::INFINITY;
    for (from, to) in [(a, b), (b, c), (c, a)] {
        let (along, offset) = (to - from, point - from);
        if along.cross(normal).dot(offset) > 0.0 {
            beyond_an_edge = true;
            let t = (along.dot(offset) / along.length_squared()).clamp(0.0, 1.0);
            best = best.min((offset - t * along).length_squared());
        }
    }
    if beyond_an_edge { best } else { normal.dot(point - a).powi(2) / normal.length_squared() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::icosphere;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    fn point(range: f64) -> impl Strategy<Value = DVec3> {
        (-range..range, -range..range, -range..range).prop_map(DVec3::from)
    }

    #[test]
    fn distances_to_face_edge_and_corner() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let distance = |x, y, z| triangle_distance_squared(DVec3::new(x, y, z), &triangle).sqrt();
        assert_relative_eq!(distance(0.2, 0.2, -3.0), 3.0);
        assert_relative_eq!(distance(0.5, -2.0, 0.0), 2.0);
        assert_relative_eq!(distance(1.0, 1.0, 0.0), 0.5f64.sqrt());
        assert_relative_eq!(distance(-3.0, -4.0, 0.0), 5.0);
        assert_relative_eq!(distance(2.0, -1.0, 1.0), 3f64.sqrt());
    }

    proptest! {
        #[test]
        fn triangle_distance_is_the_minimum_over_its_points(a in point(1.0), b in point(1.0), c in point(1.0), p in point(2.0)) {
            prop_assume!((b - a).cross(c - a).length() > 1e-3);
            let exact = triangle_distance_squared(p, &[a, b, c]).sqrt();
            let n = 60;
            let sampled = (0..=n)
                .flat_map(|i| (0..=n - i).map(move |j| (f64::from(i) / 60.0, f64::from(j) / 60.0)))
                .map(|(u, v)| p.distance(a + u * (b - a) + v * (c - a)))
                .fold(f64::INFINITY, f64::min);
            prop_assert!(exact <= sampled + 1e-9);
            // Some sample is within one step of the nearest point.
            prop_assert!(sampled <= exact + ((b - a).length() + (c - a).length()) / 60.0);
        }

        #[test]
        fn tree_distance_equals_brute_force(p in point(2.0)) {
            let mesh = icosphere(2, 1.0);
            let triangles: Vec<Triangle> = (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect();
            let brute = triangles.iter().map(|t| triangle_distance_squared(p, t)).fold(f64::INFINITY, f64::min);
            let tree = Bvh::new(triangles);
            prop_assert_eq!(tree.distance_squared(p, f64::INFINITY), brute);
            prop_assert_eq!(tree.distance_squared(p, 0.5 * brute), 0.5 * brute);
        }
    }
}
