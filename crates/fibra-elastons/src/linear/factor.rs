//! A Cholesky factor that serves as a preconditioner. Single precision suffices for this purpose and halves the time to
//! read the factor.
//!
//! Rounding the factor of a matrix with condition number `c` to single precision perturbs it by about `6e-8 sqrt(c)`.
//! Conjugate gradients correct this in a few iterations. Elimination in single precision takes half as long as in
//! double precision. However, it perturbs the matrix by `6e-8 c`, and fails if this perturbation is about one.

use std::sync::Mutex;

use rayon::prelude::*;

use super::dense::Stored;
use super::elimination::Elimination;
use super::matrix::BlockMatrix;
use super::substitution::Substitution;
use super::symbolic::{Front, Symbolic};

/// Precision of the elimination. The factor is always stored in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// For condition numbers up to about a million, after scaling the diagonal to one.
    Single,
    /// For all other matrices. It takes twice as long.
    Double,
}

/// The matrix is not positive definite to within rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite at sample {sample}")]
pub struct NotPositive {
    /// A sample whose pivot is not positive.
    pub sample: usize,
}

/// A Cholesky factor, stored front by front.
#[derive(Debug, Default)]
pub struct Factor {
    /// The columns of each front's pivots, one front after the other.
    panels: Vec<Stored>,
    /// Scaling of rows and columns that makes the diagonal one, so that values in any unit stay within the range of the
    /// storage type.
    scales: Vec<f64>,
    /// Memory of completed fronts, for reuse.
    spare_single: Mutex<Vec<Vec<f32>>>,
    /// The same memory, in double precision.
    spare_double: Mutex<Vec<Vec<f64>>>,
    /// Vectors of a solve, for reuse.
    vectors: Mutex<Vec<Stored>>,
}

impl Factor {
    /// Factors a matrix. On failure, the factor is invalid until the next success; in single precision, rounding alone may be the cause.
    pub fn factorize(
        &mut self,
        symbolic: &Symbolic,
        matrix: &BlockMatrix,
        arithmetic: Arithmetic,
    ) -> Result<(), NotPositive> {
        self.panels.resize(symbolic.factor_values(), Stored::default());
        self.scales.clear();
        for sample in 0..symbolic.pattern.samples() {
            // The diagonal block is the first of its column.
            let block = matrix.block(symbolic.pattern.blocks_of(sample).start);
            self.scales.extend(block.iter().step_by(symbolic.block + 1).map(|diagonal| diagonal.sqrt().recip()));
        }
        // Also rejects NaN.
        if let Some(wrong) = self.scales.iter().position(|&scale| !(scale > 0.0 && scale < f64::INFINITY)) {
            return Err(NotPositive { sample: wrong / symbolic.block });
        }
        let (panels, scales) = (&mut self.panels, &self.scales);
        match arithmetic {
            Arithmetic::Single => Elimination { symbolic, matrix, scales, spare: &self.spare_single }.run_all(panels),
            Arithmetic::Double => Elimination { symbolic, matrix, scales, spare: &self.spare_double }.run_all(panels),
        }
    }

    /// Solves with the last matrix that was factored with this symbolic factorization.
    pub fn solve_in_place(&self, symbolic: &Symbolic, rhs: &mut [f64]) {
        let b = symbolic.block;
        rhs.iter_mut().zip(&self.scales).for_each(|(rhs, scale)| *rhs *= scale);
        let largest = rhs.iter().fold(0.0f64, |largest, rhs| largest.max(rhs.abs()));
        if largest == 0.0 {
            return;
        }
        // The right-hand side is normalized to be within the range of the storage type.
        rhs.iter_mut().for_each(|rhs| *rhs /= largest);
        let length = symbolic.fronts.iter().map(Front::size).sum::<usize>() * b;
        let mut vectors = self.vectors.lock().map(|mut vectors| std::mem::take(&mut *vectors)).unwrap_or_default();
        vectors.resize(length, Stored::default());
        let task = Substitution { symbolic, rhs };
        let size = |front: &Front| front.size() * b;
        let panel = |front: &Front| front.panel() * b * b;
        let parts = symbolic.split_mut(&symbolic.roots, 0, size, &mut vectors);
        let panels = symbolic.split(&symbolic.roots, 0, panel, &self.panels);
        parts.into_par_iter().zip(panels).for_each(|((root, vectors), panels)| {
            task.forward(root, panels, vectors);
            task.backward(root, panels, vectors, &[]);
        });
        let mut at = 0;
        for front in &symbolic.fronts {
            for pivot in 0..front.pivots {
                let sample = symbolic.order[front.first + pivot] as usize;
                let from = &vectors[at + pivot * b..][..b];
                let to = rhs[sample * b..][..b].iter_mut().zip(&self.scales[sample * b..]);
                to.zip(from).for_each(|((to, scale), from)| *to = largest * scale * f64::from(*from));
            }
            at += front.size() * b;
        }
        if let Ok(mut kept) = self.vectors.lock() {
            *kept = vectors;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::conjugate_gradients::{Outcome, Stop, Workspace, conjugate_gradients};
    use crate::linear::tests::{dense, matrix_of_cliques, random_matrix, random_vector, with_threads};
    use faer::prelude::Solve;
    use glam::DVec3;

    fn plan(matrix: &BlockMatrix) -> Symbolic {
        let positions: Vec<DVec3> = (0..matrix.pattern().samples()).map(|i| DVec3::X * i as f64).collect();
        Symbolic::new(matrix.pattern().clone(), matrix.block_size(), &positions)
    }

    const BOTH: [Arithmetic; 2] = [Arithmetic::Single, Arithmetic::Double];

    fn solve(matrix: &BlockMatrix, rhs: &[f64], arithmetic: Arithmetic) -> Vec<f64> {
        let symbolic = plan(matrix);
        let mut factor = Factor::default();
        factor.factorize(&symbolic, matrix, arithmetic).unwrap();
        let mut x = rhs.to_vec();
        factor.solve_in_place(&symbolic, &mut x);
        x
    }

    /// Solves by conjugate gradients from zero to a tolerance of 1e-12.
    fn refine(symbolic: &Symbolic, factor: &Factor, matrix: &BlockMatrix, rhs: &[f64]) -> (Vec<f64>, Outcome) {
        let mut x = vec![0.0; rhs.len()];
        let precondition = |x: &[f64], y: &mut [f64]| {
            y.copy_from_slice(x);
            factor.solve_in_place(symbolic, y);
        };
        let stop = Stop { tolerance: 1e-12, max_iterations: 50 };
        let outcome = conjugate_gradients(
            |x, y| matrix.multiply(x, y),
            precondition,
            rhs,
            &mut x,
            stop,
            &mut Workspace::default(),
        );
        (x, outcome)
    }

    /// Includes disconnected graphs, with isolated samples and groups. The condition numbers are a few tens.
    #[test]
    fn solutions_match_the_dense_matrix() {
        for (samples, block) in [(0, 12), (1, 12), (1, 30), (2, 30), (30, 30), (61, 12), (40, 7)] {
            let matrix = random_matrix(samples, block, 8);
            let rhs = random_vector(matrix.unknowns(), 1);
            let expected = dense(&matrix).llt(faer::Side::Lower).unwrap().solve(faer::ColRef::from_slice(&rhs));
            let error = |x: &[f64]| {
                let largest = x.iter().enumerate().map(|(i, x)| (x - expected[i]).abs()).fold(0.0, f64::max);
                if x.is_empty() { 0.0 } else { largest / expected.norm_max() }
            };
            for arithmetic in BOTH {
                let direct = error(&solve(&matrix, &rhs, arithmetic));
                assert!(direct < 100.0 * f64::from(f32::EPSILON), "{samples} x {block}: {direct}");
                let symbolic = plan(&matrix);
                let mut factor = Factor::default();
                factor.factorize(&symbolic, &matrix, arithmetic).unwrap();
                let (x, outcome) = refine(&symbolic, &factor, &matrix, &rhs);
                assert!(outcome.converged && outcome.iterations <= 3, "{samples} x {block}: {outcome:?}");
                assert!(error(&x) < 1e-10, "{samples} x {block}: {}", error(&x));
            }
        }
    }

    #[test]
    fn bitwise_identical_for_any_number_of_threads() {
        let matrix = random_matrix(100, 30, 2);
        let rhs = random_vector(matrix.unknowns(), 3);
        for arithmetic in BOTH {
            let x = with_threads(1, || solve(&matrix, &rhs, arithmetic));
            assert_eq!(x, with_threads(2, || solve(&matrix, &rhs, arithmetic)));
            assert_eq!(x, with_threads(3, || solve(&matrix, &rhs, arithmetic)));
        }
    }

    /// A new factor replaces the old factor. The old factor would need more iterations.
    #[test]
    fn a_factor_is_replaced_by_the_next() {
        let before = random_matrix(50, 12, 2);
        let mut after = random_matrix(50, 12, 2);
        for sample in 0..25 {
            after.column_mut(sample)[..144].iter_mut().step_by(13).for_each(|value| *value += 3.0);
        }
        let symbolic = plan(&before);
        let rhs = random_vector(600, 3);
        let mut factor = Factor::default();
        factor.factorize(&symbolic, &before, Arithmetic::Double).unwrap();
        let (old, slow) = refine(&symbolic, &factor, &after, &rhs);
        factor.factorize(&symbolic, &after, Arithmetic::Double).unwrap();
        let (new, quick) = refine(&symbolic, &factor, &after, &rhs);
        assert!(
            slow.converged && quick.converged && quick.iterations <= 3 && slow.iterations > 5,
            "{slow:?} {quick:?}"
        );
        assert!(old.iter().zip(&new).all(|(old, new)| (old - new).abs() < 1e-10));
    }

    /// Condition number 1e8: single precision fails with a negative pivot or takes many iterations, double precision does not. Scaling by
    /// 1e-30 changes nothing.
    #[test]
    fn ill_conditioned_matrices_need_double_precision() {
        let cliques: Vec<Vec<u32>> = (0..60).map(|i| vec![i, i + 1, i + 2]).collect();
        let mut matrix = matrix_of_cliques(62, 12, &cliques, 8, 1e-7, 4);
        let rhs = random_vector(matrix.unknowns(), 3);
        let symbolic = plan(&matrix);
        let mut factor = Factor::default();
        let mut outcome = |matrix: &BlockMatrix, arithmetic| {
            factor.factorize(&symbolic, matrix, arithmetic).ok().map(|()| refine(&symbolic, &factor, matrix, &rhs).1)
        };
        let double = outcome(&matrix, Arithmetic::Double).unwrap();
        assert!(double.converged && double.iterations <= 6, "{double:?}");
        let single = outcome(&matrix, Arithmetic::Single);
        assert!(single.is_none_or(|single| single.iterations > double.iterations), "{single:?}");
        matrix.values_mut().iter_mut().for_each(|value| *value *= 1e-30);
        let tiny = outcome(&matrix, Arithmetic::Double).unwrap();
        assert!(tiny.converged && tiny.iterations <= 6, "{tiny:?}");
    }

    /// The fronts of a rod form a chain. Neither its length nor the number of threads may overflow a stack.
    #[test]
    fn a_long_rod_does_not_overflow_the_stack() {
        for samples in [800, 1500, 3000] {
            let cliques: Vec<Vec<u32>> = (0..samples - 4).map(|i| (i..i + 5).collect()).collect();
            let matrix = matrix_of_cliques(samples as usize, 12, &cliques, 6, 1.0, 4);
            let rhs = random_vector(matrix.unknowns(), 3);
            let x = with_threads(2, || solve(&matrix, &rhs, Arithmetic::Double));
            let mut back = vec![0.0; x.len()];
            matrix.multiply(&x, &mut back);
            assert!(back.iter().zip(&rhs).all(|(back, rhs)| (back - rhs).abs() < 1e-3));
        }
    }

    #[test]
    fn a_singular_matrix_is_rejected_with_its_sample() {
        for (block, arithmetic) in [12, 30].into_iter().zip(BOTH) {
            // One sample is unconstrained.
            let mut matrix = matrix_of_cliques(20, block, &[(0..20).filter(|&i| i != 13).collect()], 3, 1.0, 1);
            matrix.column_mut(13).fill(0.0);
            let mut factor = Factor::default();
            let symbolic = plan(&matrix);
            assert_eq!(factor.factorize(&symbolic, &matrix, arithmetic), Err(NotPositive { sample: 13 }));
            // NaN, negative and infinite.
            for wrong in [f64::NAN, -1.0, f64::INFINITY] {
                matrix.column_mut(13)[0] = wrong;
                assert_eq!(factor.factorize(&symbolic, &matrix, arithmetic), Err(NotPositive { sample: 13 }));
            }
            // Two unknowns of a sample are constrained only relative to each other.
            matrix.column_mut(13).fill(0.0);
            (0..block).for_each(|i| matrix.column_mut(13)[i * block + i] = 1.0);
            matrix.column_mut(13)[1] = -1.0;
            matrix.column_mut(13)[block] = -1.0;
            assert_eq!(factor.factorize(&symbolic, &matrix, arithmetic), Err(NotPositive { sample: 13 }));
            // Two samples are constrained only relative to each other, so the last pivot vanishes.
            let mut pair = matrix_of_cliques(2, block, &[vec![0, 1]], 1, 0.0, 1);
            for column in [0, 1] {
                for (at, value) in pair.column_mut(column).iter_mut().enumerate() {
                    let (below, i, j) = (at / (block * block), at % block, at / block % block);
                    *value = if i != j { 0.0 } else { [1.0, -1.0][below] };
                }
            }
            assert!(factor.factorize(&plan(&pair), &pair, arithmetic).is_err());
        }
    }
}
