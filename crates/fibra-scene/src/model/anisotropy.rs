//! How an object's material differs with direction [Schreck2020].

use super::alignment::Alignment;
use super::axes::Axes;
use super::material::Material;
use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a solid or grainy material differs with direction: stiff or weak along some of its axes 1, 2 and 3, which turn with it. Materials
/// `corotated-linear`, `fixed-corotated`, `neo-hookean`, `snow`, `sand`, `goo` and `tissue` can; the integrator must be `explicit`.
///
/// The elasticity is the material's own, or three planes of symmetry (`youngs_moduli` and `poisson_ratios`), or the same all around axis
/// 3 (`transverse`), or anything (`stiffness`), or that of grains which turn with the flow (`orientation`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Anisotropy {
    /// Young's moduli `[E_1, E_2, E_3]` along the axes, each above 0 [Pa]; needs `poisson_ratios`. Default: the material's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub youngs_moduli: Option<Vec3>,
    /// Poisson's ratios `[nu_12, nu_23, nu_13]` [-]: `nu_ij` is the contraction along `j` over the extension along `i`, when pulled along
    /// `i`. Needs `youngs_moduli`. Default: the material's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_ratios: Option<Vec3>,
    /// The same for pulls along the other axis, `[nu_21, nu_32, nu_31]` [-]. They follow from `nu_ij / E_i = nu_ji / E_j`; given, they
    /// are checked to 1 %. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_poisson_ratios: Option<Vec3>,
    /// Shear moduli `[mu_12, mu_23, mu_13]`, each above 0 [Pa]. Default: `sqrt(E_i E_j) / (2 (1 + sqrt(nu_ij nu_ji)))`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_moduli: Option<Vec3>,
    /// An elasticity that is the same in all directions across axis 3. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transverse: Option<Transverse>,
    /// The whole stiffness: the upper triangle, row after row, of the symmetric 6x6 matrix from the strains `(e_11, e_22, e_33, sqrt2 e_23,
    /// sqrt2 e_13, sqrt2 e_12)` to the stresses in the same notation, positive definite [Pa]. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 21]>,
    /// Factors of the stress along the axes before it meets the yield surface, each above 0 [-]: an axis with a large factor yields
    /// early. Materials that do not flow have none. Default: `[1, 1, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scales: Option<Vec3>,
    /// The whole map of the stress before it meets the yield surface, in the notation of `stiffness`, positive definite [-]. Default: that
    /// of `scales`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress_map: Option<[f64; 21]>,
    /// Grains whose directions make the anisotropy. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// Where the axes point at the start, written as `axes.NAME = { ... }`. Default: axes 1, 2, 3 along x, y, z.
    pub axes: Axes,
}

/// An elasticity that is the same in all directions across axis 3, along which fibers run or on which layers are stacked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transverse {
    /// Young's modulus along axis 3, above 0 [Pa].
    pub youngs_modulus_along: f64,
    /// Young's modulus across it, above 0 [Pa].
    pub youngs_modulus_across: f64,
    /// Contraction across over extension along, when pulled along axis 3 [-].
    pub poisson_ratio_along: f64,
    /// Contraction over extension within the plane across, when pulled in it [-].
    pub poisson_ratio_across: f64,
    /// Modulus of shear between axis 3 and the plane across, above 0 [Pa].
    pub shear_modulus_along: f64,
}

/// Long or flat grains, fibers or layers that make a material anisotropic where they lie alike, and turn with its flow
/// [Schreck2020, Sec. 6.4].
///
/// How alike they lie along an axis is a number from 0 to 1, a third where they lie anyhow; the three numbers add up to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Orientation {
    /// How long the grains are, from -1 (discs, whose normals are followed) through 0 (balls) to 1 (needles) [-]. Default: 1.
    pub elongation: f64,
    /// Whether the flow changes how they lie. Without, axes and parameters stay as they are in the material, which still turns as a
    /// whole. Default: true.
    pub turning: bool,
    /// What the material is like along grains that all lie alike.
    pub along: AxisParameters,
    /// What the material is like across grains that all lie alike.
    pub across: AxisParameters,
    /// What the material is like where grains lie anyhow.
    pub mixed: AxisParameters,
    /// How they lie at the start, written as `alignment.NAME = ...`. Default: anyhow.
    pub alignment: Alignment,
}

impl Default for Orientation {
    fn default() -> Self {
        Orientation {
            elongation: 1.0,
            turning: true,
            along: AxisParameters::default(),
            across: AxisParameters::default(),
            mixed: AxisParameters::default(),
            alignment: Alignment::default(),
        }
    }
}

/// Parameters along one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AxisParameters {
    /// Young's modulus, above 0 [Pa]. Default: the material's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub youngs_modulus: Option<f64>,
    /// Poisson's ratio, above -0.5 and below 0.5 [-]; of two axes the mean counts. Default: the material's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_ratio: Option<f64>,
    /// Factor of the stress before it meets the yield surface, above 0 [-]. Default: 1.
    pub scale: f64,
}

impl Default for AxisParameters {
    fn default() -> Self {
        AxisParameters { youngs_modulus: None, poisson_ratio: None, scale: 1.0 }
    }
}

impl Anisotropy {
    /// The files it is read from.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let alignment = self.orientation.as_mut().and_then(|orientation| orientation.alignment.file_mut());
        self.axes.file_mut().into_iter().chain(alignment)
    }
}

impl Material {
    /// Young's modulus [Pa] and Poisson's ratio [-] of a material that can be anisotropic; none for others.
    pub fn elasticity(&self) -> Option<[f64; 2]> {
        self.mpm()?.moduli()
    }

    /// Whether it has a yield surface.
    pub fn flows(&self) -> bool {
        self.mpm().is_some_and(|material| material.flows())
    }
}
