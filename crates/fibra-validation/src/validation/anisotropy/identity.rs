//! Identity maps: a block that hits the floor and yields must move in the same way with these maps and without maps.

use super::super::Check;
use super::super::scenario::Scenario;
use super::{DENSITY, POISSON, Strength, YOUNGS, laws, wrap};
use crate::validation::scenario::block;
use fibra_core::geometry::{Contact, RigidPose};
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::Material;
use fibra_mpm::materials::anisotropy::{Anisotropy, Elasticity, Orthotropic, StressMap};
use glam::{DVec3, Vec3};

/// Edge of the block [m].
const SIZE: f64 = 0.4;
/// Impact speed [m/s].
const SPEED: f64 = 3.0;
/// Number of steps and their length [s]. The length is below the stability limit, so that both runs take equal steps.
const STEPS: usize = 200;
const STEP: f64 = 1e-4;

/// One check for each law: the largest of three differences between the runs. The first is the largest distance between
/// the two positions of a particle, relative to the block's size. The second is the RMS difference of velocities,
/// relative to the impact speed. The third is the RMS difference of deformation gradients, relative to the norm of the
/// identity. Velocities and gradients use an RMS, because single values differ by a few more units in the last place
/// after 200 steps.
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
    body.add_plane(DVec3::ZERO, Vec3::Y, Contact::Separating, 0.3)?;
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
    let pairs: Vec<(usize, usize)> = order(a).into_iter().zip(order(b)).collect();
    let place = |&(p, q): &(usize, usize)| (a.position(p) - b.position(q)).length() / SIZE;
    let velocity = |&(p, q): &(usize, usize)| (a.velocity(p) - b.velocity(q)).length() / SPEED;
    let deformation = |&(p, q): &(usize, usize)| {
        let gap = a.state.particles.f[p].sub(&b.state.particles.f[q]);
        // The Frobenius norm of the identity is sqrt(3).
        gap.to_rows().iter().map(|e| f64::from(e * e)).sum::<f64>().sqrt() / 3f64.sqrt()
    };
    let mean = |of: &dyn Fn(&(usize, usize)) -> f64| {
        (pairs.iter().map(|pair| of(pair).powi(2)).sum::<f64>() / pairs.len() as f64).sqrt()
    };
    // This form of the comparison keeps NaN.
    let worse = |a: f64, b: f64| if b <= a { a } else { b };
    Ok([mean(&velocity), mean(&deformation)].into_iter().chain(pairs.iter().map(place)).fold(0.0, worse))
}
