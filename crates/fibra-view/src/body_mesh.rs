//! Meshes of bodies as safetensors: `positions` [m] in the body's local coordinates, and `triangles`.

use super::ServedRun;
use fibra_core::appearance::BodyShape;
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::TensorFile;
use glam::Vec3;

/// Returns the mesh of a rigid body.
pub(super) fn rigid_mesh(served: &ServedRun, body: usize) -> Option<Vec<u8>> {
    match &served.scene_data().appearance.bodies.get(body)?.shape {
        BodyShape::Mesh { positions, triangles } => Some(encode(positions, triangles)),
        _ => None,
    }
}

/// Returns the mesh of a deforming body at a frame.
pub(super) fn deforming_mesh(served: &ServedRun, body: usize, frame: u32) -> Option<Vec<u8>> {
    let scene_data = served.scene_data();
    let BodyShape::Deforming(mesh) = &scene_data.appearance.bodies.get(body)?.shape else { return None };
    let time = f64::from(frame) / scene_data.appearance.frames_per_second;
    Some(encode(&mesh.places(time), mesh.triangles()))
}

fn encode(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let rows: Vec<[f32; 3]> = positions.iter().map(|position| position.to_array()).collect();
    let tensors = [("positions".to_owned(), Tensor::rows(&rows)), ("triangles".to_owned(), Tensor::rows(triangles))];
    let mut bytes = Vec::new();
    TensorFile { tensors: tensors.into(), ..TensorFile::default() }
        .write_to(&mut bytes)
        .expect("writing to memory cannot fail");
    bytes
}
