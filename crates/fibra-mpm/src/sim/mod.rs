//! [`MpmSim`]: a simulation that owns parameters, state and workspace.

mod builder;
#[cfg(feature = "gpu")]
mod device;
mod driving;
mod error;
mod material;
mod object;
mod settings;

pub use builder::MpmBuilder;
pub use error::{MpmError, PinProblem};
pub use material::MpmMaterial;
pub use object::{MpmObject, MpmPin};
pub use settings::MpmSettings;

use crate::diagnostics::diagnose;
use crate::params::{Integrator, Params};
use crate::state::State;
use crate::state_file;
use crate::step::{start, step};
use crate::workspace::Workspace;
use builder::unknown;
#[cfg(feature = "gpu")]
use device::OnDevice;
use driving::{Driving, Moved, pose_of};
use fibra_core::geometry::RigidPose;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_core::{Quantities, StepsTaken};
use glam::DVec3;
use object::check_pose;
use std::ops::Range;

/// Id of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(usize);

/// Id of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColliderId(usize);

/// Id of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PinId(usize);

/// A simulation with the material point method.
///
/// Points and vertices are reported in the order in which they were added, independent of the order in memory.
///
/// ```
/// use fibra_core::geometry::{RigidPose, Shape};
/// use fibra_mpm::materials::ElasticParams;
/// use fibra_mpm::{MaterialSpec, MpmObject, MpmSettings, MpmSim};
/// use glam::{DVec3, Vec3};
///
/// let jelly = MaterialSpec::FixedCorotated(ElasticParams { youngs_modulus: 1e4, ..ElasticParams::default() });
/// let cube = Shape::cuboid(Vec3::splat(0.1))?;
/// let mut scene = MpmSim::builder(MpmSettings { dx: 0.05, ..MpmSettings::default() });
/// let cube = scene.add_object(MpmObject::solid("cube", cube, RigidPose::at(DVec3::Y), jelly));
/// let mut sim = scene.build()?;
///
/// sim.advance(0.1)?;
/// assert_eq!(sim.time(), 0.1);
/// // In free fall every point has the velocity -g t.
/// assert!(sim.velocities_of(cube)?.iter().all(|v| (v.y + 0.981).abs() < 1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MpmSim {
    params: Params,
    state: State,
    work: Workspace,
    driving: Driving,
    /// Runs the steps on a device if set. `state` is updated after each call.
    #[cfg(feature = "gpu")]
    device: Option<OnDevice>,
}

impl std::fmt::Debug for MpmSim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let State { time, steps, particles, .. } = &self.state;
        f.debug_struct("MpmSim")
            .field("time", time)
            .field("steps", steps)
            .field("particles", &particles.len())
            .finish_non_exhaustive()
    }
}

/// Construction.
impl MpmSim {
    /// Creates a builder without objects.
    pub fn builder(settings: MpmSettings) -> MpmBuilder {
        MpmBuilder::new(settings)
    }

    /// Creates a simulation at time 0 from given particles. Stresses and the laws' internal variables are computed. Particle ids must be
    /// unique and count from 0, elements must have the largest ids, and object indices must be valid.
    pub fn from_parts(params: Params, mut state: State) -> MpmSim {
        start(&params, &mut state);
        MpmSim {
            params,
            state,
            work: Workspace::default(),
            driving: Driving::default(),
            #[cfg(feature = "gpu")]
            device: None,
        }
    }
}

/// Time.
impl MpmSim {
    /// Advances by `dt` [s], in as many steps as stability requires, and ends exactly at `time() + dt`. After an error the state is invalid.
    pub fn advance(&mut self, dt: f64) -> Result<(), MpmError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(MpmError::Setting { field: "dt", value: dt, allowed: "positive and finite [s]" });
        }
        let until = self.time() + dt;
        while self.time() < until {
            self.step(until)?;
        }
        Ok(())
    }

    /// Takes one step, no further than `until` [s]; returns its length [s]. On a GPU it takes all steps up to `until`, and returns their total
    /// length.
    pub fn step(&mut self, until: f64) -> Result<f64, MpmError> {
        let before = self.time();
        let taken = self.take_steps(until)?;
        Ok(if taken.count == 1 { taken.longest } else { self.time() - before })
    }

    /// Like [`MpmSim::step`], but returns the number and the lengths of the steps.
    pub fn take_steps(&mut self, until: f64) -> Result<StepsTaken, MpmError> {
        if !(until > self.time() && until.is_finite()) {
            return Err(MpmError::Setting {
                field: "until",
                value: until,
                allowed: "later than `time()` and finite [s]",
            });
        }
        let until = self.driving.depart(&mut self.params, self.state.time, until);
        let taken = self.take_steps_between_arrivals(until)?;
        self.driving.arrive(&mut self.params, self.state.time);
        Ok(taken)
    }

    fn take_steps_between_arrivals(&mut self, until: f64) -> Result<StepsTaken, MpmError> {
        #[cfg(feature = "gpu")]
        if let Some(mut device) = self.device.take() {
            let taken = device.advance(self, until);
            self.device = Some(device);
            return taken;
        }
        let dt = step(&self.params, &mut self.state, &mut self.work, until)?;
        Ok(StepsTaken::single(dt))
    }

    /// Returns the simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }
}

/// Results.
impl MpmSim {
    /// Returns the number of points and vertices; elements of meshes do not count.
    pub fn point_count(&self) -> usize {
        let meshes = &self.params.meshes;
        if meshes.corners.is_empty() { self.state.particles.len() } else { meshes.first_element as usize }
    }

    /// Returns values of points and vertices in the order in which they were added. `value` maps an index into the arrays of
    /// [`Particles`](crate::state::Particles) to a value.
    pub fn in_order<T: Copy + Default>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        let mut values = vec![T::default(); self.point_count()];
        for (i, &id) in self.state.particles.id.iter().enumerate() {
            if let Some(slot) = values.get_mut(id as usize) {
                *slot = value(i);
            }
        }
        values
    }

    /// Returns the world positions of points and vertices [m].
    pub fn positions(&self) -> Vec<DVec3> {
        self.in_order(|i| self.params.origin + DVec3::from_array(self.state.particles.x[i].map(f64::from)))
    }

    /// Returns the velocities of points and vertices [m/s].
    pub fn velocities(&self) -> Vec<DVec3> {
        self.in_order(|i| DVec3::from_array(self.state.particles.v[i].map(f64::from)))
    }

    /// Returns the index range of an object in [`MpmSim::positions`].
    pub fn range_of(&self, object: ObjectId) -> Result<Range<usize>, MpmError> {
        let count = self.params.objects.len();
        if object.0 >= count {
            return Err(unknown("object", object.0, count));
        }
        let (p, points) = (&self.state.particles, self.point_count());
        let own = (0..p.len()).filter(|&i| p.object[i] as usize == object.0).map(|i| p.id[i] as usize);
        let (first, end) =
            own.filter(|&id| id < points).fold((points, 0), |(first, end), id| (first.min(id), end.max(id + 1)));
        Ok(first.min(end)..end)
    }

    /// Returns the world positions of an object's points or vertices [m].
    pub fn positions_of(&self, object: ObjectId) -> Result<Vec<DVec3>, MpmError> {
        Ok(self.positions()[self.range_of(object)?].to_vec())
    }

    /// Returns the velocities of an object's points or vertices [m/s].
    pub fn velocities_of(&self, object: ObjectId) -> Result<Vec<DVec3>, MpmError> {
        Ok(self.velocities()[self.range_of(object)?].to_vec())
    }

    /// Returns totals by name, in SI units.
    ///
    /// | name | unit | |
    /// |---|---|---|
    /// | `mass` | kg | |
    /// | `momentum_x`, `momentum_y`, `momentum_z` | kg m/s | |
    /// | `angular_momentum_x`, `angular_momentum_y`, `angular_momentum_z` | kg m^2/s | about the world origin |
    /// | `kinetic_energy`, `elastic_energy` | J | |
    /// | `gravitational_energy` | J | zero when the center of mass is at the world origin |
    /// | `volume` | m^3 | current volume of all particles |
    ///
    /// Implicit steps add:
    ///
    /// | name | unit | |
    /// |---|---|---|
    /// | `newton_iterations`, `linear_iterations` | - | Newton iterations, and iterations of the linear solver in them |
    /// | `unconverged_steps` | - | steps that did not reach the tolerance |
    /// | `residual` | - | relative residual of the last step |
    pub fn quantities(&self) -> Quantities {
        let totals = diagnose(&self.params, &self.state, None);
        let mut quantities = Quantities::from([
            ("mass", totals.mass),
            ("momentum_x", totals.momentum.x),
            ("momentum_y", totals.momentum.y),
            ("momentum_z", totals.momentum.z),
            ("angular_momentum_x", totals.angular_momentum.x),
            ("angular_momentum_y", totals.angular_momentum.y),
            ("angular_momentum_z", totals.angular_momentum.z),
            ("kinetic_energy", totals.kinetic_energy),
            ("elastic_energy", totals.elastic_energy),
            ("gravitational_energy", totals.gravitational_energy),
            ("volume", totals.volume),
        ]);
        if let Integrator::Implicit(_) = self.params.integrator {
            let effort = &self.work.implicit.effort;
            quantities.extend([
                ("newton_iterations", effort.newton_iterations as f64),
                ("linear_iterations", effort.linear_iterations as f64),
                ("unconverged_steps", effort.unconverged_steps as f64),
                ("residual", effort.residual),
            ]);
        }
        quantities
    }

    /// Returns the wall time spent in each stage so far [s], in the order of a step.
    pub fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        #[cfg(feature = "gpu")]
        if let Some(device) = &self.device {
            return device.stage_seconds();
        }
        self.work.clock.seconds()
    }
}

/// Motion driven by the caller.
///
/// ```
/// # use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
/// # use fibra_mpm::{MpmSettings, MpmSim};
/// # use glam::DVec3;
/// let mut scene = MpmSim::builder(MpmSettings::default());
/// let hand = scene.add_collider(Collider {
///     name: "hand".into(),
///     shape: Shape::sphere(0.1)?,
///     rest: RigidPose::IDENTITY,
///     motion: Motion::Still,
///     contact: Contact::Separating,
///     friction: 0.3,
/// });
/// let mut sim = scene.build()?;
/// for frame in 1..=3 {
///     sim.move_collider(hand, RigidPose::at(0.01 * f64::from(frame) * DVec3::X))?;
///     sim.advance(1.0 / 24.0)?;
/// }
/// assert_eq!(sim.collider_pose(hand)?.translation, 0.03 * DVec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl MpmSim {
    /// Moves a collider uniformly to a world pose during the next [`MpmSim::advance`]. It stops there unless it is moved again. Replaces
    /// the collider's previous motion.
    pub fn move_collider(&mut self, collider: ColliderId, to: RigidPose) -> Result<(), MpmError> {
        let body = self.collider(collider)?;
        check_pose(&to)?;
        self.driving.send(body, to);
        Ok(())
    }

    /// Places a collider at a world pose at once, with zero velocity.
    pub fn place_collider(&mut self, collider: ColliderId, at: RigidPose) -> Result<(), MpmError> {
        let body = self.collider(collider)?;
        check_pose(&at)?;
        self.driving.put(&mut self.params, body, &at, self.state.time);
        Ok(())
    }

    /// Returns the world pose of a collider.
    pub fn collider_pose(&self, collider: ColliderId) -> Result<RigidPose, MpmError> {
        Ok(pose_of(&self.params, self.collider(collider)?, self.state.time))
    }

    /// Moves a pin to a pose, as [`MpmSim::move_collider`] moves a collider. The frame of a pin starts at its pivot, unrotated.
    pub fn move_pin(&mut self, pin: PinId, to: RigidPose) -> Result<(), MpmError> {
        let body = self.pin(pin)?;
        check_pose(&to)?;
        self.driving.send(body, to);
        Ok(())
    }

    /// Places a pin at a pose at once, with zero velocity; its vertices follow in the next step.
    pub fn place_pin(&mut self, pin: PinId, at: RigidPose) -> Result<(), MpmError> {
        let body = self.pin(pin)?;
        check_pose(&at)?;
        self.driving.put(&mut self.params, body, &at, self.state.time);
        Ok(())
    }

    /// Returns the pose of a pin's frame.
    pub fn pin_pose(&self, pin: PinId) -> Result<RigidPose, MpmError> {
        Ok(pose_of(&self.params, self.pin(pin)?, self.state.time))
    }

    /// Returns the first object with this name.
    pub fn find_object(&self, name: &str) -> Option<ObjectId> {
        self.params.objects.iter().position(|object| object.name == name).map(ObjectId)
    }

    /// Returns the first collider with this name.
    pub fn find_collider(&self, name: &str) -> Option<ColliderId> {
        self.params.colliders.iter().position(|collider| collider.name == name).map(ColliderId)
    }

    fn collider(&self, ColliderId(index): ColliderId) -> Result<Moved, MpmError> {
        let count = self.params.colliders.len();
        if index < count { Ok(Moved::Collider(index)) } else { Err(unknown("collider", index, count)) }
    }

    fn pin(&self, PinId(index): PinId) -> Result<Moved, MpmError> {
        let count = self.params.meshes.pins.len();
        if index < count { Ok(Moved::Pin(index)) } else { Err(unknown("pin", index, count)) }
    }
}

/// Checkpoints.
///
/// ```
/// # use fibra_mpm::{MpmSettings, MpmSim};
/// let mut sim = MpmSim::builder(MpmSettings::default()).build()?;
/// sim.advance(0.25)?;
/// let mut later = MpmSim::builder(MpmSettings::default()).build()?;
/// later.load(&sim.save())?;
/// assert_eq!(later.time(), 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl MpmSim {
    /// Saves everything needed to continue bit-exactly, except the poses of colliders and pins that the caller moves. The caller restores
    /// them with [`MpmSim::place_collider`] and [`MpmSim::place_pin`].
    pub fn save(&self) -> TensorFile<'_> {
        state_file::save(&self.state)
    }

    /// Loads a saved state of the same objects. Moving colliders and pins stop at their current poses.
    pub fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        let loaded = state_file::load(from, &self.params, self.state.particles.len())?;
        self.driving.stop(&mut self.params, self.state.time);
        self.state = loaded;
        self.work.grid_is_current = false;
        #[cfg(feature = "gpu")]
        if let Some(mut device) = self.device.take() {
            device.upload(self);
            self.device = Some(device);
        }
        Ok(())
    }
}

/// For other Fibra crates and experiments.
impl MpmSim {
    /// Returns the parameters, which are constant during a run.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the state: the contents of a checkpoint.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns scratch buffers and statistics.
    pub fn workspace(&self) -> &Workspace {
        &self.work
    }
}
