//! Predicts the velocity change of all strands in a step, one team per strand: [`predict`](crate::predict::predict).
//!
//! One kernel moves pinned vertices with the head, then assembles, factors and solves the system of each strand. The matrix stays in shared memory if
//! it fits.

use crate::gpu::assembly::{Contribution, write_identity};
use crate::gpu::band::{BEYOND, QUAD, RHS, ROW, Rows, factor, substitute};
use crate::gpu::classes::{Class, MIN_STRANDS_PER_CLASS, classes};
use crate::gpu::grid::{PARTICLE_POSITION, PARTICLE_VELOCITY, Vertices};
use crate::gpu::head::{HeadStep, drive_edge, drive_vertex, head_arg};
use crate::gpu::strands::{
    BENDING, CHANGE, CURVATURE, DIRECTOR, GpuStrands, INERTIA, LENGTH, MASS, POSITION, SPIN, STRETCHING, StrandOf,
    TWIST, TWISTING, VELOCITY,
};
use crate::gpu::stretch::edge_system;
use crate::gpu::team::{Member, TEAM, Teams, shared_values};
use crate::gpu::vector::{Triple, get, of, set, triple_arg};
use crate::group::PINNED_MASS;
use crate::head::RigidMotion;
use crate::params::StrandParams;
use cubecl::prelude::*;
use fibra_core::geometry::RigidPose;
use fibra_gpu::launch::cubes;
use fibra_gpu::rod_joint::{Joint, joint_system};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Teams per block (CubeCL: cube): two fill a warp (CubeCL: plane) of 32.
const TEAMS_PER_BLOCK: u32 = 2;

/// Stride between the rows of consecutive vertices in shared memory. One value of padding makes the threads of a team write to different banks.
const QUAD_IN_CUBE: u32 = QUAD * ROW + 1;

/// Banks of shared memory. Two teams in lockstep access different banks if their systems are offset by half of them.
const BANKS: u32 = 32;

/// Head motion in a step.
#[derive(Clone, Copy, Debug)]
pub struct HeadMove {
    /// Pose at the end of the step.
    pub to: RigidPose,
    /// Rigid motion of all hair on the head before the head moves to `to`, if the head motion exceeds the limits: see [`excess`](crate::head::excess).
    pub jump: Option<RigidMotion>,
}

/// Particles that receive the positions and velocities of the strand vertices.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The particles.
    pub vertices: Vertices<'a>,
    /// Fraction of the velocity change that the particles receive immediately [-].
    pub share: f32,
}

/// Launch configuration and buffers for the strands' systems.
pub struct Predictor {
    teams: Teams,
    /// Number of strands that the predictor was built for.
    strands: usize,
    vertices: usize,
    launches: Vec<Launch>,
    none: Buffer<f32>,
    nowhere: Buffer<u32>,
    /// Rows of strands that do not fit in shared memory.
    band: Buffer<f32>,
}

/// A launch for strands of similar length.
struct Launch {
    class: Class,
    plan: Plan,
}

/// Compile-time configuration of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Plan {
    teams: Teams,
    /// Number of rounds of the longest strand's system: see [`band`](crate::gpu::band).
    rounds: u32,
    /// Whether matrices are in shared memory.
    in_cube: bool,
    /// Whether positions and velocities are copied to the grid particles.
    loads: bool,
}

impl Plan {
    fn quad(self) -> u32 {
        if self.in_cube { QUAD_IN_CUBE } else { QUAD * ROW }
    }

    /// Returns the stride between systems, including values that are read beyond the rows.
    fn system(self) -> u32 {
        let numbers = self.rounds * TEAM / QUAD * self.quad() + BEYOND;
        if self.in_cube { (numbers + BANKS / 2).next_multiple_of(BANKS) - BANKS / 2 } else { numbers }
    }

    fn shared(self) -> usize {
        if self.in_cube { (self.teams.per_cube * self.system()) as usize } else { 1 }
    }
}

impl Launch {
    /// Returns the number of values of the systems that are not in shared memory.
    fn numbers(&self) -> usize {
        let systems = self.class.strands.len().next_multiple_of(TEAMS_PER_BLOCK as usize);
        if self.plan.in_cube { 0 } else { systems * self.plan.system() as usize }
    }
}

impl Predictor {
    /// Returns a predictor for strands on a device.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands) -> Predictor {
        Predictor::with_shared_memory(gpu, strands, MIN_STRANDS_PER_CLASS, shared_values(gpu))
    }

    /// Returns a predictor for a device with shared memory for `room` values, with at least `least` strands per launch.
    pub fn with_shared_memory<R: Runtime>(gpu: &Gpu<R>, strands: &GpuStrands, least: usize, room: usize) -> Predictor {
        let teams = Teams::on(gpu, TEAMS_PER_BLOCK);
        let launch = |class: Class| {
            let rounds = class.longest.div_ceil((TEAM / QUAD) as usize) as u32;
            let in_cube = Plan { teams, rounds, in_cube: true, loads: false };
            let plan = Plan { in_cube: in_cube.shared() + teams.exchange_values() <= room, ..in_cube };
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

    /// Predicts the velocity change over the next `h` [s], while the head moves to `head`, after the rigid motion of a jump. The velocities of pinned
    /// vertices and the spins of all edges change immediately; other velocities are unchanged. Copies vertices to the grid particles, if any.
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
            assert!(place.len() == n && fields.len() >= 6 * n, "there must be one particle per strand vertex");
        }
        assert_eq!((self.strands, self.vertices), (strands.len(), n), "the predictor was built for other strands");
        for Launch { class, plan } in &self.launches {
            let count = class.strands.len().div_ceil(TEAMS_PER_BLOCK as usize);
            // SAFETY: the table has entries for all teams of `count` blocks, and their systems are allocated. The assertions ensure that particles
            // have positions and velocities.
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
                    head_arg(&head.to, head.jump, params.follow),
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

/// Parameters of a step.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
struct Step {
    /// Step length [s].
    h: f32,
    /// Factor of masses, due to drag [-].
    inertia: f32,
    /// Velocity change from gravity [m/s].
    fall: Triple,
    /// Fraction of the velocity change that particles receive immediately [-].
    share: f32,
}

#[cube]
impl Step {
    /// Returns the trial velocity: the current one for pinned strands, that of free fall for free strands.
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
            sync_block(plan);
            substitute(&mut band, &rows, &mut member);
            sync_block(plan);
            take_solution(&band, &rows, state, fields, place, n, &strand, step, member.lane, plan);
        }
    }
}

/// Moves pinned vertices and edges with the head.
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

/// Assembles the system of a strand.
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
    // Passes start at the tip, so that rows are written before other passes add to them.
    for done in 0..passes {
        let i = (passes - 1 - done) * TEAM + lane;
        let part = contribution(constants, state, n, strand, step, i);
        let at = rows.first + (i * quad) as usize;
        let left = select(i < strand.count, strand.count - i, 0u32);
        if i < strand.count {
            part.begin(band, at, quad, left);
        } else if i < rows.rounds * comptime!(TEAM / QUAD) {
            write_identity(band, at);
        }
        sync_block(plan);
        part.add_to_next(band, at, quad, left);
        sync_block(plan);
        part.add_to_second_next(band, at, quad, left);
        sync_block(plan);
    }
}

/// Makes all writes of the block visible to all its threads.
#[cube]
fn sync_block(#[comptime] plan: Plan) {
    sync_cube();
    if comptime!(!plan.in_cube) {
        sync_storage();
    }
}

/// Computes the contribution of vertex `i` of a strand, its edge and its joint to the system.
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
        impulse: gain.times(select(mass < PINNED_MASS, mass, 0.0f32)),
        spin_impulse: select(inertia < PINNED_MASS, inertia, 0.0f32) * spin_gain,
        edge: edge_system(e, constants[LENGTH * n + a], constants[STRETCHING * n + a], joint.rate_e, step.h),
        joint: joint_system(&joint, step.h),
    }
}

/// Extracts the velocity changes and the new spins from the solution, and copies vertices to the grid particles, if any.
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
