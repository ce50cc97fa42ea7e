//! The linear system of a Newton step, `A d = -f` with `A = (df/du) W + df/dr`.

use super::local::LocalLaw;
use super::problem::FrictionProblem;
use faer::linalg::solvers::{PartialPivLu, SolveCore};
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Conj, Mat};
use glam::{DMat3, DVec3};

/// Up to this many unknowns a dense factor is faster than any sparse one.
const SMALL: usize = 120;
/// Share of blocks stored from which a dense factor is faster: factors fill in.
const DENSE: f64 = 0.15;

/// Builds, factors and solves Newton's system. Holds memory between steps, and nothing that changes results.
///
/// Contacts whose law does not depend on velocity (open ones) are eliminated first: each is a small system of its own, and the matrix
/// to factor has rows for the others only.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    /// Contacts that are coupled.
    coupled: Vec<usize>,
    /// Place of each contact among the coupled ones, or `OPEN`.
    place: Vec<usize>,
    factor: Option<Factor>,
    /// Symbolic factor and the contacts it was made for: the same from step to step once the set of closed contacts settles.
    symbolic: Option<(Vec<usize>, SymbolicLu<usize>)>,
}

#[derive(Debug)]
enum Factor {
    Dense(PartialPivLu<f64>),
    /// Of the transpose, since rows are what is stored one after the other.
    Sparse(Lu<usize, f64>),
}

const OPEN: usize = usize::MAX;

impl NewtonSystem {
    /// Factors `A`, with `damping[i]` added to the diagonal of `W` at contact `i`: it keeps a singular `W` harmless. False when there is no factor.
    pub fn factor(&mut self, problem: &FrictionProblem, laws: &[LocalLaw], damping: &[f64]) -> bool {
        self.coupled.clear();
        self.place.clear();
        for (contact, law) in laws.iter().enumerate() {
            if law.d_u == DMat3::ZERO {
                self.place.push(OPEN);
            } else {
                self.place.push(self.coupled.len());
                self.coupled.push(contact);
            }
        }
        let (contacts, blocks) = (problem.contacts() as f64, problem.stored_blocks() as f64);
        let dense = 3 * self.coupled.len() <= SMALL || blocks >= DENSE * contacts * contacts;
        self.factor = if dense {
            Some(Factor::Dense(self.dense(problem, laws, damping)))
        } else {
            self.sparse(problem, laws, damping).map(Factor::Sparse)
        };
        self.factor.is_some()
    }

    /// Solves `A d = -f` with the last factor. False when the solution is not finite.
    pub fn solve(
        &self,
        problem: &FrictionProblem,
        laws: &[LocalLaw],
        f: impl Fn(usize) -> DVec3,
        d: &mut [DVec3],
    ) -> bool {
        for (contact, law) in laws.iter().enumerate() {
            if self.place[contact] == OPEN {
                d[contact] = -(law.d_r.inverse() * f(contact));
            }
        }
        let mut rhs = Mat::<f64>::zeros(3 * self.coupled.len(), 1);
        for (row, &contact) in self.coupled.iter().enumerate() {
            let open = problem.row(contact).filter(|(column, _)| self.place[*column] == OPEN);
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

    /// Places and blocks of a row of `A` for coupled contacts.
    fn row<'a>(
        &'a self,
        problem: &'a FrictionProblem,
        laws: &'a [LocalLaw],
        damping: &'a [f64],
        contact: usize,
    ) -> impl Iterator<Item = (usize, DMat3)> + 'a {
        let law = &laws[contact];
        problem.row(contact).filter(|(column, _)| self.place[*column] != OPEN).map(move |(column, block)| {
            let mut a = law.d_u * *block;
            if column == contact {
                a += law.d_r + law.d_u * damping[contact];
            }
            (self.place[column], a)
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
