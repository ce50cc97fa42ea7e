//! The band solver of a strand step, in `f32`, compared with a dense solver in `f64`.

use crate::validation::Check;
use faer::linalg::solvers::Solve;
use faer::{Col, Mat, Side};
use fibra_hair::internals::band::{BandSystem, solve_dispatched};
use fibra_hair::internals::lanes::LANES;
use fibra_hair::internals::random_band::RandomBand;

/// Numbers of unknowns of a system, for strands of 3, 13 and 100 vertices.
const ROWS: [usize; 3] = [12, 52, 400];
/// Number of systems of each size.
const SYSTEMS: usize = 4 * LANES;
const TOLERANCE: f64 = 1e-5;

/// Checks the largest error of an unknown, relative to the largest unknown of its system.
pub fn run() -> Result<Vec<Check>, String> {
    ROWS.iter().map(|&rows| solve(rows)).collect()
}

fn solve(rows: usize) -> Result<Check, String> {
    let mut system = BandSystem::with_capacity(rows);
    let mut worst: f64 = 0.0;
    for first in (0..SYSTEMS).step_by(LANES) {
        let bands: [RandomBand; LANES] = std::array::from_fn(|lane| RandomBand::new((first + lane) as u64, rows));
        system.clear(rows);
        bands.iter().enumerate().for_each(|(lane, band)| band.put(&mut system, lane));
        solve_dispatched(&mut system, rows);
        for (lane, band) in bands.iter().enumerate() {
            let exact = dense_solution(band)?;
            let errors = (0..rows).map(|i| (f64::from(system.solution()[i][lane]) - exact[i]).abs());
            // This form of the comparison keeps NaN.
            let error = errors.fold(0.0, |most: f64, error| if error <= most { most } else { error });
            let error = error / exact.norm_max();
            worst = if error <= worst { worst } else { error };
        }
    }
    let name = format!("hair-ldl-{rows}");
    Ok(Check { name, measured: worst, expected: 0.0, error: worst, tolerance: TOLERANCE })
}

fn dense_solution(band: &RandomBand) -> Result<Col<f64>, String> {
    let matrix = Mat::from_fn(band.rows(), band.rows(), |i, j| f64::from(band.entry(i, j)));
    let rhs = Col::from_fn(band.rows(), |i| f64::from(band.rhs[i]));
    Ok(matrix.llt(Side::Lower).map_err(|error| format!("{error:?}"))?.solve(rhs))
}
