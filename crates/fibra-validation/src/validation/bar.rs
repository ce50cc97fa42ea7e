//! Axial vibration of a clamped-free bar in its lowest mode.

use super::Check;
use super::scenario::{Scenario, block, jelly};
use fibra_core::geometry::{Contact, RigidPose};
use fibra_core::mat3::Mat3;
use glam::{DVec3, Vec3};
use std::f64::consts::FRAC_PI_2;

/// Length `L` [m].
const LENGTH: f64 = 1.0;
/// Cells along the bar.
const CELLS: f64 = 40.0;
/// Young's modulus [Pa]. Poisson's ratio is zero, so there is no lateral motion and `c = sqrt(E / rho)`.
const YOUNGS_MODULUS: f64 = 1e6;
/// Largest strain [-].
const STRAIN: f64 = 1e-3;
/// Number of zero crossings, half a period apart.
const CROSSINGS: usize = 9;

/// Period of the lowest axial mode, compared with `4 L / c`.
///
/// The clamp holds every node at `x <= 0`, and the bar fills `0 < x < L`. Only nodes are held, so particles next to the
/// clamp also interpolate from the first free node. The discrete bar has the stiffness
/// `K = sum_p V E g_p g_p^T` with the gradient weights `g_p`, and lumped masses. Its lowest eigenvalue equals that of a
/// continuous bar that is longer than `L` by 0.18 cells, for 20 cells as well as for 80. With 40 cells the period is
/// therefore too long by 0.45 %. The check compares the uncorrected period with `4 L / c`.
pub fn run() -> Result<Vec<Check>, String> {
    let substance = jelly(YOUNGS_MODULUS, 0.0);
    let c = (YOUNGS_MODULUS / f64::from(substance.density)).sqrt();
    let dx = LENGTH / CELLS;
    let half = Vec3::new(0.5 * LENGTH as f32, dx as f32, dx as f32);
    let mut bar = Scenario::new(dx, block(half, RigidPose::at(DVec3::new(0.5 * LENGTH, 0.0, 0.0)), substance)?)?;
    bar.add_plane(DVec3::ZERO, Vec3::X, Contact::Sticky, 0.0)?;
    bar.params.gravity = [0.0; 3];

    // v = V sin(k x): the mode passes its rest position at maximum speed V, which is c times the largest strain.
    let k = FRAC_PI_2 / LENGTH;
    let shape: Vec<f64> = bar.state.particles.x.iter().map(|x| (k * f64::from(x[0])).sin()).collect();
    let p = &mut bar.state.particles;
    for (i, s) in shape.iter().enumerate() {
        p.v[i][0] = (c * STRAIN * s) as f32;
        p.c[i] = Mat3::diagonal((c * STRAIN * k * (1.0 - s * s).sqrt()) as f32, 0.0, 0.0);
    }

    let mut crossings = Vec::new();
    let mut before = (0.0, amplitude(&bar, &shape));
    while crossings.len() < CROSSINGS {
        bar.step(f64::INFINITY)?;
        let now = (bar.state.time, amplitude(&bar, &shape));
        if before.1 * now.1 < 0.0 {
            crossings.push(before.0 + (now.0 - before.0) * before.1 / (before.1 - now.1));
        }
        before = now;
        if now.0 > 100.0 * LENGTH / c {
            return Err(format!("only {} zero crossings in 25 periods", crossings.len()));
        }
    }
    let period = 2.0 * (crossings[CROSSINGS - 1] - crossings[0]) / (CROSSINGS - 1) as f64;
    Ok(vec![Check::relative("mpm-bar", period, 4.0 * LENGTH / c, 0.02)])
}

/// Projection of the velocities onto the mode, evaluated at the initial particle positions.
fn amplitude(bar: &Scenario, shape: &[f64]) -> f64 {
    let p = &bar.state.particles;
    p.v.iter().zip(&p.id).map(|(v, &id)| f64::from(v[0]) * shape[id as usize]).sum()
}
