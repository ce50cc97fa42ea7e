//! Converts a scene and a frame to a [`Picture`], which the ray caster renders.
//!
//! A [`Painter`] holds the data that is constant over the run: colors, finishes, collider meshes and a camera. The camera
//! shows the whole run, so that it does not jump. [`write_preview`] renders six moments on one contact sheet.
//!
//! Coordinates are relative to the run's origin, as in frames, so that scenes far from the world origin keep their precision.

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
    /// Reads the scene of a run and the bounding box of its frames.
    pub fn of_run(run: &RunFolder) -> Result<Painter, PictureError> {
        let scene = appearance::scene_of(run)?;
        let appearance = appearance::appearance_of(&scene)?;
        Ok(Painter {
            view: View::of_run(&scene, run)?,
            objects: look::looks(&scene, appearance.objects),
            colliders: CollidersLook::new(appearance.bodies, scene.domain),
        })
    }

    /// Converts a frame to a picture; `aspect` is width over height of the image.
    pub fn picture(&self, frame: &Frame, aspect: f32) -> Picture {
        let camera: Camera = self.view.camera(frame.origin, aspect);
        let mut picture = Picture { camera, sun: Sun::beside(&camera), ..Picture::default() };
        particles::draw(&self.objects, frame, &mut picture);
        grains::draw(&self.objects, frame, &mut picture);
        curves::draw(&self.objects, frame, &mut picture);
        surfaces::draw(&self.objects, frame, &mut picture);
        self.colliders.draw(frame, self.view.bounding_box(), &mut picture);
        picture
    }
}
