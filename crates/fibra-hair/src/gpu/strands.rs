//! Strands in device memory.
//!
//! Vertices have the same indices as on the CPU, strand by strand from root to tip. These indices are also the ids of the grid particles. Data of an
//! edge or a joint has the index of its first vertex. Component `c` of vertex `i` of `n` is at `c * n + i`, so that the threads of a team access
//! contiguous memory.

use crate::group::PINNED_MASS;
use crate::lanes::{Lanes, Lanes3};
use crate::strands::{StrandState, Strands};
use cubecl::prelude::*;
use fibra_gpu::{Buffer, DeviceError, Gpu};
use glam::Vec3;

/// Components of the constants: see [`Group`](crate::group::Group).
pub(crate) const MASS: usize = 0;
pub(crate) const INERTIA: usize = 1;
pub(crate) const LENGTH: usize = 2;
pub(crate) const MIN_COSINE: usize = 3;
pub(crate) const STRETCHING: usize = 4;
pub(crate) const BENDING: usize = 5;
pub(crate) const TWISTING: usize = 6;
pub(crate) const CURVATURE: usize = 7;
/// Targets of pinned vertices and edges.
pub(crate) const HOME: usize = 11;
pub(crate) const DIRECTOR_HOME: usize = 14;
/// One for vertices of strands without pinned vertices, zero for others.
pub(crate) const LOOSE: usize = 17;
const CONSTANTS: usize = 18;

/// First components of the state, see `crate::group::GroupState`: positions [m].
pub const POSITION: usize = 0;
/// Velocities [m/s].
pub const VELOCITY: usize = 3;
/// Predicted velocity changes [m/s].
pub const CHANGE: usize = 6;
/// Tangents of edges.
pub const TANGENT: usize = 9;
/// Directors of edges.
pub const DIRECTOR: usize = 12;
/// Spins of directors about their edges [rad/s].
pub const SPIN: usize = 15;
/// Twists of joints [rad].
pub const TWIST: usize = 16;
/// Largest stretch of the edge after a vertex in the steps so far, and largest correction of the vertex [m].
pub const STRETCH: usize = 17;
/// See [`STRETCH`].
pub const CORRECTION: usize = 18;
/// Number of components.
pub const STATES: usize = 19;

/// Values per strand in the table: first vertex, number of vertices, and whether none is pinned.
pub(crate) const ENTRY: u32 = 3;
/// Maximum number of teams per block. The table is padded with empty strands to a multiple of this length, so that no block reads beyond it.
pub(crate) const MAX_TEAMS_PER_BLOCK: u32 = 8;

/// Strands on a device.
pub struct GpuStrands {
    pub(crate) constants: Buffer<f32>,
    pub(crate) state: Buffer<f32>,
    /// Strands from the longest to the shortest, so that the strands of a block have similar lengths.
    pub(crate) table: Buffer<u32>,
    vertices: usize,
    /// Vertex counts of the strands in the table.
    lengths: Vec<usize>,
}

impl GpuStrands {
    /// Uploads strands to a device.
    pub fn upload<R: Runtime>(gpu: &Gpu<R>, strands: &Strands, state: &StrandState) -> GpuStrands {
        let mut order: Vec<usize> = (0..strands.len()).collect();
        order.sort_by_key(|&strand| std::cmp::Reverse(strands.vertices(strand).len()));
        let table = order.iter().flat_map(|&strand| {
            let (place, vertices) = (&strands.places[strand], strands.vertices(strand));
            let flying = strands.groups[place.group].flying[place.lane] > 0.0;
            [vertices.start as u32, vertices.len() as u32, u32::from(flying)]
        });
        let mut table: Vec<u32> = table.collect();
        table.resize((ENTRY * MAX_TEAMS_PER_BLOCK) as usize * strands.len().div_ceil(MAX_TEAMS_PER_BLOCK as usize), 0);
        GpuStrands {
            constants: gpu.upload(&constants(strands)),
            state: gpu.upload(&states(strands, state)),
            table: gpu.upload(&table),
            vertices: strands.vertex_count(),
            lengths: order.iter().map(|&strand| strands.vertices(strand).len()).collect(),
        }
    }

    /// Replaces the state by another state of the same strands, e.g. of a checkpoint.
    pub fn set_state<R: Runtime>(&mut self, gpu: &Gpu<R>, strands: &Strands, state: &StrandState) {
        self.state = gpu.upload(&states(strands, state));
    }

    /// Downloads the strands, except the pose of the head.
    pub fn read<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        strands: &Strands,
        state: &mut StrandState,
    ) -> Result<(), DeviceError> {
        let (from, n) = (self.state.read(gpu)?, self.vertices);
        for strand in 0..strands.len() {
            let (place, vertices) = (&strands.places[strand], strands.vertices(strand));
            let (to, lane) = (&mut state.groups[place.group], place.lane);
            for (i, vertex) in vertices.enumerate() {
                let get = |component: usize, to: Option<&mut Lanes>| {
                    if let Some(to) = to {
                        to[lane] = from[component * n + vertex];
                    }
                };
                let get3 = |first: usize, to: Option<&mut Lanes3>| {
                    let Some(to) = to else { return };
                    to.iter_mut().enumerate().for_each(|(c, to)| to[lane] = from[(first + c) * n + vertex]);
                };
                get3(POSITION, to.position.get_mut(i));
                get3(VELOCITY, to.velocity.get_mut(i));
                get3(TANGENT, to.tangent.get_mut(i).filter(|_| i + 1 < place.vertices));
                get3(DIRECTOR, to.director.get_mut(i).filter(|_| i + 1 < place.vertices));
                get(SPIN, to.spin.get_mut(i).filter(|_| i + 1 < place.vertices));
                get(TWIST, to.twist.get_mut(i).filter(|_| i + 2 < place.vertices));
            }
            let largest = |component: usize| {
                let values = &from[component * n..][place.first..place.first + place.vertices];
                values.iter().copied().fold(0.0, f32::max)
            };
            (to.stretch[lane], to.correction[lane]) = (largest(STRETCH), largest(CORRECTION));
        }
        Ok(())
    }

    /// Downloads the velocity changes that the last prediction computed, one per vertex [m/s].
    pub fn read_changes<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<Vec<Vec3>, DeviceError> {
        let (from, n) = (self.state.read(gpu)?, self.vertices);
        Ok((0..n).map(|i| Vec3::from_array([0, 1, 2].map(|c| from[(CHANGE + c) * n + i]))).collect())
    }

    /// Returns the total number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices
    }

    /// Returns the number of strands.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns whether there are no strands.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Returns the vertex counts of the strands, in descending order.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Returns the state by component, positions first, for renderers on the device.
    pub fn state(&self) -> &Buffer<f32> {
        &self.state
    }
}

/// Vertex values by component.
struct Components {
    numbers: Vec<f32>,
    vertices: usize,
}

impl Components {
    fn new(components: usize, vertices: usize) -> Components {
        Components { numbers: vec![0.0; components * vertices], vertices }
    }

    fn set(&mut self, component: usize, vertex: usize, value: f32) {
        self.numbers[component * self.vertices + vertex] = value;
    }

    fn set3(&mut self, first: usize, vertex: usize, value: Vec3) {
        (0..3).for_each(|c| self.set(first + c, vertex, value[c]));
    }
}

fn constants(strands: &Strands) -> Vec<f32> {
    let mut to = Components::new(CONSTANTS, strands.vertex_count());
    for place in &strands.places {
        let (group, lane) = (&strands.groups[place.group], place.lane);
        for i in 0..place.vertices {
            let vertex = place.first + i;
            let edge = i + 1 < place.vertices;
            to.set(LOOSE, vertex, group.flying[lane]);
            to.set(MASS, vertex, group.mass[i][lane]);
            to.set(INERTIA, vertex, if edge { group.inertia[i][lane] } else { PINNED_MASS });
            to.set(LENGTH, vertex, if edge { group.length[i][lane] } else { 1.0 });
            to.set(MIN_COSINE, vertex, if edge { group.min_cosine[i][lane] } else { -1.0 });
            to.set(STRETCHING, vertex, if edge { group.stretching[i][lane] } else { 0.0 });
            if i + 2 < place.vertices {
                let joint = group.joints[i].get(lane);
                to.set(BENDING, vertex, joint.bending);
                to.set(TWISTING, vertex, joint.twisting);
                (0..4).for_each(|c| to.set(CURVATURE + c, vertex, joint.curvature[c]));
            }
        }
        let own = |held: &&crate::group::Pinned| held.lane == lane;
        for held in group.pinned_vertices.iter().filter(own) {
            to.set3(HOME, place.first + held.index, held.home);
        }
        for held in group.pinned_edges.iter().filter(own) {
            to.set3(DIRECTOR_HOME, place.first + held.index, held.home);
        }
    }
    to.numbers
}

/// Returns a state by component, in the layout of the device.
pub fn states(strands: &Strands, state: &StrandState) -> Vec<f32> {
    let mut to = Components::new(STATES, strands.vertex_count());
    for place in &strands.places {
        let (group, lane) = (&state.groups[place.group], place.lane);
        let get3 = |of: &Lanes3| crate::lanes::get3(of, lane);
        for i in 0..place.vertices {
            let vertex = place.first + i;
            to.set3(POSITION, vertex, get3(&group.position[i]));
            to.set3(VELOCITY, vertex, get3(&group.velocity[i]));
            to.set(STRETCH, vertex, group.stretch[lane]);
            to.set(CORRECTION, vertex, group.correction[lane]);
            if i + 1 < place.vertices {
                to.set3(TANGENT, vertex, get3(&group.tangent[i]));
                to.set3(DIRECTOR, vertex, get3(&group.director[i]));
                to.set(SPIN, vertex, group.spin[i][lane]);
            }
            if i + 2 < place.vertices {
                to.set(TWIST, vertex, group.twist[i][lane]);
            }
        }
    }
    to.numbers
}

/// Strand of a team.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct StrandOf {
    /// Index of the strand's first vertex.
    pub first: usize,
    /// Number of vertices; zero for teams without a strand.
    pub count: u32,
    /// Maximum number of vertices of the strands in the block.
    pub most: u32,
    /// One if no vertex is pinned, else zero.
    pub flying: f32,
}

#[cube]
impl StrandOf {
    /// Returns the strand of team `team` of this block. The first block has the strands of the table starting at `begin`.
    pub(crate) fn team(table: &Array<u32>, begin: u32, team: u32, #[comptime] per_cube: u32) -> StrandOf {
        let first_of_cube = begin + CUBE_POS as u32 * per_cube;
        let at = ((first_of_cube + team) * ENTRY) as usize;
        StrandOf {
            first: table[at] as usize,
            count: table[at + 1],
            most: table[(first_of_cube * ENTRY + 1) as usize],
            flying: f32::cast_from(table[at + 2]),
        }
    }

    /// Returns the index of a vertex, clamped to the last vertex of the strand; 0 without a strand.
    pub(crate) fn vertex(&self, i: u32) -> usize {
        let last = select(self.count > 0, self.count - 1, 0u32);
        self.first + u32::min(i, last) as usize
    }
}
