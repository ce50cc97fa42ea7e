//! The blocks of a sparse grid, rebuilt in every step with a hash table. Particles are neither sorted nor moved, and the host does not wait for the device.
//!
//! The blocks are the same as those of [`DeviceGrid::new`]. Block indices, and the order of particles within a block, depend on the order in which threads run;
//! results of the simulation must not depend on them. A rebuild takes three launches. The first two also clear memory for later launches,
//! so that no separate launches are needed for this.

use crate::block_grid::{AROUND, DeviceGrid, EDGE, FAR, GridError};
use crate::buffer::Buffer;
use crate::chunks::{self, chunks_of, list};
use crate::device::Gpu;
use crate::launch::{cubes, cubes_for};
use cubecl::prelude::*;

const UNITS: u32 = 256;

/// Bits of a block's coordinates in its key, relative to the block of the first particle.
const BITS: [u32; 3] = [11, 10, 11];
/// Key of a free slot of the table.
const EMPTY: u32 = u32::MAX;
/// Slot of a key for which no free slot was found.
const NOWHERE: u32 = u32::MAX;
/// Largest number of slots that are probed for a key. The table is at most a quarter full, so fewer than one in 1e9 blocks finds no slot.
const TRIES: u32 = 16;
/// Number of thread blocks launched per multiprocessor of a device, and in total if the number of multiprocessors is unknown. More thread blocks would only
/// wait and then find no work.
const CUBES_PER_PROCESSOR: u32 = 16;
const CUBES: u32 = 1024;
/// Index of a block among its neighbors.
const ITSELF: u32 = AROUND / 2;

/// Number of values per slot of the table: key, particle count, and number of occupied blocks that inserted the key as a neighbor or as
/// their own.
const PARTS: u32 = 3;
/// Counters after the slots: occupied blocks, blocks, listed particles, chunks of blocks.
const OCCUPIED: u32 = 0;
const BLOCKS: u32 = 1;
const LISTED: u32 = 2;
const CHUNKS: u32 = 3;
const COUNTERS: u32 = 4;

/// Indices of the error flags. The flag `LOST` is 1 if a particle is lost, and the flag `TOO_MANY` is 1 if the capacity was exceeded.
const LOST: usize = 0;
const TOO_MANY: usize = 1;
const NO_STATUS: [u32; 2] = [0; 2];

/// Capacity of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Number of occupied blocks.
    pub occupied: usize,
    /// Number of occupied blocks and blocks around them.
    pub blocks: usize,
}

/// Blocks that are rebuilt in every step.
#[derive(Debug)]
pub struct HashGrid {
    grid: DeviceGrid,
    /// Two tables: one is filled while the other is cleared.
    table: Buffer<u32>,
    /// Index of each slot's block among the occupied blocks, followed by the indices among all blocks.
    numbers: Buffer<u32>,
    /// Slot of each particle's block in the table, followed by the ranks of the particles within their blocks.
    particles: Buffer<u32>,
    /// Slot of each occupied block in the table, and key of the block.
    places: Buffer<u32>,
    /// First particle of each occupied block in the list.
    firsts: Buffer<u32>,
    status: Buffer<u32>,
    sizes: Sizes,
    second: bool,
}

/// Sizes of the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sizes {
    particles: u32,
    /// Number of slots of a table: a power of two.
    places: u32,
    /// Largest number of particles in a chunk.
    chunk: u32,
}

impl Sizes {
    fn table(self) -> u32 {
        PARTS * self.places + COUNTERS
    }

    /// Returns the number of surplus bits of a hash.
    fn surplus_bits(self) -> u32 {
        u32::BITS - self.places.trailing_zeros()
    }
}

/// Returns the cell coordinate of a particle along an axis.
#[cube]
fn cell_of(x: &Array<f32>, i: usize, dx: f32, shift: f32) -> f32 {
    f32::floor(x[i] / dx - shift)
}

/// Returns the block coordinate of a cell coordinate, clamped to the allowed range.
#[cube]
fn block_of(cell: f32) -> i32 {
    let bound = comptime!((FAR * EDGE) as f32);
    i32::cast_from(f32::clamp(cell, -bound, bound)) >> 2i32
}

/// Returns the block coordinate along an axis that corresponds to key 0. Keys are relative to this coordinate.
#[cube]
fn origin(x: &Array<f32>, #[comptime] axis: u32, dx: f32, shift: f32, #[comptime] sizes: Sizes) -> i32 {
    let first = cell_of(x, comptime!((axis * sizes.particles) as usize), dx, shift);
    block_of(first) - comptime!(1i32 << (BITS[axis as usize] - 1))
}

/// Stores a key in an empty slot with compare-and-exchange. Returns the slot's key afterward.
#[cube]
fn put(at: &Atomic<u32>, key: u32) -> u32 {
    let mut seen = at.compare_exchange_weak(EMPTY, key);
    if seen == EMPTY {
        // The load returns the key, unless the exchange failed spuriously. The load also works around a defect of CubeCL 0.10: CubeCL does
        // not track that an exchange uses an address, and drops addresses that only exchanges use.
        seen = at.load();
    }
    seen
}

/// Returns the slot of a key in a table, and inserts the key if it is not there.
#[cube]
fn insert(table: &Array<Atomic<u32>>, first: u32, key: u32, #[comptime] sizes: Sizes) -> u32 {
    // Knuth's multiplicative hash. The probe stride of a key is odd, so that it visits every slot.
    let hash = key * 2654435769u32;
    let step = (hash & comptime!(sizes.places - 1)) | 1u32;
    let start = hash >> comptime!(sizes.surplus_bits());
    let mut found = key | NOWHERE;
    let mut tried = u32::new(0);
    // Unrolled, because some compilers and drivers fail on loops that contain exchanges.
    #[unroll]
    for _round in 0..TRIES {
        if found == NOWHERE {
            let place = (start + tried * step) & comptime!(sizes.places - 1);
            let there = put(&table[(first + place) as usize], key);
            if there == key {
                found = place;
            } else if there != EMPTY {
                // If the slot is still empty, the exchange failed spuriously, which some devices allow; retry.
                tried += 1u32;
            }
        }
    }
    found
}

/// Inserts the block of each particle into the table and numbers these occupied blocks. Clears the other table.
#[cube(launch_unchecked)]
fn insert_particles(
    x: &Array<f32>,
    table: &Array<Atomic<u32>>,
    numbers: &mut Array<u32>,
    particles: &mut Array<u32>,
    places: &mut Array<u32>,
    status: &Array<Atomic<u32>>,
    dx: f32,
    shift: f32,
    first: u32,
    other: u32,
    most_occupied: u32,
    #[comptime] sizes: Sizes,
) {
    let i = ABSOLUTE_POS as u32;
    if i < comptime!(sizes.table()) {
        table[(other + i) as usize].store(select(i < comptime!(sizes.places), EMPTY, 0u32));
    }
    if i < sizes.particles {
        let mut inside = true;
        let mut key = 0u32;
        #[unroll]
        for axis in 0..3u32 {
            let cell = cell_of(x, (axis * sizes.particles + i) as usize, dx, shift);
            let along = block_of(cell) - origin(x, axis, dx, shift, sizes);
            // The comparison is also false for NaN. The range leaves keys for the neighbors of each block, and none of these keys equals
            // that of a free slot.
            let near = f32::abs(cell) < comptime!((FAR * EDGE) as f32);
            inside = inside && near && along >= 1i32 && along < comptime!((1i32 << BITS[axis as usize]) - 2);
            key = (key << comptime!(BITS[axis as usize])) + u32::cast_from(along);
        }
        let mut place = key | NOWHERE;
        if inside {
            place = insert(table, first, key, sizes);
            if place == NOWHERE {
                status[TOO_MANY].store(1u32);
            }
        } else {
            status[LOST].store(1u32);
        }
        particles[i as usize] = place;
        if place != NOWHERE {
            let before = table[(first + sizes.places + place) as usize].fetch_add(1u32);
            particles[(sizes.particles + i) as usize] = before;
            if before == 0u32 {
                let number = table[(first + comptime!(PARTS * sizes.places + OCCUPIED)) as usize].fetch_add(1u32);
                numbers[place as usize] = number;
                if number < most_occupied {
                    places[number as usize * 2] = place;
                    places[number as usize * 2 + 1] = key;
                }
            }
        }
    }
}

/// Returns the difference between the key of a block and that of a neighbor.
#[cube]
fn key_offset(around: u32) -> u32 {
    let x = around / 9u32;
    let y = around / 3u32 % 3u32;
    let z = around % 3u32;
    // The offset per axis is around - 1; keys wrap around.
    (x << comptime!(BITS[1] + BITS[2])) + (y << comptime!(BITS[2])) + z
        - comptime!((1u32 << (BITS[1] + BITS[2])) + (1u32 << BITS[2]) + 1)
}

/// Inserts the neighbors of occupied blocks into the table and numbers all blocks. Assigns each occupied block its range of the particle list and its chunks.
#[cube(launch_unchecked)]
fn insert_around(
    x: &Array<f32>,
    table: &Array<Atomic<u32>>,
    numbers: &mut Array<u32>,
    places: &Array<u32>,
    neighbors: &mut Array<u32>,
    coordinates: &mut Array<i32>,
    occupied_around: &mut Array<u32>,
    firsts: &mut Array<u32>,
    chunks: &mut Array<u32>,
    status: &Array<Atomic<u32>>,
    dx: f32,
    shift: f32,
    first: u32,
    most_occupied: u32,
    most_blocks: u32,
    #[comptime] sizes: Sizes,
) {
    // One thread reads for the thread block. On CUDA even reads of a number that many threads write are serialized.
    let mut occupied = SharedMemory::<u32>::new(1usize);
    if UNIT_POS == 0 {
        occupied[0usize] = table[(first + comptime!(PARTS * sizes.places + OCCUPIED)) as usize].load();
    }
    sync_cube();
    let end = u32::min(occupied[0usize], most_occupied) * AROUND;
    let mut i = ABSOLUTE_POS as u32;
    while i < end {
        let block = i / AROUND;
        let around = i % AROUND;
        let home = places[block as usize * 2];
        let key = places[block as usize * 2 + 1] + key_offset(around);
        let place = insert(table, first, key, sizes);
        neighbors[i as usize] = place;
        if place == NOWHERE {
            status[TOO_MANY].store(1u32);
        } else if table[(first + comptime!(2 * sizes.places) + place) as usize].fetch_add(1u32) == 0u32 {
            let number = table[(first + comptime!(PARTS * sizes.places + BLOCKS)) as usize].fetch_add(1u32);
            numbers[(sizes.places + place) as usize] = number;
            if number < most_blocks {
                let at = number as usize * 3;
                let along_x = key >> comptime!(BITS[1] + BITS[2]);
                let along_y = (key >> comptime!(BITS[2])) & comptime!((1u32 << BITS[1]) - 1);
                let along_z = key & comptime!((1u32 << BITS[2]) - 1);
                coordinates[at] = i32::cast_from(along_x) + origin(x, 0u32, dx, shift, sizes);
                coordinates[at + 1] = i32::cast_from(along_y) + origin(x, 1u32, dx, shift, sizes);
                coordinates[at + 2] = i32::cast_from(along_z) + origin(x, 2u32, dx, shift, sizes);
                for k in 0..AROUND {
                    occupied_around[(number * AROUND + k) as usize] = 0u32;
                }
            }
        }
        if around == ITSELF {
            let count = table[(first + sizes.places + home) as usize].load();
            let start = table[(first + comptime!(PARTS * sizes.places + LISTED)) as usize].fetch_add(count);
            let parts = chunks_of(count, comptime!(sizes.chunk));
            let chunk = table[(first + comptime!(PARTS * sizes.places + CHUNKS)) as usize].fetch_add(parts);
            firsts[block as usize] = start;
            list(chunks, chunk, block, start, count, comptime!(sizes.chunk));
        }
        i += (CUBE_COUNT as u32) * UNITS;
    }
}

/// Lists the particles of each block, and the neighbors of each block.
#[cube(launch_unchecked)]
fn fill(
    table: &Array<u32>,
    numbers: &Array<u32>,
    particles: &Array<u32>,
    firsts: &Array<u32>,
    order: &mut Array<u32>,
    neighbors: &mut Array<u32>,
    occupied_around: &mut Array<u32>,
    counts: &mut Array<u32>,
    status: &Array<Atomic<u32>>,
    first: u32,
    most_occupied: u32,
    most_blocks: u32,
    #[comptime] sizes: Sizes,
) {
    let unit = ABSOLUTE_POS as u32;
    let occupied = table[(first + comptime!(PARTS * sizes.places + OCCUPIED)) as usize];
    if unit == 0u32 {
        let blocks = table[(first + comptime!(PARTS * sizes.places + BLOCKS)) as usize];
        counts[0usize] = u32::min(occupied, most_occupied);
        counts[1usize] = u32::min(blocks, most_blocks);
        counts[2usize] = table[(first + comptime!(PARTS * sizes.places + CHUNKS)) as usize];
        if occupied > most_occupied || blocks > most_blocks {
            status[TOO_MANY].store(1u32);
        }
    }
    if unit < sizes.particles {
        let place = particles[unit as usize];
        if place != NOWHERE {
            let block = numbers[place as usize];
            if block < most_occupied {
                let at = firsts[block as usize] + particles[(sizes.particles + unit) as usize];
                order[at as usize] = unit;
            }
        }
    }
    let end = u32::min(occupied, most_occupied) * AROUND;
    let mut i = ABSOLUTE_POS as u32;
    while i < end {
        let place = neighbors[i as usize];
        // If the capacity is exceeded, use any block in range.
        let mut number = 0u32;
        if place != NOWHERE {
            number = u32::min(numbers[(sizes.places + place) as usize], most_blocks - 1u32);
        }
        neighbors[i as usize] = number;
        // The neighbor relation is symmetric: a block is on the opposite side of its neighbor.
        occupied_around[(number * AROUND + (AROUND - 1u32 - i % AROUND)) as usize] = i / AROUND + 1u32;
        i += (CUBE_COUNT as u32) * UNITS;
    }
}

impl HashGrid {
    /// Allocates a grid for a number of particles, with at most `chunk` particles in a chunk of a block.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, particles: usize, room: Capacity, chunk: u32) -> HashGrid {
        let sizes = Sizes {
            particles: particles as u32,
            // Occupied blocks beyond the capacity are inserted into the table too, so the table must have slots for them.
            places: (4 * room.blocks.max(particles.min(2 * room.occupied)).max(64)).next_power_of_two() as u32,
            chunk,
        };
        let (occupied, blocks) = (room.occupied.max(1), room.blocks.max(1));
        let mut empty = vec![EMPTY; sizes.places as usize];
        empty.resize(sizes.table() as usize, 0);
        let chunk_count = occupied + particles / chunk as usize;
        let processors = gpu.client.properties().hardware.num_streaming_multiprocessors;
        HashGrid {
            grid: DeviceGrid {
                order: gpu.upload(&vec![0; particles]),
                block_of: gpu.empty(0),
                chunks: gpu.empty(chunk_count * chunks::NUMBERS as usize),
                coordinates: gpu.empty(3 * blocks),
                neighbors: gpu.empty(occupied * AROUND as usize),
                occupied_around: gpu.empty(blocks * AROUND as usize),
                counts: gpu.upload(&[0, 0, 0]),
                occupied,
                blocks,
                chunk_count,
                max_cubes: processors.map_or(CUBES, |count| count * CUBES_PER_PROCESSOR) as usize,
                listed: true,
            },
            table: gpu.upload(&[empty.clone(), empty].concat()),
            numbers: gpu.empty(2 * sizes.places as usize),
            particles: gpu.empty(2 * particles),
            places: gpu.empty(2 * occupied),
            firsts: gpu.empty(occupied),
            status: gpu.upload(&NO_STATUS),
            sizes,
            second: false,
        }
    }

    /// Rebuilds the blocks. Particle positions [m] are the first numbers of `x`: all x components, then all y, then all z. `dx` and `shift`
    /// are those of [`Placing`](crate::block_grid::Placing).
    pub fn rebuild<R: Runtime>(&mut self, gpu: &Gpu<R>, x: &Buffer<f32>, dx: f32, shift: f32) {
        let HashGrid { grid, table, numbers, particles, places, firsts, status, sizes, second } = self;
        assert!(x.len() >= 3 * sizes.particles as usize);
        let (client, dim) = (&gpu.client, CubeDim::new_1d(UNITS));
        let tables = [0, sizes.table()];
        let (first, other) = (tables[usize::from(*second)], tables[usize::from(!*second)]);
        *second = !*second;
        let (most_occupied, most_blocks) = (grid.occupied as u32, grid.blocks as u32);
        let cleared = sizes.table().max(sizes.particles);
        let around = (most_occupied * AROUND).div_ceil(UNITS).min(grid.max_cubes as u32);
        // SAFETY: all arrays have the lengths of `sizes`, and kernels check indices against these lengths. Slots are below the table's length
        // unless they are `NOWHERE`. The particle counts in the table sum to at most the number of particles.
        unsafe {
            insert_particles::launch_unchecked::<R>(
                client,
                cubes_for(cleared as usize, UNITS),
                dim,
                x.arg(),
                table.arg(),
                numbers.arg(),
                particles.arg(),
                places.arg(),
                status.arg(),
                dx,
                shift,
                first,
                other,
                most_occupied,
                *sizes,
            );
            insert_around::launch_unchecked::<R>(
                client,
                cubes(around as usize),
                dim,
                x.arg(),
                table.arg(),
                numbers.arg(),
                places.arg(),
                grid.neighbors.arg(),
                grid.coordinates.arg(),
                grid.occupied_around.arg(),
                firsts.arg(),
                grid.chunks.arg(),
                status.arg(),
                dx,
                shift,
                first,
                most_occupied,
                most_blocks,
                *sizes,
            );
            fill::launch_unchecked::<R>(
                client,
                cubes(around.max(sizes.particles.div_ceil(UNITS)) as usize),
                dim,
                table.arg(),
                numbers.arg(),
                particles.arg(),
                firsts.arg(),
                grid.order.arg(),
                grid.neighbors.arg(),
                grid.occupied_around.arg(),
                grid.counts.arg(),
                status.arg(),
                first,
                most_occupied,
                most_blocks,
                *sizes,
            );
        }
    }

    /// Returns the blocks of the last rebuild. [`DeviceGrid::occupied`] and [`DeviceGrid::blocks`] are upper bounds.
    pub fn grid(&self) -> &DeviceGrid {
        &self.grid
    }

    /// Clears the error flags. Call it after replacing the particles.
    pub fn clear_errors<R: Runtime>(&mut self, gpu: &Gpu<R>) {
        self.status = gpu.upload(&NO_STATUS);
    }

    /// Returns an error if any rebuild so far lost a particle or exceeded the capacity. Waits for the device.
    pub fn check<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<(), GridError> {
        let status = self.status.read(gpu)?;
        if status[LOST] != 0 {
            return Err(GridError::OutOfReach);
        }
        if status[TOO_MANY] != 0 {
            return Err(GridError::TooMany { occupied: self.grid.occupied, blocks: self.grid.blocks });
        }
        Ok(())
    }
}
