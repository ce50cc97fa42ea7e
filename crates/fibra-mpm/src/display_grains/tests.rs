//! Grains in prescribed flows and in full steps.

use super::flow::FlowReader;
use super::rotation::angle;
use super::seed::{Seeding, seed};
use super::{Grain, GrainLot, move_grains};
use crate::builder::{Builder, StartMotion};
use crate::grid_update::grid_update;
use crate::materials::anisotropy::{AxisParameters, Orientation};
use crate::materials::{Anisotropic, Lame, Material, NeoHookean, Sand};
use crate::mesh::Meshes;
use crate::p2g::p2g;
use crate::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use crate::sort::sort;
use crate::state::State;
use crate::state_file;
use crate::step::{start, step};
use crate::workspace::{Grid, Workspace};
use fibra_core::block_key::BLOCK_EDGE;
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_core::tensor_file::TensorFile;
use glam::{DMat3, DVec3, Quat, Vec3};

const DX: f32 = 0.1;

fn params(kernel: Kernel) -> Params {
    let jelly = Material::NeoHookean(NeoHookean { lame: Lame::new(1e5, 0.3) });
    Params {
        dx: DX,
        kernel,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0; 3],
        integrator: Integrator::Explicit,
        meshes: Meshes::default(),
        limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1e-3, min_dt: 1e-9 },
        objects: vec![Object { name: "block".into(), material: 0 }],
        substances: vec![Substance { material: jelly, density: 1000.0 }],
        grains: Vec::new(),
        colliders: Vec::new(),
        origin: DVec3::ZERO,
    }
}

const SEEDING: Seeding = Seeding { per_particle: 3, spacing: 0.05, spread: 0.2, round: true, seed: 5 };

/// Returns a block with `cells` grid cells along each axis, centered at the origin, with grains.
fn block(params: &mut Params, cells: [i32; 3], motion: &StartMotion) -> State {
    let mut builder = Builder::new(DVec3::ZERO);
    let spacing = f64::from(DX) / 2.0;
    let mut points = Vec::new();
    let [nx, ny, nz] = cells;
    for n in 0..8 * nx * ny * nz {
        let at = [n / (4 * ny * nz) - nx, n / (2 * nz) % (2 * ny) - ny, n % (2 * nz) - nz];
        points.push(DVec3::from_array(at.map(|k| spacing * (f64::from(k) + 0.5))));
    }
    let numbers = builder.add_points(0, &points, spacing.powi(3), 1000.0, motion);
    builder.orient(numbers, |_| DMat3::from_rotation_y(0.3));
    let (mut state, _) = builder.finish();
    state.grains = seed(&state.particles, 0..points.len(), &SEEDING, |_| true);
    state.flying = vec![0; state.grains.len()];
    params.grains =
        vec![GrainLot { object: 0, count: state.grains.len() as u32, radius: 0.004, escape_density: 0.005 }];
    start(params, &mut state);
    state
}

/// Returns the grid of a state, with the velocity `field` at every node that has mass.
fn grid_with(params: &Params, state: &mut State, field: impl Fn(Vec3) -> Vec3) -> Grid {
    let mut work = Workspace::default();
    sort(params, state, &mut work).unwrap();
    p2g(params, state, &mut work.grid, 0.0);
    grid_update(params, &[], &mut work.grid, 0.0);
    let mut grid = work.grid;
    for (key, nodes) in grid.topology.keys.iter().zip(&mut grid.nodes) {
        let first = Vec3::from(key.coordinates().map(|c| (BLOCK_EDGE * c) as f32)) * DX;
        for (n, node) in nodes.iter_mut().enumerate().filter(|(_, node)| node[3] > 0.0) {
            let at = first + Vec3::new((n / 16) as f32, (n / 4 % 4) as f32, (n % 4) as f32) * DX;
            [node[0], node[1], node[2]] = field(at).to_array();
        }
    }
    grid
}

fn rotation(grain: &Grain) -> Quat {
    Quat::from_array(grain.rotation)
}

#[test]
fn affine_flows_are_sampled_exactly_up_to_the_surface() {
    let (v0, c) = (
        Vec3::new(1.0, -2.0, 0.5),
        glam::Mat3::from_cols(Vec3::new(1.0, 2.0, -1.0), Vec3::new(0.5, -3.0, 1.0), Vec3::new(2.0, 0.0, 1.5)),
    );
    for kernel in [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic] {
        let mut params = params(kernel);
        let mut state = block(&mut params, [8, 8, 8], &StartMotion::default());
        let grid = grid_with(&params, &mut state, |x| v0 + c * x);
        let mut reader = FlowReader::new(&grid, DX, 5.0);
        for grain in &state.grains {
            let flow = match kernel {
                Kernel::Cubic => reader.read::<4>(grain.x),
                _ => reader.read::<3>(grain.x),
            };
            let x = Vec3::from(grain.x);
            let deep = x.abs().max_element() < 0.2;
            // At the surface the regularization reduces the gradient slightly.
            let tolerance = if deep { 1e-5 } else { 3e-3 };
            assert!((flow.v - (v0 + c * x)).length() < tolerance, "{kernel:?} {x}: {}", flow.v - (v0 + c * x));
            let error = (flow.grad_v - c).to_cols_array().map(f32::abs);
            assert!(error.iter().all(|e| *e < 10.0 * tolerance), "{kernel:?} {x}: {}", flow.grad_v);
            assert!(!deep || (flow.density / 1000.0 - 1.0).abs() < 0.02, "{x}: {}", flow.density);
        }
        assert_eq!(reader.read::<3>([100.0, 0.0, 0.0]).density, 0.0);
        assert_eq!(reader.read::<3>([1e30, 0.0, 0.0]).density, 0.0);
    }
}

#[test]
fn grains_rotate_with_the_material() {
    let spin = Vec3::new(0.0, 0.0, 2.0);
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        let mut params = params(kernel);
        let mut state = block(&mut params, [8, 8, 2], &StartMotion::default());
        let grid = grid_with(&params, &mut state, |x| spin.cross(x));
        state.grains = state.grains.iter().step_by(16).copied().collect();
        state.flying.truncate(state.grains.len());
        let (before, steps) = (state.grains.clone(), 500);
        let dt = 0.25 * std::f32::consts::TAU / spin.z / steps as f32;
        // The material is a square: a quarter turn maps it, and the static grid, onto itself. Four quarters are a full turn.
        for quarter in 1..=4 {
            for _ in 0..steps {
                move_grains(&params, &[], &mut state, &grid, dt);
            }
            let expected = Quat::from_rotation_z(quarter as f32 * std::f32::consts::FRAC_PI_2);
            for (grain, old) in state.grains.iter().zip(&before) {
                // Grains in the corners leave the square during the rotation.
                if Vec3::from(old.x).length() > 0.38 {
                    continue;
                }
                let angle = angle(rotation(grain), expected * rotation(old));
                assert!(angle < 1e-3, "{kernel:?}: off by {angle} at {:?}", old.x);
                let place = expected * Vec3::from(old.x);
                assert!(place.distance(Vec3::from(grain.x)) < 0.01, "{kernel:?}: {place} and {:?}", grain.x);
            }
        }
    }
}

#[test]
fn grains_of_a_translating_body_translate_with_it() {
    let mut params = params(Kernel::Quadratic);
    let velocity = DVec3::new(2.0, 1.0, -1.5);
    let mut state = block(&mut params, [4, 4, 4], &StartMotion { velocity, ..StartMotion::default() });
    let before = state.grains.clone();
    let mut work = Workspace::default();
    while state.time < 0.3 {
        step(&params, &mut state, &mut work, 0.3).unwrap();
    }
    let way = (0.3 * velocity).as_vec3();
    for (grain, old) in state.grains.iter().zip(&before) {
        assert!((Vec3::from(grain.x) - Vec3::from(old.x)).distance(way) < 2e-4, "{:?} to {:?}", old.x, grain.x);
        assert!(angle(rotation(grain), rotation(old)) < 1e-3);
    }
    assert!(state.flying.iter().all(|flies| *flies == 0));
}

/// Particles move in every step, grains in few of them. Grains must neither run ahead of the material nor lag behind it.
#[test]
fn lagging_grains_fall_with_the_material() {
    let mut params = params(Kernel::Quadratic);
    params.gravity = [0.0, -9.81, 0.0];
    let mut state = block(&mut params, [4, 4, 4], &StartMotion::default());
    params.limits.max_dt = 1e-4;
    let before = state.grains.clone();
    let (mut work, mut moves) = (Workspace::default(), 0);
    while state.time < 0.5 {
        step(&params, &mut state, &mut work, 0.5).unwrap();
        moves += usize::from(state.grain_lag.time == 0.0);
    }
    assert!(state.steps >= 5000 && moves < 250, "{moves} moves in {} steps", state.steps);
    for (grain, old) in state.grains.iter().zip(&before) {
        let fall = Vec3::from(grain.x) - Vec3::from(old.x);
        assert!((fall - Vec3::new(0.0, -0.5 * 9.81 * 0.25, 0.0)).length() < 0.01 * DX, "{fall}");
    }
    assert!(state.flying.iter().all(|flies| *flies == 0));
}

#[test]
fn a_grain_outside_the_material_follows_a_parabola() {
    let mut params = params(Kernel::Quadratic);
    params.gravity = [0.0, -9.81, 0.0];
    let mut state = block(&mut params, [2, 2, 2], &StartMotion::default());
    let (v, spin) = (Vec3::new(3.0, 4.0, -1.0), Vec3::new(0.0, 3.0, 4.0));
    let lone = Grain { x: [2.0, 1.0, 0.0], v: v.to_array(), spin: spin.to_array(), ..state.grains[0] };
    state.grains[0] = lone;
    let mut work = Workspace::default();
    while state.time < 0.5 {
        step(&params, &mut state, &mut work, 0.5).unwrap();
    }
    let grain = &state.grains[0];
    assert_eq!(state.flying[0], 1);
    let expected = Vec3::from(lone.x) + 0.5 * v + 0.125 * Vec3::from(params.gravity);
    // Rounding errors of 500 steps.
    assert!(Vec3::from(grain.x).distance(expected) < 500.0 * f32::EPSILON, "{:?}, not {expected}", grain.x);
    assert!(Vec3::from(grain.v).distance(v + 0.5 * Vec3::from(params.gravity)) < 500.0 * f32::EPSILON);
    assert!(angle(rotation(grain), Quat::from_scaled_axis(0.5 * spin) * rotation(&lone)) < 1e-4);
}

#[test]
fn a_flying_grain_rejoins_the_material() {
    let mut params = params(Kernel::Quadratic);
    let mut state = block(&mut params, [4, 4, 4], &StartMotion::default());
    let falling = |x: [f32; 3]| Grain { x, v: [0.0, -2.0, 0.0], ..state.grains[0] };
    let grains = [falling([0.0, 0.6, 0.0]), falling([1.0, 0.6, 0.0])];
    state.grains[..2].copy_from_slice(&grains);
    let mut work = Workspace::default();
    while state.time < 0.4 {
        step(&params, &mut state, &mut work, 0.4).unwrap();
    }
    assert_eq!(state.flying[..2], [0, 1]);
    let [_, y, _] = state.grains[0].x;
    assert!((0.1..0.4).contains(&y) && state.grains[0].v[1].abs() < 0.1, "stopped at {y} m");
    assert!((state.grains[1].x[1] + 0.2).abs() < 1e-5);
}

fn floor(friction: f32) -> Collider {
    Collider {
        name: "floor".into(),
        shape: Shape::plane(Vec3::ZERO, Vec3::Y).unwrap(),
        rest: RigidPose::at(DVec3::new(0.0, -0.5, 0.0)),
        motion: Motion::Still,
        contact: Contact::Separating,
        friction,
    }
}

#[test]
fn friction_stops_grains_on_a_floor() {
    let mut params = params(Kernel::Quadratic);
    params.gravity = [0.0, -9.81, 0.0];
    params.colliders.push(floor(0.5));
    let mut state = block(&mut params, [2, 2, 2], &StartMotion::default());
    let above = -0.5 + params.grains[0].radius;
    state.grains[0] = Grain { x: [5.0, above, 0.0], v: [2.0, 0.0, 0.0], spin: [9.0, 0.0, 0.0], ..state.grains[0] };
    state.grains[1] = Grain { x: [0.0, -0.6, 5.0], v: [0.0; 3], ..state.grains[1] };
    let mut work = Workspace::default();
    while state.time < 0.6 {
        step(&params, &mut state, &mut work, 0.6).unwrap();
    }
    // The grain slides by v^2 / (2 mu g). Friction acts only when grains are moved, so the path is longer by at most one move:
    // a tenth of a cell, plus the motion in one step.
    let further = state.grains[0].x[0] - 5.0 - 4.0 / (2.0 * 0.5 * 9.81);
    assert!((0.0..0.1 * DX + 2.0 * 1e-3).contains(&further), "slid {further} m too far");
    assert_eq!(state.grains[0].spin, [0.0; 3]);
    assert!(state.grains.iter().all(|grain| grain.x[1] >= above - 1e-5), "a grain is in the floor");
    assert!((state.grains[1].x[1] - above).abs() < 1e-5, "not projected out of the floor");
}

#[test]
fn seeded_grains_are_inside_the_object_and_along_its_axes() {
    let mut params = params(Kernel::Quadratic);
    let state = block(&mut params, [4, 4, 4], &StartMotion::default());
    let inside = |x: DVec3| x.abs().max_element() < 0.19;
    let grains = seed(&state.particles, 0..state.particles.len(), &SEEDING, inside);
    assert_eq!(grains.len(), 3 * state.particles.len());
    let axis = Quat::from_rotation_y(0.3) * Vec3::Z;
    let (mut widest, mut turns) = (0.0f32, 0.0);
    for (n, grain) in grains.iter().enumerate() {
        let x = Vec3::from(grain.x);
        assert!(x.abs().max_element() < 0.2);
        assert!((x - Vec3::from(state.particles.x[n / 3])).abs().max_element() <= 0.0251);
        widest = widest.max((rotation(grain) * Vec3::Z).angle_between(axis));
        turns += (rotation(grain) * Vec3::X).dot(Vec3::Y).abs() / grains.len() as f32;
    }
    assert!((0.18..0.2 + 1e-3).contains(&widest), "{widest}");
    // The mean of |sine| over a turn.
    assert!((turns - 2.0 / std::f32::consts::PI).abs() < 0.03, "{turns}");
    let cards = Seeding { round: false, spread: 0.0, ..SEEDING };
    let grains = seed(&state.particles, 0..1, &cards, |_| false);
    assert!(angle(rotation(&grains[0]), Quat::from_rotation_y(0.3)) < 1e-5);
    assert_eq!(grains[0].x, state.particles.x[0], "without a valid position, at the particle");
}

/// Returns a column of elongated grains that collapses on a floor.
fn collapsing_column() -> (Params, State) {
    let mut params = params(Kernel::Quadratic);
    let axis = |youngs_modulus, scale| AxisParameters { youngs_modulus, poisson_ratio: 0.2, scale };
    let orientation = Orientation {
        elongation: 0.9,
        along: axis(2e5, 1.3),
        across: axis(1e5, 0.8),
        mixed: axis(1.5e5, 1.0),
        start: [0.2, 0.3, 0.5],
    };
    let sand = Material::Sand(Sand::new(Lame::new(1e5, 0.3), 0.5, 0.0, true));
    params.substances[0].material = Material::Anisotropic(Anisotropic::of_grains(&sand, &orientation).unwrap().into());
    params.gravity = [3.0, -9.81, 0.0];
    params.colliders.push(floor(0.2));
    let velocity = DVec3::new(0.0, -3.0, 0.0);
    let state = block(&mut params, [4, 6, 4], &StartMotion { velocity, ..StartMotion::default() });
    (params, state)
}

fn advanced(params: &Params, mut state: State, steps: usize, threads: usize) -> State {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut work = Workspace::default();
    pool.install(|| {
        for _ in 0..steps {
            step(params, &mut state, &mut work, 10.0).unwrap();
        }
    });
    state
}

#[test]
fn thread_count_and_checkpoints_do_not_change_results() {
    let (params, state) = collapsing_column();
    let one = advanced(&params, state.clone(), 120, 1);
    assert_eq!(one, advanced(&params, state.clone(), 120, 2));
    let flown = one.flying.iter().filter(|flies| **flies == 1).count();
    assert!(one.grains.iter().zip(&state.grains).all(|(a, b)| a.x != b.x && a.rotation != b.rotation));
    let half = advanced(&params, state, 61, 2);
    assert!(half.grain_lag.time > 0.0, "checkpoint must be taken while grains lag");
    let mut bytes = Vec::new();
    state_file::save(&half).write_to(&mut bytes).unwrap();
    let file = TensorFile::from_bytes(&bytes).unwrap();
    let again = state_file::load(&file, &params, half.particles.len()).unwrap();
    assert_eq!(again, half);
    assert_eq!(advanced(&params, again, 59, 2), one, "{flown} flew");
}

#[test]
fn corrupt_grains_are_rejected() {
    let (params, state) = collapsing_column();
    let load = |state: &State| {
        let mut bytes = Vec::new();
        state_file::save(state).write_to(&mut bytes).unwrap();
        state_file::load(&TensorFile::from_bytes(&bytes).unwrap(), &params, state.particles.len())
    };
    let error_after = |change: fn(&mut State)| {
        let mut state = state.clone();
        change(&mut state);
        load(&state).unwrap_err().to_string()
    };
    assert_eq!(load(&state).unwrap(), state);
    for (change, part) in [
        ((|s| s.grains[7].rotation = [0.0; 4]) as fn(&mut State), "element 7: [0.0, 0.0, 0.0, 0.0] is not a unit"),
        (|s| s.grains[7].x[0] = f32::NAN, "`grains` is not finite"),
        (|s| s.flying[3] = 2, "element 3: must be 0 or 1"),
        (|s| s.grain_lag.time = -1.0, "-1 s, 0 m and 0 m/s must be finite"),
        (|s| s.grains.truncate(5), "rows"),
        (|s| s.grains.clear(), "`grains` is missing"),
    ] {
        let message = error_after(change);
        assert!(message.contains(part), "{message}");
    }
    // A checkpoint without grains loads in a scene without grains.
    let mut bare = params.clone();
    bare.grains.clear();
    let without = State { grains: Vec::new(), flying: Vec::new(), ..state };
    assert!(!state_file::save(&without).tensors.contains_key("grains"));
    let mut bytes = Vec::new();
    state_file::save(&without).write_to(&mut bytes).unwrap();
    let file = TensorFile::from_bytes(&bytes).unwrap();
    assert_eq!(state_file::load(&file, &bare, without.particles.len()).unwrap(), without);
}
