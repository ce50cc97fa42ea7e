//! Bending and twisting of a discrete elastic rod at one vertex: the residuals, their gradients, and their contribution to a semi-implicit step.
//!
//! Let `e` and `f` be the edges before and after the vertex, `t` their tangents and `m1, m2` their material directors [Bergou2008; Huang2023, Eq. 1]:
//! ```text
//! kb = 2 t_e x t_f / (1 + t_e . t_f)
//! bend   EI / (4 l) sum_j |w_j - w0_j|^2,   w_j = (kb . m2_j, -kb . m1_j),  j = e, f: the 4-vector of curvatures
//! twist  GJ / (2 l) mu^2
//! ```
//! `l` is half the sum of the rest lengths of the two edges. Directors are parallel transported in time, so a change of shape rotates them without
//! spin: `dm = -(m . dt) t`. Since `kb . t = 0`, this changes `w` only at second order. The frames of the rest shape have no twist, so the rest
//! twist is zero.
//!
//! The energy is a sum of squares `k c^2 / 2`. The Gauss-Newton approximation of its Hessian is `k g g^T`, where `g` is the gradient of `c`. A step
//! of length `h` from the trial velocities `v` adds `h^2 k g g^T` to the matrix and the impulse `-h k g (c + h g . v)` to the right-hand side.

use glam::{Mat3, Vec3};

/// Cosine of the clamped bend: 150 degrees, where the curvature `2 tan(75 degrees)` is 7.5. Sharper bends have the forces of a bend of 150 degrees
/// in the same plane. Unbounded forces would eject the strand [Huang2023, Sec. 4.1].
const MIN_COSINE: f32 = -0.866_025_4;
/// Sine of the clamped bend angle.
const CLAMPED_SINE: f32 = 0.5;

/// Current configuration of a joint of one strand.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// Edges before and after [m].
    pub edges: [Vec3; 2],
    /// First material directors of both edges.
    pub directors: [Vec3; 2],
    /// Twist [rad].
    pub twist: f32,
}

/// Stiffness and rest shape of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RestJoint {
    /// `EI / (2 l)` [J].
    pub bending: f32,
    /// `GJ / l` [J].
    pub twisting: f32,
    /// Rest material curvatures: two in the frame before, two in the frame after [-].
    pub curvature: [f32; 4],
}

/// Rates of change of a joint's edges and angles.
#[derive(Clone, Copy, Debug)]
pub struct JointRates {
    /// Rates of the edges [m/s].
    pub edges: [Vec3; 2],
    /// Spins of the material frames about the edges [rad/s].
    pub spins: [f32; 2],
}

/// Gradient of a residual.
#[derive(Clone, Copy, Debug)]
pub struct Gradient {
    /// With respect to the edges [1/m].
    pub edges: [Vec3; 2],
    /// With respect to the angles [-].
    pub angles: [f32; 2],
}

/// Residuals of a joint with their gradients: four curvatures and the twist, minus their rest values.
#[derive(Clone, Copy, Debug)]
pub struct Residuals {
    /// Curvature in the frame of the first edge, first component.
    pub before_1: (f32, Gradient),
    /// Curvature in the frame of the first edge, second component.
    pub before_2: (f32, Gradient),
    /// Curvature in the frame of the second edge, first component.
    pub after_1: (f32, Gradient),
    /// Curvature in the frame of the second edge, second component.
    pub after_2: (f32, Gradient),
    /// Twist.
    pub twist: (f32, Gradient),
}

/// Contribution of a joint to the system of a step: impulses, and the blocks of the symmetric matrix.
#[derive(Clone, Copy, Debug)]
pub struct JointSystem {
    /// Impulses on the edges [N s] and angular impulses about them [N m s].
    pub impulse: Gradient,
    /// Edge blocks `(e, e)`, `(e, f)`, `(f, f)` [kg].
    pub edges: [Mat3; 3],
    /// Columns of the first angle, for the edges before and after [kg m].
    pub first_angle: [Vec3; 2],
    /// Columns of the second angle [kg m].
    pub second_angle: [Vec3; 2],
    /// Angle entries `(1, 1)`, `(1, 2)`, `(2, 2)` [kg m^2].
    pub angles: [f32; 3],
}

impl Joint {
    /// Returns the residuals and their gradients.
    #[inline(always)]
    pub fn residuals(&self, rest: &RestJoint) -> Residuals {
        let [le, lf] = self.edges.map(|edge| edge.length());
        let [ie, jf] = [le, lf].map(|length| 1.0 / if length > 1e-12 { length } else { 1e-12 });
        let (te, tf) = (self.edges[0] * ie, self.edges[1] * jf);
        let bent = clamped(te, tf, self.directors[0]);
        let inverse = 1.0 / (1.0 + te.dot(bent));
        let kb = 2.0 * inverse * te.cross(bent);
        let middle = inverse * (te + bent);
        // Gradient of kb . d with respect to the edges, for a constant director d.
        let along = |value: f32, d: Vec3| {
            let by_e = ie * (2.0 * inverse * bent.cross(d) - value * middle);
            let by_f = -jf * (2.0 * inverse * te.cross(d) + value * middle);
            [by_e, by_f]
        };
        let frame = |tangent: Vec3, m1: Vec3| (m1, tangent.cross(m1));
        let (e1, e2) = frame(te, self.directors[0]);
        let (f1, f2) = frame(tf, self.directors[1]);
        // dm1 = m2 dtheta, dm2 = -m1 dtheta: w1 changes by w2, w2 by -w1.
        let (we1, we2, wf1, wf2) = (kb.dot(e2), -kb.dot(e1), kb.dot(f2), -kb.dot(f1));
        let [n0, n1, n2, n3] = rest.curvature;
        Residuals {
            before_1: (we1 - n0, Gradient { edges: along(we1, e2), angles: [we2, 0.0] }),
            before_2: (we2 - n1, Gradient { edges: along(we2, -e1), angles: [-we1, 0.0] }),
            after_1: (wf1 - n2, Gradient { edges: along(wf1, f2), angles: [0.0, wf2] }),
            after_2: (wf2 - n3, Gradient { edges: along(wf2, -f1), angles: [0.0, -wf1] }),
            // [Bergou2008]: frames transported in time rotate relative to each other by kb / (2 |e|).
            twist: (self.twist, Gradient { edges: [0.5 * ie * kb, 0.5 * jf * kb], angles: [-1.0, 1.0] }),
        }
    }

    /// Returns the material curvatures: two in the frame before, two in the frame after.
    #[inline(always)]
    pub fn curvatures(&self) -> [f32; 4] {
        let r = self.residuals(&RestJoint::default());
        [r.before_1.0, r.before_2.0, r.after_1.0, r.after_2.0]
    }

    /// Returns the elastic energy [J].
    pub fn energy(&self, rest: &RestJoint) -> f32 {
        let r = self.residuals(rest);
        let bend: f32 = [r.before_1, r.before_2, r.after_1, r.after_2].iter().map(|(c, _)| c * c).sum();
        0.5 * rest.bending * bend + 0.5 * rest.twisting * r.twist.0 * r.twist.0
    }

    /// Returns the contribution to the system of a step of length `h` [s] from trial rates.
    #[inline(always)]
    pub fn system(&self, rest: &RestJoint, rates: &JointRates, h: f32) -> JointSystem {
        let r = self.residuals(rest);
        let mut system = JointSystem {
            impulse: Gradient { edges: [Vec3::ZERO; 2], angles: [0.0; 2] },
            edges: [Mat3::ZERO; 3],
            first_angle: [Vec3::ZERO; 2],
            second_angle: [Vec3::ZERO; 2],
            angles: [0.0; 3],
        };
        system.add(rest.bending, r.before_1, rates, h);
        system.add(rest.bending, r.before_2, rates, h);
        system.add(rest.bending, r.after_1, rates, h);
        system.add(rest.bending, r.after_2, rates, h);
        system.add(rest.twisting, r.twist, rates, h);
        system
    }
}

/// Returns the second of two tangents, rotated toward the first until the bend is at most the clamped one. A fully folded strand opens in the plane
/// of its director.
#[inline(always)]
fn clamped(te: Vec3, tf: Vec3, director: Vec3) -> Vec3 {
    let c = te.dot(tf);
    let across = tf - c * te;
    let sine = across.length();
    let side = if sine > 1e-6 { across * (1.0 / sine) } else { director };
    let rotated = MIN_COSINE * te + CLAMPED_SINE * side;
    if c < MIN_COSINE { rotated } else { tf }
}

impl JointSystem {
    /// Adds a residual of stiffness `k`.
    #[inline(always)]
    fn add(&mut self, k: f32, (c, g): (f32, Gradient), rates: &JointRates, h: f32) {
        let rate = g.edges[0].dot(rates.edges[0])
            + g.edges[1].dot(rates.edges[1])
            + g.angles[0] * rates.spins[0]
            + g.angles[1] * rates.spins[1];
        let scale = -h * k * (c + h * rate);
        self.impulse.edges[0] += scale * g.edges[0];
        self.impulse.edges[1] += scale * g.edges[1];
        self.impulse.angles[0] += scale * g.angles[0];
        self.impulse.angles[1] += scale * g.angles[1];
        let weight = h * h * k;
        let [e, f] = [weight * g.edges[0], weight * g.edges[1]];
        self.edges[0] += outer(e, g.edges[0]);
        self.edges[1] += outer(e, g.edges[1]);
        self.edges[2] += outer(f, g.edges[1]);
        self.first_angle[0] += e * g.angles[0];
        self.first_angle[1] += f * g.angles[0];
        self.second_angle[0] += e * g.angles[1];
        self.second_angle[1] += f * g.angles[1];
        self.angles[0] += weight * g.angles[0] * g.angles[0];
        self.angles[1] += weight * g.angles[0] * g.angles[1];
        self.angles[2] += weight * g.angles[1] * g.angles[1];
    }
}

/// Returns the outer product `a b^T`.
#[inline(always)]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
#[path = "rod_joint_tests.rs"]
mod tests;
