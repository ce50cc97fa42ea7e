//! Where a run is looked at from: as the scene says, or so that all of it is in view all the time.

use super::PictureError;
use crate::ray_caster::{Camera, fit_camera};
use fibra_core::frame::Frame;
use fibra_run::folder::RunFolder;
use fibra_scene::{self, Scene};
use glam::{DVec3, Vec3};

/// Frames that are measured, at most; material seldom goes anywhere between them.
const MOST_MEASURED: usize = 16;

/// Share of the particles on each side that may be out of view [-]: a few drops of spray are not worth a distant view.
const STRAYS: f32 = 0.005;

/// Direction from the scene to a camera that the scene does not place.
const FROM: Vec3 = Vec3::new(0.55, 0.4, 1.0);

/// The view on a run.
pub(super) struct View {
    camera: Option<fibra_scene::Camera>,
    room: Room,
}

/// The box that a run's particles keep to, but for strays, relative to the run origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    /// Lower corner [m].
    pub(super) min: Vec3,
    /// Upper corner [m].
    pub(super) max: Vec3,
}

impl View {
    pub(super) fn of_run(scene: &Scene, run: &RunFolder) -> Result<View, PictureError> {
        let there = run.frames()?.indices;
        let mut room = Room { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        for place in spread(there.len(), MOST_MEASURED) {
            let frame = Frame::read(&run.frame_path(there[place]))?;
            room = room.and(Room::of(&frame));
        }
        Ok(View { camera: scene.camera.clone(), room })
    }

    pub(super) fn room(&self) -> Room {
        self.room
    }

    /// The camera for an image `aspect` times as wide as high, relative to `origin` [m].
    pub(super) fn camera(&self, origin: [f64; 3], aspect: f32) -> Camera {
        match &self.camera {
            Some(fibra_scene::Camera { eye, target, fov_degrees }) => {
                let near = |point: &[f64; 3]| (DVec3::from_array(*point) - DVec3::from_array(origin)).as_vec3();
                // The renderer draws no wider and no narrower.
                let field_of_view = fov_degrees.clamp(1.0, 170.0) as f32;
                Camera { eye: near(eye), target: near(target), up: Vec3::Y, field_of_view }
            }
            None => fit_camera(self.room.min, self.room.max, aspect, FROM),
        }
    }
}

impl Room {
    fn of(frame: &Frame) -> Room {
        let mut room = Room { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        let mut values: Vec<f32> = Vec::new();
        for axis in 0..3 {
            values.clear();
            values.extend(frame.points.iter().map(|point| point[axis]).filter(|x| x.is_finite()));
            let Some(last) = values.len().checked_sub(1) else { continue };
            let strays = (STRAYS * values.len() as f32) as usize;
            room.min[axis] = *values.select_nth_unstable_by(strays, f32::total_cmp).1;
            room.max[axis] = *values.select_nth_unstable_by(last - strays, f32::total_cmp).1;
        }
        room
    }

    fn and(self, other: Room) -> Room {
        Room { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Middle [m], and distance from there to a corner [m]; a unit ball when the room is empty.
    pub(super) fn ball(&self) -> (Vec3, f32) {
        let radius = 0.5 * self.min.distance(self.max);
        if radius.is_finite() { (0.5 * (self.min + self.max), radius) } else { (Vec3::ZERO, 1.0) }
    }
}

/// Up to `most` of `count` places, evenly spread from the first to the last.
pub(super) fn spread(count: usize, most: usize) -> Vec<usize> {
    let taken = count.min(most);
    match taken {
        0 | 1 => (0..taken).collect(),
        _ => (0..taken).map(|k| (k * (count - 1) + (taken - 1) / 2) / (taken - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_from_end_to_end() {
        assert_eq!(spread(73, 6), [0, 14, 29, 43, 58, 72]);
        assert_eq!(spread(4, 6), [0, 1, 2, 3]);
        assert_eq!(spread(1, 6), [0]);
        assert_eq!(spread(0, 6), [0usize; 0]);
    }

    #[test]
    fn a_stray_does_not_widen_the_room() {
        let mut points: Vec<[f32; 3]> = (0..1000).map(|k| [k as f32 / 999.0, 0.0, f32::from(k % 2 == 0)]).collect();
        points.push([500.0, 0.0, f32::NAN]);
        let room = Room::of(&Frame { points, ..Frame::default() });
        assert!(room.min.distance(Vec3::new(0.005, 0.0, 0.0)) < 0.002, "{room:?}");
        assert!(room.max.distance(Vec3::new(0.996, 0.0, 1.0)) < 0.002, "{room:?}");
        assert_eq!(Room::of(&Frame::default()).ball(), (Vec3::ZERO, 1.0));
    }
}
