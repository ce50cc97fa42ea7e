//! One step of all strands: each by itself, semi-implicit [Huang2023, Sec. 3.1].
//!
//! [`step`] does everything. Where something else changes velocities in between, such as the contact of strands on a grid, call its
//! stages: [`predict`] once for a step of length `h`; then one or more times [`accept`] of a share of the predicted change, the other's correction of
//! velocities, and [`advance`]. What moves positions by itself writes them and calls [`settle`] instead of [`advance`].

use crate::assembly::{Trial, assemble};
use crate::error::StrandError;
use crate::frames::{angle, nearest_turn, transport, turned};
use crate::group::{Group, GroupState, HELD};
use crate::head::{blend_rigid_motion, drive_held};
use crate::lanes::{LANES, Lanes, between, get3, set3, window};
use crate::params::StrandParams;
use crate::strands::{Slot, StrandState, StrandWorkspace, Strands};
use fibra_core::geometry::{PlacedCollider, RigidPose};
use fibra_mpm::keep_out::push_out;
use glam::Vec3;
use rayon::prelude::*;
use std::time::Instant;

/// Moves the strands by `h` [s], while the head goes to `head`.
pub fn step(
    strands: &Strands,
    params: &StrandParams,
    state: &mut StrandState,
    workspace: &mut StrandWorkspace,
    head: &RigidPose,
    h: f32,
) -> Result<(), StrandError> {
    predict(strands, params, state, workspace, head, h)?;
    accept(state, 1.0);
    advance(strands, params, state, h);
    Ok(())
}

/// Finds how velocities want to change within the next `h` [s], while the head goes to `head`. What is held has its new velocity at once; all
/// other velocities are left for [`accept`]. The turning of the material about the edges changes at once.
///
/// Returns the share of the time that went into building the systems; the rest went into solving them [-].
pub fn predict(
    strands: &Strands,
    params: &StrandParams,
    state: &mut StrandState,
    workspace: &mut StrandWorkspace,
    head: &RigidPose,
    h: f32,
) -> Result<f64, StrandError> {
    params.check()?;
    if !(h > 0.0 && h.is_finite()) {
        return Err(StrandError::OutOfRange { what: "step", value: h, allowed: "positive and finite, in s" });
    }
    if !(head.translation.is_finite() && head.rotation.is_finite() && head.rotation.is_normalized()) {
        let value = (head.translation.length() + head.rotation.length()) as f32;
        let allowed = "finite, with a rotation of length one";
        return Err(StrandError::OutOfRange { what: "head's pose", value, allowed });
    }
    blend_rigid_motion(state, head, &params.limits);
    let chunk = strands.groups.len().div_ceil(workspace.slots.len());
    let states = state.groups.par_chunks_mut(chunk).zip(strands.groups.par_chunks(chunk));
    states.zip(&mut workspace.slots).for_each(|((states, groups), slot)| {
        slot.seconds = [0.0; 2];
        for (state, group) in states.iter_mut().zip(groups) {
            let begun = Instant::now();
            drive_held(group, state, head, params.follow, h);
            build_group(group, state, slot, params, h);
            let built = Instant::now();
            solve_group(group, state, slot);
            slot.seconds[0] += built.duration_since(begun).as_secs_f64();
            slot.seconds[1] += built.elapsed().as_secs_f64();
        }
    });
    state.head = *head;
    let spent = |stage: usize| workspace.slots.iter().map(|slot| slot.seconds[stage]).sum::<f64>();
    Ok(spent(0) / (spent(0) + spent(1)).max(f64::MIN_POSITIVE))
}

/// Adds a share of the predicted change to the velocities.
pub fn accept(state: &mut StrandState, share: f32) {
    state.groups.par_iter_mut().for_each(|state| accept_group(state, share));
}

/// Moves positions by `dt` [s] with the velocities, and frames with the positions.
pub fn advance(strands: &Strands, params: &StrandParams, state: &mut StrandState, dt: f32) {
    let slack = params.slack;
    state.groups.par_iter_mut().zip(&strands.groups).for_each(|(state, group)| advance_group(group, state, slack, dt));
}

/// Takes back what is stretched or folded too much, puts what is in a body a skin's breadth [m] above it, and brings frames to where positions are, `dt` after that
/// was last done [s].
pub fn settle(strands: &Strands, params: &StrandParams, state: &mut StrandState, bodies: Bodies<'_>, dt: f32) {
    let slack = params.slack;
    state.groups.par_iter_mut().zip(&strands.groups).for_each(|(state, group)| {
        limit_group(group, state, slack);
        let mut lanes = [true; LANES];
        for _ in 0..ROUNDS {
            for (lane, pushed) in lanes.iter_mut().enumerate() {
                *pushed = *pushed && keep_out(group, state, lane, bodies);
            }
            if !lanes.contains(&true) {
                break;
            }
            limit_group(group, state, slack);
        }
        carry_group(state, dt);
    });
}

/// How often vertices are put out of bodies, each time followed by taking back the stretch that makes.
const ROUNDS: usize = 2;

/// Bodies, and how far above them vertices are kept [m].
pub type Bodies<'a> = (&'a [PlacedCollider], f32);

/// Puts the vertices of a strand that are in a body above it. The grid holds hair back to a fraction of a cell, and taking back stretch may pull
/// vertices through what is round. Tells whether there were any.
fn keep_out(group: &Group, state: &mut GroupState, lane: usize, (bodies, skin): Bodies<'_>) -> bool {
    let free = |i: usize| group.mass[i][lane] < HELD;
    let ends = (0..group.vertices).filter(|&i| free(i)).map(|i| get3(&state.position[i], lane));
    let Some([low, high]) = ends
        .fold(None, |ends: Option<[Vec3; 2]>, x| Some(ends.map_or([x, x], |[low, high]| [low.min(x), high.max(x)])))
    else {
        return false;
    };
    let mut any = false;
    let (middle, reach) = (0.5 * (low + high), 0.5 * low.distance(high) + skin);
    for body in bodies.iter().filter(|body| body.signed_distance(middle) < reach) {
        for i in (0..group.vertices).filter(|&i| free(i)) {
            let (mut x, mut v) = (get3(&state.position[i], lane).to_array(), get3(&state.velocity[i], lane).to_array());
            if push_out(body, skin, &mut x, &mut v) {
                set3(&mut state.position[i], lane, x.into());
                set3(&mut state.velocity[i], lane, v.into());
                any = true;
            }
        }
    }
    any
}

fibra_mpm::dispatch! {
    fn build_group [; for V] (group: &Group, state: &mut GroupState, slot: &mut Slot, params: &StrandParams, h: f32) {
        let inertia = 1.0 + h * params.drag;
        set_trial(group, state, &mut slot.trial, h * params.gravity, inertia);
        assemble::<V>(group, state, &slot.trial, &mut slot.system, h, inertia);
    }
}

fibra_mpm::dispatch! {
    fn solve_group [; for V] (group: &Group, state: &mut GroupState, slot: &mut Slot) {
        slot.system.solve::<V>(group.unknowns());
        take_solution(group, state, slot);
    }
}

fibra_mpm::dispatch! {
    fn accept_group [; for V] (state: &mut GroupState, share: f32) {
        for (velocity, change) in state.velocity.iter_mut().zip(&state.change) {
            for c in 0..3 {
                (0..LANES).for_each(|lane| velocity[c][lane] += share * change[c][lane]);
            }
        }
    }
}

fibra_mpm::dispatch! {
    fn advance_group [; for V] (group: &Group, state: &mut GroupState, slack: f32, dt: f32) {
        for (position, velocity) in state.position.iter_mut().zip(&state.velocity) {
            for c in 0..3 {
                (0..LANES).for_each(|lane| position[c][lane] += dt * velocity[c][lane]);
            }
        }
        limit_shape(group, state, slack);
        carry(state, dt);
    }
}

fibra_mpm::dispatch! {
    fn limit_group [; for V] (group: &Group, state: &mut GroupState, slack: f32) {
        limit_shape(group, state, slack);
    }
}

fibra_mpm::dispatch! {
    fn carry_group [; for V] (state: &mut GroupState, dt: f32) {
        carry(state, dt);
    }
}

/// Trial velocities (see [`assembly`](crate::assembly)). What gravity and drag alone lead to is `v1 = (v + h g) / (1 + h drag)`; the trial is `v` or
/// that. The gain is what `M (1 + h drag) trial` lacks to `M (v + h g)`, per mass.
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
fn take_solution(group: &Group, state: &mut GroupState, slot: &Slot) {
    let solution = slot.system.solution();
    for i in 0..group.vertices {
        for c in 0..3 {
            let (trial, dv) = (&slot.trial.velocity[i][c], &solution[4 * i + c]);
            let (now, change) = (&state.velocity[i][c], &mut state.change[i][c]);
            (0..LANES).for_each(|lane| change[lane] = trial[lane] + dv[lane] - now[lane]);
        }
    }
    for i in 0..group.vertices - 1 {
        let (trial, dv, spin) = (&slot.trial.spin[i], &solution[4 * i + 3], &mut state.spin[i]);
        (0..LANES).for_each(|lane| spin[lane] = trial[lane] + dv[lane]);
    }
}

/// Moves vertices along with those before them, from the root on, where edges are longer or shorter than the share `slack` of their rest length
/// allows, and where the strand bends more sharply than [`Group::least_cosine`] allows.
///
/// The grid moves vertices that are near each other alike, so that it neither lets a strand regain its length from one vertex to the next nor lets
/// it unfold. The forces of such a strand would last, and turn into motion without end.
#[inline(always)]
fn limit_shape(group: &Group, state: &mut GroupState, slack: f32) {
    let mut before = Lanes::ZERO3;
    for i in 0..group.vertices - 1 {
        let (length, mass) = (&group.length[i], &group.mass[i + 1]);
        let (x, mut moved) = (*window::<_, 2>(&state.position, i), state.position[i + 1]);
        let (tangent, least) = (state.tangent[i], &group.least_cosine[i]);
        for lane in 0..LANES {
            let edge = between(&x, 0, lane);
            let now = edge.length();
            let (short, long) = ((1.0 - slack) * length[lane], (1.0 + slack) * length[lane]);
            let allowed = if now < short { short } else { now };
            let allowed = if allowed > long { long } else { allowed };
            // Where there is hardly an edge left, it goes where it went.
            let gone = now < 1e-3 * length[lane];
            let towards = if gone { get3(&tangent, lane) } else { edge * (1.0 / if gone { 1.0 } else { now }) };
            let previous = get3(&before, lane);
            let cosine = towards.dot(previous);
            let across = towards - cosine * previous;
            let sine = across.length();
            let side = across * (1.0 / if sine > 1e-6 { sine } else { 1e-6 });
            let bent = least[lane] * previous + (1.0 - least[lane] * least[lane]).sqrt() * side;
            let sharp = cosine < least[lane];
            let free = mass[lane] < HELD;
            let wrong = free && (sharp || allowed != now);
            let towards = if free && sharp { bent } else { towards };
            // From the vertex before: from its own place far out, rounding would leave it off.
            let right = get3(&x[0], lane) + allowed * towards;
            set3(&mut moved, lane, if wrong { right } else { get3(&x[1], lane) });
            set3(&mut before, lane, towards);
        }
        state.position[i + 1] = moved;
    }
}

/// Carries directors to the new tangents, turns them by their spin, and finds the twist between them anew: rounding that turns a director
/// does not stay hidden, as it would in an angle that is summed up.
#[inline(always)]
fn carry(state: &mut GroupState, dt: f32) {
    for i in 0..state.tangent.len() {
        let x = window::<_, 2>(&state.position, i);
        let (tangent, director, spin) = (state.tangent[i], state.director[i], &state.spin[i]);
        let (mut tangents, mut directors) = (Lanes::ZERO3, Lanes::ZERO3);
        for lane in 0..LANES {
            let edge = between(x, 0, lane);
            let length = edge.length();
            let t = edge * (1.0 / if length > 1e-12 { length } else { 1e-12 });
            let carried = transport(get3(&director, lane), get3(&tangent, lane), t);
            set3(&mut directors, lane, turned(carried, t, dt * spin[lane]));
            set3(&mut tangents, lane, t);
        }
        (state.tangent[i], state.director[i]) = (tangents, directors);
    }
    for i in 0..state.twist.len() {
        let (tangent, director) = (window::<_, 2>(&state.tangent, i), window::<_, 2>(&state.director, i));
        let (spin, before, mut twists) = (window::<_, 2>(&state.spin, i), state.twist[i], Lanes::ZERO);
        for lane in 0..LANES {
            let to = get3(&tangent[1], lane);
            let carried = transport(get3(&director[0], lane), get3(&tangent[0], lane), to);
            let expected = before[lane] + dt * (spin[1][lane] - spin[0][lane]);
            twists[lane] = nearest_turn(angle(carried, get3(&director[1], lane), to), expected);
        }
        state.twist[i] = twists;
    }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
