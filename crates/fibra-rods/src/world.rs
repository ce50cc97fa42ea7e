//! What a run of rods consists of: what the user set, what it continues from, and what it found out on the way.

use crate::body::Body;
use crate::contact::ContactKey;
use crate::contact::detection::Surface;
use crate::one_step::solve::{ContactReport, SolverSettings};
use fibra_core::geometry::Collider;
use glam::DVec3;

/// Everything the user set besides the bodies themselves.
#[derive(Clone, Debug)]
pub struct Params {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// The point that coordinates start from [m].
    pub origin: DVec3,
    /// Length of a step [s]; where bodies approach faster than they are thick, steps are cut into shorter ones.
    pub dt: f64,
    /// How each body rubs and bounces.
    pub surfaces: Vec<Surface>,
    /// What they bump into.
    pub colliders: Vec<Collider>,
    /// How well contacts are solved.
    pub solver: SolverSettings,
}

/// Everything a run continues from.
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The contacts of the last step, in the order of their keys: where the next one's solution is looked for first.
    pub contacts: Vec<Touch>,
}

/// A contact as it is remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which contact.
    pub key: ContactKey,
    /// How far along the segment of its first side it is [-].
    pub share: f64,
    /// Its normal.
    pub normal: DVec3,
    /// Its force [N].
    pub force: DVec3,
}

/// Stages of a step, in order.
pub const STAGES: [&str; 5] = ["form", "detect", "rows", "solve", "advance"];

/// What a run found out: nothing that follows depends on it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The contacts of the last step.
    pub last: ContactReport,
    /// Steps with contacts; parts of cut ones count as steps.
    pub contact_steps: u64,
    /// Steps that missed the tolerance.
    pub unsolved_steps: u64,
    /// Largest number of contacts.
    pub most_contacts: usize,
    /// Largest conditioning number.
    pub largest_nu: f64,
    /// Largest `|f|^2`.
    pub worst_residual: f64,
    /// Most iterations of Newton's method in a step.
    pub most_iterations: usize,
    /// Wall seconds spent in each of [`STAGES`].
    pub seconds: [f64; STAGES.len()],
}

impl Account {
    /// Takes note of a step's contacts.
    pub fn note(&mut self, report: ContactReport) {
        self.last = report;
        self.contact_steps += u64::from(report.contacts > 0);
        self.unsolved_steps += u64::from(report.unsolved > 0);
        self.most_contacts = self.most_contacts.max(report.contacts);
        self.largest_nu = self.largest_nu.max(report.nu());
        self.worst_residual = self.worst_residual.max(report.residual);
        self.most_iterations = self.most_iterations.max(report.newton_iterations);
    }
}
