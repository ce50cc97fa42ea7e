//! `fibra export`: a run's frames as files for other programs.

use super::ctrl_c::stop_on_ctrl_c;
use super::numbered_files::{tell_of_gaps, tell_of_others};
use super::{CliError, say};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fibra_exchange::{Format, Writer};
use fibra_run::export::{Exported, export, export_formats};
use fibra_run::folder::RunFolder;
use std::path::{Path, PathBuf};

/// Write a run's frames as files for other programs, in world coordinates [m]
#[derive(clap::Args)]
pub struct Args {
    /// Folder of a run
    run: PathBuf,
    /// Format to write
    #[arg(long, value_parser = format_parser())]
    to: &'static Format,
    /// Folder to write to, or for USD a file FILE.usdc [default: a folder named like the format, inside the run's]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let out = args.out.clone().unwrap_or_else(|| args.run.join(args.to.name));
    check_target(args.to, &out)?;
    tell_of_gaps(&run)?;
    let stop = stop_on_ctrl_c()?;
    let Exported { frames, path } = export(&run, args.to, &out, &stop)?;
    tell_of_others(&out, args.to.written, &run.frames()?.indices);
    say(&format!("wrote {frames} frames to {}", path.display()))
}

/// The names of formats, each with its description.
fn format_parser() -> impl TypedValueParser<Value = &'static Format> {
    let values = export_formats().map(|format| PossibleValue::new(format.name).help(format.description));
    PossibleValuesParser::new(values)
        .try_map(|name| export_formats().find(|format| format.name == name).ok_or("no such format"))
}

/// Refuses a target that cannot be meant: a file where there will be many, or one of another kind.
fn check_target(format: &Format, out: &Path) -> Result<(), CliError> {
    let ending = out.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_one = matches!(format.write_run, Some(Writer::Run(_)));
    let allowed = match is_one {
        true => format!("a folder, or a file FILE.{}", format.written),
        false => "a folder: each frame gets a file of its own".to_owned(),
    };
    let is_file = is_one && ending == format.written;
    if out.is_dir() || is_file || !(out.exists() || has_ending(format, &ending)) {
        return Ok(());
    }
    Err(CliError::bad_input(format!("cannot write to {}; --out must name {allowed}", out.display())))
}

/// Whether files of a format, or of its relatives, have such an ending.
fn has_ending(format: &Format, ending: &str) -> bool {
    format.extensions.iter().chain(format.related).any(|known| *known == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_cannot_be_meant_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("there.txt");
        std::fs::write(&file, "").unwrap();
        let check =
            |name: &str, out: &Path| check_target(export_formats().find(|format| format.name == name).unwrap(), out);
        assert!(check("ply", folder.path()).is_ok());
        assert!(check("usd", folder.path()).is_ok());
        for (format, name) in [("ply", "new"), ("glb", "v1.2"), ("usd", "a.usdc"), ("usd", "a.USDC")] {
            assert!(check(format, &folder.path().join(name)).is_ok(), "{name}");
        }
        for (format, name) in [
            ("ply", "a.ply"),
            ("glb", "a.GLB"),
            ("usd", "a.usd"),
            ("usd", "a.usda"),
            ("vtk", "a.pvd"),
            ("usd", "there.txt"),
            ("obj", "there.txt"),
        ] {
            let error = check(format, &folder.path().join(name)).unwrap_err();
            assert!(matches!(&error, CliError::BadInput(text) if text.contains(name)), "{name}: {error}");
        }
    }
}
