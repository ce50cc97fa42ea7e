//! Solves an island. Gauss-Seidel sweeps provide a starting point for Newton's method. If it stalls, the interior-point method solves the problem from
//! scratch. After that, sweeps and Newton's method alternate.

use super::anderson::Anderson;
use super::interior_point::solve_interior_point;
use super::newton::Condensed;
use super::rows::{FreeBody, Numbering, Row};
use super::sweeps::sweep;
use crate::friction::alart_curnier::alart_curnier;
use crate::friction::cone::natural_map;
use crate::friction::local::LocalLaw;
use glam::DVec3;
use std::mem::take;

/// Regularization of Newton's method [-], relative to the scale of the contacts. It is small compared to the curvature
/// of the law and large compared to rounding errors.
const EPS: f64 = 1e-5;
/// Maximum number of solves with one factorization. Each solve reduces the error that regularization and rounding left
/// in the previous solve. Refinement ends when the residual is below the fraction [`REFINED`] of the initial residual
/// [-].
const REFINEMENTS: usize = 5;
const REFINED: f64 = 1e-6;
/// Number of sweeps before the first attempt with the other methods. They cost about as much as the attempt. Each later
/// round doubles the number of sweeps.
const FIRST_SWEEPS: usize = 256;
/// A round of sweeps ends when the residual has not halved within this many sweeps.
const HALVING_SWEEPS: usize = 128;
/// Accelerated sweeps restart if the residual exceeds the best residual by this factor [-].
const RESTART_GROWTH: f64 = 4.0;
/// Goldstein-Price bounds on the decrease along a step, relative to the decrease predicted by the slope [-] [Bertails2011, Alg. 2].
const GOLDSTEIN_PRICE: [f64; 2] = [0.1, 0.9];
/// A Newton step that leaves more than this fraction of the residual counts as stalled [-].
const STALL_RATIO: f64 = 0.99;
/// Maximum number of line search trials.
const MAX_TRIALS: usize = 12;

/// Number of plain sweeps after the first failed extrapolation. Each later failure doubles this number.
const FIRST_PLAIN_SWEEPS: usize = 8;

/// Contact solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// The methods for all contacts at once: Newton's method and the interior-point method.
    Newton,
    /// Gauss-Seidel: one contact at a time.
    GaussSeidel,
    /// All methods, alternating.
    #[default]
    Auto,
}

/// Settings of the contact solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// The method.
    pub solver: Solver,
    /// Largest `|f|` at any contact, relative to the impulse in one step of the larger of weight and tension [-]: see [`Row::unit`].
    pub tolerance: f64,
    /// Maximum number of iterations of Newton's and the interior-point method in a step.
    pub newton_iterations: usize,
    /// Maximum number of sweeps in a step.
    pub sweeps: usize,
}

impl Default for SolverSettings {
    fn default() -> Self {
        SolverSettings { solver: Solver::Auto, tolerance: 1e-4, newton_iterations: 200, sweeps: 4000 }
    }
}

/// Solver report of one island or of a whole step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Number of contacts.
    pub contacts: usize,
    /// Number of velocity unknowns.
    pub unknowns: usize,
    /// Number of iterations of Newton's and the interior-point method; for a step, the maximum over its islands.
    pub newton_iterations: usize,
    /// Number of sweeps over contacts; for a step, the maximum over its islands.
    pub sweeps: usize,
    /// Largest `|f|` at any contact [-], in the units of the tolerance.
    pub residual: f64,
    /// `|f| / (1 + |r|)` over all contacts of an island [-], in units of the impulse of gravity in one step.
    pub relative: f64,
    /// Number of islands that do not meet the tolerance.
    pub unsolved: usize,
}

impl ContactReport {
    /// Returns the ratio of constraints to unknowns, the paper's conditioning number `nu` [-].
    pub fn nu(&self) -> f64 {
        if self.unknowns == 0 { 0.0 } else { 3.0 * self.contacts as f64 / self.unknowns as f64 }
    }

    /// Combines two reports.
    pub fn merge(self, other: ContactReport) -> ContactReport {
        ContactReport {
            contacts: self.contacts + other.contacts,
            unknowns: self.unknowns + other.unknowns,
            newton_iterations: self.newton_iterations.max(other.newton_iterations),
            sweeps: self.sweeps.max(other.sweeps),
            residual: self.residual.max(other.residual),
            relative: self.relative.max(other.relative),
            unsolved: self.unsolved + other.unsolved,
        }
    }
}

/// The one-step problem of an island.
pub struct IslandProblem<'a> {
    /// The contacts.
    pub rows: &'a [Row],
    /// The bodies of the island, as indices into the bodies of the scene.
    pub bodies: &'a [usize],
    /// Contact-free steps of all bodies of the scene.
    pub free: &'a [FreeBody],
    /// Numbering of the unknowns.
    pub numbering: &'a Numbering,
    /// Unit of impulses of the residual that Newton's method minimizes [N s].
    pub unit: f64,
    /// Velocities without contact.
    pub start: Vec<f64>,
}

/// An iterate: impulses, the velocities they cause, and the residual.
#[derive(Clone, Debug)]
pub(super) struct Iterate {
    pub(super) r: Vec<DVec3>,
    pub(super) v: Vec<f64>,
    /// `|f|^2` over all contacts, with `f` divided by the unit of impulses of the island [-]: the function that Newton's method minimizes.
    residual: f64,
    /// Largest `|f|` at any contact, in the units of the tolerance [-].
    pub(super) error: f64,
}

/// A search direction: changes of impulses, of relative contact velocities and of velocities.
struct Direction {
    dr: Vec<DVec3>,
    du: Vec<DVec3>,
    dv: Vec<f64>,
}

impl IslandProblem<'_> {
    /// Solves for the impulses, starting from `r` [N s]. Writes the best impulses to `r` and returns the velocities and a report.
    pub fn solve(&self, settings: &SolverSettings, r: &mut Vec<DVec3>) -> (Vec<f64>, ContactReport) {
        let mut iterate = self.evaluate(take(r));
        let cold = self.evaluate(vec![DVec3::ZERO; self.rows.len()]);
        if cold.residual < iterate.residual || !iterate.residual.is_finite() {
            iterate = cold;
        }
        let mut report =
            ContactReport { contacts: self.rows.len(), unknowns: self.numbering.unknowns, ..Default::default() };
        let mut condensed = None;
        let mut from_scratch = true;
        let mut round = match settings.solver {
            Solver::Newton => 0,
            Solver::GaussSeidel => settings.sweeps,
            Solver::Auto => FIRST_SWEEPS,
        };
        while iterate.error > settings.tolerance {
            let before = iterate.residual;
            if settings.solver != Solver::Newton {
                self.sweeps(&mut iterate, round.min(settings.sweeps - report.sweeps), settings.tolerance, &mut report);
            }
            if settings.solver != Solver::GaussSeidel && iterate.error > settings.tolerance {
                let matrix =
                    condensed.get_or_insert_with(|| Condensed::new(self.rows, self.bodies, self.free, self.numbering));
                if let Some(matrix) = matrix {
                    let solved = self.newton(&mut iterate, matrix, settings, &mut report);
                    // The interior-point method does not depend on its starting point.
                    if !solved && take(&mut from_scratch) {
                        let left = settings.newton_iterations.saturating_sub(report.newton_iterations);
                        report.newton_iterations +=
                            solve_interior_point(self, matrix, &mut iterate, settings.tolerance, left);
                        self.newton(&mut iterate, matrix, settings, &mut report);
                    }
                }
            }
            let exhausted = report.sweeps >= settings.sweeps || report.newton_iterations >= settings.newton_iterations;
            let stuck = settings.solver != Solver::Auto && iterate.residual > 0.99 * before;
            if exhausted || stuck {
                break;
            }
            round *= 2;
        }
        report.residual = iterate.error;
        let size = iterate.r.iter().map(|r| r.length_squared()).sum::<f64>().sqrt() / self.unit;
        report.relative = iterate.residual.sqrt() / (1.0 + size);
        let solved = iterate.error <= settings.tolerance;
        report.unsolved = usize::from(!solved);
        *r = iterate.r;
        (iterate.v, report)
    }

    /// Returns the error of the natural map [-]. Impulses are divided by the mean `rho` of the contacts, so that all
    /// terms are velocities. The error is relative to the largest norm of the contact-free velocities, the impulses and
    /// the velocities.
    pub fn natural_error(&self, r: &[DVec3]) -> f64 {
        let iterate = self.evaluate(r.to_vec());
        let scale = self.rows.iter().map(|row| row.rho).sum::<f64>() / self.rows.len() as f64;
        let [mut off, mut size_r, mut size_u, mut size_b] = [0.0; 4];
        for (row, r) in self.rows.iter().zip(r) {
            let (u, b) = (row.velocity(&iterate.v), row.velocity(&self.start));
            off += natural_map(row.mu, u, *r / scale).length_squared();
            size_r += (*r / scale).length_squared();
            size_u += u.length_squared();
            size_b += b.length_squared();
        }
        (off / f64::max(size_r, f64::max(size_u, size_b)).max(f64::MIN_POSITIVE)).sqrt()
    }

    pub(super) fn evaluate(&self, r: Vec<DVec3>) -> Iterate {
        let mut v = self.start.clone();
        self.rows.iter().zip(&r).for_each(|(row, r)| row.apply_impulse(*r, &mut v));
        self.measured(r, v)
    }

    /// Returns an iterate with its residual and its error.
    fn measured(&self, r: Vec<DVec3>, v: Vec<f64>) -> Iterate {
        let mut iterate = Iterate { r, v, residual: 0.0, error: 0.0 };
        self.measure(&mut iterate);
        iterate
    }

    /// Computes the residual and the error of an iterate.
    fn measure(&self, iterate: &mut Iterate) {
        let law = |row: &Row, u, r| alart_curnier(row.mu, row.rho, u, r);
        (iterate.residual, iterate.error) = (0.0, 0.0);
        for (row, value) in self.rows.iter().zip(self.values(law, &iterate.r, &iterate.v)) {
            iterate.residual += (value / self.unit).length_squared();
            // `f64::max` ignores numbers that are not finite.
            let error = value.length() / row.unit;
            iterate.error = if error.is_finite() { iterate.error.max(error) } else { f64::INFINITY };
        }
    }

    /// Returns the residual of a law at each contact [N s].
    fn values(
        &self,
        law: impl Fn(&Row, DVec3, DVec3) -> LocalLaw,
        r: &[DVec3],
        v: &[f64],
    ) -> impl Iterator<Item = DVec3> {
        self.rows.iter().zip(r).map(move |(row, r)| law(row, row.velocity(v), *r).value)
    }

    /// Performs at most `most` accelerated sweeps; the iterate never gets worse.
    fn sweeps(&self, iterate: &mut Iterate, most: usize, tolerance: f64, report: &mut ContactReport) {
        let mut trial = iterate.clone();
        let mut anderson = Anderson::default();
        let mut before = trial.r.clone();
        let (mut plain, mut next_plain) = (0, FIRST_PLAIN_SWEEPS);
        let mut checked = iterate.residual;
        for count in 0..most {
            if count % HALVING_SWEEPS == 0 && count > 0 {
                if iterate.residual > 0.5 * checked {
                    return;
                }
                checked = iterate.residual;
            }
            before.copy_from_slice(&trial.r);
            sweep(self.rows, &mut trial.r, &mut trial.v);
            report.sweeps += 1;
            self.measure(&mut trial);
            if trial.residual < iterate.residual || trial.error <= tolerance {
                iterate.clone_from(&trial);
            }
            if iterate.error <= tolerance {
                return;
            }
            if plain > 0 {
                plain -= 1;
            } else if trial.residual > RESTART_GROWTH * iterate.residual {
                // The extrapolation failed: return to the best iterate and continue with plain sweeps.
                trial.clone_from(iterate);
                anderson.clear();
                plain = next_plain;
                next_plain *= 2;
            } else {
                anderson.improve(&before, &mut trial.r, &mut trial.v);
            }
        }
    }

    /// Runs Newton's method. Returns whether it converged.
    fn newton(
        &self,
        iterate: &mut Iterate,
        matrix: &mut Condensed,
        settings: &SolverSettings,
        report: &mut ContactReport,
    ) -> bool {
        let mut slow = 0;
        while iterate.error > settings.tolerance {
            if slow > 1 || report.newton_iterations >= settings.newton_iterations {
                return false;
            }
            report.newton_iterations += 1;
            let law = |row: &Row, u, r| alart_curnier(row.mu, row.rho, u, r);
            let Some(mut next) = self.newton_step(iterate, matrix, law) else { return false };
            self.measure(&mut next);
            if next.residual > STALL_RATIO * iterate.residual {
                return false;
            }
            slow = if next.residual > 0.5 * iterate.residual { slow + 1 } else { 0 };
            *iterate = next;
        }
        true
    }

    /// Performs a Newton step for a law. The residual and the error of the returned iterate are those of the iterate before.
    fn newton_step(
        &self,
        from: &Iterate,
        matrix: &mut Condensed,
        law: impl Fn(&Row, DVec3, DVec3) -> LocalLaw,
    ) -> Option<Iterate> {
        let u: Vec<DVec3> = self.rows.iter().map(|row| row.velocity(&from.v)).collect();
        let laws: Vec<LocalLaw> =
            self.rows.iter().zip(u.iter().zip(&from.r)).map(|(row, (&u, &r))| law(row, u, r)).collect();
        matrix.linearize(self.rows, &laws, EPS);
        let motion = self.refined_step(matrix, &laws)?;
        Some(self.line_search(from, &u, &laws, &motion, law))
    }

    /// Returns the step that solves the linearized laws, by iterative refinement with the factored matrix.
    fn refined_step(&self, matrix: &Condensed, laws: &[LocalLaw]) -> Option<Direction> {
        let size = |values: &[DVec3]| values.iter().map(|value| value.length_squared()).sum::<f64>();
        let mut residual: Vec<DVec3> = laws.iter().map(|law| law.value).collect();
        let (start, mut before) = (size(&residual), f64::INFINITY);
        let mut best = None;
        let mut dr = vec![DVec3::ZERO; self.rows.len()];
        for _ in 0..REFINEMENTS {
            dr.iter_mut().zip(matrix.step(self.rows, &residual)?).for_each(|(dr, more)| *dr += more);
            let mut dv = vec![0.0; self.start.len()];
            self.rows.iter().zip(&dr).for_each(|(row, dr)| row.apply_impulse(*dr, &mut dv));
            let du: Vec<DVec3> = self.rows.iter().map(|row| row.change(&dv)).collect();
            for ((residual, law), (du, dr)) in residual.iter_mut().zip(laws).zip(du.iter().zip(&dr)) {
                *residual = law.value + law.d_u * *du + law.d_r * *dr;
            }
            let now = size(&residual);
            if now >= before {
                break;
            }
            best = Some(Direction { dr: dr.clone(), du, dv });
            if now <= REFINED * REFINED * start {
                break;
            }
            before = now;
        }
        best
    }

    /// Goldstein-Price line search along a step; returns the best trial.
    fn line_search(
        &self,
        from: &Iterate,
        u: &[DVec3],
        laws: &[LocalLaw],
        Direction { dr, du, dv }: &Direction,
        law: impl Fn(&Row, DVec3, DVec3) -> LocalLaw,
    ) -> Iterate {
        let predicted = |i: usize| laws[i].value.dot(laws[i].d_u * du[i] + laws[i].d_r * dr[i]);
        let unit = self.unit * self.unit;
        let slope: f64 = (0..self.rows.len()).map(predicted).sum::<f64>() / unit;
        let start = 0.5 * laws.iter().map(|law| law.value.length_squared()).sum::<f64>() / unit;
        let value = |alpha: f64| -> f64 {
            let at = |(i, row): (usize, &Row)| law(row, u[i] + alpha * du[i], from.r[i] + alpha * dr[i]).value;
            0.5 * self.rows.iter().enumerate().map(|pair| at(pair).length_squared()).sum::<f64>() / unit
        };
        let (mut low, mut high, mut alpha) = (0.0, f64::INFINITY, 1.0);
        let mut best = (start, 0.0);
        for _ in 0..MAX_TRIALS {
            let q = value(alpha);
            if q < best.0 {
                best = (q, alpha);
            }
            let mean_slope = (q - start) / alpha;
            // A direction that is not a descent direction cannot satisfy both bounds.
            if mean_slope <= GOLDSTEIN_PRICE[0] * slope && mean_slope >= GOLDSTEIN_PRICE[1] * slope {
                break;
            }
            if mean_slope < GOLDSTEIN_PRICE[1] * slope {
                low = alpha
            } else {
                high = alpha
            }
            // A full step is accepted if it decreases the residual more than the slope predicts.
            if low == 1.0 && high.is_infinite() {
                break;
            }
            alpha = if high.is_finite() { 0.5 * (low + high) } else { 10.0 * alpha };
        }
        let alpha = best.1;
        let mut next = from.clone();
        next.r.iter_mut().zip(dr).for_each(|(r, dr)| *r += alpha * *dr);
        next.v.iter_mut().zip(dv).for_each(|(v, dv)| *v += alpha * dv);
        next
    }
}
