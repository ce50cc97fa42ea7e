//! Predicts the change of velocities of all strands in a step, each strand by a team: [`predict`](crate::predict::predict).
//!
//! One kernel: what is held follows the head, the system of the strand is put together, factored and solved. The matrix is in shared memory all the
//! while, where it fits in.

use crate::gpu::assembly::{Contribution, put_identity};
use crate::gpu::band::{BEYOND, QUAD, RHS, ROW, Rows, factor, substitute};
use crate::gpu::classes::{Class, LEAST_OF_CLASS, classes};
use crate::gpu::grid::{PARTICLE_POSITION, PARTICLE_VELOCITY, Vertices};
use crate::gpu::head::{HeadStep, drive_edge, drive_vertex, head_arg};
use crate::gpu::joint::{Joint, edge_system, joint_system};
use crate::gpu::strands::{
    BENDING, CHANGE, CURVATURE, DIRECTOR, GpuStrands, INERTIA, LENGTH, MASS, POSITION, SPIN, STRETCHING, StrandOf,
    TWIST, TWISTING, VELOCITY,
};
use crate::gpu::team::{Member, TEAM, Teams, shared_numbers};
use crate::gpu::vector::{Triple, get, of, set, triple_arg};
use crate::group::HELD;
use crate::head::RigidMotion;
use crate::params::StrandParams;
use cubecl::prelude::*;
use fibra_core::geometry::RigidPose;
use fibra_gpu::launch::cubes;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Teams of a cube: two fill a plane of 32.
const TEAMS_PER_CUBE: u32 = 2;

/// Numbers from the rows of a vertex in shared memory to those of the next: one more than there are, so that the units of a team write
/// to different banks.
const QUAD_IN_CUBE: u32 = QUAD * ROW + 1;

/// Banks of shared memory; units of two teams that do the same use different ones where their systems are half of them apart.
const BANKS: u32 = 32;

/// What the head does in a step.
#[derive(Clone, Copy, Debug)]
pub struct HeadMove {
    /// Where it is at the end.
    pub to: RigidPose,
    /// How everything moves along before that, where it goes too far: see [`excess`](crate::head::excess).
    pub leap: Option<RigidMotion>,
}

/// Particles that are brought to where the strands' vertices are.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The particles.
    pub vertices: Vertices<'a>,
    /// Share of the change of velocities that they have at once [-].
    pub share: f32,
}

/// How the strands' systems are laid onto a device, and room for them.
pub struct Predictor {
    teams: Teams,
    /// Those it was made for.
    strands: usize,
    vertices: usize,
    launches: Vec<Launch>,
    none: Buffer<f32>,
    nowhere: Buffer<u32>,
    /// Rows of strands that are too long for shared memory.
    band: Buffer<f32>,
}

/// A launch for strands of similar length.
struct Launch {
    class: Class,
    plan: Plan,
}

/// What the kernel is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Plan {
    teams: Teams,
    /// Rounds of a team that the longest strand's system has.
    rounds: u32,
    /// Whether matrices are in shared memory.
    in_cube: bool,
    /// Whether particles of the grid are loaded.
    loads: bool,
}

impl Plan {
    fn quad(self) -> u32 {
        if self.in_cube { QUAD_IN_CUBE } else { QUAD * ROW }
    }

    /// Numbers from a system to the next, with those that are read beyond its rows.
    fn system(self) -> u32 {
        let numbers = self.rounds * TEAM / QUAD * self.quad() + BEYOND;
        if self.in_cube { (numbers + BANKS / 2).next_multiple_of(BANKS) - BANKS / 2 } else { numbers }
    }

    fn shared(self) -> usize {
        if self.in_cube { (self.teams.per_cube * self.system()) as usize } else { 1 }
    }
}

impl Launch {
    /// Numbers of the systems that are not in shared memory.
    fn numbers(&self) -> usize {
        let systems = self.class.strands.len().next_multiple_of(TEAMS_PER_CUBE as usize);
        if self.plan.in_cube { 0 } else { systems * self.plan.system() as usize }
    }
}

impl Predictor {
    /// For strands that are on a device.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands) -> Predictor {
        Predictor::with_room(gpu, strands, LEAST_OF_CLASS, shared_numbers(gpu))
    }

    /// For a device that has shared memory for so many numbers, in launches for at least so many strands of similar length.
    pub fn with_room<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands, least: usize, room: usize) -> Predictor {
        let teams = Teams::on(gpu, TEAMS_PER_CUBE);
        let launch = |class: Class| {
            let rounds = class.longest.div_ceil((TEAM / QUAD) as usize) as u32;
            let in_cube = Plan { teams, rounds, in_cube: true, loads: false };
            let plan = Plan { in_cube: in_cube.shared() + teams.exchanged() <= room, ..in_cube };
            Launch { class, plan }
        };
        let launches: Vec<Launch> = classes(strands.lengths(), least).into_iter().map(launch).collect();
        let band = launches.iter().map(Launch::numbers).max().unwrap_or(0);
        Predictor {
            teams,
            strands: strands.len(),
            vertices: strands.vertex_count(),
            launches,
            none: gpu.empty(1),
            nowhere: gpu.empty(1),
            band: gpu.empty(band.max(1)),
        }
    }

    /// Finds how velocities want to change within the next `h` [s], while the head goes to `head`, after everything has gone along where it
    /// leaps. What is held has its new velocity at once; all other velocities are left. The turning of the material about the edges
    /// changes at once. Particles of the grid are loaded, if there are any.
    pub fn predict<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        strands: &GpuStrands,
        params: &StrandParams,
        head: &HeadMove,
        load: Option<Load<'_>>,
        h: f32,
    ) {
        let share = load.map_or(0.0, |load| load.share);
        let n = strands.vertex_count();
        if let Some(Load { vertices: Vertices { fields, place }, .. }) = load {
            assert!(place.len() == n && fields.len() >= 6 * n, "the particles are the strands' vertices");
        }
        assert_eq!((self.strands, self.vertices), (strands.len(), n), "made for other strands");
        for Launch { class, plan } in &self.launches {
            let count = class.strands.len().div_ceil(TEAMS_PER_CUBE as usize);
            // SAFETY: the table has entries for all teams of `count` cubes, and there is room for their systems; particles have positions and
            // velocities by the assertions.
            unsafe {
                predict::launch_unchecked::<R>(
                    &gpu.client,
                    cubes(count),
                    self.teams.cube_dim(),
                    strands.constants.arg(),
                    strands.state.arg(),
                    strands.table.arg(),
                    self.band.arg(),
                    load.map_or(&self.none, |load| load.vertices.fields).arg(),
                    load.map_or(&self.nowhere, |load| load.vertices.place).arg(),
                    head_arg(&head.to, head.leap, params.follow),
                    StepLaunch::new(h, 1.0 + h * params.drag, triple_arg(h * params.gravity), share),
                    strands.vertex_count() as u32,
                    class.strands.start as u32,
                    count as u32,
                    Plan { loads: load.is_some(), ..*plan },
                );
            }
        }
    }
}

/// A step.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
struct Step {
    /// Its length [s].
    h: f32,
    /// How many times masses count, with drag [-].
    inertia: f32,
    /// What gravity adds to velocities [m/s].
    fall: Triple,
    /// Share of the change that particles have at once [-].
    share: f32,
}

#[cube]
impl Step {
    /// Velocity from which the system is solved: the same where something of the strand is held, else the one of free flight.
    fn trial(&self, v: f32, fall: f32, flying: f32) -> f32 {
        v + flying * (1.0f32 / self.inertia * (v + fall) - v)
    }

    fn trial_velocity(&self, v: Vector3, flying: f32) -> Vector3 {
        let fall = of(&self.fall);
        Vector3::new(self.trial(v.x, fall.x, flying), self.trial(v.y, fall.y, flying), self.trial(v.z, fall.z, flying))
    }
}

#[cube(launch_unchecked)]
fn predict(
    constants: &Array<f32>,
    state: &mut Array<f32>,
    table: &Array<u32>,
    room: &mut Array<f32>,
    fields: &mut Array<f32>,
    place: &Array<u32>,
    head: &HeadStep,
    step: &Step,
    n: u32,
    begin: u32,
    cube_count: u32,
    #[comptime] plan: Plan,
) {
    let mut member = Member::this(plan.teams);
    let mut shared = SharedMemory::<f32>::new(comptime!(plan.shared()));
    if (CUBE_POS as u32) < cube_count {
        let team = UNIT_POS / TEAM;
        let per_cube = comptime!(plan.teams.per_cube);
        let strand = StrandOf::team(table, begin, team, per_cube);
        let quads = comptime!(TEAM / QUAD);
        let system = comptime!(plan.system());
        let n = n as usize;
        follow_head(constants, state, n, &strand, head, step.h, member.lane);
        if comptime!(plan.in_cube) {
            let rows = Rows {
                first: (team * system) as usize,
                rounds: strand.count.div_ceil(quads),
                most_rounds: strand.most.div_ceil(quads),
                quad: comptime!(plan.quad()),
            };
            let mut band = shared.to_slice_mut();
            assemble(&mut band, &rows, constants, state, n, &strand, step, member.lane, plan);
            factor::<ReadOnly>(&shared.to_slice(), &mut band, &rows, &mut member);
            sync_cube();
            substitute(&mut band, &rows, &mut member);
            sync_cube();
            take_solution(&band, &rows, state, fields, place, n, &strand, step, member.lane, plan);
        } else {
            let rows = Rows {
                first: (CUBE_POS as u32 * per_cube + team) as usize * system as usize,
                rounds: strand.count.div_ceil(quads),
                most_rounds: strand.most.div_ceil(quads),
                quad: comptime!(plan.quad()),
            };
            let mut band = room.to_slice_mut();
            assemble(&mut band, &rows, constants, state, n, &strand, step, member.lane, plan);
            factor::<ReadOnly>(&room.to_slice(), &mut band, &rows, &mut member);
            meet(plan);
            substitute(&mut band, &rows, &mut member);
            meet(plan);
            take_solution(&band, &rows, state, fields, place, n, &strand, step, member.lane, plan);
        }
    }
}

/// What is held follows the head.
#[cube]
fn follow_head(
    constants: &Array<f32>,
    state: &mut Array<f32>,
    n: usize,
    strand: &StrandOf,
    head: &HeadStep,
    h: f32,
    lane: u32,
) {
    let passes = strand.most.div_ceil(TEAM);
    for pass in 0..passes {
        let i = pass * TEAM + lane;
        if i < strand.count {
            drive_vertex(constants, state, n, strand.vertex(i), head, h);
        }
    }
    sync_storage();
    for pass in 0..passes {
        drive_edge(constants, state, n, strand, pass * TEAM + lane, head, h);
    }
    sync_storage();
}

/// Puts the system of a strand together.
#[cube]
fn assemble(
    band: &mut Slice<f32, ReadWrite>,
    rows: &Rows,
    constants: &Array<f32>,
    state: &Array<f32>,
    n: usize,
    strand: &StrandOf,
    step: &Step,
    lane: u32,
    #[comptime] plan: Plan,
) {
    let quad = comptime!(plan.quad());
    let passes = (rows.most_rounds * comptime!(TEAM / QUAD)).div_ceil(TEAM);
    // From the tip, so that what is begun has not been added to before.
    for done in 0..passes {
        let i = (passes - 1 - done) * TEAM + lane;
        let part = contribution(constants, state, n, strand, step, i);
        let at = rows.first + (i * quad) as usize;
        let left = select(i < strand.count, strand.count - i, 0u32);
        if i < strand.count {
            part.begin(band, at, quad, left);
        } else if i < rows.rounds * comptime!(TEAM / QUAD) {
            put_identity(band, at);
        }
        meet(plan);
        part.add_to_next(band, at, quad, left);
        meet(plan);
        part.add_to_second(band, at, quad, left);
        meet(plan);
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

/// What vertex `i` of a strand, its edge and its joint add to the system.
#[cube]
fn contribution(
    constants: &Array<f32>,
    state: &Array<f32>,
    n: usize,
    strand: &StrandOf,
    step: &Step,
    i: u32,
) -> Contribution {
    let a = strand.vertex(i);
    let b = strand.vertex(i + 1);
    let c = strand.vertex(i + 2);
    let flying = strand.flying;
    let x = get(state, n, POSITION, b);
    let e = x.minus(get(state, n, POSITION, a));
    let f = get(state, n, POSITION, c).minus(x);
    let now = get(state, n, VELOCITY, a);
    let va = step.trial_velocity(now, flying);
    let vb = step.trial_velocity(get(state, n, VELOCITY, b), flying);
    let vc = step.trial_velocity(get(state, n, VELOCITY, c), flying);
    let spin = state[SPIN * n + a];
    let joint = Joint {
        e,
        f,
        director_e: get(state, n, DIRECTOR, a),
        director_f: get(state, n, DIRECTOR, b),
        twist: state[TWIST * n + a],
        rate_e: vb.minus(va),
        rate_f: vc.minus(vb),
        spin_e: step.trial(spin, 0.0f32, flying),
        spin_f: step.trial(state[SPIN * n + b], 0.0f32, flying),
        bending: constants[BENDING * n + a],
        twisting: constants[TWISTING * n + a],
        rest_0: constants[CURVATURE * n + a],
        rest_1: constants[(CURVATURE + 1) * n + a],
        rest_2: constants[(CURVATURE + 2) * n + a],
        rest_3: constants[(CURVATURE + 3) * n + a],
    };
    let mass = constants[MASS * n + a];
    let inertia = constants[INERTIA * n + a];
    let gain = of(&step.fall).plus(now.times(1.0f32 - step.inertia)).times(1.0f32 - flying);
    let spin_gain = (1.0f32 - flying) * (1.0f32 - step.inertia) * spin;
    Contribution {
        mass: step.inertia * mass,
        inertia: step.inertia * inertia,
        impulse: gain.times(select(mass < HELD, mass, 0.0f32)),
        spin_impulse: select(inertia < HELD, inertia, 0.0f32) * spin_gain,
        edge: edge_system(e, constants[LENGTH * n + a], constants[STRETCHING * n + a], joint.rate_e, step.h),
        joint: joint_system(&joint, step.h),
    }
}

/// From the solution the change of velocities, and the new spins; loads particles.
#[cube]
fn take_solution(
    band: &Slice<f32, ReadWrite>,
    rows: &Rows,
    state: &mut Array<f32>,
    fields: &mut Array<f32>,
    place: &Array<u32>,
    n: usize,
    strand: &StrandOf,
    step: &Step,
    lane: u32,
    #[comptime] plan: Plan,
) {
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + lane;
        if i < strand.count {
            let a = strand.vertex(i);
            let at = rows.first + (i * comptime!(rows.quad)) as usize;
            let now = get(state, n, VELOCITY, a);
            let dv = Vector3::new(
                band[at + comptime!(RHS) as usize],
                band[at + comptime!(ROW + RHS) as usize],
                band[at + comptime!(2 * ROW + RHS) as usize],
            );
            let trial = step.trial_velocity(now, strand.flying);
            let change = trial.plus(dv).minus(now);
            set(state, n, CHANGE, a, change);
            if comptime!(plan.loads) {
                let particle = place[a] as usize;
                set(fields, n, PARTICLE_POSITION, particle, get(state, n, POSITION, a));
                set(fields, n, PARTICLE_VELOCITY, particle, now.plus(change.times(step.share)));
            }
            if i + 1 < strand.count {
                let spin = step.trial(state[SPIN * n + a], 0.0f32, strand.flying);
                state[SPIN * n + a] = spin + band[at + comptime!(3 * ROW + RHS) as usize];
            }
        }
    }
}
