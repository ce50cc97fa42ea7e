//! A block's corner of the grid as a small dense cube that stays in the first-level cache while its particles are read
//! or written: the inner loops of both transfers.
//!
//! A tile holds the nodes its block's particles may touch. Particles may have drifted one cell out of the block since
//! they were sorted, so the tile starts one node before the block and has `width + 5` nodes along each axis.
//! A node is four numbers: three of a vector (momentum, velocity) and the mass. The four nodes of a stencil along z are
//! then sixteen numbers in a row, which is what the compiler vectorises. Shorter stencils give the rest a zero weight.

use fibra_core::block_key::BLOCK_NODES;
use fibra_core::bspline;

/// A grid node: a vector and the mass.
pub type Node = [f32; 4];

/// The B-spline between particles and nodes.
pub trait Spline: Send + Sync + 'static {
    /// Nodes per axis that a particle touches.
    const WIDTH: usize;
    /// Nodes along a tile's edge.
    const EDGE: usize = Self::WIDTH + 5;
    /// `b` of the affine transfer [Jiang2015], or 0 when the second moment is not constant.
    const AFFINE: f32;
    /// First node and weights for a position in cells, relative to the tile's first node.
    fn axis(x: f32) -> Axis;
}

/// Stencil of one axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// First node, in the tile.
    pub base: usize,
    /// Weights `w`.
    pub w: [f32; 4],
    /// Weights of the gradient [1/cell]: `b w (x_i - x_p)` for quadratic and cubic splines, so that stress, affine
    /// velocity and velocity gradient share one set of weights (moving least squares, [Hu2018]); `dw` for linear ones.
    pub g: [f32; 4],
    /// First moments `w (x_i - x_p)` [cells].
    pub d: [f32; 4],
}

/// Linear B-splines: two nodes per axis.
#[derive(Clone, Copy, Debug)]
pub struct Linear;
/// Quadratic B-splines: three nodes per axis.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic;
/// Cubic B-splines: four nodes per axis.
#[derive(Clone, Copy, Debug)]
pub struct Cubic;

/// Places a stencil; a particle that left its tile is held at the edge (the step sorts before that can happen).
#[inline(always)]
fn place<const K: usize>(x: f32) -> (usize, f32) {
    let base = bspline::base::<K>(x).clamp(0, 5);
    (base as usize, x - base as f32)
}

#[inline(always)]
fn moments(w: [f32; 4], offset: f32) -> [f32; 4] {
    [w[0] * -offset, w[1] * (1.0 - offset), w[2] * (2.0 - offset), w[3] * (3.0 - offset)]
}

#[inline(always)]
fn moving_least_squares<const K: usize>(x: f32) -> Axis {
    let (base, offset) = place::<K>(x);
    let (w, _) = bspline::weights::<K>(offset);
    let d = moments(w, offset);
    let b = const { bspline::inverse_inertia::<K>() };
    Axis { base, w, g: [d[0] * b, d[1] * b, d[2] * b, d[3] * b], d }
}

impl Spline for Linear {
    const WIDTH: usize = 2;
    const AFFINE: f32 = 0.0;
    #[inline(always)]
    fn axis(x: f32) -> Axis {
        let (base, offset) = place::<2>(x);
        let (w, g) = bspline::weights::<2>(offset);
        Axis { base, w, g, d: moments(w, offset) }
    }
}

impl Spline for Quadratic {
    const WIDTH: usize = 3;
    const AFFINE: f32 = bspline::inverse_inertia::<3>();
    #[inline(always)]
    fn axis(x: f32) -> Axis {
        moving_least_squares::<3>(x)
    }
}

impl Spline for Cubic {
    const WIDTH: usize = 4;
    const AFFINE: f32 = bspline::inverse_inertia::<4>();
    #[inline(always)]
    fn axis(x: f32) -> Axis {
        moving_least_squares::<4>(x)
    }
}

/// Largest tile, plus the nodes a zero-weighted read may run past the end.
const CAPACITY: usize = (9 * 9 * 9 + 4) * 4;

/// The cube of nodes.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Tile {
    values: [f32; CAPACITY],
}

impl Default for Tile {
    fn default() -> Self {
        Tile { values: [0.0; CAPACITY] }
    }
}

/// Four nodes in a row along z.
type Row = [f32; 16];

/// The same node value four times.
#[inline(always)]
fn spread(v: [f32; 4]) -> Row {
    std::array::from_fn(|l| v[l % 4])
}

/// Each weight on the four numbers of its node.
#[inline(always)]
fn per_node(w: [f32; 4]) -> Row {
    std::array::from_fn(|l| w[l / 4])
}

#[inline(always)]
fn row<const N: usize>(f: impl Fn(usize) -> f32) -> [f32; N] {
    std::array::from_fn(f)
}

impl Tile {
    /// Sets every node to zero.
    #[inline(always)]
    pub fn clear<S: Spline>(&mut self) {
        self.values[..(S::EDGE * S::EDGE * S::EDGE + 4) * 4].fill(0.0);
    }

    /// Where the stencil's row `(i, j)` starts.
    #[inline(always)]
    fn at<S: Spline>(axes: &[Axis; 3], i: usize, j: usize) -> usize {
        (((axes[0].base + i) * S::EDGE + axes[1].base + j) * S::EDGE + axes[2].base) * 4
    }

    /// Adds `w_i q + sum_k g_ik a_k` to every node `i` of the stencil, where `g_ik` is the gradient weight along axis `k`.
    #[inline(always)]
    pub fn scatter<S: Spline>(&mut self, axes: &[Axis; 3], q: Node, a: &[Node; 3]) {
        let wz = per_node(axes[2].w);
        let gz = per_node(axes[2].g);
        let (q, ax, ay, az) = (spread(q), spread(a[0]), spread(a[1]), spread(a[2]));
        // Factored by axis: along z once per particle, along x once per layer, along y once per row.
        let q: Row = row(|l| wz[l] * q[l] + gz[l] * az[l]);
        let ax: Row = row(|l| wz[l] * ax[l]);
        let ay: Row = row(|l| wz[l] * ay[l]);
        for i in 0..S::WIDTH {
            let (wx, gx) = (axes[0].w[i], axes[0].g[i]);
            let layer: Row = row(|l| wx * q[l] + gx * ax[l]);
            let slope: Row = row(|l| wx * ay[l]);
            for j in 0..S::WIDTH {
                let (wy, gy) = (axes[1].w[j], axes[1].g[j]);
                let at = Self::at::<S>(axes, i, j);
                let nodes: &mut [f32] = &mut self.values[at..at + 16];
                for l in 0..16 {
                    nodes[l] += wy * layer[l] + gy * slope[l];
                }
            }
        }
    }

    /// `(sum_i w_i v_i, [sum_i g_ik v_i for each axis k])` over the stencil.
    #[inline(always)]
    pub fn gather<S: Spline>(&self, axes: &[Axis; 3]) -> (Node, [Node; 3]) {
        let (mut sum, mut along_x, mut along_y) = ([0.0f32; 16], [0.0f32; 16], [0.0f32; 16]);
        for i in 0..S::WIDTH {
            let (mut layer, mut slope) = ([0.0f32; 16], [0.0f32; 16]);
            for j in 0..S::WIDTH {
                let (wy, gy) = (axes[1].w[j], axes[1].g[j]);
                let at = Self::at::<S>(axes, i, j);
                let nodes: &[f32] = &self.values[at..at + 16];
                for l in 0..16 {
                    layer[l] += wy * nodes[l];
                    slope[l] += gy * nodes[l];
                }
            }
            let (wx, gx) = (axes[0].w[i], axes[0].g[i]);
            for l in 0..16 {
                sum[l] += wx * layer[l];
                along_x[l] += gx * layer[l];
                along_y[l] += wx * slope[l];
            }
        }
        let fold = |r: &Row, w: [f32; 4]| -> Node {
            row(|c| (w[0] * r[c] + w[1] * r[4 + c]) + (w[2] * r[8 + c] + w[3] * r[12 + c]))
        };
        let (wz, gz) = (axes[2].w, axes[2].g);
        (fold(&sum, wz), [fold(&along_x, wz), fold(&along_y, wz), fold(&sum, gz)])
    }

    /// Calls `each(neighbour, node in its block, node in the tile, count)` for every run of nodes along z that a tile
    /// shares with one of its block's 27 neighbours.
    #[inline(always)]
    fn for_each_run<S: Spline>(mut each: impl FnMut(usize, usize, usize, usize)) {
        for x in 0..S::EDGE {
            // Node 0 of the tile is the last of the previous block.
            let (bx, nx) = ((x + 3) / 4, (x + 3) % 4);
            for y in 0..S::EDGE {
                let (by, ny) = ((y + 3) / 4, (y + 3) % 4);
                let block = (bx * 3 + by) * 3;
                let node = (nx * 4 + ny) * 4;
                let tile = (x * S::EDGE + y) * S::EDGE;
                each(block, node + 3, tile, 1);
                each(block + 1, node, tile + 1, 4);
                each(block + 2, node, tile + 5, S::EDGE - 5);
            }
        }
    }

    /// Adds the tile to the blocks `block(0..27)` around its own.
    #[inline(always)]
    pub fn add_to<'a, S: Spline>(&self, mut blocks: [&'a mut [Node; BLOCK_NODES]; 27]) {
        Self::for_each_run::<S>(|block, node, tile, count| {
            let from = &self.values[tile * 4..(tile + count) * 4];
            let to = blocks[block][node..node + count].as_flattened_mut();
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        });
    }

    /// Fills the tile from the grid.
    #[inline(always)]
    pub fn load<S: Spline>(&mut self, grid: &[[Node; BLOCK_NODES]], neighbors: &[u32; 27]) {
        Self::for_each_run::<S>(|block, node, tile, count| {
            let from = &grid[neighbors[block] as usize][node..node + count];
            self.values[tile * 4..(tile + count) * 4].copy_from_slice(from.as_flattened());
        });
    }
}
