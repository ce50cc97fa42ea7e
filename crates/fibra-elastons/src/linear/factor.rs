//! A Cholesky factor front by front [Duff1983]: nearly all work is done by dense kernels.

use std::sync::Mutex;

use faer::{Accum, ColMut, MatMut, MatRef};
use rayon::prelude::*;

use super::dense::{self, Stored};
use super::matrix::BlockMatrix;
use super::symbolic::{Front, Symbolic};

/// A pivot below this part of the matrix's diagonal is what rounding has left of nothing.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The matrix is not positive definite, as far as rounding lets one tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite at sample {sample}")]
pub struct NotPositive {
    /// A sample whose pivot is not positive.
    pub sample: usize,
}

/// A Cholesky factor, kept front by front.
#[derive(Debug, Default)]
pub struct Factor {
    /// The columns of each front, as wide as its pivots, one front after the other.
    panels: Vec<Stored>,
    /// Memory of fronts that are done with.
    spare: Mutex<Vec<Vec<f64>>>,
    /// Memory of a solution, taken by each and given back.
    vectors: Mutex<Vec<Stored>>,
}

impl Factor {
    /// Factors a matrix as planned. Where that fails, the factor is of no use until the next time.
    pub fn factorize(&mut self, symbolic: &Symbolic, matrix: &BlockMatrix) -> Result<(), NotPositive> {
        self.panels.resize(symbolic.factor_values(), Stored::default());
        let task = Factorization { symbolic, matrix, spare: &self.spare };
        let done: Vec<_> = symbolic
            .parts_mut(&symbolic.roots, 0, |front| front.panel() * symbolic.block.pow(2), &mut self.panels)
            .into_par_iter()
            .map(|(root, panels)| task.run(root, panels))
            .collect();
        // The first failure in the order of elimination, whichever thread was first.
        done.into_iter().try_for_each(|update| update.map(|update| task.give_back(update)))
    }

    /// Solves with the matrix that was factored with this plan last.
    pub fn solve_in_place(&self, symbolic: &Symbolic, rhs: &mut [f64]) {
        let b = symbolic.block;
        let length = symbolic.fronts.iter().map(Front::size).sum::<usize>() * b;
        let mut vectors = self.vectors.lock().map(|mut vectors| std::mem::take(&mut *vectors)).unwrap_or_default();
        vectors.resize(length, Stored::default());
        let task = Solution { symbolic, rhs };
        let size = |front: &Front| front.size() * b;
        let panel = |front: &Front| front.panel() * b * b;
        let parts = symbolic.parts_mut(&symbolic.roots, 0, size, &mut vectors);
        let panels = symbolic.parts(&symbolic.roots, 0, panel, &self.panels);
        parts.into_par_iter().zip(panels).for_each(|((root, vectors), panels)| {
            task.forward(root, panels, vectors);
            task.backward(root, panels, vectors, &[]);
        });
        let mut at = 0;
        for front in &symbolic.fronts {
            for pivot in 0..front.pivots {
                let sample = symbolic.order[front.first + pivot] as usize;
                let from = &vectors[at + pivot * b..][..b];
                rhs[sample * b..][..b].iter_mut().zip(from).for_each(|(to, from)| *to = *from as f64);
            }
            at += front.size() * b;
        }
        if let Ok(mut kept) = self.vectors.lock() {
            *kept = vectors;
        }
    }
}

impl Symbolic {
    /// Cuts what is kept of consecutive fronts into the parts of subtrees. `length` is how much a front has.
    fn lengths<'a>(
        &'a self,
        subtrees: &'a [usize],
        first: usize,
        length: impl Fn(&Front) -> usize + 'a,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let starts = std::iter::once(first).chain(subtrees.iter().map(|root| root + 1));
        starts.zip(subtrees).map(move |(start, &root)| (root, self.fronts[start..=root].iter().map(&length).sum()))
    }

    fn parts_mut<'a, T>(
        &self,
        subtrees: &[usize],
        first: usize,
        length: impl Fn(&Front) -> usize,
        mut whole: &'a mut [T],
    ) -> Vec<(usize, &'a mut [T])> {
        self.lengths(subtrees, first, length)
            .map(|(root, length)| (root, whole.split_off_mut(..length).unwrap_or_default()))
            .collect()
    }

    fn parts<'a, T>(
        &self,
        subtrees: &[usize],
        first: usize,
        length: impl Fn(&Front) -> usize,
        mut whole: &'a [T],
    ) -> Vec<&'a [T]> {
        self.lengths(subtrees, first, length).map(|(_, length)| whole.split_off(..length).unwrap_or_default()).collect()
    }
}

struct Factorization<'a> {
    symbolic: &'a Symbolic,
    matrix: &'a BlockMatrix,
    spare: &'a Mutex<Vec<Vec<f64>>>,
}

impl Factorization<'_> {
    /// Factors a front and all below it, and gives what it leaves to its parent: the lower triangle of a square matrix of its rest.
    fn run(&self, index: usize, panels: &mut [Stored]) -> Result<Vec<f64>, NotPositive> {
        let b = self.symbolic.block;
        let front = &self.symbolic.fronts[index];
        let (below, panel) = panels.split_at_mut(panels.len() - front.panel() * b * b);
        let children: Vec<_> = self
            .symbolic
            .parts_mut(&front.children, front.first_below, |front| front.panel() * b * b, below)
            .into_par_iter()
            .map(|(child, panels)| self.run(child, panels))
            .collect();
        let children = children.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (size, pivots, rest) = (front.size() * b, front.pivots * b, front.rest.len() * b);
        self.begin(front, panel);
        self.add_children(front, &children, 0, panel);
        let (mut diagonal, mut under) =
            MatMut::from_column_major_slice_mut(&mut *panel, size, pivots).split_at_row_mut(pivots);
        let failure = |pivot: usize| NotPositive { sample: self.symbolic.order[front.first + pivot / b] as usize };
        dense::cholesky(diagonal.as_mut()).map_err(failure)?;
        let vanishes = |pivot: &usize| {
            let left = diagonal[(*pivot, *pivot)].powi(2);
            let all = self.diagonal(front.first + pivot / b, pivot % b);
            // Also where it is no number.
            !(left > ROUNDING * all && left < f64::INFINITY)
        };
        if let Some(pivot) = (0..pivots).find(vanishes) {
            return Err(failure(pivot));
        }
        dense::divide(under.as_mut(), diagonal.as_ref());
        let mut update = self.take(rest * rest);
        let to = MatMut::from_column_major_slice_mut(&mut update[..rest * rest], rest, rest);
        dense::subtract_square(to, Accum::Replace, under.as_ref());
        self.add_children(front, &children, front.pivots, &mut update[..rest * rest]);
        children.into_iter().for_each(|update| self.give_back(update));
        Ok(update)
    }

    /// What the matrix itself has in the columns of a front.
    fn begin(&self, front: &Front, panel: &mut [f64]) {
        let b = self.symbolic.block;
        let size = front.size() * b;
        panel.fill(0.0);
        for entry in &front.entries {
            let from = self.matrix.block(entry.block as usize);
            for column in 0..b {
                let to = &mut panel[(entry.column as usize * b + column) * size + entry.row as usize * b..][..b];
                if entry.mirrored {
                    to.iter_mut().zip(from[column..].iter().step_by(b)).for_each(|(to, from)| *to = *from);
                } else {
                    to.copy_from_slice(&from[column * b..][..b]);
                }
            }
        }
    }

    /// Adds what children leave to the columns of `to`, of which the first is the front's block column `first`. The rows of `to` are
    /// those of the front, without the pivots where the columns are.
    fn add_children(&self, front: &Front, children: &[Vec<f64>], first: usize, to: &mut [f64]) {
        let b = self.symbolic.block;
        let rows = (front.size() - first) * b;
        if rows == 0 {
            return;
        }
        to.par_chunks_mut(rows * b).enumerate().for_each(|(column, to)| {
            for (&child, update) in front.children.iter().zip(children) {
                let in_parent = &self.symbolic.fronts[child].in_parent;
                let Ok(from_column) = in_parent.binary_search(&((first + column) as u32)) else { continue };
                let from_rows = in_parent.len() * b;
                for i in 0..b {
                    let from = &update[(from_column * b + i) * from_rows..][..from_rows];
                    let to = &mut to[i * rows..][..rows];
                    for (from, &row) in from.chunks_exact(b).zip(in_parent).skip(from_column) {
                        let to = &mut to[(row as usize - first) * b..][..b];
                        to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                    }
                }
            }
        });
    }

    fn diagonal(&self, position: usize, entry: usize) -> f64 {
        let sample = self.symbolic.order[position] as usize;
        // The diagonal is the first of its column.
        let block = self.matrix.block(self.symbolic.pattern.blocks_of(sample).start);
        block[entry * self.symbolic.block + entry]
    }

    /// Memory of this length with any values: the smallest that was given back and is long enough.
    fn take(&self, length: usize) -> Vec<f64> {
        let mut memory = Vec::new();
        if let Ok(mut spare) = self.spare.lock() {
            let fits = (0..spare.len()).filter(|&i| spare[i].len() >= length).min_by_key(|&i| spare[i].len());
            if let Some(fits) = fits {
                memory = spare.swap_remove(fits);
            }
        }
        if memory.len() < length { vec![0.0; length] } else { memory }
    }

    fn give_back(&self, memory: Vec<f64>) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(memory);
        }
    }
}

struct Solution<'a> {
    symbolic: &'a Symbolic,
    rhs: &'a [f64],
}

impl Solution<'_> {
    /// Solves with the factor for a front and all below it. The front's own vector, the last of `vectors`, then has the result for its
    /// pivots, and for its rest what is to be added to the right-hand side.
    fn forward(&self, index: usize, panels: &[Stored], vectors: &mut [Stored]) {
        let b = self.symbolic.block;
        let front = &self.symbolic.fronts[index];
        let (below, vector) = vectors.split_at_mut(vectors.len() - front.size() * b);
        let (panels_below, panel) = panels.split_at(panels.len() - front.panel() * b * b);
        self.children(front, panels_below, below).into_par_iter().for_each(|(child, panels, vectors)| {
            self.forward(child, panels, vectors);
        });
        vector.fill(0.0);
        for pivot in 0..front.pivots {
            let sample = self.symbolic.order[front.first + pivot] as usize;
            let from = &self.rhs[sample * b..][..b];
            vector[pivot * b..][..b].iter_mut().zip(from).for_each(|(to, from)| *to = *from as Stored);
        }
        for (child, _, vectors) in self.children(front, panels_below, below) {
            let child = &self.symbolic.fronts[child];
            let left = &vectors[vectors.len() - child.rest.len() * b..];
            for (from, &place) in left.chunks_exact(b).zip(&child.in_parent) {
                vector[place as usize * b..][..b].iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        }
        let (diagonal, under) = split_panel(front, b, panel);
        let (mut pivots, rest) = ColMut::from_slice_mut(vector).split_at_row_mut(front.pivots * b);
        dense::solve_lower(diagonal, pivots.as_mut());
        dense::subtract_from_vector(rest, under, pivots.as_ref());
    }

    /// Solves with the factor's transpose for a front and all below it, after `forward`. `parent` is the parent's vector.
    fn backward(&self, index: usize, panels: &[Stored], vectors: &mut [Stored], parent: &[Stored]) {
        let b = self.symbolic.block;
        let front = &self.symbolic.fronts[index];
        let (below, vector) = vectors.split_at_mut(vectors.len() - front.size() * b);
        let (panels_below, panel) = panels.split_at(panels.len() - front.panel() * b * b);
        for (to, &place) in vector[front.pivots * b..].chunks_exact_mut(b).zip(&front.in_parent) {
            to.copy_from_slice(&parent[place as usize * b..][..b]);
        }
        let (diagonal, under) = split_panel(front, b, panel);
        let (mut pivots, rest) = ColMut::from_slice_mut(&mut *vector).split_at_row_mut(front.pivots * b);
        dense::subtract_from_vector(pivots.as_mut(), under.transpose(), rest.as_ref());
        dense::solve_lower_transposed(diagonal, pivots);
        let vector = &*vector;
        self.children(front, panels_below, below).into_par_iter().for_each(|(child, panels, vectors)| {
            self.backward(child, panels, vectors, vector);
        });
    }

    /// Children of a front, with their parts of what comes below it.
    fn children<'a>(
        &self,
        front: &Front,
        panels: &'a [Stored],
        vectors: &'a mut [Stored],
    ) -> Vec<(usize, &'a [Stored], &'a mut [Stored])> {
        let b = self.symbolic.block;
        let panels = self.symbolic.parts(&front.children, front.first_below, |front| front.panel() * b * b, panels);
        let vectors = self.symbolic.parts_mut(&front.children, front.first_below, |front| front.size() * b, vectors);
        vectors.into_iter().zip(panels).map(|((child, vectors), panels)| (child, panels, vectors)).collect()
    }
}

/// The triangle of a front's pivots, and what is under it.
fn split_panel<'a>(front: &Front, b: usize, panel: &'a [Stored]) -> (MatRef<'a, Stored>, MatRef<'a, Stored>) {
    MatRef::from_column_major_slice(panel, front.size() * b, front.pivots * b).split_at_row(front.pivots * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::conjugate_gradients::{Stop, Workspace, conjugate_gradients};
    use crate::linear::tests::{dense, matrix_of_cliques, random_matrix, random_vector, with_threads};
    use faer::prelude::Solve;
    use glam::DVec3;

    fn plan(matrix: &BlockMatrix) -> Symbolic {
        let positions: Vec<DVec3> =
            (0..matrix.pattern().samples()).map(|i| DVec3::new((i % 10) as f64, (i / 10) as f64, 0.0)).collect();
        Symbolic::new(matrix.pattern().clone(), matrix.block_size(), &positions)
    }

    fn solve(matrix: &BlockMatrix, rhs: &[f64]) -> Vec<f64> {
        let symbolic = plan(matrix);
        let mut factor = Factor::default();
        factor.factorize(&symbolic, matrix).unwrap();
        let mut x = rhs.to_vec();
        factor.solve_in_place(&symbolic, &mut x);
        x
    }

    /// Also disconnected: few cliques leave samples and groups of them alone.
    #[test]
    fn solutions_are_those_of_the_dense_matrix() {
        for (samples, block) in [(0, 12), (1, 12), (1, 30), (2, 30), (30, 30), (61, 12), (40, 7)] {
            let matrix = random_matrix(samples, block, 8);
            let rhs = random_vector(matrix.unknowns(), 1);
            let x = solve(&matrix, &rhs);
            let expected = dense(&matrix).llt(faer::Side::Lower).unwrap().solve(faer::ColRef::from_slice(&rhs));
            let error = x.iter().enumerate().map(|(i, x)| (x - expected[i]).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-10 * expected.norm_max(), "{samples} x {block}: {error}");
        }
    }

    #[test]
    fn same_bits_on_any_number_of_threads() {
        let matrix = random_matrix(100, 30, 2);
        let rhs = random_vector(matrix.unknowns(), 3);
        let x = with_threads(1, || solve(&matrix, &rhs));
        assert_eq!(x, with_threads(2, || solve(&matrix, &rhs)));
        assert_eq!(x, with_threads(3, || solve(&matrix, &rhs)));
    }

    #[test]
    fn a_factor_is_replaced_by_the_next() {
        let matrices = [random_matrix(50, 12, 2), random_matrix(50, 12, 2)];
        let mut factor = Factor::default();
        let symbolic = plan(&matrices[0]);
        let rhs = random_vector(600, 3);
        for (scale, mut matrix) in [1.0, 4.0].into_iter().zip(matrices) {
            matrix.values_mut().iter_mut().for_each(|value| *value *= scale);
            factor.factorize(&symbolic, &matrix).unwrap();
            let mut x = rhs.clone();
            factor.solve_in_place(&symbolic, &mut x);
            let mut back = vec![0.0; 600];
            matrix.multiply(&x, &mut back);
            assert!(back.iter().zip(&rhs).all(|(back, rhs)| (back - rhs).abs() < 1e-10));
        }
    }

    #[test]
    fn a_singular_matrix_is_refused_with_the_sample() {
        for block in [12, 30] {
            // A sample that nothing holds.
            let mut matrix = matrix_of_cliques(20, block, &[(0..20).filter(|&i| i != 13).collect()], 3, 1.0, 1);
            matrix.column_mut(13).fill(0.0);
            let mut factor = Factor::default();
            let symbolic = plan(&matrix);
            assert_eq!(factor.factorize(&symbolic, &matrix), Err(NotPositive { sample: 13 }));
            // Not a number, and a negative one.
            for wrong in [f64::NAN, -1.0, f64::INFINITY] {
                matrix.column_mut(13)[0] = wrong;
                assert_eq!(factor.factorize(&symbolic, &matrix), Err(NotPositive { sample: 13 }));
            }
            // A pair that is held only against each other: whichever comes last has nothing left.
            let mut pair = matrix_of_cliques(2, block, &[vec![0, 1]], 1, 0.0, 1);
            for column in [0, 1] {
                for (at, value) in pair.column_mut(column).iter_mut().enumerate() {
                    let (i, j) = (at % block, at / block);
                    *value = if j >= block { if i == j - block { -1.0 } else { 0.0 } } else { f64::from(i == j) };
                }
            }
            assert!(factor.factorize(&plan(&pair), &pair).is_err());
        }
    }

    #[test]
    fn conjugate_gradients_take_one_iteration_with_the_factor() {
        let matrix = random_matrix(80, 12, 6);
        let symbolic = plan(&matrix);
        let mut factor = Factor::default();
        factor.factorize(&symbolic, &matrix).unwrap();
        let wanted = random_vector(matrix.unknowns(), 1);
        let (mut rhs, mut x) = (vec![0.0; wanted.len()], vec![0.0; wanted.len()]);
        matrix.multiply(&wanted, &mut rhs);
        let outcome = conjugate_gradients(
            |x, y| matrix.multiply(x, y),
            |x, y| {
                y.copy_from_slice(x);
                factor.solve_in_place(&symbolic, y);
            },
            &rhs,
            &mut x,
            Stop { tolerance: 1e-10, max_iterations: 10 },
            &mut Workspace::default(),
        );
        assert!(outcome.converged && outcome.iterations == 1, "{outcome:?}");
        assert!(x.iter().zip(&wanted).all(|(x, wanted)| (x - wanted).abs() < 1e-9));
    }
}
