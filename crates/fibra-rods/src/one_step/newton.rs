//! Newton's method for all contacts of an island at once. The system in velocities and impulses is sparse and local; the three
//! impulses of each contact are condensed onto the velocities, which leaves one matrix with the structure of the contact graph.
//!
//! With `f(u, r)` the function of Alart and Curnier, a Newton step solves
//! `M dv = J^T dr` and `D_u J dv + (D_r - eps) dr = -f`, hence `dr = (eps - D_r)^-1 (D_u J dv + f)` and
//! `(M - J^T (eps - D_r)^-1 D_u J) dv = J^T (eps - D_r)^-1 f`. The small number `eps` makes impulses unique that Coulomb's law
//! leaves open, as between more contacts than unknowns; it slows convergence a little and does not move the solution.

use super::rows::{FreeBody, Numbering, Row};
use crate::friction::local::LocalLaw;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{Argsort, Pair, SparseColMat, SymbolicSparseColMat};
use glam::{DMat3, DVec3};

/// The matrix of an island, whose structure is the same in all iterations of a step.
pub struct Condensed {
    pattern: SymbolicSparseColMat<usize>,
    order: Argsort<usize>,
    symbolic: SymbolicLu<usize>,
    /// Entries of `M`, which come first.
    masses: Vec<f64>,
    values: Vec<f64>,
    unknowns: usize,
}

impl Condensed {
    /// Finds the structure; `None` where the factorisation cannot be planned.
    pub fn new(rows: &[Row], bodies: &[usize], free: &[FreeBody], numbering: &Numbering) -> Option<Condensed> {
        let mut places: Vec<Pair<usize, usize>> = Vec::new();
        let mut masses = Vec::new();
        for &body in bodies {
            let (operator, first) = (&free[body].operator, numbering.first[body]);
            for i in 0..operator.len() {
                let from = i.saturating_sub(operator.width());
                let to = (i + operator.width()).min(operator.len() - 1);
                for j in from..=to {
                    places.push(Pair { row: first + i, col: first + j });
                    masses.push(operator.get(i, j));
                }
            }
        }
        for row in rows {
            for_each_pair(row, |i, j, _, _| places.push(Pair { row: i, col: j }));
        }
        let unknowns = numbering.unknowns;
        let (pattern, order) = SymbolicSparseColMat::try_new_from_indices(unknowns, unknowns, &places).ok()?;
        let symbolic = SymbolicLu::try_new(pattern.as_ref()).ok()?;
        let values = vec![0.0; places.len()];
        Some(Condensed { pattern, order, symbolic, masses, values, unknowns })
    }

    /// The Newton step of the impulses, for the contacts' laws as they are now; `None` where the matrix is singular.
    pub fn step(&mut self, rows: &[Row], laws: &[LocalLaw], eps: f64) -> Option<Vec<DVec3>> {
        let local: Vec<(DMat3, DVec3)> = laws
            .iter()
            .map(|law| {
                let inverse = (DMat3::from_diagonal(DVec3::splat(eps)) - law.d_r).inverse();
                (inverse * law.d_u, inverse * law.value)
            })
            .collect();
        self.values[..self.masses.len()].copy_from_slice(&self.masses);
        let mut at = self.masses.len();
        let mut rhs = faer::Mat::<f64>::zeros(self.unknowns, 1);
        for (row, (d_u, pushed)) in rows.iter().zip(&local) {
            let transposed = d_u.transpose();
            let mut last = (usize::MAX, DVec3::ZERO);
            for_each_pair(row, |i, _, left, right| {
                if last.0 != i {
                    last = (i, transposed * left);
                }
                self.values[at] = -last.1.dot(right);
                at += 1;
            });
            for stretch in &row.jacobian {
                for (k, column) in stretch.columns.iter().enumerate() {
                    rhs[(stretch.first + k, 0)] += column.dot(*pushed);
                }
            }
        }
        let matrix = SparseColMat::new_from_argsort(self.pattern.clone(), &self.order, &self.values).ok()?;
        let factor = Lu::try_new_with_symbolic(self.symbolic.clone(), matrix.as_ref()).ok()?;
        factor.solve_in_place(rhs.as_mut());
        let dv: Vec<f64> = (0..self.unknowns).map(|i| rhs[(i, 0)]).collect();
        let step: Vec<DVec3> = rows
            .iter()
            .zip(&local)
            .map(|(row, (d_u, pushed))| *d_u * (row.velocity(&dv) - row.shift) + *pushed)
            .collect();
        step.iter().all(|step| step.is_finite()).then_some(step)
    }
}

/// Calls `each` with every pair of unknowns that a contact depends on, and their columns.
fn for_each_pair(row: &Row, mut each: impl FnMut(usize, usize, DVec3, DVec3)) {
    for left in &row.jacobian {
        for (i, &a) in left.columns.iter().enumerate() {
            for right in &row.jacobian {
                for (j, &b) in right.columns.iter().enumerate() {
                    each(left.first + i, right.first + j, a, b);
                }
            }
        }
    }
}
