//! Clouds made from geometry: solids, sheets and wires. What they become in a simulation depends on their pieces alone.
//!
//! Volumes, centers and second moments of the pieces are those of the geometry, not of balls, so their sums are exact
//! wherever the pieces tile it: for cuboids, sheets and wires. Balls are large enough that neighbors overlap.

mod sheet;
mod solid;
mod wire;

pub use sheet::sheet;
pub use solid::{closed_mesh, cuboid, shape};
pub use wire::{curves, wires};

use fibra_core::geometry::sampling::SamplingError;
use glam::DVec3;
use thiserror::Error;

/// Radius of a ball over the distance of neighbors in a lattice [-]: half would touch, more overlaps.
const OVERLAP: f64 = 0.6;

/// Most pieces of a cloud; they are numbered with 32 bits, and beyond that memory ends anyway.
const MAX_PIECES: f64 = u32::MAX as f64;

/// Why geometry makes no cloud.
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
    /// A cuboid is cut in no cells.
    #[error("a cuboid is cut in {} x {} x {} cells; at least 1 along each side is needed", cells[0], cells[1], cells[2])]
    NoCells {
        /// Cells along each side.
        cells: [u32; 3],
    },
    /// Pieces are numbered with 32 bits.
    #[error("this makes about {estimate:.2e} pieces; at most {} are possible, use larger ones", u32::MAX)]
    TooMany {
        /// How many there would be.
        estimate: f64,
    },
    /// A wire has no length, or a point that is not finite.
    #[error("wire {wire} is no curve; give it at least two different points, all finite")]
    NoWire {
        /// The wire, counted from 0.
        wire: usize,
    },
    /// The way up of a section is no direction.
    #[error("the way up of a rectangular section is ({}, {}, {}); it must be finite and not zero", up.x, up.y, up.z)]
    BadUp {
        /// The way up that was given.
        up: DVec3,
    },
    /// A shape cannot be filled.
    #[error(transparent)]
    Shape(#[from] SamplingError),
}

/// The length, if it is one.
fn positive(what: &'static str, value: f64) -> Result<f64, FillError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(FillError::BadLength { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::generate::WireSection;
    use fibra_core::geometry::{RigidPose, Shape, TriangleMesh};

    #[test]
    fn every_cloud_is_sound_and_hangs_together() {
        let pose = RigidPose::IDENTITY;
        let point = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        // A gable: two rectangles of unlike size, triangles of unlike shape.
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
            assert!(connectivity.components().iter().all(|&component| component == 0), "cloud {k} falls apart");
        }
    }
}
