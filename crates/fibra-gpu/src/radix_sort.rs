//! Stable radix sort of key-value pairs, four bits per pass.

use crate::buffer::Buffer;
use crate::device::Gpu;
use crate::launch::cubes;
use crate::prefix_sum::{UNITS, exclusive_sum, sum_of_units_before};
use cubecl::prelude::*;

/// Number of bits of a digit, and number of values of a digit.
const BITS: u32 = 4;
const DIGITS: u32 = 1 << BITS;
/// Number of consecutive pairs that one thread processes.
const EACH: u32 = 8;
const PER_CUBE: usize = (UNITS * EACH) as usize;
/// Number of counters of a thread block, one for each digit and thread, without and with padding after every 32 to avoid bank conflicts in
/// shared memory.
const COUNTERS: u32 = DIGITS * UNITS;
const PADDED: usize = (COUNTERS + COUNTERS / 32) as usize;

#[cube]
fn padded(counter: u32) -> usize {
    (counter + counter / 32) as usize
}

#[cube]
fn digit_of(key: u32, shift: u32) -> u32 {
    (key >> shift) & comptime!(DIGITS - 1)
}

/// For each thread of the thread block, counts each digit in the pairs of all threads before it. The layout is digit-major: the counts of all threads
/// for one digit precede those of the next digit.
#[cube]
fn count_digits(
    keys: &Array<u32>,
    first: usize,
    shift: u32,
    counters: &mut SharedMemory<u32>,
    scratch: &mut SharedMemory<u32>,
) {
    #[unroll]
    for digit in 0..DIGITS {
        counters[padded(digit * UNITS + UNIT_POS)] = 0u32;
    }
    // Each thread writes only its own counters.
    for k in 0..EACH {
        let at = first + k as usize;
        if at < keys.len() {
            let counter = padded(digit_of(keys[at], shift) * UNITS + UNIT_POS);
            counters[counter] += 1u32;
        }
    }
    sync_cube();
    let mut sum = 0u32;
    #[unroll]
    for k in 0..DIGITS {
        sum += counters[padded(UNIT_POS * DIGITS + k)];
    }
    let mut before = sum_of_units_before(sum, scratch);
    #[unroll]
    for k in 0..DIGITS {
        let counter = padded(UNIT_POS * DIGITS + k);
        let count = counters[counter];
        counters[counter] = before;
        before += count;
    }
    sync_cube();
}

/// Counts the occurrences of each digit in each thread block, digit-major.
#[cube(launch)]
fn digits_of_each_cube(keys: &Array<u32>, counts: &mut Array<u32>, shift: u32, cube_count: u32) {
    let counts_here = SharedMemory::<Atomic<u32>>::new(16usize);
    if UNIT_POS < DIGITS {
        counts_here[UNIT_POS as usize].store(0u32);
    }
    sync_cube();
    let first = CUBE_POS * PER_CUBE + UNIT_POS as usize;
    for k in 0..EACH {
        let at = first + (k * UNITS) as usize;
        if at < keys.len() {
            counts_here[digit_of(keys[at], shift) as usize].fetch_add(1u32);
        }
    }
    sync_cube();
    if UNIT_POS < DIGITS && (CUBE_POS as u32) < cube_count {
        counts[(UNIT_POS * cube_count) as usize + CUBE_POS] = counts_here[UNIT_POS as usize].load();
    }
}

/// Scatters every pair to its position for this digit. For each value of the digit, `starts` holds the first position of each thread
/// block's pairs.
#[cube(launch)]
fn move_pairs(
    keys: &Array<u32>,
    values: &Array<u32>,
    starts: &Array<u32>,
    new_keys: &mut Array<u32>,
    new_values: &mut Array<u32>,
    shift: u32,
    cube_count: u32,
) {
    let mut counters = SharedMemory::<u32>::new(PADDED);
    let mut scratch = SharedMemory::<u32>::new(256usize);
    let mut first_of_digit = SharedMemory::<u32>::new(16usize);
    let first = CUBE_POS * PER_CUBE + (UNIT_POS * EACH) as usize;
    count_digits(keys, first, shift, &mut counters, &mut scratch);
    if UNIT_POS < DIGITS && (CUBE_POS as u32) < cube_count {
        let here = counters[padded(UNIT_POS * UNITS)];
        // Target of the thread block's first pair with this digit, minus the number of the thread block's pairs with smaller digits.
        first_of_digit[UNIT_POS as usize] = starts[(UNIT_POS * cube_count) as usize + CUBE_POS] - here;
    }
    sync_cube();
    for k in 0..EACH {
        let at = first + k as usize;
        if at < keys.len() {
            let key = keys[at];
            let digit = digit_of(key, shift);
            let counter = padded(digit * UNITS + UNIT_POS);
            let rank = counters[counter];
            counters[counter] = rank + 1u32;
            let to = (first_of_digit[digit as usize] + rank) as usize;
            new_keys[to] = key;
            new_values[to] = values[at];
        }
    }
}

/// Returns the pairs sorted by the lowest `bits` of their keys.
pub fn sort_pairs<R: Runtime>(
    gpu: &Gpu<R>,
    keys: &Buffer<u32>,
    values: &Buffer<u32>,
    bits: u32,
) -> (Buffer<u32>, Buffer<u32>) {
    assert_eq!(keys.len(), values.len());
    let n = keys.len();
    let count = n.div_ceil(PER_CUBE).max(1);
    let (dim, mut now) = (CubeDim::new_1d(UNITS), (keys.clone(), values.clone()));
    // The caller's buffers are not modified; the passes alternate between two other pairs of buffers.
    let spare = |gpu: &Gpu<R>| (gpu.empty::<u32>(n), gpu.empty::<u32>(n));
    let mut others: Vec<(Buffer<u32>, Buffer<u32>)> = Vec::new();
    for pass in 0..bits.div_ceil(BITS) {
        let next = others.pop().unwrap_or_else(|| spare(gpu));
        let counts = gpu.empty::<u32>(DIGITS as usize * count);
        let shift = pass * BITS;
        let client = &gpu.client;
        digits_of_each_cube::launch::<R>(client, cubes(count), dim, now.0.arg(), counts.arg(), shift, count as u32);
        let starts = exclusive_sum(gpu, &counts);
        let (from, to) = (&now, &next);
        move_pairs::launch::<R>(
            client,
            cubes(count),
            dim,
            from.0.arg(),
            from.1.arg(),
            starts.arg(),
            to.0.arg(),
            to.1.arg(),
            shift,
            count as u32,
        );
        let done = std::mem::replace(&mut now, next);
        if pass > 0 {
            others.push(done);
        }
    }
    now
}
