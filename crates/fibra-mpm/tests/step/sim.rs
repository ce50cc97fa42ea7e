//! Tests of [`MpmSim`] as a caller uses it.

use fibra_core::geometry::generate::Sheet;
use fibra_core::geometry::sampling::Pattern;
use fibra_core::geometry::{Collider, CurveMesh, RigidPose, Shape, TriangleMesh};
use fibra_core::tensor_file::TensorFile;
use fibra_mpm::materials::{ClothParams, Deformation, ElasticParams, FiberParams, FixedCorotated, Lame, SandParams};
use fibra_mpm::{
    Implicit, Integrator, MaterialSpec, MpmBuilder, MpmError, MpmMaterial, MpmObject, MpmPin, MpmSettings, MpmSim,
    ObjectId, PinProblem, StepLimits, Transfer,
};
use glam::{DQuat, DVec3, Vec3};

const DX: f64 = 0.05;

fn jelly() -> MaterialSpec {
    MaterialSpec::FixedCorotated(ElasticParams { youngs_modulus: 2e4, ..ElasticParams::default() })
}

fn cloth() -> ClothParams {
    ClothParams {
        density: 500.0,
        thickness: 0.001,
        youngs_modulus: 1e4,
        normal_stiffness: 100.0,
        shear_stiffness: 0.0,
        friction_angle: 0.0,
        ..ClothParams::default()
    }
}

fn settings() -> MpmSettings {
    MpmSettings { dx: DX, ..MpmSettings::default() }
}

fn cube(name: &str, at: DVec3) -> MpmObject {
    let shape = Shape::cuboid(Vec3::splat(0.1)).unwrap();
    MpmObject::solid(name, shape, RigidPose::at(at), jelly())
}

fn sheet() -> MpmObject {
    let mesh = Sheet { width: 0.3, depth: 0.3, spacing: 0.05 }.build().unwrap();
    MpmObject::surface("sheet", mesh, cloth())
}

fn collider(shape: Shape, at: DVec3) -> Collider {
    Collider::new("body", shape, RigidPose::at(at))
}

/// Cubes and a pinned sheet that fall onto a floor and onto each other.
fn crowd() -> (MpmBuilder, [ObjectId; 3]) {
    let mut scene = MpmSim::builder(settings());
    let first = scene.add_object(cube("first", DVec3::new(0.0, 0.15, 0.0)).velocity(DVec3::new(1.0, -1.0, 0.0)));
    let sheet = scene.add_object(sheet());
    let second = scene.add_object(cube("second", DVec3::new(0.4, 0.5, 0.0)).spin(5.0 * DVec3::Z));
    scene.add_pin(MpmPin::new(sheet, [0, 6]));
    scene.add_collider(collider(Shape::plane(Vec3::ZERO, Vec3::Y).unwrap(), DVec3::new(0.0, -0.2, 0.0)));
    (scene, [first, sheet, second])
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}

#[test]
fn the_order_of_adding_is_preserved_by_sorts() {
    let (scene, [first, sheet, second]) = crowd();
    let mut sim = scene.build().unwrap();
    let start = sim.positions();
    let ranges = [first, sheet, second].map(|object| sim.range_of(object).unwrap());
    // 8 particles in each of 64 cells, and 7 x 7 vertices; elements do not count.
    assert_eq!(ranges, [0..512, 512..561, 561..1073]);
    assert_eq!(sim.point_count(), 1073);
    assert!(sim.state().particles.len() > 1073);
    sim.advance(0.1).unwrap();
    assert!(sim.state().particles.id.windows(2).any(|pair| pair[0] > pair[1]), "the particles were not sorted");
    let (now, velocities) = (sim.positions(), sim.velocities());
    // A point at the wrong index would appear to have moved far; velocities differ between objects.
    for i in 0..now.len() {
        let distance = now[i].distance(start[i]);
        assert!(distance < 0.4, "point {i} moved {distance} m");
    }
    assert!(mean(&velocities[ranges[0].clone()]).x > 0.5);
    assert_eq!(sim.velocities_of(first).unwrap(), velocities[ranges[0].clone()]);
    assert_eq!(sim.positions_of(second).unwrap(), now[ranges[2].clone()]);
    // Pinned vertices have not moved.
    for vertex in [0, 6] {
        assert!(now[512 + vertex].distance(start[512 + vertex]) < 1e-6);
    }
}

#[test]
fn a_loaded_simulation_continues_bit_exactly() {
    let mut sim = crowd().0.build().unwrap();
    sim.advance(0.05).unwrap();
    let mut bytes = Vec::new();
    sim.save().write_to(&mut bytes).unwrap();
    let mut other = crowd().0.build().unwrap();
    other.advance(0.02).unwrap();
    let saved = TensorFile::from_bytes(&bytes).unwrap();
    other.load(&saved).unwrap();
    assert_eq!(other.time(), sim.time());
    for sim in [&mut sim, &mut other] {
        sim.advance(0.05).unwrap();
    }
    assert_eq!(sim.state(), other.state());
    assert_eq!(sim.quantities(), other.quantities());
}

#[test]
fn advance_ends_exactly_on_time() {
    let mut sim = crowd().0.build().unwrap();
    let mut expected = 0.0;
    for dt in [1e-5, 0.01, 1.0 / 30.0, 0.0123456789] {
        sim.advance(dt).unwrap();
        expected += dt;
        assert_eq!(sim.time(), expected);
    }
    let before = sim.time();
    let dt = sim.step(before + 1.0).unwrap();
    assert!(dt > 0.0 && dt < 0.01 && sim.time() == before + dt);
    let stages: Vec<&str> = sim.stage_seconds().into_iter().map(|(name, _)| name).collect();
    assert_eq!(stages, ["sort", "p2g", "grid_update", "g2p", "elements", "grains"]);
}

/// Free fall from rest: y(t) = y(0) - g t^2 / 2. The error of symplectic Euler with steps of at most h is at most g t h / 2.
#[test]
fn jelly_falls_by_the_closed_form() {
    let mut scene = MpmSim::builder(settings());
    let cube = scene.add_object(cube("cube", DVec3::Y));
    let mut sim = scene.build().unwrap();
    let start = mean(&sim.positions_of(cube).unwrap());
    let (mut longest, t) = (0.0f64, 0.2);
    while sim.time() < t {
        longest = longest.max(sim.step(t).unwrap());
    }
    let fallen = start - mean(&sim.positions_of(cube).unwrap());
    let (expected, tolerance) = (0.5 * 9.81 * t * t, 0.5 * 9.81 * t * longest + 1e-5);
    assert!((fallen.y - expected).abs() < tolerance, "{fallen} m, not {expected} m within {tolerance}");
    assert!(fallen.x.abs() < 1e-5 && fallen.z.abs() < 1e-5);
    let quantities = sim.quantities();
    // The shape's exact volume times the given density.
    assert!((quantities["mass"] - 8.0).abs() < 1e-4);
    assert!((quantities["momentum_y"] + 8.0 * 9.81 * t).abs() < 1e-3);
}

#[test]
fn a_moved_collider_pushes_and_stops_at_its_target() {
    let mut scene = MpmSim::builder(MpmSettings { gravity: DVec3::ZERO, ..settings() });
    let cube = scene.add_object(cube("cube", DVec3::ZERO));
    let wall = scene.add_collider(collider(Shape::cuboid(Vec3::splat(0.2)).unwrap(), -0.35 * DVec3::X));
    let mut sim = scene.build().unwrap();
    for frame in 1..=10 {
        let to = DVec3::new(-0.35 + 0.03 * f64::from(frame), 0.0, 0.0);
        sim.move_collider(wall, RigidPose::at(to)).unwrap();
        sim.advance(0.03).unwrap();
        assert_eq!(sim.collider_pose(wall).unwrap().translation, to);
    }
    let pushed = mean(&sim.positions_of(cube).unwrap());
    let speed = mean(&sim.velocities_of(cube).unwrap());
    // The wall's face is at x = 0.15 and has pushed the cube at 1 m/s or faster.
    assert!(pushed.x > 0.2 && speed.x > 0.7, "{pushed} {speed}");
    let stopped = sim.collider_pose(wall).unwrap();
    sim.advance(0.03).unwrap();
    assert_eq!(sim.collider_pose(wall).unwrap(), stopped);
    let elsewhere = RigidPose { translation: DVec3::Y, rotation: DQuat::from_rotation_z(0.3) };
    sim.place_collider(wall, elsewhere).unwrap();
    let now = sim.collider_pose(wall).unwrap();
    assert!(now.translation == elsewhere.translation && now.rotation.angle_between(elsewhere.rotation) < 1e-7);
    assert_eq!(sim.find_collider("body"), Some(wall));
}

#[test]
fn a_moved_pin_moves_its_vertices() {
    let mut scene = MpmSim::builder(MpmSettings { gravity: DVec3::ZERO, ..settings() });
    let sheet = scene.add_object(sheet());
    let pin = scene.add_pin(MpmPin::new(sheet, 0..7));
    let mut sim = scene.build().unwrap();
    let (start, pivot) = (sim.positions(), sim.pin_pose(pin).unwrap());
    assert!(pivot.translation.distance(DVec3::new(0.0, 0.0, -0.15)) < 1e-12);
    let rotation = DQuat::from_rotation_y(0.2);
    let to = RigidPose { translation: pivot.translation - 0.02 * DVec3::Z, rotation };
    sim.move_pin(pin, to).unwrap();
    sim.advance(0.1).unwrap();
    assert_eq!(sim.pin_pose(pin).unwrap().translation, to.translation);
    let now = sim.positions();
    for vertex in 0..7 {
        let expected = to.translation + rotation * (start[vertex] - pivot.translation);
        assert!(now[vertex].distance(expected) < 1e-6, "vertex {vertex}: {} {expected}", now[vertex]);
    }
    // Tension moves the free vertices too.
    let followed = mean(&now[7..]) - mean(&start[7..]);
    assert!(followed.z < -0.004, "{followed}");
    let back = RigidPose { translation: pivot.translation, ..RigidPose::IDENTITY };
    sim.place_pin(pin, back).unwrap();
    sim.step(1.0).unwrap();
    assert!(sim.positions()[3].distance(start[3]) < 1e-6);
}

/// Returns the error of building a scene with a single object.
fn object_error(object: MpmObject) -> String {
    let mut scene = MpmSim::builder(settings());
    scene.add_object(object);
    scene.build().unwrap_err().to_string()
}

#[test]
fn impossible_settings_are_errors() {
    let limits = StepLimits::default();
    let with = |change: StepLimits| MpmSettings { limits: change, ..settings() };
    let implicit = |change: Implicit| MpmSettings { integrator: Integrator::Implicit(change), ..settings() };
    let transfer = |transfer: Transfer| MpmSettings { transfer, ..settings() };
    let cases = [
        (MpmSettings { dx: 0.0, ..settings() }, "dx"),
        (MpmSettings { dx: -0.1, ..settings() }, "dx"),
        (MpmSettings { dx: f64::NAN, ..settings() }, "dx"),
        (MpmSettings { dx: f64::INFINITY, ..settings() }, "dx"),
        (MpmSettings { dx: 1e-60, ..settings() }, "dx"),
        (MpmSettings { gravity: DVec3::new(0.0, f64::NAN, 0.0), ..settings() }, "gravity"),
        (MpmSettings { origin: DVec3::splat(f64::INFINITY), ..settings() }, "origin"),
        (MpmSettings { particles_per_cell: 0, ..settings() }, "particles_per_cell"),
        (with(StepLimits { cfl: 1.0, ..limits }), "limits.cfl"),
        (with(StepLimits { cfl: 0.0, ..limits }), "limits.cfl"),
        (with(StepLimits { sound_cfl: f32::NAN, ..limits }), "limits.sound_cfl"),
        (with(StepLimits { max_dt: 0.0, ..limits }), "limits.max_dt"),
        (with(StepLimits { max_dt: f64::INFINITY, ..limits }), "limits.max_dt"),
        (with(StepLimits { min_dt: 1.0, ..limits }), "limits.min_dt"),
        (with(StepLimits { min_dt: -1.0, ..limits }), "limits.min_dt"),
        (transfer(Transfer::Apic { damping: -0.5 }), "transfer.damping"),
        (transfer(Transfer::Flip { ratio: -0.1 }), "transfer.ratio"),
        (transfer(Transfer::Sflip { ratio: 0.9, trap_breaking: [0.0, 2.0] }), "transfer.trap_breaking"),
        (implicit(Implicit { newton_iterations: 0, ..Implicit::default() }), "integrator.newton_iterations"),
        (implicit(Implicit { linear_iterations: 0, ..Implicit::default() }), "integrator.linear_iterations"),
        (implicit(Implicit { tolerance: 1.0, ..Implicit::default() }), "integrator.tolerance"),
    ];
    for (settings, expected) in cases {
        match MpmSim::builder(settings).build() {
            Err(MpmError::Setting { field, .. }) => assert_eq!(field, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let patterns = [Pattern::Lattice, Pattern::Jittered].map(|pattern| MpmSettings { pattern, ..settings() });
    assert!(patterns.iter().all(|settings| settings.check().is_ok()));
}

#[test]
fn impossible_objects_are_errors() {
    let ball = || MpmObject::solid("ball", Shape::sphere(0.2).unwrap(), RigidPose::IDENTITY, jelly());
    assert!(object_error(ball().velocity(DVec3::splat(f64::NAN))).contains("velocity"));
    assert!(object_error(ball().spin(DVec3::splat(f64::INFINITY))).contains("spin"));
    assert!(object_error(ball().axes(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5))).contains("axes"));
    let far = RigidPose::at(DVec3::splat(1e6));
    let far = MpmObject::solid("far", Shape::sphere(0.2).unwrap(), far, jelly());
    assert!(object_error(far).contains("set `origin`"));
    let plane = Shape::plane(Vec3::ZERO, Vec3::Y).unwrap();
    assert!(object_error(MpmObject::solid("a", plane, RigidPose::IDENTITY, jelly())).contains("filled"));
    let tiny = Shape::sphere(1e-4).unwrap();
    assert!(object_error(MpmObject::solid("a", tiny, RigidPose::IDENTITY, jelly())).contains("filled"));
    let turned = RigidPose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..RigidPose::IDENTITY };
    let shape = Shape::sphere(0.2).unwrap();
    assert!(object_error(MpmObject::solid("a", shape, turned, jelly())).contains("length 2"));
    assert!(object_error(MpmObject::points("a", vec![], 1.0, jelly())).contains("no points"));
    assert!(object_error(MpmObject::points("a", vec![DVec3::ZERO], 0.0, jelly())).contains("volume"));
    let nowhere = vec![DVec3::splat(f64::NAN)];
    assert!(object_error(MpmObject::points("a", nowhere, 1.0, jelly())).contains("points"));
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let sliver = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 1e-8, 0.0)];
    if let Ok(sliver) = TriangleMesh::new(sliver.to_vec(), vec![[0, 1, 2]]) {
        assert!(object_error(MpmObject::surface("a", sliver, cloth())).contains("zero length or area"));
    }
    let loose = [&corners[..], &[DVec3::Z]].concat();
    let loose = TriangleMesh::new(loose, vec![[0, 1, 2]]).unwrap();
    assert!(object_error(MpmObject::surface("a", loose, cloth())).contains("vertex 3"));
}

#[test]
fn impossible_materials_are_errors() {
    let point = |material: MpmMaterial| object_error(MpmObject::points("a", vec![DVec3::ZERO], 1.0, material));
    let sand = SandParams { friction_angle: 95.0, ..SandParams::default() };
    assert_eq!(
        point(sand.into()),
        "material `sand` of object `a`: `friction_angle` must be 0 or above and below 90 [deg]: 95 is out of range; \
         write a number 0 or above and below 90 [deg]"
    );
    for value in [0.0, f64::NAN, f64::INFINITY, 1e300] {
        let elastic = ElasticParams { youngs_modulus: value, ..ElasticParams::default() };
        for spec in [
            MaterialSpec::CorotatedLinear(elastic.clone()),
            MaterialSpec::FixedCorotated(elastic.clone()),
            MaterialSpec::NeoHookean(elastic.clone()),
        ] {
            let error = point(MpmMaterial::from(&spec));
            assert!(error.contains("`youngs_modulus`") && error.contains(spec.name()), "{error}");
        }
    }
    let law = FixedCorotated { lame: Lame::new(1e4, 0.3) };
    let weightless = point(MpmMaterial::new(law, 0.0));
    assert_eq!(weightless, "`density` of object `a` is 0; it must be positive and finite [kg/m^3]");
    assert!(point(cloth().into()).contains("needs a material"));
    let sheet = Sheet { width: 0.3, depth: 0.3, spacing: 0.05 }.build().unwrap();
    let thin = ClothParams { thickness: 0.0, ..cloth() };
    assert!(object_error(MpmObject::surface("a", sheet, thin)).contains("`thickness`"));
    let curve = CurveMesh::new(vec![DVec3::ZERO, DVec3::X], vec![[0, 1]]).unwrap();
    let thin = FiberParams { radius: f64::NAN, ..FiberParams::default() };
    assert!(object_error(MpmObject::curves("a", curve, thin)).contains("`radius`"));
}

/// Thickness, density, deformation and bending are taken from the parameters.
#[test]
fn mesh_properties_follow_the_parameters() {
    let build = |change: &dyn Fn(ClothParams) -> ClothParams| {
        let mesh = Sheet { width: 0.3, depth: 0.3, spacing: 0.05 }.build().unwrap();
        let mut scene = MpmSim::builder(settings());
        scene.add_object(MpmObject::surface("sheet", mesh, change(cloth())));
        scene.build().unwrap()
    };
    let plain = build(&|cloth| cloth);
    // 0.3 m x 0.3 m x 1 mm at 500 kg/m^3.
    assert!((plain.quantities()["mass"] - 0.045).abs() < 1e-6);
    assert!(plain.params().meshes.bending.is_empty());
    let stiff = build(&|cloth| ClothParams { bending_stiffness: 2.0, ..cloth });
    // Each inner edge of the 6 x 6 squares, of two triangles each, is a hinge: 36 diagonals and 2 x 5 x 6 sides.
    assert_eq!(stiff.params().meshes.bending.hinges.len(), 96);
    let by_grid = build(&|cloth| ClothParams { deformation: Deformation::Mpm, ..cloth });
    assert!(by_grid.params().meshes.ranges.len() < plain.params().meshes.ranges.len());

    let points = (0..11).map(|i| 0.01 * f64::from(i) * DVec3::X).collect();
    let thread = CurveMesh::new(points, (0..10).map(|i| [i, i + 1]).collect()).unwrap();
    let fiber = FiberParams { radius: 0.002, bending_stiffness: Some(1.0), ..FiberParams::default() };
    let mut scene = MpmSim::builder(settings());
    scene.add_object(MpmObject::curves("thread", thread, fiber));
    let sim = scene.build().unwrap();
    let expected = 1000.0 * std::f64::consts::PI * 0.002f64.powi(2) * 0.1;
    assert!((sim.quantities()["mass"] - expected).abs() < 1e-6 * expected);
    let joints = &sim.params().meshes.bending.joints;
    assert_eq!(joints.len(), 9);
    // EI / (2 l) and GJ / l, with GJ = EI / (1 + nu).
    assert!(joints.iter().all(|joint| (joint.rest.bending - 50.0).abs() < 1e-3));
    assert!(joints.iter().all(|joint| (joint.rest.twisting - 100.0 / 1.3).abs() < 1e-3));
}

#[test]
fn impossible_pins_colliders_poses_and_times_are_errors() {
    let pin_error = |pins: &dyn Fn(ObjectId, ObjectId) -> Vec<MpmPin>| {
        let (mut scene, [cube, sheet, _]) = crowd();
        for pin in pins(cube, sheet) {
            scene.add_pin(pin);
        }
        match scene.build() {
            Err(MpmError::Pin { problem, .. }) => problem,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(pin_error(&|_, sheet| vec![MpmPin::new(sheet, [])]), PinProblem::Empty);
    assert_eq!(pin_error(&|cube, _| vec![MpmPin::new(cube, [0])]), PinProblem::NoMesh);
    assert_eq!(pin_error(&|_, sheet| vec![MpmPin::new(sheet, [49])]), PinProblem::NoVertex { vertex: 49, count: 49 });
    assert_eq!(pin_error(&|_, sheet| vec![MpmPin::new(sheet, [6])]), PinProblem::Twice { vertex: 6 });
    let early = pin_error(&|_, sheet| vec![MpmPin::new(sheet, [8]).release(0.0)]);
    assert_eq!(early, PinProblem::Release { release: 0.0 });

    let mut scene = MpmSim::builder(settings());
    scene.add_collider(collider(Shape::sphere(1.0).unwrap(), DVec3::ZERO).friction(-1.0));
    assert!(scene.build().unwrap_err().to_string().contains("`friction` of collider `body` is -1"));

    let (mut scene, _) = crowd();
    let stranger = scene.add_collider(collider(Shape::sphere(1.0).unwrap(), DVec3::ZERO));
    let strange_pin = scene.add_pin(MpmPin::new(scene.clone().add_object(sheet()), [8]));
    let mut sim = crowd().0.build().unwrap();
    let ground = sim.find_collider("body").unwrap();
    assert!(matches!(sim.move_collider(stranger, RigidPose::IDENTITY), Err(MpmError::UnknownId { index: 1, .. })));
    assert!(matches!(sim.place_pin(strange_pin, RigidPose::IDENTITY), Err(MpmError::UnknownId { index: 1, .. })));
    let nowhere = RigidPose::at(DVec3::splat(f64::NAN));
    assert!(matches!(sim.move_collider(ground, nowhere), Err(MpmError::Pose { .. })));
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(sim.advance(dt), Err(MpmError::Setting { field: "dt", .. })), "{dt}");
    }
    assert!(matches!(sim.step(0.0), Err(MpmError::Setting { field: "until", .. })));
    assert!(sim.find_object("nobody").is_none());
}
