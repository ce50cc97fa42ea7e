//! The simulation object, which the caller advances in a loop.

use crate::body_measures::Measures;
use crate::builder::{ColliderId, ElastonBuilder, HoldId};
use crate::discretization::Uncovered;
use crate::drive::{Drive, Drives, hold_pose, move_hold, place_collider};
use crate::error::{ElastonError, OutOfRange};
use crate::object::{ObjectId, check_pose};
use crate::settings::ElastonSettings;
use crate::statics::approach_equilibrium;
use crate::step::step;
use crate::workspace::Workspace;
use crate::world::{Params, State};
use crate::{forces, state_file};
use fibra_core::Quantities;
use fibra_core::geometry::RigidPose;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use glam::DVec3;

/// Maximum number of Newton iterations in the search for an equilibrium.
const MAX_NEWTON_ITERATIONS: usize = 100;

/// A simulation of rods, shells and solids made of elastons, with holds, blades and colliders.
///
/// ```
/// use fibra_core::geometry::RigidPose;
/// use fibra_elastons::{ElastonSettings, ElastonSim, ElastonObject};
/// use glam::DVec3;
///
/// let mut builder = ElastonSim::builder(ElastonSettings { mass_damping: 5.0, ..ElastonSettings::default() });
/// let beam = builder.add(ElastonObject::cuboid(DVec3::new(0.5, 0.02, 0.02), RigidPose::IDENTITY, 0.02))?;
/// let clamp = builder.hold(beam, |x| x.x < -0.22)?;
/// let mut sim = builder.build()?;
/// // The clamp goes up by 10 cm, uniformly, during the next 0.1 s, and stays there.
/// sim.move_hold(clamp, RigidPose::at(sim.hold_pose(clamp)?.translation + 0.1 * DVec3::Y))?;
/// sim.advance(0.1)?;
/// sim.advance(0.1)?;
/// assert!((sim.time() - 0.2).abs() < 1e-12);
/// assert!((sim.positions()[0].y - 0.1).abs() < 1e-3);
/// # Ok::<(), fibra_elastons::ElastonError>(())
/// ```
pub struct ElastonSim {
    params: Params,
    state: State,
    work: Workspace,
    drives: Drives,
}

/// The render surface: triangles that move with the material.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderSurface {
    /// World positions of its vertices [m].
    pub vertices: Vec<DVec3>,
    /// Its triangles, counterclockwise seen from outside on closed parts.
    pub triangles: Vec<[u32; 3]>,
    /// The object of each vertex.
    pub objects: Vec<ObjectId>,
}

impl ElastonSim {
    /// Returns a builder that collects objects, holds, colliders and blades.
    pub fn builder(settings: ElastonSettings) -> ElastonBuilder {
        ElastonBuilder::new(settings)
    }

    /// Creates a simulation from parameters and a state, as other Fibra crates do. The frame of a hold is at the centroid of its material
    /// points.
    pub fn from_parts(params: Params, state: State) -> Result<ElastonSim, Uncovered> {
        let centroid = |starts: &[DVec3]| starts.iter().sum::<DVec3>() / starts.len().max(1) as f64;
        let frames = params.holds.iter().map(|hold| RigidPose::at(params.origin + centroid(&hold.starts))).collect();
        Self::start(params, state, frames)
    }

    pub(crate) fn start(params: Params, state: State, frames: Vec<RigidPose>) -> Result<ElastonSim, Uncovered> {
        let work = Workspace::new(&params, &state)?;
        let drives = Drives::new(&params, frames);
        Ok(ElastonSim { params, state, work, drives })
    }

    /// Advances by `dt` [s] in as many steps as needed and ends exactly at `time() + dt`. Colliders and holds with a pending motion arrive
    /// at the end.
    pub fn advance(&mut self, dt: f64) -> Result<(), ElastonError> {
        OutOfRange::positive("dt", dt, "above 0 s and finite")?;
        let end = self.time() + dt;
        while self.time() < end {
            self.step(end)?;
        }
        Ok(())
    }

    /// Takes one step that ends at `until` [s] at the latest, and returns its length [s]. Colliders and holds with a
    /// pending motion arrive at the time `until` of the first step after the request.
    pub fn step(&mut self, until: f64) -> Result<f64, ElastonError> {
        let now = self.state.time;
        OutOfRange::unless(until > now && until.is_finite(), "until", until, "later than `time()`, in s")?;
        let until = self.drives.begin(&mut self.params, self.state.sampled, now, until);
        Ok(step(&self.params, &mut self.state, &mut self.work, until)?)
    }

    /// Finds the static equilibrium under gravity and holds at the current time by Newton's method, and sets velocities to zero. Stops when
    /// no unknown changes by more than `tolerance` [m]. Ignores contacts and plastic flow. Returns the number of iterations.
    pub fn find_equilibrium(&mut self, tolerance: f64) -> Result<usize, ElastonError> {
        OutOfRange::positive("tolerance", tolerance, "above 0 m and finite")?;
        self.state.velocities.fill(0.0);
        let mut change = f64::INFINITY;
        for iteration in 1..=MAX_NEWTON_ITERATIONS {
            change = approach_equilibrium(&self.params, &mut self.state, &mut self.work)?;
            if change <= tolerance {
                return Ok(iteration);
            }
        }
        Err(ElastonError::NoEquilibrium { iterations: MAX_NEWTON_ITERATIONS, change })
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// World positions of all material points [m], object by object in the order of addition. Within an object,
    /// material points keep their order. Material points that resampling creates come last.
    pub fn positions(&self) -> Vec<DVec3> {
        let positions = self.measures().piece_positions();
        self.order().into_iter().map(|piece| self.params.origin + positions[piece]).collect()
    }

    /// Velocities of all material points [m/s], in the order of [`ElastonSim::positions`].
    pub fn velocities(&self) -> Vec<DVec3> {
        let velocities = self.measures().piece_velocities();
        self.order().into_iter().map(|piece| velocities[piece]).collect()
    }

    /// Index range of an object's material points in [`ElastonSim::positions`]; empty for an unknown object.
    pub fn pieces(&self, object: ObjectId) -> std::ops::Range<usize> {
        let objects = &self.state.matter.objects;
        let count = |is: &dyn Fn(usize) -> bool| objects.iter().filter(|&&own| is(own as usize)).count();
        let first = count(&|own| own < object.0);
        first..first + count(&|own| own == object.0)
    }

    /// Returns the render surface in world coordinates.
    pub fn surface(&self) -> RenderSurface {
        let (matter, origin) = (&self.state.matter, self.params.origin);
        let object = |&piece: &u32| ObjectId(matter.objects[piece as usize] as usize);
        RenderSurface {
            vertices: self.measures().surface_positions().into_iter().map(|vertex| origin + vertex).collect(),
            triangles: matter.surface.triangles.clone(),
            objects: matter.surface.pieces.iter().map(object).collect(),
        }
    }

    /// Conserved and diagnostic quantities by name, in SI units, as in `run.json`.
    ///
    /// | name | unit | |
    /// |---|---|---|
    /// | `mass` | kg | |
    /// | `momentum_x`, `momentum_y`, `momentum_z` | kg m/s | |
    /// | `angular_momentum_x`, `angular_momentum_y`, `angular_momentum_z` | kg m^2/s | about the simulation origin |
    /// | `kinetic_energy`, `elastic_energy` | J | |
    /// | `gravitational_energy` | J | zero when the center of mass is at the simulation origin |
    /// | `volume` | m^3 | current volume of all elastons |
    /// | `parts` | - | connected parts: more than the number of objects after cuts or tears |
    /// | `samples`, `elastons` | - | numbers of samples and elastons |
    /// | `contacts`, `most_contacts` | - | number of contacts in the last step, and its maximum over all steps |
    /// | `iterations`, `factors` | - | number of conjugate gradient iterations, and number of factorizations |
    pub fn quantities(&self) -> Quantities {
        self.measures().quantities(&self.work.account)
    }

    /// Force of a hold on its material points [N]; zero after its release.
    pub fn hold_force(&self, hold: HoldId) -> Result<DVec3, ElastonError> {
        self.check_hold(hold)?;
        if self.state.time > self.params.holds[hold.0].until {
            return Ok(DVec3::ZERO);
        }
        Ok(forces::hold_force(&self.params, &self.state, &self.work.discretization, hold.0))
    }

    /// Current world pose of a collider.
    pub fn collider_pose(&self, collider: ColliderId) -> Result<RigidPose, ElastonError> {
        self.check_collider(collider)?;
        Ok(self.params.colliders[collider.0].body(self.state.time).0)
    }

    /// Current world pose of a hold's frame.
    pub fn hold_pose(&self, hold: HoldId) -> Result<RigidPose, ElastonError> {
        self.check_hold(hold)?;
        Ok(hold_pose(&self.params.holds[hold.0], &self.drives.frames[hold.0], self.state.time))
    }

    /// Moves a collider to a world pose at constant velocity during the next [`ElastonSim::advance`]. This replaces any other motion. The
    /// collider stops there unless it is moved again.
    pub fn move_collider(&mut self, collider: ColliderId, pose: RigidPose) -> Result<(), ElastonError> {
        self.check_collider(collider)?;
        check_pose(&pose)?;
        self.drives.colliders[collider.0] = Drive::Pending(pose);
        Ok(())
    }

    /// Sets the world pose of a collider at once, without velocity.
    pub fn place_collider(&mut self, collider: ColliderId, pose: RigidPose) -> Result<(), ElastonError> {
        self.check_collider(collider)?;
        check_pose(&pose)?;
        self.drives.colliders[collider.0] = Drive::None;
        place_collider(&mut self.params.colliders[collider.0], &pose, self.state.time);
        Ok(())
    }

    /// Moves the frame of a hold, with its material points, to a world pose at constant velocity during the next [`ElastonSim::advance`].
    /// This replaces any other motion. The hold stops there unless it is moved again.
    pub fn move_hold(&mut self, hold: HoldId, pose: RigidPose) -> Result<(), ElastonError> {
        self.check_hold(hold)?;
        check_pose(&pose)?;
        self.drives.holds[hold.0] = Drive::Pending(pose);
        Ok(())
    }

    /// Sets the world pose of a hold's frame at once. Its material points follow in the next step.
    pub fn place_hold(&mut self, hold: HoldId, pose: RigidPose) -> Result<(), ElastonError> {
        self.check_hold(hold)?;
        check_pose(&pose)?;
        let (now, frame) = (self.state.time, self.drives.frames[hold.0]);
        self.drives.holds[hold.0] = Drive::None;
        move_hold(&mut self.params.holds[hold.0], &frame, &pose, self.state.sampled, [now, now]);
        Ok(())
    }

    /// Returns the complete state, bitwise exact. The poses of colliders and holds moved by the caller are not included.
    pub fn save(&self) -> TensorFile<'static> {
        state_file::save(&self.state)
    }

    /// Restores a saved state of a simulation that was built in the same way. The caller must restore the poses of
    /// colliders and holds that the caller has moved, with [`ElastonSim::place_collider`] and
    /// [`ElastonSim::place_hold`]. On error, nothing changes.
    pub fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        let state = state_file::load(from, &self.params)?;
        // States that a simulation saved can always be tabulated; any other state is malformed.
        self.work = Workspace::new(&self.params, &state)
            .map_err(|error| TensorFault::Malformed(format!("the samples do not cover the material: {error}")))?;
        self.state = state;
        self.drives.clear();
        Ok(())
    }

    /// Wall time spent in each stage so far [s], in the order of a step.
    pub fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.work.account.clock.seconds()
    }

    /// All user settings.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The state that a checkpoint holds.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Tables, factors and statistics.
    pub fn workspace(&self) -> &Workspace {
        &self.work
    }

    /// Strains, volumes and part counts, of all objects or of single ones.
    pub fn measures(&self) -> Measures<'_> {
        Measures { params: &self.params, state: &self.state, tables: &self.work.discretization }
    }

    /// Indices of the material points in the caller's order.
    fn order(&self) -> Vec<usize> {
        let objects = &self.state.matter.objects;
        let mut order: Vec<usize> = (0..objects.len()).collect();
        order.sort_by_key(|&piece| objects[piece]);
        order
    }

    fn check_hold(&self, hold: HoldId) -> Result<(), ElastonError> {
        let (index, count) = (hold.0, self.params.holds.len());
        if index < count { Ok(()) } else { Err(ElastonError::Unknown { what: "hold", index, count }) }
    }

    fn check_collider(&self, collider: ColliderId) -> Result<(), ElastonError> {
        let (index, count) = (collider.0, self.params.colliders.len());
        if index < count { Ok(()) } else { Err(ElastonError::Unknown { what: "collider", index, count }) }
    }
}
