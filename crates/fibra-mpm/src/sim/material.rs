//! What an object is made of: a law and a density.

use super::error::MpmError;
use crate::materials::{self, Material, MaterialSpec, MeshProperties};

/// What an object is made of: a constitutive law and a density.
///
/// The parameters of a material convert into it; they are checked when the simulation is built. [`MpmMaterial::new`] takes any other law.
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
    /// The parameters that both come from.
    spec: Option<MaterialSpec>,
}

impl MpmMaterial {
    /// Any law with a density at rest [kg/m^3]: one of another crate ([`Material::custom`]), or an anisotropic one
    /// ([`Anisotropic`](crate::materials::Anisotropic)).
    pub fn new(law: impl Into<Material>, density: f64) -> MpmMaterial {
        MpmMaterial { law: law.into(), density, spec: None }
    }

    /// The law.
    pub fn law(&self) -> &Material {
        &self.law
    }

    /// Mass per volume at rest [kg/m^3].
    pub fn density(&self) -> f64 {
        self.density
    }

    /// What meshes of it are like.
    pub(super) fn mesh(&self) -> MeshProperties {
        self.spec.as_ref().map_or(MeshProperties::NONE, MaterialSpec::mesh)
    }

    /// Rejects parameters that the material of `object` cannot have.
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

/// From the table: parameters that belong to one law alone say which it is.
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
