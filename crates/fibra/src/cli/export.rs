//! `fibra export`: writes the frames of a run in formats of other programs.

use super::ctrl_c::stop_on_ctrl_c;
use super::numbered_files::{print_missing_frames, print_stale_files};
use super::{CliError, print_line};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fibra_exchange::Format;
use fibra_exchange::writers::Writer;
use fibra_run::export::{Exported, export, export_formats};
use fibra_run::folder::RunFolder;
use std::path::{Path, PathBuf};

/// Write the frames of a run in a format of other programs, in world coordinates [m]
#[derive(clap::Args)]
pub struct Args {
    /// Run folder
    run: PathBuf,
    /// Format to write
    #[arg(long, value_parser = format_parser())]
    to: &'static Format,
    /// Output folder, or for USD a file FILE.usdc [default: a folder inside the run folder, named after the format]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let out = args.out.clone().unwrap_or_else(|| args.run.join(args.to.name));
    check_target(args.to, &out)?;
    print_missing_frames(&run)?;
    let stop = stop_on_ctrl_c()?;
    let Exported { frames, path } = export(&run, args.to, &out, &stop)?;
    print_stale_files(&out, args.to.written, &run.frames()?.indices);
    print_line(&format!("wrote {frames} frames to {}", path.display()))
}

/// Parses the name of a format, and lists all formats in `--help` and in errors.
fn format_parser() -> impl TypedValueParser<Value = &'static Format> {
    let values = export_formats().map(|format| PossibleValue::new(format.name).help(format.description));
    PossibleValuesParser::new(values)
        .try_map(|name| export_formats().find(|format| format.name == name).ok_or("no such format"))
}

/// Rejects a target that cannot be right: a file name when there is one file per frame, or a file of another format.
fn check_target(format: &Format, out: &Path) -> Result<(), CliError> {
    let ending = out.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_single = matches!(format.write_run, Some(Writer::Run(_)));
    let allowed = match is_single {
        true => format!("a folder, or a file FILE.{}", format.written),
        false => "a folder: each frame is written to its own file".to_owned(),
    };
    let is_file = is_single && ending == format.written;
    if out.is_dir() || is_file || !(out.exists() || has_ending(format, &ending)) {
        return Ok(());
    }
    Err(CliError::bad_input(format!("cannot write to {}; --out must name {allowed}", out.display())))
}

/// Whether files of a format or of related formats have this extension.
fn has_ending(format: &Format, ending: &str) -> bool {
    format.extensions.iter().chain(format.related).any(|known| *known == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_the_wrong_kind_are_rejected() {
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
