//! Fill-reducing elimination order: nested dissection by planes [George1973] or approximate minimum degree
//! [Amestoy2004], whichever takes fewer operations. Nested dissection suits solids and tubes, minimum degree suits
//! sheets.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use fibra_core::geometry::principal_axes_of_points;
use fibra_core::random::CounterRng;
use glam::DVec3;

/// Subgraphs of at most this many samples are not dissected further.
const MAX_LEAF: usize = 50;
/// Number of cut positions tried per dissection.
const CUTS: usize = 100;
/// Number of random numberings tried for minimum degree, whose result depends on how ties are broken.
const NUMBERINGS: u64 = 8;

/// Maximum height of the elimination tree. Fronts are visited recursively, so a high tree could overflow a thread's
/// stack. An order with a higher tree, such as a rod eliminated from end to end, is used only if there is no other order.
const MAX_HEIGHT: usize = 800;

/// Returns the samples in elimination order, from the neighbors of each and their positions [m].
pub fn fewest_operations(neighbors: &[Vec<u32>], positions: &[DVec3]) -> Vec<u32> {
    let dissected = std::iter::once(nested_dissection(neighbors, positions));
    let orders = dissected.chain((0..NUMBERINGS).filter_map(|seed| minimum_degree(neighbors, seed)));
    let too_high = |order: &[u32]| height(neighbors, order) > MAX_HEIGHT;
    orders.min_by_key(|order| (too_high(order), operations(neighbors, order))).unwrap_or_default()
}

/// Height of the elimination tree.
fn height(neighbors: &[Vec<u32>], order: &[u32]) -> usize {
    let mut heights = vec![1; order.len()];
    for (at, column) in columns_of_factor(neighbors, order).enumerate() {
        if let Some(&parent) = column.first() {
            heights[parent as usize] = heights[at].max(heights[parent as usize] - 1) + 1;
        }
    }
    heights.into_iter().max().unwrap_or(0)
}

/// Number of block operations of a factorization: the sum of the squared column lengths.
fn operations(neighbors: &[Vec<u32>], order: &[u32]) -> usize {
    columns_of_factor(neighbors, order).map(|column| (column.len() + 1).pow(2)).sum()
}

/// Row positions below the diagonal of each column of the factor, ascending [Davis2006, Sec. 4.1].
pub(super) fn columns_of_factor(neighbors: &[Vec<u32>], order: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    let mut position = vec![0u32; order.len()];
    order.iter().enumerate().for_each(|(at, &sample)| position[sample as usize] = at as u32);
    // The parent of a column in the elimination tree is the column of its first row. The parent inherits the other
    // rows.
    let mut inherited: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
    order.iter().enumerate().map(move |(at, &sample)| {
        let mut column = std::mem::take(&mut inherited[at]);
        let others = neighbors[sample as usize].iter().map(|&other| position[other as usize]);
        column.extend(others.filter(|&other| other as usize > at));
        column.sort_unstable();
        column.dedup();
        if let Some((&first, after)) = column.split_first() {
            inherited[first as usize].extend(after);
        }
        column
    })
}

/// Approximate minimum degree with a random numbering of the samples. `None` if it fails, which only a lack of memory can cause.
fn minimum_degree(neighbors: &[Vec<u32>], seed: u64) -> Option<Vec<u32>> {
    let n = neighbors.len();
    let rng = CounterRng::new(seed);
    let mut samples: Vec<u32> = (0..n as u32).collect();
    samples.sort_by_key(|&sample| (rng.bits(&[sample.into()]), sample));
    let mut number = vec![0; n];
    samples.iter().enumerate().for_each(|(at, &sample)| number[sample as usize] = at);
    let (mut starts, mut rows) = (vec![0], Vec::new());
    for (column, &sample) in samples.iter().enumerate() {
        let others = neighbors[sample as usize].iter().map(|&other| number[other as usize]);
        rows.extend(others.filter(|&row| row < column));
        rows[starts[column]..].sort_unstable();
        starts.push(rows.len());
    }
    let upper = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
    amd::order(&mut order, &mut inverse, upper, Default::default(), MemStack::new(&mut memory)).ok()?;
    Some(order.into_iter().map(|at| samples[at]).collect())
}

/// Orders the two halves before their separator, recursively.
fn nested_dissection(neighbors: &[Vec<u32>], positions: &[DVec3]) -> Vec<u32> {
    let sides = vec![Side::Outside; neighbors.len()];
    let mut dissection = Dissection { neighbors, positions, sides, order: Vec::with_capacity(neighbors.len()) };
    dissection.dissect((0..neighbors.len() as u32).collect());
    dissection.order
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Outside,
    Left,
    Right,
}

struct Dissection<'a> {
    neighbors: &'a [Vec<u32>],
    positions: &'a [DVec3],
    /// Sides of the current cut.
    sides: Vec<Side>,
    order: Vec<u32>,
}

impl Dissection<'_> {
    fn dissect(&mut self, mut subgraph: Vec<u32>) {
        if subgraph.len() <= MAX_LEAF {
            self.eliminate(subgraph);
            return;
        }
        let points: Vec<DVec3> = subgraph.iter().map(|&sample| self.positions[sample as usize]).collect();
        let [(_, direction), ..] = principal_axes_of_points(&points);
        let along = |sample: u32| self.positions[sample as usize].dot(direction);
        subgraph.sort_by(|&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
        // Minimizes the separator size relative to the sizes of the halves. The separator is taken from one side of the cut.
        let mut best = (f64::INFINITY, subgraph.len() / 2, Side::Left);
        for cut in (1..CUTS).map(|cut| subgraph.len() * cut / CUTS) {
            self.cut(&subgraph, cut);
            for side in [Side::Left, Side::Right] {
                let separator = subgraph.iter().filter(|&&sample| self.separates(sample, side)).count();
                let whole = if side == Side::Left { subgraph.len() - cut } else { cut };
                let halves = (whole * (subgraph.len() - whole - separator)) as f64;
                if separator as f64 / halves < best.0 {
                    best = (separator as f64 / halves, cut, side);
                }
            }
        }
        let (_, cut, side) = best;
        self.cut(&subgraph, cut);
        let (separator, halves): (Vec<u32>, Vec<u32>) =
            subgraph.iter().partition(|&&sample| self.separates(sample, side));
        let (left, right) = halves.iter().partition(|&&sample| self.sides[sample as usize] == Side::Left);
        subgraph.iter().for_each(|&sample| self.sides[sample as usize] = Side::Outside);
        self.dissect(left);
        self.dissect(right);
        self.eliminate(separator);
    }

    /// Appends a subgraph to the order by minimum degree. Unlike a general minimum degree algorithm, this function also
    /// counts coupling with the surrounding samples, which are eliminated later.
    fn eliminate(&mut self, mut subgraph: Vec<u32>) {
        let around = subgraph.iter().flat_map(|&sample| &self.neighbors[sample as usize]);
        let mut samples: Vec<u32> = around.chain(&subgraph).copied().collect();
        samples.sort_unstable();
        samples.dedup();
        // Bit sets: for each sample, the set of samples coupled with it.
        let place = |sample: u32| samples.partition_point(|&other| other < sample);
        let has = |set: &[u64], place: usize| set[place / 64] >> (place % 64) & 1 == 1;
        let mut coupled = vec![vec![0u64; samples.len().div_ceil(64)]; samples.len()];
        for &sample in &subgraph {
            for &neighbor in &self.neighbors[sample as usize] {
                let (a, b) = (place(sample), place(neighbor));
                coupled[a][b / 64] |= 1 << (b % 64);
                coupled[b][a / 64] |= 1 << (a % 64);
            }
        }
        let degree = |set: &[u64]| set.iter().map(|word| word.count_ones()).sum::<u32>();
        while let Some(next) = (0..subgraph.len()).min_by_key(|&i| degree(&coupled[place(subgraph[i])])) {
            let sample = subgraph.remove(next);
            let gone = place(sample);
            let others = coupled[gone].clone();
            for other in (0..samples.len()).filter(|&other| has(&others, other)) {
                coupled[other].iter_mut().zip(&others).for_each(|(set, others)| *set |= others);
                [gone, other].into_iter().for_each(|place| coupled[other][place / 64] &= !(1 << (place % 64)));
            }
            self.order.push(sample);
        }
    }

    fn cut(&mut self, subgraph: &[u32], cut: usize) {
        subgraph[..cut].iter().for_each(|&sample| self.sides[sample as usize] = Side::Left);
        subgraph[cut..].iter().for_each(|&sample| self.sides[sample as usize] = Side::Right);
    }

    /// Whether a sample is on this side of the cut and coupled with the other side.
    fn separates(&self, sample: u32, side: Side) -> bool {
        let other = if side == Side::Left { Side::Right } else { Side::Left };
        let across = |&neighbor: &u32| self.sides[neighbor as usize] == other;
        self.sides[sample as usize] == side && self.neighbors[sample as usize].iter().any(across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(samples: u32) -> Vec<Vec<u32>> {
        let neighbors = |i: u32| [i.wrapping_sub(1), i + 1].into_iter().filter(|&j| j < samples).collect();
        (0..samples).map(neighbors).collect()
    }

    #[test]
    fn columns_include_fill_in() {
        // A chain is eliminated from its middle: eliminating 1 couples 0 and 2, and eliminating 0 then adds no
        // coupling.
        let columns: Vec<_> = columns_of_factor(&chain(4), &[1, 0, 2, 3]).collect();
        assert_eq!(columns, [vec![1, 2], vec![2], vec![3], vec![]]);
        assert_eq!(operations(&chain(4), &[1, 0, 2, 3]), 9 + 4 + 4 + 1);
        assert_eq!(operations(&chain(4), &[0, 1, 2, 3]), 3 * 4 + 1);
    }

    #[test]
    fn a_long_chain_is_dissected() {
        assert_eq!(height(&chain(4), &[0, 1, 2, 3]), 4);
        assert_eq!(height(&chain(4), &[0, 3, 1, 2]), 3);
        let positions: Vec<DVec3> = (0..3000).map(|i| DVec3::X * f64::from(i)).collect();
        assert!(height(&chain(3000), &fewest_operations(&chain(3000), &positions)) < 100);
    }

    #[test]
    fn minimum_degree_gives_no_fill_in_on_a_chain() {
        let order = minimum_degree(&chain(100), 1).unwrap();
        assert_eq!(operations(&chain(100), &order), 4 * 99 + 1);
    }

    /// The work grows with the cube of the side of a square grid [George1973]. In row order, the work would grow with the
    /// fourth power of the side.
    #[test]
    fn dissection_of_a_grid_has_cubic_work() {
        let work = |side: u32| {
            let at = |i: u32| DVec3::new((i % side) as f64, (i / side) as f64, 0.0);
            let near = |i: u32| (0..side * side).filter(move |&j| j != i && at(i).distance(at(j)) < 1.1).collect();
            let grid: Vec<Vec<u32>> = (0..side * side).map(near).collect();
            let positions: Vec<DVec3> = (0..side * side).map(at).collect();
            let order = nested_dissection(&grid, &positions);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..side * side));
            assert!(operations(&grid, &fewest_operations(&grid, &positions)) <= operations(&grid, &order));
            operations(&grid, &order) as f64
        };
        let growth = (work(48) / work(24)).log2();
        assert!((2.5..3.5).contains(&growth), "{growth}");
    }

    #[test]
    fn coincident_uncoupled_and_no_samples_are_ordered() {
        let all: Vec<Vec<u32>> = (0..200).map(|i| (0..200).filter(|&j| j != i).collect()).collect();
        assert_eq!(fewest_operations(&all, &[DVec3::ONE; 200]).len(), 200);
        assert_eq!(nested_dissection(&vec![vec![]; 200], &[DVec3::ONE; 200]).len(), 200);
        assert!(fewest_operations(&[], &[]).is_empty());
    }
}
