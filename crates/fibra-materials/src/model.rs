//! The traits that a material's file implements besides its law: parameters, appearance and mesh properties.

use super::elastic_model::ElasticModel;
use super::parameters::ParameterCheck;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A material of the [table](crate::for_each_material): a law with its parameters and its appearance.
pub trait MaterialModel: Sized {
    /// The parameters, as a user sets them.
    type Params: MaterialParams;
    /// Appearance in pictures.
    const LOOK: Look;
    /// Creates the law from its parameters.
    fn from_params(params: &Self::Params) -> Self;
    /// Returns the properties of meshes of the material; solids have none.
    fn mesh(_params: &Self::Params) -> MeshProperties {
        MeshProperties::NONE
    }
}

/// Parameters of a material, as a user sets them.
pub trait MaterialParams: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema {
    /// Mass per volume at rest [kg/m^3].
    fn density(&self) -> f64;
    /// Elastic model, if it is not the law's own.
    fn exchanged_elasticity(&self) -> Option<ElasticModel> {
        None
    }
    /// Reports every parameter that is out of range.
    fn check(&self, check: &mut ParameterCheck);
}

/// Parameters of a material that can be made anisotropic.
pub trait ElasticModuli: MaterialParams {
    /// Young's modulus [Pa] and Poisson's ratio [-].
    fn moduli(&self) -> [f64; 2];
}

/// Appearance of a material in pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Ratio of a displayed particle's radius to the particle spacing [-]. Spheres with a radius of 0.71 spacings leave no gaps in a square
    /// lattice; grains look better slightly smaller.
    pub particle_radius: f32,
    /// Surface finish.
    pub finish: Finish,
    /// Random variation of brightness between particles [-].
    pub variation: f32,
}

/// Surface finish of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Dry and rough.
    Matte,
    /// Woven: matte with a soft sheen at grazing angles.
    Cloth,
    /// Soft plastic.
    Jelly,
    /// Wet or polished.
    Glossy,
}

/// Properties of the meshes of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshProperties {
    /// Thickness of a surface [m], or cross-sectional area of a curve [m^2]: the rest volume per area or per length.
    pub section: f64,
    /// Whether mesh elements compute their deformation from the mesh. If not, they are plain particles that the grid deforms [Jiang2017, Fig. 10 a].
    pub follows_mesh: bool,
    /// Bending stiffness: of a surface `D` [N m], of a curve `EI` [N m^2].
    pub bending_stiffness: f64,
    /// Twisting stiffness of a curve, `GJ` [N m^2].
    pub twisting_stiffness: f64,
    /// Poisson's ratio of a surface in bending [-].
    pub poisson_ratio: f64,
    /// Radius with which curves are drawn [m].
    pub curve_radius: Option<f64>,
}

impl MeshProperties {
    /// Properties for solids, which have no mesh.
    pub const NONE: MeshProperties = MeshProperties {
        section: 0.0,
        follows_mesh: true,
        bending_stiffness: 0.0,
        twisting_stiffness: 0.0,
        poisson_ratio: 0.0,
        curve_radius: None,
    };
}
