//! Exact solution of a single frictional contact.

use super::cone::{join, tangent};
use glam::{DMat3, DVec2, DVec3};

/// Lower bound of mobilities, relative to the trace of the contact's block. Smaller values are rounding errors of a singular block. The bound changes
/// velocities by this fraction of `W r`.
const RELATIVE_FLOOR: f64 = 1e-15;

/// A single contact with `u = W r + b`. `W` is the 3x3 block of the contact, positive semidefinite and symmetric up to
/// small errors. `b` is the velocity of the contact without its own impulse. Quantities that depend only on `W` are
/// precomputed.
///
/// - Take-off: `b_N >= 0`, `r = 0`.
/// - Stick: `r = -W^-1 b`, if that is within the cone.
/// - Slide: `u_N = 0` and `u_T = -alpha r_T` with `alpha > 0`, `|r_T| = mu r_N`. Eliminating `r_N` gives, with the Schur complement
///   `S = W_TT - W_TN W_NT / W_NN` and `c = b_T - W_TN b_N / W_NN`,
///   ```text
///   r_T = -(S + alpha I)^-1 c,  r_N = -(b_N + W_NT r_T) / W_NN.
///   ```
///   If the contact neither takes off nor sticks, `mu r_N - |r_T|` is negative at `alpha = 0` and positive for large `alpha`,
///   which brackets a root. Multiplied by its denominators, the equation is a quartic [Bonnefon2011]. The form used here
///   loses fewer digits and does not need a symmetric `W`.
///
/// The tangential axes diagonalize the symmetric part of `S`: `S = [s_1 k; -k s_2]`. Adding `alpha` to the smallest eigenvalue is then accurate, and
/// `det(S + alpha I)` sums only nonnegative terms: no poles, no cancellation. Everything is scaled so that the trace of `W` is one, which prevents
/// overflow.
#[derive(Clone, Debug)]
pub struct OneContact {
    mu: f64,
    /// Trace of `W` [1/kg].
    mobility: f64,
    w_nn: f64,
    w_tn: DVec2,
    w_nt: DVec2,
    /// Eigenvalues of the symmetric part of `S`, the larger one first.
    s: DVec2,
    /// Skew part of `S`.
    k: f64,
    /// First tangential axis; the second is rotated by 90 degrees from it.
    axis: DVec2,
}

impl OneContact {
    /// Prepares a contact with the coefficient of friction `mu` and the block `w`.
    pub fn new(mu: f64, w: &DMat3) -> OneContact {
        let mobility = w.x_axis.x.abs() + w.y_axis.y.abs() + w.z_axis.z.abs();
        let w = *w * (1.0 / mobility);
        // Column i is the velocity per unit impulse along axis i.
        let (w_nn, w_tn) = (w.x_axis.x.max(RELATIVE_FLOOR), tangent(w.x_axis));
        let w_nt = DVec2::new(w.y_axis.x, w.z_axis.x);
        let [x, y] = [w.y_axis, w.z_axis].map(|column| tangent(column) - w_tn * (column.x / w_nn));

        let (mean, half, off) = (0.5 * (x.x + y.y), 0.5 * (x.x - y.y), 0.5 * (x.y + y.x));
        let radius = half.hypot(off);
        // The eigenvector can be written in two forms. Use the form that adds numbers of the same sign, to avoid
        // cancellation.
        let axis = if half >= 0.0 { DVec2::new(half + radius, off) } else { DVec2::new(off, radius - half) };
        let axis = axis.try_normalize().unwrap_or(DVec2::X);
        let s = DVec2::new(mean + radius, mean - radius).max(DVec2::splat(RELATIVE_FLOOR));
        // The skew part is invariant under rotation.
        let k = 0.5 * (y.x - x.y);
        let rotated = |v: DVec2| DVec2::new(axis.dot(v), axis.perp_dot(v));
        OneContact { mu, mobility, w_nn, w_tn: rotated(w_tn), w_nt: rotated(w_nt), s, k, axis }
    }

    /// Returns the impulse for a velocity `b`. Returns `None` if no finite impulse satisfies the law, or if none was
    /// found. For example, no impulse can stop `b` if impulses do not move the contact (`W` is zero).
    pub fn solve(&self, b: DVec3) -> Option<DVec3> {
        if b.x >= 0.0 {
            return Some(DVec3::ZERO);
        }
        let speed = b.abs().max_element();
        let b = b / speed;
        let b_t = tangent(b);
        let c = DVec2::new(self.axis.dot(b_t), self.axis.perp_dot(b_t)) - self.w_tn * (b.x / self.w_nn);
        let slide = Slide { contact: self, c, b_n: b.x };
        let r = slide.impulse(slide.alpha()) * (speed / self.mobility);
        r.is_finite().then_some(r)
    }
}

/// A closed contact with its velocity.
struct Slide<'a> {
    contact: &'a OneContact,
    /// Tangential velocity without friction.
    c: DVec2,
    b_n: f64,
}

impl Slide<'_> {
    /// Returns `-(S + alpha I)^-1 v`.
    fn solve_shifted(&self, alpha: f64, v: DVec2) -> DVec2 {
        let s = self.contact.s + alpha;
        let determinant = s.x * s.y + self.contact.k * self.contact.k;
        DVec2::new(self.contact.k * v.y - s.y * v.x, -self.contact.k * v.x - s.x * v.y) / determinant
    }

    fn normal(&self, r_t: DVec2) -> f64 {
        -(self.b_n + self.contact.w_nt.dot(r_t)) / self.contact.w_nn
    }

    /// Returns the impulse of a contact that slides with `alpha`, in the axes of the contact.
    fn impulse(&self, alpha: f64) -> DVec3 {
        // The frictionless limit.
        let r_t = if alpha == f64::INFINITY { DVec2::ZERO } else { self.solve_shifted(alpha, self.c) };
        join(self.normal(r_t), self.contact.axis.rotate(r_t))
    }

    /// Returns the sliding velocity per impulse: zero for a sticking contact.
    fn alpha(&self) -> f64 {
        if self.c == DVec2::ZERO || self.excess(0.0).0 >= 0.0 {
            return 0.0;
        }
        // |r_T| <= |c| / alpha, so the impulse is within the cone for this value of alpha and all larger ones.
        let most = self.c.length() * (self.contact.w_nn + self.contact.mu * self.contact.w_nt.length())
            / (self.contact.mu * -self.b_n);
        if most < 1e100 { self.root(most) } else { f64::INFINITY }
    }

    /// Returns `mu r_N / |r_T| - 1` and its derivative. It is nearly linear in `alpha`, like `1 / |r_T|`.
    fn excess(&self, alpha: f64) -> (f64, f64) {
        let r_t = self.solve_shifted(alpha, self.c);
        let change = self.solve_shifted(alpha, r_t);
        let inverse = 1.0 / r_t.length();
        let share = self.contact.mu * self.normal(r_t) * inverse;
        let normal_change = -self.contact.w_nt.dot(change) / self.contact.w_nn;
        (share - 1.0, self.contact.mu * normal_change * inverse - share * r_t.dot(change) * inverse * inverse)
    }

    /// Returns the root of the excess by Newton's method, safeguarded by a bracket. The excess is negative at zero and
    /// not negative at `most`.
    fn root(&self, most: f64) -> f64 {
        let (mut low, mut high) = (0.0, most);
        let mut alpha = 0.0;
        // Bisection alone would need fewer steps: about one for each bit of a double.
        for _ in 0..200 {
            let (value, slope) = self.excess(alpha);
            if value.abs() <= 2.0 * f64::EPSILON {
                break;
            }
            if value < 0.0 {
                low = alpha
            } else {
                high = alpha
            }
            let newton = alpha - value / slope;
            let next = if newton > low && newton < high { newton } else { middle(low, high) };
            if next <= low || next >= high {
                break;
            }
            alpha = next;
        }
        alpha
    }
}

/// Returns a point between two numbers: their mean, or their geometric mean if they differ by orders of magnitude.
fn middle(low: f64, high: f64) -> f64 {
    if low > 0.0 && high > 4.0 * low { (low * high).sqrt() } else { 0.5 * (low + high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::cone::natural_map;
    use fibra_core::random::CounterRng;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Case {
        TakeOff,
        Stick,
        Slide,
    }

    fn case(mu: f64, r: DVec3) -> Case {
        match () {
            _ if r == DVec3::ZERO => Case::TakeOff,
            _ if tangent(r).length() < mu * r.x * (1.0 - 1e-9) => Case::Stick,
            _ => Case::Slide,
        }
    }

    /// Checks each condition of Coulomb's law, relative to the size of the summed terms.
    fn assert_satisfies_coulomb(mu: f64, w: &DMat3, b: DVec3, r: DVec3, tolerance: f64) {
        let u = *w * r + b;
        let tolerance_u =
            tolerance * b.length().max(w.to_cols_array().iter().fold(0.0f64, |a, x| a.max(x.abs())) * r.length());
        let tolerance_r = tolerance * r.length();
        let (u_t, r_t) = (tangent(u), tangent(r));
        let message = || format!("mu {mu} w {w} b {b} r {r} u {u}");
        assert!(r.x >= 0.0 && u.x >= -tolerance_u, "{}", message());
        assert!(r_t.length() <= mu * r.x + tolerance_r, "{}", message());
        match case(mu, r) {
            Case::TakeOff => {}
            Case::Stick => assert!(u.length() <= tolerance_u, "{}", message()),
            Case::Slide => {
                assert!(u.x.abs() <= tolerance_u, "{}", message());
                // Friction is opposite to the motion, and of full size unless the contact is at rest.
                assert!(
                    (u_t * r_t.length() + r_t * u_t.length()).length() <= 2.0 * tolerance_u * r_t.length(),
                    "{}",
                    message()
                );
                assert!(u_t.length() <= tolerance_u || (r_t.length() - mu * r.x).abs() <= tolerance_r, "{}", message());
            }
        }
    }

    fn random(rng: &CounterRng, index: [u64; 3]) -> DVec3 {
        2.0 * rng.uniform_in_cube(index) - DVec3::ONE
    }

    /// Returns a random symmetric matrix of the given rank.
    fn mobility(rng: &CounterRng, i: u64, rank: usize) -> DMat3 {
        let mut w = DMat3::ZERO;
        for k in 0..rank {
            let v = random(rng, [i, 1 + k as u64, 0]);
            w += DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        }
        w
    }

    fn run(count: u64, seed: u64, tolerance: f64, w: impl Fn(&CounterRng, u64) -> DMat3) -> [usize; 3] {
        let rng = CounterRng::new(seed);
        let mut seen = [0; 3];
        for i in 0..count {
            let mu = 2.0 * rng.uniform(&[i, 77]).powi(2);
            let w = w(&rng, i);
            let b = random(&rng, [i, 0, 0]);
            let r = OneContact::new(mu, &w).solve(b).unwrap_or_else(|| panic!("mu {mu} w {w} b {b}"));
            assert_satisfies_coulomb(mu, &w, b, r, tolerance);
            seen[case(mu, r) as usize] += 1;
        }
        seen
    }

    #[test]
    fn random_contacts_satisfy_coulombs_law() {
        let seen = run(20_000, 1, 1e-12, |rng, i| mobility(rng, i, 3) + 1e-3 * DMat3::IDENTITY);
        assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    }

    #[test]
    fn ill_conditioned_contacts_satisfy_coulombs_law() {
        let seen = run(20_000, 2, 1e-12, |rng, i| mobility(rng, i, 3));
        assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    }

    #[test]
    fn unsymmetric_contacts_satisfy_coulombs_law() {
        let seen = run(20_000, 3, 1e-12, |rng, i| {
            let skew = 1e-3 * random(rng, [i, 5, 0]);
            let cross = DMat3::from_cols(
                DVec3::new(0.0, skew.z, -skew.y),
                DVec3::new(-skew.z, 0.0, skew.x),
                DVec3::new(skew.y, -skew.x, 0.0),
            );
            mobility(rng, i, 3) + 0.1 * DMat3::IDENTITY + cross
        });
        assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    }

    /// A contact whose block has rank one or two sticks or slides like any other, provided that its impulse can stop
    /// the velocity.
    #[test]
    fn singular_contacts_satisfy_coulombs_law() {
        let rng = CounterRng::new(4);
        let mut seen = [0; 3];
        for i in 0..20_000 {
            let mu = 2.0 * rng.uniform(&[i, 77]).powi(2);
            let w = mobility(&rng, i, 1 + i as usize % 2);
            let b = w * random(&rng, [i, 0, 0]);
            let r = OneContact::new(mu, &w).solve(b).unwrap_or_else(|| panic!("mu {mu} w {w} b {b}"));
            assert_satisfies_coulomb(mu, &w, b, r, 1e-12);
            seen[case(mu, r) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }

    #[test]
    fn solutions_match_closed_forms() {
        let w = DMat3::from_diagonal(DVec3::new(2.0, 4.0, 4.0));
        // Without friction: normal impulse only.
        assert_eq!(OneContact::new(0.0, &w).solve(DVec3::new(-1.0, 1.0, 0.0)), Some(DVec3::new(0.5, 0.0, 0.0)));
        // r_N = 1/2, so friction stops at most 4 mu / 2 of the sliding.
        let r = OneContact::new(0.25, &w).solve(DVec3::new(-1.0, 1.5, 2.0)).unwrap();
        assert!((r - DVec3::new(0.5, -0.075, -0.1)).length() < 1e-15, "{r}");
        let r = OneContact::new(0.25, &w).solve(DVec3::new(-1.0, 0.3, 0.4)).unwrap();
        assert!((r - DVec3::new(0.5, -0.075, -0.1)).length() < 1e-15, "{r}");
        // A contact that no impulse moves cannot be stopped.
        assert_eq!(OneContact::new(0.25, &DMat3::ZERO).solve(-DVec3::X), None);
        assert_eq!(OneContact::new(0.25, &DMat3::ZERO).solve(DVec3::X), Some(DVec3::ZERO));
    }

    #[test]
    fn extreme_magnitudes_satisfy_coulombs_law() {
        for scale in [1e-100, 1e-9, 1.0, 1e9, 1e100] {
            for mu in [1e-200, 1e-12, 0.5, 1e6] {
                let w = scale * DMat3::from_cols_array(&[15.0, -1.0, -2.0, -1.0, 14.0, 1.0, -2.0, 1.0, 16.0]);
                for b in [DVec3::new(-1.0, 2.0, 3.0), DVec3::new(-1e-12, 2.0, 3.0), DVec3::new(-1.0, 0.0, 0.0)] {
                    let r = OneContact::new(mu, &w).solve(b).unwrap();
                    let scaled = natural_map(mu, w * r + b, r * scale * 15.0).length();
                    assert!(scaled < 1e-12 * (1.0 + mu), "{scale} {mu} {b}: {r}, {scaled}");
                }
            }
        }
    }
}
