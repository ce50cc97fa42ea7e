//! Tests of the conversion of small runs to pictures.

use super::Painter;
use crate::ray_caster::Finish;
use fibra_core::frame::{Attribute, Frame, Pose};
use fibra_run::folder::{IfTaken, RunFolder};
use fibra_run::methods::rods::ROTATION;
use fibra_run::report::RunReport;
use glam::Vec3;
use tempfile::TempDir;

const SCENE: &str = r#"title = "All shapes"
method = "mpm"
time = { frames = 1 }
mpm = { dx = 0.1 }
domain = { min = [999, 0, -1], max = [1001, 2, 1] }

[[object]]
name = "water"
shape.sphere = { center = [1000, 1, 0], radius = 0.2 }
material.fluid = {}
color = [0.1, 0.2, 0.3]

[[object]]
name = "sand"
shape.sphere = { center = [1000, 1, 0], radius = 0.2 }
material.sand = {}

[[collider]]
name = "ramp"
shape.plane = { point = [1000, 0, 0], normal = [1, 1, 0] }

[[collider]]
name = "floor"
shape.plane = { point = [1000, 0, 0] }
color = [0.5, 0.5, 0.5]

[[collider]]
name = "ball"
shape.sphere = { center = [1000, 0, 0], radius = 0.5 }

[[collider]]
name = "globe"
shape.sphere = { center = [1000, 0, 0], radius = 0.25 }
motion.spin = { axis = [0, 1, 0], rate = 1 }

[[collider]]
name = "ghost"
shape.sphere = { center = [1000, 0, 0], radius = 0.5 }
visible = false

[[collider]]
name = "rod"
shape.capsule = { start = [1000, 0, 0], end = [1002, 0, 0], radius = 0.1 }

[[collider]]
name = "knot"
shape.mesh = { file = "builtin:knot.obj", scale = 0.1 }
"#;

/// Creates a run with one frame.
pub(super) fn run(scene: &str, frame: &Frame) -> (TempDir, RunFolder) {
    let parent = tempfile::tempdir().unwrap();
    let root = parent.path().join("run");
    let folder = RunFolder::create(&root, IfTaken::Refuse, scene, &RunReport::new("x", "x")).unwrap();
    frame.write(&folder.frame_path(0)).unwrap();
    (parent, folder)
}

fn frame() -> Frame {
    Frame {
        origin: [1000.0, 0.0, 0.0],
        object: vec![0, 1, 1, 7],
        points: vec![[0.0, 1.0, 0.0], [0.5, 1.0, 0.0], [-0.5, 1.5, 0.0], [0.0; 3]],
        velocities: vec![[0.0; 3]; 4],
        colliders: vec![Pose { translation: [0.0, 0.25, 0.0], rotation: [0.0, 0.0, 0.0, 1.0] }; 7],
        ..Frame::default()
    }
}

#[test]
fn grains_replace_their_particles() {
    let with = |shape: &str| {
        let grains = format!("material.sand = {{}}\n[object.grains]\nshape = \"{shape}\"\nsize = [0.02, 0.02, 0.1]\n");
        SCENE.replace("material.sand = {}\n", &grains)
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    // A quarter turn about y: the third axis points along x.
    let pose = |x: f32| Pose { translation: [x, 1.0, 0.0], rotation: [0.0, half, 0.0, half] };
    let frame = Frame { instances: vec![pose(0.0), pose(0.5), pose(1.0)], instance_object: vec![1, 1, 9], ..frame() };
    let picture = |shape: &str| {
        let (_kept, folder) = run(&with(shape), &frame);
        Painter::of_run(&folder).unwrap().picture(&frame, 1.5)
    };
    let (rods, bricks) = (picture("rod"), picture("brick"));
    // The water particle and the static ball. Grains replace the two sand particles.
    assert_eq!((rods.spheres.len(), bricks.spheres.len()), (2, 2));
    let rod = rods.capsules[1];
    assert!(rod.ends[1].distance(Vec3::new(0.54, 1.0, 0.0)) < 1e-6, "{rod:?}");
    assert_eq!((rod.radii, rods.bricks.len()), ([0.01; 2], 0));
    assert_ne!(rods.capsules[0].color, rod.color);
    assert_eq!((bricks.bricks.len(), bricks.bricks[1].half_extents), (2, Vec3::new(0.01, 0.01, 0.05)));
}

#[test]
fn all_shapes_have_their_position_color_and_finish() {
    let (_kept, folder) = run(SCENE, &frame());
    let picture = Painter::of_run(&folder).unwrap().picture(&frame(), 1.5);
    // Three particles of known objects and the static ball.
    assert_eq!(picture.spheres.len(), 4);
    let water = picture.spheres[0];
    assert_eq!((water.color, water.finish), (Vec3::new(0.1, 0.2, 0.3), Finish::Glossy));
    assert!(
        water.radius > 0.5 * 0.05 && water.radius < 0.05,
        "the radius is not slightly more than half the spacing: {}",
        water.radius
    );
    assert_eq!(picture.spheres[1].finish, Finish::Matte);
    assert_ne!(picture.spheres[1].color, picture.spheres[2].color, "both sand particles have the same color");
    assert_eq!(picture.spheres[3].center, Vec3::new(0.0, 0.25, 0.0));
    // The rod and the twelve edges of the domain.
    assert_eq!(picture.capsules.len(), 1 + 12);
    assert!(
        picture.capsules[1..].iter().all(|edge| edge.ends[0].abs().max_element() <= 2.0),
        "the edges are not relative to the run's origin"
    );
    // The globe, the knot, and the ramp, which faces the camera.
    assert_eq!(picture.meshes.len(), 3);
    let globe = &picture.meshes[0];
    assert!(globe.vertex_colors.iter().any(|color| *color != globe.vertex_colors[0]), "the globe has no pattern");
    let outward = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| globe.positions[i as usize] - Vec3::new(0.0, 0.25, 0.0));
        (b - a).cross(c - a).dot(a + b + c) > 0.0
    };
    assert!(globe.triangles.iter().all(outward));
    let ground = picture.ground.unwrap();
    assert_eq!((ground.normal, ground.color), (Vec3::Y, Vec3::splat(0.5)));
}

#[test]
fn the_camera_is_from_the_scene_or_fits_the_run() {
    let (_kept, folder) = run(SCENE, &frame());
    let fitted = Painter::of_run(&folder).unwrap().picture(&frame(), 1.5).camera;
    assert!(fitted.target.distance(Vec3::new(0.0, 0.75, 0.0)) < 0.1, "{fitted:?}");

    let placed = format!("{SCENE}\n[camera]\neye = [1003, 2, 4]\ntarget = [1000, 1, 0]\nfov_degrees = 175\n");
    let (_kept, folder) = run(&placed, &frame());
    let camera = Painter::of_run(&folder).unwrap().picture(&frame(), 1.5).camera;
    assert_eq!((camera.eye, camera.target), (Vec3::new(3.0, 2.0, 4.0), Vec3::new(0.0, 1.0, 0.0)));
    assert_eq!(camera.field_of_view, 170.0);
}

#[test]
fn errors_name_the_scene_file_or_the_collider() {
    let (_kept, folder) = run("title = 3", &frame());
    let message = Painter::of_run(&folder).err().unwrap().to_string();
    assert!(message.contains("scene.toml"), "{message}");
    let (_kept, folder) = run(&SCENE.replace("builtin:knot.obj", "/gone.obj"), &frame());
    let message = Painter::of_run(&folder).err().unwrap().to_string();
    assert!(message.contains("collider `knot`") && message.contains("/gone.obj"), "{message}");
}

#[test]
fn rods_have_their_radius_and_balls_their_rotation() {
    let scene = r#"title = "A rod and a ball"
method = "rods"
time = { frames = 1 }
rods = { spacing = 0.1 }

[[object]]
name = "rod"
shape.strands = { curves = [[[0, 1, 0], [0.1, 1, 0]]] }
material.rod = { radius = 0.003 }
color = [0.1, 0.2, 0.3]

[[object]]
name = "ball"
shape.sphere = { center = [0, 0, 0], radius = 0.2 }
material.rigid = {}
"#;
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let attribute = |(name, last): (&&str, f32)| Attribute {
        name: (*name).to_owned(),
        unit: "-".to_owned(),
        values: vec![0.0, 0.0, last],
    };
    let frame = Frame {
        object: vec![0, 0, 1],
        points: vec![[0.0, 1.0, 0.0], [0.1, 1.0, 0.0], [0.0; 3]],
        velocities: vec![[0.0; 3]; 3],
        segments: vec![[0, 1]],
        attributes: ROTATION.iter().zip([half, 0.0, 0.0, half]).map(attribute).collect(),
        ..Frame::default()
    };
    let (_kept, folder) = run(scene, &frame);
    let picture = Painter::of_run(&folder).unwrap().picture(&frame, 1.5);
    let [curves] = picture.curves.as_slice() else { panic!("there must be one rod") };
    assert_eq!((curves.radius, curves.color), (0.003, Vec3::new(0.1, 0.2, 0.3)));
    let [ball] = picture.meshes.as_slice() else { panic!("there must be one ball") };
    // A quarter turn about x takes the pole from y to z.
    assert!(ball.positions[0].distance(Vec3::new(0.0, 0.0, 0.2)) < 1e-6, "{}", ball.positions[0]);
}
