//! Display grains of a material.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Displays a solid as many small bodies, which move and rotate with the material and fly freely where the material scatters. The particles are not
/// drawn. Grains are display-only and do not affect the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Shape of a grain.
    pub shape: GrainShape,
    /// Extents along the grain's three axes, each above 0 [m]. The axes are initially those of the material. The third is the long axis of `rod`,
    /// `fiber` and `brick`, and the thin axis of `card`.
    pub size: Vec3,
    /// Number of grains per particle, from 1 to 1000 [-]. Default: 10.
    #[serde(default = "ten")]
    pub per_particle: u32,
    /// Largest initial angle between the third axes of a grain and of the material, from 0 to 180 [deg]. Directions are uniformly distributed up to this angle.
    /// Default: 5.
    #[serde(default = "slight")]
    pub spread_degrees: f64,
    /// Fraction of the rest density below which grains fly freely instead of following the material, above 0 and below 0.5 [-]. Default: 0.005.
    #[serde(default = "half_a_percent")]
    pub escape_density: f64,
}

/// Shape of a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GrainShape {
    /// A rod with rounded ends: twigs, rice, pasta.
    Rod,
    /// A flat box: cards, flakes, leaves.
    Card,
    /// A box: bricks, splinters, crystals.
    Brick,
    /// A thin round fiber with a fiber's sheen: hay, hair, threads.
    Fiber,
}

impl GrainShape {
    /// Returns whether the grain is rotationally symmetric about its third axis.
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
