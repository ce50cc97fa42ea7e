//! Continuation: static solutions of a scene while one of its parameters changes from frame to frame.

use super::RodsSimulation;
use crate::estimate::Estimate;
use crate::simulation::{Failure, Simulation};
use fibra_core::frame::Frame;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_core::{Quantities, StepsTaken};
use fibra_scene::setup::{Setup, set_up};
use fibra_scene::{Continuation, LoadedScene, Quantity, Scene, SceneError};

/// A scene of rods whose parameter changes. Each step builds the scene with the new value, starts it from the equilibrium of the previous step and brings
/// it to equilibrium again.
pub struct RodsContinuation {
    /// The resolved scene.
    text: String,
    continuation: Continuation,
    /// Time of the last frame [s].
    end: f64,
    current: RodsSimulation,
}

impl RodsContinuation {
    /// Creates the simulation of a scene with a continuation.
    pub fn new(loaded: &LoadedScene, continuation: Continuation) -> Result<RodsContinuation, SceneError> {
        let text = loaded.to_resolved_toml();
        let time = &loaded.scene.time;
        let end = f64::from(time.frames) / time.fps;
        let current = build(&text, &continuation, continuation.from).map_err(|error| {
            let message = format!("`{{}}` cannot set `{}`: {error}", continuation.parameter);
            let remedy = "write the path of a number of the scene, such as `gravity.1` or `object.beam.pull.0.force.1`";
            loaded.error_at("rods.continuation.parameter", &message, remedy)
        })?;
        // A last value that the scene rejects is an error at the start, too.
        build(&text, &continuation, continuation.to).map_err(|error| {
            let message = format!("the scene does not allow the last value of `{}`: {error}", continuation.parameter);
            loaded.error_at("rods.continuation.to", &message, "write another value")
        })?;
        Ok(RodsContinuation { text, continuation, end, current })
    }

    /// Returns the value of the parameter at a time [s].
    fn value_at(&self, time: f64) -> f64 {
        let Continuation { from, to, .. } = self.continuation;
        if time >= self.end { to } else { from + (to - from) * (time / self.end) }
    }
}

fn build(text: &str, continuation: &Continuation, value: f64) -> Result<RodsSimulation, SceneError> {
    let loaded = Scene::load(text, None, &[format!("{}={value:?}", continuation.parameter)])?;
    match set_up(&loaded)? {
        Setup::Rods(setup) => Ok(RodsSimulation::new(*setup)),
        _ => Err(loaded.error_at("method", "a continuation needs method `rods`", "write `method = \"rods\"`")),
    }
}

impl Simulation for RodsContinuation {
    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure> {
        let value = self.value_at(until);
        let failure = |what: String| Failure {
            what,
            stage: "continuation".to_owned(),
            time: self.current.time(),
            remedy: "check the range of `rods.continuation`; the number of points must not change".to_owned(),
            machine: false,
        };
        let mut next = build(&self.text, &self.continuation, value)
            .map_err(|error| failure(format!("`{} = {value}`: {error}", self.continuation.parameter)))?;
        next.load(&self.current.save()).map_err(|error| {
            failure(format!("the scene with `{} = {value}` has other points: {error}", self.continuation.parameter))
        })?;
        self.current = next;
        self.current.step(until)
    }

    fn time(&self) -> f64 {
        self.current.time()
    }

    fn items(&self) -> usize {
        self.current.items()
    }

    fn frame(&self, index: u32) -> Frame {
        self.current.frame(index)
    }

    fn quantities(&self) -> Quantities {
        let mut quantities = self.current.quantities();
        quantities.insert("parameter", self.value_at(self.time()));
        quantities
    }

    fn measure(&self, quantity: Quantity, object: Option<&str>) -> Option<f64> {
        self.current.measure(quantity, object)
    }

    fn save(&self) -> TensorFile<'_> {
        self.current.save()
    }

    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        self.current.load(from)?;
        // The loads of the current frame depend on the parameter.
        if let Ok(mut next) = build(&self.text, &self.continuation, self.value_at(self.time())) {
            next.load(from)?;
            self.current = next;
        }
        Ok(())
    }

    fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.current.stage_seconds()
    }

    fn estimate(&self) -> Option<Estimate> {
        None
    }
}
