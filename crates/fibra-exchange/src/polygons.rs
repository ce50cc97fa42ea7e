//! Conversion of the polygons of a file to a validated mesh.

use crate::ImportError;
use crate::error::Fault;
use fibra_core::geometry::TriangleMesh;
use glam::DVec3;

/// The output of a parser: positions [m] and triangles, not yet validated.
pub(crate) type RawMesh = (Vec<DVec3>, Vec<[u32; 3]>);

/// Validates the mesh that a parser found in a file.
pub(crate) fn validated_mesh(raw: Result<RawMesh, Fault>, file: &str) -> Result<TriangleMesh, ImportError> {
    let (vertices, triangles) = raw.map_err(|fault| fault.named(file))?;
    TriangleMesh::new(vertices, triangles).map_err(|flaw| ImportError::Mesh { file: file.to_owned(), flaw })
}

/// Splits a polygon into a fan of triangles around its first corner.
pub(crate) fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let rest = polygon.get(1..).unwrap_or_default();
    rest.windows(2).map(|pair| [polygon[0], pair[0], pair[1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::octahedron;
    use crate::writers::{write_obj, write_ply};
    use crate::{obj, ply};
    use proptest::prelude::*;

    #[test]
    fn errors_name_the_file() {
        let error = obj::parse_mesh(b"v 0 0 0", "rock.obj").unwrap_err().to_string();
        assert!(error.starts_with("rock.obj: the mesh has no triangles"), "{error}");
    }

    type Parser = fn(&[u8], &str) -> Result<TriangleMesh, ImportError>;

    fn valid_files() -> Vec<(Parser, Vec<u8>)> {
        let mesh = octahedron();
        let (mut obj_text, mut ply_bytes) = (Vec::new(), Vec::new());
        write_obj(&mesh, &mut obj_text).unwrap();
        write_ply(&mesh, &mut ply_bytes).unwrap();
        let big_endian = b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty short y\n\
            property uchar z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
            \0\0\0\0\0\0\0\x3f\x80\0\0\0\0\0\0\0\0\0\0\x01\0\x03\0\0\0\0\0\0\0\x01\0\0\0\x02";
        let ascii = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
            element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        for bytes in [&big_endian[..], &ascii[..]] {
            ply::parse_mesh(bytes, "seed").unwrap();
        }
        vec![
            (obj::parse_mesh, obj_text),
            (ply::parse_mesh, ply_bytes),
            (ply::parse_mesh, big_endian.to_vec()),
            (ply::parse_mesh, ascii.to_vec()),
        ]
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for parse in [obj::parse_mesh, ply::parse_mesh] {
                let _ = parse(&bytes, "random");
            }
        }

        #[test]
        fn mutated_files_never_panic(
            file in 0usize..4,
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
            truncate in any::<bool>(),
        ) {
            let (parse, mut bytes) = valid_files().swap_remove(file);
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if truncate {
                bytes.truncate(cut.index(bytes.len()));
            }
            let _ = parse(&bytes, "mutated");
        }
    }
}
