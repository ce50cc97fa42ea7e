//! Point clouds from geometry: solids, sheets and wires. A simulation uses only the material points, not the kind of geometry.
//!
//! Volumes, centers and second moments of the material points are those of the geometry they represent, not of their
//! spheres. Their sums are exact wherever the material points tile the geometry: for cuboids, sheets and wires. Spheres
//! are so large that neighbors overlap.

mod sheet;
mod solid;
mod wire;

pub use sheet::sheet;
pub use solid::{closed_mesh, cuboid, shape};
pub use wire::{curves, wires};

use fibra_core::geometry::sampling::SamplingError;
use glam::DVec3;
use thiserror::Error;

/// Radius of a sphere, relative to the lattice spacing [-]: at 0.5 neighboring spheres touch, and above 0.5 they
/// overlap.
const OVERLAP: f64 = 0.6;

/// Maximum number of material points, which have 32-bit indices.
const MAX_POINTS: f64 = u32::MAX as f64;

/// Reason why geometry cannot be discretized.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FillError {
    /// A length is zero, negative or not finite.
    #[error("{what} is {value} m; it must be positive and finite")]
    BadLength {
        /// Which length.
        what: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// A cuboid has no cells along a side.
    #[error("a cuboid is divided into {} x {} x {} cells; use at least 1 along each side", cells[0], cells[1], cells[2])]
    NoCells {
        /// Cells along each side.
        cells: [u32; 3],
    },
    /// More material points than 32-bit indices allow.
    #[error(
        "the spacing gives about {estimate:.2e} material points, but at most {} are possible; use a larger spacing",
        u32::MAX
    )]
    TooMany {
        /// Estimated number of material points.
        estimate: f64,
    },
    /// A wire has no length, or a point that is not finite.
    #[error("wire {wire} has no length or is not finite; use at least two different finite points")]
    NoWire {
        /// The wire, counted from 0.
        wire: usize,
    },
    /// The up direction of a cross-section is zero or not finite.
    #[error("the up direction of a rectangular section is ({}, {}, {}); it must be finite and not zero", up.x, up.y, up.z)]
    BadUp {
        /// The given up direction.
        up: DVec3,
    },
    /// A shape cannot be filled.
    #[error(transparent)]
    Shape(#[from] SamplingError),
}

/// Returns the length if it is positive and finite.
fn positive(what: &'static str, value: f64) -> Result<f64, FillError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(FillError::BadLength { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::generate::WireSection;
    use fibra_core::geometry::{RigidPose, Shape, TriangleMesh};

    #[test]
    fn generated_clouds_are_valid_and_connected() {
        let pose = RigidPose::IDENTITY;
        let point = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        // A gable: two rectangles of different size, divided into triangles of different shape.
        let corners = vec![
            point(0.0, 0.0, 0.0),
            point(1.0, 0.0, 0.0),
            point(0.0, 0.3, 0.4),
            point(1.0, 0.3, 0.4),
            point(0.0, 2.0, 0.0),
            point(1.0, 2.0, 0.0),
        ];
        let gable = TriangleMesh::new(corners, vec![[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]]).unwrap();
        let turn = |k: i32| DVec3::new(f64::from(k).cos(), f64::from(k).sin(), 0.1 * f64::from(k));
        let zigzag = vec![(0..30).map(turn).collect(), vec![turn(0), DVec3::ZERO]];
        let flat = WireSection::Rectangle { width: 0.1, height: 0.01, up: DVec3::Z };
        let clouds = [
            cuboid(point(1.0, 0.5, 0.01), [4, 20, 1], &pose),
            cuboid(point(1.0, 0.5, 0.2), [9, 20, 3], &pose),
            shape(&Shape::sphere(1.0).unwrap(), 0.3, &pose),
            shape(&Shape::capsule(1.0, 0.1).unwrap(), 0.06, &pose),
            sheet(&gable, 0.01, 0.07),
            wires(&zigzag, &flat, 0.3),
            wires(&zigzag, &flat, 0.03),
        ];
        for (k, cloud) in clouds.into_iter().enumerate() {
            let connectivity = cloud.unwrap().check().unwrap();
            assert!(connectivity.components().iter().all(|&component| component == 0), "cloud {k} is not connected");
        }
    }
}
