//! Linear solver of a step. The matrix is symmetric positive definite and consists of dense blocks on the graph of samples. It is solved by
//! conjugate gradients, preconditioned with the block Cholesky factor of this matrix or of an earlier one.
//!
//! All results are bitwise identical for any number of threads: work is divided by size, never by thread, and sums have a fixed order.
//!
//! | module | contents |
//! |---|---|
//! | [`pattern`] | sparsity pattern of the blocks |
//! | [`matrix`] | block matrix |
//! | [`ordering`] | fill-reducing elimination order |
//! | [`symbolic`] | symbolic factorization |
//! | [`factor`] | numeric Cholesky factorization |
//! | [`conjugate_gradients`] | preconditioned conjugate gradients |

#[cfg(test)]
mod comparison;
pub mod conjugate_gradients;
mod dense;
mod elimination;
pub mod factor;
pub mod matrix;
pub mod ordering;
pub mod pattern;
mod substitution;
pub mod symbolic;

pub use conjugate_gradients::{Outcome, Stop, conjugate_gradients};
pub use factor::{Arithmetic, Factor, NotPositive};
pub use matrix::BlockMatrix;
pub use pattern::BlockPattern;
pub use symbolic::Symbolic;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use faer::Mat;
    use fibra_core::random::CounterRng;

    use super::{BlockMatrix, BlockPattern};

    pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    pub fn random_vector(length: usize, seed: u64) -> Vec<f64> {
        let rng = CounterRng::new(seed);
        (0..length as u64).map(|i| 2.0 * rng.uniform(&[i]) - 1.0).collect()
    }

    /// Adds `d d^T` for random rows `d` over the samples of each clique, and `shift` to the diagonal.
    pub fn matrix_of_cliques(
        samples: usize,
        block: usize,
        cliques: &[Vec<u32>],
        rows: usize,
        shift: f64,
        seed: u64,
    ) -> BlockMatrix {
        let pattern = Arc::new(BlockPattern::from_cliques(samples, cliques.iter().map(Vec::as_slice)));
        let mut matrix = BlockMatrix::zeros(pattern.clone(), block);
        for (index, clique) in cliques.iter().enumerate() {
            let d = random_vector(rows * clique.len() * block, seed + 1000 * index as u64);
            let d = faer::MatRef::from_column_major_slice(&d, rows, clique.len() * block);
            let product = d.transpose() * d;
            for (j, &column) in clique.iter().enumerate() {
                for (i, &row) in clique.iter().enumerate().skip(j) {
                    let at = pattern.find(row as usize, column as usize).unwrap() * block * block;
                    for entry in 0..block * block {
                        matrix.values_mut()[at + entry] +=
                            product[(i * block + entry % block, j * block + entry / block)];
                    }
                }
            }
        }
        for sample in 0..samples {
            let at = pattern.find(sample, sample).unwrap() * block * block;
            (0..block).for_each(|i| matrix.values_mut()[at + i * block + i] += shift);
        }
        matrix
    }

    /// A random graph of cliques of two to five.
    pub fn random_matrix(samples: usize, block: usize, seed: u64) -> BlockMatrix {
        let rng = CounterRng::new(seed);
        let cliques: Vec<Vec<u32>> = (0..samples as u64)
            .map(|k| {
                let mut clique: Vec<u32> = (0..2 + k % 4)
                    .map(|i| (rng.uniform(&[k, i]) * samples as f64 * if i > 2 { 1.0 } else { 0.3 }) as u32)
                    .collect();
                clique.sort_unstable();
                clique.dedup();
                clique
            })
            .collect();
        matrix_of_cliques(samples, block, &cliques, 4, 1.0, seed)
    }

    pub fn dense(matrix: &BlockMatrix) -> Mat<f64> {
        let b = matrix.block_size();
        Mat::from_fn(matrix.unknowns(), matrix.unknowns(), |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            matrix.pattern().find(i / b, j / b).map_or(0.0, |index| matrix.block(index)[j % b * b + i % b])
        })
    }
}
