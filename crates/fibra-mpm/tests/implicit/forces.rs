//! Gradient and Hessian-vector product of the energy against finite differences, over random states.

use crate::scene::crowd;
use fibra_core::mat3::Mat3;
use fibra_core::random::CounterRng;
use fibra_mpm::internals::bending::{Bending, Bends};
use fibra_mpm::internals::internal_force::{InternalForce, System};
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::p2g::p2g;
use fibra_mpm::internals::params::{Kernel, Params};
use fibra_mpm::internals::sort::sort;
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::workspace::{Block, Workspace};

/// Time step of these tests [s], long enough for noticeable deformation.
const DT: f32 = 5e-3;

/// The [`crowd`] with random deformations, sorted, with its masses on the grid.
fn crushed(kernel: Kernel) -> (Params, State, Workspace) {
    let (mut params, mut state) = crowd(f64::INFINITY);
    params.kernel = kernel;
    state.extremes.drifted = true;
    let random = CounterRng::new(4);
    let p = &mut state.particles;
    for i in 0..p.len() {
        let noise = |k: u64| 0.1 * (random.uniform(&[p.id[i].into(), k]) as f32 - 0.5);
        let change = Mat3::from_rows(std::array::from_fn(|k| noise(k as u64)));
        match p.kind[i] {
            // Water stores its volume ratio in the internal variable. It is compressed enough to have a positive pressure in every step.
            Kind::Point if p.object[i] == crate::scene::WATER => p.memory[i] = 0.87 + noise(0),
            Kind::Held => {}
            Kind::Vertex => p.x[i] = std::array::from_fn(|a| p.x[i][a] + 0.05 * noise(10 + a as u64)),
            _ => p.f[i] = p.f[i].add(&change.mul(&p.f[i])),
        }
    }
    let mut work = Workspace::default();
    sort(&params, &mut state, &mut work).unwrap();
    p2g(&params, &state, &mut work.grid, 0.0);
    (params, state, work)
}

/// Random velocities [m/s] on the nodes with mass.
fn random_field(work: &Workspace, seed: u64, size: f32) -> Vec<Block> {
    let random = CounterRng::new(seed);
    let mut field = work.grid.nodes.clone();
    for (b, block) in field.iter_mut().enumerate() {
        for (n, node) in block.iter_mut().enumerate() {
            let number = |k: u64| size * (2.0 * random.uniform(&[b as u64, n as u64, k]) as f32 - 1.0);
            *node = if node[3] > 0.0 { [number(0), number(1), number(2), node[3]] } else { [0.0; 4] };
        }
    }
    field
}

fn dot(a: &[Block], b: &[Block]) -> f64 {
    let nodes = a.as_flattened().iter().zip(b.as_flattened());
    nodes.map(|(a, b)| (0..3).map(|k| f64::from(a[k]) * f64::from(b[k])).sum::<f64>()).sum()
}

fn along(v: &[Block], p: &[Block], length: f32) -> Vec<Block> {
    let mut out = v.to_vec();
    for (out, p) in out.as_flattened_mut().iter_mut().zip(p.as_flattened()) {
        (0..3).for_each(|k| out[k] += length * p[k]);
    }
    out
}

const KERNELS: [Kernel; 3] = [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic];

#[test]
fn the_gradient_is_the_energys_derivative() {
    for kernel in KERNELS {
        let (params, state, work) = crushed(kernel);
        let system =
            System { params: &params, state: &state, grid: &work.grid, links: &work.links, bends: &work.bends, dt: DT };
        let mut force = InternalForce::default();
        force.begin(system, f64::from(DT));
        let (mut gradient, mut unused) = (Vec::new(), Vec::new());
        for seed in 0..6 {
            let v = random_field(&work, 2 * seed, 0.3);
            force.evaluate(system, &v, &mut gradient);
            let p = random_field(&work, 2 * seed + 1, 1.0);
            // The two states differ by a strain of a few per mille, so errors of rounding and curvature are far below the tolerance.
            let h = 0.02;
            let energy = |force: &mut InternalForce, length: f32, out: &mut Vec<Block>| {
                force.evaluate(system, &along(&v, &p, length), out)
            };
            let difference =
                (energy(&mut force, h, &mut unused) - energy(&mut force, -h, &mut unused)) / (2.0 * f64::from(h));
            let exact = dot(&gradient, &p);
            let scale = (dot(&gradient, &gradient) * dot(&p, &p)).sqrt();
            let error = (difference - exact).abs() / scale;
            assert!(error < 2e-4, "{kernel:?} {seed}: {difference} is not {exact}, scale {scale}");
        }
    }
}

#[test]
fn the_product_is_the_gradients_derivative_and_symmetric() {
    for kernel in KERNELS {
        let (mut params, state, mut work) = crushed(kernel);
        // The product of bending is a Gauss-Newton approximation, which has tests beside it.
        (params.meshes.bending, work.bends) = (Bending::default(), Bends::default());
        let system =
            System { params: &params, state: &state, grid: &work.grid, links: &work.links, bends: &work.bends, dt: DT };
        let mut force = InternalForce::default();
        force.begin(system, f64::from(DT));
        let [mut other, mut ahead, mut behind] = [const { Vec::new() }; 3];
        for seed in 0..4 {
            let v = random_field(&work, 3 * seed, 0.3);
            let p = random_field(&work, 3 * seed + 1, 1.0);
            let q = random_field(&work, 3 * seed + 2, 1.0);
            let h = 0.02;
            force.evaluate(system, &along(&v, &p, h), &mut ahead);
            force.evaluate(system, &along(&v, &p, -h), &mut behind);
            force.evaluate(system, &v, &mut other);
            let mut product = vec![[[0.0; 4]; 64]; v.len()];
            let along_p = force.differentiate(system, &p, &mut product);
            other = product.clone();
            other.as_flattened_mut().fill([0.0; 4]);
            force.differentiate(system, &q, &mut other);
            let size = dot(&product, &product).sqrt();
            let error = (dot(&p, &product) - along_p).abs() / (size * dot(&p, &p).sqrt());
            assert!(error < 1e-6, "{kernel:?} {seed}: p . K p has the error {error:e}");
            let difference = along(&ahead, &behind, -1.0);
            let error = along(&difference, &product, -2.0 * h);
            let error = dot(&error, &error).sqrt() / (2.0 * f64::from(h) * size);
            assert!(error < 3e-4, "{kernel:?} {seed}: off by {error}");
            let (pq, qp) = (dot(&p, &other), dot(&q, &product));
            let scale = size * dot(&q, &q).sqrt();
            assert!((pq - qp).abs() < 1e-7 * scale, "{kernel:?} {seed}: {pq} and {qp} of {scale}");
        }
    }
}

/// Action and reaction: internal forces sum to zero. Pinned vertices would take up a part of the sum, so the scene has none.
#[test]
fn forces_sum_to_zero() {
    for kernel in KERNELS {
        let (mut params, mut state, mut work) = crushed(kernel);
        params.meshes.pins.clear();
        state.particles.kind.iter_mut().filter(|kind| **kind == Kind::Held).for_each(|kind| *kind = Kind::Vertex);
        state.extremes.drifted = true;
        sort(&params, &mut state, &mut work).unwrap();
        p2g(&params, &state, &mut work.grid, 0.0);
        let system =
            System { params: &params, state: &state, grid: &work.grid, links: &work.links, bends: &work.bends, dt: DT };
        let mut force = InternalForce::default();
        force.begin(system, f64::from(DT));
        let mut gradient = Vec::new();
        force.evaluate(system, &random_field(&work, 1, 0.3), &mut gradient);
        let (mut sum, mut size) = ([0.0f64; 3], 0.0f64);
        for node in gradient.as_flattened() {
            for k in 0..3 {
                sum[k] += f64::from(node[k]);
                size += f64::from(node[k].abs());
            }
        }
        assert!(sum.iter().all(|s| s.abs() < 1e-6 * size), "{kernel:?}: {sum:?} of {size}");
    }
}
