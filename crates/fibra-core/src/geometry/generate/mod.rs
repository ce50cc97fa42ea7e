//! Cloth, hair, knits and other thin things, made from a few numbers.
//!
//! Each has a struct of parameters and `build`, which gives a [`TriangleMesh`](super::TriangleMesh), a
//! [`CurveMesh`](super::CurveMesh) or a [`StrandSet`](super::StrandSet) at rest, about the origin, with +y up. What lies flat lies in the xz-plane. The same
//! parameters always give the same mesh; where chance has a part, `seed` chooses.

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
pub use knit::{KnitSwatch, KnitTube, Poncho, Sweater, Yarn};
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

use super::curve_builder::pieces;
use super::{ClothFlaw, CurveFlaw, MeshFlaw, StrandFlaw};
use thiserror::Error;

/// Most particles (vertices and elements together) that a mesh may make.
const MAX_PARTICLES: f64 = (1u64 << 31) as f64;

/// Why a mesh cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// A parameter is not possible.
    #[error("{name} is {value}; {allowed}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// The mesh would be too large.
    #[error(
        "this makes about {estimate:.2e} particles, but at most {MAX_PARTICLES:e} are possible; use a larger spacing or fewer elements"
    )]
    TooMany {
        /// How many vertices and elements there would be.
        estimate: f64,
    },
    /// What was made is no sound mesh of triangles.
    #[error("these parameters make a bad mesh: {0}")]
    Mesh(#[from] MeshFlaw),
    /// What was made is no cloth.
    #[error("these parameters make a bad mesh: {0}")]
    Cloth(#[from] ClothFlaw),
    /// What was made is no sound mesh of curves.
    #[error("these parameters make bad curves: {0}")]
    Curves(#[from] CurveFlaw),
    /// What was made is no sound set of strands.
    #[error("these parameters make bad strands: {0}")]
    Strands(#[from] StrandFlaw),
}

/// Refuses a parameter unless `holds`.
fn require(holds: bool, name: &'static str, value: f64, allowed: &'static str) -> Result<(), GenerateError> {
    if holds { Ok(()) } else { Err(GenerateError::Parameter { name, value, allowed }) }
}

/// Refuses named values that are no positive, finite numbers.
fn require_positive<const N: usize>(values: [(&'static str, f64); N]) -> Result<(), GenerateError> {
    let allowed = "it must be positive and finite";
    values.into_iter().try_for_each(|(name, value)| require(value > 0.0 && value.is_finite(), name, value, allowed))
}

/// Refuses named values that are negative or no finite numbers.
fn require_not_negative<const N: usize>(values: [(&'static str, f64); N]) -> Result<(), GenerateError> {
    let allowed = "it must be finite and not negative";
    values.into_iter().try_for_each(|(name, value)| require(value >= 0.0 && value.is_finite(), name, value, allowed))
}

/// Refuses meshes of too many particles, before any memory is taken for them.
fn require_few(particles: f64) -> Result<(), GenerateError> {
    // Not `>`, so that NaN from infinite sizes is refused too.
    if particles <= MAX_PARTICLES { Ok(()) } else { Err(GenerateError::TooMany { estimate: particles }) }
}
