//! One step of hair [Huang2023, Sec. 4]: predicts strand velocities, corrects them for contact in several grid substeps, then limits lengths and
//! bends and resolves penetration on positions.

use crate::collider::{MovingCollider, RigidPath};
use crate::error::HairError;
use crate::grid::rotate_history;
use crate::head::blend_rigid_motion;
use crate::params::HeadLimits;
use crate::predict::predict;
use crate::settle::{Bodies, SKIN, settle};
use crate::sim::{HairSim, HairState};
use crate::strands::Strands;
use crate::workspace::BoundingBall;
use fibra_core::geometry::RigidPose;
use fibra_mpm::internals::g2p::g2p;
use fibra_mpm::internals::grid_update::grid_update;
use fibra_mpm::internals::p2g::p2g;
use fibra_mpm::internals::state::State as GridState;
use glam::Mat3;
use std::time::Instant;

fibra_core::stages! {
    /// Stages of a step of hair.
    pub enum HairStage {
        /// Strands follow the head, and colliders move.
        Head = "head",
        /// Builds the linear system of each strand.
        Build = "build",
        /// Solves the systems.
        Solve = "solve",
        /// Sorts vertices by the blocks of the grid.
        Sort = "sort",
        /// Transfers vertices to the grid.
        P2g = "p2g",
        /// Updates the grid velocities, including contact with colliders.
        GridUpdate = "grid_update",
        /// Transfers the grid back to the vertices.
        G2p = "g2p",
        /// Resolves stretch, sharp bends and penetration, and updates frames.
        Settle = "settle",
    }
}

/// One of the equal strand steps of an advance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepPlan {
    /// Pose of the head at the end of the step.
    pub head: RigidPose,
    /// Fractions of the advance completed before and after the step [-].
    pub progress: [f64; 2],
    /// Length of a grid substep [s].
    pub dt: f32,
    /// Length of the advance [s].
    pub advance_dt: f64,
}

impl StepPlan {
    /// Returns the fraction of the advance completed after a fraction `share` of the step [-].
    pub fn progress_at(&self, share: f64) -> f64 {
        self.progress[0] + share * (self.progress[1] - self.progress[0])
    }
}

/// Takes one strand step with its grid substeps.
pub(crate) fn step(sim: &mut HairSim, plan: &StepPlan) -> Result<(), HairError> {
    let HairSim { settings, strands, grid, colliders, state, work, clock, .. } = sim;
    let (params, substeps, dt) = (&settings.strands, settings.substeps, plan.dt);
    let h = dt * substeps as f32;

    let head_path = clock.time(HairStage::Head, || follow_head(strands, state, colliders, plan, &params.limits, h));
    let started = Instant::now();
    let build_share = predict(strands, params, &mut state.strands, &mut work.strands, &plan.head, h)?;
    let predicted = started.elapsed();
    clock.add(HairStage::Build, predicted.mul_f64(build_share));
    clock.add(HairStage::Solve, predicted.mul_f64(1.0 - build_share));
    let reach = clock.time(HairStage::Settle, || {
        work.load(strands, &state.strands, grid, &mut state.grid);
        BoundingBall::around(&state.grid.particles, h, settings.grid.cell)
    });

    for substep in 1..=substeps {
        clock.time(HairStage::Head, || {
            let share = f64::from(substep) / f64::from(substeps);
            work.place_colliders(colliders, &head_path, plan, share, reach);
            work.accelerate(&mut state.grid, 1.0 / substeps as f32);
        });
        clock.time(HairStage::Sort, || work.sort(grid, &mut state.grid))?;
        clock.time(HairStage::P2g, || p2g(grid, &state.grid, &mut work.grid.grid, dt));
        clock.time(HairStage::GridUpdate, || grid_update(grid, &work.colliders, &mut work.grid.grid, dt));
        state.grid.extremes = clock.time(HairStage::G2p, || g2p(grid, &mut state.grid, &work.grid.grid, dt));
        check_finite(strands, &state.grid)?;
        clock.time(HairStage::Head, || work.hold(&mut state.grid, substep as f32 * dt));
    }

    clock.time(HairStage::Settle, || {
        colliders.iter_mut().for_each(|collider| collider.now = collider.path(plan.progress[1], 0.0).to);
        work.store(strands, &mut state.strands, &state.grid);
        let bodies = Bodies { placed: &work.colliders, skin: SKIN * settings.grid.cell };
        settle(strands, params, &mut state.strands, bodies, h);
        work.update_positions(strands, &state.strands);
        state.grid.time += f64::from(h);
        state.grid.steps += u64::from(substeps);
    });
    Ok(())
}

/// Applies head motion beyond the per-step limits to everything on the head as a rigid motion. Returns the remaining path of the head.
fn follow_head(
    strands: &Strands,
    state: &mut HairState,
    colliders: &mut [MovingCollider],
    plan: &StepPlan,
    limits: &HeadLimits,
    h: f32,
) -> RigidPath {
    if let Some(motion) = blend_rigid_motion(strands, &mut state.strands, &plan.head, limits) {
        rotate_history(strands, &mut state.grid, Mat3::from_quat(motion.rotation.as_quat()));
        state.grid.extremes.drifted = true;
        colliders.iter_mut().for_each(|collider| collider.jump(&motion, plan.progress[1]));
    }
    RigidPath { from: state.strands.head, to: plan.head, dt: h.into() }
}

/// Returns an error with the first vertex whose velocity or stress is not finite.
fn check_finite(strands: &Strands, grid: &GridState) -> Result<(), HairError> {
    if !grid.extremes.broken {
        return Ok(());
    }
    let p = &grid.particles;
    let finite = |i: usize| p.v[i].iter().chain(&p.tau[i].to_mat3().to_rows()).all(|number| number.is_finite());
    let broken = (0..p.len()).filter(|&i| !finite(i)).map(|i| p.id[i] as usize).min();
    Err(not_finite(strands, broken.unwrap_or(0)))
}

/// Returns the error for a vertex that is not finite.
pub(crate) fn not_finite(strands: &Strands, vertex: usize) -> HairError {
    let strand = (0..strands.len()).find(|&s| strands.vertices(s).contains(&vertex)).unwrap_or(0);
    HairError::NotFinite { strand, index: vertex - strands.vertices(strand).start }
}
