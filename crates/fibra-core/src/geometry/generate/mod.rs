//! Procedural generators of cloth, hair, knits and other thin objects.
//!
//! Each generator is a struct of parameters with a method `build`, which returns a [`TriangleMesh`](super::TriangleMesh), a
//! [`CurveMesh`](super::CurveMesh) or a [`StrandSet`](super::StrandSet) in its rest shape, centered at the origin, with +y up. Flat objects
//! lie in the xz-plane. The same parameters always give the same mesh; `seed` determines random choices.

mod cloth_figure;
mod cuboid_skin;
mod curtain;
mod curve_skin;
mod even;
mod fiber_bundle;
mod hair_tube;
mod hairstyle;
mod head;
mod helix;
mod knit;
mod loop_rails;
mod overhand_knot;
mod polyline;
mod revolved;
mod rod_bundle;
mod scalp;
mod shag_carpet;
mod shawl;
mod sheet;
mod surface_nets;
mod wire_section;

pub use cloth_figure::{Ball, ClothFigure};
pub use cuboid_skin::CuboidSkin;
pub use curtain::Curtain;
pub use curve_skin::CurveSkin;
pub use fiber_bundle::FiberBundle;
pub use hair_tube::HairTube;
pub use hairstyle::{HairShape, Hairstyle, StrandPoints};
pub use head::Head;
pub use helix::Helix;
pub use knit::{Cable, Half, KnitSwatch, KnitTube, Lace, Motif, Pattern, Poncho, Rib, Sweater, Yarn};
pub use loop_rails::LoopRails;
pub use overhand_knot::OverhandKnot;
pub use polyline::Polyline;
pub use revolved::Revolved;
pub use rod_bundle::RodBundle;
pub use scalp::Scalp;
pub use shag_carpet::ShagCarpet;
pub use shawl::Shawl;
pub use sheet::Sheet;
pub use wire_section::WireSection;

use super::curve_builder::segment_count;
use super::{ClothFlaw, CurveFlaw, MeshFlaw, StrandFlaw};
use thiserror::Error;

/// Maximum number of particles (vertices and elements together) of a mesh.
const MAX_PARTICLES: f64 = (1u64 << 31) as f64;

/// Error from generating a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// A parameter is out of range.
    #[error("{name} is {value}; {allowed}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
        /// The allowed range.
        allowed: &'static str,
    },
    /// The mesh would be too large.
    #[error(
        "the mesh would have about {estimate:.2e} particles, but at most {MAX_PARTICLES:e} are possible; use a larger spacing or fewer elements"
    )]
    TooMany {
        /// Estimated number of vertices and elements.
        estimate: f64,
    },
    /// The result is not a valid triangle mesh.
    #[error("these parameters give an invalid mesh: {0}")]
    Mesh(#[from] MeshFlaw),
    /// The result cannot be cloth.
    #[error("these parameters give an invalid mesh: {0}")]
    Cloth(#[from] ClothFlaw),
    /// The result is not a valid curve mesh.
    #[error("these parameters give invalid curves: {0}")]
    Curves(#[from] CurveFlaw),
    /// The result is not a valid set of strands.
    #[error("these parameters give invalid strands: {0}")]
    Strands(#[from] StrandFlaw),
}

/// Returns an error for a parameter unless the condition `holds` is true.
fn require(holds: bool, name: &'static str, value: f64, allowed: &'static str) -> Result<(), GenerateError> {
    if holds { Ok(()) } else { Err(GenerateError::Parameter { name, value, allowed }) }
}

/// Returns an error unless all named values are positive and finite.
fn require_positive<const N: usize>(values: [(&'static str, f64); N]) -> Result<(), GenerateError> {
    let allowed = "it must be positive and finite";
    values.into_iter().try_for_each(|(name, value)| require(value > 0.0 && value.is_finite(), name, value, allowed))
}

/// Returns an error unless all named values are finite and not negative.
fn require_not_negative<const N: usize>(values: [(&'static str, f64); N]) -> Result<(), GenerateError> {
    let allowed = "it must be finite and not negative";
    values.into_iter().try_for_each(|(name, value)| require(value >= 0.0 && value.is_finite(), name, value, allowed))
}

/// Returns an error if a mesh would have too many particles, before any memory is allocated.
fn require_particle_limit(particles: f64) -> Result<(), GenerateError> {
    // Not `>`, so that NaN from infinite sizes is rejected too.
    if particles <= MAX_PARTICLES { Ok(()) } else { Err(GenerateError::TooMany { estimate: particles }) }
}
