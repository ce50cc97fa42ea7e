//! `fibra check`: is a scene right, without running it?

use super::{CliError, SceneArgs, say, warn};

/// Read and check a scene without running it
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let job = args.scene.load(None)?;
    warn(&job);
    let items = job.simulation.items();
    say(&format!("{}: good; {} frames at {} per second, {items} particles", job.name, job.frames, job.fps))
}
