//! Bodies that can be in contact: rods and balls.

use crate::ball::Ball;
use crate::rod::{Abscissa, Integrator, Momenta, PointMotion, Rod, StepContext, StepSystem};
use glam::DVec3;

/// A moving body.
pub enum Body {
    /// A thin elastic rod.
    Rod(Box<dyn Rod>),
    /// A rigid ball.
    Ball(Ball),
}

impl Body {
    /// Number of velocity unknowns.
    pub fn unknowns(&self) -> usize {
        match self {
            Body::Rod(rod) => rod.unknowns(),
            Body::Ball(_) => Ball::UNKNOWNS,
        }
    }

    /// Vertices of the body's polyline [m]; contact detection treats the body as this polyline, thickened by its radius.
    pub fn points(&self) -> &[DVec3] {
        match self {
            Body::Rod(rod) => rod.centerline(),
            Body::Ball(ball) => std::slice::from_ref(&ball.center),
        }
    }

    /// Number of segments between the points. A ball has one segment, of zero length.
    pub fn segments(&self) -> usize {
        match self {
            Body::Rod(rod) => rod.centerline().len() - usize::from(!rod.params().closed),
            Body::Ball(_) => 1,
        }
    }

    /// Returns the end points of a segment, as point indices.
    pub fn ends_of(&self, segment: usize) -> [usize; 2] {
        match self {
            Body::Rod(rod) => [segment, (segment + 1) % rod.centerline().len()],
            Body::Ball(_) => [0, 0],
        }
    }

    /// Whether the last point is connected to the first.
    pub fn is_closed(&self) -> bool {
        matches!(self, Body::Rod(rod) if rod.params().closed)
    }

    /// Distance from the polyline to the surface [m].
    pub fn radius(&self) -> f64 {
        match self {
            Body::Rod(rod) => rod.params().material.radius,
            Body::Ball(ball) => ball.radius,
        }
    }

    /// Velocities of the points [m/s].
    pub fn point_velocities(&self) -> Vec<DVec3> {
        match self {
            Body::Rod(rod) => rod.point_velocities(),
            Body::Ball(ball) => vec![DVec3::from_slice(&ball.velocity[..3])],
        }
    }

    /// Returns the velocities of the points for the given velocity unknowns, in the last assembled step [m/s].
    pub fn velocities_with(&self, unknowns: &[f64]) -> Vec<DVec3> {
        let velocity = |point: usize| {
            let last = point == self.segments();
            let at = Abscissa { segment: point - usize::from(last), share: if last { 1.0 } else { 0.0 } };
            self.motion_of(at, DVec3::ZERO).velocity(unknowns)
        };
        (0..self.points().len()).map(velocity).collect()
    }

    /// Current velocity unknowns.
    pub fn velocities(&self) -> &[f64] {
        match self {
            Body::Rod(rod) => rod.velocities(),
            Body::Ball(ball) => &ball.velocity,
        }
    }

    /// Returns the integrator of the body: Euler if it does not support another.
    pub fn integrator(&self, wanted: Integrator) -> Integrator {
        match self {
            Body::Rod(rod) if !rod.supports_midpoint() => Integrator::Euler,
            _ => wanted,
        }
    }

    /// Assembles the linear system of a step without contact.
    pub fn form(&mut self, step: &StepContext, system: &mut StepSystem) {
        match self {
            Body::Rod(rod) => rod.form(step, system),
            Body::Ball(ball) => ball.form(step, system),
        }
    }

    /// Returns the motion of the material point at offset `arm` [m] from the polyline at an abscissa.
    pub fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion {
        match self {
            Body::Rod(rod) => rod.motion_of(at, arm),
            Body::Ball(ball) => ball.motion_of(arm),
        }
    }

    /// Decay rate of the velocity in still air [1/s].
    pub fn drag(&self) -> f64 {
        match self {
            Body::Rod(rod) => rod.params().material.drag,
            Body::Ball(ball) => ball.drag,
        }
    }

    /// Largest tension in the body, or the largest compression [N]; zero for a ball.
    pub fn tension(&self) -> f64 {
        match self {
            Body::Rod(rod) => rod.tension(),
            Body::Ball(_) => 0.0,
        }
    }

    /// Returns the mass and the momenta of the body.
    pub fn momenta(&self) -> Momenta {
        match self {
            Body::Rod(rod) => rod.momenta(),
            Body::Ball(ball) => ball.momenta(),
        }
    }

    /// Displaces the body without changing its momentum. There is one displacement for each unknown.
    pub fn shift(&mut self, displacements: &[f64]) {
        match self {
            Body::Rod(rod) => rod.shift(displacements),
            Body::Ball(ball) => ball.shift(displacements),
        }
    }

    /// Advances the body by one step with the given end-of-step velocities.
    pub fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        match self {
            Body::Rod(rod) => rod.advance(velocities, step),
            Body::Ball(ball) => ball.advance(velocities, step.dt),
        }
    }
}
