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
