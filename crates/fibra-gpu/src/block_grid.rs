//! Builds the blocks of a sparse grid on the device: the block of each particle, and the neighbors of each block.
//!
//! Blocks have the same order as those of [`fibra_core::block_grid::BlockGrid`], and particles the same order as after
//! [`fibra_core::particle_sort`]. Memory is proportional to the number of occupied blocks, not to the volume of the bounding box.

use crate::buffer::Buffer;
use crate::chunks::Chunks;
use crate::device::{DeviceError, Gpu};
use crate::launch::{cubes, cubes_for};
use crate::radix_sort::sort_pairs;
use crate::unique::{Distinct, distinct};
use cubecl::prelude::*;

const UNITS: u32 = 256;
/// Number of neighbors of a block, counting the block itself.
pub const AROUND: u32 = 27;
/// Largest block coordinate [blocks]. Particles beyond it are reported as lost, as on the CPU.
pub(crate) const FAR: i32 = fibra_core::block_key::BlockKey::LIMIT;
/// Nodes along the edge of a block.
pub(crate) const EDGE: i32 = fibra_core::block_key::BLOCK_EDGE;

/// Why particles could not be assigned to blocks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A position is not finite, or beyond the largest block coordinate.
    #[error("a particle left the range of the grid, or its position is not finite")]
    OutOfReach,
    /// Particles are very far apart: the number of blocks in their bounding box, times the number of groups, is 2^31 or more.
    #[error("particles are {0:?} grid blocks apart: too far for the GPU")]
    TooWide([u64; 3]),
    /// Particles occupy more blocks than the grid has capacity for.
    #[error(
        "particles are in more than {occupied} grid blocks, or more than {blocks} with their neighbors: the capacity is exceeded"
    )]
    TooMany {
        /// Capacity for occupied blocks.
        occupied: usize,
        /// Capacity for blocks, neighbors included.
        blocks: usize,
    },
}

/// Parameters of the assignment of particles to blocks.
#[derive(Clone, Copy, Debug)]
pub struct Placing {
    /// Node spacing [m].
    pub dx: f32,
    /// Smallest distance of a particle from the first node of its stencil, half the stencil width minus 1 [cells].
    pub shift: f32,
    /// Number of groups that the particles of a block are divided into.
    pub groups: u32,
    /// Largest number of particles in a chunk of a block.
    pub chunk: u32,
}

/// Occupied blocks and the blocks around them.
#[derive(Clone, Debug)]
pub struct DeviceGrid {
    /// Index of the particle at each position of the sorted order.
    pub order: Buffer<u32>,
    /// Occupied block of each particle in the sorted order; empty if particles are not sorted in memory.
    pub block_of: Buffer<u32>,
    /// Chunks of the occupied blocks: see [`Chunk`](crate::chunks::Chunk).
    pub chunks: Buffer<u32>,
    /// Three coordinates of every block, in units of blocks.
    pub coordinates: Buffer<i32>,
    /// The 27 blocks around each occupied block, including the block itself; x varies slowest.
    pub neighbors: Buffer<u32>,
    /// Indices of the occupied blocks around each block, in the same order, counted from 1; 0 for none.
    pub occupied_around: Buffer<u32>,
    /// Number of occupied blocks, number of blocks, and number of chunks.
    pub counts: Buffer<u32>,
    /// Upper bound of the number of occupied blocks.
    pub occupied: usize,
    /// Upper bound of the number of blocks.
    pub blocks: usize,
    /// Upper bound of the number of chunks.
    pub chunk_count: usize,
    /// Largest useful number of thread blocks, used if the host does not know the number of grid blocks.
    pub max_cubes: usize,
    /// Whether particles keep their positions in memory and are accessed through [`DeviceGrid::order`]: see [`hash_grid`](crate::hash_grid).
    pub listed: bool,
}

/// Computes the bounding box of the occupied blocks, and whether a particle is out of range.
#[cube(launch)]
fn find_box(x: &Array<f32>, bounds: &Array<Atomic<i32>>, n: u32, dx: f32, shift: f32) {
    let here = SharedMemory::<Atomic<i32>>::new(7usize);
    if UNIT_POS < 6 {
        here[UNIT_POS as usize].store(bounds[UNIT_POS as usize].load());
    }
    if UNIT_POS == 6 {
        here[6usize].store(0i32);
    }
    sync_cube();
    let i = ABSOLUTE_POS;
    if i < n as usize {
        #[unroll]
        for axis in 0..3u32 {
            let cell = f32::floor(x[(axis * n) as usize + i] / dx - shift);
            // The comparison is also false for NaN.
            if f32::abs(cell) < f32::cast_from(FAR * EDGE) {
                let block = i32::cast_from(cell) >> 2i32;
                here[axis as usize].fetch_min(block);
                here[(axis + 3) as usize].fetch_max(block);
            } else {
                here[6usize].store(1i32);
            }
        }
    }
    sync_cube();
    if UNIT_POS < 3 {
        bounds[UNIT_POS as usize].fetch_min(here[UNIT_POS as usize].load());
    } else if UNIT_POS < 7 {
        bounds[UNIT_POS as usize].fetch_max(here[UNIT_POS as usize].load());
    }
}

/// Computes the index of each particle's block in the bounding box, combined with its group.
#[cube(launch)]
fn number_blocks(
    x: &Array<f32>,
    group: &Array<u32>,
    first: &Array<i32>,
    keys: &mut Array<u32>,
    values: &mut Array<u32>,
    n: u32,
    dx: f32,
    shift: f32,
    size_y: u32,
    size_z: u32,
    groups: u32,
) {
    let i = ABSOLUTE_POS;
    if i < n as usize {
        let mut block = 0u32;
        #[unroll]
        for axis in 0..3u32 {
            let cell = f32::floor(x[(axis * n) as usize + i] / dx - shift);
            let along = u32::cast_from((i32::cast_from(cell) >> 2i32) - first[axis as usize]);
            if comptime!(axis == 0) {
                block = along;
            } else if comptime!(axis == 1) {
                block = block * size_y + along;
            } else {
                block = block * size_z + along;
            }
        }
        keys[i] = block * groups + group[i];
        values[i] = i as u32;
    }
}

/// Returns the difference between the index of a block and that of a neighbor.
#[cube]
fn offset_to(around: u32, size_y: u32, size_z: u32) -> i32 {
    let (sy, sz) = (size_y as i32, size_z as i32);
    let (x, y, z) = ((around / 9) as i32 - 1, (around / 3 % 3) as i32 - 1, (around % 3) as i32 - 1);
    (x * sy + y) * sz + z
}

/// Lists the indices of all blocks in the neighborhoods of the occupied blocks.
#[cube(launch)]
fn list_around(occupied: &Array<u32>, keys: &mut Array<u32>, values: &mut Array<u32>, size_y: u32, size_z: u32) {
    let i = ABSOLUTE_POS;
    if i < keys.len() {
        let number = occupied[i / AROUND as usize] as i32 + offset_to(i as u32 % AROUND, size_y, size_z);
        keys[i] = number as u32;
        values[i] = i as u32;
    }
}

/// Returns the position of `wanted` in a sorted array, or the array's length if it is not there (binary search).
#[cube]
fn find(sorted: &Array<u32>, wanted: u32) -> u32 {
    let mut low = 0u32;
    let mut high = sorted.len() as u32;
    while low < high {
        let middle = (low + high) / 2u32;
        if sorted[middle as usize] < wanted {
            low = middle + 1u32;
        } else {
            high = middle;
        }
    }
    let mut found = sorted.len() as u32;
    if low < found {
        if sorted[low as usize] == wanted {
            found = low;
        } else {
            found = sorted.len() as u32;
        }
    }
    found
}

#[cube(launch)]
fn find_neighbors(occupied: &Array<u32>, blocks: &Array<u32>, neighbors: &mut Array<u32>, size_y: u32, size_z: u32) {
    let i = ABSOLUTE_POS;
    if i < neighbors.len() {
        let number = occupied[i / AROUND as usize] as i32 + offset_to(i as u32 % AROUND, size_y, size_z);
        neighbors[i] = find(blocks, number as u32);
    }
}

#[cube(launch)]
fn find_occupied(
    occupied: &Array<u32>,
    blocks: &Array<u32>,
    first: &Array<i32>,
    occupied_around: &mut Array<u32>,
    coordinates: &mut Array<i32>,
    size_y: u32,
    size_z: u32,
) {
    let i = ABSOLUTE_POS;
    if i < occupied_around.len() {
        let block = i / AROUND as usize;
        let around = i as u32 % AROUND;
        let number = blocks[block];
        let found = find(occupied, (number as i32 + offset_to(around, size_y, size_z)) as u32);
        let mut neighbor = 0u32;
        if (found as usize) < occupied.len() {
            neighbor = found + 1u32;
        }
        occupied_around[i] = neighbor;
        if around == 0u32 {
            let z = number % size_z;
            let y = number / size_z % size_y;
            let x = number / size_z / size_y;
            coordinates[block * 3] = x as i32 + first[0];
            coordinates[block * 3 + 1] = y as i32 + first[1];
            coordinates[block * 3 + 2] = z as i32 + first[2];
        }
    }
}

/// Returns the number of bits needed for numbers below `count`.
fn bits_below(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

impl DeviceGrid {
    /// Assigns `n` particles to blocks. Their positions [m] are the first `3 n` numbers of `x`: all x components, then all y, then all z. Each
    /// particle has a group below [`Placing::groups`].
    pub fn new<R: Runtime>(
        gpu: &Gpu<R>,
        x: &Buffer<f32>,
        group: &Buffer<u32>,
        placing: Placing,
    ) -> Result<DeviceGrid, GridError> {
        let (n, client, dim) = (group.len(), &gpu.client, CubeDim::new_1d(UNITS));
        let Placing { dx, shift, groups, chunk } = placing;
        let none = [i32::MAX, i32::MAX, i32::MAX, i32::MIN, i32::MIN, i32::MIN, 0];
        let bounds = gpu.upload(&none);
        find_box::launch::<R>(client, cubes_for(n, UNITS), dim, x.arg(), bounds.arg(), n as u32, dx, shift);
        let bounds = bounds.read(gpu)?;
        if bounds[6] != 0 || n == 0 {
            return Err(GridError::OutOfReach);
        }
        // With a margin for neighbors.
        let size: [u64; 3] = std::array::from_fn(|a| (i64::from(bounds[3 + a]) - i64::from(bounds[a]) + 3) as u64);
        let numbers = size.iter().try_fold(u64::from(groups), |product, &s| product.checked_mul(s));
        let numbers = numbers.filter(|&numbers| numbers < 1 << 31).ok_or(GridError::TooWide(size))?;
        let [size_y, size_z] = [size[1] as u32, size[2] as u32];
        let first = gpu.upload(&[bounds[0] - 1, bounds[1] - 1, bounds[2] - 1]);
        let (keys, values) = (gpu.empty(n), gpu.empty(n));
        number_blocks::launch::<R>(
            client,
            cubes_for(n, UNITS),
            dim,
            x.arg(),
            group.arg(),
            first.arg(),
            keys.arg(),
            values.arg(),
            n as u32,
            dx,
            shift,
            size_y,
            size_z,
            groups,
        );
        let (sorted, order) = sort_pairs(gpu, &keys, &values, bits_below(numbers));
        let Distinct { values: occupied, starts, index: block_of } = distinct(gpu, &sorted, groups)?;

        let chunks = Chunks::new(gpu, &starts, chunk)?;

        let around = occupied.len() * AROUND as usize;
        let (keys, values) = (gpu.empty(around), gpu.empty(around));
        let each = || cubes_for(around, UNITS);
        list_around::launch::<R>(client, each(), dim, occupied.arg(), keys.arg(), values.arg(), size_y, size_z);
        let (sorted, _) = sort_pairs(gpu, &keys, &values, bits_below(size.iter().product()));
        let blocks = distinct(gpu, &sorted, 1)?.values;
        let neighbors = gpu.empty(around);
        find_neighbors::launch::<R>(client, each(), dim, occupied.arg(), blocks.arg(), neighbors.arg(), size_y, size_z);
        let around = blocks.len() * AROUND as usize;
        let (occupied_around, coordinates) = (gpu.empty(around), gpu.empty(3 * blocks.len()));
        find_occupied::launch::<R>(
            client,
            cubes_for(around, UNITS),
            dim,
            occupied.arg(),
            blocks.arg(),
            first.arg(),
            occupied_around.arg(),
            coordinates.arg(),
            size_y,
            size_z,
        );
        let (occupied, blocks) = (occupied.len(), blocks.len());
        Ok(DeviceGrid {
            order,
            block_of,
            chunks: chunks.list,
            coordinates,
            neighbors,
            occupied_around,
            counts: gpu.upload(&[occupied as u32, blocks as u32, chunks.count as u32]),
            occupied,
            blocks,
            chunk_count: chunks.count,
            max_cubes: usize::MAX,
            listed: false,
        })
    }

    /// Returns the number of thread blocks for a kernel that loops over the chunks.
    pub fn cubes_for_chunks(&self) -> CubeCount {
        cubes(self.chunk_count.min(self.max_cubes))
    }

    /// Returns the number of thread blocks for a kernel that loops over the grid blocks.
    pub fn cubes_for_blocks(&self) -> CubeCount {
        cubes(self.blocks.min(self.max_cubes))
    }
}
