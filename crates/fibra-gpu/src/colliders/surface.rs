//! The surface of a deforming mesh, closed or open, like [`fibra_core::geometry::DeformedMesh`].
//!
//! The bounding volume hierarchy is traversed depth first without a stack: each node stores the next node after its subtree.

use super::contact::BEYOND;
use super::layout::{CLOSED, CORNERS, FAN, MOVED, NODE, NODES, PART, THICKNESS, TOPOLOGY, TRIANGLES, VERTICES};
use super::sampled_distance::up;
use super::shapes::Nearest;
use crate::vector::{Vector3, pick};
use cubecl::prelude::*;

/// Offsets of a surface in the arrays.
#[derive(CubeType, Clone, Copy)]
pub(super) struct Surface {
    pub triangles: usize,
    pub nodes: usize,
    /// Offsets in `shapes`: tree nodes, triangle corners, triangle neighbors, vertices, and triangles around vertices.
    pub tree: usize,
    pub corners: usize,
    neighbors: usize,
    vertices: usize,
    fans: usize,
    /// Offsets in `placed`: positions and velocities of corners, and boxes of nodes.
    pub moved: usize,
    pub boxes: usize,
}

/// The point of a triangle nearest to a query point.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
struct Foot {
    /// Barycentric weights of the corners, exactly zero on edges and corners.
    weights: Vector3,
    /// Vector from the nearest point to the query point [m].
    offset: Vector3,
}

/// The nearest point of an edge.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
struct EdgeFoot {
    share: f32,
    offset: Vector3,
    squared: f32,
}

/// The normal vector used to decide on which side of the surface a point is.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
struct PseudoNormal {
    normal: Vector3,
    /// 1 if the point is on a border, else 0.
    border: f32,
}

/// Returns the offsets of the surface whose parameters start at `sizes`.
#[cube]
pub(super) fn surface_at(shapes: &Array<f32>, sizes: usize) -> Surface {
    let triangles = usize::cast_from(shapes[sizes + TRIANGLES]);
    let nodes = usize::cast_from(shapes[sizes + NODES]);
    let tree = usize::cast_from(shapes[sizes + TOPOLOGY]) * PART;
    let corners = tree + NODE * nodes;
    let neighbors = corners + 3 * triangles;
    let vertices = neighbors + 3 * triangles;
    let fans = vertices + FAN * usize::cast_from(shapes[sizes + VERTICES]);
    let moved = usize::cast_from(shapes[sizes + MOVED]) * PART;
    Surface { triangles, nodes, tree, corners, neighbors, vertices, fans, moved, boxes: moved + CORNERS * triangles }
}

/// Returns the point nearest to `x` [m, in the surface's axes] of the surface whose parameters start at `sizes`. If that point is `reach`
/// [m] or more away, the returned distance is not below `reach`, and the other fields are undefined.
#[cube]
pub(super) fn nearest_of_surface(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    sizes: usize,
    x: Vector3,
    reach: f32,
) -> Nearest {
    let surface = surface_at(shapes, sizes);
    let thickness = shapes[sizes + THICKNESS];
    let closed = shapes[sizes + CLOSED] > 0.5;
    // A point deep inside a closed mesh can be farther than `reach` from the surface, so the limit is lifted inside the bounding box.
    let inside_box = box_distance_squared(placed, surface.boxes, x) == 0.0;
    let limit = select(closed, select(inside_box, BEYOND, reach), f32::max(reach, thickness));
    let triangle = nearest_triangle(shapes, placed, &surface, x, limit);
    if triangle < surface.triangles {
        let foot = foot(placed, surface.moved + CORNERS * triangle, x);
        let pseudo = pseudo_normal(shapes, placed, &surface, triangle, foot.weights);
        let length = foot.offset.length();
        let behind = foot.offset.dot(pseudo.normal) < 0.0 && (closed || pseudo.border < 0.5);
        let in_layer = behind && (closed || length < thickness);
        let below_layer = behind && !in_layer;
        let sign = select(in_layer, -1.0, 1.0);
        let distance = select(below_layer, length - thickness, sign * length);
        // On the surface itself the direction to it is undefined.
        let beside = pseudo.normal.times(select(below_layer, -1.0, 1.0));
        let normal = pick(length > 0.0, foot.offset.direction_or(beside).times(sign), beside);
        let velocities = surface.moved + CORNERS * triangle + 9;
        Nearest { distance, normal: normal.direction_or(up()), velocity: weighted(placed, velocities, foot.weights) }
    } else {
        let zero = f32::new(0.0);
        Nearest { distance: f32::max(reach, BEYOND), normal: up(), velocity: Vector3::new(zero, zero, zero) }
    }
}

/// Returns the triangle nearest to `x` [m], or the number of triangles if none is closer than `limit` [m].
#[cube]
fn nearest_triangle(shapes: &Array<f32>, placed: &Array<f32>, surface: &Surface, x: Vector3, limit: f32) -> usize {
    let mut best = limit * limit;
    if limit >= BEYOND {
        best = nearest_leaf_bound(shapes, placed, surface, x);
    }
    let mut found = surface.triangles;
    let mut node = usize::new(0);
    while node < surface.nodes {
        let entry = surface.tree + NODE * node;
        let after = usize::cast_from(shapes[entry + 2]);
        if box_distance_squared(placed, surface.boxes + 6 * node, x) > best {
            node = after;
        } else if after == node + 1 {
            // A leaf.
            let end = usize::cast_from(shapes[entry + 1]);
            for triangle in usize::cast_from(shapes[entry])..end {
                let offset = foot(placed, surface.moved + CORNERS * triangle, x).offset;
                let squared = offset.dot(offset);
                if squared <= best {
                    best = squared;
                    found = triangle;
                }
            }
            node = after;
        } else {
            node += 1;
        }
    }
    found
}

/// Returns the squared distance [m^2] to the leaf found by greedy descent to the nearer child: an upper bound, with a margin for rounding.
#[cube]
fn nearest_leaf_bound(shapes: &Array<f32>, placed: &Array<f32>, surface: &Surface, x: Vector3) -> f32 {
    let mut node = usize::new(0);
    while usize::cast_from(shapes[surface.tree + NODE * node + 2]) != node + 1 {
        let left = node + 1;
        let right = usize::cast_from(shapes[surface.tree + NODE * left + 2]);
        let to_left = box_distance_squared(placed, surface.boxes + 6 * left, x);
        let to_right = box_distance_squared(placed, surface.boxes + 6 * right, x);
        node = select(to_right < to_left, right, left);
    }
    let triangle = usize::cast_from(shapes[surface.tree + NODE * node]);
    let offset = foot(placed, surface.moved + CORNERS * triangle, x).offset;
    1.0001 * offset.dot(offset)
}

#[cube]
fn box_distance_squared(placed: &Array<f32>, at: usize, x: Vector3) -> f32 {
    let zero = f32::new(0.0);
    let below = Vector3::read(placed, at).minus(x);
    let above = x.minus(Vector3::read(placed, at + 3));
    let away = below.most(above).most(Vector3::new(zero, zero, zero));
    away.dot(away)
}

/// Returns the point nearest to `x` [m] of the triangle whose corners start at `at`.
#[cube]
fn foot(placed: &Array<f32>, at: usize, x: Vector3) -> Foot {
    let a = Vector3::read(placed, at);
    let b = Vector3::read(placed, at + 3);
    let c = Vector3::read(placed, at + 6);
    let ab = b.minus(a);
    let ac = c.minus(a);
    let ax = x.minus(a);
    let d1 = ab.dot(ax);
    let d2 = ac.dot(ax);
    let aa = ab.dot(ab);
    let bb = ab.dot(ac);
    let cc = ac.dot(ac);
    // Barycentric weights of b and c at the projected point, times the squared double area.
    let area = aa * cc - bb * bb;
    let v = cc * d1 - bb * d2;
    let w = aa * d2 - bb * d1;
    let u = area - v - w;
    if u > 0.0 && v > 0.0 && w > 0.0 {
        let weights = Vector3::new(u / area, v / area, w / area);
        Foot { weights, offset: ax.minus(ab.times(weights.y)).minus(ac.times(weights.z)) }
    } else {
        // The nearest point is on an edge: take the nearest of the points on the three edges.
        let zero = f32::new(0.0);
        let to_ab = on_edge(a, ab, x);
        let to_bc = on_edge(b, c.minus(b), x);
        let to_ca = on_edge(c, ac.times(-1.0), x);
        let on_ab = Vector3::new(1.0 - to_ab.share, to_ab.share, zero);
        let on_bc = Vector3::new(zero, 1.0 - to_bc.share, to_bc.share);
        let on_ca = Vector3::new(to_ca.share, zero, 1.0 - to_ca.share);
        let first = to_ab.squared <= to_bc.squared && to_ab.squared <= to_ca.squared;
        let second = to_bc.squared <= to_ca.squared;
        Foot {
            weights: pick(first, on_ab, pick(second, on_bc, on_ca)),
            offset: pick(first, to_ab.offset, pick(second, to_bc.offset, to_ca.offset)),
        }
    }
}

#[cube]
fn on_edge(from: Vector3, along: Vector3, x: Vector3) -> EdgeFoot {
    let way = x.minus(from);
    let length = along.dot(along);
    let share = f32::clamp(way.dot(along) / f32::max(length, 1e-37), 0.0, 1.0);
    let offset = way.minus(along.times(share));
    EdgeFoot { share, offset, squared: offset.dot(offset) }
}

/// Returns the pseudo-normal [Baerentzen2005] at the point with the given barycentric weights: the normal of a face, the sum of the
/// adjacent face normals at an edge, or their angle-weighted sum at a vertex.
#[cube]
fn pseudo_normal(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    surface: &Surface,
    triangle: usize,
    weights: Vector3,
) -> PseudoNormal {
    let own = face_normal(placed, surface.moved + CORNERS * triangle);
    let no_a = weights.x == 0.0;
    let no_b = weights.y == 0.0;
    let no_c = weights.z == 0.0;
    let corner = u32::cast_from(no_a) * (1 + u32::cast_from(no_b));
    let zeros = u32::cast_from(no_a) + u32::cast_from(no_b) + u32::cast_from(no_c);
    if zeros >= 2 {
        vertex_normal(shapes, placed, surface, triangle, corner, own)
    } else if zeros == 1 {
        let edge = u32::cast_from(no_b) + 2 * u32::cast_from(no_c);
        edge_normal(shapes, placed, surface, triangle, edge, own)
    } else {
        PseudoNormal { normal: own, border: f32::new(0.0) }
    }
}

/// Returns the pseudo-normal at the edge opposite a corner.
#[cube]
fn edge_normal(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    surface: &Surface,
    triangle: usize,
    corner: u32,
    own: Vector3,
) -> PseudoNormal {
    let neighbor = shapes[surface.neighbors + 3 * triangle + corner as usize];
    if neighbor < 0.0 {
        PseudoNormal { normal: own, border: f32::new(1.0) }
    } else {
        let beyond = face_normal(placed, surface.moved + CORNERS * usize::cast_from(neighbor));
        PseudoNormal { normal: own.plus(beyond).direction_or(own), border: f32::new(0.0) }
    }
}

/// Returns the pseudo-normal at a corner.
#[cube]
fn vertex_normal(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    surface: &Surface,
    triangle: usize,
    corner: u32,
    own: Vector3,
) -> PseudoNormal {
    let vertex = shapes[surface.corners + 3 * triangle + corner as usize];
    let fan = surface.vertices + FAN * usize::cast_from(vertex);
    let mut x = f32::new(0.0);
    let mut y = f32::new(0.0);
    let mut z = f32::new(0.0);
    for around in usize::cast_from(shapes[fan])..usize::cast_from(shapes[fan + 1]) {
        let other = usize::cast_from(shapes[surface.fans + around]);
        let corners = surface.corners + 3 * other;
        let second = shapes[corners + 1] == vertex;
        let third = shapes[corners + 2] == vertex && !second;
        let at = surface.moved + CORNERS * other;
        let a = at + 3 * select(third, 2, select(second, 1, 0));
        let b = at + 3 * select(third, 0, select(second, 2, 1));
        let c = at + 3 * select(third, 1, select(second, 0, 2));
        let from = Vector3::read(placed, a);
        let to_b = Vector3::read(placed, b).minus(from);
        let to_c = Vector3::read(placed, c).minus(from);
        let cosine = to_b.dot(to_c) / f32::max(f32::sqrt(to_b.dot(to_b) * to_c.dot(to_c)), 1e-30);
        let angle = f32::acos(f32::clamp(cosine, -1.0, 1.0));
        let normal = face_normal(placed, at).times(angle);
        x += normal.x;
        y += normal.y;
        z += normal.z;
    }
    PseudoNormal { normal: Vector3::new(x, y, z).direction_or(own), border: shapes[fan + 2] }
}

/// Returns the unit normal of the triangle whose corners start at `at`; zero if it has no area.
#[cube]
fn face_normal(placed: &Array<f32>, at: usize) -> Vector3 {
    let zero = f32::new(0.0);
    let a = Vector3::read(placed, at);
    let ab = Vector3::read(placed, at + 3).minus(a);
    let ac = Vector3::read(placed, at + 6).minus(a);
    ab.cross(ac).direction_or(Vector3::new(zero, zero, zero))
}

#[cube]
fn weighted(placed: &Array<f32>, at: usize, weights: Vector3) -> Vector3 {
    Vector3::read(placed, at)
        .times(weights.x)
        .plus(Vector3::read(placed, at + 3).times(weights.y))
        .plus(Vector3::read(placed, at + 6).times(weights.z))
}
