//! Settings of method `hair`, and how its strands are pinned.

use super::collider::Motion;
use super::rods::NaturalShape;
use super::scene::{Vec3, common_friction};
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of method `hair`: each strand is an elastic rod, and strands interact through a grid [Huang2023]. Steps, moduli, density and grid settings
/// default to the values of the paper. The paper does not give the other values, such as strand radius, drag and friction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hair {
    /// Largest grid time step, above 0 [s]. Frames are divided into equal steps. Default: 1/360.
    pub step: f64,
    /// Grid steps per strand step, from 1 to 100 [-]. Default: 3.
    pub substeps: u32,
    /// Decay rate of velocity due to air drag, 0 or above [1/s]. Default: 0.5.
    pub drag: f64,
    /// In each strand step, pinned vertices make this fraction of the velocity change needed to follow the head, above 0 and at most 1 [-]. At 1 they
    /// follow the head exactly. Default: 1.
    pub follow: f64,
    /// Strain limit: allowed relative deviation of a segment from its rest length, above 0 and below 1 [-]. Larger deviations are corrected after each
    /// step. Default: 0.001.
    pub slack: f64,
    /// Seed of the random numbers used to generate shapes, below 2^63 [-]. Default: 0.
    pub seed: u64,
    /// Material and cross section of the strands.
    pub strand: HairStrand,
    /// Interaction between strands.
    pub grid: HairGrid,
    /// Interpolation of render strands from simulated strands.
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

/// Material and circular cross section of the strands, the same for all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairStrand {
    /// Radius of the cross section, above 0 [m]. Default: 5e-5.
    pub radius: f64,
    /// Density, above 0 [kg/m^3]. Default: 1300.
    pub density: f64,
    /// Young's modulus for stretching, above 0 [Pa]. Real hair is far stiffer, but the difference is not visible. Default: 1.6e7.
    pub stretching_modulus: f64,
    /// Young's modulus for bending, above 0 [Pa]. Default: 1.5e10.
    pub bending_modulus: f64,
    /// Shear modulus for twisting, above 0 [Pa]. Default: 7.7e9.
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

/// Interaction between strands: their vertices act as particles of a hybrid particle-grid method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairGrid {
    /// Width of a grid cell, above 0 [m]. Default: 0.01.
    pub cell: f64,
    /// Young's modulus of the hair volume against compression, above 0 [Pa]. Default: 1200.
    pub youngs_modulus: f64,
    /// Poisson's ratio, 0 or above and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Constitutive model of the interaction between strands. Default: `sand`.
    pub between: HairBetween,
    /// Friction angle between strands, 0 or above and below 90 (with `between = "sand"`) [deg]. Default: 20.
    pub friction_angle: f64,
    /// FLIP ratio: FLIP fraction of the FLIP/PIC blend of vertex velocities, from 0 to 1 [-]. Default: 0.3.
    pub flip_ratio: f64,
    /// Fractions of the FLIP velocity correction that also move the vertices: the first where hair is compressed, the second where it separates, each
    /// from 0 to 1 [-]. Default: `[0.05, 0.2]`.
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

/// Constitutive model of the interaction between strands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HairBetween {
    /// Granular: strands rub against each other.
    #[default]
    Sand,
    /// Fluid: strands slide past each other without friction.
    Fluid,
}

/// Interpolation of render strands from simulated strands. With weight 1, a render strand follows only the nearest simulated strand, which keeps locks
/// together. With weight 0, it follows a blend of the three nearest, which fills the gaps between locks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairBlend {
    /// Weight of the nearest strand at the root, from 0 to 1 [-]. Default: 0.
    pub root: f64,
    /// Weight of the nearest strand at the tip, from 0 to 1 [-]. Default: 0.6.
    pub tip: f64,
}

impl Default for HairBlend {
    fn default() -> Self {
        HairBlend { root: 0.0, tip: 0.6 }
    }
}

/// The head that hair grows on: an ellipsoid facing +z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairHead {
    /// Center [m]. Default: the world's origin.
    pub position: Vec3,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    pub rotate_degrees: Vec3,
    /// Width, height and depth before rotation, each above 0 [m]. Default: `[0.156, 0.23, 0.196]`.
    pub size: Vec3,
    /// Prescribed motion. Rotations are about the head's center. Default: `still`.
    #[serde(skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// Whether hair collides with the head and the head is drawn. Default: true if an object has the shape `hairstyle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<bool>,
    /// Coulomb friction coefficient of the skin, 0 or above [-]. Default: 0.3.
    pub friction: f64,
    /// Largest displacement per strand step, 0 or above [m]. Any excess moves the strands on the head rigidly with it. Default: 0.02.
    pub max_displacement: f64,
    /// Largest rotation per strand step, 0 or above [rad]. Any excess rotates the strands on the head rigidly with it. Default: 0.2.
    pub max_rotation: f64,
    /// Color in pictures: linear red, green, blue, 0 to 1 [-]. Default: a skin color.
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

/// Hair: strands attached to the head by their roots, or loose strands. All strands share the material `hair.strand`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HairMaterial {
    /// Number of pinned vertices per strand, counted from its root [-]. They move with the head. Two pinned vertices also fix the direction at the
    /// root; 0 makes the strands loose. Default: 2.
    pub pinned: u32,
    /// Strands with more pinned vertices. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bangs: Option<Bangs>,
    /// Rest shape of the strands. Default: `as-made`.
    pub natural: NaturalShape,
    /// Radius of strands in pictures, above 0 [m]. Each strand stands for many hairs. Default: 3e-4.
    pub drawn_radius: f64,
}

impl Default for HairMaterial {
    fn default() -> Self {
        HairMaterial { pinned: 2, bangs: None, natural: NaturalShape::AsMade, drawn_radius: 3e-4 }
    }
}

/// Strands with more pinned vertices than the others, such as bangs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bangs {
    /// Region that selects strands by their initial roots. It must contain at least one root.
    pub region: Shape,
    /// Number of pinned vertices of each of these strands, counted from its root [-]. Default: 4.
    #[serde(default = "four")]
    pub pinned: u32,
}

fn four() -> u32 {
    4
}
