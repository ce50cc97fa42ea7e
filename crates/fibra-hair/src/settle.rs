//! End of a step: limits lengths and bends, resolves penetration, and updates frames.

use crate::group::{Group, GroupState, PINNED_MASS};
use crate::lanes::{LANES, Lanes, Lanes3, between, get3, set3, window};
use crate::params::StrandParams;
use crate::strands::{StrandState, Strands};
use fibra_core::edge_frames::{angle, nearest_turn, rotated, transport};
use fibra_core::geometry::PlacedCollider;
use fibra_mpm::internals::resolve_penetration::project_out;
use rayon::prelude::*;

/// Number of passes. Each pass projects vertices out of colliders and then limits the stretch that this causes.
const ROUNDS: usize = 2;

/// Minimum distance of vertices from colliders [cells].
pub const SKIN: f32 = 0.05;

/// Colliders that vertices are projected out of.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Colliders in their current poses.
    pub placed: &'a [PlacedCollider],
    /// Minimum distance of vertices from colliders [m].
    pub skin: f32,
}

/// Limits stretch and bends, projects vertices out of colliders, and updates the frames to the current positions, `dt` after their last update [s].
pub fn settle(strands: &Strands, params: &StrandParams, state: &mut StrandState, bodies: Bodies<'_>, dt: f32) {
    let slack = params.slack;
    state.groups.par_iter_mut().zip(&strands.groups).for_each(|(state, group)| {
        record_and_limit_group(group, state, slack);
        for _ in 0..ROUNDS {
            if !resolve_penetration(group, state, bodies) {
                break;
            }
            limit_group(group, state, slack);
        }
        update_frames_group(state, dt);
    });
}

/// Projects vertices out of colliders. The grid resolves contact only to a fraction of a cell, and limiting stretch can pull vertices through curved
/// surfaces. Returns whether any vertex moved.
fn resolve_penetration(group: &Group, state: &mut GroupState, Bodies { placed, skin }: Bodies<'_>) -> bool {
    let mut any = false;
    for body in placed {
        for i in 0..group.vertices {
            let inside = inside(&group.mass[i], &state.position[i], body, skin);
            for lane in (0..LANES).filter(|lane| inside >> lane & 1 == 1) {
                let (mut x, mut v) =
                    (get3(&state.position[i], lane).to_array(), get3(&state.velocity[i], lane).to_array());
                if project_out(body, skin, &mut x, &mut v) {
                    set3(&mut state.position[i], lane, x.into());
                    set3(&mut state.velocity[i], lane, v.into());
                    any = true;
                }
            }
        }
    }
    any
}

fibra_core::dispatch! {
    /// Returns a bit mask of the free vertices that are inside a collider or less than `skin` [m] from it.
    fn inside [; for V] (mass: &Lanes, position: &Lanes3, collider: &PlacedCollider, skin: f32) -> u32 {
        let within = collider.are_within::<LANES>(&[position[0].0, position[1].0, position[2].0], skin);
        let mut free = 0;
        for lane in 0..LANES {
            free |= u32::from(mass[lane] < PINNED_MASS) << lane;
        }
        within & free
    }
}

fibra_core::dispatch! {
    fn record_and_limit_group [; for V] (group: &Group, state: &mut GroupState, slack: f32) {
        record_and_limit(group, state, slack);
    }
}

fibra_core::dispatch! {
    fn limit_group [; for V] (group: &Group, state: &mut GroupState, slack: f32) {
        limit_shape(group, state, slack);
    }
}

/// Limits the shape that a step reached, and records its stretch and the distances by which the limits moved vertices.
#[inline(always)]
pub(crate) fn record_and_limit(group: &Group, state: &mut GroupState, slack: f32) {
    for i in 0..group.vertices - 1 {
        let x = window::<_, 2>(&state.position, i);
        for lane in 0..LANES {
            let ratio = between(x, 0, lane).length() / group.length[i][lane];
            // Padding vertices are pinned.
            let free = group.mass[i][lane] < PINNED_MASS || group.mass[i + 1][lane] < PINNED_MASS;
            let larger = free && ratio > state.stretch[lane];
            state.stretch[lane] = if larger { ratio } else { state.stretch[lane] };
        }
    }
    let moved = limit_shape(group, state, slack);
    for lane in 0..LANES {
        state.correction[lane] = state.correction[lane].max(moved[lane].sqrt());
    }
}

fibra_core::dispatch! {
    fn update_frames_group [; for V] (state: &mut GroupState, dt: f32) {
        update_frames(state, dt);
    }
}

/// Limits edge lengths and bends by moving vertices, from the root to the tip. Edge lengths stay within a fraction `slack` of the rest length, and
/// bends within [`Group::min_cosine`]. Returns the square of the largest distance by which a vertex moved [m^2].
///
/// The grid gives nearby vertices similar velocities. With the grid alone, a single edge therefore cannot recover its length and a fold cannot
/// open. The elastic forces would persist and keep the strand moving.
#[inline(always)]
pub(crate) fn limit_shape(group: &Group, state: &mut GroupState, slack: f32) -> Lanes {
    let (mut before, mut farthest) = (Lanes::ZERO3, Lanes::ZERO);
    for i in 0..group.vertices - 1 {
        let (length, mass) = (&group.length[i], &group.mass[i + 1]);
        let (x, mut moved) = (*window::<_, 2>(&state.position, i), state.position[i + 1]);
        let (tangent, least) = (state.tangent[i], &group.min_cosine[i]);
        for lane in 0..LANES {
            let edge = between(&x, 0, lane);
            let now = edge.length();
            let (short, long) = ((1.0 - slack) * length[lane], (1.0 + slack) * length[lane]);
            let allowed = if now < short { short } else { now };
            let allowed = if allowed > long { long } else { allowed };
            // A nearly vanished edge keeps its previous direction.
            let gone = now < 1e-3 * length[lane];
            let toward = if gone { get3(&tangent, lane) } else { edge * (1.0 / if gone { 1.0 } else { now }) };
            let previous = get3(&before, lane);
            let cosine = toward.dot(previous);
            let across = toward - cosine * previous;
            let sine = across.length();
            let side = across * (1.0 / if sine > 1e-6 { sine } else { 1e-6 });
            let bent = least[lane] * previous + (1.0 - least[lane] * least[lane]).sqrt() * side;
            let sharp = cosine < least[lane];
            let free = mass[lane] < PINNED_MASS;
            let wrong = free && (sharp || allowed != now);
            let toward = if free && sharp { bent } else { toward };
            // Measured from the previous vertex: far from the origin, correcting the vertex's own position would add rounding.
            let right = get3(&x[0], lane) + allowed * toward;
            let by = if wrong { right.distance_squared(get3(&x[1], lane)) } else { 0.0 };
            farthest[lane] = if by > farthest[lane] { by } else { farthest[lane] };
            set3(&mut moved, lane, if wrong { right } else { get3(&x[1], lane) });
            set3(&mut before, lane, toward);
        }
        state.position[i + 1] = moved;
    }
    farthest
}

/// Transports directors to the new tangents, rotates them by their spin, and recomputes the twist between them. The twist is recomputed, because an
/// accumulated twist would miss rotations due to rounding.
#[inline(always)]
pub(crate) fn update_frames(state: &mut GroupState, dt: f32) {
    for i in 0..state.tangent.len() {
        let x = window::<_, 2>(&state.position, i);
        let (tangent, director, spin) = (state.tangent[i], state.director[i], &state.spin[i]);
        let (mut tangents, mut directors) = (Lanes::ZERO3, Lanes::ZERO3);
        for lane in 0..LANES {
            let edge = between(x, 0, lane);
            let length = edge.length();
            let t = edge * (1.0 / if length > 1e-12 { length } else { 1e-12 });
            let carried = transport(get3(&director, lane), get3(&tangent, lane), t);
            set3(&mut directors, lane, rotated(carried, t, dt * spin[lane]));
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
