//! The checkpoint of a run: the simulation's state and the position in the run.

use crate::simulation::Simulation;
use fibra_core::atomic_file::WriteError;
use fibra_core::tensor_file::{TensorFault, TensorFile, TensorFileError};
use std::path::{Path, PathBuf};

/// Position in a run. It contains no wall-clock time, so equal runs give equal checkpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// The frame to write next.
    pub next_frame: u32,
    /// Steps taken so far.
    pub steps: u64,
    /// Shortest time step so far, infinite before the first [s].
    pub dt_min: f64,
    /// Longest time step so far, 0 before the first [s].
    pub dt_max: f64,
}

impl Default for Position {
    fn default() -> Position {
        Position { next_frame: 0, steps: 0, dt_min: f64::INFINITY, dt_max: 0.0 }
    }
}

const FORMAT: &str = "fibra-checkpoint 1";

/// Writes the state of `simulation` atomically.
pub fn write(
    path: &Path,
    simulation: &dyn Simulation,
    position: &Position,
    scene_hash: &str,
) -> Result<(), WriteError> {
    let mut file = simulation.save();
    let entries = [
        ("run.format", FORMAT.to_owned()),
        ("run.fibra_version", env!("CARGO_PKG_VERSION").to_owned()),
        ("run.scene_hash", scene_hash.to_owned()),
        ("run.next_frame", position.next_frame.to_string()),
        ("run.steps", position.steps.to_string()),
        ("run.dt_min", position.dt_min.to_string()),
        ("run.dt_max", position.dt_max.to_string()),
    ];
    file.metadata.extend(entries.map(|(key, text)| (key.to_owned(), text)));
    file.write(path)
}

/// Loads the saved state into `simulation` and returns the position in the run.
pub fn read(path: &Path, simulation: &mut dyn Simulation, scene_hash: &str) -> Result<Position, CheckpointError> {
    let file = TensorFile::read(path).map_err(CheckpointError::Unusable)?;
    let damaged = |fault: TensorFault| CheckpointError::Unusable(fault.in_file(path));
    let format = file.text("run.format").map_err(damaged)?;
    if format != FORMAT {
        return Err(damaged(TensorFault::Metadata {
            key: "run.format".to_owned(),
            reason: format!("is `{format}`, expected `{FORMAT}`"),
        }));
    }
    if file.text("run.scene_hash").map_err(damaged)? != scene_hash {
        return Err(CheckpointError::OtherScene(path.to_owned()));
    }
    let position = position(&file).map_err(damaged)?;
    simulation.load(&file).map_err(damaged)?;
    Ok(position)
}

fn position(file: &TensorFile) -> Result<Position, TensorFault> {
    Ok(Position {
        next_frame: file.parsed("run.next_frame")?,
        steps: file.parsed("run.steps")?,
        dt_min: file.parsed("run.dt_min")?,
        dt_max: file.parsed("run.dt_max")?,
    })
}

/// Why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read or is damaged.
    #[error("cannot resume: {0}\n  start the run again with --force")]
    Unusable(TensorFileError),
    /// The checkpoint was written for another scene.
    #[error(
        "cannot resume: {} belongs to a different scene (the scene, a preset or a --set has changed)\n  \
         resume with the settings it began with, or start again with --force",
        .0.display()
    )]
    OtherScene(PathBuf),
}
