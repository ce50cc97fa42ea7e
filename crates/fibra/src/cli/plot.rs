//! `fibra plot`: draws charts of a run's quantities, or of saved results of `fibra validate`.

use super::{CliError, print_line};
use fibra_render::charts::{CheckRow, PlotFormat, write_checks, write_plot};
use fibra_render::picture::PictureError;
use fibra_run::folder::RunFolder;
use std::path::{Path, PathBuf};

/// Draw charts of a run's energies, contacts, residuals and timings, or of the errors of validation cases, or write them as a table
#[derive(clap::Args)]
pub struct Args {
    /// Run folder, or a file written by `fibra validate --save`
    run: PathBuf,
    /// Output file: .png or .svg for charts, .csv for a table [default: plot.png inside the run folder, or FILE.svg beside saved results]
    #[arg(short, long, value_name = "FILE", value_parser = plot_file)]
    out: Option<PathBuf>,
    /// For saved results: draw only these cases and families of cases [default: all]
    #[arg(long, value_name = "CASE", num_args = 1..)]
    cases: Vec<String>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    if args.run.is_file() {
        return plot_results(args);
    }
    if !args.cases.is_empty() {
        return Err(CliError::bad_input(
            "`--cases` selects validation cases, but a run folder has none; leave it out".to_owned(),
        ));
    }
    let run = RunFolder::open(&args.run)?;
    let path = args.out.clone().unwrap_or_else(|| args.run.join("plot.png"));
    write_plot(&path, PlotFormat::of(&path).unwrap_or(PlotFormat::Png), &run.read_report()?)
        .map_err(PictureError::Write)?;
    print_line(&path.display().to_string())
}

/// Draws the errors of saved validation results relative to their tolerances.
fn plot_results(args: &Args) -> Result<(), CliError> {
    let bad = |problem: String| CliError::bad_input(format!("{}: {problem}", args.run.display()));
    let text = std::fs::read_to_string(&args.run).map_err(|error| bad(error.to_string()))?;
    let results: Vec<SavedCheck> = serde_json::from_str(&text)
        .map_err(|error| bad(format!("{error}; results are written by `fibra validate --save FILE`")))?;
    let is_selected = |name: &str| {
        args.cases.is_empty() || args.cases.iter().any(|case| name == case || name.starts_with(&format!("{case}-")))
    };
    let rows: Vec<CheckRow> =
        results.into_iter().filter(|check| is_selected(&check.name)).map(SavedCheck::into_row).collect();
    if rows.is_empty() {
        return Err(bad(format!("there are no results of {}", args.cases.join(", "))));
    }
    let path = args.out.clone().unwrap_or_else(|| args.run.with_extension("svg"));
    write_checks(&path, PlotFormat::of(&path).unwrap_or(PlotFormat::Svg), "error / tolerance", &rows)
        .map_err(PictureError::Write)?;
    print_line(&path.display().to_string())
}

/// The parts of a saved check that are drawn.
#[derive(serde::Deserialize)]
struct SavedCheck {
    name: String,
    /// `null` if it is not finite.
    error: Option<f64>,
    tolerance: f64,
    pass: bool,
}

impl SavedCheck {
    fn into_row(self) -> CheckRow {
        let error = self.error.map_or(f64::INFINITY, f64::abs);
        // A tolerance of 0 allows no error.
        let ratio = if error == 0.0 { 0.0 } else { error / self.tolerance };
        CheckRow { name: self.name, ratio, pass: self.pass }
    }
}

fn plot_file(text: &str) -> Result<PathBuf, String> {
    match PlotFormat::of(Path::new(text)) {
        Some(_) => Ok(PathBuf::from(text)),
        None => Err("must end in .png, .svg or .csv".to_owned()),
    }
}
