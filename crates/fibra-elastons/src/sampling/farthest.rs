//! Farthest-point sampling: each new center is the point farthest from all previous centers.

use super::Body;
use fibra_core::geometry::PointTree;
use glam::DVec3;

/// Adds centers to the given centers up to the count of the body. Without given centers, the first point is the first
/// center.
pub(super) fn extend(body: &Body, mut centers: Vec<DVec3>) -> Vec<DVec3> {
    if centers.is_empty() {
        centers.push(body.points[0]);
    }
    if centers.len() >= body.count {
        return centers;
    }
    let mut field = DistanceField::new(body);
    for &center in &centers {
        field.add(0, center);
    }
    while centers.len() < body.count {
        let center = body.points[field.farthest()];
        field.add(0, center);
        centers.push(center);
    }
    centers
}

/// Distance of each point to the nearest center, divided by the grading of the point, with the maximum of each tree
/// node. Adding a center visits only nodes with a point that is closer to the new center than to all others.
struct DistanceField<'a> {
    body: &'a Body,
    tree: PointTree,
    /// Largest grading of each node [-].
    gradings: Vec<f64>,
    /// Distance divided by grading, for each point [m].
    distances: Vec<f64>,
    /// Largest distance in each node, and the point with this distance.
    farthest: Vec<(f64, u32)>,
}

impl<'a> DistanceField<'a> {
    fn new(body: &'a Body) -> Self {
        let tree = PointTree::new(&body.points);
        let gradings = tree.largest(&body.gradings);
        let farthest = vec![(f64::INFINITY, 0); tree.nodes().len()];
        Self { body, tree, gradings, distances: vec![f64::INFINITY; body.points.len()], farthest }
    }

    /// The point farthest from all centers. On ties, the point with the lowest index.
    fn farthest(&self) -> usize {
        self.farthest[0].1 as usize
    }

    fn add(&mut self, at: usize, center: DVec3) {
        let node = self.tree.nodes()[at];
        let reach = self.farthest[at].0 * self.gradings[at];
        if node.distance_squared(center) >= reach * reach {
            return;
        }
        let farther = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
        let Some(second) = node.second_child() else {
            let mut best = (-1.0, u32::MAX);
            for (i, point) in self.tree.content(&node) {
                let distance = &mut self.distances[i as usize];
                *distance = distance.min(point.distance(center) / self.body.gradings[i as usize]);
                best = farther(best, (*distance, i));
            }
            self.farthest[at] = best;
            return;
        };
        self.add(at + 1, center);
        self.add(second, center);
        self.farthest[at] = farther(self.farthest[at + 1], self.farthest[second]);
    }
}
