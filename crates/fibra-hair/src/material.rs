//! What strands are made of.

use crate::error::StrandError;
use std::f32::consts::PI;

/// A round, isotropic strand. Stretching has a modulus of its own: real hair is far stiffer along than a real-time step can
/// follow, and looks the same when it is less so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandMaterial {
    /// Radius of the section [m].
    pub radius: f32,
    /// Mass density [kg/m^3].
    pub density: f32,
    /// Young's modulus of stretching [Pa].
    pub stretching_modulus: f32,
    /// Young's modulus of bending [Pa].
    pub bending_modulus: f32,
    /// Shear modulus, of twisting [Pa].
    pub shear_modulus: f32,
}

impl StrandMaterial {
    /// Hair [Huang2023, Table 2]. The paper does not give the radius; this is that of a strong human hair.
    pub const HAIR: StrandMaterial = StrandMaterial {
        radius: 5e-5,
        density: 1300.0,
        stretching_modulus: 1.6e7,
        bending_modulus: 1.5e10,
        shear_modulus: 7.7e9,
    };

    /// Area of the section [m^2].
    pub fn area(&self) -> f32 {
        PI * self.radius * self.radius
    }

    /// Stiffness against stretching, `E A` [N].
    pub fn stretching(&self) -> f32 {
        self.stretching_modulus * self.area()
    }

    /// Stiffness against bending, `E I = E pi r^4 / 4` [N m^2].
    pub fn bending(&self) -> f32 {
        self.bending_modulus * self.area() * self.radius * self.radius / 4.0
    }

    /// Stiffness against twisting, `G J = G pi r^4 / 2` [N m^2]. (The energy printed in [Huang2023, Eq. 1] is half of what this gives, which
    /// is no consistent rod: a twisted ring would buckle at twice the twist of [Michell1889].)
    pub fn twisting(&self) -> f32 {
        self.shear_modulus * self.area() * self.radius * self.radius / 2.0
    }

    /// Refuses what cannot be.
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
