//! Number of samples for a given spacing.

use glam::{DVec3, IVec3};
use std::collections::HashMap;

/// Counts greedily, in order, the points that are at least `apart` [m] from all points counted before. The count is the
/// number of samples at about this spacing along a line, in a plane or in space, depending on what the points fill.
pub fn count_apart(points: &[DVec3], apart: f64) -> usize {
    let cell = |point: DVec3| (point / apart).floor().as_ivec3();
    let mut taken: HashMap<IVec3, Vec<DVec3>> = HashMap::new();
    let mut count = 0;
    // Rounding must not skip every other point of a lattice whose spacing is exactly `apart`.
    let least = apart * (1.0 - 1e-6);
    for &point in points {
        let here = cell(point);
        let near = |offset: IVec3| taken.get(&(here + offset)).into_iter().flatten();
        let offsets = (0..27).map(|i| IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        if offsets.flat_map(near).all(|other| other.distance(point) >= least) {
            taken.entry(here).or_default().push(point);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::cuboid;
    use fibra_core::geometry::RigidPose;

    #[test]
    fn counts_scale_with_the_dimension() {
        for (cells, count) in [([50, 1, 1], 10), ([50, 50, 1], 100), ([50, 50, 50], 1000)] {
            let cloud = cuboid(DVec3::from_array(cells.map(f64::from)), cells, &RigidPose::IDENTITY).unwrap();
            let found = count_apart(&cloud.points, 5.0);
            assert!((0.8..1.25).contains(&(found as f64 / f64::from(count))), "{found} for {count}");
            assert_eq!(count_apart(&cloud.points, 1.0), cloud.points.len());
        }
    }
}
