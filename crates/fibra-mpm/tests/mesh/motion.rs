//! Motion of vertices and elements.

use crate::scene::*;
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_mpm::internals::builder::{BadElement, Builder};
use fibra_mpm::internals::diagnostics::diagnose;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::step::start;
use fibra_mpm::internals::workspace::Workspace;
use glam::{DVec3, Vec3};

/// A cloth that moves as a rigid body stays rigid and free of stress, and its elements stay between their vertices.
#[test]
fn rigid_motion_causes_no_stress() {
    let mut params = params();
    let mut b = Builder::new(DVec3::ZERO);
    let motion = moving(DVec3::new(1.0, 2.0, 0.5), DVec3::new(0.5, 0.2, 1.0));
    add_cloth(&mut b, 12, 0.5, &motion, |x| x);
    add_thread(&mut b, 12, DVec3::new(-0.2, 0.3, 0.0), DVec3::new(0.2, 0.4, 0.1), &motion);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    let before = diagnose(&params, &state, None);
    advance(&params, &mut state, &mut Workspace::default(), 200).unwrap();
    let after = diagnose(&params, &state, None);
    assert!(
        after.elastic_energy < 1e-4 * after.kinetic_energy,
        "{} J of {} J",
        after.elastic_energy,
        after.kinetic_energy
    );
    assert!((after.kinetic_energy / before.kinetic_energy - 1.0).abs() < 1e-3);
    let p = &state.particles;
    let mut place = vec![0; p.len()];
    p.id.iter().enumerate().for_each(|(at, &id)| place[id as usize] = at);
    for (element, corners) in params.meshes.corners.iter().enumerate() {
        let at = place[params.meshes.first_element as usize + element];
        let distinct = if p.kind[at] == Kind::Curve { &corners[..2] } else { &corners[..] };
        for axis in 0..3 {
            let mean = distinct.iter().map(|&v| p.x[place[v as usize]][axis]).sum::<f32>() / distinct.len() as f32;
            assert!((p.x[at][axis] - mean).abs() < 1e-6);
        }
    }
}

/// Pinned vertices follow the pin's motion until they are released; then they move freely.
#[test]
fn pins_hold_vertices_until_release() {
    let (params, mut state) = crowd(0.05);
    let (corner, start) = params.meshes.pins[0].vertices[0];
    let mut work = Workspace::default();
    let place =
        |state: &fibra_mpm::internals::state::State| state.particles.id.iter().position(|&id| id == corner).unwrap();
    while state.time < 0.05 {
        advance(&params, &mut state, &mut work, 1).unwrap();
        let (prescribed, _) = params.meshes.pins[0].at(start, state.time);
        let at = place(&state);
        let x = DVec3::from_array(state.particles.x[at].map(f64::from));
        assert!((x - prescribed).length() < 1e-6, "{x} and {prescribed}");
        assert_eq!(state.particles.kind[at], Kind::Held);
    }
    assert_eq!(state.time, 0.05, "a step must end at the release time");
    advance(&params, &mut state, &mut work, 50).unwrap();
    let at = place(&state);
    assert_eq!(state.particles.kind[at], Kind::Vertex);
    let (prescribed, _) = params.meshes.pins[0].at(start, state.time);
    let x = DVec3::from_array(state.particles.x[at].map(f64::from));
    assert!((x - prescribed).length() > 1e-4, "the vertex did not leave the pin: {x}");
}

/// Errors name elements of zero size.
#[test]
fn degenerate_elements_are_rejected() {
    let still = moving(DVec3::ZERO, DVec3::ZERO);
    let mut b = Builder::new(DVec3::ZERO);
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, 2.0 * DVec3::X];
    let surface = b.add_surface(CLOTH, &corners, &[[0, 1, 2], [0, 1, 3]], &CLOTH_FABRIC, &still);
    assert_eq!(surface, Err(BadElement::Flat { element: 1 }));
    let surface = b.add_surface(CLOTH, &corners, &[[0, 1, 4]], &CLOTH_FABRIC, &still);
    assert_eq!(surface, Err(BadElement::NoVertex { element: 0, vertex: 4 }));
    let curve = b.add_curves(THREAD, &corners, &[[0, 1], [1, 1]], &THREAD_FABRIC, &still);
    assert_eq!(curve, Err(BadElement::Flat { element: 1 }));
}

/// A cloth that falls on a ball covers it without any vertex inside.
#[test]
fn no_vertex_stays_inside_a_collider() {
    let mut params = params();
    params.gravity = [0.0, -9.81, 0.0];
    params.transfer = fibra_mpm::internals::params::Transfer::Apic { damping: 700.0 };
    params.colliders.push(Collider {
        name: "ball".to_owned(),
        shape: Shape::sphere(0.2).unwrap(),
        rest: RigidPose::at(DVec3::new(0.0, -0.22, 0.0)),
        motion: Motion::Still,
        contact: Contact::Separating,
        friction: 0.5,
    });
    let mut b = Builder::new(DVec3::ZERO);
    add_cloth(&mut b, 16, 0.6, &moving(DVec3::ZERO, DVec3::ZERO), |x| x);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    advance(&params, &mut state, &mut Workspace::default(), 400).unwrap();
    let p = &state.particles;
    let ball = params.colliders[0].place(0.0, DVec3::ZERO);
    let deepest = (0..p.len())
        .filter(|&i| p.kind[i] == Kind::Vertex)
        .map(|i| ball.signed_distance(p.x[i].into()))
        .fold(f32::INFINITY, f32::min);
    assert!((-1e-6..0.5 * DX as f32).contains(&deepest), "the deepest vertex is at {deepest} m");
}

/// A cloth hangs over the rims and corners of a box. Only vertices met colliders before, so that edges and triangles cut 4 mm into the box, a fifth of an edge.
#[test]
fn no_element_cuts_through_a_rim() {
    let mut params = params();
    params.gravity = [0.0, -9.81, 0.0];
    params.transfer = fibra_mpm::internals::params::Transfer::Apic { damping: 700.0 };
    params.colliders.push(Collider {
        name: "box".to_owned(),
        shape: Shape::cuboid(Vec3::new(0.15, 0.2, 0.15)).unwrap(),
        rest: RigidPose::at(DVec3::new(0.013, -0.22, 0.007)),
        motion: Motion::Still,
        contact: Contact::Separating,
        friction: 0.5,
    });
    let mut b = Builder::new(DVec3::ZERO);
    let (n, width) = (28, 0.6);
    add_cloth(&mut b, n, width, &moving(DVec3::ZERO, DVec3::ZERO), |x| x);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    let mut work = Workspace::default();
    let edge = width as f32 / n as f32;
    let shape = params.colliders[0].place(0.0, DVec3::ZERO);
    let mut deepest = 0.0f32;
    while state.time < 0.5 {
        advance(&params, &mut state, &mut work, 20).unwrap();
        let p = &state.particles;
        let mut place = vec![0; p.len()];
        p.id.iter().enumerate().for_each(|(at, &id)| place[id as usize] = at);
        for corners in &params.meshes.corners {
            let [a, b, c] = corners.map(|id| Vec3::from(p.x[place[id as usize]]));
            let samples = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0];
            deepest = samples.map(|x| -shape.signed_distance(x)).into_iter().fold(deepest, f32::max);
        }
    }
    println!("deepest: {} of an edge", deepest / edge);
    let lowest = state.particles.x.iter().fold(0.0f32, |low, x| low.min(x[1]));
    assert!(lowest < -0.05, "the cloth hangs down to {lowest} m");
    assert!(deepest < 0.03 * edge, "an element is {deepest} m inside the box, {} of an edge", deepest / edge);
}

/// Elements between pinned vertices do not accelerate away, although nothing on the grid supports them.
#[test]
fn elements_follow_pinned_vertices() {
    let mut params = params();
    params.gravity = [0.0, -9.81, 0.0];
    let mut b = Builder::new(DVec3::ZERO);
    let cloth = add_cloth(&mut b, 12, 0.4, &moving(DVec3::ZERO, DVec3::ZERO), |x| x);
    b.add_pin(&cloth.collect::<Vec<_>>(), Motion::Still, DVec3::ZERO, f64::INFINITY);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    advance(&params, &mut state, &mut Workspace::default(), 1000).unwrap();
    let fastest = state.particles.v.iter().flatten().fold(0.0f32, |fast, v| fast.max(v.abs()));
    assert!(fastest < 0.11, "{fastest} m/s after {} s", state.time);
}
