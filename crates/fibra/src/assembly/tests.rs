//! Scenes built and looked into.

use super::assemble;
use crate::mpm_simulation::MpmSimulation;
use crate::scene::{Quantity, Scene};
use crate::simulation::Simulation;
use approx::assert_relative_eq;
use fibra_mpm::materials::Material;
use glam::{DVec3, Vec3};

const SCENE: &str = r#"title = "Two boxes and a wheel"
method = "mpm"
time = { frames = 2, fps = 50 }
mpm = { dx = 0.1 }
domain = { min = [-2, -1, -2], max = [2, 3, 2] }

[[object]]
name = "left"
shape.box = { center = [-1, 1, 0], size = [0.4, 0.4, 0.4] }
material.goo = { density = 700, yield_stress = 10 }
velocity = [1, 2, 3]
angular_velocity = [0, 0, 5]

[[object]]
name = "right"
shape.box = { center = [1, 1, 0], size = [0.4, 0.4, 0.4] }
material.goo = { density = 700, yield_stress = 10 }

[[object]]
name = "ball"
shape.sphere = { center = [0, 2, 0], radius = 0.33 }
material.snow = {}

[[collider]]
name = "wheel"
shape.cylinder = { center = [0, 0, 0], radius = 0.3, height = 0.5, axis = [1, 0, 0] }
motion.spin = { axis = [1, 0, 0], rate = 2 }
"#;

fn built(text: &str, sets: &[&str]) -> MpmSimulation {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let loaded = Scene::load(text, None, &sets, None).unwrap_or_else(|error| panic!("{}", error.render(false)));
    assemble(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

#[test]
fn masses_are_exact_and_numbers_follow_the_objects() {
    let simulation = built(SCENE, &[]);
    let p = &simulation.state().particles;
    // Two particles per cell and axis.
    assert_eq!(p.object.iter().filter(|object| **object == 0).count(), 512);
    assert!(p.object.is_sorted() && p.id.iter().copied().eq(0..p.len() as u32));
    let mass = |object| simulation.measure(Quantity::Mass, Some(object));
    assert_relative_eq!(mass("left"), 700.0 * 0.064, max_relative = 1e-6);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.33f64.powi(3);
    assert_relative_eq!(mass("ball"), 400.0 * ball, max_relative = 1e-6);
    assert!(simulation.measure(Quantity::Mass, Some("nobody")).is_nan());
    assert_relative_eq!(simulation.measure(Quantity::VolumeRatio, None), 1.0, max_relative = 1e-6);
}

#[test]
fn objects_start_with_their_velocities() {
    let simulation = built(SCENE, &[]);
    let p = &simulation.state().particles;
    for i in 0..512 {
        let r = Vec3::from_array(p.x[i]) - Vec3::new(-1.0, 1.0, 0.0);
        let expected = Vec3::new(1.0, 2.0, 3.0) + Vec3::new(0.0, 0.0, 5.0).cross(r);
        assert!(Vec3::from_array(p.v[i]).distance(expected) < 1e-5);
        let [x, y, z] = p.c[i].mul_vec(r.to_array());
        assert!((Vec3::new(x, y, z) + Vec3::new(1.0, 2.0, 3.0)).distance(expected) < 1e-5);
    }
    assert!(p.v[512..].iter().all(|v| *v == [0.0; 3]));
}

#[test]
fn equal_materials_are_shared_and_equal_shapes_filled_differently() {
    let simulation = built(SCENE, &[]);
    let params = simulation.params();
    let materials: Vec<u32> = params.objects.iter().map(|object| object.material).collect();
    assert_eq!(materials, [0, 0, 1]);
    let Material::Goo(goo) = params.substances[0].material else { panic!("the boxes are of goo") };
    assert_relative_eq!(f64::from(goo.yield_stress), 3f64.sqrt() * 10.0, max_relative = 1e-6);
    assert_eq!(params.limits.max_dt, 1.0 / 50.0);
    let x = &simulation.state().particles.x;
    assert!((0..512).any(|i| (x[i][0] + 2.0 - x[512 + i][0]).abs() > 1e-3), "both boxes have the same pattern");
}

#[test]
fn walls_face_inwards_and_stay_out_of_frames() {
    let simulation = built(SCENE, &[]);
    let colliders = &simulation.params().colliders;
    assert_eq!(colliders.len(), 7);
    let distances: Vec<f32> =
        colliders[1..].iter().map(|wall| wall.place(0.0, DVec3::ZERO).signed_distance(Vec3::ZERO)).collect();
    assert_eq!(distances, [2.0, 2.0, 1.0, 3.0, 2.0, 2.0]);
    assert_eq!(simulation.frame(0).colliders.len(), 1);
}

#[test]
fn far_scenes_get_an_origin_of_whole_blocks() {
    assert_eq!(built(SCENE, &[]).params().origin, DVec3::ZERO);
    let moved = |sets: &[&str]| {
        let text = SCENE.replace("domain = { min = [-2, -1, -2], max = [2, 3, 2] }\n", "");
        let kept = text.split("[[object]]\nname = \"right\"").next().unwrap().to_owned();
        built(&kept, sets)
    };
    // A power of two for dx, so that the shift of 400 blocks is exact.
    let near = moved(&["mpm.dx=0.125"]);
    let far = moved(&["mpm.dx=0.125", "object.left.shape.box.center=[-1001, 3201, 200]"]);
    let (near, far) = (near.state(), far);
    let origin = far.params().origin;
    assert_eq!(origin, (origin / 0.5).round() * 0.5);
    assert!(origin.distance(DVec3::new(-1001.0, 3201.0, 200.0)) < 0.5);
    let shift = (DVec3::new(-1000.0, 3200.0, 200.0) - origin).as_vec3();
    for (a, b) in near.particles.x.iter().zip(&far.state().particles.x) {
        assert!(Vec3::from_array(*b).distance(Vec3::from_array(*a) + shift) < 1e-6);
    }
    assert_relative_eq!(far.measure(Quantity::CenterY, None), 3201.0, max_relative = 1e-5);
}

#[test]
fn objects_too_far_apart_for_their_digits_are_refused() {
    let text = SCENE.replace("domain = { min = [-2, -1, -2], max = [2, 3, 2] }\n", "");
    let sets = ["object.ball.shape.sphere.center=[0, 1e6, 0]".to_owned()];
    let error = assemble(&Scene::load(&text, None, &sets, None).unwrap()).err().unwrap();
    assert!(error.render(false).contains("cells of `mpm.dx` from their middle"), "{}", error.render(false));
}

#[test]
fn frames_keep_the_numbers_and_saved_states_go_on() {
    let mut simulation = built(SCENE, &[]);
    let before = simulation.frame(0);
    for _ in 0..5 {
        simulation.step(0.02).unwrap();
    }
    let after = simulation.frame(1);
    assert_eq!(after.object, before.object);
    let moved = simulation.time() as f32 * 5.0;
    for (a, b) in before.points.iter().zip(&after.points) {
        assert!(Vec3::from_array(*a).distance(Vec3::from_array(*b)) < moved);
    }
    let mut other = built(SCENE, &[]);
    other.load(&simulation.save()).unwrap();
    for simulation in [&mut simulation, &mut other] {
        simulation.step(0.02).unwrap();
    }
    assert_eq!(simulation.frame(2), other.frame(2));
    assert!(built(SCENE, &["mpm.dx=0.2"]).load(&simulation.save()).is_err());
    assert_relative_eq!(simulation.measure(Quantity::MassChange, None), 0.0);
    assert!(simulation.measure(Quantity::Spread, Some("left")) > 0.2);
    assert!(simulation.measure(Quantity::MaxSpeed, Some("right")) < 1.0);
}
