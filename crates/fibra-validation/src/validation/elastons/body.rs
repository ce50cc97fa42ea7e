//! Cuboids of elastons for validation cases.

use fibra_core::geometry::{Motion, RigidPose};
use fibra_elastons::internals::fill::cuboid;
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::Elasticity;
use fibra_elastons::internals::matter::Body;
use fibra_elastons::internals::measures::Totals;
use fibra_elastons::internals::statics::approach_equilibrium;
use fibra_elastons::internals::step::step;
use fibra_elastons::internals::workspace::Workspace;
use fibra_elastons::internals::world::{ContactLaw, Hold, Matter, Params, Plasticity, Section, State, Substance};
use glam::{DVec3, UVec3};

/// Density of all bodies [kg/m^3].
pub const DENSITY: f64 = 1000.0;
/// Support radius of samples, relative to their spacing [-]: the default of scenes.
pub const SUPPORT: f64 = 1.6;

/// A cuboid with a corner at the origin.
#[derive(Clone, Copy)]
pub struct Cuboid {
    /// Side lengths [m].
    pub sides: DVec3,
    /// Number of material points along each side.
    pub cells: UVec3,
    /// Number of samples.
    pub samples: usize,
    /// Number of elastons.
    pub elastons: usize,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio [-].
    pub poisson: f64,
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Order of the displacement polynomials.
    pub order: Order,
    /// Plasticity, if any.
    pub plasticity: Option<Plasticity>,
}

impl Cuboid {
    /// Point cloud of the cuboid, with its lowest corner at `corner` [m].
    pub fn body(&self, object: u32, corner: DVec3) -> Result<Body, String> {
        let pose = RigidPose::at(corner + 0.5 * self.sides);
        let cloud = cuboid(self.sides, self.cells.to_array(), &pose).map_err(|error| error.to_string())?;
        let objects = vec![object; cloud.points.len()];
        Ok(Body { cloud, objects, samples: self.samples, elastons: self.elastons, grading: None })
    }

    /// Material and discretization of the cuboid.
    pub fn substance(&self) -> Substance {
        Substance {
            elasticity: Elasticity { young: self.young, poisson: self.poisson },
            density: DENSITY,
            plasticity: self.plasticity,
            samples: self.samples,
            elastons: self.elastons,
            section: Section::Rectangular,
        }
    }

    /// A world with only this cuboid.
    pub fn at_rest(&self) -> Result<World, String> {
        World::new(&[self.body(0, DVec3::ZERO)?], vec![self.substance()], self.gravity, self.order)
    }
}

/// Bodies with their parameters and state.
pub struct World {
    /// Parameters.
    pub params: Params,
    /// State.
    pub state: State,
}

impl World {
    /// Bodies at rest.
    pub fn new(bodies: &[Body], objects: Vec<Substance>, gravity: DVec3, order: Order) -> Result<World, String> {
        let matter = Matter::sample(bodies, SUPPORT).map_err(|(_, flaw)| flaw.to_string())?;
        let params = Params {
            gravity,
            origin: DVec3::ZERO,
            dt: 0.01,
            order,
            support: SUPPORT,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            hold_stiffness: 1000.0,
            objects,
            holds: Vec::new(),
            colliders: Vec::new(),
            contact: ContactLaw { stiffness: 1.0, friction: 0.0, between_bodies: false },
            blades: Vec::new(),
            resampling: None,
        };
        Ok(World { state: State::new(order, matter), params })
    }

    /// Holds the material points whose rest positions satisfy `inside`, until a time [s].
    pub fn hold(&mut self, inside: impl Fn(DVec3) -> bool, motion: Motion, until: f64) {
        let points = &self.state.matter.cloud.points;
        let pieces: Vec<u32> = (0..points.len() as u32).filter(|&piece| inside(points[piece as usize])).collect();
        let starts = pieces.iter().map(|&piece| points[piece as usize]).collect();
        self.params.holds.push(Hold { pieces, starts, motion, until });
    }

    /// A workspace for stepping.
    pub fn workspace(&self) -> Result<Workspace, String> {
        Workspace::new(&self.params, &self.state).map_err(|error| error.to_string())
    }

    /// Brings the bodies to static equilibrium. The loads must be small.
    pub fn settle(&mut self) -> Result<Workspace, String> {
        let mut work = self.workspace()?;
        approach_equilibrium(&self.params, &mut self.state, &mut work).map_err(|error| error.to_string())?;
        Ok(work)
    }

    /// Steps until a time [s].
    pub fn run(&mut self, work: &mut Workspace, until: f64) -> Result<(), String> {
        while self.state.time < until {
            step(&self.params, &mut self.state, work, until).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Displacement of the material point nearest to a rest position [m].
    pub fn displacement(&self, work: &Workspace, place: DVec3) -> DVec3 {
        work.discretization.pieces.read(self.nearest(place), &self.state.displacements)[0]
    }

    /// The material point nearest to a rest position.
    pub fn nearest(&self, place: DVec3) -> usize {
        let points = &self.state.matter.cloud.points;
        let distance = |piece: usize| points[piece].distance_squared(place);
        (0..points.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// Total mass, momentum and energy.
    pub fn totals(&self, work: &Workspace) -> Totals {
        Totals::new(&self.params, &self.state, &work.discretization, |_| true)
    }
}
