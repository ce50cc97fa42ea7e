//! Vertices that move as told: where they are, and letting them go.

use crate::links::Links;
use crate::mesh::Pin;
use crate::params::Params;
use crate::state::{Extremes, State};
use fibra_core::mat3::Mat3;
use fibra_materials::kind::Kind;
use glam::DVec3;

impl Pin {
    /// Position [m] and velocity [m/s] at time `t` [s] of a vertex that is at `start` [m] at time 0.
    pub fn at(&self, start: DVec3, t: f64) -> (DVec3, DVec3) {
        let now = self.motion.at(t);
        let arm = now.rotation * (start - self.pivot);
        (self.pivot + now.translation + arm, now.linear_velocity + now.angular_velocity.cross(arm))
    }
}

/// The time before which no pin lets go, if one does after `time` [s].
pub fn next_release(params: &Params, time: f64) -> f64 {
    let releases = params.meshes.pins.iter().map(|pin| pin.release);
    releases.filter(|&release| release > time).fold(f64::INFINITY, f64::min)
}

/// Lets go the vertices whose time has come. Steps end at releases, so that this is seen exactly once.
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
            // Groups have changed.
            state.extremes.drifted = true;
        }
    }
}

/// Calls `each` with the number of every vertex held at `time` [s], and with its position [m, from the run origin] and velocity
/// [m/s] at time `end` [s].
pub fn held_at(params: &Params, time: f64, end: f64, mut each: impl FnMut(u32, [f32; 3], DVec3)) {
    for pin in params.meshes.pins.iter().filter(|pin| pin.release > time) {
        for &(vertex, start) in &pin.vertices {
            let (x, v) = pin.at(start, end);
            each(vertex, (x - params.origin).as_vec3().to_array(), v);
        }
    }
}

/// Puts held vertices where they belong at time `end` [s].
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

/// How long elements between held vertices take to follow them [s].
pub(crate) const FOLLOWS: f64 = 0.01;

/// Brings elements all of whose vertices are held to the speed of those: nothing on the grid holds them up, and they would fall
/// faster and faster. Not at once, since they share their nodes with what lies on them: its weight would then be carried by
/// drag instead of by contact, and friction would be too small.
fn carry_elements(params: &Params, state: &mut State, links: &Links, dt: f64) {
    let follow = (1.0 - (-dt / FOLLOWS).exp()) as f32;
    let p = &mut state.particles;
    let held = params.meshes.pins.iter().filter(|pin| pin.release > state.time).flat_map(|pin| &pin.vertices);
    for &(vertex, _) in held {
        for (element, corner) in links.elements_of(links.place_of(vertex)) {
            let corners = links.corners(element);
            // Once for each element: by its first vertex.
            if !corner.is_first() || corners.iter().any(|&corner| p.kind[corner] != Kind::Held) {
                continue;
            }
            let distinct = if p.kind[element] == Kind::Curve { &corners[..2] } else { &corners[..] };
            let share = 1.0 / distinct.len() as f32;
            for a in 0..3 {
                let told = share * distinct.iter().map(|&at| p.v[at][a]).sum::<f32>();
                p.v[element][a] += follow * (told - p.v[element][a]);
            }
        }
    }
}
