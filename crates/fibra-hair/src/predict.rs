//! One semi-implicit step of all strands, each independent of the others [Huang2023, Sec. 3.1].
//!
//! [`step_alone`] takes a whole step of strands without contact. If contact changes velocities, call the stages instead. Call [`predict`] once for a
//! step of length `h`. Then, one or more times, call [`apply_change`] with a fraction of the predicted change, correct the velocities for contact,
//! and call [`advance`]. Code that moves positions itself writes the new positions and calls [`settle`](crate::settle::settle) instead of
//! [`advance`].

use crate::assembly::{Trial, assemble};
use crate::error::StrandError;
use crate::group::{Group, GroupState};
use crate::head::{blend_rigid_motion, drive_pinned};
use crate::lanes::{LANES, Lanes3};
use crate::params::StrandParams;
use crate::settle::{record_and_limit, update_frames};
use crate::strands::{Slot, StrandState, StrandWorkspace, Strands};
use fibra_core::geometry::RigidPose;
use glam::Vec3;
use rayon::prelude::*;
use std::time::Instant;

/// Advances strands without contact by `h` [s], while the head moves to `head`.
pub fn step_alone(
    strands: &Strands,
    params: &StrandParams,
    state: &mut StrandState,
    workspace: &mut StrandWorkspace,
    head: &RigidPose,
    h: f32,
) -> Result<(), StrandError> {
    predict(strands, params, state, workspace, head, h)?;
    apply_change(state, workspace, 1.0);
    advance(strands, params, state, h);
    Ok(())
}

/// Predicts the velocity change over the next `h` [s], while the head moves to `head`. The velocities of pinned vertices and the spins of all edges
/// change immediately; other velocities change in [`apply_change`].
///
/// Returns the fraction of the wall time spent on building the systems; the rest was spent on solving them [-].
pub fn predict(
    strands: &Strands,
    params: &StrandParams,
    state: &mut StrandState,
    workspace: &mut StrandWorkspace,
    head: &RigidPose,
    h: f32,
) -> Result<f64, StrandError> {
    check(params, head, h)?;
    blend_rigid_motion(strands, state, head, &params.limits);
    let chunk = strands.groups.len().div_ceil(workspace.slots.len());
    let StrandWorkspace { slots, changes } = workspace;
    let states = state.groups.par_chunks_mut(chunk).zip(changes.par_chunks_mut(chunk));
    states.zip(strands.groups.par_chunks(chunk)).zip(slots).for_each(|(((states, changes), groups), slot)| {
        slot.seconds = [0.0; 2];
        for ((state, change), group) in states.iter_mut().zip(changes).zip(groups) {
            let begun = Instant::now();
            drive_pinned(group, state, head, params.follow, h);
            build_group(group, state, slot, params, h);
            let built = Instant::now();
            solve_group(group, state, change, slot);
            slot.seconds[0] += built.duration_since(begun).as_secs_f64();
            slot.seconds[1] += built.elapsed().as_secs_f64();
        }
    });
    state.head = *head;
    let spent = |stage: usize| workspace.slots.iter().map(|slot| slot.seconds[stage]).sum::<f64>();
    Ok(spent(0) / (spent(0) + spent(1)).max(f64::MIN_POSITIVE))
}

/// Rejects a step length or a head pose out of range.
pub(crate) fn check(params: &StrandParams, head: &RigidPose, h: f32) -> Result<(), StrandError> {
    params.check()?;
    if !(h > 0.0 && h.is_finite()) {
        return Err(StrandError::OutOfRange { what: "step", value: h, allowed: "positive and finite, in s" });
    }
    if !(head.translation.is_finite() && head.rotation.is_finite() && head.rotation.is_normalized()) {
        let value = (head.translation.length() + head.rotation.length()) as f32;
        let allowed = "finite, with a rotation of length one";
        return Err(StrandError::OutOfRange { what: "head's pose", value, allowed });
    }
    Ok(())
}

/// Adds a fraction of the predicted change to the velocities.
pub fn apply_change(state: &mut StrandState, workspace: &StrandWorkspace, share: f32) {
    let groups = state.groups.par_iter_mut().zip(&workspace.changes);
    groups.for_each(|(state, change)| apply_change_group(state, change, share));
}

/// Moves positions by `dt` [s] with the velocities, and updates the frames.
pub fn advance(strands: &Strands, params: &StrandParams, state: &mut StrandState, dt: f32) {
    let slack = params.slack;
    state.groups.par_iter_mut().zip(&strands.groups).for_each(|(state, group)| advance_group(group, state, slack, dt));
}

fibra_core::dispatch! {
    fn build_group [; for V] (group: &Group, state: &mut GroupState, slot: &mut Slot, params: &StrandParams, h: f32) {
        let inertia = 1.0 + h * params.drag;
        set_trial(group, state, &mut slot.trial, h * params.gravity, inertia);
        assemble::<V>(group, state, &slot.trial, &mut slot.system, h, inertia);
    }
}

fibra_core::dispatch! {
    fn solve_group [; for V] (group: &Group, state: &mut GroupState, change: &mut [Lanes3], slot: &mut Slot) {
        slot.system.solve::<V>(group.unknowns());
        take_solution(group, state, change, slot);
    }
}

fibra_core::dispatch! {
    fn apply_change_group [; for V] (state: &mut GroupState, changes: &[Lanes3], share: f32) {
        for (velocity, change) in state.velocity.iter_mut().zip(changes) {
            for c in 0..3 {
                (0..LANES).for_each(|lane| velocity[c][lane] += share * change[c][lane]);
            }
        }
    }
}

fibra_core::dispatch! {
    fn advance_group [; for V] (group: &Group, state: &mut GroupState, slack: f32, dt: f32) {
        for (position, velocity) in state.position.iter_mut().zip(&state.velocity) {
            for c in 0..3 {
                (0..LANES).for_each(|lane| position[c][lane] += dt * velocity[c][lane]);
            }
        }
        record_and_limit(group, state, slack);
        update_frames(state, dt);
    }
}

/// Sets trial velocities (see [`assembly`](crate::assembly)). Gravity and drag alone lead to `v1 = (v + h g) / (1 + h drag)`; the trial velocity is
/// `v` or `v1`. The gain is the difference between `M (v + h g)` and `M (1 + h drag) trial`, per mass.
#[inline(always)]
fn set_trial(group: &Group, state: &GroupState, trial: &mut Trial, fall: Vec3, inertia: f32) {
    let keep = 1.0 / inertia;
    let fly = |flying: f32, v: f32, fall: f32| v + flying * (keep * (v + fall) - v);
    for i in 0..group.vertices {
        for c in 0..3 {
            let (now, next, gain) = (&state.velocity[i][c], &mut trial.velocity[i][c], &mut trial.gain[i][c]);
            for lane in 0..LANES {
                next[lane] = fly(group.flying[lane], now[lane], fall[c]);
                gain[lane] = (1.0 - group.flying[lane]) * (fall[c] + (1.0 - inertia) * now[lane]);
            }
        }
    }
    for i in 0..group.vertices - 1 {
        let (now, next, gain) = (&state.spin[i], &mut trial.spin[i], &mut trial.spin_gain[i]);
        for lane in 0..LANES {
            next[lane] = fly(group.flying[lane], now[lane], 0.0);
            gain[lane] = (1.0 - group.flying[lane]) * (1.0 - inertia) * now[lane];
        }
    }
}

#[inline(always)]
fn take_solution(group: &Group, state: &mut GroupState, changes: &mut [Lanes3], slot: &Slot) {
    let solution = slot.system.solution();
    for i in 0..group.vertices {
        for c in 0..3 {
            let (trial, dv) = (&slot.trial.velocity[i][c], &solution[4 * i + c]);
            let (now, change) = (&state.velocity[i][c], &mut changes[i][c]);
            (0..LANES).for_each(|lane| change[lane] = trial[lane] + dv[lane] - now[lane]);
        }
    }
    for i in 0..group.vertices - 1 {
        let (trial, dv, spin) = (&slot.trial.spin[i], &solution[4 * i + 3], &mut state.spin[i]);
        (0..LANES).for_each(|lane| spin[lane] = trial[lane] + dv[lane]);
    }
}

#[cfg(test)]
#[path = "predict_tests.rs"]
mod tests;
