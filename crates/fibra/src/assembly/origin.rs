//! The point that particles' coordinates start from. Coordinates have 24 bits, so they must not count from far away.

use super::particles::Content;
use crate::scene::{LoadedScene, SceneError};
use fibra_core::geometry::Bounds;
use glam::DVec3;

/// Within so many cells of the world's origin [-] there is nothing to gain: a coordinate is good to 1e-4 cells.
const NEAR: f64 = 1000.0;
/// Cells from the run origin [-] at which a coordinate is good to a hundredth of a cell only.
const FAR: f64 = 131_072.0;
/// Cells of a grid block [-]. Moving by whole blocks moves a scene without changing how it lies in the grid.
const BLOCK: f64 = 4.0;

/// The world's origin when everything starts near it; else the middle of everything, to a whole block of the grid.
pub(crate) fn origin_of(everything: &Bounds, dx: f64) -> DVec3 {
    // The grid knows its spacing in 32 bits.
    let dx = f64::from(dx as f32);
    let furthest = everything.min.abs().max(everything.max.abs()).max_element();
    if furthest <= NEAR * dx { DVec3::ZERO } else { (everything.centre() / (BLOCK * dx)).round() * (BLOCK * dx) }
}

/// [`origin_of`] all particles of a scene; an error where they reach too far from it.
pub(super) fn run_origin(loaded: &LoadedScene, contents: &[Content]) -> Result<DVec3, SceneError> {
    let dx = loaded.scene.mpm.dx;
    let bounds = Bounds::around(contents.iter().flat_map(|content| content.positions().iter().copied()));
    let reach = 0.5 * bounds.extent().max_element() / dx;
    if reach > FAR {
        return Err(loaded.error_at(
            "mpm.dx",
            &format!("the objects reach {:.1e} cells of `{{}}` from their middle; at most {FAR} are exact", reach),
            "bring the objects closer together, or use larger cells",
        ));
    }
    Ok(origin_of(&bounds, dx))
}
