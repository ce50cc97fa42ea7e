//! Colliders as arrays of numbers.

use super::layout::{
    ANGULAR, CAPSULE, CENTRE, CONTACT, CUBOID, CYLINDER, ELLIPSOID, FRICTION, HEADER, KIND, LARGEST, LINEAR, MESH,
    PART, PIVOT, PLACED, PLANE, ROTATION, SEPARATING, SIZES, SLIP, STICKY,
};
use fibra_core::geometry::{Collider, Contact, DistanceGrid, PlacedCollider, Placement, Shape};

/// Why colliders cannot be taken to a device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ColliderError {
    /// A collider deforms.
    #[error("the collider `{name}` is a mesh that deforms, which is not possible on a graphics card")]
    Deforming {
        /// Which one.
        name: String,
    },
    /// There is too much of them.
    #[error("the meshes of the colliders up to `{name}` are too large for a graphics card; use coarser ones")]
    TooLarge {
        /// The one that was too much.
        name: String,
    },
}

/// What is packed of a collider that does not change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<'a> {
    pub name: &'a str,
    pub shape: &'a Shape,
    pub contact: Contact,
    pub friction: f32,
}

impl<'a> From<&'a Collider> for Body<'a> {
    fn from(Collider { name, shape, contact, friction, .. }: &'a Collider) -> Self {
        Body { name, shape, contact: *contact, friction: *friction }
    }
}

impl<'a> From<&'a PlacedCollider> for Body<'a> {
    fn from(placed: &'a PlacedCollider) -> Self {
        Body { name: "body", shape: placed.shape(), contact: placed.contact, friction: placed.friction }
    }
}

/// The array `shapes`.
pub(super) fn pack_shapes(bodies: &[Body<'_>]) -> Result<Vec<f32>, ColliderError> {
    let mut shapes = vec![0.0; HEADER * bodies.len().max(1)];
    for (body, header) in bodies.iter().zip((0..).step_by(HEADER)) {
        let (kind, sizes) = match body.shape {
            Shape::Plane { point, normal } => (PLANE, [point.to_array(), normal.to_array()].concat()),
            Shape::Sphere { radius } => (CAPSULE, vec![0.0, *radius]),
            Shape::Capsule { half_height, radius } => (CAPSULE, vec![*half_height, *radius]),
            Shape::Cuboid { half_extents } => (CUBOID, half_extents.to_array().to_vec()),
            Shape::Cylinder { half_height, radius } => (CYLINDER, vec![*half_height, *radius]),
            Shape::Ellipsoid { half_axes } => (ELLIPSOID, half_axes.to_array().to_vec()),
            Shape::Mesh(mesh) => (MESH, append_grid(&mut shapes, mesh.grid())),
            Shape::Deformed(_) | Shape::Deforming(_) => {
                return Err(ColliderError::Deforming { name: body.name.to_owned() });
            }
        };
        if shapes.len() / PART > LARGEST {
            return Err(ColliderError::TooLarge { name: body.name.to_owned() });
        }
        let contact = match body.contact {
            Contact::Sticky => STICKY,
            Contact::Slip => SLIP,
            Contact::Separating => SEPARATING,
        };
        shapes[header + KIND] = kind as f32;
        shapes[header + CONTACT] = contact as f32;
        shapes[header + FRICTION] = body.friction;
        shapes[header + SIZES..][..sizes.len()].copy_from_slice(&sizes);
    }
    Ok(shapes)
}

/// Appends samples; gives what tells where they are.
fn append_grid(shapes: &mut Vec<f32>, grid: &DistanceGrid) -> Vec<f32> {
    let part = start_part(shapes);
    shapes.extend_from_slice(grid.samples());
    let [nx, ny, nz] = grid.counts().map(|n| n as f32);
    let corner = grid.corner();
    vec![1.0 / grid.cell(), nx, ny, nz, corner.x, corner.y, corner.z, part]
}

/// Makes the array end where a part may start, and tells which that is.
fn start_part(shapes: &mut Vec<f32>) -> f32 {
    let part = shapes.len().div_ceil(PART);
    shapes.resize(part * PART, 0.0);
    part as f32
}

/// The array `placed`.
pub(super) fn pack_placed(colliders: &[PlacedCollider]) -> Vec<f32> {
    let mut placed = vec![0.0; PLACED * colliders.len().max(1)];
    for (collider, place) in colliders.iter().zip(placed.chunks_exact_mut(PLACED)) {
        let Placement { rotation, centre, pivot, linear_velocity, angular_velocity } = collider.placement();
        place[ROTATION..ROTATION + 9].copy_from_slice(&rotation.to_cols_array());
        for (at, vector) in [(CENTRE, centre), (PIVOT, pivot), (LINEAR, linear_velocity), (ANGULAR, angular_velocity)] {
            place[at..at + 3].copy_from_slice(&vector.to_array());
        }
    }
    placed
}
