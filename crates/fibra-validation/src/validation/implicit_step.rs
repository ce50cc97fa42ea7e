//! A stiff curtain that swings from its rail: implicit steps that are ten times as long as explicit steps must give the
//! same shape in less time.

use super::Check;
use super::scenario::G;
use fibra_core::geometry::Motion;
use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::params::{Implicit, Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{start, step};
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Cloth, Lame, Material};
use glam::DVec3;
use std::time::Instant;

/// Width and height of the curtain [m].
const SIZE: f64 = 0.5;
/// Quads along each side.
const QUADS: u32 = 50;
/// Young's modulus [Pa]. The curtain stretches by a quarter of a percent under its own weight.
const YOUNGS_MODULUS: f64 = 1e5;
/// Density [kg/m^3].
const DENSITY: f64 = 100.0;
/// Time at which the shapes are compared [s]. By then, the curtain has passed its lowest position and is swinging back.
const END: f64 = 0.8;

/// Settings of the implicit solver. The tolerance is a tenth of the weight. It is small compared with the stiff
/// internal forces, and the next step corrects the remaining residual.
pub const SOLVER: Implicit = Implicit { newton_iterations: 10, linear_iterations: 50, tolerance: 0.1 };

/// Checks the RMS distance between corresponding vertices of the two curtains, relative to the height, and the ratio of
/// implicit to explicit wall time. The error of the ratio is its excess over 1.
pub fn run() -> Result<Vec<Check>, String> {
    let mut explicit = Curtain::new(Integrator::Explicit)?;
    let first = explicit.step(END)?;
    let mut implicit = Curtain::new(Integrator::Implicit(SOLVER))?;
    implicit.params.limits.max_dt = 10.0 * first;
    // Interleave short slices of both runs, so that other load on the machine slows both.
    let mut seconds = [0.0; 2];
    for slice in 1..=20 {
        let until = END * f64::from(slice) / 20.0;
        for (curtain, seconds) in [&mut explicit, &mut implicit].into_iter().zip(&mut seconds) {
            let clock = Instant::now();
            curtain.advance(until)?;
            *seconds += clock.elapsed().as_secs_f64();
        }
    }
    let (a, b) = (explicit.vertices(), implicit.vertices());
    let square = a.iter().zip(&b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / a.len() as f64;
    let shape = square.sqrt() / SIZE;
    let ratio = seconds[1] / seconds[0];
    Ok(vec![
        Check { name: "implicit-step-shape".to_owned(), measured: shape, expected: 0.0, error: shape, tolerance: 0.02 },
        Check {
            name: "implicit-step-time".to_owned(),
            measured: ratio,
            expected: 1.0,
            error: (ratio - 1.0).max(0.0),
            tolerance: 0.0,
        },
    ])
}

/// A curtain of cloth, held along its top edge and released at 0.3 rad from the vertical.
pub struct Curtain {
    /// Simulation parameters.
    pub params: Params,
    /// The particles.
    pub state: State,
    work: Workspace,
}

impl Curtain {
    /// The curtain before the first step, at rest.
    pub fn new(integrator: Integrator) -> Result<Curtain, String> {
        let h = SIZE / f64::from(QUADS);
        let dx = 2.0 * h;
        let lean = DVec3::new(0.0, -(0.3f64.cos()), 0.3f64.sin());
        let row = QUADS + 1;
        let place = |v: u32| DVec3::X * (f64::from(v / row) * h) + lean * (f64::from(v % row) * h);
        let vertices: Vec<DVec3> = (0..row * row).map(place).collect();
        let mut triangles = Vec::with_capacity(2 * (QUADS * QUADS) as usize);
        for i in 0..QUADS {
            for j in 0..QUADS {
                let a = i * row + j;
                triangles.extend([[a, a + 1, a + row], [a + row, a + 1, a + row + 1]]);
            }
        }
        let fabric = Fabric { density: DENSITY, section: 0.1 * dx, follows_mesh: true };
        let mut b = Builder::new(DVec3::ZERO);
        let numbers =
            b.add_surface(0, &vertices, &triangles, &fabric, &StartMotion::default()).map_err(|e| e.to_string())?;
        let rail: Vec<u32> = (0..row).map(|i| numbers.start + i * row).collect();
        b.add_pin(&rail, Motion::Still, DVec3::ZERO, f64::INFINITY);
        let (mut state, meshes) = b.finish();
        let stiffness = YOUNGS_MODULUS as f32;
        let cloth = Cloth::new(
            Lame::new(YOUNGS_MODULUS, 0.3),
            stiffness,
            0.1 * stiffness,
            17f64.to_radians(),
            ContactModel::Frictional,
        );
        let params = Params {
            dx: dx as f32,
            kernel: Kernel::Quadratic,
            transfer: Transfer::Apic { damping: 0.0 },
            gravity: [0.0, -G as f32, 0.0],
            integrator,
            limits: StepLimits { cfl: 0.5, sound_cfl: 0.4, max_dt: 1e-2, min_dt: 1e-9 },
            objects: vec![Object { name: "curtain".to_owned(), material: 0 }],
            substances: vec![Substance { material: Material::Cloth(cloth), density: DENSITY as f32 }],
            meshes,
            grains: Vec::new(),
            colliders: Vec::new(),
            origin: DVec3::ZERO,
        };
        start(&params, &mut state);
        Ok(Curtain { params, state, work: Workspace::default() })
    }

    /// Takes one step, which ends at `until` [s] at the latest. Returns its length [s].
    pub fn step(&mut self, until: f64) -> Result<f64, String> {
        step(&self.params, &mut self.state, &mut self.work, until).map_err(|e| format!("{} in {}", e, e.stage()))
    }

    /// Steps until time `until` [s].
    fn advance(&mut self, until: f64) -> Result<(), String> {
        while self.state.time < until {
            self.step(until)?;
        }
        Ok(())
    }

    /// Positions of the vertices, ordered by number [m].
    fn vertices(&self) -> Vec<DVec3> {
        let p = &self.state.particles;
        let meshed = (0..p.len()).filter(|&i| matches!(p.kind[i], Kind::Vertex | Kind::Held));
        let mut all: Vec<(u32, DVec3)> = meshed.map(|i| (p.id[i], DVec3::from_array(p.x[i].map(f64::from)))).collect();
        all.sort_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, x)| x).collect()
    }
}
