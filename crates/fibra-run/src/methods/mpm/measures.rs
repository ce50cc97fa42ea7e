//! Measures of cloth and fibers: stretch, torn elements, and penetration of colliders.

use fibra_core::TORN_STRETCH;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::mesh::RestShape;
use fibra_mpm::internals::params::Params;
use fibra_mpm::internals::state::State;
use glam::{DVec3, Vec3};

/// Stretch of the meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Largest ratio of the length of an edge to its rest length [-].
    pub largest: f64,
    /// Number of elements with an edge longer than twice its rest length.
    pub torn: usize,
}

/// Measures the edges of one object's elements, or of all elements.
pub fn stretch(params: &Params, state: &State, object: Option<u32>) -> Stretch {
    let meshes = &params.meshes;
    let p = &state.particles;
    let mut stretch = Stretch::default();
    if meshes.corners.is_empty() {
        return stretch;
    }
    // Positions of the vertices, by id.
    let mut x = vec![DVec3::ZERO; meshes.first_element as usize];
    for (x_i, &id) in p.x.iter().zip(&p.id) {
        if let Some(slot) = x.get_mut(id as usize) {
            *slot = DVec3::from_array(x_i.map(f64::from));
        }
    }
    let wanted = |&i: &usize| object.is_none_or(|object| p.object[i] == object);
    for i in (0..p.len()).filter(wanted) {
        let Some(element) = p.id[i].checked_sub(meshes.first_element) else { continue };
        let corners = meshes.corners[element as usize];
        let rest = meshes.rest_of(p.kind[i], p.id[i], p.memory[i]);
        let [a, b, c] = corners.map(|corner| x[corner as usize]);
        let lengths = [a.distance(b), a.distance(c), b.distance(c)];
        let ratios = lengths.into_iter().zip(rest_lengths(&rest)).map(|(length, rest)| length / rest);
        let largest = ratios.fold(0.0, f64::max);
        stretch.largest = stretch.largest.max(largest);
        stretch.torn += usize::from(largest > TORN_STRETCH);
    }
    stretch
}

/// Returns the rest lengths of the edges from the first corner to the second, from the first to the third, and from the second to the
/// third [m]. A segment has only the first edge; the other lengths are infinite, so that their ratios are zero.
fn rest_lengths(rest: &RestShape) -> [f64; 3] {
    let [along, shear, across] = [rest.along, rest.shear, rest.across].map(f64::from);
    let first = 1.0 / along;
    if across == 0.0 {
        return [first, f64::INFINITY, f64::INFINITY];
    }
    // E1 = D1 / along and D2 = shear E1 + across E2, so E2 = D2 / across - shear / (along across) D1.
    let second = [-shear / (along * across), 1.0 / across];
    [first, second[0].hypot(second[1]), (second[0] - first).hypot(second[1])]
}

/// Returns the number of points and free vertices that are more than a grid cell deep inside a collider, for one object or for all.
pub fn inside_colliders(params: &Params, state: &State, object: Option<u32>) -> usize {
    let placed: Vec<_> = params.colliders.iter().map(|collider| collider.place(state.time, params.origin)).collect();
    let p = &state.particles;
    let free = |i: &usize| matches!(p.kind[*i], Kind::Point | Kind::Vertex);
    let wanted = |i: &usize| object.is_none_or(|object| p.object[*i] == object);
    let deep = |i: &usize| placed.iter().any(|body| body.signed_distance(Vec3::from_array(p.x[*i])) < -params.dx);
    (0..p.len()).filter(wanted).filter(free).filter(deep).count()
}
