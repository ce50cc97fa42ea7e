//! Points and what belongs to them from mesh files, without their faces.

use super::mesh_file::Fault;
use super::{MeshError, obj, ply};
use glam::DVec3;

/// A number that each point of a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointField {
    /// What the file calls it.
    pub name: &'static str,
    /// Whether it must be above 0; it must be finite anyway.
    pub positive: bool,
}

/// Reads numbers of the vertices of a PLY file from its contents: for each field one per vertex, or none when the file
/// has no such property. `file` is its name in errors.
pub fn read_point_fields_ply(
    bytes: &[u8],
    file: &str,
    fields: &[PointField],
) -> Result<Vec<Option<Vec<f64>>>, MeshError> {
    ply::parse_fields(bytes, fields).map_err(|fault| in_file(file, fault))
}

/// Reads the vertices [m] of an OBJ file from its contents, whether faces use them or not. `file` is its name in
/// errors.
pub fn read_points_obj(bytes: &[u8], file: &str) -> Result<Vec<DVec3>, MeshError> {
    obj::parse(bytes).map(|(vertices, _)| vertices).map_err(|fault| in_file(file, fault))
}

fn in_file(file: &str, Fault { place, problem, remedy }: Fault) -> MeshError {
    MeshError::Syntax { file: file.into(), place, problem, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [PointField; 3] = [
        PointField { name: "x", positive: false },
        PointField { name: "radius", positive: true },
        PointField { name: "volume", positive: true },
    ];

    fn ply(kind: &str, values: &[u8]) -> Vec<u8> {
        let header = format!(
            "ply\nformat {kind} 1.0\nelement junk 1\nproperty uchar a\nelement vertex 2\nproperty float radius\n\
             property list uchar uchar tags\nproperty float x\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n"
        );
        [header.as_bytes(), values].concat()
    }

    #[test]
    fn fields_are_found_in_text_and_binary() {
        let expected = vec![Some(vec![-1.0, 2.0]), Some(vec![0.5, 0.25]), None];
        let text = ply("ascii", b"7\n0.5 1 9 -1\n0.25 0 2\n");
        assert_eq!(read_point_fields_ply(&text, "c.ply", &FIELDS).unwrap(), expected);
        let mut raw = vec![7];
        for (radius, tags, x) in [(0.5f32, &[1u8, 9][..], -1.0f32), (0.25, &[0], 2.0)] {
            raw.extend(radius.to_le_bytes());
            raw.extend(tags);
            raw.extend(x.to_le_bytes());
        }
        let binary = ply("binary_little_endian", &raw);
        assert_eq!(read_point_fields_ply(&binary, "c.ply", &FIELDS).unwrap(), expected);
        let cut = &binary[..binary.len() - 1];
        let error = read_point_fields_ply(cut, "c.ply", &FIELDS).unwrap_err().to_string();
        assert!(error.contains("c.ply") && error.contains("vertex 1"), "{error}");
    }

    #[test]
    fn values_that_are_not_allowed_name_their_place() {
        for (values, message) in [
            (
                &b"7\n0.5 0 1\n0 0 2\n"[..],
                "c.ply, line 14: `radius` of vertex 1 is 0; allowed are finite numbers above 0",
            ),
            (&b"7\n0.5 0 inf\n1 0 2\n"[..], "c.ply, line 13: `x` of vertex 0 is inf; allowed are finite numbers"),
        ] {
            let error = read_point_fields_ply(&ply("ascii", values), "c.ply", &FIELDS).unwrap_err().to_string();
            assert_eq!(error, message);
        }
        let none = b"ply\nformat ascii 1.0\nend_header\n";
        assert_eq!(read_point_fields_ply(none, "c.ply", &FIELDS).unwrap(), [None, None, None]);
    }

    #[test]
    fn vertices_of_an_obj_file_need_no_faces() {
        assert_eq!(read_points_obj(b"v 1 0 0\nv 0 1 0\n", "c.obj").unwrap(), [DVec3::X, DVec3::Y]);
        let error = read_points_obj(b"v 1 0\n", "c.obj").unwrap_err().to_string();
        assert!(error.starts_with("c.obj, line 1: a vertex has 2 coordinates"), "{error}");
    }
}
