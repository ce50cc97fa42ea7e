//! Bars, sheets, rods and cubes under blades.

use super::surface::{border, edges};
use super::*;
use crate::connectivity::Connectivity;
use crate::fill::{cuboid, wires};
use crate::gmls::Order;
use crate::law::Elasticity;
use crate::matter::Body;
use crate::step::step;
use crate::table::linear_field;
use crate::world::{Blade, ContactLaw, Hold, Matter, Substance, Surface};
use approx::assert_relative_eq;
use fibra_core::geometry::generate::WireSection;
use fibra_core::geometry::{Keyframes, Motion, RigidPose, TriangleMesh};
use glam::{DMat3, DQuat, Vec3Swizzles};

const DENSITY: f64 = 1000.0;

fn params() -> Params {
    let substance = Substance {
        elasticity: Elasticity { young: 1e5, poisson: 0.3 },
        density: DENSITY,
        plasticity: None,
        samples: 0,
        elastons: 0,
    };
    Params {
        gravity: DVec3::new(0.0, -10.0, 0.0),
        origin: DVec3::ZERO,
        dt: 1e-3,
        order: Order::Second,
        support: 2.0,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        objects: vec![substance],
        holds: Vec::new(),
        colliders: Vec::new(),
        contact: ContactLaw { stiffness: 1.0, friction: 0.0, between_bodies: false },
        blades: Vec::new(),
        resampling: None,
    }
}

fn body(cloud: crate::cloud::Cloud, samples: usize, elastons: usize) -> Matter {
    let objects = vec![0; cloud.points.len()];
    Matter::sample(&[Body { cloud, objects, samples, elastons, grading: None }], 2.0).unwrap()
}

fn bar() -> Matter {
    body(cuboid(DVec3::new(1.0, 0.2, 0.2), [30, 6, 6], &RigidPose::IDENTITY).unwrap(), 12, 60)
}

/// A square blade about a place with a normal and half a side.
fn patch(centre: DVec3, normal: DVec3, half: f64) -> TriangleMesh {
    let (u, v) = normal.any_orthonormal_pair();
    let corner = |a: f64, b: f64| centre + half * (a * u + b * v);
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

fn still(surface: TriangleMesh) -> Blade {
    Blade { surface, motion: Motion::Still, from: 0.0, until: 0.0 }
}

/// A state that moves and is deformed, all linearly, so that any samples show the same.
fn moving(params: &Params, matter: Matter) -> State {
    let mut state = State::new(params.order, matter);
    let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::Z, 0.1)) - DMat3::IDENTITY;
    state.displacements = linear_field(params.order, &state.matter.samples, DVec3::new(0.0, 0.01, 0.0), turn);
    let spin = DMat3::from_cols(DVec3::new(0.1, 0.5, -0.2), DVec3::new(-0.3, 0.1, 0.0), DVec3::new(0.2, 0.1, -0.3));
    state.velocities = linear_field(params.order, &state.matter.samples, DVec3::new(1.0, -2.0, 0.5), spin);
    state
}

/// The same with a displacement and velocity that differ from sample to sample.
fn shaken(params: &Params, matter: Matter) -> State {
    let mut state = moving(params, matter);
    let wave = |at: usize| ((at * at) as f64 * 0.37).sin();
    state.displacements.iter_mut().enumerate().for_each(|(at, value)| *value += 1e-3 * wave(at));
    state.velocities.iter_mut().enumerate().for_each(|(at, value)| *value += 0.1 * wave(at + 5));
    state
}

fn places(state: &State, work: &Workspace) -> Vec<DVec3> {
    let read = |piece: usize| work.discretization.pieces.read(piece, &state.displacements)[0];
    state.matter.cloud.points.iter().enumerate().map(|(piece, &point)| point + read(piece)).collect()
}

/// Mass, momentum and angular momentum about the origin, of the elastons.
fn totals(state: &State, work: &Workspace) -> (f64, DVec3, DVec3) {
    let mut sums = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (at, elaston) in state.matter.elastons.iter().enumerate() {
        let mass = DENSITY * elaston.volume;
        let displaced = work.discretization.elastons.read(at, &state.displacements);
        let rates = work.discretization.elastons.read(at, &state.velocities);
        sums.0 += mass;
        sums.1 += mass * rates[0];
        sums.2 += mass * (elaston.centre + displaced[0]).cross(rates[0]);
        for axis in 0..3 {
            let arm = elaston.axes.col(axis) + displaced[1 + axis];
            sums.2 += mass * elaston.sides[axis].powi(2) / 12.0 * arm.cross(rates[1 + axis]);
        }
    }
    sums
}

/// Number of components.
fn components(state: &State) -> usize {
    state.matter.links.components().iter().map(|&component| component as usize + 1).max().unwrap_or(0)
}

/// Cuts and checks what must hold for any cut. Returns how far the farthest piece was moved by it.
fn checked_cut(params: &Params, state: &mut State) -> f64 {
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
    // Each body has its own samples and elastons, and of these at least as many.
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
fn a_bar_cut_through_is_two_bars_that_go_on_as_before() {
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
            // Where samples are dropped, displacements that differ from sample to sample by 1e-3 are not quite the same.
            assert!(moved < 1e-3, "pieces moved by {moved:e} m");
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
    // Each step adds its velocity at its end: g dt^2 n (n + 1) / 2.
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
fn a_partial_cut_leaves_one_body_and_one_between_samples_only_loses_links() {
    let mut params = params();
    params.blades = vec![still(patch(DVec3::new(0.01, 0.3, 0.0), DVec3::X, 0.3))];
    let mut state = moving(&params, bar());
    assert!(checked_cut(&params, &mut state) < 1e-12);
    assert_eq!(components(&state), 1);
    assert!(state.matter.elastons.len() > 60);
    // A nick.
    params.blades = vec![still(patch(DVec3::new(-0.4, 0.11, 0.1), DVec3::X, 0.03))];
    let mut state = State::new(params.order, bar());
    checked_cut(&params, &mut state);
    assert_eq!(components(&state), 1);
    assert_eq!(state.matter.samples.len(), 12);
}

#[test]
fn slivers_and_single_pieces_are_bodies() {
    // A layer, an edge, a corner.
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
    // Everything in dice of one piece.
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
fn sheets_and_rods_are_cut_alike() {
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
        // A wide and short blade that starts above and stops below.
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
fn any_number_of_threads_gives_the_same_bits() {
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

/// A unit cube with its surface, of `n` by `n` squares on each side.
fn cube(n: u32) -> Matter {
    let mut matter = body(cuboid(DVec3::ONE, [10, 10, 10], &RigidPose::IDENTITY).unwrap(), 27, 125);
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut triangles = Vec::new();
    let mut vertex = |place: DVec3| {
        let known = vertices.iter().position(|known| known.distance(place) < 1e-9);
        known.unwrap_or_else(|| {
            vertices.push(place);
            vertices.len() - 1
        }) as u32
    };
    for axis in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
        let (u, v) = (axis.zxy(), axis.cross(axis.zxy()));
        let corner = |i: u32, j: u32| {
            let at = |k: u32| f64::from(k) / f64::from(n) - 0.5;
            0.5 * axis + at(i) * u + at(j) * v
        };
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [a, b, c, d] =
                [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)].map(&mut vertex);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let near = |vertex: &DVec3| {
        let closer = |a: &usize, b: &usize| {
            let distance = |&piece: &usize| matter.cloud.points[piece].distance(*vertex);
            distance(a).total_cmp(&distance(b))
        };
        (0..matter.cloud.points.len()).min_by(closer).unwrap() as u32
    };
    let pieces = vertices.iter().map(near).collect();
    matter.surface = Surface { vertices, pieces, triangles, cuts: None };
    matter
}

/// Volumes of the parts of a surface, which must be closed.
fn volumes(state: &State) -> Vec<f64> {
    let surface = &state.matter.surface;
    assert_eq!(border(&surface.triangles), Vec::<[u32; 2]>::new());
    let mut beside = vec![Vec::new(); surface.vertices.len()];
    for &[a, b, c] in &surface.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            beside[from as usize].push(to);
        }
    }
    let parts = Connectivity::from_lists(beside).components();
    let bodies = state.matter.links.components();
    let mut volumes = vec![(0.0, None); surface.vertices.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| surface.vertices[corner as usize]);
        let (volume, body) = &mut volumes[parts[triangle[0] as usize] as usize];
        *volume += a.dot(b.cross(c)) / 6.0;
        // All of a part moves with one body.
        for &corner in triangle {
            let own = bodies[surface.pieces[corner as usize] as usize];
            assert_eq!(*body.get_or_insert(own), own);
        }
    }
    volumes.into_iter().filter(|(_, body)| body.is_some()).map(|(volume, _)| volume).collect()
}

#[test]
fn the_surface_of_a_cube_is_cut_into_closed_parts() {
    let tilted = DVec3::new(1.0, 0.3, 0.2).normalize();
    // Across, tilted, through rows of vertices, and two blades that cross.
    type Plane = (DVec3, DVec3);
    let cases: [(&[Plane], &[f64], f64); 4] = [
        (&[(DVec3::X * 0.13, DVec3::X)], &[0.37, 0.63], 1e-9),
        (&[(DVec3::X * 0.013, tilted)], &[0.487, 0.513], 1e-9),
        (&[(DVec3::ZERO, DVec3::X)], &[0.5, 0.5], 2e-3),
        (&[(DVec3::X * 0.13, DVec3::X), (DVec3::Y * 0.07, DVec3::Y)], &[0.1591, 0.2109, 0.2709, 0.3591], 1e-3),
    ];
    for (planes, exact, tolerance) in cases {
        let mut params = params();
        let mut state = State::new(params.order, cube(8));
        for &(at, normal) in planes {
            params.blades = vec![still(patch(at, normal, 2.0))];
            let mut work = Workspace::new(&params, &state).unwrap();
            cut(&params, &mut state, &mut work, 1e-3).unwrap();
            let before = state.generation;
            cut(&params, &mut state, &mut work, 1e-3).unwrap();
            assert_eq!(state.generation, before, "the same cut again changes nothing");
        }
        let mut found = volumes(&state);
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), exact.len());
        for (found, exact) in found.iter().zip(exact) {
            assert_relative_eq!(found, exact, epsilon = tolerance);
        }
    }
}

#[test]
fn the_surface_follows_a_blade_that_advances() {
    let mut params = params();
    params.gravity = DVec3::ZERO;
    let down = vec![DVec3::ZERO, DVec3::new(0.0, -1.3, 0.0)];
    let fall = Keyframes::new(vec![0.0, 0.02], down, vec![DQuat::IDENTITY; 2]).unwrap();
    let surface = patch(DVec3::new(0.13, 2.6, 0.0), DVec3::X, 2.0);
    params.blades = vec![Blade { surface, motion: Motion::Keyframes(fall), from: 0.0, until: 1.0 }];
    let mut state = State::new(params.order, cube(8));
    let mut work = Workspace::new(&params, &state).unwrap();
    let mut faces = 0;
    for k in 1..=22 {
        step(&params, &mut state, &mut work, f64::from(k) * 1e-3).unwrap();
        assert!(state.matter.surface.triangles.len() >= faces, "faces grow");
        faces = state.matter.surface.triangles.len();
    }
    let mut found = volumes(&state);
    found.sort_by(f64::total_cmp);
    assert_relative_eq!(found[0], 0.37, epsilon = 1e-6);
    assert_relative_eq!(found[1], 0.63, epsilon = 1e-6);
    assert_eq!(found.len(), 2);
    assert_eq!(state.matter.surface.cuts.as_ref().unwrap().open_edges.len(), 0);
}

#[test]
fn the_halves_of_a_cut_do_not_push_each_other_away() {
    let mut params = params();
    params.gravity = DVec3::ZERO;
    params.contact.between_bodies = true;
    params.blades = vec![still(patch(DVec3::X * 0.01, DVec3::X, 0.5))];
    let mut state = State::new(params.order, bar());
    let mut work = Workspace::new(&params, &state).unwrap();
    for _ in 0..20 {
        step(&params, &mut state, &mut work, 0.02).unwrap();
    }
    assert_eq!(components(&state), 2);
    let moved = places(&state, &work).into_iter().zip(&state.matter.cloud.points).map(|(a, b)| a.distance(*b));
    assert!(moved.fold(0.0, f64::max) < 1e-9);
}

#[test]
fn an_open_surface_stays_open_and_comes_apart() {
    let cloud = cuboid(DVec3::new(1.0, 1.0, 0.01), [20, 20, 1], &RigidPose::IDENTITY).unwrap();
    let mut matter = body(cloud, 16, 80);
    // Its pieces are the vertices.
    let index = |i: usize, j: usize| {
        let place = DVec3::new((i as f64 + 0.5) / 20.0 - 0.5, (j as f64 + 0.5) / 20.0 - 0.5, 0.0);
        matter.cloud.points.iter().position(|point| point.distance(place) < 1e-9).unwrap() as u32
    };
    let quads = (0..19).flat_map(|i| (0..19).map(move |j| (i, j)));
    let corners = quads.map(|(i, j)| [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)]);
    let triangles = corners.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    matter.surface =
        Surface { vertices: matter.cloud.points.clone(), pieces: (0..400).collect(), triangles, cuts: None };
    let mut params = params();
    params.blades = vec![still(patch(DVec3::X * 0.013, DVec3::new(1.0, 0.4, 0.0).normalize(), 2.0))];
    let mut state = State::new(params.order, matter);
    checked_cut(&params, &mut state);
    let surface = &state.matter.surface;
    let bodies = state.matter.links.components();
    let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let mut areas = [0.0; 2];
    for triangle in &surface.triangles {
        let of = triangle.map(|corner| bodies[surface.pieces[corner as usize] as usize] as usize);
        assert_eq!(of, [of[0]; 3]);
        areas[of[0]] += area(triangle.map(|corner| surface.vertices[corner as usize]));
    }
    // A square of side 0.95 cut across.
    assert_relative_eq!(areas[0], 0.95 * (0.475 + 0.013), epsilon = 1e-9);
    assert_relative_eq!(areas[1], 0.95 * (0.475 - 0.013), epsilon = 1e-9);
}

#[test]
fn blades_that_cross_at_once_a_slit_and_a_bent_blade_are_borne() {
    let slit = patch(DVec3::new(0.03, 0.5, 0.0), DVec3::X, 0.2);
    let inside = patch(DVec3::ZERO, DVec3::X, 0.2);
    let crossing = [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 1.0)]
        .map(|normal| still(patch(DVec3::new(0.03, 0.02, -0.04), normal.normalize(), 2.0)));
    let bend = |x: f64, y: f64| DVec3::new(x, 1.2 * y, 0.3 * x.abs() + 0.011);
    let bent = TriangleMesh::new(
        vec![bend(-1.0, -1.0), bend(0.0, -1.0), bend(1.0, -1.0), bend(-1.0, 1.0), bend(0.0, 1.0), bend(1.0, 1.0)],
        vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
    )
    .unwrap();
    for (blades, parts) in
        [(vec![still(slit)], 1), (vec![still(inside)], 1), (crossing.to_vec(), 8), (vec![still(bent)], 2)]
    {
        let mut params = params();
        params.blades = blades;
        let mut state = State::new(params.order, cube(8));
        checked_cut(&params, &mut state);
        assert_eq!(components(&state), parts);
        let surface = &state.matter.surface;
        assert!(surface.vertices.iter().all(|vertex| vertex.abs().max_element() < 0.5 + 1e-9));
    }
}

/// Where the vertices of the surface are.
fn drawn(state: &State, work: &Workspace) -> Vec<DVec3> {
    let read = |vertex: usize| work.discretization.surface.read(vertex, &state.displacements)[0];
    state.matter.surface.vertices.iter().enumerate().map(|(vertex, &rest)| rest + read(vertex)).collect()
}

/// The volume within triangles.
fn enclosed(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let wedge = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    triangles.iter().map(wedge).sum()
}

/// The nearest piece seen from within a triangle in the rest state, where the surface hides what is behind it.
fn piece_in_sight(matter: &Matter, surface: &Swept, [a, b, c]: [DVec3; 3]) -> Option<usize> {
    let normal = (b - a).cross(c - a).try_normalize()?;
    let from = (a + b + c) / 3.0 - 1e-5 * normal;
    let points = &matter.cloud.points;
    let mut near: Vec<usize> = (0..points.len()).filter(|&piece| points[piece].distance(from) < 0.25).collect();
    near.sort_by(|&one, &other| points[one].distance(from).total_cmp(&points[other].distance(from)));
    near.into_iter().find(|&piece| surface.crossing(from, points[piece], 0.0).is_none())
}

/// The surface is closed, nothing of it is torn, and all of it is beside what it is beside at rest.
fn check_drawn(state: &State, work: &Workspace) {
    let surface = &state.matter.surface;
    assert_eq!(border(&surface.triangles), Vec::<[u32; 2]>::new());
    let now = drawn(state, work);
    let rest = &surface.vertices;
    // At the fronts of cuts some edges are without length, and the cut is open by part of the distance between pieces.
    let torn = |[i, j]: [usize; 2]| now[i].distance(now[j]) > 1.3 * rest[i].distance(rest[j]) + 0.03;
    for [a, b] in edges(&surface.triangles) {
        assert!(!torn([a as usize, b as usize]), "{}: edge from {a} to {b}", state.time);
    }
    let at = |of: &[DVec3], triangle: &[u32; 3]| triangle.map(|corner| of[corner as usize]);
    let has_area = |triangle: &&[u32; 3]| {
        let [a, b, c] = at(rest, triangle);
        (b - a).cross(c - a).length() > 1e-9
    };
    let solid: Vec<[u32; 3]> = surface.triangles.iter().filter(has_area).copied().collect();
    let mesh = TriangleMesh::new(rest.clone(), solid.clone()).unwrap();
    let obstacles = Swept::new(&Params { blades: vec![still(mesh)], ..params() }, 0.0, 1.0).unwrap();
    let pieces = places(state, work);
    for triangle in &solid {
        let Some(piece) = piece_in_sight(&state.matter, &obstacles, at(rest, triangle)) else { continue };
        let apart = |of: &[DVec3], piece: DVec3| (at(of, triangle).iter().sum::<DVec3>() / 3.0).distance(piece);
        let [before, after] = [apart(rest, state.matter.cloud.points[piece]), apart(&now, pieces[piece])];
        assert!(after < 1.3 * before + 0.03, "{}: {triangle:?} {before} m, then {after} m from {piece}", state.time);
    }
}

#[test]
fn a_surface_cut_twice_stays_on_its_sides() {
    let mut params = params();
    params.dt = 0.02;
    params.order = Order::First;
    params.mass_damping = 6.0;
    params.stiffness_damping = 0.01;
    params.objects[0].elasticity.young = 6e4;
    let moving = |centre: DVec3, way: DVec3, from: f64| {
        let times = vec![from, from + 0.018];
        let motion = Keyframes::new(times, vec![DVec3::ZERO, way], vec![DQuat::IDENTITY; 2]).unwrap();
        Blade { surface: patch(centre, DVec3::Y, 1.0), motion: Motion::Keyframes(motion), from, until: from + 0.018 }
    };
    let spacing = 0.1;
    // Between rows of vertices, and through one.
    for thickness in [0.23, 0.2] {
        // A cube held at its top. A slab at its bottom hangs on by one side, and swings down.
        let cloud = cuboid(DVec3::ONE, [10, 10, 10], &RigidPose::IDENTITY).unwrap();
        let whole = Body { objects: vec![0; cloud.points.len()], cloud, samples: 80, elastons: 500, grading: None };
        let mut matter = Matter::sample(&[whole], 1.6).unwrap();
        matter.surface = cube(10).surface;
        let pieces: Vec<u32> = (0..1000).filter(|&piece| matter.cloud.points[piece as usize].y > 0.4).collect();
        let starts = pieces.iter().map(|&piece| matter.cloud.points[piece as usize]).collect();
        params.holds = vec![Hold { pieces, starts, motion: Motion::Still, until: f64::INFINITY }];
        params.blades = vec![moving(DVec3::new(1.6, thickness - 0.5, 0.0), DVec3::X * -0.93, 0.0)];
        let mut state = State::new(params.order, matter);
        let mut work = Workspace::new(&params, &state).unwrap();
        while state.time < 0.799 {
            step(&params, &mut state, &mut work, 0.8).unwrap();
        }
        check_drawn(&state, &work);
        let before = drawn(&state, &work);
        let volume = enclosed(&before, &state.matter.surface.triangles);
        let lowest = |places: &[DVec3]| places.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
        assert!(lowest(&before) < -1.0);

        // A rod at its lower edge hangs on by one end.
        let start = DVec3::new(0.0, lowest(&before) + 0.35, -1.6);
        params.blades.push(moving(start, DVec3::Z * 0.93, state.time));
        let mut copy = state.clone();
        let mut copied = Workspace::new(&params, &copy).unwrap();
        cut(&params, &mut copy, &mut copied, state.time + params.dt).unwrap();
        let jumps = places(&state, &work).into_iter().zip(places(&copy, &copied)).map(|(old, new)| old.distance(new));
        let jump = jumps.fold(0.0, f64::max);
        assert!(jump < 0.05 * spacing, "pieces jump by {jump:e} m");

        step(&params, &mut state, &mut work, 1.6).unwrap();
        let after = drawn(&state, &work);
        // Pieces around the cut, with 0.4 m^2 of surface, may have jumped by 0.005 m.
        assert_relative_eq!(enclosed(&after, &state.matter.surface.triangles), volume, epsilon = 2e-3);
        while state.time < 1.599 {
            check_drawn(&state, &work);
            for _ in 0..8 {
                step(&params, &mut state, &mut work, 1.6).unwrap();
            }
        }
        assert!(lowest(&drawn(&state, &work)) < -1.6);
        assert_eq!(components(&state), 1);
        // At rest the faces of the two sides are the same: nothing is lost, but that crossings keep off ends of edges.
        assert_relative_eq!(volumes(&state)[0], 1.0, epsilon = 1e-4);
    }
}
