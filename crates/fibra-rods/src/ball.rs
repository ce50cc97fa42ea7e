//! Rigid balls. A ball has six unknowns: linear velocity and angular velocity.

use crate::rod::{Momenta, PointMotion, StepContext, StepSystem};
use glam::{DQuat, DVec3};

/// A homogeneous rigid ball.
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    /// Radius [m].
    pub radius: f64,
    /// Mass [kg].
    pub mass: f64,
    /// Drag coefficient: decay rate of the velocity in still air [1/s].
    pub drag: f64,
    /// Position of the center [m], relative to the run origin.
    pub center: DVec3,
    /// Orientation.
    pub rotation: DQuat,
    /// Velocity of the center [m/s], then angular velocity [rad/s].
    pub velocity: [f64; 6],
}

impl Ball {
    /// Number of unknowns of a ball.
    pub const UNKNOWNS: usize = 6;

    /// Moment of inertia about any axis [kg m^2].
    pub fn inertia(&self) -> f64 {
        0.4 * self.mass * self.radius * self.radius
    }

    /// Returns the mass and the momenta of the ball.
    pub fn momenta(&self) -> Momenta {
        let (velocity, spin) = (DVec3::from_slice(&self.velocity), DVec3::from_slice(&self.velocity[3..]));
        let mut momenta = Momenta::default();
        momenta.add(self.mass, self.center, velocity);
        momenta.angular += self.inertia() * spin;
        momenta
    }

    /// Assembles the linear system of a step without contact.
    pub fn form(&self, step: &StepContext, system: &mut StepSystem) {
        let dt = system.implicit_dt(step);
        system.operator.reset(Ball::UNKNOWNS, 0);
        system.impulse.clear();
        for unknown in 0..Ball::UNKNOWNS {
            let inertia = if unknown < 3 { self.mass } else { self.inertia() };
            let weight = if unknown < 3 { self.mass * step.gravity[unknown] } else { 0.0 };
            system.operator.add(unknown, unknown, inertia * (1.0 + dt * self.drag));
            system.impulse.push(inertia * self.velocity[unknown] + dt * weight);
        }
    }

    /// Returns the motion of the material point at offset `arm` from the center [m]: `v + omega x arm`.
    pub fn motion_of(&self, arm: DVec3) -> PointMotion {
        let turn = |axis: DVec3| axis.cross(arm);
        PointMotion {
            first: 0,
            columns: vec![DVec3::X, DVec3::Y, DVec3::Z, turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z)],
            drift: DVec3::ZERO,
        }
    }

    /// Displaces the ball [m; rad] without changing its momentum.
    pub fn shift(&mut self, displacements: &[f64]) {
        self.center += DVec3::from_slice(displacements);
        self.rotation = (DQuat::from_scaled_axis(DVec3::from_slice(&displacements[3..])) * self.rotation).normalize();
    }

    /// Advances the ball by one step with the given velocities.
    pub fn advance(&mut self, velocities: &[f64], dt: f64) {
        self.velocity.copy_from_slice(velocities);
        let [x, y, z, wx, wy, wz] = self.velocity;
        self.center += dt * DVec3::new(x, y, z);
        self.rotation = (DQuat::from_scaled_axis(dt * DVec3::new(wx, wy, wz)) * self.rotation).normalize();
    }
}
