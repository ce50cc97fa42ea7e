//! Tests of cut bars, sheets, rods and cubes.

use super::*;
use crate::fill::{cuboid, wires};
use crate::gmls::Order;
use crate::law::Elasticity;
use crate::matter::Body;
use crate::step::step;
use crate::table::linear_field;
use crate::world::{Blade, ContactLaw, Hold, Matter, Section, Substance};
use approx::assert_relative_eq;
use fibra_core::geometry::generate::WireSection;
use fibra_core::geometry::{Keyframes, Motion, RigidPose, TriangleMesh};
use glam::{DMat3, DQuat};

const DENSITY: f64 = 1000.0;

pub fn params() -> Params {
    let substance = Substance {
        elasticity: Elasticity { young: 1e5, poisson: 0.3 },
        density: DENSITY,
        plasticity: None,
        samples: 0,
        elastons: 0,
        section: Section::Rectangular,
    };
    Params {
        gravity: DVec3::new(0.0, -10.0, 0.0),
        origin: DVec3::ZERO,
        dt: 1e-3,
        order: Order::Second,
        support: 2.0,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        hold_stiffness: 1000.0,
        objects: vec![substance],
        holds: Vec::new(),
        colliders: Vec::new(),
        contact: ContactLaw { stiffness: 1.0, friction: 0.0, between_bodies: false },
        blades: Vec::new(),
        resampling: None,
    }
}

pub fn body(cloud: crate::cloud::Cloud, samples: usize, elastons: usize) -> Matter {
    let objects = vec![0; cloud.points.len()];
    Matter::sample(&[Body { cloud, objects, samples, elastons, grading: None }], 2.0).unwrap()
}

pub fn bar() -> Matter {
    body(cuboid(DVec3::new(1.0, 0.2, 0.2), [30, 6, 6], &RigidPose::IDENTITY).unwrap(), 12, 60)
}

/// A square blade with a center, a normal and half a side length.
pub fn patch(center: DVec3, normal: DVec3, half: f64) -> TriangleMesh {
    let (u, v) = normal.any_orthonormal_pair();
    let corner = |a: f64, b: f64| center + half * (a * u + b * v);
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

pub fn still(surface: TriangleMesh) -> Blade {
    Blade { surface, motion: Motion::Still, from: 0.0, until: 0.0 }
}

/// A moving, deformed state. All fields are linear, so any set of samples represents them exactly.
fn moving(params: &Params, matter: Matter) -> State {
    let mut state = State::new(params.order, matter);
    let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::Z, 0.1)) - DMat3::IDENTITY;
    state.displacements = linear_field(params.order, &state.matter.samples, DVec3::new(0.0, 0.01, 0.0), turn);
    let spin = DMat3::from_cols(DVec3::new(0.1, 0.5, -0.2), DVec3::new(-0.3, 0.1, 0.0), DVec3::new(0.2, 0.1, -0.3));
    state.velocities = linear_field(params.order, &state.matter.samples, DVec3::new(1.0, -2.0, 0.5), spin);
    state
}

/// A moving, deformed state with displacements and velocities that vary from sample to sample.
fn shaken(params: &Params, matter: Matter) -> State {
    let mut state = moving(params, matter);
    let wave = |at: usize| ((at * at) as f64 * 0.37).sin();
    state.displacements.iter_mut().enumerate().for_each(|(at, value)| *value += 1e-3 * wave(at));
    state.velocities.iter_mut().enumerate().for_each(|(at, value)| *value += 0.1 * wave(at + 5));
    state
}

pub fn places(state: &State, work: &Workspace) -> Vec<DVec3> {
    let read = |piece: usize| work.discretization.pieces.read(piece, &state.displacements)[0];
    state.matter.cloud.points.iter().enumerate().map(|(piece, &point)| point + read(piece)).collect()
}

/// Mass, momentum and angular momentum about the origin, summed over elastons.
fn totals(state: &State, work: &Workspace) -> (f64, DVec3, DVec3) {
    let mut sums = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (at, elaston) in state.matter.elastons.iter().enumerate() {
        let mass = DENSITY * elaston.volume;
        let displaced = work.discretization.elastons.read(at, &state.displacements);
        let rates = work.discretization.elastons.read(at, &state.velocities);
        sums.0 += mass;
        sums.1 += mass * rates[0];
        sums.2 += mass * (elaston.center + displaced[0]).cross(rates[0]);
        for axis in 0..3 {
            let arm = elaston.axes.col(axis) + displaced[1 + axis];
            sums.2 += mass * elaston.sides[axis].powi(2) / 12.0 * arm.cross(rates[1 + axis]);
        }
    }
    sums
}

/// Number of connected components.
pub fn components(state: &State) -> usize {
    state.matter.links.components().iter().map(|&component| component as usize + 1).max().unwrap_or(0)
}

/// Cuts and checks the conditions that must hold for any cut. Returns the largest displacement of a material point
/// caused by the cut.
pub fn checked_cut(params: &Params, state: &mut State) -> f64 {
    let mut work = Workspace::new(params, state).unwrap();
    let (before, old) = (totals(state, &work), places(state, &work));
    cut(params, state, &mut work, state.time + params.dt).unwrap();
    let after = totals(state, &work);
    assert_relative_eq!(before.0, after.0, max_relative = 1e-12);
    assert_relative_eq!(before.1, after.1, epsilon = 1e-12 * before.1.length());
    assert_relative_eq!(before.2, after.2, epsilon = 1e-12 * before.1.length());
    let matter = &state.matter;
    let unknowns = work.discretization.unknowns_per_sample() * matter.samples.len();
    assert_eq!([state.displacements.len(), state.velocities.len()], [unknowns; 2]);
    assert_eq!(state.plastic.len(), matter.elastons.len());
    assert_eq!(matter.anchors.len(), matter.samples.len());
    for (sample, &anchor) in matter.samples.iter().zip(&matter.anchors) {
        assert!(sample.weight(matter.cloud.points[anchor as usize]) > 0.0);
    }
    // Each body has its own samples and elastons, and at least as many elastons as samples.
    let bodies = &work.discretization.components;
    let mut counts = vec![[0, 0]; components(state)];
    matter.anchors.iter().for_each(|&anchor| counts[bodies[anchor as usize] as usize][0] += 1);
    let mut owning = vec![None; matter.elastons.len()];
    for (piece, &owner) in matter.owners.iter().enumerate() {
        let own = *owning[owner as usize].get_or_insert(bodies[piece]);
        assert_eq!(own, bodies[piece], "elaston {owner} is in two bodies");
    }
    owning.iter().flatten().for_each(|&body| counts[body as usize][1] += 1);
    assert!(counts.iter().all(|&[samples, elastons]| samples >= 1 && samples <= elastons), "{counts:?}");
    let mut params = params.clone();
    params.blades.clear();
    let until = state.time + 3.0 * params.dt;
    let now = places(state, &work);
    while state.time < until {
        step(&params, state, &mut work, until).unwrap();
    }
    old.iter().zip(&now).map(|(old, new)| old.distance(*new)).fold(0.0, f64::max)
}

#[test]
fn cutting_through_a_bar_gives_two_bars_with_the_same_motion() {
    for place in [-0.2, 0.01, 0.3] {
        for order in [Order::First, Order::Second] {
            let mut params = params();
            params.order = order;
            params.blades = vec![still(patch(DVec3::X * place, DVec3::new(1.0, 0.2, 0.1).normalize(), 0.5))];
            let mut state = moving(&params, bar());
            assert!(checked_cut(&params, &mut state) < 1e-12);
            assert_eq!(components(&state), 2);
            assert_eq!(state.generation, 1);
            let mut state = shaken(&params, bar());
            let moved = checked_cut(&params, &mut state);
            // If samples are dropped, displacements that vary by 1e-3 from sample to sample change slightly.
            assert!(moved < 1e-3, "material points moved by {moved:e} m");
        }
    }
}

#[test]
fn one_half_is_held_and_the_other_falls() {
    let mut params = params();
    params.objects[0].elasticity.young = 1e7;
    params.blades = vec![still(patch(DVec3::X * 0.1, DVec3::X, 0.5))];
    let matter = bar();
    let pieces: Vec<u32> = (0..1080).filter(|&piece| matter.cloud.points[piece as usize].x < -0.4).collect();
    let starts = pieces.iter().map(|&piece| matter.cloud.points[piece as usize]).collect();
    params.holds = vec![Hold { pieces, starts, motion: Motion::Still, until: f64::INFINITY }];
    let mut state = State::new(params.order, matter);
    let mut work = Workspace::new(&params, &state).unwrap();
    for _ in 0..100 {
        step(&params, &mut state, &mut work, 0.1).unwrap();
    }
    // Each step adds dt times the velocity at the end of the step: the sum is g dt^2 n (n + 1) / 2.
    let fall = 10.0 * 1e-6 * 5050.0;
    let now = places(&state, &work);
    for (place, rest) in now.iter().zip(&state.matter.cloud.points) {
        if rest.x > 0.1 {
            assert_relative_eq!(*place, *rest - DVec3::Y * fall, epsilon = 1e-6);
        } else {
            assert!(place.distance(*rest) < 0.2 * fall);
        }
    }
    assert_eq!(state.generation, 1);
}

#[test]
fn a_blade_that_misses_or_does_not_cut_yet_changes_nothing() {
    let mut params = params();
    let surface = patch(DVec3::X * 0.8, DVec3::X, 0.5);
    let later = Blade { surface: patch(DVec3::ZERO, DVec3::X, 0.5), motion: Motion::Still, from: 0.1, until: 0.2 };
    let earlier = Blade { from: -1.0, until: -0.5, ..later.clone() };
    params.blades = vec![still(surface), later, earlier];
    let mut state = shaken(&params, bar());
    let old = state.clone();
    let mut work = Workspace::new(&params, &state).unwrap();
    cut(&params, &mut state, &mut work, 1e-3).unwrap();
    assert_eq!((state.matter, state.displacements, state.velocities), (old.matter, old.displacements, old.velocities));
    assert_eq!(state.generation, 0);
}

#[test]
fn a_partial_cut_leaves_one_body_and_a_small_one_only_removes_links() {
    let mut params = params();
    params.blades = vec![still(patch(DVec3::new(0.01, 0.3, 0.0), DVec3::X, 0.3))];
    let mut state = moving(&params, bar());
    assert!(checked_cut(&params, &mut state) < 1e-12);
    assert_eq!(components(&state), 1);
    assert!(state.matter.elastons.len() > 60);
    // Cut a notch.
    params.blades = vec![still(patch(DVec3::new(-0.4, 0.11, 0.1), DVec3::X, 0.03))];
    let mut state = State::new(params.order, bar());
    checked_cut(&params, &mut state);
    assert_eq!(components(&state), 1);
    assert_eq!(state.matter.samples.len(), 12);
}

#[test]
fn slivers_and_single_material_points_become_bodies() {
    // Cut off a layer, an edge and a corner.
    let spacing = 0.2 / 6.0;
    let blades: [(DVec3, DVec3); 3] = [
        (DVec3::new(0.0, 0.1 - spacing, 0.0), DVec3::Y),
        (DVec3::new(0.0, 0.1 - spacing, 0.1 - 0.5 * spacing), DVec3::new(0.0, 1.0, 1.0).normalize()),
        (DVec3::new(0.5 - spacing, 0.1 - 0.5 * spacing, 0.1 - 0.5 * spacing), DVec3::ONE.normalize()),
    ];
    for (at, normal) in blades {
        let mut params = params();
        params.blades = vec![still(patch(at, normal, 2.0))];
        let mut state = State::new(params.order, bar());
        state.velocities = moving(&params, bar()).velocities;
        assert!(checked_cut(&params, &mut state) < 1e-12);
        assert_eq!(components(&state), 2, "{at}");
    }
    // Dice the body into single material points.
    let mut params = params();
    let matter = body(cuboid(DVec3::splat(0.4), [4, 4, 4], &RigidPose::IDENTITY).unwrap(), 4, 16);
    let planes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [-0.1, 0.0, 0.1].map(|at| (axis, at)));
    params.blades = planes.map(|(axis, at)| still(patch(axis * at, axis, 1.0))).collect();
    let mut state = State::new(params.order, matter);
    state.velocities = moving(&params, state.matter.clone()).velocities;
    assert!(checked_cut(&params, &mut state) < 1e-12);
    assert_eq!(components(&state), 64);
    assert_eq!([state.matter.samples.len(), state.matter.elastons.len()], [64, 64]);
}

#[test]
fn sheets_and_rods_can_be_cut() {
    let sheet = cuboid(DVec3::new(1.0, 1.0, 0.01), [40, 40, 1], &RigidPose::IDENTITY).unwrap();
    let line = [vec![DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0)]];
    let rod = wires(&line, &WireSection::Round { radius: 0.01 }, 0.01).unwrap();
    let normal = DVec3::new(1.0, 0.4, 0.1).normalize();
    for (cloud, samples, elastons) in [(sheet, 25, 120), (rod, 10, 25)] {
        let mut params = params();
        params.blades = vec![still(patch(DVec3::new(0.03, 0.0, 0.0), normal, 2.0))];
        let mut state = moving(&params, body(cloud, samples, elastons));
        assert!(checked_cut(&params, &mut state) < 1e-12);
        assert_eq!(components(&state), 2);
    }
}

#[test]
fn a_blade_that_passes_in_few_or_many_steps_cuts_through() {
    for (duration, dt) in [(0.02, 1e-3), (0.002, 1e-3)] {
        let mut params = params();
        params.gravity = DVec3::ZERO;
        params.dt = dt;
        let down = vec![DVec3::ZERO, DVec3::new(0.0, -0.5, 0.0)];
        let fall = Keyframes::new(vec![0.0, duration], down, vec![DQuat::IDENTITY; 2]).unwrap();
        // A wide and short blade that starts above the body and stops below it.
        let corner = |y: f64, z: f64| DVec3::new(0.01, y, z);
        let corners = vec![corner(0.2, -1.0), corner(0.2, 1.0), corner(0.21, 1.0), corner(0.21, -1.0)];
        let surface = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        params.blades = vec![Blade { surface, motion: Motion::Keyframes(fall), from: 0.0, until: 1.0 }];
        let mut state = State::new(params.order, bar());
        let mut work = Workspace::new(&params, &state).unwrap();
        while state.time < duration + dt {
            step(&params, &mut state, &mut work, duration + dt).unwrap();
        }
        assert_eq!(components(&state), 2);
        assert_relative_eq!(totals(&state, &work).0, DENSITY * 0.04, max_relative = 1e-12);
    }
}

#[test]
fn results_are_bitwise_identical_for_any_number_of_threads() {
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut params = params();
            params.blades = vec![still(patch(DVec3::X * 0.01, DVec3::new(1.0, 0.3, 0.0).normalize(), 0.5))];
            let mut state = shaken(&params, bar());
            let mut work = Workspace::new(&params, &state).unwrap();
            for _ in 0..3 {
                step(&params, &mut state, &mut work, 1.0).unwrap();
            }
            (state.matter, state.displacements, state.velocities)
        })
    };
    assert_eq!(run(1), run(2));
}
