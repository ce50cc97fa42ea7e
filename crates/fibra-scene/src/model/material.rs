//! What objects are made of. Every number has a default, so `material.sand = {}` is sand.

use super::elastons::ElastonMaterial;
use super::hair::{Bangs, HairMaterial};
use super::object_shape::Form;
use super::rods::{Rigid, Rod};
use super::scene::Method;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::materials::{self, MaterialModel, MaterialSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The materials of MPM, from its table, and those of the other methods.
macro_rules! define_material {
    ([] $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        /// What an object is made of, written as `material.NAME = { ... }`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Material {
            $($(#[$doc])* #[serde(rename = $name)] $Law(<materials::$Law as MaterialModel>::Params),)*
            /// Thin elastic rods in contact (method `rods`). Needs a shape that is made of curves without junctions.
            Rod(Rod),
            /// A rigid ball (method `rods`). Needs a sphere.
            Rigid(Rigid),
            /// Hair (method `hair`). Needs a shape that is made of curves without junctions.
            Hair(HairMaterial),
            /// Elastic rods, shells and solids (method `elastons`). Any shape will do.
            Elastic(ElastonMaterial),
        }

        impl Material {
            /// The material of MPM; none if it belongs to another method.
            pub fn mpm(&self) -> Option<MaterialSpec> {
                match self {
                    $(Material::$Law(params) => Some(MaterialSpec::$Law(params.clone())),)*
                    Material::Rod(_) | Material::Rigid(_) | Material::Hair(_) | Material::Elastic(_) => None,
                }
            }

            /// Its name in scenes.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Material::$Law(_) => $name,)*
                    Material::Rod(_) => "rod",
                    Material::Rigid(_) => "rigid",
                    Material::Hair(_) => "hair",
                    Material::Elastic(_) => "elastic",
                }
            }
        }
    };
}

fibra_mpm::materials::for_each_material!(define_material!);

impl Material {
    /// What the shape of an object made of it must be; none if any will do.
    pub fn form(&self) -> Option<Form> {
        match self {
            Material::Rod(_) | Material::Hair(_) => Some(Form::Curves),
            Material::Rigid(_) => Some(Form::Solid),
            Material::Elastic(_) => None,
            other => match other.mpm()?.element_kind() {
                Some(Kind::Surface) => Some(Form::Surface),
                Some(Kind::Curve) => Some(Form::Curves),
                _ => Some(Form::Solid),
            },
        }
    }

    /// The method that simulates it.
    pub fn method(&self) -> Method {
        match self {
            Material::Rod(_) | Material::Rigid(_) => Method::Rods,
            Material::Hair(_) => Method::Hair,
            Material::Elastic(_) => Method::Elastons,
            _ => Method::Mpm,
        }
    }

    /// Mass per volume at rest [kg/m^3].
    pub fn density(&self) -> f64 {
        match self {
            Material::Rod(rod) => rod.density,
            Material::Rigid(rigid) => rigid.density,
            Material::Elastic(elastic) => elastic.density,
            // Hair has one for all strands: `hair.strand.density`.
            other => other.mpm().map_or(f64::NAN, |material| material.density()),
        }
    }

    /// What more of it is held, if it is hair.
    pub(crate) fn bangs_mut(&mut self) -> Option<&mut Bangs> {
        match self {
            Material::Hair(hair) => hair.bangs.as_mut(),
            _ => None,
        }
    }
}
