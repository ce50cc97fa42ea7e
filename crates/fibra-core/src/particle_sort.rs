//! Stable parallel sort of particles by grid block, and within a block by group (material). The result does not depend on the number of
//! threads.

use crate::block_key::BlockKey;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Particles `start..end`, which share a block and a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The block that contains the particles.
    pub key: BlockKey,
    /// The group (material) of the particles.
    pub group: u32,
    /// First particle.
    pub start: u32,
    /// One past the last particle.
    pub end: u32,
}

/// Particles per task. The value does not affect the result.
const CHUNK: usize = 1 << 13;

/// The sorting permutation: the particle at each sorted position.
#[derive(Debug, Default)]
pub struct Order(Vec<u32>);

/// The particles of one bin (block and group) within one chunk.
#[derive(Debug)]
struct BinSegment {
    key: BlockKey,
    group: u32,
    chunk: u32,
    start: u32,
    count: u32,
}

/// Sorts particles, reusing its memory between calls.
#[derive(Debug, Default)]
pub struct Sorter {
    /// The most recent sorting permutation.
    pub order: Order,
    /// Particles chunk by chunk, each chunk sorted by bin.
    grouped: Vec<u32>,
    chunks: Vec<Chunk>,
    segments: Vec<BinSegment>,
}

/// Workspace for grouping one chunk's particles.
#[derive(Debug, Default)]
struct Chunk {
    /// Bin of each particle.
    bins: Vec<u32>,
    segments: Vec<BinSegment>,
    known: FxHashMap<(BlockKey, u32), u32>,
    /// Next output position of each bin.
    cursor: Vec<u32>,
}

impl Sorter {
    /// Computes the permutation that sorts `n` particles by `key(p) = (block, group)`, and the runs in sorted order.
    pub fn sort(&mut self, n: usize, key: impl Fn(usize) -> (BlockKey, u32) + Sync, runs: &mut Vec<Run>) {
        let Sorter { order: Order(order), grouped, chunks, segments } = self;
        grouped.resize(n, 0);
        chunks.resize_with(n.div_ceil(CHUNK), Chunk::default);
        let work = grouped.par_chunks_mut(CHUNK).zip(&mut *chunks).enumerate();
        work.for_each(|(number, (grouped, chunk))| chunk.group(number, grouped, &key));
        segments.clear();
        chunks.iter_mut().for_each(|chunk| segments.append(&mut chunk.segments));
        segments.par_sort_unstable_by_key(|p| (p.key, p.group, p.chunk));

        order.clear();
        runs.clear();
        for segment in segments.iter() {
            let (from, at) = (segment.start as usize, order.len() as u32);
            order.extend_from_slice(&grouped[from..from + segment.count as usize]);
            match runs.last_mut() {
                Some(run) if run.key == segment.key && run.group == segment.group => run.end += segment.count,
                _ => runs.push(Run { key: segment.key, group: segment.group, start: at, end: at + segment.count }),
            }
        }
    }

    /// Reserves memory for `n` particles in up to `bins` blocks, so that sorting them does not allocate.
    pub fn reserve(&mut self, n: usize, bins: usize) {
        self.order.0.reserve(n);
        self.grouped.reserve(n);
        self.segments.reserve(bins);
        self.chunks.resize_with(n.div_ceil(CHUNK), Chunk::default);
        for chunk in &mut self.chunks {
            chunk.bins.reserve(n.min(CHUNK));
            chunk.segments.reserve(bins);
            chunk.known.reserve(bins);
            chunk.cursor.reserve(bins);
        }
    }
}

impl Order {
    /// Permutes one particle field into sorted order; `scratch` receives the old buffer.
    pub fn apply<T: Copy + Send + Sync + Default>(&self, field: &mut Vec<T>, scratch: &mut Vec<T>) {
        scratch.resize(field.len(), T::default());
        self.gather(field, scratch);
        std::mem::swap(field, scratch);
    }

    /// Permutes a field with `parts` values per particle into sorted order, using a buffer of one value per particle.
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
        let Chunk { bins, segments, known, cursor } = self;
        let first = number * CHUNK;
        bins.resize(grouped.len(), 0);
        known.clear();
        // Particles adjacent in memory mostly share a bin: cache the last one.
        let mut last = None;
        for (i, bin) in bins.iter_mut().enumerate() {
            let k = key(first + i);
            *bin = match last {
                Some((same, bin)) if same == k => bin,
                _ => *known.entry(k).or_insert_with(|| {
                    segments.push(BinSegment { key: k.0, group: k.1, chunk: number as u32, start: 0, count: 0 });
                    segments.len() as u32 - 1
                }),
            };
            segments[*bin as usize].count += 1;
            last = Some((k, *bin));
        }
        let mut next = 0;
        for segment in segments.iter_mut() {
            segment.start = (first + next) as u32;
            next += segment.count as usize;
        }
        cursor.clear();
        cursor.extend(segments.iter().map(|p| p.start - first as u32));
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
                // Sort twice: state kept from the first call must not affect the second.
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
