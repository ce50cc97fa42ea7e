//! Compares every stage on every available device with the CPU, from random states.

use fibra_core::geometry::{
    Contact, GuideFrames, GuidedStrands, PlacedCollider, RigidPose, RigidVelocity, Shape, StrandBlend, StrandSet,
};
use fibra_core::random::CounterRng;
use fibra_gpu::colliders::DeviceColliders;
use fibra_gpu::on_every_device;
use fibra_hair::internals::gpu::grid::Vertices;
use fibra_hair::internals::gpu::interpolation::GpuGuidedStrands;
use fibra_hair::internals::gpu::predict::{HeadMove, Load, Predictor};
use fibra_hair::internals::gpu::settle::{Bodies, Settler};
use fibra_hair::internals::gpu::strands::{
    CHANGE, CORRECTION, DIRECTOR, GpuStrands, POSITION, SPIN, STATES, STRETCH, TANGENT, TWIST, VELOCITY, states,
};
use fibra_hair::internals::head::excess;
use fibra_hair::internals::predict;
use fibra_hair::internals::strands::StrandState;
use fibra_hair::{HeadLimits, RestShape, StrandInput, StrandMaterial, StrandParams, Strands};
use glam::{DQuat, DVec3, Quat, Vec3};

/// Length of a step [s].
const H: f32 = 1.0 / 120.0;

/// Straight and curly strands of 2 to 40 vertices, pinned at the root, at both ends, or free.
fn strands(count: usize) -> Strands {
    let rng = CounterRng::new(11);
    let strand = |k: usize| {
        let u = |j: u64| rng.uniform(&[k as u64, j]) as f32;
        let out = (2.0 * Vec3::new(u(0), u(1), u(2)) - Vec3::ONE).normalize();
        let side = out.any_orthonormal_vector();
        let n = if k < 4 { 2 + k } else { 6 + (35.0 * u(3) * u(3)) as usize };
        let curl = if k.is_multiple_of(3) { 0.004 } else { 0.0 };
        let point = |i: usize| {
            let s = 0.008 * i as f32;
            let (sin, cos) = (60.0 * s).sin_cos();
            0.1 * out + s * out + curl * (cos * side + sin * out.cross(side))
        };
        StrandInput {
            points: (0..n).map(point).collect(),
            pinned: if k % 7 == 5 { 0 } else { 2 - usize::from(k % 5 == 4) },
            pinned_tip: if k % 11 == 10 { 2 } else { 0 },
            rest: if k % 4 == 1 { RestShape::Straight } else { RestShape::Start },
            ..StrandInput::default()
        }
    };
    let inputs: Vec<StrandInput> = (0..count).map(strand).collect();
    Strands::new(&StrandMaterial::HAIR, RigidPose::IDENTITY, &inputs).unwrap()
}

fn pose(k: u64) -> RigidPose {
    let rng = CounterRng::new(3);
    let spread = |j: u64| 2.0 * rng.uniform_in_cube([k, j, 0]) - DVec3::ONE;
    RigidPose { translation: 0.02 * spread(0), rotation: DQuat::from_axis_angle(spread(1).normalize(), 0.2) }
}

/// Returns strands after some steps of a shaken head.
fn shaken(strands: &Strands, params: &StrandParams, steps: u64) -> StrandState {
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    for k in 0..steps {
        predict::step_alone(strands, params, &mut state, &mut workspace, &pose(k), H).unwrap();
    }
    state
}

/// Returns the largest difference of components, relative to the larger value.
fn apart(strands: &Strands, found: &StrandState, right: &StrandState, components: std::ops::Range<usize>) -> f32 {
    let n = strands.vertex_count();
    let (found, right) = (states(strands, found), states(strands, right));
    let range = components.start * n..components.end * n;
    let size = right[range.clone()].iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let pairs = found[range.clone()].iter().zip(&right[range]);
    let most = pairs.map(|(a, b)| if a.is_nan() { f32::INFINITY } else { (a - b).abs() }).fold(0.0, f32::max);
    most / size.max(1e-30)
}

/// Compares the components of the state by name, with a tolerance for each.
fn check(what: &str, strands: &Strands, found: &StrandState, right: &StrandState, tolerances: [f32; 6]) {
    let tolerances = tolerances.into_iter().chain([1e-4, 1e-3]);
    let fields = [
        ("positions", POSITION..VELOCITY),
        ("velocities", VELOCITY..CHANGE),
        ("tangents", TANGENT..DIRECTOR),
        ("directors", DIRECTOR..SPIN),
        ("spins", SPIN..TWIST),
        ("twists", TWIST..TWIST + 1),
        ("stretch", STRETCH..CORRECTION),
        ("correction", CORRECTION..STATES),
    ];
    let errors: Vec<_> = fields.into_iter().map(|(name, range)| (name, apart(strands, found, right, range))).collect();
    println!("{what}: {errors:?}");
    for ((name, error), tolerance) in errors.iter().zip(tolerances) {
        assert!(*error <= tolerance, "{what}: {name} {error} {tolerance}");
    }
}

#[test]
fn upload_and_download_preserve_strands() {
    let strands = strands(40);
    let state = shaken(&strands, &StrandParams::default(), 3);
    on_every_device!(gpu => {
        let on_device = GpuStrands::upload(&gpu, &strands, &state);
        let mut back = strands.initial_state();
        on_device.read(&gpu, &strands, &mut back).unwrap();
        assert_eq!(states(&strands, &back), states(&strands, &state));
    });
}

/// Both results have rounding errors in the last digits, because the system is stiff.
#[test]
fn predict_agrees() {
    let strands = strands(61);
    let gentle = StrandParams::default();
    let leaping = StrandParams { limits: HeadLimits { displacement: 0.002, rotation: 0.02 }, ..gentle };
    on_every_device!(gpu => {
        for (what, params) in [("predict", &gentle), ("predict with jumps", &leaping)] {
            let mut bits = Vec::new();
            for (least, room) in [(usize::MAX, 7500), (usize::MAX, 0), (20, 7500)] {
                let start = shaken(&strands, params, 7);
                let on_device = GpuStrands::upload(&gpu, &strands, &start);
                let predictor = Predictor::with_shared_memory(&gpu, &on_device, least, room);
                let head = HeadMove { to: pose(7), jump: excess(&start.head, &pose(7), &params.limits) };
                predictor.predict(&gpu, &on_device, params, &head, None, H);
                let (mut found, mut right) = (start.clone(), start.clone());
                on_device.read(&gpu, &strands, &mut found).unwrap();
                let mut workspace = strands.workspace();
                predict::predict(&strands, params, &mut right, &mut workspace, &pose(7), H).unwrap();
                check(what, &strands, &found, &right, [1e-6, 1e-5, 1e-6, 1e-6, 1e-3, 1e-6]);
                let mut expected = vec![Vec3::ZERO; strands.vertex_count()];
                strands.read_changes(&workspace, &mut expected);
                let changes = on_device.read_changes(&gpu).unwrap();
                let size = expected.iter().map(|change| change.abs().max_element()).fold(0.0, f32::max);
                let error = changes.iter().zip(&expected).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f32::max);
                assert!(error <= 1e-3 * size, "{what}: changes {error} {size}");
                bits.push((states(&strands, &found), changes));
            }
            assert!(bits[0] == bits[2], "{what}: strand classes change the result");
        }
    });
}

/// Two balls that contain parts of the strands.
fn balls() -> Vec<PlacedCollider> {
    let ball = |x: f64, radius: f32| {
        let (shape, pose) = (Shape::sphere(radius).unwrap(), RigidPose::at(DVec3::new(x, 0.05, 0.0)));
        let velocity = RigidVelocity::between(&pose, &RigidPose::at(DVec3::new(x, 0.06, 0.0)), 0.1);
        PlacedCollider::new(&shape, &pose, &velocity, DVec3::ZERO, Contact::Separating, 0.3)
    };
    vec![ball(-0.1, 0.08), ball(0.15, 0.06)]
}

/// Strands that are stretched, compressed, folded and inside colliders.
#[test]
fn settle_agrees() {
    let strands = strands(61);
    let params = StrandParams::default();
    let mut start = shaken(&strands, &params, 7);
    let rng = CounterRng::new(8);
    let mut positions = vec![Vec3::ZERO; strands.vertex_count()];
    strands.read_positions(&start, &mut positions);
    strands.write(&mut start, |vertex| {
        let spread = |j: u64| (2.0 * rng.uniform_in_cube([vertex as u64, j, 0]) - DVec3::ONE).as_vec3();
        let by = if strands.pinned()[vertex] { 0.0 } else { [1e-5, 2e-3, 1e-2][vertex / 64 % 3] };
        (positions[vertex] + by * spread(0), spread(1))
    });
    let (none, balls) = (Vec::new(), balls());
    on_every_device!(gpu => {
        for (what, bodies) in [("settle", &none), ("settle with bodies", &balls)] {
            for (room, per_cube) in [(4096, 8), (4096, 2), (0, 8)] {
                let on_device = GpuStrands::upload(&gpu, &strands, &start);
                let placed = DeviceColliders::of_placed(&gpu, bodies).unwrap();
                let bodies_there = Bodies { placed: &placed, skin: 5e-4 };
                let settler = Settler::with_shared_memory(&gpu, &on_device, per_cube, room);
                settler.settle(&gpu, &on_device, None, Some(bodies_there), params.slack, H);
                let (mut found, mut right) = (start.clone(), start.clone());
                on_device.read(&gpu, &strands, &mut found).unwrap();
                let bodies = fibra_hair::internals::settle::Bodies { placed: bodies, skin: 5e-4 };
                fibra_hair::internals::settle::settle(&strands, &params, &mut right, bodies, H);
                check(what, &strands, &found, &right, [1e-5, 1e-5, 1e-4, 1e-3, 0.0, 1e-3]);
                let pushed = apart(&strands, &start, &right, VELOCITY..CHANGE) > 0.0;
                assert_eq!(pushed, !bodies.placed.is_empty());
            }
        }
    });
}

/// Transfers strands to particles and back, as [`HairSim`](fibra_hair::HairSim) does, without a grid.
#[test]
fn particles_are_loaded_pinned_and_fetched() {
    let strands = strands(40);
    let n = strands.vertex_count();
    let params = StrandParams { slack: 0.5, ..StrandParams::default() };
    let start = shaken(&strands, &params, 5);
    // The particle order is arbitrary.
    let place: Vec<u32> = (0..n as u32).map(|i| n as u32 - 1 - i).collect();
    let memory: Vec<f32> = (0..33 * n).map(|i| CounterRng::new(4).uniform(&[i as u64]) as f32).collect();
    on_every_device!(gpu => {
        let on_device = GpuStrands::upload(&gpu, &strands, &start);
        let (fields, places) = (gpu.upload(&memory), gpu.upload(&place));
        let vertices = Vertices { fields: &fields, place: &places };
        let head = HeadMove { to: pose(5), jump: excess(&start.head, &pose(5), &params.limits) };
        let load = Load { vertices, share: 0.25 };
        Predictor::new(&gpu, &on_device).predict(&gpu, &on_device, &params, &head, Some(load), H);
        let mut predicted = start.clone();
        on_device.read(&gpu, &strands, &mut predicted).unwrap();
        let after = fields.read(&gpu).unwrap();
        let read3 = |from: &[f32], first: usize, i: usize| {
            let at = place[i] as usize;
            Vec3::new(from[first * n + at], from[(first + 1) * n + at], from[(first + 2) * n + at])
        };
        let changes = on_device.read_changes(&gpu).unwrap();
        for i in 0..n {
            let (x, v) = strands.vertex(&predicted, i);
            assert_eq!(read3(&after, 0, i), x);
            assert!(read3(&after, 3, i).distance(v + 0.25 * changes[i]) <= 1e-6 * v.length(), "{i}");
        }
        assert_eq!(after[6 * n..], memory[6 * n..], "other fields are unchanged");

        vertices.pin_and_accelerate(&gpu, &on_device, 0.5 * H, 0.75);
        let hastened = fields.read(&gpu).unwrap();
        for i in 0..n {
            let (x, v) = strands.vertex(&predicted, i);
            let held = strands.pinned()[i];
            let expected = if held { x + 0.5 * H * v } else { x };
            assert!(read3(&hastened, 0, i).distance(expected) <= 1e-7, "{i}");
            let expected = if held { v } else { v + 0.25 * changes[i] + 0.75 * changes[i] };
            assert!(read3(&hastened, 3, i).distance(expected) <= 1e-6 * v.length(), "{i}");
        }

        // With enough slack, vertices end at their particles.
        Settler::new(&gpu, &on_device).settle(&gpu, &on_device, Some(vertices), None, params.slack, H);
        let mut settled = start.clone();
        on_device.read(&gpu, &strands, &mut settled).unwrap();
        let mut right = predicted.clone();
        strands.write(&mut right, |i| {
            let (x, v) = strands.vertex(&predicted, i);
            if strands.pinned()[i] { (x + H * v, v) } else { (read3(&hastened, 0, i), read3(&hastened, 3, i)) }
        });
        fibra_hair::internals::settle::settle(&strands, &params, &mut right, fibra_hair::internals::settle::Bodies { placed: &[], skin: 0.0 }, H);
        check("fetched", &strands, &settled, &right, [1e-6, 0.0, 1e-5, 1e-5, 0.0, 1e-5]);

        let turn = glam::Mat3::from_axis_angle(Vec3::new(1.0, 2.0, -1.0).normalize(), 0.7);
        vertices.rotate_history(&gpu, &on_device, turn);
        let rotated = fields.read(&gpu).unwrap();
        for (vertex, at) in place.iter().map(|&at| at as usize).enumerate() {
            let turn = if strands.is_on_head(vertex) { turn } else { glam::Mat3::IDENTITY };
            let column = |from: &[f32], c: usize| Vec3::from_array([0, 3, 6].map(|row| from[(15 + row + c) * n + at]));
            (0..3).for_each(|c| assert!(column(&rotated, c).distance(turn * column(&hastened, c)) < 1e-6));
            let stress = |from: &[f32]| {
                let [xx, yy, zz, yz, xz, xy] = std::array::from_fn(|c| from[(24 + c) * n + at]);
                glam::Mat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
            };
            assert!(stress(&rotated).abs_diff_eq(turn * stress(&hastened) * turn.transpose(), 1e-6));
        }
        assert_eq!(rotated[..15 * n], hastened[..15 * n]);
        assert_eq!(rotated[30 * n..], hastened[30 * n..]);
    });
}

#[test]
fn render_strands_agree() {
    let strands = strands(40);
    let params = StrandParams::default();
    let points = |state: &StrandState| {
        let mut points = vec![Vec3::ZERO; strands.vertex_count()];
        strands.read_positions(state, &mut points);
        points
    };
    let counts: Vec<u32> = (0..strands.len()).map(|strand| strands.vertices(strand).len() as u32).collect();
    let rest: Vec<DVec3> = points(&strands.initial_state()).iter().map(|x| x.as_dvec3()).collect();
    // Render strands next to the guides.
    let beside: Vec<DVec3> = rest.iter().map(|x| *x + DVec3::new(0.004, -0.003, 0.002)).collect();
    let set = |points: Vec<DVec3>| StrandSet::new(points, &counts).unwrap();
    let drawn = GuidedStrands::new(&set(rest), &set(beside), StrandBlend::default());
    let state = shaken(&strands, &params, 9);
    let turn = Quat::from_rotation_y(0.3);
    let mut right = vec![Vec3::ZERO; drawn.points().len()];
    drawn.place(&points(&state), turn, &mut GuideFrames::default(), &mut right);
    on_every_device!(gpu => {
        let on_device = GpuStrands::upload(&gpu, &strands, &state);
        let drawn = GpuGuidedStrands::upload(&gpu, &drawn);
        drawn.place(&gpu, &on_device, 0, turn);
        let found = drawn.read(&gpu).unwrap();
        assert_eq!(found.len(), right.len());
        let most = found.iter().zip(&right).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        println!("render strands: {most} m");
        assert!(most < 1e-6 && found.iter().all(|x| x.is_finite()), "{most}");
    });
}
