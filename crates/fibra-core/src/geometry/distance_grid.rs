//! Signed distances on a uniform grid centered at the origin, interpolated trilinearly.

use super::Nearest;
use glam::{DVec3, Vec3};

/// Maximum number of samples (64 MiB).
const MAX_SAMPLES: f64 = (1 << 24) as f64;
/// Margin between the body's bounding box and the grid boundary [cells].
const MARGIN: f64 = 2.0;
/// Minimum number of cells across the shortest side of the body's bounding box. A body thinner than a cell would not be resolved.
const MIN_CELLS_ACROSS: f64 = 4.0;

/// Samples of a signed distance on a grid that is centered at the origin and has a margin around the body.
#[derive(Clone)]
pub struct DistanceGrid {
    /// Side of a cell [m], and number of cells per meter [1/m].
    cell: f32,
    per_meter: f32,
    /// Number of samples along each axis, at least two.
    counts: [usize; 3],
    /// The corner with the largest coordinates [m]. The opposite corner is at the negative of this position.
    corner: Vec3,
    /// Signed distances [m], x fastest.
    samples: Vec<f32>,
}

impl DistanceGrid {
    /// Creates a grid of zeros around a body with the given edge lengths [m].
    pub fn around(extent: DVec3, cell: f64) -> Self {
        // Round the cell size to f32, the precision of the queries, before computing the counts.
        let cell = cell as f32;
        let counts = sample_counts(extent, cell.into()).to_array().map(|n| n as usize);
        Self {
            cell,
            per_meter: 1.0 / cell,
            counts,
            corner: 0.5 * cell * Vec3::from_array(counts.map(|n| (n - 1) as f32)),
            samples: vec![0.0; counts.iter().product()],
        }
    }

    /// Returns the side of a cell [m].
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Returns the number of samples along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Returns the corner with the largest coordinates [m].
    pub fn corner(&self) -> Vec3 {
        self.corner
    }

    /// Returns all samples [m], x fastest.
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// Returns all samples [m], x fastest, mutably.
    pub fn samples_mut(&mut self) -> &mut [f32] {
        &mut self.samples
    }

    /// Returns the signed distance at `x` [m].
    ///
    /// Outside the grid the returned value is a lower bound. Let m be any point of the body and c the point of the grid's box closest to x.
    /// The angle at c is not acute, so |x - m|^2 >= |x - c|^2 + |c - m|^2. The distance is also at most |x - c| + |c - m|, so the bound is
    /// at least 0.7 times the distance.
    pub fn signed_distance(&self, x: Vec3) -> f32 {
        let c = x.clamp(-self.corner, self.corner);
        let (corners, f) = self.cell_at(c);
        let distance = trilinear(&corners, f);
        if c == x { distance } else { (x.distance_squared(c) + distance * distance).sqrt() }
    }

    /// Returns the signed distance and its direction of steepest ascent at `x` [m].
    pub fn query(&self, x: Vec3) -> Nearest {
        let c = x.clamp(-self.corner, self.corner);
        let (corners, f) = self.cell_at(c);
        let distance = trilinear(&corners, f);
        let gradient = trilinear_gradient(&corners, f) * self.per_meter;
        if c == x {
            return Nearest { distance, normal: gradient.try_normalize().unwrap_or(Vec3::Y) };
        }
        // Gradient of sqrt(|x - c|^2 + d(c)^2); c moves with x along the axes that are not clamped.
        let follows = Vec3::select(x.cmpeq(c), gradient, Vec3::ZERO);
        let outward = (x - c) + distance * follows;
        let distance = (x.distance_squared(c) + distance * distance).sqrt();
        Nearest { distance, normal: outward.try_normalize().unwrap_or(Vec3::Y) }
    }

    /// Returns the samples at the corners of the cell that contains a point of the grid's box, x fastest. Also returns the position of the
    /// point in the cell, from 0 to 1.
    fn cell_at(&self, x: Vec3) -> ([f32; 8], Vec3) {
        let u = (x + self.corner) * self.per_meter;
        let [nx, ny, nz] = self.counts;
        let i = [(u.x, nx), (u.y, ny), (u.z, nz)].map(|(u, n)| (u as usize).min(n - 2));
        let f = u - Vec3::from_array(i.map(|i| i as f32));
        let base = (i[2] * ny + i[1]) * nx + i[0];
        let pair = |offset: usize| {
            let pair = &self.samples[base + offset..base + offset + 2];
            (pair[0], pair[1])
        };
        let ((a, b), (c, d)) = (pair(0), pair(nx));
        let ((e, g), (h, k)) = (pair(nx * ny), pair(nx * ny + nx));
        ([a, b, c, d, e, g, h, k], f)
    }
}

/// Returns the cell size closest to `requested` that resolves a body of the given edge lengths [m] and fits into memory. `requested` counts as
/// zero if it is negative or NaN.
pub fn feasible_cell(extent: DVec3, requested: f64) -> f64 {
    let finest = extent.max_element() / MAX_SAMPLES;
    let mut cell = requested.max(0.0).min(extent.min_element() / MIN_CELLS_ACROSS).max(finest);
    while sample_counts(extent, cell).element_product() > MAX_SAMPLES {
        cell *= 1.02;
    }
    cell
}

fn sample_counts(extent: DVec3, cell: f64) -> DVec3 {
    (extent / cell).ceil() + 2.0 * MARGIN + 1.0
}

fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

fn bilinear(a: f32, b: f32, c: f32, d: f32, s: f32, t: f32) -> f32 {
    lerp(lerp(a, b, s), lerp(c, d, s), t)
}

fn trilinear(c: &[f32; 8], f: Vec3) -> f32 {
    lerp(bilinear(c[0], c[1], c[2], c[3], f.x, f.y), bilinear(c[4], c[5], c[6], c[7], f.x, f.y), f.z)
}

/// Computes the gradient of [`trilinear`] with respect to the position in the cell [m/cell].
fn trilinear_gradient(c: &[f32; 8], f: Vec3) -> Vec3 {
    Vec3::new(
        bilinear(c[1] - c[0], c[3] - c[2], c[5] - c[4], c[7] - c[6], f.y, f.z),
        bilinear(c[2] - c[0], c[3] - c[1], c[6] - c[4], c[7] - c[5], f.x, f.z),
        bilinear(c[4] - c[0], c[5] - c[1], c[6] - c[2], c[7] - c[3], f.x, f.y),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Samples a function [m] of position [m].
    fn sampled(extent: DVec3, cell: f64, value: impl Fn(Vec3) -> f32) -> DistanceGrid {
        let mut grid = DistanceGrid::around(extent, cell);
        let [nx, ny, _] = grid.counts;
        for n in 0..grid.samples.len() {
            let index = [n % nx, n / nx % ny, n / nx / ny].map(|i| i as f32);
            grid.samples[n] = value(grid.cell * Vec3::from_array(index) - grid.corner);
        }
        grid
    }

    #[test]
    fn cell_size_respects_memory_and_thin_bodies() {
        let extent = DVec3::new(1.0, 2.0, 3.0);
        for requested in [0.0, f64::NAN, -1.0, 1e-9] {
            let samples = sample_counts(extent, feasible_cell(extent, requested)).element_product();
            assert!(samples <= MAX_SAMPLES && samples > 0.8 * MAX_SAMPLES, "{samples}");
        }
        assert_eq!(feasible_cell(extent, 0.125), 0.125);
        assert_eq!(feasible_cell(extent, 1e9), 0.25);
        let needle = DVec3::new(1e6, 1e-6, 1e-6);
        assert!(sample_counts(needle, feasible_cell(needle, 1e-7)).element_product() <= MAX_SAMPLES);
    }

    proptest! {
        #[test]
        fn trilinear_functions_are_exact(x in prop::array::uniform3(-1.0f32..1.0)) {
            let x = Vec3::from_array(x);
            let grid = sampled(DVec3::new(2.0, 2.0, 2.0), 0.3, |x| 0.5 + x.x - 2.0 * x.y + x.x * x.y * x.z);
            let gradient = Vec3::new(1.0 + x.y * x.z, -2.0 + x.x * x.z, x.x * x.y);
            let nearest = grid.query(x);
            prop_assert!((nearest.distance - (0.5 + x.x - 2.0 * x.y + x.x * x.y * x.z)).abs() < 1e-5);
            prop_assert!(nearest.normal.distance(gradient.normalize()) < 1e-4);
            prop_assert_eq!(nearest.distance, grid.signed_distance(x));
        }

        #[test]
        fn normals_are_gradients_also_outside(x in prop::array::uniform3(-9.0f32..9.0)) {
            let x = Vec3::from_array(x);
            let grid = sampled(DVec3::splat(2.0), 0.25, |x| x.length() - 1.0);
            let h = 1e-2;
            let slope = Vec3::from_array(Vec3::AXES.map(|e| {
                (grid.signed_distance(x + h * e) - grid.signed_distance(x - h * e)) / (2.0 * h)
            }));
            // The interpolant has kinks between cells, where the two may differ.
            let u = (x + grid.corner) / grid.cell;
            let near_kink = (u - u.round()).abs().min_element() * grid.cell < 2.0 * h;
            if !near_kink && slope.length() > 0.5 {
                prop_assert!(grid.query(x).normal.dot(slope.normalize()) > 0.998, "{slope}");
            }
        }
    }
}
