//! Colliders on the device match those on the CPU.

use cubecl::prelude::*;
use fibra_core::geometry::{
    BodyPart, Collider, Contact, Dance, DeformingMesh, Keyframes, MeshDistance, Motion, PlacedCollider,
    RandomTrajectory, RigidPose, Shape, Spin, TriangleMesh, collider_response,
};
use fibra_core::random::CounterRng;
use fibra_gpu::colliders::{
    ANY, DeviceColliders, MotionTable, NUMBERED, contact_velocity, may_be_within, nearest_within, project_out,
};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Gpu, on_every_device};
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

/// Number of values per point in a result.
const RESULT: usize = 7;
/// Distance reported for a collider out of reach [m].
const NONE: f32 = 99.0;
/// A reach that includes all colliders [m].
const ALL: f32 = 50.0;

/// Computes distance, normal and velocity of one collider at points with given positions and velocities.
#[cube(launch)]
fn query_one(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    collider: u32,
    reach: f32,
    points: &Array<f32>,
    result: &mut Array<f32>,
) {
    if ABSOLUTE_POS < points.len() / 6 {
        let hit = nearest_within(shapes, placed, collider, Vector3::read(points, 6 * ABSOLUTE_POS), reach);
        result[RESULT * ABSOLUTE_POS] = select(hit.distance < reach, hit.distance, NONE);
        hit.normal.write(result, RESULT * ABSOLUTE_POS + 1);
        hit.velocity.write(result, RESULT * ABSOLUTE_POS + 4);
    }
}

/// Computes velocities after contact with all colliders.
#[cube(launch)]
fn query_contact(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    count: u32,
    skin: f32,
    points: &Array<f32>,
    result: &mut Array<f32>,
) {
    if ABSOLUTE_POS < points.len() / 6 {
        let x = Vector3::read(points, 6 * ABSOLUTE_POS);
        let v = Vector3::read(points, 6 * ABSOLUTE_POS + 3);
        let mut near = u32::new(1) << NUMBERED;
        for collider in 0..u32::min(count, NUMBERED) {
            near |= u32::cast_from(may_be_within(shapes, placed, collider, x, 0.3)) << collider;
        }
        contact_velocity(shapes, placed, count, near, skin, x, v).write(result, RESULT * ABSOLUTE_POS);
    }
}

/// Computes the projected positions of vertices, their velocities, and whether they were moved.
#[cube(launch)]
fn query_push(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    count: u32,
    skin: f32,
    points: &Array<f32>,
    result: &mut Array<f32>,
) {
    if ABSOLUTE_POS < points.len() / 6 {
        let x = Vector3::read(points, 6 * ABSOLUTE_POS);
        let v = Vector3::read(points, 6 * ABSOLUTE_POS + 3);
        let pushed = project_out(shapes, placed, count, ANY, skin, x, v);
        pushed.x.write(result, RESULT * ABSOLUTE_POS);
        pushed.v.write(result, RESULT * ABSOLUTE_POS + 3);
        result[RESULT * ABSOLUTE_POS + 6] = select(pushed.moved, 1.0, 0.0);
    }
}

enum Query {
    /// Distance to one collider within a reach [m].
    One(usize, f32),
    /// Contact response with a skin [m].
    Contact(f32),
    /// Projection of vertices with a skin [m].
    Push(f32),
}

fn query<R: Runtime>(
    gpu: &Gpu<R>,
    colliders: &DeviceColliders,
    points: &[[Vec3; 2]],
    question: Query,
) -> Vec<[f32; RESULT]> {
    let given: Vec<f32> = points.iter().flatten().flat_map(|v| v.to_array()).collect();
    let (given, result) = (gpu.upload(&given), gpu.upload(&vec![0.0f32; RESULT * points.len()]));
    let (client, cubes, dim) = (&gpu.client, cubes_for(points.len(), 64), CubeDim::new_1d(64));
    let (shapes, placed, count) = (colliders.shapes(), colliders.placed(), colliders.count());
    let (given, answers) = (given.arg(), result.arg());
    match question {
        Query::One(k, reach) => {
            query_one::launch::<R>(client, cubes, dim, shapes, placed, k as u32, reach, given, answers)
        }
        Query::Contact(skin) => {
            query_contact::launch::<R>(client, cubes, dim, shapes, placed, count, skin, given, answers)
        }
        Query::Push(skin) => query_push::launch::<R>(client, cubes, dim, shapes, placed, count, skin, given, answers),
    }
    result.read(gpu).unwrap().as_chunks().0.to_vec()
}

fn vector(result: &[f32; RESULT], at: usize) -> Vec3 {
    Vec3::new(result[at], result[at + 1], result[at + 2])
}

/// Returns random points up to `reach` [m] from the origin along each axis, with random velocities.
fn points(count: u64, reach: f32) -> Vec<[Vec3; 2]> {
    let random = CounterRng::new(7);
    let one = |i, size| size * (2.0 * random.uniform_in_cube([i, 0, size as u64]).as_vec3() - Vec3::ONE);
    (0..count).map(|i| [one(i, reach), one(i, 2.0)]).collect()
}

fn box_mesh(center: DVec3, half: DVec3) -> TriangleMesh {
    let corner = |i: i32| DVec3::from_array([i & 1, i >> 1 & 1, i >> 2].map(|bit| 2.0 * f64::from(bit) - 1.0));
    let vertices = (0..8).map(|i| center + corner(i) * half).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriangleMesh::new(vertices, quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()).unwrap()
}

fn collider(shape: Shape, motion: Motion, contact: Contact, friction: f32) -> Collider {
    let rest = RigidPose {
        translation: DVec3::new(0.2, -0.1, 0.15),
        rotation: DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.8),
    };
    Collider { name: "body".into(), shape, rest, motion, contact, friction }
}

fn moving(n: u64) -> Motion {
    match n % 3 {
        0 => Motion::Spin(Spin::new(DVec3::new(1.0, 0.3, -0.2), 2.0, None).unwrap().moving(0.4 * DVec3::X).unwrap()),
        1 => Motion::Random(RandomTrajectory::new(n, 0.11, DVec3::splat(0.2), DVec3::splat(0.7)).unwrap()),
        _ => Motion::Still,
    }
}

/// One of each shape, with all contact conditions, at rest and moving.
fn one_of_each() -> Vec<Collider> {
    let mesh = MeshDistance::new(&box_mesh(DVec3::new(0.1, 0.4, -0.3), DVec3::new(0.3, 0.45, 0.5)), 0.07).unwrap();
    let shapes = [
        Shape::plane(Vec3::new(0.1, -0.6, 0.3), Vec3::new(0.2, 2.0, -0.4)).unwrap(),
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(Vec3::new(0.3, 0.5, 0.4)).unwrap(),
        Shape::cylinder(0.4, 0.3).unwrap(),
        Shape::capsule(0.4, 0.25).unwrap(),
        Shape::ellipsoid(Vec3::new(0.3, 0.5, 0.4)).unwrap(),
        Shape::Mesh(Arc::new(mesh)),
    ];
    let contacts = [Contact::Sticky, Contact::Slip, Contact::Separating];
    let body = |(n, shape)| collider(shape, moving(n as u64), contacts[(n / 2 + 1) % 3], 0.2 * n as f32);
    shapes.into_iter().enumerate().map(body).collect()
}

const ORIGIN: DVec3 = DVec3::new(0.03, 0.01, -0.02);

fn placed(colliders: &[Collider], t: f64) -> Vec<PlacedCollider> {
    colliders.iter().map(|collider| collider.place(t, ORIGIN)).collect()
}

/// Compares all results for each collider.
fn compare<R: Runtime>(gpu: &Gpu<R>, colliders: &DeviceColliders, bodies: &[PlacedCollider], points: &[[Vec3; 2]]) {
    let reach = 0.1;
    for (index, body) in bodies.iter().enumerate() {
        let result = query(gpu, colliders, points, Query::One(index, ALL));
        let near = query(gpu, colliders, points, Query::One(index, reach));
        let mut inside = 0;
        for (result, (near, [x, _])) in result.iter().zip(near.iter().zip(points)) {
            let hit = body.query(*x);
            inside += usize::from(hit.distance < 0.0);
            assert!((result[0] - hit.distance).abs() < 2e-6, "{index} {x}: {result:?} {hit:?}");
            let (normal, velocity) = match body.shape() {
                // Let e be the rounding error of the distance d. Surface points with equal d up to e are up to sqrt(2 d e) apart. Very close to the surface, the
                // vector to it is too short for an exact direction.
                Shape::Deformed(_) => (6e-3 + 1e-6 / hit.distance.abs(), 1e-3),
                _ => (2e-5, 1e-5),
            };
            assert!(vector(result, 1).distance(hit.normal) < normal, "{index} {x}: {result:?} {hit:?}");
            assert!(vector(result, 4).distance(hit.velocity) < velocity, "{index} {x}: {result:?} {hit:?}");
            match body.query_within(*x, reach) {
                Some(_) => assert_eq!(near, result, "{index} {x}"),
                None => assert_eq!(near[0], NONE, "{index} {x}"),
            }
        }
        assert!(inside > 10, "{index}: {inside}");
    }
}

#[test]
fn every_shape_matches_the_cpu() {
    on_every_device!(gpu => {
        let bodies = placed(&one_of_each(), 0.37);
        compare(&gpu, &DeviceColliders::of_placed(&gpu, &bodies).unwrap(), &bodies, &points(4000, 1.2));
    });
}

/// Returns a closed torus, or an open part of its surface.
fn torus(whole: bool) -> TriangleMesh {
    let (n, m) = (40u32, 24u32);
    let (along, around) = if whole { (n, m) } else { (n / 2, m / 2) };
    let (rows, columns) = if whole { (along, around) } else { (along + 1, around + 1) };
    let turn = std::f64::consts::TAU;
    let vertex = |k: u32| {
        let (a, b) = (turn * f64::from(k / columns) / f64::from(n), turn * f64::from(k % columns) / f64::from(m));
        let radius = 0.6 + 0.25 * b.cos();
        DVec3::new(radius * a.cos(), 0.25 * b.sin(), radius * a.sin())
    };
    let at = |i: u32, j: u32| (i % rows) * columns + j % columns;
    let quad = |i, j| [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
    let quads = (0..along).flat_map(|i| (0..around).map(move |j| quad(i, j)));
    let triangles = quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new((0..rows * columns).map(vertex).collect(), triangles).unwrap()
}

/// Frames of a mesh deformed by a wave.
fn waving(mesh: &TriangleMesh, fps: f64) -> Shape {
    let frame = |k: i32| {
        let wave = |x: DVec3| x + 0.07 * (3.0 * x.x + 0.4 * f64::from(k)).sin() * DVec3::new(0.3, 1.0, -0.5);
        TriangleMesh::new(mesh.vertices().iter().map(|x| wave(*x)).collect(), mesh.triangles().to_vec()).unwrap()
    };
    let frames: Vec<TriangleMesh> = (0..20).map(frame).collect();
    Shape::Deforming(Arc::new(DeformingMesh::recorded(&frames, fps, 0.05).unwrap()))
}

/// A torus whose vertices follow the motion of a dancer's chest with a delay.
fn trailing() -> Shape {
    let mesh = torus(true);
    let motion = Motion::Dance(Dance::new(BodyPart::Chest, 1.0).unwrap());
    let delays = mesh.vertices().iter().map(|x| 0.3 * (x.y + 0.25)).collect();
    Shape::Deforming(Arc::new(DeformingMesh::trailing(&mesh, motion, DVec3::ZERO, delays, 0.05).unwrap()))
}

fn deforming() -> Vec<Collider> {
    let shapes = [
        (waving(&torus(true), 24.0), moving(0)),
        (Shape::sphere(0.4).unwrap(), moving(1)),
        (waving(&torus(false), 33.0), moving(2)),
        (trailing(), moving(1)),
    ];
    shapes.into_iter().map(|(shape, motion)| collider(shape, motion, Contact::Separating, 0.3)).collect()
}

#[test]
fn deforming_meshes_match_the_cpu() {
    on_every_device!(gpu => {
        let mut colliders = DeviceColliders::of_placed(&gpu, &placed(&deforming(), 0.0)).unwrap();
        for t in [0.0, 0.37] {
            let bodies = placed(&deforming(), t);
            colliders.set_placed(&gpu, &bodies);
            compare(&gpu, &colliders, &bodies, &points(4000, 1.2));
        }
    });
}

#[test]
fn meshes_deform_on_the_device() {
    let points = points(500, 1.2);
    let span = [0.48, 0.48 + 1.0 / 24.0];
    on_every_device!(gpu => {
        let bodies = deforming();
        let mut colliders = DeviceColliders::new(&gpu, bodies.clone()).unwrap();
        colliders.begin_span(&gpu, span, ORIGIN);
        for share in [0.0f32, 0.13, 0.5, 0.77, 1.0] {
            colliders.place(&gpu, &gpu.upload(&[share]));
            let t = span[0] + f64::from(share) * (span[1] - span[0]);
            for (index, body) in bodies.iter().enumerate() {
                let exact = body.place(t, ORIGIN);
                let result = query(&gpu, &colliders, &points, Query::One(index, ALL));
                for (result, [x, _]) in result.iter().zip(&points) {
                    let hit = exact.query(*x);
                    assert!((result[0] - hit.distance).abs() < 1e-5, "{index} {t} {x}: {result:?} {hit:?}");
                    let blur = 2e-5 / hit.distance.abs().max(1e-3);
                    assert!(vector(result, 1).distance(hit.normal) < 1e-3 + blur, "{index} {t} {x}: {result:?} {hit:?}");
                    assert!(vector(result, 4).distance(hit.velocity) < 5e-3, "{index} {t} {x}: {result:?} {hit:?}");
                }
            }
        }
    });
}

#[test]
fn many_colliders_act_in_list_order() {
    let points = points(4000, 1.0);
    let (skin, push_skin) = (0.01, 0.05);
    on_every_device!(gpu => {
        // More colliders than the mask of near colliders has bits.
        let mut bodies = placed(&one_of_each()[1..], 0.37);
        let far = collider(Shape::sphere(0.1).unwrap(), Motion::Still, Contact::Sticky, 0.0);
        bodies.extend((0..40).map(|n| far.place(0.0, DVec3::X * f64::from(10 + n))));
        bodies.extend(placed(&one_of_each()[..4], 0.9));
        bodies.extend(placed(&deforming(), 0.4));
        let colliders = DeviceColliders::of_placed(&gpu, &bodies).unwrap();
        let contact = query(&gpu, &colliders, &points, Query::Contact(skin));
        let pushed = query(&gpu, &colliders, &points, Query::Push(push_skin));
        let (mut touched, mut free) = (0, 0);
        for ([x, v], (contact, pushed)) in points.iter().zip(contact.iter().zip(&pushed)) {
            let mut after = *v;
            for body in &bodies {
                if let Some(hit) = body.query_within(*x, skin) {
                    after = collider_response(after, &hit, body.contact, body.friction);
                }
            }
            assert!(vector(contact, 0).distance(after) < 1e-4, "{x} {v}: {contact:?} {after}");
            let (mut to, mut after, mut moved) = (*x, *v, false);
            for body in &bodies {
                if let Some(hit) = body.query_within(to, push_skin) {
                    to += (push_skin - hit.distance) * hit.normal;
                    after = collider_response(after, &hit, body.contact, body.friction);
                    moved = true;
                }
            }
            assert_eq!(pushed[6], f32::from(u8::from(moved)));
            // With several bodies in sequence, the errors of fast arithmetic add up.
            assert!(vector(pushed, 0).distance(to) < 1e-4, "{x} {v}: {pushed:?} {to}");
            // The velocity of a deforming body depends on the contact point, so its error follows that of the position.
            assert!(vector(pushed, 3).distance(after) < 5e-3, "{x} {v}: {pushed:?} {after}");
            touched += usize::from(moved);
            free += usize::from(!moved);
        }
        assert!(touched > 300 && free > 300, "{touched} {free}");
    });
}

#[test]
fn poses_within_a_span_are_interpolated_on_the_device() {
    let points = points(50, 1.0);
    let translations = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.1, 0.0), DVec3::Z];
    let turns = [0.0, 1.0, 0.9, -2.0].map(DQuat::from_rotation_z).to_vec();
    let motions = [
        Motion::Still,
        moving(0),
        moving(1),
        Motion::Dance(Dance::new(BodyPart::LeftForearm, 1.0).unwrap()),
        Motion::Dance(Dance::new(BodyPart::Head, 1.5).unwrap()),
        Motion::Keyframes(Keyframes::new(vec![0.0, 0.5, 0.513, 0.9], translations, turns).unwrap()),
    ];
    let capsule = Shape::capsule(0.4, 0.25).unwrap();
    let bodies = motions.map(|motion| collider(capsule.clone(), motion, Contact::Slip, 0.0));
    let span = [0.48, 0.48 + 1.0 / 24.0];
    let table = MotionTable::new(&bodies, span, ORIGIN);
    let samples: Vec<usize> = (0..6).map(|body| table.samples(body)).collect();
    println!("samples of the motions: {samples:?}");
    assert!(samples[0] == 2 && samples.iter().all(|n| *n <= 128), "{samples:?}");
    on_every_device!(gpu => {
        let mut colliders = DeviceColliders::new(&gpu, bodies.to_vec()).unwrap();
        colliders.begin_span(&gpu, span, ORIGIN);
        for step in 0..=20 {
            let share = (0.05 * step as f32).min(1.0);
            colliders.place(&gpu, &gpu.upload(&[share]));
            let t = span[0] + f64::from(share) * (span[1] - span[0]);
            for (index, body) in bodies.iter().enumerate() {
                let exact = body.place(t, ORIGIN);
                let result = query(&gpu, &colliders, &points, Query::One(index, ALL));
                for (result, [x, _]) in result.iter().zip(&points) {
                    let hit = exact.query(*x);
                    assert!((result[0] - hit.distance).abs() < 3e-6, "{index} {t}: {result:?} {hit:?}");
                    assert!(vector(result, 1).distance(hit.normal) < 3e-5, "{index} {t}: {result:?} {hit:?}");
                    let (there, fast) = (vector(result, 4), hit.velocity.length());
                    assert!(there.distance(hit.velocity) < 5e-4 * fast.max(1.0), "{index} {t}: {result:?} {hit:?}");
                }
            }
        }
    });
}

#[test]
fn an_empty_list_of_colliders_has_no_effect() {
    let points = points(10, 1.0);
    on_every_device!(gpu => {
        let mut colliders = DeviceColliders::new(&gpu, Vec::new()).unwrap();
        colliders.begin_span(&gpu, [0.0, 1.0], DVec3::ZERO);
        colliders.place(&gpu, &gpu.upload(&[0.5f32]));
        for (result, [x, v]) in query(&gpu, &colliders, &points, Query::Push(0.1)).iter().zip(&points) {
            assert_eq!((vector(result, 0), vector(result, 3), result[6]), (*x, *v, 0.0));
        }
    });
}
