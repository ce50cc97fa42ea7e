//! Stretching of an edge, in kernels: same code as [`stretch`](crate::stretch).

use cubecl::prelude::*;
use fibra_gpu::rod_joint::Symmetric;
use fibra_gpu::vector::Vector3;

/// Contribution of an edge to the linear system of a step: an impulse (right-hand side) and a matrix.
#[derive(CubeType, Clone, Copy)]
pub struct EdgeSystem {
    pub impulse: Vector3,
    pub matrix: Symmetric,
}

/// Computes the contribution of an edge with a trial rate of change to a step of length `h`.
#[cube]
pub fn edge_system(edge: Vector3, rest_length: f32, stiffness: f32, rate: Vector3, h: f32) -> EdgeSystem {
    let now = edge.length();
    let inverse = 1.0f32 / f32::max(now, 1e-12f32);
    let t = edge.times(inverse);
    let excess = now - rest_length;
    let tension = stiffness * f32::max(excess * inverse, 0.0f32);
    let along = rate.dot(t);
    let across = rate.minus(t.times(along));
    let impulse = t.times(stiffness * (excess + h * along)).plus(across.times(h * tension)).times(-h);
    let turning = h * h * tension;
    let none = 0.0f32 * h;
    let diagonal = Symmetric { xx: turning, yx: none, zx: none, yy: turning, zy: none, zz: turning };
    EdgeSystem { impulse, matrix: diagonal.plus_outer(t.times(h * h * stiffness - turning), t) }
}
