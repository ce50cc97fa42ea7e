//! Rotation of grains with the surrounding flow.

use glam::{Mat3, Quat, Vec3};

/// Computes the angular velocity [rad/s] of a grain in a flow with the velocity gradient `grad_v` [1/s], for a step of `dt` [s].
///
/// The direction `p` of its third axis follows Jeffery's equation `dp/dt = W p + l (D p - (p . D p) p)`, where `D` and `W` are the symmetric and
/// skew-symmetric parts of the gradient. About that axis it rotates with the vorticity [Jeffery1922]. The angular velocity is `omega = w +
/// l p x D p`, where `w` is half the vorticity: `omega x p` is the right-hand side above. With elongation `l = 0` only `w` remains. Up to
/// terms in `dt^2`, this agrees with shape matching on the grid [Schreck2020, Sec. 6.3]: the polar rotation of `I + dt grad v`.
///
/// Midpoint rule: evaluated at the orientation after half a step.
pub fn angular_velocity(rotation: Quat, grad_v: &Mat3, elongation: f32, dt: f32) -> Vec3 {
    let g = grad_v;
    let w = 0.5 * Vec3::new(g.y_axis.z - g.z_axis.y, g.z_axis.x - g.x_axis.z, g.x_axis.y - g.y_axis.x);
    if elongation == 0.0 {
        return w;
    }
    let rate = 0.5 * (*g + g.transpose());
    let at = |rotation: Quat| {
        let p = rotation * Vec3::Z;
        w + elongation * p.cross(rate * p)
    };
    at(rotated(rotation, at(rotation), 0.5 * dt))
}

/// Rotates by an angular velocity [rad/s] for `dt` [s].
///
/// The quaternion with scalar part 1 and vector part `t`, normalized, rotates by `2 atan |t|`, so `|t|` should be `tan(a / 2)` for the angle `a`. The
/// first two terms of the tangent's series give an error of fifth order in `a`, and avoid functions whose results differ between machines. A step
/// rotates by less than a radian.
pub fn rotated(rotation: Quat, spin: Vec3, dt: f32) -> Quat {
    let a = dt * spin;
    let t = (0.5 + a.length_squared() * (1.0 / 24.0)) * a;
    let next = (Quat::from_xyzw(t.x, t.y, t.z, 1.0) * rotation).normalize();
    if next.is_finite() { next } else { rotation }
}

/// Returns the angle between two rotations [rad], accurate for small angles too.
#[cfg(test)]
pub(super) fn angle(a: Quat, b: Quat) -> f32 {
    2.0 * (a.inverse() * b).xyz().length().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{PI, TAU};

    /// `v = (rate y, 0, 0)`.
    fn shear(rate: f32) -> Mat3 {
        Mat3::from_cols(Vec3::ZERO, Vec3::new(rate, 0.0, 0.0), Vec3::ZERO)
    }

    fn pointing(p: Vec3) -> Quat {
        Quat::from_rotation_arc(Vec3::Z, p.normalize())
    }

    fn after(mut rotation: Quat, grad_v: &Mat3, elongation: f32, dt: f32, steps: usize) -> Quat {
        for _ in 0..steps {
            rotation = rotated(rotation, angular_velocity(rotation, grad_v, elongation, dt), dt);
        }
        rotation
    }

    #[test]
    fn rigid_rotation_is_followed_for_any_elongation() {
        let spin = Vec3::new(1.0, -2.0, 0.5);
        // W r = spin x r
        let w = Mat3::from_cols(spin.cross(Vec3::X), spin.cross(Vec3::Y), spin.cross(Vec3::Z));
        let start = pointing(Vec3::new(0.3, 1.0, -0.2));
        for elongation in [-1.0, 0.0, 0.7, 1.0] {
            let turn = 0.8 / spin.length();
            let end = after(start, &w, elongation, turn / 10.0, 10);
            assert!(angle(end, Quat::from_scaled_axis(turn * spin) * start) < 1e-5, "{elongation}");
        }
        // The first neglected term: 2 (2 / 15) (a / 2)^5.
        let once = rotated(Quat::IDENTITY, 0.5 * Vec3::X, 1.0);
        assert!((once.to_axis_angle().1 - 0.5).abs() < 0.5f32.powi(5) / 120.0);
    }

    #[test]
    fn shear_aligns_needles_with_the_flow_and_disc_normals_across_it() {
        // The motion dp/dt = G p - (p . G p) p in the shear flow maps the start to the direction of (p_x + rate t p_y, p_y).
        let start = Vec3::new(0.0, 1.0, 0.0);
        let time = 20.0;
        let needle = after(pointing(start), &shear(1.0), 1.0, 0.01, 2000) * Vec3::Z;
        let expected = Vec3::new(time, 1.0, 0.0).normalize();
        assert!(needle.distance(expected) < 1e-3, "{needle}, not {expected}");
        let disc = after(pointing(Vec3::X), &shear(1.0), -1.0, 0.01, 2000) * Vec3::Z;
        assert!(disc.x.abs() < 0.06 && disc.y.abs() > 0.99, "{disc}");
    }

    #[test]
    fn elongated_grains_have_jefferys_period() {
        let rate = 2.0;
        for ratio in [1.0f32, 2.0, 5.0] {
            let elongation = (ratio * ratio - 1.0) / (ratio * ratio + 1.0);
            let period = TAU * (ratio + 1.0 / ratio) / rate;
            let start = Vec3::new(0.0, 1.0, 0.4).normalize();
            let steps = 4000;
            let dt = period / steps as f32;
            let half = after(pointing(start), &shear(rate), elongation, dt, steps / 2) * Vec3::Z;
            let whole = after(pointing(start), &shear(rate), elongation, dt, steps) * Vec3::Z;
            // After half a period the axis is reversed in the shear plane: x and y have changed sign.
            assert!(half.distance(start * Vec3::new(-1.0, -1.0, 1.0)) < 1e-3, "ratio {ratio}: {half}");
            assert!(whole.distance(start) < 1e-3, "ratio {ratio}: {whole}");
            // After a quarter period the axis lies along the flow, and its in-plane component has grown by the aspect ratio.
            let quarter = after(pointing(start), &shear(rate), elongation, dt, steps / 4) * Vec3::Z;
            let tangent = quarter.x / quarter.z;
            assert!((tangent / (ratio * start.y / start.z) - 1.0).abs() < 1e-2, "ratio {ratio}: {quarter}");
        }
    }

    #[test]
    fn extension_aligns_grains_with_the_stretch_axis() {
        let stretch = Mat3::from_diagonal(Vec3::new(1.0, -0.5, -0.5));
        let p = after(pointing(Vec3::new(0.1, 1.0, 0.0)), &stretch, 1.0, 0.01, 600) * Vec3::Z;
        assert!(p.x.abs() > 0.999, "{p}");
        assert!(angle(after(pointing(Vec3::Y), &stretch, 0.0, 0.01, 10), pointing(Vec3::Y)) < 1e-5);
        assert!(rotated(Quat::IDENTITY, Vec3::splat(f32::MAX), 1.0).is_finite());
        assert!(after(Quat::IDENTITY, &Mat3::ZERO, 1.0, PI, 3) == Quat::IDENTITY);
    }
}
