//! Tests of all rod models made of nodes: balance, invariance, derivatives, ends.

use crate::discrete_elastic::DiscreteElastic;
use crate::error::RodError;
use crate::mass_spring::MassSpring;
use crate::rod::{Abscissa, End, Hold, Rod, RodMaterial, RodParams, StepContext, StepSystem};
use crate::section::{Section, SectionShape};
use crate::statics::Statics;
use fibra_core::geometry::{Motion, Spin};
use fibra_core::random::CounterRng;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

type Build = fn(RodParams) -> Result<Box<dyn Rod>, RodError>;

const MODELS: [(&str, Build); 2] = [("mass-spring", mass_spring), ("discrete elastic", der)];

pub(crate) const MATERIAL: RodMaterial = RodMaterial {
    radius: 5e-3,
    density: 1000.0,
    youngs_modulus: 1e7,
    poisson_ratio: 0.3,
    drag: 0.0,
    internal_damping: 0.0,
    section: Section::CIRCULAR,
};

fn mass_spring(params: RodParams) -> Result<Box<dyn Rod>, RodError> {
    Ok(Box::new(MassSpring::new(params, DVec3::ZERO)?))
}

fn der(params: RodParams) -> Result<Box<dyn Rod>, RodError> {
    Ok(Box::new(DiscreteElastic::new(params, DVec3::ZERO)?))
}

pub(crate) fn rod(points: Vec<DVec3>, closed: bool) -> RodParams {
    let ends = [End::default(), End::default()];
    RodParams { material: MATERIAL, points, natural: None, closed, velocity: DVec3::ZERO, ends }
}

pub(crate) fn straight(segments: usize) -> Vec<DVec3> {
    (0..=segments).map(|i| 0.5 * i as f64 / segments as f64 * DVec3::X).collect()
}

pub(crate) fn helix(points: usize) -> Vec<DVec3> {
    let s = |i: usize| 4.0 * i as f64 / points as f64;
    (0..points).map(|i| 0.1 * DVec3::new(s(i).cos(), s(i).sin(), 0.4 * s(i))).collect()
}

pub(crate) fn ring(points: usize) -> Vec<DVec3> {
    let phi = |i: usize| TAU * i as f64 / points as f64;
    (0..points).map(|i| 0.1 * DVec3::new(phi(i).cos(), phi(i).sin(), 0.3 * (2.0 * phi(i)).sin())).collect()
}

pub(crate) fn clamp(motion: Motion) -> End {
    End { motion, ..End::clamped() }
}

pub(crate) fn context(time: f64, dt: f64) -> StepContext {
    StepContext { time, dt, gravity: DVec3::ZERO, origin: DVec3::ZERO }
}

pub(crate) fn step(rod: &mut dyn Rod, context: &StepContext) {
    let mut system = StepSystem::default();
    rod.form(context, &mut system);
    system.operator.factor().unwrap().solve(&mut system.impulse);
    rod.advance(&system.impulse, context);
}

/// Random velocities between -1 and 1.
fn noise(n: usize, seed: u64) -> Vec<f64> {
    let rng = CounterRng::new(seed);
    (0..n).map(|i| 2.0 * rng.uniform(&[i as u64]) - 1.0).collect()
}

/// Returns the force on each unknown, from the impulse of a step from rest.
fn forces(rod: &mut dyn Rod, gravity: DVec3) -> Vec<f64> {
    let saved = rod.save();
    rod.advance(&vec![0.0; rod.unknowns()], &context(0.0, 0.0));
    let mut system = StepSystem::default();
    let dt = 1e-9;
    rod.form(&StepContext { gravity, ..context(0.0, dt) }, &mut system);
    assert!(rod.load(&saved));
    system.impulse.iter().map(|impulse| impulse / dt).collect()
}

/// Randomly deformed rods of all kinds, with their names.
fn deformed() -> Vec<(String, Box<dyn Rod>)> {
    let mut rods = Vec::new();
    for (name, build) in MODELS {
        let mut clamped = rod(helix(9), false);
        clamped.ends = [clamp(Motion::Still), End { hold: Hold::Pinned, ..clamp(Motion::Still) }];
        for (kind, params) in [("open", rod(helix(9), false)), ("closed", rod(ring(9), true)), ("held", clamped)] {
            rods.push((format!("{name} {kind}"), build(params).unwrap()));
        }
    }
    let natural = |mut params: RodParams, natural: Vec<DVec3>| {
        params.natural = Some(natural);
        der(params).unwrap()
    };
    rods.push(("curved".to_owned(), natural(rod(straight(8), false), helix(9))));
    rods.push((
        "curved closed".to_owned(),
        natural(rod(ring(9), true), ring(18).into_iter().step_by(2).rev().collect()),
    ));
    let mut section = rod(straight(8), false);
    let shape = SectionShape::Stiffness {
        bending: [2.5 * MATERIAL.bending(), 0.4 * MATERIAL.bending()],
        twisting: MATERIAL.twisting(),
    };
    section.material.section = Section { shape, axis: DVec3::new(0.1, 0.5, -1.0) };
    rods.push(("section".to_owned(), natural(section, helix(9))));
    let twisted = DiscreteElastic::twisted(rod(ring(9), true), DVec3::ZERO, 7.0).unwrap();
    rods.push(("twisted".to_owned(), Box::new(twisted)));
    for (seed, (_, rod)) in rods.iter_mut().enumerate() {
        rod.form(&context(0.0, 1e-3), &mut StepSystem::default());
        let mut velocities = noise(rod.unknowns(), seed as u64);
        rod.advance(&velocities, &context(0.0, 8e-3));
        velocities.fill(0.0);
        rod.advance(&velocities, &context(0.0, 0.0));
    }
    rods
}

#[test]
fn forces_are_energy_gradients() {
    let gravity = DVec3::new(1.0, -9.81, 2.0);
    for (name, mut rod) in deformed() {
        let force = forces(rod.as_mut(), gravity);
        let saved = rod.save();
        let scale = force.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        let h = 1e-7;
        for i in 0..rod.unknowns() {
            let mut energy = |by: f64| {
                let mut velocities = vec![0.0; force.len()];
                velocities[i] = by;
                rod.advance(&velocities, &context(0.0, 1.0));
                let energy = rod.energy(gravity);
                assert!(rod.load(&saved));
                energy.elastic + energy.gravitational
            };
            let slope = (energy(h) - energy(-h)) / (2.0 * h);
            assert!((slope + force[i]).abs() < 2e-6 * scale, "{name} {i}: {slope} {}", force[i]);
        }
    }
}

/// The operator has the exact stiffness if every segment is in tension and the step is short enough to keep the
/// operator positive definite. The force derivative also has a skew part, which results from transporting the frames.
#[test]
fn operators_match_force_differences() {
    let half = |points: Vec<DVec3>| points.iter().map(|&x| 0.5 * x).collect::<Vec<_>>();
    for (closed, build) in [(false, MODELS[0].1), (false, MODELS[1].1), (true, MODELS[1].1)] {
        let mut params = rod(if closed { ring(9) } else { helix(9) }, closed);
        params.natural = Some(half(if closed { ring(18).into_iter().step_by(2).collect() } else { straight(8) }));
        params.points.iter_mut().for_each(|x| *x *= 3.0);
        let mut rod = build(params).unwrap();
        rod.advance(&noise(rod.unknowns(), 9), &context(0.0, 2e-2));
        rod.advance(&vec![0.0; rod.unknowns()], &context(0.0, 0.0));
        let n = rod.unknowns();
        let operator = |rod: &mut dyn Rod, dt: f64| {
            let mut system = StepSystem::default();
            rod.form(&context(0.0, dt), &mut system);
            system.operator
        };
        let (mass, dt) = (operator(rod.as_mut(), 1e-15), 1e-4);
        let operator = operator(rod.as_mut(), dt);
        let saved = rod.save();
        let h = 1e-6;
        let slopes: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let mut moved = |by: f64| {
                    let mut velocities = vec![0.0; n];
                    velocities[i] = by;
                    rod.advance(&velocities, &context(0.0, 1.0));
                    let forces = forces(rod.as_mut(), DVec3::ZERO);
                    assert!(rod.load(&saved));
                    forces
                };
                moved(h).iter().zip(moved(-h)).map(|(plus, minus)| (minus - plus) / (2.0 * h)).collect()
            })
            .collect();
        let largest = slopes.iter().flatten().fold(0.0, |most: f64, k| most.max(k.abs()));
        for i in 0..n {
            for j in 0..=i {
                let exact = (operator.get(i, j) - mass.get(i, j)) / (dt * dt);
                let difference = 0.5 * (slopes[i][j] + slopes[j][i]);
                assert!((exact - difference).abs() < 1e-6 * largest, "{closed} ({i}, {j}): {exact} {difference}");
            }
        }
    }
}

#[test]
fn operators_are_positive_definite_for_all_time_steps() {
    for (name, mut rod) in deformed() {
        for dt in [1e-6, 1e-4, 1e-2, 1.0] {
            let mut system = StepSystem::default();
            rod.form(&context(0.0, dt), &mut system);
            assert!(system.operator.factor().is_ok(), "{name} {dt}");
        }
    }
}

#[test]
fn rods_in_their_natural_shape_are_force_free_in_any_pose() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 2.5);
    let moved = |points: Vec<DVec3>| points.iter().map(|&x| turn * x + 3.0 * DVec3::Y).collect::<Vec<_>>();
    let mut rods: Vec<Box<dyn Rod>> =
        MODELS.iter().map(|(_, build)| build(rod(moved(straight(10)), false)).unwrap()).collect();
    for (points, closed, clamped) in [(helix(12), false, false), (helix(12), false, true), (ring(12), true, false)] {
        let mut params = rod(moved(points.clone()), closed);
        params.natural = Some(points);
        if clamped {
            params.ends = [clamp(Motion::Still), clamp(Motion::Still)];
        }
        rods.push(der(params).unwrap());
    }
    for mut rod in rods {
        // Rounding error of positions of 3 m, times the stiffness of a segment.
        let rounding = 4.0 * 3.0 * f64::EPSILON * MATERIAL.stretching() / 0.02;
        assert!(forces(rod.as_mut(), DVec3::ZERO).iter().all(|f| f.abs() < rounding));
        assert!(rod.energy(DVec3::ZERO).elastic < 1e-20);
    }
}

#[test]
fn motion_is_rotation_invariant() {
    let turn = DQuat::from_axis_angle(DVec3::new(-1.0, 0.5, 2.0).normalize(), 1.9);
    for (name, build) in MODELS {
        for closed in [false, true] {
            let points = if closed { ring(10) } else { helix(10) };
            let mut plain = rod(points.clone(), closed);
            plain.velocity = DVec3::new(0.3, -0.2, 0.5);
            plain.ends[0] = clamp(Motion::Still);
            let mut turned = plain.clone();
            turned.points.iter_mut().for_each(|x| *x = turn * *x);
            turned.velocity = turn * turned.velocity;
            let (mut plain, mut turned) = (build(plain).unwrap(), build(turned).unwrap());
            let gravity = DVec3::new(0.0, -9.81, 0.0);
            for i in 0..50 {
                step(plain.as_mut(), &StepContext { gravity, ..context(1e-3 * i as f64, 1e-3) });
                step(turned.as_mut(), &StepContext { gravity: turn * gravity, ..context(1e-3 * i as f64, 1e-3) });
            }
            let apart = |(a, b): (&DVec3, &DVec3)| (turn * *a).distance(*b);
            let worst = plain.centerline().iter().zip(turned.centerline()).map(apart).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{name} {closed}: {worst}");
        }
    }
}

#[test]
fn a_free_rod_conserves_momentum() {
    for (name, mut rod) in deformed().into_iter().filter(|(name, _)| !name.contains("held")) {
        let closed = rod.params().closed;
        let p = rod.params().natural.clone().unwrap_or_else(|| rod.params().points.clone());
        let n = p.len();
        let length = |i: usize| if closed || i + 1 < n { p[i].distance(p[(i + 1) % n]) } else { 0.0 };
        let before = |i: usize| if closed || i > 0 { length((i + n - 1) % n) } else { 0.0 };
        let mass = |i: usize| 0.5 * MATERIAL.density * MATERIAL.area() * (before(i) + length(i));
        let momentum =
            |rod: &dyn Rod| -> DVec3 { rod.point_velocities().iter().enumerate().map(|(i, v)| mass(i) * *v).sum() };
        rod.advance(&noise(rod.unknowns(), 3), &context(0.0, 0.0));
        let start = momentum(rod.as_ref());
        for _ in 0..100 {
            step(rod.as_mut(), &context(0.0, 2e-3));
        }
        assert!(momentum(rod.as_ref()).distance(start) < 1e-9 * start.length(), "{name}");
    }
}

#[test]
fn energy_does_not_grow() {
    let gravity = -9.81 * DVec3::Y;
    for (name, build) in MODELS {
        for (closed, dt) in [(false, 1e-3), (true, 1e-3), (false, 1e-2), (true, 1e-2)] {
            let mut params = rod(if closed { ring(20) } else { straight(20) }, closed);
            params.ends[0] = clamp(Motion::Still);
            let mut rod = build(params).unwrap();
            let energy = |rod: &dyn Rod| {
                let e = rod.energy(gravity);
                e.kinetic + e.elastic + e.gravitational
            };
            let start = energy(rod.as_ref());
            // Energy that the weight releases when it falls by the radius of the ring.
            let scale = 0.1 * 9.81 * MATERIAL.density * MATERIAL.area() * 0.5;
            for i in 0..300 {
                step(rod.as_mut(), &StepContext { gravity, ..context(dt * i as f64, dt) });
                let now = energy(rod.as_ref());
                assert!(now <= start + 1e-6 * scale, "{name} closed {closed} dt {dt} step {i}: {now} from {start}");
            }
        }
    }
}

#[test]
fn point_motions_match_displacements() {
    for (name, mut rod) in deformed() {
        let spin = Motion::Spin(Spin::new(DVec3::X, 0.0, None).unwrap().moving(DVec3::new(0.1, 0.2, 0.3)).unwrap());
        let mut params = rod.params().clone();
        params.ends[0].motion = spin;
        if !params.closed {
            rod = if name.contains("mass-spring") { mass_spring(params).unwrap() } else { der(params).unwrap() };
        }
        let context = context(0.0, 1e-3);
        rod.form(&context, &mut StepSystem::default());
        let velocities = noise(rod.unknowns(), 17);
        let segments = rod.centerline().len() - usize::from(!rod.params().closed);
        let motions: Vec<_> =
            (0..segments).map(|segment| rod.motion_of(Abscissa { segment, share: 0.3 }, DVec3::ZERO)).collect();
        let at = |rod: &dyn Rod, i: usize| {
            let p = rod.centerline();
            p[i].lerp(p[(i + 1) % p.len()], 0.3)
        };
        let before: Vec<DVec3> = (0..segments).map(|i| at(rod.as_ref(), i)).collect();
        rod.advance(&velocities, &context);
        for i in 0..segments {
            let m = &motions[i];
            let columns = m.columns.iter().enumerate().map(|(j, column)| velocities[m.first + j] * *column);
            let expected = m.drift + columns.sum::<DVec3>();
            let moved = (at(rod.as_ref(), i) - before[i]) / context.dt;
            assert!(moved.distance(expected) < 1e-10, "{name} {i}: {moved} {expected}");
        }
    }
}

#[test]
fn an_end_is_released_at_its_release_time() {
    for (name, build) in MODELS {
        let mut params = rod(straight(10), false);
        params.ends[0] = End { release: Some(0.05), ..clamp(Motion::Still) };
        let mut rod = build(params).unwrap();
        let gravity = -9.81 * DVec3::Y;
        let unknowns = rod.unknowns();
        for i in 0..10 {
            let time = 0.01 * f64::from(i);
            step(rod.as_mut(), &StepContext { gravity, ..context(time, 0.01) });
            assert_eq!(rod.unknowns() > unknowns, i >= 5, "{name}");
            assert_eq!(rod.centerline()[0].length() > 1e-12, i >= 5, "{name}");
            assert_eq!(rod.velocities().len(), rod.unknowns());
        }
    }
}

#[test]
fn a_pinned_rod_hangs_below_its_end() {
    for (name, build) in MODELS {
        let mut params = rod(straight(10), false);
        params.ends[0] = End { hold: Hold::Pinned, ..clamp(Motion::Still) };
        let mut rod = build(params).unwrap();
        let statics = Statics { gravity: -9.81 * DVec3::Y, ..Statics::default() };
        statics.settle(rod.as_mut()).unwrap();
        // The weight stretches the rod by rho g L^2 / (2 E).
        let stretch = MATERIAL.density * 9.81 * 0.25 / (2.0 * MATERIAL.youngs_modulus);
        let end = rod.centerline()[10];
        assert!(end.distance(-(0.5 + stretch) * DVec3::Y) < 1e-8, "{name} {end}");
    }
}

#[test]
fn restored_state_continues_bit_for_bit() {
    for (name, mut rod) in deformed() {
        let mut other = if name.contains("mass-spring") {
            mass_spring(rod.params().clone()).unwrap()
        } else if name == "twisted" {
            Box::new(DiscreteElastic::twisted(rod.params().clone(), DVec3::ZERO, 7.0).unwrap())
        } else {
            der(rod.params().clone()).unwrap()
        };
        step(rod.as_mut(), &context(0.0, 1e-3));
        assert!(other.load(&rod.save()), "{name}");
        assert!(!other.load(&rod.save()[1..]), "{name}");
        assert_eq!(other.velocities(), rod.velocities(), "{name}");
        for i in 1..5 {
            step(rod.as_mut(), &context(1e-3 * f64::from(i), 1e-3));
            step(other.as_mut(), &context(1e-3 * f64::from(i), 1e-3));
        }
        assert_eq!(other.save(), rod.save(), "{name}");
    }
}

/// Extreme shapes and speeds with time steps of 10 ms: the motion stays bounded.
#[test]
fn long_steps_from_extreme_states_stay_bounded() {
    for (name, mut rod) in deformed() {
        let velocities: Vec<f64> = noise(rod.unknowns(), 5).iter().map(|v| 10.0 * v).collect();
        rod.advance(&velocities, &context(0.0, 0.0));
        let start = rod.energy(DVec3::ZERO);
        for i in 0..200 {
            step(rod.as_mut(), &context(1e-2 * i as f64, 1e-2));
            let now = rod.energy(DVec3::ZERO);
            assert!(now.kinetic <= 2.0 * (start.kinetic + start.elastic), "{name} step {i}: {now:?} from {start:?}");
        }
    }
}

#[test]
fn invalid_rods_are_rejected() {
    let errors_of = |change: fn(&mut RodParams)| {
        let mut params = rod(straight(4), false);
        change(&mut params);
        MODELS.map(|(_, build)| build(params.clone()).err().map(|e| e.to_string()).unwrap_or_default()).join("|")
    };
    let assert_errors = |change: fn(&mut RodParams), start: &str| {
        let errors = errors_of(change);
        assert!(errors.split('|').all(|e| e.starts_with(start)), "{errors}");
    };
    assert_errors(|p| p.points[3] = p.points[2], "points 2 and 3 of the rod coincide");
    assert_errors(|p| p.points.truncate(1), "a rod needs at least 2 points");
    assert_errors(|p| (p.points.truncate(2), p.closed = true).1, "a rod needs at least 3 points when it is closed");
    assert_errors(|p| p.points[1].y = f64::NAN, "point 1 of the rod is");
    assert_errors(|p| p.material.radius = 0.0, "the radius is 0");
    assert_errors(|p| p.material.density = -1.0, "the density is -1");
    assert_errors(|p| p.material.youngs_modulus = f64::INFINITY, "the Young's modulus is inf");
    assert_errors(|p| p.natural = Some(straight(3)), "the natural shape has 4 points and the rod 5");
    assert_errors(|p| p.points[2] = p.points[0] + 1e-3 * DVec3::X, "the rod folds back on itself at point 1");
    assert_errors(|p| p.velocity.z = f64::NAN, "the velocity is");
    let curved = errors_of(|p| p.natural = Some(helix(5)));
    assert_eq!(curved, "the mass-spring model supports only a straight natural shape; this one bends at point 1|");
}
