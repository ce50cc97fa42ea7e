//! Exclusive prefix sums.

use crate::buffer::Buffer;
use crate::device::Gpu;
use crate::launch::cubes;
use cubecl::prelude::*;

/// Number of threads per thread block.
pub(crate) const UNITS: u32 = 256;
/// Number of elements that each thread sums sequentially.
const EACH: u32 = 8;
const PER_CUBE: usize = (UNITS * EACH) as usize;

/// Returns the sum of `value` over the preceding threads of the thread block. `scratch` has [`UNITS`] elements. All threads of the block must call
/// this function.
#[cube]
pub(crate) fn sum_of_units_before(value: u32, scratch: &mut SharedMemory<u32>) -> u32 {
    let unit = UNIT_POS as usize;
    scratch[unit] = value;
    sync_cube();
    #[unroll]
    for power in 0..8u32 {
        let stride = comptime!(1usize << power);
        let mut before = 0u32;
        if unit >= stride {
            before = scratch[unit - stride];
        }
        sync_cube();
        scratch[unit] += before;
        sync_cube();
    }
    scratch[unit] - value
}

/// Sums the elements of each thread block.
#[cube(launch)]
fn sum_of_each_cube(numbers: &Array<u32>, sums: &mut Array<u32>) {
    let mut scratch = SharedMemory::<u32>::new(256usize);
    let first = (CUBE_POS * PER_CUBE) + UNIT_POS as usize;
    let mut sum = 0u32;
    #[unroll]
    for k in 0..EACH {
        let at = first + (k * UNITS) as usize;
        if at < numbers.len() {
            sum += numbers[at];
        }
    }
    let before = sum_of_units_before(sum, &mut scratch);
    if UNIT_POS == UNITS - 1 && CUBE_POS < sums.len() {
        sums[CUBE_POS] = before + sum;
    }
}

/// Computes the prefix sum of each element, given those of the thread blocks.
#[cube(launch)]
fn sums_before_each(numbers: &Array<u32>, before_cubes: &Array<u32>, out: &mut Array<u32>) {
    let mut scratch = SharedMemory::<u32>::new(256usize);
    let first = CUBE_POS * PER_CUBE + (UNIT_POS * EACH) as usize;
    let mut sum = 0u32;
    #[unroll]
    for k in 0..EACH {
        let at = first + k as usize;
        if at < numbers.len() {
            sum += numbers[at];
        }
    }
    let mut before = sum_of_units_before(sum, &mut scratch);
    if CUBE_POS < before_cubes.len() {
        before += before_cubes[CUBE_POS];
    }
    #[unroll]
    for k in 0..EACH {
        let at = first + k as usize;
        if at < numbers.len() {
            let number = numbers[at];
            out[at] = before;
            before += number;
        }
    }
}

/// Returns the exclusive prefix sum of each element, modulo 2^32.
pub fn exclusive_sum<R: Runtime>(gpu: &Gpu<R>, numbers: &Buffer<u32>) -> Buffer<u32> {
    let n = numbers.len();
    let (out, count) = (gpu.empty(n), n.div_ceil(PER_CUBE).max(1));
    let dim = CubeDim::new_1d(UNITS);
    let before_cubes = if count > 1 {
        let sums = gpu.empty(count);
        sum_of_each_cube::launch::<R>(&gpu.client, cubes(count), dim, numbers.arg(), sums.arg());
        exclusive_sum(gpu, &sums)
    } else {
        gpu.upload(&[0])
    };
    sums_before_each::launch::<R>(&gpu.client, cubes(count), dim, numbers.arg(), before_cubes.arg(), out.arg());
    out
}
