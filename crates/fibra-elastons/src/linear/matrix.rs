//! Symmetric block matrix, and its product with a vector.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::pattern::BlockPattern;

/// Number of chunks of a product, each with about the same number of blocks: enough for the threads of a desktop
/// machine. Each chunk costs one more pass over a vector.
const CHUNKS: usize = 16;

/// A symmetric matrix of dense blocks of the same size.
#[derive(Debug)]
pub struct BlockMatrix {
    pattern: Arc<BlockPattern>,
    block: usize,
    values: Vec<f64>,
    /// First column of each chunk, followed by the end of the last chunk.
    chunk_starts: Vec<usize>,
    /// Scratch memory for products, reused.
    spare: Mutex<Vec<f64>>,
}

impl BlockMatrix {
    /// A matrix of zeros with blocks of `block` rows.
    pub fn zeros(pattern: Arc<BlockPattern>, block: usize) -> BlockMatrix {
        let values = vec![0.0; pattern.blocks() * block * block];
        let mut chunk_starts = vec![0];
        for column in 0..pattern.samples() {
            if pattern.blocks_of(column).end * CHUNKS >= chunk_starts.len() * pattern.blocks() {
                chunk_starts.push(column + 1);
            }
        }
        BlockMatrix { pattern, block, values, chunk_starts, spare: Mutex::default() }
    }

    /// Sparsity pattern of the matrix.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        &self.pattern
    }

    /// Number of rows of a block.
    pub fn block_size(&self) -> usize {
        self.block
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.pattern.samples() * self.block
    }

    /// All values, block after block in the order of the pattern, each in column-major order. Diagonal blocks are stored in full.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Values of a block.
    pub fn block(&self, index: usize) -> &[f64] {
        let size = self.block * self.block;
        &self.values[index * size..][..size]
    }

    /// Values of a column's blocks, mutable.
    pub fn column_mut(&mut self, column: usize) -> &mut [f64] {
        let size = self.block * self.block;
        let blocks = self.pattern.blocks_of(column);
        &mut self.values[blocks.start * size..blocks.end * size]
    }

    /// Values of each column's blocks, mutable, for use by several threads.
    pub fn columns_mut(&mut self) -> Vec<&mut [f64]> {
        let size = self.block * self.block;
        let mut left = self.values.as_mut_slice();
        let lengths = (0..self.pattern.samples()).map(|column| self.pattern.column(column).len() * size);
        lengths.map(|length| left.split_off_mut(..length).unwrap_or_default()).collect()
    }

    /// `y = A x`. Each block is read once. It is used for its row and, transposed, for its column.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let n = self.unknowns();
        if n == 0 {
            return;
        }
        let mut sums = self.spare.lock().map(|mut spare| std::mem::take(&mut *spare)).unwrap_or_default();
        sums.resize((self.chunk_starts.len() - 1) * n, 0.0);
        sums.par_chunks_mut(n).zip(self.chunk_starts.par_windows(2)).for_each(|(sums, part)| {
            sums.fill(0.0);
            (part[0]..part[1]).for_each(|column| self.multiply_column(column, x, sums));
        });
        y.par_chunks_mut(1024).enumerate().for_each(|(chunk, y)| {
            y.fill(0.0);
            for sums in sums.chunks_exact(n) {
                y.iter_mut().zip(&sums[chunk * 1024..]).for_each(|(y, sum)| *y += sum);
            }
        });
        if let Ok(mut spare) = self.spare.lock() {
            *spare = sums;
        }
    }

    fn multiply_column(&self, column: usize, x: &[f64], y: &mut [f64]) {
        let b = self.block;
        let of = |sample: usize| sample * b..(sample + 1) * b;
        let x_column = &x[of(column)];
        for (index, &row) in self.pattern.blocks_of(column).zip(self.pattern.column(column)) {
            let row = row as usize;
            let block = self.block(index);
            if row == column {
                for (values, x) in block.chunks_exact(b).zip(x_column) {
                    y[of(column)].iter_mut().zip(values).for_each(|(y, value)| *y += value * x);
                }
                continue;
            }
            let x_row = &x[of(row)];
            // The row is below the column.
            let (y_column, y_row) = y.split_at_mut(row * b);
            let y_row = &mut y_row[..b];
            let y_column = &mut y_column[of(column)];
            let (x_threes, x_left) = x_column.as_chunks::<3>();
            let (y_threes, y_left) = y_column.as_chunks_mut::<3>();
            let (threes, left) = block.split_at(x_threes.len() * 3 * b);
            for ((values, x), y) in threes.chunks_exact(3 * b).zip(x_threes).zip(y_threes) {
                add_and_dot([0, 1, 2].map(|i| &values[i * b..][..b]), *x, y_row, x_row, y);
            }
            for ((values, &x), y) in left.chunks_exact(b).zip(x_left).zip(y_left) {
                add_and_dot([values], [x], y_row, x_row, std::array::from_mut(y));
            }
        }
    }
}

/// Adds the columns, multiplied by `factors`, to `to`. Adds the dot products of the columns with `with` to `dots`. Works
/// in chunks of 6, because blocks have 12 or 30 rows. Processing several columns at a time reduces memory traffic.
fn add_and_dot<const N: usize>(
    columns: [&[f64]; N],
    factors: [f64; N],
    to: &mut [f64],
    with: &[f64],
    dots: &mut [f64; N],
) {
    let mut sums = [[0.0; 6]; N];
    let chunks = columns.map(|column| column.as_chunks::<6>().0);
    let (to, to_rest) = to.as_chunks_mut::<6>();
    let (with, with_rest) = with.as_chunks::<6>();
    for (k, (to, with)) in to.iter_mut().zip(with).enumerate() {
        for n in 0..N {
            let values = &chunks[n][k];
            for i in 0..6 {
                to[i] += factors[n] * values[i];
                sums[n][i] += values[i] * with[i];
            }
        }
    }
    let rest = columns.map(|column| column.as_chunks::<6>().1);
    for n in 0..N {
        let [a, b, c, d, e, f] = sums[n];
        dots[n] += (a + b) + (c + d) + (e + f);
        for ((value, to), with) in rest[n].iter().zip(&mut *to_rest).zip(with_rest) {
            *to += factors[n] * value;
            dots[n] += value * with;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::linear::tests::{dense, random_matrix, random_vector, with_threads};

    #[test]
    fn product_matches_the_dense_matrix_for_any_number_of_threads() {
        for (samples, block) in [(1, 12), (40, 30), (50, 12), (23, 7)] {
            let matrix = random_matrix(samples, block, 3);
            let x = random_vector(matrix.unknowns(), 5);
            let mut y = vec![0.0; x.len()];
            with_threads(1, || matrix.multiply(&x, &mut y));
            let expected = dense(&matrix) * faer::ColRef::from_slice(&x);
            assert!(y.iter().enumerate().all(|(i, y)| (y - expected[i]).abs() < 1e-11 * expected.norm_l2()));
            for threads in [2, 3] {
                let mut again = vec![1.0; x.len()];
                with_threads(threads, || matrix.multiply(&x, &mut again));
                assert_eq!(y, again);
            }
        }
    }

    #[test]
    fn columns_are_the_values_in_order() {
        let mut matrix = random_matrix(9, 12, 1);
        let values = matrix.values().to_vec();
        let columns: Vec<Vec<f64>> = matrix.columns_mut().iter().map(|column| column.to_vec()).collect();
        assert_eq!(columns.concat(), values);
        assert!((0..9).all(|column| matrix.column_mut(column) == columns[column]));
        let block = matrix.pattern().find(8, 8).unwrap();
        assert_eq!(matrix.block(block), columns[8]);
    }
}
