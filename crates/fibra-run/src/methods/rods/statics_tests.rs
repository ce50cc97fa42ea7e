//! Static analysis, continuation and outputs of scenes of rods.

use super::RodsSimulation;
use crate::methods::simulation_of;
use crate::simulation::Simulation;
use fibra_scene::setup::set_up_rods;
use fibra_scene::{Quantity, Scene, SceneError};

/// A cantilever with a rectangular section and a force on its end.
const SCENE: &str = r#"title = "A cantilever"
method = "rods"
time = { frames = 4, fps = 2 }

[rods]
spacing = 0.02
analysis = "static"
output = ["forces", "moments", "frames", "reactions", "contacts"]

[[object]]
name = "beam"
shape.strands = { curves = [[[0, 0, 0], [0.4, 0, 0]]] }
material.rod = { radius = 0.001, youngs_modulus = 1e8, section.rectangular = { width = 0.004, height = 0.002, axis = [0, 1, 0] } }
pin = [{ region.sphere = { center = [0, 0, 0], radius = 0.001 } }]
pull = [{ region.sphere = { center = [0.4, 0, 0], radius = 0.001 }, force = [0, 0, 0.001] }]
"#;

const CONTINUATION: &str = "rods.continuation={ parameter = \"gravity.1\", from = 0, to = -9.81 }";

fn simulation(sets: &[&str]) -> Result<Box<dyn Simulation>, SceneError> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    simulation_of(&Scene::load(SCENE, None, &sets)?)
}

fn message(sets: &[&str]) -> String {
    let error = simulation(sets).err().expect("the scene is rejected").render(false);
    error.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn frames_have_the_requested_attributes() {
    let mut simulation = simulation(&[]).unwrap();
    simulation.step(0.5).unwrap();
    let frame = simulation.frame(1);
    let values = |name: &str| {
        let found = frame.attributes.iter().find(|attribute| attribute.name == name);
        &found.unwrap_or_else(|| panic!("no {name}")).values
    };
    for name in ["tension", "shear_1", "shear_2", "bending_1", "bending_2", "twisting", "axis_x", "contact_force_x"] {
        assert_eq!(values(name).len(), frame.points.len(), "{name}");
    }
    let weight = 9.81 * 1000.0 * 0.4 * 8e-6;
    let near = |value: f32, expected: f64| (f64::from(value) - expected).abs() < 1e-4 * weight;
    assert!(near(values("reaction_y")[0], weight) && near(values("reaction_z")[0], -0.001));
    assert!(values("reaction_y")[1..].iter().all(|value| *value == 0.0));
    // The first axis of the section starts vertical and stays perpendicular to the sagging centerline.
    assert!(values("axis_y")[0] > 0.99);
    for (i, edge) in frame.points.windows(2).enumerate() {
        let axis = ["axis_x", "axis_y", "axis_z"].map(|name| values(name)[i]);
        let dot = |a: [f32; 3]| (0..3).map(|c| a[c] * axis[c]).sum::<f32>();
        let along: [f32; 3] = std::array::from_fn(|c| edge[1][c] - edge[0][c]);
        assert!((dot(axis) - 1.0).abs() < 1e-5 && dot(along).abs() < 1e-5, "axis {i}: {axis:?}");
    }
    let measured = simulation.measure(Quantity::ReactionY, Some("beam")).unwrap();
    assert!((measured - weight).abs() < 1e-6 * weight);
    assert_eq!(simulation.measure(Quantity::ReactionY, None), simulation.measure(Quantity::ReactionY, Some("beam")));
}

/// Each frame starts from the previous equilibrium; a resumed continuation gives the same bits.
#[test]
fn a_continuation_changes_its_parameter_from_frame_to_frame() {
    let mut whole = simulation(&[CONTINUATION]).unwrap();
    let mut resumed = simulation(&[CONTINUATION]).unwrap();
    let mut sag = Vec::new();
    for frame in 1..=4 {
        whole.step(0.5 * f64::from(frame)).unwrap();
        let quantities = whole.quantities();
        assert!((quantities["parameter"] + 9.81 * 0.25 * f64::from(frame)).abs() < 1e-12);
        sag.push(-quantities["end_displacement_y"]);
        if frame == 2 {
            let saved = whole.save();
            resumed.load(&saved).unwrap();
            assert_eq!(resumed.quantities(), quantities);
        } else if frame > 2 {
            resumed.step(0.5 * f64::from(frame)).unwrap();
        }
    }
    assert_eq!(resumed.save().tensors, whole.save().tensors);
    assert!(sag[0] > 0.0 && sag.windows(2).all(|pair| pair[1] > pair[0]), "{sag:?}");
    // The last frame is the equilibrium of the scene itself.
    let mut direct = simulation(&[]).unwrap();
    direct.step(2.0).unwrap();
    let (a, b) = (direct.quantities()["end_displacement_y"], -sag[3]);
    assert!((a - b).abs() < 1e-8, "{a} {b}");
}

#[test]
fn invalid_static_scenes_are_rejected() {
    let text = message(&[CONTINUATION, "rods.analysis=dynamic"]);
    assert!(
        text.contains("`rods.continuation` changes `gravity.1` in a static analysis, but the analysis is dynamic"),
        "{text}"
    );
    let text = message(&["rods.continuation={ parameter = \"gravity.7\", from = 0, to = 1 }"]);
    assert!(text.contains("cannot set `gravity.7`"), "{text}");
    let text = message(&["rods.continuation={ parameter = \"object.beam.material.rod.radius\", from = 1, to = -1 }"]);
    assert!(text.contains("does not allow the last value of"), "{text}");
    let text = message(&["object.beam.material.rod.section.rectangular.axis=[1, 0, 0]"]);
    assert!(text.contains("choose an axis that is not parallel to the first segment"), "{text}");
    let text = message(&["object.beam.material.rod.model=mass-spring"]);
    assert!(text.contains("the mass-spring model supports only circular cross sections"), "{text}");
    let text = message(&["object.beam.material.rod.section.rectangular.width=0"]);
    assert!(text.contains("width` must be above 0 [m]"), "{text}");
    let text = message(&["object.beam.material.rod.link=1"]);
    assert!(text.contains("a linking number can be set only for a closed rod"), "{text}");
    let mut loose = simulation(&["object.beam.pin=[]"]).unwrap();
    let failure = loose.step(0.5).unwrap_err().to_string();
    assert!(failure.contains("strand 0 of object `beam`: no end is held"), "{failure}");
}

#[test]
fn a_dynamic_scene_has_the_attributes_only_on_request() {
    let loaded = Scene::load(SCENE, None, &["rods.analysis=dynamic".to_owned(), "rods.output=[]".to_owned()]).unwrap();
    let simulation = RodsSimulation::new(set_up_rods(&loaded).unwrap());
    let names: Vec<String> = simulation.frame(0).attributes.into_iter().map(|attribute| attribute.name).collect();
    assert_eq!(names, ["contact_force"]);
}
