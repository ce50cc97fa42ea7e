//! Writing of meshes, and of points with attributes, as binary little-endian PLY.

use fibra_core::geometry::TriangleMesh;
use std::io::{self, Write};

/// Writes a mesh as binary PLY with double coordinates; reading it back gives the same bits.
pub fn write_ply(mesh: &TriangleMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", mesh.vertices().len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    writeln!(out, "element face {}", mesh.triangles().len())?;
    writeln!(out, "property list uchar uint vertex_indices\nend_header")?;
    for position in mesh.vertices() {
        for coordinate in position.to_array() {
            out.write_all(&coordinate.to_le_bytes())?;
        }
    }
    for triangle in mesh.triangles() {
        out.write_all(&[3])?;
        for index in triangle {
            out.write_all(&index.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Writes points without faces as binary PLY, with a float property for each named attribute.
///
/// `points` are relative to `origin` [m]. The file has world coordinates, as doubles if the origin is not zero, so that no precision is lost. Every
/// attribute needs one value per point and a name without spaces.
pub fn write_points_ply(
    out: &mut impl Write,
    origin: [f64; 3],
    points: &[[f32; 3]],
    attributes: &[(&str, &[f32])],
) -> io::Result<()> {
    for (name, values) in attributes {
        if values.len() != points.len() || name.is_empty() || name.contains(char::is_whitespace) {
            let problem = format!(
                "attribute `{name}` has {} values for {} points; it needs one value per point and a name without spaces",
                values.len(),
                points.len()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
    }
    let far = origin != [0.0; 3];
    let number = if far { "double" } else { "float" };
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", points.len())?;
    for axis in ["x", "y", "z"] {
        writeln!(out, "property {number} {axis}")?;
    }
    for (name, _) in attributes {
        writeln!(out, "property float {name}")?;
    }
    writeln!(out, "end_header")?;
    for (p, point) in points.iter().enumerate() {
        for (coordinate, offset) in point.iter().zip(origin) {
            if far {
                out.write_all(&(f64::from(*coordinate) + offset).to_le_bytes())?;
            } else {
                out.write_all(&coordinate.to_le_bytes())?;
            }
        }
        for (_, values) in attributes {
            out.write_all(&values[p].to_le_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_with_attributes() {
        let mut bytes = Vec::new();
        write_points_ply(&mut bytes, [0.0; 3], &[[1.0, 2.0, 3.0]], &[("speed", &[4.0])]).unwrap();
        let body: Vec<u8> = [1f32, 2.0, 3.0, 4.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(bytes.ends_with(&body));
        let header = String::from_utf8_lossy(&bytes[..bytes.len() - body.len()]);
        assert!(header.ends_with("property float z\nproperty float speed\nend_header\n"), "{header}");
    }

    #[test]
    fn points_far_from_the_origin_keep_their_precision() {
        let mut bytes = Vec::new();
        write_points_ply(&mut bytes, [1e6, 0.0, 0.0], &[[0.125, 0.0, 0.0]], &[]).unwrap();
        let body: Vec<u8> = [1e6 + 0.125, 0.0, 0.0].iter().flat_map(|v: &f64| v.to_le_bytes()).collect();
        assert!(bytes.ends_with(&body));
    }

    #[test]
    fn invalid_attributes_are_rejected() {
        for attribute in [("speed", &[1.0, 2.0][..]), ("two words", &[1.0][..]), ("", &[1.0][..])] {
            assert!(write_points_ply(&mut Vec::new(), [0.0; 3], &[[0.0; 3]], &[attribute]).is_err());
        }
    }
}
