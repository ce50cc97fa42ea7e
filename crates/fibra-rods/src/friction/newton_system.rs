//! The linear system of a Newton step, `A d = -f` with `A = (df/du) W + df/dr`.

use super::local::LocalLaw;
use super::problem::FrictionProblem;
use faer::linalg::solvers::{PartialPivLu, SolveCore};
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Conj, Mat};
use glam::{DMat3, DVec3};

/// Largest number of unknowns for which a dense factorization is always faster than a sparse one.
const MAX_DENSE_UNKNOWNS: usize = 120;
/// Fraction of stored blocks above which a dense factorization is faster, because of fill-in.
const DENSE_FRACTION: f64 = 0.15;

/// Assembles, factors and solves the linear system of a Newton step. Memory is reused between steps; its contents do
/// not affect the results.
///
/// Open contacts, whose law does not depend on velocity, are eliminated first: each is a separate small system. The
/// matrix to factor has rows for the remaining contacts only.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    /// The coupled (not eliminated) contacts.
    coupled: Vec<usize>,
    /// Index of each contact among the coupled ones, or `OPEN`.
    coupled_index: Vec<usize>,
    factor: Option<Factor>,
    /// Symbolic factorization and the contacts it was computed for. It is reused once the set of closed contacts settles.
    symbolic: Option<(Vec<usize>, SymbolicLu<usize>)>,
}

#[derive(Debug)]
enum Factor {
    Dense(PartialPivLu<f64>),
    /// LU of the transpose, because rows are stored contiguously.
    Sparse(Lu<usize, f64>),
}

const OPEN: usize = usize::MAX;

impl NewtonSystem {
    /// Factors `A`. `damping[i]` is added to the diagonal of `W` at contact `i`, so that `A` is regular even if `W` is
    /// singular. Returns false if the factorization fails.
    pub fn factor(&mut self, problem: &FrictionProblem, laws: &[LocalLaw], damping: &[f64]) -> bool {
        self.coupled.clear();
        self.coupled_index.clear();
        for (contact, law) in laws.iter().enumerate() {
            if law.d_u == DMat3::ZERO {
                self.coupled_index.push(OPEN);
            } else {
                self.coupled_index.push(self.coupled.len());
                self.coupled.push(contact);
            }
        }
        let (contacts, blocks) = (problem.contacts() as f64, problem.stored_blocks() as f64);
        let dense = 3 * self.coupled.len() <= MAX_DENSE_UNKNOWNS || blocks >= DENSE_FRACTION * contacts * contacts;
        self.factor = if dense {
            Some(Factor::Dense(self.dense(problem, laws, damping)))
        } else {
            self.sparse(problem, laws, damping).map(Factor::Sparse)
        };
        self.factor.is_some()
    }

    /// Solves `A d = -f` with the last factorization. Returns false if the solution is not finite.
    pub fn solve(
        &self,
        problem: &FrictionProblem,
        laws: &[LocalLaw],
        f: impl Fn(usize) -> DVec3,
        d: &mut [DVec3],
    ) -> bool {
        for (contact, law) in laws.iter().enumerate() {
            if self.coupled_index[contact] == OPEN {
                d[contact] = -(law.d_r.inverse() * f(contact));
            }
        }
        let mut rhs = Mat::<f64>::zeros(3 * self.coupled.len(), 1);
        for (row, &contact) in self.coupled.iter().enumerate() {
            let open = problem.row(contact).filter(|(column, _)| self.coupled_index[*column] == OPEN);
            let velocity = open.fold(DVec3::ZERO, |sum, (column, block)| sum + *block * d[column]);
            let value = -(f(contact) + laws[contact].d_u * velocity);
            (0..3).for_each(|k| rhs[(3 * row + k, 0)] = value[k]);
        }
        match &self.factor {
            Some(Factor::Dense(factor)) => factor.solve_in_place_with_conj(Conj::No, rhs.as_mut()),
            Some(Factor::Sparse(factor)) => factor.solve_transpose_in_place_with_conj(Conj::No, rhs.as_mut()),
            None => return false,
        }
        for (row, &contact) in self.coupled.iter().enumerate() {
            d[contact] = DVec3::new(rhs[(3 * row, 0)], rhs[(3 * row + 1, 0)], rhs[(3 * row + 2, 0)]);
        }
        d.iter().all(|d| d.is_finite())
    }

    /// Returns the column indices and blocks of a row of `A` among the coupled contacts.
    fn row<'a>(
        &'a self,
        problem: &'a FrictionProblem,
        laws: &'a [LocalLaw],
        damping: &'a [f64],
        contact: usize,
    ) -> impl Iterator<Item = (usize, DMat3)> + 'a {
        let law = &laws[contact];
        problem.row(contact).filter(|(column, _)| self.coupled_index[*column] != OPEN).map(move |(column, block)| {
            let mut a = law.d_u * *block;
            if column == contact {
                a += law.d_r + law.d_u * damping[contact];
            }
            (self.coupled_index[column], a)
        })
    }

    fn dense(&self, problem: &FrictionProblem, laws: &[LocalLaw], damping: &[f64]) -> PartialPivLu<f64> {
        let n = 3 * self.coupled.len();
        let mut a = Mat::<f64>::zeros(n, n);
        for (row, &contact) in self.coupled.iter().enumerate() {
            for (column, block) in self.row(problem, laws, damping, contact) {
                for k in 0..3 {
                    let entries = &mut a.col_as_slice_mut(3 * column + k)[3 * row..3 * row + 3];
                    entries.copy_from_slice(&block.col(k).to_array());
                }
            }
        }
        PartialPivLu::new(a.as_ref())
    }

    fn sparse(&mut self, problem: &FrictionProblem, laws: &[LocalLaw], damping: &[f64]) -> Option<Lu<usize, f64>> {
        let n = 3 * self.coupled.len();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &contact in &self.coupled {
            for k in 0..3 {
                for (column, block) in self.row(problem, laws, damping, contact) {
                    indices.extend([3 * column, 3 * column + 1, 3 * column + 2]);
                    values.extend(block.row(k).to_array());
                }
                starts.push(indices.len());
            }
        }
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, indices);
        if self.symbolic.as_ref().is_none_or(|(contacts, _)| *contacts != self.coupled) {
            self.symbolic = Some((self.coupled.clone(), SymbolicLu::try_new(pattern.as_ref()).ok()?));
        }
        let (_, symbolic) = self.symbolic.as_ref()?;
        let a = SparseColMat::new(pattern, values);
        Lu::try_new_with_symbolic(symbolic.clone(), a.as_ref()).ok()
    }
}
