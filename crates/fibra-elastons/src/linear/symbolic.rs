//! Symbolic factorization: the elimination order, and the fronts in which samples are eliminated together [Duff1983; Davis2006, Sec. 4].

use std::sync::Arc;

use glam::DVec3;

use super::ordering;
use super::pattern::BlockPattern;

/// Number of floating-point operations that take as long as moving one value from a front to its parent.
const OPERATIONS_PER_MOVE: f64 = 10.0;

/// A front: samples that are eliminated together (pivots), and the later samples coupled with them (rest).
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// First pivot, in elimination order.
    pub first: usize,
    /// Number of pivots.
    pub pivots: usize,
    /// Positions of the rest in elimination order, ascending.
    pub rest: Vec<u32>,
    /// Indices of the rest in the parent's front.
    pub in_parent: Vec<u32>,
    /// Child fronts, ascending. The first sample of a child's rest is a pivot of this front.
    pub children: Vec<usize>,
    /// First front of this subtree. The fronts of a subtree are contiguous and end with its root.
    pub first_below: usize,
    /// Blocks of the matrix whose earlier sample is a pivot of this front.
    pub entries: Vec<Entry>,
}

impl Front {
    /// Number of samples, pivots and rest together.
    pub fn size(&self) -> usize {
        self.pivots + self.rest.len()
    }

    /// Number of stored blocks.
    pub fn panel(&self) -> usize {
        self.size() * self.pivots
    }

    /// Index within the front of a position in elimination order.
    fn index_of(&self, position: u32) -> usize {
        match position as usize - self.first {
            pivot if pivot < self.pivots => pivot,
            _ => self.pivots + self.rest.partition_point(|&rest| rest < position),
        }
    }
}

/// A block of the matrix in a front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub block: u32,
    pub row: u32,
    pub column: u32,
    /// Whether the block is stored transposed in the front, because elimination reverses the order of its two samples.
    pub mirrored: bool,
}

/// A symbolic factorization, for all matrices with the same pattern.
#[derive(Clone, Debug)]
pub struct Symbolic {
    pub(super) pattern: Arc<BlockPattern>,
    pub(super) block: usize,
    /// Samples in elimination order.
    pub(super) order: Vec<u32>,
    pub(super) fronts: Vec<Front>,
    /// Fronts without a parent.
    pub(super) roots: Vec<usize>,
}

impl Symbolic {
    /// Analyzes matrices with this pattern and blocks of `block` rows, for samples at these positions [m].
    pub fn new(pattern: Arc<BlockPattern>, block: usize, positions: &[DVec3]) -> Symbolic {
        let neighbors = pattern.neighbors();
        let order = ordering::fewest_operations(&neighbors, positions);
        let supernodes = Supernodes::of(&neighbors, &order, block);
        let (postorder, roots) = supernodes.postorder();
        let mut symbolic = Symbolic { pattern, block, order: Vec::new(), fronts: Vec::new(), roots };
        symbolic.create_fronts(&supernodes, &postorder, &order);
        symbolic.distribute_entries();
        symbolic
    }

    /// Number of values of the factor.
    pub fn factor_values(&self) -> usize {
        self.fronts.iter().map(Front::panel).sum::<usize>() * self.block * self.block
    }

    /// Number of floating-point operations of a factorization.
    pub fn operations(&self) -> f64 {
        self.fronts.iter().map(|front| elimination(front.pivots, front.rest.len(), self.block)).sum()
    }

    /// Creates the fronts in the order of `postorder`, a postorder of the supernodes.
    fn create_fronts(&mut self, supernodes: &Supernodes, postorder: &[usize], order: &[u32]) {
        let mut position = vec![0u32; order.len()];
        let mut front_of = vec![0; order.len()];
        for (front, &node) in postorder.iter().enumerate() {
            for &pivot in &supernodes.0[node].pivots {
                position[pivot as usize] = self.order.len() as u32;
                front_of[self.order.len()] = front;
                self.order.push(order[pivot as usize]);
            }
        }
        for (index, &node) in postorder.iter().enumerate() {
            let Supernode { pivots, rest, .. } = &supernodes.0[node];
            let mut rest: Vec<u32> = rest.iter().map(|&old| position[old as usize]).collect();
            rest.sort_unstable();
            let (first, pivots) = (position[pivots[0] as usize] as usize, pivots.len());
            let (in_parent, children, entries) = (Vec::new(), Vec::new(), Vec::new());
            self.fronts.push(Front { first, pivots, rest, in_parent, children, first_below: index, entries });
        }
        for index in 0..self.fronts.len() {
            let Some(&next) = self.fronts[index].rest.first() else { continue };
            let parent = front_of[next as usize];
            let in_parent = self.fronts[index].rest.iter().map(|&at| self.fronts[parent].index_of(at) as u32).collect();
            self.fronts[index].in_parent = in_parent;
            self.fronts[parent].first_below = self.fronts[parent].first_below.min(self.fronts[index].first_below);
            self.fronts[parent].children.push(index);
        }
    }

    /// Stored length of each subtree. `length` returns the stored length of one front.
    fn lengths<'a>(
        &'a self,
        subtrees: &'a [usize],
        first: usize,
        length: impl Fn(&Front) -> usize + 'a,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let starts = std::iter::once(first).chain(subtrees.iter().map(|root| root + 1));
        starts.zip(subtrees).map(move |(start, &root)| (root, self.fronts[start..=root].iter().map(&length).sum()))
    }

    /// Splits the storage of consecutive subtrees, which begins with front `first`, into one slice per subtree.
    pub(super) fn split_mut<'a, T>(
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

    /// Like `split_mut`, for shared slices.
    pub(super) fn split<'a, T>(
        &self,
        subtrees: &[usize],
        first: usize,
        length: impl Fn(&Front) -> usize,
        mut whole: &'a [T],
    ) -> Vec<&'a [T]> {
        self.lengths(subtrees, first, length).map(|(_, length)| whole.split_off(..length).unwrap_or_default()).collect()
    }

    fn distribute_entries(&mut self) {
        let mut position = vec![0u32; self.order.len()];
        self.order.iter().enumerate().for_each(|(at, &sample)| position[sample as usize] = at as u32);
        let mut front_of = vec![0; self.order.len()];
        for (index, front) in self.fronts.iter().enumerate() {
            front_of[front.first..front.first + front.pivots].fill(index);
        }
        for column in 0..self.pattern.samples() {
            for (block, &row) in self.pattern.blocks_of(column).zip(self.pattern.column(column)) {
                let (row, column) = (position[row as usize], position[column]);
                let front = &mut self.fronts[front_of[row.min(column) as usize]];
                let (later, earlier) = (front.index_of(row.max(column)) as u32, front.index_of(row.min(column)) as u32);
                let entry = Entry { block: block as u32, row: later, column: earlier, mirrored: row < column };
                front.entries.push(entry);
            }
        }
    }
}

/// Number of floating-point operations to eliminate `pivots` samples that are coupled with `rest` others.
fn elimination(pivots: usize, rest: usize, block: usize) -> f64 {
    let blocks: usize = (rest + 1..=rest + pivots).map(|size| size * size).sum();
    blocks as f64 * (block as f64).powi(3)
}

#[derive(Clone, Default)]
struct Supernode {
    /// Pivots in the initial elimination order; empty if this supernode has been merged into another.
    pivots: Vec<u32>,
    rest: Vec<u32>,
    children: Vec<usize>,
}

struct Supernodes(Vec<Supernode>);

impl Supernodes {
    /// Starts with one front per sample. Merges a front with its parent if the additional zeros cost less than the
    /// merge saves (relaxed supernodes).
    fn of(neighbors: &[Vec<u32>], order: &[u32], block: usize) -> Supernodes {
        let mut nodes: Vec<Supernode> = ordering::columns_of_factor(neighbors, order)
            .enumerate()
            .map(|(pivot, rest)| Supernode { pivots: vec![pivot as u32], rest, children: vec![] })
            .collect();
        let cost = |pivots: usize, rest: usize| {
            let moved = (rest * block).pow(2) as f64 / 2.0;
            elimination(pivots, rest, block) + OPERATIONS_PER_MOVE * moved
        };
        for parent in 0..nodes.len() {
            loop {
                let into = &nodes[parent];
                let gain = |child: &usize| {
                    let from = &nodes[*child];
                    cost(from.pivots.len(), from.rest.len()) + cost(into.pivots.len(), into.rest.len())
                        - cost(from.pivots.len() + into.pivots.len(), into.rest.len())
                };
                let gains = into.children.iter().map(gain).enumerate();
                let Some((which, gain)) = gains.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
                if gain < 0.0 {
                    break;
                }
                let child = nodes[parent].children.remove(which);
                let mut joined = std::mem::take(&mut nodes[child]);
                let into = &mut nodes[parent];
                joined.pivots.append(&mut into.pivots);
                into.pivots = joined.pivots;
                into.children.append(&mut joined.children);
            }
            let next = nodes[parent].rest.first().copied();
            if let Some(next) = next {
                nodes[next as usize].children.push(parent);
            }
        }
        Supernodes(nodes)
    }

    /// Supernodes in postorder, and the positions of the roots in this order.
    fn postorder(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut postorder, mut roots) = (Vec::new(), Vec::new());
        let is_root = |node: &Supernode| !node.pivots.is_empty() && node.rest.is_empty();
        for root in (0..self.0.len()).filter(|&node| is_root(&self.0[node])) {
            // Visit parents before children, then reverse the order.
            let start = postorder.len();
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                postorder.push(node);
                open.extend(&self.0[node].children);
            }
            postorder[start..].reverse();
            roots.push(postorder.len() - 1);
        }
        (postorder, roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::tests::random_matrix;

    /// Every sample is eliminated once. Every block of the matrix is in a front. The rest of a child fits into its
    /// parent. The fronts of a subtree are contiguous.
    #[test]
    fn symbolic_factorization_is_consistent() {
        for samples in [0, 1, 2, 37, 150] {
            let pattern = random_matrix(samples, 1, 4).pattern().clone();
            let positions: Vec<DVec3> =
                (0..samples).map(|i| DVec3::new((i % 10) as f64, (i / 10) as f64, 0.0)).collect();
            let symbolic = Symbolic::new(pattern.clone(), 12, &positions);
            let mut order = symbolic.order.clone();
            order.sort_unstable();
            assert!(order.iter().enumerate().all(|(i, &sample)| i == sample as usize) && order.len() == samples);
            assert_eq!(symbolic.fronts.iter().map(|front| front.pivots).sum::<usize>(), samples);
            assert_eq!(symbolic.fronts.iter().map(|front| front.entries.len()).sum::<usize>(), pattern.blocks());
            let position = |sample: usize| symbolic.order.iter().position(|&at| at as usize == sample).unwrap();
            let mut below_roots = 0;
            for (index, front) in symbolic.fronts.iter().enumerate() {
                let at = |index_of: u32| match index_of as usize {
                    pivot if pivot < front.pivots => front.first + pivot,
                    index_of => front.rest[index_of - front.pivots] as usize,
                };
                for entry in &front.entries {
                    let column =
                        (0..samples).find(|&c| pattern.blocks_of(c).contains(&(entry.block as usize))).unwrap();
                    let row = pattern.column(column)[entry.block as usize - pattern.blocks_of(column).start] as usize;
                    let mut pair = [position(row), position(column)];
                    if entry.mirrored {
                        pair.reverse();
                    }
                    assert_eq!([at(entry.row), at(entry.column)], pair);
                }
                let mut next = front.first_below;
                for &child in &front.children {
                    let child_front = &symbolic.fronts[child];
                    assert_eq!(child_front.first_below, next);
                    next = child + 1;
                    let parents: Vec<usize> = child_front.in_parent.iter().map(|&index_of| at(index_of)).collect();
                    assert!(parents.iter().zip(&child_front.rest).all(|(a, &b)| *a == b as usize));
                }
                assert_eq!(next, index);
                if front.rest.is_empty() {
                    assert!(symbolic.roots.contains(&index));
                    below_roots += index + 1 - front.first_below;
                }
            }
            assert_eq!(below_roots, symbolic.fronts.len());
        }
    }
}
