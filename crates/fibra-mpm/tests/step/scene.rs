//! Small scenes for tests.

use fibra_core::block_key::BLOCK_EDGE;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::random::CounterRng;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{StepError, step};
use fibra_mpm::internals::workspace::{Grid, Workspace};
use fibra_mpm::materials::{FixedCorotated, Fluid, Goo, Lame, Material, NeoHookean, Sand, Snow};
use glam::DVec3;

pub const KERNELS: [Kernel; 3] = [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic];

pub const TRANSFERS: [Transfer; 5] = [
    Transfer::Pic,
    Transfer::Apic { damping: 0.0 },
    Transfer::Apic { damping: 350.0 },
    Transfer::Flip { ratio: 0.95 },
    Transfer::Sflip { ratio: 0.9, trap_breaking: [0.2, 0.8] },
];

/// Rest density of all materials here [kg/m^3].
pub const DENSITY: f32 = 1000.0;

/// One object of each law, by index: jelly, rubber, snow, sand, water, goo.
pub fn params(dx: f32, kernel: Kernel, transfer: Transfer) -> Params {
    let lame = Lame::new(1e5, 0.3);
    let materials = [
        Material::FixedCorotated(FixedCorotated { lame }),
        Material::NeoHookean(NeoHookean { lame }),
        Material::Snow(Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 }),
        Material::Sand(Sand::new(lame, 0.6, 0.0, true)),
        Material::Fluid(Fluid { bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.1 }),
        Material::Goo(Goo { lame, yield_stress: 100.0, viscosity: 5.0 }),
    ];
    Params {
        dx,
        kernel,
        transfer,
        gravity: [0.0; 3],
        integrator: Integrator::Explicit,
        meshes: Meshes::default(),
        limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1e-3, min_dt: 1e-12 },
        objects: (0..materials.len() as u32).map(|material| Object { name: format!("{material}"), material }).collect(),
        substances: materials.map(|material| Substance { material, density: DENSITY }).to_vec(),
        grains: Vec::new(),
        colliders: Vec::new(),
        origin: DVec3::ZERO,
    }
}

/// Indices into the objects of [`params`].
pub const JELLY: u32 = 0;
pub const SAND: u32 = 3;
pub const WATER: u32 = 4;
/// Number of objects in [`params`].
pub const OBJECTS: u32 = 6;

/// Adds a particle at rest; its id is its index in the order of adding.
pub fn add(state: &mut State, object: u32, x: [f32; 3], v: [f32; 3], volume: f32) {
    let p = &mut state.particles;
    p.id.push(p.x.len() as u32);
    p.x.push(x);
    p.v.push(v);
    p.c.push(Mat3::ZERO);
    p.f.push(Mat3::IDENTITY);
    p.tau.push(Sym3::default());
    p.memory.push(0.0);
    p.kind.push(Kind::Point);
    p.mass.push(volume * DENSITY);
    p.volume.push(volume);
    p.object.push(object);
}

/// Adds a cube with its lowest corner at `corner` [cells], `edge` cells long, with eight particles per cell, all with velocity `v`.
pub fn add_cube(params: &Params, state: &mut State, object: u32, corner: [f32; 3], edge: u32, v: [f32; 3]) {
    let spacing = 0.5 * params.dx;
    let n = 2 * edge;
    for cell in 0..n * n * n {
        let at = [cell / (n * n), cell / n % n, cell % n];
        let x = std::array::from_fn(|a| corner[a] * params.dx + (at[a] as f32 + 0.5) * spacing);
        add(state, object, x, v, spacing.powi(3));
    }
}

/// Returns `count` particles of all materials at random positions in a box of a few blocks on both sides of the origin, with random
/// velocities, affine velocities, deformations and stresses.
pub fn random_cloud(params: &Params, count: u64) -> State {
    let rng = CounterRng::new(77);
    let mut state = State::default();
    for i in 0..count {
        let mut k = 0;
        let mut between = |from: f64, to: f64| {
            k += 1;
            (from + (to - from) * rng.uniform(&[i, k])) as f32
        };
        // Positions away from the nodes, where the gradient of a linear spline over its mass is unbounded.
        let x = [-9.0, -5.0, -7.0].map(|low: f64| {
            let cell = between(low, low + 13.0).floor();
            (cell + between(0.04, 0.96)) * params.dx
        });
        let v = [0; 3].map(|_| between(-2.0, 2.0));
        let object = (i % u64::from(OBJECTS)) as u32;
        let volume = between(0.05, 0.2) * params.dx.powi(3);
        add(&mut state, object, x, v, volume);
        let p = &mut state.particles;
        let n = p.len() - 1;
        p.c[n] = Mat3::from_rows([0; 9].map(|_| between(-5.0, 5.0)));
        p.f[n] = Mat3::IDENTITY.add(&Mat3::from_rows([0; 9].map(|_| between(-0.1, 0.1))));
        let [xx, yy, zz, yz, xz, xy] = [0; 6].map(|_| between(-3e3, 3e3));
        p.tau[n] = Sym3 { xx, yy, zz, yz, xz, xy };
        p.memory[n] = params.substance_of(object).material.initial_memory();
    }
    state
}

/// Takes `count` steps of stable length.
pub fn advance(params: &Params, state: &mut State, work: &mut Workspace, count: usize) -> Result<(), StepError> {
    (0..count).try_for_each(|_| step(params, state, work, f64::INFINITY).map(drop))
}

/// Returns the index of each particle in the sorted arrays, by id.
pub fn places(state: &State) -> Vec<usize> {
    let mut places = vec![0; state.particles.len()];
    state.particles.id.iter().enumerate().for_each(|(at, &id)| places[id as usize] = at);
    places
}

/// Returns a node's index on the infinite grid, from its block and its index in the block.
pub fn node_index(grid: &Grid, block: usize, n: usize) -> [i32; 3] {
    let [x, y, z] = grid.topology.keys[block].coordinates().map(|c| c * BLOCK_EDGE);
    let n = n as i32;
    [x + n / 16, y + n / 4 % 4, z + n % 4]
}
