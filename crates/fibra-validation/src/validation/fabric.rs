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

/// Direction of the mesh lines of a [`Strip`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Along and across the strip, with all diagonals in the same direction.
    Across,
    /// Along the strip and inclined to it; every other line of vertices is shifted by half an element.
    Inclined,
}

/// A strip of cloth along x in the plane y = 0, from `x = -2 h` to the length `n h`, and centered at z = 0. A line of vertices lies at x = 0.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// Number of elements from x = 0 to the end.
    pub n: u32,
    /// Number of elements across.
    pub across: u32,
    /// Length of an element [m].
    pub h: f64,
    /// Direction of the mesh lines.
    pub lines: Lines,
}

impl Strip {
    /// Returns vertices, line by line along the strip, and triangles.
    pub fn mesh(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let Strip { n, across, h, lines } = *self;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut before: Option<(u32, Vec<f64>)> = None;
        for line in 0..=across {
            let z = h * (f64::from(line) - 0.5 * f64::from(across));
            let shifted = lines == Lines::Inclined && line % 2 == 1;
            // In elements: the clamped part, then the free part.
            let free = (0..=n).map(|i| f64::from(i) - if shifted && i > 0 { 0.5 } else { 0.0 });
            let mut at: Vec<f64> = [-2.0, -1.0].into_iter().chain(free).collect();
            if shifted {
                at.push(f64::from(n));
            }
            let first = vertices.len() as u32;
            vertices.extend(at.iter().map(|x| DVec3::new(h * x, 0.0, z)));
            if let Some((other, others)) = before {
                stitch((other, &others), (first, &at), &mut triangles);
            }
            before = Some((first, at));
        }
        (vertices, triangles)
    }
}

/// Fills the band between two lines of vertices with triangles. Each line has the index of its first vertex, and ascending positions.
fn stitch(a: (u32, &[f64]), b: (u32, &[f64]), triangles: &mut Vec<[u32; 3]>) {
    let (mut i, mut j) = (0, 0);
    while i + 1 < a.1.len() || j + 1 < b.1.len() {
        let corner = |line: (u32, &[f64]), k: usize| line.0 + k as u32;
        let next = |line: (u32, &[f64]), k: usize| line.1.get(k + 1).copied().unwrap_or(f64::INFINITY);
        if next(a, i) <= next(b, j) {
            triangles.push([corner(a, i), corner(b, j), corner(a, i + 1)]);
            i += 1;
        } else {
            triangles.push([corner(a, i), corner(b, j), corner(b, j + 1)]);
            j += 1;
        }
    }
}
