//! Particle sampling of shapes.

use super::{RigidPose, Shape};
use crate::random::CounterRng;
use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

/// Maximum number of cells, including empty ones. Beyond this, even skipping them takes hours.
const MAX_CELLS: f64 = (1u64 << 38) as f64;

/// Position of a particle in its cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pattern {
    /// At the center.
    #[default]
    Lattice,
    /// At a random position: uniform on large scales, without the rows of a lattice.
    Jittered,
}

/// The particles that fill a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// World positions [m], in the lexicographic order of their cells.
    pub points: Vec<DVec3>,
    /// Exact volume of the shape [m^3].
    pub volume: f64,
}

/// Error from filling a shape with particles.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SamplingError {
    /// The shape is unbounded.
    #[error("a plane has no volume to fill; use a box")]
    Unbounded,
    /// The spacing is not a positive, finite length.
    #[error("the spacing of particles is {spacing} m; it must be positive and finite")]
    BadSpacing {
        /// The spacing [m].
        spacing: f64,
    },
    /// No particle fits.
    #[error("no particle fits into a shape of {} x {} x {} m at a spacing of {spacing} m; use a smaller spacing", extent.x, extent.y, extent.z)]
    Empty {
        /// Edge lengths of the shape's bounding box [m].
        extent: DVec3,
        /// The spacing [m].
        spacing: f64,
    },
    /// There are more particles or cells than the limits allow.
    #[error(
        "a spacing of {spacing} m gives about {estimate:.2e} particles or empty cells; use a larger spacing (at most {} particles are possible)",
        u32::MAX
    )]
    TooMany {
        /// Estimated number of particles or cells.
        estimate: f64,
        /// The spacing [m].
        spacing: f64,
    },
}

impl Samples {
    /// Returns the volume of one particle [m^3].
    pub fn particle_volume(&self) -> f64 {
        self.volume / self.points.len() as f64
    }
}

/// Estimates how many particles [`fill`] creates with this spacing [m]; exact for a box.
pub fn count_estimate(shape: &Shape, spacing: f64) -> Result<f64, SamplingError> {
    let cells = Cells::new(shape, spacing)?;
    match shape.fills_its_box() {
        true => Ok(cells.total()),
        false => Ok(shape.volume().ok_or(SamplingError::Unbounded)? / spacing.powi(3)),
    }
}

/// Fills a shape with one particle per cell of side `spacing` [m], if the particle is inside.
///
/// Cells are aligned with the shape's frame. For a box, the cell size is rounded so that the cells tile it exactly. `seed` selects the
/// jittered pattern; each particle depends only on the seed and its cell.
pub fn fill(
    shape: &Shape,
    spacing: f64,
    pose: &RigidPose,
    seed: u64,
    pattern: Pattern,
) -> Result<Samples, SamplingError> {
    let volume = shape.volume().ok_or(SamplingError::Unbounded)?;
    let estimate = count_estimate(shape, spacing)?;
    let cells = Cells::new(shape, spacing)?;
    if estimate > f64::from(u32::MAX) || cells.total() > MAX_CELLS {
        return Err(SamplingError::TooMany { estimate: estimate.max(cells.total()), spacing });
    }
    let tiled = shape.fills_its_box();
    let random = CounterRng::new(seed);
    let [nx, ny, nz] = cells.counts.to_array().map(|n| n as u64);
    let particle = |cell: [u64; 3]| {
        let inside_cell = match pattern {
            Pattern::Lattice => DVec3::splat(0.5),
            Pattern::Jittered => random.uniform_in_cube(cell),
        };
        let place = DVec3::from_array(cell.map(|i| i as f64)) + inside_cell;
        let local = place * cells.side - 0.5 * cells.counts * cells.side;
        (tiled || shape.contains(local)).then(|| pose.apply(shape.center() + local))
    };
    // Rows are the unit of parallel work: there are many, even with one cell along x. Collecting keeps their order.
    let points: Vec<DVec3> = (0..nx * ny)
        .into_par_iter()
        .flat_map_iter(|row| (0..nz).filter_map(move |k| particle([row / ny, row % ny, k])))
        .collect();
    match u32::try_from(points.len()) {
        Ok(0) => Err(SamplingError::Empty { extent: cells.extent, spacing }),
        Ok(_) => Ok(Samples { points, volume }),
        Err(_) => Err(SamplingError::TooMany { estimate: points.len() as f64, spacing }),
    }
}

/// The grid of cells that covers the bounding box of a shape. Grid and box have the same center.
struct Cells {
    /// Edge lengths of the box [m].
    extent: DVec3,
    /// Number of cells along each axis.
    counts: DVec3,
    /// Edge lengths of a cell [m].
    side: DVec3,
}

impl Cells {
    fn new(shape: &Shape, spacing: f64) -> Result<Self, SamplingError> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(SamplingError::BadSpacing { spacing });
        }
        let extent = 2.0 * shape.half_extents().ok_or(SamplingError::Unbounded)?;
        let (counts, side) = match shape.fills_its_box() {
            true => {
                let counts = (extent / spacing).round();
                (counts, extent / counts)
            }
            false => ((extent / spacing).ceil(), DVec3::splat(spacing)),
        };
        if counts.min_element() < 1.0 {
            return Err(SamplingError::Empty { extent, spacing });
        }
        Ok(Self { extent, counts, side })
    }

    fn total(&self) -> f64 {
        self.counts.element_product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::MeshDistance;
    use crate::geometry::test_meshes::icosphere;
    use approx::assert_relative_eq;
    use glam::{DQuat, Vec3};
    use std::sync::Arc;

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::sphere(0.5).unwrap(),
            Shape::cuboid(Vec3::new(0.5, 0.25, 0.75)).unwrap(),
            Shape::cylinder(0.5, 0.25).unwrap(),
            Shape::capsule(0.5, 0.25).unwrap(),
            Shape::Mesh(Arc::new(MeshDistance::new(&icosphere(3, 0.5), 0.05).unwrap())),
        ]
    }

    #[test]
    fn box_is_tiled_exactly() {
        let shape = Shape::cuboid(Vec3::new(0.5, 0.25, 0.75)).unwrap();
        // 1 / 0.3, 0.5 / 0.3 and 1.5 / 0.3 round to 3, 2 and 5.
        let samples = fill(&shape, 0.3, &RigidPose::at(DVec3::splat(10.0)), 0, Pattern::Lattice).unwrap();
        assert_eq!(samples.points.len(), 30);
        assert_eq!(count_estimate(&shape, 0.3).unwrap(), 30.0);
        assert_relative_eq!(samples.particle_volume(), 0.75 / 30.0, max_relative = 1e-12);
        let first = DVec3::new(-0.5 + 0.5 / 3.0, -0.125, -0.6) + 10.0;
        assert_relative_eq!(samples.points[0], first, epsilon = 1e-12);
        assert_relative_eq!(samples.points[1], first + 0.3 * DVec3::Z, epsilon = 1e-12);
        assert_relative_eq!(samples.points[29], DVec3::splat(20.0) - first, epsilon = 1e-12);
    }

    #[test]
    fn particle_count_matches_volume_and_all_are_inside() {
        let pose = RigidPose {
            translation: DVec3::new(1e4, -1e4, 3.0),
            rotation: DQuat::from_axis_angle(DVec3::ONE.normalize(), 1.0),
        };
        for shape in shapes() {
            for pattern in [Pattern::Lattice, Pattern::Jittered] {
                let samples = fill(&shape, 0.025, &pose, 1, pattern).unwrap();
                let expected = count_estimate(&shape, 0.025).unwrap();
                assert_relative_eq!(samples.points.len() as f64, expected, max_relative = 0.02);
                // The center of mass reveals bias; the distance reveals outliers.
                let mean = samples.points.iter().map(|p| *p - pose.translation).sum::<DVec3>() / expected;
                assert!(mean.length() < 3e-3, "{shape:?} {mean}");
                for p in &samples.points {
                    let local = pose.rotation.inverse() * (*p - pose.translation);
                    assert!(shape.signed_distance(local.as_vec3()) < 5e-3, "{shape:?} {local}");
                }
            }
        }
    }

    #[test]
    fn same_points_on_any_number_of_threads() {
        let shape = Shape::sphere(1.0).unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fill(&shape, 0.1, &RigidPose::IDENTITY, 5, Pattern::Jittered).unwrap())
        };
        assert_eq!(run(1), run(4));
        let other = fill(&shape, 0.1, &RigidPose::IDENTITY, 6, Pattern::Jittered).unwrap();
        assert_ne!(run(1), other);
    }

    #[test]
    fn invalid_requests_are_errors() {
        let run = |shape: &Shape, spacing| fill(shape, spacing, &RigidPose::IDENTITY, 0, Pattern::Lattice).unwrap_err();
        let cuboid = Shape::cuboid(Vec3::ONE).unwrap();
        let sphere = Shape::sphere(1.0).unwrap();
        assert_eq!(run(&Shape::plane(Vec3::ZERO, Vec3::Y).unwrap(), 0.1), SamplingError::Unbounded);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(run(&cuboid, bad), SamplingError::BadSpacing { .. }));
        }
        assert!(matches!(run(&cuboid, 5.0), SamplingError::Empty { .. }));
        for shape in [&cuboid, &sphere] {
            for spacing in [5e-4, 1e-300] {
                let error = run(shape, spacing);
                assert!(matches!(error, SamplingError::TooMany { .. }), "{error}");
            }
        }
    }

    #[test]
    fn shape_smaller_than_a_cell_gets_one_particle_at_its_center() {
        // The only cell has the center of the ball at its own center. A jittered particle may lie outside the ball, which is an error.
        let sphere = Shape::sphere(0.1).unwrap();
        let samples = fill(&sphere, 1.0, &RigidPose::IDENTITY, 0, Pattern::Lattice).unwrap();
        assert_eq!(samples.points, [DVec3::ZERO]);
        let missed = fill(&sphere, 1.0, &RigidPose::IDENTITY, 0, Pattern::Jittered).unwrap_err();
        assert!(missed.to_string().contains("smaller spacing"), "{missed}");
    }
}
