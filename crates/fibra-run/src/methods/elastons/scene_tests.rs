//! Builds scenes of elastons and checks their simulations.

use super::ElastonsSimulation;
use crate::simulation::Simulation;
use approx::assert_relative_eq;
use fibra_core::tensor_file::TensorFile;
use fibra_scene::setup::set_up_elastons;
use fibra_scene::{Quantity, Scene};
use glam::DVec3;
use std::f64::consts::PI;

/// A solid, a rod and a shell that form one body, a separate shell, a separate solid, and a blade, all far from the origin.
const SCENE: &str = r#"title = "All kinds of elastons"
method = "elastons"
time = { frames = 2, fps = 50 }
elastons = { spacing = 0.05, dt = 0.01, resampling = { interval = 10 } }

[[object]]
name = "pot"
body = "plant"
shape.cylinder = { center = [1000, 0, 0], radius = 0.2, height = 0.2 }
material.elastic = { density = 2000 }
pin = [{ region.box = { center = [1000, -0.1, 0], size = [1, 0.13, 1] }, motion.spin = { axis = [0, 1, 0], rate = 1 }, until = 0.03 }]

[[object]]
name = "stem"
body = "plant"
shape.strands = { curves = [[[1000, 0.09, 0], [1000, 1, 0]]] }
material.elastic = { section = { width = 0.02, height = 0.01, up = [1, 0, 0] }, youngs_modulus = 1e9 }
sampling = { spacing = 0.02, grading = { region.sphere = { center = [1000, 1, 0], radius = 0.1 }, factor = 3, reach = 0.2 } }

[[object]]
name = "leaf"
body = "plant"
shape.sheet = { center = [1000.2, 0.98, 0], width = 0.4, depth = 0.2 }
material.elastic = { thickness = 0.005, plasticity = { yield_strain = 0.01 } }

[[object]]
name = "tube"
shape.tube = { center = [1001, 0, 0], radius = 0.2, height = 0.4 }
material.elastic = { thickness = 0.01 }
velocity = [0, 1, 0]
angular_velocity = [0, 0, 2]

[[object]]
name = "ball"
shape.sphere = { center = [1000, 0.5, 1], radius = 0.125 }
material.elastic = {}

[[blade]]
name = "knife"
shape.sheet = { center = [1001, 3, 0], width = 1, depth = 1, rotate_degrees = [0, 0, 90] }
motion.spin = { axis = [0, 1, 0], rate = 1, velocity = [0, -1, 0] }
"#;

fn build(text: &str) -> ElastonsSimulation {
    let loaded = Scene::load(text, None, &[]).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let setup = set_up_elastons(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false)));
    ElastonsSimulation::new(setup)
}

#[test]
fn masses_and_connected_parts_match_the_scene() {
    let simulation = build(SCENE);
    let mass = |name: &str| simulation.measure(Quantity::Mass, Some(name)).unwrap();
    assert_relative_eq!(mass("pot"), 2000.0 * PI * 0.04 * 0.2, max_relative = 1e-2);
    assert_relative_eq!(mass("ball"), 1000.0 * 4.0 / 3.0 * PI * 0.125f64.powi(3), max_relative = 1e-9);
    // The polygons of the tube are slightly smaller than circles.
    assert_relative_eq!(mass("tube"), 1000.0 * 2.0 * PI * 0.2 * 0.4 * 0.01, max_relative = 2e-2);
    assert_relative_eq!(
        mass("pot") + mass("stem") + mass("leaf"),
        2000.0 * PI * 0.04 * 0.2 + 1000.0 * (0.91 * 2e-4 + 0.4 * 0.2 * 0.005),
        max_relative = 1e-2
    );
    let parts = |name: Option<&str>| simulation.measure(Quantity::Parts, name).unwrap();
    assert_eq!((parts(None), parts(Some("ball")), parts(Some("pot"))), (3.0, 1.0, 1.0));
    // Without the common body name, there are five parts.
    assert_eq!(build(&SCENE.replace("body = \"plant\"\n", "")).measure(Quantity::Parts, None).unwrap(), 5.0);
}

#[test]
fn objects_have_their_initial_velocities() {
    let simulation = build(SCENE);
    let measures = simulation.measures();
    let origin = simulation.params().origin;
    let (positions, velocities) = (measures.piece_positions(), measures.piece_velocities());
    for piece in measures.pieces(Some(3)) {
        let arm = origin + positions[piece] - DVec3::new(1001.0, 0.0, 0.0);
        let expected = DVec3::Y + DVec3::new(0.0, 0.0, 2.0).cross(arm);
        assert!(velocities[piece].distance(expected) < 1e-9, "{}, expected {expected}", velocities[piece]);
    }
    assert_eq!(simulation.measure(Quantity::MaxSpeed, Some("ball")).unwrap(), 0.0);
}

#[test]
fn frames_follow_the_motion_and_pins_rotate() {
    let mut simulation = build(SCENE);
    let start = simulation.frame(0);
    assert!(start.triangles.len() > 1000 && start.vertices().iter().all(|is| *is));
    assert_eq!(start.object.iter().max(), Some(&4));
    while simulation.time() < 0.02 {
        simulation.step(0.02).unwrap_or_else(|failure| panic!("{failure}"));
    }
    let now = simulation.frame(1);
    assert_eq!(now.first_non_finite(), None);
    // The pin rotates by 0.02 rad; the lower rim of the pot is 0.2 m from the axis.
    let moved = |point: usize| {
        let [a, b] = [&start, &now].map(|frame| DVec3::from_array(frame.world_point(point)));
        (a, b.distance(a))
    };
    let rim = (0..start.points.len()).filter(|&point| start.object[point] == 0).map(moved);
    let (_, far) = rim.filter(|(a, _)| a.y < -0.09).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_relative_eq!(far, 0.004, max_relative = 0.05);
    assert!(simulation.measure(Quantity::VolumeRatio, None).unwrap() > 0.9);
}

#[test]
fn a_loaded_state_continues_bitwise_identically() {
    let mut one = build(SCENE);
    one.step(0.01).unwrap();
    let mut bytes = Vec::new();
    one.save().write_to(&mut bytes).unwrap();
    one.step(0.02).unwrap();
    let mut other = build(SCENE);
    other.load(&TensorFile::from_bytes(&bytes).unwrap()).unwrap();
    other.step(0.02).unwrap();
    assert_eq!(one.frame(1), other.frame(1));
    assert_eq!(one.state().velocities, other.state().velocities);
}

#[test]
fn blades_are_in_world_coordinates_and_pinned_points_relative_to_the_run_origin() {
    let simulation = build(SCENE);
    let params = simulation.params();
    assert!(params.origin.x > 900.0);
    let middle = params.blades[0].surface.bounds().center();
    assert!(middle.distance(DVec3::new(1001.0, 3.0, 0.0)) < 1e-9, "{middle}");
    let hold = &params.holds[0];
    assert!(hold.motion.pivot(DVec3::ZERO).distance(DVec3::new(1000.0, -0.1, 0.0)) < 1e-9);
    assert!(hold.starts.iter().all(|start| (start.y + params.origin.y + 0.1).abs() <= 0.065));
}
