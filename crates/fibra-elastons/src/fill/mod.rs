//! Clouds made from geometry: solids, sheets and wires. What they become in a simulation depends on their pieces alone.
//!
//! Volumes, centres and second moments of the pieces are those of the geometry, not of balls, so their sums are exact
//! wherever the pieces tile it: for cuboids, sheets and wires. Balls are large enough that neighbours overlap.

mod sheet;
mod solid;
mod wire;

pub use sheet::sheet;
pub use solid::{closed_mesh, cuboid, shape};
pub use wire::{Section, curves, wires};

use fibra_core::geometry::sampling::SamplingError;
use glam::{DMat3, DVec3};
use thiserror::Error;

/// Radius of a ball over the distance of neighbours in a lattice [-]: half would touch, more overlaps.
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

/// `v v^T`
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}
