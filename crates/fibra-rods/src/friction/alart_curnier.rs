//! Coulomb's law as the zero of a continuous, piecewise smooth function of velocity and impulse [Alart1991].

use super::cone::{join, project_disk, tangent};
use super::local::LocalLaw;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Computes `f^AC` of one contact and its generalized Jacobian [Bertails2011, Sec. 4.3]. With `delta = mu r_N` and `y = r_T - rho u_T`,
/// ```text
/// f_N = P_R+(r_N - rho u_N) - r_N
/// f_T = P_B(0, delta)(y) - r_T
/// ```
/// It vanishes if and only if `u` and `r` satisfy Coulomb's law, for any `rho > 0`. `rho` has the unit of `r / u` and is best near the inverse of the
/// contact's diagonal block of `W`. Vectors are ordered normal, tangent, tangent.
///
/// On the boundary between two pieces, the Jacobian of the closed, sliding piece is used. From rest (`r = 0`), a Newton
/// step then adds the normal force together with its friction.
pub fn alart_curnier(mu: f64, rho: f64, u: DVec3, r: DVec3) -> LocalLaw {
    let (normal, normal_du, normal_dr) =
        if r.x - rho * u.x >= 0.0 { (-rho * u.x, -rho, 0.0) } else { (-r.x, 0.0, -1.0) };
    let delta = mu * r.x;
    let y = tangent(r) - rho * tangent(u);
    let length = y.length();
    let projected = project_disk(delta, y);
    // Derivatives of the projection with respect to y and delta.
    let (by_y, by_delta) = if length < delta || (length == 0.0 && delta == 0.0) {
        (DMat2::IDENTITY, DVec2::ZERO)
    } else if delta >= 0.0 {
        let direction = y / length;
        (delta / length * (DMat2::IDENTITY - outer(direction, direction)), direction)
    } else {
        (DMat2::ZERO, DVec2::ZERO)
    };
    LocalLaw {
        value: join(normal, projected - tangent(r)),
        d_u: blocks(normal_du, DVec2::ZERO, -rho * by_y),
        d_r: blocks(normal_dr, mu * by_delta, by_y - DMat2::IDENTITY),
    }
}

fn outer(a: DVec2, b: DVec2) -> DMat2 {
    DMat2::from_cols(a * b.x, a * b.y)
}

/// Returns the matrix `[normal 0; column tangential]`.
fn blocks(normal: f64, column: DVec2, tangential: DMat2) -> DMat3 {
    DMat3::from_cols(join(normal, column), join(0.0, tangential.x_axis), join(0.0, tangential.y_axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::local::tests::assert_derivatives;
    use fibra_core::random::CounterRng;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Tangential {
        Sticks,
        Slides,
        NoPressure,
    }

    fn piece(mu: f64, rho: f64, u: DVec3, r: DVec3) -> (bool, Tangential) {
        let delta = mu * r.x;
        let length = (tangent(r) - rho * tangent(u)).length();
        let tangential = match () {
            _ if length <= delta => Tangential::Sticks,
            _ if delta > 0.0 => Tangential::Slides,
            _ => Tangential::NoPressure,
        };
        (r.x - rho * u.x >= 0.0, tangential)
    }

    #[test]
    fn derivatives_match_differences_in_every_piece() {
        let rng = CounterRng::new(2);
        let mut seen = Vec::new();
        for i in 0..3000 {
            let mu = rng.uniform(&[i, 9]);
            let rho = 0.3 + rng.uniform(&[i, 10]);
            let u = 2.0 * rng.uniform_in_cube([i, 1, 0]) - DVec3::ONE;
            let r = 3.0 * rng.uniform_in_cube([i, 2, 0]) - DVec3::ONE;
            let here = piece(mu, rho, u, r);
            // Finite differences across a boundary between pieces are meaningless.
            let step = 1e-6;
            let comparable = |u, r| piece(mu, rho, u, r) == here;
            if assert_derivatives(|u, r| alart_curnier(mu, rho, u, r), u, r, step, 1e-7, comparable)
                && !seen.contains(&here)
            {
                seen.push(here);
            }
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    #[test]
    fn vanishes_for_admissible_pairs() {
        for (u, r) in [
            ([1.0, 2.0, 3.0], [0.0; 3]),
            ([0.0; 3], [2.0, 0.6, -0.8]),
            ([0.0, 3.0, -4.0], [2.0, -0.6, 0.8]),
            ([0.0; 3], [0.0; 3]),
        ] {
            let law = alart_curnier(0.5, 0.7, u.into(), r.into());
            assert!(law.value.length() < 1e-15, "{u:?} {r:?}");
        }
        assert!(alart_curnier(0.5, 0.7, DVec3::new(0.0, 1.0, 0.0), DVec3::new(2.0, 1.0, 0.0)).value.length() > 0.1);
    }

    #[test]
    fn is_finite_on_piece_boundaries() {
        for mu in [0.0, 0.5] {
            for (u, r) in [([0.0; 3], [0.0; 3]), ([-1.0, 0.0, 0.0], [0.0; 3]), ([0.0; 3], [2.0, 1.0, 0.0])] {
                let law = alart_curnier(mu, 1.0, u.into(), r.into());
                assert!(law.value.is_finite() && law.d_u.is_finite() && law.d_r.is_finite());
            }
        }
    }
}
