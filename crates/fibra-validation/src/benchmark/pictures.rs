//! Benchmarks of the ray caster: 1280x720 pictures of a heap of grains, a tuft of hair and a pile of cloths, including
//! construction of the bounding volume hierarchy.

use super::Timed;
use fibra_core::palette::palette;
use fibra_core::random::CounterRng;
use fibra_render::ray_caster::{Curves, Finish, Mesh, Picture, Quality, Sphere, fit_camera, render};
use glam::Vec3;
use std::f32::consts::TAU;

/// A heap of 200,000 grains.
pub fn grains() -> Result<Timed, String> {
    let rng = CounterRng::new(0);
    let spheres = (0..200_000).map(|i| {
        let [a, b, c] = rng.uniform_in_cube([i, 0, 0]).as_vec3().to_array();
        // A cone two meters wide and half a meter high.
        let height = 0.5 * (1.0 - a.cbrt());
        let radius = (1.0 - 2.0 * height) * b.sqrt();
        let (sine, cosine) = (c * TAU).sin_cos();
        let center = Vec3::new(radius * cosine, height, radius * sine);
        Sphere { center, radius: 0.006, color: palette(i as usize % 3), finish: Finish::Matte }
    });
    let picture = Picture { spheres: spheres.collect(), ..Picture::default() };
    time(picture, Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.5, 1.0))
}

/// A tuft of 3,000 wavy hairs with 100 segments each.
pub fn hair() -> Result<Timed, String> {
    const SEGMENTS: u32 = 100;
    let rng = CounterRng::new(0);
    let mut curves = Curves { radius: 4e-4, color: palette(1), finish: Finish::Fiber, ..Curves::default() };
    for hair in 0..3_000u32 {
        let [a, b, c] = rng.uniform_in_cube([u64::from(hair), 0, 0]).as_vec3().to_array();
        let (sine, cosine) = (a * TAU).sin_cos();
        let root = 0.1 * b.sqrt() * Vec3::new(cosine, 0.0, sine);
        let first = hair * (SEGMENTS + 1);
        curves.positions.extend((0..=SEGMENTS).map(|k| {
            let fall = k as f32 / SEGMENTS as f32;
            let (u, v) = (TAU * (4.0 * fall + c)).sin_cos();
            (1.0 + 2.0 * fall * fall) * root + 0.02 * fall * Vec3::new(u, 0.0, v) + (1.0 - fall) * Vec3::Y
        }));
        curves.segments.extend((first..first + SEGMENTS).map(|k| [k, k + 1]));
    }
    let picture = Picture { curves: vec![curves], ..Picture::default() };
    time(picture, Vec3::new(-0.3, 0.0, -0.3), Vec3::new(0.3, 1.0, 0.3))
}

/// Three wrinkled cloths of 100,000 triangles each, one above the other.
pub fn cloth() -> Result<Timed, String> {
    const SQUARES: u32 = 224;
    let sheet = |layer: u32| {
        let vertex = |k: u32| {
            let [u, v] = [k % (SQUARES + 1), k / (SQUARES + 1)].map(|i| 2.0 * i as f32 / SQUARES as f32 - 1.0);
            let height = 0.1 * (7.0 * u + layer as f32).sin() * (6.0 * v).cos() + 0.02 * (31.0 * u + 23.0 * v).sin();
            Vec3::new(u, height + 0.15 * layer as f32, v)
        };
        let corners = (0..SQUARES * SQUARES).map(|k| k / SQUARES * (SQUARES + 1) + k % SQUARES);
        Mesh {
            positions: (0..(SQUARES + 1).pow(2)).map(vertex).collect(),
            triangles: corners
                .flat_map(|a| [[a, a + SQUARES + 2, a + 1], [a, a + SQUARES + 1, a + SQUARES + 2]])
                .collect(),
            ..Mesh::default()
        }
        .painted(palette(layer as usize), Finish::Cloth)
    };
    let picture = Picture { meshes: (0..3).map(sheet).collect(), ..Picture::default() };
    time(picture, Vec3::new(-1.0, -0.1, -1.0), Vec3::new(1.0, 0.4, 1.0))
}

/// Times a picture, with the camera fitted to the given bounding box.
fn time(mut picture: Picture, low: Vec3, high: Vec3) -> Result<Timed, String> {
    picture.camera = fit_camera(low, high, 16.0 / 9.0, Vec3::new(1.0, 0.6, 1.0));
    let segments: usize = picture.curves.iter().map(|curves| curves.segments.len()).sum();
    let triangles: usize = picture.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    let shapes = picture.spheres.len() + segments + triangles;
    Timed::best_of(shapes, [0, 2, 1], || render(&picture, 1280, 720, Quality::STANDARD).map(drop))
}
