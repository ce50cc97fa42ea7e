//! Pins that follow a deforming mesh, in every method that has pins.
//!
//! Such pins had the rigid motion of the collider, which is none for an animated mesh, so that pinned points stood still.

use super::simulation_of;
use fibra_scene::Scene;
use glam::{DVec3, Vec3};
use std::fmt::Write;

/// Vertices per side of the mesh, and their spacing [m].
const SIDE: usize = 5;
const SPACING: f64 = 0.2;
/// Frames per second of the animation [1/s], and the number of frames.
const FPS: f64 = 10.0;
const FRAMES: usize = 4;

/// Displacement of the vertex at `x`, `z` [m] in a frame of the animation [m].
fn displacement(x: f64, z: f64, frame: f64) -> DVec3 {
    frame * DVec3::new(0.05 * z, 0.05 * (6.0 * x).sin() + 0.1 * z, -0.1 * x * z)
}

fn coordinate(index: usize) -> f64 {
    SPACING * (index as f64 - 2.0)
}

/// Returns the displacement of the surface at `x`, `z` [m] and time `t` [s]: linear in each triangle and between frames.
fn surface(x: f64, z: f64, t: f64) -> DVec3 {
    let cell = |x: f64| ((x / SPACING + 2.0).floor() as usize).min(SIDE - 2);
    let (i, j) = (cell(x), cell(z));
    let at = |i: usize, j: usize| displacement(coordinate(i), coordinate(j), t * FPS);
    let (u, w) = ((x - coordinate(i)) / SPACING, (z - coordinate(j)) / SPACING);
    let (near, far) = (at(i + 1, j), at(i, j + 1));
    if u + w <= 1.0 {
        (1.0 - u - w) * at(i, j) + u * near + w * far
    } else {
        (u + w - 1.0) * at(i + 1, j + 1) + (1.0 - u) * far + (1.0 - w) * near
    }
}

/// Writes the animation, and returns the collider that shows it.
fn animated_floor(folder: &std::path::Path) -> String {
    for frame in 0..FRAMES {
        let mut text = String::new();
        for (x, z) in (0..SIDE * SIDE).map(|v| (coordinate(v / SIDE), coordinate(v % SIDE))) {
            let d = displacement(x, z, frame as f64);
            writeln!(text, "v {} {} {}", x + d.x, d.y, z + d.z).unwrap();
        }
        for (i, j) in (0..(SIDE - 1) * (SIDE - 1)).map(|cell| (cell / (SIDE - 1), cell % (SIDE - 1))) {
            let v = |i: usize, j: usize| i * SIDE + j + 1;
            writeln!(text, "f {} {} {}", v(i, j), v(i, j + 1), v(i + 1, j)).unwrap();
            writeln!(text, "f {} {} {}", v(i + 1, j), v(i, j + 1), v(i + 1, j + 1)).unwrap();
        }
        std::fs::write(folder.join(format!("floor_{frame:04}.obj")), text).unwrap();
    }
    format!(
        "[[collider]]\nname = \"floor\"\nshape.deforming-mesh = {{ file = '{}', fps = {FPS}, thickness = 0.06 }}\n",
        folder.join("floor_####.obj").display()
    )
}

/// Runs a scene on the animated floor; returns the largest distance between a pinned point's displacement and the surface's [m]. Points on the
/// floor at the start are pinned if `pinned` accepts their `x`.
fn largest_error(scene: &str, until: f64, pinned: impl Fn(f64) -> bool) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{scene}\n{}", animated_floor(folder.path()));
    let loaded = Scene::load(&text, None, &[]).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let mut simulation = simulation_of(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let start = simulation.frame(0);
    while simulation.time() < until {
        simulation.step(until).unwrap();
    }
    let end = simulation.frame(1);
    let points = start.points.iter().zip(&end.points).map(|(a, b)| [a, b].map(|x| Vec3::from_array(*x).as_dvec3()));
    let on_floor = points.filter(|[a, _]| a.y.abs() < 1e-6 && pinned(a.x));
    let errors: Vec<f64> = on_floor.map(|[a, b]| (b - a).distance(surface(a.x, a.z, until))).collect();
    assert!(errors.len() > 3, "only {} points are pinned", errors.len());
    errors.into_iter().fold(0.0, f64::max)
}

const CLOTH: &str = r#"title = "A sheet and threads on an animated mesh"
method = "mpm"
time = { frames = 2, fps = 10 }
mpm = { dx = 0.05 }

[[object]]
name = "sheet"
shape.sheet = { center = [0, 0, 0], width = 0.6, depth = 0.6, spacing = 0.05 }
material.cloth = { density = 200, thickness = 0.001 }
pin = [{ region.box = { center = [-0.3, 0, 0], size = [0.51, 0.1, 1] }, follow = "floor" }]

[[object]]
name = "threads"
shape.strands = { curves = [[[0.35, 0, 0.33], [0.35, 0.1, 0.33]], [[0.37, 0, -0.21], [0.37, 0, 0.24]]], spacing = 0.02 }
material.fiber = { radius = 0.002 }
pin = [{ region.box = { center = [0.36, 0, 0], size = [0.1, 0.01, 1] }, follow = "floor" }]
"#;

const RODS: &str = r#"title = "A hair and a rail on an animated mesh"
method = "rods"
time = { frames = 2, fps = 10 }
rods = { spacing = 0.02, dt = 2e-3 }

[[object]]
name = "hair"
shape.strands = { curves = [[[0.1, 0, 0.05], [0.1, 0.2, 0.05]], [[-0.31, 0, 0.15], [-0.31, 0.2, 0.15]]] }
material.rod = { radius = 0.002 }
pin = [{ region.box = { center = [0, 0, 0], size = [1, 0.01, 1] }, follow = "floor" }]

[[object]]
name = "rail"
shape.strands = { curves = [[[-0.1, 0, -0.35], [0.3, 0, 0.25]]] }
material.rod = { radius = 0.002 }
pin = [{ region.box = { center = [0, 0, 0], size = [1, 0.01, 1] }, follow = "floor" }]
"#;

const ELASTONS: &str = r#"title = "A shell on an animated mesh"
method = "elastons"
time = { frames = 2, fps = 10 }
elastons = { spacing = 0.05, dt = 2e-3 }
gravity = [0, 0, 0]

[[object]]
name = "leaf"
shape.sheet = { center = [0, 0, 0], width = 0.4, depth = 0.4 }
material.elastic = { thickness = 0.005, youngs_modulus = 1e5 }
pin = [{ region.box = { center = [0, 0, 0], size = [0.5, 0.1, 0.5] }, follow = "floor" }]
"#;

#[test]
fn pins_of_cloth_and_fibers_follow_a_deforming_mesh() {
    let error = largest_error(CLOTH, 0.25, |x| !(-0.06..=0.32).contains(&x));
    assert!(error < 1e-5, "{error}");
}

#[test]
fn pins_of_rods_follow_a_deforming_mesh() {
    let error = largest_error(RODS, 0.25, |_| true);
    assert!(error < 1e-5, "{error}");
}

/// Elastons are pinned by stiff springs, and their displacements are smooth, unlike those of the mesh: they follow to 6 % of the largest displacement, 0.16 m.
#[test]
fn pins_of_elastons_follow_a_deforming_mesh() {
    let error = largest_error(ELASTONS, 0.25, |_| true);
    assert!(error < 0.01, "{error}");
}
