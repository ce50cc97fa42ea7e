//! Settings of the method `hair`, and how its objects are held.

use super::collider::Motion;
use super::rods::NaturalShape;
use super::scene::{Vec3, common_friction};
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the method `hair`: every strand is an elastic rod, and a grid between them keeps them apart [Huang2023]. The defaults are
/// those of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hair {
    /// Longest step of the grid, above 0 [s]. Steps are equal parts of a frame. Default: 1/360.
    pub step: f64,
    /// Steps of the grid for each step of the strands, from 1 to 100 [-]. Default: 3.
    pub substeps: u32,
    /// Rate at which motion dies in still air, 0 or above [1/s]. Default: 0.5.
    pub drag: f64,
    /// How much of the way roots go to where the head wants them in a step of the strands, above 0 and at most 1 [-]. Default: 1.
    pub follow: f64,
    /// How much longer or shorter segments may be than at rest, above 0 and below 1; what is more is taken back after each step [-]. Default: 0.001.
    pub slack: f64,
    /// Seed of the random numbers that shapes are made with, below 2^63 [-]. Default: 0.
    pub seed: u64,
    /// What strands are made of.
    pub strand: HairStrand,
    /// How strands feel each other.
    pub grid: HairGrid,
    /// How strands that are only drawn follow those that are simulated.
    pub blend: HairBlend,
    /// The head that hair grows on.
    pub head: HairHead,
}

impl Default for Hair {
    fn default() -> Self {
        Hair {
            step: 1.0 / 360.0,
            substeps: 3,
            drag: 0.5,
            follow: 1.0,
            slack: 1e-3,
            seed: 0,
            strand: HairStrand::default(),
            grid: HairGrid::default(),
            blend: HairBlend::default(),
            head: HairHead::default(),
        }
    }
}

/// What strands are made of: a round section, the same for all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairStrand {
    /// Radius of the section, above 0 [m]. Default: 5e-5.
    pub radius: f64,
    /// Mass per volume, above 0 [kg/m^3]. Default: 1300.
    pub density: f64,
    /// Young's modulus of stretching, above 0; real hair has far more, which looks the same [Pa]. Default: 1.6e7.
    pub stretching_modulus: f64,
    /// Young's modulus of bending, above 0 [Pa]. Default: 1.5e10.
    pub bending_modulus: f64,
    /// Shear modulus, of twisting, above 0 [Pa]. Default: 7.7e9.
    pub shear_modulus: f64,
}

impl Default for HairStrand {
    fn default() -> Self {
        HairStrand {
            radius: 5e-5,
            density: 1300.0,
            stretching_modulus: 1.6e7,
            bending_modulus: 1.5e10,
            shear_modulus: 7.7e9,
        }
    }
}

/// How strands feel each other: their vertices are particles of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairGrid {
    /// Width of a grid cell, above 0 [m]. Default: 0.01.
    pub cell: f64,
    /// Young's modulus: how much hair resists being pressed together, above 0 [Pa]. Default: 1200.
    pub youngs_modulus: f64,
    /// Poisson's ratio, 0 or above and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// What is between strands. Default: `sand`.
    pub between: HairBetween,
    /// Angle of friction between strands, 0 or above and below 90 (between `sand`) [deg]. Default: 20.
    pub friction_angle: f64,
    /// How much of its own velocity a vertex keeps beside the grid's, from 0 to 1 [-]. Default: 0.3.
    pub flip_ratio: f64,
    /// How much of what it keeps moves it, too: where hair is pressed together, and where it separates, each from 0 to 1 [-].
    /// Default: `[0.05, 0.2]`.
    pub trap_breaking: [f64; 2],
}

impl Default for HairGrid {
    fn default() -> Self {
        HairGrid {
            cell: 0.01,
            youngs_modulus: 1200.0,
            poisson_ratio: 0.3,
            between: HairBetween::Sand,
            friction_angle: 20.0,
            flip_ratio: 0.3,
            trap_breaking: [0.05, 0.2],
        }
    }
}

/// What is between strands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HairBetween {
    /// They rub as sand does.
    #[default]
    Sand,
    /// They slide past each other.
    Fluid,
}

/// How strands that are only drawn follow those that are simulated: 1 is the nearest one alone, which keeps locks together, 0 the three
/// nearest, which fills the room between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairBlend {
    /// At the root, from 0 to 1 [-]. Default: 0.
    pub root: f64,
    /// At the tip, from 0 to 1 [-]. Default: 0.6.
    pub tip: f64,
}

impl Default for HairBlend {
    fn default() -> Self {
        HairBlend { root: 0.0, tip: 0.6 }
    }
}

/// The head that hair grows on: an ellipsoid that faces +z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairHead {
    /// Its center [m]. Default: the world's origin.
    pub position: Vec3,
    /// Rotation about its center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    pub rotate_degrees: Vec3,
    /// Width, height and depth before rotation, each above 0 [m]. Default: `[0.156, 0.23, 0.196]`.
    pub size: Vec3,
    /// How it moves; rotations turn about its center. Default: `still`.
    #[serde(skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// Whether its skin keeps hair out, and is drawn. Default: whether an object has the shape `hairstyle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<bool>,
    /// Coulomb friction coefficient of its skin, 0 or above [-]. Default: 0.3.
    pub friction: f64,
    /// How far it may move in a step of the strands before all hair moves along, 0 or above [m]. Default: 0.02.
    pub max_displacement: f64,
    /// How far it may turn in a step of the strands before all hair turns along, 0 or above [rad]. Default: 0.2.
    pub max_rotation: f64,
    /// Color in pictures: red, green, blue, linear, 0 to 1 [-]. Default: that of skin.
    pub color: Vec3,
}

impl Default for HairHead {
    fn default() -> Self {
        HairHead {
            position: [0.0; 3],
            rotate_degrees: [0.0; 3],
            size: [0.156, 0.23, 0.196],
            motion: Motion::Still,
            skin: None,
            friction: common_friction(),
            max_displacement: 0.02,
            max_rotation: 0.2,
            color: [0.75, 0.50, 0.40],
        }
    }
}

/// Hair: strands that the head holds by their roots, or loose ones. What strands are made of is the same for all: `hair.strand`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairMaterial {
    /// Vertices of each strand, counted from its root, that move with the head; two hold its direction, too; 0 is loose hair [-].
    /// Default: 2.
    pub pinned: u32,
    /// Strands of which more is held. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bangs: Option<Bangs>,
    /// The shape strands return to when nothing acts on them. Default: `as-made`.
    pub natural: NaturalShape,
    /// Radius of strands in pictures, above 0; each stands for many hairs [m]. Default: 3e-4.
    pub drawn_radius: f64,
}

impl Default for HairMaterial {
    fn default() -> Self {
        HairMaterial { pinned: 2, bangs: None, natural: NaturalShape::AsMade, drawn_radius: 3e-4 }
    }
}

/// Strands of which more is held than of the others, as bangs are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bangs {
    /// Strands whose roots are inside it at the start; at least one must be.
    pub region: Shape,
    /// Vertices of each of them, counted from its root, that move with the head [-]. Default: 4.
    #[serde(default = "four")]
    pub pinned: u32,
}

fn four() -> u32 {
    4
}
