//! Assembles the system of a strand's step, `(M + h^2 H) dv = impulses`, by a team: [`assembly`](crate::assembly).
//!
//! Each thread has a vertex, the edge that begins there and the joint after it, and contributes to the rows of three vertices. Three phases avoid
//! conflicts. Each thread first initializes the entries to which it is the first to contribute, then adds to the rows of the next vertex, then to the
//! rows of the vertex after the next.

use crate::gpu::band::{DIAGONAL, LEAST, QUAD, RHS, ROW};
use crate::gpu::stretch::EdgeSystem;
use cubecl::prelude::*;
use fibra_gpu::rod_joint::{JointSystem, Symmetric};
use fibra_gpu::vector::Vector3;

/// Returns the index of a matrix entry within the rows of a vertex. `row` counts the rows of this vertex, and `column` the columns of the vertex
/// `back` vertices earlier.
const fn entry(back: u32, row: u32, column: u32) -> u32 {
    row * ROW + DIAGONAL + column - QUAD * back - row
}

/// Contribution of a thread.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Contribution {
    /// Diagonal entries without elasticity [kg], [kg m^2].
    pub mass: f32,
    pub inertia: f32,
    /// Impulses of gravity and drag [N s], [N m s].
    pub impulse: Vector3,
    pub spin_impulse: f32,
    pub edge: EdgeSystem,
    pub joint: JointSystem,
}

#[cube]
impl Contribution {
    /// Writes the rows of the thread's own vertex at `at`, and the columns of this vertex in the rows of the next two vertices.
    pub(crate) fn begin(&self, band: &mut Slice<f32, ReadWrite>, at: usize, #[comptime] quad: u32, left: u32) {
        let joint = self.joint;
        let elastic = plus(self.edge.matrix, joint.ee);
        let diagonal = Symmetric {
            xx: self.mass + elastic.xx,
            yx: elastic.yx,
            zx: elastic.zx,
            yy: self.mass + elastic.yy,
            zy: elastic.zy,
            zz: self.mass + elastic.zz,
        };
        put_column(band, at, Vector3::new(diagonal.xx, diagonal.yx, diagonal.zx), 0u32, 0u32);
        band[at + comptime!(entry(0, 1, 1)) as usize] = diagonal.yy;
        band[at + comptime!(entry(0, 2, 1)) as usize] = diagonal.zy;
        band[at + comptime!(entry(0, 2, 2)) as usize] = diagonal.zz;
        put_row(band, at, joint.first_e.negative(), 0u32);
        band[at + comptime!(entry(0, 3, 3)) as usize] = self.inertia + joint.angle_11;
        // Entries that no joint contributes to.
        band[at] = 0.0f32;
        band[at + 1] = 0.0f32;
        band[at + comptime!(ROW) as usize] = 0.0f32;
        #[unroll]
        for k in 0..3u32 {
            band[at + comptime!(3 * ROW + k) as usize] = 0.0f32;
            band[at + comptime!(k * ROW + LEAST) as usize] = self.mass;
        }
        band[at + comptime!(3 * ROW + LEAST) as usize] = self.inertia;
        let own = self.impulse.minus(self.edge.impulse.plus(joint.impulse_e));
        put_rhs(band, at, own, self.spin_impulse + joint.impulse_first);

        let fe_x = Vector3::new(joint.ef.x.x, joint.ef.y.x, joint.ef.z.x);
        let fe_y = Vector3::new(joint.ef.x.y, joint.ef.y.y, joint.ef.z.y);
        let fe_z = Vector3::new(joint.ef.x.z, joint.ef.y.z, joint.ef.z.z);
        if left > 1 {
            let next = at + quad as usize;
            put_column(band, next, fe_x.minus(column_x(elastic)), 1u32, 0u32);
            put_column(band, next, fe_y.minus(column_y(elastic)), 1u32, 1u32);
            put_column(band, next, fe_z.minus(column_z(elastic)), 1u32, 2u32);
            put_column(band, next, joint.first_e.minus(joint.first_f), 1u32, 3u32);
            put_row(band, next, joint.second_e.negative(), 1u32);
            band[next + comptime!(entry(1, 3, 3)) as usize] = joint.angle_12;
        }
        if left > 2 {
            let second = at + comptime!(2 * quad) as usize;
            put_column(band, second, fe_x.negative(), 2u32, 0u32);
            put_column(band, second, fe_y.negative(), 2u32, 1u32);
            put_column(band, second, fe_z.negative(), 2u32, 2u32);
            put_column(band, second, joint.first_f, 2u32, 3u32);
        }
    }

    /// Adds to the rows of the next vertex. Also adds to the columns of the next vertex in the rows of the vertex after it.
    pub(crate) fn add_to_next(&self, band: &mut Slice<f32, ReadWrite>, at: usize, #[comptime] quad: u32, left: u32) {
        let joint = self.joint;
        let ef = joint.ef;
        if left > 1 {
            let next = at + quad as usize;
            let both = plus(plus(self.edge.matrix, joint.ee), joint.ff);
            let diagonal = Symmetric {
                xx: both.xx - ef.x.x - ef.x.x,
                yx: both.yx - ef.x.y - ef.y.x,
                zx: both.zx - ef.x.z - ef.z.x,
                yy: both.yy - ef.y.y - ef.y.y,
                zy: both.zy - ef.y.z - ef.z.y,
                zz: both.zz - ef.z.z - ef.z.z,
            };
            add_diagonal(band, next, diagonal);
            let angle = joint.second_e.minus(joint.second_f);
            add_value(band, next + comptime!(entry(0, 3, 0)) as usize, angle.x);
            add_value(band, next + comptime!(entry(0, 3, 1)) as usize, angle.y);
            add_value(band, next + comptime!(entry(0, 3, 2)) as usize, angle.z);
            add_value(band, next + comptime!(entry(0, 3, 3)) as usize, joint.angle_22);
            add_rhs(band, next, self.edge.impulse.plus(joint.impulse_e).minus(joint.impulse_f));
            add_value(band, next + comptime!(3 * ROW + RHS) as usize, joint.impulse_second);
        }
        if left > 2 {
            let second = at + comptime!(2 * quad) as usize;
            add_column(band, second, Vector3::new(ef.x.x, ef.y.x, ef.z.x).minus(column_x(joint.ff)), 0u32);
            add_column(band, second, Vector3::new(ef.x.y, ef.y.y, ef.z.y).minus(column_y(joint.ff)), 1u32);
            add_column(band, second, Vector3::new(ef.x.z, ef.y.z, ef.z.z).minus(column_z(joint.ff)), 2u32);
            add_column(band, second, joint.second_f, 3u32);
        }
    }

    /// Adds to the rows of the vertex after the next.
    pub(crate) fn add_to_second_next(
        &self,
        band: &mut Slice<f32, ReadWrite>,
        at: usize,
        #[comptime] quad: u32,
        left: u32,
    ) {
        if left > 2 {
            let second = at + comptime!(2 * quad) as usize;
            add_diagonal(band, second, self.joint.ff);
            add_rhs(band, second, self.joint.impulse_f);
        }
    }
}

/// Writes rows of the identity, for padding vertices.
#[cube]
pub(crate) fn write_identity(band: &mut Slice<f32, ReadWrite>, at: usize) {
    #[unroll]
    for row in 0..QUAD {
        #[unroll]
        for k in 0..ROW {
            band[at + comptime!(row * ROW + k) as usize] = 0.0f32;
        }
        band[at + comptime!(row * ROW + DIAGONAL) as usize] = 1.0f32;
    }
}

#[cube]
fn add_value(band: &mut Slice<f32, ReadWrite>, at: usize, by: f32) {
    band[at] = band[at] + by;
}

#[cube]
fn plus(a: Symmetric, b: Symmetric) -> Symmetric {
    Symmetric { xx: a.xx + b.xx, yx: a.yx + b.yx, zx: a.zx + b.zx, yy: a.yy + b.yy, zy: a.zy + b.zy, zz: a.zz + b.zz }
}

#[cube]
fn column_x(a: Symmetric) -> Vector3 {
    Vector3::new(a.xx, a.yx, a.zx)
}

#[cube]
fn column_y(a: Symmetric) -> Vector3 {
    Vector3::new(a.yx, a.yy, a.zy)
}

#[cube]
fn column_z(a: Symmetric) -> Vector3 {
    Vector3::new(a.zx, a.zy, a.zz)
}

/// Sets a column of the vertex that is `back` vertices earlier, in the rows of a vertex.
#[cube]
fn put_column(band: &mut Slice<f32, ReadWrite>, at: usize, v: Vector3, #[comptime] back: u32, #[comptime] column: u32) {
    band[at + comptime!(entry(back, 0, column)) as usize] = v.x;
    band[at + comptime!(entry(back, 1, column)) as usize] = v.y;
    band[at + comptime!(entry(back, 2, column)) as usize] = v.z;
}

/// Adds to a column of the previous vertex.
#[cube]
fn add_column(band: &mut Slice<f32, ReadWrite>, at: usize, v: Vector3, #[comptime] column: u32) {
    add_value(band, at + comptime!(entry(1, 0, column)) as usize, v.x);
    add_value(band, at + comptime!(entry(1, 1, column)) as usize, v.y);
    add_value(band, at + comptime!(entry(1, 2, column)) as usize, v.z);
}

/// Sets the columns of the vertex that is `back` vertices earlier, in the row of the angle.
#[cube]
fn put_row(band: &mut Slice<f32, ReadWrite>, at: usize, v: Vector3, #[comptime] back: u32) {
    band[at + comptime!(entry(back, 3, 0)) as usize] = v.x;
    band[at + comptime!(entry(back, 3, 1)) as usize] = v.y;
    band[at + comptime!(entry(back, 3, 2)) as usize] = v.z;
}

#[cube]
fn add_diagonal(band: &mut Slice<f32, ReadWrite>, at: usize, a: Symmetric) {
    add_value(band, at + comptime!(entry(0, 0, 0)) as usize, a.xx);
    add_value(band, at + comptime!(entry(0, 1, 0)) as usize, a.yx);
    add_value(band, at + comptime!(entry(0, 2, 0)) as usize, a.zx);
    add_value(band, at + comptime!(entry(0, 1, 1)) as usize, a.yy);
    add_value(band, at + comptime!(entry(0, 2, 1)) as usize, a.zy);
    add_value(band, at + comptime!(entry(0, 2, 2)) as usize, a.zz);
}

#[cube]
fn put_rhs(band: &mut Slice<f32, ReadWrite>, at: usize, v: Vector3, angle: f32) {
    band[at + comptime!(RHS) as usize] = v.x;
    band[at + comptime!(ROW + RHS) as usize] = v.y;
    band[at + comptime!(2 * ROW + RHS) as usize] = v.z;
    band[at + comptime!(3 * ROW + RHS) as usize] = angle;
}

#[cube]
fn add_rhs(band: &mut Slice<f32, ReadWrite>, at: usize, v: Vector3) {
    add_value(band, at + comptime!(RHS) as usize, v.x);
    add_value(band, at + comptime!(ROW + RHS) as usize, v.y);
    add_value(band, at + comptime!(2 * ROW + RHS) as usize, v.z);
}
