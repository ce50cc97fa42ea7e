//! What a file of a material declares besides the law itself.

use super::parameters::ParameterCheck;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A material of the [table](crate::for_each_material): a law with its parameters and its appearance.
pub trait MaterialModel: Sized {
    /// The parameters, as a user sets them.
    type Params: MaterialParams;
    /// How it is drawn.
    const LOOK: Look;
    /// The law with these parameters.
    fn from_params(params: &Self::Params) -> Self;
    /// What meshes of it are like; solids have none.
    fn mesh(_params: &Self::Params) -> MeshProperties {
        MeshProperties::NONE
    }
}

/// Parameters of a material, as a user sets them.
pub trait MaterialParams: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema {
    /// Mass per volume at rest [kg/m^3].
    fn density(&self) -> f64;
    /// Reports every parameter that the material cannot have.
    fn check(&self, check: &mut ParameterCheck);
}

/// Parameters of a material that can be made anisotropic.
pub trait ElasticModuli: MaterialParams {
    /// Young's modulus [Pa] and Poisson's ratio [-].
    fn moduli(&self) -> [f64; 2];
}

/// How a material is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Radius of a particle over the distance between particles [-]. Balls of 0.71 close a square lattice; grains show
    /// themselves better when they do not quite.
    pub particle_radius: f32,
    /// How light leaves it.
    pub finish: Finish,
    /// How much lighter or darker single particles are [-].
    pub variation: f32,
}

/// How light leaves a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Dry and rough.
    Matte,
    /// Woven: matte with a soft sheen where it turns away.
    Cloth,
    /// Soft plastic.
    Jelly,
    /// Wet or polished.
    Glossy,
}

/// What the meshes of a material are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshProperties {
    /// Rest volume per area of a surface, its thickness [m]; per length of a curve, its cross-section [m^2].
    pub section: f64,
    /// Whether elements follow their mesh, or are plain particles that the grid alone deforms [Jiang2017, Fig. 10 a].
    pub follows_mesh: bool,
    /// Stiffness of springs that resist bending [N/m].
    pub bending_stiffness: f64,
    /// Radius with which curves are drawn [m].
    pub curve_radius: Option<f64>,
}

impl MeshProperties {
    /// Those of solids, which have no mesh.
    pub const NONE: MeshProperties =
        MeshProperties { section: 0.0, follows_mesh: true, bending_stiffness: 0.0, curve_radius: None };
}
