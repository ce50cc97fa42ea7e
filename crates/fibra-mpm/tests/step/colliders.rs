//! Grid collisions: material on a moving plane that sticks, slides, or separates.

use crate::naive::vector;
use crate::scene::{DENSITY, JELLY, add_cube, node_index, params};
use fibra_core::geometry::{Collider, Contact, Keyframes, Motion, PlacedCollider, RigidPose, Shape};
use fibra_mpm::internals::g2p::g2p;
use fibra_mpm::internals::grid_update::grid_update;
use fibra_mpm::internals::p2g::p2g;
use fibra_mpm::internals::params::{Kernel, Params, Transfer};
use fibra_mpm::internals::sort::sort;
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{start, step};
use fibra_mpm::internals::workspace::Workspace;
use glam::{DQuat, DVec3, Vec3};

const DX: f32 = 0.1;
const DT: f32 = 1e-3;
/// Nodes within this distance above a surface belong to it [m].
const SKIN: f32 = 0.01 * DX;

/// A plane at a height, with its normal tilted away from y, in steady motion [m/s].
fn plane(height: f64, normal: Vec3, velocity: DVec3, contact: Contact, friction: f32) -> Collider {
    let way = Keyframes::new(vec![0.0, 10.0], vec![DVec3::ZERO, velocity * 10.0], vec![DQuat::IDENTITY; 2]).unwrap();
    Collider {
        name: "plane".into(),
        shape: Shape::plane(Vec3::ZERO, normal).unwrap(),
        rest: RigidPose::at(DVec3::Y * height),
        motion: Motion::Keyframes(way),
        contact,
        friction,
    }
}

/// A cube that overlaps the plane by one cell, with uniform velocity; returns its state on the grid after collisions.
fn patch(contact: &Collider, v: [f32; 3]) -> (Params, State, Workspace, PlacedCollider) {
    let params = params(DX, Kernel::Quadratic, Transfer::Apic { damping: 0.0 });
    let mut state = State::default();
    add_cube(&params, &mut state, JELLY, [-2.0, 0.0, -2.0], 4, v);
    start(&params, &mut state);
    let mut work = Workspace::default();
    sort(&params, &mut state, &mut work).unwrap();
    p2g(&params, &state, &mut work.grid, DT);
    let placed = contact.place(0.5, params.origin);
    grid_update(&params, std::slice::from_ref(&placed), &mut work.grid, DT);
    (params, state, work, placed)
}

/// Returns positions [m], velocities and masses of the nodes with mass.
fn nodes(work: &Workspace) -> Vec<(Vec3, Vec3, f64)> {
    let grid = &work.grid;
    let mut out = Vec::new();
    for (b, nodes) in grid.nodes.iter().enumerate() {
        for (n, node) in nodes.iter().enumerate().filter(|(_, node)| node[3] > 0.0) {
            let x = Vec3::from(node_index(grid, b, n).map(|i| i as f32)) * DX;
            out.push((x, Vec3::new(node[0], node[1], node[2]), node[3].into()));
        }
    }
    out
}

/// Every node behind or on the surface obeys its contact condition, and no other node is changed, for tilted and moving planes.
#[test]
fn nodes_behind_the_surface_obey_the_contact() {
    let carried = DVec3::new(0.4, 0.2, -0.3);
    for normal in [Vec3::Y, Vec3::new(0.3, 1.0, -0.2)] {
        for v in [Vec3::new(2.0, -1.0, 0.5), Vec3::new(2.0, 1.5, 0.5), Vec3::new(0.1, -3.0, 0.0)] {
            for contact in [Contact::Sticky, Contact::Slip, Contact::Separating] {
                for friction in [0.0f32, 0.3, 5.0] {
                    // The plane is placed after half a second of motion.
                    let height = 0.03 - 0.5 * carried.y;
                    let (_, _, work, placed) = patch(&plane(height, normal, carried, contact, friction), v.to_array());
                    let (mut behind, mut before) = (0, 0);
                    for (x, after, _) in nodes(&work) {
                        let n = normal.normalize();
                        let body = carried.as_vec3();
                        let approach = (v - body).dot(n);
                        let slide = v - body - approach * n;
                        let left = (1.0 - friction * (-approach).max(0.0) / slide.length()).max(0.0);
                        let expected = match contact {
                            _ if placed.signed_distance(x) >= SKIN => v,
                            Contact::Sticky => body,
                            Contact::Separating if approach >= 0.0 => v,
                            _ => body + left * slide,
                        };
                        if placed.signed_distance(x) < SKIN {
                            behind += 1
                        } else {
                            before += 1
                        }
                        // The velocity of the cube is uniform only up to rounding, and less so at light nodes at its boundary.
                        assert!(
                            after.distance(expected) < 1e-4,
                            "{contact:?} {friction}: {after} at {x}, not {expected}"
                        );
                    }
                    assert!(behind > 20 && before > 20);
                }
            }
        }
    }
}

/// Coulomb's law: if every node slides, the tangential impulse is `friction` times the normal impulse.
#[test]
fn friction_impulse_is_proportional_to_the_normal_impulse() {
    let (v, belt) = (DVec3::new(3.0, -0.5, 1.0), DVec3::new(1.0, 0.0, 0.0));
    for friction in [0.0f32, 0.2, 0.6] {
        let floor = plane(0.03, Vec3::Y, belt, Contact::Separating, friction);
        let (params, mut state, work, _) = patch(&floor, v.as_vec3().to_array());
        let momentum = |state: &State| {
            let p = &state.particles;
            (0..p.len()).map(|i| vector(p.v[i]) * f64::from(p.mass[i])).sum::<DVec3>()
        };
        let before = momentum(&state);
        g2p(&params, &mut state, &work.grid, DT);
        let impulse = momentum(&state) - before;
        let weight = before.length();
        assert!(impulse.y > 0.01 * weight, "no contact: {impulse}");
        let along = DVec3::new(impulse.x, 0.0, impulse.z);
        let slide = (v - belt) * DVec3::new(1.0, 0.0, 1.0);
        let expected = -slide.normalize() * f64::from(friction) * impulse.y;
        assert!((along - expected).length() < 1e-5 * weight, "{friction}: {along}, not {expected}");
        let mass: f64 = work.grid.nodes.iter().flatten().map(|n| f64::from(n[3])).sum();
        assert!((mass / f64::from(0.4f32.powi(3) * DENSITY) - 1.0).abs() < 1e-5);
    }
}

/// Whole steps with a small stiff block under gravity. It slides on a floor at `v - friction g t` until friction stops it, and moves with
/// a belt. It leaves a falling floor only if the contact separates.
#[test]
fn a_block_slides_moves_with_a_belt_and_separates() {
    let run = |floor: Collider, v: [f32; 3], gravity: f32, seconds: f64| {
        let params = Params {
            gravity: [0.0, -gravity, 0.0],
            colliders: vec![floor],
            ..params(DX, Kernel::Quadratic, Transfer::Apic { damping: 0.0 })
        };
        let mut state = State::default();
        // The block starts just above the floor, within the range in which nodes below it are in contact.
        add_cube(&params, &mut state, JELLY, [-1.0, 0.5, -1.0], 2, v);
        start(&params, &mut state);
        let mut work = Workspace::default();
        while state.time < seconds {
            step(&params, &mut state, &mut work, seconds).unwrap();
        }
        let n = state.particles.len() as f64;
        let mean = |field: &[[f32; 3]]| field.iter().map(|&v| vector(v)).sum::<DVec3>() / n;
        (mean(&state.particles.x), mean(&state.particles.v))
    };
    let still = DVec3::ZERO;
    let floor = |velocity, contact, friction| plane(0.0, Vec3::Y, velocity, contact, friction);

    let (_, v) = run(floor(still, Contact::Slip, 0.0), [2.0, 0.0, 0.0], 9.81, 0.1);
    assert!((v.x - 2.0).abs() < 1e-4, "a frictionless floor slowed it to {} m/s", v.x);
    // The floor's normal impulse per mass is g t + v_y, however the block bounces; friction is a fraction of it. The block is
    // fast enough that oscillations do not change any node's sliding direction.
    let (_, v) = run(floor(still, Contact::Separating, 0.3), [10.0, 0.0, 0.0], 9.81, 0.3);
    let expected = 10.0 - 0.3 * (9.81 * 0.3 + v.y);
    assert!((v.x - expected).abs() < 5e-4, "{} m/s, not {expected}", v.x);

    let belt = DVec3::new(0.5, 0.0, -0.25);
    for contact in [Contact::Sticky, Contact::Separating] {
        let (_, v) = run(floor(belt, contact, 1.0), [0.0; 3], 9.81, 0.6);
        // The block still bounces and swings by a few centimeters per second.
        let along = DVec3::new(v.x, 0.0, v.z);
        assert!((along - belt).length() < 0.1, "{contact:?}: {v} on a belt at {belt}");
    }

    // The surface starts above the lowest nodes of the block.
    let falling = |contact| plane(0.07, Vec3::Y, DVec3::new(0.0, -0.5, 0.0), contact, 1.0);
    let (x, v) = run(falling(Contact::Separating), [0.0; 3], 0.0, 0.1);
    assert!(v.length() < 1e-4 && (x.y - 0.15).abs() < 1e-4, "released, it moved to {x} at {v}");
    for contact in [Contact::Sticky, Contact::Slip] {
        let (x, _) = run(falling(contact), [0.0; 3], 0.0, 0.1);
        assert!(x.y < 0.15 - 0.01, "{contact:?}: in contact, it stayed at {x}");
    }
}
