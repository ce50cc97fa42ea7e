//! Tests of moving strands and of invalid input. Closed-form solutions are checked in the validation cases.

use super::*;
use crate::material::StrandMaterial;
use crate::params::HeadLimits;
use crate::strands::{RestShape, StrandInput};
use fibra_core::random::CounterRng;
use glam::{DQuat, DVec3};
use std::f32::consts::TAU;

fn straight(segments: usize, length: f32) -> Vec<Vec3> {
    (0..=segments).map(|i| length * i as f32 / segments as f32 * Vec3::X).collect()
}

fn positions(strands: &Strands, state: &StrandState) -> Vec<Vec3> {
    let mut x = vec![Vec3::ZERO; strands.vertex_count()];
    strands.read_positions(state, &mut x);
    x
}

/// Initial twist relaxes through a free tip.
#[test]
fn a_twisted_strand_untwists() {
    for (pinned_tip, kept) in [(2, 1.0), (0, 0.0)] {
        let strand =
            StrandInput { points: straight(20, 0.2), pinned: 2, pinned_tip, twist: 3.0, ..StrandInput::default() };
        let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &[strand]).unwrap();
        let params = StrandParams { gravity: Vec3::ZERO, drag: 5.0, ..StrandParams::default() };
        let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
        assert!((strands.total_twist(&state, 0) - 3.0).abs() < 1e-5);
        for _ in 0..600 {
            step_alone(&strands, &params, &mut state, &mut workspace, &RigidPose::IDENTITY, 1.0 / 120.0).unwrap();
        }
        let left = strands.total_twist(&state, 0);
        assert!((left - kept * 3.0).abs() < 1e-3, "{pinned_tip}: {left}");
    }
}

/// Hair of 3 to 25 cm all over a head, straight and curly.
fn head_of_hair(count: usize) -> Vec<StrandInput> {
    let rng = CounterRng::new(11);
    let strand = |k: usize| {
        let u = |j: u64| rng.uniform(&[k as u64, j]) as f32;
        let (height, around) = (2.0 * u(0) - 1.0, TAU * u(1));
        let across = (1.0 - height * height).sqrt();
        let out = Vec3::new(across * around.cos(), height, across * around.sin());
        let side = out.any_orthonormal_vector();
        let (length, curl) = (0.03 + 0.22 * u(2), if k.is_multiple_of(3) { 0.004 } else { 0.0 });
        let n = (length / 0.008) as usize + 2;
        let point = |i: usize| {
            let s = length * i as f32 / (n - 1) as f32;
            let turn = 60.0 * s;
            0.1 * out + s * out + curl * (turn.cos() * side + turn.sin() * out.cross(side))
        };
        StrandInput { points: (0..n).map(point).collect(), pinned: 2 + k % 2, ..StrandInput::default() }
    };
    (0..count).map(strand).collect()
}

/// Returns an unrelated random pose for every step.
fn random_pose(rng: CounterRng, k: u64) -> RigidPose {
    let spread = |j: u64| 2.0 * rng.uniform_in_cube([k, j, 0]) - DVec3::ONE;
    let angle = std::f64::consts::TAU * rng.uniform(&[k]);
    RigidPose { translation: 0.5 * spread(0), rotation: DQuat::from_axis_angle(spread(1).normalize(), angle) }
}

#[test]
fn random_head_poses_keep_hair_finite_and_unstretched() {
    let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &head_of_hair(48)).unwrap();
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    let mut most: f32 = 0.0;
    for k in 0..1000 {
        let head = random_pose(CounterRng::new(3), k);
        step_alone(&strands, &StrandParams::default(), &mut state, &mut workspace, &head, 1.0 / 120.0).unwrap();
        let stretch = strands.largest_stretch(&state);
        most = most.max(stretch);
    }
    assert!(positions(&strands, &state).iter().all(|x| x.is_finite()));
    assert!(most < 0.2, "{most}");
}

/// Time steps are far too long, strands are far too stiff for `f32`, and the head motion is not limited. Results are inaccurate but finite, and
/// strands are not stretched.
#[test]
fn extreme_steps_keep_hair_finite_and_unstretched() {
    let stiff = StrandMaterial { radius: 5e-4, stretching_modulus: 1e10, ..StrandMaterial::HAIR };
    let params = StrandParams { limits: HeadLimits::NONE, ..StrandParams::default() };
    for (material, h) in
        [(StrandMaterial::HAIR, 1.0 / 360.0), (StrandMaterial::HAIR, 5.0), (stiff, 1.0 / 30.0), (stiff, 5.0)]
    {
        let strands = Strands::new(&material, RigidPose::IDENTITY, &head_of_hair(16)).unwrap();
        let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
        for k in 0..200 {
            step_alone(&strands, &params, &mut state, &mut workspace, &random_pose(CounterRng::new(3), k), h).unwrap();
            assert!(
                strands.largest_stretch(&state) < 0.2 && positions(&strands, &state).iter().all(|x| x.is_finite()),
                "{h} {k}"
            );
        }
    }
}

/// Hair in its rest shape does not move without gravity; a straightened strand curls up again.
#[test]
fn strands_return_to_their_rest_shapes() {
    let hair = head_of_hair(32);
    let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &hair).unwrap();
    let params = StrandParams { gravity: Vec3::ZERO, drag: 20.0, ..StrandParams::default() };
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    for _ in 0..50 {
        step_alone(&strands, &params, &mut state, &mut workspace, &RigidPose::IDENTITY, 1.0 / 120.0).unwrap();
    }
    let start = positions(&strands, &strands.initial_state());
    let most = positions(&strands, &state).iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(most < 1e-5, "{most}");

    let rest = &hair[0].points;
    let mut points = vec![rest[0]];
    for pair in rest.windows(2) {
        points.push(points[points.len() - 1] + pair[0].distance(pair[1]) * (rest[1] - rest[0]).normalize());
    }
    let laid = StrandInput { points, rest: RestShape::Points(rest.clone()), pinned: 2, ..StrandInput::default() };
    let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &[laid]).unwrap();
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    for _ in 0..2000 {
        step_alone(&strands, &params, &mut state, &mut workspace, &RigidPose::IDENTITY, 1.0 / 120.0).unwrap();
    }
    let (x, last) = (positions(&strands, &state), rest.len() - 1);
    for (a, b) in [(0, last), (0, last / 2), (last / 3, last)] {
        let (now, then) = (x[a].distance(x[b]), rest[a].distance(rest[b]));
        assert!((now / then - 1.0).abs() < 1e-3, "{a} {b}: {now} {then}");
    }
}

/// A free strand falls and rotates rigidly: stiffness affects neither its shape nor its momentum.
#[test]
fn a_flying_strand_falls() {
    let mut strand = head_of_hair(1).remove(0);
    strand.pinned = 0;
    let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &[strand]).unwrap();
    let params = StrandParams { drag: 0.0, ..StrandParams::default() };
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    let start = positions(&strands, &state);
    let (h, steps) = (1.0 / 120.0, 60);
    for _ in 0..steps {
        step_alone(&strands, &params, &mut state, &mut workspace, &RigidPose::IDENTITY, h).unwrap();
    }
    // Backward Euler: g h^2 (1 + 2 + ... + n).
    let displacement = params.gravity * (h * h * (steps * (steps + 1) / 2) as f32);
    let x = positions(&strands, &state);
    assert!(
        x.iter().zip(&start).all(|(x, start)| (*x - *start).distance(displacement) < 1e-4),
        "{:?}",
        x[0] - start[0]
    );
}

/// A step in three parts, as with contact on a grid, gives the same result as one step, including pinned roots.
#[test]
fn parts_of_a_step_add_up() {
    let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &head_of_hair(16)).unwrap();
    // Starting from rest, the roots move ahead of the hair, which is still accelerating.
    let params = StrandParams { slack: 0.999, ..StrandParams::default() };
    let head = RigidPose { translation: DVec3::new(0.003, 0.0, 0.001), rotation: DQuat::from_rotation_y(0.02) };
    let h = 1.0 / 120.0;
    let (mut whole, mut parts, mut workspace) = (strands.initial_state(), strands.initial_state(), strands.workspace());
    step_alone(&strands, &params, &mut whole, &mut workspace, &head, h).unwrap();
    predict(&strands, &params, &mut parts, &mut workspace, &head, h).unwrap();
    let mut changes = vec![Vec3::ZERO; strands.vertex_count()];
    strands.read_changes(&workspace, &mut changes);
    for _ in 0..3 {
        apply_change(&mut parts, &workspace, 1.0 / 3.0);
        advance(&strands, &params, &mut parts, h / 3.0);
    }
    let (a, b) = (positions(&strands, &whole), positions(&strands, &parts));
    let start = positions(&strands, &strands.initial_state());
    for strand in 0..strands.len() {
        for (k, i) in strands.vertices(strand).enumerate() {
            // Pinned vertices move uniformly. Free vertices have 1/3, 2/3 and 3/3 of their velocity change in three intervals of h / 3.
            let missing = h * changes[i] / 3.0;
            assert!(a[i].distance(b[i] + missing) < 1e-5, "{strand} {k}");
            if k < 2 {
                let home = head.apply(start[i].as_dvec3()).as_vec3();
                assert!(b[i].distance(home) < 1e-6 && changes[i].length() < 1e-15, "{strand} {k}");
            }
        }
    }
}

#[test]
fn invalid_strands_and_steps_are_errors() {
    let make = |strand: StrandInput| Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &[strand]).unwrap_err();
    let points = straight(3, 0.1);
    let strand = |points: Vec<Vec3>| StrandInput { points, pinned: 2, ..StrandInput::default() };
    assert_eq!(make(strand(vec![])), StrandError::TooFewPoints { strand: 0, count: 0 });
    assert_eq!(make(strand(vec![Vec3::X, Vec3::X])), StrandError::Coincident { strand: 0, index: 0 });
    let nan = make(strand(vec![Vec3::ZERO, Vec3::NAN]));
    assert!(nan.to_string().contains("point 1 of strand 0"), "{nan}");
    let many = make(StrandInput { pinned: usize::MAX, ..strand(points.clone()) });
    assert!(matches!(many, StrandError::TooManyPinned { points: 4, .. }));
    let other = make(StrandInput { rest: RestShape::Points(straight(2, 0.1)), ..strand(points.clone()) });
    assert_eq!(other, StrandError::RestCount { strand: 0, rest: 3, points: 4 });
    assert_eq!(Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &[]).unwrap_err(), StrandError::Empty);
    let rotated = make(StrandInput { twist: f32::NAN, ..strand(points.clone()) });
    assert!(rotated.to_string().contains("twist"), "{rotated}");
    let light = StrandMaterial { density: 0.0, ..StrandMaterial::HAIR };
    assert!(Strands::new(&light, RigidPose::IDENTITY, &[strand(points.clone())]).is_err());

    let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &[strand(points)]).unwrap();
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    let mut refused = |params: &StrandParams, head: RigidPose, h: f32| {
        step_alone(&strands, params, &mut state, &mut workspace, &head, h).is_err()
    };
    let fine = StrandParams::default();
    assert!(refused(&fine, RigidPose::IDENTITY, 0.0) && refused(&fine, RigidPose::IDENTITY, f32::NAN));
    assert!(refused(&fine, RigidPose::at(DVec3::NAN), 0.01));
    assert!(refused(&StrandParams { drag: -1.0, ..fine }, RigidPose::IDENTITY, 0.01));
    assert!(refused(&StrandParams { follow: 0.0, ..fine }, RigidPose::IDENTITY, 0.01));
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let strands = Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &head_of_hair(200)).unwrap();
            let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
            for k in 0..20 {
                let head = RigidPose::at(DVec3::new(0.01 * f64::from(k), 0.0, 0.0));
                step_alone(&strands, &StrandParams::default(), &mut state, &mut workspace, &head, 1.0 / 120.0).unwrap();
            }
            state
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}
