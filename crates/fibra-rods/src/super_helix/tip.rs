//! A tip that is held. It is no unknown of a super-helix, so that a stiff spring gives it the velocity of what holds it; what remains of
//! the distance, because the tip moves on an arc and not straight on, is taken out of the shape afterwards. Correcting it through the velocity
//! would turn the error into motion, and bring energy in.

use super::chain::{Chain, HelixShape, Twist};
use crate::band::SymmetricBand;
use crate::ends::{Pose, turn_between};
use crate::rod::StepSystem;
use glam::{DQuat, DVec3};

/// The spring that holds the tip: its stiffness times the square of the time step, over the mass of the rod [-].
const STIFFNESS: f64 = 1e4;
/// Most corrections of the shape in a step.
const CORRECTIONS: usize = 8;
/// The tip is where it belongs when it is within this share of the rod's length [-].
const REACHED: f64 = 1e-12;
/// Largest part of a piece by which one correction may move the tip [-].
const REACH: f64 = 0.5;
/// What singular shapes (a rod pulled straight cannot reach further) add to their compliance, as a share of it [-].
const SOFTNESS: f64 = 1e-8;

/// A tip that is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldTip {
    /// Where it belongs at the end of the step.
    target: Pose,
    /// Whether its frame is held too.
    clamped: bool,
    /// How it moves [m/s].
    velocity: DVec3,
    /// How it turns [rad/s].
    spin: DVec3,
    /// Impulse per velocity that is missing [kg].
    stiffness: f64,
    /// The step [s].
    dt: f64,
}

impl HeldTip {
    /// A tip that goes from one pose to another in a step [s], at the end of a rod of the given mass [kg].
    pub fn new(from: Pose, to: Pose, clamped: bool, dt: f64, mass: f64) -> HeldTip {
        HeldTip {
            target: to,
            clamped,
            velocity: (to.position - from.position) / dt,
            spin: from.frame * turn_between(from.frame, to.frame) / dt,
            stiffness: STIFFNESS * mass,
            dt,
        }
    }

    /// Adds the spring to a system with the given unknowns; `drift` is what moves without being an unknown, `lever` the
    /// distance at which directions count as much as places [m].
    pub fn add_to<'a>(
        &self,
        tip: DVec3,
        twists: impl Iterator<Item = &'a Twist>,
        drift: &Twist,
        lever: f64,
        system: &mut StepSystem,
    ) {
        let rows = self.rows(tip, twists, lever);
        let missing = self.row(lever, self.velocity - drift.velocity(tip), self.spin - drift.turn);
        for (i, row) in rows.iter().enumerate() {
            for (j, other) in rows[..=i].iter().enumerate() {
                system.operator.add(i, j, self.stiffness * dot(row, other));
            }
            system.impulse[i] += self.stiffness * dot(row, &missing);
        }
    }

    /// The force that holds a tip with this velocity [N].
    pub fn force(&self, velocity: DVec3) -> DVec3 {
        self.stiffness / self.dt * (self.velocity - velocity)
    }

    /// Bends the shape, as little as its stiffnesses [N m^3] have it, until the tip is where it belongs. The chain is scratch.
    pub fn reach(&self, shape: &mut HelixShape, stiffness: DVec3, chain: &mut Chain) {
        let lever = shape.piece;
        let pieces = shape.curvatures.len();
        for _ in 0..CORRECTIONS {
            shape.unroll(chain);
            let (tip, frame) = chain.joints[pieces];
            let frame = DQuat::from_mat3(&frame);
            let turn = frame * turn_between(frame, self.target.frame);
            let mut missing = self.row(lever, self.target.position - shape.root - tip, turn);
            let distance = dot(&missing, &missing).sqrt();
            if distance <= REACHED * lever * pieces as f64 {
                break;
            }
            let share = f64::min(1.0, REACH * lever / distance);
            missing.iter_mut().for_each(|m| *m *= share);
            // Of all changes c with J c = missing, the one with the least c . K c: c = K^-1 J^T (J K^-1 J^T)^-1 missing.
            let rows = self.rows(tip, chain.twists.as_flattened().iter(), lever);
            let mut compliance = SymmetricBand::zeros(6, 5);
            for (i, row) in rows.iter().enumerate() {
                for (a, b) in (0..6).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                    compliance.add(a, b, row[a] * row[b] / stiffness[i % 3]);
                }
            }
            let scale = (0..6).map(|a| compliance.get(a, a)).sum::<f64>();
            (0..6).for_each(|a| compliance.add(a, a, SOFTNESS * scale));
            let Ok(factor) = compliance.factor() else { break };
            factor.solve(&mut missing);
            for (i, row) in rows.iter().enumerate() {
                shape.curvatures[i / 3][i % 3] += dot(row, &missing) / stiffness[i % 3];
            }
        }
    }

    /// How the tip moves with each unknown.
    fn rows<'a>(&self, tip: DVec3, twists: impl Iterator<Item = &'a Twist>, lever: f64) -> Vec<[f64; 6]> {
        twists.map(|twist| self.row(lever, twist.velocity(tip), twist.turn)).collect()
    }

    fn row(&self, lever: f64, shift: DVec3, turn: DVec3) -> [f64; 6] {
        let turn = if self.clamped { lever * turn } else { DVec3::ZERO };
        [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
    }
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
