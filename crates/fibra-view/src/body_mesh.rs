//! Meshes of bodies as safetensors: `positions` [m], relative to the body, and `triangles`.

use super::Show;
use fibra_core::appearance::BodyShape;
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::TensorFile;
use glam::Vec3;

/// The mesh of a body that keeps its shape.
pub(super) fn still(show: &Show, body: usize) -> Option<Vec<u8>> {
    match &show.cast().appearance.bodies.get(body)?.shape {
        BodyShape::Mesh { positions, triangles } => Some(encode(positions, triangles)),
        _ => None,
    }
}

/// The mesh of a body that deforms, as it is in a frame.
pub(super) fn deformed(show: &Show, body: usize, frame: u32) -> Option<Vec<u8>> {
    let cast = show.cast();
    let BodyShape::Deforming(mesh) = &cast.appearance.bodies.get(body)?.shape else { return None };
    let time = f64::from(frame) / cast.appearance.frames_per_second;
    Some(encode(&mesh.places(time), mesh.triangles()))
}

fn encode(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let rows: Vec<[f32; 3]> = positions.iter().map(|position| position.to_array()).collect();
    let tensors = [("positions".to_owned(), Tensor::rows(&rows)), ("triangles".to_owned(), Tensor::rows(triangles))];
    let mut bytes = Vec::new();
    TensorFile { tensors: tensors.into(), ..TensorFile::default() }
        .write_to(&mut bytes)
        .expect("memory takes every write");
    bytes
}
