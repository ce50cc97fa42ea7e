//! Materials of objects. Every parameter has a default, so `material.sand = {}` is sand.

use super::elastons::ElastonMaterial;
use super::hair::{Bangs, HairMaterial};
use super::object_shape::Form;
use super::rods::{Rigid, Rod};
use super::scene::Method;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::materials::{self, MaterialModel, MaterialSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines [`Material`] from the table of MPM materials and the materials of the other methods.
macro_rules! define_material {
    ([] $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        /// Material of an object, written as `material.NAME = { ... }`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Material {
            $($(#[$doc])* #[serde(rename = $name)] $Law(<materials::$Law as MaterialModel>::Params),)*
            /// Thin elastic rods with contact (method `rods`). Requires a shape made of curves without junctions.
            Rod(Rod),
            /// A rigid ball (method `rods`). Requires a sphere.
            Rigid(Rigid),
            /// Hair (method `hair`). Requires a shape made of curves without junctions.
            Hair(HairMaterial),
            /// Elastic rods, shells and solids (method `elastons`). Accepts any shape.
            Elastic(ElastonMaterial),
        }

        impl Material {
            /// Returns the MPM material, or `None` if the material belongs to another method.
            pub fn mpm(&self) -> Option<MaterialSpec> {
                match self {
                    $(Material::$Law(params) => Some(MaterialSpec::$Law(params.clone())),)*
                    Material::Rod(_) | Material::Rigid(_) | Material::Hair(_) | Material::Elastic(_) => None,
                }
            }

            /// Returns the name in scene files.
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
    /// Returns the form that the object's shape must have, or `None` if any is allowed.
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

    /// Returns the method that simulates the material.
    pub fn method(&self) -> Method {
        match self {
            Material::Rod(_) | Material::Rigid(_) => Method::Rods,
            Material::Hair(_) => Method::Hair,
            Material::Elastic(_) => Method::Elastons,
            _ => Method::Mpm,
        }
    }

    /// Returns the density at rest [kg/m^3].
    pub fn density(&self) -> f64 {
        match self {
            Material::Rod(rod) => rod.density,
            Material::Rigid(rigid) => rigid.density,
            Material::Elastic(elastic) => elastic.density,
            // All strands of hair share `hair.strand.density`.
            other => other.mpm().map_or(f64::NAN, |material| material.density()),
        }
    }

    /// Returns the bangs, if the material is hair with bangs.
    pub(crate) fn bangs_mut(&mut self) -> Option<&mut Bangs> {
        match self {
            Material::Hair(hair) => hair.bangs.as_mut(),
            _ => None,
        }
    }
}
