//! The contact sheet at the end of a run: six moments, from the first to the last.

use super::view::spread;
use super::{Painter, PictureError};
use crate::ray_caster::{Quality, Tile, contact_sheet, render, write_png};
use fibra_core::frame::Frame;
use fibra_run::folder::RunFolder;
use std::path::PathBuf;

/// Moments on the sheet.
const MOMENTS: usize = 6;
/// Size of each [pixels].
const SIZE: (u32, u32) = (480, 360);

/// Draws six moments of a run on one sheet and writes it to the run's `preview.png`; returns the path.
pub fn write_preview(run: &RunFolder) -> Result<PathBuf, PictureError> {
    let there = run.frames()?.indices;
    if there.is_empty() {
        return Err(PictureError::NoFrames(run.root().to_owned()));
    }
    let painter = Painter::of_run(run)?;
    let (width, height) = SIZE;
    let mut tiles = Vec::new();
    for place in spread(there.len(), MOMENTS) {
        let frame = Frame::read(&run.frame_path(there[place]))?;
        let picture = painter.picture(&frame, width as f32 / height as f32);
        let image = render(&picture, width, height, Quality::STANDARD)?.image;
        tiles.push(Tile { image, label: format!("{:.2} s", frame.time) });
    }
    let path = run.preview_path();
    write_png(&path, &contact_sheet(&tiles))?;
    Ok(path)
}
