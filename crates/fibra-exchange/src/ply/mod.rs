//! PLY, the polygon file format: a text header declares elements and their properties; the values follow as text or binary. Meshes and points are read and
//! written, frames are written.

mod frame;
mod header;
mod read;
mod write;

use crate::ImportError;
use crate::export::{EncodeError, FrameFile};
use crate::point_fields::PointField;
use crate::polygons::validated_mesh;
use fibra_core::frame::Frame;
use fibra_core::geometry::TriangleMesh;
pub use write::{write_ply, write_points_ply};

/// Parses a mesh from the contents of a file.
pub(crate) fn parse_mesh(bytes: &[u8], file: &str) -> Result<TriangleMesh, ImportError> {
    validated_mesh(read::parse(bytes), file)
}

/// Parses scalar properties of the vertices. For each field, returns one value per vertex, or `None` if the file has no such property.
pub(crate) fn parse_fields(
    bytes: &[u8],
    file: &str,
    fields: &[PointField],
) -> Result<Vec<Option<Vec<f64>>>, ImportError> {
    read::parse_fields(bytes, fields).map_err(|fault| fault.named(file))
}

/// Encodes a frame as files: its points, and its grains if it has any.
pub(crate) fn frame_files(frame: &Frame) -> Result<Vec<FrameFile>, EncodeError> {
    let mut files = vec![("ply", frame::encode(frame))];
    if !frame.instances.is_empty() {
        files.push(("grains.ply", frame::encode_instances(frame)));
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
