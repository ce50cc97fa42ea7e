//! Parameters and state of an elaston simulation.

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::elaston::Elaston;
use crate::friction::Slip;
use crate::gmls::{Order, Sample};
use crate::law::{Elasticity, Strains};
use crate::table::linear_field;
use fibra_core::geometry::{Collider, Motion, TriangleMesh};
use glam::{DMat3, DVec3};

/// All user settings except the bodies themselves.
#[derive(Clone, Debug)]
pub struct Params {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Origin of the simulation's coordinates, in world coordinates [m].
    pub origin: DVec3,
    /// Maximum time step [s].
    pub dt: f64,
    /// Polynomial order of the shape functions.
    pub order: Order,
    /// Support radius of samples, in units of the distance between samples [-].
    pub support: f64,
    /// Mass-proportional damping: the decay rate of all velocities [1/s].
    pub mass_damping: f64,
    /// Stiffness-proportional damping: the ratio of viscous to elastic stiffness [s].
    pub stiffness_damping: f64,
    /// Penalty stiffness of holds, in units of Young's modulus divided by the squared size of a material point [-].
    pub hold_stiffness: f64,
    /// Material and resolution of each object.
    pub objects: Vec<Substance>,
    /// Holds, with their motions.
    pub holds: Vec<Hold>,
    /// Colliders.
    pub colliders: Vec<Collider>,
    /// Contact parameters.
    pub contact: ContactLaw,
    /// Blades.
    pub blades: Vec<Blade>,
    /// Resampling during the simulation; `None`: never.
    pub resampling: Option<Resampling>,
}

/// Material and resolution of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substance {
    /// Elastic constants.
    pub elasticity: Elasticity,
    /// Density of the material [kg/m^3].
    pub density: f64,
    /// Plasticity; `None`: purely elastic.
    pub plasticity: Option<Plasticity>,
    /// Number of samples [-].
    pub samples: usize,
    /// Number of elastons [-].
    pub elastons: usize,
    /// Shape of the cross-section.
    pub section: Section,
}

/// Shape of the cross-section of an object, which determines where a bent elaston yields first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// A rectangle with the sides of the elaston.
    #[default]
    Rectangular,
    /// A disk: round wires. The elaston has the same second moments.
    Round,
}

/// Yield strain and creep rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// Elastic von Mises strain at which the material yields [-].
    pub yield_strain: f64,
    /// Rate at which elastic strain beyond the yield strain becomes plastic [1/s]; infinity means immediately.
    pub creep: f64,
}

/// Material points with a prescribed position, enforced by a penalty [Martin2010, Sec. 9.3].
#[derive(Clone, Debug)]
pub struct Hold {
    /// Indices of the material points.
    pub pieces: Vec<u32>,
    /// Positions of the material points at the start [m]. The motion is applied to these positions.
    pub starts: Vec<DVec3>,
    /// The prescribed motion.
    pub motion: Motion,
    /// Time of release [s].
    pub until: f64,
}

impl Hold {
    /// Whether the hold is never released. Material on different sides of such a hold is independent.
    pub fn is_permanent(&self) -> bool {
        self.until == f64::INFINITY
    }
}

/// Parameters of contact of the cloud's spheres with colliders and with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Contact stiffness in units of Young's modulus times the size of the material point [-].
    pub stiffness: f64,
    /// Coefficient of friction between bodies [-].
    pub friction: f64,
    /// Whether bodies collide with themselves and each other.
    pub between_bodies: bool,
}

impl Default for ContactLaw {
    /// The defaults of scene files.
    fn default() -> Self {
        ContactLaw { stiffness: 1.0, friction: 0.3, between_bodies: true }
    }
}

/// A surface that cuts the material it passes through.
#[derive(Clone, Debug)]
pub struct Blade {
    /// Shape of the blade at time 0, in world coordinates [m].
    pub surface: TriangleMesh,
    /// Motion of the blade.
    pub motion: Motion,
    /// Time at which the blade begins to cut [s].
    pub from: f64,
    /// Time at which the blade stops cutting [s].
    pub until: f64,
}

/// Resampling during the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Time between resamplings [s].
    pub interval: f64,
    /// Whether bodies that touch are merged.
    pub merge: bool,
}

/// The rest shape: the material and its discretization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matter {
    /// The material points.
    pub cloud: Cloud,
    /// Object of each material point.
    pub objects: Vec<u32>,
    /// Relative sample and elaston spacing at each material point [-], for resampling.
    pub gradings: Vec<f64>,
    /// Connectivity graph of the material points.
    pub links: Connectivity,
    /// Branch of each material point: samples and elastons do not extend beyond their branch.
    pub branches: Vec<u32>,
    /// GMLS samples, which carry the unknowns.
    pub samples: Vec<Sample>,
    /// For each sample, a material point in its support. The sample influences the material points that are connected with its anchor
    /// inside its support.
    pub anchors: Vec<u32>,
    /// Quadrature points, at which strain is measured.
    pub elastons: Vec<Elaston>,
    /// Elaston of each material point.
    pub owners: Vec<u32>,
    /// The render surface.
    pub surface: Surface,
}

/// The render surface: a mesh that moves with the material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Rest positions of its vertices [m].
    pub vertices: Vec<DVec3>,
    /// Material point of each vertex. The samples that influence this material point move the vertex.
    pub pieces: Vec<u32>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Progress of cuts; `None`: not cut yet.
    pub cuts: Option<SurfaceCuts>,
}

/// Progress of cuts through a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceCuts {
    /// First vertex created by the last cut.
    pub first_made: u32,
    /// Whether each vertex belongs to a closed part of the surface. Cuts through such a part are capped.
    pub closed: Vec<bool>,
    /// Cut edges next to a triangle that is not yet divided. Each entry has the two end vertices, and the two new
    /// vertices between them, one on each side of the cut.
    pub open_edges: Vec<[[u32; 2]; 2]>,
    /// Numbers of vertices and triangles without the temporary caps. These caps close a cut while it is in progress and
    /// are last in both lists.
    pub lasting: [u32; 2],
    /// Blades of the last cut. When other blades cut and none of these does, the last cut is complete and its caps
    /// become permanent.
    pub blades: Vec<u32>,
}

/// Everything a checkpoint holds.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Number of steps taken.
    pub steps: u64,
    /// The rest shape.
    pub matter: Matter,
    /// Displacement unknowns of the samples [m].
    pub displacements: Vec<f64>,
    /// Velocity unknowns of the samples [m/s].
    pub velocities: Vec<f64>,
    /// Plastic strains of each elaston, relative to the rest shape. Resampling changes the rest shape, and with it these strains.
    pub plastic: Vec<Strains>,
    /// Plastic strains of each elaston since the start of the simulation. They determine the hardening of bent sections.
    pub flowed: Vec<Strains>,
    /// Number of changes of the rest shape.
    pub generation: u64,
    /// Configuration at which the current preconditioner was factored; `None`: no factor yet.
    pub reference: Option<Reference>,
    /// Time of the last resampling [s]; `None`: never.
    pub sampled: Option<f64>,
    /// Slips of the contacts in the last step, in ascending order of material point and partner.
    pub slips: Vec<Slip>,
}

/// Configuration at which the preconditioner was factored, and statistics of its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Displacement unknowns at the factorization [m].
    pub displacements: Vec<f64>,
    /// Time step at the factorization [s].
    pub dt: f64,
    /// Whether each hold was active.
    pub holding: Vec<bool>,
    /// Number of iterations of the first step with this factor; `None`: not used yet.
    pub fresh: Option<u64>,
    /// Total number of additional iterations in later steps with this factor, compared with the first step.
    pub excess: u64,
    /// Expected number of additional iterations of the next first reuse of a factor: the number at the last first reuse,
    /// reduced by an eighth with each factorization.
    pub aged: u64,
    /// Whether factorization needs double precision.
    pub double: bool,
}

impl State {
    /// Creates the state of a rest shape at rest.
    pub fn new(order: Order, matter: Matter) -> State {
        let unknowns = 3 * order.functions() * matter.samples.len();
        State {
            displacements: vec![0.0; unknowns],
            velocities: vec![0.0; unknowns],
            plastic: vec![Strains::ZERO; matter.elastons.len()],
            flowed: vec![Strains::ZERO; matter.elastons.len()],
            matter,
            ..State::default()
        }
    }

    /// Sets the velocity of the samples that are anchored in an object to `v + w x (x - c)`. `v` is the velocity [m/s],
    /// `w` the angular velocity [rad/s] and `c` the center relative to the simulation origin [m].
    pub fn set_rigid_velocity(&mut self, order: Order, object: u32, [velocity, spin, center]: [DVec3; 3]) {
        let unknowns = 3 * order.functions();
        // The velocity as a linear field in x.
        let turning = DMat3::from_cols(spin.cross(DVec3::X), spin.cross(DVec3::Y), spin.cross(DVec3::Z));
        let shift = velocity - spin.cross(center);
        let start = linear_field(order, &self.matter.samples, shift, turning);
        for (sample, &anchor) in self.matter.anchors.iter().enumerate() {
            if self.matter.objects[anchor as usize] == object {
                let own = unknowns * sample..unknowns * (sample + 1);
                self.velocities[own.clone()].copy_from_slice(&start[own]);
            }
        }
    }
}
