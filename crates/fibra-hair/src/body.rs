//! What hair bumps into: bodies that whoever runs the simulation moves.

use fibra_core::geometry::{Contact, PlacedCollider, RigidPose, RigidVelocity, Shape};
use glam::DVec3;

/// A body to bump into.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its shape, in its own frame.
    pub shape: Shape,
    /// Where it is at the start, relative to the run origin; of a body on the head, relative to the head.
    pub pose: RigidPose,
    /// Whether it moves with the head.
    pub on_head: bool,
    /// What happens to hair that touches it.
    pub contact: Contact,
    /// Coulomb's coefficient of friction [-].
    pub friction: f32,
}

/// A body on its way.
#[derive(Clone, Debug)]
pub(crate) struct MovingBody {
    pub body: Body,
    /// Where it was, and where it is to be at the end of the next advance. Of no use for a body on the head.
    pub from: RigidPose,
    pub to: RigidPose,
}

/// Steady motion from one pose to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub from: RigidPose,
    pub to: RigidPose,
    /// How long it takes [s].
    pub dt: f64,
}

impl Way {
    /// Where the body is after a share of the way, and how fast.
    fn at(&self, share: f64) -> (RigidPose, RigidVelocity) {
        let pose = self.from.towards(&self.to, share);
        let mut velocity = RigidVelocity::between(&self.from, &self.to, self.dt);
        velocity.pivot = pose.translation;
        (pose, velocity)
    }
}

impl MovingBody {
    /// Takes up a body at its start.
    pub fn new(body: Body) -> MovingBody {
        let pose = body.pose;
        MovingBody { body, from: pose, to: pose }
    }

    /// The body after a share of the head's way and of its own.
    pub fn place(&self, head: (&Way, f64), own: (&Way, f64)) -> PlacedCollider {
        let Body { shape, pose, on_head, contact, friction } = &self.body;
        let (at, velocity) = if *on_head {
            let (head, mut velocity) = head.0.at(head.1);
            let at = RigidPose { translation: head.apply(pose.translation), rotation: head.rotation * pose.rotation };
            velocity.pivot = head.translation;
            (at, velocity)
        } else {
            own.0.at(own.1)
        };
        PlacedCollider::new(shape, &at, &velocity, DVec3::ZERO, *contact, *friction)
    }
}
