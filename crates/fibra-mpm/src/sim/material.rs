//! [`MpmMaterial`]: the material of an object.

use super::error::MpmError;
use crate::materials::{self, Material, MaterialSpec, MeshProperties};

/// The material of an object: a constitutive law and a density.
///
/// Parameter structs convert into a material; their values are checked when the simulation is built. [`MpmMaterial::new`] accepts any other law.
///
/// ```
/// use fibra_mpm::materials::{ElasticParams, SandParams};
/// use fibra_mpm::{MaterialSpec, MpmMaterial};
///
/// let sand = MpmMaterial::from(SandParams { friction_angle: 30.0, ..SandParams::default() });
/// assert_eq!(sand.density(), 1600.0);
/// // Three laws share these parameters.
/// let rubber = MaterialSpec::NeoHookean(ElasticParams { youngs_modulus: 1e6, ..ElasticParams::default() });
/// assert_eq!(MpmMaterial::from(&rubber).law(), &rubber.law());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MpmMaterial {
    law: Material,
    /// [kg/m^3]
    density: f64,
    /// The parameters from which law and density were computed.
    spec: Option<MaterialSpec>,
}

impl MpmMaterial {
    /// Creates a material from any law and a rest density [kg/m^3]. The law can be from another crate ([`Material::custom`]) or
    /// anisotropic ([`Anisotropic`](crate::materials::Anisotropic)).
    pub fn new(law: impl Into<Material>, density: f64) -> MpmMaterial {
        MpmMaterial { law: law.into(), density, spec: None }
    }

    /// Returns the constitutive law.
    pub fn law(&self) -> &Material {
        &self.law
    }

    /// Returns the mass per volume at rest [kg/m^3].
    pub fn density(&self) -> f64 {
        self.density
    }

    /// Returns the properties of meshes of the material.
    pub(super) fn mesh(&self) -> MeshProperties {
        self.spec.as_ref().map_or(MeshProperties::NONE, MaterialSpec::mesh)
    }

    /// Rejects parameters that are out of range; `object` is named in the error.
    pub(super) fn check(&self, object: &str) -> Result<(), MpmError> {
        let Some(spec) = &self.spec else { return Ok(()) };
        match spec.check().into_iter().next() {
            None => Ok(()),
            Some(bad) => {
                Err(MpmError::Material { object: object.to_owned(), material: spec.name(), source: Box::new(bad) })
            }
        }
    }
}

impl From<MaterialSpec> for MpmMaterial {
    fn from(spec: MaterialSpec) -> MpmMaterial {
        MpmMaterial { law: spec.law(), density: spec.density(), spec: Some(spec) }
    }
}

impl From<&MaterialSpec> for MpmMaterial {
    fn from(spec: &MaterialSpec) -> MpmMaterial {
        spec.clone().into()
    }
}

/// Generates conversions from the table for parameter structs that belong to a single law.
macro_rules! from_params {
    ([] $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        $($(impl From<materials::$Params> for MpmMaterial {
            fn from(params: materials::$Params) -> MpmMaterial {
                MaterialSpec::$Law(params).into()
            }
        })?)*
    };
}

crate::materials::for_each_material!(from_params!);
