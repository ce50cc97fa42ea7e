//! Rejects objects that start inside colliders or outside the domain.

use crate::{LoadedScene, SceneError};
use fibra_core::geometry::{Collider, PlacedCollider};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Fraction of an object's free points that may start inside a collider [-]. A larger fraction is a mistake, a smaller one a tight fit.
pub(super) const MOST_INSIDE: f64 = 0.5;

/// All colliders at the start of a scene: first the scene's own colliders, then the walls of the domain.
pub(super) struct Obstacles<'a> {
    loaded: &'a LoadedScene,
    /// Names of the colliders that are not walls.
    names: Vec<String>,
    placed: Vec<PlacedCollider>,
}

/// An object that overlaps a collider.
pub(super) struct Overlap<'a> {
    /// Name of the object.
    pub(super) object: &'a str,
    /// Name of the collider; none for a wall of the domain.
    pub(super) collider: Option<&'a str>,
    /// The first point that is inside.
    pub(super) first: usize,
    /// Number of points that are inside.
    inside: usize,
    /// Total number of points.
    points: usize,
}

impl Overlap<'_> {
    /// Returns the percentage of the object that is inside [%].
    pub(super) fn percent(&self) -> f64 {
        100.0 * self.inside as f64 / self.points as f64
    }
}

impl<'a> Obstacles<'a> {
    /// Places the colliders at their initial poses, relative to `origin` [m].
    pub(super) fn new(loaded: &'a LoadedScene, colliders: &[Collider], origin: DVec3) -> Self {
        let names = loaded.scene.bodies().into_iter().map(|body| body.name).collect();
        Self { loaded, names, placed: colliders.iter().map(|collider| collider.place(0.0, origin)).collect() }
    }

    /// Returns the colliders at their initial poses.
    pub(super) fn placed(&self) -> &[PlacedCollider] {
        &self.placed
    }

    /// Returns the name of a collider, or `None` for a wall of the domain.
    pub(super) fn name(&self, number: usize) -> Option<&str> {
        self.names.get(number).map(String::as_str)
    }

    /// Rejects an object if more than the `allowed` fraction of the object is inside a collider. `points` [m] are
    /// relative to the origin. `allowed` returns the fraction of points [-] that may be inside the collider of the
    /// given name (`None` for a wall). `describe` returns the message and the remedy.
    pub(super) fn check(
        &self,
        object: usize,
        points: &[Vec3],
        allowed: impl Fn(Option<&str>) -> f64,
        describe: impl Fn(&Overlap) -> (String, &'static str),
    ) -> Result<(), SceneError> {
        for (number, placed) in self.placed.iter().enumerate() {
            let is_inside = |point: &Vec3| placed.signed_distance(*point) < 0.0;
            let Some(first) = points.par_iter().position_first(is_inside) else { continue };
            let inside = points.par_iter().filter(|point| is_inside(point)).count();
            let collider = self.name(number);
            if inside as f64 > allowed(collider) * points.len() as f64 {
                let name = &self.loaded.scene.objects[object].name;
                let (message, remedy) =
                    describe(&Overlap { object: name, collider, first, inside, points: points.len() });
                return Err(self.error(object, &message, remedy));
            }
        }
        Ok(())
    }

    /// Returns the error of an object that starts at an invalid position.
    pub(super) fn error(&self, object: usize, message: &str, remedy: &str) -> SceneError {
        self.loaded.error_at(&format!("object.{object}.shape"), message, remedy)
    }
}

/// Formats coordinates for a message.
pub(super) fn coordinates(point: DVec3) -> String {
    let [x, y, z] = point.to_array();
    format!("[{x:.4}, {y:.4}, {z:.4}] m")
}
