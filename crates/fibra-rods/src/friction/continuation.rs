//! Path following: the last resort if the other methods fail. Follows solutions of smoothed problems, around turning
//! points, to Coulomb's law.
//!
//! Newton's method on `f^AC` may end in a local minimum, and Gauss-Seidel may cycle. The path of solutions of smoothed
//! problems, with parameter `e`, starts where the solution is unique and ends (`e = 0`) at Coulomb's law. Every problem
//! on the path has a solution, because `0.1 e^2 / rho` is added to the diagonal of `W`, which may be singular. If
//! friction is high, solutions are not unique and the path can turn back in `e`. The path is therefore parametrized by
//! arc length rather than by `e` [Allgower1990]. Along the path, `f^AC` is smoothed as in [`smooth_law`].

use super::local::LocalLaw;
use super::newton::{Newton, NewtonParams};
use super::newton_system::NewtonSystem;
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use super::smooth_law::smooth_law;
use glam::DVec3;

/// Mobility added at `e = 1`, relative to the contact's own mobility. It is proportional to `e^2`, like the effect of
/// smoothing on `u`. If it were proportional to `e`, it would add curvature to the path, and following this path would cost more than the
/// additional mobility saves.
const SOFTNESS: f64 = 0.1;
/// Maximum number of corrector iterations before the step length is reduced.
const MAX_CORRECTIONS: usize = 6;
/// Minimum and maximum step length, in units of `ln e` [-].
const STEP_LENGTHS: [f64; 2] = [1e-8, 5.0];
/// Largest `-ln e`, where `e` reaches rounding level [-].
const END_T: f64 = 32.0;

/// Solves a problem by following the path from its start, with at most `factors` matrix factorizations. Writes the best impulses to `r`.
pub fn solve_continuation(problem: &FrictionProblem, r: &mut [DVec3], tolerance: f64, factors: usize) -> SolveReport {
    let mut progress = Progress::new(problem, r, tolerance);
    follow_path(&mut Newton::new(problem.contacts()), &mut progress, r, factors);
    progress.finish(r)
}

/// A point of the path.
#[derive(Clone, Debug)]
struct Point {
    r: Vec<DVec3>,
    /// `-ln e`.
    t: f64,
}

/// The path and its workspace.
struct Path<'a> {
    problem: &'a FrictionProblem,
    /// Impulse scale of each contact: the impulse that stops a typical velocity.
    scales: Vec<f64>,
    system: NewtonSystem,
    undamped: Vec<f64>,
    u: Vec<DVec3>,
    laws: Vec<LocalLaw>,
    by_t: Vec<DVec3>,
    /// Newton step at fixed `t`.
    newton: Vec<DVec3>,
    /// `dr/dt` along the path.
    tangent: Vec<DVec3>,
}

/// Follows the path until the tolerance is met, no further progress is possible, or the factorizations are used up. Returns whether the tolerance is
/// met.
pub fn follow_path(newton: &mut Newton, progress: &mut Progress, r: &mut [DVec3], factors: usize) -> bool {
    if progress.check(r) {
        return true;
    }
    let last = progress.iterations + factors;
    let mut path = Path::new(progress.problem);
    r.fill(DVec3::ZERO);
    path.solve_first(newton, progress, r);

    let zero = Point { r: vec![DVec3::ZERO; r.len()], t: 0.0 };
    let mut here = Point { r: r.to_vec(), t: 0.0 };
    let mut next = here.clone();
    // The first point is corrected at fixed t.
    let mut direction = Point { t: 1.0, ..zero };
    let mut length = 0.5;
    let mut last_polish = 3.0;
    while progress.iterations < last && here.t < END_T {
        match path.correct(progress, &mut next, &direction) {
            Some(corrections) => {
                std::mem::swap(&mut here, &mut next);
                if progress.check(&here.r) {
                    return true;
                }
                path.update_direction(&mut direction);
                length *= match corrections {
                    0..=2 => 2.0,
                    3 => 1.3,
                    _ => 1.0,
                };
                length = f64::min(length, STEP_LENGTHS[1]);
                // Near the end of the path, the exact problem has the same active pieces as the smoothed one, so Newton's method may solve it.
                if here.t > last_polish + 2.0 {
                    last_polish = here.t;
                    r.copy_from_slice(&here.r);
                    if newton.descend(progress, r, &NewtonParams { steps: 12, patience: 4, ..NewtonParams::default() })
                    {
                        return true;
                    }
                }
            }
            None => length *= 0.4,
        }
        if length < STEP_LENGTHS[0] {
            break;
        }
        next.t = here.t + length * direction.t;
        for (next, (here, along)) in next.r.iter_mut().zip(here.r.iter().zip(&direction.r)) {
            *next = *here + length * along;
        }
    }
    progress.met()
}

impl<'a> Path<'a> {
    fn new(problem: &'a FrictionProblem) -> Path<'a> {
        let n = problem.contacts();
        let speed = (problem.b().iter().map(|b| b.length_squared()).sum::<f64>() / n.max(1) as f64).sqrt();
        let zeros = vec![DVec3::ZERO; n];
        Path {
            problem,
            scales: problem.scales().iter().map(|rho| rho * speed).collect(),
            system: NewtonSystem::default(),
            undamped: vec![0.0; n],
            u: zeros.clone(),
            laws: Vec::with_capacity(n),
            by_t: Vec::with_capacity(n),
            newton: zeros.clone(),
            tangent: zeros,
        }
    }

    /// Returns the law of a contact on the path and its derivative with respect to `t`.
    fn law(&self, contact: usize, t: f64, u: DVec3, r: DVec3) -> (LocalLaw, DVec3) {
        let (mu, rho) = (self.problem.mu()[contact], self.problem.scales()[contact]);
        let e = (-t).exp();
        let scale = self.scales[contact];
        let softness = SOFTNESS * e * e / rho;
        let (mut law, by_e) = smooth_law(mu, rho, e * scale, u + softness * r, r);
        law.d_r += softness * law.d_u;
        // de/dt = -e, d(softness)/dt = -2 softness.
        let by_t = -e * scale * by_e - law.d_u * (2.0 * softness * r);
        (law, by_t)
    }

    /// Solves the first problem of the path, which is smooth enough for any starting point.
    fn solve_first(&self, newton: &mut Newton, progress: &mut Progress, r: &mut [DVec3]) {
        for _ in 0..50 {
            progress.iterations += 1;
            let merit = newton.step(self.problem, r, 0.0, |i, u, r| self.law(i, 0.0, u, r).0);
            if merit.is_none_or(|q| (2.0 * q).sqrt() < 1e-2 * self.scale()) {
                break;
            }
        }
    }

    fn scale(&self) -> f64 {
        self.scales.iter().map(|scale| scale * scale).sum::<f64>().sqrt()
    }

    /// Corrects a point onto the path by Newton's method, orthogonally to `direction`, and stores `dr/dt` there. Returns the number of corrections,
    /// or `None` if they do not converge.
    fn correct(&mut self, progress: &mut Progress, point: &mut Point, direction: &Point) -> Option<usize> {
        let mut first = f64::INFINITY;
        for correction in 0..MAX_CORRECTIONS {
            let distance = self.linearize(point);
            if correction == 0 {
                first = distance;
            }
            if !distance.is_finite() || (correction > 1 && distance > first) {
                return None;
            }
            progress.iterations += 1;
            let Path { problem, system, laws, by_t, newton, tangent, .. } = self;
            system.factor(problem, laws, &self.undamped);
            let solved = system.solve(problem, laws, |i| by_t[i], tangent);
            // At least one correction is made unless the prediction was exact. Otherwise small errors would accumulate.
            if solved && distance < if correction == 0 { 1e-6 } else { 1e-3 } {
                return Some(correction);
            }
            if !(solved && system.solve(problem, laws, |i| laws[i].value, newton)) {
                return None;
            }
            let dt = -self.dot(&direction.r, &self.newton) / (direction.t + self.dot(&direction.r, &self.tangent));
            point.t += dt;
            for (r, (newton, tangent)) in point.r.iter_mut().zip(self.newton.iter().zip(&self.tangent)) {
                *r += newton + dt * tangent;
            }
        }
        None
    }

    /// Evaluates laws and derivatives at a point. Returns the distance from the path relative to the smoothing.
    fn linearize(&mut self, point: &Point) -> f64 {
        self.problem.velocities(&point.r, &mut self.u);
        self.laws.clear();
        self.by_t.clear();
        for contact in 0..point.r.len() {
            let (law, by_t) = self.law(contact, point.t, self.u[contact], point.r[contact]);
            self.laws.push(law);
            self.by_t.push(by_t);
        }
        let distance = self.laws.iter().map(|law| law.value.length_squared()).sum::<f64>().sqrt();
        distance / (self.scale() * (-point.t).exp())
    }

    /// Sets the direction to the path tangent, `(dr/dt, 1)` or its opposite, oriented forward.
    fn update_direction(&self, direction: &mut Point) {
        let forward = self.dot(&direction.r, &self.tangent) + direction.t;
        let scale = forward.signum() / (self.dot(&self.tangent, &self.tangent) + 1.0).sqrt();
        direction.t = scale;
        direction.r.iter_mut().zip(&self.tangent).for_each(|(along, tangent)| *along = scale * tangent);
    }

    /// Returns the scalar product of impulses in units of their scales, averaged over contacts. The arc length
    /// therefore does not depend on the units or on the number of contacts.
    fn dot(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        let products = a.iter().zip(b).zip(&self.scales).map(|((a, b), scale)| a.dot(*b) / (scale * scale));
        products.sum::<f64>() / a.len() as f64
    }
}
