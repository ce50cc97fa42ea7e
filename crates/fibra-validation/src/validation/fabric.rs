//! Meshes of cloth and fibers for validation cases.

use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use glam::DVec3;
use std::ops::Range;

/// Initial motion of a mesh at rest.
const STILL: StartMotion = StartMotion { velocity: DVec3::ZERO, spin: DVec3::ZERO, center: DVec3::ZERO, affine: true };

/// Adds a sheet of `n[0] x n[1]` squares of width `h` [m], each split into two triangles. The sheet starts at `corner`
/// and extends along two perpendicular unit vectors. Returns the range of its vertices, with `n[1] + 1` vertices per
/// line along the second direction.
pub fn add_sheet(
    builder: &mut Builder,
    fabric: &Fabric,
    corner: DVec3,
    directions: [DVec3; 2],
    n: [u32; 2],
    h: f64,
) -> Result<Range<u32>, String> {
    let [nu, nv] = n;
    let at = |i: u32, j: u32| corner + h * (f64::from(i) * directions[0] + f64::from(j) * directions[1]);
    let vertices: Vec<DVec3> = (0..=nu).flat_map(|i| (0..=nv).map(move |j| at(i, j))).collect();
    let mut triangles = Vec::new();
    for i in 0..nu {
        for j in 0..nv {
            let a = i * (nv + 1) + j;
            let [b, c, d] = [a + nv + 1, a + 1, a + nv + 2];
            // Alternate the diagonals, so that the mesh has no preferred direction.
            match (i + j) % 2 {
                0 => triangles.extend([[a, b, d], [a, d, c]]),
                _ => triangles.extend([[a, b, c], [b, d, c]]),
            }
        }
    }
    builder.add_surface(0, &vertices, &triangles, fabric, &STILL).map_err(|e| e.to_string())
}

/// Adds strands, each a row of vertices joined by segments. Returns the range of their vertices.
pub fn add_strands(builder: &mut Builder, fabric: &Fabric, strands: &[Vec<DVec3>]) -> Result<Range<u32>, String> {
    let mut segments = Vec::new();
    let mut first = 0;
    for strand in strands {
        let end = first + strand.len() as u32;
        segments.extend((first + 1..end).map(|v| [v - 1, v]));
        first = end;
    }
    builder.add_curves(0, &strands.concat(), &segments, fabric, &STILL).map_err(|e| e.to_string())
}

/// A straight strand of `n` segments of length `h` [m].
pub fn straight(from: DVec3, direction: DVec3, n: u32, h: f64) -> Vec<DVec3> {
    (0..=n).map(|i| from + f64::from(i) * h * direction).collect()
}
