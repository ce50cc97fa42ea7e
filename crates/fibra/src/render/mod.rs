//! Pictures with no GPU and no display: a ray caster for grains, strands, cloth and solids.
//!
//! A [`Picture`] lists what there is; [`render`] turns it into an image; [`write_png`], [`write_gif`] and
//! [`contact_sheet`] make files of images. The light is one sun with soft shadows and a sky that reaches into folds and
//! gaps only as far as they are open, the cue by which depth is judged.
//!
//! | module | holds |
//! |---|---|
//! | [`picture`] | what to draw: spheres, capsules, ground, sun, sky, finishes |
//! | [`mesh`] | triangle meshes, boxes and cylinders |
//! | [`camera`] | the camera, and one that frames a box |
//! | [`palette`] | colours by object and by name |
//!
//! Inside: `shape` (ray against one shape), `bvh` (ray against all), `world` (a picture checked and put in a tree),
//! `light` (what a visible point looks like), `sampler` (where samples go), `expose` (the samples of a pixel), `film`
//! (pixels to an image).
//!
//! The image depends on the picture, the size and the quality alone: same bits for any number of threads.

mod bvh;
pub mod camera;
mod expose;
mod film;
mod light;
pub mod mesh;
pub mod palette;
pub mod picture;
mod sampler;
mod shape;
mod world;

pub use camera::{Camera, fit_camera};
pub use mesh::Mesh;
pub use palette::{named_colour, palette, srgb};
pub use picture::{Capsule, Finish, Ground, Picture, Sky, Sphere, Sun};
pub use world::Stats;

use camera::View;
use expose::expose;
use film::Film;
use image::RgbImage;
use world::World;

/// How many rays a picture may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Samples of every pixel, at least 1.
    pub samples: u32,
    /// Samples of pixels in which the first ones differ: edges, strands, grains.
    pub edge_samples: u32,
    /// Rays to the sky from each of the first samples.
    pub sky_rays: u32,
}

impl Quality {
    /// For a look in passing, and for small pictures.
    pub const DRAFT: Quality = Quality { samples: 2, edge_samples: 4, sky_rays: 2 };
    /// Smooth at a glance.
    pub const STANDARD: Quality = Quality { samples: 4, edge_samples: 16, sky_rays: 4 };
    /// For print: no noise to be found.
    pub const FINE: Quality = Quality { samples: 16, edge_samples: 32, sky_rays: 4 };
}

/// A finished image and what went into it.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The image.
    pub image: RgbImage,
    /// What was drawn and what was left out.
    pub stats: Stats,
}

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// An image without pixels, or with more than memory could hold.
    #[error("an image of {width} x {height} pixels cannot be rendered: allowed are 1 to {MOST_PIXELS} pixels in all")]
    Size {
        /// Width asked for [pixels].
        width: u32,
        /// Height asked for [pixels].
        height: u32,
    },
    /// A camera that sees nothing.
    #[error("the camera {camera:?} cannot be used: {what}")]
    Camera {
        /// The camera.
        camera: Camera,
        /// What must hold.
        what: String,
    },
}

/// Pixels of the largest image: 8192 x 8192, which takes about 5 GB while it is made.
pub const MOST_PIXELS: u64 = 1 << 26;

/// Draws the picture. What cannot be drawn is left out and counted, never an error.
pub fn render(picture: &Picture, width: u32, height: u32, quality: Quality) -> Result<Rendered, RenderError> {
    if !(1..=MOST_PIXELS).contains(&(u64::from(width) * u64::from(height))) {
        return Err(RenderError::Size { width, height });
    }
    let view = View::new(&picture.camera, width, height)?;
    let (world, stats) = World::new(picture, view);
    let film = Film::exposed(width, height, |x, y| expose(&world, x, y, quality));
    Ok(Rendered { image: film.developed(view.eye, view.pixel), stats })
}
