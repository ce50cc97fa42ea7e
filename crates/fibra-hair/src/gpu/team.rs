//! The units of a device that share a strand.
//!
//! A strand has too few unknowns to fill a device by itself, and too many for one unit: sixteen units, a team, keep a row of its matrix each. They
//! tell each other numbers through registers where the device's planes are wide enough, and through shared memory where they are not.

use cubecl::prelude::*;
use fibra_gpu::Gpu;

/// Units of a team: rows of the matrix that are worked on at once, the band's eleven and some that come next. A power of two.
pub(crate) const TEAM: u32 = 16;

/// Numbers of shared memory that a team needs: two of each unit, twice, so that the next are written while the last are read.
const EXCHANGED: u32 = 4 * TEAM;

/// Most numbers of shared memory that a cube takes: with more, too few cubes would be at work at once to hide how long each waits.
const MOST_SHARED: usize = 8192;

/// Numbers of shared memory that a cube may take.
pub(crate) fn shared_numbers<R: Runtime>(gpu: &Gpu<R>) -> usize {
    MOST_SHARED.min(gpu.client.properties().hardware.max_shared_memory_size / size_of::<f32>())
}

/// How teams are laid onto a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Teams {
    /// Teams of a cube.
    pub per_cube: u32,
    /// Whether a team is always inside a plane, and planes can exchange registers.
    pub in_planes: bool,
}

impl Teams {
    /// So many teams in a cube, on a device.
    pub fn on<R: Runtime>(gpu: &Gpu<R>, per_cube: u32) -> Teams {
        let properties = gpu.client.properties();
        let wide = properties.hardware.plane_size_min >= TEAM
            && (per_cube * TEAM).is_multiple_of(properties.hardware.plane_size_max);
        let exchange = properties.features.plane.contains(cubecl::ir::features::Plane::Ops);
        Teams { per_cube, in_planes: wide && exchange }
    }

    /// Units of a cube.
    pub fn cube_dim(&self) -> CubeDim {
        CubeDim::new_1d(self.per_cube * TEAM)
    }

    /// Numbers of shared memory with which the teams of a cube agree: one of each unit, twice.
    pub(crate) fn agreed(&self) -> usize {
        if self.in_planes { 1 } else { (2 * self.per_cube * TEAM) as usize }
    }

    /// Numbers of shared memory with which the units of a cube exchange theirs.
    pub(crate) fn exchanged(&self) -> usize {
        if self.in_planes { 1 } else { (self.per_cube * EXCHANGED) as usize }
    }
}

/// A unit as a member of its team.
#[derive(CubeType)]
pub(crate) struct Member {
    /// Which of the team's.
    pub lane: u32,
    /// Where the team begins: in its plane, or in the shared memory.
    start: u32,
    memory: SharedMemory<f32>,
    #[cube(comptime)]
    in_planes: bool,
}

#[cube]
impl Member {
    /// This unit.
    pub(crate) fn this(#[comptime] teams: Teams) -> Member {
        let lane = UNIT_POS % TEAM;
        let memory = SharedMemory::<f32>::new(comptime!(teams.exchanged()));
        let mut start = (UNIT_POS / TEAM) * EXCHANGED;
        if comptime!(teams.in_planes) {
            start = UNIT_POS_PLANE - lane;
        }
        Member { lane, start, memory, in_planes: comptime!(teams.in_planes) }
    }

    /// Shows two numbers to the team. `turn` is another one, 0 or 1, than when this was last called; all units of the cube call it together.
    pub(crate) fn show(&mut self, first: f32, second: f32, #[comptime] turn: u32) {
        if comptime!(!self.in_planes) {
            let at = self.start + self.lane + comptime!(turn * 2 * TEAM);
            self.memory[at as usize] = first;
            self.memory[(at + TEAM) as usize] = second;
            sync_cube();
        }
    }

    /// All units of the cube call it together. Where teams exchange registers, nobody has waited for what others read from memory: here all do.
    pub(crate) fn meet(&self) {
        if comptime!(self.in_planes) {
            sync_cube();
        }
    }

    /// What the unit `lane` of the team has shown first, where this one has shown `own`.
    pub(crate) fn first_of(&self, own: f32, #[comptime] lane: u32, #[comptime] turn: u32) -> f32 {
        if comptime!(self.in_planes) {
            plane_shuffle(own, self.start + lane)
        } else {
            self.memory[(self.start + comptime!(turn * 2 * TEAM + lane)) as usize]
        }
    }

    /// What the unit `lane` of the team has shown second, where this one has shown `own`.
    pub(crate) fn second_of(&self, own: f32, #[comptime] lane: u32, #[comptime] turn: u32) -> f32 {
        if comptime!(self.in_planes) {
            plane_shuffle(own, self.start + lane)
        } else {
            self.memory[(self.start + comptime!(turn * 2 * TEAM + TEAM + lane)) as usize]
        }
    }
}

/// How the numbers of a team become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Merge {
    /// The least of them.
    Least,
    /// The largest of them.
    Most,
    /// The bits that any of them has.
    Bits,
}

/// Units of a cube whose teams agree on numbers.
#[derive(CubeType)]
pub(crate) struct Council {
    memory: SharedMemory<u32>,
    #[cube(comptime)]
    teams: Teams,
}

#[cube]
impl Council {
    /// For all units of a cube.
    pub(crate) fn new(#[comptime] teams: Teams) -> Council {
        Council { memory: SharedMemory::<u32>::new(comptime!(teams.agreed())), teams: comptime!(teams) }
    }

    /// What the numbers of this unit's team become. `turn` is another one, 0 or 1, than when this was last called; all units of the cube call it
    /// together.
    pub(crate) fn agree(&mut self, own: u32, #[comptime] how: Merge, #[comptime] turn: u32) -> u32 {
        if comptime!(self.teams.in_planes) {
            let half = merged(own, plane_shuffle_xor(own, 8u32), how);
            let quarter = merged(half, plane_shuffle_xor(half, 4u32), how);
            let eighth = merged(quarter, plane_shuffle_xor(quarter, 2u32), how);
            merged(eighth, plane_shuffle_xor(eighth, 1u32), how)
        } else {
            let start = comptime!(turn * self.teams.per_cube * TEAM) as usize;
            self.memory[start + UNIT_POS as usize] = own;
            sync_cube();
            let team = start + (UNIT_POS / TEAM * TEAM) as usize;
            let mut all = self.memory[team] + 0u32;
            #[unroll]
            for unit in 1..TEAM {
                all = merged(all, self.memory[team + unit as usize], how);
            }
            all
        }
    }
}

#[cube]
fn merged(a: u32, b: u32, #[comptime] how: Merge) -> u32 {
    if comptime!(how == Merge::Least) {
        u32::min(a, b)
    } else if comptime!(how == Merge::Most) {
        u32::max(a, b)
    } else {
        a | b
    }
}
