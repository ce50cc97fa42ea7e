//! A material with its density.

use crate::{Material, MaterialSpec};

/// A material with its rest density.
#[derive(Clone, Debug, PartialEq)]
pub struct Substance {
    /// Constitutive model.
    pub material: Material,
    /// Rest density [kg/m^3].
    pub density: f32,
}

impl From<&MaterialSpec> for Substance {
    fn from(spec: &MaterialSpec) -> Substance {
        Substance { material: spec.law(), density: spec.density() as f32 }
    }
}
