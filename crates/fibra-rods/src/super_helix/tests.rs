use super::arc::Arc;
use super::chain::tests::tangled;
use super::*;
use crate::alone::step_alone;
use crate::rod::{End, RodMaterial};
use fibra_core::geometry::{Motion, Spin};

const STILL: StepContext = StepContext { time: 0.0, dt: 1e-3, gravity: DVec3::ZERO, origin: DVec3::ZERO };

fn material() -> RodMaterial {
    RodMaterial {
        radius: 1e-3,
        density: 1000.0,
        youngs_modulus: 1e7,
        poisson_ratio: 0.3,
        drag: 0.0,
        internal_damping: 0.0,
        ..RodMaterial::default()
    }
}

fn params(hold: [Hold; 2]) -> RodParams {
    RodParams {
        material: material(),
        points: Vec::new(),
        natural: None,
        closed: false,
        velocity: DVec3::ZERO,
        ends: hold.map(|hold| End { hold, ..End::default() }),
    }
}

/// A rod bent far from a natural shape that is itself bent.
fn rod(hold: [Hold; 2], elements: usize) -> SuperHelix {
    let natural = tangled(elements, 8).curvatures;
    SuperHelix::from_curvatures(params(hold), tangled(elements, 7), natural, 3, DVec3::ZERO).unwrap()
}

/// Runs consecutive steps.
fn run(rod: &mut SuperHelix, start: StepContext, steps: usize) {
    let mut system = StepSystem::default();
    for i in 0..steps {
        step_alone(rod, &StepContext { time: start.time + i as f64 * start.dt, ..start }, &mut system).unwrap();
    }
}

/// Returns the velocity columns of a quadrature point: translation, then spin about the tangent.
fn columns(rod: &SuperHelix, q: usize) -> Vec<(DVec3, f64)> {
    let (element, station) = (q / GAUSS.len(), rod.stations[q]);
    let before = ROOT_TWISTS[rod.state.prescribed..].iter().chain(rod.chain.twists[..element].as_flattened());
    let mut all: Vec<_> = before.map(|twist| (twist.velocity(station.r), twist.angular.dot(station.tangent))).collect();
    all.extend((0..3).map(|c| (station.own_linear.col(c), station.own_angular.col(c).dot(station.tangent))));
    all.resize(rod.unknowns(), (DVec3::ZERO, 0.0));
    all
}

/// Returns the mass and the spin inertia of a quadrature point.
fn masses(rod: &SuperHelix, q: usize) -> (f64, f64) {
    let length = GAUSS[q % GAUSS.len()].1 * rod.state.shape.element_length;
    (rod.line_density() * length, rod.spin_density() * length)
}

#[test]
fn the_operator_is_mass_and_stiffness() {
    for hold in [Hold::Free, Hold::Pinned, Hold::Clamped] {
        let mut rod = rod([hold, Hold::Free], 4);
        let mut system = StepSystem::default();
        rod.form(&STILL, &mut system);
        let n = rod.unknowns();
        assert_eq!(n, 12 + 6 - prescribed_by(hold));
        let mut expected = vec![0.0; n * n];
        for q in 0..rod.stations.len() {
            let (columns, (mass, inertia)) = (columns(&rod, q), masses(&rod, q));
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                expected[i * n + j] += mass * columns[i].0.dot(columns[j].0) + inertia * columns[i].1 * columns[j].1;
            }
        }
        for i in n - 12..n {
            expected[i * n + i] += STILL.dt * STILL.dt * rod.stiffness()[(i + 12 - n) % 3];
        }
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let scale = (expected[i * n + i] * expected[j * n + j]).sqrt();
            assert!((system.operator.get(i, j) - expected[i * n + j]).abs() < 1e-12 * scale, "{hold:?} {i} {j}");
        }
    }
}

#[test]
fn stored_momentum_includes_the_velocity_terms() {
    // d/dt of the momentum is J^T m a with a = J dv/dt + (dJ/dt) v: with no force, M dv/dt = -J^T m (dJ/dt) v.
    let mut start = rod([Hold::Pinned, Hold::Free], 3);
    start.natural.clone_from(&start.state.shape.curvatures);
    let n = start.unknowns();
    let rates: Vec<f64> = (0..n).map(|i| ((7 * i + 3) as f64).sin() * if i < 3 { 3.0 } else { 20.0 }).collect();
    let dt = 1e-6;
    let step = StepContext { dt, ..STILL };
    let displaced = |by: f64| {
        let mut rod = start.clone();
        rod.form(&STILL, &mut StepSystem::default());
        rod.advance(&rates, &StepContext { dt: by, ..STILL });
        rod
    };
    // Velocities of the quadrature points before and after, with the same rates of the unknowns.
    let velocities = |rod: &SuperHelix| -> Vec<(DVec3, f64)> {
        let sum = |q: usize| {
            columns(rod, q)
                .iter()
                .zip(&rates)
                .fold((DVec3::ZERO, 0.0), |sum, (c, v)| (sum.0 + c.0 * *v, sum.1 + c.1 * v))
        };
        (0..rod.stations.len()).map(sum).collect()
    };
    let (before, after) = (velocities(&displaced(-dt)), velocities(&displaced(dt)));
    let mut rod = displaced(dt);
    let mut expected = vec![0.0; n];
    for q in 0..rod.stations.len() {
        let (columns, (mass, inertia)) = (columns(&rod, q), masses(&rod, q));
        for (i, column) in columns.iter().enumerate() {
            let acceleration = (after[q].0 - before[q].0) / (2.0 * dt);
            let spin = (after[q].1 - before[q].1) / (2.0 * dt);
            expected[i] -= dt * (mass * column.0.dot(acceleration) + inertia * column.1 * spin);
        }
    }
    let mut system = StepSystem::default();
    rod.natural.clone_from(&rod.state.shape.curvatures);
    rod.params.material.youngs_modulus = 1e-12;
    rod.form(&step, &mut system);
    system.operator.multiply_add(-1.0, &rates, &mut system.impulse);
    let scale = expected.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    for (i, e) in expected.iter().enumerate() {
        assert!((system.impulse[i] - e).abs() < 1e-4 * scale, "{i}: {} {e}", system.impulse[i]);
    }
}

#[test]
fn energy_never_grows() {
    for hold in [Hold::Free, Hold::Pinned, Hold::Clamped] {
        for dt in [1e-4, 1e-3, 1e-2] {
            let mut rod = rod([hold, Hold::Free], 6);
            let energy = |rod: &SuperHelix| rod.energy(DVec3::ZERO).kinetic + rod.energy(DVec3::ZERO).elastic;
            let mut before = energy(&rod);
            for step in 0..100 {
                run(&mut rod, StepContext { dt, ..STILL }, 1);
                let now = energy(&rod);
                assert!(now <= before * (1.0 + 1e-12), "{hold:?} dt {dt} step {step}: {before} to {now}");
                before = now;
            }
        }
    }
}

#[test]
fn a_free_rod_falls() {
    let mut rod = rod([Hold::Free, Hold::Free], 5);
    rod.natural.clone_from(&rod.state.shape.curvatures);
    let start = rod.centerline.clone();
    let velocity = DVec3::new(1.0, 0.0, -0.5);
    rod.state.point_rates.iter_mut().for_each(|point_rates| point_rates.0 = velocity);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let n = 100;
    run(&mut rod, StepContext { gravity, ..STILL }, n);
    // Backward Euler: x = n dt v + g dt^2 n (n + 1)/2.
    let n = n as f64;
    let fallen = n * 1e-3 * velocity + gravity * 1e-6 * 0.5 * n * (n + 1.0);
    for (before, now) in start.iter().zip(&rod.centerline) {
        assert!(now.distance(*before + fallen) < 1e-9, "{}", now.distance(*before + fallen));
    }
    let end = velocity + gravity * 1e-3 * n;
    assert!(rod.point_velocities().iter().all(|v| v.distance(end) < 1e-7));
}

#[test]
fn motion_is_rotation_invariant() {
    let turn = DQuat::from_scaled_axis(DVec3::new(1.0, -2.0, 0.7));
    let gravity = DVec3::new(0.3, -9.0, 2.0);
    for hold in [[Hold::Clamped, Hold::Free], [Hold::Pinned, Hold::Pinned], [Hold::Free, Hold::Free]] {
        let mut straight = rod(hold, 5);
        let mut shape = tangled(5, 7);
        shape.root = turn * shape.root;
        shape.frame = turn * shape.frame;
        let natural = straight.natural.clone();
        let mut turned = SuperHelix::from_curvatures(params(hold), shape, natural, 3, DVec3::ZERO).unwrap();
        run(&mut straight, StepContext { gravity, ..STILL }, 50);
        run(&mut turned, StepContext { gravity: turn * gravity, ..STILL }, 50);
        for (a, b) in straight.centerline.iter().zip(&turned.centerline) {
            assert!((turn * *a).distance(*b) < 1e-7, "{hold:?}: {}", (turn * *a).distance(*b));
        }
    }
}

#[test]
fn point_motions_match_displacements() {
    let mut rod = rod([Hold::Clamped, Hold::Free], 4);
    let spin = Spin::new(DVec3::ONE, 3.0, None).unwrap().moving(DVec3::X).unwrap();
    rod.params.ends[0].motion = Motion::Spin(spin);
    let step = StepContext { dt: 1e-7, ..STILL };
    rod.form(&step, &mut StepSystem::default());
    let velocities: Vec<f64> = (0..rod.unknowns()).map(|i| (i as f64).cos()).collect();
    let abscissas =
        [(0, 0.0), (1, 0.3), (2, 1.0), (5, 0.5), (11, 1.0)].map(|(segment, share)| Abscissa { segment, share });
    // The surface point rotates with the frames at both ends of its segment.
    let frames = |rod: &SuperHelix, at: Abscissa| {
        let (element, sample) = (at.segment / rod.samples, at.segment % rod.samples);
        let shape = &rod.state.shape;
        [sample, sample + 1].map(|sample| {
            let s = shape.element_length * sample as f64 / rod.samples as f64;
            rod.chain.joints[element].1 * Arc::new(s * shape.curvatures[element]).rotation()
        })
    };
    let start = rod.clone();
    let arm = DVec3::new(0.02, -0.01, 0.015);
    let position = |rod: &SuperHelix, at: Abscissa| {
        let (old, new) = (frames(&start, at), frames(rod, at));
        let turned = [0, 1].map(|i| new[i] * (old[i].transpose() * arm));
        rod.centerline[at.segment].lerp(rod.centerline[at.segment + 1], at.share) + turned[0].lerp(turned[1], at.share)
    };
    let before = abscissas.map(|at| (position(&rod, at), rod.motion_of(at, arm)));
    rod.advance(&velocities, &step);
    for (at, (position_before, motion)) in abscissas.into_iter().zip(before) {
        let expected: DVec3 =
            motion.drift + motion.columns.iter().zip(&velocities[motion.first..]).map(|(c, v)| *c * *v).sum::<DVec3>();
        let moved = (position(&rod, at) - position_before) / step.dt;
        assert!(expected.distance(moved) < 1e-5, "{at:?}: {expected} {moved}");
    }
}

#[test]
fn held_ends_stay_at_their_targets() {
    let mut rod = rod([Hold::Clamped, Hold::Clamped], 6);
    let tip = *rod.centerline.last().unwrap();
    let frame = rod.chain.joints[6].1;
    // Lets the spring of the tip settle.
    run(&mut rod, StepContext { gravity: DVec3::new(0.0, -9.81, 0.0), ..STILL }, 300);
    assert!(rod.centerline[0].distance(tangled(6, 7).root) < 1e-15);
    assert!(rod.centerline.last().unwrap().distance(tip) < 1e-6, "{}", rod.centerline.last().unwrap().distance(tip));
    assert!((rod.chain.joints[6].1.col(0)).distance(frame.col(0)) < 1e-5);
    assert!(rod.state.tip_force.is_finite());
}

#[test]
fn a_pinned_stiff_rod_is_a_pendulum() {
    let mut params = params([Hold::Pinned, Hold::Free]);
    params.material.youngs_modulus = 1e12;
    params.points = (0..5).map(|i| 0.05 * f64::from(i) * DVec3::new(0.1, -1.0, 0.0).normalize()).collect();
    let mut rod = SuperHelix::new(params, 4, DVec3::ZERO).unwrap();
    let mut crossings = Vec::new();
    let mut before = rod.centerline[4].x;
    for i in 0..20_000 {
        let step = StepContext { dt: 1e-4, gravity: DVec3::new(0.0, -9.81, 0.0), time: f64::from(i) * 1e-4, ..STILL };
        run(&mut rod, step, 1);
        let now = rod.centerline[4].x;
        if now <= 0.0 && before > 0.0 || now >= 0.0 && before < 0.0 {
            crossings.push(step.time + step.dt * before / (before - now));
        }
        before = now;
    }
    let period = 2.0 * (crossings[2] - crossings[0]) / 2.0;
    // Small oscillations, with the first amplitude correction.
    let expected = std::f64::consts::TAU * (2.0 * 0.2 / (3.0 * 9.81f64)).sqrt() * (1.0 + 0.1f64.powi(2) / 16.0);
    assert!((period / expected - 1.0).abs() < 1e-3, "{period} {expected}");
}

#[test]
fn a_released_rod_keeps_its_momentum() {
    let mut rod = rod([Hold::Clamped, Hold::Free], 4);
    rod.params.ends[0].motion = Motion::Spin(Spin::new(DVec3::Y, 4.0, None).unwrap());
    rod.params.ends[0].release = Some(0.05);
    run(&mut rod, STILL, 50);
    let mass: Vec<f64> = (0..rod.stations.len()).map(|q| masses(&rod, q).0).collect();
    let momentum =
        |rod: &SuperHelix| -> DVec3 { rod.state.point_rates.iter().zip(&mass).map(|((v, _), m)| *v * *m).sum() };
    let before = momentum(&rod);
    run(&mut rod, StepContext { time: 0.05, ..STILL }, 50);
    assert_eq!(rod.unknowns(), 18);
    assert!(momentum(&rod).distance(before) < 1e-9 * before.length());
}

#[test]
fn restored_state_continues_bit_for_bit() {
    let mut rod = rod([Hold::Clamped, Hold::Pinned], 4);
    rod.params.ends[0].release = Some(0.03);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    run(&mut rod, StepContext { gravity, ..STILL }, 20);
    let mut copy = self::rod([Hold::Clamped, Hold::Pinned], 4);
    copy.params.ends[0].release = Some(0.03);
    assert!(copy.load(&rod.save()));
    assert_eq!(copy.velocities(), rod.velocities());
    for rod in [&mut rod, &mut copy] {
        run(rod, StepContext { gravity, time: 0.02, ..STILL }, 20);
    }
    assert_eq!(copy.save(), rod.save());
    assert_eq!(copy.centerline(), rod.centerline());
    assert!(!copy.load(&rod.save()[1..]));
}

#[test]
fn a_rod_fitted_to_its_natural_shape_is_unstressed() {
    let shape = tangled(6, 9);
    let mut chain = Chain::default();
    shape.compute_chain(&mut chain);
    let points = centerline(&shape, &chain, 6);
    let elsewhere = DQuat::from_scaled_axis(DVec3::new(0.5, 2.0, -1.0));
    let natural = points.iter().map(|p| elsewhere * *p + DVec3::Z).collect();
    let params = RodParams { points, natural: Some(natural), ..params([Hold::Clamped, Hold::Free]) };
    let rod = SuperHelix::new(params, 6, DVec3::ZERO).unwrap();
    let straight = rod.stiffness().x * rod.natural.iter().map(|k| k.length_squared()).sum::<f64>();
    assert!(rod.energy(DVec3::ZERO).elastic < 1e-9 * straight, "{:?}", rod.energy(DVec3::ZERO));
    assert_eq!(rod.centerline.len(), 37);
}

#[test]
fn invalid_rods_are_rejected() {
    let points: Vec<DVec3> = (0..4).map(f64::from).map(|i| DVec3::new(i, 0.0, (2.0 * i).sin())).collect();
    let good = RodParams { points, ..params([Hold::Clamped, Hold::Free]) };
    let message = |change: fn(&mut RodParams)| {
        let mut params = good.clone();
        change(&mut params);
        SuperHelix::new(params, 3, DVec3::ZERO).unwrap_err().to_string()
    };
    assert!(SuperHelix::new(good.clone(), 3, DVec3::ZERO).is_ok());
    assert_eq!(
        message(|p| p.points[2] = p.points[1]),
        "points 1 and 2 of the rod coincide; neighboring points must be distinct"
    );
    assert_eq!(message(|p| p.points.truncate(1)), "a rod needs at least 2 points; got 1");
    assert_eq!(
        message(|p| p.points[3].y = f64::NAN),
        "point 3 of the rod is [3, NaN, -0.27941549819892586]; it must be finite"
    );
    assert_eq!(message(|p| p.material.radius = 0.0), "the radius is 0; it must be positive and finite, in m");
    assert_eq!(message(|p| p.closed = true), "the super-helix model does not support closed rods");
    assert!(message(|p| p.material.poisson_ratio = 0.7).contains("at most 0.5"));
    assert!(SuperHelix::new(good, 0, DVec3::ZERO).is_err());
}
