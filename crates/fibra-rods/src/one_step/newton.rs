//! Newton's method for all contacts of an island at once. The system in velocities and impulses is sparse and local. The three impulses of each
//! contact are condensed onto the velocities, which leaves one matrix with the structure of the contact graph.
//!
//! With `f(u, r)` the Alart-Curnier function, a Newton step solves `M dv = J^T dr` and `D_u J dv + (D_r - eps) dr = -f`. Hence
//! `dr = (eps - D_r)^-1 (D_u J dv + f)` and `(M - J^T (eps - D_r)^-1 D_u J) dv = J^T (eps - D_r)^-1 f`. The small number `eps` makes impulses unique
//! where Coulomb's law does not, for example with more contacts than unknowns. It slows convergence slightly and does not change the solution.

use super::multifrontal::Multifrontal;
use super::rows::{FreeBody, Numbering, Row};
use crate::friction::local::LocalLaw;
use glam::{DMat3, DVec3};

/// The condensed matrix of an island. Its structure is the same in all iterations of a step.
pub struct Condensed {
    factors: Multifrontal,
    /// Entries of `M`, which come first in `values`.
    masses: Vec<f64>,
    values: Vec<f64>,
    /// `(eps - D_r)^-1` and `(eps - D_r)^-1 D_u` of each contact.
    local: Vec<(DMat3, DMat3)>,
    unknowns: usize,
}

impl Condensed {
    /// Computes the structure; returns `None` if the symbolic factorization fails.
    pub fn new(rows: &[Row], bodies: &[usize], free: &[FreeBody], numbering: &Numbering) -> Option<Condensed> {
        let mut positions = Vec::new();
        let mut masses = Vec::new();
        for &body in bodies {
            let (operator, first) = (&free[body].operator, numbering.first[body]);
            for i in 0..operator.len() {
                let from = i.saturating_sub(operator.width());
                let to = (i + operator.width()).min(operator.len() - 1);
                for j in from..=to {
                    positions.push([first + i, first + j]);
                    masses.push(operator.get(i, j));
                }
            }
        }
        for row in rows {
            for_each_pair(row, |i, j, _, _| positions.push([i, j]));
        }
        let unknowns = numbering.unknowns;
        let factors = Multifrontal::plan(unknowns, &positions)?;
        Some(Condensed { factors, masses, values: vec![0.0; positions.len()], local: Vec::new(), unknowns })
    }

    /// Factors `M - J^T G J`, with a block `G` for each contact.
    pub fn factor(&mut self, rows: &[Row], blocks: impl Iterator<Item = DMat3>) {
        self.values[..self.masses.len()].copy_from_slice(&self.masses);
        let mut at = self.masses.len();
        for (row, block) in rows.iter().zip(blocks) {
            let transposed = block.transpose();
            let mut last = (usize::MAX, DVec3::ZERO);
            for_each_pair(row, |i, _, left, right| {
                if last.0 != i {
                    last = (i, transposed * left);
                }
                self.values[at] = -last.1.dot(right);
                at += 1;
            });
        }
        self.factors.factor(&self.values);
    }

    /// Solves `(M - J^T G J) dv = J^T r` for the impulses of the contacts.
    pub fn solve(&self, rows: &[Row], impulses: impl Iterator<Item = DVec3>) -> Vec<f64> {
        let mut dv = vec![0.0; self.unknowns];
        for (row, impulse) in rows.iter().zip(impulses) {
            for block in &row.jacobian {
                let mine = &mut dv[block.first..block.first + block.columns.len()];
                block.columns.iter().zip(mine).for_each(|(column, dv)| *dv += column.dot(impulse));
            }
        }
        self.factors.solve(&mut dv);
        dv
    }

    /// Factors the matrix of a Newton step for the current laws of the contacts.
    pub fn linearize(&mut self, rows: &[Row], laws: &[LocalLaw], eps: f64) {
        let mut local = std::mem::take(&mut self.local);
        local.clear();
        local.extend(laws.iter().map(|law| {
            let inverse = (DMat3::from_diagonal(DVec3::splat(eps)) - law.d_r).inverse();
            (inverse, inverse * law.d_u)
        }));
        self.factor(rows, local.iter().map(|(_, block)| *block));
        self.local = local;
    }

    /// Returns the step of the impulses that makes the linearized `f` vanish, or `None` if the matrix is singular.
    pub fn step(&self, rows: &[Row], values: &[DVec3]) -> Option<Vec<DVec3>> {
        let dv = self.solve(rows, self.local.iter().zip(values).map(|((inverse, _), value)| *inverse * *value));
        let step = |(row, ((inverse, d_u), value)): (&Row, (&(DMat3, DMat3), &DVec3))| {
            *d_u * row.change(&dv) + *inverse * *value
        };
        let step: Vec<DVec3> = rows.iter().zip(self.local.iter().zip(values)).map(step).collect();
        step.iter().all(|step| step.is_finite()).then_some(step)
    }
}

/// Calls `each` with every pair of unknowns of a contact and the columns of both.
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
