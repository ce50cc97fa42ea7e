//! `fibra scenes`: what comes built in.

use super::{CliError, say};
use fibra_scene::{Scene, builtin};
use serde_json::json;

/// List the built-in scenes
#[derive(clap::Args)]
pub struct Args {
    /// Print an array of objects: name, paper, figure, method, about
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let mut entries = Vec::new();
    for builtin in builtin::SCENES {
        let Scene { title, method, paper, figure, .. } = Scene::load(builtin.name, None, &[])?.scene;
        if args.json {
            let name = builtin.name;
            entries.push(json!({ "name": name, "paper": paper, "figure": figure, "method": method, "about": title }));
        } else {
            say(&format!("{:20} {title}", builtin.name))?;
        }
    }
    if args.json { say(&format!("{:#}", json!(entries))) } else { Ok(()) }
}
