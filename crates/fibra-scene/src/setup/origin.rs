//! The point that particles' coordinates start from. Coordinates have 24 bits, so they must not count from far away.

use crate::{LoadedScene, Method, SceneError};
use fibra_core::geometry::Bounds;
use glam::DVec3;

/// Within so many cells of the world's origin [-] there is nothing to gain: a coordinate is good to 1e-4 cells.
const NEAR: f64 = 1000.0;
/// Cells from the run origin [-] at which a coordinate is good to a hundredth of a cell only.
const FAR: f64 = 131_072.0;
/// Cells of a grid block [-]. Moving by whole blocks moves a scene without changing how it lies in the grid.
const BLOCK: f64 = 4.0;

/// The world's origin when everything starts near it; else the middle of everything, to a whole block of the grid.
pub fn origin_of(everything: &Bounds, dx: f64) -> DVec3 {
    // The grid knows its spacing in 32 bits.
    let dx = f64::from(dx as f32);
    let furthest = everything.min.abs().max(everything.max.abs()).max_element();
    if furthest <= NEAR * dx { DVec3::ZERO } else { (everything.center() / (BLOCK * dx)).round() * (BLOCK * dx) }
}

/// [`origin_of`] all points of a scene [m]; an error where they reach too far from it.
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
            &format!("the objects reach {reach:.1e} {lengths} of `{{}}` from their middle; at most {FAR} are exact"),
            &format!("bring the objects closer together, or use larger {lengths}"),
        ));
    }
    Ok(origin_of(&bounds, dx))
}
