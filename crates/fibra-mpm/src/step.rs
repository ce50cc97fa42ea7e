//! One step of the method.

use crate::display_grains::follow;
use crate::elements::elements;
use crate::g2p::g2p;
use crate::grid_update::grid_update;
use crate::implicit::implicit_update;
use crate::keep_out::keep_out;
use crate::kind::Kind;
use crate::p2g::p2g;
use crate::params::{Integrator, Kernel, Params};
use crate::pins::{hold, next_release, release};
use crate::sort::sort;
use crate::split::Merge;
use crate::state::{Extremes, State, UNTOLD};
use crate::timestep::{TooShort, fitted_dt, stable_dt};
use crate::workspace::Workspace;
use fibra_core::geometry::PlacedCollider;

/// Why a step could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Stability asks for a step below the user's smallest.
    #[error("the step would have to be {:.3e} s because {}", .0.wanted, .0.because)]
    TooShort(TooShort),
    /// A particle is so far away that the grid cannot name its block.
    #[error("particle {id} of object {object} left the reach of the grid at {position:?} m from the run origin")]
    OutOfReach {
        /// The particle's number.
        id: u32,
        /// Its object's index.
        object: u32,
        /// Where it is [m].
        position: [f32; 3],
    },
    /// Implicit steps are asked of a material whose energy they cannot differentiate.
    #[error("material {substance} is anisotropic or has a law without derivatives: it needs explicit steps")]
    NotImplicit {
        /// Index of the material.
        substance: usize,
    },
    /// A velocity or a stress is not finite.
    #[error("particle {id} of object {object} has a {quantity} that is not finite")]
    NotFinite {
        /// The particle's number.
        id: u32,
        /// Its object's index.
        object: u32,
        /// `velocity` or `stress`.
        quantity: &'static str,
    },
}

impl StepError {
    /// The stage of the step that saw it.
    pub fn stage(&self) -> &'static str {
        match self {
            StepError::TooShort(_) | StepError::NotImplicit { .. } => "time step",
            StepError::OutOfReach { .. } => "sort",
            StepError::NotFinite { .. } => "g2p",
        }
    }
}

/// Advances the state by one step, no further than `until` [s]; returns the step's length [s].
pub fn step(params: &Params, state: &mut State, work: &mut Workspace, until: f64) -> Result<f64, StepError> {
    // As a whole on one of the pool's threads: from outside, every one of its many parallel loops would have to wake the
    // pool and wait to be woken by it.
    rayon::scope(|_| step_in_pool(params, state, work, until))
}

fn step_in_pool(params: &Params, state: &mut State, work: &mut Workspace, until: f64) -> Result<f64, StepError> {
    // Before the grid spreads it: what came in broken is named exactly.
    if state.extremes.broken {
        return Err(first_broken(state));
    }
    if let Some(substance) = without_derivatives(params) {
        return Err(StepError::NotImplicit { substance });
    }
    let stable = stable_dt(params, state).map_err(StepError::TooShort)?;
    release(params, state);
    let asked = until;
    let until = until.min(next_release(params, state.time));
    let dt = fitted_dt(stable, state.time, until);
    let end = if dt == until - state.time { until } else { state.time + dt };
    let step = dt as f32;
    let colliders: Vec<PlacedCollider> = params.colliders.iter().map(|c| c.place(end, params.origin)).collect();

    work.timed(0, |work| sort(params, state, work))?;
    match &params.integrator {
        Integrator::Explicit => {
            work.timed(1, |work| p2g(params, state, &mut work.grid, step));
            work.timed(2, |work| grid_update(params, &colliders, &mut work.grid, step));
        }
        Integrator::Implicit(settings) => {
            // Without the impulse of internal forces: the solve finds it.
            work.timed(1, |work| p2g(params, state, &mut work.grid, 0.0));
            work.timed(2, |work| implicit_update(params, settings, &colliders, state, work, (step, end)));
        }
    }
    state.extremes = work.timed(3, |work| g2p(params, state, &work.grid, step));
    let meshed = work.timed(4, |work| {
        let held = hold(params, state, &work.links, end);
        let kept = keep_out(params, &colliders, state, &work.grid);
        held.merge(kept).merge(elements(params, state, work))
    });
    state.extremes = state.extremes.merge(meshed);
    work.timed(5, |work| follow(params, &colliders, state, &work.grid, (dt, end >= asked)));

    state.time = end;
    state.steps += 1;
    match state.extremes.broken {
        true => Err(first_broken(state)),
        false => Ok(dt),
    }
}

/// The first material with which implicit steps, if they are asked for, cannot be taken.
fn without_derivatives(params: &Params) -> Option<usize> {
    match params.integrator {
        Integrator::Explicit => None,
        Integrator::Implicit(_) => params.substances.iter().position(|substance| !substance.material.has_derivatives()),
    }
}

/// Names the broken particle with the smallest number.
pub(crate) fn first_broken(state: &State) -> StepError {
    let p = &state.particles;
    let broken = |i: usize| -> Option<&'static str> {
        // The same test as in g2p: a speed whose square overflows is as good as infinite.
        if !p.v[i].iter().map(|v| v * v).sum::<f32>().is_finite() {
            Some("velocity")
        } else if !p.tau[i].to_mat3().to_rows().iter().all(|t| t.is_finite()) {
            Some("stress")
        } else {
            None
        }
    };
    let first = (0..p.len()).filter_map(|i| broken(i).map(|quantity| (p.id[i], p.object[i], quantity))).min();
    let (id, object, quantity) = first.unwrap_or((0, 0, "velocity"));
    StepError::NotFinite { id, object, quantity }
}

/// Fills in what follows from positions and deformations: stresses, forces, the laws' scalars where they are to start, and
/// the extremes that bound the first step.
pub fn start(params: &Params, state: &mut State) {
    let p = &mut state.particles;
    if params.substances.iter().any(|substance| substance.material.has_grains()) {
        p.alignment.resize(p.x.len(), UNTOLD);
        for (alignment, &object) in p.alignment.iter_mut().zip(&p.object).filter(|(told, _)| **told == UNTOLD) {
            *alignment = params.substance_of(object).material.initial_alignment();
        }
    }
    let mut batch = crate::law::Batch::default();
    let mut extremes = Extremes { drifted: true, ..Default::default() };
    for i in 0..p.len() {
        let substance = params.substance_of(p.object[i]);
        let speed = p.v[i].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt() as f32;
        let mut wave_speed = 0.0;
        if p.kind[i] == Kind::Point {
            p.memory[i] = substance.material.initial_memory();
            let f = p.f[i].to_rows();
            for e in 0..9 {
                batch.f[e][0] = f[e];
                batch.grad_v[e][0] = 0.0;
            }
            batch.memory[0] = p.memory[i];
            let alignment = p.alignment.get(i).copied().unwrap_or(UNTOLD);
            for (to, alignment) in batch.alignment.iter_mut().zip(alignment) {
                to[0] = alignment;
            }
            substance.material.respond(&mut batch, 1, 0.0);
            p.f[i] = fibra_core::mat3::Mat3::from_rows(std::array::from_fn(|e| batch.f[e][0]));
            let [xx, yy, zz, yz, xz, xy] = std::array::from_fn(|e| batch.tau[e][0]);
            p.tau[i] = fibra_core::mat3::Sym3 { xx, yy, zz, yz, xz, xy };
            p.memory[i] = batch.memory[0];
            wave_speed = (batch.modulus[0] / substance.density).sqrt();
        }
        let broken = !(speed + p.tau[i].to_mat3().to_rows().iter().sum::<f32>()).is_finite();
        extremes = extremes.merge(Extremes { speed, wave_speed, drifted: true, broken });
    }
    state.extremes = extremes;
    if params.meshes.corners.is_empty() {
        return;
    }
    // Elements need the places of their vertices, which the sort finds. What it has to say is said again in the first step.
    let mut work = Workspace::default();
    if sort(params, state, &mut work).is_ok() {
        let meshed = elements(params, state, &mut work);
        state.extremes = state.extremes.merge(meshed);
    }
}

/// Stencil width of a kernel.
pub(crate) fn width(kernel: Kernel) -> f32 {
    match kernel {
        Kernel::Linear => 2.0,
        Kernel::Quadratic => 3.0,
        Kernel::Cubic => 4.0,
    }
}
