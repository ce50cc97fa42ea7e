//! Tables, factors and scratch memory of a simulation. All of it follows from the parameters and the state, so a new workspace gives
//! bitwise identical steps. Only the statistics in [`Account`] restart from zero.

use crate::discretization::{Discretization, Uncovered};
use crate::equations::{EquationCoefficients, Equations, Scratch, frames};
use crate::law::rotation;
use crate::linear::conjugate_gradients::Workspace as Iteration;
use crate::linear::factor::Arithmetic;
use crate::linear::{BlockMatrix, BlockPattern, Factor, NotPositive, Symbolic};
use crate::step::Stage;
use crate::world::{Params, Reference, State};
use fibra_core::stage_clock::StageClock;
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// Statistics since the workspace was created. No result depends on them.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Wall time spent in each stage.
    pub clock: StageClock<Stage>,
    /// Number of conjugate gradient iterations.
    pub iterations: u64,
    /// Number of factorizations.
    pub factors: u64,
    /// Number of contacts in the last step.
    pub contacts: usize,
    /// Maximum number of contacts in a step.
    pub most_contacts: usize,
}

impl Account {
    /// Records the number of contacts of a step.
    pub(crate) fn record_contacts(&mut self, contacts: usize) {
        self.contacts = contacts;
        self.most_contacts = self.most_contacts.max(contacts);
    }
}

/// Tables, matrices and scratch memory.
pub struct Workspace {
    /// Tables of the rest shape.
    pub discretization: Discretization,
    /// Statistics.
    pub account: Account,
    pub(crate) iteration: Iteration,
    pub(crate) scratch: RefCell<Scratch>,
    /// Generation of the rest shape for which the workspace was built.
    generation: u64,
    pub(crate) symbolic: Symbolic,
    pub(crate) matrix: BlockMatrix,
    pub(crate) factor: Factor,
    /// Corotated frames of the elastons in the factored matrix; `None`: no valid factor.
    factored: Option<Vec<DMat3>>,
}

impl Workspace {
    /// Builds the workspace for a state.
    pub fn new(params: &Params, state: &State) -> Result<Workspace, Uncovered> {
        let discretization = Discretization::new(params.order, &state.matter, &params.holds)?;
        let samples = &state.matter.samples;
        let pattern = Arc::new(BlockPattern::from_cliques(samples.len(), discretization.cliques()));
        let positions: Vec<DVec3> = samples.iter().map(|sample| sample.position).collect();
        let size = discretization.unknowns_per_sample();
        Ok(Workspace {
            symbolic: Symbolic::new(pattern.clone(), size, &positions),
            matrix: BlockMatrix::zeros(pattern, size),
            discretization,
            account: Account::default(),
            iteration: Iteration::default(),
            scratch: RefCell::default(),
            generation: state.generation,
            factor: Factor::default(),
            factored: None,
        })
    }

    /// Rebuilds the workspace if the rest shape has changed.
    pub(crate) fn rebuild_if_changed(&mut self, params: &Params, state: &State) -> Result<(), Uncovered> {
        if self.generation != state.generation {
            let account = std::mem::take(&mut self.account);
            *self = Workspace { account, ..Workspace::new(params, state)? };
        }
        Ok(())
    }

    /// Runs a part of a step and adds its wall time to a stage.
    pub(crate) fn time<T>(&mut self, stage: Stage, run: impl FnOnce(&mut Workspace) -> T) -> T {
        let started = Instant::now();
        let result = run(self);
        self.account.clock.add(stage, started.elapsed());
        result
    }

    /// Marks the factor as invalid.
    pub(crate) fn invalidate_factor(&mut self) {
        self.factored = None;
    }

    /// Factors the matrix that the reference describes, unless the factor is valid.
    pub(crate) fn factor(
        &mut self,
        params: &Params,
        state: &State,
        reference: &mut Reference,
    ) -> Result<(), NotPositive> {
        if self.factored.is_some() {
            return Ok(());
        }
        let frames = self.time(Stage::Assemble, |work| work.assemble(params, state, reference));
        self.time(Stage::Factor, |work| work.factorize(reference))?;
        self.factored = Some(frames);
        self.account.factors += 1;
        Ok(())
    }

    /// Assembles the matrix that the reference describes. Returns the corotated frames of the elastons used in the
    /// matrix.
    fn assemble(&mut self, params: &Params, state: &State, reference: &Reference) -> Vec<DMat3> {
        let frames = frames(&state.matter, &self.discretization.elastons, &reference.displacements);
        let equations = Equations {
            params,
            matter: &state.matter,
            discretization: &self.discretization,
            frames: &frames,
            holding: &reference.holding,
            coefficients: EquationCoefficients::of_step(params, reference.dt),
        };
        equations.assemble(&mut self.matrix);
        frames
    }

    /// Factors the assembled matrix. Most matrices can be factored in single precision, in half the time. If this
    /// fails, double precision is used.
    fn factorize(&mut self, reference: &mut Reference) -> Result<(), NotPositive> {
        let Workspace { factor, symbolic, matrix, .. } = self;
        if reference.double || factor.factorize(symbolic, matrix, Arithmetic::Single).is_err() {
            reference.double = true;
            factor.factorize(symbolic, matrix, Arithmetic::Double)?;
        }
        Ok(())
    }

    /// Rotation of each sample since the factorization.
    pub(crate) fn rotations(&self, state: &State, frames: &[DMat3]) -> Vec<DMat3> {
        let Some(old) = &self.factored else { return Vec::new() };
        let table = &self.discretization.elastons;
        let turn = |index: usize| {
            let sample = &state.matter.samples[index];
            let mut sum = DMat3::ZERO;
            for &[elaston, _] in table.points_of(index) {
                let at = elaston as usize;
                sum += frames[at] * old[at].transpose() * sample.weight(state.matter.elastons[at].center);
            }
            rotation(&sum)
        };
        (0..state.matter.samples.len()).into_par_iter().map(turn).collect()
    }

    /// Applies the preconditioner, an approximate inverse of the step's matrix, to `x`. It is the old factor, with each
    /// sample's unknowns rotated by the rotation of the sample since the factorization.
    pub(crate) fn precondition(&self, rotations: &[DMat3], x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
        let n = self.discretization.elastons.functions();
        let turn_all = |y: &mut [f64], back: bool| {
            for (unknowns, turn) in y.chunks_exact_mut(3 * n).zip(rotations) {
                let turn = if back { turn.transpose() } else { *turn };
                for function in 0..n {
                    let [x, y, z] = [0, 1, 2].map(|component| component * n + function);
                    let turned = turn * DVec3::new(unknowns[x], unknowns[y], unknowns[z]);
                    (unknowns[x], unknowns[y], unknowns[z]) = turned.into();
                }
            }
        };
        turn_all(y, true);
        self.factor.solve_in_place(&self.symbolic, y);
        turn_all(y, false);
    }
}
