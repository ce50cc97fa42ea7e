//! Kinematics of one element: a rod with constant material curvatures is a helix. Computes its rotation, its chord and the derivative of the chord.

use glam::{DMat3, DQuat, DVec3};

/// Returns `[v]` with `[v] w = v x w`.
pub(crate) fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// A frame that rotates by `phi` [rad] (axis times angle, in its own axes) at a constant rate along an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    phi: DVec3,
    /// `b = (1 - cos t)/t^2`, `c = (t - sin t)/t^3` for `t = |phi|`.
    b: f64,
    c: f64,
    /// Derivatives of `b` and `c` with respect to `t`, divided by `t`.
    db: f64,
    dc: f64,
}

impl Arc {
    pub fn new(phi: DVec3) -> Arc {
        let x = phi.length_squared();
        if x < 1.0 {
            // The closed forms suffer cancellation at small angles: b = sum (-x)^k/(2k+2)!, c = sum (-x)^k/(2k+3)!.
            let (mut b, mut c, mut db, mut dc) = (0.0, 0.0, 0.0, 0.0);
            let (mut power, mut before, mut factorial) = (1.0, 0.0, 2.0);
            for k in 0..11 {
                let k = f64::from(k);
                let next = factorial * (2.0 * k + 3.0);
                b += power / factorial;
                c += power / next;
                // With x = t^2, (db/dt) / t = 2 db/dx.
                db += 2.0 * k * before / factorial;
                dc += 2.0 * k * before / next;
                before = -power;
                power *= -x;
                factorial = next * (2.0 * k + 4.0);
            }
            Arc { phi, b, c, db, dc }
        } else {
            let t = x.sqrt();
            let (sin, cos) = t.sin_cos();
            let (a, b, c) = (sin / t, (1.0 - cos) / x, (t - sin) / (t * x));
            Arc { phi, b, c, db: (a - 2.0 * b) / x, dc: (b - 3.0 * c) / x }
        }
    }

    /// Returns the rotation from the frame at the start to the frame at the end, `exp[phi]`.
    pub fn rotation(&self) -> DMat3 {
        DMat3::from_quat(DQuat::from_scaled_axis(self.phi))
    }

    /// Returns the mean rotation along the element, `V = I + b [phi] + c [phi]^2`. Over an element of length `s`, curvature rates `k` rotate its end
    /// at the angular velocity `s V k`, in the axes of the frame at the start.
    pub fn mean_rotation(&self) -> DMat3 {
        let cross = cross_matrix(self.phi);
        DMat3::IDENTITY + self.b * cross + self.c * (cross * cross)
    }

    /// Returns the chord of an element of length one, `V e3`, in the axes of the frame at the start.
    pub fn chord(&self) -> DVec3 {
        let across = self.phi.cross(DVec3::Z);
        DVec3::Z + self.b * across + self.c * self.phi.cross(across)
    }

    /// Returns the derivative of the chord with respect to `phi`.
    pub fn chord_derivative(&self) -> DMat3 {
        let phi = self.phi;
        let across = phi.cross(DVec3::Z);
        let twice = phi.cross(across);
        // V e3 = e3 + b phi x e3 + c (phi (phi . e3) - |phi|^2 e3), along each axis d:
        DMat3::from_cols_array_2d(&[DVec3::X, DVec3::Y, DVec3::Z].map(|d| {
            let radial = phi.dot(d);
            let column = self.b * d.cross(DVec3::Z)
                + self.db * radial * across
                + self.c * (d * phi.z + phi * d.z - 2.0 * radial * DVec3::Z)
                + self.dc * radial * twice;
            column.to_array()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROTATIONS: [DVec3; 6] = [
        DVec3::ZERO,
        DVec3::new(1e-9, -2e-9, 1e-9),
        DVec3::new(0.1, 0.02, -0.05),
        DVec3::new(0.7, 0.7, 0.14),
        DVec3::new(0.7, 0.7, 0.1399999),
        DVec3::new(-3.0, 2.0, 7.0),
    ];

    /// Returns the mean over the element by fine quadrature.
    fn mean<T: std::ops::Mul<f64, Output = T> + std::iter::Sum>(of: impl Fn(f64) -> T) -> T {
        let n = 2000;
        (0..n)
            .flat_map(|i| [-1.0, 1.0].map(|side| (f64::from(i) + 0.5 + side * (0.25f64 / 3.0).sqrt()) / f64::from(n)))
            .map(|u| of(u) * (0.5 / f64::from(n)))
            .sum()
    }

    #[test]
    fn chords_and_mean_rotations_are_integrals_of_rotations() {
        for phi in ROTATIONS {
            let arc = Arc::new(phi);
            let chord = mean(|u| Arc::new(u * phi).rotation() * DVec3::Z);
            assert!(arc.chord().distance(chord) < 1e-13, "{phi}");
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let column = mean(|u| Arc::new(u * phi).rotation() * axis);
                assert!((arc.mean_rotation() * axis).distance(column) < 1e-13, "{phi}");
            }
        }
    }

    #[test]
    fn derivatives_match_finite_differences() {
        let h = 1e-6;
        for phi in ROTATIONS {
            for d in [DVec3::X, DVec3::Y, DVec3::Z] {
                let difference = (Arc::new(phi + h * d).chord() - Arc::new(phi - h * d).chord()) / (2.0 * h);
                assert!((Arc::new(phi).chord_derivative() * d).distance(difference) < 1e-9, "{phi}");
            }
        }
    }
}
