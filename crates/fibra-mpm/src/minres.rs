//! MINRES [Paige1975] for `(M + K) x = b` with `M` the nodes' masses and `K` symmetric, not necessarily definite.
//!
//! Lanczos vectors are velocities, orthogonal in the scalar product `sum_i m_i a_i . b_i`: this is the method with the masses as
//! preconditioner, and no vector is ever scaled by roots of masses. The residual never grows, in the norm
//! `|r| = sqrt(sum_i |r_i|^2 / m_i)`.

use crate::grid_vector::{BlockSums, EMPTY, GridVector, forget};
use crate::simd::dispatch;
use crate::state::bytes_of;
use crate::workspace::Block;

/// The vectors of a solve.
#[derive(Debug, Default)]
pub struct Krylov {
    /// The solution, out.
    pub solution: GridVector,
    /// In: `M^-1 b`, with the masses as fourth components; the newest Lanczos vector afterwards.
    pub basis: GridVector,
    older_basis: GridVector,
    image: GridVector,
    direction: GridVector,
    older_direction: GridVector,
}

impl Krylov {
    /// Makes room for as many blocks.
    pub fn resize(&mut self, blocks: usize) {
        let Krylov { solution, basis, older_basis, image, direction, older_direction } = self;
        for vector in [solution, basis, older_basis, image, direction, older_direction] {
            vector.resize(blocks, EMPTY);
        }
    }

    /// Sets to zero what products read in blocks that are not filled.
    pub fn forget_outside(&mut self, filled: &[bool]) {
        [&mut self.basis, &mut self.older_basis, &mut self.image].into_iter().for_each(|v| forget(v, filled));
    }

    /// Memory held [bytes].
    pub fn bytes(&self) -> usize {
        let Krylov { solution, basis, older_basis, image, direction, older_direction } = self;
        [solution, basis, older_basis, image, direction, older_direction].into_iter().map(bytes_of).sum()
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Most iterations.
    pub iterations: u32,
    /// Residual over the right-hand side's norm [-].
    pub tolerance: f64,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Products taken.
    pub iterations: u32,
    /// Norm of the residual.
    pub residual: f64,
}

/// Solves for the `basis` in `vectors`, starting at zero. `apply` writes `K q` for a `q` with masses as fourth components; it finds
/// the result's blocks as they were left, and may leave anything in the fourth components.
pub fn minres(
    vectors: &mut Krylov,
    blocks: &mut BlockSums,
    stop: Stop,
    mut apply: impl FnMut(&GridVector, &mut GridVector),
) -> Solved {
    let Krylov { solution, basis, older_basis, image, direction, older_direction } = vectors;
    let start = blocks.sum(&mut *basis, |b| mass_norm2(b)).sqrt();
    if start == 0.0 {
        blocks.update(&mut *solution, |x| *x = EMPTY);
        return Solved { iterations: 0, residual: 0.0 };
    }
    let wake = (&mut *basis, &mut *older_basis, &mut *solution, &mut *direction, &mut *older_direction);
    blocks.update(wake, |(basis, older, x, d, older_d)| {
        scale(basis, (1.0 / start) as f32);
        [older, x, d, older_d].into_iter().for_each(|v| *v = EMPTY);
    });
    // Names as in [Choi2011, Table 2.1]: the last rotation (c, s), what it leaves of the next columns of the tridiagonal
    // matrix (delta, epsilon), and the residual phi.
    let (mut c, mut s, mut delta, mut epsilon) = (-1.0f64, 0.0f64, 0.0f64, 0.0f64);
    let (mut beta, mut phi) = (0.0f64, start);
    for iteration in 1..=stop.iterations {
        apply(basis, image);
        let alpha = blocks.sum((&mut *image, &*basis), |(t, q)| add_mass(t, q));
        let (a, b) = (alpha as f32, beta as f32);
        let next2 = blocks.sum((&mut *image, &*basis, &*older_basis), |(t, q, older)| orthogonalize(t, q, older, a, b));
        let next = next2.sqrt();
        let delta2 = c * delta + s * alpha;
        let gamma1 = s * delta - c * alpha;
        let (epsilon_next, delta_next) = (s * next, -c * next);
        let gamma2 = gamma1.hypot(next);
        if !(gamma2 > 0.0 && gamma2.is_finite()) {
            // Singular along the new direction: nothing is left to gain.
            return Solved { iterations: iteration, residual: phi };
        }
        (c, s) = (gamma1 / gamma2, next / gamma2);
        let tau = c * phi;
        phi *= s;
        // The directions are not orthogonal but a three-term recurrence away from the Lanczos vectors.
        let terms = [delta2, epsilon, 1.0 / gamma2, tau].map(|k| k as f32);
        let normalize = if next > 0.0 { (1.0 / next) as f32 } else { 0.0 };
        let all = (&mut *image, &*basis, &*direction, &mut *older_direction, &mut *solution);
        blocks.update(all, |(t, q, d, older_d, x)| advance(t, q, d, older_d, x, terms, normalize));
        (beta, delta, epsilon) = (next, delta_next, epsilon_next);
        // The new vector is in `image`, the oldest one makes room for the next.
        std::mem::swap(older_basis, basis);
        std::mem::swap(basis, image);
        std::mem::swap(direction, older_direction);
        if phi <= stop.tolerance * start || next == 0.0 {
            return Solved { iterations: iteration, residual: phi };
        }
    }
    Solved { iterations: stop.iterations, residual: phi }
}

dispatch! {
    fn mass_norm2[; for _V](a: &Block) -> f64 {
        let mut sums = [0.0f64; 3];
        for a in a {
            for k in 0..3 {
                sums[k] += f64::from(a[3] * a[k] * a[k]);
            }
        }
        sums[0] + sums[1] + sums[2]
    }
}

dispatch! {
    fn scale[; for _V](a: &mut Block, factor: f32) {
        for a in a {
            *a = [a[0] * factor, a[1] * factor, a[2] * factor, a[3]];
        }
    }
}

dispatch! {
    /// `t <- M^-1 t + q`; returns their product with `M q`.
    fn add_mass[; for _V](t: &mut Block, q: &Block) -> f64 {
        let mut sums = [0.0f64; 3];
        for (t, q) in t.iter_mut().zip(q) {
            let m = q[3];
            let inverse = if m > 0.0 { 1.0 / m } else { 0.0 };
            for k in 0..3 {
                t[k] = t[k] * inverse + q[k];
                sums[k] += f64::from(m * q[k] * t[k]);
            }
            t[3] = m;
        }
        sums[0] + sums[1] + sums[2]
    }
}

dispatch! {
    /// `t <- t - alpha q - beta older`; returns its squared norm.
    fn orthogonalize[; for _V](t: &mut Block, q: &Block, older: &Block, alpha: f32, beta: f32) -> f64 {
        let mut sums = [0.0f64; 3];
        for ((t, q), older) in t.iter_mut().zip(q).zip(older) {
            for k in 0..3 {
                t[k] -= alpha * q[k] + beta * older[k];
                sums[k] += f64::from(t[3] * t[k] * t[k]);
            }
        }
        sums[0] + sums[1] + sums[2]
    }
}

dispatch! {
    /// The new direction `(q - delta d - epsilon older_d) / gamma` in the place of the oldest, a step of `tau` along it, and the
    /// next Lanczos vector.
    fn advance[; for _V](
        t: &mut Block, q: &Block, d: &Block, older_d: &mut Block, x: &mut Block, terms: [f32; 4], normalize: f32,
    ) {
        let [delta, epsilon, inverse_gamma, tau] = terms;
        for n in 0..t.len() {
            for k in 0..3 {
                let new = (q[n][k] - delta * d[n][k] - epsilon * older_d[n][k]) * inverse_gamma;
                older_d[n][k] = new;
                x[n][k] += tau * new;
                t[n][k] *= normalize;
            }
        }
    }
}

#[cfg(test)]
mod tests;
