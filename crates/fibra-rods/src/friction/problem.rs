//! Frictional contact problem with the body velocities eliminated: find impulses `r` such that `u = W r + b` and `r` satisfy Coulomb's law at every
//! contact [Bertails2011, Eq. 8].

use super::cone::natural_map;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Number of blocks from which on the rows of a product are computed in parallel, and the least number of rows of a task.
const PARALLEL_BLOCKS: usize = 20_000;
const ROWS_PER_TASK: usize = 64;

/// A frictional contact problem. [`FrictionProblem::new`] ensures that it is consistent and finite.
///
/// Vectors of a contact are ordered normal, tangent, tangent. `W` may be singular, unsymmetric and sparse: missing blocks are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionProblem {
    mu: Vec<f64>,
    b: Vec<DVec3>,
    /// The blocks of row `i` are those from `row_starts[i]` to `row_starts[i + 1]`, sorted by column. Diagonal blocks are always stored.
    row_starts: Vec<usize>,
    columns: Vec<usize>,
    blocks: Vec<DMat3>,
    /// Index of each contact's diagonal block among the blocks.
    diagonal: Vec<usize>,
    /// Euclidean norm of `b`.
    b_length: f64,
    scales: Vec<f64>,
}

/// One 3x3 block of `W`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The contact whose velocity it contributes to.
    pub row: usize,
    /// The contact whose impulse it is multiplied by.
    pub column: usize,
    /// Velocity per impulse [1/kg].
    pub matrix: DMat3,
}

/// The reason why a problem is invalid. Fields are named as in files.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// The number of velocities does not match the number of coefficients of friction.
    #[error("`b` has {velocities} numbers for {contacts} contacts (`mu`): it must have three for each, {}", 3 * contacts)]
    Lengths {
        /// Number of components in `b`.
        velocities: usize,
        /// Number of coefficients of friction.
        contacts: usize,
    },
    /// A coefficient of friction that is negative or not finite.
    #[error("`mu[{contact}]` is {value}: it must be finite and not negative")]
    Friction {
        /// The contact.
        contact: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A velocity that is not finite.
    #[error("`b[{index}]` is {value}: it must be finite")]
    Velocity {
        /// Index in `b`.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A block outside the square matrix.
    #[error(
        "`W.{field}[{block}]` is {value}: `W` has {contacts} rows and columns of blocks, one for each contact, counted from 0"
    )]
    OutOfRange {
        /// `rows` or `cols`.
        field: &'static str,
        /// Index among the blocks.
        block: usize,
        /// The row or column.
        value: usize,
        /// Number of contacts.
        contacts: usize,
    },
    /// A block with an entry that is not finite.
    #[error("`W.blocks[{block}][{entry}]` is {value}: it must be finite")]
    Entry {
        /// Index among the blocks.
        block: usize,
        /// Index in the block, row by row.
        entry: usize,
        /// The value found.
        value: f64,
    },
    /// Numbers whose squares exceed the range of doubles.
    #[error(
        "the largest number of `{field}` is {value:e}: give the problem in units in which it is between 1e-100 and 1e100"
    )]
    Units {
        /// `b` or `W`.
        field: &'static str,
        /// Magnitude of the largest number.
        value: f64,
    },
    /// Two blocks at the same position. They are not summed, because a repeated block is most likely an error in the
    /// input.
    #[error(
        "`W.blocks[{block}]` is at row {row}, column {column}, where there is a block already: give each block once"
    )]
    Duplicate {
        /// Index of one of the two blocks.
        block: usize,
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
}

impl FrictionProblem {
    /// Creates a problem from coefficients of friction [-], velocities without contact [m/s] and the blocks of `W`, in any order.
    pub fn new(mu: Vec<f64>, b: Vec<DVec3>, blocks: &[Block]) -> Result<FrictionProblem, ProblemError> {
        let contacts = mu.len();
        if b.len() != contacts {
            return Err(ProblemError::Lengths { velocities: 3 * b.len(), contacts });
        }
        if let Some(contact) = mu.iter().position(|mu| !(mu.is_finite() && *mu >= 0.0)) {
            return Err(ProblemError::Friction { contact, value: mu[contact] });
        }
        let numbers = b.iter().flat_map(DVec3::to_array);
        if let Some((index, value)) = numbers.enumerate().find(|(_, value)| !value.is_finite()) {
            return Err(ProblemError::Velocity { index, value });
        }
        for (at, block) in blocks.iter().enumerate() {
            for (field, value) in [("rows", block.row), ("cols", block.column)] {
                if value >= contacts {
                    return Err(ProblemError::OutOfRange { field, block: at, value, contacts });
                }
            }
            let rows = block.matrix.transpose().to_cols_array();
            if let Some(entry) = rows.iter().position(|entry| !entry.is_finite()) {
                return Err(ProblemError::Entry { block: at, entry, value: rows[entry] });
            }
        }
        let largest =
            |numbers: &mut dyn Iterator<Item = DVec3>| numbers.fold(0.0, |most, v| v.abs().max_element().max(most));
        let columns = |block: &Block| [block.matrix.x_axis, block.matrix.y_axis, block.matrix.z_axis];
        for (field, value) in
            [("b", largest(&mut b.iter().copied())), ("W", largest(&mut blocks.iter().flat_map(columns)))]
        {
            if value != 0.0 && !(1e-100..1e100).contains(&value) {
                return Err(ProblemError::Units { field, value });
            }
        }
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by_key(|&at| (blocks[at].row, blocks[at].column));
        let same_place = |pair: &&[usize]| {
            let (a, b) = (&blocks[pair[0]], &blocks[pair[1]]);
            (a.row, a.column) == (b.row, b.column)
        };
        if let Some(pair) = order.windows(2).find(same_place) {
            let Block { row, column, .. } = blocks[pair[1]];
            return Err(ProblemError::Duplicate { block: pair[1], row, column });
        }
        let b_length = length(&b);
        let mut problem = FrictionProblem {
            mu,
            b,
            row_starts: Vec::with_capacity(contacts + 1),
            columns: Vec::with_capacity(blocks.len()),
            blocks: Vec::with_capacity(blocks.len()),
            diagonal: Vec::with_capacity(contacts),
            b_length,
            scales: Vec::new(),
        };
        problem.store_blocks(blocks, &order);
        problem.scales = problem.compute_scales();
        Ok(problem)
    }

    /// Stores the blocks by rows in the given order, with zeros for missing diagonal blocks.
    fn store_blocks(&mut self, blocks: &[Block], order: &[usize]) {
        let mut next = order.iter().map(|&at| &blocks[at]).peekable();
        self.row_starts.push(0);
        for row in 0..self.mu.len() {
            while let Some(block) = next.next_if(|block| block.row == row && block.column < row) {
                self.columns.push(block.column);
                self.blocks.push(block.matrix);
            }
            let own = next.next_if(|block| block.row == row && block.column == row);
            self.diagonal.push(self.blocks.len());
            self.columns.push(row);
            self.blocks.push(own.map_or(DMat3::ZERO, |block| block.matrix));
            while let Some(block) = next.next_if(|block| block.row == row) {
                self.columns.push(block.column);
                self.blocks.push(block.matrix);
            }
            self.row_starts.push(self.blocks.len());
        }
    }

    /// Returns the number of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Returns the number of stored blocks of `W`.
    pub fn stored_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the coefficients of friction [-].
    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// Returns the velocities without contact [m/s].
    pub fn b(&self) -> &[DVec3] {
        &self.b
    }

    /// Returns the diagonal block of a contact [1/kg].
    pub fn diagonal(&self, contact: usize) -> &DMat3 {
        &self.blocks[self.diagonal[contact]]
    }

    /// Returns the columns and blocks of a row of `W`, sorted by column.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &DMat3)> {
        let range = self.row_starts[row]..self.row_starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(&self.blocks[range])
    }

    /// Returns the indices of the stored blocks of a row of `W` and their columns.
    pub(super) fn row_blocks(&self, row: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.row_starts[row]..self.row_starts[row + 1]).map(|block| (block, self.columns[block]))
    }

    /// Returns a stored block.
    pub(super) fn block(&self, index: usize) -> &DMat3 {
        &self.blocks[index]
    }

    /// Returns a row of `W r`.
    pub fn row_times(&self, row: usize, r: &[DVec3]) -> DVec3 {
        self.row(row).fold(DVec3::ZERO, |sum, (column, block)| sum + *block * r[column])
    }

    /// Computes `out = W r`.
    pub fn multiply(&self, r: &[DVec3], out: &mut [DVec3]) {
        self.for_each_row(out, |row| self.row_times(row, r));
    }

    /// Computes the velocities `u = W r + b` [m/s].
    pub fn velocities(&self, r: &[DVec3], u: &mut [DVec3]) {
        self.for_each_row(u, |row| self.row_times(row, r) + self.b[row]);
    }

    fn for_each_row(&self, out: &mut [DVec3], value: impl Fn(usize) -> DVec3 + Sync) {
        if self.blocks.len() < PARALLEL_BLOCKS {
            out.iter_mut().enumerate().for_each(|(row, out)| *out = value(row));
        } else {
            out.par_iter_mut().enumerate().with_min_len(ROWS_PER_TASK).for_each(|(row, out)| *out = value(row));
        }
    }

    /// Returns the factor of each contact that converts velocities to impulses, `3 / trace W_ii` [kg]. For a
    /// contact that its own impulse does not move, the mean trace of the other contacts is used.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    fn compute_scales(&self) -> Vec<f64> {
        let traces: Vec<f64> = (0..self.contacts()).map(|contact| trace(self.diagonal(contact))).collect();
        let largest = traces.iter().fold(0.0f64, |a, &b| a.max(b));
        // A diagonal block far below the largest one is zero up to rounding.
        let moves = |&&trace: &&f64| trace > 1e-12 * largest;
        let moved = traces.iter().filter(moves).count();
        let mean = if moved == 0 { 3.0 } else { traces.iter().filter(moves).sum::<f64>() / moved as f64 };
        traces.iter().map(|trace| 3.0 / if moves(&trace) { *trace } else { mean }).collect()
    }

    /// Returns the error of the natural map, `|r - P_K(r - u - mu |u_T| n)| / max(|b|, |r|, |u|)` over all contacts. It is infinite if any number is
    /// not finite.
    pub fn error(&self, u: &[DVec3], r: &[DVec3]) -> f64 {
        let residual =
            (0..self.contacts()).map(|i| natural_map(self.mu[i], u[i], r[i]).length_squared()).sum::<f64>().sqrt();
        let size = self.b_length.max(length(r)).max(length(u));
        match () {
            _ if !(residual.is_finite() && size.is_finite()) => f64::INFINITY,
            _ if residual == 0.0 => 0.0,
            _ => residual / size,
        }
    }
}

/// Returns the Euclidean norm of all components together.
pub fn length(vectors: &[DVec3]) -> f64 {
    vectors.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

fn trace(matrix: &DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(row: usize, column: usize, value: f64) -> Block {
        Block { row, column, matrix: DMat3::from_diagonal(DVec3::splat(value)) }
    }

    fn two() -> (Vec<f64>, Vec<DVec3>, Vec<Block>) {
        (vec![0.1, 0.2], vec![DVec3::X; 2], vec![block(1, 0, 5.0), block(0, 0, 2.0)])
    }

    #[test]
    fn multiplies_blocks_given_in_any_order() {
        let (mu, b, blocks) = two();
        let problem = FrictionProblem::new(mu, b, &blocks).unwrap();
        let mut u = [DVec3::ZERO; 2];
        problem.velocities(&[DVec3::ONE, DVec3::Y], &mut u);
        assert_eq!(u, [DVec3::new(3.0, 2.0, 2.0), DVec3::new(6.0, 5.0, 5.0)]);
        problem.multiply(&[DVec3::ONE, DVec3::Y], &mut u);
        assert_eq!(u, [DVec3::splat(2.0), DVec3::splat(5.0)]);
        // The missing diagonal block is stored as zero, and its scale is the other contact's.
        assert_eq!((problem.stored_blocks(), *problem.diagonal(1)), (3, DMat3::ZERO));
        assert_eq!(problem.scales(), [0.5, 0.5]);
    }

    #[test]
    fn the_error_is_relative_to_the_largest_vector() {
        let (mu, b, blocks) = two();
        let problem = FrictionProblem::new(mu, b, &blocks).unwrap();
        let rest = [DVec3::ZERO; 2];
        assert_eq!(problem.error(&rest, &rest), 0.0);
        // Contacts approach and there is no resistance: the natural map is the projection of the approach velocity, of
        // length 3. b has length sqrt(2).
        assert_eq!(problem.error(&[-3.0 * DVec3::X, DVec3::ZERO], &rest), 1.0);
        assert_eq!(problem.error(&[DVec3::NAN, DVec3::ZERO], &rest), f64::INFINITY);
    }

    #[test]
    fn errors_name_the_inconsistent_field() {
        let message = |change: fn(&mut Vec<f64>, &mut Vec<DVec3>, &mut Vec<Block>)| {
            let (mut mu, mut b, mut blocks) = two();
            change(&mut mu, &mut b, &mut blocks);
            FrictionProblem::new(mu, b, &blocks).unwrap_err().to_string()
        };
        assert!(message(|mu, _, _| mu.push(0.0)).contains("`b` has 6 numbers for 3 contacts"));
        assert!(message(|mu, _, _| mu[1] = -0.5).contains("`mu[1]` is -0.5"));
        assert!(message(|mu, _, _| mu[1] = f64::NAN).contains("`mu[1]` is NaN"));
        assert!(message(|_, b, _| b[1].y = f64::INFINITY).contains("`b[4]` is inf"));
        assert!(message(|_, _, blocks| blocks[1].column = 2).contains("`W.cols[1]` is 2: `W` has 2 rows and columns"));
        assert!(message(|_, _, blocks| blocks[1].row = 7).contains("`W.rows[1]` is 7"));
        assert!(message(|_, _, blocks| blocks[1].matrix.y_axis.x = f64::NAN).contains("`W.blocks[1][1]` is NaN"));
        assert!(message(|_, b, _| b.fill(DVec3::splat(1e-120))).contains("largest number of `b` is 1e-120"));
        assert!(message(|_, _, blocks| blocks[0] = block(0, 1, 1e200)).contains("largest number of `W` is 1e200"));
        assert!(message(|_, _, blocks| blocks.push(block(1, 0, 1.0))).contains("`W.blocks[2]` is at row 1, column 0"));
    }

    #[test]
    fn a_problem_without_contacts_is_solved() {
        let problem = FrictionProblem::new(vec![], vec![], &[]).unwrap();
        assert_eq!(problem.error(&[], &[]), 0.0);
        assert!(problem.scales().is_empty());
    }
}
