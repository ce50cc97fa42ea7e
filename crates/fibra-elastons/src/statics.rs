//! Static equilibrium under gravity and holds.

use crate::equations::{EquationCoefficients, Equations, frames};
use crate::forces::{StepInputs, right_hand_side};
use crate::linear::factor::Arithmetic;
use crate::linear::{Stop, conjugate_gradients};
use crate::step::StepError;
use crate::workspace::Workspace;
use crate::world::{Params, State};

/// Takes one Newton step toward the equilibrium at the state's time, with constant corotated frames. For small
/// displacements the step is exact. Velocities must be zero. Returns the largest change of an unknown [m].
pub fn approach_equilibrium(params: &Params, state: &mut State, work: &mut Workspace) -> Result<f64, StepError> {
    work.invalidate_factor();
    let holding: Vec<bool> = params.holds.iter().map(|hold| state.time <= hold.until).collect();
    let frames = frames(&state.matter, &work.discretization.elastons, &state.displacements);
    let inputs = StepInputs { dt: 1.0, end: state.time, holding: &holding, frames: &frames };
    let right = right_hand_side(params, state, &work.discretization, &inputs);
    let coefficients = EquationCoefficients { mass: 0.0, stiffness: 1.0, hold: 1.0 };
    let equations = Equations {
        params,
        matter: &state.matter,
        discretization: &work.discretization,
        frames: &frames,
        holding: &holding,
        coefficients,
    };
    equations.assemble(&mut work.matrix);
    work.factor.factorize(&work.symbolic, &work.matrix, Arithmetic::Double)?;
    let mut change = vec![0.0; right.len()];
    let outcome = conjugate_gradients(
        |x, y| equations.multiply(x, y, &mut work.scratch.borrow_mut()),
        |x, y| {
            y.copy_from_slice(x);
            work.factor.solve_in_place(&work.symbolic, y);
        },
        &right,
        &mut change,
        Stop { tolerance: 1e-10, max_iterations: 1000 },
        &mut work.iteration,
    );
    if !outcome.converged {
        return Err(StepError::NotConverged { residual: outcome.residual });
    }
    state.displacements.iter_mut().zip(&change).for_each(|(displacement, change)| *displacement += change);
    Ok(change.iter().fold(0.0, |largest, change| change.abs().max(largest)))
}
