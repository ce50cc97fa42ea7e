//! Factors `A = L D L^T` of symmetric band matrices that may be indefinite. By Sylvester's law, the negative entries of `D` count the negative
//! eigenvalues of `A`.

use crate::band::SymmetricBand;

/// A factor without pivoting: it exists unless a leading minor vanishes.
#[derive(Clone, Debug)]
pub struct BandLdl {
    /// Rows of the unit lower triangle, from the first column of the band to the diagonal.
    rows: Vec<Vec<f64>>,
    pivots: Vec<f64>,
}

impl BandLdl {
    /// Factors a matrix. Returns `None` if a pivot is zero or not finite.
    pub fn new(matrix: &SymmetricBand) -> Option<BandLdl> {
        let (n, width) = (matrix.len(), matrix.width());
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(n);
        let mut pivots: Vec<f64> = Vec::with_capacity(n);
        for i in 0..n {
            let from = i.saturating_sub(width);
            let mut row: Vec<f64> = (from..i).map(|j| matrix.get(i, j)).collect();
            let mut pivot = matrix.get(i, i);
            for j in from..i {
                let first = j.saturating_sub(width);
                let shared = from.max(first);
                let known: f64 = (shared..j).map(|k| row[k - from] * rows[j][k - first]).sum();
                // Until column j is divided by its pivot, the row holds L D.
                row[j - from] -= known;
            }
            for j in from..i {
                let scaled = row[j - from];
                row[j - from] = scaled / pivots[j];
                pivot -= scaled * row[j - from];
            }
            if pivot == 0.0 || !pivot.is_finite() {
                return None;
            }
            rows.push(row);
            pivots.push(pivot);
        }
        Some(BandLdl { rows, pivots })
    }

    /// Returns the number of negative eigenvalues of the matrix.
    pub fn negative_eigenvalues(&self) -> usize {
        self.pivots.iter().filter(|pivot| **pivot < 0.0).count()
    }

    /// Replaces the right-hand side `b` by the solution of `A x = b`.
    pub fn solve(&self, b: &mut [f64]) {
        let from = |i: usize| i - self.rows[i].len();
        for i in 0..b.len() {
            let known: f64 = self.rows[i].iter().zip(&b[from(i)..i]).map(|(l, x)| l * x).sum();
            b[i] -= known;
        }
        b.iter_mut().zip(&self.pivots).for_each(|(x, pivot)| *x /= pivot);
        for i in (0..b.len()).rev() {
            let x = b[i];
            b[from(i)..i].iter_mut().zip(&self.rows[i]).for_each(|(b, l)| *b -= l * x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    fn noise(seed: u64, i: usize, j: usize) -> f64 {
        2.0 * CounterRng::new(seed).uniform(&[i as u64, j as u64]) - 1.0
    }

    /// `A = L D L^T` with known signs of `D` has as many negative eigenvalues.
    #[test]
    fn negative_eigenvalues_are_counted_and_solutions_satisfy_their_equations() {
        for (seed, n, width, negative) in [(1, 12, 3, 0), (2, 25, 6, 1), (3, 40, 10, 7), (4, 6, 5, 6)] {
            let l = |i: usize, j: usize| match i.checked_sub(j) {
                Some(0) => 1.0,
                Some(distance) if distance <= width => noise(seed, i, j),
                _ => 0.0,
            };
            let d = |k: usize| (1.0 + noise(seed, k, 1000).abs()) * if k % n < negative { -1.0 } else { 1.0 };
            let mut a = SymmetricBand::zeros(n, width);
            for i in 0..n {
                for j in i.saturating_sub(width)..=i {
                    a.add(i, j, (0..=j).map(|k| l(i, k) * d(k) * l(j, k)).sum());
                }
            }
            let factor = BandLdl::new(&a).unwrap();
            assert_eq!(factor.negative_eigenvalues(), negative);
            let x: Vec<f64> = (0..n).map(|i| noise(seed, i, 2000)).collect();
            let mut b = vec![0.0; n];
            a.multiply_add(1.0, &x, &mut b);
            factor.solve(&mut b);
            assert!(x.iter().zip(&b).all(|(x, b)| (x - b).abs() < 1e-7), "{seed}");
        }
        assert!(BandLdl::new(&SymmetricBand::zeros(3, 1)).is_none());
    }
}
