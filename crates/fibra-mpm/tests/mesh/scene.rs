//! Small scenes of cloth, threads and sand.

use fibra_core::geometry::Motion;
use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{StepError, start, step};
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Cloth, Fiber, Lame, Material, MeshProperties, Sand};
use glam::DVec3;
use std::ops::Range;

/// Node spacing [m].
pub const DX: f64 = 0.05;
/// Object indices.
pub const CLOTH: u32 = 0;
pub const THREAD: u32 = 1;
pub const SAND: u32 = 2;

/// No gravity, no colliders; one object of each material.
pub fn params() -> Params {
    let cloth = Cloth::new(Lame::new(400.0, 0.3), 800.0, 50.0, 0.3, ContactModel::Frictional);
    let fiber = Fiber::new(2000.0, 100.0, Lame::new(200.0, 0.3), 0.3, ContactModel::Frictional);
    let sand = Sand::new(Lame::new(5e3, 0.3), 0.5, 0.0, true);
    let object = |name: &str, material| Object { name: name.to_owned(), material };
    Params {
        dx: DX as f32,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0; 3],
        integrator: Integrator::Explicit,
        limits: StepLimits { cfl: 0.3, sound_cfl: 0.3, max_dt: 1e-2, min_dt: 1e-9 },
        objects: vec![object("cloth", 0), object("thread", 1), object("sand", 2)],
        substances: vec![
            Substance { material: Material::Cloth(cloth), density: 2.0 },
            Substance { material: Material::Fiber(fiber), density: 4.0 },
            Substance { material: Material::Sand(sand), density: 20.0 },
        ],
        meshes: Meshes::default(),
        grains: Vec::new(),
        colliders: Vec::new(),
        origin: DVec3::ZERO,
    }
}

pub const CLOTH_FABRIC: Fabric = Fabric { density: 2.0, section: 0.05, follows_mesh: true };
/// Bending stiffness of the cloth [N m] and of the thread [N m^2].
pub const STIFFNESS: [f64; 2] = [0.02, 1e-3];
pub const THREAD_FABRIC: Fabric = Fabric { density: 4.0, section: 1e-3, follows_mesh: true };

pub fn moving(velocity: DVec3, spin: DVec3) -> StartMotion {
    StartMotion { velocity, spin, center: DVec3::ZERO, affine: true }
}

/// Adds a square of cloth in the plane y = 0, centered at the origin, with `n` quads along each side of `size` [m]. Vertices are
/// then moved by `place`.
pub fn add_cloth(
    b: &mut Builder,
    n: u32,
    size: f64,
    motion: &StartMotion,
    place: impl Fn(DVec3) -> DVec3,
) -> Range<u32> {
    let at = |i: u32| (f64::from(i) / f64::from(n) - 0.5) * size;
    let vertices: Vec<DVec3> =
        (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| place(DVec3::new(at(i), 0.0, at(j)))).collect();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [i * (n + 1) + j, (i + 1) * (n + 1) + j, i * (n + 1) + j + 1, (i + 1) * (n + 1) + j + 1];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let ids = b.add_surface(CLOTH, &vertices, &triangles, &CLOTH_FABRIC, motion).unwrap();
    let bending = MeshProperties {
        bending_stiffness: STIFFNESS[0],
        poisson_ratio: 0.3,
        section: CLOTH_FABRIC.section,
        ..MeshProperties::NONE
    };
    b.bend_surface(ids.start, &vertices, &triangles, &bending, CLOTH_FABRIC.density);
    ids
}

/// Adds a straight thread of `n` segments from `from` to `to` [m].
pub fn add_thread(b: &mut Builder, n: u32, from: DVec3, to: DVec3, motion: &StartMotion) -> Range<u32> {
    add_curved_thread(b, n, |s| from.lerp(to, s), motion)
}

/// Adds a thread of `n` segments whose vertices are at `place(s)` [m], with `s` from 0 to 1.
pub fn add_curved_thread(b: &mut Builder, n: u32, place: impl Fn(f64) -> DVec3, motion: &StartMotion) -> Range<u32> {
    let vertices: Vec<DVec3> = (0..=n).map(|i| place(f64::from(i) / f64::from(n))).collect();
    let segments: Vec<[u32; 2]> = (0..n).map(|i| [i, i + 1]).collect();
    let ids = b.add_curves(THREAD, &vertices, &segments, &THREAD_FABRIC, motion).unwrap();
    let bending = MeshProperties {
        bending_stiffness: STIFFNESS[1],
        twisting_stiffness: STIFFNESS[1],
        section: THREAD_FABRIC.section,
        ..MeshProperties::NONE
    };
    b.bend_curves(ids.start, &vertices, &segments, &bending, THREAD_FABRIC.density);
    ids
}

/// Adds a block of sand from `low` to `high` [m], eight particles per cell.
pub fn add_sand(b: &mut Builder, low: DVec3, high: DVec3, motion: &StartMotion) {
    let h = 0.5 * DX;
    let counts = ((high - low) / h).round().as_uvec3();
    let mut points = Vec::new();
    for i in 0..counts.x {
        for j in 0..counts.y {
            for k in 0..counts.z {
                points.push(low + h * (DVec3::new(i.into(), j.into(), k.into()) + 0.5));
            }
        }
    }
    b.add_points(SAND, &points, h * h * h, 20.0, motion);
}

/// All objects together: a cloth between sand above and a thread below, and a corner that is pinned until `release`.
pub fn crowd(release: f64) -> (Params, State) {
    let mut params = params();
    let mut b = Builder::new(DVec3::ZERO);
    let cloth = add_cloth(&mut b, 16, 0.6, &moving(DVec3::ZERO, DVec3::ZERO), |x| x);
    add_sand(&mut b, DVec3::new(-0.1, 0.06, -0.1), DVec3::new(0.1, 0.16, 0.1), &moving(DVec3::NEG_Y, DVec3::ZERO));
    let thread = DVec3::new(0.3, -0.1, 0.02);
    add_thread(&mut b, 20, -thread, thread, &moving(DVec3::Y, DVec3::ZERO));
    let corner = [cloth.start, cloth.start + 1];
    let wave = fibra_core::geometry::Spin::new(DVec3::Y, 3.0, None).unwrap();
    b.add_pin(&corner, Motion::Spin(wave), DVec3::ZERO, release);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    (params, state)
}

/// Takes a number of steps.
pub fn advance(params: &Params, state: &mut State, work: &mut Workspace, steps: usize) -> Result<(), StepError> {
    (0..steps).try_for_each(|_| step(params, state, work, f64::INFINITY).map(|_| ()))
}
