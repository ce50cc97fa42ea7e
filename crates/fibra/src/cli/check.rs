//! `fibra check`: checks a scene without running it, and estimates the cost of the run.

use super::{CliError, SceneArgs, print_line, print_warnings};
use fibra_run::RunEstimate;

/// Read and check a scene without running it; prints its size, time step, memory and rough run time
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let job = args.scene.load(None)?;
    print_warnings(&job);
    let items = job.simulation.items();
    print_line(&format!("{}: valid; {} frames at {} per second, {items} particles", job.name, job.frames, job.fps))?;
    match job.simulation.estimate() {
        Some(estimate) => {
            print_line(&RunEstimate { estimate: &estimate, frames: job.frames, fps: job.fps }.to_string())
        }
        None => Ok(()),
    }
}
