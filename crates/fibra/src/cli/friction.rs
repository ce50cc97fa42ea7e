//! `fibra friction`: solves a frictional contact problem given as a file.

use super::{CliError, print_line};
use clap::ValueEnum;
use fibra_core::atomic_file::write_bytes_atomic;
use fibra_rods::friction::auto::{AutoParams, solve_auto};
use fibra_rods::friction::file::read_friction_problem;
use fibra_rods::friction::gauss_seidel::solve_gauss_seidel;
use fibra_rods::friction::interior_point::{MAX_ITERATIONS, solve_interior_point};
use fibra_rods::friction::newton::{NewtonParams, solve_newton};
use fibra_rods::friction::problem::FrictionProblem;
use fibra_rods::friction::report::SolveReport;
use glam::DVec3;
use std::path::PathBuf;

/// Solve a frictional contact problem: velocities u = W r + b [m/s] and impulses r [N s] that obey Coulomb's law
///
/// The file is JSON: {"mu": [n], "b": [3n], "W": {"rows": [], "cols": [], "blocks": [[9, row by row], ...]}}, with coefficients of
/// friction mu [-], velocities without contact b [m/s] and 3x3 blocks of W [1/kg]; components are ordered normal, tangent, tangent, and contacts are
/// numbered from 0. W may be singular and asymmetric; any consistent set of units works. Exits with 1 when the tolerance is not met.
#[derive(clap::Args)]
pub struct Args {
    /// Problem file (JSON)
    file: PathBuf,
    /// Solver to use
    #[arg(long, value_enum, default_value_t = Solver::Auto)]
    solver: Solver,
    /// Tolerance on the error of the natural map, |r - P_K(r - u - mu |u_T| n)| / max(|b|, |r|, |u|) [-]
    #[arg(long, value_name = "T", default_value = "1e-8", value_parser = tolerance)]
    tol: f64,
    /// Print an object: solver, contacts, iterations, seconds [s], residual |f_AC| / (1 + |r|) [-], error [-]
    #[arg(long)]
    json: bool,
    /// Write the impulses, even if the tolerance is not met, as {"r": [3n]} [N s]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Solver {
    /// Nonsmooth Newton method on the Alart-Curnier function
    Newton,
    /// Gauss-Seidel sweeps over contacts, each solved exactly
    GaussSeidel,
    /// Interior-point method on second-order cones
    InteriorPoint,
    /// Interior point; Newton from its result; then Gauss-Seidel and Newton alternating; then a homotopy of smoothed problems
    Auto,
}

/// The object that `--json` prints.
#[derive(serde::Serialize)]
struct Record {
    solver: &'static str,
    contacts: usize,
    iterations: usize,
    seconds: f64,
    residual: f64,
    error: f64,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let problem = read_friction_problem(&args.file)?;
    let mut r = vec![DVec3::ZERO; problem.contacts()];
    let report = args.solver.solve(&problem, &mut r, args.tol);
    if let Some(out) = &args.out {
        let numbers: Vec<f64> = r.iter().flat_map(DVec3::to_array).collect();
        write_bytes_atomic(out, format!("{}\n", serde_json::json!({ "r": numbers })).as_bytes())?;
    }
    let SolveReport { contacts, iterations, seconds, residual, error, met } = report;
    let solver = args.solver.name();
    if args.json {
        let record = Record { solver, contacts, iterations, seconds, residual, error };
        print_line(&serde_json::to_string_pretty(&record).expect("records have only string keys"))?;
    } else {
        let verdict = if met { "met" } else { "NOT met" };
        print_line(&format!(
            "{solver}: {contacts} contacts, {iterations} iterations, {seconds:.3} s, residual {residual:.1e}, error {error:.1e}; \
             tolerance {:.1e} {verdict}",
            args.tol
        ))?;
    }
    if met { Ok(()) } else { Err(CliError::FailedQuietly) }
}

impl Solver {
    /// Solves the problem, starting from the impulses in `r`.
    fn solve(self, problem: &FrictionProblem, r: &mut [DVec3], tolerance: f64) -> SolveReport {
        match self {
            Solver::Newton => solve_newton(problem, r, tolerance, &NewtonParams::default()),
            Solver::GaussSeidel => solve_gauss_seidel(problem, r, tolerance, 20_000),
            Solver::InteriorPoint => solve_interior_point(problem, r, tolerance, MAX_ITERATIONS),
            Solver::Auto => solve_auto(problem, r, tolerance, &AutoParams::default()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Solver::Newton => "newton",
            Solver::GaussSeidel => "gauss-seidel",
            Solver::InteriorPoint => "interior-point",
            Solver::Auto => "auto",
        }
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tolerance) if tolerance > 0.0 && f64::is_finite(tolerance) => Ok(tolerance),
        _ => Err("must be a positive number".to_owned()),
    }
}
