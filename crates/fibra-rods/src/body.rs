//! What can be in contact: rods and balls.

use crate::ball::Ball;
use crate::rod::{Abscissa, PointMotion, Rod, StepContext, StepSystem};
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

    /// The points around whose connection contact sees it [m].
    pub fn points(&self) -> &[DVec3] {
        match self {
            Body::Rod(rod) => rod.centerline(),
            Body::Ball(ball) => std::slice::from_ref(&ball.center),
        }
    }

    /// Number of segments between its points. A ball has one, without length.
    pub fn segments(&self) -> usize {
        match self {
            Body::Rod(rod) => rod.centerline().len() - usize::from(!rod.params().closed),
            Body::Ball(_) => 1,
        }
    }

    /// Ends of a segment, as indices of points.
    pub fn ends_of(&self, segment: usize) -> [usize; 2] {
        match self {
            Body::Rod(rod) => [segment, (segment + 1) % rod.centerline().len()],
            Body::Ball(_) => [0, 0],
        }
    }

    /// Whether the last point is joined to the first.
    pub fn is_closed(&self) -> bool {
        matches!(self, Body::Rod(rod) if rod.params().closed)
    }

    /// Distance from the connection of its points to its surface [m].
    pub fn radius(&self) -> f64 {
        match self {
            Body::Rod(rod) => rod.params().material.radius,
            Body::Ball(ball) => ball.radius,
        }
    }

    /// Velocities of its points [m/s].
    pub fn point_velocities(&self) -> Vec<DVec3> {
        match self {
            Body::Rod(rod) => rod.point_velocities(),
            Body::Ball(ball) => vec![DVec3::from_slice(&ball.velocity[..3])],
        }
    }

    /// Velocities its points would have with the given velocity unknowns, in the step that was formed last [m/s].
    pub fn velocities_with(&self, unknowns: &[f64]) -> Vec<DVec3> {
        let velocity = |place: usize| {
            let last = place == self.segments();
            let at = Abscissa { segment: place - usize::from(last), share: if last { 1.0 } else { 0.0 } };
            let PointMotion { first, columns, drift } = self.motion_of(at, DVec3::ZERO);
            columns.iter().zip(&unknowns[first..]).fold(drift, |sum, (column, v)| sum + *v * *column)
        };
        (0..self.points().len()).map(velocity).collect()
    }

    /// Velocity unknowns as they are now.
    pub fn velocities(&self) -> &[f64] {
        match self {
            Body::Rod(rod) => rod.velocities(),
            Body::Ball(ball) => &ball.velocity,
        }
    }

    /// The step without contact.
    pub fn form(&mut self, step: &StepContext, system: &mut StepSystem) {
        match self {
            Body::Rod(rod) => rod.form(step, system),
            Body::Ball(ball) => ball.form(step, system),
        }
    }

    /// How the point of contact moves that is `arm` [m] from the body's line at an abscissa. Rods are thin: friction acts on their
    /// centerline [Bertails2011, Sec. 4.1].
    pub fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion {
        match self {
            Body::Rod(rod) => rod.motion_of(at),
            Body::Ball(ball) => ball.motion_of(arm),
        }
    }

    /// Moves the body by a step with the given velocities at its end.
    pub fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        match self {
            Body::Rod(rod) => rod.advance(velocities, step),
            Body::Ball(ball) => ball.advance(velocities, step.dt),
        }
    }
}
