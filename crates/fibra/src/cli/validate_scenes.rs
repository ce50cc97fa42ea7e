//! `fibra validate --scenes`: runs built-in scenes to their end and checks their expectations.

use super::cases::select;
use super::ctrl_c::stop_on_ctrl_c;
use super::{CliError, print_line, print_note};
use fibra_run::{Device, expectations};
use fibra_scene::builtin::{self, BuiltinScene};
use fibra_validation::Case;
use fibra_validation::scenes::{Judged, SceneOptions, SceneResult, judge};
use std::path::{Path, PathBuf};

/// Arguments that select and configure runs of scenes.
#[derive(clap::Args)]
pub struct SceneRuns {
    /// Instead of cases, run built-in scenes to their end and check their expectations
    #[arg(long)]
    pub scenes: bool,
    /// Apply this preset and skip scenes that do not have it
    #[arg(long, value_name = "NAME", requires = "scenes")]
    preset: Option<String>,
    /// Skip scenes whose estimated run time on the CPU exceeds this [s]
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, requires = "scenes")]
    at_most: Option<f64>,
    /// Keep the runs in this folder, one folder per scene [default: a temporary folder]
    #[arg(short, long, value_name = "DIR", requires = "scenes")]
    out: Option<PathBuf>,
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 => Ok(seconds),
        _ => Err("must be a number of seconds above 0".to_owned()),
    }
}

/// Runs the scenes named `names`, or all of them.
pub fn execute(args: &SceneRuns, names: &[String], device: Device, json: bool) -> Result<(), CliError> {
    let all: Vec<Case<&BuiltinScene>> =
        builtin::SCENES.iter().map(|scene| Case { name: scene.name, about: "", run: scene }).collect();
    let chosen = select(&all, names, "built-in scene")?;
    let (card, why_not) = device.open().map_err(CliError::bad_input)?;
    if let Some(why) = why_not {
        print_note(&format!("computing on the CPU: {why}"));
    }
    let stop = stop_on_ctrl_c()?;
    let temporary = Temporary(std::env::temp_dir().join(format!("fibra-scenes-{}", std::process::id())));
    let options = SceneOptions {
        preset: args.preset.as_deref(),
        at_most: args.at_most,
        card: card.as_ref(),
        folder: args.out.as_deref().unwrap_or(&temporary.0),
        stop: &stop,
    };
    let mut results = Vec::new();
    let mut skipped = 0;
    for Case { run: scene, .. } in chosen {
        match judge(scene, &options)? {
            Judged::Run(result) => {
                if !json {
                    print_line(&lines_of(&result))?;
                }
                results.push(result);
            }
            Judged::Skipped(reason) => {
                skipped += 1;
                print_note(&format!("skip {}: {reason}", scene.name));
            }
            Judged::Interrupted => return Err(CliError::Interrupted(format!("interrupted in {}\n", scene.name))),
        }
        temporary.clear(scene.name);
    }
    let failed = results.iter().filter(|result| !result.pass).count();
    if json {
        print_line(&serde_json::to_string_pretty(&results).expect("results have only string keys"))?;
    } else {
        print_line(&format!("{} scenes hold, {failed} fail, {skipped} skipped", results.len() - failed))?;
    }
    if failed == 0 { Ok(()) } else { Err(CliError::FailedQuietly) }
}

/// Returns one line about a scene, and one line for each expectation that failed.
fn lines_of(result: &SceneResult) -> String {
    let verdict = if result.pass { "ok" } else { "FAIL" };
    let mut text = match &result.message {
        Some(message) => format!("{verdict:4} {:20} {message}", result.scene),
        None => format!(
            "{verdict:4} {:20} {} expectations; {} frames of {:.3} s, {} items, {:.0} MB",
            result.scene,
            result.expectations.len(),
            result.frames,
            result.seconds_per_frame,
            result.items,
            result.peak_rss_bytes as f64 / 1e6,
        ),
    };
    let failed: Vec<_> = result.expectations.iter().filter(|result| !result.pass).cloned().collect();
    if !failed.is_empty() {
        text = format!("{text}\n{}", expectations::table(&failed).trim_end());
    }
    text
}

/// A folder that is removed when the command ends.
struct Temporary(PathBuf);

impl Temporary {
    /// Removes the run of a scene, so that only one run takes space on the disk.
    fn clear(&self, scene: &str) {
        remove(&self.0.join(scene));
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Removes a folder if it exists. A folder that cannot be removed is not worth an error.
fn remove(folder: &Path) {
    std::fs::remove_dir_all(folder).ok();
}
