//! Steps of solids, grains and liquids.

use crate::scene::{KERNELS, TRANSFERS, add_cube, params, places, random_cloud};
use cubecl::Runtime;
use fibra_gpu::{Gpu, on_every_device};
use fibra_mpm::gpu::sim::DeviceMpm;
use fibra_mpm::params::{Kernel, Params};
use fibra_mpm::state::State;
use fibra_mpm::step::{start, step};
use fibra_mpm::timestep::stable_dt;
use fibra_mpm::workspace::Workspace;

/// Largest differences of positions [cells], velocities, deformations, stresses, relative to the largest of each.
#[derive(Debug)]
struct Difference {
    x: f32,
    v: f32,
    f: f32,
    tau: f32,
    steps: [u64; 2],
}

fn largest<const N: usize>(a: impl Iterator<Item = ([f32; N], [f32; N])>) -> f32 {
    let (mut size, mut apart) = (1e-30f32, 0.0f32);
    for (a, b) in a {
        for k in 0..N {
            size = size.max(a[k].abs());
            apart = apart.max((a[k] - b[k]).abs());
        }
    }
    apart / size
}

fn compare<R: Runtime>(gpu: &Gpu<R>, params: &Params, start: &State, until: f64) -> Difference {
    let mut cpu = start.clone();
    let mut work = Workspace::default();
    while cpu.time < until {
        step(params, &mut cpu, &mut work, until).unwrap();
    }
    let mut state = start.clone();
    let mut device = DeviceMpm::new(gpu.clone(), params, &state).unwrap();
    device.advance(params, &mut state, until).unwrap();
    device.download(&mut state).unwrap();
    let (at, there) = (places(&cpu), places(&state));
    let (p, q) = (&cpu.particles, &state.particles);
    let pairs = || at.iter().zip(&there);
    assert!(pairs().all(|(&a, &b)| p.object[a] == q.object[b] && p.kind[a] == q.kind[b] && p.mass[a] == q.mass[b]));
    let moved = pairs().map(|(&a, &b)| (0..3).map(|k| (p.x[a][k] - q.x[b][k]).abs()).fold(0.0, f32::max));
    Difference {
        x: moved.fold(0.0, f32::max) / params.dx,
        v: largest(pairs().map(|(&a, &b)| (p.v[a], q.v[b]))),
        f: largest(pairs().map(|(&a, &b)| (p.f[a].to_rows(), q.f[b].to_rows()))),
        tau: largest(pairs().map(|(&a, &b)| (p.tau[a].to_mat3().to_rows(), q.tau[b].to_mat3().to_rows()))),
        steps: [cpu.steps, state.steps],
    }
}

/// One step of a random state, with every law, kernel and transfer.
#[test]
fn one_step() {
    on_every_device!(gpu => {
        for kernel in KERNELS {
            for transfer in TRANSFERS {
                let params = params(0.05, kernel, transfer);
                let mut state = random_cloud(&params, 600);
                let tau = state.particles.tau.clone();
                start(&params, &mut state);
                state.particles.tau = tau;
                let stable = stable_dt(&params, &state).unwrap();
                let d = compare(&gpu, &params, &state, 0.9 * stable);
                println!("{kernel:?} {transfer:?} {d:?}");
            }
        }
    });
}

/// Cubes of all materials that fall on each other.
#[test]
fn many_steps() {
    on_every_device!(gpu => {
        for (kernel, transfer) in [(Kernel::Quadratic, TRANSFERS[2]), (Kernel::Cubic, TRANSFERS[4]), (Kernel::Linear, TRANSFERS[1])] {
            let params = params(0.05, kernel, transfer);
            let mut state = State::default();
            for object in 0..6 {
                add_cube(&params, &mut state, object, [0.3, -1.7 + 4.5 * object as f32, 2.1], 4, [0.1, 2.0 - object as f32, 0.2]);
            }
            start(&params, &mut state);
            let d = compare(&gpu, &params, &state, 0.05);
            println!("{kernel:?} {transfer:?} {d:?}");
        }
    });
}

/// Cloth between sand and a thread, a spring, a corner that is held for a while.
#[test]
fn meshes() {
    on_every_device!(gpu => {
        let (params, state) = crate::mesh_scene::crowd(0.02);
        for until in [1e-4, 0.01, 0.03, 0.06] {
            let d = compare(&gpu, &params, &state, until);
            println!("meshes {until} {d:?}");
        }
    });
}
