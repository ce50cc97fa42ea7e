use super::*;
use crate::alone::step_alone;
use crate::rod::{End, RodMaterial};
use fibra_core::geometry::{Motion, Spin};
use fibra_core::random::CounterRng;
use std::f64::consts::{PI, TAU};

const STILL: StepContext = StepContext { time: 0.0, dt: 1e-3, gravity: DVec3::ZERO, origin: DVec3::ZERO };

fn vector(seed: u64, i: usize, size: f64) -> DVec3 {
    size * (2.0 * CounterRng::new(seed).uniform_in_cube([i as u64, 0, 0]) - DVec3::ONE)
}

/// A wavy open rod or ring.
fn params(count: usize, closed: bool, hold: [Hold; 2]) -> RodParams {
    let points = |seed: u64| -> Vec<DVec3> {
        let point = |i: usize| {
            let (s, a) = (0.05 * i as f64, TAU * i as f64 / count as f64);
            let place = if closed { 0.1 * DVec3::new(a.cos(), a.sin(), 0.0) } else { DVec3::new(s, 0.0, 0.0) };
            place + vector(seed, i, 0.012)
        };
        (0..count).map(point).collect()
    };
    RodParams {
        material: RodMaterial {
            radius: 1e-3,
            density: 1000.0,
            youngs_modulus: 1e7,
            poisson_ratio: 0.3,
            drag: 0.0,
            internal_damping: 0.0,
            ..RodMaterial::default()
        },
        points: points(1),
        natural: Some(points(2)),
        closed,
        velocity: DVec3::ZERO,
        ends: hold.map(|hold| End { hold, ..End::default() }),
    }
}

/// Open, held and closed rods with all kinds of strain.
fn rods() -> Vec<Corde> {
    [
        (7, false, [Hold::Free, Hold::Free]),
        (6, false, [Hold::Clamped, Hold::Pinned]),
        (5, false, [Hold::Pinned, Hold::Clamped]),
        (8, true, [Hold::Free, Hold::Free]),
    ]
    .map(|(count, closed, hold)| Corde::twisted(params(count, closed, hold), DVec3::ZERO, 1.3).unwrap())
    .into_iter()
    .collect()
}

fn run(rod: &mut Corde, start: StepContext, steps: usize) {
    let mut system = StepSystem::default();
    for i in 0..steps {
        step_alone(rod, &StepContext { time: start.time + i as f64 * start.dt, ..start }, &mut system).unwrap();
    }
}

/// Returns the rod displaced by `h` along one unknown.
fn moved(rod: &Corde, unknown: usize, h: f64) -> Corde {
    let mut rod = rod.clone();
    let mut velocities = vec![0.0; rod.unknowns()];
    velocities[unknown] = 1.0;
    rod.advance(&velocities, &StepContext { dt: h, ..STILL });
    rod
}

fn forces(rod: &Corde) -> Vec<f64> {
    let (mut rod, mut system) = (rod.clone(), StepSystem::default());
    rod.rates.fill(0.0);
    rod.form(&STILL, &mut system);
    system.impulse.iter().map(|impulse| impulse / STILL.dt).collect()
}

#[test]
fn forces_are_energy_gradients() {
    let h = 1e-6;
    for mut rod in rods() {
        rod.form(&STILL, &mut StepSystem::default());
        let forces = forces(&rod);
        let scale = forces.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        for (i, force) in forces.iter().enumerate() {
            let elastic = |h: f64| moved(&rod, i, h).energy(DVec3::ZERO).elastic;
            let slope = (elastic(h) - elastic(-h)) / (2.0 * h);
            assert!((force + slope).abs() < 1e-6 * scale, "{i}: {force} {slope}");
        }
    }
}

#[test]
fn unstrained_stiffness_matches_force_differences() {
    let h = 1e-7;
    for strained in rods() {
        let mut params = strained.params.clone();
        params.natural = Some(params.points.clone());
        let mut rod = Corde::new(params, DVec3::ZERO).unwrap();
        assert!(rod.energy(DVec3::ZERO).elastic < 1e-20);
        let mut system = StepSystem::default();
        // With a long time step the operator is dominated by the stiffness.
        let dt = 1e6;
        rod.form(&StepContext { dt, ..STILL }, &mut system);
        let n = rod.unknowns();
        for i in 0..n {
            let (after, before) = (forces(&moved(&rod, i, h)), forces(&moved(&rod, i, -h)));
            for j in 0..n {
                let difference = -(after[j] - before[j]) / (2.0 * h);
                let stiffness = system.operator.get(i, j) / (dt * dt);
                let scale = (system.operator.get(i, i) * system.operator.get(j, j)).sqrt() / (dt * dt);
                assert!((stiffness - difference).abs() < 1e-5 * scale, "{i} {j}: {stiffness} {difference}");
            }
        }
    }
}

#[test]
fn energy_does_not_grow() {
    let energy = |rod: &Corde| rod.energy(DVec3::ZERO).kinetic + rod.energy(DVec3::ZERO).elastic;
    for dt in [1e-4, 1e-3] {
        for mut rod in rods() {
            let mut before = energy(&rod);
            for step in 0..100 {
                run(&mut rod, StepContext { dt, ..STILL }, 1);
                let now = energy(&rod);
                assert!(now <= before * (1.0 + 1e-9), "dt {dt} step {step}: {before} to {now}");
                before = now;
            }
            assert!(rod.frames.iter().all(|frame| (frame.length() - 1.0).abs() < 1e-14));
        }
    }
    // The time step is so long that the shape changes completely. A single linearization does not bound the energy of
    // such a step, but the rod comes to rest.
    for mut rod in rods() {
        let start = energy(&rod);
        run(&mut rod, StepContext { dt: 1e-2, ..STILL }, 10);
        for _ in 0..300 {
            run(&mut rod, StepContext { dt: 1e-2, ..STILL }, 1);
            assert!(energy(&rod) < 0.01 * start);
        }
    }
}

#[test]
fn a_free_rod_falls() {
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    for closed in [false, true] {
        let mut params = params(8, closed, [Hold::Free; 2]);
        params.natural = Some(params.points.clone());
        params.velocity = DVec3::new(1.0, 0.0, -0.5);
        let mut rod = Corde::new(params, DVec3::new(3.0, 0.0, 0.0)).unwrap();
        let start = rod.positions.clone();
        run(&mut rod, StepContext { gravity, ..STILL }, 100);
        let fallen = 0.1 * rod.params.velocity + gravity * 1e-6 * 5050.0;
        assert!(start.iter().zip(&rod.positions).all(|(a, b)| b.distance(*a + fallen) < 1e-10));
    }
}

#[test]
fn motion_is_rotation_invariant() {
    let turn = DQuat::from_scaled_axis(DVec3::new(1.0, -2.0, 0.7));
    let gravity = DVec3::new(0.3, -9.0, 2.0);
    for rod in rods() {
        let mut params = rod.params.clone();
        params.points.iter_mut().for_each(|point| *point = turn * *point);
        let (mut straight, mut turned) = (rod, Corde::twisted(params, DVec3::ZERO, 1.3).unwrap());
        run(&mut straight, StepContext { gravity, ..STILL }, 50);
        run(&mut turned, StepContext { gravity: turn * gravity, ..STILL }, 50);
        for (a, b) in straight.positions.iter().zip(&turned.positions) {
            assert!((turn * *a).distance(*b) < 1e-9, "{}", (turn * *a).distance(*b));
        }
    }
}

#[test]
fn momentum_is_conserved() {
    for closed in [false, true] {
        let mut rod = Corde::twisted(params(8, closed, [Hold::Free; 2]), DVec3::ZERO, 1.0).unwrap();
        run(&mut rod, STILL, 100);
        let (momentum, size) =
            rod.masses.iter().zip(rod.point_velocities()).fold((DVec3::ZERO, 0.0), |(sum, size), (mass, velocity)| {
                (sum + *mass * velocity, size + mass * velocity.length())
            });
        assert!(momentum.length() < 1e-9 * size, "{momentum} {size}");
    }
}

#[test]
fn a_motor_twists_a_straight_rod() {
    let mut params = params(11, false, [Hold::Clamped, Hold::Clamped]);
    params.points = (0..11).map(|i| 0.02 * f64::from(i) * DVec3::X).collect();
    params.natural = None;
    params.material.internal_damping = 1e-3;
    // Half a turn in 1 s.
    params.ends[1].motion = Motion::Spin(Spin::new(DVec3::X, PI, None).unwrap());
    let mut rod = Corde::new(params, DVec3::ZERO).unwrap();
    run(&mut rod, STILL, 1000);
    // The torque is G J / L times the angle. The energy is half of torque times angle.
    let expected = 0.5 * rod.params.material.twisting() / 0.2 * PI * PI;
    let elastic = rod.energy(DVec3::ZERO).elastic;
    // The strain uses 4 tan(angle/4) instead of the angle between edges, which multiplies the energy by 1 + angle^2/24.
    // The clamps act over half edges, where angles are half as large.
    assert!((elastic / expected - 1.0).abs() < 5e-3, "{elastic} {expected}");
    let ends = rod.positions[0].distance(DVec3::ZERO) + rod.positions[10].distance(0.2 * DVec3::X);
    assert!(ends < 1e-12);
}

#[test]
fn a_closed_rod_keeps_its_twist() {
    let count = 40;
    let mut params = params(count, true, [Hold::Free; 2]);
    let angle = |i: usize| TAU * i as f64 / count as f64;
    params.points = (0..count).map(|i| 0.1 * DVec3::new(angle(i).cos(), angle(i).sin(), 0.0)).collect();
    params.natural = Some(params.points.clone());
    let rod = Corde::twisted(params, DVec3::ZERO, 5.0).unwrap();
    let length = rod.lengths.iter().sum::<f64>();
    let (elastic, expected) = (rod.energy(DVec3::ZERO).elastic, 0.5 * rod.params.material.twisting() * 25.0 / length);
    // The twist rotates the frames relative to the natural curvature, which also bends the rod. The energy therefore
    // exceeds that of twist alone.
    assert!(elastic > expected);
    let twist: f64 = rod.joints.iter().map(|joint| rod.joint_strain(joint).curvature.z * joint.length).sum();
    assert!((twist - 5.0).abs() < 0.01, "{twist}");
}

#[test]
fn released_rod_follows_the_end_force() {
    let mut params = params(6, false, [Hold::Clamped, Hold::Free]);
    params.ends[0].release = Some(0.02);
    params.ends[1].force = DVec3::new(0.0, 0.0, 1e-3);
    let mut rod = Corde::new(params, DVec3::ZERO).unwrap();
    let start = rod.positions[0];
    run(&mut rod, STILL, 20);
    assert_eq!(rod.unknowns(), 30);
    assert!(rod.positions[0].distance(start) < 1e-15);
    run(&mut rod, StepContext { time: 0.02, ..STILL }, 100);
    assert_eq!(rod.unknowns(), 33);
    let momentum: DVec3 = rod.masses.iter().zip(rod.point_velocities()).map(|(m, v)| *m * v).sum();
    assert!(momentum.z > 0.5 * 0.1 * 1e-3, "{momentum}");
}

#[test]
fn restored_state_continues_bit_for_bit() {
    for (mut rod, mut copy) in rods().into_iter().zip(rods()) {
        for rod in [&mut rod, &mut copy] {
            rod.params.ends[0].release = Some(0.03);
        }
        run(&mut rod, STILL, 40);
        assert!(copy.load(&rod.save()));
        assert_eq!((copy.velocities(), copy.unknowns()), (rod.velocities(), rod.unknowns()));
        for rod in [&mut rod, &mut copy] {
            run(rod, StepContext { time: 0.04, ..STILL }, 20);
        }
        assert_eq!(copy.save(), rod.save());
        assert!(!copy.load(&rod.save()[1..]));
    }
}

#[test]
fn point_motions_match_displacements() {
    for mut rod in rods() {
        let spin = Spin::new(DVec3::ONE, 3.0, None).unwrap().moving(DVec3::X).unwrap();
        rod.params.ends[0].motion = Motion::Spin(spin);
        rod.form(&STILL, &mut StepSystem::default());
        let velocities: Vec<f64> = (0..rod.unknowns()).map(|i| (i as f64).cos()).collect();
        let edges = rod.lengths.len();
        // A material point beside the centerline, at `arm` in the axes of its frame.
        for (arm, dt, tolerance) in [(DVec3::ZERO, STILL.dt, 1e-11), (DVec3::new(0.02, -0.01, 0.005), 1e-8, 1e-6)] {
            let mut rod = rod.clone();
            let place = |rod: &Corde, edge: usize| {
                let [a, b] = rod.nodes_of(edge);
                rod.positions[a].lerp(rod.positions[b], 0.3) + rod.edge_frames()[edge] * arm
            };
            let motion = |rod: &Corde, edge: usize| {
                rod.motion_of(Abscissa { segment: edge, share: 0.3 }, rod.edge_frames()[edge] * arm)
            };
            let step = StepContext { dt, ..STILL };
            rod.form(&step, &mut StepSystem::default());
            let before: Vec<_> = (0..edges).map(|i| (place(&rod, i), motion(&rod, i))).collect();
            rod.advance(&velocities, &step);
            for (edge, (from, motion)) in before.into_iter().enumerate() {
                let columns = motion.columns.iter().zip(&velocities[motion.first..]);
                let expected = motion.drift + columns.map(|(column, v)| *column * *v).sum::<DVec3>();
                let moved = (place(&rod, edge) - from) / dt;
                assert!(expected.distance(moved) < tolerance, "{edge}: {expected} {moved}");
            }
        }
    }
}

#[test]
fn invalid_rods_are_rejected() {
    let error = |change: fn(&mut RodParams), twist: f64| {
        let mut params = params(5, false, [Hold::Free; 2]);
        change(&mut params);
        Corde::twisted(params, DVec3::ZERO, twist).map(|_| ()).unwrap_err()
    };
    assert!(matches!(error(|p| p.points[3] = p.points[2], 0.0), RodError::Coincident { index: 2, .. }));
    assert!(matches!(error(|p| p.natural.as_mut().unwrap().truncate(3), 0.0), RodError::NaturalCount { .. }));
    assert!(matches!(error(|_| (), f64::NAN), RodError::OutOfRange { .. }));
    assert!(matches!(error(|_| (), 19.0), RodError::OutOfRange { .. }));
    // Two points have no joint to bend, but are a valid rod.
    let mut short = params(2, false, [Hold::Clamped, Hold::Free]);
    short.natural = None;
    let mut rod = Corde::new(short, DVec3::ZERO).unwrap();
    run(&mut rod, StepContext { gravity: DVec3::NEG_Z, ..STILL }, 10);
    assert!(rod.positions[1].is_finite());
}
