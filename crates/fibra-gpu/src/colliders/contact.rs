//! What kernels ask of colliders: where the nearest surface is, and what it does to material.
//!
//! All take the two arrays of a [`DeviceColliders`](super::DeviceColliders), `shapes` and `placed`, and most how many colliders there are.

// The macros of CubeCL make public items that nobody can describe.
#![allow(missing_docs)]

use super::layout::{
    ANGULAR, CENTER, CONTACT, FRICTION, HEADER, KIND, LINEAR, PIVOT, PLACED, ROTATION, SEPARATING, SIZES, STICKY,
};
use super::shapes::{Kind, nearest_of_shape};
use crate::vector::{Vector3, pick};
use cubecl::prelude::*;

/// A distance [m] beyond everything.
pub const BEYOND: f32 = 1e18;

/// For [`contact_velocity`] and [`push_out`]: any collider may be near.
pub const ANY: u32 = u32::MAX;

/// A body as seen from a point.
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct Hit {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Outward unit normal.
    pub normal: Vector3,
    /// Velocity [m/s] the body has, or would have if it reached so far, at the point; of what deforms, that of its nearest point.
    pub velocity: Vector3,
}

/// A vertex after it was put out of bodies.
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct Pushed {
    /// Where it is [m].
    pub x: Vector3,
    /// Its velocity [m/s].
    pub v: Vector3,
    /// Whether it was in any.
    pub moved: bool,
}

/// A body as seen from `x` [m, relative to the run origin].
#[cube]
pub fn nearest(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3) -> Hit {
    nearest_within(shapes, placed, collider, x, BEYOND)
}

/// As [`nearest`] where the distance is less than `reach` [m]; else the distance is some number that is not, and the rest means nothing.
#[cube]
pub fn nearest_within(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3, reach: f32) -> Hit {
    let header = collider as usize * HEADER;
    let place = collider as usize * PLACED;
    let local = turned_back(placed, place, x.minus(Vector3::read(placed, place + CENTER)));
    let found = nearest_of_shape(shapes, placed, header, local, reach);
    let arm = x.minus(Vector3::read(placed, place + PIVOT));
    let turning = Vector3::read(placed, place + ANGULAR).cross(arm);
    Hit {
        distance: found.distance,
        normal: turned(placed, place, found.normal),
        velocity: Vector3::read(placed, place + LINEAR).plus(turning).plus(turned(placed, place, found.velocity)),
    }
}

/// Whether `x` [m, relative to the run origin] is inside a body, or nearer than `reach` [m].
#[cube]
pub fn is_within(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3, reach: f32) -> bool {
    nearest_within(shapes, placed, collider, x, reach).distance < reach
}

/// How much further than asked for a body is looked for where points near it ask for it together: distances to sampled meshes change a little faster
/// than the way to them.
const WIDER: f32 = 1.25;

/// Whether a point within `reach` [m] of `x` [m, relative to the run origin] may be in a body, for points that lie together to be asked for once; the
/// skin that they are to keep is part of the reach.
#[cube]
pub fn may_be_within(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, x: Vector3, reach: f32) -> bool {
    let header = collider as usize * HEADER;
    if u32::cast_from(shapes[header + KIND]) == comptime!(Kind::Ellipsoid as u32) {
        // The distance to an ellipsoid is too small by up to the ratio of its axes: here, that to the sphere around it.
        let half_axes = Vector3::read(shapes, header + SIZES);
        let longest = f32::max(half_axes.x, f32::max(half_axes.y, half_axes.z));
        let shortest = f32::min(half_axes.x, f32::min(half_axes.y, half_axes.z));
        let away = x.minus(Vector3::read(placed, collider as usize * PLACED + CENTER)).length() - longest;
        away * shortest < reach * longest
    } else {
        is_within(shapes, placed, collider, x, reach * WIDER)
    }
}

/// Colliders that have a bit of their own in the numbers that tell which [may be near](may_be_within).
pub const NUMBERED: u32 = 31;
/// The bit of all the others, which always count as near.
pub const ALL_OTHERS: u32 = 1 << NUMBERED;

/// Whether a collider is among those that may be near.
#[cube]
fn may_be_near(near: u32, collider: u32) -> bool {
    (near >> u32::min(collider, NUMBERED)) & 1 == 1
}

/// Velocity [m/s] after contact with one body, from the velocity `v` before [m/s]: as [`fibra_core::geometry::collider_response`].
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

/// As [`respond`], with what the collider does to material that touches it.
#[cube]
pub fn respond_to(shapes: &Array<f32>, collider: u32, v: Vector3, hit: &Hit) -> Vector3 {
    let header = collider as usize * HEADER;
    respond(v, hit, u32::cast_from(shapes[header + CONTACT]), shapes[header + FRICTION])
}

/// Velocity [m/s] of a grid node at `x` [m, relative to the run origin] with velocity `v` [m/s], after contact with all colliders that it
/// lies in or less than `skin` [m] above, in their order. `near`: a bit for each that may be near, see [`NUMBERED`], or [`ANY`].
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

/// Puts a vertex at `x` [m, relative to the run origin] with velocity `v` [m/s] `skin` [m] above each collider that it is in or less
/// above, in their order. `near`: a bit for each that may be near, see [`NUMBERED`], or [`ANY`].
#[cube]
pub fn push_out(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    count: u32,
    near: u32,
    skin: f32,
    x: Vector3,
    v: Vector3,
) -> Pushed {
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
    Pushed { x: to, v: after, moved: pushes > 0 }
}

/// From a shape's axes to the world's.
#[cube]
fn turned(placed: &Array<f32>, place: usize, v: Vector3) -> Vector3 {
    let at = place + ROTATION;
    Vector3::read(placed, at)
        .times(v.x)
        .plus(Vector3::read(placed, at + 3).times(v.y))
        .plus(Vector3::read(placed, at + 6).times(v.z))
}

/// From the world's axes to a shape's.
#[cube]
fn turned_back(placed: &Array<f32>, place: usize, v: Vector3) -> Vector3 {
    let at = place + ROTATION;
    Vector3::new(
        Vector3::read(placed, at).dot(v),
        Vector3::read(placed, at + 3).dot(v),
        Vector3::read(placed, at + 6).dot(v),
    )
}

/// A point of a body: where it is [m] and how fast it moves [m/s].
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct BodyPoint {
    /// Where it is [m].
    pub x: Vector3,
    /// Its velocity [m/s].
    pub v: Vector3,
}

/// The point of a body that is at `local` [m] from the shape's center, along its axes.
#[cube]
pub fn point_of_body(placed: &Array<f32>, collider: u32, local: Vector3) -> BodyPoint {
    let place = collider as usize * PLACED;
    let x = Vector3::read(placed, place + CENTER).plus(turned(placed, place, local));
    let arm = x.minus(Vector3::read(placed, place + PIVOT));
    BodyPoint { x, v: Vector3::read(placed, place + LINEAR).plus(Vector3::read(placed, place + ANGULAR).cross(arm)) }
}
