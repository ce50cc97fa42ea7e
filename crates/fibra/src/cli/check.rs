//! `fibra check`: checks a scene without running it.

use super::{CliError, SceneArgs, print_line, print_warnings};

/// Read and check a scene without running it
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
    print_line(&format!("{}: valid; {} frames at {} per second, {items} particles", job.name, job.frames, job.fps))
}
