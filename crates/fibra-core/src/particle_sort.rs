//! Sorts particles by grid block, and within a block by group (material), in parallel and stably: the result is the same
//! for any number of threads.

use crate::block_key::BlockKey;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Particles `start..end` lie in one block and belong to one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they lie.
    pub key: BlockKey,
    /// What they share besides the block.
    pub group: u32,
    /// First particle.
    pub start: u32,
    /// One past the last particle.
    pub end: u32,
}

/// Particles handled by one task. Any size gives the same result.
const CHUNK: usize = 1 << 13;

/// The particle that comes at each place once they are sorted.
#[derive(Debug, Default)]
pub struct Order(Vec<u32>);

/// A bin's share of one chunk.
#[derive(Debug)]
struct Piece {
    key: BlockKey,
    group: u32,
    chunk: u32,
    start: u32,
    count: u32,
}

/// Sorts particles; keeps its memory from one time to the next.
#[derive(Debug, Default)]
pub struct Sorter {
    /// The order found last.
    pub order: Order,
    /// Particles chunk by chunk, each in the order of its bins.
    grouped: Vec<u32>,
    chunks: Vec<Chunk>,
    pieces: Vec<Piece>,
}

/// What groups one chunk's particles.
#[derive(Debug, Default)]
struct Chunk {
    /// Each particle's bin.
    bins: Vec<u32>,
    pieces: Vec<Piece>,
    known: FxHashMap<(BlockKey, u32), u32>,
    /// Where the next particle of each bin goes.
    cursor: Vec<u32>,
}

impl Sorter {
    /// Finds the order that sorts `n` particles by `key(p) = (block, group)`, and the runs in that order.
    pub fn sort(&mut self, n: usize, key: impl Fn(usize) -> (BlockKey, u32) + Sync, runs: &mut Vec<Run>) {
        let Sorter { order: Order(order), grouped, chunks, pieces } = self;
        grouped.resize(n, 0);
        chunks.resize_with(n.div_ceil(CHUNK), Chunk::default);
        let work = grouped.par_chunks_mut(CHUNK).zip(&mut *chunks).enumerate();
        work.for_each(|(number, (grouped, chunk))| chunk.group(number, grouped, &key));
        pieces.clear();
        chunks.iter_mut().for_each(|chunk| pieces.append(&mut chunk.pieces));
        pieces.par_sort_unstable_by_key(|p| (p.key, p.group, p.chunk));

        order.clear();
        runs.clear();
        for piece in pieces.iter() {
            let (from, at) = (piece.start as usize, order.len() as u32);
            order.extend_from_slice(&grouped[from..from + piece.count as usize]);
            match runs.last_mut() {
                Some(run) if run.key == piece.key && run.group == piece.group => run.end += piece.count,
                _ => runs.push(Run { key: piece.key, group: piece.group, start: at, end: at + piece.count }),
            }
        }
    }

    /// Makes room for `n` particles in up to `bins` blocks, so that sorting them takes no more memory.
    pub fn reserve(&mut self, n: usize, bins: usize) {
        self.order.0.reserve(n);
        self.grouped.reserve(n);
        self.pieces.reserve(bins);
        self.chunks.resize_with(n.div_ceil(CHUNK), Chunk::default);
        for chunk in &mut self.chunks {
            chunk.bins.reserve(n.min(CHUNK));
            chunk.pieces.reserve(bins);
            chunk.known.reserve(bins);
            chunk.cursor.reserve(bins);
        }
    }
}

impl Order {
    /// Brings one field of the particles into the sorted order; `scratch` takes the old buffer.
    pub fn apply<T: Copy + Send + Sync + Default>(&self, field: &mut Vec<T>, scratch: &mut Vec<T>) {
        scratch.resize(field.len(), T::default());
        self.gather(field, scratch);
        std::mem::swap(field, scratch);
    }

    /// Brings a field that has `parts` values for each particle into the sorted order, by way of a buffer of one for each.
    pub fn apply_in_parts<T: Copy + Send + Sync>(&self, field: &mut [T], parts: usize, buffer: &mut [T]) {
        let buffer = &mut buffer[..self.0.len()];
        for part in 0..parts {
            let chunks = buffer.par_chunks_mut(CHUNK).zip(self.0.par_chunks(CHUNK));
            chunks.for_each(|(to, order)| {
                to.iter_mut().zip(order).for_each(|(to, &p)| *to = field[p as usize * parts + part]);
            });
            let chunks = field.par_chunks_mut(CHUNK * parts).zip(buffer.par_chunks(CHUNK));
            chunks.for_each(|(to, from)| {
                to[part..].iter_mut().step_by(parts).zip(from).for_each(|(to, from)| *to = *from);
            });
        }
    }

    fn gather<T: Copy + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        let chunks = to.par_chunks_mut(CHUNK).zip(self.0.par_chunks(CHUNK));
        chunks.for_each(|(to, order)| to.iter_mut().zip(order).for_each(|(to, &p)| *to = from[p as usize]));
    }
}

impl Chunk {
    /// Groups one chunk's particles by bin with a counting sort.
    fn group(&mut self, number: usize, grouped: &mut [u32], key: &(impl Fn(usize) -> (BlockKey, u32) + Sync)) {
        let Chunk { bins, pieces, known, cursor } = self;
        let first = number * CHUNK;
        bins.resize(grouped.len(), 0);
        known.clear();
        // Neighbors in memory mostly share a bin: remember the last one.
        let mut last = None;
        for (i, bin) in bins.iter_mut().enumerate() {
            let k = key(first + i);
            *bin = match last {
                Some((same, bin)) if same == k => bin,
                _ => *known.entry(k).or_insert_with(|| {
                    pieces.push(Piece { key: k.0, group: k.1, chunk: number as u32, start: 0, count: 0 });
                    pieces.len() as u32 - 1
                }),
            };
            pieces[*bin as usize].count += 1;
            last = Some((k, *bin));
        }
        let mut next = 0;
        for piece in pieces.iter_mut() {
            piece.start = (first + next) as u32;
            next += piece.count as usize;
        }
        cursor.clear();
        cursor.extend(pieces.iter().map(|p| p.start - first as u32));
        for (i, &bin) in bins.iter().enumerate() {
            let at = &mut cursor[bin as usize];
            grouped[*at as usize] = (first + i) as u32;
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(n: usize) -> Vec<(BlockKey, u32)> {
        let mut s = 12345u64;
        (0..n)
            .map(|_| {
                s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let c = |k: u32| ((s >> k) % 7) as i32 - 3;
                (BlockKey::new([c(40), c(45), c(50)]).unwrap(), ((s >> 33) % 3) as u32)
            })
            .collect()
    }

    #[test]
    fn equals_a_plain_stable_sort_for_any_thread_count() {
        for n in [0, 1, 5, 1000, 3 * CHUNK + 17] {
            let keys = scattered(n);
            let mut expected: Vec<u32> = (0..n as u32).collect();
            expected.sort_by_key(|&p| keys[p as usize]);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (mut sorter, mut runs) = (Sorter::default(), Vec::new());
                // Twice: what it kept must not show.
                for _ in 0..2 {
                    pool.install(|| sorter.sort(n, |p| keys[p], &mut runs));
                }
                let order = &sorter.order;
                assert_eq!(order.0, expected);
                let mut field = keys.iter().map(|k| k.0.0).collect();
                order.apply(&mut field, &mut Vec::new());
                let mut pairs: Vec<u64> = keys.iter().flat_map(|k| [k.0.0, u64::from(k.1)]).collect();
                pool.install(|| order.apply_in_parts(&mut pairs, 2, &mut vec![0; n]));
                assert!((0..n).all(|at| {
                    let (key, group) = keys[expected[at] as usize];
                    pairs[2 * at..2 * at + 2] == [key.0, u64::from(group)]
                }));
                for (i, run) in runs.iter().enumerate() {
                    assert!(i == 0 || runs[i - 1].end == run.start);
                    let inside = run.start as usize..run.end as usize;
                    assert!(
                        inside.clone().all(|at| field[at] == run.key.0 && keys[expected[at] as usize].1 == run.group)
                    );
                    assert!(!inside.is_empty());
                }
                assert_eq!(runs.last().map_or(0, |r| r.end as usize), n);
            }
        }
    }
}
