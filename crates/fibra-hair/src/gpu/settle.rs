//! The end of a step on a device: lengths, bends, bodies and frames, in one kernel: [`settle`](crate::settle::settle).
//!
//! Vertices are in shared memory meanwhile, where they fit in. All is done by teams, but for what happens from the root on, each vertex after the
//! one before: see `limit`.

use crate::gpu::frames::{angle, nearest_turn, transport, turned};
use crate::gpu::grid::{PARTICLE_POSITION, PARTICLE_VELOCITY, Vertices};
use crate::gpu::limit::{LEAST, REST, limit};
use crate::gpu::strands::{
    DIRECTOR, GpuStrands, LEAST_COSINE, LENGTH, MASS, MOST_TEAMS, POSITION, SPIN, StrandOf, TANGENT, TWIST, VELOCITY,
};
use crate::gpu::team::{Council, Merge, TEAM, Teams, shared_numbers};
use crate::gpu::vector::{get, set};
use crate::group::HELD;
use cubecl::prelude::*;
use fibra_gpu::colliders::{DeviceColliders, NUMBERED, may_be_within, push_out};
use fibra_gpu::launch::cubes;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// See [`settle`](crate::settle).
const ROUNDS: u32 = 2;

/// Numbers of a vertex in shared memory: where it is, what limits the edge after it (see `limit`), and one to spare; in the end the tangent and the
/// director of that edge.
const NUMBERS: u32 = 6;
const DIRECTOR_IN_CUBE: usize = 3;

/// Strands that are few: with as few of them as possible in a cube, all of the device is at work. Of many strands those that go on one by one are
/// better side by side in a plane.
const FEW: usize = 16_384;
const FEW_TEAMS: u32 = 2;

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
    /// Those it was made for.
    strands: usize,
    vertices: usize,
    room: Buffer<f32>,
    none: Buffer<f32>,
    nowhere: Buffer<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    pub teams: Teams,
    /// Vertices of the longest strand.
    pub longest: u32,
    /// Whether vertices are in shared memory.
    in_cube: bool,
    /// Whether vertices are to be fetched from the grid first.
    from_grid: bool,
    /// Whether there are bodies.
    bodies: bool,
}

impl Plan {
    /// Numbers of a strand: odd, so that units that work on strands side by side use different banks.
    pub fn strand(self) -> u32 {
        (NUMBERS * self.longest) | 1
    }

    /// Numbers of a cube.
    fn cube(self) -> u32 {
        self.teams.per_cube * self.strand()
    }

    fn shared(self) -> usize {
        if self.in_cube { self.cube() as usize } else { 1 }
    }

    /// Numbers of shared memory that a cube takes.
    fn taken(self) -> usize {
        self.shared() + self.teams.agreed() + self.teams.per_cube as usize
    }
}

impl Settler {
    /// For strands that are on a device.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands) -> Settler {
        let per_cube = if strands.len() <= FEW { FEW_TEAMS } else { MOST_TEAMS };
        Settler::with_room(gpu, strands, per_cube, shared_numbers(gpu))
    }

    /// For a device that has shared memory for so many numbers, with so many strands in a cube if they fit in, and at most eight.
    pub fn with_room<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands, per_cube: u32, room: usize) -> Settler {
        let longest = strands.lengths().first().map_or(0, |&longest| longest as u32);
        let plan = |per_cube: u32| {
            let teams = Teams::on(gpu, per_cube);
            Plan { teams, longest, in_cube: true, from_grid: false, bodies: false }
        };
        // A power of two: the table is filled up to a multiple of all of those.
        let most = per_cube.clamp(1, MOST_TEAMS).next_power_of_two();
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
        let count = strands.len().div_ceil(plan.teams.per_cube as usize);
        if let Some(Vertices { fields, place }) = vertices {
            let n = strands.vertex_count();
            assert!(place.len() == n && fields.len() >= 6 * n, "the particles are the strands' vertices");
        }
        assert_eq!((self.strands, self.vertices), (strands.len(), strands.vertex_count()), "made for other strands");
        // SAFETY: the table has entries for all teams of `count` cubes, and there is room for their strands; particles have positions and velocities
        // by the assertion.
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
    let mut council = Council::new(plan.teams);
    if (CUBE_POS as u32) < cube_count {
        let n = n as usize;
        let strand = StrandOf::team(table, 0u32, UNIT_POS / TEAM, comptime!(plan.teams.per_cube));
        if comptime!(plan.in_cube) {
            let mut work = shared.to_slice_mut();
            fetch(&mut work, constants, state, fields, place, &strand, limits.dt, n, plan);
            limit_and_keep_out(
                &mut work,
                &mut begins,
                &mut council,
                constants,
                state,
                table,
                shapes,
                placed,
                &strand,
                limits,
                n,
                plan,
            );
            carry(&mut work, state, &strand, limits.dt, n, plan);
        } else {
            let first = CUBE_POS * comptime!(plan.cube() as usize);
            let mut work = room.slice_mut(first, first + comptime!(plan.cube() as usize));
            fetch(&mut work, constants, state, fields, place, &strand, limits.dt, n, plan);
            limit_and_keep_out(
                &mut work,
                &mut begins,
                &mut council,
                constants,
                state,
                table,
                shapes,
                placed,
                &strand,
                limits,
                n,
                plan,
            );
            carry(&mut work, state, &strand, limits.dt, n, plan);
        }
    }
}

/// All units of the cube see what all have written.
#[cube]
pub(crate) fn at_once(#[comptime] plan: Plan) {
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

/// Where the numbers of the team's strand begin.
#[cube]
fn own_strand(#[comptime] plan: Plan) -> usize {
    (UNIT_POS / TEAM) as usize * comptime!(plan.strand() as usize)
}

/// Brings vertices to where their particles are, if there are any; what is held then goes with the head for `dt` [s].
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
            let held = constants[MASS * n + strand.vertex(i + 1)] >= HELD;
            work[at + comptime!(REST as usize) * longest] = select(held, -rest, rest);
            work[at + comptime!(LEAST as usize) * longest] = constants[LEAST_COSINE * n + vertex];
            if comptime!(plan.from_grid) {
                if constants[MASS * n + vertex] >= HELD {
                    let way = get(state, n, VELOCITY, vertex).times(dt);
                    put(work, at, longest, get(state, n, POSITION, vertex).plus(way));
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
    at_once(plan);
}

/// Lengths and bends within their limits, vertices out of bodies; those of a strand that no body has pushed are where they are to stay.
#[cube]
fn limit_and_keep_out(
    work: &mut Slice<f32, ReadWrite>,
    begins: &mut SharedMemory<u32>,
    council: &mut Council,
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
    let mut asked = select(strand.count > 0, 1u32, 0u32);
    for round in 0..comptime!(if plan.bodies { ROUNDS + 1 } else { 1 }) {
        limit(work, begins, council, table, state, strand, limits.slack, n, asked > 0, plan);
        at_once(plan);
        if comptime!(plan.bodies) {
            // After the last push there is no more.
            if round < ROUNDS {
                let near = bodies_near(work, council, shapes, placed, strand, limits, asked > 0, plan);
                // All have seen where vertices are before somebody moves one.
                at_once(plan);
                let pushed = keep_out(work, near, constants, state, shapes, placed, strand, limits, n, asked > 0, plan);
                asked = council.agree(pushed, Merge::Bits, 1u32);
                at_once(plan);
            }
        }
    }
}

/// Which bodies vertices of the team's strand may be in, if it asks: a bit for each, as [`push_out`] wants them. Those that reach into a ball around the
/// strand; where one pushes a vertex out of it and into another body, the next round or the next step finds it there.
#[cube]
fn bodies_near(
    work: &Slice<f32, ReadWrite>,
    council: &mut Council,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    asked: bool,
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
    // Numbers that are not negative are in the order of their bits.
    let farthest = f32::reinterpret(council.agree(u32::reinterpret(square), Merge::Most, 1u32));
    let reach = f32::sqrt(farthest) + limits.skin;
    let told_apart = u32::min(limits.bodies, NUMBERED);
    let mut own = u32::new(1) << NUMBERED;
    for pass in 0..told_apart.div_ceil(TEAM) {
        let body = pass * TEAM + lane;
        if asked && body < told_apart {
            own |= u32::cast_from(may_be_within(shapes, placed, body, middle, reach)) << body;
        }
    }
    council.agree(own, Merge::Bits, 0u32)
}

/// Puts vertices that are in a body above it, if the strand asks; tells whether there were any of this unit.
#[cube]
fn keep_out(
    work: &mut Slice<f32, ReadWrite>,
    near: u32,
    constants: &Array<f32>,
    state: &mut Array<f32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    strand: &StrandOf,
    limits: &Limits,
    n: usize,
    asked: bool,
    #[comptime] plan: Plan,
) -> u32 {
    let longest = comptime!(plan.longest as usize);
    let first = own_strand(plan);
    let mut any = u32::new(0);
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        let vertex = strand.vertex(i);
        if asked && i < strand.count && constants[MASS * n + vertex] < HELD {
            let at = first + i as usize;
            let x = position(work, at, longest);
            let v = get(state, n, VELOCITY, vertex);
            let pushed = push_out(shapes, placed, limits.bodies, near, limits.skin, x, v);
            if pushed.moved {
                put(work, at, longest, pushed.x);
                set(state, n, VELOCITY, vertex, pushed.v);
                any = u32::new(1);
            }
        }
    }
    any
}

/// Carries directors to the new tangents, turns them by their spin, and finds the twist between them anew: [`carry`](crate::settle).
#[cube]
fn carry(
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
        // Units without an edge work on some other.
        let vertex = strand.vertex(i);
        let at = first + u32::min(i, comptime!(plan.longest - 1)) as usize;
        let x = position(work, at, longest);
        let after = first + u32::min(i + 1, comptime!(plan.longest - 1)) as usize;
        let edge = position(work, after, longest).minus(x);
        let tangent = edge.times(1.0f32 / f32::max(edge.length(), 1e-12f32));
        let carried = transport(get(state, n, DIRECTOR, vertex), get(state, n, TANGENT, vertex), tangent);
        let director = turned(carried, tangent, dt * state[SPIN * n + vertex]);
        // Nobody needs where these vertices are any more.
        at_once(plan);
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
    at_once(plan);
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
