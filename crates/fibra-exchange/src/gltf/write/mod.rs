//! Frames as binary glTF 2.0, one `.glb` for each: meshes, lines, points and instances, in meters, y up.
//!
//! ```text
//! the root node, at the run's origin
//!   OBJECT surface, curves, points    triangles with normals, lines, points; velocities as _VELOCITY [m/s], attributes as _NAME
//!   OBJECT                            a ball for each point of rigid balls
//!   OBJECT grains                     instances of a capsule or a box (EXT_mesh_gpu_instancing)
//!   BODY                              a mesh that is moved and turned; of planes a square
//! ```
//! Numbers in glTF are finite: where an attribute has no meaning there is a 0.

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

/// Around a body that is round.
const SIDES_OF_BODIES: u32 = 64;
/// Around a grain, of which there are many.
const SIDES_OF_GRAINS: u32 = 12;
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// Modes of drawing, by glTF's numbers.
const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// Why a frame could not be written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlbError {
    /// A frame has an object that the scene has not.
    #[error("frame {frame} has something of object {object}, but the scene has only {available} objects")]
    NoObject {
        /// The frame's number.
        frame: u32,
        /// The object's index.
        object: usize,
        /// How many there are.
        available: usize,
    },
    /// The format counts bytes with 32 bits.
    #[error("frame {frame} has more than the 4 GB that fit into a .glb file")]
    TooLarge {
        /// The frame's number.
        frame: u32,
    },
}

/// A frame as the bytes of a `.glb` file.
pub fn encode(frame: &Frame, appearance: &Appearance) -> Result<Vec<u8>, GlbError> {
    let available = appearance.objects.len();
    let refused = |object| GlbError::NoObject { frame: frame.index, object, available };
    let layout = Layout::of(frame, available).map_err(refused)?;
    let mut file = GlbFile::default();
    for (look, object) in appearance.objects.iter().zip(&layout.objects) {
        add_object(&mut file, frame, look, object);
    }
    for (look, pose) in appearance.bodies.iter().zip(&frame.colliders) {
        if let Some(mesh) = body_mesh(&mut file, frame, &look.shape, pose, look.color) {
            let (place, turn) = (pose.translation, pose.rotation);
            file.nodes.push(json!({ "name": look.name, "mesh": mesh, "translation": place, "rotation": turn }));
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
        // Grains are seen in place of points.
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

/// Rigid balls, of which there are few, each as a node.
fn add_balls(file: &mut GlbFile, frame: &Frame, look: &ObjectAppearance, rows: &Rows) {
    let mesh = round_mesh(file, &capsule(look.point_radius, 0.0, 1, SIDES_OF_BODIES), look.color);
    for place in rows.of(&frame.points).iter() {
        file.nodes.push(json!({ "name": look.name, "mesh": mesh, "translation": place }));
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

/// Positions, velocities and attributes of some of a frame's points.
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
        let (radius, reach) = capsule_of(grain);
        round_mesh(file, &capsule(radius, reach, 2, SIDES_OF_GRAINS), look.color)
    } else {
        let (positions, triangles) = cuboid(0.5 * grain.size);
        flat_mesh(file, &positions, &triangles, look.color, false)
    };
    let poses = rows.of(&frame.instances);
    let places: Vec<[f32; 3]> = poses.iter().map(|pose| pose.translation).collect();
    let turns: Vec<[f32; 4]> = poses.iter().map(|pose| pose.rotation).collect();
    let instances = json!({ "attributes": {
        "TRANSLATION": file.floats(&places, Use::Instances),
        "ROTATION": file.floats(&turns, Use::Instances),
    } });
    file.uses(INSTANCING);
    let name = format!("{} grains", look.name);
    file.nodes.push(json!({ "name": name, "mesh": mesh, "extensions": { INSTANCING: instances } }));
}

/// The mesh of a body as it is in a frame; none if nothing is seen of it.
fn body_mesh(file: &mut GlbFile, frame: &Frame, shape: &BodyShape, pose: &Pose, color: Vec3) -> Option<usize> {
    match shape {
        BodyShape::Unseen => None,
        BodyShape::Plane { normal } => {
            let corners = plane_in_body(*normal, frame, pose).map(|corner| corner.to_array());
            Some(flat_mesh(file, &corners, &[[0, 1, 2], [0, 2, 3]], color, true))
        }
        BodyShape::Ball { radius, .. } => Some(round_mesh(file, &capsule(*radius, 0.0, 1, SIDES_OF_BODIES), color)),
        BodyShape::Capsule { half_height, radius } => {
            Some(round_mesh(file, &capsule(*radius, *half_height, 1, SIDES_OF_BODIES), color))
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

/// A mesh without normals, which is drawn with edges.
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

/// Corners and triangles of a box around the origin.
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

/// Normals as glTF allows them: of length one even where there is no telling.
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
        Some(place) => place,
        None => GlbFile::add(&mut file.materials, material),
    }
}
