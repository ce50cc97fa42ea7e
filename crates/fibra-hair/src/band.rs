//! Symmetric band matrices of several strands, factored as `A = L D L^T` and solved together [Huang2023, Alg. 2].
//!
//! One strand has too few unknowns and too narrow a band to fill SIMD vectors, so each lane holds one strand. Rows are eliminated one by one; each
//! pivot row updates all rows below it at once, because those updates are independent.

use crate::lanes::{HALVES, LANES, Lanes};
use fibra_core::simd::Vector;

/// Half bandwidth: a joint couples three vertices and the two angles between them.
pub const HALF_BANDWIDTH: usize = 10;

/// Minimum pivot, relative to the diagonal entry of the matrix [-]. Smaller pivots are rounding, and division by them would amplify it.
const MIN_RELATIVE_PIVOT: f32 = 1e-6;

/// Entries `(j, j), (j + 1, j), ..., (j + 10, j)` of a matrix.
pub type Column = [Lanes; HALF_BANDWIDTH + 1];

/// Several matrices of the same size, their right-hand sides and, after [`BandSystem::solve`], the solutions.
#[derive(Clone, Debug)]
pub struct BandSystem {
    /// Columns of the matrices, padded by the half bandwidth so that the last rows need no special case.
    columns: Vec<Column>,
    /// Right-hand sides, one per column.
    rhs: Vec<Lanes>,
    /// Lower bound of each pivot.
    min_pivot: Vec<Lanes>,
}

impl BandSystem {
    /// Allocates for matrices of up to `rows` rows.
    pub fn with_capacity(rows: usize) -> BandSystem {
        let padded = rows + HALF_BANDWIDTH;
        BandSystem {
            columns: vec![[Lanes::ZERO; HALF_BANDWIDTH + 1]; padded],
            rhs: vec![Lanes::ZERO; padded],
            min_pivot: vec![Lanes::ZERO; padded],
        }
    }

    /// Resets a row to a diagonal entry and a right-hand side. If the matrix is this positive diagonal plus a positive semidefinite matrix, its exact
    /// pivots are at least the diagonal entries given here. Computed pivots are clamped to these entries.
    #[inline(always)]
    pub fn begin_row(&mut self, row: usize, diagonal: Lanes, rhs: Lanes) {
        self.columns[row] = [Lanes::ZERO; HALF_BANDWIDTH + 1];
        self.columns[row][0] = diagonal;
        self.min_pivot[row] = diagonal;
        self.rhs[row] = rhs;
    }

    /// Resets the matrices to `rows` zero rows with zero right-hand sides.
    pub fn clear(&mut self, rows: usize) {
        (0..rows).for_each(|row| self.begin_row(row, Lanes::ZERO, Lanes::ZERO));
        self.end(rows);
    }

    /// Ends the matrices after `rows` rows, with padding rows of the identity.
    #[inline(always)]
    pub fn end(&mut self, rows: usize) {
        for row in rows..rows + HALF_BANDWIDTH {
            self.begin_row(row, Lanes::ONE, Lanes::ZERO);
        }
    }

    /// Returns `N` columns and right-hand sides, starting at `first`.
    #[inline(always)]
    pub fn window<const N: usize>(&mut self, first: usize) -> Option<(&mut [Column; N], &mut [Lanes; N])> {
        let columns = self.columns[first..].first_chunk_mut()?;
        Some((columns, self.rhs[first..].first_chunk_mut()?))
    }

    /// Returns the solutions by row; before [`BandSystem::solve`], the right-hand sides.
    pub fn solution(&self) -> &[Lanes] {
        &self.rhs
    }

    #[inline(always)]
    fn bound_pivot(&mut self, row: usize) {
        for lane in 0..LANES {
            let share = MIN_RELATIVE_PIVOT * self.columns[row][0][lane];
            let least = &mut self.min_pivot[row][lane];
            *least = if share > *least { share } else { *least };
        }
    }

    /// Replaces the right-hand sides by the solutions, and the matrices by their factors.
    #[inline(always)]
    pub fn solve<V: Vector>(&mut self, rows: usize) {
        // Each diagonal entry is read before the elimination of the first row that changes it.
        for j in 0..HALF_BANDWIDTH {
            self.bound_pivot(j);
        }
        for j in 0..rows {
            self.bound_pivot(j + HALF_BANDWIDTH);
            let (column, below) = self.columns[j..].split_at_mut(1);
            let (Some(below), Some(rhs)) =
                (below.first_chunk_mut::<HALF_BANDWIDTH>(), self.rhs[j..].first_chunk_mut::<{ HALF_BANDWIDTH + 1 }>())
            else {
                return;
            };
            let inverse = inverse_pivot(&column[0][0], &self.min_pivot[j]);
            for half in 0..HALVES {
                eliminate::<V>(&mut column[0], below, rhs, &inverse, half);
            }
        }
        for j in (0..rows).rev() {
            let Some(x) = self.rhs[j..].first_chunk_mut::<{ HALF_BANDWIDTH + 1 }>() else { return };
            for half in 0..HALVES {
                let mut sum: V = x[0].load(half);
                for a in 1..=HALF_BANDWIDTH {
                    sum = sum.add(self.columns[j][a].load::<V>(half).mul(x[a].load(half)));
                }
                x[0].store(half, sum);
            }
        }
    }
}

/// Returns the reciprocal of a pivot, clamped from below.
#[inline(always)]
fn inverse_pivot(left: &Lanes, least: &Lanes) -> Lanes {
    let mut inverse = Lanes::ZERO;
    for lane in 0..LANES {
        inverse[lane] = 1.0 / if left[lane] > least[lane] { left[lane] } else { least[lane] };
    }
    inverse
}

/// Eliminates one row from the rows below, for half of the lanes. Its column becomes a column of `-L`, its right-hand side an entry of `D^-1 L^-1 b`.
#[inline(always)]
fn eliminate<V: Vector>(
    column: &mut Column,
    below: &mut [Column; HALF_BANDWIDTH],
    rhs: &mut [Lanes; HALF_BANDWIDTH + 1],
    inverse: &Lanes,
    half: usize,
) {
    let mut before = [V::splat(0.0); HALF_BANDWIDTH + 1];
    for a in 1..=HALF_BANDWIDTH {
        before[a] = column[a].load(half);
    }
    let inverse: V = inverse.load(half);
    let minus_inverse = inverse.mul(V::splat(-1.0));
    let y: V = rhs[0].load(half);
    for a in 1..=HALF_BANDWIDTH {
        let l = before[a].mul(minus_inverse);
        for b in a..=HALF_BANDWIDTH {
            let entry = &mut below[a - 1][b - a];
            entry.store(half, entry.load::<V>(half).add(l.mul(before[b])));
        }
        rhs[a].store(half, rhs[a].load::<V>(half).add(l.mul(y)));
        column[a].store(half, l);
    }
    rhs[0].store(half, y.mul(inverse));
}

fibra_core::dispatch! {
    /// Replaces the right-hand sides by the solutions and the matrices by their factors, with the widest vectors of the CPU.
    pub fn solve_dispatched [; for V] (system: &mut BandSystem, rows: usize) {
        system.solve::<V>(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_band::RandomBand;

    /// Gaussian elimination with row pivoting.
    fn dense_solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for j in 0..n {
            let pivot = (j..n).max_by(|&p, &q| a[p][j].abs().total_cmp(&a[q][j].abs())).unwrap();
            a.swap(j, pivot);
            b.swap(j, pivot);
            for i in j + 1..n {
                let factor = a[i][j] / a[j][j];
                (j..n).for_each(|k| a[i][k] -= factor * a[j][k]);
                b[i] -= factor * b[j];
            }
        }
        for i in (0..n).rev() {
            b[i] = (b[i] - (i + 1..n).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
        }
        b
    }

    /// Returns one random system per lane.
    fn random_systems(n: usize) -> (BandSystem, [RandomBand; LANES]) {
        let mut system = BandSystem::with_capacity(n);
        system.clear(n);
        let bands = std::array::from_fn(|lane| RandomBand::new(lane as u64, n));
        bands.iter().enumerate().for_each(|(lane, band)| band.put(&mut system, lane));
        (system, bands)
    }

    #[test]
    fn solutions_agree_with_a_dense_solver() {
        let mut worst: f64 = 0.0;
        for n in [1, 3, 11, 12, 47, 120] {
            let (mut system, bands) = random_systems(n);
            solve_dispatched(&mut system, n);
            for (lane, band) in bands.iter().enumerate() {
                let row = |i: usize| (0..n).map(|j| f64::from(band.entry(i, j))).collect();
                let exact = dense_solve((0..n).map(row).collect(), band.rhs.iter().map(|b| f64::from(*b)).collect());
                let size = exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                let error = (0..n).map(|i| (f64::from(system.rhs[i][lane]) - exact[i]).abs()).fold(0.0, f64::max);
                worst = worst.max(error / size);
            }
        }
        assert!(worst < 1e-5, "{worst}");
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let n = 47;
        let (mut system, _) = random_systems(n);
        let mut portable = system.clone();
        portable.solve::<fibra_core::simd::Portable>(n);
        solve_dispatched(&mut system, n);
        assert_eq!(portable.solution(), system.solution());
    }

    /// An unknown of huge mass does not move and acts on the others as a wall.
    #[test]
    fn huge_pivots_decouple() {
        let n = 8;
        let mut system = BandSystem::with_capacity(n);
        for j in 0..n {
            system.begin_row(j, Lanes([if j == 3 { 1e20 } else { 1.0 }; LANES]), Lanes::ZERO);
        }
        system.end(n);
        for j in 0..n - 1 {
            // Springs between neighbors.
            (system.columns[j][0][0], system.columns[j][1][0]) = (system.columns[j][0][0] + 1.0, -1.0);
            system.columns[j + 1][0][0] += 1.0;
        }
        system.rhs[2][0] = 1.0;
        solve_dispatched(&mut system, n);
        let x: Vec<f32> = system.solution()[..n].iter().map(|x| x[0]).collect();
        assert!(x[3].abs() < 1e-19 && x[4..].iter().all(|x| x.abs() < 1e-19), "{x:?}");
        // (2 -1 0; -1 3 -1; 0 -1 3) x = (0, 0, 1).
        assert!((x[2] - 5.0 / 13.0).abs() < 1e-6 && (x[0] - 1.0 / 13.0).abs() < 1e-6, "{x:?}");
    }
}
