//! Materials as user parameters.

use super::anisotropy::StrainLaw;
use super::model::{ElasticModuli, Look, MaterialModel, MaterialParams, MeshProperties};
use super::parameters::{BadParameter, ParameterCheck};
use super::{Material, element_kind};
use crate::kind::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates the enum of parameters and its methods from the table.
macro_rules! define_spec {
    ([] $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        /// A material with its user parameters, each with a default: `MaterialSpec::Sand(SandParams::default())` is sand.
        ///
        /// The elastic variants (`FixedCorotated`, `NeoHookean` and `CorotatedLinear`) take [`ElasticParams`](super::ElasticParams). Every
        /// other variant takes the struct of the same name, for example `SandParams` for `Sand`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub enum MaterialSpec {
            $($(#[$doc])* #[serde(rename = $name)] $Law(<super::$Law as MaterialModel>::Params),)*
        }

        impl MaterialSpec {
            /// Returns every material with its default parameters.
            pub fn defaults() -> Vec<MaterialSpec> {
                vec![$(MaterialSpec::$Law(Default::default())),*]
            }

            /// Returns the material's name in scene files.
            pub fn name(&self) -> &'static str {
                match self {
                    $(MaterialSpec::$Law(_) => $name,)*
                }
            }

            /// Creates the law from the parameters.
            pub fn law(&self) -> Material {
                match self {
                    $(MaterialSpec::$Law(params) => {
                        let law = Material::from(<super::$Law>::from_params(params));
                        params.exchanged_elasticity().and_then(|model| law.with_elasticity(model)).unwrap_or(law)
                    })*
                }
            }

            /// Returns the mass per volume at rest [kg/m^3].
            pub fn density(&self) -> f64 {
                match self {
                    $(MaterialSpec::$Law(params) => params.density(),)*
                }
            }

            /// Returns the parameters that are out of range; empty if the material can be simulated.
            pub fn check(&self) -> Vec<BadParameter> {
                let mut check = ParameterCheck::default();
                match self {
                    $(MaterialSpec::$Law(params) => params.check(&mut check),)*
                }
                check.into_faults()
            }

            /// Returns the kind of mesh element that the material is for; `None` for solids, grains and liquids.
            pub fn element_kind(&self) -> Option<Kind> {
                match self {
                    $(MaterialSpec::$Law(_) => element_kind!($form),)*
                }
            }

            /// Returns the appearance.
            pub fn look(&self) -> Look {
                match self {
                    $(MaterialSpec::$Law(_) => <super::$Law>::LOOK,)*
                }
            }

            /// Returns the properties of meshes of the material.
            pub fn mesh(&self) -> MeshProperties {
                match self {
                    $(MaterialSpec::$Law(params) => <super::$Law>::mesh(params),)*
                }
            }

            /// Returns Young's modulus [Pa] and Poisson's ratio [-] if the material can be anisotropic.
            pub fn moduli(&self) -> Option<[f64; 2]> {
                match self {
                    $(MaterialSpec::$Law(_params) => moduli!(_params $($axes)?),)*
                }
            }

            /// Returns whether the material can be anisotropic and has a yield surface.
            pub fn flows(&self) -> bool {
                match self {
                    $(MaterialSpec::$Law(_) => flows!($Law $($axes)?),)*
                }
            }
        }

        $($(impl From<super::$Params> for MaterialSpec {
            fn from(params: super::$Params) -> MaterialSpec {
                MaterialSpec::$Law(params)
            }
        })?)*

        /// Names of the materials that can be anisotropic.
        pub const ANISOTROPIC: &[&str] = {
            const ALL: &[Option<&str>] = &[$(anisotropic_name!($name $($axes)?)),*];
            const COUNT: usize = count(ALL);
            &present::<COUNT>(ALL)
        };
    };
}

macro_rules! moduli {
    ($params:ident) => {
        None
    };
    ($params:ident axes) => {
        Some($params.moduli())
    };
}

macro_rules! flows {
    ($Law:ident) => {
        false
    };
    ($Law:ident axes) => {
        <super::$Law as StrainLaw>::FLOWS
    };
}

macro_rules! anisotropic_name {
    ($name:literal) => {
        None
    };
    ($name:literal axes) => {
        Some($name)
    };
}

const fn count(names: &[Option<&str>]) -> usize {
    let (mut i, mut n) = (0, 0);
    while i < names.len() {
        n += names[i].is_some() as usize;
        i += 1;
    }
    n
}

const fn present<const N: usize>(names: &[Option<&'static str>]) -> [&'static str; N] {
    let (mut i, mut n, mut found) = (0, 0, [""; N]);
    while i < names.len() {
        if let Some(name) = names[i] {
            found[n] = name;
            n += 1;
        }
        i += 1;
    }
    found
}

crate::for_each_material!(define_spec!);
