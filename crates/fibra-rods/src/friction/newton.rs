//! Nonsmooth Newton method with a line search [Bertails2011, Alg. 1 and 2].

use super::alart_curnier::alart_curnier;
use super::local::LocalLaw;
use super::newton_system::NewtonSystem;
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use glam::DVec3;

/// Settings of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// Maximum number of steps.
    pub steps: usize,
    /// Number of steps within which `|f^AC|^2` must halve. If it does not, the method is assumed to be in a local
    /// minimum and stops.
    pub patience: usize,
    /// Damping [-]: in the matrix of a step, the diagonal of each contact is increased by this fraction of its own
    /// mobility. The matrix is then regular even if `W` is singular.
    pub damping: f64,
}

impl Default for NewtonParams {
    fn default() -> NewtonParams {
        NewtonParams { steps: 200, patience: 30, damping: 1e-9 }
    }
}

/// Solves a problem by Newton's method on `f^AC`, starting from the given impulses. Writes the best impulses to `r`.
pub fn solve_newton(problem: &FrictionProblem, r: &mut [DVec3], tolerance: f64, params: &NewtonParams) -> SolveReport {
    let mut progress = Progress::new(problem, r, tolerance);
    Newton::new(problem.contacts()).descend(&mut progress, r, params);
    progress.finish(r)
}

/// Workspace of Newton's method. Its contents before a solve do not affect the result.
#[derive(Debug)]
pub struct Newton {
    system: NewtonSystem,
    laws: Vec<LocalLaw>,
    u: Vec<DVec3>,
    d: Vec<DVec3>,
    /// `W d`.
    w_d: Vec<DVec3>,
    damping: Vec<f64>,
}

impl Newton {
    /// Allocates the workspace for a number of contacts.
    pub fn new(contacts: usize) -> Newton {
        let zeros = vec![DVec3::ZERO; contacts];
        Newton {
            system: NewtonSystem::default(),
            laws: Vec::with_capacity(contacts),
            u: zeros.clone(),
            d: zeros.clone(),
            w_d: zeros,
            damping: vec![0.0; contacts],
        }
    }

    /// Iterates from `r` until the tolerance is met, progress stalls, or the steps are used up. Returns whether the tolerance is met.
    pub fn descend(&mut self, progress: &mut Progress, r: &mut [DVec3], params: &NewtonParams) -> bool {
        let problem = progress.problem;
        let law = |i: usize, u, r| alart_curnier(problem.mu()[i], problem.scales()[i], u, r);
        let (mut milestone, mut since) = (f64::INFINITY, 0);
        for _ in 0..params.steps {
            if progress.check(r) {
                return true;
            }
            progress.iterations += 1;
            let Some(q) = self.step(problem, r, params.damping, law) else { break };
            since += 1;
            if q < 0.5 * milestone {
                (milestone, since) = (q, 0);
            } else if since > params.patience {
                break;
            }
        }
        progress.check(r)
    }

    /// Performs one Newton step for any contact law. Returns the merit function `|f|^2 / 2` after it, or `None` if there is no descent.
    pub fn step(
        &mut self,
        problem: &FrictionProblem,
        r: &mut [DVec3],
        damping: f64,
        law: impl Fn(usize, DVec3, DVec3) -> LocalLaw,
    ) -> Option<f64> {
        let Newton { system, laws, u, d, w_d, damping: own_damping } = self;
        problem.velocities(r, u);
        laws.clear();
        laws.extend((0..r.len()).map(|i| law(i, u[i], r[i])));
        own_damping.iter_mut().zip(problem.scales()).for_each(|(own, scale)| *own = damping / scale);
        system.factor(problem, laws, own_damping);
        if !system.solve(problem, laws, |i| laws[i].value, d) {
            return None;
        }
        problem.multiply(d, w_d);
        let q_0 = 0.5 * laws.iter().map(|law| law.value.length_squared()).sum::<f64>();
        // q'(0) = f^T A d.
        let along = laws.iter().zip(w_d.iter().zip(&*d));
        let slope = along.map(|(law, (w_d, d))| law.value.dot(law.d_u * *w_d + law.d_r * *d)).sum();
        let (a, q) = goldstein_price(q_0, slope, |a| {
            let value = |i: usize| law(i, u[i] + a * w_d[i], r[i] + a * d[i]).value;
            0.5 * (0..r.len()).map(|i| value(i).length_squared()).sum::<f64>()
        })?;
        r.iter_mut().zip(d).for_each(|(r, d)| *r += a * *d);
        Some(q)
    }
}

/// Goldstein-Price line search [Bertails2011, Alg. 2]. Finds a step length for which the mean slope of `q` is between
/// 0.1 and 0.9 times the initial slope. Returns the step length and the value of `q` there. A step that descends more
/// steeply is made ten times as long. If no step length satisfies both bounds, the longest step with a steeper descent
/// is returned.
fn goldstein_price(q_0: f64, slope: f64, q: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    if slope.is_nan() || slope >= 0.0 {
        return None;
    }
    let (mut low, mut high) = (None, f64::INFINITY);
    let mut a = 1.0;
    for _ in 0..30 {
        let value = q(a);
        let mean = (value - q_0) / a;
        // NaN fails this comparison, which shortens the step.
        if mean <= 0.1 * slope {
            if mean >= 0.9 * slope {
                return Some((a, value));
            }
            low = Some((a, value));
        } else {
            high = a;
        }
        a = if high.is_finite() { 0.5 * (low.map_or(0.0, |(a, _)| a) + high) } else { 10.0 * a };
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::problem::Block;
    use glam::DMat3;

    #[test]
    fn the_line_search_shortens_lengthens_and_gives_up() {
        // The Newton step of a parabola is exact. A tenth of this step must be lengthened.
        assert_eq!(goldstein_price(0.5, -1.0, |a| 0.5 * (1.0 - a) * (1.0 - a)), Some((1.0, 0.0)));
        let (a, q) = goldstein_price(0.5, -0.1, |a| 0.5 * (1.0 - 0.1 * a) * (1.0 - 0.1 * a)).unwrap();
        assert!(a > 1.0 && q < 0.4, "{a} {q}");
        let (a, q) =
            goldstein_price(0.5, -1.0, |a| if a > 0.3 { f64::NAN } else { 0.5 * (1.0 - a) * (1.0 - a) }).unwrap();
        assert!(a <= 0.3 && q < 0.5, "{a} {q}");
        assert_eq!(goldstein_price(0.5, -1.0, |_| 0.6), None);
        assert_eq!(goldstein_price(0.5, 0.1, |_| 0.0), None);
        assert_eq!(goldstein_price(0.5, f64::NAN, |_| 0.0), None);
    }

    #[test]
    fn one_contact_is_solved_in_few_steps() {
        let matrix = DMat3::from_cols_array(&[15.0, -1.0, -2.0, -1.0, 14.0, 1.0, -2.0, 1.0, 16.0]);
        let block = Block { row: 0, column: 0, matrix };
        let problem = FrictionProblem::new(vec![0.1], vec![DVec3::new(-1.0, 2.0, 3.0)], &[block]).unwrap();
        let mut r = [DVec3::ZERO];
        let report = solve_newton(&problem, &mut r, 1e-12, &NewtonParams::default());
        assert!(report.met && report.iterations <= 5 && report.error <= 1e-12 && report.residual < 1e-12, "{report:?}");
    }

    #[test]
    fn unsolvable_problems_are_not_reported_as_solved() {
        // No impulse moves the contact, so the approach cannot be stopped.
        let problem = FrictionProblem::new(vec![0.1], vec![-DVec3::X], &[]).unwrap();
        let mut r = [DVec3::ZERO];
        let report = solve_newton(&problem, &mut r, 1e-8, &NewtonParams::default());
        assert!(!report.met && report.error > 0.1 && r[0].is_finite(), "{report:?}");
    }
}
