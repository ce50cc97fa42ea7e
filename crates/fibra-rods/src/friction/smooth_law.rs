//! Smoothed Alart-Curnier function. Decreasing the smoothing gives a sequence of problems, from one that is easy to
//! solve to Coulomb's law.

use super::cone::{join, tangent};
use super::local::LocalLaw;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Computes `f^AC` of one contact, smoothed over impulses of size `e > 0`, and its derivative with respect to `e`:
/// ```text
/// f_N = g - r_N,             g = (x + sqrt(x^2 + 4 e^2)) / 2,                         x = r_N - rho u_N
/// f_T = delta y / m - r_T,   m = (n + delta + sqrt((n - delta)^2 + 4 e^2)) / 2,       y = r_T - rho u_T
///                            delta = mu g,   n = sqrt(|y|^2 + e^2)
/// ```
/// `g` and `m` are smooth forms of `max(x, 0)` and `max(|y|, delta)`. At a zero of the function, `r_N rho u_N = e^2`
/// with both factors positive, and `|r_T|` is below `mu r_N` and opposes `u_T`. This is a smooth contact force with
/// viscous friction, which converges to Coulomb's law as `e` goes to 0.
pub fn smooth_law(mu: f64, rho: f64, e: f64, u: DVec3, r: DVec3) -> (LocalLaw, DVec3) {
    let x = r.x - rho * u.x;
    let root = (x * x + 4.0 * e * e).sqrt();
    // The second form avoids cancellation.
    let g = if x >= 0.0 { 0.5 * (x + root) } else { 2.0 * e * e / (root - x) };
    let (g_x, g_e) = (g / root, 2.0 * e / root);

    let delta = mu * g;
    let y = tangent(r) - rho * tangent(u);
    let n = (y.length_squared() + e * e).sqrt();
    let root = ((n - delta).powi(2) + 4.0 * e * e).sqrt();
    let m = 0.5 * (n + delta + root);
    let m_n = 0.5 * (1.0 + (n - delta) / root);
    let m_delta = 1.0 - m_n;

    // d(delta y / m) = delta / m dy + y / m (d delta - delta / m dm).
    let share = delta / m;
    let yy = DMat2::from_cols(y * y.x, y * y.y);
    let by_y = share * (DMat2::IDENTITY - yy * (m_n / (m * n)));
    let by_delta = y * ((1.0 - share * m_delta) / m);
    let by_e = by_delta * (mu * g_e) - y * (share / m * e * (m_n / n + 2.0 / root));
    let by_x = mu * g_x * by_delta;
    let law = LocalLaw {
        value: join(g - r.x, share * y - tangent(r)),
        d_u: blocks(-rho * g_x, -rho * by_x, -rho * by_y),
        d_r: blocks(g_x - 1.0, by_x, by_y - DMat2::IDENTITY),
    };
    (law, join(g_e, by_e))
}

/// Returns the matrix `[normal 0; column tangential]`.
fn blocks(normal: f64, column: DVec2, tangential: DMat2) -> DMat3 {
    DMat3::from_cols(join(normal, column), join(0.0, tangential.x_axis), join(0.0, tangential.y_axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::alart_curnier::alart_curnier;
    use crate::friction::local::tests::assert_derivatives;
    use fibra_core::random::CounterRng;

    fn sample(rng: &CounterRng, i: u64) -> (f64, f64, DVec3, DVec3) {
        let u = 2.0 * rng.uniform_in_cube([i, 1, 0]) - DVec3::ONE;
        let r = 3.0 * rng.uniform_in_cube([i, 2, 0]) - DVec3::ONE;
        (rng.uniform(&[i, 9]), 0.3 + rng.uniform(&[i, 10]), u, r)
    }

    #[test]
    fn derivatives_match_differences() {
        let rng = CounterRng::new(3);
        for i in 0..1000 {
            let (mu, rho, u, r) = sample(&rng, i);
            let e = [1.0, 0.1, 0.01][i as usize % 3];
            assert!(assert_derivatives(|u, r| smooth_law(mu, rho, e, u, r).0, u, r, 1e-6, 1e-5 / e, |_, _| true));
            let at = |e: f64| smooth_law(mu, rho, e, u, r).0.value;
            let by_e = (at(e + 1e-6) - at(e - 1e-6)) / 2e-6;
            assert!((by_e - smooth_law(mu, rho, e, u, r).1).length() < 1e-7 / e, "{i}: {by_e}");
        }
    }

    /// The limit uses the disk radius `mu P_R+(r_N - rho u_N)`, which equals `mu r_N` where the function vanishes.
    #[test]
    fn converges_to_alart_curnier() {
        let rng = CounterRng::new(4);
        for i in 0..1000 {
            let (mu, rho, u, r) = sample(&rng, i);
            let smooth = smooth_law(mu, rho, 1e-9, u, r).0.value;
            let sharp = alart_curnier(mu, rho, u, r).value;
            assert!((smooth.x - sharp.x).abs() < 1e-8);
            let sharp =
                crate::friction::cone::project_disk(mu * (r.x - rho * u.x), tangent(r) - rho * tangent(u)) - tangent(r);
            assert!((tangent(smooth) - sharp).length() < 1e-8, "{smooth} {sharp}");
        }
    }

    #[test]
    fn stays_finite_far_from_the_solution() {
        for e in [1e-12, 1.0] {
            for x in [-1e12, 0.0, 1e12] {
                let (law, by_e) = smooth_law(0.5, 1.0, e, DVec3::splat(-x), DVec3::new(x, -x, 0.0));
                assert!(
                    law.value.is_finite() && law.d_u.is_finite() && law.d_r.is_finite() && by_e.is_finite(),
                    "{e} {x}"
                );
            }
        }
    }
}
