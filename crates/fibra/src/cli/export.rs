//! `fibra export`: a run's frames as files for other programs.

use super::{CliError, say};
use crate::export::{Exported, Format, export};
use crate::run_folder::RunFolder;
use std::io::Write;
use std::path::PathBuf;

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
    for gap in run.frames()?.gaps() {
        let _ = writeln!(std::io::stderr(), "note: frames {} to {} are missing", gap.start(), gap.end());
    }
    let out = args.out.clone().unwrap_or_else(|| args.run.join(folder_name(args.to)));
    let Exported { frames, path } = export(&run, args.to, &out)?;
    say(&format!("wrote {frames} frames to {}", path.display()))
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
