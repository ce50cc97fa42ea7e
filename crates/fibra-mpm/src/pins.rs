//! Pinned vertices: their prescribed motion, and their release.

use crate::links::Links;
use crate::mesh::Pin;
use crate::params::Params;
use crate::state::{Extremes, State};
use fibra_core::mat3::Mat3;
use fibra_materials::kind::Kind;
use glam::DVec3;

impl Pin {
    /// Returns the position [m] and velocity [m/s] at time `t` [s] of a vertex that is at `start` [m] at time 0.
    pub fn at(&self, start: DVec3, t: f64) -> (DVec3, DVec3) {
        let now = self.motion.at(t);
        let arm = now.rotation * (start - self.pivot);
        (self.pivot + now.translation + arm, now.linear_velocity + now.angular_velocity.cross(arm))
    }
}

/// Returns the time of the next release of a pin after `time` [s]; infinite if there is none.
pub fn next_release(params: &Params, time: f64) -> f64 {
    let releases = params.meshes.pins.iter().map(|pin| pin.release);
    releases.filter(|&release| release > time).fold(f64::INFINITY, f64::min)
}

/// Releases the vertices whose release time is now. Steps end at release times, so each release is handled exactly once.
pub fn release(params: &Params, state: &mut State) {
    let pins = &params.meshes.pins;
    if !pins.iter().any(|pin| pin.release == state.time) {
        return;
    }
    let mut held = vec![false; state.particles.len()];
    for pin in pins.iter().filter(|pin| pin.release > state.time) {
        pin.vertices.iter().for_each(|(vertex, _)| held[*vertex as usize] = true);
    }
    let p = &mut state.particles;
    for (kind, &id) in p.kind.iter_mut().zip(&p.id) {
        if *kind == Kind::Held && !held[id as usize] {
            *kind = Kind::Vertex;
            // Groups have changed, so the particles must be sorted.
            state.extremes.drifted = true;
        }
    }
}

/// Calls `each` with the id of every vertex pinned at `time` [s], and with its position [m, from the run origin] and velocity
/// [m/s] at time `end` [s].
pub fn held_at(params: &Params, time: f64, end: f64, mut each: impl FnMut(u32, [f32; 3], DVec3)) {
    for pin in params.meshes.pins.iter().filter(|pin| pin.release > time) {
        for &(vertex, start) in &pin.vertices {
            let (x, v) = pin.at(start, end);
            each(vertex, (x - params.origin).as_vec3().to_array(), v);
        }
    }
}

/// Moves pinned vertices to their positions at time `end` [s].
pub fn hold(params: &Params, state: &mut State, links: &Links, end: f64) -> Extremes {
    let p = &mut state.particles;
    let mut fastest = 0.0f64;
    held_at(params, state.time, end, |vertex, x, v| {
        let place = links.place_of(vertex);
        p.x[place] = x;
        p.v[place] = v.as_vec3().to_array();
        p.c[place] = Mat3::ZERO;
        fastest = fastest.max(v.length());
    });
    let dt = end - state.time;
    carry_elements(params, state, links, dt);
    Extremes { speed: fastest as f32, ..Extremes::default() }
}

/// Time constant with which elements between pinned vertices follow them [s].
pub(crate) const FOLLOWS: f64 = 0.01;

/// Relaxes elements whose vertices are all pinned to the velocity of those vertices. Nothing on the grid supports such elements, so otherwise they
/// would keep accelerating downward. The relaxation must not be instantaneous. The elements share nodes with the material on top of them:
/// if they were fixed, their drag rather than contact would carry the weight of that material, and friction would be too small.
fn carry_elements(params: &Params, state: &mut State, links: &Links, dt: f64) {
    let follow = (1.0 - (-dt / FOLLOWS).exp()) as f32;
    let p = &mut state.particles;
    let held = params.meshes.pins.iter().filter(|pin| pin.release > state.time).flat_map(|pin| &pin.vertices);
    for &(vertex, _) in held {
        for (element, corner) in links.elements_of(links.place_of(vertex)) {
            let corners = links.corners(element);
            // Handle each element once, through its first vertex.
            if !corner.is_first() || corners.iter().any(|&corner| p.kind[corner] != Kind::Held) {
                continue;
            }
            let distinct = if p.kind[element] == Kind::Curve { &corners[..2] } else { &corners[..] };
            let share = 1.0 / distinct.len() as f32;
            for a in 0..3 {
                let mean = share * distinct.iter().map(|&at| p.v[at][a]).sum::<f32>();
                p.v[element][a] += follow * (mean - p.v[element][a]);
            }
        }
    }
}
