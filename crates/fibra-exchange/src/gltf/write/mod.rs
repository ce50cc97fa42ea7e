//! Frames as binary glTF 2.0, one `.glb` file per frame: meshes, lines, points and instances, in meters, y up.
//!
//! ```text
//! the root node, at the run's origin
//!   OBJECT surface, curves, points    triangles with normals, lines, points; velocities as _VELOCITY [m/s], attributes as _NAME
//!   OBJECT                            a sphere for each rigid ball
//!   OBJECT grains                     instances of a capsule or a box (EXT_mesh_gpu_instancing)
//!   BODY                              a mesh with a translation and a rotation; planes are squares
//! ```
//! Numbers in glTF must be finite: undefined attribute values are written as 0.

mod file;
mod round;
#[cfg(test)]
mod tests;

use crate::layout::{CurvesLayout, Layout, ObjectLayout, Rows, SurfaceLayout};
use crate::shapes::{capsule_of, deformed, plane_in_body};
use fibra_core::appearance::{Appearance, BodyShape, GrainAppearance, ObjectAppearance};
use fibra_core::frame::{Frame, Pose};
use fibra_core::geometry::smooth_normals;
use file::{GlbFile, Use};
use glam::Vec3;
use round::{RoundMesh, capsule};
use serde_json::{Map, Value, json};

/// Number of sides around a round collider.
const BODY_SIDES: u32 = 64;
/// Number of sides around a grain; few because there are many grains.
const GRAIN_SIDES: u32 = 12;
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// glTF codes of primitive modes.
const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// The reason why a frame cannot be written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlbError {
    /// A frame refers to an object that does not exist in the scene.
    #[error("frame {frame} refers to object {object}, but the scene has only {available} objects")]
    NoObject {
        /// The frame's number.
        frame: u32,
        /// The object's index.
        object: usize,
        /// The number of objects in the scene.
        available: usize,
    },
    /// The frame exceeds the 32-bit size of the format.
    #[error("frame {frame} exceeds the 4 GB limit of .glb files")]
    TooLarge {
        /// The frame's number.
        frame: u32,
    },
}

/// Encodes a frame as the bytes of a `.glb` file.
pub fn encode(frame: &Frame, appearance: &Appearance) -> Result<Vec<u8>, GlbError> {
    let available = appearance.objects.len();
    let no_object = |object| GlbError::NoObject { frame: frame.index, object, available };
    let layout = Layout::of(frame, available).map_err(no_object)?;
    let mut file = GlbFile::default();
    for (look, object) in appearance.objects.iter().zip(&layout.objects) {
        add_object(&mut file, frame, look, object);
    }
    for (look, pose) in appearance.bodies.iter().zip(&frame.colliders) {
        if let Some(mesh) = body_mesh(&mut file, frame, &look.shape, pose, look.color) {
            let (translation, rotation) = (pose.translation, pose.rotation);
            file.nodes
                .push(json!({ "name": look.name, "mesh": mesh, "translation": translation, "rotation": rotation }));
        }
    }
    let mut root = json!({ "name": "run", "translation": frame.origin });
    if !file.nodes.is_empty() {
        root["children"] = (0..file.nodes.len()).collect();
    }
    let root = GlbFile::add(&mut file.nodes, root);
    let extras = json!({ "frame": frame.index, "time": frame.time });
    file.encode(root, extras).ok_or(GlbError::TooLarge { frame: frame.index })
}

fn add_object(file: &mut GlbFile, frame: &Frame, look: &ObjectAppearance, layout: &ObjectLayout) {
    let ObjectLayout { surface, curves, points, grains } = layout;
    if !surface.vertices.is_empty() {
        let primitive = surface_primitive(file, frame, surface, !look.is_skin, look.color);
        add_mesh_node(file, &format!("{} surface", look.name), primitive);
    }
    if !curves.vertices.is_empty() {
        let primitive = curves_primitive(file, frame, curves, look.color);
        add_mesh_node(file, &format!("{} curves", look.name), primitive);
    }
    match &look.grain {
        Some(grain) if !grains.is_empty() => add_grains(file, frame, look, grain, grains),
        // Grains replace points.
        Some(_) => {}
        None if points.is_empty() => {}
        None if look.turns => add_balls(file, frame, look, points),
        None => {
            let attributes = point_attributes(file, frame, points);
            let material = material(file, look.color, true);
            let primitive = json!({ "attributes": attributes, "mode": POINTS, "material": material });
            add_mesh_node(file, &format!("{} points", look.name), primitive);
        }
    }
}

/// Adds a node for each rigid ball; there are only a few.
fn add_balls(file: &mut GlbFile, frame: &Frame, look: &ObjectAppearance, rows: &Rows) {
    let mesh = round_mesh(file, &capsule(look.point_radius, 0.0, 1, BODY_SIDES), look.color);
    for position in rows.of(&frame.points).iter() {
        file.nodes.push(json!({ "name": look.name, "mesh": mesh, "translation": position }));
    }
}

fn add_mesh_node(file: &mut GlbFile, name: &str, primitive: Value) {
    let mesh = GlbFile::add(&mut file.meshes, json!({ "name": name, "primitives": [primitive] }));
    file.nodes.push(json!({ "name": name, "mesh": mesh }));
}

fn surface_primitive(
    file: &mut GlbFile,
    frame: &Frame,
    surface: &SurfaceLayout,
    two_sided: bool,
    color: Vec3,
) -> Value {
    let mut attributes = point_attributes(file, frame, &surface.vertices);
    let normals = unit_normals(smooth_normals(&surface.vertices.of(&frame.points), &surface.triangles));
    attributes.insert("NORMAL".to_owned(), json!(file.floats(&normals, Use::Vertices)));
    let indices = file.indices(&surface.triangles);
    let material = material(file, color, two_sided);
    json!({ "attributes": attributes, "indices": indices, "mode": TRIANGLES, "material": material })
}

fn curves_primitive(file: &mut GlbFile, frame: &Frame, curves: &CurvesLayout, color: Vec3) -> Value {
    let attributes = point_attributes(file, frame, &curves.vertices);
    let mut segments: Vec<[u32; 2]> = Vec::new();
    let mut first = 0;
    for &length in &curves.lengths {
        segments.extend((first..first + length - 1).map(|vertex| [vertex, vertex + 1]));
        first += length;
    }
    let indices = file.indices(&segments);
    let material = material(file, color, true);
    json!({ "attributes": attributes, "indices": indices, "mode": LINES, "material": material })
}

/// Adds positions, velocities and attributes of the given rows of a frame's points.
fn point_attributes(file: &mut GlbFile, frame: &Frame, rows: &Rows) -> Map<String, Value> {
    let mut attributes = Map::new();
    attributes.insert("POSITION".to_owned(), json!(file.floats(&rows.of(&frame.points), Use::Vertices)));
    attributes.insert("_VELOCITY".to_owned(), json!(file.floats(&rows.of(&frame.velocities), Use::Vertices)));
    for attribute in &frame.attributes {
        let values = rows.of(&attribute.values);
        if values.iter().any(|value| value.is_finite()) {
            let finite: Vec<[f32; 1]> =
                values.iter().map(|value| [if value.is_finite() { *value } else { 0.0 }]).collect();
            let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
            let name = attribute.name.chars().map(letter).collect::<String>();
            attributes.insert(format!("_{name}"), json!(file.floats(&finite, Use::Vertices)));
        }
    }
    attributes
}

fn add_grains(file: &mut GlbFile, frame: &Frame, look: &ObjectAppearance, grain: &GrainAppearance, rows: &Rows) {
    let mesh = if grain.is_round {
        let (radius, half_height) = capsule_of(grain);
        round_mesh(file, &capsule(radius, half_height, 2, GRAIN_SIDES), look.color)
    } else {
        let (positions, triangles) = cuboid(0.5 * grain.size);
        flat_mesh(file, &positions, &triangles, look.color, false)
    };
    let poses = rows.of(&frame.instances);
    let translations: Vec<[f32; 3]> = poses.iter().map(|pose| pose.translation).collect();
    let rotations: Vec<[f32; 4]> = poses.iter().map(|pose| pose.rotation).collect();
    let instances = json!({ "attributes": {
        "TRANSLATION": file.floats(&translations, Use::Instances),
        "ROTATION": file.floats(&rotations, Use::Instances),
    } });
    file.uses(INSTANCING);
    let name = format!("{} grains", look.name);
    file.nodes.push(json!({ "name": name, "mesh": mesh, "extensions": { INSTANCING: instances } }));
}

/// Adds the mesh of a collider in a frame; returns `None` if the collider is invisible.
fn body_mesh(file: &mut GlbFile, frame: &Frame, shape: &BodyShape, pose: &Pose, color: Vec3) -> Option<usize> {
    match shape {
        BodyShape::Unseen => None,
        BodyShape::Plane { normal } => {
            let corners = plane_in_body(*normal, frame, pose).map(|corner| corner.to_array());
            Some(flat_mesh(file, &corners, &[[0, 1, 2], [0, 2, 3]], color, true))
        }
        BodyShape::Ball { radius, .. } => Some(round_mesh(file, &capsule(*radius, 0.0, 1, BODY_SIDES), color)),
        BodyShape::Capsule { half_height, radius } => {
            Some(round_mesh(file, &capsule(*radius, *half_height, 1, BODY_SIDES), color))
        }
        BodyShape::Mesh { positions, triangles } => {
            let points: Vec<[f32; 3]> = positions.iter().map(Vec3::to_array).collect();
            Some(flat_mesh(file, &points, triangles, color, false))
        }
        BodyShape::Deforming(mesh) => {
            let (points, _) = deformed(mesh, frame.time);
            Some(flat_mesh(file, &points, mesh.triangles(), color, true))
        }
    }
}

/// Adds a mesh without normals, which viewers draw with flat shading.
fn flat_mesh(file: &mut GlbFile, points: &[[f32; 3]], triangles: &[[u32; 3]], color: Vec3, two_sided: bool) -> usize {
    let positions = file.floats(points, Use::Vertices);
    let indices = file.indices(triangles);
    let material = material(file, color, two_sided);
    let primitive = json!({ "attributes": { "POSITION": positions }, "indices": indices, "material": material });
    GlbFile::add(&mut file.meshes, json!({ "primitives": [primitive] }))
}

fn round_mesh(file: &mut GlbFile, mesh: &RoundMesh, color: Vec3) -> usize {
    let positions = file.floats(&mesh.positions, Use::Vertices);
    let normals = file.floats(&mesh.normals, Use::Vertices);
    let indices = file.indices(&mesh.triangles);
    let material = material(file, color, false);
    let attributes = json!({ "POSITION": positions, "NORMAL": normals });
    let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    GlbFile::add(&mut file.meshes, json!({ "primitives": [primitive] }))
}

/// Returns the corners and triangles of a box around the origin.
fn cuboid(half: Vec3) -> (Vec<[f32; 3]>, [[u32; 3]; 12]) {
    let sign = |bits: u32, axis: u32| if bits >> axis & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |bits: u32| (half * Vec3::new(sign(bits, 0), sign(bits, 1), sign(bits, 2))).to_array();
    let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangle = |k: usize| {
        let [a, b, c, d] = squares[k / 2];
        if k.is_multiple_of(2) { [a, b, c] } else { [a, c, d] }
    };
    ((0..8).map(corner).collect(), std::array::from_fn(triangle))
}

/// Replaces zero normals by +y: glTF requires unit normals.
fn unit_normals(mut normals: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    for normal in &mut normals {
        if *normal == [0.0; 3] {
            *normal = [0.0, 1.0, 0.0];
        }
    }
    normals
}

fn material(file: &mut GlbFile, color: Vec3, two_sided: bool) -> usize {
    let [r, g, b] = color.clamp(Vec3::ZERO, Vec3::ONE).to_array();
    let material = json!({
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 },
        "doubleSided": two_sided,
    });
    match file.materials.iter().position(|other| *other == material) {
        Some(index) => index,
        None => GlbFile::add(&mut file.materials, material),
    }
}
