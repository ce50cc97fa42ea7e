//! Signed distance to a closed mesh, sampled on a grid so that a query costs nanoseconds.

use super::mesh_surface::Crossing;
use super::{Bounds, MeshFlaw, MeshSurface, Nearest, TriangleMesh};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::fmt;

/// Largest number of samples (64 MiB of them).
const MAX_SAMPLES: f64 = (1 << 24) as f64;
/// Cells of room between the mesh and the border of the grid.
const MARGIN: f64 = 2.0;
/// Fewest cells across the thinnest side of the mesh's box; a body thinner than a cell would be invisible.
const MIN_CELLS_ACROSS: f64 = 4.0;

/// Signed distance of a closed mesh, interpolated trilinearly between samples on a uniform grid.
///
/// Queries are relative to [`MeshDistance::centre`], so that `f32` serves wherever the mesh has been modelled. Sharp
/// edges are rounded by about a cell; a smooth surface of radius R is off by about (cell size)^2 / R.
#[derive(Clone)]
pub struct MeshDistance {
    surface: MeshSurface,
    centre: DVec3,
    /// Side of a cell [m].
    cell: f32,
    /// Samples along each axis, at least two.
    counts: [usize; 3],
    /// Corners of the grid, relative to the centre [m].
    low: Vec3,
    high: Vec3,
    /// Signed distances [m], x fastest.
    samples: Vec<f32>,
}

impl MeshDistance {
    /// Samples the distance of a closed mesh with about the given side of a cell [m]: smaller where the mesh is thin,
    /// larger where there would be more than 16 million samples.
    pub fn new(mesh: &TriangleMesh, cell: f64) -> Result<Self, MeshFlaw> {
        Ok(Self::of_surface(MeshSurface::new(mesh)?, cell))
    }

    /// As [`MeshDistance::new`], from a surface already prepared.
    pub fn of_surface(surface: MeshSurface, cell: f64) -> Self {
        let bounds = surface.bounds();
        // The grid is laid out in f32, as the queries will see it.
        let cell = affordable_cell(bounds.extent(), cell) as f32;
        let counts = sample_counts(bounds.extent(), f64::from(cell)).to_array().map(|n| n as usize);
        let centre = bounds.centre();
        let half = 0.5 * cell * Vec3::from_array(counts.map(|n| (n - 1) as f32));
        let mut distance =
            Self { surface, centre, cell, counts, low: -half, high: half, samples: vec![0.0; counts.iter().product()] };
        distance.sample();
        distance
    }

    /// Point of the mesh's frame that queries are relative to [m].
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Side of a cell [m].
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// The exact surface.
    pub fn surface(&self) -> &MeshSurface {
        &self.surface
    }

    /// Box around the mesh, in the mesh's frame.
    pub fn bounds(&self) -> Bounds {
        self.surface.bounds()
    }

    /// Signed distance [m] at `x` [m, relative to the centre], negative inside.
    ///
    /// Away from the grid it is a lower bound: for any point m of the mesh, and c the point of the grid's box nearest
    /// to x, the angle at c is not acute, so |x - m|^2 >= |x - c|^2 + |c - m|^2. As the distance is also at most
    /// |x - c| + |c - m|, the bound is at least 0.7 of it.
    pub fn signed_distance(&self, x: Vec3) -> f32 {
        let c = x.clamp(self.low, self.high);
        let (corners, f) = self.cell_at(c);
        let distance = trilinear(&corners, f);
        if c == x { distance } else { (x.distance_squared(c) + distance * distance).sqrt() }
    }

    /// Signed distance and its direction of steepest ascent at `x` [m, relative to the centre].
    pub fn query(&self, x: Vec3) -> Nearest {
        let c = x.clamp(self.low, self.high);
        let (corners, f) = self.cell_at(c);
        let distance = trilinear(&corners, f);
        let gradient = trilinear_gradient(&corners, f) / self.cell;
        if c == x {
            return Nearest { distance, normal: gradient.try_normalize().unwrap_or(Vec3::Y) };
        }
        // Differentiating sqrt(|x - c|^2 + d(c)^2); c follows x along the axes that are not clamped.
        let follows = Vec3::select(x.cmpeq(c), gradient, Vec3::ZERO);
        let outward = (x - c) + distance * follows;
        let distance = (x.distance_squared(c) + distance * distance).sqrt();
        Nearest { distance, normal: outward.try_normalize().unwrap_or(Vec3::Y) }
    }

    /// The samples at the corners of the cell around a point of the grid's box, x fastest, and where in the cell the
    /// point is, from 0 to 1.
    fn cell_at(&self, x: Vec3) -> ([f32; 8], Vec3) {
        let u = (x - self.low) / self.cell;
        let [nx, ny, nz] = self.counts;
        let i = [(u.x, nx), (u.y, ny), (u.z, nz)].map(|(u, n)| (u as usize).min(n - 2));
        let f = u - Vec3::from_array(i.map(|i| i as f32));
        let base = (i[2] * ny + i[1]) * nx + i[0];
        let at = |offset: usize| self.samples[base + offset];
        let (y, z) = (nx, nx * ny);
        ([at(0), at(1), at(y), at(y + 1), at(z), at(z + 1), at(z + y), at(z + y + 1)], f)
    }

    fn sample(&mut self) {
        let [nx, ny, _] = self.counts;
        let start = self.centre + self.low.as_dvec3();
        let cell = f64::from(self.cell);
        let surface = &self.surface;
        self.samples.par_chunks_mut(nx).enumerate().for_each(|(row, samples)| {
            let y = start.y + cell * (row % ny) as f64;
            let z = start.z + cell * (row / ny) as f64;
            let mut crossings: Vec<Crossing> = Vec::new();
            surface.cross(y, z, |crossing| crossings.push(crossing));
            crossings.sort_unstable_by(|a, b| a.x.total_cmp(&b.x));
            let mut passed = crossings.iter().peekable();
            let mut winding = 0;
            let mut bound = f64::INFINITY;
            for (i, sample) in samples.iter_mut().enumerate() {
                let x = start.x + cell * i as f64;
                while let Some(crossing) = passed.next_if(|crossing| crossing.x <= x) {
                    winding -= crossing.fall;
                }
                let distance = surface.distance_within(DVec3::new(x, y, z), bound);
                *sample = if winding == 0 { distance } else { -distance } as f32;
                // The next distance differs by a cell at most; knowing so spares most of its search.
                bound = (distance + cell) * (1.0 + 1e-9);
            }
        });
    }
}

impl fmt::Debug for MeshDistance {
    /// What identifies it, without the millions of samples.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { centre, cell, counts, .. } = self;
        write!(f, "MeshDistance {{ centre: {centre}, cell: {cell}, counts: {counts:?} }}")
    }
}

/// The wished side of a cell, or the nearest one that shows the mesh and fits into memory. A wish that is not a
/// positive number counts as zero.
fn affordable_cell(extent: DVec3, wish: f64) -> f64 {
    let finest = extent.max_element() / MAX_SAMPLES;
    let mut cell = wish.max(0.0).min(extent.min_element() / MIN_CELLS_ACROSS).max(finest);
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

/// Gradient per cell of [`trilinear`].
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
    use crate::geometry::Shape;
    use crate::geometry::test_meshes::{cuboid, icosphere};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static BALL: LazyLock<MeshDistance> = LazyLock::new(|| MeshDistance::new(&icosphere(4, 1.0), 0.05).unwrap());
    static BOX: LazyLock<MeshDistance> = LazyLock::new(|| {
        MeshDistance::new(&cuboid(DVec3::new(1e4, -2e3, 5.0), DVec3::new(0.5, 0.7, 0.9)), 0.04).unwrap()
    });

    fn point(range: f32) -> impl Strategy<Value = Vec3> {
        (-range..range, -range..range, -range..range).prop_map(Vec3::from)
    }

    #[test]
    fn centre_and_cells_are_as_asked() {
        assert_eq!(BOX.centre(), DVec3::new(1e4, -2e3, 5.0));
        assert_eq!(BALL.cell(), 0.05);
        // Extents of 2, plus two cells on each side, rounded up.
        assert!(BALL.counts.iter().all(|&n| n == 45 || n == 46), "{:?}", BALL.counts);
    }

    #[test]
    fn cells_follow_memory_and_thin_meshes() {
        let extent = DVec3::new(1.0, 2.0, 3.0);
        for wish in [0.0, f64::NAN, -1.0, 1e-9] {
            let samples = sample_counts(extent, affordable_cell(extent, wish)).element_product();
            assert!(samples <= MAX_SAMPLES && samples > 0.8 * MAX_SAMPLES, "{samples}");
        }
        assert_eq!(affordable_cell(extent, 1e9), 0.25);
        let needle = DVec3::new(1e6, 1e-6, 1e-6);
        assert!(sample_counts(needle, affordable_cell(needle, 1e-7)).element_product() <= MAX_SAMPLES);
    }

    #[test]
    fn a_thin_plate_is_not_lost() {
        let plate = MeshDistance::new(&cuboid(DVec3::ZERO, DVec3::new(0.5, 0.01, 0.5)), 0.5).unwrap();
        assert!(plate.signed_distance(Vec3::ZERO) < -0.007);
    }

    #[test]
    fn the_middle_of_a_ball_has_a_normal() {
        let Nearest { distance, normal } = BALL.query(Vec3::ZERO);
        assert!((distance + 1.0).abs() < 0.03 && normal.is_normalized(), "{distance} {normal}");
    }

    #[test]
    fn same_samples_on_any_number_of_threads() {
        let build = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| MeshDistance::new(&icosphere(2, 1.0), 0.1).unwrap().samples)
        };
        assert_eq!(build(1), build(3));
    }

    proptest! {
        #[test]
        fn a_ball_is_a_ball(x in point(1.1)) {
            let Nearest { distance, normal } = BALL.query(x);
            // Facets lie up to 1.5e-3 inside; interpolation adds at most 3 h^2 / (8 |x|) where the second derivative
            // is 1/|x|.
            let tolerance = 2e-3 + 1e-3 / x.length().max(0.05);
            prop_assert!((distance - (x.length() - 1.0)).abs() < tolerance, "{distance}");
            prop_assert_eq!(distance, BALL.signed_distance(x));
            if x.length() > 0.2 {
                prop_assert!(normal.dot(x.normalize()) > 0.98, "{normal}");
            }
        }

        #[test]
        fn outside_the_grid_the_distance_is_a_good_lower_bound(x in point(8.0)) {
            let exact = BALL.surface().distance(x.as_dvec3()) as f32;
            let Nearest { distance, normal } = BALL.query(x);
            if x.abs().max_element() > 1.2 {
                // The slack is the interpolation error at the border.
                prop_assert!(distance <= exact + 1e-3, "{distance} > {exact}");
                prop_assert!(distance > 0.7 * exact && normal.dot(x.normalize()) > 0.7);
            }
        }

        #[test]
        fn a_box_is_a_box_away_from_its_edges(x in point(1.2)) {
            let exact = Shape::cuboid(Vec3::new(0.5, 0.7, 0.9)).unwrap().query(x);
            let Nearest { distance, normal } = BOX.query(x);
            if x.abs().cmple(BOX.high).all() {
                prop_assert!((distance - exact.distance).abs() < BOX.cell, "{distance} {}", exact.distance);
            }
            // Two cells clear of edges and of the planes where the nearest face changes, the distance is linear.
            let q = x.abs() - Vec3::new(0.5, 0.7, 0.9);
            let face = q.max_position();
            let sideways = (0..3).filter(|&axis| axis != face).map(|axis| q[axis]).fold(f32::NEG_INFINITY, f32::max);
            if sideways < -0.15 && sideways < q[face] - 0.15 && q[face] < 0.08 && x[face].abs() > 0.08 {
                prop_assert!((distance - exact.distance).abs() < 2e-6);
                prop_assert!(normal.dot(exact.normal) > 0.9999);
            }
        }

        #[test]
        fn the_normal_is_the_gradient(x in point(3.0)) {
            let h = 1e-3;
            let slope = Vec3::from_array([Vec3::X, Vec3::Y, Vec3::Z].map(|e| {
                (BOX.signed_distance(x + h * e) - BOX.signed_distance(x - h * e)) / (2.0 * h)
            }));
            // Across a face of a cell the interpolant has a kink, where the two need not agree closely.
            let u = (x - BOX.low) / BOX.cell;
            let near_kink = (u - u.round()).abs().min_element() * BOX.cell < 2.0 * h;
            if !near_kink && slope.length() > 0.5 {
                prop_assert!(BOX.query(x).normal.dot(slope.normalize()) > 0.999, "{slope}");
            }
        }
    }
}
