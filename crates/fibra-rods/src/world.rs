//! The three structs of a simulation: [`Params`], [`State`] and [`Workspace`].

use crate::body::Body;
use crate::contact::ContactKey;
use crate::contact::detection::Surface;
use crate::contact::pairs::Pairs;
use crate::one_step::rows::FreeBody;
use crate::one_step::solve::ContactReport;
use crate::settings::RodSettings;
use crate::step::{Stage, Turning};
use fibra_core::geometry::{Collider, PlacedCollider};
use fibra_core::stage_clock::StageClock;
use glam::DVec3;
use rustc_hash::FxHashMap;

/// Everything the user sets, except the bodies. A step does not change it; the motions of colliders may be replaced between steps.
#[derive(Clone, Debug, Default)]
pub struct Params {
    /// Settings of the whole simulation.
    pub settings: RodSettings,
    /// Friction and restitution of each body.
    pub surfaces: Vec<Surface>,
    /// Pairs with their own friction and restitution.
    pub pairs: Pairs,
    /// Colliders with a prescribed motion.
    pub colliders: Vec<Collider>,
}

/// The contents of a checkpoint.
///
/// A body holds its own parameters, state and scratch memory. A checkpoint contains only its state, as returned by
/// [`Rod::save`](crate::rod::Rod::save). The caller rebuilds the parameters.
#[derive(Default)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Number of steps so far.
    pub steps: u64,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The contacts of the last step, sorted by key. They warm-start the next step.
    pub contacts: Vec<Touch>,
    /// Angular momentum of each body that the next step restores.
    pub turning: Vec<Turning>,
    /// Counts and extremes over all steps so far. They are saved so that a resumed run reports the same as an uninterrupted one.
    pub statistics: Statistics,
}

/// A contact of the last step, stored to warm-start the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Identifies the contact.
    pub key: ContactKey,
    /// Position along the segment of the first side, 0 to 1 [-].
    pub share: f64,
    /// Unit normal, toward the first side.
    pub normal: DVec3,
    /// Force on the first side [N].
    pub force: DVec3,
}

/// Counts and extremes over all steps. They do not affect the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Number of steps with contacts; each substep counts as a step.
    pub contact_steps: u64,
    /// Number of steps that did not reach the tolerance.
    pub unsolved_steps: u64,
    /// Largest number of contacts.
    pub most_contacts: usize,
    /// Largest conditioning number `nu`, the ratio of constraints to unknowns.
    pub largest_nu: f64,
    /// Largest `|f|^2`.
    pub worst_residual: f64,
    /// Largest number of Newton iterations in a step.
    pub most_iterations: usize,
}

impl Statistics {
    /// Adds a step.
    pub fn add(&mut self, report: &ContactReport) {
        self.contact_steps += u64::from(report.contacts > 0);
        self.unsolved_steps += u64::from(report.unsolved > 0);
        self.most_contacts = self.most_contacts.max(report.contacts);
        self.largest_nu = self.largest_nu.max(report.nu());
        self.worst_residual = self.worst_residual.max(report.residual);
        self.most_iterations = self.most_iterations.max(report.newton_iterations);
    }
}

/// Scratch memory, timers and the report of the last step. Discarding the workspace does not change any result.
#[derive(Default)]
pub struct Workspace {
    /// Wall time spent in each stage.
    pub clock: StageClock<Stage>,
    /// Solver report of the last step; empty after a checkpoint has been loaded.
    pub last: ContactReport,
    /// The step of every body without contact.
    pub(crate) free: Vec<FreeBody>,
    /// Velocities of the points of each body at the end of the step without contact [m/s].
    pub(crate) free_velocities: Vec<Vec<DVec3>>,
    /// The colliders at the start of the step.
    pub(crate) placed: Vec<PlacedCollider>,
    /// The contacts of the last step, by key.
    pub(crate) before: FxHashMap<ContactKey, Touch>,
}
