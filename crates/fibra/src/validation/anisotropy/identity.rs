//! Maps that change nothing: a block falls on the floor and gives way, the same with and without them.

use super::super::Check;
use super::super::scenario::Scenario;
use super::{DENSITY, POISSON, Strength, YOUNGS, laws, wrap};
use crate::validation::scenario::block;
use fibra_core::geometry::{Contact, RigidPose};
use fibra_mpm::materials::Material;
use fibra_mpm::materials::anisotropy::{Anisotropy, Elasticity, Orthotropic, StressMap};
use fibra_mpm::params::Substance;
use glam::{DVec3, Vec3};

/// Edge of the block [m].
const SIZE: f64 = 0.4;
/// Velocity at which it meets the floor [m/s].
const SPEED: f64 = 3.0;
/// Steps, and their length [s], below what is stable, so that both runs take the same.
const STEPS: usize = 200;
const STEP: f64 = 1e-4;

/// A row for each law: the largest difference of any particle's place over the block's size, velocity over that of the impact, or entry
/// of the deformation gradient.
pub fn run() -> Result<Vec<Check>, String> {
    let moduli = Orthotropic::isotropic(YOUNGS, POISSON);
    let same = Anisotropy { elasticity: Elasticity::Orthotropic(moduli), stress_map: StressMap::Scales([1.0; 3]) };
    let row = |(name, law): &(&str, Material)| -> Result<Check, String> {
        let (plain, mapped) = (fall(law.clone())?, fall(wrap(law, &same)?)?);
        let measured = difference(&plain, &mapped)?;
        let name = format!("aniso-identity-{name}");
        Ok(Check { name, measured, expected: 0.0, error: measured, tolerance: 1e-6 })
    };
    laws(Strength::Weak).iter().map(row).collect()
}

fn fall(material: Material) -> Result<Scenario, String> {
    let substance = Substance { material, density: DENSITY };
    let half = 0.5 * SIZE;
    let pose = RigidPose::at(DVec3::new(0.0, half, 0.0));
    let mut body = Scenario::new(0.05, block(Vec3::splat(half as f32), pose, substance)?)?;
    let floor = -DVec3::from(body.params.origin);
    body.add_plane(floor, Vec3::Y, Contact::Separating, 0.3)?;
    body.params.limits.max_dt = STEP;
    body.state.particles.v.fill([0.0, -SPEED as f32, 0.0]);
    for _ in 0..STEPS {
        body.step(f64::INFINITY)?;
    }
    Ok(body)
}

fn difference(a: &Scenario, b: &Scenario) -> Result<f64, String> {
    if a.state.time != b.state.time {
        return Err(format!("{STEPS} steps took {} s and {} s", a.state.time, b.state.time));
    }
    let order = |s: &Scenario| {
        let mut places: Vec<usize> = (0..s.state.particles.len()).collect();
        places.sort_by_key(|&p| s.state.particles.id[p]);
        places
    };
    let apart = |(p, q): (usize, usize)| {
        let rows = |s: &Scenario, p: usize| s.state.particles.f[p].to_rows();
        let entries = rows(a, p).into_iter().zip(rows(b, q)).map(|(x, y)| f64::from((x - y).abs())).fold(0.0, f64::max);
        ((a.position(p) - b.position(q)).length() / SIZE)
            .max((a.velocity(p) - b.velocity(q)).length() / SPEED)
            .max(entries)
    };
    Ok(order(a).into_iter().zip(order(b)).map(apart).fold(0.0, f64::max))
}
