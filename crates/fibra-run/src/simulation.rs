//! The interface between the methods and the run loop.

use crate::device::Card;
use crate::estimate::Estimate;
use fibra_core::frame::Frame;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_core::{Quantities, StepsTaken};
use fibra_scene::Quantity;

/// The simulation of one scene with one method.
pub trait Simulation: Send {
    /// Takes one step, at most up to `until` [s]; ends exactly at `until` if one step can reach it. A GPU may take several steps per call.
    /// The time step depends only on the state and `until`, so a resumed run repeats it.
    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure>;
    /// Moves the simulation to a GPU, which computes all further steps. Returns the reason if that is not possible.
    fn move_to(&mut self, _card: &Card) -> Result<(), String> {
        Err("this method runs only on the CPU".to_owned())
    }
    /// Simulated time [s].
    fn time(&self) -> f64;
    /// Returns warnings from the setup of the scene, for example that a file was repaired. Each is one line.
    fn warnings(&self) -> &[String] {
        &[]
    }
    /// Number of particles, vertices or elastons.
    fn items(&self) -> usize;
    /// Returns the current state as a frame.
    fn frame(&self, index: u32) -> Frame;
    /// Conserved and diagnostic quantities, by name, in SI units (`mass`, `kinetic_energy`, `momentum_x`, ...).
    fn quantities(&self) -> Quantities;
    /// Measures the quantity of an expectation, for one object or for all. Returns `None` if the object does not exist or the method does
    /// not define the quantity.
    fn measure(&self, quantity: Quantity, object: Option<&str>) -> Option<f64>;
    /// Returns everything needed for a bitwise identical continuation. Metadata keys that start with `run.` are reserved.
    fn save(&self) -> TensorFile<'_>;
    /// Loads a saved state of the same scene. After an error the simulation must not be stepped.
    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault>;
    /// Returns the wall-clock seconds spent in each stage so far, in the order in which a step runs the stages.
    fn stage_seconds(&self) -> Vec<(&'static str, f64)>;
    /// Estimates the cost of a run from the current state; `None` if the method has no estimate.
    fn estimate(&self) -> Option<Estimate> {
        None
    }
}

/// The reason why a step failed, with a remedy for the user.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} in stage `{stage}` at t = {time:.6} s\n  {remedy}")]
pub struct Failure {
    /// Description of the error, with the object, the particle and the value.
    pub what: String,
    /// The stage that detected the error.
    pub stage: String,
    /// Simulated time [s].
    pub time: f64,
    /// Suggested change of the scene or the settings.
    pub remedy: String,
    /// Whether the cause is the machine instead of the scene.
    pub machine: bool,
}
