//! Tests of cut render surfaces.

use super::surface::{directed_boundary, edges};
use super::tests::{bar, body, checked_cut, components, params, patch, places, still};
use super::*;
use crate::connectivity::Connectivity;
use crate::fill::cuboid;
use crate::gmls::Order;
use crate::matter::Body;
use crate::state_file;
use crate::step::step;
use crate::world::{Blade, Hold, Matter, Surface};
use approx::assert_relative_eq;
use fibra_core::geometry::{Keyframes, Motion, RigidPose, TriangleMesh};
use glam::{DQuat, Vec3Swizzles};

/// A unit cube with its surface, which has `n` by `n` squares on each face.
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

/// Volumes of the connected parts of a surface, which must be closed.
fn volumes(state: &State) -> Vec<f64> {
    let surface = &state.matter.surface;
    assert_eq!(directed_boundary(&surface.triangles), Vec::<[u32; 2]>::new());
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
        // All corners of a triangle move with one body.
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
    // Perpendicular, tilted, through rows of vertices, and two crossing blades.
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
fn the_surface_is_cut_by_an_advancing_blade() {
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
        assert!(state.matter.surface.triangles.len() >= faces, "the number of triangles must not decrease");
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
fn resuming_during_a_cut_is_bitwise_identical() {
    let mut params = params();
    let down = vec![DVec3::ZERO, DVec3::new(0.0, -1.3, 0.0)];
    let fall = Keyframes::new(vec![0.0, 0.01], down, vec![DQuat::IDENTITY; 2]).unwrap();
    let surface = patch(DVec3::new(0.13, 2.6, 0.0), DVec3::X, 2.0);
    params.blades = vec![Blade { surface, motion: Motion::Keyframes(fall), from: 0.0, until: 1.0 }];
    let run = |pause: bool| {
        let mut state = State::new(params.order, cube(8));
        let mut work = Workspace::new(&params, &state).unwrap();
        for k in 1..=12 {
            step(&params, &mut state, &mut work, f64::from(k) * 1e-3).unwrap();
            if pause && k == 6 {
                assert!(!state.matter.surface.cuts.as_ref().unwrap().open_edges.is_empty());
                let saved = state.matter.clone();
                state = state_file::load(&state_file::save(&state), &params).unwrap();
                assert_eq!(state.matter, saved);
                work = Workspace::new(&params, &state).unwrap();
            }
        }
        (state.matter, state.displacements, state.velocities)
    };
    assert_eq!(run(true), run(false));
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
fn an_open_surface_is_separated_and_stays_open() {
    let cloud = cuboid(DVec3::new(1.0, 1.0, 0.01), [20, 20, 1], &RigidPose::IDENTITY).unwrap();
    let mut matter = body(cloud, 16, 80);
    // The material points are the vertices.
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
fn crossing_blades_slits_and_bent_blades_are_handled() {
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

/// Current positions of the surface vertices.
fn drawn(state: &State, work: &Workspace) -> Vec<DVec3> {
    let read = |vertex: usize| work.discretization.surface.read(vertex, &state.displacements)[0];
    state.matter.surface.vertices.iter().enumerate().map(|(vertex, &rest)| rest + read(vertex)).collect()
}

/// Volume enclosed by triangles.
fn enclosed(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let wedge = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    triangles.iter().map(wedge).sum()
}

/// The nearest material point visible from just inside a triangle in the rest shape. The surface occludes other points.
fn piece_in_sight(matter: &Matter, surface: &Swept, [a, b, c]: [DVec3; 3]) -> Option<usize> {
    let normal = (b - a).cross(c - a).try_normalize()?;
    let from = (a + b + c) / 3.0 - 1e-5 * normal;
    let points = &matter.cloud.points;
    let mut near: Vec<usize> = (0..points.len()).filter(|&piece| points[piece].distance(from) < 0.25).collect();
    near.sort_by(|&one, &other| points[one].distance(from).total_cmp(&points[other].distance(from)));
    near.into_iter().find(|&piece| surface.crossing(from, points[piece], 0.0).is_none())
}

/// Checks that the surface is closed and not torn, and that every triangle stays near the material next to it at rest.
fn check_drawn(state: &State, work: &Workspace) {
    let surface = &state.matter.surface;
    assert_eq!(directed_boundary(&surface.triangles), Vec::<[u32; 2]>::new());
    let now = drawn(state, work);
    let rest = &surface.vertices;
    // At the fronts of cuts, some edges have no length at rest, and the cut is open by a fraction of the spacing.
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
fn a_surface_cut_twice_moves_with_the_correct_sides() {
    let mut params = params();
    params.dt = 0.02;
    params.order = Order::First;
    params.mass_damping = 6.0;
    params.stiffness_damping = 0.01;
    params.objects[0].elasticity.young = 6e4;
    let moving = |center: DVec3, way: DVec3, from: f64| {
        let times = vec![from, from + 0.018];
        let motion = Keyframes::new(times, vec![DVec3::ZERO, way], vec![DQuat::IDENTITY; 2]).unwrap();
        Blade { surface: patch(center, DVec3::Y, 1.0), motion: Motion::Keyframes(motion), from, until: from + 0.018 }
    };
    let spacing = 0.1;
    // Cuts between rows of vertices, and through one row.
    for thickness in [0.23, 0.2] {
        // The cube is held at its top. The blade cuts a slab off the bottom except on one side, and the slab swings down.
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

        // Another blade cuts a rod off the lower edge of the slab except at one end.
        let start = DVec3::new(0.0, lowest(&before) + 0.35, -1.6);
        params.blades.push(moving(start, DVec3::Z * 0.93, state.time));
        let mut copy = state.clone();
        let mut copied = Workspace::new(&params, &copy).unwrap();
        cut(&params, &mut copy, &mut copied, state.time + params.dt).unwrap();
        let jumps = places(&state, &work).into_iter().zip(places(&copy, &copied)).map(|(old, new)| old.distance(new));
        let jump = jumps.fold(0.0, f64::max);
        assert!(jump < 0.05 * spacing, "material points jump by {jump:e} m");

        step(&params, &mut state, &mut work, 1.6).unwrap();
        let after = drawn(&state, &work);
        // Material points around the cut may have jumped by 0.005 m, and 0.4 m^2 of the surface move with them.
        assert_relative_eq!(enclosed(&after, &state.matter.surface.triangles), volume, epsilon = 2e-3);
        while state.time < 1.599 {
            check_drawn(&state, &work);
            for _ in 0..8 {
                step(&params, &mut state, &mut work, 1.6).unwrap();
            }
        }
        assert!(lowest(&drawn(&state, &work)) < -1.6);
        assert_eq!(components(&state), 1);
        // At rest, the caps of the two sides coincide. Volume is lost only where crossings were moved away from the
        // ends of edges.
        assert_relative_eq!(volumes(&state)[0], 1.0, epsilon = 1e-4);
    }
}
