//! Bending and twisting of a discrete elastic rod at a vertex, in kernels: same code as [`fibra_core::rod_joint`].

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use crate::vector::{Vector3, pick};
use cubecl::prelude::*;

/// See [`fibra_core::rod_joint`].
const MIN_COSINE: f32 = -0.866_025_4;
const CLAMPED_SINE: f32 = 0.5;

/// The lower half of a symmetric matrix.
#[derive(CubeType, Clone, Copy)]
pub struct Symmetric {
    pub xx: f32,
    pub yx: f32,
    pub zx: f32,
    pub yy: f32,
    pub zy: f32,
    pub zz: f32,
}

/// A matrix, stored by columns.
#[derive(CubeType, Clone, Copy)]
pub struct Matrix {
    pub x: Vector3,
    pub y: Vector3,
    pub z: Vector3,
}

#[cube]
impl Symmetric {
    /// Adds the lower half of `a b^T`.
    pub fn plus_outer(&self, a: Vector3, b: Vector3) -> Symmetric {
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

/// Current configuration, trial rates and rest shape of a joint.
#[derive(CubeType, Clone, Copy)]
pub struct Joint {
    /// Edges before and after [m].
    pub e: Vector3,
    pub f: Vector3,
    /// First material directors of both edges.
    pub director_e: Vector3,
    pub director_f: Vector3,
    /// Twist [rad].
    pub twist: f32,
    /// Trial rates of the edges [m/s] and spins about them [rad/s].
    pub rate_e: Vector3,
    pub rate_f: Vector3,
    pub spin_e: f32,
    pub spin_f: f32,
    /// Stiffness [J].
    pub bending: f32,
    pub twisting: f32,
    /// Rest material curvatures [-].
    pub rest_0: f32,
    pub rest_1: f32,
    pub rest_2: f32,
    pub rest_3: f32,
}

/// A residual and its gradient with respect to the edges and the angles.
#[derive(CubeType, Clone, Copy)]
struct Residual {
    stiffness: f32,
    value: f32,
    by_e: Vector3,
    by_f: Vector3,
    by_first: f32,
    by_second: f32,
}

/// Contribution of a joint to the linear system of a step: impulses (right-hand side) and a matrix.
#[derive(CubeType, Clone, Copy)]
pub struct JointSystem {
    /// Impulses on the edges and angular impulses about them.
    pub impulse_e: Vector3,
    pub impulse_f: Vector3,
    pub impulse_first: f32,
    pub impulse_second: f32,
    /// Edge blocks.
    pub ee: Symmetric,
    pub ef: Matrix,
    pub ff: Symmetric,
    /// Columns of the angles, for the edges before and after.
    pub first_e: Vector3,
    pub first_f: Vector3,
    pub second_e: Vector3,
    pub second_f: Vector3,
    /// Angle entries.
    pub angle_11: f32,
    pub angle_12: f32,
    pub angle_22: f32,
}

#[cube]
impl JointSystem {
    fn zero() -> JointSystem {
        let z = Vector3::new(0.0f32, 0.0f32, 0.0f32);
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

    /// Returns the sum with the contribution of a residual.
    fn plus(&self, r: Residual, joint: &Joint, h: f32) -> JointSystem {
        let rate = r.by_e.dot(joint.rate_e)
            + r.by_f.dot(joint.rate_f)
            + r.by_first * joint.spin_e
            + r.by_second * joint.spin_f;
        let pull = -h * r.stiffness * (r.value + h * rate);
        let weight = h * h * r.stiffness;
        let e = r.by_e.times(weight);
        let f = r.by_f.times(weight);
        JointSystem {
            impulse_e: self.impulse_e.plus(r.by_e.times(pull)),
            impulse_f: self.impulse_f.plus(r.by_f.times(pull)),
            impulse_first: self.impulse_first + pull * r.by_first,
            impulse_second: self.impulse_second + pull * r.by_second,
            ee: self.ee.plus_outer(e, r.by_e),
            ef: Matrix {
                x: self.ef.x.plus(e.times(r.by_f.x)),
                y: self.ef.y.plus(e.times(r.by_f.y)),
                z: self.ef.z.plus(e.times(r.by_f.z)),
            },
            ff: self.ff.plus_outer(f, r.by_f),
            first_e: self.first_e.plus(e.times(r.by_first)),
            first_f: self.first_f.plus(f.times(r.by_first)),
            second_e: self.second_e.plus(e.times(r.by_second)),
            second_f: self.second_f.plus(f.times(r.by_second)),
            angle_11: self.angle_11 + weight * r.by_first * r.by_first,
            angle_12: self.angle_12 + weight * r.by_first * r.by_second,
            angle_22: self.angle_22 + weight * r.by_second * r.by_second,
        }
    }
}

/// Returns the second of two tangents, rotated toward the first until the bend is at most the clamped one.
#[cube]
fn clamped(te: Vector3, tf: Vector3, director: Vector3) -> Vector3 {
    let c = te.dot(tf);
    let across = tf.minus(te.times(c));
    let sine = across.length();
    let side = pick(sine > 1e-6f32, across.times(1.0f32 / sine), director);
    pick(c < MIN_COSINE, te.times(MIN_COSINE).plus(side.times(CLAMPED_SINE)), tf)
}

/// Common terms of the curvatures.
#[derive(CubeType, Clone, Copy)]
struct Bend {
    te: Vector3,
    bent: Vector3,
    middle: Vector3,
    twice_inverse: f32,
    inverse_e: f32,
    inverse_f: f32,
}

#[cube]
impl Bend {
    /// Returns the gradient of `kb . d` with value `value`, for a constant director.
    fn by_e(&self, value: f32, d: Vector3) -> Vector3 {
        self.bent.cross(d).times(self.twice_inverse).minus(self.middle.times(value)).times(self.inverse_e)
    }

    fn by_f(&self, value: f32, d: Vector3) -> Vector3 {
        self.te.cross(d).times(self.twice_inverse).plus(self.middle.times(value)).times(-self.inverse_f)
    }
}

/// Computes the contribution of a joint to a step of length `h`.
#[cube]
pub fn joint_system(joint: &Joint, h: f32) -> JointSystem {
    let ie = 1.0f32 / f32::max(joint.e.length(), 1e-12f32);
    let jf = 1.0f32 / f32::max(joint.f.length(), 1e-12f32);
    let te = joint.e.times(ie);
    let tf = joint.f.times(jf);
    let bent = clamped(te, tf, joint.director_e);
    let inverse = 1.0f32 / (1.0f32 + te.dot(bent));
    let kb = te.cross(bent).times(2.0f32 * inverse);
    let middle = te.plus(bent).times(inverse);
    let bend = Bend { te, bent, middle, twice_inverse: 2.0f32 * inverse, inverse_e: ie, inverse_f: jf };
    let e1 = joint.director_e;
    let e2 = te.cross(e1);
    let f1 = joint.director_f;
    let f2 = tf.cross(f1);
    let we1 = kb.dot(e2);
    let we2 = -kb.dot(e1);
    let wf1 = kb.dot(f2);
    let wf2 = -kb.dot(f1);
    let stiffness = joint.bending;
    let before_1 = Residual {
        stiffness,
        value: we1 - joint.rest_0,
        by_e: bend.by_e(we1, e2),
        by_f: bend.by_f(we1, e2),
        by_first: we2,
        by_second: 0.0f32,
    };
    let minus_e1 = e1.negative();
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
    let minus_f1 = f1.negative();
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
        by_e: kb.times(0.5f32 * ie),
        by_f: kb.times(0.5f32 * jf),
        by_first: -1.0f32,
        by_second: 1.0f32,
    };
    let bent_before = JointSystem::zero().plus(before_1, joint, h).plus(before_2, joint, h);
    bent_before.plus(after_1, joint, h).plus(after_2, joint, h).plus(twist, joint, h)
}
