//! The picture maker's benchmark: a heap of grains.

use super::Timed;
use crate::render::{Finish, Picture, Quality, Sphere, fit_camera, palette, render};
use fibra_core::random::CounterRng;
use glam::Vec3;

/// Draws a heap of 200,000 grains at 1280x720, bounding volume hierarchy included.
pub fn picture() -> Result<Timed, String> {
    let count = 200_000;
    let rng = CounterRng::new(0);
    let spheres = (0..count).map(|i| {
        let [a, b, c] = rng.uniform_in_cube([i, 0, 0]).as_vec3().to_array();
        // A cone one metre wide and half a metre high, evenly filled.
        let height = 0.5 * (1.0 - a.cbrt());
        let radius = (1.0 - 2.0 * height) * b.sqrt();
        let angle = c * std::f32::consts::TAU;
        let centre = Vec3::new(radius * angle.cos(), height, radius * angle.sin());
        Sphere { centre, radius: 0.006, colour: palette(i as usize % 3), finish: Finish::Matte }
    });
    let mut picture = Picture { spheres: spheres.collect(), ..Picture::default() };
    picture.camera =
        fit_camera(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.5, 1.0), 16.0 / 9.0, Vec3::new(1.0, 0.6, 1.0));
    Timed::best_of(count as usize, [0, 2, 1], || render(&picture, 1280, 720, Quality::STANDARD).map(drop))
}
