//! Held tips. The tip is not an unknown of a super-helix, so a stiff spring gives it the prescribed velocity. The tip
//! moves on an arc rather than on a straight line, which leaves a small position error. The shape is corrected for this
//! error after the step. A correction through the velocity would turn the error into motion and add energy.

use super::chain::{Chain, HelixShape, Twist};
use crate::band::SymmetricBand;
use crate::ends::{Pose, rotation_between};
use crate::rod::StepSystem;
use glam::{DQuat, DVec3};

/// Stiffness of the spring that holds the tip, times the square of the time step, divided by the mass of the rod [-].
const STIFFNESS: f64 = 1e4;
/// Maximum number of corrections of the shape in a step.
const MAX_CORRECTIONS: usize = 8;
/// Position tolerance, relative to the length of the rod [-].
const POSITION_TOLERANCE: f64 = 1e-12;
/// Largest displacement of the tip in one correction, relative to the length of an element [-].
const MAX_CORRECTION: f64 = 0.5;
/// Relative regularization of the compliance, which is singular for some shapes: a rod pulled straight cannot reach further [-].
const REGULARIZATION: f64 = 1e-8;

/// A held tip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldTip {
    /// Target pose at the end of the step.
    target: Pose,
    /// Whether the frame of the tip is held as well.
    clamped: bool,
    /// Prescribed velocity [m/s].
    velocity: DVec3,
    /// Prescribed angular velocity [rad/s].
    spin: DVec3,
    /// Impulse per velocity error [kg].
    stiffness: f64,
    /// The time step [s].
    dt: f64,
}

impl HeldTip {
    /// Creates a tip that moves from one pose to another in a step [s], at the end of a rod of the given mass [kg].
    pub fn new(from: Pose, to: Pose, clamped: bool, dt: f64, mass: f64) -> HeldTip {
        HeldTip {
            target: to,
            clamped,
            velocity: (to.position - from.position) / dt,
            spin: from.frame * rotation_between(from.frame, to.frame) / dt,
            stiffness: STIFFNESS * mass,
            dt,
        }
    }

    /// Adds the spring to a system with the given unknowns. `drift` is the prescribed motion; `lever` is the length that weights rotations against
    /// displacements [m].
    pub fn add_to<'a>(
        &self,
        tip: DVec3,
        twists: impl Iterator<Item = &'a Twist>,
        drift: &Twist,
        lever: f64,
        system: &mut StepSystem,
    ) {
        let rows = self.rows(tip, twists, lever);
        let error = self.row(lever, self.velocity - drift.velocity(tip), self.spin - drift.angular);
        for (i, row) in rows.iter().enumerate() {
            for (j, other) in rows[..=i].iter().enumerate() {
                system.operator.add(i, j, self.stiffness * dot(row, other));
            }
            system.impulse[i] += self.stiffness * dot(row, &error);
        }
    }

    /// Returns the force that holds a tip with this velocity [N].
    pub fn force(&self, velocity: DVec3) -> DVec3 {
        self.stiffness / self.dt * (self.velocity - velocity)
    }

    /// Changes the curvatures until the tip reaches its target. Each correction is the change of curvatures with the
    /// least elastic energy for the given stiffnesses [N m^3]. `chain` is scratch memory.
    pub fn correct_shape(&self, shape: &mut HelixShape, stiffness: DVec3, chain: &mut Chain) {
        let lever = shape.element_length;
        let elements = shape.curvatures.len();
        for _ in 0..MAX_CORRECTIONS {
            shape.compute_chain(chain);
            let (tip, frame) = chain.joints[elements];
            let frame = DQuat::from_mat3(&frame);
            let angular = frame * rotation_between(frame, self.target.frame);
            let mut error = self.row(lever, self.target.position - shape.root - tip, angular);
            let distance = dot(&error, &error).sqrt();
            if distance <= POSITION_TOLERANCE * lever * elements as f64 {
                break;
            }
            let share = f64::min(1.0, MAX_CORRECTION * lever / distance);
            error.iter_mut().for_each(|m| *m *= share);
            // Among all changes c with J c = error, the change with the least c . K c is c = K^-1 J^T (J K^-1 J^T)^-1
            // error.
            let rows = self.rows(tip, chain.twists.as_flattened().iter(), lever);
            let mut compliance = SymmetricBand::zeros(6, 5);
            for (i, row) in rows.iter().enumerate() {
                for (a, b) in (0..6).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                    compliance.add(a, b, row[a] * row[b] / stiffness[i % 3]);
                }
            }
            let scale = (0..6).map(|a| compliance.get(a, a)).sum::<f64>();
            (0..6).for_each(|a| compliance.add(a, a, REGULARIZATION * scale));
            let Ok(factor) = compliance.factor() else { break };
            factor.solve(&mut error);
            for (i, row) in rows.iter().enumerate() {
                shape.curvatures[i / 3][i % 3] += dot(row, &error) / stiffness[i % 3];
            }
        }
    }

    /// Returns the motion of the tip with each unknown.
    fn rows<'a>(&self, tip: DVec3, twists: impl Iterator<Item = &'a Twist>, lever: f64) -> Vec<[f64; 6]> {
        twists.map(|twist| self.row(lever, twist.velocity(tip), twist.angular)).collect()
    }

    fn row(&self, lever: f64, linear: DVec3, angular: DVec3) -> [f64; 6] {
        let angular = if self.clamped { lever * angular } else { DVec3::ZERO };
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
