//! Steps of solids, grains and liquids.

use crate::scene::{KERNELS, TRANSFERS, add_cube, params, places, random_cloud};
use cubecl::Runtime;
use fibra_gpu::{Gpu, on_every_device};
use fibra_mpm::gpu::sim::DeviceMpm;
use fibra_mpm::params::{Kernel, Params, Transfer};
use fibra_mpm::state::State;
use fibra_mpm::step::{start, step};
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
    if cpu.steps == 1 {
        let nodes = device.nodes().unwrap();
        println!("blocks {} {}", nodes.len(), work.grid.nodes.len());
        let mut shown = 0;
        for (b, (at, block)) in nodes.iter().enumerate() {
            assert_eq!(*at, work.grid.topology.keys[b].coordinates());
            for n in 0..64 {
                let (a, c) = (block[n], work.grid.nodes[b][n]);
                if (0..4).any(|k| (a[k] - c[k]).abs() > 1e-4 * c[k].abs() + 1e-6) && shown < 6 {
                    println!("{at:?} {n} {a:?} {c:?}");
                    shown += 1;
                }
            }
        }
    }
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

#[test]
fn jelly() {
    on_every_device!(gpu => {
        for kernel in KERNELS {
            for transfer in TRANSFERS {
                let mut params = params(0.05, kernel, transfer);
                params.substances.truncate(1);
                params.objects.truncate(1);
                let mut state = State::default();
                add_cube(&params, &mut state, 0, [0.3, -1.7, 2.1], 4, [0.5, -1.0, 0.2]);
                for (i, v) in state.particles.v.iter_mut().enumerate() { v[0] += 0.3 * (i % 7) as f32; }
                start(&params, &mut state);
                let d = compare(&gpu, &params, &state, 5e-4);
                println!("{kernel:?} {transfer:?} {d:?}");
            }
        }
    });
}

#[test]
fn shuffled() {
    let _ = (random_cloud, Kernel::Quadratic, Transfer::Pic);
}
