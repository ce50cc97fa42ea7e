//! Pins and external forces on the ends of strands, and pins of whole strands.

use super::pin::{guide, region};
use crate::{LoadedScene, Pin, SceneError, model};
use fibra_core::geometry::{Collider, CurveMesh, Motion, PlacedCollider, Strand};
use fibra_rods::internals::rod::{End, Hold};
use glam::DVec3;

/// Boundary conditions of one strand.
#[derive(Clone, Default)]
pub(super) struct Holding {
    /// The first and the last point.
    pub(super) ends: [End; 2],
    /// The motion of all points, or one per point, if the strand is pinned as a whole.
    pub(super) whole: Option<Vec<Motion>>,
    /// Index of the pin of each end, if the end is pinned.
    pins: [Option<usize>; 2],
}

/// The curves of an object, and the run origin.
pub(super) struct Curves<'a> {
    /// The object.
    pub(super) object: usize,
    /// The curves.
    pub(super) mesh: &'a CurveMesh,
    /// The strands.
    pub(super) strands: &'a [Strand],
    /// The run origin [m].
    pub(super) origin: DVec3,
}

/// Returns the boundary conditions of an object's strands, as set by the object's pins and pulls.
pub(super) fn holdings(
    loaded: &LoadedScene,
    curves: &Curves<'_>,
    colliders: &[Collider],
) -> Result<Vec<Holding>, SceneError> {
    let object = &loaded.scene.objects[curves.object];
    let mut holdings = vec![Holding::default(); curves.strands.len()];
    for (number, pin) in object.pins.iter().enumerate() {
        let path = format!("object.{}.pin.{number}", curves.object);
        let region = region(loaded, &path, &pin.region, curves.origin)?;
        let guide = guide(loaded, &path, pin, colliders)?;
        let mut holds = false;
        for (strand, holding) in holdings.iter_mut().enumerate() {
            let points = curves.points_of(strand);
            match curves.caught(&region, strand) {
                Caught::Nothing => continue,
                Caught::Ends(ends) => {
                    for end in (0..2).filter(|&end| ends[end]) {
                        check_free(loaded, &path, &object.name, holding.pins[end])?;
                        holding.pins[end] = Some(number);
                        holding.ends[end] = held_end(pin, guide.motion_of(points[end * (points.len() - 1)]));
                    }
                }
                Caught::Whole => {
                    holding.pins.iter().try_for_each(|by| check_free(loaded, &path, &object.name, *by))?;
                    if pin.until.is_some() {
                        let message = format!(
                            "`{{}}` pins all of strand {strand} of `{}`; such a strand cannot be released",
                            object.name
                        );
                        return Err(loaded.error_at(
                            &format!("{path}.until"),
                            &message,
                            "leave out `until`, or make the region smaller, so that only an end is inside",
                        ));
                    }
                    holding.pins = [Some(number); 2];
                    holding.whole = Some(guide.motions(&points));
                }
                Caught::Inside { point } => {
                    let message = format!(
                        "`{{}}` contains point {point} of strand {strand} of `{}` but neither of the ends of the strand; rods can be \
                         pinned only at their ends, or as a whole",
                        object.name
                    );
                    return Err(loaded.error_at(
                        &path,
                        &message,
                        "move the region to an end, or over the whole strand",
                    ));
                }
            }
            holds = true;
        }
        if !holds {
            let message = format!("`{{}}` pins nothing: no end of a strand of `{}` is inside its region", object.name);
            return Err(loaded.error_at(&path, &message, "move the region, or make it larger"));
        }
    }
    add_pulls(loaded, curves, &mut holdings)?;
    Ok(holdings)
}

fn add_pulls(loaded: &LoadedScene, curves: &Curves<'_>, holdings: &mut [Holding]) -> Result<(), SceneError> {
    let object = &loaded.scene.objects[curves.object];
    for (number, pull) in object.pulls.iter().enumerate() {
        let path = format!("object.{}.pull.{number}", curves.object);
        let region = region(loaded, &path, &pull.region, curves.origin)?;
        let mut pulls = false;
        for (strand, holding) in holdings.iter_mut().enumerate() {
            let ends = match curves.caught(&region, strand) {
                Caught::Ends(ends) => ends,
                Caught::Whole if !curves.strands[strand].closed => [true; 2],
                _ => continue,
            };
            for end in (0..2).filter(|&end| ends[end]) {
                if holding.whole.is_some()
                    || holding.ends[end].hold != Hold::Free && holding.ends[end].release.is_none()
                {
                    let message = format!("`{{}}` pulls an end of strand {strand} of `{}` that is pinned", object.name);
                    return Err(loaded.error_at(&path, &message, "remove the pin, or give it a time `until`"));
                }
                holding.ends[end].force += DVec3::from_array(pull.force);
                pulls = true;
            }
        }
        if !pulls {
            let message = format!("`{{}}` pulls nothing: no end of a strand of `{}` is inside its region", object.name);
            return Err(loaded.error_at(&path, &message, "move the region, or make it larger"));
        }
    }
    Ok(())
}

/// The part of a strand that is inside a region.
enum Caught {
    Nothing,
    /// One or both ends, and possibly other points.
    Ends([bool; 2]),
    /// The whole strand.
    Whole,
    /// Neither end, but at least this point.
    Inside {
        point: usize,
    },
}

impl Curves<'_> {
    /// Returns the points of a strand [m].
    fn points_of(&self, strand: usize) -> Vec<DVec3> {
        self.strands[strand].points.iter().map(|&point| self.mesh.points()[point as usize]).collect()
    }

    fn caught(&self, region: &PlacedCollider, strand: usize) -> Caught {
        let Strand { points, closed } = &self.strands[strand];
        let inside: Vec<bool> = points
            .iter()
            .map(|&point| {
                let x = self.mesh.points()[point as usize] - self.origin;
                region.signed_distance(x.as_vec3()) <= 0.0
            })
            .collect();
        let ends = [inside[0], inside[inside.len() - 1]];
        match inside.iter().position(|inside| *inside) {
            None => Caught::Nothing,
            Some(_) if inside.iter().all(|inside| *inside) => Caught::Whole,
            Some(_) if !closed && ends != [false; 2] => Caught::Ends(ends),
            Some(point) => Caught::Inside { point },
        }
    }
}

fn held_end(pin: &Pin, motion: Motion) -> End {
    let hold = match pin.hold.unwrap_or_default() {
        model::Hold::Clamped => Hold::Clamped,
        model::Hold::Pinned => Hold::Pinned,
    };
    End { hold, motion, release: pin.until, ..End::default() }
}

fn check_free(loaded: &LoadedScene, path: &str, name: &str, by: Option<usize>) -> Result<(), SceneError> {
    let Some(other) = by else { return Ok(()) };
    let message = format!("`{{}}` and pin {other} of `{name}` pin the same end");
    Err(loaded.error_at(path, &message, "keep the regions of an object's pins apart"))
}
