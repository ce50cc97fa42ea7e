//! Colliders in long steps: blocks of jelly fall, rest, stick and slide.

use crate::scene::*;
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_mpm::internals::builder::Builder;
use fibra_mpm::internals::params::{Implicit, Integrator, Params};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{start, step};
use fibra_mpm::internals::timestep::stable_dt;
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::materials::{FixedCorotated, Fluid, Goo, Lame, Material, NeoHookean, Sand, Snow};
use glam::{DVec3, Vec3};

const G: f64 = 9.81;

fn plane(point: DVec3, normal: Vec3, contact: Contact, friction: f32) -> Collider {
    Collider {
        name: "plane".into(),
        shape: Shape::plane(Vec3::ZERO, normal).unwrap(),
        rest: RigidPose::at(point),
        motion: Motion::Still,
        contact,
        friction,
    }
}

/// A block of stiff jelly above the plane y = 0, with steps ten times as long as explicit ones.
fn block(height: f64, colliders: Vec<Collider>) -> (Params, State) {
    let mut params = params();
    let jelly = FixedCorotated { lame: Lame::new(1e5, 0.3) };
    params.substances[JELLY as usize].material = Material::FixedCorotated(jelly);
    params.gravity = [0.0, -G as f32, 0.0];
    params.integrator = Integrator::Implicit(Implicit { tolerance: 1e-2, ..IMPLICIT });
    params.colliders = colliders;
    let mut b = Builder::new(DVec3::ZERO);
    let low = DVec3::new(0.0, height, 0.0);
    add_block(&mut b, JELLY, low, low + DVec3::new(0.4, 0.2, 0.2), &moving(DVec3::ZERO, DVec3::ZERO));
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    let explicit = Params { integrator: Integrator::Explicit, ..params.clone() };
    params.limits.max_dt = 10.0 * stable_dt(&explicit, &state).unwrap();
    (params, state)
}

fn run_until(params: &Params, state: &mut State, work: &mut Workspace, end: f64) {
    while state.time < end {
        step(params, state, work, end).unwrap();
    }
}

fn mean(values: &[[f32; 3]]) -> DVec3 {
    values.iter().map(|v| DVec3::from_array(v.map(f64::from))).sum::<DVec3>() / values.len() as f64
}

fn lowest(state: &State) -> f32 {
    state.particles.x.iter().map(|x| x[1]).fold(f32::INFINITY, f32::min)
}

/// The block falls, lands, bounces to a smaller height, and comes to rest on the floor.
#[test]
fn jelly_lands_bounces_and_rests() {
    let (params, mut state) = block(0.2, vec![plane(DVec3::ZERO, Vec3::Y, Contact::Separating, 0.3)]);
    let mut work = Workspace::default();
    let mut rises = 0.0f64;
    while state.time < 2.0 {
        step(&params, &mut state, &mut work, 2.0).unwrap();
        rises = rises.max(mean(&state.particles.v).y);
        assert!(lowest(&state) > -0.3 * DX as f32, "sinks to {} m after {} s", lowest(&state), state.time);
    }
    // The impact velocity is sqrt(2 g 0.2) = 2 m/s.
    assert!((0.05..2.0).contains(&rises), "bounced with {rises} m/s");
    let v = mean(&state.particles.v);
    assert!(v.length() < 0.02, "still moves with {v} m/s");
    // Floor nodes support material up to a cell and a half above them. The explicit integrator's block rests at the same height.
    let explicit = Params { integrator: Integrator::Explicit, ..params.clone() };
    let mut other = block(0.2, params.colliders.clone()).1;
    run_until(&explicit, &mut other, &mut Workspace::default(), 1.5);
    let (x, y) = (mean(&state.particles.x), mean(&other.particles.x));
    assert!((x - y).length() < 0.2 * DX, "rests at {x} m, not at {y} m");
}

/// Tilted gravity on a floor: the block sticks if `tan a < mu`, else it slides with the acceleration `g (sin a - mu cos a)`,
/// where `a` is the slope angle.
#[test]
fn blocks_stick_or_slide_by_coulombs_law() {
    let slope = 30f64.to_radians();
    for friction in [0.3f64, 0.7] {
        let (mut params, mut state) =
            block(0.0, vec![plane(DVec3::ZERO, Vec3::Y, Contact::Separating, friction as f32)]);
        // The remaining residual is an error of the friction, so the tolerance is tight.
        params.integrator = Integrator::Implicit(IMPLICIT);
        params.gravity = [(G * slope.sin()) as f32, (-G * slope.cos()) as f32, 0.0];
        let mut work = Workspace::default();
        run_until(&params, &mut state, &mut work, 0.3);
        let (t1, x1, v1) = (state.time, mean(&state.particles.x), mean(&state.particles.v));
        run_until(&params, &mut state, &mut work, 0.6);
        let (t2, x2, v2) = (state.time, mean(&state.particles.x), mean(&state.particles.v));
        if slope.tan() < friction {
            assert!((x2 - x1).length() < 1e-3 && v2.length() < 0.01, "creeps {} m, {v2} m/s", x2 - x1);
        } else {
            let exact = G * (slope.sin() - friction * slope.cos());
            let measured = (v2.x - v1.x) / (t2 - t1);
            assert!((measured / exact - 1.0).abs() < 0.05, "slides with {measured} m/s^2, not {exact}");
        }
    }
}

/// A sticky collider holds the material, also against gravity.
#[test]
fn a_sticky_ceiling_carries_a_block() {
    let (params, mut state) = block(-0.22, vec![plane(DVec3::ZERO, Vec3::NEG_Y, Contact::Sticky, 0.0)]);
    let mut work = Workspace::default();
    let start = mean(&state.particles.x);
    run_until(&params, &mut state, &mut work, 1.0);
    let fell = start.y - mean(&state.particles.x).y;
    // The center of mass sags by rho g H^2 / (3 M), where M is between the moduli of a bar and a plate. The block hangs from nodes up to a
    // cell above it.
    assert!((0.0..2e-3).contains(&fell), "the block came down by {fell} m");
}

/// A separating collider releases the material: after gravity is reversed, the block falls away freely.
#[test]
fn a_separating_floor_releases_a_block() {
    let (mut params, mut state) = block(0.0, vec![plane(DVec3::ZERO, Vec3::Y, Contact::Separating, 0.5)]);
    let mut work = Workspace::default();
    run_until(&params, &mut state, &mut work, 0.5);
    params.gravity = [0.0, G as f32, 0.0];
    let (t, v) = (state.time, mean(&state.particles.v));
    run_until(&params, &mut state, &mut work, 0.8);
    let gained = mean(&state.particles.v).y - v.y;
    let exact = G * (state.time - t);
    // The compressed block pushes itself off slightly.
    assert!((0.99..1.1).contains(&(gained / exact)), "gained {gained} m/s, not {exact}");
}

/// The block stays in the corner of a floor and a wall.
#[test]
fn a_block_stays_in_a_corner() {
    let walls = vec![
        plane(DVec3::ZERO, Vec3::Y, Contact::Slip, 0.0),
        plane(DVec3::X * 0.4, Vec3::NEG_X, Contact::Separating, 0.0),
    ];
    let (mut params, mut state) = block(0.0, walls);
    params.gravity = [5.0, -8.0, 0.0];
    let mut work = Workspace::default();
    run_until(&params, &mut state, &mut work, 1.0);
    assert!(mean(&state.particles.v).length() < 0.02, "moves with {} m/s", mean(&state.particles.v));
    let furthest = state.particles.x.iter().map(|x| x[0]).fold(f32::NEG_INFINITY, f32::max);
    assert!(lowest(&state) > -0.01 && furthest < 0.41, "out at {} {furthest}", lowest(&state));
}

/// A cube of every isotropic material lands on a floor in long steps. No value becomes invalid, and no cube sinks or flies away.
#[test]
fn every_material_lands() {
    let lame = Lame::new(2e4, 0.3);
    let materials = [
        Material::NeoHookean(NeoHookean { lame }),
        Material::Snow(Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 }),
        Material::Sand(Sand::new(lame, 0.6, 0.0, true)),
        Material::Fluid(Fluid { bulk_modulus: 2e4, gamma: 7.0, viscosity: 0.5 }),
        Material::Goo(Goo { lame, yield_stress: 100.0, viscosity: 5.0 }),
    ];
    for material in materials {
        let (mut params, mut state) = block(0.1, vec![plane(DVec3::ZERO, Vec3::Y, Contact::Separating, 0.3)]);
        params.substances[JELLY as usize].material = material.clone();
        start(&params, &mut state);
        let mut work = Workspace::default();
        run_until(&params, &mut state, &mut work, 0.4);
        let effort = work.implicit.effort;
        let (fastest, lowest) = (state.extremes.speed, lowest(&state));
        let highest = state.particles.x.iter().map(|x| x[1]).fold(0.0, f32::max);
        assert!(lowest > -0.5 * DX as f32 && highest < 0.5, "{material:?}: from {lowest} to {highest} m");
        assert!(fastest < 3.0, "{material:?}: {fastest} m/s, {effort:?}");
    }
}
