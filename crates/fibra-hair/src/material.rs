//! Strand material.

use crate::error::StrandError;
use std::f32::consts::PI;

/// Material of a strand with a round, isotropic cross-section. Stretching has a separate modulus: real hair is much stiffer axially than a real-time
/// step can resolve, and a lower axial stiffness looks the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandMaterial {
    /// Radius of the cross-section [m].
    pub radius: f32,
    /// Mass density [kg/m^3].
    pub density: f32,
    /// Young's modulus for stretching [Pa].
    pub stretching_modulus: f32,
    /// Young's modulus for bending [Pa].
    pub bending_modulus: f32,
    /// Shear modulus, for twisting [Pa].
    pub shear_modulus: f32,
}

impl StrandMaterial {
    /// Human hair [Huang2023, Table 2]: radius 50 um, 1300 kg/m^3, 16 MPa for stretching, 15 GPa for bending, 7.7 GPa for twisting. The paper does not give the radius; this is the radius of a thick human hair.
    pub const HAIR: StrandMaterial = StrandMaterial {
        radius: 5e-5,
        density: 1300.0,
        stretching_modulus: 1.6e7,
        bending_modulus: 1.5e10,
        shear_modulus: 7.7e9,
    };

    /// Returns the cross-section area [m^2].
    pub fn area(&self) -> f32 {
        PI * self.radius * self.radius
    }

    /// Returns the stretching stiffness `E A` [N].
    pub fn stretching(&self) -> f32 {
        self.stretching_modulus * self.area()
    }

    /// Returns the bending stiffness `E I = E pi r^4 / 4` [N m^2].
    pub fn bending(&self) -> f32 {
        self.bending_modulus * self.area() * self.radius * self.radius / 4.0
    }

    /// Returns the twisting stiffness `G J = G pi r^4 / 2` [N m^2]. The energy printed in [Huang2023, Eq. 1] is half of the energy with this
    /// stiffness. That is inconsistent with rod theory: a twisted ring would buckle at twice the twist of [Michell1889].
    pub fn twisting(&self) -> f32 {
        self.shear_modulus * self.area() * self.radius * self.radius / 2.0
    }

    /// Rejects values out of range.
    pub fn check(&self) -> Result<(), StrandError> {
        let positive = [
            ("radius", self.radius),
            ("density", self.density),
            ("stretching modulus", self.stretching_modulus),
            ("bending modulus", self.bending_modulus),
            ("shear modulus", self.shear_modulus),
        ];
        for (what, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(StrandError::OutOfRange { what, value, allowed: "positive and finite" });
            }
        }
        Ok(())
    }
}
