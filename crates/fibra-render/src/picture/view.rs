//! The camera of a run: the camera of the scene, or one that shows the whole run at all times.

use super::PictureError;
use crate::ray_caster::{Camera, fit_camera};
use fibra_core::frame::Frame;
use fibra_run::folder::RunFolder;
use fibra_scene::{self, Scene};
use glam::{DVec3, Vec3};

/// Maximum number of frames that are read to find the bounding box of the run.
const MAX_MEASURED: usize = 16;

/// Fraction of the particles that may be outside the bounding box at each end of an axis [-]: a few stray particles should not enlarge it.
const OUTLIER_FRACTION: f32 = 0.005;

/// Direction from the scene to the camera, for scenes without a camera.
const DEFAULT_DIRECTION: Vec3 = Vec3::new(0.55, 0.4, 1.0);

/// The camera of a run.
pub(super) struct View {
    camera: Option<fibra_scene::Camera>,
    bounds: Bounds,
}

/// Bounding box of a run's particles without outliers, relative to the run's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    /// Lower corner [m].
    pub(super) min: Vec3,
    /// Upper corner [m].
    pub(super) max: Vec3,
}

impl View {
    pub(super) fn of_run(scene: &Scene, run: &RunFolder) -> Result<View, PictureError> {
        let indices = run.frames()?.indices;
        let mut bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        for k in evenly_spaced(indices.len(), MAX_MEASURED) {
            let frame = Frame::read(&run.frame_path(indices[k]))?;
            bounds = bounds.union(Bounds::of(&frame));
        }
        Ok(View { camera: scene.camera.clone(), bounds })
    }

    /// Returns the bounding box of the run.
    pub(super) fn bounding_box(&self) -> Bounds {
        self.bounds
    }

    /// Returns the camera relative to `origin` [m]; `aspect` is width over height of the image.
    pub(super) fn camera(&self, origin: [f64; 3], aspect: f32) -> Camera {
        match &self.camera {
            Some(fibra_scene::Camera { eye, target, fov_degrees }) => {
                let relative = |point: &[f64; 3]| (DVec3::from_array(*point) - DVec3::from_array(origin)).as_vec3();
                // The range that the ray caster supports.
                let field_of_view = fov_degrees.clamp(1.0, 170.0) as f32;
                Camera { eye: relative(eye), target: relative(target), up: Vec3::Y, field_of_view }
            }
            None => fit_camera(self.bounds.min, self.bounds.max, aspect, DEFAULT_DIRECTION),
        }
    }
}

impl Bounds {
    fn of(frame: &Frame) -> Bounds {
        let mut bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        let mut values: Vec<f32> = Vec::new();
        for axis in 0..3 {
            values.clear();
            values.extend(frame.points.iter().map(|point| point[axis]).filter(|x| x.is_finite()));
            let Some(last) = values.len().checked_sub(1) else { continue };
            let outliers = (OUTLIER_FRACTION * values.len() as f32) as usize;
            bounds.min[axis] = *values.select_nth_unstable_by(outliers, f32::total_cmp).1;
            bounds.max[axis] = *values.select_nth_unstable_by(last - outliers, f32::total_cmp).1;
        }
        bounds
    }

    fn union(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns center and radius of the bounding sphere [m]; the unit sphere if the box is empty.
    pub(super) fn bounding_sphere(&self) -> (Vec3, f32) {
        let radius = 0.5 * self.min.distance(self.max);
        if radius.is_finite() { (0.5 * (self.min + self.max), radius) } else { (Vec3::ZERO, 1.0) }
    }
}

/// Returns up to `limit` of `count` indices, evenly spaced from the first to the last.
pub(super) fn evenly_spaced(count: usize, limit: usize) -> Vec<usize> {
    let taken = count.min(limit);
    match taken {
        0 | 1 => (0..taken).collect(),
        _ => (0..taken).map(|k| (k * (count - 1) + (taken - 1) / 2) / (taken - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_evenly_spaced_from_first_to_last() {
        assert_eq!(evenly_spaced(73, 6), [0, 14, 29, 43, 58, 72]);
        assert_eq!(evenly_spaced(4, 6), [0, 1, 2, 3]);
        assert_eq!(evenly_spaced(1, 6), [0]);
        assert_eq!(evenly_spaced(0, 6), [0usize; 0]);
    }

    #[test]
    fn an_outlier_does_not_enlarge_the_bounding_box() {
        let mut points: Vec<[f32; 3]> = (0..1000).map(|k| [k as f32 / 999.0, 0.0, f32::from(k % 2 == 0)]).collect();
        points.push([500.0, 0.0, f32::NAN]);
        let bounds = Bounds::of(&Frame { points, ..Frame::default() });
        assert!(bounds.min.distance(Vec3::new(0.005, 0.0, 0.0)) < 0.002, "{bounds:?}");
        assert!(bounds.max.distance(Vec3::new(0.996, 0.0, 1.0)) < 0.002, "{bounds:?}");
        assert_eq!(Bounds::of(&Frame::default()).bounding_sphere(), (Vec3::ZERO, 1.0));
    }
}
