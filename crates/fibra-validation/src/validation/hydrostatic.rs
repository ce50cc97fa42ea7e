//! Hydrostatic pressure of water at rest in a tank.

use super::Check;
use super::scenario::{G, Scenario, block};
use fibra_core::geometry::{Contact, RigidPose};
use fibra_mpm::internals::params::{Substance, Transfer};
use fibra_mpm::materials::{Fluid, Material};
use glam::{DVec3, Vec3};

/// Density [kg/m^3].
const DENSITY: f64 = 1000.0;
/// Node spacing [m].
const DX: f64 = 0.025;
/// Half the width of the tank [m].
const HALF_WIDTH: f64 = 10.0 * DX;
/// Number of layers of water, each one cell thick.
const LAYERS: usize = 12;
/// Depth at the start [m].
const DEPTH: f64 = LAYERS as f64 * DX;
/// Only particles at least this far from the walls are measured [m].
const WALL_ZONE: f64 = 3.0 * DX;
/// Time at which gravity reaches its full value and measurements start [s].
const SETTLED: f64 = 0.4;

/// Pressure at three depths in the middle of the tank, compared with `rho g h`, where `h` is the depth below the actual
/// free surface.
///
/// Under its own weight, the water is compressed by `rho g h / 2 K` = 0.4 % on average, which the reference neglects.
/// The pressure in cells next to a wall is about a tenth too high, because their particles transfer part of their
/// stress to held nodes behind the wall. The mean pressure balances the weight. The pressure in the middle is
/// therefore too low, here by 1 to 2 %.
pub fn run() -> Result<Vec<Check>, String> {
    let mut water = tank()?;
    let layer_of: Vec<usize> = water.state.particles.x.iter().map(|x| (f64::from(x[1]) / DX) as usize).collect();
    let mut layers = vec![Layer::default(); LAYERS];
    while water.state.time < SETTLED {
        // Ramp gravity up smoothly to avoid oscillation. The ramp is slow compared with the natural period of the
        // column, 4 h / c = 0.06 s.
        let t = water.state.time / SETTLED;
        water.params.gravity[1] = (-G * t * t * (3.0 - 2.0 * t)) as f32;
        water.step(SETTLED)?;
    }
    water.params.gravity[1] = -G as f32;
    for k in 0..=40 {
        water.advance(SETTLED + 0.005 * f64::from(k))?;
        for p in 0..water.state.particles.len() {
            if water.position(p).x.abs().max(water.position(p).z.abs()) < HALF_WIDTH - WALL_ZONE {
                layers[layer_of[water.state.particles.id[p] as usize]].add(&water, p);
            }
        }
    }
    // The center of the top layer is half a cell below the surface.
    let surface = layers[LAYERS - 1].mean_height() + 0.5 * DX;
    Ok([9, 6, 3]
        .map(|k: usize| {
            let depth = surface - layers[k].mean_height();
            let name = format!("mpm-hydrostatic-{}-cells-deep", LAYERS - k);
            Check::relative(&name, layers[k].mean_pressure(), DENSITY * G * depth, 0.03)
        })
        .to_vec())
}

fn tank() -> Result<Scenario, String> {
    let fluid = Fluid { bulk_modulus: 4e5, gamma: 7.0, viscosity: 0.0 };
    let substance = Substance { material: Material::Fluid(fluid), density: DENSITY as f32 };
    let half = DVec3::new(HALF_WIDTH, 0.5 * DEPTH, HALF_WIDTH);
    let pose = RigidPose::at(DVec3::new(0.0, half.y, 0.0));
    let mut water = Scenario::new(DX, block(half.as_vec3(), pose, substance)?)?;
    water.add_plane(DVec3::ZERO, Vec3::Y, Contact::Slip, 0.0)?;
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        water.add_plane(-HALF_WIDTH * normal.as_dvec3(), normal, Contact::Slip, 0.0)?;
    }
    water.params.transfer = Transfer::Apic { damping: 555.0 };
    Ok(water)
}

/// Sums over time, and over the particles that started in one layer.
#[derive(Clone, Copy, Default)]
struct Layer {
    count: f64,
    height: f64,
    pressure: f64,
}

impl Layer {
    fn add(&mut self, water: &Scenario, p: usize) {
        let particles = &water.state.particles;
        self.count += 1.0;
        self.height += water.position(p).y;
        // tau = J sigma, and `memory` of a fluid is J.
        self.pressure -= f64::from(particles.tau[p].trace() / (3.0 * particles.memory[p]));
    }

    fn mean_height(&self) -> f64 {
        self.height / self.count
    }

    fn mean_pressure(&self) -> f64 {
        self.pressure / self.count
    }
}
