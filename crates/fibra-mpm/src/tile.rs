//! The grid nodes around one block as a small dense cube, which stays in the L1 cache while the block's particles read
//! or write it. Holds the inner loops of both transfers.
//!
//! A tile holds the nodes that its block's particles may touch. Particles may drift one cell out of the block between
//! sorts, so the tile starts one node before the block and has `width + 5` nodes along each axis.
//! A node is four numbers: the three components of a vector (momentum, velocity) and the mass. The four nodes of a stencil along z are
//! then sixteen consecutive numbers, which the compiler vectorizes. Narrower stencils pad with zero weights.

use crate::law::LANES;
use fibra_core::block_key::BLOCK_NODES;
use fibra_core::bspline;
use fibra_core::simd::Vector;

/// A grid node: a vector and the mass.
pub type Node = [f32; 4];

/// The B-spline between particles and nodes.
pub trait Spline: Send + Sync + 'static {
    /// Number of nodes per axis to which a particle contributes.
    const WIDTH: usize;
    /// Number of nodes along a tile's edge.
    const EDGE: usize = Self::WIDTH + 5;
    /// `b` of the affine transfer [Jiang2015], or 0 when the second moment is not constant.
    const AFFINE: f32;
    /// Computes the first node and the weights for a position in cells, relative to the tile's first node.
    fn axis(x: f32) -> Axis;
}

/// Stencil of one axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// First node, as an index in the tile.
    pub base: usize,
    /// Weights `w`.
    pub w: [f32; 4],
    /// Gradient weights [1/cell]. For quadratic and cubic splines they are `b w (x_i - x_p)`, so that stress, affine
    /// velocity and velocity gradient share one set of weights (moving least squares, [Hu2018]). For linear splines they
    /// are `dw`.
    pub g: [f32; 4],
    /// First moments `w (x_i - x_p)` [cells].
    pub d: [f32; 4],
}

/// Whether the stencil of a particle at `x` [m] lies within the tile whose first node is `origin` [cells].
#[inline(always)]
pub fn reaches<S: Spline>(x: [f32; 3], origin: [f32; 3], inv_dx: f32) -> bool {
    let mut inside = true;
    for a in 0..3 {
        // First node of the stencil, in tile nodes; valid values are 0 to 5.
        let base = x[a] * inv_dx - origin[a] - 0.5 * (S::WIDTH as f32 - 2.0);
        inside &= (0.0..6.0).contains(&base);
    }
    inside
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

/// Locates a stencil. The stencil of a particle outside its tile is clamped to the edge; the sort prevents this case.
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

/// A weight for every node of each axis and every particle of a batch. [axis][node][particle]
pub type Weights = [[[f32; LANES]; 4]; 3];

/// The stencils of up to [`LANES`] particles, one array per weight: computed with SIMD, read one particle at a time.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Stencils {
    /// Offset of each stencil's first node in the tile [floats].
    first: [u32; LANES],
    /// See [`Axis::w`].
    w: Weights,
    /// See [`Axis::g`].
    g: Weights,
    /// See [`Axis::d`].
    d: Weights,
}

impl Default for Stencils {
    fn default() -> Self {
        let zero = [[[0.0; LANES]; 4]; 3];
        Stencils { first: [0; LANES], w: zero, g: zero, d: zero }
    }
}

impl Stencils {
    /// Computes the stencils of particles at `x` [m] in a tile whose first node is `origin` [cells].
    #[inline(always)]
    pub fn find<S: Spline>(&mut self, x: &[[f32; 3]], origin: [f32; 3], inv_dx: f32) {
        let n = x.len().min(LANES);
        // Narrower stencils also read four nodes along z.
        for k in S::WIDTH..4 {
            (self.w[2][k], self.g[2][k], self.d[2][k]) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        }
        for l in 0..n {
            let x = x[l];
            let axes = [
                S::axis(x[0] * inv_dx - origin[0]),
                S::axis(x[1] * inv_dx - origin[1]),
                S::axis(x[2] * inv_dx - origin[2]),
            ];
            self.first[l] = (((axes[0].base * S::EDGE + axes[1].base) * S::EDGE + axes[2].base) * 4) as u32;
            for a in 0..3 {
                for k in 0..S::WIDTH {
                    self.w[a][k][l] = axes[a].w[k];
                    self.g[a][k][l] = axes[a].g[k];
                    if S::AFFINE == 0.0 {
                        self.d[a][k][l] = axes[a].d[k];
                    }
                }
            }
        }
    }

    /// Multiplies every weight of each particle by its `mass` [kg].
    #[inline(always)]
    pub fn weigh<S: Spline>(&mut self, mass: &[f32]) {
        let n = mass.len().min(LANES);
        for k in 0..S::WIDTH {
            for l in 0..n {
                self.w[2][k][l] *= mass[l];
                self.g[2][k][l] *= mass[l];
                self.d[2][k][l] *= mass[l];
            }
        }
    }

    /// Returns the gradient weights.
    #[inline(always)]
    pub fn gradients(&self) -> &Weights {
        &self.g
    }

    /// Returns the first moments; computed only for splines with `AFFINE == 0`.
    #[inline(always)]
    pub fn moments(&self) -> &Weights {
        &self.d
    }
}

/// Weights `g_i . d` of the derivative along one direction `d` per particle [1/cell], in rows along z: node `k` of row `r` has
/// `level[r] w_k + steep[r] g_k`.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Slopes {
    level: [[f32; LANES]; 16],
    steep: [[f32; LANES]; 16],
}

impl Default for Slopes {
    fn default() -> Self {
        Slopes { level: [[0.0; LANES]; 16], steep: [[0.0; LANES]; 16] }
    }
}

impl Slopes {
    /// Computes the weights for directions `d`, one array per component.
    #[inline(always)]
    pub fn find<S: Spline>(&mut self, s: &Stencils, d: &[[f32; LANES]; 3]) {
        for i in 0..S::WIDTH {
            for j in 0..S::WIDTH {
                let row = i * S::WIDTH + j;
                for l in 0..LANES {
                    let (wx, wy) = (s.w[0][i][l], s.w[1][j][l]);
                    self.level[row][l] = d[0][l] * s.g[0][i][l] * wy + d[1][l] * wx * s.g[1][j][l];
                    self.steep[row][l] = d[2][l] * wx * wy;
                }
            }
        }
    }
}

/// Number of floats in the largest tile, plus those of the nodes that a zero-weighted read may access past the end.
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

impl Tile {
    /// Sets every node to zero.
    #[inline(always)]
    pub fn clear<S: Spline>(&mut self) {
        self.values[..(S::EDGE * S::EDGE * S::EDGE + 4) * 4].fill(0.0);
    }

    /// Adds `w_i q + sum_k g_ik a_k` to every node `i` of the stencil of particle `l`; `g` are the gradients or the moments.
    #[inline(always)]
    pub fn scatter<S: Spline, V: Vector>(&mut self, (s, l): (&Stencils, usize), g: &Weights, q: Node, a: &[Node; 3]) {
        let w = &s.w;
        let (q, ax, ay, az) = (V::twice(q), V::twice(a[0]), V::twice(a[1]), V::twice(a[2]));
        // Factored by axis: along z once per particle, along x once per layer, along y once per row.
        let (w0, w1) = (V::halves(w[2][0][l], w[2][1][l]), V::halves(w[2][2][l], w[2][3][l]));
        let (g0, g1) = (V::halves(g[2][0][l], g[2][1][l]), V::halves(g[2][2][l], g[2][3][l]));
        let (q0, q1) = (w0.mul(q).add(g0.mul(az)), w1.mul(q).add(g1.mul(az)));
        let (ax0, ax1) = (w0.mul(ax), w1.mul(ax));
        let (ay0, ay1) = (w0.mul(ay), w1.mul(ay));
        let first = s.first[l] as usize;
        for i in 0..S::WIDTH {
            let (wx, gx) = (V::splat(w[0][i][l]), V::splat(g[0][i][l]));
            let (layer0, layer1) = (wx.mul(q0).add(gx.mul(ax0)), wx.mul(q1).add(gx.mul(ax1)));
            let (slope0, slope1) = (wx.mul(ay0), wx.mul(ay1));
            for j in 0..S::WIDTH {
                let (wy, gy) = (V::splat(w[1][j][l]), V::splat(g[1][j][l]));
                let [nodes0, nodes1] = self.row_mut::<S>(first, i, j);
                V::load(nodes0).add(wy.mul(layer0).add(gy.mul(slope0))).store(nodes0);
                V::load(nodes1).add(wy.mul(layer1).add(gy.mul(slope1))).store(nodes1);
            }
        }
    }

    /// Computes `(sum_i w_i v_i, [sum_i g_ik v_i for each axis k])` over the stencil of particle `l`.
    #[inline(always)]
    pub fn gather<S: Spline, V: Vector>(&self, (s, l): (&Stencils, usize)) -> (Node, [Node; 3]) {
        let (w, g) = (&s.w, &s.g);
        let zero = V::splat(0.0);
        let (mut sum0, mut sum1, mut x0, mut x1, mut y0, mut y1) = (zero, zero, zero, zero, zero, zero);
        let first = s.first[l] as usize;
        for i in 0..S::WIDTH {
            let (mut layer0, mut layer1, mut slope0, mut slope1) = (zero, zero, zero, zero);
            for j in 0..S::WIDTH {
                let (wy, gy) = (V::splat(w[1][j][l]), V::splat(g[1][j][l]));
                let [nodes0, nodes1] = self.row::<S>(first, i, j).map(V::load);
                (layer0, layer1) = (layer0.add(wy.mul(nodes0)), layer1.add(wy.mul(nodes1)));
                (slope0, slope1) = (slope0.add(gy.mul(nodes0)), slope1.add(gy.mul(nodes1)));
            }
            let (wx, gx) = (V::splat(w[0][i][l]), V::splat(g[0][i][l]));
            (sum0, sum1) = (sum0.add(wx.mul(layer0)), sum1.add(wx.mul(layer1)));
            (x0, x1) = (x0.add(gx.mul(layer0)), x1.add(gx.mul(layer1)));
            (y0, y1) = (y0.add(wx.mul(slope0)), y1.add(wx.mul(slope1)));
        }
        let (w0, w1) = (V::halves(w[2][0][l], w[2][1][l]), V::halves(w[2][2][l], w[2][3][l]));
        let (g0, g1) = (V::halves(g[2][0][l], g[2][1][l]), V::halves(g[2][2][l], g[2][3][l]));
        (
            w0.mul(sum0).add(w1.mul(sum1)).fold(),
            [
                w0.mul(x0).add(w1.mul(x1)).fold(),
                w0.mul(y0).add(w1.mul(y1)).fold(),
                g0.mul(sum0).add(g1.mul(sum1)).fold(),
            ],
        )
    }

    /// Adds `w_i q` to every node `i` of the stencil of particle `l`.
    #[inline(always)]
    pub fn scatter_value<S: Spline, V: Vector>(&mut self, (s, l): (&Stencils, usize), q: Node) {
        let w = &s.w;
        let q = V::twice(q);
        let q0 = V::halves(w[2][0][l], w[2][1][l]).mul(q);
        let q1 = V::halves(w[2][2][l], w[2][3][l]).mul(q);
        let first = s.first[l] as usize;
        for i in 0..S::WIDTH {
            let wx = V::splat(w[0][i][l]);
            let (layer0, layer1) = (wx.mul(q0), wx.mul(q1));
            for j in 0..S::WIDTH {
                let wy = V::splat(w[1][j][l]);
                let [nodes0, nodes1] = self.row_mut::<S>(first, i, j);
                V::load(nodes0).add(wy.mul(layer0)).store(nodes0);
                V::load(nodes1).add(wy.mul(layer1)).store(nodes1);
            }
        }
    }

    /// Computes `sum_i w_i v_i` over the stencil of particle `l`.
    #[inline(always)]
    pub fn gather_value<S: Spline, V: Vector>(&self, (s, l): (&Stencils, usize)) -> Node {
        let w = &s.w;
        let zero = V::splat(0.0);
        let (mut sum0, mut sum1) = (zero, zero);
        let first = s.first[l] as usize;
        for i in 0..S::WIDTH {
            let (mut layer0, mut layer1) = (zero, zero);
            for j in 0..S::WIDTH {
                let wy = V::splat(w[1][j][l]);
                let [nodes0, nodes1] = self.row::<S>(first, i, j).map(V::load);
                (layer0, layer1) = (layer0.add(wy.mul(nodes0)), layer1.add(wy.mul(nodes1)));
            }
            let wx = V::splat(w[0][i][l]);
            (sum0, sum1) = (sum0.add(wx.mul(layer0)), sum1.add(wx.mul(layer1)));
        }
        let (w0, w1) = (V::halves(w[2][0][l], w[2][1][l]), V::halves(w[2][2][l], w[2][3][l]));
        w0.mul(sum0).add(w1.mul(sum1)).fold()
    }

    /// Adds `(g_i . d) q` to every node `i` of the stencil of particle `l`.
    #[inline(always)]
    pub fn scatter_slope<S: Spline, V: Vector>(&mut self, (s, slopes, l): (&Stencils, &Slopes, usize), q: Node) {
        let q = V::twice(q);
        let (w, g) = (&s.w[2], &s.g[2]);
        let (w0, w1) = (V::halves(w[0][l], w[1][l]).mul(q), V::halves(w[2][l], w[3][l]).mul(q));
        let (g0, g1) = (V::halves(g[0][l], g[1][l]).mul(q), V::halves(g[2][l], g[3][l]).mul(q));
        let first = s.first[l] as usize;
        for i in 0..S::WIDTH {
            for j in 0..S::WIDTH {
                let row = i * S::WIDTH + j;
                let (level, steep) = (V::splat(slopes.level[row][l]), V::splat(slopes.steep[row][l]));
                let [nodes0, nodes1] = self.row_mut::<S>(first, i, j);
                V::load(nodes0).add(level.mul(w0).add(steep.mul(g0))).store(nodes0);
                V::load(nodes1).add(level.mul(w1).add(steep.mul(g1))).store(nodes1);
            }
        }
    }

    /// Computes `sum_i (g_i . d) v_i` over the stencil of particle `l`.
    #[inline(always)]
    pub fn gather_slope<S: Spline, V: Vector>(&self, (s, slopes, l): (&Stencils, &Slopes, usize)) -> Node {
        let zero = V::splat(0.0);
        let (mut level0, mut level1, mut steep0, mut steep1) = (zero, zero, zero, zero);
        let first = s.first[l] as usize;
        for i in 0..S::WIDTH {
            for j in 0..S::WIDTH {
                let row = i * S::WIDTH + j;
                let (level, steep) = (V::splat(slopes.level[row][l]), V::splat(slopes.steep[row][l]));
                let [nodes0, nodes1] = self.row::<S>(first, i, j).map(V::load);
                (level0, level1) = (level0.add(level.mul(nodes0)), level1.add(level.mul(nodes1)));
                (steep0, steep1) = (steep0.add(steep.mul(nodes0)), steep1.add(steep.mul(nodes1)));
            }
        }
        let (w, g) = (&s.w[2], &s.g[2]);
        let (w0, w1) = (V::halves(w[0][l], w[1][l]), V::halves(w[2][l], w[3][l]));
        let (g0, g1) = (V::halves(g[0][l], g[1][l]), V::halves(g[2][l], g[3][l]));
        w0.mul(level0).add(w1.mul(level1)).add(g0.mul(steep0).add(g1.mul(steep1))).fold()
    }

    /// Returns the four nodes along z of row `(i, j)` in the stencil that starts at `first`.
    #[inline(always)]
    fn row<S: Spline>(&self, first: usize, i: usize, j: usize) -> [&[f32; 8]; 2] {
        let at = first + (i * S::EDGE + j) * S::EDGE * 4;
        let (rows, _) = self.values[at..at + 16].as_chunks::<8>();
        [&rows[0], &rows[1]]
    }

    #[inline(always)]
    fn row_mut<S: Spline>(&mut self, first: usize, i: usize, j: usize) -> [&mut [f32; 8]; 2] {
        let at = first + (i * S::EDGE + j) * S::EDGE * 4;
        let (rows, _) = self.values[at..at + 16].as_chunks_mut::<8>();
        let [a, b] = rows else { unreachable!("sixteen numbers are two rows of eight") };
        [a, b]
    }

    /// Calls `each(neighbor, node in its block, node in the tile, count)` for every run of nodes along z that a tile
    /// shares with one of its block's 27 neighbors.
    #[inline(always)]
    fn for_each_run<S: Spline>(mut each: impl FnMut(usize, usize, usize, usize)) {
        for x in 0..S::EDGE {
            // Node 0 of the tile is the last of the previous block.
            let (bx, nx) = (x.div_ceil(4), (x + 3) % 4);
            for y in 0..S::EDGE {
                let (by, ny) = (y.div_ceil(4), (y + 3) % 4);
                let block = (bx * 3 + by) * 3;
                let node = (nx * 4 + ny) * 4;
                let tile = (x * S::EDGE + y) * S::EDGE;
                each(block, node + 3, tile, 1);
                each(block + 1, node, tile + 1, 4);
                each(block + 2, node, tile + 5, S::EDGE - 5);
            }
        }
    }

    /// Adds the tile to the 27 blocks around and including its own.
    #[inline(always)]
    pub fn add_to<S: Spline>(&self, mut blocks: [&mut [Node; BLOCK_NODES]; 27]) {
        Self::for_each_run::<S>(|block, node, tile, count| {
            let from = &self.values[tile * 4..(tile + count) * 4];
            let to = blocks[block][node..node + count].as_flattened_mut();
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        });
    }

    /// Loads the tile from the grid.
    #[inline(always)]
    pub fn load<S: Spline>(&mut self, grid: &[[Node; BLOCK_NODES]], neighbors: &[u32; 27]) {
        Self::for_each_run::<S>(|block, node, tile, count| {
            let from = &grid[neighbors[block] as usize][node..node + count];
            self.values[tile * 4..(tile + count) * 4].copy_from_slice(from.as_flattened());
        });
        let end = S::EDGE * S::EDGE * S::EDGE * 4;
        self.values[end..end + 16].fill(0.0);
    }
}
