//! Band systems of hair strands: our `L D L^T` solver, which solves several systems at a time, is compared with the
//! Cholesky factorizations of faer, which solve one system at a time [Huang2023, Fig. 12]. All of them use
//! one thread and `f32`.
//!
//! Factorization and both substitutions are timed. Work that depends only on the band pattern (analysis, allocation) is
//! done once, before timing. Copying the entries of the next systems into a solver's layout is not timed for either
//! solver.

use super::Timed;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side, Spec};
use fibra_hair::internals::band::{BandSystem, HALF_BANDWIDTH, solve_dispatched};
use fibra_hair::internals::lanes::LANES;
use fibra_hair::internals::random_band::RandomBand;
use fibra_rods::internals::band::SymmetricBand;
use std::time::Instant;

/// Number of unknowns of a system.
const ROWS: usize = 400;
/// Numbers of systems to solve.
const SYSTEMS: [usize; 4] = [300, 1_000, 3_000, 30_000];
/// Target speedup over faer's fastest factorization [-].
const RATIO: f64 = 4.0;
/// Number of repeats for up to `MOST_REPEATED` systems. The fastest repeat counts.
const REPEATS: usize = 3;
const MOST_REPEATED: usize = 3_000;

/// Times both libraries for each number of systems. The items of the results are systems.
pub fn run() -> Result<Vec<Timed>, String> {
    let mut ours = Ours { system: BandSystem::with_capacity(ROWS) };
    let mut theirs = [Side::Upper, Side::Lower]
        .into_iter()
        .flat_map(|side| [Factor::Llt, Factor::Ldlt].map(|factor| Library::new(side, factor)))
        .collect::<Result<Vec<_>, _>>()?;
    SYSTEMS.iter().map(|&systems| compare(systems, &mut ours, &mut theirs)).collect()
}

fn compare(systems: usize, ours: &mut Ours, theirs: &mut [Library]) -> Result<Timed, String> {
    let repeats = if systems <= MOST_REPEATED { REPEATS } else { 1 };
    let (mut best, mut best_of_theirs) = (Account::WORST, vec![Account::WORST; theirs.len()]);
    for _ in 0..repeats {
        let (mut account, mut accounts) = (Account::default(), vec![Account::default(); theirs.len()]);
        for first in (0..systems).step_by(LANES) {
            let bands: Vec<RandomBand> =
                (first..systems.min(first + LANES)).map(|number| RandomBand::new(number as u64, ROWS)).collect();
            let exact = bands.iter().map(exact).collect::<Result<Vec<_>, _>>()?;
            ours.solve(&bands, &exact, &mut account);
            for (library, account) in theirs.iter_mut().zip(&mut accounts) {
                library.solve(&bands, &exact, account)?;
            }
        }
        best = best.faster(account);
        best_of_theirs.iter_mut().zip(accounts).for_each(|(best, account)| *best = best.faster(account));
    }
    let seconds_of = |k: usize| best_of_theirs[k].seconds;
    let fastest = best_of_theirs.iter().fold(Account::WORST, |best, &other| best.faster(other));
    let ratio = fastest.seconds / best.seconds;
    let details = vec![
        ("systems_per_second", systems as f64 / best.seconds),
        ("error", best.error),
        ("faer_seconds", fastest.seconds),
        ("faer_error", fastest.error),
        ("ratio", ratio),
        ("met", f64::from(ratio >= RATIO)),
        ("faer_simplicial_llt", seconds_of(0)),
        ("faer_simplicial_ldlt", seconds_of(1)),
        ("faer_supernodal_llt", seconds_of(2)),
        ("faer_supernodal_ldlt", seconds_of(3)),
    ];
    Ok(Timed {
        part: systems.to_string(),
        items: systems,
        steps: 1,
        seconds: best.seconds,
        details,
        ..Timed::default()
    })
}

/// Time and error of solving systems.
#[derive(Clone, Copy, Default)]
struct Account {
    /// Wall time [s].
    seconds: f64,
    /// Largest error of an unknown, relative to the largest unknown of its system [-].
    error: f64,
}

impl Account {
    const WORST: Account = Account { seconds: f64::INFINITY, error: 0.0 };

    /// Returns the faster of two measurements.
    fn faster(self, other: Account) -> Account {
        if other.seconds < self.seconds { other } else { self }
    }

    fn record_errors(&mut self, found: impl Iterator<Item = f32>, exact: &[f64]) {
        let size = exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (found, exact) in found.zip(exact) {
            let error = (f64::from(found) - exact).abs() / size;
            // This form of the comparison keeps a NaN in `error`.
            self.error = if error <= self.error { self.error } else { error };
        }
    }
}

/// The solution in `f64`.
fn exact(band: &RandomBand) -> Result<Vec<f64>, String> {
    let mut matrix = SymmetricBand::zeros(ROWS, HALF_BANDWIDTH);
    for j in 0..ROWS {
        (j..ROWS.min(j + HALF_BANDWIDTH + 1)).for_each(|i| matrix.add(i, j, f64::from(band.entry(i, j))));
    }
    let mut x: Vec<f64> = band.rhs.iter().map(|b| f64::from(*b)).collect();
    matrix.factor().map_err(|error| error.to_string())?.solve(&mut x);
    Ok(x)
}

struct Ours {
    system: BandSystem,
}

impl Ours {
    fn solve(&mut self, bands: &[RandomBand], exact: &[Vec<f64>], account: &mut Account) {
        self.system.clear(ROWS);
        // The last batch may have fewer systems than lanes; the remaining lanes solve the first system again.
        for lane in 0..LANES {
            bands.get(lane).unwrap_or(&bands[0]).put(&mut self.system, lane);
        }
        let start = Instant::now();
        solve_dispatched(&mut self.system, ROWS);
        account.seconds += start.elapsed().as_secs_f64();
        for (lane, exact) in exact.iter().enumerate() {
            account.record_errors(self.system.solution()[..ROWS].iter().map(|x| x[lane]), exact);
        }
    }
}

#[derive(Clone, Copy)]
enum Factor {
    Llt,
    Ldlt,
}

/// One of faer's factorizations. The simplicial factorization takes the upper half of the matrix, the supernodal
/// factorization the lower half.
struct Library {
    side: Side,
    factor: Factor,
    pattern: SymbolicSparseColMat<u32>,
    symbolic: SymbolicCholesky<u32>,
    memory: MemBuffer,
    values: Vec<f32>,
    factor_values: Vec<f32>,
    solution: Vec<f32>,
}

impl Library {
    fn new(side: Side, factor: Factor) -> Result<Library, String> {
        let threshold = match side {
            Side::Upper => SupernodalThreshold::FORCE_SIMPLICIAL,
            Side::Lower => SupernodalThreshold::FORCE_SUPERNODAL,
        };
        let params = CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
        // A band matrix in its natural order has no fill-in. The analysis expects the pattern of the upper half.
        let upper = pattern(Side::Upper);
        let symbolic = factorize_symbolic_cholesky(upper.as_ref(), Side::Upper, SymmetricOrdering::Identity, params)
            .map_err(|error| error.to_string())?;
        let memory = MemBuffer::new(StackReq::any_of(&[
            symbolic.factorize_numeric_llt_scratch::<f32>(Par::Seq, Spec::default()),
            symbolic.factorize_numeric_ldlt_scratch::<f32>(Par::Seq, Spec::default()),
            symbolic.solve_in_place_scratch::<f32>(1, Par::Seq),
        ]));
        let factor_values = vec![0.0; symbolic.len_val()];
        let (values, solution) = (Vec::new(), Vec::new());
        Ok(Library { side, factor, pattern: pattern(side), symbolic, memory, values, factor_values, solution })
    }

    fn solve(&mut self, bands: &[RandomBand], exact: &[Vec<f64>], account: &mut Account) -> Result<(), String> {
        for (band, exact) in bands.iter().zip(exact) {
            self.values.clear();
            (0..ROWS).for_each(|j| self.values.extend(in_column(self.side, j).map(|i| band.entry(i, j))));
            self.solution.clone_from(&band.rhs);
            let start = Instant::now();
            self.solve_one()?;
            account.seconds += start.elapsed().as_secs_f64();
            account.record_errors(self.solution.iter().copied(), exact);
        }
        Ok(())
    }

    fn solve_one(&mut self) -> Result<(), String> {
        let Library { side, symbolic, values, .. } = self;
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &values[..]);
        let stack = MemStack::new(&mut self.memory);
        let x = MatMut::from_column_major_slice_mut(&mut self.solution, ROWS, 1);
        let to = &mut self.factor_values[..];
        match self.factor {
            Factor::Llt => symbolic
                .factorize_numeric_llt(
                    to,
                    matrix,
                    *side,
                    LltRegularization::default(),
                    Par::Seq,
                    stack,
                    Spec::default(),
                )
                .map_err(|error| error.to_string())?
                .solve_in_place_with_conj(Conj::No, x, Par::Seq, stack),
            Factor::Ldlt => symbolic
                .factorize_numeric_ldlt(
                    to,
                    matrix,
                    *side,
                    LdltRegularization::default(),
                    Par::Seq,
                    stack,
                    Spec::default(),
                )
                .map_err(|error| error.to_string())?
                .solve_in_place_with_conj(Conj::No, x, Par::Seq, stack),
        }
        Ok(())
    }
}

/// Sparsity pattern of one half of a band matrix.
fn pattern(side: Side) -> SymbolicSparseColMat<u32> {
    let (mut starts, mut rows) = (vec![0], Vec::new());
    for j in 0..ROWS {
        rows.extend(in_column(side, j).map(|i| i as u32));
        starts.push(rows.len() as u32);
    }
    SymbolicSparseColMat::new_checked(ROWS, ROWS, starts, None, rows)
}

/// Row range of a column in one half of a band matrix.
fn in_column(side: Side, j: usize) -> std::ops::Range<usize> {
    match side {
        Side::Upper => j.saturating_sub(HALF_BANDWIDTH)..j + 1,
        Side::Lower => j..ROWS.min(j + HALF_BANDWIDTH + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_factorizations_solve_the_same_systems() {
        let bands: Vec<RandomBand> = (0..3).map(|number| RandomBand::new(number, ROWS)).collect();
        let exact: Vec<Vec<f64>> = bands.iter().map(|band| exact(band).unwrap()).collect();
        let mut account = Account::default();
        Ours { system: BandSystem::with_capacity(ROWS) }.solve(&bands, &exact, &mut account);
        for side in [Side::Upper, Side::Lower] {
            for factor in [Factor::Llt, Factor::Ldlt] {
                Library::new(side, factor).unwrap().solve(&bands, &exact, &mut account).unwrap();
            }
        }
        assert!(account.error < 1e-5, "{}", account.error);
    }
}
