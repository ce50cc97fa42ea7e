//! The end of a step on a device: lengths, bends, bodies and frames, in one kernel: [`settle`](crate::settle::settle).
//!
//! Lengths and bends are limited from the root on, each vertex after the one before: one unit does that for a strand, in shared memory, while those of
//! the other strands of the cube do it for theirs. All else is done by teams.

use crate::gpu::frames::{angle, nearest_turn, transport, turned};
use crate::gpu::grid::{PARTICLE_POSITION, PARTICLE_VELOCITY, Vertices};
use crate::gpu::strands::{
    DIRECTOR, GpuStrands, LEAST_COSINE, LENGTH, MASS, MOST_TEAMS, POSITION, SPIN, StrandOf, TANGENT, TWIST, VELOCITY,
};
use crate::gpu::team::{TEAM, shared_numbers};
use crate::gpu::vector::{Vector, add, choose, dot, get, length, scale, set, sub, vector};
use crate::group::HELD;
use cubecl::prelude::*;
use fibra_gpu::colliders::DeviceColliders;
use fibra_gpu::colliders::contact::{ANY, push_out};
use fibra_gpu::launch::cubes;
use fibra_gpu::{Buffer, Gpu};

/// See [`settle`](crate::settle).
const ROUNDS: u32 = 2;

/// Numbers of a vertex while its strand is limited: where it is, the rest length of the edge after it (negative where that ends in what is held), and the
/// cosine of the sharpest bend before that edge.
const NUMBERS: u32 = 5;
const REST: u32 = 3;
const LEAST: u32 = 4;

/// What vertices are kept out of.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// The bodies.
    pub placed: &'a DeviceColliders,
    /// How far above them vertices are kept [m].
    pub skin: f32,
}

/// How strands are laid onto a device to be settled, and room for them.
pub struct Settler {
    plan: Plan,
    room: Buffer<f32>,
    none: Buffer<f32>,
    nowhere: Buffer<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Plan {
    /// Strands of a cube.
    per_cube: u32,
    /// Vertices of the longest strand.
    longest: u32,
    /// Whether vertices are in shared memory while they are limited.
    in_cube: bool,
    /// Whether vertices are to be fetched from the grid first.
    from_grid: bool,
    /// Whether there are bodies.
    bodies: bool,
}

impl Plan {
    /// Numbers of a strand: odd, so that units that work on strands side by side use different banks.
    fn strand(self) -> u32 {
        (NUMBERS * self.longest) | 1
    }

    /// Numbers of a cube: its strands, and for each round whether a vertex was in a body.
    fn cube(self) -> u32 {
        self.per_cube * self.strand() + ROUNDS
    }

    fn shared(self) -> usize {
        if self.in_cube { self.cube() as usize } else { 1 }
    }
}

impl Settler {
    /// For strands that are on a device.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands) -> Settler {
        Settler::with_room(gpu, strands, shared_numbers(gpu))
    }

    /// For a device that has shared memory for so many numbers.
    pub fn with_room<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands, room: usize) -> Settler {
        let longest = strands.longest() as u32;
        let plan = |per_cube: u32| Plan { per_cube, longest, in_cube: true, from_grid: false, bodies: false };
        let fits =
            [MOST_TEAMS, MOST_TEAMS / 2, MOST_TEAMS / 4].map(plan).into_iter().find(|plan| plan.shared() <= room);
        let plan = fits.unwrap_or(Plan { in_cube: false, ..plan(MOST_TEAMS) });
        let cubes = strands.len().div_ceil(plan.per_cube as usize);
        let room = if plan.in_cube { 1 } else { cubes * plan.cube() as usize };
        Settler { plan, room: gpu.empty(room), none: gpu.empty(1), nowhere: gpu.empty(1) }
    }

    /// Takes back what is stretched or folded too much, puts what is in a body above it, and brings frames to where positions are, `dt` after that
    /// was last done [s]. Vertices are first brought to where their particles are, if there are any, or to where the head holds them.
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
        let count = strands.len().div_ceil(plan.per_cube as usize);
        // SAFETY: the table has entries for all teams of `count` cubes, and there is room for their strands.
        unsafe {
            settle::launch_unchecked::<R>(
                &gpu.client,
                cubes(count),
                CubeDim::new_1d(plan.per_cube * TEAM),
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
    if (CUBE_POS as u32) < cube_count {
        let n = n as usize;
        let team = UNIT_POS / TEAM;
        let strand = StrandOf::team(table, team, plan.per_cube);
        if comptime!(plan.from_grid) {
            fetch(constants, state, fields, place, n, &strand, limits.dt);
        }
        if comptime!(plan.in_cube) {
            let mut work = shared.to_slice_mut();
            limit_and_keep_out(&mut work, constants, state, table, shapes, placed, &strand, limits, n, plan);
        } else {
            let first = CUBE_POS * comptime!(plan.cube() as usize);
            let mut work = room.slice_mut(first, first + comptime!(plan.cube() as usize));
            limit_and_keep_out(&mut work, constants, state, table, shapes, placed, &strand, limits, n, plan);
        }
        sync_cube();
        sync_storage();
        carry(state, &strand, limits.dt, n);
    }
}

/// Brings vertices to where their particles are; what is held goes with the head for `dt` [s].
#[cube]
fn fetch(
    constants: &Array<f32>,
    state: &mut Array<f32>,
    fields: &Array<f32>,
    place: &Array<u32>,
    n: usize,
    strand: &StrandOf,
    dt: f32,
) {
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i < strand.count {
            let vertex = strand.vertex(i);
            if constants[MASS * n + vertex] >= HELD {
                let way = scale(dt, get(state, n, VELOCITY, vertex));
                set(state, n, POSITION, vertex, add(get(state, n, POSITION, vertex), way));
            } else {
                let particle = place[vertex] as usize;
                set(state, n, POSITION, vertex, get(fields, n, PARTICLE_POSITION, particle));
                set(state, n, VELOCITY, vertex, get(fields, n, PARTICLE_VELOCITY, particle));
            }
        }
    }
}

/// All units of the cube see what all have written.
#[cube]
fn meet(#[comptime] plan: Plan) {
    sync_cube();
    if comptime!(!plan.in_cube) {
        sync_storage();
    }
}

#[cube]
fn limit_and_keep_out(
    work: &mut Slice<f32, ReadWrite>,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    table: &Array<u32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let first = (UNIT_POS / TEAM) as usize * comptime!(plan.strand() as usize);
    let passes = strand.most.div_ceil(TEAM);
    for pass in 0..passes {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i < strand.count {
            let vertex = strand.vertex(i);
            let at = first + i as usize;
            put(work, at, longest, get(state, n, POSITION, vertex));
            let rest = constants[LENGTH * n + vertex];
            let held = constants[MASS * n + strand.vertex(i + 1)] >= HELD;
            work[at + comptime!(REST as usize) * longest] = select(held, -rest, rest);
            work[at + comptime!(LEAST as usize) * longest] = constants[LEAST_COSINE * n + vertex];
        }
    }
    let pushes = comptime!((plan.per_cube * plan.strand()) as usize);
    if UNIT_POS < ROUNDS {
        work[pushes + UNIT_POS as usize] = 0.0f32;
    }
    meet(plan);
    limit(work, table, state, limits.slack, n, plan);
    meet(plan);
    if comptime!(plan.bodies) {
        #[unroll]
        for round in 0..ROUNDS {
            keep_out(work, pushes + round as usize, constants, state, shapes, placed, strand, limits, n, plan);
            meet(plan);
            if work[pushes + round as usize] > 0.0f32 {
                limit(work, table, state, limits.slack, n, plan);
            }
            meet(plan);
        }
    }
    for pass in 0..passes {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i < strand.count {
            set(state, n, POSITION, strand.vertex(i), position(work, first + i as usize, longest));
        }
    }
}

#[cube]
fn position(work: &Slice<f32, ReadWrite>, at: usize, #[comptime] longest: usize) -> Vector {
    vector(work[at], work[at + longest], work[at + comptime!(2 * longest)])
}

#[cube]
fn put(work: &mut Slice<f32, ReadWrite>, at: usize, #[comptime] longest: usize, x: Vector) {
    work[at] = x.x;
    work[at + longest] = x.y;
    work[at + comptime!(2 * longest)] = x.z;
}

/// Moves vertices along with those before them where edges are too long or too short, and where the strand bends too sharply:
/// [`limit_shape`](crate::settle). The first units of the cube have a strand each.
#[cube]
fn limit(
    work: &mut Slice<f32, ReadWrite>,
    table: &Array<u32>,
    state: &Array<f32>,
    slack: f32,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    if UNIT_POS < plan.per_cube {
        let strand = StrandOf::team(table, UNIT_POS, plan.per_cube);
        let first = UNIT_POS as usize * comptime!(plan.strand() as usize);
        let start = position(work, first, longest);
        let mut x = start.x;
        let mut y = start.y;
        let mut z = start.z;
        let mut before_x = f32::new(0.0);
        let mut before_y = f32::new(0.0);
        let mut before_z = f32::new(0.0);
        let edges = select(strand.count > 0, strand.count - 1, 0u32);
        for i in 0..edges {
            let at = first + i as usize;
            let from = vector(x, y, z);
            let previous = vector(before_x, before_y, before_z);
            let end = position(work, at + 1, longest);
            let signed = work[at + comptime!(REST as usize) * longest];
            let least = work[at + comptime!(LEAST as usize) * longest];
            let free = signed > 0.0f32;
            let rest = f32::abs(signed);
            let edge = sub(end, from);
            let now = length(edge);
            let allowed = f32::min(f32::max(now, (1.0f32 - slack) * rest), (1.0f32 + slack) * rest);
            // Where there is hardly an edge left, it goes where it went.
            let gone = now < 1e-3f32 * rest;
            let straight = scale(1.0f32 / select(gone, 1.0f32, now), edge);
            let towards = choose(gone, get(state, n, TANGENT, strand.vertex(i)), straight);
            let cosine = dot(towards, previous);
            let across = sub(towards, scale(cosine, previous));
            let side = scale(1.0f32 / f32::max(length(across), 1e-6f32), across);
            let sine = f32::sqrt(1.0f32 - least * least);
            let bent = add(scale(least, previous), scale(sine, side));
            let sharp = cosine < least;
            let wrong = free && (sharp || allowed != now);
            let towards = choose(free && sharp, bent, towards);
            let right = choose(wrong, add(from, scale(allowed, towards)), end);
            if wrong {
                put(work, at + 1, longest, right);
            }
            x = right.x;
            y = right.y;
            z = right.z;
            before_x = towards.x;
            before_y = towards.y;
            before_z = towards.z;
        }
    }
}

/// Puts vertices that are in a body above it, and notes that there were any.
#[cube]
fn keep_out(
    work: &mut Slice<f32, ReadWrite>,
    note: usize,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    n: usize,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let first = (UNIT_POS / TEAM) as usize * comptime!(plan.strand() as usize);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        let vertex = strand.vertex(i);
        if i < strand.count && constants[MASS * n + vertex] < HELD {
            let at = first + i as usize;
            let x = position(work, at, longest);
            let v = get(state, n, VELOCITY, vertex);
            let pushed = push_out(shapes, placed, limits.bodies, ANY, limits.skin, x, v);
            if pushed.moved {
                put(work, at, longest, pushed.x);
                set(state, n, VELOCITY, vertex, pushed.v);
                work[note] = 1.0f32;
            }
        }
    }
}

/// Carries directors to the new tangents, turns them by their spin, and finds the twist between them anew: [`carry`](crate::settle).
#[cube]
fn carry(state: &mut Array<f32>, strand: &StrandOf, dt: f32, n: usize) {
    let passes = strand.most.div_ceil(TEAM);
    for pass in 0..passes {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i + 1 < strand.count {
            let vertex = strand.vertex(i);
            let edge = sub(get(state, n, POSITION, vertex + 1), get(state, n, POSITION, vertex));
            let tangent = scale(1.0f32 / f32::max(length(edge), 1e-12f32), edge);
            let carried = transport(get(state, n, DIRECTOR, vertex), get(state, n, TANGENT, vertex), tangent);
            set(state, n, DIRECTOR, vertex, turned(carried, tangent, dt * state[SPIN * n + vertex]));
            set(state, n, TANGENT, vertex, tangent);
        }
    }
    sync_cube();
    sync_storage();
    for pass in 0..passes {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if i + 2 < strand.count {
            let vertex = strand.vertex(i);
            let to = get(state, n, TANGENT, vertex + 1);
            let carried = transport(get(state, n, DIRECTOR, vertex), get(state, n, TANGENT, vertex), to);
            let spins = state[SPIN * n + vertex + 1] - state[SPIN * n + vertex];
            let expected = state[TWIST * n + vertex] + dt * spins;
            let turned_by = angle(carried, get(state, n, DIRECTOR, vertex + 1), to);
            state[TWIST * n + vertex] = nearest_turn(turned_by, expected);
        }
    }
}
