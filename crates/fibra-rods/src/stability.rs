//! Stability of static equilibria: negative eigenvalues of the exact stiffness matrix, critical loads, and perturbation along an unstable mode.

use crate::band::SymmetricBand;
use crate::band_ldl::BandLdl;
use crate::rod::{Rod, StepContext, StepSystem};
use crate::statics::{Statics, StaticsError, stop};

/// Largest displacement of a perturbation along an unstable mode, relative to the rod's length [-].
const PERTURBATION: f64 = 1e-3;
/// Number of unstable modes that are perturbed, one after another, before the search is abandoned.
const MAX_PERTURBATIONS: usize = 8;
/// Iterations of the inverse power method, which needs only a direction of negative curvature.
const POWER_ITERATIONS: usize = 30;
/// Iterations of Newton's method.
const NEWTON_ITERATIONS: usize = 30;
/// Eigenvalues below this fraction of the largest stiffness are rounding errors [-].
const ROUNDING: f64 = 1e-13;
/// Maximum number of halvings of an interval that contains a critical parameter.
const HALVINGS: usize = 200;

impl Statics {
    /// Brings a rod to a stable equilibrium and returns the number of steps. An unstable equilibrium is perturbed along its unstable mode, so the rod
    /// follows a stable branch beyond a bifurcation. For models without an exact stiffness matrix, this is [`Statics::settle`].
    pub fn settle_stable(&self, rod: &mut dyn Rod) -> Result<usize, StaticsError> {
        let mut steps = 0;
        for _ in 0..MAX_PERTURBATIONS {
            steps += self.settle_exactly(rod)?;
            match unstable_mode(rod) {
                Some(mode) => self.perturb(rod, &mode),
                None => return Ok(steps),
            }
        }
        Err(StaticsError::Unstable { perturbations: MAX_PERTURBATIONS })
    }

    /// Brings a rod to equilibrium, and refines it by Newton's method with the exact stiffness matrix where the model has one. Does not leave an unstable
    /// equilibrium. Returns the number of steps.
    pub fn settle_exactly(&self, rod: &mut dyn Rod) -> Result<usize, StaticsError> {
        let steps = self.settle(rod)?;
        let mut residual = self.residual(rod);
        for _ in 0..NEWTON_ITERATIONS {
            let Some(factor) = tangent(rod).and_then(|matrix| BandLdl::new(&matrix)) else { break };
            let saved = rod.save();
            let mut step = residual.clone();
            factor.solve(&mut step);
            self.shift(rod, &step);
            let after = self.residual(rod);
            // At rounding error, the residual no longer decreases.
            if !(norm(&after) < norm(&residual)) {
                assert!(rod.load(&saved), "a rod restores what it saved");
                break;
            }
            residual = after;
        }
        Ok(steps)
    }

    /// Returns the force on each unknown at rest.
    fn residual(&self, rod: &mut dyn Rod) -> Vec<f64> {
        // Velocities are zero and held ends are at their poses, so the impulse of a step of 1 s is the force.
        let mut system = StepSystem::default();
        rod.form(&self.unit_step(), &mut system);
        system.impulse
    }

    /// A step of 1 s that ends at the time of the static solution.
    fn unit_step(&self) -> StepContext {
        StepContext { time: self.time - 1.0, dt: 1.0, gravity: self.gravity, origin: self.origin }
    }

    /// Displaces a rod along a mode.
    fn perturb(&self, rod: &mut dyn Rod, mode: &[f64]) {
        let length: f64 = rod.centerline().windows(2).map(|p| p[0].distance(p[1])).sum();
        // The sign of a mode is arbitrary: its largest entry becomes positive.
        let most = mode.iter().fold(0.0, |most: f64, x| if x.abs() > most.abs() { *x } else { most });
        let step: Vec<f64> = mode.iter().map(|x| PERTURBATION * length / most * x).collect();
        self.shift(rod, &step);
    }

    /// Displaces the unknowns of a rod and leaves it at rest.
    fn shift(&self, rod: &mut dyn Rod, by: &[f64]) {
        // Holds are driven by the last assembled step. In a long one, they hardly move.
        rod.form(&self.unit_step(), &mut StepSystem::default());
        rod.advance(by, &self.unit_step());
        stop(rod);
    }

    /// Returns the smallest parameter in a range at which the equilibrium loses stability, to a relative precision; `None` if it stays stable.
    /// `apply` sets the parameter. The equilibrium is followed from the start of the range in `increments` equal parts, without leaving the branch.
    /// Returns `None`, too, for models without an exact stiffness matrix.
    pub fn critical_parameter(
        &mut self,
        rod: &mut dyn Rod,
        [from, to]: [f64; 2],
        increments: usize,
        precision: f64,
        apply: impl Fn(f64, &mut Statics, &mut dyn Rod),
    ) -> Result<Option<f64>, StaticsError> {
        let mut is_stable = |value: f64, rod: &mut dyn Rod| {
            apply(value, self, rod);
            self.settle_exactly(rod)?;
            Ok::<bool, StaticsError>(negative_eigenvalues(rod) == Some(0))
        };
        let mut stable = from;
        let mut start = rod.save();
        for i in 1..=increments {
            let next = from + (to - from) * i as f64 / increments as f64;
            if is_stable(next, rod)? {
                (stable, start) = (next, rod.save());
                continue;
            }
            let mut unstable = next;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (stable + unstable);
                if (unstable - stable).abs() <= precision * middle.abs() {
                    break;
                }
                assert!(rod.load(&start), "a rod restores what it saved");
                if is_stable(middle, rod)? {
                    (stable, start) = (middle, rod.save());
                } else {
                    unstable = middle;
                }
            }
            return Ok(Some(0.5 * (stable + unstable)));
        }
        Ok(None)
    }
}

/// Returns the number of negative eigenvalues of the exact stiffness matrix: the number of unstable modes of an equilibrium. `None` if the model has no
/// exact stiffness matrix, or if the matrix is singular.
pub fn negative_eigenvalues(rod: &dyn Rod) -> Option<usize> {
    Some(BandLdl::new(&tangent(rod)?)?.negative_eigenvalues())
}

fn tangent(rod: &dyn Rod) -> Option<SymmetricBand> {
    let mut matrix = SymmetricBand::default();
    rod.tangent_stiffness(&mut matrix).then_some(matrix)
}

/// Returns a direction of negative curvature of the energy, if there is one.
fn unstable_mode(rod: &dyn Rod) -> Option<Vec<f64>> {
    let matrix = tangent(rod)?;
    let n = matrix.len();
    let curvature = |x: &[f64]| {
        let mut product = vec![0.0; n];
        matrix.multiply_add(1.0, x, &mut product);
        dot(x, &product) / dot(x, x)
    };
    let scale = (0..n).map(|i| matrix.get(i, i).abs()).fold(0.0, f64::max);
    // Motions of a rod as a whole have no stiffness: rounding makes their eigenvalues slightly positive or negative.
    let rounding = ROUNDING * scale;
    if BandLdl::new(&shifted(&matrix, rounding))?.negative_eigenvalues() == 0 {
        return None;
    }
    let mut shift = rounding;
    let factor = loop {
        shift *= 4.0;
        if let Some(factor) = BandLdl::new(&shifted(&matrix, shift)).filter(|f| f.negative_eigenvalues() == 0) {
            break factor;
        }
    };
    let mut mode: Vec<f64> = (0..n).map(|i| 1.0 + (1.7 * i as f64).sin()).collect();
    for _ in 0..POWER_ITERATIONS {
        factor.solve(&mut mode);
        let length = norm(&mode);
        mode.iter_mut().for_each(|x| *x /= length);
    }
    (curvature(&mode) < 0.0).then_some(mode)
}

fn shifted(matrix: &SymmetricBand, by: f64) -> SymmetricBand {
    let mut shifted = matrix.clone();
    (0..shifted.len()).for_each(|i| shifted.add(i, i, by));
    shifted
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
