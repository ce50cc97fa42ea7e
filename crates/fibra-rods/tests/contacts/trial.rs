//! Small test scenes, built by hand.

use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_core::random::CounterRng;
use fibra_rods::internals::ball::Ball;
use fibra_rods::internals::body::Body;
use fibra_rods::internals::fixed::FixedRod;
use fibra_rods::internals::mass_spring::MassSpring;
use fibra_rods::internals::rod::{RodParams, StepContext};
use fibra_rods::internals::step::{Prepared, prepare, step};
use fibra_rods::internals::world::{Params, State, Workspace};
use fibra_rods::{End, RodMaterial, RodSettings, Surface};
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::PI;

/// Time step [s].
pub const DT: f64 = 1e-3;
/// Radius of the rods [m].
pub const RADIUS: f64 = 1e-3;
/// Density of all bodies [kg/m^3].
pub const DENSITY: f64 = 1000.0;
/// Standard gravity, downward [m/s^2].
pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A small simulation of bodies and colliders.
pub struct Trial {
    pub params: Params,
    pub state: State,
    pub workspace: Workspace,
}

impl Trial {
    /// Creates an empty trial.
    pub fn new(gravity: DVec3) -> Trial {
        let settings = RodSettings { gravity, dt: DT, ..RodSettings::default() };
        let params = Params { settings, ..Params::default() };
        Trial { params, state: State::default(), workspace: Workspace::default() }
    }

    fn add(&mut self, body: Body, friction: f64) {
        self.state.bodies.push(body);
        self.params.surfaces.push(Surface { friction, restitution: 0.0 });
    }

    /// Adds a rod of twenty segments, given its middle, the vector from there to its end, and its velocity.
    pub fn add_rod(&mut self, middle: DVec3, half: DVec3, velocity: DVec3, friction: f64) {
        let params = rod(middle, half, RADIUS, velocity);
        self.add(Body::Rod(Box::new(MassSpring::new(params, DVec3::ZERO).unwrap())), friction);
    }

    /// Adds a fixed rod.
    pub fn add_rail(&mut self, middle: DVec3, half: DVec3, radius: f64, friction: f64) {
        let params = rod(middle, half, radius, DVec3::ZERO);
        self.add(Body::Rod(Box::new(FixedRod::new(params, vec![Motion::Still], DVec3::ZERO).unwrap())), friction);
    }

    /// Adds a ball.
    pub fn add_ball(&mut self, center: DVec3, radius: f64, velocity: DVec3, friction: f64) {
        let [x, y, z] = velocity.to_array();
        let ball = Ball {
            radius,
            mass: DENSITY * 4.0 / 3.0 * PI * radius.powi(3),
            drag: 0.0,
            center,
            rotation: DQuat::IDENTITY,
            velocity: [x, y, z, 0.0, 0.0, 0.0],
        };
        self.add(Body::Ball(ball), friction);
    }

    /// Adds a plate of the given thickness [m], with its upper side at `y = 0`.
    pub fn add_plate(&mut self, thickness: f64, friction: f32) {
        self.params.colliders.push(Collider {
            name: "plate".to_owned(),
            shape: Shape::cuboid(Vec3::new(1.0, 0.5 * thickness as f32, 1.0)).unwrap(),
            rest: RigidPose::at(DVec3::new(0.0, -0.5 * thickness, 0.0)),
            motion: Motion::Still,
            contact: Contact::Separating,
            friction,
        });
    }

    /// Advances by one full time step.
    pub fn step(&mut self) {
        let until = self.state.time + DT;
        step(&self.params, &mut self.state, &mut self.workspace, until).unwrap();
    }

    /// Advances by several steps.
    pub fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    /// Prepares the next step without solving its contacts.
    pub fn prepare(&mut self) -> Prepared {
        let RodSettings { gravity, origin, .. } = self.params.settings;
        let context = StepContext { time: self.state.time, dt: DT, gravity, origin };
        prepare(&self.params, &mut self.state, &context).unwrap()
    }

    /// Returns the points of all bodies.
    pub fn points(&self) -> Vec<DVec3> {
        self.state.bodies.iter().flat_map(|body| body.points().to_vec()).collect()
    }

    /// Returns the total linear momentum [kg m/s].
    pub fn momentum(&self) -> DVec3 {
        self.state.bodies.iter().map(momentum).sum()
    }
}

fn rod(middle: DVec3, half: DVec3, radius: f64, velocity: DVec3) -> RodParams {
    let material = RodMaterial {
        radius,
        density: DENSITY,
        youngs_modulus: 1e7,
        poisson_ratio: 0.3,
        drag: 0.0,
        internal_damping: 1e-3,
        ..RodMaterial::default()
    };
    let points = (-10..=10).map(|i| middle + 0.1 * f64::from(i) * half).collect();
    RodParams { material, points, natural: None, closed: false, velocity, ends: [End::default(), End::default()] }
}

fn momentum(body: &Body) -> DVec3 {
    match body {
        Body::Ball(ball) => ball.mass * DVec3::from_slice(&ball.velocity),
        Body::Rod(rod) => {
            let (points, velocities) = (&rod.params().points, rod.point_velocities());
            let segment = |i: usize| {
                let mass = DENSITY * rod.params().material.area() * points[i].distance(points[i + 1]);
                0.5 * mass * (velocities[i] + velocities[i + 1])
            };
            (0..points.len() - 1).map(segment).sum()
        }
    }
}

/// Builds crossed layers of two rods each, stacked on a plate.
pub fn log_cabin(layers: u32) -> Trial {
    let mut trial = Trial::new(GRAVITY);
    trial.add_plate(0.01, 0.3);
    for layer in 0..layers {
        let (along, across) = if layer % 2 == 0 { (DVec3::X, DVec3::Z) } else { (DVec3::Z, DVec3::X) };
        let height = RADIUS * (1.0 + 2.0 * f64::from(layer)) * DVec3::Y;
        for side in [-1.0, 1.0] {
            trial.add_rod(height + 0.02 * side * across, 0.04 * along, DVec3::ZERO, 0.3);
        }
    }
    trial
}

/// Drops randomly oriented rods on a plate and advances for `steps` steps.
pub fn pile(rods: u64, steps: usize) -> Trial {
    let rng = CounterRng::new(11);
    let mut trial = Trial::new(GRAVITY);
    trial.add_plate(0.01, 0.3);
    for k in 0..rods {
        let angle = PI * rng.uniform(&[k, 0]);
        let aside = 0.02 * (rng.uniform_in_cube([k, 1, 0]) - DVec3::splat(0.5));
        let middle = DVec3::new(aside.x, RADIUS * (1.5 + 2.5 * k as f64), aside.z);
        trial.add_rod(middle, 0.05 * DVec3::new(angle.cos(), 0.0, angle.sin()), DVec3::ZERO, 0.3);
    }
    trial.steps(steps);
    trial
}
