//! Renders hair, knits and folded cloth and checks the pixels.

use super::tests::run;
use super::{Painter, write_preview};
use crate::ray_caster::{Quality, render, write_png};
use fibra_core::frame::{Frame, Pose};
use fibra_run::folder::RunFolder;
use image::RgbImage;
use std::f32::consts::TAU;

/// A red, a green and a blue object above a white floor, with a camera in front.
const SCENE: &str = r#"title = "Fabric"
method = "mpm"
time = { frames = 1 }
mpm = { dx = 0.1 }

[[object]]
name = "red"
shape.sphere = { center = [0, 1, 0], radius = 0.2 }
material.fixed-corotated = {}
color = [0.7, 0.02, 0.02]

[[object]]
name = "green"
shape.sphere = { center = [0, 1, 0], radius = 0.2 }
material.fixed-corotated = {}
color = [0.02, 0.5, 0.02]

[[object]]
name = "blue"
shape.sphere = { center = [0, 1, 0], radius = 0.2 }
material.fixed-corotated = {}
color = [0.02, 0.02, 0.7]

[[collider]]
name = "floor"
shape.plane = { point = [0, 0, 0] }
color = [0.6, 0.6, 0.6]

[camera]
eye = [0, 0.8, 3.4]
target = [0, 0.5, 0]
fov_degrees = 20
"#;

const STILL: Pose = Pose { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

#[derive(Default)]
struct Fabric(Frame);

impl Fabric {
    fn new() -> Fabric {
        Fabric(Frame { colliders: vec![STILL], ..Frame::default() })
    }

    fn add(&mut self, object: u32, points: impl IntoIterator<Item = [f32; 3]>) -> u32 {
        let first = self.0.points.len();
        self.0.points.extend(points);
        self.0.object.resize(self.0.points.len(), object);
        self.0.velocities.resize(self.0.points.len(), [0.0; 3]);
        first as u32
    }

    fn strand(&mut self, object: u32, points: impl IntoIterator<Item = [f32; 3]>) {
        let first = self.add(object, points);
        self.0.segments.extend((first + 1..self.0.points.len() as u32).map(|end| [end - 1, end]));
    }

    /// Adds a sheet of `squares` x `squares`; `position` maps the unit square to space.
    fn sheet(&mut self, object: u32, squares: u32, position: impl Fn(f32, f32) -> [f32; 3]) {
        let across = squares + 1;
        let part = |k: u32| k as f32 / squares as f32;
        let first = self.add(object, (0..across * across).map(|k| position(part(k % across), part(k / across))));
        for k in 0..squares * squares {
            let a = first + k / squares * across + k % squares;
            self.0.triangles.extend([[a, a + 1, a + across + 1], [a, a + across + 1, a + across]]);
        }
    }

    /// Renders the fabric, and checks that the image is unchanged after writing and reading it.
    fn image(&self, quality: Quality) -> RgbImage {
        let (kept, folder) = run(SCENE, &self.0);
        let picture = Painter::of_run(&folder).unwrap().picture(&self.0, 4.0 / 3.0);
        let image = render(&picture, 320, 240, quality).unwrap().image;
        let path = kept.path().join("fabric.png");
        write_png(&path, &image).unwrap();
        assert!(image::open(&path).unwrap().to_rgb8() == image);
        image
    }
}

/// Whether one channel of a pixel clearly exceeds the others.
fn dominates(channel: usize) -> impl Fn(&image::Rgb<u8>) -> bool {
    move |pixel| (0..3).all(|other| other == channel || pixel.0[channel] > pixel.0[other].saturating_add(25))
}

fn count(image: &RgbImage, channel: usize) -> usize {
    image.pixels().filter(|pixel| dominates(channel)(pixel)).count()
}

#[test]
fn a_strand_is_drawn_from_root_to_tip_without_gaps() {
    let mut fabric = Fabric::new();
    let wavy = |k: u32| [0.05 * (0.4 * k as f32).sin(), 0.9 - 0.008 * k as f32, 0.05 * (0.4 * k as f32).cos()];
    fabric.strand(0, (0..=100).map(wavy));
    let image = fabric.image(Quality::STANDARD);
    let rows: Vec<u32> = (0..240).filter(|&y| (0..320).any(|x| dominates(0)(image.get_pixel(x, y)))).collect();
    // The strand is 0.8 m high in an image that shows 1.2 m.
    assert!(rows.len() > 150, "{}", rows.len());
    assert_eq!(
        rows.len() as u32,
        rows[rows.len() - 1] - rows[0] + 1,
        "a row between the first and the last shows no hair"
    );
}

#[test]
fn hairs_of_a_tuft_differ_in_shade_and_shadow_each_other() {
    let mut fabric = Fabric::new();
    for hair in 0..500u32 {
        let (turn, out) = (2.4 * hair as f32, 0.15 * (hair as f32 / 500.0).sqrt());
        let point = |k: u32| {
            let fall = k as f32 / 40.0;
            let wave = 0.02 * fall * (20.0 * fall + hair as f32).sin();
            let wide = out * (1.0 + fall);
            [wide * turn.cos() + wave, 0.95 - 0.8 * fall, wide * turn.sin() + wave]
        };
        fabric.strand(1, (0..=40).map(point));
    }
    let image = fabric.image(Quality::DRAFT);
    let mut greens: Vec<u8> = image.pixels().filter(|pixel| dominates(1)(pixel)).map(|pixel| pixel.0[1]).collect();
    greens.sort_unstable();
    assert!(greens.len() > 7000, "{}", greens.len());
    let (dark, bright) = (greens[greens.len() / 20], greens[greens.len() * 19 / 20]);
    assert!(bright > dark.saturating_add(50), "from {dark} to {bright}");
}

#[test]
fn rows_of_a_knit_are_distinguishable() {
    let mut fabric = Fabric::new();
    for row in 0..9u32 {
        let stitch = |k: u32| {
            let t = TAU * k as f32 / 32.0;
            [
                t / TAU * 0.1 - 0.5 + 0.029 * (2.0 * t).sin(),
                0.07 * row as f32 + 0.2 - 0.06 * t.cos(),
                -0.012 * (2.0 * t).cos(),
            ]
        };
        fabric.strand(row / 3, (0..=320).map(stitch));
    }
    let image = fabric.image(Quality::DRAFT);
    let middle = |channel: usize| {
        let pixels = image.enumerate_pixels().filter(|(.., pixel)| dominates(channel)(pixel));
        let (sum, count) = pixels.fold((0, 0), |(sum, count), (_, y, _)| (sum + y, count + 1));
        assert!(count > 700, "{channel}: {count}");
        sum / count
    };
    assert!(middle(0) > middle(1) + 20 && middle(1) > middle(2) + 20, "the rows are not in order from bottom to top");
}

#[test]
fn folds_show_both_sides_lit_and_shadowed() {
    let mut fabric = Fabric::new();
    // A hanging cloth with deep folds that expose its back.
    fabric.sheet(0, 80, |u, v| {
        let fold = (25.0 * u).sin() * (1.2 - 0.6 * v);
        [0.8 * (u - 0.5) + 0.04 * (50.0 * u).sin(), 0.15 + 0.7 * v, 0.1 * fold]
    });
    let image = fabric.image(Quality::DRAFT);
    let mut reds: Vec<u8> = image.pixels().filter(|pixel| dominates(0)(pixel)).map(|pixel| pixel.0[0]).collect();
    reds.sort_unstable();
    assert!(reds.len() > 12_000, "{}", reds.len());
    let (dark, bright) = (reds[reds.len() / 10], reds[reds.len() * 9 / 10]);
    assert!(bright > dark.saturating_add(60), "from {dark} to {bright}");
}

#[test]
fn hidden_layers_do_not_show_through() {
    let curved = |u: f32, v: f32, size: f32, behind: f32| {
        let [x, y] = [u, v].map(|part| size * (part - 0.5));
        [x, 0.5 + y, 0.06 * (9.0 * x).sin() * (7.0 * y).cos() - behind]
    };
    let mut fabric = Fabric::new();
    fabric.sheet(1, 60, |u, v| curved(u, v, 0.8, 0.0));
    fabric.sheet(0, 60, |u, v| curved(u, v, 0.74, 0.004));
    fabric.sheet(2, 60, |u, v| curved(u, v, 0.7, 0.008));
    let image = fabric.image(Quality::DRAFT);
    assert!(count(&image, 1) > 20_000, "{}", count(&image, 1));
    assert_eq!((count(&image, 0), count(&image, 2)), (0, 0));
}

#[test]
fn elements_of_unknown_objects_are_skipped_and_free_points_are_spheres() {
    let mut fabric = Fabric::new();
    fabric.strand(7, [[0.0; 3], [0.0, 1.0, 0.0]]);
    fabric.sheet(9, 1, |u, v| [u, v, 0.0]);
    fabric.add(0, [[0.0, 0.5, 0.0]]);
    fabric.strand(0, [[0.1, 0.5, 0.0], [0.2, 0.5, 0.0]]);
    let (_kept, folder) = run(SCENE, &fabric.0);
    let picture = Painter::of_run(&folder).unwrap().picture(&fabric.0, 1.0);
    assert_eq!((picture.spheres.len(), picture.curves.len(), picture.meshes.len()), (1, 1, 0));
    assert_eq!(picture.curves[0].segments, [[0, 1]]);
    assert!(
        (picture.curves[0].radius - 0.01).abs() < 1e-6,
        "the default radius is not a fraction of the segment length"
    );
}

#[test]
fn previews_contain_the_fabric() {
    let mut fabric = Fabric::new();
    fabric.sheet(0, 8, |u, v| [u - 0.5, 0.2 + v, 0.0]);
    let (_kept, folder): (_, RunFolder) = run(SCENE, &fabric.0);
    let sheet = image::open(write_preview(&folder).unwrap()).unwrap().to_rgb8();
    assert!(count(&sheet, 0) > 30_000, "{}", count(&sheet, 0));
}
