//! Signed distance to a mesh, sampled on a uniform grid and interpolated trilinearly, like [`fibra_core::geometry::DistanceGrid`].

use super::layout::PART;
use super::shapes::Nearest;
use crate::vector::{Vector3, pick};
use cubecl::prelude::*;

/// Returns the distance and its normalized gradient at `x` [m, relative to the center]. The parameters at `sizes` describe the grid: cells per meter [1/m],
/// counts, corner [m], and the part of `shapes` where the samples start. No samples are read if `x` is more than `reach` [m] away from the grid's box.
#[cube]
pub(super) fn sampled_distance(
    shapes: &Array<f32>,
    _placed: &Array<f32>,
    sizes: usize,
    x: Vector3,
    reach: f32,
) -> Nearest {
    let corner = Vector3::read(shapes, sizes + 4);
    let c = x.least(corner).most(corner.times(-1.0));
    let beyond = x.minus(c);
    let far = beyond.dot(beyond);
    // The distance to the box is a lower bound of the distance to the body.
    if far >= reach * reach && reach > 0.0 && far > 0.0 {
        Nearest::rigid(f32::sqrt(far), beyond.direction_or(up()))
    } else {
        interpolated(shapes, sizes, x, c)
    }
}

/// Interpolates at `x` [m], whose nearest point of the grid's box is `c` [m].
#[cube]
fn interpolated(shapes: &Array<f32>, sizes: usize, x: Vector3, c: Vector3) -> Nearest {
    let per_meter = shapes[sizes];
    let nx = shapes[sizes + 1];
    let ny = shapes[sizes + 2];
    let nz = shapes[sizes + 3];
    let u = c.plus(Vector3::read(shapes, sizes + 4)).times(per_meter);
    let ix = f32::min(f32::floor(u.x), nx - 2.0);
    let iy = f32::min(f32::floor(u.y), ny - 2.0);
    let iz = f32::min(f32::floor(u.z), nz - 2.0);
    let fx = u.x - ix;
    let fy = u.y - iy;
    let fz = u.z - iz;
    let row = usize::cast_from(nx);
    let layer = row * usize::cast_from(ny);
    let start = usize::cast_from(shapes[sizes + 7]) * PART;
    let base = start + usize::cast_from(iz) * layer + usize::cast_from(iy) * row + usize::cast_from(ix);
    let a = shapes[base];
    let b = shapes[base + 1];
    let d = shapes[base + row];
    let e = shapes[base + row + 1];
    let g = shapes[base + layer];
    let h = shapes[base + layer + 1];
    let k = shapes[base + layer + row];
    let l = shapes[base + layer + row + 1];
    let distance = lerp(bilinear(a, b, d, e, fx, fy), bilinear(g, h, k, l, fx, fy), fz);
    let gradient = Vector3::new(
        bilinear(b - a, e - d, h - g, l - k, fy, fz),
        bilinear(d - a, e - b, k - g, l - h, fx, fz),
        bilinear(g - a, h - b, k - d, l - e, fx, fy),
    )
    .times(per_meter);
    // Outside the box, the gradient of sqrt(|x - c|^2 + d(c)^2); c follows x along the axes that are not clamped.
    let beyond = x.minus(c);
    let far = beyond.dot(beyond);
    let follows = Vector3::new(
        select(beyond.x == 0.0, gradient.x, 0.0),
        select(beyond.y == 0.0, gradient.y, 0.0),
        select(beyond.z == 0.0, gradient.z, 0.0),
    );
    let outside = beyond.x != 0.0 || beyond.y != 0.0 || beyond.z != 0.0;
    let outward = pick(outside, beyond.plus(follows.times(distance)), gradient);
    let distance = select(outside, f32::sqrt(far + distance * distance), distance);
    Nearest::rigid(distance, outward.direction_or(up()))
}

#[cube]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

#[cube]
fn bilinear(a: f32, b: f32, c: f32, d: f32, s: f32, t: f32) -> f32 {
    lerp(lerp(a, b, s), lerp(c, d, s), t)
}

#[cube]
pub(super) fn up() -> Vector3 {
    Vector3::new(f32::new(0.0), f32::new(1.0), f32::new(0.0))
}
