//! The linear system of a Newton step, `A d = -f` with `A = (df/du) W + df/dr`.

use super::block_lu::BlockLu;
use super::local::LocalLaw;
use super::problem::FrictionProblem;
use glam::{DMat3, DVec3};

/// Assembles, factors and solves the linear system of a Newton step. Memory is reused between steps; its contents do
/// not affect the results.
///
/// Open contacts, whose law does not depend on velocity, are eliminated first: each is a separate small system. The
/// matrix to factor has rows for the remaining contacts only.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    /// The coupled (not eliminated) contacts.
    coupled: Vec<usize>,
    /// Whether each contact is coupled.
    is_coupled: Vec<bool>,
    /// The factorization and the contacts it was analyzed for. The analysis is reused once the set of closed contacts
    /// settles.
    factors: Option<(Vec<usize>, BlockLu)>,
}

impl NewtonSystem {
    /// Factors `A`. `damping[i]` is added to the diagonal of `W` at contact `i`, so that `A` is regular even if `W` is
    /// singular.
    pub fn factor(&mut self, problem: &FrictionProblem, laws: &[LocalLaw], damping: &[f64]) {
        self.is_coupled.clear();
        self.is_coupled.extend(laws.iter().map(|law| law.d_u != DMat3::ZERO));
        self.coupled.clear();
        self.coupled.extend((0..laws.len()).filter(|&contact| self.is_coupled[contact]));
        if self.factors.as_ref().is_none_or(|(contacts, _)| *contacts != self.coupled) {
            self.factors = Some((self.coupled.clone(), BlockLu::new(problem, &self.coupled)));
        }
        let Some((_, factors)) = &mut self.factors else { return };
        factors.factor(problem, |block, row, column| {
            let law = &laws[row];
            let coupling = law.d_u * *block;
            if row == column { coupling + law.d_r + law.d_u * damping[row] } else { coupling }
        });
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
            if !self.is_coupled[contact] {
                d[contact] = -(law.d_r.inverse() * f(contact));
            }
        }
        for &contact in &self.coupled {
            let open = problem.row(contact).filter(|(column, _)| !self.is_coupled[*column]);
            let velocity = open.fold(DVec3::ZERO, |sum, (column, block)| sum + *block * d[column]);
            d[contact] = -(f(contact) + laws[contact].d_u * velocity);
        }
        if let Some((_, factors)) = &self.factors {
            factors.solve(d);
        }
        d.iter().all(|d| d.is_finite())
    }
}
