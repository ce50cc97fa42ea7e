//! What a moment of a run looks like: from a scene and a frame to a [`Picture`] that the renderer can draw.
//!
//! A [`Painter`] holds what does not change from frame to frame: colors, finishes, collider meshes, and a camera that
//! suits the whole run, so that it does not jump. [`write_preview`] draws six moments on one sheet.
//!
//! Coordinates are relative to the run origin, as in frames, so that scenes far from the world's origin stay sharp.

mod collider;
mod curves;
mod error;
#[cfg(test)]
mod fabric_tests;
mod grains;
mod look;
mod particles;
mod preview;
mod surfaces;
#[cfg(test)]
mod tests;
mod view;

pub use error::PictureError;
pub use preview::write_preview;

use crate::ray_caster::{Camera, Picture, Sun};
use collider::CollidersLook;
use fibra_core::frame::Frame;
use fibra_run::appearance;
use fibra_run::folder::RunFolder;
use look::ObjectLook;
use view::View;

/// Draws the frames of one run.
pub struct Painter {
    objects: Vec<ObjectLook>,
    colliders: CollidersLook,
    view: View,
}

impl Painter {
    /// Gets to know a run: its scene, and the room its frames take up.
    pub fn of_run(run: &RunFolder) -> Result<Painter, PictureError> {
        let scene = appearance::scene_of(run)?;
        let appearance = appearance::appearance_of(&scene)?;
        Ok(Painter {
            view: View::of_run(&scene, run)?,
            objects: look::looks(&scene, appearance.objects),
            colliders: CollidersLook::new(appearance.bodies, scene.domain),
        })
    }

    /// The picture of a frame, for an image `aspect` times as wide as high.
    pub fn picture(&self, frame: &Frame, aspect: f32) -> Picture {
        let camera: Camera = self.view.camera(frame.origin, aspect);
        let mut picture = Picture { camera, sun: Sun::beside(&camera), ..Picture::default() };
        particles::draw(&self.objects, frame, &mut picture);
        grains::draw(&self.objects, frame, &mut picture);
        curves::draw(&self.objects, frame, &mut picture);
        surfaces::draw(&self.objects, frame, &mut picture);
        self.colliders.draw(frame, self.view.room(), &mut picture);
        picture
    }
}
