//! Anderson acceleration of a fixed-point iteration: combines the last iterates so that their combined step is as short
//! as possible.

use glam::DVec3;

/// Number of stored iterates.
const DEPTH: usize = 8;
/// Relative size below which a direction of the small system counts as linearly dependent [-].
const SINGULAR: f64 = 1e-12;

/// Result of one iteration, and the step from its input to its result.
#[derive(Clone, Debug)]
struct Image {
    r: Vec<DVec3>,
    v: Vec<f64>,
    step: Vec<DVec3>,
}

/// The last iterates.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    images: Vec<Image>,
}

impl Anderson {
    /// Clears the history.
    pub fn clear(&mut self) {
        self.images.clear();
    }

    /// Stores one iteration, which mapped `before` to `r` with velocities `v`, and replaces `r` and `v` by an
    /// accelerated iterate. The velocities are combined with the same weights as the impulses. This is consistent,
    /// because velocities are affine in the impulses and the weights sum to one.
    pub fn improve(&mut self, before: &[DVec3], r: &mut [DVec3], v: &mut [f64]) {
        if self.images.len() == DEPTH {
            self.images.remove(0);
        }
        let step = r.iter().zip(before).map(|(r, before)| *r - *before).collect();
        self.images.push(Image { r: r.to_vec(), v: v.to_vec(), step });
        let Some(weights) = self.weights() else { return };
        r.fill(DVec3::ZERO);
        v.fill(0.0);
        for (weight, image) in weights.iter().zip(&self.images) {
            r.iter_mut().zip(&image.r).for_each(|(r, image)| *r += *weight * *image);
            v.iter_mut().zip(&image.v).for_each(|(v, image)| *v += *weight * image);
        }
    }

    /// Returns the weights, summing to one, that minimize the length of the combined step.
    fn weights(&self) -> Option<Vec<f64>> {
        let n = self.images.len();
        if n < 2 {
            return None;
        }
        let last = &self.images[n - 1].step;
        // In terms of differences to the last step: minimize |last + sum c_j (step_j - last)|.
        let difference = |j: usize| self.images[j].step.iter().zip(last).map(|(step, last)| *step - *last);
        let mut normal = [[0.0; DEPTH]; DEPTH];
        let mut rhs = [0.0; DEPTH];
        for i in 0..n - 1 {
            for j in 0..=i {
                normal[i][j] = difference(i).zip(difference(j)).map(|(a, b)| a.dot(b)).sum();
                normal[j][i] = normal[i][j];
            }
            rhs[i] = -difference(i).zip(last).map(|(a, b)| a.dot(*b)).sum::<f64>();
        }
        let c = solve_small(&mut normal, &mut rhs, n - 1);
        let mut weights = c[..n - 1].to_vec();
        weights.push(1.0 - c[..n - 1].iter().sum::<f64>());
        weights.iter().all(|weight| weight.is_finite()).then_some(weights)
    }
}

/// Solves the leading `n` equations of a symmetric positive semidefinite system, skipping dependent directions.
fn solve_small(a: &mut [[f64; DEPTH]; DEPTH], b: &mut [f64; DEPTH], n: usize) -> [f64; DEPTH] {
    let largest = (0..n).map(|i| a[i][i]).fold(0.0, f64::max);
    let mut used = [false; DEPTH];
    // Gauss-Jordan elimination with diagonal pivoting.
    for _ in 0..n {
        let free = (0..n).filter(|&i| !used[i] && a[i][i] > SINGULAR * largest);
        let Some(pivot) = free.max_by(|&i, &j| a[i][i].total_cmp(&a[j][j])) else { break };
        used[pivot] = true;
        let inverse = 1.0 / a[pivot][pivot];
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = a[row][pivot] * inverse;
            (0..n).for_each(|column| a[row][column] -= factor * a[pivot][column]);
            b[row] -= factor * b[pivot];
        }
    }
    std::array::from_fn(|i| if used[i] { b[i] / a[i][i] } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With acceleration, a linear iteration in six dimensions converges after seven steps, however slowly it converges
    /// without acceleration.
    #[test]
    fn linear_iterations_converge_in_as_many_steps_as_dimensions() {
        let rates = [DVec3::new(0.99, 0.9, 0.5), DVec3::new(-0.9, 0.97, 0.2)];
        let end = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 0.5, 4.0)];
        let mut anderson = Anderson::default();
        let mut r = [DVec3::ZERO; 2];
        for _ in 0..8 {
            let before = r;
            let mut next: [DVec3; 2] = std::array::from_fn(|i| end[i] + rates[i] * (r[i] - end[i]));
            let mut v = [next[0].x + 10.0];
            anderson.improve(&before, &mut next, &mut v);
            assert!((v[0] - next[0].x - 10.0).abs() < 1e-9);
            r = next;
        }
        assert!(r.iter().zip(end).all(|(r, end)| r.distance(end) < 1e-6), "{r:?}");
    }
}
