//! Cost of a step for cloth and fibers in self-contact.

use super::Timed;
use super::mpm_steps::time_steps;
use crate::validation::implicit_step::{Curtain, SOLVER};
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_core::random::CounterRng;
use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::step::start;
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Cloth, Fiber, Lame, Material, MeshProperties};
use glam::{DVec3, Vec3};

/// Edge length of the meshes, relative to the node spacing [-]. The paper recommends at most 1.
const EDGE: f64 = 0.7;

/// Height of the lowest particles above the floor [cells]. It is the same as for the block of jelly with which the cost
/// is compared.
const ABOVE_FLOOR: f64 = 3.25;

/// Four sheets of cloth, one cell apart, that fall on a floor: the cloth of [Jiang2017, Fig. 3], 271,204 particles. They bend as `bending` says.
pub fn cloth(bending: MeshProperties) -> Result<Timed, String> {
    let dx = 1.5e-3;
    let law = Cloth::new(Lame::new(200.0, 0.3), 100.0, 0.0, 0.0, ContactModel::Frictional);
    let mut b = Builder::new(DVec3::ZERO);
    let (n, h) = (150u32, EDGE * dx);
    for sheet in 0..4u32 {
        let y = (ABOVE_FLOOR + f64::from(sheet)) * dx;
        let noise = CounterRng::new(sheet.into());
        let vertices: Vec<DVec3> = (0..(n + 1) * (n + 1))
            .map(|v| {
                let shift = |axis: u64| 0.2 * h * (noise.uniform(&[v.into(), axis]) - 0.5);
                let (i, j) = (f64::from(v / (n + 1)), f64::from(v % (n + 1)));
                DVec3::new(i * h + shift(0), y + shift(1), j * h + shift(2))
            })
            .collect();
        let mut triangles = Vec::with_capacity(2 * (n * n) as usize);
        for i in 0..n {
            for j in 0..n {
                let a = i * (n + 1) + j;
                triangles.extend([[a, a + 1, a + n + 1], [a + n + 1, a + 1, a + n + 2]]);
            }
        }
        let fabric = Fabric { density: 2.0, section: dx, follows_mesh: true };
        let ids =
            b.add_surface(0, &vertices, &triangles, &fabric, &StartMotion::default()).map_err(|e| e.to_string())?;
        let bending = MeshProperties { section: fabric.section, ..bending };
        b.bend_surface(ids.start, &vertices, &triangles, &bending, fabric.density);
    }
    time(dx, 1e-4, 1.2e4, Substance { material: Material::Cloth(law), density: 2.0 }, b)
}

/// A square bundle of 1,600 hairs that falls on a floor: the hair of [Jiang2017, Fig. 13], 257,600 particles. They bend as `bending` says.
pub fn fibers(bending: MeshProperties) -> Result<Timed, String> {
    let dx = 7e-3;
    let law = Fiber::new(2000.0, 10.0, Lame::new(60.0, 0.3), 15f64.to_radians(), ContactModel::Frictional);
    let mut b = Builder::new(DVec3::ZERO);
    let (side, segments, h) = (40u32, 80u32, EDGE * dx);
    let noise = CounterRng::new(0);
    let mut vertices = Vec::new();
    let mut edges = Vec::new();
    for strand in 0..side * side {
        for k in 0..=segments {
            if k > 0 {
                edges.push([vertices.len() as u32 - 1, vertices.len() as u32]);
            }
            let shift = |axis: u64| 0.3 * h * (noise.uniform(&[strand.into(), axis]) - 0.5);
            let (i, j) = (f64::from(strand / side), f64::from(strand % side));
            vertices.push(DVec3::new(f64::from(k) * h, ABOVE_FLOOR * dx + i * h + shift(0), j * h + shift(1)));
        }
    }
    let fabric = Fabric { density: 1.0, section: 1e-6, follows_mesh: true };
    let ids = b.add_curves(0, &vertices, &edges, &fabric, &StartMotion::default()).map_err(|e| e.to_string())?;
    let bending = MeshProperties { section: fabric.section, ..bending };
    b.bend_curves(ids.start, &vertices, &edges, &bending, fabric.density);
    time(dx, 2e-4, 363.0, Substance { material: Material::Fiber(law), density: 1.0 }, b)
}

/// The curtain of `fibra validate implicit-step`, 7,601 particles. Implicit steps are ten times as long as explicit
/// steps.
pub fn implicit() -> Result<Timed, String> {
    let explicit_step = Curtain::new(Integrator::Explicit)?.step(f64::INFINITY)?;
    let mut curtain = Curtain::new(Integrator::Implicit(SOLVER))?;
    curtain.params.limits.max_dt = 10.0 * explicit_step;
    Timed::best_of(curtain.state.particles.len(), [10, 3, 40], || curtain.step(f64::INFINITY).map(drop))
}

/// Times steps of at most `max_dt` [s] with the given damping rate [1/s]. The result is the best of 5 repeats of 40 steps, after 20 warm-up steps.
fn time(dx: f64, max_dt: f64, damping: f32, substance: Substance, b: Builder) -> Result<Timed, String> {
    let (mut state, meshes) = b.finish();
    let floor = Collider {
        name: "floor".to_owned(),
        shape: Shape::plane(Vec3::ZERO, Vec3::Y).map_err(|e| e.to_string())?,
        rest: RigidPose::IDENTITY,
        motion: Motion::Still,
        contact: Contact::Separating,
        friction: 0.3,
    };
    let params = Params {
        dx: dx as f32,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping },
        gravity: [0.0, -9.81, 0.0],
        integrator: Integrator::Explicit,
        limits: StepLimits { cfl: 0.3, sound_cfl: 0.4, max_dt, min_dt: 1e-9 },
        objects: vec![Object { name: "fabric".to_owned(), material: 0 }],
        substances: vec![substance],
        meshes,
        grains: Vec::new(),
        colliders: vec![floor],
        origin: DVec3::ZERO,
    };
    start(&params, &mut state);
    time_steps(&params, &mut state, [20, 5, 40])
}
