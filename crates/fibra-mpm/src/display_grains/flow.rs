//! The flow of the material at a point, sampled from the grid.

use crate::tile::Node;
use crate::workspace::{Block, Grid};
use fibra_core::block_key::{BLOCK_EDGE, BlockKey};
use fibra_core::bspline;
use glam::{Mat3, Vec3};

/// Grid values at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Velocity [m/s].
    pub v: Vec3,
    /// Velocity gradient [1/s]; column `k` is the derivative along axis `k`.
    pub grad_v: Mat3,
    /// Density [kg/m^3].
    pub density: f32,
}

/// Samples the grid. Caches blocks, because consecutive points are mostly in the same block.
///
/// Uses quadratic or cubic B-splines, even if the particles use linear splines: gradients are divided by the second moment, which is zero
/// at the nodes for linear splines.
pub struct FlowReader<'a> {
    grid: &'a Grid,
    inv_dx: f32,
    /// Nodes of at least this mass have full weight [kg].
    full_mass: f32,
    /// The block of the last stencil. `blocks` holds this block and its seven neighbors toward larger coordinates, z varying fastest.
    last: Option<BlockKey>,
    blocks: [Option<&'a Block>; 8],
}

/// Nodes of a point's stencil and the weights of each axis.
struct Stencil<'a, const K: usize> {
    blocks: [Option<&'a Block>; 8],
    /// First node, within the first block.
    first: [usize; 3],
    w: [[f32; 4]; 3],
    /// Offsets of the nodes from the point [cells].
    d: [[f32; 4]; 3],
}

const EMPTY: Node = [0.0; 4];

/// Regularization added to the second moment of the weighted nodes, relative to its value at full weights [-]. Nodes in one plane do not
/// determine the gradient normal to it; the regularization makes it zero.
pub(crate) const STABILIZATION: f32 = 1e-3;

impl<'a> FlowReader<'a> {
    /// Creates a reader for a grid of spacing `dx` [m] that holds velocities. Nodes with a density below `thin` [kg/m^3] are weighted by their
    /// mass: velocities of nearly empty nodes are arbitrary [Schreck2020, Sec. 7].
    pub fn new(grid: &'a Grid, dx: f32, thin: f32) -> FlowReader<'a> {
        let full_mass = (thin * dx.powi(3)).max(f32::MIN_POSITIVE);
        FlowReader { grid, inv_dx: 1.0 / dx, full_mass, last: None, blocks: [None; 8] }
    }

    /// Returns the flow at `x` [m]; zero outside the grid.
    pub fn read<const K: usize>(&mut self, x: [f32; 3]) -> Flow {
        let Some(stencil) = self.stencil::<K>(x) else { return Flow::default() };
        let (sum, [x, y, z], lightest) = stencil.sums();
        let density = sum[3] * self.inv_dx.powi(3);
        let vector = |node: Node| Vec3::new(node[0], node[1], node[2]);
        let (v, grad_v) = if lightest >= self.full_mass {
            let b = bspline::inverse_inertia::<K>();
            (vector(sum), b * Mat3::from_cols(vector(x), vector(y), vector(z)))
        } else {
            stencil.fit(self.full_mass)
        };
        Flow { v, grad_v: self.inv_dx * grad_v, density }
    }

    fn stencil<const K: usize>(&mut self, x: [f32; 3]) -> Option<Stencil<'a, K>> {
        let cells = x.map(|x| x * self.inv_dx);
        let base = cells.map(|x| (x - 0.5 * (K as f32 - 2.0)).floor());
        // The conversion saturates only far outside the range of a block key.
        let node = base.map(|b| b as i32);
        let key = BlockKey::new(node.map(|n| n.div_euclid(BLOCK_EDGE)))?;
        if self.last != Some(key) {
            self.last = Some(key);
            self.blocks = self.blocks_at(key);
        }
        let offset: [f32; 3] = std::array::from_fn(|a| cells[a] - base[a]);
        Some(Stencil {
            blocks: self.blocks,
            first: node.map(|n| n.rem_euclid(BLOCK_EDGE) as usize),
            w: offset.map(|offset| bspline::weights::<K>(offset).0),
            d: offset.map(|offset| std::array::from_fn(|k| k as f32 - offset)),
        })
    }

    /// Returns a block and its next neighbors; `None` for those that do not exist.
    fn blocks_at(&self, key: BlockKey) -> [Option<&'a Block>; 8] {
        let keys = &self.grid.topology.keys;
        let mut blocks = [None; 8];
        for row in 0..4 {
            let start = key.moved(BlockKey::shift([row / 2, row % 2, 0]));
            let at = keys.partition_point(|known| *known < start);
            // Neighbors along z have consecutive keys.
            for (there, &known) in keys.iter().enumerate().skip(at).take(2) {
                for z in 0..2 {
                    if known == start.moved(BlockKey::shift([0, 0, z])) {
                        blocks[(2 * row + z) as usize] = self.grid.nodes.get(there);
                    }
                }
            }
        }
        blocks
    }
}

impl<const K: usize> Stencil<'_, K> {
    #[inline(always)]
    fn node(&self, i: usize, j: usize, k: usize) -> Node {
        let [x, y, z] = [self.first[0] + i, self.first[1] + j, self.first[2] + k];
        match self.blocks[(x / 4 * 2 + y / 4) * 2 + z / 4] {
            Some(block) => block[(x % 4 * 4 + y % 4) * 4 + z % 4],
            None => EMPTY,
        }
    }

    /// Returns `sum_i w_i n_i`, where `n_i` are the velocity and the mass of node `i`. Also returns the first moments `sum_i w_i d_ik n_i` along
    /// each axis `k`, and the mass of the lightest node [kg].
    #[inline(always)]
    fn sums(&self) -> (Node, [Node; 3], f32) {
        let [wx, wy, wz] = &self.w;
        let [dx, dy, dz] = &self.d;
        let (mut sum, mut along, mut lightest) = (EMPTY, [EMPTY; 3], f32::INFINITY);
        for i in 0..K {
            for j in 0..K {
                let (mut row, mut slope) = (EMPTY, EMPTY);
                for k in 0..K {
                    let node = self.node(i, j, k);
                    lightest = lightest.min(node[3]);
                    for c in 0..4 {
                        let part = wz[k] * node[c];
                        row[c] += part;
                        slope[c] += dz[k] * part;
                    }
                }
                let w = wx[i] * wy[j];
                for c in 0..4 {
                    let part = w * row[c];
                    sum[c] += part;
                    along[0][c] += dx[i] * part;
                    along[1][c] += dy[j] * part;
                    along[2][c] += w * slope[c];
                }
            }
        }
        (sum, along, lightest)
    }

    /// Computes velocity [m/s] and gradient [m/s per cell] of the affine least-squares fit to the nodes, with weights
    /// `a_i = w_i min(1, m_i / full)`.
    ///
    /// With means `<.>` of these weights, the gradient is `C = (<v d^T> - <v><d>^T) (<d d^T> - <d><d>^T)^-1` and the velocity
    /// at the point, where `d = 0`, is `<v> - C <d>`. At full weights this equals B-spline interpolation.
    #[cold]
    fn fit(&self, full_mass: f32) -> (Vec3, Mat3) {
        let (mut total, mut v, mut d) = (0.0f32, Vec3::ZERO, Vec3::ZERO);
        let (mut vd, mut dd) = (Mat3::ZERO, Mat3::ZERO);
        for n in 0..K * K * K {
            let (i, j, k) = (n / (K * K), n / K % K, n % K);
            let node = self.node(i, j, k);
            let a = self.w[0][i] * self.w[1][j] * self.w[2][k] * f32::min(node[3] / full_mass, 1.0);
            let offset = Vec3::new(self.d[0][i], self.d[1][j], self.d[2][k]);
            let velocity = Vec3::new(node[0], node[1], node[2]);
            total += a;
            v += a * velocity;
            d += a * offset;
            vd += outer(a * velocity, offset);
            dd += outer(a * offset, offset);
        }
        if total <= f32::MIN_POSITIVE {
            return (Vec3::ZERO, Mat3::ZERO);
        }
        let share = 1.0 / total;
        let (v, d) = (share * v, share * d);
        let spread = STABILIZATION / bspline::inverse_inertia::<K>();
        let moment = share * dd - outer(d, d) + Mat3::from_diagonal(Vec3::splat(spread));
        let gradient = (1.0 + STABILIZATION) * (share * vd - outer(v, d)) * moment.inverse();
        (v - gradient * d, gradient)
    }
}

/// Returns `a b^T`.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(b.x * a, b.y * a, b.z * a)
}
