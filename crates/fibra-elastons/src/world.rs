//! What a run of elastons consists of: what the user set, and what it continues from.

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::elaston::Elaston;
use crate::gmls::{Order, Sample};
use crate::law::{Elasticity, Strains};
use crate::table::linear_field;
use fibra_core::geometry::{Collider, Motion, TriangleMesh};
use glam::{DMat3, DVec3};

/// Everything the user set besides the bodies themselves.
#[derive(Clone, Debug)]
pub struct Params {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// The point that coordinates start from [m].
    pub origin: DVec3,
    /// Longest step [s].
    pub dt: f64,
    /// Degree of the displacement's polynomials.
    pub order: Order,
    /// Radius of influence of samples, in distances between them [-].
    pub support: f64,
    /// Share of its velocity that everything loses per second [1/s].
    pub mass_damping: f64,
    /// Time in which strain's change resists as the strain does [s].
    pub stiffness_damping: f64,
    /// The objects: what they are made of, and how finely they are sampled.
    pub objects: Vec<Substance>,
    /// What is held, and how it moves.
    pub holds: Vec<Hold>,
    /// What they bump into.
    pub colliders: Vec<Collider>,
    /// How contacts are.
    pub contact: ContactLaw,
    /// What cuts them.
    pub blades: Vec<Blade>,
    /// How often bodies are sampled anew [s]; none: never.
    pub resampling: Option<Resampling>,
}

/// What an object is made of and how finely it is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substance {
    /// Its stiffness.
    pub elasticity: Elasticity,
    /// Its density [kg/m^3].
    pub density: f64,
    /// How it yields; none: it is elastic.
    pub plasticity: Option<Plasticity>,
    /// Number of samples [-].
    pub samples: usize,
    /// Number of elastons [-].
    pub elastons: usize,
}

/// When and how quickly strain becomes permanent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// Elastic strain (von Mises's, of the deviator) up to which nothing yields [-].
    pub yield_strain: f64,
    /// Rate at which strain beyond it becomes permanent [1/s]; infinite: at once.
    pub creep: f64,
}

/// Pieces that are held: a penalty on their distance from where they should be [Martin2010, Sec. 9.3].
#[derive(Clone, Debug)]
pub struct Hold {
    /// The pieces of the cloud.
    pub pieces: Vec<u32>,
    /// Where each was at the start [m]; the motion takes it from there.
    pub starts: Vec<DVec3>,
    /// How they move.
    pub motion: Motion,
    /// When they are let go [s].
    pub until: f64,
}

/// Contact of the balls of the cloud with colliders and with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Stiffness of a contact in units of Young's modulus times the size of the piece [-].
    pub stiffness: f64,
    /// Coefficient of friction between bodies [-].
    pub friction: f64,
    /// Whether bodies collide with themselves and each other.
    pub between_bodies: bool,
}

impl Default for ContactLaw {
    /// That of scene files.
    fn default() -> Self {
        ContactLaw { stiffness: 1.0, friction: 0.3, between_bodies: true }
    }
}

/// A surface that parts what it passes through.
#[derive(Clone, Debug)]
pub struct Blade {
    /// Its shape at time 0, in the coordinates of the world [m].
    pub surface: TriangleMesh,
    /// How it moves.
    pub motion: Motion,
    /// When it begins to cut [s].
    pub from: f64,
    /// When it stops [s].
    pub until: f64,
}

/// Sampling anew while running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Time from one to the next [s].
    pub interval: f64,
    /// Whether bodies that touch become one.
    pub merge: bool,
}

/// The rest state: the material and how it is sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matter {
    /// The pieces of material.
    pub cloud: Cloud,
    /// Index of the object each piece belongs to.
    pub objects: Vec<u32>,
    /// Which pieces hang together.
    pub links: Connectivity,
    /// The places that carry unknowns.
    pub samples: Vec<Sample>,
    /// For each sample a piece in its ball: what hangs together with it inside of the ball is under its influence.
    pub anchors: Vec<u32>,
    /// The places where strain is measured.
    pub elastons: Vec<Elaston>,
    /// The elaston each piece belongs to.
    pub owners: Vec<u32>,
    /// What is drawn.
    pub surface: Surface,
}

/// A mesh that follows the material: what is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Where its vertices are in the rest state [m].
    pub vertices: Vec<DVec3>,
    /// The piece each vertex moves with: what has influence on the piece moves the vertex.
    pub pieces: Vec<u32>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// What cuts have begun to do to it; none: nothing has been cut.
    pub cuts: Option<SurfaceCuts>,
}

/// What is left to do at a surface that is being cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceCuts {
    /// The first vertex that was made by the last cut.
    pub first_made: u32,
    /// Whether each vertex is of a part of the surface that encloses a volume: where that is cut, it is closed.
    pub closed: Vec<bool>,
    /// Edges that are cut while a triangle beside them is not: two vertices, and those made between them, each on its
    /// own side.
    pub open_edges: Vec<[[u32; 2]; 2]>,
    /// Numbers of vertices and triangles without the faces at the end, which close a cut for as long as it goes on.
    pub lasting: [u32; 2],
    /// The blades of the last cut: once only others cut, it is done, and all faces last.
    pub blades: Vec<u32>,
}

/// Everything a run continues from.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// The rest state.
    pub matter: Matter,
    /// Displacements [m], as unknowns of the samples.
    pub displacements: Vec<f64>,
    /// Their rates [m/s].
    pub velocities: Vec<f64>,
    /// Strains that have become permanent, of each elaston.
    pub plastic: Vec<Strains>,
    /// How often the rest state has changed.
    pub generation: u64,
    /// What the matrix in use was made of; none: there is none yet.
    pub reference: Option<Reference>,
    /// When bodies were last sampled anew [s]; none: never.
    pub sampled: Option<f64>,
}

/// What the factored matrix, which steps are solved with, was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Displacements then [m].
    pub displacements: Vec<f64>,
    /// Length of the step then [s].
    pub dt: f64,
    /// Which holds held then.
    pub holding: Vec<bool>,
    /// Iterations that its first step took; none: it has not been used yet.
    pub fresh: Option<u64>,
    /// Iterations that its age has cost since.
    pub excess: u64,
    /// Iterations that a step took that was the first to use an old factor: what the next is expected to take.
    pub aged: u64,
    /// Whether it takes double precision to factor such matrices.
    pub double: bool,
}

impl State {
    /// A rest state at rest.
    pub fn new(order: Order, matter: Matter) -> State {
        let unknowns = 3 * order.functions() * matter.samples.len();
        State {
            displacements: vec![0.0; unknowns],
            velocities: vec![0.0; unknowns],
            plastic: vec![Strains::ZERO; matter.elastons.len()],
            matter,
            ..State::default()
        }
    }

    /// Gives the samples of an object, those with an anchor in it, the velocity `v + w x (x - c)`, with `[v, w, c]` = `motion`: velocity [m/s],
    /// angular velocity [rad/s] and center, relative to the run origin [m].
    pub fn set_rigid_velocity(&mut self, order: Order, object: u32, [velocity, spin, center]: [DVec3; 3]) {
        let unknowns = 3 * order.functions();
        // As a field that is linear in x.
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
