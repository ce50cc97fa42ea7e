//! Internal loads, reactions, sections, static solutions and linking numbers, compared with closed forms.

use fibra_core::geometry::{Collider, Motion, RigidPose, Spin};
use fibra_rods::internals::topology::linking_number;
use fibra_rods::{
    End, NaturalShape, RodEnd, RodId, RodInput, RodMaterial, RodModel, RodSettings, RodSim, RodSimError, Section,
    SectionShape,
};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

const MODELS: [RodModel; 4] =
    [RodModel::MassSpring, RodModel::Corde, RodModel::SuperHelix { elements: 10 }, RodModel::DiscreteElastic];
const LENGTH: f64 = 0.4;
const SEGMENTS: usize = 20;

fn wire() -> RodMaterial {
    RodMaterial { radius: 1e-3, density: 1000.0, youngs_modulus: 1e9, poisson_ratio: 0.3, ..RodMaterial::default() }
}

fn line(direction: DVec3) -> Vec<DVec3> {
    (0..=SEGMENTS).map(|i| LENGTH * i as f64 / SEGMENTS as f64 * direction).collect()
}

fn simulation(gravity: DVec3, rod: RodInput) -> (RodSim, RodId) {
    let mut sim = RodSim::new(RodSettings { gravity, ..RodSettings::default() }).unwrap();
    let id = sim.add_rod(rod).unwrap();
    (sim, id)
}

fn assert_near(measured: f64, expected: f64, tolerance: f64, what: impl std::fmt::Debug) {
    assert!((measured - expected).abs() <= tolerance, "{what:?}: {measured}, expected {expected}");
}

/// The tension of a hanging rod is the weight below; the hold carries the whole weight.
#[test]
fn tension_of_a_hanging_rod_is_the_weight_below() {
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    for (model, hold) in MODELS.into_iter().flat_map(|model| [(model, End::pinned()), (model, End::clamped())]) {
        let rod = RodInput {
            points: line(-DVec3::Y),
            model,
            material: wire(),
            ends: [hold, End::free()],
            ..RodInput::default()
        };
        let (mut sim, id) = simulation(gravity, rod);
        sim.settle().unwrap();
        let weight = 9.81 * wire().density * wire().area() * LENGTH;
        let loads = sim.loads_of(id).unwrap();
        for (i, tension) in loads.tension.iter().enumerate() {
            let below = 1.0 - i as f64 / SEGMENTS as f64;
            assert_near(*tension, weight * below, 1e-7 * weight, (model, i));
        }
        let reaction = sim.reaction_of(id, RodEnd::First).unwrap();
        assert!(reaction.force.distance(weight * DVec3::Y) < 1e-7 * weight, "{model:?} {reaction:?}");
        assert!(reaction.moment.length() < 1e-7 * weight * LENGTH, "{model:?} {reaction:?}");
        assert_near(sim.quantities()["reaction_y"], weight, 1e-7 * weight, model);
        assert!(matches!(sim.reaction_of(id, RodEnd::Last), Err(RodSimError::EndNotHeld { .. })));
    }
}

/// A force on the free end: the moment at the clamp is the moment of the force about the clamp, however far the rod bends.
#[test]
fn moment_of_a_cantilever_is_force_times_lever() {
    let stiffness = wire().bending() / (LENGTH * LENGTH);
    for (model, share) in MODELS.into_iter().flat_map(|model| [(model, 1e-3), (model, 1.0)]) {
        let force = share * stiffness * DVec3::new(0.3, -1.0, 0.5);
        let rod = RodInput {
            points: line(DVec3::X),
            model,
            material: wire(),
            ends: [End::clamped(), End::pulled(force)],
            ..RodInput::default()
        };
        let (mut sim, id) = simulation(DVec3::ZERO, rod);
        sim.settle().unwrap();
        let points = sim.positions_of(id).unwrap();
        let expected = (points[SEGMENTS] - points[0]).cross(force);
        let reaction = sim.reaction_of(id, RodEnd::First).unwrap();
        let scale = force.length() * LENGTH;
        assert!(reaction.force.distance(-force) < 1e-6 * force.length(), "{model:?} {share} {reaction:?}");
        assert!(reaction.moment.distance(-expected) < 1e-6 * scale, "{model:?} {share} {reaction:?} {expected}");
        if matches!(model, RodModel::SuperHelix { .. }) {
            // Its moments are constant over each element.
            continue;
        }
        let loads = sim.loads_of(id).unwrap();
        for (i, point) in points.iter().enumerate() {
            let expected = (points[SEGMENTS] - *point).cross(force);
            assert!(loads.moment[i].distance(expected) < 1e-6 * scale, "{model:?} {i}");
            assert!(loads.force[i].distance(force) < 1e-6 * force.length(), "{model:?} {i}");
            let bending = loads.bending[i][0].hypot(loads.bending[i][1]).hypot(loads.twisting[i]);
            assert_near(bending, expected.length(), 1e-6 * scale, (model, i));
        }
    }
}

/// A clamped end that rotates about the rod by `angle` twists the rod with the moment `GJ angle / L`.
#[test]
fn moment_of_a_twisted_rod_is_stiffness_times_twist() {
    let rate = 2.0;
    for model in [RodModel::Corde, RodModel::DiscreteElastic] {
        let motor = End { motion: Motion::Spin(Spin::new(DVec3::X, rate, None).unwrap()), ..End::clamped() };
        let rod = RodInput {
            points: line(DVec3::X),
            model,
            material: wire(),
            ends: [End::clamped(), motor],
            ..RodInput::default()
        };
        let (mut sim, id) = simulation(DVec3::ZERO, rod);
        sim.settle_at(0.5).unwrap();
        assert_eq!(sim.time(), 0.5);
        let expected = wire().twisting() / LENGTH * 0.5 * rate;
        let twisting = sim.loads_of(id).unwrap().twisting;
        // CORDE measures the angle a of a joint by 4 tan(a / 4).
        assert!(
            twisting.iter().all(|moment| (moment / expected - 1.0).abs() < 1e-3),
            "{model:?} {twisting:?} {expected}"
        );
        let reactions = [RodEnd::First, RodEnd::Last].map(|end| sim.reaction_of(id, end).unwrap().moment.x);
        assert_near(reactions[0], -expected, 1e-3 * expected, model);
        assert_near(reactions[1], expected, 1e-3 * expected, model);
    }
}

/// Contacts and holds together carry the weight of a beam that lies on the floor.
#[test]
fn reactions_and_contact_forces_carry_the_weight() {
    let material = RodMaterial { drag: 50.0, ..wire() };
    let mut sim = RodSim::new(RodSettings::default()).unwrap();
    let points: Vec<DVec3> = line(DVec3::X).into_iter().map(|x| x + 1.05e-3 * DVec3::Y).collect();
    let input = RodInput { points, material, ends: [End::clamped(), End::free()], ..RodInput::default() };
    let rod = sim.add_rod(input).unwrap();
    sim.add_collider(Collider::ground(0.0).friction(0.5)).unwrap();
    sim.advance(0.5).unwrap();
    let reaction = sim.reaction_of(rod, RodEnd::First).unwrap().force;
    let contact: DVec3 = sim.point_contact_forces(rod.index()).into_iter().sum();
    let each: DVec3 = sim.contacts().iter().map(|contact| contact.force).sum();
    let weight = 9.81 * sim.quantities()["mass"];
    assert!(contact.distance(each) < 1e-12 * weight);
    assert!(contact.y > 0.1 * weight && reaction.y > 0.01 * weight, "{contact} {reaction}");
    assert_near(reaction.y + contact.y, weight, 1e-3 * weight, (reaction, contact));
}

/// A held end that accelerates a rod along its length transmits mass times acceleration.
#[test]
fn reaction_of_an_accelerated_hold_is_mass_times_acceleration() {
    let material = RodMaterial { internal_damping: 5e-3, ..wire() };
    let settings = RodSettings { gravity: DVec3::ZERO, ..RodSettings::default() };
    let mut sim = RodSim::new(settings).unwrap();
    let input =
        RodInput { points: line(DVec3::X), material, ends: [End::clamped(), End::free()], ..RodInput::default() };
    let rod = sim.add_rod(input).unwrap();
    let acceleration = 3.0;
    for i in 1..=400 {
        let time = 1e-3 * f64::from(i);
        sim.move_end(rod, RodEnd::First, RigidPose::at(0.5 * acceleration * time * time * DVec3::X)).unwrap();
        sim.advance(1e-3).unwrap();
    }
    let expected = acceleration * sim.quantities()["mass"];
    let loads = sim.loads_of(rod).unwrap();
    // The hold moves at a constant velocity within each step, so its own half segment is not accelerated at the end of a step.
    for i in 1..SEGMENTS {
        let beyond = 1.0 - i as f64 / SEGMENTS as f64;
        assert_near(loads.tension[i], -expected * beyond, 0.02 * expected, i);
    }
}

fn torus_curve(p: f64, q: f64, count: usize) -> Vec<DVec3> {
    let point = |i: usize| {
        let a = TAU * i as f64 / count as f64;
        let r = 0.1 + 0.04 * (q * a).cos();
        DVec3::new(r * (p * a).cos(), r * (p * a).sin(), 0.04 * (q * a).sin())
    };
    (0..count).map(point).collect()
}

/// The material frames of a closed rod, offset from the centerline, form a curve that is linked with the centerline. Its linking number by Gauss's
/// integral is the twist plus the writhe, and stays the same while the rod moves.
#[test]
fn linking_number_is_twist_plus_writhe() {
    let material = RodMaterial { drag: 5.0, radius: 5e-4, ..wire() };
    for (model, p, q, link) in [
        (RodModel::DiscreteElastic, 1.0, 0.0, 3.0),
        (RodModel::DiscreteElastic, 2.0, 3.0, -2.0),
        (RodModel::Corde, 2.0, 3.0, 4.0),
        (RodModel::Corde, 1.0, 2.0, -1.0),
    ] {
        let points = torus_curve(p, q, 120);
        let natural = NaturalShape::Straight;
        let input =
            RodInput { points, closed: true, model, material, natural, link: Some(link), ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        for step in 0..20 {
            let topology = sim.topology_of(id).unwrap().unwrap();
            assert_near(topology.link, link, if model == RodModel::Corde { 0.01 } else { 1e-9 }, (model, step));
            assert_eq!(topology.twist + topology.writhe, topology.link);
            let (points, frames) = (sim.positions_of(id).unwrap(), sim.material_frames_of(id).unwrap());
            let count = points.len();
            // The segments of the offset curve start at the middles of those of the centerline.
            let offset = |k: usize| points[k].lerp(points[(k + 1) % count], 0.5) + 2e-3 * (frames[k] * DVec3::X);
            let ribbon: Vec<DVec3> = (0..count).map(offset).collect();
            let linked = linking_number(&points, &ribbon);
            if q == 0.0 || model == RodModel::DiscreteElastic {
                assert!((linked - linked.round()).abs() < 1e-9, "{linked}");
            }
            sim.advance(2e-4).unwrap();
        }
    }
}

/// A rod joined with an integer linking number has continuous frames, so the curve offset from the centerline closes.
#[test]
fn offset_curve_is_linked_as_often_as_requested() {
    for (p, q, link) in [(1.0, 0.0, 3.0), (1.0, 0.0, 0.0), (2.0, 3.0, -2.0), (1.0, 2.0, 5.0)] {
        let points = torus_curve(p, q, 240);
        let material = RodMaterial { radius: 5e-4, ..wire() };
        let natural = NaturalShape::Straight;
        let input = RodInput { points, closed: true, material, natural, link: Some(link), ..RodInput::default() };
        let (sim, id) = simulation(DVec3::ZERO, input);
        let (points, frames) = (sim.positions_of(id).unwrap(), sim.material_frames_of(id).unwrap());
        let offset = |k: usize| points[k].lerp(points[(k + 1) % points.len()], 0.5) + 2e-3 * (frames[k] * DVec3::X);
        let ribbon: Vec<DVec3> = (0..points.len()).map(offset).collect();
        assert_near(linking_number(&points, &ribbon), link, 1e-9, (p, q));
        let quantities = sim.quantities();
        assert_near(quantities["link"], link, 1e-9, "link");
        assert_near(quantities["twist"] + quantities["writhe"], link, 1e-9, "twist + writhe");
    }
}

/// Deflection of a cantilever by a small force, `F L^3 / (3 EI)`, in the direction of both axes of its section.
#[test]
fn sections_bend_by_the_stiffness_of_their_axes() {
    let (width, height) = (4e-3, 1e-3);
    let rectangle = RodMaterial { section: Section::rectangular(width, height, DVec3::Z), ..wire() };
    let e = rectangle.youngs_modulus;
    assert_near(rectangle.bending_by_axis()[0] / (e * height * width.powi(3) / 12.0), 1.0, 1e-12, "EI_1");
    assert_near(rectangle.bending_by_axis()[1] / (e * width * height.powi(3) / 12.0), 1.0, 1e-12, "EI_2");
    let given = SectionShape::Stiffness { bending: rectangle.bending_by_axis(), twisting: rectangle.twisting() };
    let given = RodMaterial { section: Section { shape: given, axis: DVec3::Z }, ..rectangle };
    let ellipse = RodMaterial { section: Section::elliptic(3e-3, 2e-3, DVec3::new(5.0, 0.0, 1.0)), ..wire() };
    for model in [RodModel::Corde, RodModel::SuperHelix { elements: 20 }, RodModel::DiscreteElastic] {
        for material in [rectangle, given, ellipse] {
            for (axis, direction) in [(0, DVec3::Z), (1, DVec3::Y)] {
                let stiffness = material.bending_by_axis()[axis];
                let force = 1e-3 * stiffness / (LENGTH * LENGTH);
                let ends = [End::clamped(), End::pulled(force * direction)];
                let input = RodInput { points: line(DVec3::X), model, material, ends, ..RodInput::default() };
                let (mut sim, id) = simulation(DVec3::ZERO, input);
                sim.settle().unwrap();
                let deflection = sim.positions_of(id).unwrap()[SEGMENTS].dot(direction);
                let expected = force * LENGTH.powi(3) / (3.0 * stiffness);
                assert_near(deflection / expected, 1.0, 0.01, (model, material.section, axis));
                let loads = sim.loads_of(id).unwrap();
                let moment = loads.bending[0].map(f64::abs);
                assert_near(moment[axis], force * LENGTH, 0.03 * force * LENGTH, (model, axis));
                assert!(moment[1 - axis] < 1e-3 * force * LENGTH, "{model:?} {moment:?}");
                let shear = loads.shear[SEGMENTS / 2].map(f64::abs);
                assert_near(shear[axis], force, 1e-2 * force, (model, axis));
            }
        }
    }
}

/// A rod with an anisotropic section that is naturally curved is free of stress in its natural shape.
#[test]
fn naturally_curved_rods_with_sections_start_without_stress() {
    let points: Vec<DVec3> =
        (0..=30).map(|i| 0.2 * f64::from(i)).map(|s| 0.05 * DVec3::new(s.cos(), s.sin(), 0.3 * s)).collect();
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.4));
    for model in [RodModel::Corde, RodModel::SuperHelix { elements: 15 }, RodModel::DiscreteElastic] {
        let section = Section::rectangular(3e-3, 1e-3, turn * DVec3::Z);
        let input = RodInput {
            points: points.iter().map(|x| turn * *x).collect(),
            // The curvatures of a super-helix are fitted to points, which in another orientation gives slightly different ones.
            natural: match model {
                RodModel::SuperHelix { .. } => NaturalShape::AsGiven,
                _ => NaturalShape::Points(points.clone()),
            },
            material: RodMaterial { section, ..wire() },
            model,
            ..RodInput::default()
        };
        let (sim, id) = simulation(DVec3::ZERO, input);
        let bending = wire().youngs_modulus * 3e-3f64.powi(3) * 1e-3 / 12.0;
        // The energy of straightening the rod is about EI k^2 L / 2.
        let scale = 0.5 * bending / 0.05 / 0.05 * 0.3;
        let energy = sim.quantities()["elastic_energy"];
        assert!(energy < 1e-4 * scale, "{model:?} {energy} {scale}");
        let most = sim.loads_of(id).unwrap().moment.iter().fold(0.0, |most: f64, m| most.max(m.length()));
        assert!(most < 1e-2 * bending / 0.05, "{model:?} {most} {}", bending / 0.05);
    }
}

#[test]
fn sections_and_twists_that_a_model_does_not_support_are_rejected() {
    let mut sim = RodSim::new(RodSettings::default()).unwrap();
    let base = RodInput { points: line(DVec3::X), ..RodInput::default() };
    let mut message = |input: RodInput| sim.add_rod(input).unwrap_err().to_string();
    let with = |section: Section| RodInput { material: RodMaterial { section, ..wire() }, ..base.clone() };
    let rectangle = Section::rectangular(2e-3, 1e-3, DVec3::Y);
    assert_eq!(
        message(RodInput { model: RodModel::MassSpring, ..with(rectangle) }),
        "the mass-spring model supports only circular cross sections"
    );
    assert!(message(with(Section { axis: DVec3::X, ..rectangle })).starts_with("the axis of the section is [1, 0, 0]"));
    assert!(
        message(with(Section { axis: DVec3::ZERO, ..rectangle })).starts_with("the axis of the section is [0, 0, 0]")
    );
    let twisted = |model: RodModel| RodInput { twist: 1.0, model, ..base.clone() };
    assert_eq!(message(twisted(RodModel::MassSpring)), "the mass-spring model does not support an initial twist");
    assert!(message(twisted(RodModel::SuperHelix { elements: 3 })).starts_with("the super-helix model"));
    assert!(message(RodInput { link: Some(1.0), ..base.clone() }).starts_with("a linking number can be set only"));
    assert!(message(RodInput { twist: f64::NAN, ..base }).starts_with("the twist is NaN"));
}

#[test]
fn the_static_solver_rejects_what_has_no_static_equilibrium() {
    let free = RodInput { points: line(DVec3::X), ..RodInput::default() };
    let (mut sim, _) = simulation(-9.81 * DVec3::Y, free.clone());
    assert!(sim.settle().unwrap_err().to_string().starts_with("rod 0: no end is held against the weight"));
    let (mut sim, _) = simulation(DVec3::ZERO, free);
    sim.settle().unwrap();

    let clamped = RodInput { points: line(DVec3::X), ends: [End::clamped(), End::free()], ..RodInput::default() };
    let (mut sim, _) = simulation(-9.81 * DVec3::Y, clamped.clone());
    sim.add_collider(Collider::ground(-0.01)).unwrap();
    assert!(sim.settle().unwrap_err().to_string().starts_with("rods overlap each other or a collider"));
    let (mut sim, _) = simulation(-9.81 * DVec3::Y, clamped);
    sim.add_ball(fibra_rods::BallInput::default()).unwrap();
    assert!(sim.settle().unwrap_err().to_string().starts_with("body 1 is a ball"));
}

/// Beyond its critical load, a column that is perfectly straight buckles; its tip moves as the elastica [Timoshenko1961, Sec. 2.7].
#[test]
fn a_perfect_column_buckles_statically() {
    let critical = (0.25 * TAU / LENGTH).powi(2) * wire().bending();
    // Load and deflection of the tip for a tip angle of 60 degrees.
    for (ratio, deflection) in [(0.99, 0.0), (1.152, 0.593)] {
        let ends = [End::clamped(), End::pulled(-ratio * critical * DVec3::X)];
        let input = RodInput { points: line(DVec3::X), material: wire(), ends, ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        sim.settle().unwrap();
        let tip = sim.positions_of(id).unwrap()[SEGMENTS];
        assert_near(tip.y.hypot(tip.z) / LENGTH, deflection, 0.01, ratio);
    }
}

/// A moment on the free end of a cantilever bends it to an arc of curvature `M / EI`; the moment is the same everywhere.
#[test]
fn an_end_moment_bends_a_cantilever_to_an_arc() {
    let curvature = 0.5 * TAU / LENGTH;
    let moment = curvature * wire().bending() * DVec3::Z;
    for model in [RodModel::Corde, RodModel::SuperHelix { elements: 10 }, RodModel::DiscreteElastic] {
        let ends = [End::clamped(), End { moment, ..End::free() }];
        let input = RodInput { points: line(DVec3::X), model, material: wire(), ends, ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        sim.settle().unwrap();
        // A half circle.
        let tip = sim.positions_of(id).unwrap()[SEGMENTS];
        assert!(tip.distance(2.0 / curvature * DVec3::Y) < 0.01 * LENGTH, "{model:?} {tip}");
        let loads = sim.loads_of(id).unwrap();
        assert!(
            loads.moment.iter().all(|m| m.distance(moment) < 1e-5 * moment.length()),
            "{model:?} {:?}",
            loads.moment
        );
        let reaction = sim.reaction_of(id, RodEnd::First).unwrap();
        assert!(reaction.moment.distance(-moment) < 1e-5 * moment.length(), "{model:?} {reaction:?}");
    }
    let ends = [End::clamped(), End { moment, ..End::free() }];
    let input = RodInput { points: line(DVec3::X), model: RodModel::MassSpring, ends, ..RodInput::default() };
    let error = RodSim::new(RodSettings::default()).unwrap().add_rod(input).unwrap_err().to_string();
    assert_eq!(error, "the mass-spring model does not support moments on its ends");
}

/// A twisting moment on the free end, `GJ angle / L`, turns it by the angle.
#[test]
fn an_end_moment_about_the_tangent_twists_a_rod() {
    let moment = 0.8 * wire().twisting() / LENGTH * DVec3::X;
    for model in [RodModel::Corde, RodModel::DiscreteElastic] {
        let ends = [End::clamped(), End { moment, ..End::free() }];
        let input = RodInput { points: line(DVec3::X), model, material: wire(), ends, ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        let before = sim.material_frames_of(id).unwrap()[SEGMENTS - 1];
        sim.settle().unwrap();
        let turn = sim.material_frames_of(id).unwrap()[SEGMENTS - 1] * before.conjugate();
        // The last segment does not twist beyond its middle, so 39 of 40 half segments twist.
        let expected = 0.8 * (1.0 - 0.5 / SEGMENTS as f64);
        assert_near(2.0 * turn.x.abs().atan2(turn.w.abs()), expected, 2e-3, model);
    }
}

/// A follower force stays perpendicular to the end of the rod; a scheduled force grows with time.
#[test]
fn follower_forces_rotate_with_the_end_and_schedules_scale_forces() {
    let size = 4.0 * wire().bending() / (LENGTH * LENGTH);
    let pulled = End { follower: true, schedule: vec![[0.0, 0.0], [2.0, 1.0]], ..End::pulled(size * DVec3::Y) };
    let input =
        RodInput { points: line(DVec3::X), material: wire(), ends: [End::clamped(), pulled], ..RodInput::default() };
    let (mut sim, id) = simulation(DVec3::ZERO, input);
    for time in [0.25, 0.5, 0.75, 1.0] {
        sim.settle_at(time).unwrap();
        let (points, loads) = (sim.positions_of(id).unwrap(), sim.loads_of(id).unwrap());
        let tangent = (points[SEGMENTS] - points[SEGMENTS - 1]).normalize();
        let force = loads.force[SEGMENTS];
        assert_near(force.length(), 0.5 * time * size, 1e-9 * size, time);
        assert!(force.dot(tangent).abs() < 1e-9 * size, "{force} {tangent}");
        let reaction = sim.reaction_of(id, RodEnd::First).unwrap();
        let moment = (points[SEGMENTS] - points[0]).cross(force);
        assert!(reaction.force.distance(-force) < 1e-5 * size, "{time} {reaction:?} {force}");
        assert!(reaction.moment.distance(-moment) < 1e-5 * size * LENGTH, "{time}");
        assert!(tangent.y > 0.4 * time, "{tangent}");
    }
}

/// A rod that is clamped in a straight shape and then gets a natural curvature bends at its clamps with the moment `EI k`; a free one becomes an arc. A
/// natural twist of a clamped rod causes the moment `GJ t`.
#[test]
fn natural_curvature_and_twist_cause_moments_in_a_held_rod() {
    let section = Section::rectangular(3e-3, 1e-3, DVec3::Y);
    let material = RodMaterial { section, ..wire() };
    let natural = DVec3::new(0.4, -0.7, 0.9);
    let count = SEGMENTS + 1;
    for model in [RodModel::Corde, RodModel::DiscreteElastic] {
        let ends = [End::clamped(), End::clamped()];
        let input = RodInput { points: line(DVec3::X), model, material, ends, ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        sim.set_natural_curvature(id, &vec![natural; count]).unwrap();
        let loads = sim.loads_of(id).unwrap();
        let [first, second] = material.bending_by_axis();
        for i in 0..count {
            assert_near(loads.bending[i][0], -first * natural.x, 1e-3 * first, (model, i));
            assert_near(loads.bending[i][1], -second * natural.y, 1e-3 * second, (model, i));
            assert_near(loads.twisting[i], -material.twisting() * natural.z, 1e-3 * material.twisting(), (model, i));
        }
        let error = sim.set_natural_curvature(id, &[natural]).unwrap_err().to_string();
        assert!(error.starts_with("the natural shape has 1 points and the rod 21"), "{error}");
    }
    for model in [RodModel::Corde, RodModel::SuperHelix { elements: 10 }, RodModel::DiscreteElastic] {
        let ends = [End::clamped(), End::free()];
        let input = RodInput { points: line(DVec3::X), model, material, ends, ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        sim.set_natural_curvature(id, &vec![DVec3::new(0.5 * TAU / LENGTH, 0.0, 0.0); count]).unwrap();
        sim.settle().unwrap();
        // A half circle toward the first axis.
        let tip = sim.positions_of(id).unwrap()[SEGMENTS];
        assert!(tip.distance(2.0 * LENGTH / (0.5 * TAU) * DVec3::Y) < 0.01 * LENGTH, "{model:?} {tip}");
        assert!(sim.quantities()["elastic_energy"] < 1e-8 * material.bending() / LENGTH, "{model:?}");
    }
}

/// A rod between two pins whose rest length shrinks by one percent is stretched by `EA / 99`.
#[test]
fn a_shorter_rest_length_causes_tension() {
    for model in [RodModel::MassSpring, RodModel::Corde, RodModel::DiscreteElastic] {
        let ends = [End::pinned(), End::pinned()];
        let input = RodInput { points: line(DVec3::X), model, material: wire(), ends, ..RodInput::default() };
        let (mut sim, id) = simulation(DVec3::ZERO, input);
        sim.set_rest_lengths(id, &[0.99 * LENGTH / SEGMENTS as f64; SEGMENTS]).unwrap();
        sim.settle().unwrap();
        let expected = wire().stretching() / 99.0;
        let tension = sim.loads_of(id).unwrap().tension;
        assert!(tension.iter().all(|tension| (tension / expected - 1.0).abs() < 1e-6), "{model:?} {tension:?}");
    }
    let input = RodInput { points: line(DVec3::X), model: RodModel::SuperHelix { elements: 4 }, ..RodInput::default() };
    let (mut sim, id) = simulation(DVec3::ZERO, input);
    let error = sim.set_rest_lengths(id, &[0.02; SEGMENTS]).unwrap_err().to_string();
    assert_eq!(error, "the model of this rod does not support a change of its rest lengths");
}
