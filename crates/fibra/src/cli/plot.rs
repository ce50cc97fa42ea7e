//! `fibra plot`: a run's numbers as charts.

use super::{CliError, say};
use fibra_render::charts::{PlotFormat, write_plot};
use fibra_render::picture::PictureError;
use fibra_run::folder::RunFolder;
use std::path::{Path, PathBuf};

/// Draw a run's energies, contacts, residuals and times as charts
#[derive(clap::Args)]
pub struct Args {
    /// Folder of a run
    run: PathBuf,
    /// File to write, .png or .svg [default: plot.png inside the run's folder]
    #[arg(short, long, value_name = "FILE", value_parser = plot_file)]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let path = args.out.clone().unwrap_or_else(|| args.run.join("plot.png"));
    write_plot(&path, PlotFormat::of(&path).unwrap_or(PlotFormat::Png), &run.read_report()?)
        .map_err(PictureError::Write)?;
    say(&path.display().to_string())
}

fn plot_file(text: &str) -> Result<PathBuf, String> {
    match PlotFormat::of(Path::new(text)) {
        Some(_) => Ok(PathBuf::from(text)),
        None => Err("must end in .png or .svg".to_owned()),
    }
}
