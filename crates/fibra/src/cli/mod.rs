//! The `fibra` command: arguments, one file per subcommand, and exit codes.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | success |
//! | 1 | a run, an expectation or a validation failed, or a tolerance was not met |
//! | 2 | invalid input: arguments, scene, folder or file |
//! | 130 | interrupted by Ctrl-C; `fibra run` writes a checkpoint first |

mod bench;
mod cases;
mod check;
mod ctrl_c;
mod device_parser;
mod error;
mod export;
mod friction;
mod materials;
mod numbered_files;
mod plot;
mod progress;
mod render;
mod run;
mod scene_args;
mod scenes;
mod schema;
mod validate;
mod validate_scenes;
mod view;

pub use error::CliError;
pub use scene_args::SceneArgs;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Simulates cloth, hair, rods and granular materials with frictional contact. All quantities are in SI units: m, kg, s, Pa.
#[derive(Parser)]
#[command(name = "fibra", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Scenes(scenes::Args),
    Run(run::Args),
    Check(check::Args),
    Render(render::Args),
    View(view::Args),
    Plot(plot::Args),
    Export(export::Args),
    Validate(validate::Args),
    Bench(bench::Args),
    Friction(friction::Args),
    Schema(schema::Args),
    Materials(materials::Args),
}

/// Parses the command line, runs the subcommand and returns the exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are also returned as errors by clap. A failure to print them cannot be reported anywhere.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let outcome = match cli.command {
        Command::Scenes(args) => scenes::execute(&args),
        Command::Run(args) => run::execute(&args),
        Command::Check(args) => check::execute(&args),
        Command::Render(args) => render::execute(&args),
        Command::View(args) => view::execute(&args),
        Command::Plot(args) => plot::execute(&args),
        Command::Export(args) => export::execute(&args),
        Command::Validate(args) => validate::execute(&args),
        Command::Bench(args) => bench::execute(&args),
        Command::Friction(args) => friction::execute(&args),
        Command::Schema(args) => schema::execute(&args),
        Command::Materials(args) => materials::execute(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = write!(std::io::stderr(), "{error}");
            error.exit_code()
        }
    }
}

/// Prints a line on standard output. Returns an error instead of panicking when standard output is closed.
fn print_line(line: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(CliError::from_output)
}

/// Prints the warnings from building a simulation on standard error.
fn print_warnings(job: &fibra_run::Job) {
    job.simulation.warnings().iter().for_each(|warning| print_note(&format!("warning: {warning}")));
}

/// Prints a line on standard error. Ignores errors.
fn print_note(line: &str) {
    writeln!(std::io::stderr().lock(), "{line}").ok();
}

/// Sets the number of worker threads of the process. `None` uses all cores.
fn use_threads(threads: Option<usize>) -> Result<(), CliError> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| CliError::failed(format!("cannot start {threads} threads: {error}")))
}

/// Opens the requested GPU. It is an error if there is none.
fn open_card(device: fibra_run::Device) -> Result<fibra_run::device::Card, CliError> {
    let (card, why_not) = device.open().map_err(CliError::bad_input)?;
    card.ok_or_else(|| CliError::bad_input(format!("no GPU can be used: {}", why_not.unwrap_or_default())))
}

/// Parses the number of threads, from 1 to 1024.
fn thread_count(text: &str) -> Result<usize, String> {
    const MAX_THREADS: usize = 1024;
    match text.parse() {
        Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
        _ => Err(format!("must be a whole number from 1 to {MAX_THREADS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn documented_command_lines_parse() {
        for line in [
            "scenes --json",
            "run sand-column -o out/x --preset paper --frames 10 --set time.fps=30 --set a.b=c --threads 2 --device cpu",
            "run --resume out/x",
            "run sand-column --device auto",
            "run sand-column --device cuda",
            "validate --scenes jelly-drop --preset paper --device auto --at-most 20 -o out/scenes --json",
            "bench mpm-jelly --device vulkan",
            "run sand-column -o out/x --resume",
            "run sand-column --force --no-preview",
            "check my.toml --preset paper --set a=1",
            "render out/x -o pictures --frame 3 --size 640x360",
            "render out/x --gif film.gif",
            "view out/x --port 8000 --open",
            "plot out/x -o chart.svg",
            "plot results.json --cases rod contact -o rods.svg",
            "export out/x --to vtk -o vtk",
            "export out/x --to usd",
            "validate mpm-bar mpm-freefall --json",
            "validate rod --save rods.json",
            "validate --list",
            "bench --list --json --device cpu --threads 1",
            "friction box.json --solver gauss-seidel --tol 1e-6 --json --out r.json",
            "schema",
            "materials --markdown",
            "schema --markdown",
        ] {
            let words = std::iter::once("fibra").chain(line.split(' '));
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("fibra {line}: {error}");
            }
        }
    }

    #[test]
    fn invalid_command_lines_are_rejected() {
        for line in [
            "",
            "run",
            "run x --frames 0",
            "run x --threads 0",
            "run x --threads 99999",
            "run x --device abacus",
            "run x --resume --force",
            "run x --checkpoint-every -1",
            "render out --size 0x10",
            "render out --size 10",
            "render out --frame 3 --gif film.gif",
            "export out",
            "export out --to doc",
            "friction",
            "friction box.json --tol 0",
            "friction box.json --tol NaN",
            "friction box.json --solver abacus",
            "view",
            "view out --port 70000",
            "plot out -o chart.gif",
            "look out",
        ] {
            let words = std::iter::once("fibra").chain(line.split_whitespace());
            assert!(Cli::try_parse_from(words).is_err(), "fibra {line}");
        }
    }
}
