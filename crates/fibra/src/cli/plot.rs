//! `fibra plot`: draws charts of a run's quantities.

use super::{CliError, print_line};
use fibra_render::charts::{PlotFormat, write_plot};
use fibra_render::picture::PictureError;
use fibra_run::folder::RunFolder;
use std::path::{Path, PathBuf};

/// Draw charts of a run's energies, contacts, residuals and timings, or write its quantities as a table
#[derive(clap::Args)]
pub struct Args {
    /// Run folder
    run: PathBuf,
    /// Output file: .png or .svg for charts, .csv for a table [default: plot.png inside the run folder]
    #[arg(short, long, value_name = "FILE", value_parser = plot_file)]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let path = args.out.clone().unwrap_or_else(|| args.run.join("plot.png"));
    write_plot(&path, PlotFormat::of(&path).unwrap_or(PlotFormat::Png), &run.read_report()?)
        .map_err(PictureError::Write)?;
    print_line(&path.display().to_string())
}

fn plot_file(text: &str) -> Result<PathBuf, String> {
    match PlotFormat::of(Path::new(text)) {
        Some(_) => Ok(PathBuf::from(text)),
        None => Err("must end in .png, .svg or .csv".to_owned()),
    }
}
