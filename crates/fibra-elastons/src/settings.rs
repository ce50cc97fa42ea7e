//! User settings of the method and of materials.

use crate::error::OutOfRange;
use crate::gmls::Order;
use crate::law::Elasticity;
use crate::world::{ContactLaw, Plasticity, Resampling};
use glam::DVec3;

/// Settings of the method. The defaults are the same as in scene files.
///
/// ```
/// use fibra_elastons::ElastonSettings;
///
/// let settings = ElastonSettings { dt: 0.01, mass_damping: 2.0, ..ElastonSettings::default() };
/// assert!(settings.check().is_ok());
/// let wrong = ElastonSettings { dt: 0.5, ..settings };
/// assert_eq!(wrong.check().unwrap_err().to_string(), "`dt` is 0.5; it must be above 0 and at most 0.1 s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElastonSettings {
    /// Gravity [m/s^2]. Default: `(0, -9.81, 0)`.
    pub gravity: DVec3,
    /// Maximum time step, above 0 and at most 0.1 [s]. Default: 0.005.
    pub dt: f64,
    /// Polynomial order of the shape functions. Default: second.
    pub order: Order,
    /// Support radius of a sample, in mean distances to its neighboring samples, above 1 [-]. Default: 1.6.
    pub support: f64,
    /// Mass-proportional (Rayleigh) damping, the decay rate of all velocities, 0 or above [1/s]. Default: 0.
    pub mass_damping: f64,
    /// Stiffness-proportional (Rayleigh) damping, the ratio of viscous to elastic stiffness, 0 or above [s]. Default: 0.
    pub stiffness_damping: f64,
    /// Penalty stiffness of holds, in units of Young's modulus divided by the squared size of a material point, above 0 [-].
    /// A held material point deviates from its target by the elastic displacement across its own size, divided by this
    /// number. Default: 1000.
    pub hold_stiffness: f64,
    /// Contact with colliders and between bodies.
    pub contact: ContactLaw,
    /// Resampling during the simulation, for large plastic deformation and for cuts. Default: never.
    pub resampling: Option<Resampling>,
    /// Origin of the simulation's internal coordinates, in world coordinates [m]. Default: the world origin or, if the
    /// objects are far from it, the center of all objects. Results are always in world coordinates.
    pub origin: Option<DVec3>,
}

impl Default for ElastonSettings {
    fn default() -> Self {
        ElastonSettings {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            dt: 5e-3,
            order: Order::Second,
            support: 1.6,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            hold_stiffness: 1000.0,
            contact: ContactLaw::default(),
            resampling: None,
            origin: None,
        }
    }
}

impl ElastonSettings {
    /// Rejects values that are not allowed. The error names the field, its value and the allowed range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::finite("gravity", self.gravity, "finite, in m/s^2")?;
        OutOfRange::unless(self.dt > 0.0 && self.dt <= 0.1, "dt", self.dt, "above 0 and at most 0.1 s")?;
        let support = self.support > 1.0 && self.support.is_finite();
        OutOfRange::unless(support, "support", self.support, "above 1 and finite")?;
        OutOfRange::not_negative("mass_damping", self.mass_damping, "0 1/s or above")?;
        OutOfRange::not_negative("stiffness_damping", self.stiffness_damping, "0 s or above")?;
        OutOfRange::positive("hold_stiffness", self.hold_stiffness, "above 0 and finite")?;
        OutOfRange::positive("contact.stiffness", self.contact.stiffness, "above 0 and finite")?;
        OutOfRange::not_negative("contact.friction", self.contact.friction, "0 or above")?;
        if let Some(resampling) = &self.resampling {
            OutOfRange::positive("resampling.interval", resampling.interval, "above 0 s and finite")?;
        }
        OutOfRange::finite("origin", self.origin.unwrap_or_default(), "finite, in m")
    }
}

/// Material of an object. The defaults are the same as in scene files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticMaterial {
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Density at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Yield strain and creep rate. Default: purely elastic.
    pub plasticity: Option<Plasticity>,
}

impl Default for ElasticMaterial {
    fn default() -> Self {
        ElasticMaterial { youngs_modulus: 1e6, poisson_ratio: 0.3, density: 1000.0, plasticity: None }
    }
}

impl ElasticMaterial {
    /// Rejects values that are not allowed. The error names the field, its value and the allowed range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::positive("youngs_modulus", self.youngs_modulus, "above 0 Pa and finite")?;
        let poisson = self.poisson_ratio > -1.0 && self.poisson_ratio < 0.5;
        OutOfRange::unless(poisson, "poisson_ratio", self.poisson_ratio, "above -1 and below 0.5")?;
        OutOfRange::positive("density", self.density, "above 0 kg/m^3 and finite")?;
        if let Some(plasticity) = &self.plasticity {
            OutOfRange::positive("plasticity.yield_strain", plasticity.yield_strain, "above 0 and finite")?;
            OutOfRange::unless(
                plasticity.creep > 0.0,
                "plasticity.creep",
                plasticity.creep,
                "above 0 1/s; infinity means immediate plastic flow",
            )?;
        }
        Ok(())
    }

    pub(crate) fn elasticity(&self) -> Elasticity {
        Elasticity { young: self.youngs_modulus, poisson: self.poisson_ratio }
    }
}
