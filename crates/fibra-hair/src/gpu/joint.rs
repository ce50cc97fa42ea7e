//! Stretching of an edge, bending and twisting at a vertex in kernels: [`stretch`](crate::stretch) and [`joint`](crate::joint).

use crate::gpu::vector::{Vector, add, choose, cross, dot, length, negative, scale, sub, vector};
use cubecl::prelude::*;

/// See [`joint`](crate::joint).
const LEAST_COSINE: f32 = -0.866_025_4;
const CLAMPED_SINE: f32 = 0.5;

/// The lower half of a symmetric matrix.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Symmetric {
    pub xx: f32,
    pub yx: f32,
    pub zx: f32,
    pub yy: f32,
    pub zy: f32,
    pub zz: f32,
}

/// A matrix by its columns.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Matrix {
    pub x: Vector,
    pub y: Vector,
    pub z: Vector,
}

#[cube]
impl Symmetric {
    /// Adds `a b^T`, of which only the lower half is there.
    fn plus_outer(&self, a: Vector, b: Vector) -> Symmetric {
        Symmetric {
            xx: self.xx + a.x * b.x,
            yx: self.yx + a.y * b.x,
            zx: self.zx + a.z * b.x,
            yy: self.yy + a.y * b.y,
            zy: self.zy + a.z * b.y,
            zz: self.zz + a.z * b.z,
        }
    }
}

/// What an edge adds to the system of a step: an impulse and a matrix.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct EdgeSystem {
    pub impulse: Vector,
    pub matrix: Symmetric,
}

/// What an edge that changes at a trial rate adds to a step of length `h`.
#[cube]
pub(crate) fn edge_system(edge: Vector, rest_length: f32, stiffness: f32, rate: Vector, h: f32) -> EdgeSystem {
    let now = length(edge);
    let inverse = 1.0f32 / f32::max(now, 1e-12f32);
    let t = scale(inverse, edge);
    let excess = now - rest_length;
    let tension = stiffness * f32::max(excess * inverse, 0.0f32);
    let along = dot(rate, t);
    let across = sub(rate, scale(along, t));
    let impulse = scale(-h, add(scale(stiffness * (excess + h * along), t), scale(h * tension, across)));
    let turning = h * h * tension;
    let none = 0.0f32 * h;
    let diagonal = Symmetric { xx: turning, yx: none, zx: none, yy: turning, zy: none, zz: turning };
    EdgeSystem { impulse, matrix: diagonal.plus_outer(scale(h * h * stiffness - turning, t), t) }
}

/// A joint as it is, how fast it changes, and at rest.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Joint {
    /// Edges before and after [m].
    pub e: Vector,
    pub f: Vector,
    /// First material directors of both.
    pub director_e: Vector,
    pub director_f: Vector,
    /// [rad]
    pub twist: f32,
    /// Trial rates of the edges [m/s] and of the angles about them [rad/s].
    pub rate_e: Vector,
    pub rate_f: Vector,
    pub spin_e: f32,
    pub spin_f: f32,
    /// Stiffness [J].
    pub bending: f32,
    pub twisting: f32,
    /// Material curvatures at rest [-].
    pub rest_0: f32,
    pub rest_1: f32,
    pub rest_2: f32,
    pub rest_3: f32,
}

/// A residual and its gradient by the edges and the angles.
#[derive(CubeType, Clone, Copy)]
struct Residual {
    stiffness: f32,
    value: f32,
    by_e: Vector,
    by_f: Vector,
    by_first: f32,
    by_second: f32,
}

/// What a joint adds to the system of a step.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct JointSystem {
    /// Impulses along the edges and about them.
    pub impulse_e: Vector,
    pub impulse_f: Vector,
    pub impulse_first: f32,
    pub impulse_second: f32,
    /// Blocks of the edges.
    pub ee: Symmetric,
    pub ef: Matrix,
    pub ff: Symmetric,
    /// Columns of the angles: edges before and after.
    pub first_e: Vector,
    pub first_f: Vector,
    pub second_e: Vector,
    pub second_f: Vector,
    /// Angles among themselves.
    pub angle_11: f32,
    pub angle_12: f32,
    pub angle_22: f32,
}

#[cube]
impl JointSystem {
    fn zero() -> JointSystem {
        let z = vector(0.0f32, 0.0f32, 0.0f32);
        let s = Symmetric { xx: 0.0f32, yx: 0.0f32, zx: 0.0f32, yy: 0.0f32, zy: 0.0f32, zz: 0.0f32 };
        JointSystem {
            impulse_e: z,
            impulse_f: z,
            impulse_first: 0.0f32,
            impulse_second: 0.0f32,
            ee: s,
            ef: Matrix { x: z, y: z, z },
            ff: s,
            first_e: z,
            first_f: z,
            second_e: z,
            second_f: z,
            angle_11: 0.0f32,
            angle_12: 0.0f32,
            angle_22: 0.0f32,
        }
    }

    /// With a residual more.
    fn plus(&self, r: Residual, joint: &Joint, h: f32) -> JointSystem {
        let rate = dot(r.by_e, joint.rate_e)
            + dot(r.by_f, joint.rate_f)
            + r.by_first * joint.spin_e
            + r.by_second * joint.spin_f;
        let pull = -h * r.stiffness * (r.value + h * rate);
        let weight = h * h * r.stiffness;
        let e = scale(weight, r.by_e);
        let f = scale(weight, r.by_f);
        JointSystem {
            impulse_e: add(self.impulse_e, scale(pull, r.by_e)),
            impulse_f: add(self.impulse_f, scale(pull, r.by_f)),
            impulse_first: self.impulse_first + pull * r.by_first,
            impulse_second: self.impulse_second + pull * r.by_second,
            ee: self.ee.plus_outer(e, r.by_e),
            ef: Matrix {
                x: add(self.ef.x, scale(r.by_f.x, e)),
                y: add(self.ef.y, scale(r.by_f.y, e)),
                z: add(self.ef.z, scale(r.by_f.z, e)),
            },
            ff: self.ff.plus_outer(f, r.by_f),
            first_e: add(self.first_e, scale(r.by_first, e)),
            first_f: add(self.first_f, scale(r.by_first, f)),
            second_e: add(self.second_e, scale(r.by_second, e)),
            second_f: add(self.second_f, scale(r.by_second, f)),
            angle_11: self.angle_11 + weight * r.by_first * r.by_first,
            angle_12: self.angle_12 + weight * r.by_first * r.by_second,
            angle_22: self.angle_22 + weight * r.by_second * r.by_second,
        }
    }
}

/// The second of two tangents, turned towards the first until the bend is no sharper than what is told apart.
#[cube]
fn clamped(te: Vector, tf: Vector, director: Vector) -> Vector {
    let c = dot(te, tf);
    let across = sub(tf, scale(c, te));
    let sine = length(across);
    let side = choose(sine > 1e-6f32, scale(1.0f32 / sine, across), director);
    choose(c < LEAST_COSINE, add(scale(LEAST_COSINE, te), scale(CLAMPED_SINE, side)), tf)
}

/// What curvatures have in common.
#[derive(CubeType, Clone, Copy)]
struct Bend {
    te: Vector,
    bent: Vector,
    middle: Vector,
    twice_inverse: f32,
    inverse_e: f32,
    inverse_f: f32,
}

#[cube]
impl Bend {
    /// Gradients of `kb . d`, whose value is given, for a director that is held.
    fn by_e(&self, value: f32, d: Vector) -> Vector {
        scale(self.inverse_e, sub(scale(self.twice_inverse, cross(self.bent, d)), scale(value, self.middle)))
    }

    fn by_f(&self, value: f32, d: Vector) -> Vector {
        scale(-self.inverse_f, add(scale(self.twice_inverse, cross(self.te, d)), scale(value, self.middle)))
    }
}

/// What a joint adds to a step of length `h`.
#[cube]
pub(crate) fn joint_system(joint: &Joint, h: f32) -> JointSystem {
    let ie = 1.0f32 / f32::max(length(joint.e), 1e-12f32);
    let jf = 1.0f32 / f32::max(length(joint.f), 1e-12f32);
    let te = scale(ie, joint.e);
    let tf = scale(jf, joint.f);
    let bent = clamped(te, tf, joint.director_e);
    let inverse = 1.0f32 / (1.0f32 + dot(te, bent));
    let kb = scale(2.0f32 * inverse, cross(te, bent));
    let middle = scale(inverse, add(te, bent));
    let bend = Bend { te, bent, middle, twice_inverse: 2.0f32 * inverse, inverse_e: ie, inverse_f: jf };
    let e1 = joint.director_e;
    let e2 = cross(te, e1);
    let f1 = joint.director_f;
    let f2 = cross(tf, f1);
    let we1 = dot(kb, e2);
    let we2 = -dot(kb, e1);
    let wf1 = dot(kb, f2);
    let wf2 = -dot(kb, f1);
    let stiffness = joint.bending;
    let before_1 = Residual {
        stiffness,
        value: we1 - joint.rest_0,
        by_e: bend.by_e(we1, e2),
        by_f: bend.by_f(we1, e2),
        by_first: we2,
        by_second: 0.0f32,
    };
    let minus_e1 = negative(e1);
    let before_2 = Residual {
        stiffness,
        value: we2 - joint.rest_1,
        by_e: bend.by_e(we2, minus_e1),
        by_f: bend.by_f(we2, minus_e1),
        by_first: -we1,
        by_second: 0.0f32,
    };
    let after_1 = Residual {
        stiffness,
        value: wf1 - joint.rest_2,
        by_e: bend.by_e(wf1, f2),
        by_f: bend.by_f(wf1, f2),
        by_first: 0.0f32,
        by_second: wf2,
    };
    let minus_f1 = negative(f1);
    let after_2 = Residual {
        stiffness,
        value: wf2 - joint.rest_3,
        by_e: bend.by_e(wf2, minus_f1),
        by_f: bend.by_f(wf2, minus_f1),
        by_first: 0.0f32,
        by_second: -wf1,
    };
    let twist = Residual {
        stiffness: joint.twisting,
        value: joint.twist,
        by_e: scale(0.5f32 * ie, kb),
        by_f: scale(0.5f32 * jf, kb),
        by_first: -1.0f32,
        by_second: 1.0f32,
    };
    let bent_before = JointSystem::zero().plus(before_1, joint, h).plus(before_2, joint, h);
    bent_before.plus(after_1, joint, h).plus(after_2, joint, h).plus(twist, joint, h)
}

#[cfg(test)]
#[path = "joint_tests.rs"]
mod tests;
