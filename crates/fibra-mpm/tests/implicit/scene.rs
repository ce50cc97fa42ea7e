//! Small scenes of jelly, water, cloth and threads.

use fibra_core::geometry::Motion;
use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Implicit, Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::start;
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Cloth, Fiber, FixedCorotated, Fluid, Lame, Material, MeshProperties};
use glam::DVec3;
use std::ops::Range;

/// Node spacing [m].
pub const DX: f64 = 0.05;
/// Object indices.
pub const CLOTH: u32 = 0;
pub const THREAD: u32 = 1;
pub const JELLY: u32 = 2;
pub const WATER: u32 = 3;

pub const IMPLICIT: Implicit = Implicit { newton_iterations: 10, linear_iterations: 100, tolerance: 1e-3 };

/// Implicit integration, no gravity, no colliders; one object of each material.
pub fn params() -> Params {
    let cloth = Cloth::new(Lame::new(400.0, 0.3), 800.0, 50.0, 0.3, ContactModel::Frictional);
    let fiber = Fiber::new(2000.0, 100.0, Lame::new(200.0, 0.3), 0.3, ContactModel::Frictional);
    let jelly = FixedCorotated { lame: Lame::new(1e3, 0.3) };
    let water = Fluid { bulk_modulus: 1e3, gamma: 7.0, viscosity: 0.5 };
    let object = |name: &str, material| Object { name: name.to_owned(), material };
    Params {
        dx: DX as f32,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0; 3],
        integrator: Integrator::Implicit(IMPLICIT),
        limits: StepLimits { cfl: 0.3, sound_cfl: 0.4, max_dt: 1e-2, min_dt: 1e-9 },
        objects: vec![object("cloth", 0), object("thread", 1), object("jelly", 2), object("water", 3)],
        substances: vec![
            Substance { material: Material::Cloth(cloth), density: 2.0 },
            Substance { material: Material::Fiber(fiber), density: 4.0 },
            Substance { material: Material::FixedCorotated(jelly), density: 100.0 },
            Substance { material: Material::Fluid(water), density: 100.0 },
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

/// Adds a sheet of `n[0]` by `n[1]` quads from the origin along x and z. Vertices are then moved by `place`.
pub fn add_cloth(
    b: &mut Builder,
    n: [u32; 2],
    size: [f64; 2],
    motion: &StartMotion,
    place: impl Fn(DVec3) -> DVec3,
) -> Range<u32> {
    let at = |i: u32, k: usize| f64::from(i) / f64::from(n[k]) * size[k];
    let vertices: Vec<DVec3> = (0..=n[0])
        .flat_map(|i| (0..=n[1]).map(move |j| (i, j)))
        .map(|(i, j)| place(DVec3::new(at(i, 0), 0.0, at(j, 1))))
        .collect();
    let mut triangles = Vec::new();
    let row = n[1] + 1;
    for i in 0..n[0] {
        for j in 0..n[1] {
            let [a, b, c, d] = [i * row + j, (i + 1) * row + j, i * row + j + 1, (i + 1) * row + j + 1];
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

/// Adds a thread of `n` segments from `from` to `to` [m].
pub fn add_thread(b: &mut Builder, n: u32, from: DVec3, to: DVec3, motion: &StartMotion) -> Range<u32> {
    let vertices: Vec<DVec3> = (0..=n).map(|i| from.lerp(to, f64::from(i) / f64::from(n))).collect();
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

/// Adds a block of points from `low` to `high` [m], eight per cell.
pub fn add_block(b: &mut Builder, object: u32, low: DVec3, high: DVec3, motion: &StartMotion) {
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
    b.add_points(object, &points, h * h * h, 100.0, motion);
}

/// All objects together: cloth between jelly and water above and a thread below, and a corner that is pinned until `release`.
pub fn crowd(release: f64) -> (Params, State) {
    let mut params = params();
    let mut b = Builder::new(DVec3::ZERO);
    let center = DVec3::new(0.3, 0.0, 0.3);
    let cloth = add_cloth(&mut b, [16, 16], [0.6, 0.6], &moving(DVec3::ZERO, DVec3::ZERO), |x| x - center);
    let (low, high) = (DVec3::new(-0.15, 0.06, -0.1), DVec3::new(0.15, 0.16, 0.0));
    add_block(&mut b, JELLY, low, high, &moving(DVec3::NEG_Y, DVec3::Z));
    add_block(&mut b, WATER, low + DVec3::Z * 0.12, high + DVec3::Z * 0.12, &moving(DVec3::NEG_Y, DVec3::X));
    let thread = DVec3::new(0.3, -0.1, 0.02);
    add_thread(&mut b, 20, -thread, thread, &moving(DVec3::Y, DVec3::ZERO));
    let wave = fibra_core::geometry::Spin::new(DVec3::Y, 3.0, None).unwrap();
    b.add_pin(&[cloth.start, cloth.start + 1], Motion::Spin(wave), DVec3::ZERO, release);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    (params, state)
}
