//! What a run keeps at hand: all of it follows from the parameters and the state.

use crate::discretization::{Discretization, Uncovered};
use crate::equations::{Equations, Scratch, Shares, frames};
use crate::law::rotation;
use crate::linear::conjugate_gradients::Workspace as Iteration;
use crate::linear::factor::Arithmetic;
use crate::linear::{BlockMatrix, BlockPattern, Factor, NotPositive, Symbolic};
use crate::world::{Params, Reference, State};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// Stages of a step, in order.
pub const STAGES: [&str; 6] = ["topology", "assemble", "factor", "contacts", "solve", "plasticity"];

/// What a run found out: nothing that follows depends on it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Wall seconds spent in each of [`STAGES`].
    pub seconds: [f64; STAGES.len()],
    /// Iterations of conjugate gradients.
    pub iterations: u64,
    /// Matrices factored.
    pub factors: u64,
    /// Contacts of the last step.
    pub contacts: usize,
    /// Most contacts of a step.
    pub most_contacts: usize,
}

/// Tables, matrices and memory.
pub struct Workspace {
    /// The rest state tabulated.
    pub discretization: Discretization,
    /// What the run found out.
    pub account: Account,
    pub(crate) iteration: Iteration,
    pub(crate) scratch: RefCell<Scratch>,
    /// Which rest state it was made for.
    generation: u64,
    pub(crate) symbolic: Symbolic,
    pub(crate) matrix: BlockMatrix,
    pub(crate) factor: Factor,
    /// Where the axes of the elastons pointed in the factored matrix; none: there is none.
    factored: Option<Vec<DMat3>>,
}

impl Workspace {
    /// Everything a state needs to be stepped.
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

    /// Makes everything anew if the rest state has changed.
    pub(crate) fn follow(&mut self, params: &Params, state: &State) -> Result<(), Uncovered> {
        if self.generation != state.generation {
            let account = std::mem::take(&mut self.account);
            *self = Workspace { account, ..Workspace::new(params, state)? };
        }
        Ok(())
    }

    /// Adds the seconds since `started` to a stage.
    pub(crate) fn note(&mut self, stage: usize, started: Instant) {
        self.account.seconds[stage] += started.elapsed().as_secs_f64();
    }

    /// Says that what is in the factor's memory is of no use.
    pub(crate) fn forget_factor(&mut self) {
        self.factored = None;
    }

    /// Has a factor of the matrix that the reference describes.
    pub(crate) fn factor(
        &mut self,
        params: &Params,
        state: &State,
        reference: &mut Reference,
    ) -> Result<(), NotPositive> {
        if self.factored.is_some() {
            return Ok(());
        }
        let started = Instant::now();
        let frames = frames(&state.matter, &self.discretization.elastons, &reference.displacements);
        let equations = Equations {
            params,
            matter: &state.matter,
            discretization: &self.discretization,
            frames: &frames,
            holding: &reference.holding,
            shares: Shares::of_step(params, reference.dt),
        };
        equations.assemble(&mut self.matrix);
        self.note(1, started);
        let started = Instant::now();
        let Workspace { factor, symbolic, matrix, .. } = self;
        // Most matrices can be factored in single precision, in half of the time; the others show it.
        if reference.double || factor.factorize(symbolic, matrix, Arithmetic::Single).is_err() {
            reference.double = true;
            factor.factorize(symbolic, matrix, Arithmetic::Double)?;
        }
        self.factored = Some(frames);
        self.account.factors += 1;
        self.note(2, started);
        Ok(())
    }

    /// How far each sample has turned since the factor was made.
    pub(crate) fn turns(&self, state: &State, frames: &[DMat3]) -> Vec<DMat3> {
        let Some(old) = &self.factored else { return Vec::new() };
        let table = &self.discretization.elastons;
        let turn = |index: usize| {
            let sample = &state.matter.samples[index];
            let mut sum = DMat3::ZERO;
            for &[elaston, _] in table.places_of(index) {
                let at = elaston as usize;
                sum += frames[at] * old[at].transpose() * sample.weight(state.matter.elastons[at].centre);
            }
            rotation(&sum)
        };
        (0..state.matter.samples.len()).into_par_iter().map(turn).collect()
    }

    /// About the inverse of the step's matrix times `x`: the old factor's, with each sample's unknowns turned as it has since.
    pub(crate) fn precondition(&self, turns: &[DMat3], x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
        let n = self.discretization.elastons.functions();
        let turn_all = |y: &mut [f64], back: bool| {
            for (unknowns, turn) in y.chunks_exact_mut(3 * n).zip(turns) {
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
