//! Teams: the threads (CubeCL: units) that share a strand.
//!
//! A strand has too few unknowns to fill a device and too many for one thread. Each of the sixteen threads of a team keeps one row of the matrix. The
//! threads exchange values through registers if the warps (CubeCL: planes) of the device are wide enough, otherwise through shared memory.

use cubecl::prelude::*;
use fibra_gpu::Gpu;

/// Threads per team, one for each matrix row in progress: the eleven rows of the band, and the rows that are loaded next. A power of two.
pub(crate) const TEAM: u32 = 16;

/// Values of shared memory per team: two per thread, double-buffered.
const EXCHANGE_VALUES: u32 = 4 * TEAM;

/// Maximum number of values of shared memory per block. With more, too few blocks would run concurrently to hide latency.
const MAX_SHARED_VALUES: usize = 8192;

/// Returns the number of values of shared memory that a block may use.
pub(crate) fn shared_values<R: Runtime>(gpu: &Gpu<R>) -> usize {
    MAX_SHARED_VALUES.min(gpu.client.properties().hardware.max_shared_memory_size / size_of::<f32>())
}

/// Layout of teams on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Teams {
    /// Teams per block (CubeCL: cube).
    pub per_cube: u32,
    /// Whether each team is within one warp, and warps can exchange registers.
    pub in_planes: bool,
}

impl Teams {
    /// Returns the layout for `per_cube` teams per block on a device.
    pub fn on<R: Runtime>(gpu: &Gpu<R>, per_cube: u32) -> Teams {
        let properties = gpu.client.properties();
        let wide = properties.hardware.plane_size_min >= TEAM
            && (per_cube * TEAM).is_multiple_of(properties.hardware.plane_size_max);
        let exchange = properties.features.plane.contains(cubecl::ir::features::Plane::Ops);
        Teams { per_cube, in_planes: wide && exchange }
    }

    /// Returns the block size in threads.
    pub fn cube_dim(&self) -> CubeDim {
        CubeDim::new_1d(self.per_cube * TEAM)
    }

    /// Returns the number of values of shared memory for team reductions: one per thread, double-buffered.
    pub(crate) fn reduction_values(&self) -> usize {
        if self.in_planes { 1 } else { (2 * self.per_cube * TEAM) as usize }
    }

    /// Returns the number of values of shared memory for exchanges between threads.
    pub(crate) fn exchange_values(&self) -> usize {
        if self.in_planes { 1 } else { (self.per_cube * EXCHANGE_VALUES) as usize }
    }
}

/// A thread as a member of its team.
#[derive(CubeType)]
pub(crate) struct Member {
    /// Index within the team.
    pub lane: u32,
    /// Offset of the team in its warp, or in shared memory.
    start: u32,
    memory: SharedMemory<f32>,
    #[cube(comptime)]
    in_planes: bool,
}

#[cube]
impl Member {
    /// Returns the calling thread.
    pub(crate) fn this(#[comptime] teams: Teams) -> Member {
        let lane = UNIT_POS % TEAM;
        let memory = SharedMemory::<f32>::new(comptime!(teams.exchange_values()));
        let mut start = (UNIT_POS / TEAM) * EXCHANGE_VALUES;
        if comptime!(teams.in_planes) {
            start = UNIT_POS_PLANE - lane;
        }
        Member { lane, start, memory, in_planes: comptime!(teams.in_planes) }
    }

    /// Publishes two values to the team. `turn` alternates between 0 and 1 from call to call. All threads of the block must call it.
    pub(crate) fn publish(&mut self, first: f32, second: f32, #[comptime] turn: u32) {
        if comptime!(!self.in_planes) {
            let at = self.start + self.lane + comptime!(turn * 2 * TEAM);
            self.memory[at as usize] = first;
            self.memory[(at + TEAM) as usize] = second;
            sync_cube();
        }
    }

    /// Synchronizes the block if teams exchange registers, since those exchanges do not order memory accesses. All threads of the block must call it.
    pub(crate) fn sync_block(&self) {
        if comptime!(self.in_planes) {
            sync_cube();
        }
    }

    /// Returns the first value that thread `lane` of the team published; `own` is the value that this thread published.
    pub(crate) fn published_first(&self, own: f32, #[comptime] lane: u32, #[comptime] turn: u32) -> f32 {
        if comptime!(self.in_planes) {
            plane_shuffle(own, self.start + lane)
        } else {
            self.memory[(self.start + comptime!(turn * 2 * TEAM + lane)) as usize]
        }
    }

    /// Returns the second value that thread `lane` of the team published; `own` is the value that this thread published.
    pub(crate) fn published_second(&self, own: f32, #[comptime] lane: u32, #[comptime] turn: u32) -> f32 {
        if comptime!(self.in_planes) {
            plane_shuffle(own, self.start + lane)
        } else {
            self.memory[(self.start + comptime!(turn * 2 * TEAM + TEAM + lane)) as usize]
        }
    }
}

/// Reduction operation over a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reduction {
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise or.
    Bits,
}

/// Shared memory for reductions over teams.
#[derive(CubeType)]
pub(crate) struct TeamReduction {
    memory: SharedMemory<u32>,
    #[cube(comptime)]
    teams: Teams,
}

#[cube]
impl TeamReduction {
    /// Allocates for all threads of a block.
    pub(crate) fn new(#[comptime] teams: Teams) -> TeamReduction {
        TeamReduction { memory: SharedMemory::<u32>::new(comptime!(teams.reduction_values())), teams: comptime!(teams) }
    }

    /// Returns the reduction of the values of this thread's team. `turn` alternates between 0 and 1 from call to call. All threads of the block must
    /// call it.
    pub(crate) fn reduce(&mut self, own: u32, #[comptime] how: Reduction, #[comptime] turn: u32) -> u32 {
        if comptime!(self.teams.in_planes) {
            let half = reduced(own, plane_shuffle_xor(own, 8u32), how);
            let quarter = reduced(half, plane_shuffle_xor(half, 4u32), how);
            let eighth = reduced(quarter, plane_shuffle_xor(quarter, 2u32), how);
            reduced(eighth, plane_shuffle_xor(eighth, 1u32), how)
        } else {
            let start = comptime!(turn * self.teams.per_cube * TEAM) as usize;
            self.memory[start + UNIT_POS as usize] = own;
            sync_cube();
            let team = start + (UNIT_POS / TEAM * TEAM) as usize;
            let mut all = self.memory[team] + 0u32;
            #[unroll]
            for unit in 1..TEAM {
                all = reduced(all, self.memory[team + unit as usize], how);
            }
            all
        }
    }
}

#[cube]
fn reduced(a: u32, b: u32, #[comptime] how: Reduction) -> u32 {
    if comptime!(how == Reduction::Min) {
        u32::min(a, b)
    } else if comptime!(how == Reduction::Max) {
        u32::max(a, b)
    } else {
        a | b
    }
}
