//! A bundle of parallel rods, such as spaghetti, straight or bent together.

use super::{GenerateError, require, require_not_negative, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use crate::random::CounterRng;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Rods along the y-axis in hexagonal packing, centered at the origin; straight, or bent toward -x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodBundle {
    /// Number of rods; at least 1.
    pub rods: u32,
    /// Length of a rod [m].
    pub length: f64,
    /// Distance between the centerlines of neighbors [m].
    pub pitch: f64,
    /// Maximum random displacement of a rod along its axis, in either direction [m].
    pub shift: f64,
    /// Maximum random sideways displacement of a rod's ends, in opposite directions [m]. The distance between rods is at least the pitch
    /// minus twice this value.
    pub sway: f64,
    /// Radius of the arc of the bundle's centerline [m]; `None` for straight rods.
    pub bend_radius: Option<f64>,
    /// Longest segment [m].
    pub spacing: f64,
    /// Seed of the random displacements.
    pub seed: u64,
}

impl RodBundle {
    /// Builds the rods, each from equal segments, from the center of the bundle outward.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([("length", self.length), ("pitch", self.pitch), ("spacing", self.spacing)])?;
        require_not_negative([("shift", self.shift), ("sway", self.sway)])?;
        require(self.rods > 0, "rods", 0.0, "it must be at least 1")?;
        let fits = self.sway < 0.5 * self.pitch && self.sway < 0.5 * self.length;
        require(fits, "sway", self.sway, "it must be below half the pitch and half the length")?;
        let segments = segment_count(self.length, self.spacing);
        require_particle_limit(f64::from(self.rods) * (2.0 * segments + 1.0))?;
        let places = hexagonal(self.rods as usize);
        if let Some(radius) = self.bend_radius {
            require_positive([("bend_radius", radius)])?;
            // Largest distance of a rod from the bundle's axis, including its random displacement.
            let inside = places.iter().map(|place| place.length()).fold(0.0, f64::max) * self.pitch + self.sway;
            let least =
                "it must exceed the radius of the bundle by a sixth of the length, so that no rod intersects itself";
            require(radius - inside > (self.length + 2.0 * self.shift) / 6.0, "bend_radius", radius, least)?;
        }

        let random = CounterRng::new(self.seed);
        let mut bundle = CurveBuilder::default();
        for (rod, place) in places.into_iter().enumerate() {
            let uniform = |k: u64| random.uniform(&[rod as u64, k]);
            // Uniform over the disk.
            let sway = self.sway * uniform(0).sqrt() * DVec2::from_angle(TAU * uniform(1));
            let half = 0.5 * self.length;
            let axis = DVec3::new(sway.x, (half * half - sway.length_squared()).sqrt(), sway.y);
            let shift = self.shift * (2.0 * uniform(2) - 1.0);
            let middle = DVec3::new(self.pitch * place.x, shift, self.pitch * place.y);
            let straight = |i: u64| middle + (2.0 * i as f64 / segments - 1.0) * axis;
            bundle.chain((0..=segments as u64).map(|i| self.bent(straight(i), middle.x)));
        }
        Ok(bundle.finish()?)
    }

    /// Bends a point of a rod whose midpoint is at `x` [m]. Rods become arcs about one axis, with unchanged lengths and distances.
    fn bent(&self, point: DVec3, x: f64) -> DVec3 {
        let Some(radius) = self.bend_radius else { return point };
        let (sine, cosine) = (point.y / (radius + x)).sin_cos();
        let reach = radius + point.x;
        DVec3::new(reach * cosine - radius, reach * sine, point.z)
    }
}

/// Returns the `count` points of the triangular lattice of unit pitch that are closest to the origin, sorted by distance.
fn hexagonal(count: usize) -> Vec<DVec2> {
    // Ring k has 6 k points: use enough rings for all.
    let rings = (0..).find(|rings: &i64| 1 + 3 * rings * (rings + 1) >= count as i64).unwrap_or(0) + 1;
    let mut cells: Vec<[i64; 2]> = (-rings..=rings).flat_map(|i| (-rings..=rings).map(move |j| [i, j])).collect();
    // The squared distance of a lattice point is i^2 + i j + j^2.
    cells.sort_by_key(|&[i, j]| (i * i + i * j + j * j, i, j));
    let point = |&[i, j]: &[i64; 2]| DVec2::new(i as f64 + 0.5 * j as f64, 0.75f64.sqrt() * j as f64);
    cells.iter().take(count).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: RodBundle = RodBundle {
        rods: 31,
        length: 0.26,
        pitch: 0.003,
        shift: 0.004,
        sway: 4e-4,
        bend_radius: None,
        spacing: 0.26 / 15.0,
        seed: 1,
    };

    #[test]
    fn rods_are_straight_and_separated() {
        let mesh = BUNDLE.build().unwrap();
        assert_eq!((mesh.points().len(), mesh.segments().len()), (31 * 16, 31 * 15));
        assert!(mesh.lengths().all(|length| (length - 0.26 / 15.0).abs() < 1e-12));
        let rods: Vec<&[DVec3]> = mesh.points().chunks(16).collect();
        for (i, a) in rods.iter().enumerate() {
            for b in &rods[..i] {
                let near = |p: &DVec3| b.iter().map(|q| DVec2::new(p.x - q.x, p.z - q.z).length()).fold(1.0, f64::min);
                let nearest = a.iter().map(near).fold(1.0, f64::min);
                assert!(nearest > 0.003 - 2.0 * 4e-4 - 1e-12, "{nearest}");
            }
        }
        // The random displacements differ.
        assert!(rods.iter().any(|rod| (rod[0].y + 0.13).abs() > 1e-3) && rods.iter().any(|rod| rod[0].x != rod[15].x));
    }

    /// Bent rods are arcs of different radii; their lengths and distances equal those of straight rods.
    #[test]
    fn bent_rods_keep_lengths_and_distances() {
        let bundle =
            RodBundle { rods: 7, sway: 0.0, shift: 0.0, bend_radius: Some(0.1), spacing: 0.26 / 200.0, ..BUNDLE };
        let mesh = bundle.build().unwrap();
        let rods: Vec<&[DVec3]> = mesh.points().chunks(201).collect();
        for rod in &rods {
            let length: f64 = rod.windows(2).map(|p| p[0].distance(p[1])).sum();
            assert!((length / 0.26 - 1.0).abs() < 1e-4, "{length}");
            let radius = |p: &DVec3| DVec2::new(p.x + 0.1, p.y).length();
            assert!(rod.iter().all(|p| (radius(p) - radius(&rod[100])).abs() < 1e-12 && p.z == rod[0].z));
        }
        for (i, a) in rods.iter().enumerate() {
            for b in &rods[..i] {
                let nearest = a.iter().flat_map(|p| b.iter().map(|q| p.distance(*q))).fold(1.0, f64::min);
                assert!(nearest > 0.003 - 1e-6, "{nearest}");
            }
        }
    }

    #[test]
    fn lattice_is_dense_and_round() {
        let points = hexagonal(37);
        for (i, a) in points.iter().enumerate() {
            let nearest = points[..i].iter().map(|b| a.distance(*b)).fold(2.0, f64::min);
            assert!(i == 0 || (nearest - 1.0).abs() < 1e-12);
        }
        assert_eq!(points[0], DVec2::ZERO);
        assert!(points.iter().all(|p| p.length() <= 3.0 + 1e-12));
    }

    #[test]
    fn invalid_bundles_are_errors() {
        let cases = [
            RodBundle { rods: 0, ..BUNDLE },
            RodBundle { pitch: -1.0, ..BUNDLE },
            RodBundle { length: f64::NAN, ..BUNDLE },
            RodBundle { sway: 0.0015, ..BUNDLE },
            RodBundle { shift: -1.0, ..BUNDLE },
            RodBundle { bend_radius: Some(0.05), ..BUNDLE },
            RodBundle { bend_radius: Some(f64::INFINITY), ..BUNDLE },
        ];
        for bundle in cases {
            assert!(matches!(bundle.build().unwrap_err(), GenerateError::Parameter { .. }), "{bundle:?}");
        }
        let many = RodBundle { spacing: 1e-12, ..BUNDLE };
        assert!(matches!(many.build().unwrap_err(), GenerateError::TooMany { .. }));
    }
}
