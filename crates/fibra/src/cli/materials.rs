//! `fibra materials`: lists the material presets.

use super::{CliError, print_line};
use fibra_scene::{material_presets, material_presets_markdown};

/// List the materials that scenes can choose by name, as in `material.cloth.preset = "silk"`
#[derive(clap::Args)]
pub struct Args {
    /// Print an array of objects: name, about, and for each material its values in SI units with their sources
    #[arg(long)]
    json: bool,
    /// Print the page of the book: all values with units and sources
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    if args.markdown {
        return print_line(material_presets_markdown().trim_end());
    }
    let presets = material_presets();
    if args.json {
        return print_line(&format!("{presets:#}"));
    }
    for preset in presets.as_array().into_iter().flatten() {
        let kinds: Vec<&str> =
            preset["materials"].as_object().into_iter().flatten().map(|(kind, _)| kind.as_str()).collect();
        let (name, about) = (preset["name"].as_str().unwrap_or_default(), preset["about"].as_str().unwrap_or_default());
        print_line(&format!("{name:14} {:22} {about}", kinds.join(", ")))?;
    }
    Ok(())
}
