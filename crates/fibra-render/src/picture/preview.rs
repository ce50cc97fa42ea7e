//! The preview of a run: a contact sheet of six moments, from the first to the last frame.

use super::view::evenly_spaced;
use super::{Painter, PictureError};
use crate::ray_caster::{Quality, Tile, contact_sheet, render, write_png};
use fibra_core::frame::Frame;
use fibra_run::folder::RunFolder;
use std::path::PathBuf;

/// Number of moments on the sheet.
const MOMENTS: usize = 6;
/// Size of each image [pixels].
const SIZE: (u32, u32) = (480, 360);

/// Renders six moments of a run on one sheet and writes it to the run's `preview.png`. Returns the path.
pub fn write_preview(run: &RunFolder) -> Result<PathBuf, PictureError> {
    let indices = run.frames()?.indices;
    if indices.is_empty() {
        return Err(PictureError::NoFrames(run.root().to_owned()));
    }
    let painter = Painter::of_run(run)?;
    let (width, height) = SIZE;
    let mut tiles = Vec::new();
    for k in evenly_spaced(indices.len(), MOMENTS) {
        let frame = Frame::read(&run.frame_path(indices[k]))?;
        let picture = painter.picture(&frame, width as f32 / height as f32);
        let image = render(&picture, width, height, Quality::STANDARD)?.image;
        tiles.push(Tile { image, label: format!("{:.2} s", frame.time) });
    }
    let path = run.preview_path();
    write_png(&path, &contact_sheet(&tiles))?;
    Ok(path)
}
