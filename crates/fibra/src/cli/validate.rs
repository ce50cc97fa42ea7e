//! `fibra validate`: compares simulations with closed-form solutions and measurements, or runs built-in scenes to their end.

use super::cases::{print_list, select};
use super::device_parser::device_parser;
use super::{CliError, open_card, print_line, validate_scenes};
use fibra_core::atomic_file::write_bytes_atomic;
use fibra_run::Device;
use fibra_validation::validation::{
    CASES, Case, Check, Finished, LONG_CASES, TIMED_CASES, run_alone, run_side_by_side,
};
use std::path::PathBuf;

/// Compare simulations with closed-form solutions and measurements; exits with 1 when a case fails
#[derive(clap::Args)]
pub struct Args {
    /// Cases or families of cases to run: `mpm-momentum` runs `mpm-momentum-linear` and `-angular`; with --scenes, built-in scenes [default: all]
    names: Vec<String>,
    /// Also run the long cases, which take up to an hour on the CPU and about ten minutes on an H200
    #[arg(long, conflicts_with = "scenes")]
    full: bool,
    /// Only list the cases
    #[arg(long, conflicts_with = "scenes")]
    list: bool,
    /// Print an array of objects: name, measured, expected, error, tolerance, pass, seconds
    #[arg(long)]
    json: bool,
    /// Also write the results to a file, as with --json; `fibra plot FILE` draws them
    #[arg(long, value_name = "FILE", conflicts_with = "scenes")]
    save: Option<PathBuf>,
    /// Device that computes the steps; GPUs have their own cases, and skip scenes of methods without a GPU version
    #[arg(long, value_parser = device_parser(), default_value_t = Device::Cpu)]
    device: Device,
    #[command(flatten)]
    scenes: validate_scenes::SceneRuns,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    if args.scenes.scenes {
        return validate_scenes::execute(&args.scenes, &args.names, args.device, args.json);
    }
    if args.device != Device::Cpu {
        return run_on_gpu(args);
    }
    let long = if args.full { LONG_CASES } else { &[] };
    let cases = select(CASES.iter().chain(long).chain(TIMED_CASES), &args.names, "validation case")?;
    if args.list {
        return print_list(&cases, args.json);
    }
    let mut records = Vec::new();
    let mut note = |finished: Finished| note(args, &mut records, finished.case.name, finished.checks, finished.seconds);
    let is_timed = |case: &Case| TIMED_CASES.iter().any(|timed| timed.name == case.name);
    let (timed, others): (Vec<&Case>, Vec<&Case>) = cases.into_iter().partition(|case| is_timed(case));
    run_side_by_side(&others, rayon::current_num_threads(), &mut note)?;
    timed.into_iter().try_for_each(|case| note(run_alone(case)))?;
    finish(args, &records)
}

/// Runs the GPU cases.
#[cfg(feature = "gpu")]
fn run_on_gpu(args: &Args) -> Result<(), CliError> {
    use fibra_validation::validation::{CARD_CASES, LONG_CARD_CASES};
    let long = if args.full { LONG_CARD_CASES } else { &[] };
    let cases = select(CARD_CASES.iter().chain(long), &args.names, "GPU validation case")?;
    if args.list {
        return print_list(&cases, args.json);
    }
    let card = open_card(args.device)?;
    let mut records = Vec::new();
    for case in cases {
        let begun = std::time::Instant::now();
        let checks = (case.run)(&card);
        note(args, &mut records, case.name, checks, begun.elapsed().as_secs_f64())?;
    }
    finish(args, &records)
}

/// Returns an error with the reason: this program was built without the feature `gpu`.
#[cfg(not(feature = "gpu"))]
fn run_on_gpu(args: &Args) -> Result<(), CliError> {
    open_card(args.device).map(|_| ())
}

/// Prints the results of a case, unless they are printed at the end.
fn note(
    args: &Args,
    records: &mut Vec<Record>,
    name: &str,
    checks: Result<Vec<Check>, String>,
    seconds: f64,
) -> Result<(), CliError> {
    let checks = checks.map_err(|failure| CliError::failed(format!("{name}: {failure}")))?;
    for record in checks.into_iter().map(|check| Record { pass: check.passes(), check, seconds }) {
        if !args.json {
            print_line(&record.to_line())?;
        }
        records.push(record);
    }
    Ok(())
}

/// Prints or saves the results as JSON, if requested. Returns an error if a case failed.
fn finish(args: &Args, records: &[Record]) -> Result<(), CliError> {
    let json = || serde_json::to_string_pretty(records).expect("records have only string keys");
    if args.json {
        print_line(&json())?;
    }
    if let Some(path) = &args.save {
        write_bytes_atomic(path, json().as_bytes())
            .map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
    }
    if records.iter().all(|record| record.pass) { Ok(()) } else { Err(CliError::FailedQuietly) }
}

/// One comparison as it is printed.
#[derive(serde::Serialize)]
struct Record {
    #[serde(flatten)]
    check: Check,
    pass: bool,
    seconds: f64,
}

impl Record {
    fn to_line(&self) -> String {
        let Record { check, pass, seconds } = self;
        format!(
            "{:4} {:28} measured {:<12.6e} expected {:<12.6e} error {:.1e} of {:.1e}  {seconds:.1} s",
            if *pass { "ok" } else { "FAIL" },
            check.name,
            check.measured,
            check.expected,
            check.error,
            check.tolerance,
        )
    }
}
