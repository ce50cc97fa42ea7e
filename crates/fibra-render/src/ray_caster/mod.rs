//! A ray caster for grains, strands, cloth and solids that needs neither a GPU nor a display.
//!
//! A [`Picture`] describes a scene, and [`render`] renders it to an image. [`contact_sheet`] combines images; [`write_png`] and
//! [`write_gif`] write them to files. The lights are a sun with soft shadows and a sky with ambient occlusion, which makes depth
//! visible in folds and gaps.
//!
//! | module | content |
//! |---|---|
//! | [`picture`] | the scene description: spheres, capsules, bricks, ground, sun, sky, finishes |
//! | [`curves`] | hair, yarn and ropes as segments |
//! | [`mesh`] | triangle meshes, boxes and cylinders |
//! | [`camera`] | the camera, and a function that fits a camera to a box |
//! | [`mod@write`] | atomic writing of PNG and GIF files |
//! | [`sheet`] | several labeled images in one |
//! | [`text`] | a small bitmap font |
//!
//! Private modules: `shape` and `brick` (intersection with one shape), `bvh` and `bvh_build` (intersection with all shapes),
//! `world` (a validated picture with its tree), `light` (shading), `sampler` (sample positions), `expose` (samples of a pixel),
//! `film` (from pixels to an image), `font` (glyphs).
//!
//! The image depends only on the picture, the size and the quality. It is bitwise identical for any number of threads.

mod brick;
mod bvh;
mod bvh_build;
pub mod camera;
pub mod curves;
mod expose;
mod film;
mod font;
mod light;
pub mod mesh;
pub mod picture;
mod sampler;
mod shape;
pub mod sheet;
pub mod text;
mod world;
pub mod write;

pub use camera::{Camera, fit_camera};
pub use curves::Curves;
pub use mesh::Mesh;
pub use picture::{Brick, Capsule, Finish, Ground, Picture, Sky, Sphere, Sun};
pub use sheet::{Tile, contact_sheet, label};
pub use text::{DESCENT, LETTER_HEIGHT, draw_text, text_width};
pub use world::Stats;
pub use write::{WriteError, write_gif, write_png};

use camera::View;
use expose::expose;
use film::Film;
use image::RgbImage;
use world::World;

/// Number of rays per pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Number of samples of every pixel, at least 1.
    pub samples: u32,
    /// Number of samples of pixels whose first samples differ: edges, strands, grains.
    pub edge_samples: u32,
    /// Number of rays to the sky from each of the first samples.
    pub sky_rays: u32,
}

impl Quality {
    /// For quick previews and small images.
    pub const DRAFT: Quality = Quality { samples: 2, edge_samples: 4, sky_rays: 2 };
    /// Little visible noise.
    pub const STANDARD: Quality = Quality { samples: 4, edge_samples: 16, sky_rays: 4 };
    /// For print: no visible noise.
    pub const FINE: Quality = Quality { samples: 16, edge_samples: 32, sky_rays: 4 };
}

/// A rendered image with statistics.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The image.
    pub image: RgbImage,
    /// Numbers of shapes that were drawn and skipped.
    pub stats: Stats,
}

/// Error of rendering an image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// The image has no pixels, or too many.
    #[error("an image of {width} x {height} pixels cannot be rendered: allowed are 1 to {MAX_PIXELS} pixels in total")]
    Size {
        /// Requested width [pixels].
        width: u32,
        /// Requested height [pixels].
        height: u32,
    },
    /// The camera is invalid.
    #[error("the camera {camera:?} cannot be used: {what}")]
    Camera {
        /// The camera.
        camera: Camera,
        /// The condition that is violated.
        what: String,
    },
}

/// Maximum number of pixels: 8192 x 8192, which needs about 5 GB during rendering.
pub const MAX_PIXELS: u64 = 1 << 26;

/// Renders the picture. Invalid shapes are skipped and counted; they are not an error.
pub fn render(picture: &Picture, width: u32, height: u32, quality: Quality) -> Result<Rendered, RenderError> {
    if !(1..=MAX_PIXELS).contains(&(u64::from(width) * u64::from(height))) {
        return Err(RenderError::Size { width, height });
    }
    let view = View::new(&picture.camera, width, height)?;
    let (world, stats) = World::new(picture, view);
    let film = Film::exposed(width, height, |x, y| expose(&world, x, y, quality));
    Ok(Rendered { image: film.developed(view.eye, view.pixel), stats })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::palette::palette;
    use glam::Vec3;

    const RED: Vec3 = Vec3::new(0.6, 0.1, 0.1);

    fn ball(center: Vec3, radius: f32) -> Sphere {
        Sphere { center, radius, color: RED, finish: Finish::Matte }
    }

    fn looking_at_origin(eye: Vec3) -> Camera {
        Camera { eye, target: Vec3::ZERO, up: Vec3::Y, field_of_view: 40.0 }
    }

    fn image(picture: &Picture, width: u32, height: u32) -> RgbImage {
        render(picture, width, height, Quality::DRAFT).unwrap().image
    }

    /// A closed strand about the z axis. It is thick: with twelve segments, a segment is about as long as the strand is wide.
    fn ring(segments: u32) -> Curves {
        let corner = |k: u32| std::f32::consts::TAU * k as f32 / segments as f32;
        Curves {
            positions: (0..segments).map(corner).map(|a| Vec3::new(a.cos(), a.sin(), 0.0)).collect(),
            segments: (0..segments).map(|k| [k, (k + 1) % segments]).collect(),
            color: RED,
            radius: 0.25,
            finish: Finish::Fiber,
            ..Curves::default()
        }
    }

    /// A picture with all kinds of shapes.
    fn still_life() -> Picture {
        let camera = looking_at_origin(Vec3::new(1.0, 1.2, 3.0));
        let strand = |k: usize| Capsule {
            ends: [Vec3::new(0.02 * k as f32, 0.0, 0.6), Vec3::new(0.03 * k as f32, 0.6, 0.6)],
            radii: [0.01, 0.004],
            color: palette(k),
            finish: Finish::Fiber,
        };
        let brick = |k: usize| Brick {
            center: Vec3::new(-0.6, 0.1 * k as f32, 0.3),
            rotation: glam::Quat::from_rotation_y(0.3 * k as f32),
            half_extents: Vec3::new(0.1, 0.04, 0.2),
            color: palette(k),
            finish: Finish::Matte,
        };
        Picture {
            spheres: (0..40).map(|k| ball(Vec3::new(0.1 * (k % 8) as f32, 0.1 * (k / 8) as f32, 0.0), 0.07)).collect(),
            capsules: (0..20).map(strand).collect(),
            bricks: (0..9).map(brick).collect(),
            curves: vec![ring(12)],
            meshes: vec![Mesh::cuboid(Vec3::splat(0.2)).painted(palette(3), Finish::Glossy)],
            ground: Some(Ground::default()),
            sun: Sun::beside(&camera),
            camera,
            ..Picture::default()
        }
    }

    #[test]
    fn the_outline_of_a_ball_has_the_exact_area() {
        let (radius, distance, size) = (0.5f32, 3.0f32, 200u32);
        let picture = Picture {
            spheres: vec![ball(Vec3::ZERO, radius)],
            camera: looking_at_origin(Vec3::new(0.0, 0.0, distance)),
            ..Picture::default()
        };
        let seen = image(&picture, size, size).pixels().filter(|p| i32::from(p.0[0]) > i32::from(p.0[2]) + 10).count();
        // The half angle of the cone around the ball has the sine r / d; the image plane cuts the cone in a circle.
        let tangent = radius / (distance * distance - radius * radius).sqrt();
        let pixels = tangent / 20f32.to_radians().tan() * 0.5 * size as f32;
        let expected = std::f32::consts::PI * pixels * pixels;
        assert!((seen as f32 / expected - 1.0).abs() < 0.01, "{seen} pixels, not {expected}");
    }

    #[test]
    fn a_ball_casts_a_shadow_in_the_direction_of_sunlight() {
        let mut picture = Picture {
            ground: Some(Ground::default()),
            camera: Camera { up: Vec3::NEG_Z, ..looking_at_origin(Vec3::new(0.0, 6.0, 0.0)) },
            sun: Sun { direction: Vec3::new(-1.0, 1.0, 0.0), ..Sun::default() },
            ..Picture::default()
        };
        let lit = image(&picture, 90, 90);
        picture.spheres.push(ball(Vec3::new(-1.0, 1.0, 0.0), 0.3));
        let shadowed = image(&picture, 90, 90);
        // The shadow falls on the origin; the opposite side keeps its brightness.
        let brightness = |image: &RgbImage, x| i32::from(image.get_pixel(x, 47).0[1]);
        assert!(brightness(&shadowed, 45) < brightness(&lit, 45) - 40);
        assert!((brightness(&shadowed, 80) - brightness(&lit, 80)).abs() < 8);
    }

    #[test]
    fn skylight_at_the_bottom_of_a_well_matches_its_view_factor() {
        let mut picture = Picture {
            ground: Some(Ground { color: Vec3::splat(0.2), cell: Some(1e6), ..Ground::default() }),
            camera: looking_at_origin(Vec3::new(0.0, 6.0, 0.01)),
            sun: Sun { color: Vec3::ZERO, ..Sun::default() },
            sky: Sky { zenith: Vec3::ONE, horizon: Vec3::ONE, strength: 1.0 },
            ..Picture::default()
        };
        // A pixel beside the grid lines, which cross at the center.
        let middle = |picture: &Picture| {
            let image = render(picture, 90, 90, Quality::FINE).unwrap().image;
            f32::from(image.get_pixel(47, 47).0[1])
        };
        let open = middle(&picture);
        // A square well with half width 1 and depth 1: the view factor of the opening from the center of the bottom is
        // 4 / pi * sqrt(1/2) * atan(sqrt(1/2)).
        for turn in 0..4 {
            let turn = glam::Quat::from_rotation_y(turn as f32 * std::f32::consts::FRAC_PI_2);
            let wall = Mesh::cuboid(Vec3::new(0.2, 0.5, 1.5)).placed(turn, turn * Vec3::new(1.2, 0.5, 0.0));
            picture.meshes.push(wall.painted(RED, Finish::Matte));
        }
        let half = 0.5f32.sqrt();
        let mouth = 4.0 / std::f32::consts::PI * half * half.atan();
        // Indirect light within the well; see `film`.
        let expected = mouth / (1.0 - 0.2 * (1.0 - mouth));
        let linear = |value: f32| ((value / 255.0 + 0.055) / 1.055).powf(2.4);
        let measured = linear(middle(&picture)) / linear(open);
        assert!((measured / expected - 1.0).abs() < 0.04, "{measured}, not {expected}");
    }

    #[test]
    fn a_strand_has_no_shadow_artifacts_at_bends() {
        // Only sunlight, and a white background: pixels in shadow are black.
        let sky = Sky { zenith: Vec3::ONE, horizon: Vec3::ONE, strength: 0.0 };
        let picture = |segments: u32| Picture {
            curves: vec![ring(segments)],
            camera: looking_at_origin(Vec3::new(0.0, 0.0, 5.0)),
            sun: Sun { direction: Vec3::new(1.0, 0.2, 1.0), ..Sun::default() },
            sky,
            ..Picture::default()
        };
        let darkest = |segments: u32| image(&picture(segments), 200, 200).pixels().map(|p| p.0[0]).min().unwrap();
        let (coarse, fine) = (darkest(12), darkest(400));
        assert!(fine > 40 && coarse > fine - 20, "{coarse}, smooth ring {fine}");
    }

    #[test]
    fn the_back_of_a_cloth_has_its_own_color() {
        let green = Vec3::new(0.1, 0.6, 0.1);
        let corners = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y].map(|c| 4.0 * c - 2.0);
        let cloth = Mesh {
            positions: corners.map(|corner| corner.with_z(0.0)).to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            back_color: Some(green),
            ..Mesh::default()
        };
        let seen_from = |z: f32| {
            let picture = Picture {
                meshes: vec![cloth.clone().painted(RED, Finish::Cloth)],
                camera: looking_at_origin(Vec3::new(0.0, 0.0, z)),
                ..Picture::default()
            };
            image(&picture, 9, 9)
        };
        assert!(seen_from(3.0).pixels().all(|pixel| pixel.0[0] > pixel.0[1]), "the front is not red");
        assert!(seen_from(-3.0).pixels().all(|pixel| pixel.0[0] < pixel.0[1]), "the back is not green");
    }

    #[test]
    fn images_are_bitwise_identical_for_any_number_of_threads() {
        let picture = still_life();
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| image(&picture, 64, 40))
        };
        let one = with_threads(1);
        assert!(one == with_threads(2) && one == with_threads(5));
    }

    #[test]
    fn invalid_shapes_are_counted_and_do_not_change_the_image() {
        let mut picture = still_life();
        let clean = render(&picture, 48, 30, Quality::DRAFT).unwrap();
        picture.spheres.push(ball(Vec3::NAN, 0.1));
        picture.spheres.push(ball(Vec3::ZERO, f32::INFINITY));
        picture.spheres.push(ball(Vec3::splat(1e30), 0.1));
        picture.spheres.push(ball(Vec3::ZERO, -1.0));
        let strand = picture.capsules[0];
        picture.capsules.push(Capsule { ends: [Vec3::ZERO, Vec3::NEG_INFINITY], ..strand });
        picture.capsules.push(Capsule { radii: [0.0, 0.1], ..strand });
        let brick = picture.bricks[0];
        picture.bricks.push(Brick { center: Vec3::NAN, ..brick });
        picture.bricks.push(Brick { rotation: glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..brick });
        picture.bricks.push(Brick { half_extents: Vec3::new(0.1, 0.0, 0.1), ..brick });
        picture.meshes.push(Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, 2.0 * Vec3::X, Vec3::NAN],
            triangles: vec![[0, 1, 2], [0, 1, 1], [0, 1, 3], [0, 1, 4]],
            ..Mesh::default()
        });
        picture.curves.push(Curves {
            positions: vec![Vec3::ZERO, Vec3::NAN],
            segments: vec![[0, 1], [0, 2]],
            ..ring(3)
        });
        let rendered = render(&picture, 48, 30, Quality::DRAFT).unwrap();
        let expected = Stats { drawn: clean.stats.drawn, not_finite: 8, degenerate: 5, bad_index: 2 };
        assert_eq!(rendered.stats, expected);
        assert!(rendered.image == clean.image);
    }

    #[test]
    fn invalid_settings_do_not_panic() {
        let mut picture = still_life();
        picture.ground = Some(Ground { normal: Vec3::ZERO, cell: Some(-1.0), ..Ground::default() });
        picture.sun = Sun { direction: Vec3::ZERO, radius: f32::NAN, color: Vec3::NAN };
        picture.sky.zenith = Vec3::INFINITY;
        picture.meshes[0].normals = vec![Vec3::NAN; 24];
        picture.spheres[0].color = Vec3::splat(-1.0);
        let none = Quality { samples: 0, edge_samples: 0, sky_rays: 0 };
        assert!(render(&picture, 9, 7, none).is_ok());
        // Equal ends, one ball inside the other, and a capsule that contains the camera.
        let strand = picture.capsules[0];
        let eye = picture.camera.eye;
        picture.capsules.push(Capsule { ends: [Vec3::ONE; 2], ..strand });
        picture.capsules.push(Capsule { radii: [0.9, 0.1], ..strand });
        picture.capsules.push(Capsule { ends: [eye - 1.0, eye + 1.0], ..strand });
        // A curve that reverses its direction, segments without length, and too few vertex colors.
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::ZERO, Vec3::ZERO];
        let segments = vec![[0, 1], [1, 2], [2, 3], [3, 3]];
        picture.curves.push(Curves { positions, segments, vertex_colors: vec![RED], ..ring(3) });
        assert!(render(&picture, 9, 7, Quality::DRAFT).is_ok());
    }

    #[test]
    fn an_empty_picture_is_the_background_and_an_invalid_size_is_an_error() {
        let empty = Picture::default();
        let rendered = render(&empty, 7, 5, Quality::DRAFT).unwrap();
        assert_eq!(rendered.stats, Stats::default());
        assert_eq!(rendered.image.dimensions(), (7, 5));
        for (width, height) in [(0, 5), (7, 0), (u32::MAX, u32::MAX)] {
            let error = render(&empty, width, height, Quality::DRAFT).unwrap_err();
            assert_eq!(error, RenderError::Size { width, height });
        }
    }
}
