//! Solves an island: sweeps until Newton's method has a good start, Newton's method until it is done or stalls, and so on by turns.

use super::anderson::Anderson;
use super::newton::Condensed;
use super::rows::{FreeBody, Numbering, Row};
use super::sweeps::sweep;
use crate::friction::alart_curnier::alart_curnier;
use crate::friction::cone::natural_map;
use crate::friction::local::LocalLaw;
use crate::friction::smooth_law::smooth_law;
use glam::DVec3;

/// Regularization of Newton's method [-], relative to contacts' own scale: small beside the curvature of the law, large beside rounding.
const EPS: f64 = 1e-5;
/// Most solutions with one factorization, each of which takes back what regularization and rounding left of the one before, down to this
/// share of the start [-].
const REFINEMENTS: usize = 5;
const REFINED: f64 = 1e-6;
/// Sweeps before the first try of Newton's method, which costs about as much; each later turn takes twice as many.
const FIRST_SWEEPS: usize = 512;
/// A turn of sweeps ends where the residual has not become half as large in so many.
const HALVED_IN: usize = 128;
/// Growth of the residual over the best at which accelerated sweeps start anew [-].
const ASTRAY: f64 = 4.0;
/// Bounds of Goldstein and Price on the decrease along a step, over what the slope promises [-] [Bertails2011, Alg. 2].
const GOLDSTEIN: [f64; 2] = [0.1, 0.9];
/// Share of the residual that a step must not leave [-].
const STALLED: f64 = 0.99;
/// Trials of the line search.
const TRIALS: usize = 12;

/// Plain sweeps after the first leap that led astray; each later one brings twice as many.
const PATIENCE: usize = 8;

/// By how much one problem with rounded corners is rounded less than the one before: at first, at least and at most [-].
const SHARPER: f64 = 0.2;
const SHARPEST: f64 = 0.01;
const BLUNTEST: f64 = 0.9;
/// Rounding of the first problem, over the mean impulse [-]: far from a solution, and where the error is below [`CLOSE`] of that mean.
const ROUND: f64 = 1.0;
const SLIGHTLY_ROUND: f64 = 0.03;
const CLOSE: f64 = 5e-5;
/// Most steps of Newton's method to come near the solution of the first rounded problem and of later ones, and how near every contact is
/// to be, over the rounding [-].
const FIRST_CORRECTIONS: usize = 20;
const CORRECTIONS: usize = 5;
const NEAR: f64 = 1.0;
/// Roundings end where they are as small as the error that is allowed, by this factor [-].
const SMALLEST: f64 = 0.1;

/// Which method solves contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Newton's method for all contacts at once.
    Newton,
    /// One contact after the other.
    GaussSeidel,
    /// Both by turns.
    #[default]
    Auto,
}

/// How well contacts are to be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// The method.
    pub solver: Solver,
    /// Largest `|f|^2` that counts as solved, in units of what weight gives in a step [-].
    pub tolerance: f64,
    /// Most iterations of Newton's method in a step.
    pub newton_iterations: usize,
    /// Most sweeps in a step.
    pub sweeps: usize,
}

impl Default for SolverSettings {
    fn default() -> Self {
        SolverSettings { solver: Solver::Auto, tolerance: 1e-5, newton_iterations: 200, sweeps: 4000 }
    }
}

/// What came of solving one island, or all of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Number of contacts.
    pub contacts: usize,
    /// Number of velocity unknowns.
    pub unknowns: usize,
    /// Iterations of Newton's method.
    pub newton_iterations: usize,
    /// Sweeps over contacts.
    pub sweeps: usize,
    /// `|f|^2` [-], in units of what weight gives in a step.
    pub residual: f64,
    /// `|f| / (1 + |r|)` [-], in the same units.
    pub relative: f64,
    /// Islands that do not meet the tolerance.
    pub unsolved: usize,
}

impl ContactReport {
    /// Number of conditions over number of unknowns, the paper's conditioning number `nu` [-].
    pub fn nu(&self) -> f64 {
        if self.unknowns == 0 { 0.0 } else { 3.0 * self.contacts as f64 / self.unknowns as f64 }
    }

    /// Both together.
    pub fn merge(self, other: ContactReport) -> ContactReport {
        ContactReport {
            contacts: self.contacts + other.contacts,
            unknowns: self.unknowns + other.unknowns,
            newton_iterations: self.newton_iterations.max(other.newton_iterations),
            sweeps: self.sweeps.max(other.sweeps),
            residual: self.residual + other.residual,
            relative: self.relative.max(other.relative),
            unsolved: self.unsolved + other.unsolved,
        }
    }
}

/// An island's one-step problem and the best answer so far.
pub struct IslandProblem<'a> {
    /// The contacts.
    pub rows: &'a [Row],
    /// The bodies, by their numbers in the scene.
    pub bodies: &'a [usize],
    /// Steps without contact of all bodies of the scene.
    pub free: &'a [FreeBody],
    /// Where unknowns are.
    pub numbering: &'a Numbering,
    /// Unit of impulses [N s].
    pub unit: f64,
    /// Velocities without contact.
    pub start: Vec<f64>,
}

/// A point in the search: impulses, the velocities they cause, and how far it is from a solution.
#[derive(Clone, Debug)]
struct Guess {
    r: Vec<DVec3>,
    v: Vec<f64>,
    residual: f64,
}

/// A step of the search: how impulses, relative velocities at contacts and velocities change.
struct Motion {
    dr: Vec<DVec3>,
    du: Vec<DVec3>,
    dv: Vec<f64>,
}

impl IslandProblem<'_> {
    /// Solves for the impulses, starting from `r` [N s]; leaves there the best that were found, and returns the velocities.
    pub fn solve(&self, settings: &SolverSettings, r: &mut Vec<DVec3>) -> (Vec<f64>, ContactReport) {
        let mut guess = self.guess(std::mem::take(r));
        let cold = self.guess(vec![DVec3::ZERO; self.rows.len()]);
        if cold.residual < guess.residual || !guess.residual.is_finite() {
            guess = cold;
        }
        let mut report =
            ContactReport { contacts: self.rows.len(), unknowns: self.numbering.unknowns, ..Default::default() };
        let mut condensed = None;
        let mut turn = match settings.solver {
            Solver::Newton => 0,
            Solver::GaussSeidel => settings.sweeps,
            Solver::Auto => FIRST_SWEEPS,
        };
        while guess.residual > settings.tolerance {
            let before = guess.residual;
            if settings.solver != Solver::Newton {
                self.sweeps(&mut guess, turn.min(settings.sweeps - report.sweeps), settings.tolerance, &mut report);
            }
            if settings.solver != Solver::GaussSeidel && guess.residual > settings.tolerance {
                let matrix =
                    condensed.get_or_insert_with(|| Condensed::new(self.rows, self.bodies, self.free, self.numbering));
                if let Some(matrix) = matrix {
                    self.newton(&mut guess, matrix, settings, &mut report);
                }
            }
            let exhausted = report.sweeps >= settings.sweeps || report.newton_iterations >= settings.newton_iterations;
            let stuck = settings.solver != Solver::Auto && guess.residual > 0.99 * before;
            if exhausted || stuck {
                break;
            }
            turn *= 2;
        }
        report.residual = guess.residual;
        let size = guess.r.iter().map(|r| r.length_squared()).sum::<f64>().sqrt() / self.unit;
        report.relative = guess.residual.sqrt() / (1.0 + size);
        let solved = guess.residual <= settings.tolerance;
        report.unsolved = usize::from(!solved);
        *r = guess.r;
        (guess.v, report)
    }

    /// The error of impulses by the natural map, relative to the largest of the velocities without contact, the impulses, and the
    /// velocities [-], in units that make masses one.
    pub fn natural_error(&self, r: &[DVec3]) -> f64 {
        let guess = self.guess(r.to_vec());
        let scale = self.rows.iter().map(|row| row.rho).sum::<f64>() / self.rows.len() as f64;
        let [mut off, mut size_r, mut size_u, mut size_b] = [0.0; 4];
        for (row, r) in self.rows.iter().zip(r) {
            let (u, b) = (row.velocity(&guess.v), row.velocity(&self.start));
            off += natural_map(row.mu, u, *r / scale).length_squared();
            size_r += (*r / scale).length_squared();
            size_u += u.length_squared();
            size_b += b.length_squared();
        }
        (off / f64::max(size_r, f64::max(size_u, size_b)).max(f64::MIN_POSITIVE)).sqrt()
    }

    fn guess(&self, r: Vec<DVec3>) -> Guess {
        let mut v = self.start.clone();
        self.rows.iter().zip(&r).for_each(|(row, r)| row.push(*r, &mut v));
        let residual = self.residual(&r, &v);
        Guess { r, v, residual }
    }

    /// `|f|^2` in the unit of impulses [-].
    fn residual(&self, r: &[DVec3], v: &[f64]) -> f64 {
        let law = |row: &Row, u, r| alart_curnier(row.mu, row.rho, u, r);
        self.values(law, r, v).map(|value| (value / self.unit).length_squared()).sum()
    }

    /// What is left of a law at each contact [N s].
    fn values(
        &self,
        law: impl Fn(&Row, DVec3, DVec3) -> LocalLaw,
        r: &[DVec3],
        v: &[f64],
    ) -> impl Iterator<Item = DVec3> {
        self.rows.iter().zip(r).map(move |(row, r)| law(row, row.velocity(v), *r).value)
    }

    /// At most `most` sweeps, accelerated; the guess is not worse afterwards.
    fn sweeps(&self, guess: &mut Guess, most: usize, tolerance: f64, report: &mut ContactReport) {
        let mut trial = guess.clone();
        let mut anderson = Anderson::default();
        let mut before = trial.r.clone();
        let (mut plain, mut patience) = (0, PATIENCE);
        let mut checked = guess.residual;
        for count in 0..most {
            if count % HALVED_IN == 0 && count > 0 {
                if guess.residual > 0.5 * checked {
                    return;
                }
                checked = guess.residual;
            }
            before.copy_from_slice(&trial.r);
            sweep(self.rows, &mut trial.r, &mut trial.v);
            report.sweeps += 1;
            trial.residual = self.residual(&trial.r, &trial.v);
            if trial.residual < guess.residual {
                guess.clone_from(&trial);
            }
            if guess.residual <= tolerance {
                return;
            }
            if plain > 0 {
                plain -= 1;
            } else if trial.residual > ASTRAY * guess.residual {
                // A leap that led astray: back to the best, and on from there without leaps for a while.
                trial.clone_from(guess);
                anderson.clear();
                plain = patience;
                patience *= 2;
            } else {
                anderson.improve(&before, &mut trial.r, &mut trial.v);
            }
        }
    }

    /// Newton's method until it is done or stalls. Where Coulomb's law as it is stalls, corners are rounded: at first over impulses as
    /// large as they are, which leaves one smooth problem to all contacts, then ever less.
    fn newton(&self, guess: &mut Guess, matrix: &mut Condensed, settings: &SolverSettings, report: &mut ContactReport) {
        if self.sharp(guess, matrix, settings, report) {
            return;
        }
        self.follow(guess, matrix, settings, report);
        self.sharp(guess, matrix, settings, report);
    }

    /// Follows the solutions of ever less rounded problems from the guess on, and leaves there the best that came along.
    fn follow(&self, guess: &mut Guess, matrix: &mut Condensed, settings: &SolverSettings, report: &mut ContactReport) {
        let n = self.rows.len() as f64;
        let mean = (guess.r.iter().map(|r| r.length_squared()).sum::<f64>() / n).sqrt();
        let error = self.unit * (guess.residual / n).sqrt();
        let mut size = (if error < CLOSE * mean { SLIGHTLY_ROUND } else { ROUND } * mean).max(error);
        let end = SMALLEST * self.unit * (settings.tolerance / n).sqrt();
        let mut known = guess.clone();
        let (mut known_size, mut shrink) = (f64::INFINITY, SHARPER);
        while size > end {
            let mut here = known.clone();
            // The first point is far from its path.
            let most = if known_size.is_infinite() { FIRST_CORRECTIONS } else { CORRECTIONS };
            let law = |row: &Row, u, r| smooth_law(row.mu, row.rho, size, u, r).0;
            let (mut corrections, mut near) = (0, false);
            while !near && corrections < most {
                if report.newton_iterations >= settings.newton_iterations {
                    return;
                }
                report.newton_iterations += 1;
                corrections += 1;
                let Some(next) = self.newton_step(&here, matrix, law) else { return };
                here = next;
                // Every contact by itself: among many, a few that have lost the path would not show.
                near = self.values(law, &here.r, &here.v).all(|value| value.length() <= NEAR * size);
            }
            if near {
                let sharp = self.residual(&here.r, &here.v);
                if sharp < guess.residual {
                    *guess = Guess { residual: sharp, ..here.clone() };
                }
                if guess.residual <= settings.tolerance {
                    return;
                }
                (known, known_size) = (here, size);
                shrink = if corrections == 1 { (shrink * shrink).max(SHARPEST) } else { shrink };
                size *= shrink;
            } else if known_size.is_finite() && shrink < BLUNTEST {
                // Lost: from the last point again, more carefully.
                shrink = shrink.sqrt();
                size = shrink * known_size;
            } else {
                return;
            }
        }
    }

    /// Newton's method with Coulomb's law as it is; says whether it is done.
    fn sharp(
        &self,
        guess: &mut Guess,
        matrix: &mut Condensed,
        settings: &SolverSettings,
        report: &mut ContactReport,
    ) -> bool {
        let mut slow = 0;
        while guess.residual > settings.tolerance {
            if slow > 1 || report.newton_iterations >= settings.newton_iterations {
                return false;
            }
            report.newton_iterations += 1;
            let law = |row: &Row, u, r| alart_curnier(row.mu, row.rho, u, r);
            let Some(next) = self.newton_step(guess, matrix, law) else { return false };
            if next.residual > STALLED * guess.residual {
                return false;
            }
            slow = if next.residual > 0.5 * guess.residual { slow + 1 } else { 0 };
            *guess = next;
        }
        true
    }

    /// A step of Newton's method for a law; the residual is that law's.
    fn newton_step(
        &self,
        from: &Guess,
        matrix: &mut Condensed,
        law: impl Fn(&Row, DVec3, DVec3) -> LocalLaw,
    ) -> Option<Guess> {
        let u: Vec<DVec3> = self.rows.iter().map(|row| row.velocity(&from.v)).collect();
        let laws: Vec<LocalLaw> =
            self.rows.iter().zip(u.iter().zip(&from.r)).map(|(row, (&u, &r))| law(row, u, r)).collect();
        matrix.factor(self.rows, &laws, EPS);
        let motion = self.refined_step(matrix, &laws)?;
        Some(self.search(from, &u, &laws, &motion, law))
    }

    /// The step that makes linearized laws vanish, with the factors of the matrix.
    fn refined_step(&self, matrix: &Condensed, laws: &[LocalLaw]) -> Option<Motion> {
        let size = |values: &[DVec3]| values.iter().map(|value| value.length_squared()).sum::<f64>();
        let mut left: Vec<DVec3> = laws.iter().map(|law| law.value).collect();
        let (start, mut before) = (size(&left), f64::INFINITY);
        let mut best = None;
        let mut dr = vec![DVec3::ZERO; self.rows.len()];
        for _ in 0..REFINEMENTS {
            dr.iter_mut().zip(matrix.step(self.rows, &left)?).for_each(|(dr, more)| *dr += more);
            let mut dv = vec![0.0; self.start.len()];
            self.rows.iter().zip(&dr).for_each(|(row, dr)| row.push(*dr, &mut dv));
            let du: Vec<DVec3> = self.rows.iter().map(|row| row.change(&dv)).collect();
            for ((left, law), (du, dr)) in left.iter_mut().zip(laws).zip(du.iter().zip(&dr)) {
                *left = law.value + law.d_u * *du + law.d_r * *dr;
            }
            let now = size(&left);
            if now >= before {
                break;
            }
            best = Some(Motion { dr: dr.clone(), du, dv });
            if now <= REFINED * REFINED * start {
                break;
            }
            before = now;
        }
        best
    }

    /// The search of Goldstein and Price along a step; the best of its trials.
    fn search(
        &self,
        from: &Guess,
        u: &[DVec3],
        laws: &[LocalLaw],
        Motion { dr, du, dv }: &Motion,
        law: impl Fn(&Row, DVec3, DVec3) -> LocalLaw,
    ) -> Guess {
        let promise = |i: usize| laws[i].value.dot(laws[i].d_u * du[i] + laws[i].d_r * dr[i]);
        let unit = self.unit * self.unit;
        let slope: f64 = (0..self.rows.len()).map(promise).sum::<f64>() / unit;
        let start = 0.5 * laws.iter().map(|law| law.value.length_squared()).sum::<f64>() / unit;
        let value = |alpha: f64| -> f64 {
            let at = |(i, row): (usize, &Row)| law(row, u[i] + alpha * du[i], from.r[i] + alpha * dr[i]).value;
            0.5 * self.rows.iter().enumerate().map(|pair| at(pair).length_squared()).sum::<f64>() / unit
        };
        let (mut low, mut high, mut alpha) = (0.0, f64::INFINITY, 1.0);
        let mut best = (start, 0.0);
        for _ in 0..TRIALS {
            let q = value(alpha);
            if q < best.0 {
                best = (q, alpha);
            }
            let mean_slope = (q - start) / alpha;
            // A step that is not downhill has no promise to compare with.
            if mean_slope <= GOLDSTEIN[0] * slope && mean_slope >= GOLDSTEIN[1] * slope {
                break;
            }
            if mean_slope < GOLDSTEIN[1] * slope {
                low = alpha
            } else {
                high = alpha
            }
            // A full step that brings more than its slope promises is as good as it gets.
            if low == 1.0 && high.is_infinite() {
                break;
            }
            alpha = if high.is_finite() { 0.5 * (low + high) } else { 10.0 * alpha };
        }
        let alpha = best.1;
        let mut next = from.clone();
        next.r.iter_mut().zip(dr).for_each(|(r, dr)| *r += alpha * *dr);
        next.v.iter_mut().zip(dv).for_each(|(v, dv)| *v += alpha * dv);
        next.residual = 2.0 * best.0;
        next
    }
}
