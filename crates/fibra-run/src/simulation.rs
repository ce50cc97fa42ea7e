//! The one interface by which the run loop, the checkpoint writer and the preview know a method.

use crate::device::Card;
use crate::estimate::Estimate;
use fibra_core::frame::Frame;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_core::{Quantities, StepsTaken};
use fibra_scene::Quantity;

/// A method at work on one scene.
pub trait Simulation: Send {
    /// Takes one step, no further than `until` [s]; lands exactly on `until` when it is within reach.
    /// How long the step is depends on the state and `until` alone, so a resumed run repeats it.
    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure>;
    /// Lets a graphics card do the steps from now on; says why not, if it cannot.
    fn move_to(&mut self, _card: &Card) -> Result<(), String> {
        Err("this method is computed on the processor only".to_owned())
    }
    /// Simulated time [s].
    fn time(&self) -> f64;
    /// What its user should know about how it was made, each in one line: that a file was repaired, say.
    fn warnings(&self) -> &[String] {
        &[]
    }
    /// Number of particles, vertices or elastons.
    fn items(&self) -> usize;
    /// What to write and draw now.
    fn frame(&self, index: u32) -> Frame;
    /// Conserved and diagnostic quantities, by name, in SI units (`mass`, `kinetic_energy`, `momentum_x`, ...).
    fn quantities(&self) -> Quantities;
    /// What an expectation of the scene asks for, of one object or of all; `None` where there is no such object, or where the quantity has
    /// no meaning for the method.
    fn measure(&self, quantity: Quantity, object: Option<&str>) -> Option<f64>;
    /// Everything needed to go on with the same bits. Metadata keys that begin with `run.` are taken.
    fn save(&self) -> TensorFile<'_>;
    /// Takes up a saved state of the same scene. After an error the simulation is not to be stepped.
    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault>;
    /// Wall seconds spent so far, by stage, in the order of the step.
    fn stage_seconds(&self) -> Vec<(&'static str, f64)>;
    /// Estimates the cost of a run from the current state; `None` if the method has no estimate.
    fn estimate(&self) -> Option<Estimate> {
        None
    }
}

/// Why a run cannot go on, in terms a user can act on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} in stage `{stage}` at t = {time:.6} s\n  {remedy}")]
pub struct Failure {
    /// What went wrong, naming the object and the particle and the value.
    pub what: String,
    /// The stage of the step in which it was seen.
    pub stage: String,
    /// Simulated time [s].
    pub time: f64,
    /// What to change.
    pub remedy: String,
    /// Whether the machine, not the scene, is to blame.
    pub machine: bool,
}
