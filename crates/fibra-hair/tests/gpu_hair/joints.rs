//! Compares joints and edges in kernels with the CPU: random, straight and folded ones.

use cubecl::prelude::*;
use fibra_core::random::CounterRng;
use fibra_core::rod_joint::{Joint as HostJoint, JointRates, RestJoint};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::rod_joint::{Joint, Symmetric, joint_system};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Gpu, on_every_device};
use fibra_hair::internals::gpu::stretch::edge_system;
use fibra_hair::internals::stretch::StretchedEdge;
use glam::{DVec3, Mat3, Vec3};

const JOINTS: usize = 500;
const H: f32 = 0.01;
/// Number of input values of a joint. The vectors come first.
const NUMBERS: usize = 27;
/// Number of output values of a joint and an edge together.
const ADDED: usize = 51;

#[cube]
fn read(numbers: &Array<f32>, i: usize, #[comptime] at: usize) -> Vector3 {
    Vector3::new(numbers[at * JOINTS + i], numbers[(at + 1) * JOINTS + i], numbers[(at + 2) * JOINTS + i])
}

#[cube]
fn write(added: &mut Array<f32>, i: usize, #[comptime] at: usize, v: Vector3) {
    added[at * JOINTS + i] = v.x;
    added[(at + 1) * JOINTS + i] = v.y;
    added[(at + 2) * JOINTS + i] = v.z;
}

#[cube]
fn write_symmetric(added: &mut Array<f32>, i: usize, #[comptime] at: usize, m: Symmetric) {
    write(added, i, at, Vector3::new(m.xx, m.yx, m.zx));
    write(added, i, comptime!(at + 3), Vector3::new(m.yy, m.zy, m.zz));
}

#[cube(launch)]
fn systems(numbers: &Array<f32>, added: &mut Array<f32>, h: f32) {
    let i = ABSOLUTE_POS;
    if i < JOINTS {
        let joint = Joint {
            e: read(numbers, i, 0usize),
            f: read(numbers, i, 3usize),
            director_e: read(numbers, i, 6usize),
            director_f: read(numbers, i, 9usize),
            rate_e: read(numbers, i, 12usize),
            rate_f: read(numbers, i, 15usize),
            twist: numbers[18 * JOINTS + i],
            spin_e: numbers[19 * JOINTS + i],
            spin_f: numbers[20 * JOINTS + i],
            bending: numbers[21 * JOINTS + i],
            twisting: numbers[22 * JOINTS + i],
            rest_0: numbers[23 * JOINTS + i],
            rest_1: numbers[24 * JOINTS + i],
            rest_2: numbers[25 * JOINTS + i],
            rest_3: numbers[26 * JOINTS + i],
        };
        let s = joint_system(&joint, h);
        write(added, i, 0usize, s.impulse_e);
        write(added, i, 3usize, s.impulse_f);
        write(added, i, 6usize, Vector3::new(s.impulse_first, s.impulse_second, s.angle_12));
        write_symmetric(added, i, 9usize, s.ee);
        write(added, i, 15usize, s.ef.x);
        write(added, i, 18usize, s.ef.y);
        write(added, i, 21usize, s.ef.z);
        write_symmetric(added, i, 24usize, s.ff);
        write(added, i, 30usize, s.first_e);
        write(added, i, 33usize, s.first_f);
        write(added, i, 36usize, s.second_e);
        write(added, i, 39usize, s.second_f);
        let edge = edge_system(joint.e, 1.0f32, joint.bending, joint.rate_e, h);
        write(added, i, 42usize, edge.impulse);
        write_symmetric(added, i, 45usize, edge.matrix);
    }
}

fn lower(m: Mat3) -> [f32; 6] {
    [m.x_axis.x, m.x_axis.y, m.x_axis.z, m.y_axis.y, m.y_axis.z, m.z_axis.z]
}

/// Returns the input of the joints and the results of the CPU.
fn joints() -> Vec<([f32; NUMBERS], [f32; ADDED])> {
    let make = |i: usize| {
        let rng = CounterRng::new(i as u64);
        let vector = |k: u64| (2.0 * rng.uniform_in_cube([k, 0, 0]) - DVec3::ONE).as_vec3();
        let number = |k: u64| 2.0 * rng.uniform(&[k]) as f32 - 1.0;
        let e = vector(0);
        // Some are straight, some nearly folded.
        let f = match i % 5 {
            3 => 0.7 * e,
            4 => -0.5 * e + 0.05 * vector(1),
            _ => vector(1),
        };
        let across = |v: Vec3, edge: Vec3| v.reject_from(edge).normalize();
        let directors = [across(vector(2), e), across(vector(3), f)];
        let rates = JointRates { edges: [vector(4), vector(5)], spins: [number(0), number(1)] };
        let rest = RestJoint {
            bending: 2.0 + number(2),
            twisting: 2.0 + number(3),
            curvature: [number(4), number(5), number(6), number(7)],
        };
        let joint = HostJoint { edges: [e, f], directors, twist: number(8) };
        let s = joint.system(&rest, &rates, H);
        let (impulse, matrix) =
            StretchedEdge { edge: e, length: 1.0, stiffness: rest.bending }.system(rates.edges[0], H);
        let vectors = [e, f, directors[0], directors[1], rates.edges[0], rates.edges[1]];
        let scalars = [joint.twist, rates.spins[0], rates.spins[1], rest.bending, rest.twisting];
        let numbers: Vec<f32> =
            vectors.iter().flat_map(|v| v.to_array()).chain(scalars).chain(rest.curvature).collect();
        let mut added: Vec<f32> = s.impulse.edges.iter().flat_map(|v| v.to_array()).collect();
        added.extend([s.impulse.angles[0], s.impulse.angles[1], s.angles[1]]);
        added.extend(lower(s.edges[0]));
        added.extend(s.edges[1].to_cols_array());
        added.extend(lower(s.edges[2]));
        added.extend(s.first_angle.iter().chain(&s.second_angle).flat_map(|v| v.to_array()));
        added.extend(impulse.to_array());
        added.extend(lower(matrix));
        (numbers.try_into().unwrap(), added.try_into().unwrap())
    };
    (0..JOINTS).map(make).collect()
}

fn added<R: Runtime>(gpu: &Gpu<R>, numbers: &[f32]) -> Vec<f32> {
    let (numbers, added) = (gpu.upload(numbers), gpu.empty(ADDED * JOINTS));
    let count = cubes_for(JOINTS, 64);
    systems::launch::<R>(&gpu.client, count, CubeDim::new_1d(64), numbers.arg(), added.arg(), H);
    added.read(gpu).unwrap()
}

/// Returns the amplification of rounding in a folded joint: curvature divides by `1 + cos`, which cancels.
fn fold(numbers: &[f32; NUMBERS]) -> f32 {
    let [e, f] = [0, 3].map(|at| Vec3::from_slice(&numbers[at..]).normalize());
    2.0 / (1.0 + e.dot(f))
}

#[test]
fn joints_and_edges_agree() {
    let joints = joints();
    let numbers: Vec<f32> = (0..NUMBERS).flat_map(|c| joints.iter().map(move |(numbers, _)| numbers[c])).collect();
    on_every_device!(gpu => {
        let added = added(&gpu, &numbers);
        let mut worst: f32 = 0.0;
        for (i, (numbers, right)) in joints.iter().enumerate() {
            let size = fold(numbers) * right.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
            for c in 0..ADDED {
                worst = worst.max((added[c * JOINTS + i] - right[c]).abs() / size);
            }
        }
        println!("joints on {}: {worst:e}", gpu.name());
        assert!(worst < 1e-5, "{worst}");
    });
}
