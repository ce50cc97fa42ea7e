//! Where bodies touch: candidates, gaps, normals, and which contact is the same as one of the step before.

pub mod detection;
pub mod hash;
pub mod segments;

use crate::rod::Abscissa;
use glam::DVec3;

/// A place where two bodies, or a body and a collider, touch or may touch before the step is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// By which it is known in the next step.
    pub key: ContactKey,
    /// The body that the normal points to.
    pub a: Side,
    /// The body the normal comes from; `None` for a collider, whose velocity is then in `surface_velocity`.
    pub b: Option<Side>,
    /// Unit normal, from `b` to `a`.
    pub normal: DVec3,
    /// Distance of the surfaces [m]; negative where they overlap.
    pub gap: f64,
    /// Velocity of the collider's surface [m/s].
    pub surface_velocity: DVec3,
    /// Coulomb's coefficient of friction [-].
    pub friction: f64,
    /// Share of the approach velocity that a hit gives back [-].
    pub restitution: f64,
}

/// One body's place in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The body.
    pub body: usize,
    /// Where on it.
    pub at: Abscissa,
    /// From its line to the contact [m].
    pub arm: DVec3,
}

/// What stays the same of a contact from step to step: the segments that meet. Ordered, so that lists of contacts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// Body and segment.
    pub a: [u32; 2],
    /// Body and segment; [`ContactKey::COLLIDER`] and the collider's index.
    pub b: [u32; 2],
}

impl ContactKey {
    /// Stands in the place of a body where there is a collider.
    pub const COLLIDER: u32 = u32::MAX;
}

impl Contact {
    /// Axes of the contact: the normal and two tangents, chosen by the normal alone.
    pub fn axes(&self) -> [DVec3; 3] {
        let (first, second) = self.normal.any_orthonormal_pair();
        [self.normal, first, second]
    }
}
