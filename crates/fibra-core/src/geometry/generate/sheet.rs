//! A flat rectangular sheet of cloth.

use super::{GenerateError, require_particle_limit, require_positive, segment_count};
use crate::geometry::TriangleMesh;
use glam::DVec3;

/// A flat rectangular sheet of cloth in the xz-plane, centered at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Edge length along x [m].
    pub width: f64,
    /// Edge length along z [m].
    pub depth: f64,
    /// Longest edge of the squares that are split into triangles [m].
    pub spacing: f64,
}

impl Sheet {
    /// Builds squares, each split into two triangles. Diagonals alternate in a checkerboard pattern, so that no direction is stiffer than
    /// its mirror image. Vertices are ordered along x first.
    pub fn build(&self) -> Result<TriangleMesh, GenerateError> {
        require_positive([("width", self.width), ("depth", self.depth), ("spacing", self.spacing)])?;
        let [columns, rows] = [self.width, self.depth].map(|length| segment_count(length, self.spacing));
        require_particle_limit((columns + 1.0) * (rows + 1.0) + 2.0 * columns * rows)?;
        triangulated_grid(columns as u32, rows as u32, |u, v| {
            DVec3::new((u - 0.5) * self.width, 0.0, (v - 0.5) * self.depth)
        })
    }
}

/// Builds a grid of squares split into triangles. `place` maps fractions along columns and rows to a vertex position [m].
pub(super) fn triangulated_grid(
    columns: u32,
    rows: u32,
    place: impl Fn(f64, f64) -> DVec3,
) -> Result<TriangleMesh, GenerateError> {
    let stride = columns + 1;
    let fraction = |i: u32, n: u32| f64::from(i) / f64::from(n);
    let vertices = (0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (column, row)))
        .map(|(column, row)| place(fraction(column, columns), fraction(row, rows)))
        .collect();
    let mut triangles = Vec::with_capacity(2 * columns as usize * rows as usize);
    for row in 0..rows {
        for column in 0..columns {
            let a = row * stride + column;
            let [b, c, d] = [a + 1, a + stride, a + stride + 1];
            // Counterclockwise seen from +y if columns go along x and rows along z.
            triangles.extend(if (row + column) % 2 == 0 { [[a, c, d], [a, d, b]] } else { [[a, c, b], [b, c, d]] });
        }
    }
    Ok(TriangleMesh::new(vertices, triangles)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheet_consists_of_equal_squares() {
        let mesh = Sheet { width: 1.0, depth: 0.5, spacing: 0.1 }.build().unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (11 * 6, 2 * 10 * 5));
        assert_eq!(mesh.bounds().extent(), DVec3::new(1.0, 0.0, 0.5));
        assert_eq!(mesh.bounds().center(), DVec3::ZERO);
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.corners(t);
            let normal = (b - a).cross(c - a);
            assert!((normal.y - 0.01).abs() < 1e-12, "triangle {t}: {normal}");
        }
        mesh.into_cloth().unwrap();
    }

    #[test]
    fn diagonals_alternate() {
        let mesh = Sheet { width: 2.0, depth: 2.0, spacing: 1.0 }.build().unwrap();
        // The diagonals of all four squares meet at the center or avoid it.
        let at_middle = mesh.triangles().iter().flatten().filter(|&&i| i == 4).count();
        assert_eq!(at_middle, 8);
    }

    #[test]
    fn size_matches_the_paper() {
        let mesh = Sheet { width: 1.5, depth: 1.5, spacing: 0.0015 }.build().unwrap();
        assert_eq!(mesh.triangles().len(), 2_000_000);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let sheet = Sheet { width: 1.0, depth: 1.0, spacing: 0.1 };
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for sheet in [Sheet { width: bad, ..sheet }, Sheet { depth: bad, ..sheet }, Sheet { spacing: bad, ..sheet }]
            {
                assert!(matches!(sheet.build().unwrap_err(), GenerateError::Parameter { .. }));
            }
        }
        for spacing in [1e-5, 1e-300] {
            assert!(matches!(Sheet { spacing, ..sheet }.build().unwrap_err(), GenerateError::TooMany { .. }));
        }
    }
}
