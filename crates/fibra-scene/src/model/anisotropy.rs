//! Anisotropy of an object's material [Schreck2020].

use super::alignment::Alignment;
use super::axes::Axes;
use super::material::Material;
use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Anisotropy of a solid or granular material: stiffness and strength differ between axes 1, 2 and 3, which rotate with the material. Available for
/// `corotated-linear`, `fixed-corotated`, `neo-hookean`, `snow`, `sand`, `goo` and `tissue`.
///
/// The elasticity is isotropic by default, or orthotropic (`youngs_moduli` and `poisson_ratios`), transversely isotropic about axis 3 (`transverse`),
/// general (`stiffness`), or given by grains that rotate with the flow (`orientation`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Anisotropy {
    /// Young's moduli `[E_1, E_2, E_3]` along the axes, each above 0 [Pa]. Requires `poisson_ratios`. Default: Young's modulus of the material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub youngs_moduli: Option<Vec3>,
    /// Poisson's ratios `[nu_12, nu_23, nu_13]` [-]: `nu_ij` is the contraction along `j` divided by the extension along `i` under tension along `i`.
    /// Requires `youngs_moduli`. Default: Poisson's ratio of the material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_ratios: Option<Vec3>,
    /// Poisson's ratios for tension along the other axis, `[nu_21, nu_32, nu_31]` [-]. They follow from `nu_ij / E_i = nu_ji / E_j`; if given, they
    /// must agree to 1 %. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_poisson_ratios: Option<Vec3>,
    /// Shear moduli `[mu_12, mu_23, mu_13]`, each above 0 [Pa]. Default: `sqrt(E_i E_j) / (2 (1 + sqrt(nu_ij nu_ji)))`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_moduli: Option<Vec3>,
    /// Transversely isotropic elasticity about axis 3. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transverse: Option<Transverse>,
    /// General stiffness in Mandel notation: the upper triangle, row by row, of a symmetric positive definite 6x6 matrix [Pa]. It maps the strains
    /// `(e_11, e_22, e_33, sqrt2 e_23, sqrt2 e_13, sqrt2 e_12)` to the stresses in the same notation. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 21]>,
    /// Factors by which the stress along each axis is multiplied before the yield criterion is evaluated, each above 0 [-]. An axis with a large
    /// factor yields early. Only for materials with a yield surface. Default: `[1, 1, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scales: Option<Vec3>,
    /// General linear map that is applied to the stress before the yield criterion is evaluated: a positive definite matrix in the notation of
    /// `stiffness` [-]. Default: the map given by `scales`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress_map: Option<[f64; 21]>,
    /// Grains whose orientation determines the anisotropy. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// How the plastic flow of the isotropic model becomes plastic flow of the material. Only for materials with a yield surface. Default: `conjugate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowRule>,
    /// Initial directions of the axes, written as `axes.NAME = { ... }`. Default: axes 1, 2, 3 along x, y, z.
    pub axes: Axes,
}

/// How plastic flow is mapped from the fictitious space to the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowRule {
    /// Work-conjugate to the stress. Plastic flow never creates energy and keeps the volume where the isotropic model does.
    Conjugate,
    /// As in [Schreck2020, Algorithm 1]: the strain after the flow is mapped back. The stress returns to the yield surface within one step, but plastic
    /// flow can create volume and energy.
    Paper,
}

/// Transversely isotropic elasticity: the same in all directions perpendicular to axis 3, the direction of fibers or the normal of layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transverse {
    /// Young's modulus along axis 3, above 0 [Pa].
    pub youngs_modulus_along: f64,
    /// Young's modulus perpendicular to axis 3, above 0 [Pa].
    pub youngs_modulus_across: f64,
    /// Poisson's ratio for tension along axis 3: transverse contraction divided by axial extension [-].
    pub poisson_ratio_along: f64,
    /// Poisson's ratio within the plane perpendicular to axis 3 [-].
    pub poisson_ratio_across: f64,
    /// Shear modulus between axis 3 and the plane perpendicular to it, above 0 [Pa].
    pub shear_modulus_along: f64,
}

/// Long or flat grains, fibers or layers that make a material anisotropic where they are aligned, and that rotate with its flow
/// [Schreck2020, Sec. 6.4].
///
/// The alignment along an axis is a number from 0 to 1; it is 1/3 for randomly oriented grains. The alignments along the three axes sum to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Orientation {
    /// Elongation of the grains, from -1 (disks, represented by their normals) through 0 (spheres) to 1 (needles) [-]. Default: 1.
    pub elongation: f64,
    /// Whether the flow reorients the grains. If false, axes and parameters are fixed in the material and only rotate with it. Default: true.
    pub turning: bool,
    /// Parameters along fully aligned grains.
    pub along: AxisParameters,
    /// Parameters perpendicular to fully aligned grains.
    pub across: AxisParameters,
    /// Parameters where grains are randomly oriented.
    pub mixed: AxisParameters,
    /// Initial alignment, written as `alignment.NAME = ...`. Default: randomly oriented.
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
    /// Young's modulus, above 0 [Pa]. Default: Young's modulus of the material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub youngs_modulus: Option<f64>,
    /// Poisson's ratio, above -0.5 and below 0.5 [-]. For a pair of axes, the mean of the two values applies. Default: Poisson's ratio of the
    /// material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_ratio: Option<f64>,
    /// Factor by which the stress along the axis is multiplied before the yield criterion is evaluated, above 0 [-]. Default: 1.
    pub scale: f64,
}

impl Default for AxisParameters {
    fn default() -> Self {
        AxisParameters { youngs_modulus: None, poisson_ratio: None, scale: 1.0 }
    }
}

impl Anisotropy {
    /// Returns the names of the files to read.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let alignment = self.orientation.as_mut().and_then(|orientation| orientation.alignment.file_mut());
        self.axes.file_mut().into_iter().chain(alignment)
    }
}

impl Material {
    /// Returns Young's modulus [Pa] and Poisson's ratio [-] of a material that can be anisotropic, `None` for others.
    pub fn elasticity(&self) -> Option<[f64; 2]> {
        self.mpm()?.moduli()
    }

    /// Returns whether the material has a yield surface.
    pub fn flows(&self) -> bool {
        self.mpm().is_some_and(|material| material.flows())
    }
}
