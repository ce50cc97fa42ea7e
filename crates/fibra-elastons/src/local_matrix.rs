//! Local matrices of evaluation points, and their assembly into the global matrix.

use crate::table::{FieldValues, MAX_ROWS, Table};
use fibra_core::simd::dispatch;
use glam::DVec3;
use rayon::prelude::*;

/// Groups of rows that couple only among themselves: values, first derivatives and second derivatives.
const GROUPS: [std::ops::Range<usize>; 3] = [0..1, 1..4, 4..MAX_ROWS];

/// Local matrix of an evaluation point: generalized forces per displacement and derivative, indexed by `[row][component]` of the force,
/// then `[row][component]` of the displacement.
pub struct LocalMatrix([[[[f64; 3]; MAX_ROWS]; 3]; MAX_ROWS]);

/// Generalized forces at an evaluation point per unknown of a sample.
type ForcesPerUnknown = [[[f64; MAX_ROWS]; 3]; 3 * MAX_ROWS];

impl LocalMatrix {
    /// Local matrices of all evaluation points of a table. `loads` must be linear.
    pub fn all(table: &Table, loads: impl Fn(usize, &FieldValues) -> FieldValues + Sync) -> Vec<LocalMatrix> {
        let of = |site: usize| {
            let mut response = LocalMatrix([[[[0.0; 3]; MAX_ROWS]; 3]; MAX_ROWS]);
            for row in 0..table.rows() {
                for component in 0..3 {
                    let mut field = [DVec3::ZERO; MAX_ROWS];
                    field[row][component] = 1.0;
                    for (response, load) in response.0.iter_mut().zip(loads(site, &field)) {
                        (0..3).for_each(|of| response[of][row][component] = load[of]);
                    }
                }
            }
            response
        };
        (0..table.len()).into_par_iter().with_min_len(64).map(of).collect()
    }
}

/// Adds the contributions of a table's evaluation points to a sample's block column of the matrix. `rows` are the
/// samples of the blocks in this column.
pub fn add_column(table: &Table, local_matrices: &[LocalMatrix], sample: usize, rows: &[u32], column: &mut [f64]) {
    let n = table.functions();
    let mut places = Vec::new();
    for &[site, at] in table.points_of(sample) {
        let support = table.support(site as usize);
        // Only the lower triangle of the matrix is stored, so start with this sample.
        let first = support.partition_point(|&other| (other as usize) < sample);
        places.clear();
        let mut place = 0;
        for &row in &support[first..] {
            while rows[place] != row {
                place += 1;
            }
            places.push(place);
        }
        let others = &table.blocks(site as usize)[first * table.rows() * n..];
        add_point(n, table.rows(), &local_matrices[site as usize], table.block(at as usize), others, &places, column);
    }
}

dispatch! {
    /// Adds the contribution of one evaluation point. `own` are the shape functions of the column's sample at this
    /// point, `others` those of the row samples. `places` are the indices of the blocks of the row samples in the
    /// column.
    fn add_point[; for V](
        n: usize,
        rows: usize,
        response: &LocalMatrix,
        own: &[f64],
        others: &[f64],
        places: &[usize],
        column: &mut [f64],
    ) {
        match n {
            4 => add_blocks::<4>(rows, response, own, others, places, column),
            _ => add_blocks::<MAX_ROWS>(rows, response, own, others, places, column),
        }
    }
}

#[inline(always)]
fn add_blocks<const N: usize>(
    rows: usize,
    response: &LocalMatrix,
    own: &[f64],
    others: &[f64],
    places: &[usize],
    column: &mut [f64],
) {
    let forces_per_unknown = forces_per_unknown::<N>(rows, response, own);
    let size = 9 * N * N;
    for (&place, shapes) in places.iter().zip(others.chunks_exact(rows * N)) {
        let block = &mut column[place * size..][..size];
        for (forces_per_unknown, column) in forces_per_unknown.iter().zip(block.chunks_exact_mut(3 * N)) {
            for (loads, column) in forces_per_unknown.iter().zip(column.chunks_exact_mut(N)) {
                let mut sums = [0.0; N];
                for (load, shapes) in loads.iter().zip(shapes.chunks_exact(N)) {
                    (0..N).for_each(|function| sums[function] += load * shapes[function]);
                }
                (0..N).for_each(|function| column[function] += sums[function]);
            }
        }
    }
}

#[inline(always)]
fn forces_per_unknown<const N: usize>(rows: usize, response: &LocalMatrix, own: &[f64]) -> ForcesPerUnknown {
    let mut forces_per_unknown = [[[0.0; MAX_ROWS]; 3]; 3 * MAX_ROWS];
    for group in GROUPS.into_iter().filter(|group| group.start < rows) {
        for row in group.clone() {
            for of in 0..3 {
                for from in group.clone() {
                    let shapes = &own[from * N..][..N];
                    for component in 0..3 {
                        let response = response.0[row][of][from][component];
                        for function in 0..N {
                            forces_per_unknown[component * N + function][of][row] += response * shapes[function];
                        }
                    }
                }
            }
        }
    }
    forces_per_unknown
}
