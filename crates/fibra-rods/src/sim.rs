//! The public entry point: a simulation of rods, balls and colliders.

mod contacts;
mod drive;
mod error;
mod ids;
mod input;
mod loads;
mod settle;

pub use contacts::ContactForce;
pub use error::RodSimError;
pub use ids::{BallId, BodyId, ColliderId, RodId};
pub use input::{BallInput, NaturalShape, RodInput, RodModel};
pub use loads::{Reaction, RodLoads, Topology};

use crate::body::Body;
use crate::contact::detection::Surface;
use crate::contact::pairs::{Member, PairValues};
use crate::error::{RodError, in_range};
use crate::fixed::FixedRod;
use crate::measures::{Measures, smallest_gap};
use crate::settings::RodSettings;
use crate::state_file;
use crate::step::step;
use crate::world::{Params, State, Workspace};
use drive::Drive;
use fibra_core::Quantities;
use fibra_core::geometry::{Collider, Motion, RigidPose};
use fibra_core::tensor_file::{TensorFault, TensorFile};
use glam::DVec3;

/// Rods and balls in contact with each other and with colliders.
///
/// ```
/// use fibra_rods::{End, RodInput, RodSettings, RodSim, RodSimError};
/// use glam::DVec3;
///
/// let mut sim = RodSim::new(RodSettings::default())?;
/// let points = (0..=20).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect();
/// let cord = sim.add_rod(RodInput { points, ends: [End::clamped(), End::free()], ..RodInput::default() })?;
/// sim.advance(0.25)?;
/// let tip = sim.positions_of(cord)?[20];
/// assert!(tip.y < -0.05, "the tip sags");
/// # Ok::<(), RodSimError>(())
/// ```
pub struct RodSim {
    params: Params,
    state: State,
    workspace: Workspace,
    measures: Measures,
    /// Initial positions of the ends of each body [m], in world coordinates.
    end_starts: Vec<[DVec3; 2]>,
    drives: Vec<Drive>,
}

impl RodSim {
    /// Creates an empty simulation at time 0.
    pub fn new(settings: RodSettings) -> Result<RodSim, RodError> {
        settings.check()?;
        Ok(RodSim {
            params: Params { settings, ..Params::default() },
            state: State::default(),
            workspace: Workspace::default(),
            measures: Measures::default(),
            end_starts: Vec::new(),
            drives: Vec::new(),
        })
    }

    /// Adds an elastic rod.
    pub fn add_rod(&mut self, rod: RodInput) -> Result<RodId, RodError> {
        let surface = rod.surface;
        surface.check()?;
        let rod = rod.build(self.params.settings.origin)?;
        Ok(RodId(self.add(Body::Rod(rod), surface)))
    }

    /// Adds a rail: a rod with a prescribed motion. Its model, velocity and ends have no effect.
    pub fn add_rail(&mut self, rod: RodInput, motion: Motion) -> Result<RodId, RodError> {
        self.add_deforming_rail(rod, vec![motion])
    }

    /// Adds a rail that deforms: `motions` holds one motion per point, or one for all points.
    pub fn add_deforming_rail(&mut self, rod: RodInput, motions: Vec<Motion>) -> Result<RodId, RodError> {
        let surface = rod.surface;
        surface.check()?;
        let rail = FixedRod::new(rod.params(), motions, self.params.settings.origin)?;
        Ok(RodId(self.add(Body::Rod(Box::new(rail)), surface)))
    }

    /// Adds a rigid ball.
    pub fn add_ball(&mut self, ball: BallInput) -> Result<BallId, RodError> {
        ball.surface.check()?;
        let body = Body::Ball(ball.build(self.params.settings.origin)?);
        Ok(BallId(self.add(body, ball.surface)))
    }

    /// Adds a collider. The `contact` field of the collider has no effect: contacts with rods and balls are always
    /// separating.
    pub fn add_collider(&mut self, collider: Collider) -> Result<ColliderId, RodError> {
        let friction = f64::from(collider.friction);
        in_range("friction", friction, friction >= 0.0, "finite and not negative")?;
        if !collider.rest.translation.is_finite() {
            let what = "position of a collider [m]";
            return Err(RodError::VectorNotFinite { what, value: collider.rest.translation });
        }
        self.params.colliders.push(collider);
        Ok(ColliderId(self.params.colliders.len() - 1))
    }

    /// Sets the friction and restitution between the bodies and colliders of two groups, which may be the same. They replace the smaller of both values.
    ///
    /// ```
    /// use fibra_core::geometry::Collider;
    /// use fibra_rods::{BallInput, BodyId, PairValues, RodSettings, RodSim};
    ///
    /// let mut sim = RodSim::new(RodSettings::default())?;
    /// let ball = BodyId::Ball(sim.add_ball(BallInput::default())?);
    /// let floor = BodyId::Collider(sim.add_collider(Collider::ground(-0.01).friction(0.3))?);
    /// sim.assign_group(ball, 1)?;
    /// sim.assign_group(floor, 2)?;
    /// sim.set_pair([1, 2], PairValues { friction: 0.8, restitution: Some(0.5) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pair(&mut self, groups: [u32; 2], values: PairValues) -> Result<(), RodError> {
        values.check()?;
        self.params.pairs.set(groups, values);
        Ok(())
    }

    /// Assigns a body or a collider to a group of [`RodSim::set_pair`]. Without this call it belongs to group 0.
    pub fn assign_group(&mut self, body: BodyId, group: u32) -> Result<(), RodSimError> {
        let member = match body {
            BodyId::Collider(ColliderId(index)) => {
                self.check_collider(ColliderId(index))?;
                Member::Collider(index)
            }
            BodyId::Rod(RodId(index)) | BodyId::Ball(BallId(index)) => {
                if index >= self.state.bodies.len() {
                    return Err(RodSimError::UnknownId { kind: "body", index });
                }
                Member::Body(index)
            }
        };
        self.params.pairs.assign(member, group);
        Ok(())
    }

    fn add(&mut self, body: Body, surface: Surface) -> usize {
        let points = body.points();
        let ends = [points[0], points[points.len() - 1]].map(|point| self.params.settings.origin + point);
        self.end_starts.push(ends);
        self.measures.add(&body);
        self.state.bodies.push(body);
        self.params.surfaces.push(surface);
        self.state.bodies.len() - 1
    }

    /// Advances by `dt` [s], in steps of at most [`RodSettings::dt`].
    pub fn advance(&mut self, dt: f64) -> Result<(), RodSimError> {
        let until = self.state.time + dt;
        self.step(until)?;
        while self.state.time < until {
            self.step(until)?;
        }
        Ok(())
    }

    /// Takes one step, not past `until` [s], and returns its length [s]. The last step ends exactly at `until`.
    pub fn step(&mut self, until: f64) -> Result<f64, RodSimError> {
        let time = self.state.time;
        if !(until.is_finite() && until > time) {
            return Err(RodSimError::Until { until, time });
        }
        self.update_drives(until);
        Ok(step(&self.params, &mut self.state, &mut self.workspace, until)?)
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Positions of the points of all rods and balls, in the order in which they were added [m]. A ball has one point, its center.
    pub fn positions(&self) -> Vec<DVec3> {
        self.state.bodies.iter().flat_map(|body| self.world_points(body)).collect()
    }

    /// Positions of the points of a rod's centerline [m]. A super-helix may have more points than it was given.
    pub fn positions_of(&self, rod: RodId) -> Result<Vec<DVec3>, RodSimError> {
        self.rod(rod)?;
        Ok(self.world_points(&self.state.bodies[rod.0]).collect())
    }

    /// Returns whether the last point of a rod is connected to its first.
    pub fn is_closed(&self, rod: RodId) -> Result<bool, RodSimError> {
        Ok(self.rod(rod)?.params().closed)
    }

    /// Returns the id of the rod at an index among all rods and balls, in the order in which they were added; `None` for a ball.
    pub fn rod_at(&self, index: usize) -> Option<RodId> {
        self.rod(RodId(index)).is_ok().then_some(RodId(index))
    }

    /// Center and orientation of a ball.
    pub fn pose_of(&self, ball: BallId) -> Result<RigidPose, RodSimError> {
        match self.state.bodies.get(ball.0) {
            Some(Body::Ball(ball)) => {
                Ok(RigidPose { translation: self.params.settings.origin + ball.center, rotation: ball.rotation })
            }
            _ => Err(RodSimError::UnknownId { kind: "ball", index: ball.0 }),
        }
    }

    fn world_points(&self, body: &Body) -> impl Iterator<Item = DVec3> {
        let origin = self.params.settings.origin;
        body.points().iter().map(move |point| origin + *point)
    }

    /// Velocities of the points of all rods and balls, in the order of [`RodSim::positions`] [m/s].
    pub fn velocities(&self) -> Vec<DVec3> {
        self.state.bodies.iter().flat_map(Body::point_velocities).collect()
    }

    /// Mass, momentum, energies and statistics of the contact solver, by name, in SI units.
    ///
    /// | name | unit | |
    /// |---|---|---|
    /// | `mass` | kg | |
    /// | `momentum_x`, `momentum_y`, `momentum_z` | kg m/s | |
    /// | `angular_momentum_x`, `angular_momentum_y`, `angular_momentum_z` | kg m^2/s | about the world origin |
    /// | `reaction_x`, `reaction_y`, `reaction_z` | N | sum of the forces of all holds and rails |
    /// | `max_tension`, `min_tension`, `max_shear` | N | extremes over the points of all rods |
    /// | `max_bending_moment`, `max_twisting_moment` | N m | largest magnitudes over the points of all rods |
    /// | `twist`, `writhe`, `link` | - | sums over all closed rods |
    /// | `end_displacement_x`, `end_displacement_y`, `end_displacement_z` | m | displacement of the last point of the first rod |
    /// | `kinetic_energy`, `elastic_energy` | J | |
    /// | `gravitational_energy` | J | zero when the center of mass is at the simulation origin |
    /// | `smallest_gap` | - | smallest distance between two centerlines, divided by the sum of the radii; the bodies overlap below 1 |
    /// | `contacts`, `newton_iterations`, `sweeps` | - | numbers in the last step |
    /// | `nu` | - | ratio of constraints to unknowns in the last step |
    /// | `residual` | - | squared norm of the contact equations after the last step, in units of the impulse of gravity |
    /// | `contact_steps`, `unsolved_steps` | - | number of steps with contacts, number of steps that did not reach the tolerance |
    /// | `most_contacts`, `worst_residual` | - | maxima over all steps |
    ///
    /// ```
    /// use fibra_rods::{BallInput, RodSettings, RodSim, RodSimError};
    ///
    /// let mut sim = RodSim::new(RodSettings::default())?;
    /// sim.add_ball(BallInput::default())?;
    /// sim.advance(0.1)?;
    /// let quantities = sim.quantities();
    /// let (kinetic, mass) = (quantities["kinetic_energy"], quantities["mass"]);
    /// assert!((kinetic / (0.5 * mass * 0.981 * 0.981) - 1.0).abs() < 1e-9);
    /// # Ok::<(), RodSimError>(())
    /// ```
    pub fn quantities(&self) -> Quantities {
        let totals = self.measures.totals(&self.state, self.params.settings.gravity, 0..self.state.bodies.len());
        let (statistics, last) = (&self.state.statistics, &self.workspace.last);
        let angular_momentum = totals.angular_momentum + self.params.settings.origin.cross(totals.momentum);
        let mut quantities = Quantities::from([
            ("angular_momentum_x", angular_momentum.x),
            ("angular_momentum_y", angular_momentum.y),
            ("angular_momentum_z", angular_momentum.z),
            ("mass", totals.mass),
            ("momentum_x", totals.momentum.x),
            ("momentum_y", totals.momentum.y),
            ("momentum_z", totals.momentum.z),
            ("kinetic_energy", totals.energy.kinetic),
            ("elastic_energy", totals.energy.elastic),
            ("gravitational_energy", totals.energy.gravitational),
            ("contacts", last.contacts as f64),
            ("nu", last.nu()),
            ("newton_iterations", last.newton_iterations as f64),
            ("sweeps", last.sweeps as f64),
            ("residual", last.residual),
            ("smallest_gap", smallest_gap(&self.params, &self.state, |_| true)),
            ("contact_steps", statistics.contact_steps as f64),
            ("unsolved_steps", statistics.unsolved_steps as f64),
            ("most_contacts", statistics.most_contacts as f64),
            ("worst_residual", statistics.worst_residual),
        ]);
        self.add_load_quantities(&mut quantities);
        quantities
    }

    /// Saves everything needed to continue bit for bit, except for the poses that the caller drives. Restore the poses
    /// of driven colliders and ends with [`RodSim::place_collider`] and [`RodSim::place_end`].
    ///
    /// ```
    /// use fibra_rods::{BallInput, RodError, RodSettings, RodSim};
    ///
    /// let build = || -> Result<RodSim, RodError> {
    ///     let mut sim = RodSim::new(RodSettings::default())?;
    ///     sim.add_ball(BallInput::default())?;
    ///     Ok(sim)
    /// };
    /// let (mut sim, mut copy) = (build()?, build()?);
    /// sim.advance(0.1)?;
    /// copy.load(&sim.save())?;
    /// assert_eq!((copy.time(), copy.positions()), (sim.time(), sim.positions()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> TensorFile<'static> {
        state_file::save(&self.state)
    }

    /// Restores a saved state of the same bodies. After an error, do not advance the simulation.
    pub fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        self.workspace.last = Default::default();
        self.drives.clear();
        state_file::load(from, &mut self.state)
    }

    /// Name of each stage of a step and the wall time spent in it [s].
    pub fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.workspace.clock.seconds()
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Timers and the report of the last step.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Masses and initial lengths of the bodies.
    pub fn measures(&self) -> &Measures {
        &self.measures
    }

    /// Decomposes the simulation into params, state and workspace.
    pub fn into_parts(self) -> (Params, State, Workspace) {
        (self.params, self.state, self.workspace)
    }
}
