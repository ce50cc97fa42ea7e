//! Compares hair with its grid on every available device with the CPU.

use cubecl::prelude::Runtime;
use fibra_core::geometry::{PlacedCollider, RigidPose, Shape};
use fibra_gpu::colliders::DeviceColliders;
use fibra_gpu::{Gpu, on_every_device};
use fibra_hair::internals::gpu::device_grid::{GpuHairGrid, block_capacity};
use fibra_hair::internals::gpu::sim::{DeviceHair, GpuHairError, HairGrid};
use fibra_hair::{
    Between, ColliderId, HairCollider, HairError, HairSettings, HairSim, HairState, StrandInput, Strands,
};
use fibra_mpm::internals::g2p::g2p;
use fibra_mpm::internals::grid_update::grid_update;
use fibra_mpm::internals::p2g::p2g;
use fibra_mpm::internals::sort::sort;
use fibra_mpm::internals::workspace::Workspace;
use glam::{DQuat, DVec3, Vec3};

const FRAME: f64 = 1.0 / 60.0;

fn random(seed: u64) -> impl FnMut() -> f32 {
    let mut s = seed;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// Strands that hang from a small disk, dense enough to press against each other when they move.
fn tuft() -> Vec<StrandInput> {
    let mut random = random(3);
    let mut strand = || {
        let (x, z, lean) = (0.04 * random(), 0.04 * random(), 0.3 * random());
        let point = |i: usize| {
            let t = 0.008 * i as f32;
            Vec3::new(x + lean * t, 0.1 - t, z + 0.001 * (5.0 * t / 0.008).sin())
        };
        StrandInput { points: (0..12).map(point).collect(), pinned: 2, ..StrandInput::default() }
    };
    (0..27).map(|_| strand()).collect()
}

fn colliders() -> Vec<HairCollider> {
    let shape = Shape::sphere(0.03).unwrap();
    let ball =
        |at: DVec3, on_head| HairCollider { pose: RigidPose::at(at), on_head, ..HairCollider::new(shape.clone()) };
    vec![ball(DVec3::new(0.03, 0.03, -0.035), false), ball(DVec3::new(0.03, 0.13, 0.03), true)]
}

fn tuft_on_cpu(settings: &HairSettings) -> HairSim {
    HairSim::new(*settings, RigidPose::IDENTITY, &tuft(), colliders()).unwrap()
}

/// Returns the ball that is not on the head.
fn ball(hair: &HairSim) -> ColliderId {
    hair.collider_ids().next().unwrap()
}

fn head(frame: u32) -> RigidPose {
    let t = f64::from(frame);
    RigidPose { translation: DVec3::new(0.003 * t, 0.001 * t, -0.002 * t), rotation: DQuat::from_rotation_y(0.015 * t) }
}

fn ball_at(frame: u32) -> RigidPose {
    RigidPose::at(DVec3::new(0.03, 0.03, -0.035 + 0.001 * f64::from(frame)))
}

fn largest<const N: usize>(pairs: impl Iterator<Item = ([f32; N], [f32; N])>) -> f32 {
    let (mut size, mut apart) = (1e-30f32, 0.0f32);
    for (a, b) in pairs {
        for k in 0..N {
            size = size.max(a[k].abs());
            apart = apart.max((a[k] - b[k]).abs());
        }
    }
    apart / size
}

/// Takes one step from random velocities and deformations.
fn grid_steps_agree<R: Runtime>(gpu: &Gpu<R>) {
    let settings = HairSettings::default();
    let hair = tuft_on_cpu(&settings);
    let mut random = random(11);
    let mut start = hair.state().grid.clone();
    let p = &mut start.particles;
    for (v, f) in p.v.iter_mut().zip(&mut p.f) {
        *v = std::array::from_fn(|_| 2.0 * random() - 1.0);
        let mut rows = f.to_rows();
        rows.iter_mut().for_each(|e| *e += 0.04 * random() - 0.03);
        *f = fibra_core::mat3::Mat3::from_rows(rows);
    }
    fibra_mpm::internals::step::start(hair.grid(), &mut start);
    let (dt, placed) = (settings.step, hair.placed_colliders().collect::<Vec<PlacedCollider>>());
    let (mut expected, mut work) = (start.clone(), Workspace::default());
    sort(hair.grid(), &mut expected, &mut work).unwrap();
    p2g(hair.grid(), &expected, &mut work.grid, dt);
    grid_update(hair.grid(), &placed, &mut work.grid, dt);
    g2p(hair.grid(), &mut expected, &work.grid, dt);

    let room = block_capacity(hair.strands(), hair.positions(), &settings);
    let colliders = DeviceColliders::of_placed(gpu, &placed).unwrap();
    let mut grid = GpuHairGrid::new(gpu, hair.grid(), &start, room).unwrap();
    grid.step(gpu, &colliders, dt).unwrap();
    grid.check(gpu, hair.strands()).unwrap();
    let mut found = start.clone();
    grid.download(gpu, &mut found).unwrap();
    let (p, q) = (&expected.particles, &found.particles);
    let mut places = vec![0; q.len()];
    q.id.iter().enumerate().for_each(|(place, &id)| places[id as usize] = place);
    let pairs = || p.id.iter().enumerate().map(|(i, &id)| (i, places[id as usize]));
    let x = largest(pairs().map(|(i, j)| (p.x[i], q.x[j])));
    let v = largest(pairs().map(|(i, j)| (p.v[i], q.v[j])));
    let f = largest(pairs().map(|(i, j)| (p.f[i].to_rows(), q.f[j].to_rows())));
    let tau = largest(pairs().map(|(i, j)| (p.tau[i].to_mat3().to_rows(), q.tau[j].to_mat3().to_rows())));
    println!("on {}: x {x:e}, v {v:e}, F {f:e}, tau {tau:e}", gpu.name());
    assert!(x < 1e-6 && v < 3e-6 && f < 3e-6 && tau < 1e-4);
}

/// Returns the mean and maximum distance of vertices [m].
fn distances(a: &[Vec3], b: &[Vec3]) -> (f32, f32) {
    let apart = || a.iter().zip(b).map(|(a, b)| a.distance(*b));
    (apart().sum::<f32>() / a.len() as f32, apart().fold(0.0, f32::max))
}

/// Contact and friction amplify rounding without bound, so only a few frames are compared.
fn frames_agree_and_are_reproducible<R: Runtime>(gpu: &Gpu<R>) {
    for (between, frames) in [(Between::Sand { friction_angle: 0.35 }, 3), (Between::Fluid, 1)] {
        let mut settings = HairSettings::default();
        settings.grid.between = between;
        let mut expected = tuft_on_cpu(&settings);
        for frame in 1..=frames {
            expected.move_collider(ball(&expected), ball_at(frame)).unwrap();
            expected.advance(&head(frame), FRAME).unwrap();
        }
        let run = || {
            let mut host = tuft_on_cpu(&settings);
            let mut device = DeviceHair::new(gpu.clone(), &host).unwrap();
            for frame in 1..=frames {
                host.move_collider(ball(&host), ball_at(frame)).unwrap();
                device.advance(&mut host, &head(frame), FRAME).unwrap();
            }
            device.positions().unwrap()
        };
        let found = run();
        let (mean, most) = distances(&found, expected.positions());
        let start = tuft_on_cpu(&settings);
        let (moved, _) = distances(&found, start.positions());
        println!("{between:?} on {}: {mean:e} m apart on average, {most:e} m at most, moved {moved} m", gpu.name());
        assert!(mean < 2e-5 && most < 5e-4 && moved > 0.001);
        assert_eq!(run(), found);
    }
}

/// A loose strand over a ball stays where it is when the head jumps by 3 m.
fn loose_hair_stays_when_the_head_jumps<R: Runtime>(gpu: &Gpu<R>) {
    let point = |i: usize| Vec3::new(1.0 + 0.01 * i as f32, 0.5, 0.0);
    let loose = StrandInput { points: (0..11).map(point).collect(), ..StrandInput::default() };
    let strands: Vec<StrandInput> = tuft().into_iter().chain([loose]).collect();
    let pose = RigidPose::at(DVec3::new(1.05, 0.455, 0.0));
    let ball = HairCollider { pose, ..HairCollider::new(Shape::sphere(0.04).unwrap()) };
    let after = |jump: RigidPose| {
        let mut host =
            HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &strands, vec![ball.clone()]).unwrap();
        let mut device = DeviceHair::new(gpu.clone(), &host).unwrap();
        device.advance(&mut host, &jump, FRAME).unwrap();
        device.positions().unwrap().split_off(27 * 12)
    };
    let jump = RigidPose { translation: DVec3::new(0.0, -3.0, 0.0), rotation: DQuat::from_rotation_y(1.0) };
    let (_, apart) = distances(&after(RigidPose::IDENTITY), &after(jump));
    println!("a loose strand on {} moves by {apart:e} m with the head", gpu.name());
    assert!(apart < 1e-6);
}

/// Hair restored from a checkpoint continues bitwise identically.
fn hair_is_downloaded_and_uploaded_again<R: Runtime>(gpu: &Gpu<R>) {
    let settings = HairSettings::default();
    let mut hair = tuft_on_cpu(&settings);
    let mut device = DeviceHair::new(gpu.clone(), &hair).unwrap();
    let mut saved = None;
    for frame in 1..=2 {
        hair.move_collider(ball(&hair), ball_at(frame)).unwrap();
        device.advance(&mut hair, &head(frame), FRAME).unwrap();
        device.download(&mut hair).unwrap();
        if frame == 1 {
            saved = Some(hair.state().clone());
        }
    }
    assert_eq!(device.positions().unwrap(), hair.positions());
    assert_eq!((*device.head(), FRAME + FRAME), (*hair.head(), hair.time()));
    assert_eq!(hair.state().grid.steps, 2 * 6);

    let mut again = tuft_on_cpu(&settings);
    again.set_state(saved.unwrap());
    again.place_collider(ball(&again), ball_at(1)).unwrap();
    device.upload(&again);
    again.move_collider(ball(&again), ball_at(2)).unwrap();
    device.advance(&mut again, &head(2), FRAME).unwrap();
    device.download(&mut again).unwrap();
    assert_eq!(again.positions(), hair.positions());
    assert_eq!(again.state().grid.particles, hair.state().grid.particles);
    // The CPU can continue from the downloaded state, too.
    again.advance(&head(3), FRAME).unwrap();
}

fn errors_name_the_broken_vertex<R: Runtime>(gpu: &Gpu<R>) {
    let settings = HairSettings::default();
    let with = |change: &dyn Fn(&Strands, &mut HairState)| {
        let mut hair = tuft_on_cpu(&settings);
        let mut state = hair.state().clone();
        change(hair.strands(), &mut state);
        hair.set_state(state);
        let mut device = DeviceHair::new(gpu.clone(), &hair).unwrap();
        device.advance(&mut hair, &head(1), FRAME)?;
        device.download(&mut hair)
    };
    // Vertex 5 of strand 2.
    let broken = with(&|_, state| state.grid.particles.f[2 * 12 + 5].xx = f32::NAN);
    let expected = HairError::NotFinite { strand: 2, index: 5 };
    assert!(matches!(&broken, Err(GpuHairError::Hair(error)) if *error == expected), "{broken:?}");
    let far = Vec3::new(3e3, 0.0, 0.0);
    let lost = with(&|strands, state| {
        let before = state.strands.clone();
        strands.write(&mut state.strands, |vertex| {
            let (x, v) = strands.vertex(&before, vertex);
            (if vertex >= 12 { x + far } else { x }, v)
        });
    });
    assert!(matches!(lost, Err(GpuHairError::Hair(HairError::OutOfReach))), "{lost:?}");
}

/// All comparisons run in one test on the same device, so that kernels are compiled once.
#[test]
fn hair_agrees() {
    on_every_device!(gpu => {
        grid_steps_agree(&gpu);
        frames_agree_and_are_reproducible(&gpu);
        loose_hair_stays_when_the_head_jumps(&gpu);
        hair_is_downloaded_and_uploaded_again(&gpu);
        errors_name_the_broken_vertex(&gpu);
    });
}
