//! `fibra schema`: prints the JSON schema of scene files.

use super::{CliError, print_line};
use fibra_scene::schema;

/// Print the JSON schema of scene files, with the meaning and unit of every field
#[derive(clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn execute(_args: &Args) -> Result<(), CliError> {
    print_line(schema().trim_end())
}
