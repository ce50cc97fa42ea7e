//! The run origin, to which particle coordinates are relative. Coordinates have 24 significant bits, so they lose precision far from their
//! origin.

use crate::{LoadedScene, Method, SceneError};
use fibra_core::geometry::Bounds;
use glam::DVec3;

/// Distance from the world's origin, in cells [-], within which no run origin is needed: coordinates are exact to 1e-4 cells.
const NEAR: f64 = 1000.0;
/// Distance from the run origin, in cells [-], at which coordinates are exact only to a hundredth of a cell.
const FAR: f64 = 131_072.0;
/// Width of a grid block, in cells [-]. A shift by whole blocks does not change the position of a scene relative to the grid.
const BLOCK: f64 = 4.0;

/// Returns the world's origin if the box `everything` is near it. Otherwise, returns the center of the box, rounded to a multiple of the block width.
pub fn origin_of(everything: &Bounds, dx: f64) -> DVec3 {
    // The grid stores its spacing in 32 bits.
    let dx = f64::from(dx as f32);
    let furthest = everything.min.abs().max(everything.max.abs()).max_element();
    if furthest <= NEAR * dx { DVec3::ZERO } else { (everything.center() / (BLOCK * dx)).round() * (BLOCK * dx) }
}

/// Returns the run origin of a scene [m] (see [`origin_of`]), or an error if points are too far from the run origin.
pub(super) fn run_origin(loaded: &LoadedScene, points: impl Iterator<Item = DVec3>) -> Result<DVec3, SceneError> {
    let dx = loaded.scene.resolution();
    let bounds = Bounds::around(points);
    let reach = 0.5 * bounds.extent().max_element() / dx;
    if reach > FAR {
        let (path, lengths) = match loaded.scene.method {
            Method::Mpm => ("mpm.dx", "cells"),
            Method::Rods => ("rods.spacing", "segments"),
            Method::Hair => ("hair.grid.cell", "cells"),
            Method::Elastons => ("elastons.spacing", "pieces"),
        };
        return Err(loaded.error_at(
            path,
            &format!("the objects reach {reach:.1e} {lengths} of `{{}}` from their center; the limit is {FAR}"),
            &format!("bring the objects closer together, or use larger {lengths}"),
        ));
    }
    Ok(origin_of(&bounds, dx))
}
