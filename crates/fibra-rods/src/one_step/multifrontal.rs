//! Multifrontal LU factorization of a sparse matrix with a fixed symmetric structure and changing values. The symbolic analysis is done once, as for
//! Cholesky factorization. The numeric factorization proceeds front by front, so nearly all work is done by dense kernels [Davis2006, Sec. 6;
//! Duff1983].
//!
//! Pivoting is restricted to the pivot rows of a front. Contact matrices have a positive definite part in every front, so this suffices in practice.
//! The caller refines the solution and checks it with the original equations.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{Pair, SymbolicSparseColMat};
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

/// A front: unknowns that are eliminated together.
#[derive(Clone, Debug)]
struct Front {
    /// First unknown of the front, in elimination order.
    first: usize,
    /// Number of unknowns that are eliminated in this front.
    pivots: usize,
    /// Unknowns of later fronts that are coupled with the unknowns of this front.
    rest: Vec<usize>,
    /// Offset of the values of the front: a square matrix of pivots and rest, column-major.
    offset: usize,
    /// Range of the matrix entries that belong to this front.
    entries: std::ops::Range<usize>,
    /// Child fronts, whose remaining block is added to this one.
    children: Vec<usize>,
    /// Indices of `rest` in the parent front.
    in_parent: Vec<u32>,
}

impl Front {
    fn size(&self) -> usize {
        self.pivots + self.rest.len()
    }
}

/// Symbolic analysis, and the factors of the last factored matrix.
#[derive(Clone, Debug)]
pub struct Multifrontal {
    /// Position of each unknown in elimination order.
    position: Vec<usize>,
    fronts: Vec<Front>,
    /// For each entry, front by front: its index, and its position in the front.
    entries: Vec<[u32; 2]>,
    values: Vec<f64>,
    /// Row permutation: the pivot row at each position, relative to the first row of the front.
    rows: Vec<usize>,
}

impl Multifrontal {
    /// Performs the symbolic analysis of a matrix with these entries (row, column). Repeated entries are summed. The pattern must be symmetric.
    /// Returns `None` if memory cannot be allocated.
    pub fn plan(unknowns: usize, positions: &[[usize; 2]]) -> Option<Multifrontal> {
        let upper: Vec<Pair<usize, usize>> =
            positions.iter().filter(|[row, col]| row <= col).map(|&[row, col]| Pair { row, col }).collect();
        let (pattern, _) = SymbolicSparseColMat::try_new_from_indices(unknowns, unknowns, &upper).ok()?;
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let symbolic =
            factorize_symbolic_cholesky(pattern.as_ref(), Side::Upper, SymmetricOrdering::Amd, params).ok()?;
        let position = symbolic.perm()?.arrays().1.to_vec();
        let SymbolicCholeskyRaw::Supernodal(supernodes) = symbolic.raw() else { return None };
        let mut front_of = vec![0; unknowns];
        let mut fronts: Vec<Front> = Vec::with_capacity(supernodes.n_supernodes());
        let mut offset = 0;
        for index in 0..supernodes.n_supernodes() {
            let (first, end) = (supernodes.supernode_begin()[index], supernodes.supernode_end()[index]);
            front_of[first..end].fill(index);
            let rest = supernodes.supernode(index).pattern().to_vec();
            let front =
                Front { first, pivots: end - first, rest, offset, entries: 0..0, children: vec![], in_parent: vec![] };
            offset += front.size() * front.size();
            fronts.push(front);
        }
        for index in 0..fronts.len() {
            let Some(&next) = fronts[index].rest.first() else { continue };
            let parent = front_of[next];
            let map = fronts[index].rest.iter().map(|&row| index_in(&fronts[parent], row) as u32).collect();
            fronts[index].in_parent = map;
            fronts[parent].children.push(index);
        }
        // Sort the entries by front, in their original order within a front.
        let permuted = |place: &[usize; 2]| place.map(|unknown| position[unknown]);
        let owner = |[row, col]: [usize; 2]| front_of[row.min(col)];
        let mut ends = vec![0; fronts.len() + 1];
        positions.iter().for_each(|place| ends[owner(permuted(place)) + 1] += 1);
        for front in 0..fronts.len() {
            ends[front + 1] += ends[front];
            fronts[front].entries = ends[front]..ends[front + 1];
        }
        let mut entries = vec![[0; 2]; positions.len()];
        for (entry, place) in positions.iter().enumerate() {
            let [row, col] = permuted(place);
            let front = owner([row, col]);
            let this = &fronts[front];
            let at = index_in(this, col) * this.size() + index_in(this, row);
            entries[ends[front]] = [entry as u32, at as u32];
            ends[front] += 1;
        }
        Some(Multifrontal { position, fronts, entries, values: vec![0.0; offset], rows: vec![0; unknowns] })
    }

    /// Factors the matrix with these values, in the order of the entries passed to `plan`.
    pub fn factor(&mut self, entries: &[f64]) {
        let largest = self.fronts.iter().map(|front| front.pivots).max().unwrap_or(0);
        let scratch = lu_in_place_scratch::<usize, f64>(largest, largest, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let (mut order, mut inverse) = (vec![0usize; largest], vec![0usize; largest]);
        let mut copy = Vec::new();
        for front in &self.fronts {
            let (size, pivots) = (front.size(), front.pivots);
            let (done, ahead) = self.values.split_at_mut(front.offset);
            let values = &mut ahead[..size * size];
            values.fill(0.0);
            for &[entry, place] in &self.entries[front.entries.clone()] {
                values[place as usize] += entries[entry as usize];
            }
            for &child in &front.children {
                add_update_of(&self.fronts[child], done, values, size);
            }
            let whole = MatMut::from_column_major_slice_mut(values, size, size);
            let (mut diagonal, mut above, mut below, rest) = whole.split_at_mut(pivots, pivots);
            let stack = MemStack::new(&mut memory);
            lu_in_place(
                diagonal.as_mut(),
                &mut order[..pivots],
                &mut inverse[..pivots],
                Par::Seq,
                stack,
                Default::default(),
            );
            self.rows[front.first..front.first + pivots].copy_from_slice(&order[..pivots]);
            if front.rest.is_empty() {
                continue;
            }
            copy.resize(pivots, 0.0);
            for mut column in above.as_mut().col_iter_mut() {
                copy.iter_mut().enumerate().for_each(|(i, copy)| *copy = column[i]);
                order[..pivots].iter().enumerate().for_each(|(i, &from)| column[i] = copy[from]);
            }
            solve_unit_lower_triangular_in_place(diagonal.as_ref(), above.as_mut(), Par::Seq);
            // Computes `below U^-1` by solving with `U^T`, which is lower triangular.
            solve_lower_triangular_in_place(diagonal.as_ref().transpose(), below.as_mut().transpose_mut(), Par::Seq);
            matmul(rest, Accum::Add, below.as_ref(), above.as_ref(), -1.0, Par::Seq);
        }
    }

    /// Solves with the factors, in place.
    pub fn solve(&self, b: &mut [f64]) {
        let mut x = Mat::<f64>::zeros(b.len(), 1);
        for (unknown, &position) in self.position.iter().enumerate() {
            x[(position, 0)] = b[unknown];
        }
        for front in &self.fronts {
            let (diagonal, _, below) = self.parts(front);
            let mut mine = Mat::from_fn(front.pivots, 1, |i, _| x[(front.first + self.rows[front.first + i], 0)]);
            solve_unit_lower_triangular_in_place(diagonal, mine.as_mut(), Par::Seq);
            for i in 0..front.pivots {
                x[(front.first + i, 0)] = mine[(i, 0)];
            }
            let mut passed = Mat::<f64>::zeros(front.rest.len(), 1);
            matmul(passed.as_mut(), Accum::Replace, below, mine.as_ref(), 1.0, Par::Seq);
            for (i, &row) in front.rest.iter().enumerate() {
                x[(row, 0)] -= passed[(i, 0)];
            }
        }
        for front in self.fronts.iter().rev() {
            let (diagonal, above, _) = self.parts(front);
            let known = Mat::from_fn(front.rest.len(), 1, |i, _| x[(front.rest[i], 0)]);
            let mut mine = x.as_mut().subrows_mut(front.first, front.pivots);
            matmul(mine.as_mut(), Accum::Add, above, known.as_ref(), -1.0, Par::Seq);
            solve_upper_triangular_in_place(diagonal, mine, Par::Seq);
        }
        for (unknown, &position) in self.position.iter().enumerate() {
            b[unknown] = x[(position, 0)];
        }
    }

    fn parts(&self, front: &Front) -> (MatRef<'_, f64>, MatRef<'_, f64>, MatRef<'_, f64>) {
        let size = front.size();
        let values = &self.values[front.offset..front.offset + size * size];
        let (diagonal, above, below, _) =
            MatRef::from_column_major_slice(values, size, size).split_at(front.pivots, front.pivots);
        (diagonal, above, below)
    }
}

/// Returns the index of an elimination position within a front.
fn index_in(front: &Front, position: usize) -> usize {
    match position - front.first {
        pivot if pivot < front.pivots => pivot,
        // The symbolic analysis guarantees that `rest` contains the position.
        _ => front.pivots + front.rest.partition_point(|&row| row < position),
    }
}

/// Adds the remaining (update) block of a child to its parent.
fn add_update_of(child: &Front, done: &[f64], parent: &mut [f64], parent_size: usize) {
    let size = child.size();
    let values = &done[child.offset..child.offset + size * size];
    for (column, &to) in child.in_parent.iter().enumerate() {
        let from = &values[(child.pivots + column) * size + child.pivots..][..child.rest.len()];
        let to = &mut parent[to as usize * parent_size..][..parent_size];
        for (value, &row) in from.iter().zip(&child.in_parent) {
            to[row as usize] += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    /// A sparse matrix with some long-range couplings is solved up to rounding errors, twice with different values.
    #[test]
    fn factors_solve_to_rounding() {
        let n = 200;
        let rng = CounterRng::new(3);
        let mut positions = Vec::new();
        for i in 0..n {
            positions.push([i, i]);
            for j in [(i + 1) % n, (i * i + 7) % n] {
                positions.push([i, j]);
                positions.push([j, i]);
            }
        }
        let mut factors = Multifrontal::plan(n, &positions).unwrap();
        for round in 0..2 {
            let value = |k: usize| 2.0 * rng.uniform(&[round, k as u64]) - 1.0;
            let values: Vec<f64> =
                positions.iter().enumerate().map(|(k, [i, j])| value(k) + if i == j { 4.0 } else { 0.0 }).collect();
            factors.factor(&values);
            let expected: Vec<f64> = (0..n).map(|i| value(10_000 + i)).collect();
            let mut b = vec![0.0; n];
            positions.iter().zip(&values).for_each(|([i, j], value)| b[*i] += value * expected[*j]);
            factors.solve(&mut b);
            assert!(b.iter().zip(&expected).all(|(b, expected)| (b - expected).abs() < 1e-12));
        }
    }
}
