//! The few points nearest to a place.

use glam::DVec3;
use std::cmp::Ordering;

/// Points in a k-d tree: each half of the order holds the points on one side of the one in its middle.
#[derive(Clone, Debug)]
pub(super) struct NearestPoints {
    points: Vec<DVec3>,
    order: Vec<u32>,
}

impl NearestPoints {
    pub(super) fn new(points: Vec<DVec3>) -> NearestPoints {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        split(&points, &mut order, 0);
        NearestPoints { points, order }
    }

    /// The nearest points, each with its distance [m], the nearest first. In place of points that do not exist, the first infinitely
    /// far away.
    pub(super) fn nearest<const N: usize>(&self, place: DVec3) -> [(f64, u32); N] {
        let mut best = [(f64::INFINITY, 0); N];
        self.visit(&self.order, 0, place, &mut best);
        best.map(|(square, point)| (square.sqrt(), point))
    }

    /// Looks on the side of the middle where the place is, then on the other if that can be near enough.
    fn visit<const N: usize>(&self, order: &[u32], depth: usize, place: DVec3, best: &mut [(f64, u32); N]) {
        let middle = order.len() / 2;
        let Some(&point) = order.get(middle) else { return };
        let at = self.points[point as usize];
        let square = at.distance_squared(place);
        if square < best[N - 1].0 {
            let rank = best.partition_point(|&(other, _)| other <= square);
            best[rank..].rotate_right(1);
            best[rank] = (square, point);
        }
        let beyond = place[depth % 3] - at[depth % 3];
        let (below, above) = (&order[..middle], &order[middle + 1..]);
        let (near, far) = if beyond < 0.0 { (below, above) } else { (above, below) };
        self.visit(near, depth + 1, place, best);
        if beyond * beyond < best[N - 1].0 {
            self.visit(far, depth + 1, place, best);
        }
    }
}

fn split(points: &[DVec3], order: &mut [u32], depth: usize) {
    if order.len() < 2 {
        return;
    }
    let middle = order.len() / 2;
    let along = |a: &u32, b: &u32| -> Ordering {
        let [x, y] = [a, b].map(|point| points[*point as usize][depth % 3]);
        x.total_cmp(&y).then(a.cmp(b))
    };
    order.select_nth_unstable_by(middle, along);
    let (below, above) = order.split_at_mut(middle);
    split(points, below, depth + 1);
    split(points, &mut above[1..], depth + 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CounterRng;

    #[test]
    fn the_nearest_are_those_found_by_looking_at_all() {
        let rng = CounterRng::new(5);
        let points: Vec<DVec3> = (0..500).map(|i| rng.uniform_in_cube([i, 0, 0])).collect();
        let tree = NearestPoints::new(points.clone());
        for i in 0..100 {
            let place = 1.4 * rng.uniform_in_cube([i, 1, 0]) - DVec3::splat(0.2);
            let mut all: Vec<(f64, u32)> = (0..500).map(|p| (points[p as usize].distance(place), p)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(tree.nearest::<9>(place)[..], all[..9]);
        }
    }

    #[test]
    fn few_points_and_points_on_top_of_each_other() {
        let tree = NearestPoints::new(vec![DVec3::X, 2.0 * DVec3::X]);
        let far = (f64::INFINITY, 0);
        assert_eq!(tree.nearest::<4>(DVec3::ZERO), [(1.0, 0), (2.0, 1), far, far]);
        let heap = NearestPoints::new(vec![DVec3::X; 10_000]);
        assert!(heap.nearest::<9>(DVec3::X).iter().all(|(distance, _)| *distance == 0.0));
    }
}
