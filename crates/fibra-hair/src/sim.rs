//! The front door: hair in a loop that the caller runs, such as a game, a viewer or a film tool.

use crate::builder::HairBuilder;
use crate::collider::{ColliderId, HairCollider, MovingCollider, RigidPath, check_pose};
use crate::error::HairError;
use crate::grid::{particles, turn_memory};
use crate::head::blend_rigid_motion;
use crate::measures;
use crate::params::HeadLimits;
use crate::settings::{HairSettings, NextStep, check_time};
use crate::state_file;
use crate::step::{HairStage, StepPlan, step};
use crate::strands::{StrandInput, StrandState, Strands};
use crate::workspace::{Workspace, most_blocks};
use fibra_core::Quantities;
use fibra_core::geometry::{PlacedCollider, RigidPose};
use fibra_core::stage_clock::StageClock;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_mpm::internals::params::Params as GridParams;
use fibra_mpm::internals::state::State as GridState;
use glam::{Mat3, Vec3};

/// Hair on a head, with the colliders around it.
///
/// All positions are relative to a run origin that the caller chooses.
///
/// ```
/// use fibra_core::geometry::RigidPose;
/// use fibra_hair::{HairSettings, HairSim, StrandInput};
/// use glam::{DVec3, Vec3};
///
/// let points = (0..20).map(|i| Vec3::new(0.0, 1.6 - 0.01 * i as f32, 0.1)).collect();
/// let strand = StrandInput { points, pinned: 2, ..StrandInput::default() };
/// let mut hair = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &[strand], Vec::new())?;
/// // Each frame: the pose of the head at its end, and its length.
/// for frame in 1..=60 {
///     let head = RigidPose::at(DVec3::X * 0.005 * f64::from(frame));
///     hair.advance(&head, 1.0 / 60.0)?;
/// }
/// assert!((hair.time() - 1.0).abs() < 1e-9);
/// assert!((hair.positions()[0].x - 0.3).abs() < 1e-5);
/// # Ok::<(), fibra_hair::HairError>(())
/// ```
///
/// After the first few calls, [`HairSim::advance`] does not allocate as long as every strand is pinned. (The thread pool does, a little, when
/// called from a thread that is not its own: run the loop in `rayon::ThreadPool::install`.)
pub struct HairSim {
    pub(crate) settings: HairSettings,
    pub(crate) strands: Strands,
    pub(crate) grid: GridParams,
    pub(crate) colliders: Vec<MovingCollider>,
    pub(crate) state: HairState,
    pub(crate) work: Workspace,
    pub(crate) clock: StageClock<HairStage>,
    /// Lengths of all segments at the start [m].
    pub(crate) start_lengths: Vec<f32>,
}

/// State of hair: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq)]
pub struct HairState {
    /// Simulated time [s].
    pub time: f64,
    /// The strands.
    pub strands: StrandState,
    /// Their vertices as particles of the grid. Positions and velocities are those of the last step of the grid.
    pub grid: GridState,
}

impl HairSim {
    /// Starts to build hair, strand by strand and collider by collider.
    pub fn builder(settings: HairSettings) -> HairBuilder {
        HairBuilder::new(settings)
    }

    /// Strands whose head starts in `head`, and colliders around them. [`HairSim::builder`] does the same in steps.
    pub fn new(
        settings: HairSettings,
        head: RigidPose,
        strands: &[StrandInput],
        colliders: Vec<HairCollider>,
    ) -> Result<HairSim, HairError> {
        settings.check()?;
        colliders.iter().enumerate().try_for_each(|(index, collider)| collider.check(ColliderId(index)))?;
        let strands = Strands::new(&settings.material, head, strands)?;
        let grid = settings.grid.params(settings.material.density);
        let start = strands.initial_state();
        let mut positions = vec![Vec3::ZERO; strands.vertex_count()];
        strands.read_positions(&start, &mut positions);
        let start_lengths = measures::lengths_of(&strands, &positions, 0..strands.len()).collect();
        let mut state = HairState { time: 0.0, strands: start, grid: particles(&grid, &strands, &positions) };
        let mut work = Workspace::new(&strands, colliders.len(), positions);
        let (occupied, blocks) = most_blocks(&strands, &work.positions, &settings);
        work.grid.reserve(strands.vertex_count(), occupied, blocks);
        state.grid.runs.reserve(occupied);
        let colliders = colliders.into_iter().map(MovingCollider::new).collect();
        Ok(HairSim { settings, strands, grid, colliders, state, work, clock: StageClock::default(), start_lengths })
    }

    /// Advances by `dt` [s], while the head moves uniformly to `head` and colliders to where [`HairSim::move_collider`] sends them: in the
    /// fewest steps that are stable, all of the same length. After an error the state is not valid; [`HairSim::reset`] restores it.
    ///
    /// ```
    /// # use fibra_core::geometry::RigidPose;
    /// # use fibra_hair::{HairError, HairSettings, HairSim, StrandInput};
    /// # use glam::Vec3;
    /// # let points = vec![Vec3::ZERO, Vec3::NEG_Y * 0.01];
    /// # let strand = StrandInput { points, pinned: 1, ..StrandInput::default() };
    /// # let mut hair = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &[strand], Vec::new())?;
    /// hair.advance(&RigidPose::IDENTITY, 1.0 / 60.0)?;
    /// assert_eq!(hair.time(), 1.0 / 60.0);
    /// let error = hair.advance(&RigidPose::IDENTITY, -1.0).unwrap_err();
    /// assert_eq!(error.to_string(), "the time to advance is -1; it must be positive and finite, in s");
    /// # Ok::<(), HairError>(())
    /// ```
    pub fn advance(&mut self, head: &RigidPose, dt: f64) -> Result<(), HairError> {
        check_time(dt)?;
        self.advance_steps(head, dt as f32)?;
        self.state.time += dt;
        Ok(())
    }

    /// Takes one step, no further than the time `until` [s], while the head moves uniformly to `head`. Returns its length [s].
    ///
    /// [`HairSim::step_end`] returns beforehand when the step ends.
    pub fn step(&mut self, head: &RigidPose, until: f64) -> Result<f64, HairError> {
        let NextStep { dt, end } = self.next_step(until)?;
        self.advance_steps(head, dt as f32)?;
        self.state.time = end;
        Ok(dt)
    }

    /// The time at which a step that goes no further than `until` ends [s]: where to move the head and the colliders to.
    pub fn step_end(&self, until: f64) -> Result<f64, HairError> {
        Ok(self.next_step(until)?.end)
    }

    pub(crate) fn next_step(&self, until: f64) -> Result<NextStep, HairError> {
        check_time(until - self.state.time)?;
        Ok(self.settings.next_step(self.state.time, until))
    }

    fn advance_steps(&mut self, head: &RigidPose, dt: f32) -> Result<(), HairError> {
        // As a whole on one of the pool's threads: from outside, every parallel loop would have to wake the pool.
        rayon::scope(|_| self.advance_in_pool(head, dt))
    }

    fn advance_in_pool(&mut self, head: &RigidPose, dt: f32) -> Result<(), HairError> {
        let (steps, length) = self.settings.steps_within(dt);
        let start = self.state.strands.head;
        for number in 1..=steps as u64 {
            let progress = [(number - 1) as f64 / steps, number as f64 / steps];
            let head = start.towards(head, progress[1]);
            step(self, &StepPlan { head, progress, dt: length, advance_dt: dt.into() })?;
        }
        self.colliders.iter_mut().for_each(MovingCollider::arrive);
        Ok(())
    }

    /// Restores the start, without velocity, on a head in `head`. Time goes on.
    pub fn reset(&mut self, head: &RigidPose) {
        let (time, steps) = (self.state.grid.time, self.state.grid.steps);
        self.state.strands = self.strands.initial_state();
        self.work.update_positions(&self.strands, &self.state.strands);
        let grid = particles(&self.grid, &self.strands, &self.work.positions);
        self.set_grid_state(GridState { time, steps, ..grid });
        if let Some(motion) = blend_rigid_motion(&mut self.state.strands, head, &HeadLimits::RIGID) {
            turn_memory(&mut self.state.grid, Mat3::from_quat(motion.rotation.as_quat()));
        }
        self.work.update_positions(&self.strands, &self.state.strands);
    }

    /// Replaces the state by another one of the same strands.
    pub fn set_state(&mut self, state: HairState) {
        let HairState { time, strands, grid } = state;
        (self.state.time, self.state.strands) = (time, strands);
        self.set_grid_state(grid);
    }

    /// Replaces the state of the grid, after that of the strands.
    pub(crate) fn set_grid_state(&mut self, grid: GridState) {
        self.state.grid = grid;
        self.work.invalidate();
        self.work.update_positions(&self.strands, &self.state.strands);
    }

    /// Everything needed to go on with the same bits: [`HairSim::load`] reads it. Poses of colliders are not part of it.
    ///
    /// ```
    /// # use fibra_core::geometry::RigidPose;
    /// # use fibra_hair::{HairSettings, HairSim, StrandInput};
    /// # use glam::Vec3;
    /// # let points = vec![Vec3::ZERO, Vec3::new(0.01, 0.0, 0.0)];
    /// # let strands = [StrandInput { points, pinned: 1, ..StrandInput::default() }];
    /// # let start = || HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &strands, Vec::new());
    /// # let mut hair = start()?;
    /// hair.advance(&RigidPose::IDENTITY, 0.1)?;
    /// let mut other = start()?;
    /// other.load(&hair.save())?;
    /// hair.advance(&RigidPose::IDENTITY, 0.1)?;
    /// other.advance(&RigidPose::IDENTITY, 0.1)?;
    /// assert_eq!(other.state(), hair.state());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> TensorFile<'_> {
        state_file::save(self)
    }

    /// Goes on from a saved state of the same strands. After an error the state is not valid. The caller places the colliders with
    /// [`HairSim::place_collider`].
    pub fn load(&mut self, file: &TensorFile) -> Result<(), TensorFault> {
        state_file::load(file, self)
    }

    /// Moves a collider uniformly to a pose, relative to the run origin, during the next advance. It stops there unless it is moved again.
    ///
    /// ```
    /// # use fibra_core::geometry::{RigidPose, Shape};
    /// # use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
    /// # use glam::{DVec3, Vec3};
    /// let mut builder = HairSim::builder(HairSettings::default());
    /// let ball = builder.add_collider(HairCollider::new(Shape::sphere(0.05)?));
    /// # builder.add_strand(StrandInput { points: vec![Vec3::Y, 1.1 * Vec3::Y], pinned: 1, ..StrandInput::default() });
    /// let mut hair = builder.build()?;
    /// hair.place_collider(ball, RigidPose::at(DVec3::new(-0.1, 0.0, 0.0)))?;
    /// hair.move_collider(ball, RigidPose::at(DVec3::ZERO))?;
    /// hair.advance(&RigidPose::IDENTITY, 0.1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn move_collider(&mut self, id: ColliderId, to: RigidPose) -> Result<(), HairError> {
        check_pose(id, &to)?;
        self.collider_mut(id)?.to = to;
        Ok(())
    }

    /// Places a collider in a pose, relative to the run origin, at once and without velocity.
    pub fn place_collider(&mut self, id: ColliderId, at: RigidPose) -> Result<(), HairError> {
        check_pose(id, &at)?;
        self.collider_mut(id)?.place(at);
        Ok(())
    }

    /// Moves the vertices of a deforming collider uniformly during the next advance, in the collider's frame [m].
    pub fn move_vertices(&mut self, id: ColliderId, to: &[Vec3]) -> Result<(), HairError> {
        self.any_collider_mut(id)?.move_vertices(to)
    }

    /// Places the vertices of a deforming collider at once and without velocity, in the collider's frame [m].
    pub fn place_vertices(&mut self, id: ColliderId, at: &[Vec3]) -> Result<(), HairError> {
        self.any_collider_mut(id)?.place_vertices(at)
    }

    /// A collider that can be moved: not one on the head.
    fn collider_mut(&mut self, id: ColliderId) -> Result<&mut MovingCollider, HairError> {
        let collider = self.any_collider_mut(id)?;
        if collider.collider.on_head { Err(HairError::OnHead { collider: id.0 }) } else { Ok(collider) }
    }

    fn any_collider_mut(&mut self, id: ColliderId) -> Result<&mut MovingCollider, HairError> {
        let count = self.colliders.len();
        self.colliders.get_mut(id.0).ok_or(HairError::UnknownCollider { collider: id.0, count })
    }

    /// Identifiers of the colliders, in the order in which they were added.
    pub fn collider_ids(&self) -> impl ExactSizeIterator<Item = ColliderId> + use<> {
        (0..self.colliders.len()).map(ColliderId)
    }

    /// The colliders where they are now, in the order in which they were added.
    pub fn placed_colliders(&self) -> impl Iterator<Item = PlacedCollider> {
        let head = RigidPath { from: self.state.strands.head, to: self.state.strands.head, dt: 1.0 };
        self.colliders.iter().map(move |collider| {
            let own = RigidPath { from: collider.now, to: collider.now, dt: 1.0 };
            collider.placed(&head, &own, 1.0)
        })
    }

    /// Positions of the vertices, strand by strand from root to tip, relative to the run origin [m]. [`Strands::vertices`] numbers them.
    pub fn positions(&self) -> &[Vec3] {
        &self.work.positions
    }

    /// Velocities of the vertices, in the order of [`HairSim::positions`] [m/s].
    pub fn velocities(&self) -> Vec<Vec3> {
        let mut velocities = vec![Vec3::ZERO; self.strands.vertex_count()];
        self.strands.read_velocities(&self.state.strands, &mut velocities);
        velocities
    }

    /// Conserved and diagnostic quantities by name, in SI units.
    ///
    /// | name | unit | |
    /// |---|---|---|
    /// | `mass` | kg | |
    /// | `momentum_x`, `momentum_y`, `momentum_z` | kg m/s | |
    /// | `kinetic_energy`, `elastic_energy` | J | elastic energy of the strands |
    /// | `gravitational_energy` | J | zero for a center of mass at the run origin |
    /// | `max_stretch` | - | length of a segment over that at the start |
    /// | `deep_inside` | - | share of the free vertices deeper than half a cell inside a collider |
    /// | `volume` | m^3 | of the cells that free vertices are in |
    ///
    /// ```
    /// # use fibra_core::geometry::RigidPose;
    /// # use fibra_hair::{HairError, HairSettings, HairSim, StrandInput};
    /// # use glam::Vec3;
    /// # let points = vec![Vec3::ZERO, Vec3::NEG_Y * 0.01];
    /// # let strand = StrandInput { points, pinned: 1, ..StrandInput::default() };
    /// # let hair = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &[strand], Vec::new())?;
    /// let quantities = hair.quantities();
    /// assert_eq!((quantities["max_stretch"], quantities["kinetic_energy"]), (1.0, 0.0));
    /// # Ok::<(), HairError>(())
    /// ```
    pub fn quantities(&self) -> Quantities {
        measures::quantities(self)
    }

    /// The strands.
    pub fn strands(&self) -> &Strands {
        &self.strands
    }

    /// What a checkpoint holds.
    pub fn state(&self) -> &HairState {
        &self.state
    }

    /// Parameters of the grid between the strands.
    pub fn grid(&self) -> &GridParams {
        &self.grid
    }

    /// What the user set.
    pub fn settings(&self) -> &HairSettings {
        &self.settings
    }

    /// Pose of the head.
    pub fn head(&self) -> &RigidPose {
        &self.state.strands.head
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Name of each [`HairStage`] and the wall time spent in it so far [s], in the order of a step.
    pub fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.clock.seconds()
    }
}
