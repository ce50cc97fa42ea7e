//! Builds scenes of the material point method and checks their simulations.

use super::MpmSimulation;
use super::measures::stretch;
use crate::simulation::Simulation;
use approx::assert_relative_eq;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::materials::Material;
use fibra_scene::setup::{set_up, set_up_mpm};
use fibra_scene::{Quantity, Scene};
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

fn build(text: &str, sets: &[&str]) -> MpmSimulation {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let loaded = Scene::load(text, None, &sets).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let setup = set_up_mpm(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false)));
    MpmSimulation::new(setup)
}

#[test]
fn masses_are_exact_and_particles_are_numbered_by_object() {
    let simulation = build(SCENE, &[]);
    let p = &simulation.state().particles;
    // Two particles per cell and axis.
    assert_eq!(p.object.iter().filter(|object| **object == 0).count(), 512);
    assert!(p.object.is_sorted() && p.id.iter().copied().eq(0..p.len() as u32));
    let mass = |object| simulation.measure(Quantity::Mass, Some(object)).unwrap();
    assert_relative_eq!(mass("left"), 700.0 * 0.064, max_relative = 1e-6);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.33f64.powi(3);
    assert_relative_eq!(mass("ball"), 400.0 * ball, max_relative = 1e-6);
    assert_eq!(simulation.measure(Quantity::Mass, Some("nobody")), None);
    assert_relative_eq!(simulation.measure(Quantity::VolumeRatio, None).unwrap(), 1.0, max_relative = 1e-6);
}

#[test]
fn objects_have_their_initial_velocities() {
    let simulation = build(SCENE, &[]);
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
fn equal_materials_are_shared_and_equal_shapes_are_sampled_differently() {
    let simulation = build(SCENE, &[]);
    let params = simulation.params();
    let materials: Vec<u32> = params.objects.iter().map(|object| object.material).collect();
    assert_eq!(materials, [0, 0, 1]);
    let Material::Goo(goo) = params.substances[0].material else { panic!("the material of the boxes is not goo") };
    assert_relative_eq!(f64::from(goo.yield_stress), 3f64.sqrt() * 10.0, max_relative = 1e-6);
    assert_eq!(params.limits.max_dt, 1.0 / 50.0);
    let x = &simulation.state().particles.x;
    assert!(
        (0..512).any(|i| (x[i][0] + 2.0 - x[512 + i][0]).abs() > 1e-3),
        "both boxes have the same particle pattern"
    );
}

#[test]
fn grains_are_inside_their_objects_and_in_frames() {
    let grains =
        "material.snow = {}\n[object.grains]\nshape = \"card\"\nsize = [0.02, 0.03, 0.001]\nper_particle = 4\n";
    let mut simulation = build(&SCENE.replace("material.snow = {}\n", grains), &[]);
    let state = simulation.state();
    let of_ball = state.particles.object.iter().filter(|object| **object == 2).count();
    assert_eq!((state.grains.len(), state.flying.len()), (4 * of_ball, 4 * of_ball));
    let from_center = |x: [f32; 3]| Vec3::from_array(x).distance(Vec3::new(0.0, 2.0, 0.0));
    assert!(state.grains.iter().all(|grain| from_center(grain.x) < 0.33 + 1e-5), "a grain is outside the ball");
    let set = simulation.params().grains[0];
    assert_eq!((set.object, set.count as usize, set.radius), (2, 4 * of_ball, 0.0005));
    simulation.step(0.001).unwrap();
    let frame = simulation.frame(0);
    assert_eq!((frame.instances.len(), frame.instance_object[0]), (4 * of_ball, 2));
    assert_eq!(frame.instances[7].translation, simulation.state().grains[7].x);
    assert_eq!(build(SCENE, &[]).frame(0).instances, []);
}

#[test]
fn domain_walls_face_inward_and_are_not_in_frames() {
    let simulation = build(SCENE, &[]);
    let colliders = &simulation.params().colliders;
    assert_eq!(colliders.len(), 7);
    let distances: Vec<f32> =
        colliders[1..].iter().map(|wall| wall.place(0.0, DVec3::ZERO).signed_distance(Vec3::ZERO)).collect();
    assert_eq!(distances, [2.0, 2.0, 1.0, 3.0, 2.0, 2.0]);
    assert_eq!(simulation.frame(0).colliders.len(), 1);
}

#[test]
fn the_origin_of_a_distant_scene_is_a_multiple_of_the_block_size() {
    assert_eq!(build(SCENE, &[]).params().origin, DVec3::ZERO);
    let moved = |sets: &[&str]| {
        let text = SCENE.replace("domain = { min = [-2, -1, -2], max = [2, 3, 2] }\n", "");
        let kept = text.split("[[object]]\nname = \"right\"").next().unwrap().to_owned();
        build(&kept, sets)
    };
    // dx is a power of two, so that the shift by 400 blocks is exact.
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
    assert_relative_eq!(far.measure(Quantity::CenterY, None).unwrap(), 3201.0, max_relative = 1e-5);
}

#[test]
fn objects_too_far_apart_for_f32_are_rejected() {
    let text = SCENE.replace("domain = { min = [-2, -1, -2], max = [2, 3, 2] }\n", "");
    let sets = ["object.ball.shape.sphere.center=[0, 1e6, 0]".to_owned()];
    let error = set_up(&Scene::load(&text, None, &sets).unwrap()).err().unwrap();
    assert!(error.render(false).contains("cells of `mpm.dx` from their center"), "{}", error.render(false));
}

#[test]
fn frames_keep_particle_order_and_a_loaded_state_continues_bitwise_identically() {
    let mut simulation = build(SCENE, &[]);
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
    let mut other = build(SCENE, &[]);
    other.load(&simulation.save()).unwrap();
    for simulation in [&mut simulation, &mut other] {
        simulation.step(0.02).unwrap();
    }
    assert_eq!(simulation.frame(2), other.frame(2));
    assert!(build(SCENE, &["mpm.dx=0.2"]).load(&simulation.save()).is_err());
    assert_relative_eq!(simulation.measure(Quantity::MassChange, None).unwrap(), 0.0);
    assert!(simulation.measure(Quantity::Spread, Some("left")).unwrap() > 0.2);
    assert!(simulation.measure(Quantity::MaxSpeed, Some("right")).unwrap() < 1.0);
}

const THIN: &str = r#"title = "A sheet pinned to a bar, and two strands"
method = "mpm"
time = { frames = 2, fps = 50 }
mpm = { dx = 0.1 }

[[object]]
name = "ball"
shape.sphere = { center = [0, 3, 0], radius = 0.33 }
material.snow = {}

[[object]]
name = "sheet"
shape.sheet = { center = [0, 1, 0], width = 1, depth = 0.5, rotate_degrees = [0, 0, 90], spacing = 0.05 }
material.cloth = { density = 200, thickness = 0.001 }
velocity = [0, 0, 1]
angular_velocity = [0, 2, 0]
pin = [{ region.box = { center = [0, 1.5, 0], size = [0.1, 0.01, 2] }, follow = "bar" }]

[[object]]
name = "strands"
shape.strands = { curves = [[[1, 1, 0], [2, 1, 0]], [[1, 1, 1], [1.5, 1, 1], [1.5, 1.5, 1]]], spacing = 0.1 }
material.fiber = { density = 300, radius = 0.01, bending_stiffness = 2 }
pin = [{ region.sphere = { center = [1, 1, 0], radius = 0.01 }, motion.spin = { axis = [0, 0, 1], rate = 3 }, until = 0.5 }]

[[collider]]
name = "bar"
shape.cylinder = { center = [0, 2, 0], radius = 0.2, height = 1, axis = [0, 0, 1] }
motion.keyframes = { times = [0, 1], translations = [[0, 0, 0], [0, 1, 0]], rotations_degrees = [[0, 0, 0], [0, 90, 0]] }
"#;

#[test]
fn meshes_have_the_expected_masses_indices_and_velocities() {
    let simulation = build(THIN, &[]);
    let mass = |object| simulation.measure(Quantity::Mass, Some(object)).unwrap();
    assert_relative_eq!(mass("sheet"), 200.0 * 0.001 * 0.5, max_relative = 1e-5);
    assert_relative_eq!(mass("strands"), 300.0 * std::f64::consts::PI * 1e-4 * 2.0, max_relative = 1e-5);
    let meshes = &simulation.params().meshes;
    // 20 x 10 squares of two triangles; 10 segments per meter.
    assert_eq!(meshes.corners.len(), 400 + 20);
    let p = &simulation.state().particles;
    let first = (0..p.len()).filter(|&i| p.object[i] == 1).map(|i| p.id[i]).min().unwrap();
    assert_eq!(meshes.first_element, first + 21 * 11 + 22);
    for i in (0..p.len()).filter(|&i| (first..first + 21 * 11).contains(&p.id[i])) {
        let x = Vec3::from_array(p.x[i]);
        assert!(p.object[i] == 1 && x.x.abs() < 1e-6 && (0.5..=1.5).contains(&x.y), "{x}");
        if p.kind[i] == Kind::Vertex {
            let expected = Vec3::Z + Vec3::new(0.0, 2.0, 0.0).cross(x - Vec3::Y);
            assert!(Vec3::from_array(p.v[i]).distance(expected) < 1e-5);
        }
    }
    assert_relative_eq!(simulation.measure(Quantity::MaxStretch, None).unwrap(), 1.0, max_relative = 1e-5);
    assert_eq!(simulation.measure(Quantity::Torn, None).unwrap(), 0.0);
    assert_eq!(simulation.measure(Quantity::InsideColliders, None).unwrap(), 0.0);
}

#[test]
fn default_thickness_and_radius_are_reported() {
    assert_eq!(build(THIN, &[]).warnings(), [] as [String; 0]);
    let text = THIN.replace(", thickness = 0.001", "").replace("density = 300, radius = 0.01", "density = 300");
    assert_eq!(
        build(&text, &[]).warnings(),
        [
            "`sheet` does not set `material.cloth.thickness`: the default of 0.0005 m is used, which gives 1.00e-1 kg/m^2",
            "`strands` does not set `material.fiber.radius`: the default of 0.0005 m is used, which gives 2.36e-4 kg/m",
        ]
    );
}

#[test]
fn stretch_is_the_largest_edge_ratio() {
    let simulation = build(THIN, &[]);
    let mut state = simulation.state().clone();
    // Stretch the second strand vertically.
    for i in 0..state.particles.len() {
        if state.particles.x[i][2] > 0.9 {
            state.particles.x[i][1] *= 2.5;
        }
    }
    let stretched = |object| stretch(simulation.params(), &state, object);
    assert_relative_eq!(stretched(None).largest, 2.5, max_relative = 1e-5);
    assert_eq!((stretched(None).torn, stretched(Some(2)).torn, stretched(Some(1)).torn), (5, 5, 0));
}

#[test]
fn pins_hold_the_vertices_in_their_regions() {
    let simulation = build(THIN, &[]);
    let pins = &simulation.params().meshes.pins;
    let [bar, spin] = pins.as_slice() else { panic!("{} pins", pins.len()) };
    assert_eq!((bar.vertices.len(), bar.pivot, bar.release), (11, DVec3::new(0.0, 2.0, 0.0), f64::INFINITY));
    assert!(bar.vertices.iter().all(|(_, start)| (start.y - 1.5).abs() < 1e-6));
    let (x, _) = bar.at(DVec3::new(0.0, 1.5, 0.25), 1.0);
    assert!(x.distance(DVec3::new(0.25, 2.5, 0.0)) < 1e-9, "{x}");
    assert_eq!((spin.vertices.len(), spin.pivot, spin.release), (1, DVec3::new(1.0, 1.0, 0.0), 0.5));
    let held = simulation.state().particles.kind.iter().filter(|kind| **kind == Kind::Held).count();
    assert_eq!(held, 12);
}

#[test]
fn meshes_bend_if_the_stiffness_is_positive() {
    let bending = |sets: &[&str]| build(THIN, sets).params().meshes.bending.clone();
    let strands = bending(&[]);
    // Nine interior vertices per strand, with EI / (2 l) for segments of 0.1 m.
    assert_eq!((strands.hinges.len(), strands.joints.len()), (0, 18));
    assert!(strands.joints.iter().all(|joint| (joint.rest.bending - 10.0).abs() < 1e-4));
    // Interior edges of 20 x 10 squares, each divided into two triangles.
    let all = bending(&["object.sheet.material.cloth.bending_stiffness=0.1"]);
    assert_eq!((all.hinges.len(), all.joints.len()), (20 * 9 + 19 * 10 + 200, 18));
}

#[test]
fn errors_in_meshes_name_the_key() {
    let cases: [(&[&str], &str); 7] = [
        (&["object.sheet.shape.sheet.spacing=0.5"], "element 0 of `object.sheet.shape.sheet` is 7.071e-1 m long"),
        (&["object.sheet.pin.0.region.box.center=[5, 1, 0]"], "`object.sheet.pin.0` pins nothing"),
        (&["object.strands.shape.strands.curves=[[[0, 1, 0]]]"], "at least two are needed"),
        (
            &[
                "object.strands.shape.hair-tube={ center = [0, 1, 0], strands = 9, radius = 0.1, hollow = 0.2, length = 1 }",
            ],
            "hollow is 0.2",
        ),
        (
            &[
                "object.strands.shape.knit={ center = [0, 1, 0], courses = 9, wales = 9, yarn = { wale_width = 0.1, diameter = 0.1 } }",
            ],
            "diameter is 0.1",
        ),
        (
            &["object.sheet.shape.sheet.center=[0, 2, 0]", "collider.bar.shape.cylinder.radius=0.9"],
            "starts inside collider `bar`",
        ),
        (&["object.sheet.shape.sheet.center=[0, 1e15, 0]"], "coordinates must be finite and below 1e9 m"),
    ];
    for (sets, part) in cases {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let loaded = Scene::load(THIN, None, &sets).unwrap_or_else(|error| panic!("{}", error.render(false)));
        let error = set_up(&loaded).err().unwrap_or_else(|| panic!("{part}")).render(false);
        let message = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(part), "`{part}` is not in\n{error}");
    }
}

#[test]
fn cloth_and_fibers_fall_and_hang_from_their_pins() {
    let mut simulation = build(THIN, &["object.sheet.angular_velocity=[0, 0, 0]", "object.sheet.velocity=[0, 0, 0]"]);
    while simulation.time() < 0.04 {
        simulation.step(0.04).unwrap();
    }
    let sheet = simulation.measure(Quantity::Highest, Some("sheet")).unwrap();
    assert!((sheet - 1.54).abs() < 0.01, "the highest point of the sheet, which the bar lifts, is at {sheet} m");
    assert!(simulation.measure(Quantity::Lowest, Some("strands")).unwrap() < 0.995);
    assert!(simulation.measure(Quantity::MaxStretch, None).unwrap() < 1.3);
}

#[test]
fn a_figure_collider_becomes_one_collider_per_part() {
    let figure = r#"
[[collider]]
name = "dancer"
shape.figure = { feet = [2, 0, 0], without = ["head"] }
motion.dance = { rate = 2 }
"#;
    let scene = format!("{SCENE}{figure}");
    let simulation = build(&scene, &["mpm.dx=0.07", "collider.wheel.motion.dance={ part = \"chest\" }"]);
    let colliders = &simulation.params().colliders;
    let named = |name: &str| colliders.iter().find(|collider| collider.name == name);
    assert!(named("dancer.head").is_none());
    let neck = named("dancer.neck").unwrap();
    let [rest, later] = [0.0, 1.0].map(|t| neck.place(t, DVec3::ZERO));
    assert!((rest.signed_distance(Vec3::new(2.0, 1.44, 0.0)) + 0.05).abs() < 1e-6);
    assert!(later.query(Vec3::new(2.0, 1.44, 0.0)).velocity.length() > 0.1);
    // Frames contain the wheel and thirteen parts, but no walls.
    assert_eq!(simulation.frame(0).colliders.len(), 14);
    assert!(colliders[0].place(1.0, DVec3::ZERO).query(Vec3::ZERO).velocity.length() > 0.1);
}

const ANISOTROPIC: &str = r#"title = "Bars with fixed axes, and one with an orientation distribution"
method = "mpm"
time.frames = 2
mpm = { dx = 0.1, seed = 3 }

[[object]]
name = "layers"
shape.box = { center = [-1, 0.4, 0], size = [0.8, 0.4, 0.6] }
material.sand = {}
[object.anisotropy]
youngs_moduli = [5e5, 5e5, 5e4]
poisson_ratios = [0.4, 0.4, 0.1]
scales = [0.8, 0.8, 1.4]

[[object]]
name = "grains"
shape.box = { center = [1, 0.4, 0], size = [0.8, 0.4, 0.6] }
material.sand = {}
[object.anisotropy.orientation]
along = { youngs_modulus = 2e6, scale = 0.8 }
across = { youngs_modulus = 5e5, scale = 1.4 }

[[object]]
name = "more-layers"
shape.box = { center = [3, 0.4, 0], size = [0.8, 0.4, 0.6] }
material.sand = {}
[object.anisotropy]
youngs_moduli = [5e5, 5e5, 5e4]
poisson_ratios = [0.4, 0.4, 0.1]
scales = [0.8, 0.8, 1.4]
axes.direction = { along = [0, 1, 0] }

[[collider]]
name = "floor"
shape.plane = { point = [0, 0, 0] }
"#;

#[test]
fn material_axes_match_the_scene_and_move_with_their_particles() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("field.csv");
    std::fs::write(&file, "x,y,z,u,v,w,alignment\n-1.4,0,0,1,0,0,0.4\n-0.6,0,0,-1,0,0,0.9\n").unwrap();
    let from_file = format!("file={{ file = '{}', across = [0, 0, 1] }}", file.display());
    let along_x = [0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0];
    let kinds: [(&str, Option<[f32; 9]>); 7] = [
        ("fixed={ rotate_degrees = [0, 0, 90] }", Some([0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])),
        ("direction={ along = [3, 0, 0], across = [1, 0, 1] }", Some([0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0])),
        ("principal={ third = \"longest\" }", Some(along_x)),
        (&from_file, Some(along_x)),
        ("radial={ center = [-1, 0, 0] }", None),
        ("random={ spread_degrees = 30 }", None),
        ("random={ length = 0.3 }", None),
    ];
    for (axes, expected) in kinds {
        let mut simulation = build(ANISOTROPIC, &[&format!("object.layers.anisotropy.axes.{axes}")]);
        for f in &simulation.state().particles.f[..100] {
            let turned = f.transpose().mul(f).to_rows();
            let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            assert!(turned.iter().zip(identity).all(|(a, b)| (a - b).abs() < 1e-5) && f.det() > 0.0, "{axes}");
            let is_near = |expected: [f32; 9]| f.to_rows().iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.05);
            assert!(expected.is_none_or(is_near), "{axes}: {f:?}");
        }
        while simulation.time() < 0.1 {
            simulation.step(0.1).unwrap();
        }
        assert!(simulation.state().particles.x.iter().flatten().all(|x| x.is_finite()), "{axes}");
    }
}

#[test]
fn equal_anisotropic_materials_are_shared_regardless_of_their_axes() {
    let simulation = build(ANISOTROPIC, &[]);
    let materials: Vec<u32> = simulation.params().objects.iter().map(|object| object.material).collect();
    assert_eq!(materials, [0, 1, 0]);
}

#[test]
fn orientation_distributions_match_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("field.csv");
    std::fs::write(&file, "x,y,z,u,v,w,alignment\n0.6,0,0,1,0,0,0.4\n1.4,0,0,-1,0,0,0.9\n").unwrap();
    let from_file = format!("file={{ file = '{}' }}", file.display());
    for (alignment, least, most) in [
        ("uniform=[0.2, 0.2, 0.6]", 0.6, 0.6),
        ("linear={ from = [0.6, 0, 0], to = [1.4, 0, 0], start = [0.1, 0.1, 0.8], end = [0.4, 0.4, 0.2] }", 0.2, 0.8),
        ("radial={ center = [1, 0, 0], radius = 0.5, inner = [0, 0, 1], outer = [0.5, 0.5, 0] }", 0.0, 1.0),
        (&from_file, 0.4, 0.9),
        ("random={ least = 0.5, most = 0.7 }", 0.5, 0.7),
    ] {
        let set = format!("object.grains.anisotropy.orientation.alignment.{alignment}");
        let mut simulation = build(ANISOTROPIC, &[&set]);
        let p = &simulation.state().particles;
        let of_grains = (0..p.len()).filter(|&i| p.object[i] == 1);
        let shares: Vec<f32> = of_grains.clone().map(|i| p.alignment[i][2]).collect();
        let (low, high) = shares.iter().fold((1.0f32, 0.0f32), |(low, high), w| (low.min(*w), high.max(*w)));
        let wide = 0.75 * (most - least);
        assert!(low >= least - 1e-6 && high <= most + 1e-6 && high - low >= wide - 1e-6, "{alignment}: {low}..{high}");
        assert!(of_grains.clone().all(|i| (p.alignment[i].iter().sum::<f32>() - 1.0).abs() < 1e-6));
        while simulation.time() < 0.1 {
            simulation.step(0.1).unwrap();
        }
        assert!(simulation.state().particles.x.iter().flatten().all(|x| x.is_finite()), "{alignment}");
    }
}

#[test]
fn orientation_distributions_are_constant_without_turning() {
    let shares = |turning: bool| {
        let sets = [
            "object.grains.anisotropy.orientation.alignment.uniform=[0.2, 0.2, 0.6]".to_owned(),
            format!("object.grains.anisotropy.orientation.turning={turning}"),
        ];
        let mut simulation = build(ANISOTROPIC, &[&sets[0], &sets[1]]);
        while simulation.time() < 0.3 {
            simulation.step(0.3).unwrap();
        }
        let p = &simulation.state().particles;
        let change = |i: usize| (p.alignment[i][2] - 0.6).abs();
        (0..p.len()).filter(|&i| p.object[i] == 1).map(change).fold(0.0, f32::max)
    };
    assert!(shares(false) < 1e-4 && shares(true) > 0.01, "{} {}", shares(false), shares(true));
}
