//! MINRES [Paige1975] for `(M + K) x = b`, where `M` holds the nodes' masses and `K` is symmetric, possibly indefinite.
//!
//! Lanczos vectors are velocities, orthogonal in the inner product `sum_i m_i a_i . b_i`. This is MINRES with the masses as
//! preconditioner, without scaling vectors by square roots of masses. The residual is non-increasing in the norm
//! `|r| = sqrt(sum_i |r_i|^2 / m_i)`.

use crate::grid_vector::{BlockSums, EMPTY, GridVector, clear_empty_blocks};
use crate::state::bytes_of;
use crate::workspace::Block;
use fibra_core::simd::dispatch;

/// The vectors of a solve.
#[derive(Debug, Default)]
pub struct Krylov {
    /// Output: the solution.
    pub solution: GridVector,
    /// Input: `M^-1 b`, with the masses as fourth components. Afterwards the newest Lanczos vector.
    pub basis: GridVector,
    older_basis: GridVector,
    image: GridVector,
    direction: GridVector,
    older_direction: GridVector,
}

impl Krylov {
    /// Resizes all vectors to `blocks` blocks.
    pub fn resize(&mut self, blocks: usize) {
        let Krylov { solution, basis, older_basis, image, direction, older_direction } = self;
        for vector in [solution, basis, older_basis, image, direction, older_direction] {
            vector.resize(blocks, EMPTY);
        }
    }

    /// Clears the vectors that products read, in blocks without mass.
    pub fn clear_outside(&mut self, filled: &[bool]) {
        [&mut self.basis, &mut self.older_basis, &mut self.image]
            .into_iter()
            .for_each(|v| clear_empty_blocks(v, filled));
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        let Krylov { solution, basis, older_basis, image, direction, older_direction } = self;
        [solution, basis, older_basis, image, direction, older_direction].into_iter().map(bytes_of).sum()
    }
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Maximum number of iterations.
    pub iterations: u32,
    /// Residual relative to the norm of the right-hand side [-].
    pub tolerance: f64,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Number of products computed.
    pub iterations: u32,
    /// Norm of the residual.
    pub residual: f64,
}

/// Solves for the right-hand side in `basis` of `vectors`, starting at zero. `apply` adds `K q` to a zero vector, for a `q` with masses as
/// fourth components, and returns `q . K q`; it may write anything to the fourth components.
///
/// Memory bandwidth dominates the cost, so one pass over the vectors does all the work of an iteration. The Lanczos vectors are stored
/// unnormalized with separate norms, and the update of the solution lags one iteration behind.
pub fn minres(
    vectors: &mut Krylov,
    blocks: &mut BlockSums,
    stop: Stop,
    mut apply: impl FnMut(&GridVector, &mut GridVector) -> f64,
) -> Solved {
    let Krylov { solution, basis, older_basis, image, direction, older_direction } = vectors;
    let start = blocks.sum(&mut *basis, |b| mass_norm2(b)).sqrt();
    let all = (&mut *older_basis, &mut *image, &mut *solution, &mut *direction, &mut *older_direction);
    blocks.update(all, |(a, b, c, d, e)| [a, b, c, d, e].into_iter().for_each(|v| *v = EMPTY));
    if start == 0.0 {
        return Solved { iterations: 0, residual: 0.0 };
    }
    // Names as in [Choi2011, Table 2.1]: (c, s) is the last Givens rotation. (delta, epsilon) are the entries that it leaves in the
    // next columns of the tridiagonal matrix. phi is the residual norm.
    let (mut c, mut s, mut delta, mut epsilon) = (-1.0f64, 0.0f64, 0.0f64, 0.0f64);
    let (mut norm, mut older_norm, mut phi) = (start, 1.0, start);
    let mut behind = Advance { basis: 0.0, direction: 0.0, older_direction: 0.0, step: 0.0 };
    let mut iterations = 0;
    while iterations < stop.iterations && phi > stop.tolerance * start && norm > 0.0 {
        iterations += 1;
        let alpha = 1.0 + apply(basis, image) / (norm * norm);
        let lanczos = [1.0 / norm, (1.0 - alpha) / norm, -norm / older_norm].map(|k| k as f32);
        let all = (&mut *image, &*basis, &mut *older_basis, &*direction, &mut *older_direction, &mut *solution);
        let next = blocks.sum(all, |all| iterate(all, lanczos, behind)).sqrt();
        std::mem::swap(direction, older_direction);
        // The image becomes the newest basis vector. The oldest vector's buffer is now zero and receives the next product.
        std::mem::swap(older_basis, basis);
        std::mem::swap(basis, image);

        let delta2 = c * delta + s * alpha;
        let gamma1 = s * delta - c * alpha;
        let gamma2 = gamma1.hypot(next);
        if !(gamma2 > 0.0 && gamma2.is_finite()) {
            // Singular along the new direction: no further progress is possible.
            behind = Advance { basis: 0.0, direction: 0.0, older_direction: 0.0, step: 0.0 };
            break;
        }
        let tau = gamma1 / gamma2 * phi;
        behind = Advance {
            basis: (1.0 / (norm * gamma2)) as f32,
            direction: (-delta2 / gamma2) as f32,
            older_direction: (-epsilon / gamma2) as f32,
            step: tau as f32,
        };
        (epsilon, delta) = (s * next, -c * next);
        (c, s) = (gamma1 / gamma2, next / gamma2);
        phi *= s;
        (older_norm, norm) = (norm, next);
    }
    blocks.update((&*older_basis, &*direction, &mut *older_direction, &mut *solution), |(q, d, older_d, x)| {
        catch_up(q, d, older_d, x, behind);
    });
    Solved { iterations, residual: phi }
}

/// Coefficients of the solution update. The new direction is a linear combination of the last Lanczos vector and the last two directions;
/// `step` is the step along this direction.
#[derive(Clone, Copy)]
struct Advance {
    basis: f32,
    direction: f32,
    older_direction: f32,
    step: f32,
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

/// The blocks of an iteration: image, newest and older Lanczos vector, newest and older direction, solution.
type Blocks<'a> = (&'a mut Block, &'a Block, &'a mut Block, &'a Block, &'a mut Block, &'a mut Block);

dispatch! {
    /// Computes the next Lanczos vector `lanczos . (M^-1 image, q, older)` in place of the image and returns its squared norm. Also applies the
    /// previous iteration's pending update of the solution, and clears the oldest vector.
    fn iterate[; for _V](blocks: Blocks<'_>, lanczos: [f32; 3], behind: Advance) -> f64 {
        let (t, q, older, d, older_d, x) = blocks;
        let mut sums = [0.0f64; 3];
        for n in 0..t.len() {
            let m = q[n][3];
            let inverse = if m > 0.0 { 1.0 / m } else { 0.0 };
            for k in 0..3 {
                let before = older[n][k];
                let new = behind.basis * before + behind.direction * d[n][k] + behind.older_direction * older_d[n][k];
                older_d[n][k] = new;
                x[n][k] += behind.step * new;
                t[n][k] = lanczos[0] * inverse * t[n][k] + lanczos[1] * q[n][k] + lanczos[2] * before;
                sums[k] += f64::from(m * t[n][k] * t[n][k]);
            }
            t[n][3] = m;
            older[n] = [0.0; 4];
        }
        sums[0] + sums[1] + sums[2]
    }
}

dispatch! {
    fn catch_up[; for _V](q: &Block, d: &Block, older_d: &Block, x: &mut Block, behind: Advance) {
        for n in 0..q.len() {
            for k in 0..3 {
                let new =
                    behind.basis * q[n][k] + behind.direction * d[n][k] + behind.older_direction * older_d[n][k];
                x[n][k] += behind.step * new;
            }
        }
    }
}

#[cfg(test)]
mod tests;
