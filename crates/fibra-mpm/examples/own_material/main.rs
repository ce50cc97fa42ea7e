//! A law written outside the crate: a cube of Mooney-Rivlin rubber is thrown apart and springs back.
//!
//! `cargo run --release -p fibra-mpm --example own_material`

mod mooney_rivlin;

use fibra_mpm::builder::{Builder, StartMotion};
use fibra_mpm::materials::Material;
use fibra_mpm::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::step::{StepError, start, step};
use fibra_mpm::workspace::Workspace;
use glam::DVec3;
use mooney_rivlin::MooneyRivlin;

/// Distance between particles [m].
const SPACING: f64 = 0.01;

fn main() -> Result<(), StepError> {
    let rubber = Material::custom_implicit(MooneyRivlin { c1: 1e4, c2: 2e3, k: 1e5 });
    let density = 1000.0;
    let mut builder = Builder::new(DVec3::ZERO);
    builder.add_points(0, &cube(20), SPACING.powi(3), density, &StartMotion::default());
    let (mut state, meshes) = builder.finish();
    let params = Params {
        dx: 2.0 * SPACING as f32,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0; 3],
        integrator: Integrator::Explicit,
        limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1e-3, min_dt: 1e-9 },
        objects: vec![Object { name: "cube".to_owned(), material: 0 }],
        substances: vec![Substance { material: rubber, density: density as f32 }],
        meshes,
        grains: Vec::new(),
        colliders: Vec::new(),
        origin: DVec3::ZERO,
    };
    // Its ends fly apart with 1 m/s each.
    for (v, x) in state.particles.v.iter_mut().zip(&state.particles.x) {
        v[1] = 10.0 * x[1];
    }
    start(&params, &mut state);
    let mut work = Workspace::default();
    for frame in 0..=10 {
        let until = 0.01 * f64::from(frame);
        while state.time < until {
            step(&params, &mut state, &mut work, until)?;
        }
        let top = state.particles.x.iter().fold(0.0f32, |top, x| top.max(x[1]));
        println!("{:.2} s: {:.3} m high", state.time, 2.0 * top);
    }
    Ok(())
}

/// `n` particles along each edge, about the origin.
fn cube(n: u32) -> Vec<DVec3> {
    let at = |i: u32| DVec3::new(f64::from(i / (n * n)), f64::from(i / n % n), f64::from(i % n));
    (0..n.pow(3)).map(|i| SPACING * (at(i) - 0.5 * f64::from(n - 1))).collect()
}
