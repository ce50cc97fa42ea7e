//! Packs colliders into arrays.

use super::layout::{
    ANGULAR, CENTER, CLOSED, CONTACT, CORNERS, FRICTION, HEADER, KIND, LARGEST, LINEAR, MOVED, NODES, PART, PIVOT,
    PLACED, ROTATION, SEPARATING, SIZES, SLIP, STICKY, THICKNESS, TOPOLOGY, TRIANGLES, VERTICES,
};
use super::shapes::Kind;
use fibra_core::geometry::{
    Collider, Contact, DeformedMesh, DistanceGrid, PlacedCollider, Placement, Shape, SurfaceNode,
};
use glam::Vec3;
use std::ops::Range;

/// Error: colliders cannot be uploaded to a device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ColliderError {
    /// The meshes are too large.
    #[error("the meshes of the colliders up to `{name}` are too large for the GPU; use coarser ones")]
    TooLarge {
        /// The first collider that does not fit.
        name: String,
    },
}

/// The constant part of a collider.
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

/// Packs the array `shapes`.
pub(super) fn pack_shapes(bodies: &[Body<'_>]) -> Result<Vec<f32>, ColliderError> {
    let mut shapes = vec![0.0; HEADER * bodies.len().max(1)];
    let moved = moved_parts(bodies);
    for ((body, header), moved) in bodies.iter().zip((0..).step_by(HEADER)).zip(moved) {
        let (kind, sizes) = Kind::of(body.shape);
        let sizes = match body.shape {
            Shape::Mesh(mesh) => append_grid(&mut shapes, mesh.grid()),
            other => surface(other).map_or(sizes, |mesh| append_surface(&mut shapes, mesh, moved.start)),
        };
        let corners = surface(body.shape).map_or(0, |mesh| 3 * mesh.triangles().len());
        if (shapes.len().max(moved.end) / PART).max(corners) > LARGEST {
            return Err(ColliderError::TooLarge { name: body.name.to_owned() });
        }
        let contact = match body.contact {
            Contact::Sticky => STICKY,
            Contact::Slip => SLIP,
            Contact::Separating => SEPARATING,
        };
        shapes[header + KIND] = kind as u32 as f32;
        shapes[header + CONTACT] = contact as f32;
        shapes[header + FRICTION] = body.friction;
        shapes[header + SIZES..][..sizes.len()].copy_from_slice(&sizes);
    }
    Ok(shapes)
}

/// Appends the samples of a distance grid. Returns the parameters that locate them.
fn append_grid(shapes: &mut Vec<f32>, grid: &DistanceGrid) -> Vec<f32> {
    let part = start_part(shapes);
    shapes.extend_from_slice(grid.samples());
    let [nx, ny, nz] = grid.counts().map(|n| n as f32);
    let corner = grid.corner();
    vec![1.0 / grid.cell(), nx, ny, nz, corner.x, corner.y, corner.z, part]
}

/// Pads the array to the start of a part. Returns the index of the part.
fn start_part(shapes: &mut Vec<f32>) -> f32 {
    let part = shapes.len().div_ceil(PART);
    shapes.resize(part * PART, 0.0);
    part as f32
}

/// Appends the topology of a surface whose shape starts at `moved` in `placed`. Returns the parameters that locate it.
fn append_surface(shapes: &mut Vec<f32>, mesh: &DeformedMesh, moved: usize) -> Vec<f32> {
    let part = start_part(shapes);
    let nodes = mesh.nodes();
    for (index, node) in nodes.iter().enumerate() {
        shapes.extend([node.range.0, node.range.1, after(nodes, index) as u32].map(|n| n as f32));
    }
    shapes.extend(mesh.triangles().as_flattened().iter().map(|&vertex| vertex as f32));
    shapes.extend(mesh.neighbors().flatten().map(|triangle| triangle.map_or(-1.0, |t| t as f32)));
    let vertices = 0..mesh.vertex_count() as u32;
    let mut start = 0;
    for vertex in vertices.clone() {
        let end = start + mesh.fan(vertex).len();
        shapes.extend([start as f32, end as f32, f32::from(u8::from(mesh.is_at_border(vertex)))]);
        start = end;
    }
    shapes.extend(vertices.flat_map(|vertex| mesh.fan(vertex)).map(|&triangle| triangle as f32));
    let mut sizes = vec![0.0; 7];
    sizes[THICKNESS] = mesh.thickness();
    sizes[CLOSED] = f32::from(u8::from(mesh.is_closed()));
    sizes[TRIANGLES] = mesh.triangles().len() as f32;
    sizes[NODES] = nodes.len() as f32;
    sizes[VERTICES] = mesh.vertex_count() as f32;
    sizes[TOPOLOGY] = part;
    sizes[MOVED] = (moved / PART) as f32;
    sizes
}

/// Returns the next node after a node's subtree: on the way up, the first right child that has not been visited.
fn after(nodes: &[SurfaceNode], index: usize) -> usize {
    let end = nodes[index].range.1;
    let later = nodes[index + 1..].iter().position(|node| node.range.0 >= end);
    later.map_or(nodes.len(), |later| index + 1 + later)
}

/// Returns for each body the range of its shape in `placed`, if it deforms.
fn moved_parts(bodies: &[Body<'_>]) -> Vec<Range<usize>> {
    let mut end = (PLACED * bodies.len().max(1)).next_multiple_of(PART);
    let part = |body: &Body<'_>| {
        let start = end;
        if let Some(mesh) = surface(body.shape) {
            end += (CORNERS * mesh.triangles().len() + 6 * mesh.nodes().len()).next_multiple_of(PART);
        }
        start..end
    };
    bodies.iter().map(part).collect()
}

/// Returns the surface of a deforming shape.
pub(super) fn surface(shape: &Shape) -> Option<&DeformedMesh> {
    match shape {
        Shape::Deformed(mesh) => Some(mesh),
        Shape::Deforming(mesh) => Some(mesh.start()),
        _ => None,
    }
}

/// Packs the array `placed`.
pub(super) fn pack_placed(colliders: &[PlacedCollider]) -> Vec<f32> {
    let bodies: Vec<Body<'_>> = colliders.iter().map(Body::from).collect();
    let parts = moved_parts(&bodies);
    let mut placed = vec![0.0; parts.last().map_or(PLACED, |part| part.end)];
    for (collider, place) in colliders.iter().zip(placed.chunks_exact_mut(PLACED)) {
        let Placement { rotation, center, pivot, linear_velocity, angular_velocity } = collider.placement();
        place[ROTATION..ROTATION + 9].copy_from_slice(&rotation.to_cols_array());
        for (at, vector) in [(CENTER, center), (PIVOT, pivot), (LINEAR, linear_velocity), (ANGULAR, angular_velocity)] {
            place[at..at + 3].copy_from_slice(&vector.to_array());
        }
    }
    for (body, part) in bodies.iter().zip(parts) {
        let Some(mesh) = surface(body.shape) else { continue };
        let (triangles, boxes) = placed[part].split_at_mut(CORNERS * mesh.triangles().len());
        for ((place, corners), vertices) in triangles.chunks_mut(CORNERS).zip(mesh.corners()).zip(mesh.triangles()) {
            let velocities = vertices.map(|vertex| mesh.velocities()[vertex as usize]);
            write(place, corners.iter().chain(&velocities));
        }
        write(boxes, mesh.boxes().as_flattened());
    }
    placed
}

fn write<'a>(place: &mut [f32], vectors: impl IntoIterator<Item = &'a Vec3>) {
    for (place, vector) in place.chunks_exact_mut(3).zip(vectors) {
        place.copy_from_slice(&vector.to_array());
    }
}
