//! `fibra scenes`: lists the built-in scenes.

use super::{CliError, print_line};
use fibra_scene::{Scene, builtin};
use serde_json::json;

/// List the built-in scenes and their presets
#[derive(clap::Args)]
pub struct Args {
    /// Print an array of objects: name, paper, figure, method, about, presets
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let mut entries = Vec::new();
    for builtin in builtin::SCENES {
        let name = builtin.name;
        let Scene { title, method, paper, figure, .. } = Scene::load(name, None, &[])?.scene;
        let presets = builtin.preset_names();
        if args.json {
            entries.push(json!({
                "name": name, "paper": paper, "figure": figure, "method": method, "about": title, "presets": presets
            }));
        } else if presets.is_empty() {
            print_line(&format!("{name:20} {title}"))?;
        } else {
            print_line(&format!("{name:20} {title} (presets: {})", presets.join(", ")))?;
        }
    }
    if args.json { print_line(&format!("{:#}", json!(entries))) } else { Ok(()) }
}
