//! Anderson acceleration of a fixed-point iteration: combines the last iterates so that their combined step is as short
//! as possible.

use glam::DVec3;

/// Number of stored differences.
const DEPTH: usize = 7;
/// Relative size below which a direction of the small system counts as linearly dependent [-].
const SINGULAR: f64 = 1e-12;

/// Result of one iteration, and the step from its input to its result. Also the difference of two of them.
#[derive(Clone, Debug)]
struct Image {
    r: Vec<DVec3>,
    v: Vec<f64>,
    step: Vec<DVec3>,
}

impl Image {
    /// Subtracts `self` from a later image.
    fn subtract_from(&mut self, later: &Image) {
        self.r.iter_mut().zip(&later.r).for_each(|(mine, later)| *mine = *later - *mine);
        self.v.iter_mut().zip(&later.v).for_each(|(mine, later)| *mine = later - *mine);
        self.step.iter_mut().zip(&later.step).for_each(|(mine, later)| *mine = *later - *mine);
    }
}

/// The last iterates.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    last: Option<Image>,
    /// Differences of successive images; the oldest is replaced by the newest.
    differences: Vec<Image>,
    next: usize,
    /// Products of the steps of the differences.
    products: [[f64; DEPTH]; DEPTH],
}

impl Anderson {
    /// Clears the history.
    pub fn clear(&mut self) {
        *self = Anderson::default();
    }

    /// Stores one iteration, which mapped `before` to `r` with velocities `v`, and replaces `r` and `v` by an
    /// accelerated iterate. The velocities are combined with the same weights as the impulses. This is consistent,
    /// because velocities are affine in the impulses and the weights sum to one.
    pub fn improve(&mut self, before: &[DVec3], r: &mut [DVec3], v: &mut [f64]) {
        let step = r.iter().zip(before).map(|(r, before)| *r - *before).collect();
        let image = Image { r: r.to_vec(), v: v.to_vec(), step };
        if let Some(mut difference) = self.last.take() {
            difference.subtract_from(&image);
            self.store(difference);
        }
        for (weight, difference) in self.weights(&image.step).into_iter().flatten().zip(&self.differences) {
            r.iter_mut().zip(&difference.r).for_each(|(r, change)| *r -= weight * *change);
            v.iter_mut().zip(&difference.v).for_each(|(v, change)| *v -= weight * change);
        }
        self.last = Some(image);
    }

    fn store(&mut self, difference: Image) {
        let at = self.next;
        match self.differences.get_mut(at) {
            Some(oldest) => *oldest = difference,
            None => self.differences.push(difference),
        }
        self.next = (at + 1) % DEPTH;
        for (j, other) in self.differences.iter().enumerate() {
            let product = dot(&self.differences[at].step, &other.step);
            (self.products[at][j], self.products[j][at]) = (product, product);
        }
    }

    /// Returns the weights of the differences that minimize the length of `step` minus their weighted sum.
    fn weights(&self, step: &[DVec3]) -> Option<[f64; DEPTH]> {
        let mut products = self.products;
        let mut rhs = [0.0; DEPTH];
        rhs.iter_mut().zip(&self.differences).for_each(|(rhs, difference)| *rhs = dot(&difference.step, step));
        let weights = solve_small(&mut products, &mut rhs, self.differences.len());
        weights.iter().all(|weight| weight.is_finite()).then_some(weights)
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
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
