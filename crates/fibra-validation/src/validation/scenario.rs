//! Common setup of the MPM cases: one body or a few meshes of one material, with colliders.

use fibra_core::geometry::sampling::{Pattern, fill};
use fibra_core::geometry::{Bounds, Collider, Contact, Motion, RigidPose, Shape};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_mpm::internals::builder::Builder;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::{Particles, State};
use fibra_mpm::internals::step::{start, step};
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::materials::{FixedCorotated, Lame, Material};
use fibra_scene::setup::origin_of;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Gravity in every case [m/s^2].
pub const G: f64 = 9.81;

/// A body of one material.
pub struct Body {
    /// Shape in its own frame.
    pub shape: Shape,
    /// Pose of the shape in the world.
    pub pose: RigidPose,
    /// Material and density.
    pub substance: Substance,
}

/// A small simulation of one substance.
pub struct Scenario {
    /// Parameters: gravity along -y, quadratic splines and undamped APIC, unless a case changes them.
    pub params: Params,
    /// The particles, relative to the run origin.
    pub state: State,
    work: Workspace,
}

impl Scenario {
    /// Fills a body with a lattice of eight particles per cell of width `dx` [m], at rest.
    pub fn new(dx: f64, body: Body) -> Result<Scenario, String> {
        let center = body.pose.translation;
        // The origin is chosen by the same rule as in scenes.
        let origin = origin_of(&Bounds { min: center, max: center }, dx);
        let pose = RigidPose { translation: body.pose.translation - origin, ..body.pose };
        let samples = fill(&body.shape, 0.5 * dx, &pose, 0, Pattern::Lattice).map_err(|e| e.to_string())?;
        let n = samples.points.len();
        let volume = samples.particle_volume();
        let particles = Particles {
            x: samples.points.iter().map(|x| x.as_vec3().to_array()).collect(),
            v: vec![[0.0; 3]; n],
            c: vec![Mat3::ZERO; n],
            f: vec![Mat3::IDENTITY; n],
            tau: vec![Sym3::default(); n],
            pull: Vec::new(),
            memory: vec![0.0; n],
            alignment: Vec::new(),
            mass: vec![(volume * f64::from(body.substance.density)) as f32; n],
            volume: vec![volume as f32; n],
            kind: vec![Kind::Point; n],
            object: vec![0; n],
            id: (0..n as u32).collect(),
        };
        let params = settings(dx, body.substance, origin);
        Ok(Scenario { params, state: State { particles, ..State::default() }, work: Workspace::default() })
    }

    /// Meshes of one substance, near the world's origin, on a grid of cells of width `dx` [m].
    pub fn of_meshes(dx: f64, substance: Substance, builder: Builder) -> Scenario {
        let (state, meshes) = builder.finish();
        let params = Params { meshes, ..settings(dx, substance, DVec3::ZERO) };
        Scenario { params, state, work: Workspace::default() }
    }

    /// Keeps only the particles whose positions satisfy a condition [m, relative to the run origin].
    pub fn retain(&mut self, condition: impl Fn(DVec3) -> bool) {
        let kept: Vec<bool> = (0..self.state.particles.len()).map(|p| condition(self.position(p))).collect();
        let p = &mut self.state.particles;
        keep(&mut p.x, &kept);
        keep(&mut p.v, &kept);
        keep(&mut p.c, &kept);
        keep(&mut p.f, &kept);
        keep(&mut p.tau, &kept);
        keep(&mut p.memory, &kept);
        keep(&mut p.mass, &kept);
        keep(&mut p.volume, &kept);
        keep(&mut p.kind, &kept);
        keep(&mut p.object, &kept);
        p.id = (0..p.x.len() as u32).collect();
    }

    /// Adds a plane through `point` [m]. The side opposite to the normal is solid.
    pub fn add_plane(&mut self, point: DVec3, normal: Vec3, contact: Contact, friction: f32) -> Result<(), String> {
        self.params.colliders.push(Collider {
            name: "plane".to_owned(),
            shape: Shape::plane(Vec3::ZERO, normal).map_err(|e| e.to_string())?,
            rest: RigidPose::at(point),
            motion: Motion::Still,
            contact,
            friction,
        });
        Ok(())
    }

    /// Takes one step, which ends at `until` [s] at the latest. Returns its length [s].
    pub fn step(&mut self, until: f64) -> Result<f64, String> {
        if self.state.runs.is_empty() {
            start(&self.params, &mut self.state);
        }
        step(&self.params, &mut self.state, &mut self.work, until).map_err(|e| format!("{} in {}", e, e.stage()))
    }

    /// Steps until time `until` [s].
    pub fn advance(&mut self, until: f64) -> Result<(), String> {
        while self.state.time < until {
            self.step(until)?;
        }
        Ok(())
    }

    /// Twice the kinetic energy, without the energy of affine velocities [J].
    pub fn motion(&self) -> f64 {
        self.mass_weighted(|p| DVec3::X * self.velocity(p).length_squared()).x
    }

    /// Takes one step toward equilibrium. If the kinetic energy has decreased, an oscillation has passed its center,
    /// and all velocities are set to zero. Returns whether they were set to zero. Colliders and pins must not move.
    pub fn relax(&mut self) -> Result<bool, String> {
        let before = self.motion();
        self.step(f64::INFINITY)?;
        let falls = self.motion() < before;
        if falls {
            self.state.particles.v.fill([0.0; 3]);
            self.state.particles.c.fill(Mat3::ZERO);
            self.state.rods.spin.fill(0.0);
        }
        Ok(falls)
    }

    /// Sum of `quantity(p)` times the mass of particle `p` over all particles.
    pub fn mass_weighted(&self, quantity: impl Fn(usize) -> DVec3) -> DVec3 {
        (0..self.state.particles.len()).map(|p| quantity(p) * f64::from(self.state.particles.mass[p])).sum()
    }

    /// Total mass [kg].
    pub fn mass(&self) -> f64 {
        self.state.particles.mass.iter().map(|&m| f64::from(m)).sum()
    }

    /// Center of mass relative to the run origin [m].
    pub fn center_of_mass(&self) -> DVec3 {
        self.mass_weighted(|p| self.position(p)) / self.mass()
    }

    /// Position of particle `p`, relative to the run origin [m].
    pub fn position(&self, p: usize) -> DVec3 {
        Vec3::from(self.state.particles.x[p]).as_dvec3()
    }

    /// Positions of the particles with the given numbers, in the order of the numbers [m, relative to the run origin].
    pub fn positions_of(&self, numbers: Range<u32>) -> Vec<DVec3> {
        let mut positions = vec![DVec3::ZERO; numbers.len()];
        for (p, id) in self.state.particles.id.iter().enumerate() {
            if numbers.contains(id) {
                positions[(id - numbers.start) as usize] = self.position(p);
            }
        }
        positions
    }

    /// Velocity of particle `p` [m/s].
    pub fn velocity(&self, p: usize) -> DVec3 {
        Vec3::from(self.state.particles.v[p]).as_dvec3()
    }
}

/// Default parameters of all cases.
fn settings(dx: f64, substance: Substance, origin: DVec3) -> Params {
    Params {
        dx: dx as f32,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0, -G as f32, 0.0],
        integrator: Integrator::Explicit,
        meshes: Meshes::default(),
        limits: StepLimits { cfl: 0.5, sound_cfl: 0.4, max_dt: 1e-3, min_dt: 1e-9 },
        objects: vec![Object { name: "body".to_owned(), material: 0 }],
        substances: vec![substance],
        grains: Vec::new(),
        colliders: Vec::new(),
        origin,
    }
}

fn keep<T>(field: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    field.retain(|_| *kept.next().expect("a flag for every particle"));
}

/// A soft rubber-like material.
pub fn jelly(youngs_modulus: f64, poisson_ratio: f64) -> Substance {
    let lame = Lame::new(youngs_modulus, poisson_ratio);
    Substance { material: Material::FixedCorotated(FixedCorotated { lame }), density: 1000.0 }
}

/// A ball of jelly, 0.4 m across.
pub fn jelly_ball(center: DVec3) -> Result<Body, String> {
    let shape = Shape::sphere(0.2).map_err(|e| e.to_string())?;
    Ok(Body { shape, pose: RigidPose::at(center), substance: jelly(1e5, 0.3) })
}

/// A box with the given half edge lengths [m].
pub fn block(half_extents: Vec3, pose: RigidPose, substance: Substance) -> Result<Body, String> {
    let shape = Shape::cuboid(half_extents).map_err(|e| e.to_string())?;
    Ok(Body { shape, pose, substance })
}
