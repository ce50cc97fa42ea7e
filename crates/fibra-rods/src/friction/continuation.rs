//! The last resort: follow a path of smooth problems to the one that is asked for, round its bends.
//!
//! Newton's method on `f^AC` may end in a local minimum, and Gauss-Seidel may cycle. A path of smooth problems, parameter `e`, begins where
//! the solution is unique and ends (`e = 0`) at Coulomb's law. It exists: every problem on it has a solution, because `0.1 e^2 / rho` is added to the
//! diagonal of a `W` that may be singular. It can turn back in `e` where friction is high, because solutions then are not unique,
//! so it is followed by its length rather than by `e` [Allgower1990]. Along it `f^AC` is rounded as in [`smooth_law`].

use super::local::LocalLaw;
use super::newton::{Newton, NewtonParams};
use super::newton_system::NewtonSystem;
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use super::smooth_law::smooth_law;
use glam::DVec3;

/// Mobility added along the path at `e = 1`, relative to the contact's own. It shrinks with `e^2`, like what rounding adds to `u`: with `e` it would
/// bend the path more than it helps.
const SOFTNESS: f64 = 0.1;
/// Most corrections of a point before the step along the path is shortened.
const CORRECTIONS: usize = 6;
/// Shortest and longest step along the path, in units of `ln e` [-].
const STEPS: [f64; 2] = [1e-8, 5.0];
/// Where `e` is as small as rounding [-].
const END: f64 = 32.0;

/// Solves a problem by following the path from its beginning, in at most so many factored matrices, and leaves the best impulses in `r`.
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

/// The path and the memory to follow it.
struct Path<'a> {
    problem: &'a FrictionProblem,
    /// Size of impulses of each contact: those that stop a typical velocity.
    sizes: Vec<f64>,
    system: NewtonSystem,
    undamped: Vec<f64>,
    u: Vec<DVec3>,
    laws: Vec<LocalLaw>,
    by_t: Vec<DVec3>,
    /// Newton's step at fixed `t`.
    newton: Vec<DVec3>,
    /// `dr/dt` along the path.
    slide: Vec<DVec3>,
}

/// Follows the path until the tolerance is met, it cannot be followed any further, or the factors are used up. Says whether it was met.
pub fn follow_path(newton: &mut Newton, progress: &mut Progress, r: &mut [DVec3], factors: usize) -> bool {
    if progress.check(r) {
        return true;
    }
    let last = progress.iterations + factors;
    let mut path = Path::new(progress.problem);
    r.fill(DVec3::ZERO);
    path.begin(newton, progress, r);

    let zero = Point { r: vec![DVec3::ZERO; r.len()], t: 0.0 };
    let mut here = Point { r: r.to_vec(), t: 0.0 };
    let mut next = here.clone();
    // The first point is corrected at fixed t.
    let mut direction = Point { t: 1.0, ..zero };
    let mut length = 0.5;
    let mut polished = 3.0;
    while progress.iterations < last && here.t < END {
        match path.correct(progress, &mut next, &direction) {
            Some(corrections) => {
                std::mem::swap(&mut here, &mut next);
                if progress.check(&here.r) {
                    return true;
                }
                path.turn(&mut direction);
                length *= match corrections {
                    0..=2 => 2.0,
                    3 => 1.3,
                    _ => 1.0,
                };
                length = f64::min(length, STEPS[1]);
                // Near the end the sharp problem has the same pieces: Newton's method may finish it.
                if here.t > polished + 2.0 {
                    polished = here.t;
                    r.copy_from_slice(&here.r);
                    if newton.descend(progress, r, &NewtonParams { steps: 12, patience: 4, ..NewtonParams::default() })
                    {
                        return true;
                    }
                }
            }
            None => length *= 0.4,
        }
        if length < STEPS[0] {
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
            sizes: problem.scales().iter().map(|rho| rho * speed).collect(),
            system: NewtonSystem::default(),
            undamped: vec![0.0; n],
            u: zeros.clone(),
            laws: Vec::with_capacity(n),
            by_t: Vec::with_capacity(n),
            newton: zeros.clone(),
            slide: zeros,
        }
    }

    /// The law of a contact on the path, and its derivative by `t`.
    fn law(&self, contact: usize, t: f64, u: DVec3, r: DVec3) -> (LocalLaw, DVec3) {
        let (mu, rho) = (self.problem.mu()[contact], self.problem.scales()[contact]);
        let e = (-t).exp();
        let size = self.sizes[contact];
        let softness = SOFTNESS * e * e / rho;
        let (mut law, by_e) = smooth_law(mu, rho, e * size, u + softness * r, r);
        law.d_r += softness * law.d_u;
        // de/dt = -e, d(softness)/dt = -2 softness.
        let by_t = -e * size * by_e - law.d_u * (2.0 * softness * r);
        (law, by_t)
    }

    /// Solves the first problem of the path, which is smooth enough for any start.
    fn begin(&self, newton: &mut Newton, progress: &mut Progress, r: &mut [DVec3]) {
        for _ in 0..50 {
            progress.iterations += 1;
            let merit = newton.step(self.problem, r, 0.0, |i, u, r| self.law(i, 0.0, u, r).0);
            if merit.is_none_or(|q| (2.0 * q).sqrt() < 1e-2 * self.size()) {
                break;
            }
        }
    }

    fn size(&self) -> f64 {
        self.sizes.iter().map(|size| size * size).sum::<f64>().sqrt()
    }

    /// Brings a point to the path, at right angles to `direction`, by Newton's method; leaves `dr/dt` at the end. The number of corrections, or `None`
    /// when they do not converge.
    fn correct(&mut self, progress: &mut Progress, point: &mut Point, direction: &Point) -> Option<usize> {
        let mut first = f64::INFINITY;
        for correction in 0..CORRECTIONS {
            let off = self.linearize(point);
            if correction == 0 {
                first = off;
            }
            if !off.is_finite() || (correction > 1 && off > first) {
                return None;
            }
            progress.iterations += 1;
            let Path { problem, system, laws, by_t, newton, slide, .. } = self;
            let solved =
                system.factor(problem, laws, &self.undamped) && system.solve(problem, laws, |i| by_t[i], slide);
            // At least one correction, unless it was exact: else small errors add up until they are too large.
            if solved && off < if correction == 0 { 1e-6 } else { 1e-3 } {
                return Some(correction);
            }
            if !(solved && system.solve(problem, laws, |i| laws[i].value, newton)) {
                return None;
            }
            let back = -self.dot(&direction.r, &self.newton) / (direction.t + self.dot(&direction.r, &self.slide));
            point.t += back;
            for (r, (newton, slide)) in point.r.iter_mut().zip(self.newton.iter().zip(&self.slide)) {
                *r += newton + back * slide;
            }
        }
        None
    }

    /// Laws and derivatives at a point; how far it is from the path, relative to what is rounded there.
    fn linearize(&mut self, point: &Point) -> f64 {
        self.problem.velocities(&point.r, &mut self.u);
        self.laws.clear();
        self.by_t.clear();
        for contact in 0..point.r.len() {
            let (law, by_t) = self.law(contact, point.t, self.u[contact], point.r[contact]);
            self.laws.push(law);
            self.by_t.push(by_t);
        }
        let off = self.laws.iter().map(|law| law.value.length_squared()).sum::<f64>().sqrt();
        off / (self.size() * (-point.t).exp())
    }

    /// Turns the direction to that of the path, `(dr/dt, 1)` or its opposite: onwards.
    fn turn(&self, direction: &mut Point) {
        let onwards = self.dot(&direction.r, &self.slide) + direction.t;
        let scale = onwards.signum() / (self.dot(&self.slide, &self.slide) + 1.0).sqrt();
        direction.t = scale;
        direction.r.iter_mut().zip(&self.slide).for_each(|(along, slide)| *along = scale * slide);
    }

    /// Product of impulses in units of their sizes, as a mean over contacts: neither units nor their number change the path's length.
    fn dot(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        let products = a.iter().zip(b).zip(&self.sizes).map(|((a, b), size)| a.dot(*b) / (size * size));
        products.sum::<f64>() / a.len() as f64
    }
}
