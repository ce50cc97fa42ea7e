//! Hair on the head of method `hair`: generated styles and files.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers of strands and points of the styles [Huang2023, Table 1].
const SHORT: (u32, u32) = (2076, 27_114);
const LONG: (u32, u32) = (1053, 43_262);

/// A generated hairstyle on `hair.head`: hair lies on the head and hangs down (method `hair`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hairstyle {
    /// Style that sets all other defaults. Default: `short`.
    pub style: HairLength,
    /// Straight, wavy or curly hair. Default: `straight`.
    pub curl: Curl,
    /// Number of simulated strands, at least 1 [-]. Default: 2076 for short hair, 1053 for long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strands: Option<u32>,
    /// Total number of points of all strands, at least 3 per strand [-]. Default: 27114 for 2076 short strands, 43262 for 1053 long strands, scaled with
    /// the number of strands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u32>,
    /// Number of render strands, interpolated from the simulated ones [-]. Default: 0.
    pub interpolated: u32,
    /// Length of the shortest strand, above 0 [m]. Default: 0.03 for short hair, 0.15 for long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<f64>,
    /// Mean length, from `shortest` to `longest` [m]. Default: 0.1 for short hair, 0.325 for long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Length of the longest strand [m]. Default: 0.25 for short hair, 0.5 for long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<f64>,
    /// Approximate length over which a strand bends down from its root, above 0 [m]. Default: 0.02.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
    /// Height of the lowest hair layer above the head, 0 or above [m]. Default: 0.003.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Thickness of the hair layer on the head, 0 or above [m]. Default: 0.02.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// Position of the parting, which runs from front to back: its x coordinate relative to the center of the head [m]. Default: no parting for short
    /// hair, 0 for long hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parting: Option<f64>,
    /// Largest angle between a root and the crown, measured at the center of the head, above 0 and at most 114 [deg]. Default: 83.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_degrees: Option<f64>,
    /// Backward tilt of the crown from the top of the head, from 0 to 57 [deg]. Default: 28.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tilt_degrees: Option<f64>,
}

/// Length of a hairstyle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HairLength {
    /// From 3 to 25 cm.
    #[default]
    Short,
    /// From 15 to 50 cm, with a parting.
    Long,
}

/// Straight, wavy or curly hair, written as `curl = "straight"` or `curl.NAME = { ... }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Curl {
    /// No waves or curls.
    #[default]
    Straight,
    /// Plane waves, each strand in its own plane.
    Wavy(Wavy),
    /// Helices.
    Curly(Curly),
}

/// Plane waves along a strand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wavy {
    /// Amplitude about the guide line of the strand, above 0 and at most `wavelength` [m]. Default: 0.005.
    pub amplitude: f64,
    /// Wavelength, above 0 [m]. Default: 0.05.
    pub wavelength: f64,
}

impl Default for Wavy {
    fn default() -> Self {
        Wavy { amplitude: 0.005, wavelength: 0.05 }
    }
}

/// Helical curls along a strand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Curly {
    /// Radius of the helix, above 0 and at most `pitch` [m]. Default: 0.008.
    pub radius: f64,
    /// Length of a turn along the guide line of the strand, above 0 [m]. Default: 0.03.
    pub pitch: f64,
}

impl Default for Curly {
    fn default() -> Self {
        Curly { radius: 0.008, pitch: 0.03 }
    }
}

impl Hairstyle {
    /// Returns the number of simulated strands.
    pub fn strands(&self) -> u32 {
        self.strands.unwrap_or(self.usual().0)
    }

    /// Returns the total number of points of `strands` strands.
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

/// Strands from a file: scaled, then rotated, then translated, and attached to `hair.head` (method `hair`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairFile {
    /// A `.hair` or USD (`.usd`, `.usda`, `.usdc`) file, relative to the scene file's folder, with points ordered from root to tip. USD is converted to
    /// meters with y up, and read at its start time.
    pub file: String,
    /// The subtree of a USD file to read: the path of a prim (`/World/Hair`). Default: all visible curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Meters per length unit of the file, above 0 [m]. For USD, multiplied by the unit declared in the file. Default: 1.
    #[serde(default = "super::shape::meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Position of the file's origin relative to the head [m]. Default: the head's center.
    #[serde(default)]
    pub translate: Vec3,
    /// Number of simulated strands, selected evenly from the file and kept in its order, at least 1 [-]. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strands: Option<u32>,
    /// Number of render strands, selected evenly from the strands that are not simulated and interpolated from the simulated ones [-]. Default: 0.
    #[serde(default)]
    pub interpolated: u32,
    /// Approximate segment length into which strands are cut, above 0 [m]. Default: the segments of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
