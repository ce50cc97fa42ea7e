//! Symbolic analysis for [`block_lu`](super::block_lu): which contacts are eliminated together, and where the blocks of the matrix go.

use super::ordering::eliminate;
use super::problem::FrictionProblem;
use std::ops::Range;

/// Number of columns of a chunk.
pub const CHUNK: usize = 96;

/// Columns of a front that are assembled and updated by one thread.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The columns.
    pub columns: Range<usize>,
    /// Blocks of the matrix in these columns.
    pub entries: Range<usize>,
}

/// A front: contacts that are eliminated together.
#[derive(Clone, Debug)]
pub struct Front {
    /// First eliminated contact, in elimination order.
    pub first: usize,
    /// Number of contacts that are eliminated.
    pub pivots: usize,
    /// Later contacts that are coupled with the eliminated ones, in elimination order.
    pub rest: Vec<usize>,
    /// Runs of remaining unknowns that are consecutive in the parent front and either all or none of its pivots: the index of the first
    /// one there, and the indices among the remaining unknowns.
    pub runs: Vec<(usize, Range<usize>)>,
    /// Child fronts, whose remaining block is added to this one.
    pub children: Vec<usize>,
    /// First front of the subtree that ends with this front.
    pub subtree: usize,
    /// Number of floating-point operations of the subtree.
    pub work: f64,
    /// Chunks of its columns: those of the pivots, then the others.
    pub chunks: Vec<Chunk>,
    /// Offset of the factors of this front.
    pub offset: usize,
}

impl Front {
    /// Number of eliminated unknowns.
    pub fn columns(&self) -> usize {
        3 * self.pivots
    }

    /// Number of remaining unknowns.
    pub fn remaining(&self) -> usize {
        3 * self.rest.len()
    }

    /// Number of stored factor entries.
    pub fn stored(&self) -> usize {
        self.columns() * (self.columns() + 2 * self.remaining())
    }

    /// Returns the index of a contact, given by its position in elimination order, within the front.
    fn index_of(&self, position: usize) -> usize {
        match position - self.first {
            pivot if pivot < self.pivots => pivot,
            _ => self.pivots + self.rest.partition_point(|&rest| rest < position),
        }
    }
}

/// A block of the matrix, with its place in a front.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Index of the block among the stored blocks of `W`.
    pub block: u32,
    /// Contact of the row and of the column.
    pub contacts: [u32; 2],
    /// Index of these contacts in the front.
    pub place: [u32; 2],
}

/// Fronts in elimination order: children before parents, and each subtree without gaps.
#[derive(Clone, Debug, Default)]
pub struct Fronts {
    /// The fronts.
    pub fronts: Vec<Front>,
    /// Blocks of all fronts.
    pub entries: Vec<Entry>,
    /// Fronts without parent.
    pub roots: Vec<usize>,
    /// The contact at each position of the elimination order.
    pub order: Vec<usize>,
    /// Number of stored factor entries.
    pub stored: usize,
}

impl Fronts {
    /// Analyzes the pattern of `W`, restricted to the given contacts (sorted).
    pub fn new(problem: &FrictionProblem, contacts: &[usize]) -> Fronts {
        let mut index = vec![usize::MAX; problem.contacts()];
        contacts.iter().enumerate().for_each(|(at, &contact)| index[contact] = at);
        let elimination = eliminate(&neighbors(problem, contacts, &index));
        let tree = merge(&elimination.groups, &elimination.later);
        let mut fronts = tree.fronts(&elimination.groups, &elimination.later);
        fronts.order.iter_mut().for_each(|contact| *contact = contacts[*contact]);
        fronts.place_blocks(problem, &index);
        fronts
    }

    /// Sorts the blocks of `W` into the fronts.
    fn place_blocks(&mut self, problem: &FrictionProblem, index: &[usize]) {
        let mut position = vec![0; problem.contacts()];
        self.order.iter().enumerate().for_each(|(at, &contact)| position[contact] = at);
        let mut front_of = vec![0; self.order.len()];
        for (at, front) in self.fronts.iter().enumerate() {
            front_of[front.first..front.first + front.pivots].fill(at);
        }
        let blocks = || {
            (0..problem.contacts()).filter(|&row| index[row] != usize::MAX).flat_map(|row| {
                let in_use = problem.row_blocks(row).filter(|&(_, column)| index[column] != usize::MAX);
                in_use.map(move |(block, column)| (block, row, column))
            })
        };
        let owner = |row: usize, column: usize| front_of[position[row].min(position[column])];
        // Chunks of all fronts, numbered without gaps.
        let mut first_chunk = Vec::with_capacity(self.fronts.len());
        let mut count = 0;
        for front in &mut self.fronts {
            first_chunk.push(count);
            let (pivots, size) = (front.columns(), front.columns() + front.remaining());
            let chunks = |from: usize, to: usize| {
                (from..to)
                    .step_by(CHUNK)
                    .map(move |start| Chunk { columns: start..to.min(start + CHUNK), entries: 0..0 })
            };
            front.chunks = chunks(0, pivots).chain(chunks(pivots, size)).collect();
            count += front.chunks.len();
        }
        let place = |row: usize, column: usize| {
            let at = owner(row, column);
            let front = &self.fronts[at];
            let place = [row, column].map(|contact| front.index_of(position[contact]) as u32);
            let column = 3 * place[1] as usize;
            let chunk = match column.checked_sub(front.columns()) {
                None => column / CHUNK,
                Some(later) => front.columns().div_ceil(CHUNK) + later / CHUNK,
            };
            (first_chunk[at] + chunk, place)
        };
        let mut ends = vec![0; count + 1];
        let placed: Vec<(usize, Entry)> = blocks()
            .map(|(block, row, column)| {
                let (chunk, place) = place(row, column);
                ends[chunk + 1] += 1;
                (chunk, Entry { block: block as u32, contacts: [row as u32, column as u32], place })
            })
            .collect();
        (0..count).for_each(|chunk| ends[chunk + 1] += ends[chunk]);
        let mut chunk = 0;
        for front in &mut self.fronts {
            for columns in &mut front.chunks {
                columns.entries = ends[chunk]..ends[chunk + 1];
                chunk += 1;
            }
        }
        let Some(&(_, any)) = placed.first() else { return };
        self.entries = vec![any; placed.len()];
        for (chunk, entry) in placed {
            self.entries[ends[chunk]] = entry;
            ends[chunk] += 1;
        }
    }

    /// Splits a slice with the data of consecutive subtrees, given by their last fronts, into those of each. `until` returns the amount of data up to
    /// and including a front.
    pub fn split<'a, T>(
        &self,
        last: &[usize],
        data: &'a mut [T],
        until: impl Fn(&Fronts, usize) -> usize,
    ) -> Vec<&'a mut [T]> {
        let mut rest = data;
        let mut parts = Vec::with_capacity(last.len());
        for &front in last {
            let before = self.fronts[front].subtree.checked_sub(1).map_or(0, |before| until(self, before));
            let (part, later) = std::mem::take(&mut rest).split_at_mut(until(self, front) - before);
            parts.push(part);
            rest = later;
        }
        parts
    }

    /// Returns the number of factor entries up to and including a front.
    pub fn stored_until(&self, front: usize) -> usize {
        self.fronts[front].offset + self.fronts[front].stored()
    }

    /// Returns the number of unknowns up to and including those eliminated by a front.
    pub fn unknowns_until(&self, front: usize) -> usize {
        3 * self.fronts[front].first + self.fronts[front].columns()
    }

    /// Returns the number of factor entries of consecutive subtrees.
    pub fn stored_in(&self, last: &[usize]) -> usize {
        let (Some(&first), Some(&last)) = (last.first(), last.last()) else { return 0 };
        self.stored_until(last) - self.fronts[self.fronts[first].subtree].offset
    }
}

/// Returns the symmetrized pattern among the given contacts.
fn neighbors(problem: &FrictionProblem, contacts: &[usize], index: &[usize]) -> Vec<Vec<usize>> {
    let columns =
        |row: usize| problem.row_blocks(row).map(|(_, column)| index[column]).filter(|&column| column != usize::MAX);
    let mut neighbors: Vec<Vec<usize>> = contacts.iter().map(|&row| columns(row).collect()).collect();
    // Blocks whose transposed position is empty.
    let mut missing = Vec::new();
    for (row, list) in neighbors.iter().enumerate() {
        missing
            .extend(list.iter().filter(|&&column| neighbors[column].binary_search(&row).is_err()).map(|&c| (c, row)));
    }
    for &(row, column) in &missing {
        neighbors[row].push(column);
    }
    if !missing.is_empty() {
        neighbors.iter_mut().for_each(|list| list.sort_unstable());
    }
    neighbors
}

/// The elimination tree after merging groups into larger fronts.
struct Tree {
    /// Groups that each front eliminates; empty if it is merged into its parent.
    members: Vec<Vec<usize>>,
    parent: Vec<Option<usize>>,
}

/// Estimated time to factor a front [ns]: the operations, and the passes over its entries.
fn cost(pivots: usize, rest: usize) -> f64 {
    let size = 3.0 * (pivots + rest) as f64;
    work(pivots, rest) / 15.0 + 1.5 * size * size + 1000.0
}

/// Number of floating-point operations to factor a front.
fn work(pivots: usize, rest: usize) -> f64 {
    let (p, r) = (3.0 * pivots as f64, 3.0 * rest as f64);
    p * (2.0 / 3.0 * p * p + 2.0 * p * r + 2.0 * r * r)
}

/// Merges fronts into their parents where larger dense blocks save more time than the additional entries cost.
fn merge(groups: &[Vec<usize>], later: &[Vec<usize>]) -> Tree {
    let n = groups.len();
    let parent: Vec<Option<usize>> = later.iter().map(|later| later.first().copied()).collect();
    let mut members: Vec<Vec<usize>> = (0..n).map(|group| vec![group]).collect();
    let mut pivots: Vec<usize> = groups.iter().map(Vec::len).collect();
    let rest: Vec<usize> = later.iter().map(|later| later.iter().map(|&group| groups[group].len()).sum()).collect();
    for front in 0..n {
        let Some(into) = parent[front] else { continue };
        let apart = cost(pivots[front], rest[front]) + cost(pivots[into], rest[into]);
        if cost(pivots[front] + pivots[into], rest[into]) <= apart {
            pivots[into] += pivots[front];
            let mut merged = std::mem::take(&mut members[front]);
            merged.append(&mut members[into]);
            members[into] = merged;
        }
    }
    Tree { members, parent }
}

impl Tree {
    /// Numbers fronts and contacts by a depth-first traversal, children first.
    fn fronts(&self, groups: &[Vec<usize>], later: &[Vec<usize>]) -> Fronts {
        let n = groups.len();
        // The last group of a front is the one whose couplings are those of the front.
        let mut front_of = vec![usize::MAX; n];
        for (front, members) in self.members.iter().enumerate() {
            members.iter().for_each(|&group| front_of[group] = front);
        }
        let mut children = vec![Vec::new(); n];
        let mut roots = Vec::new();
        for front in (0..n).filter(|&front| !self.members[front].is_empty()) {
            match self.parent[front] {
                Some(parent) => children[front_of[parent]].push(front),
                None => roots.push(front),
            }
        }
        let mut result = Fronts::default();
        let mut number = vec![0; n];
        let mut position = vec![0; n];
        let mut visits: Vec<(usize, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        let mut sources = Vec::new();
        while let Some((front, children_done)) = visits.pop() {
            if !children_done {
                visits.push((front, true));
                visits.extend(children[front].iter().rev().map(|&child| (child, false)));
                continue;
            }
            number[front] = result.fronts.len();
            let first = result.order.len();
            for &group in &self.members[front] {
                position[group] = result.order.len();
                result.order.extend(&groups[group]);
            }
            let own: Vec<usize> = children[front].iter().map(|&child| number[child]).collect();
            let subtree = own.first().map_or(result.fronts.len(), |&child| result.fronts[child].subtree);
            let work_below = own.iter().map(|&child| result.fronts[child].work).sum::<f64>();
            let pivots = result.order.len() - first;
            let rest = later[front].iter().map(|&group| groups[group].len()).sum();
            result.fronts.push(Front {
                first,
                pivots,
                rest: Vec::new(),
                runs: Vec::new(),
                children: own,
                subtree,
                work: work_below + work(pivots, rest),
                chunks: Vec::new(),
                offset: 0,
            });
            sources.push(front);
        }
        result.roots = roots.iter().map(|&root| number[root]).collect();
        for (at, &source) in sources.iter().enumerate() {
            let contacts =
                later[source].iter().flat_map(|&group| position[group]..position[group] + groups[group].len());
            let mut rest: Vec<usize> = contacts.collect();
            rest.sort_unstable();
            result.fronts[at].rest = rest;
            result.fronts[at].offset = result.stored;
            result.stored += result.fronts[at].stored();
        }
        for at in 0..result.fronts.len() {
            for child in result.fronts[at].children.clone() {
                result.fronts[child].runs = runs(&result.fronts[child], &result.fronts[at]);
            }
        }
        result
    }
}

/// Returns the runs of a front in its parent.
fn runs(child: &Front, parent: &Front) -> Vec<(usize, Range<usize>)> {
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    for (index, &position) in child.rest.iter().enumerate() {
        let place = parent.index_of(position);
        match runs.last_mut() {
            Some((first, range)) if *first + range.len() == 3 * place && place != parent.pivots => range.end += 3,
            _ => runs.push((3 * place, 3 * index..3 * index + 3)),
        }
    }
    runs
}
