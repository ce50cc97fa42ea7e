//! `fibra schema`: prints the JSON schema of scene files, or the scene reference.

use super::{CliError, print_line};
use fibra_scene::{scene_reference, schema};

/// Print the JSON schema of scene files, with the meaning and unit of every field
#[derive(clap::Args)]
pub struct Args {
    /// Print the scene reference as a Markdown page instead
    #[arg(long)]
    markdown: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let text = if args.markdown { scene_reference() } else { schema() };
    print_line(text.trim_end())
}
