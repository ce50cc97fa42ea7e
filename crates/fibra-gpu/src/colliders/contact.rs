//! Collider queries of kernels: distance to the nearest surface, and contact response.
//!
//! Most functions take the two arrays of a [`DeviceColliders`](super::DeviceColliders), `shapes` and `placed`, and the index or the number of
//! colliders.

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use super::layout::{
    ANGULAR, CENTER, CONTACT, FRICTION, HEADER, KIND, LINEAR, PIVOT, PLACED, ROTATION, SEPARATING, SIZES, STICKY,
};
use super::shapes::{Kind, nearest_of_shape};
use crate::vector::{Vector3, pick};
use cubecl::prelude::*;

/// Result of a distance query that found nothing: larger than any distance [m].
pub const BEYOND: f32 = 1e18;

/// Mask for [`contact_velocity`] and [`project_out`]: any collider may be near.
pub const ANY: u32 = u32::MAX;

/// Result of a distance query of a body at a point.
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct Hit {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Outward unit normal.
    pub normal: Vector3,
    /// Velocity of the body [m/s]: its rigid motion at the query point, as if the point were part of the body. For deforming shapes, plus
    /// the deformation velocity of the nearest surface point.
    pub velocity: Vector3,
}

/// A vertex after it was projected out of bodies.
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct Projected {
    /// Position of the vertex [m].
    pub x: Vector3,
    /// Velocity of the vertex [m/s].
    pub v: Vector3,
    /// Whether the vertex was inside any body.
    pub moved: bool,
}

/// Returns distance, normal and velocity of a body at `x` [m, relative to the run origin].
#[cube]
pub fn nearest(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3) -> Hit {
    nearest_within(shapes, placed, collider, x, BEYOND)
}

/// Returns the same as [`nearest`] if the distance is below `reach` [m]. Otherwise the returned distance is any number not below `reach`,
/// and the other fields are undefined.
#[cube]
pub fn nearest_within(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3, reach: f32) -> Hit {
    let header = collider as usize * HEADER;
    let place = collider as usize * PLACED;
    let local = to_local(placed, place, x.minus(Vector3::read(placed, place + CENTER)));
    let found = nearest_of_shape(shapes, placed, header, local, reach);
    let arm = x.minus(Vector3::read(placed, place + PIVOT));
    let turning = Vector3::read(placed, place + ANGULAR).cross(arm);
    Hit {
        distance: found.distance,
        normal: to_world(placed, place, found.normal),
        velocity: Vector3::read(placed, place + LINEAR).plus(turning).plus(to_world(placed, place, found.velocity)),
    }
}

/// Returns whether `x` [m, relative to the run origin] is inside a body, or closer than `reach` [m].
#[cube]
pub fn is_within(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3, reach: f32) -> bool {
    nearest_within(shapes, placed, collider, x, reach).distance < reach
}

/// Safety factor on the reach of a query for a group of points: sampled mesh distances can change slightly faster than the position does.
const WIDER: f32 = 1.25;

/// Returns whether a point within `reach` [m] of `x` [m, relative to the run origin] may be in contact with a body. This is a conservative
/// test for a group of points. `reach` includes the skin of the points.
#[cube]
pub fn may_be_within(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3, reach: f32) -> bool {
    let header = collider as usize * HEADER;
    if u32::cast_from(shapes[header + KIND]) == comptime!(Kind::Ellipsoid as u32) {
        // The distance to an ellipsoid may be too small by a factor of up to the ratio of its axes. This test uses the bounding sphere instead.
        let half_axes = Vector3::read(shapes, header + SIZES);
        let longest = f32::max(half_axes.x, f32::max(half_axes.y, half_axes.z));
        let shortest = f32::min(half_axes.x, f32::min(half_axes.y, half_axes.z));
        let away = x.minus(Vector3::read(placed, collider as usize * PLACED + CENTER)).length() - longest;
        away * shortest < reach * longest
    } else {
        is_within(shapes, placed, collider, x, reach * WIDER)
    }
}

/// Number of colliders with their own bit in the mask of colliders that [may be near](may_be_within).
pub const NUMBERED: u32 = 31;
/// The bit of all other colliders, which always count as near.
pub const ALL_OTHERS: u32 = 1 << NUMBERED;

/// Returns whether the mask `near` contains a collider.
#[cube]
fn may_be_near(near: u32, collider: u32) -> bool {
    (near >> u32::min(collider, NUMBERED)) & 1 == 1
}

/// Returns the velocity [m/s] after contact with one body, given the velocity `v` before contact [m/s]: see
/// [`fibra_core::geometry::collider_response`].
#[cube]
pub fn respond(v: Vector3, hit: &Hit, contact: u32, friction: f32) -> Vector3 {
    let relative = v.minus(hit.velocity);
    let normal_speed = relative.dot(hit.normal);
    let tangential = relative.minus(hit.normal.times(normal_speed));
    let speed = tangential.length();
    let lost = friction * f32::max(-normal_speed, 0.0);
    let kept = select(lost >= speed, 0.0, 1.0 - lost / f32::max(speed, 1e-30));
    let held = contact == STICKY;
    let leaves = contact == SEPARATING && normal_speed >= 0.0;
    let slid = hit.velocity.plus(tangential.times(select(held, 0.0, kept)));
    pick(leaves, v, slid)
}

/// Like [`respond`], with the contact condition and friction of a collider.
#[cube]
pub fn respond_to(shapes: &Array<f32>, collider: u32, v: Vector3, hit: &Hit) -> Vector3 {
    let header = collider as usize * HEADER;
    respond(v, hit, u32::cast_from(shapes[header + CONTACT]), shapes[header + FRICTION])
}

/// Returns the velocity [m/s] after contact of a grid node at `x` [m, relative to the run origin] with velocity `v` [m/s]. Contact acts if the node is
/// inside a collider or less than `skin` [m] above it. Colliders act in order. `near` has a bit for each collider that may be near, see [`NUMBERED`], or is
/// [`ANY`].
#[cube]
pub fn contact_velocity(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    count: u32,
    near: u32,
    skin: f32,
    x: Vector3,
    v: Vector3,
) -> Vector3 {
    let mut after = v;
    for collider in 0..count {
        if may_be_near(near, collider) {
            let hit = nearest_within(shapes, placed, collider, x, skin);
            if hit.distance < skin {
                after = respond_to(shapes, collider, after, &hit);
            }
        }
    }
    after
}

/// Projects a vertex at `x` [m, relative to the run origin] with velocity `v` [m/s] out of all colliders, in order. If the vertex is inside a
/// collider or closer than `skin` [m], it is moved to `skin` above the surface. `near` has a bit for each collider that may be near, see
/// [`NUMBERED`], or is [`ANY`].
#[cube]
pub fn project_out(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    count: u32,
    near: u32,
    skin: f32,
    x: Vector3,
    v: Vector3,
) -> Projected {
    let mut to = x;
    let mut after = v;
    let mut pushes = u32::new(0);
    for collider in 0..count {
        if may_be_near(near, collider) {
            let hit = nearest_within(shapes, placed, collider, to, skin);
            if hit.distance < skin {
                to = to.plus(hit.normal.times(skin - hit.distance));
                after = respond_to(shapes, collider, after, &hit);
                pushes += 1;
            }
        }
    }
    Projected { x: to, v: after, moved: pushes > 0 }
}

/// Rotates a vector from a shape's axes to the world's.
#[cube]
fn to_world(placed: &Array<f32>, place: usize, v: Vector3) -> Vector3 {
    let at = place + ROTATION;
    Vector3::read(placed, at)
        .times(v.x)
        .plus(Vector3::read(placed, at + 3).times(v.y))
        .plus(Vector3::read(placed, at + 6).times(v.z))
}

/// Rotates a vector from the world's axes to a shape's.
#[cube]
fn to_local(placed: &Array<f32>, place: usize, v: Vector3) -> Vector3 {
    let at = place + ROTATION;
    Vector3::new(
        Vector3::read(placed, at).dot(v),
        Vector3::read(placed, at + 3).dot(v),
        Vector3::read(placed, at + 6).dot(v),
    )
}

/// A point of a body: its position [m] and velocity [m/s].
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct BodyPoint {
    /// Position [m].
    pub x: Vector3,
    /// Velocity [m/s].
    pub v: Vector3,
}

/// Returns the angular velocity of a body [rad/s].
#[cube]
pub fn angular_velocity_of_body(placed: &Array<f32>, collider: u32) -> Vector3 {
    Vector3::read(placed, collider as usize * PLACED + ANGULAR)
}

/// Returns the point of a body with the local coordinates `local` [m], relative to the shape's center and along its axes.
#[cube]
pub fn point_of_body(placed: &Array<f32>, collider: u32, local: Vector3) -> BodyPoint {
    let place = collider as usize * PLACED;
    let x = Vector3::read(placed, place + CENTER).plus(to_world(placed, place, local));
    let arm = x.minus(Vector3::read(placed, place + PIVOT));
    BodyPoint { x, v: Vector3::read(placed, place + LINEAR).plus(Vector3::read(placed, place + ANGULAR).cross(arm)) }
}
