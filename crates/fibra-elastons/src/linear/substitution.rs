//! Forward and backward substitution, front by front: forward from the leaves to the roots, backward from the roots to the leaves.

use faer::{ColMut, MatRef};
use rayon::prelude::*;

use super::dense::{self, Stored};
use super::symbolic::{Front, Symbolic};

/// A triangular solve with a factor.
pub(super) struct Substitution<'a> {
    pub symbolic: &'a Symbolic,
    /// Right-hand side, sample by sample.
    pub rhs: &'a [f64],
}

impl Substitution<'_> {
    /// Forward substitution for a front and its subtree. The last part of `vectors` belongs to the front itself. It
    /// receives the result for the pivots of the front, and the update to the right-hand side for the rest.
    pub fn forward(&self, index: usize, panels: &[Stored], vectors: &mut [Stored]) {
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

    /// Backward substitution with the transposed factor for a front and its subtree, after `forward`. `parent` is the
    /// vector of the parent front.
    pub fn backward(&self, index: usize, panels: &[Stored], vectors: &mut [Stored], parent: &[Stored]) {
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

    /// Children of a front, with the panels and vectors of their subtrees.
    fn children<'a>(
        &self,
        front: &Front,
        panels: &'a [Stored],
        vectors: &'a mut [Stored],
    ) -> Vec<(usize, &'a [Stored], &'a mut [Stored])> {
        let b = self.symbolic.block;
        let panels = self.symbolic.split(&front.children, front.first_below, |front| front.panel() * b * b, panels);
        let vectors = self.symbolic.split_mut(&front.children, front.first_below, |front| front.size() * b, vectors);
        vectors.into_iter().zip(panels).map(|((child, vectors), panels)| (child, panels, vectors)).collect()
    }
}

/// The triangle of a front's pivots, and the block below it.
fn split_panel<'a>(front: &Front, b: usize, panel: &'a [Stored]) -> (MatRef<'a, Stored>, MatRef<'a, Stored>) {
    MatRef::from_column_major_slice(panel, front.size() * b, front.pivots * b).split_at_row(front.pivots * b)
}
