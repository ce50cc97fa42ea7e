//! Grid collisions: a patch of material on a plane that moves, sticks, lets slide, lets go.

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
/// Nodes so little above a surface belong to it [m].
const SKIN: f32 = 0.01 * DX;

/// A plane through a height, its normal leaning away from y, in steady motion [m/s].
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

/// A cube that hangs a cell deep in the plane's nodes, with one velocity; as it is on the grid after collisions.
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

/// Places [m], velocities and masses of the nodes that carry any.
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

/// Every node behind the surface or on it obeys its contact, every other one is left alone, for tilted planes in motion.
#[test]
fn nodes_behind_the_surface_obey_the_contact() {
    let carried = DVec3::new(0.4, 0.2, -0.3);
    for normal in [Vec3::Y, Vec3::new(0.3, 1.0, -0.2)] {
        for v in [Vec3::new(2.0, -1.0, 0.5), Vec3::new(2.0, 1.5, 0.5), Vec3::new(0.1, -3.0, 0.0)] {
            for contact in [Contact::Sticky, Contact::Slip, Contact::Separating] {
                for friction in [0.0f32, 0.3, 5.0] {
                    // The motion has gone on for half a second when the plane is placed.
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
                        // The cube has one velocity only to rounding, and light nodes at its rim to less.
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

/// Coulomb: while every node slides, the impulse along the plane is `friction` times the impulse across it.
#[test]
fn friction_takes_its_share_of_the_normal_impulse() {
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

/// Whole steps: a stiff little block under gravity slides on a floor until friction stops it, at `v - friction g t`; it is
/// carried by a belt, and leaves a floor that drops away unless that holds on to it.
#[test]
fn a_block_slides_rides_and_leaves() {
    let run = |floor: Collider, v: [f32; 3], gravity: f32, seconds: f64| {
        let params = Params {
            gravity: [0.0, -gravity, 0.0],
            colliders: vec![floor],
            ..params(DX, Kernel::Quadratic, Transfer::Apic { damping: 0.0 })
        };
        let mut state = State::default();
        // Just above the floor: the nodes within reach below it feel the contact.
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
    assert!((v.x - 2.0).abs() < 1e-4, "a slippery floor slowed it to {} m/s", v.x);
    // Per mass, the floor has pushed up by g t + v_y in all, however the block bounced, and rubbed by a
    // share of that; fast enough that wobbling turns no node's slide aside.
    let (_, v) = run(floor(still, Contact::Separating, 0.3), [10.0, 0.0, 0.0], 9.81, 0.3);
    let expected = 10.0 - 0.3 * (9.81 * 0.3 + v.y);
    assert!((v.x - expected).abs() < 5e-4, "{} m/s, not {expected}", v.x);

    let belt = DVec3::new(0.5, 0.0, -0.25);
    for contact in [Contact::Sticky, Contact::Separating] {
        let (_, v) = run(floor(belt, contact, 1.0), [0.0; 3], 9.81, 0.6);
        // It still bounces and swings by some centimeters a second.
        let along = DVec3::new(v.x, 0.0, v.z);
        assert!((along - belt).length() < 0.1, "{contact:?}: {v} on a belt at {belt}");
    }

    // The surface starts above the lowest nodes the block touches.
    let falling = |contact| plane(0.07, Vec3::Y, DVec3::new(0.0, -0.5, 0.0), contact, 1.0);
    let (x, v) = run(falling(Contact::Separating), [0.0; 3], 0.0, 0.1);
    assert!(v.length() < 1e-4 && (x.y - 0.15).abs() < 1e-4, "let go, it moved to {x} at {v}");
    for contact in [Contact::Sticky, Contact::Slip] {
        let (x, _) = run(falling(contact), [0.0; 3], 0.0, 0.1);
        assert!(x.y < 0.15 - 0.01, "{contact:?}: held, it stayed at {x}");
    }
}
