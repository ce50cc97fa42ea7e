//! Farthest-point sampling: each new center is the point farthest from all previous centers.

use super::PointTree;
use glam::DVec3;

/// Distance of each point to the nearest center, divided by the grading of the point, with the maximum of each tree node. Adding a center visits only
/// nodes with a point that is closer to the new center than to all others, so that many centers take far less time than comparing each with all points.
pub struct FarthestPoints<'a> {
    tree: PointTree,
    /// Relative spacing of each point [-].
    gradings: &'a [f64],
    /// Largest grading of each node [-].
    largest_gradings: Vec<f64>,
    /// Distance divided by grading, for each point [m].
    distances: Vec<f64>,
    /// Largest distance in each node, and the point with this distance.
    farthest: Vec<(f64, u32)>,
}

impl<'a> FarthestPoints<'a> {
    /// Prepares sampling without centers. There must be at least one point [m], and one positive grading [-] per point: where it is twice as large,
    /// centers are twice as far apart.
    pub fn new(points: &[DVec3], gradings: &'a [f64]) -> Self {
        let tree = PointTree::new(points);
        let largest_gradings = tree.largest(gradings);
        let farthest = vec![(f64::INFINITY, 0); tree.nodes().len()];
        Self { tree, gradings, largest_gradings, distances: vec![f64::INFINITY; points.len()], farthest }
    }

    /// Returns the point farthest from all centers, and its distance divided by its grading [m]. On ties, the point with the lowest index.
    pub fn farthest(&self) -> (usize, f64) {
        let (distance, point) = self.farthest[0];
        (point as usize, distance)
    }

    /// Adds a center [m].
    pub fn add(&mut self, center: DVec3) {
        self.add_to(0, center);
    }

    /// Adds a center to a node. Returns the number of points whose distances were compared.
    fn add_to(&mut self, at: usize, center: DVec3) -> usize {
        let node = self.tree.nodes()[at];
        let reach = self.farthest[at].0 * self.largest_gradings[at];
        if node.distance_squared(center) >= reach * reach {
            return 0;
        }
        let farther = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
        let Some(second) = node.second_child() else {
            let mut best = (-1.0, u32::MAX);
            for (i, point) in self.tree.content(&node) {
                let distance = &mut self.distances[i as usize];
                *distance = distance.min(point.distance(center) / self.gradings[i as usize]);
                best = farther(best, (*distance, i));
            }
            self.farthest[at] = best;
            return self.tree.content(&node).len();
        };
        let compared = self.add_to(at + 1, center) + self.add_to(second, center);
        self.farthest[at] = farther(self.farthest[at + 1], self.farthest[second]);
        compared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CounterRng;

    #[test]
    fn the_farthest_points_equal_brute_force() {
        let rng = CounterRng::new(9);
        let points: Vec<DVec3> = (0..400).map(|i| rng.uniform_in_cube([i, 0, 0])).collect();
        let gradings: Vec<f64> = (0..400).map(|i| 1.0 + rng.uniform_in_cube([i, 1, 0]).x).collect();
        let mut field = FarthestPoints::new(&points, &gradings);
        let mut distances = vec![f64::INFINITY; points.len()];
        let mut center = field.farthest().0;
        for _ in 0..100 {
            field.add(points[center]);
            for (i, distance) in distances.iter_mut().enumerate() {
                *distance = distance.min(points[i].distance(points[center]) / gradings[i]);
            }
            let best = (1..400).fold(0, |best, i| if distances[i] > distances[best] { i } else { best });
            assert_eq!(field.farthest(), (best, distances[best]));
            center = best;
        }
    }

    /// The number of comparisons for half of the points as centers grows hardly faster than the number of points. Comparing each center with all points
    /// takes 64 times as many for 8 times as many points.
    #[test]
    fn comparisons_are_not_quadratic() {
        let rng = CounterRng::new(2);
        let comparisons = |count: u64| {
            let points: Vec<DVec3> = (0..count).map(|i| rng.uniform_in_cube([i, 0, 0]).with_z(0.0)).collect();
            let gradings = vec![1.0; points.len()];
            let mut field = FarthestPoints::new(&points, &gradings);
            (0..count / 2).map(|_| field.add_to(0, points[field.farthest().0])).sum::<usize>()
        };
        let (few, many) = (comparisons(2_000), comparisons(16_000));
        println!("{few} comparisons for 2,000 points, {many} for 16,000");
        assert!(many < 12 * few, "{few} {many}");
    }
}
