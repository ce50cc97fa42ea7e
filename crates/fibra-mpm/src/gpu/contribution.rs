//! The contribution of a particle to the nodes around it in a step, and an upper bound of it.

use super::p2g::Shape;
use super::particles::{C, CURVE, F, MASS, PULL, SURFACE, V, VERTEX, VOLUME, read_mat3, read_stress, read_vec3};
use cubecl::prelude::*;
use fibra_core::mat3::Mat3;
use fibra_gpu::vector::Vector3;

/// Upper bound of gradient weights [1/cell] and first moments [cells]. For a quadratic spline, `4 w(d) d` is at most 1.1.
const STEEPEST: f32 = 1.25;

/// Contribution of a particle to the grid, divided by its mass.
#[derive(CubeType, Clone, Copy)]
pub(super) struct Contribution {
    /// Velocity [m/s].
    pub(super) v: Vector3,
    /// Velocity change due to forces on the particle itself [m/s].
    pub(super) push: Vector3,
    /// Affine velocity, as coefficients of the gradient weights [m/s].
    pub(super) affine: Mat3,
    /// Impulse of stress, as coefficients of the gradient weights [m/s].
    pub(super) stress: Mat3,
}

/// Computes the contribution of the particle at index `i` in a step of `dt` [s].
#[cube]
pub(super) fn contribution_of(
    fields: &Array<f32>,
    kind: u32,
    n: usize,
    i: usize,
    dt: f32,
    inv_dx: f32,
    affine: f32,
    #[comptime] shape: Shape,
) -> Contribution {
    let inv_mass = 1.0f32 / fields[MASS as usize * n + i];
    let volume = fields[VOLUME as usize * n + i];
    let full = read_stress(fields, n, i).to_mat3().scale(volume);
    let scale = 0.0f32 - dt * inv_dx * inv_mass;
    let v = read_vec3(fields, V, n, i);
    let c = affine_of(fields, n, i, affine, shape);
    if comptime!(shape.meshes) {
        let pull = read_vec3(fields, PULL, n, i);
        let f = read_mat3(fields, F, n, i);
        let is_curve = f32::cast_from(u32::cast_from(kind == CURVE));
        let is_surface = f32::cast_from(u32::cast_from(kind == SURFACE));
        let is_vertex = f32::cast_from(u32::cast_from(kind == VERTEX));
        // The direction in which the mesh, not the grid, transmits the pull [Jiang2017, Sec. 4.4].
        let direction = Vector3 {
            x: is_surface * f.xz - is_curve * f.xx,
            y: is_surface * f.yz - is_curve * f.yx,
            z: is_surface * f.zz - is_curve * f.zx,
        };
        // Surfaces and vertices have no stress of their own.
        let own = full.scale(1.0f32 - is_surface);
        let push = pull.times(dt * inv_mass * is_vertex);
        Contribution { v, push, affine: c, stress: own.add(&outer(pull, direction)).scale(scale) }
    } else {
        let zero = volume * 0.0f32;
        Contribution { v, push: Vector3 { x: zero, y: zero, z: zero }, affine: c, stress: full.scale(scale) }
    }
}

#[cube]
fn largest3(a: f32, b: f32, c: f32) -> f32 {
    f32::max(f32::abs(a), f32::max(f32::abs(b), f32::abs(c)))
}

/// Returns an upper bound of the largest component that a coefficient matrix contributes to a node.
#[cube]
fn steepness(m: &Mat3) -> f32 {
    let x = f32::abs(m.xx) + f32::abs(m.xy) + f32::abs(m.xz);
    let y = f32::abs(m.yx) + f32::abs(m.yy) + f32::abs(m.yz);
    let z = f32::abs(m.zx) + f32::abs(m.zy) + f32::abs(m.zz);
    STEEPEST * largest3(x, y, z)
}

/// Returns upper bounds of the momentum and, separately, the impulse that a particle contributes to any node [kg m/s].
#[cube]
pub(super) fn bounds_of(contribution: &Contribution, mass: f32, #[comptime] shape: Shape) -> (f32, f32) {
    let speed = largest3(contribution.v.x, contribution.v.y, contribution.v.z);
    let push =
        largest3(contribution.push.x, contribution.push.y, contribution.push.z) + steepness(&contribution.stress);
    let own = speed + steepness(&contribution.affine);
    if comptime!(shape.split) { (mass * own, mass * push) } else { (mass * (own + push), mass * push) }
}

/// Returns the affine velocity of a particle; zero if the transfer is not affine.
#[cube]
fn affine_of(fields: &Array<f32>, n: usize, i: usize, affine: f32, #[comptime] shape: Shape) -> Mat3 {
    if comptime!(shape.affine) {
        read_mat3(fields, C, n, i).scale(affine)
    } else {
        let none = affine * 0.0f32;
        Mat3 { xx: none, xy: none, xz: none, yx: none, yy: none, yz: none, zx: none, zy: none, zz: none }
    }
}

#[cube]
fn outer(a: Vector3, b: Vector3) -> Mat3 {
    Mat3 {
        xx: a.x * b.x,
        xy: a.x * b.y,
        xz: a.x * b.z,
        yx: a.y * b.x,
        yy: a.y * b.y,
        yz: a.y * b.z,
        zx: a.z * b.x,
        zy: a.z * b.y,
        zz: a.z * b.z,
    }
}
