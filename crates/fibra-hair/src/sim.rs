//! The entry point: hair that the caller's loop advances, for example in a game, a viewer or a film tool.

use crate::builder::HairBuilder;
use crate::collider::{ColliderId, HairCollider, MovingCollider, RigidPath, check_pose};
use crate::error::HairError;
use crate::grid::{particles, rotate_history};
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

/// Hair on a head, with its colliders.
///
/// The head is the frame to which the pinned vertices of all strands are fixed; [`HairSim::advance`] takes its pose. Pass [`RigidPose::IDENTITY`] if
/// nothing moves. All positions are relative to the *run origin*, which the caller chooses. It should be near the hair, because positions are in
/// single precision.
///
/// ```
/// use fibra_core::geometry::RigidPose;
/// use fibra_hair::{HairSettings, HairSim, StrandInput};
/// use glam::{DVec3, Vec3};
///
/// let points = (0..20).map(|i| Vec3::new(0.0, 1.6 - 0.01 * i as f32, 0.1)).collect();
/// let strand = StrandInput { points, pinned: 2, ..StrandInput::default() };
/// let mut hair = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &[strand], Vec::new())?;
/// // Each call takes the pose of the head at the end of the frame, and the length of the frame.
/// for frame in 1..=60 {
///     let head = RigidPose::at(DVec3::X * 0.005 * f64::from(frame));
///     hair.advance(&head, 1.0 / 60.0)?;
/// }
/// assert!((hair.time() - 1.0).abs() < 1e-9);
/// assert!((hair.positions()[0].x - 0.3).abs() < 1e-5);
/// # Ok::<(), fibra_hair::HairError>(())
/// ```
///
/// After the first few calls, [`HairSim::advance`] does not allocate as long as every strand is pinned. The thread pool allocates a little when
/// called from an outside thread; run the loop in `rayon::ThreadPool::install` to avoid that.
pub struct HairSim {
    pub(crate) settings: HairSettings,
    pub(crate) strands: Strands,
    pub(crate) grid: GridParams,
    pub(crate) colliders: Vec<MovingCollider>,
    pub(crate) state: HairState,
    pub(crate) work: Workspace,
    pub(crate) clock: StageClock<HairStage>,
}

/// State of hair, the content of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct HairState {
    /// Simulated time [s].
    pub time: f64,
    /// The strands.
    pub strands: StrandState,
    /// The strand vertices as grid particles. Positions and velocities are those of the last grid substep.
    pub grid: GridState,
}

impl HairSim {
    /// Returns a builder that adds strands and colliders one by one.
    pub fn builder(settings: HairSettings) -> HairBuilder {
        HairBuilder::new(settings)
    }

    /// Builds hair from strands and colliders, with the head initially at `head`. Equivalent to [`HairSim::builder`].
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
        let mut state = HairState { time: 0.0, strands: start, grid: particles(&grid, &strands, &positions) };
        let mut work = Workspace::new(&strands, colliders.len(), positions);
        let (occupied, blocks) = most_blocks(&strands, &work.positions, &settings);
        work.grid.reserve(strands.vertex_count(), occupied, blocks);
        state.grid.runs.reserve(occupied);
        let colliders = colliders.into_iter().map(MovingCollider::new).collect();
        Ok(HairSim { settings, strands, grid, colliders, state, work, clock: StageClock::default() })
    }

    /// Advances by `dt` [s] in the fewest stable steps of equal length. The head moves uniformly to `head`, and colliders move to the targets set by
    /// [`HairSim::move_collider`]. After an error the state is invalid; [`HairSim::reset`] restores it.
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

    /// Takes one step that ends no later than time `until` [s], while the head moves uniformly to `head`. Returns the step length [s].
    ///
    /// [`HairSim::step_end`] returns the end time of this step in advance.
    pub fn step(&mut self, head: &RigidPose, until: f64) -> Result<f64, HairError> {
        let NextStep { dt, end } = self.next_step(until)?;
        self.advance_steps(head, dt as f32)?;
        self.state.time = end;
        Ok(dt)
    }

    /// Returns the end time of the next step toward `until` [s]. The caller moves the head and the colliders to their poses at this time.
    pub fn step_end(&self, until: f64) -> Result<f64, HairError> {
        Ok(self.next_step(until)?.end)
    }

    pub(crate) fn next_step(&self, until: f64) -> Result<NextStep, HairError> {
        check_time(until - self.state.time)?;
        Ok(self.settings.next_step(self.state.time, until))
    }

    fn advance_steps(&mut self, head: &RigidPose, dt: f32) -> Result<(), HairError> {
        // Runs on a pool thread: from an outside thread, every parallel loop would have to wake the pool.
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

    /// Restores the initial shape with zero velocity, with the head at `head`. The simulated time is kept.
    pub fn reset(&mut self, head: &RigidPose) {
        let (time, steps) = (self.state.grid.time, self.state.grid.steps);
        self.state.strands = self.strands.initial_state();
        self.work.update_positions(&self.strands, &self.state.strands);
        let grid = particles(&self.grid, &self.strands, &self.work.positions);
        self.set_grid_state(GridState { time, steps, ..grid });
        if let Some(motion) = blend_rigid_motion(&self.strands, &mut self.state.strands, head, &HeadLimits::RIGID) {
            rotate_history(&self.strands, &mut self.state.grid, Mat3::from_quat(motion.rotation.as_quat()));
        }
        self.work.update_positions(&self.strands, &self.state.strands);
    }

    /// Replaces the state by another state of the same strands.
    pub fn set_state(&mut self, state: HairState) {
        let HairState { time, strands, grid } = state;
        (self.state.time, self.state.strands) = (time, strands);
        self.set_grid_state(grid);
    }

    /// Replaces the grid state. The strand state must be set first.
    pub(crate) fn set_grid_state(&mut self, grid: GridState) {
        self.state.grid = grid;
        self.work.invalidate();
        self.work.update_positions(&self.strands, &self.state.strands);
    }

    /// Returns a checkpoint for [`HairSim::load`]. A restarted run is bitwise identical. Collider poses are not included.
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

    /// Restores a checkpoint of the same strands. After an error the state is invalid. Collider poses are not restored; set them with
    /// [`HairSim::place_collider`].
    pub fn load(&mut self, file: &TensorFile) -> Result<(), TensorFault> {
        state_file::load(file, self)
    }

    /// Moves a collider uniformly to a pose relative to the run origin during the next advance. It then stays there until moved again.
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

    /// Sets the pose of a collider relative to the run origin immediately, with zero velocity.
    pub fn place_collider(&mut self, id: ColliderId, at: RigidPose) -> Result<(), HairError> {
        check_pose(id, &at)?;
        self.collider_mut(id)?.place(at);
        Ok(())
    }

    /// Moves the vertices of a deforming collider uniformly during the next advance; `to` is in the collider's frame [m].
    pub fn move_vertices(&mut self, id: ColliderId, to: &[Vec3]) -> Result<(), HairError> {
        self.any_collider_mut(id)?.move_vertices(to)
    }

    /// Sets the vertices of a deforming collider immediately, with zero velocity; `at` is in the collider's frame [m].
    pub fn place_vertices(&mut self, id: ColliderId, at: &[Vec3]) -> Result<(), HairError> {
        self.any_collider_mut(id)?.place_vertices(at)
    }

    /// Returns a collider that can be moved; colliders on the head are an error.
    fn collider_mut(&mut self, id: ColliderId) -> Result<&mut MovingCollider, HairError> {
        let collider = self.any_collider_mut(id)?;
        if collider.collider.on_head { Err(HairError::OnHead { collider: id.0 }) } else { Ok(collider) }
    }

    fn any_collider_mut(&mut self, id: ColliderId) -> Result<&mut MovingCollider, HairError> {
        let count = self.colliders.len();
        self.colliders.get_mut(id.0).ok_or(HairError::UnknownCollider { collider: id.0, count })
    }

    /// Returns the identifiers of the colliders, in insertion order.
    pub fn collider_ids(&self) -> impl ExactSizeIterator<Item = ColliderId> + use<> {
        (0..self.colliders.len()).map(ColliderId)
    }

    /// Returns the colliders at their current poses, in insertion order.
    pub fn placed_colliders(&self) -> impl Iterator<Item = PlacedCollider> {
        let head = RigidPath { from: self.state.strands.head, to: self.state.strands.head, dt: 1.0 };
        self.colliders.iter().map(move |collider| {
            let own = RigidPath { from: collider.now, to: collider.now, dt: 1.0 };
            collider.placed(&head, &own, 1.0)
        })
    }

    /// Returns vertex positions relative to the run origin, strand by strand from root to tip [m]. [`Strands::vertices`] gives the index ranges.
    pub fn positions(&self) -> &[Vec3] {
        &self.work.positions
    }

    /// Returns vertex velocities in the order of [`HairSim::positions`] [m/s].
    pub fn velocities(&self) -> Vec<Vec3> {
        let mut velocities = vec![Vec3::ZERO; self.strands.vertex_count()];
        self.strands.read_velocities(&self.state.strands, &mut velocities);
        velocities
    }

    /// Returns conserved and diagnostic quantities by name, in SI units.
    ///
    /// | name | unit | |
    /// |---|---|---|
    /// | `mass` | kg | |
    /// | `momentum_x`, `momentum_y`, `momentum_z` | kg m/s | |
    /// | `kinetic_energy`, `elastic_energy` | J | elastic energy of the strands |
    /// | `gravitational_energy` | J | zero when the center of mass is at the run origin |
    /// | `max_stretch` | - | maximum ratio of segment length to rest length in all steps so far, before lengths are limited |
    /// | `length_correction` | m | maximum distance by which limits on lengths and bends moved a vertex in a step so far |
    /// | `deep_inside` | - | fraction of free vertices deeper than half a cell inside a collider |
    /// | `volume` | m^3 | total volume of the cells that contain free vertices |
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

    /// Returns the strands.
    pub fn strands(&self) -> &Strands {
        &self.strands
    }

    /// Returns the state, the content of a checkpoint.
    pub fn state(&self) -> &HairState {
        &self.state
    }

    /// Returns the parameters of the contact grid.
    pub fn grid(&self) -> &GridParams {
        &self.grid
    }

    /// Returns the user settings.
    pub fn settings(&self) -> &HairSettings {
        &self.settings
    }

    /// Returns the pose of the head.
    pub fn head(&self) -> &RigidPose {
        &self.state.strands.head
    }

    /// Returns the simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Returns the name of each [`HairStage`] and its accumulated wall time [s], in step order.
    pub fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.clock.seconds()
    }
}
