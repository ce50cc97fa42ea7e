//! `fibra export`: a run's frames as files for other programs.

use super::ctrl_c::stop_on_ctrl_c;
use super::numbered_files::{tell_of_gaps, tell_of_others};
use super::{CliError, say};
use fibra_run::export::{Exported, Format, export};
use fibra_run::folder::RunFolder;
use std::path::{Path, PathBuf};

/// Write a run's frames as files for other programs, in world coordinates [m]
#[derive(clap::Args)]
pub struct Args {
    /// Folder of a run
    run: PathBuf,
    /// Format to write
    #[arg(long, value_enum)]
    to: Format,
    /// Folder to write to, or for USD a file FILE.usdc [default: a folder named like the format, inside the run's]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let out = args.out.clone().unwrap_or_else(|| args.run.join(folder_name(args.to)));
    check_target(args.to, &out)?;
    tell_of_gaps(&run)?;
    let stop = stop_on_ctrl_c()?;
    let Exported { frames, path } = export(&run, args.to, &out, &stop)?;
    tell_of_others(&out, endings(args.to)[0], &run.frames()?.indices);
    say(&format!("wrote {frames} frames to {}", path.display()))
}

/// Refuses a target that cannot be meant: a file where there will be many, or one of another kind.
fn check_target(format: Format, out: &Path) -> Result<(), CliError> {
    let ending = out.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_stage = format == Format::Usd && ending == "usdc";
    let allowed = match format {
        Format::Usd => "a folder, or a file FILE.usdc",
        _ => "a folder: each frame gets a file of its own",
    };
    if out.is_dir() || is_stage || !(out.exists() || endings(format).contains(&ending.as_str())) {
        return Ok(());
    }
    Err(CliError::bad_input(format!("cannot write to {}; --out must name {allowed}", out.display())))
}

fn folder_name(format: Format) -> &'static str {
    match format {
        Format::Ply => "ply",
        Format::Obj => "obj",
        Format::Vtk => "vtk",
        Format::Hair => "hair",
        Format::Usd => "usd",
        Format::Glb => "glb",
    }
}

/// Endings of files of a format and its relatives, first the one that is written for each frame.
fn endings(format: Format) -> &'static [&'static str] {
    match format {
        Format::Ply => &["ply"],
        Format::Obj => &["obj"],
        Format::Vtk => &["vtp", "vtk", "pvd"],
        Format::Hair => &["hair"],
        Format::Usd => &["usdc", "usd", "usda", "usdz"],
        Format::Glb => &["glb", "gltf"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_cannot_be_meant_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("there.txt");
        std::fs::write(&file, "").unwrap();
        let check = |format, out: &Path| check_target(format, out);
        assert!(check(Format::Ply, folder.path()).is_ok());
        assert!(check(Format::Usd, folder.path()).is_ok());
        for (format, name) in
            [(Format::Ply, "new"), (Format::Glb, "v1.2"), (Format::Usd, "a.usdc"), (Format::Usd, "a.USDC")]
        {
            assert!(check(format, &folder.path().join(name)).is_ok(), "{name}");
        }
        for (format, name) in [
            (Format::Ply, "a.ply"),
            (Format::Glb, "a.GLB"),
            (Format::Usd, "a.usd"),
            (Format::Usd, "a.usda"),
            (Format::Vtk, "a.pvd"),
            (Format::Usd, "there.txt"),
            (Format::Obj, "there.txt"),
        ] {
            let error = check(format, &folder.path().join(name)).unwrap_err();
            assert!(matches!(&error, CliError::BadInput(text) if text.contains(name)), "{name}: {error}");
        }
    }
}
