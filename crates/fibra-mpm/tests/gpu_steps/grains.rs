//! Display-only grains.

use cubecl::Runtime;
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_gpu::{Gpu, on_every_device};
use fibra_mpm::internals::builder::{Builder, StartMotion};
use fibra_mpm::internals::display_grains::seed::{Seeding, seed};
use fibra_mpm::internals::display_grains::{Grain, GrainLot};
use fibra_mpm::internals::gpu::sim::DeviceMpm;
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{start, step};
use fibra_mpm::internals::timestep::stable_dt;
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::materials::anisotropy::{AxisParameters, Orientation};
use fibra_mpm::materials::{Anisotropic, Lame, Material, NeoHookean, Sand};
use glam::{DMat3, DVec3, Quat, Vec3};

const DX: f32 = 0.1;

/// Elongated grains that align with the flow.
fn oats() -> Material {
    let axis = |youngs_modulus, scale| AxisParameters { youngs_modulus, poisson_ratio: 0.2, scale };
    let orientation = Orientation {
        elongation: 0.9,
        along: axis(2e5, 1.3),
        across: axis(1e5, 0.8),
        mixed: axis(1.5e5, 1.0),
        start: [0.2, 0.3, 0.5],
    };
    let sand = Material::Sand(Sand::new(Lame::new(1e5, 0.3), 0.5, 0.0, true));
    Material::Anisotropic(Anisotropic::of_grains(&sand, &orientation).unwrap().into())
}

/// A heap of elongated grains that falls on a floor beside a rotating cube of jelly. Both have display-only grains, some of which start far from the
/// material.
fn scene(kernel: Kernel) -> (Params, State) {
    let jelly = Material::NeoHookean(NeoHookean { lame: Lame::new(1e5, 0.3) });
    let object = |name: &str, material| Object { name: name.into(), material };
    let mut params = Params {
        dx: DX,
        kernel,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [3.0, -9.81, 0.0],
        integrator: Integrator::Explicit,
        meshes: Meshes::default(),
        limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1e-3, min_dt: 1e-9 },
        objects: vec![object("heap", 0), object("lump", 1)],
        substances: [oats(), jelly].map(|material| Substance { material, density: 1000.0 }).to_vec(),
        grains: Vec::new(),
        colliders: vec![Collider {
            name: "floor".into(),
            shape: Shape::plane(Vec3::ZERO, Vec3::Y).unwrap(),
            rest: RigidPose::at(DVec3::new(0.0, -0.33, 0.0)),
            motion: Motion::Still,
            contact: Contact::Separating,
            friction: 0.2,
        }],
        origin: DVec3::ZERO,
    };
    let mut builder = Builder::new(DVec3::ZERO);
    let spacing = f64::from(DX) / 2.0;
    let velocity = DVec3::new(0.0, -3.0, 0.0);
    let (beside, spin) = (DVec3::new(1.1, 0.2, 0.3), DVec3::new(0.0, 4.0, 9.0));
    for (object, middle, motion) in [
        (0, DVec3::ZERO, StartMotion { velocity, ..StartMotion::default() }),
        (1, beside, StartMotion { spin, center: beside, ..StartMotion::default() }),
    ] {
        let place = |n: i32| DVec3::from_array([n / 64, n / 8 % 8, n % 8].map(|k| spacing * (f64::from(k) - 3.5)));
        let points: Vec<DVec3> = (0..512).map(|n| middle + place(n)).collect();
        let numbers = builder.add_points(object, &points, spacing.powi(3), 1000.0, &motion);
        builder.orient(numbers, |_| DMat3::from_rotation_y(0.3));
    }
    let (mut state, _) = builder.finish();
    let seeding = Seeding { per_particle: 3, spacing, spread: 0.2, round: true, seed: 5 };
    for (object, radius) in [(0, 0.004), (1, 0.008)] {
        let first = 512 * object as usize;
        let grains = seed(&state.particles, first..first + 512, &seeding, |_| true);
        params.grains.push(GrainLot { object, count: grains.len() as u32, radius, escape_density: 0.005 });
        state.grains.extend(grains);
    }
    for (n, grain) in state.grains.iter_mut().enumerate().filter(|(n, _)| n % 50 == 0) {
        // Above the material, some outside every block, and inside the floor.
        grain.x = [0.01 * n as f32 - 3.0, if n % 100 == 0 { 0.6 } else { -0.34 }, 0.1];
        grain.v = [1.0, -2.0, 0.5];
        grain.spin = [3.0, 0.0, 4.0];
    }
    state.flying = vec![0; state.grains.len()];
    start(&params, &mut state);
    (params, state)
}

fn on_cpu(params: &Params, start: &State, until: f64) -> State {
    let (mut state, mut work) = (start.clone(), Workspace::default());
    while state.time < until {
        step(params, &mut state, &mut work, until).unwrap();
    }
    state
}

fn on_device<R: Runtime>(gpu: &Gpu<R>, params: &Params, start: &State, until: f64) -> State {
    let mut state = start.clone();
    let mut device = DeviceMpm::new(gpu.clone(), params, &state).unwrap();
    device.advance(params, &mut state, until).unwrap();
    device.download(&mut state).unwrap();
    state
}

/// Returns the largest differences of grains: positions [cells], angles [rad], velocities [m/s], and the number of grains that fly in only one state.
fn apart(a: &State, b: &State) -> (f32, f32, f32, usize) {
    assert_eq!((a.grains.len(), a.flying.len()), (b.grains.len(), b.flying.len()));
    let pairs = || a.grains.iter().zip(&b.grains);
    let far = |of: fn(&Grain) -> [f32; 3]| {
        pairs().map(|(a, b)| Vec3::from(of(a)).distance(Vec3::from(of(b)))).fold(0.0, f32::max)
    };
    let angle = |(a, b): (&Grain, &Grain)| {
        let between = Quat::from_array(a.rotation).inverse() * Quat::from_array(b.rotation);
        2.0 * between.xyz().length().min(1.0).asin()
    };
    let flying = a.flying.iter().zip(&b.flying).filter(|(a, b)| a != b).count();
    (far(|grain| grain.x) / DX, pairs().map(angle).fold(0.0, f32::max), far(|grain| grain.v), flying)
}

#[test]
fn one_step_moves_grains_like_the_cpu() {
    on_every_device!(gpu => {
        for kernel in [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic] {
            let (params, state) = scene(kernel);
            let until = 0.9 * stable_dt(&params, &state).unwrap();
            let (here, there) = (on_cpu(&params, &state, until), on_device(&gpu, &params, &state, until));
            assert_eq!((here.steps, there.steps), (1, 1));
            let difference @ (x, angle, v, flying) = apart(&here, &there);
            println!("{kernel:?}: {difference:?}, {} fly", here.flying.iter().sum::<u32>());
            assert!(x < 2e-5 && angle < 2e-5 && v < 2e-4 && flying == 0, "{kernel:?}: {difference:?}");
            assert!((here.grain_lag.speed - there.grain_lag.speed).abs() < 1e-4);
            assert_eq!((there.grain_lag.time, there.grain_lag.distance), (0.0, 0.0));
            assert!(state.grains.iter().zip(&there.grains).all(|(a, b)| a.x != b.x));
        }
    });
}

#[test]
fn many_steps_move_grains_like_the_cpu() {
    on_every_device!(gpu => {
        for kernel in [Kernel::Quadratic, Kernel::Cubic] {
            let (params, state) = scene(kernel);
            let until = 49.5 * stable_dt(&params, &state).unwrap();
            let (here, there) = (on_cpu(&params, &state, until), on_device(&gpu, &params, &state, until));
            let difference @ (x, angle, v, flying) = apart(&here, &there);
            let steps = [here.steps, there.steps];
            println!("{kernel:?}: {difference:?} after {steps:?} steps, {} fly", here.flying.iter().sum::<u32>());
            assert!(steps == [50, 50], "{steps:?} steps");
            assert!(x < 2e-4 && angle < 2e-4 && v < 2e-3 && flying <= 2, "{kernel:?}: {difference:?}");
        }
    });
}

/// The CPU continues a run started on a device, and the reverse.
#[test]
fn cpu_and_device_continue_each_others_runs() {
    on_every_device!(gpu => {
        let (params, state) = scene(Kernel::Quadratic);
        // Take single steps that end before a frame, so that the grains lag behind.
        let dt = stable_dt(&params, &state).unwrap();
        let mut half = state.clone();
        let mut work = Workspace::default();
        for _ in 0..10 {
            step(&params, &mut half, &mut work, 1.0).unwrap();
        }
        assert!(half.grain_lag.time > 0.0 && half.grain_lag.distance > 0.0);
        let until = half.time + 10.0 * dt;
        let whole = on_cpu(&params, &half, until);
        let difference = apart(&whole, &on_device(&gpu, &params, &half, until));
        println!("device continues: {difference:?}");
        assert!(difference.0 < 1e-3 && difference.1 < 1e-3, "{difference:?}");

        let there = on_device(&gpu, &params, &state, 10.0 * dt);
        let here = on_cpu(&params, &state, 10.0 * dt);
        let difference = apart(&on_cpu(&params, &here, 20.0 * dt), &on_cpu(&params, &there, 20.0 * dt));
        println!("CPU continues: {difference:?}");
        assert!(difference.0 < 1e-3 && difference.1 < 1e-3, "{difference:?}");

        let mut device = DeviceMpm::new(gpu.clone(), &params, &state).unwrap();
        device.upload(&params, &half);
        let mut back = state.clone();
        back.particles = half.particles.clone();
        device.download(&mut back).unwrap();
        assert_eq!((&back.grains, &back.flying), (&half.grains, &half.flying));
        assert!((back.grain_lag.distance / half.grain_lag.distance - 1.0).abs() < 1e-6);
    });
}
