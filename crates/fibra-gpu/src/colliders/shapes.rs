//! Signed distance and outward normal of shapes in their own axes, like those of [`fibra_core::geometry::Shape`].
//!
//! A kind of shape is a function and a row of `device_kinds`. A host shape without an arm in [`Kind::of`] is a compile error.

use super::layout::{KIND, SIZES};
use super::sampled_distance::{sampled_distance, up};
use super::surface::nearest_of_surface;
use crate::vector::Vector3;
use cubecl::prelude::*;
use fibra_core::geometry::{Capsule, Cuboid, Cylinder, Ellipsoid, Plane, Shape, Sphere};

/// Distance from a query point to a surface, and properties of the nearest surface point.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
pub(super) struct Nearest {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Unit vector of the distance gradient.
    pub normal: Vector3,
    /// Velocity of the surface in the shape's axes [m/s]: zero unless it deforms.
    pub velocity: Vector3,
}

#[cube]
impl Nearest {
    /// Creates the result of a rigid shape.
    pub fn rigid(distance: f32, normal: Vector3) -> Nearest {
        let zero = f32::new(0.0);
        Nearest { distance, normal, velocity: Vector3::new(zero, zero, zero) }
    }
}

/// Defines the kinds of shape on the device from rows `Kind => function`: their numbers, and the function that kernels call for any kind.
macro_rules! device_kinds {
    ($First:ident => $first:ident, $($Kind:ident => $function:ident,)*) => {
        /// Kind of a shape on the device. Each has a function in this module; [`Kind::of`] must cover every shape of the host.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(super) enum Kind {
            $First,
            $($Kind,)*
        }

        /// Returns the surface point nearest to `x` [m, in the shape's axes] of the shape whose header starts at `header`. If the distance
        /// is `reach` [m] or more, the returned distance is any number not below `reach`, and the other fields are undefined.
        #[cube]
        pub(super) fn nearest_of_shape(
            shapes: &Array<f32>,
            placed: &Array<f32>,
            header: usize,
            x: Vector3,
            reach: f32,
        ) -> Nearest {
            let kind = u32::cast_from(shapes[header + KIND]);
            let sizes = header + SIZES;
            if kind == comptime!(Kind::$First as u32) {
                $first(shapes, placed, sizes, x, reach)
            } $(else if kind == comptime!(Kind::$Kind as u32) {
                $function(shapes, placed, sizes, x, reach)
            })* else {
                // There are no other kinds.
                Nearest::rigid(reach, up())
            }
        }
    };
}

// The most common kinds come first.
device_kinds! {
    Capsule => capsule,
    Plane => plane,
    Ellipsoid => ellipsoid,
    Cuboid => cuboid,
    Cylinder => cylinder,
    Mesh => sampled_distance,
    Surface => nearest_of_surface,
}

impl Kind {
    /// Returns the kind of a shape and its parameters. The parameters of a mesh are empty here: they are added when its parts are packed.
    pub(super) fn of(shape: &Shape) -> (Kind, Vec<f32>) {
        match shape {
            Shape::Plane(Plane { point, normal }) => (Kind::Plane, [point.to_array(), normal.to_array()].concat()),
            Shape::Sphere(Sphere { radius }) => (Kind::Capsule, vec![0.0, *radius]),
            Shape::Capsule(Capsule { half_height, radius }) => (Kind::Capsule, vec![*half_height, *radius]),
            Shape::Cuboid(Cuboid { half_extents }) => (Kind::Cuboid, half_extents.to_array().to_vec()),
            Shape::Cylinder(Cylinder { half_height, radius }) => (Kind::Cylinder, vec![*half_height, *radius]),
            Shape::Ellipsoid(Ellipsoid { half_axes }) => (Kind::Ellipsoid, half_axes.to_array().to_vec()),
            Shape::Mesh(_) => (Kind::Mesh, Vec::new()),
            Shape::Deformed(_) | Shape::Deforming(_) => (Kind::Surface, Vec::new()),
        }
    }
}

/// Parameters: point [m] and normal.
#[cube]
fn plane(shapes: &Array<f32>, _placed: &Array<f32>, sizes: usize, x: Vector3, _reach: f32) -> Nearest {
    let normal = Vector3::read(shapes, sizes + 3);
    Nearest::rigid(normal.dot(x.minus(Vector3::read(shapes, sizes))), normal)
}

/// Parameters: half height [m], 0 for a sphere, and radius [m].
#[cube]
fn capsule(shapes: &Array<f32>, _placed: &Array<f32>, sizes: usize, x: Vector3, _reach: f32) -> Nearest {
    let half_height = shapes[sizes];
    let radius = shapes[sizes + 1];
    let along = f32::clamp(x.y, -half_height, half_height);
    let away = Vector3::new(x.x, x.y - along, x.z);
    let tall = half_height > 0.0;
    let fallback = Vector3::new(select(tall, 1.0, 0.0), select(tall, 0.0, 1.0), f32::new(0.0));
    Nearest::rigid(away.length() - radius, away.direction_or(fallback))
}

/// Parameters: half axes [m].
#[cube]
fn ellipsoid(shapes: &Array<f32>, _placed: &Array<f32>, sizes: usize, x: Vector3, _reach: f32) -> Nearest {
    let half_axes = Vector3::read(shapes, sizes);
    let q = x.divided(half_axes);
    let level = q.length();
    let slope = q.divided(half_axes);
    let steep = slope.length();
    let shortest = f32::min(half_axes.x, f32::min(half_axes.y, half_axes.z));
    let distance = select(steep > 1e-12, level * (level - 1.0) / f32::max(steep, 1e-12), -shortest);
    Nearest::rigid(distance, slope.direction_or(up()))
}

/// Parameters: half extents [m].
#[cube]
fn cuboid(shapes: &Array<f32>, _placed: &Array<f32>, sizes: usize, x: Vector3, _reach: f32) -> Nearest {
    let half = Vector3::read(shapes, sizes);
    let qx = f32::abs(x.x) - half.x;
    let qy = f32::abs(x.y) - half.y;
    let qz = f32::abs(x.z) - half.z;
    let outside = Vector3::new(f32::max(qx, 0.0), f32::max(qy, 0.0), f32::max(qz, 0.0));
    let inside = f32::min(f32::max(qx, f32::max(qy, qz)), 0.0);
    // Outside: away from the nearest point of the box. Inside: toward the nearest face; in a tie, the first.
    let along_z = qz > f32::max(qx, qy);
    let along_y = qy > qx;
    let nearest_face = Vector3::new(
        select(along_z, 0.0, select(along_y, 0.0, 1.0)),
        select(along_z, 0.0, select(along_y, 1.0, 0.0)),
        select(along_z, 1.0, 0.0),
    );
    let signs = Vector3::new(sign(x.x), sign(x.y), sign(x.z));
    Nearest::rigid(outside.length() + inside, outside.direction_or(nearest_face).scaled(signs))
}

/// Parameters: half height [m] and radius [m].
#[cube]
fn cylinder(shapes: &Array<f32>, _placed: &Array<f32>, sizes: usize, x: Vector3, _reach: f32) -> Nearest {
    let half_height = shapes[sizes];
    let radius = shapes[sizes + 1];
    let zero = f32::new(0.0);
    let across = Vector3::new(x.x, zero, x.z);
    let q_across = across.length() - radius;
    let q_along = f32::abs(x.y) - half_height;
    let outside = Vector3::new(f32::max(q_across, 0.0), f32::max(q_along, 0.0), zero);
    let inside = f32::min(f32::max(q_across, q_along), 0.0);
    let up = q_along > q_across;
    let nearest_side = Vector3::new(select(up, 0.0, 1.0), select(up, 1.0, 0.0), zero);
    let away = outside.direction_or(nearest_side);
    let radial = across.direction_or(Vector3::new(f32::new(1.0), zero, zero));
    let normal = Vector3::new(away.x * radial.x, away.y * sign(x.y), away.x * radial.z);
    Nearest::rigid(outside.length() + inside, normal)
}

#[cube]
fn sign(x: f32) -> f32 {
    select(x < 0.0, -1.0, 1.0)
}
