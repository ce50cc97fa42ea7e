//! A pinhole camera, and a function that fits a camera to a box.

use super::RenderError;
use glam::Vec3;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the camera [m].
    pub eye: Vec3,
    /// Point in the center of the image [m].
    pub target: Vec3,
    /// Upward direction in the image; any nonzero length [-].
    pub up: Vec3,
    /// Vertical field of view [degrees], in 1..=170.
    pub field_of_view: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Camera { eye: Vec3::new(1.5, 1.5, 3.0), target: Vec3::ZERO, up: Vec3::Y, field_of_view: FITTED_FIELD_OF_VIEW }
    }
}

/// Field of view of fitted cameras [degrees]: a short telephoto lens, with little distortion near the edges of the image.
const FITTED_FIELD_OF_VIEW: f32 = 30.0;

/// Fraction of the image's width and height that a fitted box may fill [-]; the rest is margin.
const FILL: f32 = 0.88;

/// Returns a camera that looks at the center of a box, as close as possible with the whole box in view.
///
/// `aspect` is width over height, and `direction` points from the box to the camera. The y axis is up. A box that is empty or not
/// finite is replaced by the unit cube, so the camera is always valid.
pub fn fit_camera(bounds_min: Vec3, bounds_max: Vec3, aspect: f32, direction: Vec3) -> Camera {
    let usable = bounds_min.is_finite() && bounds_max.is_finite() && bounds_min.cmple(bounds_max).all();
    let (low, high) = if usable { (bounds_min, bounds_max) } else { (Vec3::splat(-0.5), Vec3::splat(0.5)) };
    let target = 0.5 * (low + high);
    let half = 0.5 * (high - low);
    let towards_eye = direction.try_normalize().unwrap_or(Vec3::Z);
    let (right, up) = screen_axes(-towards_eye, Vec3::Y);
    let half_height = FILL * (0.5 * FITTED_FIELD_OF_VIEW.to_radians()).tan();
    let half_width = half_height * if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };

    // A corner q (relative to the target) is in view if |q.right| <= (distance - q.towards_eye) half_width, and likewise for up.
    // The result is the smallest distance for which all eight corners are in view.
    let mut distance = 0.0f32;
    for corner in 0..8 {
        let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let q = half * Vec3::new(sign(0), sign(1), sign(2));
        let across = (q.dot(right).abs() / half_width).max(q.dot(up).abs() / half_height);
        distance = distance.max(q.dot(towards_eye) + across);
    }
    // For a box without extent, keep the eye apart from the target, also far from the origin.
    distance = distance.max(1e-3).max(1e-4 * target.abs().max_element());
    Camera { eye: target + distance * towards_eye, target, up: Vec3::Y, field_of_view: FITTED_FIELD_OF_VIEW }
}

/// Returns the unit right and up vectors of the image for a unit viewing direction.
fn screen_axes(forward: Vec3, up: Vec3) -> (Vec3, Vec3) {
    // If the view is along `up`, the roll is undefined; use a fixed choice.
    let right = forward.cross(up.normalize_or(Vec3::Y)).try_normalize().unwrap_or_else(|| {
        let other = if forward.z.abs() < 0.9 { Vec3::NEG_Z } else { Vec3::Y };
        forward.cross(other).normalize()
    });
    (right, right.cross(forward))
}

/// A camera prepared for an image size.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub eye: Vec3,
    /// Distance from the eye to the target [m], used as the length scale of the scene.
    pub distance: f32,
    /// Width of a pixel at unit distance from the eye [-].
    pub pixel: f32,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
    half_size: [f32; 2],
}

impl View {
    pub fn new(camera: &Camera, width: u32, height: u32) -> Result<View, RenderError> {
        let bad = |what: &str| Err(RenderError::Camera { camera: *camera, what: what.to_owned() });
        let offset = camera.target - camera.eye;
        if !(camera.eye.is_finite() && camera.target.is_finite() && camera.up.is_finite()) {
            return bad("eye, target and up must be finite");
        }
        if !(1.0..=170.0).contains(&camera.field_of_view) {
            return bad("the field of view must be 1 to 170 degrees");
        }
        let Some(forward) = offset.try_normalize() else {
            return bad("eye and target must differ, and their distance must be at most 1e18 m");
        };
        let (right, up) = screen_axes(forward, camera.up);
        let half_height = (0.5 * camera.field_of_view.to_radians()).tan();
        Ok(View {
            eye: camera.eye,
            distance: offset.length(),
            pixel: 2.0 * half_height / height as f32,
            forward,
            right,
            up,
            half_size: [0.5 * width as f32, 0.5 * height as f32],
        })
    }

    /// Returns the unit direction through a point of the image, in pixels from the upper left corner.
    pub fn direction(&self, x: f32, y: f32) -> Vec3 {
        let across = (x - self.half_size[0]) * self.pixel;
        let down = (y - self.half_size[1]) * self.pixel;
        (self.forward + across * self.right - down * self.up).normalize()
    }

    /// Returns the distance along the viewing direction [m]; negative behind the eye.
    pub fn depth(&self, point: Vec3) -> f32 {
        (point - self.eye).dot(self.forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_box_fills_the_image_exactly() {
        let (low, high) = (Vec3::new(-3.0, 0.0, 1.0), Vec3::new(1.0, 0.5, 4.0));
        for direction in [Vec3::new(1.0, 0.7, 2.0), Vec3::X, Vec3::Y, Vec3::NEG_Z] {
            let camera = fit_camera(low, high, 1.5, direction);
            let view = View::new(&camera, 150, 100).unwrap();
            let mut widest = 0.0f32;
            for corner in 0..8u32 {
                let pick = |bit: u32, axis: usize| if corner >> bit & 1 == 0 { low[axis] } else { high[axis] };
                let q = Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2)) - view.eye;
                let depth = q.dot(view.forward) * view.pixel;
                assert!(depth > 0.0);
                widest = widest.max((q.dot(view.right) / depth).abs() / 75.0);
                widest = widest.max((q.dot(view.up) / depth).abs() / 50.0);
            }
            assert!((widest - FILL).abs() < 1e-3, "{direction}: {widest}");
        }
    }

    #[test]
    fn invalid_boxes_give_a_valid_camera() {
        let far = Vec3::splat(1e4);
        for (low, high) in [(Vec3::ONE, -Vec3::ONE), (Vec3::NAN, Vec3::ONE), (Vec3::ONE, Vec3::ONE), (far, far)] {
            for direction in [Vec3::ZERO, Vec3::NAN, Vec3::Y] {
                let camera = fit_camera(low, high, f32::NAN, direction);
                assert!(View::new(&camera, 4, 4).is_ok(), "{low} {high} {direction}: {camera:?}");
            }
        }
    }

    #[test]
    fn invalid_cameras_are_rejected() {
        let good = Camera::default();
        for bad in [
            Camera { eye: Vec3::NAN, ..good },
            Camera { target: good.eye, ..good },
            Camera { field_of_view: 180.0, ..good },
            Camera { field_of_view: f32::NAN, ..good },
        ] {
            assert!(matches!(View::new(&bad, 4, 4), Err(RenderError::Camera { .. })), "{bad:?}");
        }
        assert!(View::new(&Camera { up: Vec3::ZERO, ..good }, 4, 4).is_ok());
    }
}
