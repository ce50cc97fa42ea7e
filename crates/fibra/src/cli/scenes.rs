//! `fibra scenes`: what comes built in.

use super::CliError;

/// List the built-in scenes
#[derive(clap::Args)]
pub struct Args {
    /// Print an array of objects: name, paper, figure, method, about
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    super::say(if args.json { "[]" } else { "no scenes are built in" })
}
