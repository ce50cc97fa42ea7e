//! The distinct numbers of a sorted array.

use crate::buffer::Buffer;
use crate::device::{DeviceError, Gpu};
use crate::launch::cubes_for;
use crate::prefix_sum::exclusive_sum;
use cubecl::prelude::*;

const UNITS: u32 = 256;

/// The distinct values of `sorted / divisor`, in ascending order.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The values.
    pub values: Buffer<u32>,
    /// First position of each value in the sorted array, followed by the array's length.
    pub starts: Buffer<u32>,
    /// For each element of the sorted array, the index of its value.
    pub index: Buffer<u32>,
}

impl Distinct {
    /// Returns the number of distinct values.
    pub fn count(&self) -> usize {
        self.values.len()
    }
}

#[cube]
fn is_first(sorted: &Array<u32>, divisor: u32, at: usize) -> u32 {
    let mut first = 1u32;
    if at > 0 && sorted[at] / divisor == sorted[at - 1] / divisor {
        first = 0u32;
    }
    first
}

#[cube(launch)]
fn mark_first(sorted: &Array<u32>, marks: &mut Array<u32>, divisor: u32) {
    let at = ABSOLUTE_POS;
    if at < sorted.len() {
        marks[at] = is_first(sorted, divisor, at);
    } else if at < marks.len() {
        // The extra last entry makes its prefix sum the number of values.
        marks[at] = 0u32;
    }
}

#[cube(launch)]
fn collect(
    sorted: &Array<u32>,
    before: &Array<u32>,
    values: &mut Array<u32>,
    starts: &mut Array<u32>,
    index: &mut Array<u32>,
    divisor: u32,
) {
    let at = ABSOLUTE_POS;
    if at < sorted.len() {
        let first = is_first(sorted, divisor, at);
        let slot = before[at];
        if first == 1u32 {
            values[slot as usize] = sorted[at] / divisor;
            starts[slot as usize] = at as u32;
        }
        index[at] = slot + first - 1u32;
    } else if at == sorted.len() {
        let end = before[at] as usize;
        starts[end] = at as u32;
    }
}

/// Finds the distinct values of `sorted / divisor`. Downloads their number, which waits for the device.
pub fn distinct<R: Runtime>(gpu: &Gpu<R>, sorted: &Buffer<u32>, divisor: u32) -> Result<Distinct, DeviceError> {
    let n = sorted.len();
    let dim = CubeDim::new_1d(UNITS);
    let marks = gpu.empty::<u32>(n + 1);
    mark_first::launch::<R>(&gpu.client, cubes_for(n + 1, UNITS), dim, sorted.arg(), marks.arg(), divisor);
    let before = exclusive_sum(gpu, &marks);
    let count = before.read_range(gpu, n..n + 1)?[0] as usize;
    let (values, starts, index) = (gpu.empty(count), gpu.empty(count + 1), gpu.empty(n));
    collect::launch::<R>(
        &gpu.client,
        cubes_for(n + 1, UNITS),
        dim,
        sorted.arg(),
        before.arg(),
        values.arg(),
        starts.arg(),
        index.arg(),
        divisor,
    );
    Ok(Distinct { values, starts, index })
}
