//! Grains by which a material is drawn.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Draws the material of a solid as many small bodies that move and turn with it, and fly off where it scatters; its own particles are
/// not drawn then. They show the material and do not act on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// What each is.
    pub shape: GrainShape,
    /// Extent along the grain's own three axes, which start along those of the material [m]. The third is the long one of `rod`, `fiber` and `brick`, and the
    /// thin one of `card`.
    pub size: Vec3,
    /// Grains for each particle, from 1 to 1000 [-]. Default: 10.
    #[serde(default = "ten")]
    pub per_particle: u32,
    /// Largest angle at the start between the third axis of a grain and of the material, from 0 to 180; every direction up to it is as likely [deg]. Default: 5.
    #[serde(default = "slight")]
    pub spread_degrees: f64,
    /// Share of the rest density below which grains are no longer carried by the material but fly, above 0 and below 0.5 [-]. Default: 0.005.
    #[serde(default = "half_a_percent")]
    pub escape_density: f64,
}

/// What a grain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GrainShape {
    /// Round, with round ends: twigs, rice, pasta.
    Rod,
    /// A flat box: cards, flakes, leaves.
    Card,
    /// A box: bricks, splinters, crystals.
    Brick,
    /// Round and thin, with the sheen of fibers: hay, hair, threads.
    Fiber,
}

impl GrainShape {
    /// Whether it looks the same turned about its third axis.
    pub fn is_round(self) -> bool {
        matches!(self, GrainShape::Rod | GrainShape::Fiber)
    }
}

fn ten() -> u32 {
    10
}

fn slight() -> f64 {
    5.0
}

fn half_a_percent() -> f64 {
    0.005
}
