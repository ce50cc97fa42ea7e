//! Multifrontal LU factorization of a matrix with the block pattern of `W`, in parallel [Duff1983; Davis2006, Sec. 6].
//!
//! Nearly all work is done by dense kernels. Subtrees of the elimination tree are factored in parallel, and the columns of a large front in chunks of a
//! fixed size. Each chunk is computed by one thread, in the same order of operations for any number of threads, so the results are bitwise
//! reproducible. Pivoting is restricted to the pivot rows of a front. Callers check the solution with the original equations.

use super::fronts::{CHUNK, Chunk, Front, Fronts};
use super::problem::FrictionProblem;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Number of columns of a panel, which is factored by one thread.
const PANEL: usize = 48;
/// Smallest number of operations of a front or subtree that is factored in parallel.
const PARALLEL_WORK: f64 = 2e6;
/// Smallest number of factor entries of subtrees that are solved in parallel.
const PARALLEL_STORED: usize = 100_000;

/// Symbolic analysis, and the factors of the last factored matrix.
#[derive(Clone, Debug, Default)]
pub struct BlockLu {
    fronts: Fronts,
    /// Factors of each front: the columns of its pivots, then the rows of its pivots in the remaining columns, both by columns.
    values: Vec<f64>,
    /// Pivot row of each unknown, relative to the first row of its front.
    rows: Vec<usize>,
}

impl BlockLu {
    /// Analyzes the pattern of `W`, restricted to the given contacts (sorted).
    pub fn new(problem: &FrictionProblem, contacts: &[usize]) -> BlockLu {
        let fronts = Fronts::new(problem, contacts);
        BlockLu { values: vec![0.0; fronts.stored], rows: vec![0; 3 * contacts.len()], fronts }
    }

    /// Factors the matrix. `block` returns a block of the matrix from the block of `W` and the contacts of its row and column.
    pub fn factor(&mut self, problem: &FrictionProblem, block: impl Fn(&DMat3, usize, usize) -> DMat3 + Sync) {
        let BlockLu { fronts, values, rows } = self;
        let job = Job { fronts, problem, block: &block };
        job.factor_subtrees(&fronts.roots, values, rows);
    }

    /// Solves with the factors, in place. Vectors have one entry for each contact of the problem; others than those of the factors are ignored.
    pub fn solve(&self, x: &mut [DVec3]) {
        let mut b: Vec<f64> = self.fronts.order.iter().flat_map(|&contact| x[contact].to_array()).collect();
        self.solve_lower_subtrees(&self.fronts.roots, &mut b);
        self.solve_upper_subtrees(&self.fronts.roots, &mut b, &[]);
        for (&contact, b) in self.fronts.order.iter().zip(b.chunks_exact(3)) {
            x[contact] = DVec3::from_slice(b);
        }
    }

    /// Solves with the lower factors of consecutive subtrees. Returns their contributions to the remaining unknowns of their last fronts.
    fn solve_lower_subtrees(&self, last: &[usize], b: &mut [f64]) -> Vec<Vec<f64>> {
        let parts = self.fronts.split(last, b, Fronts::unknowns_until);
        let run = |(&front, b): (&usize, &mut [f64])| self.solve_lower(front, b);
        if self.fronts.stored_in(last) > PARALLEL_STORED && last.len() > 1 {
            last.par_iter().zip(parts).map(run).collect()
        } else {
            last.iter().zip(parts).map(run).collect()
        }
    }

    fn solve_lower(&self, at: usize, b: &mut [f64]) -> Vec<f64> {
        let front = &self.fronts.fronts[at];
        let (first, columns) = (3 * front.first, front.columns());
        let size = columns + front.remaining();
        let (below, mine) = b.split_at_mut(b.len() - columns);
        let changes = self.solve_lower_subtrees(&front.children, below);
        let mut known = mine.to_vec();
        known.resize(size, 0.0);
        for (&child, change) in front.children.iter().zip(&changes) {
            for (row, rows) in &self.fronts.fronts[child].runs {
                known[*row..].iter_mut().zip(&change[rows.clone()]).for_each(|(known, change)| *known += change);
            }
        }
        let mut local: Vec<f64> = self.rows[first..first + columns].iter().map(|&row| known[row]).collect();
        local.extend_from_slice(&known[columns..]);
        let left = &self.values[front.offset..front.offset + size * columns];
        for (column, factors) in left.chunks_exact(size).enumerate() {
            let (done, below) = local.split_at_mut(column + 1);
            subtract(below, done[column], &factors[column + 1..]);
        }
        mine.copy_from_slice(&local[..columns]);
        local.split_off(columns)
    }

    /// Solves with the upper factors of consecutive subtrees, given the unknowns of their common parent front.
    fn solve_upper_subtrees(&self, last: &[usize], b: &mut [f64], known: &[f64]) {
        let parts = self.fronts.split(last, b, Fronts::unknowns_until);
        let run = |(&front, b): (&usize, &mut [f64])| self.solve_upper(front, b, known);
        if self.fronts.stored_in(last) > PARALLEL_STORED && last.len() > 1 {
            last.par_iter().zip(parts).for_each(run);
        } else {
            last.iter().zip(parts).for_each(run);
        }
    }

    fn solve_upper(&self, at: usize, b: &mut [f64], known: &[f64]) {
        let front = &self.fronts.fronts[at];
        let columns = front.columns();
        let size = columns + front.remaining();
        let (below, mine) = b.split_at_mut(b.len() - columns);
        let values = &self.values[front.offset..front.offset + front.stored()];
        let (left, above) = values.split_at(size * columns);
        let mut local = mine.to_vec();
        local.reserve(size - columns);
        for (row, rows) in &front.runs {
            local.extend_from_slice(&known[*row..row + rows.len()]);
        }
        let (own, rest) = local.split_at_mut(columns);
        for (known, factors) in rest.iter().zip(above.chunks_exact(columns)) {
            subtract(own, *known, factors);
        }
        for (column, factors) in left.chunks_exact(size).enumerate().rev() {
            let (above, rest) = own.split_at_mut(column);
            rest[0] /= factors[column];
            subtract(above, rest[0], &factors[..column]);
        }
        mine.copy_from_slice(own);
        self.solve_upper_subtrees(&front.children, below, &local);
    }
}

/// Computes `x -= factor * column`.
fn subtract(x: &mut [f64], factor: f64, column: &[f64]) {
    x.iter_mut().zip(column).for_each(|(x, column)| *x -= factor * column);
}

/// A factorization in progress.
struct Job<'a, F> {
    fronts: &'a Fronts,
    problem: &'a FrictionProblem,
    block: &'a F,
}

/// A front while it is factored.
struct Dense<'a> {
    columns: usize,
    remaining: usize,
    /// Columns of the pivots.
    left: &'a mut [f64],
    /// Rows of the pivots in the remaining columns.
    above: &'a mut [f64],
    /// Remaining block, which is added to the parent.
    rest: Vec<f64>,
    /// Pivot rows.
    rows: &'a mut [usize],
}

impl<F: Fn(&DMat3, usize, usize) -> DMat3 + Sync> Job<'_, F> {
    /// Factors consecutive subtrees, given by their last fronts. Returns their remaining blocks.
    fn factor_subtrees(&self, last: &[usize], values: &mut [f64], rows: &mut [usize]) -> Vec<Vec<f64>> {
        let values = self.fronts.split(last, values, Fronts::stored_until);
        let rows = self.fronts.split(last, rows, Fronts::unknowns_until);
        let work: f64 = last.iter().map(|&front| self.fronts.fronts[front].work).sum();
        let run =
            |((&front, values), rows): ((&usize, &mut [f64]), &mut [usize])| self.factor_subtree(front, values, rows);
        if work > PARALLEL_WORK && last.len() > 1 {
            last.par_iter().zip(values).zip(rows).map(run).collect()
        } else {
            last.iter().zip(values).zip(rows).map(run).collect()
        }
    }

    /// Factors a subtree and returns the remaining block of its last front.
    fn factor_subtree(&self, at: usize, values: &mut [f64], rows: &mut [usize]) -> Vec<f64> {
        let front = &self.fronts.fronts[at];
        let (below, mine) = values.split_at_mut(values.len() - front.stored());
        let (rows_below, my_rows) = rows.split_at_mut(rows.len() - front.columns());
        let updates = self.factor_subtrees(&front.children, below, rows_below);

        let (columns, remaining) = (front.columns(), front.remaining());
        let size = columns + remaining;
        let (left, above) = mine.split_at_mut(columns * size);
        let mut rest = vec![0.0; remaining * remaining];
        let parallel = 2.0 * columns as f64 * (size * size) as f64 > PARALLEL_WORK;
        let pivots = left.chunks_mut(CHUNK * size).map(|left| (left, <&mut [f64]>::default()));
        let others = above.chunks_mut(CHUNK * columns).zip(rest.chunks_mut(CHUNK * remaining.max(1)));
        let chunks: Vec<_> = pivots.chain(others).zip(&front.chunks).collect();
        let assemble = |((factors, rest), chunk): ((&mut [f64], &mut [f64]), &Chunk)| {
            self.assemble(front, &updates, chunk, factors, rest);
        };
        if parallel {
            chunks.into_par_iter().for_each(assemble);
        } else {
            chunks.into_iter().for_each(assemble);
        }
        drop(updates);
        let mut dense = Dense { columns, remaining, left, above, rest, rows: my_rows };
        dense.factor(parallel);
        dense.rest
    }

    /// Sums the blocks of the matrix and of the children in a chunk of columns: the stored factors and, if the columns are not pivots, the remaining rows.
    fn assemble(&self, front: &Front, updates: &[Vec<f64>], chunk: &Chunk, factors: &mut [f64], rest: &mut [f64]) {
        let (pivots, remaining) = (front.columns(), front.remaining());
        let stored = if chunk.columns.start < pivots { pivots + remaining } else { pivots };
        factors.fill(0.0);
        for entry in &self.fronts.entries[chunk.entries.clone()] {
            let [row, column] = entry.contacts.map(|contact| contact as usize);
            let block = (self.block)(self.problem.block(entry.block as usize), row, column);
            let [row, column] = entry.place.map(|place| 3 * place as usize);
            for k in 0..3 {
                let target = &mut factors[(column + k - chunk.columns.start) * stored + row..][..3];
                target.iter_mut().zip(block.col(k).to_array()).for_each(|(target, entry)| *target += entry);
            }
        }
        for (&child, update) in front.children.iter().zip(updates) {
            let child = &self.fronts.fronts[child];
            let size = child.remaining();
            // Rows and columns are added in runs of consecutive indices.
            for (to, columns) in &child.runs {
                let overlap = chunk.columns.start.max(*to)..chunk.columns.end.min(to + columns.len());
                for column in overlap {
                    let from = &update[(columns.start + column - to) * size..][..size];
                    let at = column - chunk.columns.start;
                    for (row, rows) in &child.runs {
                        let target = if *row < stored {
                            &mut factors[at * stored + row..]
                        } else {
                            &mut rest[at * remaining + row - pivots..]
                        };
                        target.iter_mut().zip(&from[rows.clone()]).for_each(|(target, from)| *target += from);
                    }
                }
            }
        }
    }
}

impl Dense<'_> {
    fn size(&self) -> usize {
        self.columns + self.remaining
    }

    /// Eliminates the pivots.
    fn factor(&mut self, parallel: bool) {
        self.factor_pivots(parallel);
        if self.remaining == 0 {
            return;
        }
        let (columns, size) = (self.columns, self.size());
        let left = MatRef::from_column_major_slice(self.left, size, columns);
        let (diagonal, below) = left.split_at_row(columns);
        let rows = &*self.rows;
        let update = |(above, rest): (&mut [f64], &mut [f64])| {
            let width = above.len() / columns;
            permute(above, columns, 0, rows);
            let mut above = MatMut::from_column_major_slice_mut(above, columns, width);
            solve_unit_lower_triangular_in_place(diagonal, above.rb_mut(), Par::Seq);
            let rest = MatMut::from_column_major_slice_mut(rest, size - columns, width);
            matmul(rest, Accum::Add, below, above.rb(), -1.0, Par::Seq);
        };
        let (above, rest) = (CHUNK * columns, CHUNK * self.remaining);
        if parallel && self.remaining > CHUNK {
            self.above.par_chunks_mut(above).zip(self.rest.par_chunks_mut(rest)).for_each(update);
        } else {
            update((self.above, &mut self.rest));
        }
    }

    /// Factors the columns of the pivots, panel by panel.
    fn factor_pivots(&mut self, parallel: bool) {
        let (columns, size) = (self.columns, self.size());
        let scratch = lu_in_place_scratch::<usize, f64>(columns, PANEL, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let (mut order, mut inverse) = (vec![0usize; columns], vec![0usize; columns]);
        self.rows.iter_mut().enumerate().for_each(|(row, pivot)| *pivot = row);
        for start in (0..columns).step_by(PANEL) {
            let width = PANEL.min(columns - start);
            let (done, ahead) = self.left.split_at_mut(start * size);
            let (panel, trailing) = ahead.split_at_mut(width * size);
            let panel = MatMut::from_column_major_slice_mut(panel, size, width);
            let (mut pivots, mut below) = panel.get_mut(start.., ..).split_at_row_mut(columns - start);
            let rows = columns - start;
            let stack = MemStack::new(&mut memory);
            lu_in_place(pivots.rb_mut(), &mut order[..rows], &mut inverse[..rows], Par::Seq, stack, Default::default());
            let order = &order[..rows];
            let upper = pivots.rb().subrows(0, width);
            // Computes `below U^-1` by solving with `U^T`, which is lower triangular.
            solve_lower_triangular_in_place(upper.transpose(), below.rb_mut().transpose_mut(), Par::Seq);
            permute_rows(self.rows, start, order);
            permute(done, size, start, order);
            let (upper, pivots, below) = (upper, pivots.rb().subrows(width, rows - width), below.rb());
            let update = |columns: &mut [f64]| {
                permute(columns, size, start, order);
                let chunk = MatMut::from_column_major_slice_mut(columns, size, columns.len() / size);
                let (mut above, rest) = chunk.get_mut(start.., ..).split_at_row_mut(width);
                let (rest_of_pivots, rest) = rest.split_at_row_mut(rows - width);
                solve_unit_lower_triangular_in_place(upper, above.rb_mut(), Par::Seq);
                matmul(rest_of_pivots, Accum::Add, pivots, above.rb(), -1.0, Par::Seq);
                matmul(rest, Accum::Add, below, above.rb(), -1.0, Par::Seq);
            };
            if parallel && trailing.len() > CHUNK * size {
                trailing.par_chunks_mut(CHUNK * size).for_each(update);
            } else if !trailing.is_empty() {
                update(trailing);
            }
        }
    }
}

/// Permutes rows, beginning with row `start`, of a matrix with columns of length `size`.
fn permute(matrix: &mut [f64], size: usize, start: usize, order: &[usize]) {
    // Few rows change, because most pivots are on the diagonal.
    let moved: Vec<(usize, usize)> = order.iter().copied().enumerate().filter(|(row, from)| row != from).collect();
    let mut copy = vec![0.0; moved.len()];
    for column in matrix.chunks_exact_mut(size) {
        let column = &mut column[start..start + order.len()];
        copy.iter_mut().zip(&moved).for_each(|(copy, &(_, from))| *copy = column[from]);
        copy.iter().zip(&moved).for_each(|(copy, &(row, _))| column[row] = *copy);
    }
}

fn permute_rows(rows: &mut [usize], start: usize, order: &[usize]) {
    let copy = rows[start..].to_vec();
    rows[start..].iter_mut().zip(order).for_each(|(row, &from)| *row = copy[from]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::problem::Block;
    use fibra_core::random::CounterRng;

    fn random_block(rng: &CounterRng, index: [u64; 2]) -> DMat3 {
        let column = |k| 2.0 * rng.uniform_in_cube([index[0], index[1], k]) - DVec3::ONE;
        DMat3::from_cols(column(0), column(1), column(2))
    }

    /// Contacts on a grid, each coupled with its neighbors, in one direction only for some. The matrix is not symmetric.
    fn grid(side: usize) -> FrictionProblem {
        let rng = CounterRng::new(3);
        let mut blocks = Vec::new();
        for row in 0..side * side {
            let (x, y) = (row % side, row / side);
            let mut add = |x: usize, y: usize| {
                let column = y * side + x;
                let mut matrix = random_block(&rng, [row as u64, column as u64]);
                if row == column {
                    matrix += 8.0 * DMat3::IDENTITY;
                }
                blocks.push(Block { row, column, matrix });
            };
            add(x, y);
            if x + 1 < side {
                add(x + 1, y);
            }
            if x > 0 && (x + y) % 5 != 0 {
                add(x - 1, y);
            }
            if y + 1 < side {
                add(x, y + 1);
            }
            if y > 0 {
                add(x, y - 1);
            }
        }
        let n = side * side;
        FrictionProblem::new(vec![0.5; n], vec![DVec3::ZERO; n], &blocks).unwrap()
    }

    /// Factors the grid with the pivots of each block in the wrong order, solves, and returns the largest error.
    fn error(threads: usize, side: usize) -> (f64, Vec<DVec3>) {
        let problem = grid(side);
        let contacts: Vec<usize> = (0..side * side).collect();
        let swapped = |block: &DMat3| DMat3::from_cols(block.y_axis, block.z_axis, block.x_axis);
        let expected: Vec<DVec3> = contacts.iter().map(|&i| DVec3::new(1.0, i as f64, -2.0)).collect();
        let mut x: Vec<DVec3> = contacts
            .iter()
            .map(|&row| {
                problem.row(row).fold(DVec3::ZERO, |sum, (column, block)| sum + swapped(block) * expected[column])
            })
            .collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut factors = BlockLu::new(&problem, &contacts);
            factors.factor(&problem, |block, _, _| swapped(block));
            factors.solve(&mut x);
        });
        let largest = x.iter().zip(&expected).map(|(x, expected)| x.distance(*expected)).fold(0.0, f64::max);
        (largest / side as f64, x)
    }

    #[test]
    fn factors_solve_to_rounding() {
        for side in [1, 2, 7, 30] {
            let (error, _) = error(1, side);
            assert!(error < 1e-11, "{side}: {error}");
        }
    }

    /// Large enough for parallel subtrees and for fronts of several panels and chunks.
    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let (_, one) = error(1, 60);
        let (_, three) = error(3, 60);
        assert_eq!(one, three);
    }

    #[test]
    fn contacts_that_are_left_out_keep_their_values() {
        let problem = grid(4);
        let contacts = [1, 2, 5, 9, 15];
        let mut factors = BlockLu::new(&problem, &contacts);
        factors.factor(&problem, |block, row, column| if row == column { *block } else { DMat3::ZERO });
        let mut x = vec![DVec3::ONE; 16];
        factors.solve(&mut x);
        for contact in 0..16 {
            let expected =
                if contacts.contains(&contact) { problem.diagonal(contact).inverse() * DVec3::ONE } else { DVec3::ONE };
            assert!(x[contact].distance(expected) < 1e-14, "{contact}");
        }
    }
}
