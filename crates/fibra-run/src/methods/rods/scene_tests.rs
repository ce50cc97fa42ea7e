//! Builds scenes of rods and checks their simulations.

use super::RodsSimulation;
use crate::simulation::Simulation;
use approx::assert_relative_eq;
use fibra_rods::Hold;
use fibra_rods::internals::body::Body;
use fibra_scene::setup::{set_up, set_up_rods};
use fibra_scene::{LoadedScene, Quantity, Scene};
use glam::DVec3;
use std::f64::consts::PI;

/// All rod models, a closed ring, a rail, and a ball above a plate.
const SCENE: &str = r#"title = "All kinds of rods"
method = "rods"
time = { frames = 2, fps = 50 }
rods = { spacing = 0.02, dt = 2e-3 }
domain = { min = [-2, -1, -2], max = [2, 3, 2] }

[[object]]
name = "chains"
shape.rod-bundle = { center = [0, 0.05, 0], rods = 7, length = 0.2, pitch = 0.025, shift = 0.01, sway = 0.001, rotate_degrees = [0, 0, 90] }
material.rod = { model = "mass-spring", radius = 0.01, youngs_modulus = 1e6, friction = 0.4 }
velocity = [0, -1, 0]

[[object]]
name = "cable"
shape.strands = { curves = [[[-0.5, 0.5, 0], [-0.5, 0.5, 0.2]], [[0.5, 0.5, 0], [0.5, 0.5, 0.2]]] }
material.rod = { model = "corde", radius = 0.005 }
pin = [{ region.sphere = { center = [-0.5, 0.5, 0.2], radius = 0.01 }, motion.spin = { axis = [0, 0, 1], rate = 3 }, until = 0.015 }]

[[object]]
name = "hair"
shape.scalp = { center = [0, 1.5, 0], radius = 0.2, strands = 5, length = 0.3, curl_radius = 0.02, curl_length = 0.15 }
material.rod = { model = "super-helix", radius = 0.004, elements = 5 }
pin = [{ region.sphere = { center = [0, 1.5, 0], radius = 0.2001 }, follow = "head" }]

[[object]]
name = "rope"
shape.overhand-knot = { center = [0, 0.8, 0], loop_radius = 0.04, tail = 0.1 }
material.rod = { radius = 0.005, friction = 0.2 }
pull = [{ region.sphere = { center = [0.2, 0.787, 0], radius = 0.02 }, force = [0.1, 0, 0] }]

[[object]]
name = "ring"
shape.strands = { curves = [[[1, 0.2, 0], [1.1, 0.2, 0], [1.1, 0.2, 0.1], [1, 0.2, 0.1]]], closed = true }
material.rod = { radius = 0.005 }

[[object]]
name = "rail"
shape.strands = { curves = [[[-1, 0.3, 0], [-0.8, 0.3, 0]]] }
material.rod = { radius = 0.01 }
pin = [{ region.box = { center = [-0.9, 0.3, 0], size = [0.4, 0.1, 0.1] }, motion.keyframes = { times = [0, 1], translations = [[0, 0, 0], [0, 1, 0]] } }]

[[object]]
name = "ball"
shape.sphere = { center = [-0.9, 0.36, 0], radius = 0.05 }
material.rigid = { density = 500 }
angular_velocity = [1, 2, 3]

[[collider]]
name = "plate"
shape.plane = { point = [0, 0, 0] }
friction = 0.2

[[collider]]
name = "head"
shape.sphere = { center = [0, 1.5, 0], radius = 0.2 }
motion.spin = { axis = [0, 1, 0], rate = 2 }
"#;

fn loaded(sets: &[&str]) -> LoadedScene {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Scene::load(SCENE, None, &sets).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

fn build(sets: &[&str]) -> RodsSimulation {
    let loaded = loaded(sets);
    let setup = set_up_rods(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false)));
    RodsSimulation::new(setup)
}

fn rod(simulation: &RodsSimulation, body: usize) -> &dyn fibra_rods::internals::rod::Rod {
    match &simulation.sim().state().bodies[body] {
        Body::Rod(rod) => rod.as_ref(),
        Body::Ball(_) => panic!("body {body} is a ball"),
    }
}

#[test]
fn all_bodies_exist_with_the_expected_masses() {
    let simulation = build(&[]);
    // Chains, cables, hairs, rope, ring, rail, ball.
    assert_eq!(simulation.sim().state().bodies.len(), 7 + 2 + 5 + 1 + 1 + 1 + 1);
    let mass = |object| simulation.measure(Quantity::Mass, Some(object)).unwrap();
    assert_relative_eq!(mass("chains"), 7.0 * 0.2 * PI * 1e-4 * 1000.0, max_relative = 1e-9);
    assert_relative_eq!(mass("ball"), 500.0 * 4.0 / 3.0 * PI * 0.05f64.powi(3), max_relative = 1e-9);
    assert_relative_eq!(mass("ring"), 0.4 * PI * 25e-6 * 1000.0, max_relative = 1e-9);
    assert_eq!(simulation.measure(Quantity::Mass, Some("nobody")), None);
    assert_relative_eq!(simulation.measure(Quantity::CenterX, Some("rail")).unwrap(), -0.9, max_relative = 1e-9);
    assert_relative_eq!(simulation.measure(Quantity::MaxSpeed, Some("chains")).unwrap(), 1.0, max_relative = 1e-9);
    assert_relative_eq!(simulation.measure(Quantity::MaxStretch, None).unwrap(), 1.0, max_relative = 1e-9);
    assert_eq!(simulation.measure(Quantity::InsideColliders, None).unwrap(), 0.0);
    // The ball just touches the rail.
    assert_relative_eq!(simulation.measure(Quantity::SmallestGap, None).unwrap(), 1.0, max_relative = 1e-9);
    assert_eq!(simulation.measure(Quantity::SmallestGap, Some("rope")).unwrap(), 1.1);
    let surfaces = &simulation.sim().params().surfaces;
    assert_eq!((surfaces[0].friction, surfaces[14].friction), (0.4, 0.2));
}

#[test]
fn pins_clamp_ends_and_rails_and_pulls_apply_forces() {
    let simulation = build(&[]);
    let [left, right] = [7, 8].map(|body| &rod(&simulation, body).params().ends);
    assert_eq!((left[0].hold, left[1].hold, left[1].release), (Hold::Free, Hold::Clamped, Some(0.015)));
    assert_eq!([right[0].hold, right[1].hold], [Hold::Free; 2]);
    for hair in 9..14 {
        let hair = rod(&simulation, hair);
        assert_eq!(hair.params().ends[0].hold, Hold::Clamped);
        assert_eq!(
            hair.params().ends[0].motion.pivot(DVec3::ZERO),
            DVec3::new(0.0, 1.5, 0.0),
            "the pin does not rotate about the center of the head"
        );
        assert_eq!(hair.unknowns(), 15);
    }
    let rope = &rod(&simulation, 14).params().ends;
    assert_eq!((rope[0].force, rope[1].force), (DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0)));
    assert!(rod(&simulation, 15).params().closed);
    assert_eq!(rod(&simulation, 16).unknowns(), 0);
}

#[test]
fn frames_contain_points_segments_and_rotations() {
    let mut simulation = build(&[]);
    while simulation.time() < 0.02 {
        simulation.step(0.02).unwrap();
    }
    assert_relative_eq!(simulation.time(), 0.02);
    let frame = simulation.frame(1);
    assert_eq!((frame.points.len(), frame.colliders.len()), (simulation.items(), 2));
    assert!(frame.object.is_sorted() && frame.first_non_finite().is_none());
    // The ring has as many segments as points; the other rods have one segment fewer, and the ball has none.
    assert_eq!(frame.segments.len(), frame.points.len() - 7 - 2 - 5 - 1 - 1 - 1);
    let names: Vec<&str> = frame.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(names, ["contact_force", "rotation_x", "rotation_y", "rotation_z", "rotation_w"]);
    let ball = frame.points.len() - 1;
    let turned: Vec<f32> = frame.attributes[1..].iter().map(|attribute| attribute.values[ball]).collect();
    assert!((turned.iter().map(|part| part * part).sum::<f32>() - 1.0).abs() < 1e-5 && turned[1] > 0.01, "{turned:?}");
    // The rail lifts the ball that lies on it.
    assert!(frame.attributes[0].values[ball] > 0.5, "{}", frame.attributes[0].values[ball]);
    let rail = simulation.measure(Quantity::CenterY, Some("rail")).unwrap();
    assert_relative_eq!(rail, 0.32, max_relative = 1e-9);
    assert!(simulation.measure(Quantity::CenterY, Some("ball")).unwrap() > rail + 0.059);
    // The chains are in contact with the plate; the head moves the hair.
    assert!(simulation.measure(Quantity::Lowest, Some("chains")).unwrap() > 0.009);
    let quantities = simulation.quantities();
    assert!(quantities["contacts"] > 0.0 && quantities["mass"] > 0.1, "{quantities:?}");
    assert!(simulation.measure(Quantity::MaxSpeed, Some("hair")).unwrap() > 0.02);
}

#[test]
fn a_loaded_state_continues_bitwise_identically() {
    let mut simulation = build(&[]);
    let until = |simulation: &mut RodsSimulation, time: f64, end: f64| {
        while simulation.time() < time {
            simulation.step(end).unwrap();
        }
    };
    until(&mut simulation, 0.01, 0.02);
    let mut other = build(&[]);
    other.load(&simulation.save()).unwrap();
    // Continue past the time at which a pin releases an end.
    until(&mut simulation, 0.02, 0.02);
    until(&mut other, 0.02, 0.02);
    assert!(simulation.sim().state().statistics.most_contacts > 10);
    assert_eq!(simulation.frame(1), other.frame(1));
    assert_eq!(simulation.save(), other.save());
    assert_eq!(simulation.quantities(), other.quantities());
    assert!(build(&["object.chains.shape.rod-bundle.rods=6"]).load(&simulation.save()).is_err());
    assert!(build(&["rods.spacing=0.03"]).load(&simulation.save()).is_err());
    let mut broken = simulation.save();
    broken.tensors.remove("contact.key");
    assert!(build(&[]).load(&broken).is_err());
}

#[test]
fn errors_name_the_key_or_object() {
    let cases: &[(&str, &str)] = &[
        ("object.chains.shape.rod-bundle.pitch=0.015", "strand 4 of `chains` starts inside strand 6 of `chains`"),
        ("object.chains.shape.rod-bundle.center=[0, 0.02, 0]", "of `chains` starts inside collider `plate`"),
        ("object.rope.material.rod.radius=0.02", "strand 0 of `rope` starts inside itself"),
        ("object.ball.shape.sphere.center=[-0.9, 0.34, 0]", "ball `ball`"),
        (
            "object.ring.shape.strands.curves=[[[2, 1, 0], [1.9, 1, 0], [1.9, 1, 0.1]]]",
            "starts inside a wall of the domain",
        ),
        ("object.cable.pin.0.region.sphere.center=[-0.5, 0.5, 0.1]", "neither of the ends"),
        ("object.cable.pin.0.region.sphere.center=[-0.5, 5, 0.1]", "`object.cable.pin.0` pins nothing"),
        ("object.cable.pin.0.region.sphere.radius=0.5", "such a strand cannot be released"),
        ("object.rope.pull.0.region.sphere.center=[0, 5, 0]", "`object.rope.pull.0` pulls nothing"),
        ("object.ring.pin=[{ region.sphere = { center = [1, 0.2, 0], radius = 0.01 } }]", "neither of the ends"),
        ("object.ring.material.rod.model=\"super-helix\"", "the super-helix model does not support closed rods"),
        ("object.rope.material.rod.model=\"mass-spring\"", "supports only a straight natural shape"),
        (
            "object.rail.pull=[{ region.sphere = { center = [-1, 0.3, 0], radius = 0.01 }, force = [1, 0, 0] }]",
            "that is pinned",
        ),
        (
            "object.chains.shape.carpet={ center = [0, 0.5, 1], width = 0.3, depth = 0.3, mesh_size = 0.1, strands = 1, pile = 0.1 }",
            "segments meet at point",
        ),
        (
            "object.chains.shape.rod-bundle.bend_radius=0.05",
            "bend_radius is 0.05; it must exceed the radius of the bundle by a sixth of the length",
        ),
        (
            "object.rail.shape.loop-rails={ center = [-1, 0.3, 0], loops = 1, loop_radius = 0.1, pitch = 0.05, gauge = 0.06, run_in = 1, run_out = 1 }",
            "pitch is 0.05; it must be above the gauge, or rails would cross",
        ),
        (
            "object.rail.shape.loop-rails={ center = [-1, 0.3, 0], loops = 1, loop_radius = 0, pitch = 0.05, gauge = 0.03, run_in = 1, run_out = 1 }",
            "loop_radius is 0; it must be positive and finite",
        ),
        (
            "object.cable.pin=[{ region.sphere = { center = [-0.5, 0.5, 0], radius = 0.01 } }, { region.sphere = { center = [-0.5, 0.5, 0], radius = 0.02 } }]",
            "pin the same end",
        ),
    ];
    for (set, part) in cases {
        let error = set_up(&loaded(&[set])).err().unwrap_or_else(|| panic!("{part}")).render(false);
        let message = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(part), "`{part}` is not in\n{error}");
    }
}

#[test]
fn a_failed_step_suggests_a_remedy() {
    let mut simulation = build(&["object.chains.velocity=[0, -1e7, 0]", "object.ball.velocity=[0, 1e7, 0]"]);
    let failure = (0..20).find_map(|_| simulation.step(0.02).err()).expect("no step fails at this speed");
    assert!(failure.remedy.contains("rods.dt"), "{failure}");
}
