//! `fibra schema`: what a scene file may hold.

use super::{CliError, say};
use fibra_scene::schema;

/// Print the JSON schema of scene files, every field with its meaning and unit
#[derive(clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn execute(_args: &Args) -> Result<(), CliError> {
    say(schema().trim_end())
}
