//! Hair that grows on the head of the method `hair`: styles made by rule, and files.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Strands and points of the styles [Huang2023, Table 1].
const SHORT: (u32, u32) = (2076, 27_114);
const LONG: (u32, u32) = (1053, 43_262);

/// A head of hair that lies down on the head and hangs. It grows on `hair.head` (method `hair`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hairstyle {
    /// Where all other defaults come from. Default: `short`.
    pub style: HairLength,
    /// Whether the hair is straight, wavy or curly. Default: `straight`.
    pub curl: Curl,
    /// Number of strands that are simulated, at least 1 [-]. Default: 2076, or 1053 of long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strands: Option<u32>,
    /// Number of points of all strands together, at least 3 for each [-]. Default: 27114 of 2076 short strands, 43262 of 1053 long ones,
    /// and in proportion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u32>,
    /// Number of strands that are only drawn, and follow those that are simulated [-]. Default: 0.
    pub interpolated: u32,
    /// Length of the shortest strand, above 0 [m]. Default: 0.03, or 0.15 of long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<f64>,
    /// Mean length, from the shortest to the longest [m]. Default: 0.1, or 0.325 of long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Length of the longest strand [m]. Default: 0.25, or 0.5 of long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<f64>,
    /// How far a strand goes before it bends down, about, above 0 [m]. Default: 0.02.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
    /// Height of the lowest hair over the head, 0 or above [m]. Default: 0.003.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Thickness of the hair on the head, 0 or above [m]. Default: 0.02.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// Where the hair is parted from front to back, along x from the middle of the head [m]. Default: no parting, but in the middle of long
    /// hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parting: Option<f64>,
    /// Largest angle between a root and the crown, seen from the center, above 0 and at most 114 [deg]. Default: 83.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_degrees: Option<f64>,
    /// How far the crown leans backwards from the top, from 0 to 57 [deg]. Default: 28.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tilt_degrees: Option<f64>,
}

/// How long hair is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HairLength {
    /// From 3 to 25 cm.
    #[default]
    Short,
    /// From 15 to 50 cm, with a parting.
    Long,
}

/// Whether hair is straight, wavy or curly, written as `curl = "straight"` or `curl.NAME = { ... }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Curl {
    /// As the hair falls.
    #[default]
    Straight,
    /// Waves, each in a plane of its own.
    Wavy(Wavy),
    /// Helices.
    Curly(Curly),
}

/// Waves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wavy {
    /// How far a wave leads away from the line the strand follows, above 0 and at most `wavelength` [m]. Default: 0.005.
    pub amplitude: f64,
    /// Length of a wave, above 0 [m]. Default: 0.05.
    pub wavelength: f64,
}

impl Default for Wavy {
    fn default() -> Self {
        Wavy { amplitude: 0.005, wavelength: 0.05 }
    }
}

/// Curls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Curly {
    /// Radius of the helix, above 0 and at most `pitch` [m]. Default: 0.008.
    pub radius: f64,
    /// Length of a turn along the line the strand follows, above 0 [m]. Default: 0.03.
    pub pitch: f64,
}

impl Default for Curly {
    fn default() -> Self {
        Curly { radius: 0.008, pitch: 0.03 }
    }
}

impl Hairstyle {
    /// Number of strands that are simulated.
    pub fn strands(&self) -> u32 {
        self.strands.unwrap_or(self.usual().0)
    }

    /// Number of points of so many strands.
    pub fn points_of(&self, strands: u32) -> f64 {
        let (usual_strands, usual_points) = self.usual();
        let per_strand = match self.points {
            Some(points) => f64::from(points) / f64::from(self.strands().max(1)),
            None => f64::from(usual_points) / f64::from(usual_strands),
        };
        (per_strand * f64::from(strands)).round()
    }

    fn usual(&self) -> (u32, u32) {
        match self.style {
            HairLength::Short => SHORT,
            HairLength::Long => LONG,
        }
    }
}

/// The strands of a file: scaled, then rotated, then translated, and fixed to `hair.head` (method `hair`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairFile {
    /// A `.hair` or USD (`.usd`, `.usda`, `.usdc`) file, relative to the scene file's folder; strands go from root to tip. USD is brought
    /// to meters with y up, and read at its start.
    pub file: String,
    /// The part of a USD file that is read, with all that is below it: the path of a prim (`/World/Hair`). Default: all visible
    /// curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Meters per unit of length in the file, above 0 [m]; USD files have their own unit, which is multiplied by it. Default: 1.
    #[serde(default = "super::shape::meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Where the file's origin goes, seen from the head [m]. Default: the head's center.
    #[serde(default)]
    pub translate: Vec3,
    /// Number of strands that are simulated, spread over those of the file, at least 1 [-]. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strands: Option<u32>,
    /// Number of strands that are only drawn, spread over those of the file, and follow those that are simulated [-]. Default: 0.
    #[serde(default)]
    pub interpolated: u32,
    /// About the length of a segment, above 0 [m]. Default: `hair.grid.cell`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
