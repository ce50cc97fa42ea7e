//! Random band systems with the structure of a strand's system, for testing solvers.

use crate::band::{BandSystem, HALF_BANDWIDTH};
use fibra_core::random::CounterRng;

/// Shift of the diagonal [-]. It bounds the smallest eigenvalue away from zero, so that solvers differ only by rounding.
const SHIFT: f64 = 2.0;

/// A symmetric positive definite band matrix and a right-hand side. All values are exact in `f32`, so that every solver gets the same system.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomBand {
    /// Entries `(j, j), (j + 1, j), ..., (j + 10, j)`, zero below the last row. [rows]
    pub columns: Vec<[f32; HALF_BANDWIDTH + 1]>,
    /// Right-hand side. [rows]
    pub rhs: Vec<f32>,
}

impl RandomBand {
    /// Returns system `number`: `B B^T` plus a diagonal shift, where `B` is a lower band matrix with entries between -1 and 1.
    pub fn new(number: u64, rows: usize) -> RandomBand {
        let rng = CounterRng::new(number);
        let between = |index: &[u64]| 2.0 * rng.uniform(index) - 1.0;
        // Row by row, from the diagonal to the left.
        let b: Vec<[f64; HALF_BANDWIDTH + 1]> = (0..rows)
            .map(|i| std::array::from_fn(|k| if k <= i { between(&[i as u64, k as u64]) } else { 0.0 }))
            .collect();
        let entry = |j: usize, a: usize| {
            if j + a >= rows {
                return 0.0;
            }
            let product: f64 = (a..=HALF_BANDWIDTH).map(|k| b[j + a][k] * b[j][k - a]).sum();
            (product + if a == 0 { SHIFT } else { 0.0 }) as f32
        };
        RandomBand {
            columns: (0..rows).map(|j| std::array::from_fn(|a| entry(j, a))).collect(),
            rhs: (0..rows).map(|i| between(&[i as u64]) as f32).collect(),
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rhs.len()
    }

    /// Returns the entry `(i, j)`.
    pub fn entry(&self, i: usize, j: usize) -> f32 {
        self.columns[i.min(j)].get(i.abs_diff(j)).copied().unwrap_or(0.0)
    }

    /// Writes the system into one lane; all lanes have the same size.
    pub fn put(&self, system: &mut BandSystem, lane: usize) {
        for (j, (entries, b)) in self.columns.iter().zip(&self.rhs).enumerate() {
            let Some(([column], [rhs])) = system.window::<1>(j) else { return };
            (0..=HALF_BANDWIDTH).for_each(|a| column[a][lane] = entries[a]);
            rhs[lane] = *b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_equal_those_of_b_bt() {
        let (n, system) = (14, RandomBand::new(5, 14));
        let between = |i: usize, k: usize| 2.0 * CounterRng::new(5).uniform(&[i as u64, k as u64]) - 1.0;
        let b = |i: usize, j: usize| if j <= i && i - j <= HALF_BANDWIDTH { between(i, i - j) } else { 0.0 };
        for i in 0..n {
            for j in 0..n {
                let expected: f64 = (0..n).map(|k| b(i, k) * b(j, k)).sum::<f64>() + if i == j { SHIFT } else { 0.0 };
                let expected = if i.abs_diff(j) > HALF_BANDWIDTH { 0.0 } else { expected };
                assert!((f64::from(system.entry(i, j)) - expected).abs() < 1e-6, "{i} {j}");
            }
        }
    }
}
