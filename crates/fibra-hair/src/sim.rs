//! Hair in a loop that somebody else runs: a game, a viewer, a film tool.

use crate::body::{Body, MovingBody, Way};
use crate::error::{HairError, StrandError};
use crate::grid::{GridSettings, particles, turn_memory};
use crate::head::blend_rigid_motion;
use crate::material::StrandMaterial;
use crate::params::StrandParams;
use crate::settle::{Bodies, settle};
use crate::step::predict;
use crate::strands::{StrandInput, StrandState, StrandWorkspace, Strands};
use fibra_core::geometry::{PlacedCollider, RigidPose};
use fibra_mpm::g2p::g2p;
use fibra_mpm::grid_update::grid_update;
use fibra_mpm::p2g::p2g;
use fibra_mpm::params::Params as GridParams;
use fibra_mpm::sort::{has_drifted, sort};
use fibra_mpm::state::{Particles, State as GridState};
use fibra_mpm::workspace::Workspace as GridWorkspace;
use glam::{Mat3, Vec3};
use rayon::prelude::*;
use std::time::Instant;

/// How far above bodies vertices are kept [cells].
pub const SKIN: f32 = 0.05;

/// Stages of a step, in order.
pub const STAGES: [&str; 8] = ["head", "build", "solve", "sort", "p2g", "grid_update", "g2p", "settle"];

/// What the user sets about hair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HairSettings {
    /// What strands are made of.
    pub material: StrandMaterial,
    /// How each moves by itself.
    pub strands: StrandParams,
    /// How they feel each other.
    pub grid: GridSettings,
    /// Longest step of the grid [s].
    pub step: f32,
    /// Steps of the grid for each step of the strands.
    pub substeps: u32,
}

impl Default for HairSettings {
    /// [Huang2023, Tables 1 and 2]
    fn default() -> Self {
        HairSettings {
            material: StrandMaterial::HAIR,
            strands: StrandParams::default(),
            grid: GridSettings::default(),
            step: 1.0 / 360.0,
            substeps: 3,
        }
    }
}

impl HairSettings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), StrandError> {
        self.material.check()?;
        self.strands.check()?;
        self.grid.check()?;
        let out_of_range = |what, value, allowed| Err(StrandError::OutOfRange { what, value, allowed });
        if !(self.step > 0.0 && self.step.is_finite()) {
            return out_of_range("step of the grid", self.step, "positive and finite, in s");
        }
        if self.step > self.grid.longest_step(self.material.density) {
            let allowed = "so short that waves in the hair cross no more than 0.8 cells in it";
            return out_of_range("step of the grid", self.step, allowed);
        }
        if !(1..=100).contains(&self.substeps) {
            return out_of_range("number of substeps", self.substeps as f32, "from 1 to 100");
        }
        Ok(())
    }

    /// How many steps of the strands `dt` takes [s], and how long steps of the grid are then [s].
    pub fn steps_within(&self, dt: f32) -> (f64, f32) {
        // A thousandth over is rounding.
        let steps = (f64::from(dt) / (f64::from(self.step) * f64::from(self.substeps)) - 1e-3).ceil().max(1.0);
        (steps, (f64::from(dt) / steps / f64::from(self.substeps)) as f32)
    }
}

/// Refuses times that cannot be advanced by [s].
pub(crate) fn check_time(dt: f32) -> Result<(), HairError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    let wrong = StrandError::OutOfRange { what: "time to advance", value: dt, allowed: "positive and finite, in s" };
    Err(wrong.into())
}

/// Hair, what it bumps into, and where all of it is.
///
/// ```
/// use fibra_core::geometry::RigidPose;
/// use fibra_hair::sim::{HairSettings, HairSim};
/// use fibra_hair::strands::StrandInput;
/// use glam::{DVec3, Vec3};
///
/// let points = (0..20).map(|i| Vec3::new(0.0, 1.6 - 0.01 * i as f32, 0.1)).collect();
/// let strand = StrandInput { points, pinned: 2, ..StrandInput::default() };
/// let mut hair = HairSim::new(&HairSettings::default(), RigidPose::IDENTITY, &[strand], Vec::new())?;
/// // Each frame: where the head is to be, and how much later that is.
/// for frame in 1..=60 {
///     let head = RigidPose::at(DVec3::X * 0.005 * f64::from(frame));
///     hair.advance(&head, 1.0 / 60.0)?;
/// }
/// assert!((hair.positions()[0].x - 0.3).abs() < 1e-5);
/// # Ok::<(), fibra_hair::error::HairError>(())
/// ```
///
/// After the first few calls, [`HairSim::advance`] takes no memory from the system as long as roots are held. (The thread pool does, a little,
/// when called from a thread that is not its own: run the loop in `rayon::ThreadPool::install`.)
pub struct HairSim {
    settings: HairSettings,
    pub(crate) strands: Strands,
    pub(crate) grid: GridParams,
    pub(crate) bodies: Vec<MovingBody>,
    pub(crate) state: HairState,
    work: Workspace,
    clock: Clock,
}

/// How hair is: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq)]
pub struct HairState {
    /// The strands.
    pub strands: StrandState,
    /// Their vertices as particles of the grid. Positions and velocities are those of the last step of the grid.
    pub grid: GridState,
}

/// Scratch.
struct Workspace {
    strands: StrandWorkspace,
    grid: GridWorkspace,
    colliders: Vec<PlacedCollider>,
    /// Per vertex, after the last step [m].
    positions: Vec<Vec3>,
    /// What each step of the grid adds to the velocities, per vertex [m/s].
    changes: Vec<Vec3>,
    held: Vec<HeldVertex>,
    /// Place of each vertex among the particles, and whether it is so since the last sort.
    places: Vec<u32>,
    places_are_current: bool,
}

/// A vertex that moves with the head, as it did when the strands' step began.
#[derive(Clone, Copy, Debug)]
struct HeldVertex {
    vertex: u32,
    /// [m]
    from: Vec3,
    /// [m/s]
    velocity: Vec3,
}

impl HairSim {
    /// Strands whose head starts in `head`, and bodies around them; all relative to the run origin.
    pub fn new(
        settings: &HairSettings,
        head: RigidPose,
        strands: &[StrandInput],
        bodies: Vec<Body>,
    ) -> Result<HairSim, HairError> {
        settings.check()?;
        let strands = Strands::new(&settings.material, head, strands)?;
        let grid = settings.grid.params(settings.material.density);
        let start = strands.initial_state();
        let mut positions = vec![Vec3::ZERO; strands.vertex_count()];
        strands.read_positions(&start, &mut positions);
        let mut state = HairState { strands: start, grid: particles(&grid, &strands, &positions) };
        let mut work = Workspace::new(&strands, bodies.len(), positions);
        let (occupied, blocks) = most_blocks(&strands, &work.positions, settings);
        work.grid.reserve(strands.vertex_count(), occupied, blocks);
        state.grid.runs.reserve(occupied);
        let bodies = bodies.into_iter().map(MovingBody::new).collect();
        Ok(HairSim { settings: *settings, strands, grid, bodies, state, work, clock: Clock::new() })
    }

    /// Moves everything on by `dt` [s], while the head goes to `head` at a steady pace: in steps as long as they may be, all of
    /// the same length. After an error the hair is not to be moved on; [`HairSim::reset`] mends it.
    pub fn advance(&mut self, head: &RigidPose, dt: f32) -> Result<(), HairError> {
        check_time(dt)?;
        // As a whole on one of the pool's threads: from outside, every parallel loop would have to wake the pool.
        rayon::scope(|_| self.advance_in_pool(head, dt))
    }

    fn advance_in_pool(&mut self, head: &RigidPose, dt: f32) -> Result<(), HairError> {
        let (steps, length) = self.settings.steps_within(dt);
        let start = self.state.strands.head;
        for step in 1..=steps as u64 {
            let shares = [(step - 1) as f64 / steps, step as f64 / steps];
            self.step(&start.towards(head, shares[1]), shares, length, f64::from(dt))?;
        }
        self.bodies.iter_mut().for_each(MovingBody::arrive);
        Ok(())
    }

    /// One step of the strands, with the steps of the grid that belong to it, of `dt` each [s]. `shares` of the bodies' ways, which take
    /// `whole` [s], are done before and after it.
    fn step(&mut self, head: &RigidPose, shares: [f64; 2], dt: f32, whole: f64) -> Result<(), HairError> {
        let HairSim { settings, strands, grid, bodies, state, work, clock } = self;
        let (params, substeps) = (&settings.strands, settings.substeps);
        let h = dt * substeps as f32;
        clock.start();
        if let Some(motion) = blend_rigid_motion(&mut state.strands, head, &params.limits) {
            turn_memory(&mut state.grid, Mat3::from_quat(motion.rotation.as_quat()));
            state.grid.extremes.drifted = true;
            // Where the head leaps, everybody does.
            bodies.iter_mut().for_each(|body| body.now = motion.of(&body.now));
        }
        let head_way = Way { from: state.strands.head, to: *head, dt: h.into() };
        clock.stop(0);
        let build = predict(strands, params, &mut state.strands, &mut work.strands, head, h)?;
        clock.stop_shared([1, 2], build);
        work.load(strands, &state.strands, grid, &mut state.grid);
        let around = Ball::around(&state.grid.particles, h, settings.grid.cell);
        clock.stop(7);

        for substep in 1..=substeps {
            let share = f64::from(substep) / f64::from(substeps);
            let own_share = shares[0] + share * (shares[1] - shares[0]);
            work.colliders.clear();
            for body in bodies.iter_mut() {
                body.deform(own_share as f32, whole as f32);
                let placed = body.place(&head_way, &body.way(shares[1], h.into()), share);
                if placed.is_within(around.centre, around.radius) {
                    work.colliders.push(placed);
                }
            }
            work.hasten(&mut state.grid, 1.0 / substeps as f32);
            clock.stop(0);
            work.places_are_current &= !state.grid.extremes.drifted && !state.grid.runs.is_empty();
            sort(grid, &mut state.grid, &mut work.grid).map_err(|_| HairError::OutOfReach)?;
            clock.stop(3);
            p2g(grid, &state.grid, &mut work.grid.grid, dt);
            clock.stop(4);
            grid_update(grid, &work.colliders, &mut work.grid.grid, dt);
            clock.stop(5);
            state.grid.extremes = g2p(grid, &mut state.grid, &work.grid.grid, dt);
            clock.stop(6);
            if state.grid.extremes.broken {
                return Err(broken(strands, &state.grid));
            }
            work.hold(&mut state.grid, substep as f32 * dt);
            clock.stop(0);
        }
        bodies.iter_mut().for_each(|body| body.now = body.way(shares[1], 0.0).to);
        work.store(strands, &mut state.strands, &state.grid);
        let bodies = Bodies { placed: &work.colliders, skin: SKIN * settings.grid.cell };
        settle(strands, params, &mut state.strands, bodies, h);
        strands.read_positions(&state.strands, &mut work.positions);
        state.grid.time += f64::from(h);
        state.grid.steps += u64::from(substeps);
        clock.stop(7);
        Ok(())
    }

    /// Puts the hair back as it was at the start, without velocity, on a head that is in `head`.
    pub fn reset(&mut self, head: &RigidPose) {
        let (time, steps) = (self.state.grid.time, self.state.grid.steps);
        self.state.strands = self.strands.initial_state();
        self.strands.read_positions(&self.state.strands, &mut self.work.positions);
        let grid = particles(&self.grid, &self.strands, &self.work.positions);
        self.take_up(GridState { time, steps, ..grid });
        if let Some(motion) = blend_rigid_motion(&mut self.state.strands, head, &crate::params::HeadLimits::RIGID) {
            turn_memory(&mut self.state.grid, Mat3::from_quat(motion.rotation.as_quat()));
        }
        self.strands.read_positions(&self.state.strands, &mut self.work.positions);
    }

    /// Goes on from another state of the same strands.
    pub fn set_state(&mut self, state: HairState) {
        self.state.strands = state.strands;
        self.take_up(state.grid);
    }

    /// Goes on from a saved state of the grid; the strands' own is there already.
    pub(crate) fn take_up(&mut self, grid: GridState) {
        self.state.grid = grid;
        self.work.grid.grid_is_current = false;
        self.work.places_are_current = false;
        self.strands.read_positions(&self.state.strands, &mut self.work.positions);
    }

    /// Where a body is to be at the end of the next advance, relative to the run origin. Bodies are numbered as they were given; those on the
    /// head move by themselves.
    pub fn move_body(&mut self, body: usize, to: RigidPose) {
        self.bodies[body].to = to;
    }

    /// Puts a body somewhere at once, without velocity.
    pub fn place_body(&mut self, body: usize, at: RigidPose) {
        let body = &mut self.bodies[body];
        (body.now, body.from, body.to) = (at, at, at);
    }

    /// Where the vertices of a body that deforms are to be at the end of the next advance, in the body's frame [m].
    pub fn move_vertices(&mut self, body: usize, to: &[Vec3]) -> Result<(), HairError> {
        self.bodies[body].move_vertices(to)
    }

    /// Puts the vertices of a body that deforms somewhere at once, without velocity.
    pub fn place_vertices(&mut self, body: usize, at: &[Vec3]) -> Result<(), HairError> {
        self.bodies[body].place_vertices(at)
    }

    /// Where every vertex is, strand by strand from root to tip, relative to the run origin [m].
    pub fn positions(&self) -> &[Vec3] {
        &self.work.positions
    }

    /// Velocities of the vertices [m/s].
    pub fn read_velocities(&self, to: &mut [Vec3]) {
        self.strands.read_velocities(&self.state.strands, to);
    }

    /// The strands.
    pub fn strands(&self) -> &Strands {
        &self.strands
    }

    /// How everything is.
    pub fn state(&self) -> &HairState {
        &self.state
    }

    /// What the grid between strands is told of them.
    pub fn grid(&self) -> &GridParams {
        &self.grid
    }

    /// What the user set.
    pub fn settings(&self) -> &HairSettings {
        &self.settings
    }

    /// Where the head is.
    pub fn head(&self) -> &RigidPose {
        &self.state.strands.head
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.grid.time
    }

    /// Wall seconds spent so far in each of [`STAGES`].
    pub fn stage_seconds(&self) -> [f64; STAGES.len()] {
        self.clock.seconds
    }

    /// The bodies where they are now.
    pub fn placed_bodies(&self) -> impl Iterator<Item = PlacedCollider> {
        let head = Way { from: self.state.strands.head, to: self.state.strands.head, dt: 1.0 };
        self.bodies.iter().map(move |body| {
            let own = Way { from: body.now, to: body.now, dt: 1.0 };
            body.place(&head, &own, 1.0)
        })
    }
}

/// Names the first vertex that is broken.
fn broken(strands: &Strands, grid: &GridState) -> HairError {
    let p = &grid.particles;
    let finite = |i: usize| p.v[i].iter().chain(&p.tau[i].to_mat3().to_rows()).all(|number| number.is_finite());
    not_finite(strands, (0..p.len()).filter(|&i| !finite(i)).map(|i| p.id[i] as usize).min().unwrap_or(0))
}

/// Names a vertex that is broken.
pub(crate) fn not_finite(strands: &Strands, vertex: usize) -> HairError {
    let strand = (0..strands.len()).find(|&s| strands.vertices(s).contains(&vertex)).unwrap_or(0);
    HairError::NotFinite { strand, index: vertex - strands.vertices(strand).start }
}

/// Particles a task takes without splitting further.
const PARTICLES_PER_TASK: usize = 4096;

impl Workspace {
    fn new(strands: &Strands, bodies: usize, positions: Vec<Vec3>) -> Workspace {
        let n = strands.vertex_count();
        let held = strands.held().iter().enumerate().filter(|(_, held)| **held);
        let vertex =
            |(vertex, _): (usize, &bool)| HeldVertex { vertex: vertex as u32, from: Vec3::ZERO, velocity: Vec3::ZERO };
        Workspace {
            strands: strands.workspace(),
            grid: GridWorkspace::default(),
            colliders: Vec::with_capacity(bodies),
            positions,
            changes: vec![Vec3::ZERO; n],
            held: held.map(vertex).collect(),
            places: vec![0; n],
            places_are_current: false,
        }
    }

    /// Brings particles to where the strands' vertices are.
    fn load(&mut self, strands: &Strands, from: &StrandState, params: &GridParams, grid: &mut GridState) {
        strands.read_changes(from, &mut self.changes);
        for held in &mut self.held {
            (held.from, held.velocity) = strands.vertex(from, held.vertex as usize);
        }
        let p = &mut grid.particles;
        let particles = p.x.par_iter_mut().zip(&mut p.v).zip(&p.id).with_min_len(PARTICLES_PER_TASK);
        particles.for_each(|((to_x, to_v), &id)| {
            let (x, v) = strands.vertex(from, id as usize);
            (*to_x, *to_v) = (x.to_array(), v.to_array());
        });
        // What was pulled back may have left its tile.
        grid.extremes.drifted |= has_drifted(params, grid);
    }

    /// Gives particles a part of the strands' change of velocity.
    fn hasten(&self, grid: &mut GridState, part: f32) {
        let p = &mut grid.particles;
        let particles = p.v.par_iter_mut().zip(&p.id).with_min_len(PARTICLES_PER_TASK);
        particles.for_each(|(v, &id)| *v = (Vec3::from(*v) + part * self.changes[id as usize]).to_array());
    }

    /// Moves what is held with the head, `t` after the strands' step began [s].
    fn hold(&mut self, grid: &mut GridState, t: f32) {
        let p = &mut grid.particles;
        if !self.places_are_current {
            p.id.iter().enumerate().for_each(|(place, &id)| self.places[id as usize] = place as u32);
            self.places_are_current = true;
        }
        for held in &self.held {
            let place = self.places[held.vertex as usize] as usize;
            p.x[place] = (held.from + t * held.velocity).to_array();
            p.v[place] = held.velocity.to_array();
        }
    }

    /// Brings the strands' vertices to where the particles are.
    fn store(&self, strands: &Strands, to: &mut StrandState, grid: &GridState) {
        let (p, places) = (&grid.particles, &self.places);
        strands.write(to, |vertex| {
            let place = places[vertex] as usize;
            (Vec3::from(p.x[place]), Vec3::from(p.v[place]))
        });
    }
}

/// A ball that hair does not leave within a step.
#[derive(Clone, Copy, Debug)]
struct Ball {
    /// [m]
    centre: Vec3,
    /// [m]
    radius: f32,
}

impl Ball {
    /// Around particles that move for `h` [s], and the cells [m] that they reach.
    fn around(particles: &Particles, h: f32, cell: f32) -> Ball {
        let of_one = |(x, v): (&[f32; 3], &[f32; 3])| {
            let x = Vec3::from(*x);
            (x, x, Vec3::from(*v).length_squared())
        };
        let nothing = || (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0f32);
        let both = |a: (Vec3, Vec3, f32), b: (Vec3, Vec3, f32)| (a.0.min(b.0), a.1.max(b.1), a.2.max(b.2));
        let all = particles.x.par_iter().zip(&particles.v).with_min_len(PARTICLES_PER_TASK);
        let (low, high, fastest) = all.map(of_one).reduce(nothing, both);
        // Twice as fast, should the step make it so.
        let way = 2.0 * h * fastest.sqrt();
        Ball { centre: 0.5 * (low + high), radius: 0.5 * low.distance(high) + way + 8.0 * cell }
    }
}

/// Adds wall time to accounts.
struct Clock {
    seconds: [f64; STAGES.len()],
    last: Instant,
}

impl Clock {
    fn new() -> Clock {
        Clock { seconds: [0.0; STAGES.len()], last: Instant::now() }
    }

    fn start(&mut self) {
        self.last = Instant::now();
    }

    /// What passed since the last stop belongs to a stage.
    fn stop(&mut self, stage: usize) {
        self.stop_shared([stage, stage], 1.0);
    }

    /// What passed since the last stop belongs to two stages, a share of it to the first.
    fn stop_shared(&mut self, stages: [usize; 2], share: f64) {
        let passed = self.last.elapsed().as_secs_f64();
        self.seconds[stages[0]] += share * passed;
        self.seconds[stages[1]] += (1.0 - share) * passed;
        self.start();
    }
}

/// The most blocks of the grid that strands can be in, and those with their neighbours: what is within a ball about the head that the
/// longest strand reaches. Strands that are not held can leave it.
pub(crate) fn most_blocks(strands: &Strands, positions: &[Vec3], settings: &HairSettings) -> (usize, usize) {
    let centre = strands.initial_state().head.translation.as_vec3();
    let reach = |strand: usize| {
        let points = &positions[strands.vertices(strand)];
        let length: f32 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        points[0].distance(centre) + length * (1.0 + settings.strands.slack)
    };
    let radius = (0..strands.len()).map(reach).fold(0.0, f32::max);
    // A block that the ball touches is within a ball larger by its diagonal.
    let within = |margin: f32| {
        let blocks = radius / (4.0 * settings.grid.cell) + 1.75 + margin;
        (4.2 * blocks.powi(3)) as usize
    };
    let occupied = within(0.0).min(strands.vertex_count());
    (occupied, within(1.75).min(27 * occupied))
}
