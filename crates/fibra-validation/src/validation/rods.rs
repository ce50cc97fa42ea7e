//! Rods, compared with closed forms. Each test takes a function that builds a rod, so that the test works for every rod
//! model.

mod buckling;
mod cantilever;
mod frequency;
pub mod lateral;
mod pendulum;

pub use buckling::bisect;
pub use cantilever::{heavy_elastica, heavy_elastica_shape};
pub use pendulum::run as pendulum;

use super::Check;
use fibra_rods::internals::corde::Corde;
use fibra_rods::internals::discrete_elastic::DiscreteElastic;
use fibra_rods::internals::mass_spring::MassSpring;
use fibra_rods::internals::rod::{End, Rod, RodMaterial, RodParams};
use fibra_rods::internals::super_helix::SuperHelix;
use fibra_rods::{RodError, Section};
use glam::DVec3;

/// Builds a rod of one model, with the run origin at zero.
pub type Build = fn(RodParams) -> Result<Box<dyn Rod>, RodError>;

pub fn cantilever_mass_spring() -> Result<Vec<Check>, String> {
    cantilever::run("rod-cantilever-mass-spring", mass_spring, 0.05)
}

pub fn cantilever_der() -> Result<Vec<Check>, String> {
    cantilever::run("rod-cantilever-der", der, 0.02)
}

pub fn euler_der() -> Result<Vec<Check>, String> {
    buckling::euler("rod-euler-der", der, 0.03)
}

pub fn michell_der() -> Result<Vec<Check>, String> {
    let ring = |params, twist| Ok(Box::new(DiscreteElastic::twisted(params, DVec3::ZERO, twist)?) as Box<dyn Rod>);
    buckling::michell("rod-michell-der", ring, 0.03)
}

pub fn cantilever_corde() -> Result<Vec<Check>, String> {
    cantilever::run("rod-cantilever-corde", corde, 0.02)
}

pub fn cantilever_super_helix() -> Result<Vec<Check>, String> {
    cantilever::run("rod-cantilever-super-helix", super_helix, 0.02)
}

pub fn euler_super_helix() -> Result<Vec<Check>, String> {
    buckling::euler("rod-euler-super-helix", super_helix, 0.03)
}

pub fn michell_corde() -> Result<Vec<Check>, String> {
    let ring = |params, twist| Ok(Box::new(Corde::twisted(params, DVec3::ZERO, twist)?) as Box<dyn Rod>);
    buckling::michell("rod-michell-corde", ring, 0.05)
}

pub fn frequency_der() -> Result<Vec<Check>, String> {
    frequency::run("rod-frequency-der", der, 0.02)
}

/// The rod models with twist.
pub const TWISTING: [(&str, Build); 3] = [("super-helix", super_helix), ("corde", corde), ("der", der)];

fn mass_spring(params: RodParams) -> Result<Box<dyn Rod>, RodError> {
    Ok(Box::new(MassSpring::new(params, DVec3::ZERO)?))
}

fn der(params: RodParams) -> Result<Box<dyn Rod>, RodError> {
    Ok(Box::new(DiscreteElastic::new(params, DVec3::ZERO)?))
}

fn corde(params: RodParams) -> Result<Box<dyn Rod>, RodError> {
    Ok(Box::new(Corde::new(params, DVec3::ZERO)?))
}

/// Uses one helical element per three segments, which suffices because helical elements are curved.
fn super_helix(params: RodParams) -> Result<Box<dyn Rod>, RodError> {
    let pieces = (params.points.len() - 1).div_ceil(3);
    Ok(Box::new(SuperHelix::new(params, pieces, DVec3::ZERO)?))
}

/// A wire that is thin enough to be nearly inextensible.
const WIRE: RodMaterial = RodMaterial {
    radius: 2e-3,
    density: 1000.0,
    youngs_modulus: 1e8,
    poisson_ratio: 0.3,
    drag: 0.0,
    internal_damping: 0.0,
    section: Section::CIRCULAR,
};
/// Length of the wire [m].
const LENGTH: f64 = 1.0;

/// The wire, straight along x from the origin, where it is clamped.
fn clamped_wire(segments: usize) -> RodParams {
    RodParams {
        material: WIRE,
        points: (0..=segments).map(|i| LENGTH * i as f64 / segments as f64 * DVec3::X).collect(),
        natural: None,
        closed: false,
        velocity: DVec3::ZERO,
        ends: [End::clamped(), End::free()],
    }
}

/// Mass of the wire per length [kg/m].
fn line_density() -> f64 {
    WIRE.density * WIRE.area()
}
