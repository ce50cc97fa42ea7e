//! End of a step on a device, in one kernel: limits lengths and bends, resolves penetration, and updates frames: [`settle`](crate::settle::settle).
//!
//! Vertices are in shared memory if they fit. Teams do all work, except for the sequential part from root to tip: see `limit`.

use crate::gpu::grid::{PARTICLE_POSITION, PARTICLE_VELOCITY, Vertices};
use crate::gpu::limit::{LEAST, REST, limit};
use crate::gpu::strands::{
    CORRECTION, DIRECTOR, GpuStrands, LENGTH, MASS, MAX_TEAMS_PER_BLOCK, MIN_COSINE, POSITION, SPIN, STRETCH, StrandOf,
    TANGENT, TWIST, VELOCITY,
};
use crate::gpu::team::{Reduction, TEAM, TeamReduction, Teams, shared_values};
use crate::gpu::vector::{get, set};
use crate::group::PINNED_MASS;
use cubecl::prelude::*;
use fibra_gpu::colliders::{DeviceColliders, NUMBERED, may_be_within, project_out};
use fibra_gpu::edge_frames::{angle, nearest_turn, rotated, transport};
use fibra_gpu::launch::cubes;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// See [`settle`](crate::settle).
const ROUNDS: u32 = 2;

/// Values per vertex in shared memory: position, limits of the edge after the vertex (see `limit`), and one unused value. At the end of the kernel,
/// the six values are tangent and director of that edge.
const NUMBERS: u32 = 6;
const DIRECTOR_IN_CUBE: usize = 3;

/// Up to this number of strands, blocks have as few strands as possible, so that the whole device is busy. With more strands, it is
/// faster to run several sequential parts in the same warp.
const FEW: usize = 16_384;
const FEW_TEAMS: u32 = 2;

/// Colliders that vertices are projected out of.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Colliders on the device.
    pub placed: &'a DeviceColliders,
    /// Minimum distance of vertices from colliders [m].
    pub skin: f32,
}

/// Launch configuration and buffers for settling strands.
pub struct Settler {
    plan: Plan,
    /// Number of strands that the settler was built for.
    strands: usize,
    vertices: usize,
    room: Buffer<f32>,
    none: Buffer<f32>,
    nowhere: Buffer<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    pub teams: Teams,
    /// Number of vertices of the longest strand.
    pub longest: u32,
    /// Whether vertices are in shared memory.
    in_cube: bool,
    /// Whether vertices are first copied from the grid particles.
    from_grid: bool,
    /// Whether there are colliders.
    bodies: bool,
}

impl Plan {
    /// Returns the number of values per strand: odd, so that threads on neighboring strands access different banks.
    pub fn strand(self) -> u32 {
        (NUMBERS * self.longest) | 1
    }

    /// Returns the number of values per block.
    fn cube(self) -> u32 {
        self.teams.per_cube * self.strand()
    }

    fn shared(self) -> usize {
        if self.in_cube { self.cube() as usize } else { 1 }
    }

    /// Returns the number of values of shared memory per block.
    fn taken(self) -> usize {
        self.shared() + self.teams.reduction_values() + self.teams.per_cube as usize
    }
}

impl Settler {
    /// Returns a settler for strands on a device.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands) -> Settler {
        let per_cube = if strands.len() <= FEW { FEW_TEAMS } else { MAX_TEAMS_PER_BLOCK };
        Settler::with_shared_memory(gpu, strands, per_cube, shared_values(gpu))
    }

    /// Returns a settler for a device with shared memory for `room` values, with `per_cube` strands per block if they fit, and at most eight.
    pub fn with_shared_memory<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands, per_cube: u32, room: usize) -> Settler {
        let longest = strands.lengths().first().map_or(0, |&longest| longest as u32);
        let plan = |per_cube: u32| {
            let teams = Teams::on(gpu, per_cube);
            Plan { teams, longest, in_cube: true, from_grid: false, bodies: false }
        };
        // A power of two, so that it divides the length of the table, which is padded to a multiple of `MAX_TEAMS_PER_BLOCK`.
        let most = per_cube.clamp(1, MAX_TEAMS_PER_BLOCK).next_power_of_two();
        let fewer = [most, most.div_ceil(2), most.div_ceil(4)];
        let fits = fewer.map(plan).into_iter().find(|plan| plan.taken() <= room);
        let plan = fits.unwrap_or(Plan { in_cube: false, ..plan(most) });
        let cubes = strands.len().div_ceil(plan.teams.per_cube as usize);
        let room = if plan.in_cube { 1 } else { cubes * plan.cube() as usize };
        Settler {
            plan,
            strands: strands.len(),
            vertices: strands.vertex_count(),
            room: gpu.empty(room.max(1)),
            none: gpu.empty(1),
            nowhere: gpu.empty(1),
        }
    }

    /// Limits stretch and bends, projects vertices out of colliders, and updates the frames to the current positions, `dt` after their last update
    /// [s]. First copies vertices from their particles, if any, and moves pinned vertices with the head.
    pub fn settle<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        strands: &GpuStrands,
        vertices: Option<Vertices<'_>>,
        bodies: Option<Bodies<'_>>,
        slack: f32,
        dt: f32,
    ) {
        let bodies = bodies.filter(|bodies| bodies.placed.count() > 0);
        let plan = Plan { from_grid: vertices.is_some(), bodies: bodies.is_some(), ..self.plan };
        let count = strands.len().div_ceil(plan.teams.per_cube as usize);
        if let Some(Vertices { fields, place }) = vertices {
            let n = strands.vertex_count();
            assert!(place.len() == n && fields.len() >= 6 * n, "there must be one particle per strand vertex");
        }
        assert_eq!(
            (self.strands, self.vertices),
            (strands.len(), strands.vertex_count()),
            "the settler was built for other strands"
        );
        // SAFETY: the table has entries for all teams of `count` blocks, and their strands are allocated. The assertion ensures that particles have
        // positions and velocities.
        unsafe {
            settle::launch_unchecked::<R>(
                &gpu.client,
                cubes(count),
                plan.teams.cube_dim(),
                strands.constants.arg(),
                strands.state.arg(),
                strands.table.arg(),
                self.room.arg(),
                vertices.map_or(&self.none, |vertices| vertices.fields).arg(),
                vertices.map_or(&self.nowhere, |vertices| vertices.place).arg(),
                bodies.map_or(self.none.arg(), |bodies| bodies.placed.shapes()),
                bodies.map_or(self.none.arg(), |bodies| bodies.placed.placed()),
                LimitsLaunch::new(
                    slack,
                    dt,
                    bodies.map_or(0, |bodies| bodies.placed.count()),
                    bodies.map_or(0.0, |bodies| bodies.skin),
                ),
                strands.vertex_count() as u32,
                count as u32,
                plan,
            );
        }
    }
}

#[derive(CubeType, CubeLaunch, Clone, Copy)]
struct Limits {
    slack: f32,
    dt: f32,
    bodies: u32,
    skin: f32,
}

#[cube(launch_unchecked)]
fn settle(
    constants: &Array<f32>,
    state: &mut Array<f32>,
    table: &Array<u32>,
    room: &mut Array<f32>,
    fields: &Array<f32>,
    place: &Array<u32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    limits: &Limits,
    n: u32,
    cube_count: u32,
    #[comptime] plan: Plan,
) {
    let mut shared = SharedMemory::<f32>::new(comptime!(plan.shared()));
    let mut begins = SharedMemory::<u32>::new(comptime!(plan.teams.per_cube as usize));
    let mut reduction = TeamReduction::new(plan.teams);
    if (CUBE_POS as u32) < cube_count {
        let n = n as usize;
        let strand = StrandOf::team(table, 0u32, UNIT_POS / TEAM, comptime!(plan.teams.per_cube));
        if comptime!(plan.in_cube) {
            let mut work = shared.to_slice_mut();
            fetch(&mut work, constants, state, fields, place, &strand, limits.dt, n, plan);
            record_stretch(&work, constants, state, &strand, n, plan);
            limit_and_resolve(
                &mut work,
                &mut begins,
                &mut reduction,
                constants,
                state,
                fields,
                place,
                table,
                shapes,
                placed,
                &strand,
                limits,
                n,
                plan,
            );
            update_frames(&mut work, state, &strand, limits.dt, n, plan);
        } else {
            let first = CUBE_POS * comptime!(plan.cube() as usize);
            let mut work = room.slice_mut(first, first + comptime!(plan.cube() as usize));
            fetch(&mut work, constants, state, fields, place, &strand, limits.dt, n, plan);
            record_stretch(&work, constants, state, &strand, n, plan);
            limit_and_resolve(
                &mut work,
                &mut begins,
                &mut reduction,
                constants,
                state,
                fields,
                place,
                table,
                shapes,
                placed,
                &strand,
                limits,
                n,
                plan,
            );
            update_frames(&mut work, state, &strand, limits.dt, n, plan);
        }
    }
}

/// Makes all writes of the block visible to all its threads.
#[cube]
pub(crate) fn sync_block(#[comptime] plan: Plan) {
    sync_cube();
    if comptime!(!plan.in_cube) {
        sync_storage();
    }
}

#[cube]
pub(crate) fn position(work: &Slice<f32, ReadWrite>, at: usize, #[comptime] longest: usize) -> Vector3 {
    Vector3::new(work[at], work[at + longest], work[at + comptime!(2 * longest)])
}

#[cube]
pub(crate) fn put(work: &mut Slice<f32, ReadWrite>, at: usize, #[comptime] longest: usize, x: Vector3) {
    work[at] = x.x;
    work[at + longest] = x.y;
    work[at + comptime!(2 * longest)] = x.z;
}

/// Returns the offset of the values of the team's strand.
#[cube]
fn own_strand(#[comptime] plan: Plan) -> usize {
    (UNIT_POS / TEAM) as usize * comptime!(plan.strand() as usize)
}

/// Copies vertices from their particles, if any, and moves pinned vertices with the head for `dt` [s].
#[cube]
fn fetch(
    work: &mut Slice<f32, ReadWrite>,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    fields: &Array<f32>,
    place: &Array<u32>,
    strand: &StrandOf,
    dt: f32,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let first = own_strand(plan);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i < strand.count {
            let vertex = strand.vertex(i);
            let at = first + i as usize;
            let rest = constants[LENGTH * n + vertex];
            let held = constants[MASS * n + strand.vertex(i + 1)] >= PINNED_MASS;
            work[at + comptime!(REST as usize) * longest] = select(held, -rest, rest);
            work[at + comptime!(LEAST as usize) * longest] = constants[MIN_COSINE * n + vertex];
            if comptime!(plan.from_grid) {
                if constants[MASS * n + vertex] >= PINNED_MASS {
                    let displacement = get(state, n, VELOCITY, vertex).times(dt);
                    put(work, at, longest, get(state, n, POSITION, vertex).plus(displacement));
                } else {
                    let particle = place[vertex] as usize;
                    put(work, at, longest, get(fields, n, PARTICLE_POSITION, particle));
                    set(state, n, VELOCITY, vertex, get(fields, n, PARTICLE_VELOCITY, particle));
                }
            } else {
                put(work, at, longest, get(state, n, POSITION, vertex));
            }
        }
    }
    sync_block(plan);
}

/// Records the stretch that the step reached: [`record_and_limit`](crate::settle).
#[cube]
fn record_stretch(
    work: &Slice<f32, ReadWrite>,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    strand: &StrandOf,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let first = own_strand(plan);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i + 1 < strand.count {
            let vertex = strand.vertex(i);
            let at = first + i as usize;
            let mass = f32::min(constants[MASS * n + vertex], constants[MASS * n + vertex + 1]);
            let length = position(work, at + 1, longest).minus(position(work, at, longest)).length();
            if mass < PINNED_MASS {
                let ratio = length / f32::abs(work[at + comptime!(REST as usize) * longest]);
                state[STRETCH * n + vertex] = f32::max(state[STRETCH * n + vertex], ratio);
            }
        }
    }
}

/// Records the distances by which the limits moved the vertices.
#[cube]
fn record_correction(
    work: &Slice<f32, ReadWrite>,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    fields: &Array<f32>,
    place: &Array<u32>,
    strand: &StrandOf,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let first = own_strand(plan);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        let vertex = strand.vertex(i);
        if i < strand.count && constants[MASS * n + vertex] < PINNED_MASS {
            let x = position(work, first + i as usize, longest);
            let mut before = get(state, n, POSITION, vertex);
            if comptime!(plan.from_grid) {
                before = get(fields, n, PARTICLE_POSITION, place[vertex] as usize);
            }
            let moved = x.minus(before).length();
            state[CORRECTION * n + vertex] = f32::max(state[CORRECTION * n + vertex], moved);
        }
    }
}

/// Limits lengths and bends, and projects vertices out of colliders. Strands that no collider pushed are final.
#[cube]
fn limit_and_resolve(
    work: &mut Slice<f32, ReadWrite>,
    begins: &mut SharedMemory<u32>,
    reduction: &mut TeamReduction,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    fields: &Array<f32>,
    place: &Array<u32>,
    table: &Array<u32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    n: usize,
    #[comptime] plan: Plan,
) {
    let mut requested = select(strand.count > 0, 1u32, 0u32);
    for round in 0..comptime!(if plan.bodies { ROUNDS + 1 } else { 1 }) {
        limit(work, begins, reduction, table, state, strand, limits.slack, n, requested > 0, plan);
        sync_block(plan);
        if round == 0 {
            record_correction(work, constants, state, fields, place, strand, n, plan);
        }
        if comptime!(plan.bodies) {
            // The last round only limits lengths and bends, as on the CPU.
            if round < ROUNDS {
                let near = bodies_near(work, reduction, shapes, placed, strand, limits, requested > 0, plan);
                // All threads have read the vertices before any thread moves one.
                sync_block(plan);
                let pushed = resolve_penetration(
                    work,
                    near,
                    constants,
                    state,
                    shapes,
                    placed,
                    strand,
                    limits,
                    n,
                    requested > 0,
                    plan,
                );
                requested = reduction.reduce(pushed, Reduction::Bits, 1u32);
                sync_block(plan);
            }
        }
    }
}

/// Returns a bit mask of the colliders that may contain vertices of the team's strand, if requested: those that overlap a ball around the strand. The
/// mask has the format of [`project_out`]. If a collider pushes a vertex out of the ball and into another collider,
/// the next round or step resolves that.
#[cube]
fn bodies_near(
    work: &Slice<f32, ReadWrite>,
    reduction: &mut TeamReduction,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    requested: bool,
    #[comptime] plan: Plan,
) -> u32 {
    let longest = comptime!(plan.longest as usize);
    let first = own_strand(plan);
    let lane = UNIT_POS % TEAM;
    let middle = position(work, first + (strand.count / 2) as usize, longest);
    let mut square = f32::new(0.0);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + lane;
        if i < strand.count {
            let away = position(work, first + i as usize, longest).minus(middle);
            square = f32::max(square, away.dot(away));
        }
    }
    // Nonnegative floats have the same order as their bit patterns.
    let farthest = f32::reinterpret(reduction.reduce(u32::reinterpret(square), Reduction::Max, 1u32));
    let reach = f32::sqrt(farthest) + limits.skin;
    let numbered = u32::min(limits.bodies, NUMBERED);
    let mut own = u32::new(1) << NUMBERED;
    for pass in 0..numbered.div_ceil(TEAM) {
        let body = pass * TEAM + lane;
        if requested && body < numbered {
            own |= u32::cast_from(may_be_within(shapes, placed, body, middle, reach)) << body;
        }
    }
    reduction.reduce(own, Reduction::Bits, 0u32)
}

/// Projects vertices out of colliders, if the strand requests it. Returns whether any vertex of this thread moved.
#[cube]
fn resolve_penetration(
    work: &mut Slice<f32, ReadWrite>,
    near: u32,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    n: usize,
    requested: bool,
    #[comptime] plan: Plan,
) -> u32 {
    let longest = comptime!(plan.longest as usize);
    let first = own_strand(plan);
    let mut any = u32::new(0);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        let vertex = strand.vertex(i);
        if requested && i < strand.count && constants[MASS * n + vertex] < PINNED_MASS {
            let at = first + i as usize;
            let x = position(work, at, longest);
            let v = get(state, n, VELOCITY, vertex);
            let pushed = project_out(shapes, placed, limits.bodies, near, limits.skin, x, v);
            if pushed.moved {
                put(work, at, longest, pushed.x);
                set(state, n, VELOCITY, vertex, pushed.v);
                any = u32::new(1);
            }
        }
    }
    any
}

/// Transports directors to the new tangents, rotates them by their spin, and recomputes the twist between them: [`update_frames`](crate::settle).
#[cube]
fn update_frames(
    work: &mut Slice<f32, ReadWrite>,
    state: &mut Array<f32>,
    strand: &StrandOf,
    dt: f32,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let directors = comptime!(DIRECTOR_IN_CUBE * longest);
    let first = own_strand(plan);
    let passes = strand.most.div_ceil(TEAM);
    for pass in 0..passes {
        let i = pass * TEAM + UNIT_POS % TEAM;
        // Threads without an edge repeat the work of another thread.
        let vertex = strand.vertex(i);
        let at = first + u32::min(i, comptime!(plan.longest - 1)) as usize;
        let x = position(work, at, longest);
        let after = first + u32::min(i + 1, comptime!(plan.longest - 1)) as usize;
        let edge = position(work, after, longest).minus(x);
        let tangent = edge.times(1.0f32 / f32::max(edge.length(), 1e-12f32));
        let carried = transport(get(state, n, DIRECTOR, vertex), get(state, n, TANGENT, vertex), tangent);
        let director = rotated(carried, tangent, dt * state[SPIN * n + vertex]);
        // The vertex positions are no longer needed.
        sync_block(plan);
        if i < strand.count {
            set(state, n, POSITION, vertex, x);
        }
        if i + 1 < strand.count {
            put(work, at, longest, tangent);
            put(work, at + directors, longest, director);
            set(state, n, TANGENT, vertex, tangent);
            set(state, n, DIRECTOR, vertex, director);
        }
    }
    sync_block(plan);
    for pass in 0..passes {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i + 2 < strand.count {
            let vertex = strand.vertex(i);
            let at = first + i as usize;
            let to = position(work, at + 1, longest);
            let before = position(work, at + directors, longest);
            let carried = transport(before, position(work, at, longest), to);
            let spins = state[SPIN * n + vertex + 1] - state[SPIN * n + vertex];
            let expected = state[TWIST * n + vertex] + dt * spins;
            let turned_by = angle(carried, position(work, at + 1 + directors, longest), to);
            state[TWIST * n + vertex] = nearest_turn(turned_by, expected);
        }
    }
}
