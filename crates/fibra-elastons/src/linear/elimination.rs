//! Multifrontal elimination of samples [Duff1983]: nearly all work is done by dense kernels.

use std::sync::Mutex;

use faer::{Accum, MatMut};
use rayon::prelude::*;

use super::dense::{self, Stored, Working};
use super::factor::NotPositive;
use super::matrix::BlockMatrix;
use super::symbolic::{Front, Symbolic};

/// Chunk length for rounding a front to the storage type.
const CHUNK: usize = 1 << 16;

/// Elimination of all fronts of a matrix.
pub(super) struct Elimination<'a, W> {
    pub symbolic: &'a Symbolic,
    pub matrix: &'a BlockMatrix,
    /// Scaling of the rows and columns of the matrix.
    pub scales: &'a [f64],
    /// Memory of completed fronts, for reuse.
    pub spare: &'a Mutex<Vec<Vec<W>>>,
}

impl<W: Working> Elimination<'_, W> {
    /// Factors all fronts. Their panels are stored one after the other.
    pub fn run_all(&self, panels: &mut [Stored]) -> Result<(), NotPositive> {
        let roots = &self.symbolic.roots;
        let length = |front: &Front| front.panel() * self.symbolic.block.pow(2);
        let parts = self.symbolic.split_mut(roots, 0, length, panels).into_par_iter();
        let done: Vec<_> = parts.map(|(root, panels)| self.run(root, panels)).collect();
        // Reports the first failure in elimination order, whichever thread finished first.
        done.into_iter().try_for_each(|update| update.map(|update| self.give_back(update)))
    }

    /// Factors a front and its subtree. Returns the update matrix (Schur complement) for the parent: the lower triangle
    /// of a square matrix whose rows are the rest of the front.
    fn run(&self, index: usize, panels: &mut [Stored]) -> Result<Vec<W>, NotPositive> {
        let b = self.symbolic.block;
        let front = &self.symbolic.fronts[index];
        let (below, kept) = panels.split_at_mut(panels.len() - front.panel() * b * b);
        let children: Vec<_> = self
            .symbolic
            .split_mut(&front.children, front.first_below, |front| front.panel() * b * b, below)
            .into_par_iter()
            .map(|(child, panels)| self.run(child, panels))
            .collect();
        let children = children.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (size, pivots, rest) = (front.size() * b, front.pivots * b, front.rest.len() * b);
        let mut memory = self.take(kept.len());
        let panel = &mut memory[..kept.len()];
        self.scatter_entries(front, panel);
        self.extend_add(front, &children, 0, panel);
        let (mut diagonal, mut under) =
            MatMut::from_column_major_slice_mut(&mut *panel, size, pivots).split_at_row_mut(pivots);
        let failure = |pivot: usize| NotPositive { sample: self.symbolic.order[front.first + pivot / b] as usize };
        dense::cholesky(diagonal.as_mut()).map_err(failure)?;
        let vanishes = |pivot: &usize| {
            let root: f64 = diagonal[(*pivot, *pivot)].into();
            root.is_nan() || root.powi(2) <= W::ROUNDING
        };
        if let Some(pivot) = (0..pivots).find(vanishes) {
            return Err(failure(pivot));
        }
        dense::solve_right(under.as_mut(), diagonal.as_ref());
        let mut update = self.take(rest * rest);
        let to = MatMut::from_column_major_slice_mut(&mut update[..rest * rest], rest, rest);
        dense::subtract_square(to, Accum::Replace, under.as_ref());
        self.extend_add(front, &children, front.pivots, &mut update[..rest * rest]);
        children.into_iter().for_each(|update| self.give_back(update));
        let panel = memory[..kept.len()].par_chunks(CHUNK);
        kept.par_chunks_mut(CHUNK).zip(panel).for_each(|(kept, panel)| {
            kept.iter_mut().zip(panel).for_each(|(kept, value)| *kept = (*value).into() as Stored);
        });
        self.give_back(memory);
        Ok(update)
    }

    /// Copies the entries of the matrix into the columns of a front.
    fn scatter_entries(&self, front: &Front, panel: &mut [W]) {
        let b = self.symbolic.block;
        let size = front.size() * b;
        panel.fill(W::ZERO);
        let scales = |place: u32| {
            let place = place as usize;
            let position =
                if place < front.pivots { front.first + place } else { front.rest[place - front.pivots] as usize };
            &self.scales[self.symbolic.order[position] as usize * b..][..b]
        };
        for entry in &front.entries {
            let from = self.matrix.block(entry.block as usize);
            let (row_scales, column_scales) = (scales(entry.row), scales(entry.column));
            // Strides in the block from row to row and from column to column of the front. In a transposed block, rows
            // and columns are exchanged.
            let [step, next] = if entry.mirrored { [b, 1] } else { [1, b] };
            for column in 0..b {
                let to = &mut panel[(entry.column as usize * b + column) * size + entry.row as usize * b..][..b];
                let from = from[column * next..].iter().step_by(step);
                for ((to, from), scale) in to.iter_mut().zip(from).zip(row_scales) {
                    *to = W::round(from * scale * column_scales[column]);
                }
            }
        }
    }

    /// Adds the update matrices of children (extend-add) to the columns of `to`, which start with block column `first` of the front. The
    /// rows of `to` are those of the front from `first` on.
    fn extend_add(&self, front: &Front, children: &[Vec<W>], first: usize, to: &mut [W]) {
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
                        to.iter_mut().zip(from).for_each(|(to, from)| *to += *from);
                    }
                }
            }
        });
    }

    /// Returns memory of at least this length with arbitrary contents: the smallest suitable buffer from the pool, or a
    /// new one.
    fn take(&self, length: usize) -> Vec<W> {
        let mut memory = Vec::new();
        if let Ok(mut spare) = self.spare.lock() {
            let fits = (0..spare.len()).filter(|&i| spare[i].len() >= length).min_by_key(|&i| spare[i].len());
            if let Some(fits) = fits {
                memory = spare.swap_remove(fits);
            }
        }
        if memory.len() < length { vec![W::ZERO; length] } else { memory }
    }

    fn give_back(&self, memory: Vec<W>) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(memory);
        }
    }
}
