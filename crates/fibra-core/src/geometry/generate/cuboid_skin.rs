//! The surface of a box as a fine triangle mesh.

use super::sheet::triangulated_grid;
use super::{GenerateError, require_particle_limit, require_positive, segment_count};
use crate::geometry::TriangleMesh;
use glam::DVec3;

/// The surface of a box centered at the origin, with sharp edges: each side has its own vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CuboidSkin {
    /// Edge lengths [m].
    pub size: DVec3,
    /// Largest distance between neighboring vertices along the edges [m].
    pub spacing: f64,
}

impl CuboidSkin {
    /// Builds six grids of squares, counterclockwise seen from outside.
    pub fn build(&self) -> Result<TriangleMesh, GenerateError> {
        let Self { size, spacing } = *self;
        require_positive([("size", size.x), ("size", size.y), ("size", size.z), ("spacing", spacing)])?;
        let cells = size.to_array().map(|length| segment_count(length, spacing));
        require_particle_limit(6.0 * (cells[0] * cells[1] + cells[1] * cells[2] + cells[2] * cells[0]))?;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for axis in 0..3 {
            // The triangles are counterclockwise seen from the side to which the cross product of row and column direction points.
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for (side, columns, rows) in [(0.5, v, u), (-0.5, u, v)] {
                let mut out = DVec3::ZERO;
                out[axis] = side;
                let part = triangulated_grid(cells[columns] as u32, cells[rows] as u32, |along, across| {
                    let mut place = out;
                    place[columns] = along - 0.5;
                    place[rows] = across - 0.5;
                    place * size
                })?;
                let first = vertices.len() as u32;
                vertices.extend_from_slice(part.vertices());
                triangles.extend(part.triangles().iter().map(|corners| corners.map(|corner| first + corner)));
            }
        }
        Ok(TriangleMesh::new(vertices, triangles)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn surface_of_a_box_is_closed_and_faces_outward() {
        let skin = CuboidSkin { size: DVec3::new(1.0, 2.0, 0.5), spacing: 0.1 }.build().unwrap();
        assert!(skin.is_closed());
        assert_relative_eq!(skin.signed_volume(), 1.0, max_relative = 1e-12);
        assert_eq!(skin.triangles().len(), 4 * (10 * 20 + 20 * 5 + 5 * 10));
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let error_of = |size, spacing| CuboidSkin { size, spacing }.build().unwrap_err();
        assert!(matches!(error_of(DVec3::new(1.0, 0.0, 1.0), 0.1), GenerateError::Parameter { .. }));
        assert!(matches!(error_of(DVec3::ONE, 1e-9), GenerateError::TooMany { .. }));
    }
}
