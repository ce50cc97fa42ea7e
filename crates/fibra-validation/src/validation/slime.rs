//! A viscoelastic liquid in shear: growth of the stress at constant rate, and relaxation after the flow stops.

use super::Check;
use super::scenario::{Scenario, block};
use fibra_core::geometry::RigidPose;
use fibra_core::mat3::Mat3;
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::{Fluid, Material, Slime};
use glam::Vec3;

/// Relaxation time [s].
const LAMBDA: f64 = 0.1;
/// Shear modulus [Pa].
const G: f64 = 40.0;
/// Viscosity of the solvent [Pa s].
const SOLVENT: f64 = 1.0;
/// Shear rate [1/s].
const RATE: f64 = 2.0;
/// Time step [s].
const DT: f64 = 5e-4;

/// The stress in the middle of a block in simple shear. The block is so heavy that its inertia maintains the flow. After five relaxation times
/// the flow stops.
///
/// With Oldroyd's model B, `tau_xy = eta_s g + G lambda g (1 - exp(-t / lambda))` and `N1 = 2 G (lambda g)^2 (1 - (1 + t / lambda) exp(-t / lambda))`
/// while it flows, and `tau_xy = tau_xy(0) exp(-t / lambda)` without the solvent's share afterwards.
pub fn run() -> Result<Vec<Check>, String> {
    let liquid = Fluid { bulk_modulus: 4e4, gamma: 7.0, viscosity: SOLVENT as f32 };
    let material = Material::Slime(Slime { shear_modulus: G as f32, relaxation_time: LAMBDA as f32, liquid });
    let substance = Substance { material, density: 1e6 };
    let mut slime = Scenario::new(0.05, block(Vec3::splat(0.3), RigidPose::IDENTITY, substance)?)?;
    slime.params.gravity = [0.0; 3];
    set_flow(&mut slime, RATE);
    let mut checks = Vec::new();
    for (name, time) in [("half", 0.5), ("one", 1.0), ("five", 5.0)] {
        advance(&mut slime, time * LAMBDA)?;
        let [shear, normal] = stress(&slime);
        let decay = (-time).exp();
        let expected = SOLVENT * RATE + G * LAMBDA * RATE * (1.0 - decay);
        checks.push(Check::relative(&format!("mpm-slime-growth-{name}"), shear, expected, 0.01));
        if name == "five" {
            let expected = 2.0 * G * (LAMBDA * RATE).powi(2) * (1.0 - (1.0 + time) * decay);
            checks.push(Check::relative("mpm-slime-normal-stress", normal, expected, 0.02));
        }
    }
    let start = G * LAMBDA * RATE * (1.0 - (-5.0f64).exp());
    let stopped = slime.state.time;
    set_flow(&mut slime, 0.0);
    for (name, time) in [("half", 0.5), ("one", 1.0), ("two", 2.0)] {
        advance(&mut slime, stopped + time * LAMBDA)?;
        let expected = start * (-time).exp();
        checks.push(Check::relative(&format!("mpm-slime-relaxation-{name}"), stress(&slime)[0], expected, 0.02));
    }
    Ok(checks)
}

/// Sets the velocities to `v = rate y e_x`.
fn set_flow(slime: &mut Scenario, rate: f64) {
    for p in 0..slime.state.particles.len() {
        let height = slime.position(p).y;
        slime.state.particles.v[p] = [(rate * height) as f32, 0.0, 0.0];
        slime.state.particles.c[p] = Mat3 { xy: rate as f32, ..Mat3::ZERO };
    }
}

fn advance(slime: &mut Scenario, until: f64) -> Result<(), String> {
    while slime.state.time < until {
        let next = (slime.state.time + DT).min(until);
        slime.step(next)?;
    }
    Ok(())
}

/// Returns the mean shear stress and first normal stress difference [Pa] in the middle of the block.
fn stress(slime: &Scenario) -> [f64; 2] {
    let mut sums = [0.0; 3];
    for p in 0..slime.state.particles.len() {
        if slime.position(p).abs().max_element() < 0.06 {
            let tau = slime.state.particles.tau[p];
            sums[0] += 1.0;
            sums[1] += f64::from(tau.xy);
            sums[2] += f64::from(tau.xx - tau.yy);
        }
    }
    [sums[1] / sums[0], sums[2] / sums[0]]
}
