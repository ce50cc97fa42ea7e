//! Extraction of the zero level set of a field on a grid as triangles (naive surface nets). Each cell that the surface crosses gets one
//! vertex, and each grid edge that the surface cuts gets two triangles.

use glam::{DVec3, IVec3, UVec3};
use rayon::prelude::*;

/// Values at the corners of a grid, and the vertex of each cell.
struct Net {
    /// Number of corners along each axis.
    corners: UVec3,
    /// Field at each corner, x fastest; positive inside.
    field: Vec<f64>,
    /// Vertex of each cell, indexed by the lowest corner of the cell, or `NONE`.
    vertex: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// Returns vertices, in units of cells from the first corner, and triangles, counterclockwise seen from where the field is negative. The
/// surface must not touch the boundary of the grid.
pub(super) fn surface_nets(corners: UVec3, field: impl Fn(UVec3) -> f64 + Sync) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let [nx, ny, nz] = corners.to_array();
    let layer = move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| UVec3::new(x, y, z)));
    let all = || (0..nz).flat_map(layer);
    let field: Vec<f64> = (0..nz).into_par_iter().flat_map_iter(|z| layer(z).map(&field)).collect();
    let mut net = Net { corners, vertex: vec![NONE; field.len()], field };
    let mut vertices = Vec::new();
    for cell in all().filter(|cell| (cell + 1).cmplt(corners).all()) {
        if let Some(vertex) = net.crossing(cell) {
            let index = net.index(cell);
            net.vertex[index] = vertices.len() as u32;
            vertices.push(vertex);
        }
    }
    let mut triangles = Vec::new();
    for corner in all() {
        for axis in 0..3 {
            if let Some([a, b, c, d]) = net.quad(corner, axis) {
                let at = |i: u32| vertices[i as usize];
                let shorter = at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d));
                triangles.extend(if shorter { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] });
            }
        }
    }
    (vertices, triangles)
}

impl Net {
    fn index(&self, corner: UVec3) -> usize {
        let [x, y, z] = corner.to_array().map(|i| i as usize);
        (z * self.corners.y as usize + y) * self.corners.x as usize + x
    }

    fn inside(&self, corner: UVec3) -> bool {
        self.field[self.index(corner)] > 0.0
    }

    /// Returns the mean of the points where the surface cuts the edges of a cell, if it cuts any.
    fn crossing(&self, cell: UVec3) -> Option<DVec3> {
        let corner = |i: usize| cell + UVec3::new(i as u32 & 1, i as u32 >> 1 & 1, i as u32 >> 2);
        let field: [f64; 8] = std::array::from_fn(|i| self.field[self.index(corner(i))]);
        let inside = field.map(|f| f > 0.0);
        if inside == [inside[0]; 8] {
            return None;
        }
        let mut sum = DVec3::ZERO;
        let mut cuts = 0.0;
        for from in 0..8 {
            for to in [1, 2, 4].map(|axis| from | axis).into_iter().filter(|&to| inside[from] != inside[to]) {
                let fraction = field[from] / (field[from] - field[to]);
                sum += corner(from).as_dvec3().lerp(corner(to).as_dvec3(), fraction);
                cuts += 1.0;
            }
        }
        Some(sum / cuts)
    }

    /// Returns the vertices of the four cells around the edge from `corner` along `axis`, if the surface cuts that edge.
    fn quad(&self, corner: UVec3, axis: usize) -> Option<[u32; 4]> {
        let unit = |axis: usize| UVec3::from_array([0, 1, 2].map(|i| u32::from(i == axis % 3)));
        let (along, u, v) = (unit(axis), unit(axis + 1), unit(axis + 2));
        if !(corner + along).cmplt(self.corners).all() || self.inside(corner) == self.inside(corner + along) {
            return None;
        }
        let cell = |back: UVec3| {
            let cell = corner.as_ivec3() - back.as_ivec3();
            let vertex = (cell.cmpge(IVec3::ZERO).all()).then(|| self.vertex[self.index(cell.as_uvec3())]);
            vertex.filter(|&vertex| vertex != NONE)
        };
        // Counterclockwise about the axis.
        let [a, b, c, d] = [cell(u + v)?, cell(v)?, cell(UVec3::ZERO)?, cell(u)?];
        Some(if self.inside(corner) { [a, b, c, d] } else { [d, c, b, a] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TriangleMesh;
    use approx::assert_relative_eq;
    use std::f64::consts::PI;

    #[test]
    fn ball_is_closed_and_has_the_right_volume() {
        let center = DVec3::new(15.2, 14.9, 15.4);
        let (vertices, triangles) = surface_nets(UVec3::splat(32), |corner| 10.0 - corner.as_dvec3().distance(center));
        let mesh = TriangleMesh::new(vertices, triangles).unwrap().into_cloth().unwrap();
        assert!(mesh.is_closed());
        assert_relative_eq!(mesh.signed_volume(), 4.0 / 3.0 * PI * 1e3, max_relative = 0.02);
        assert!(mesh.vertices().iter().all(|v| (v.distance(center) - 10.0).abs() < 0.2));
    }

    #[test]
    fn fields_without_sign_change_give_no_triangles() {
        assert_eq!(surface_nets(UVec3::splat(4), |_| -1.0), (vec![], vec![]));
        assert_eq!(surface_nets(UVec3::splat(4), |_| f64::NEG_INFINITY), (vec![], vec![]));
    }
}
