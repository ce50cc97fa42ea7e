//! Contact detection: candidate pairs, gaps, normals, and matching with the contacts of the previous step.

pub mod detection;
pub mod hash;
pub mod pairs;
pub mod segments;

use crate::body::Body;
use crate::rod::Abscissa;
use glam::DVec3;

/// A point where two bodies, or a body and a collider, touch or may touch before the end of the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Identifies the contact in the next step.
    pub key: ContactKey,
    /// The body that the normal points to.
    pub a: Side,
    /// The other body, from which the normal points away; `None` for a collider, whose velocity is in `surface_velocity`.
    pub b: Option<Side>,
    /// Unit normal, from `b` to `a`.
    pub normal: DVec3,
    /// Distance between the surfaces [m]; negative where they overlap.
    pub gap: f64,
    /// Velocity of the collider's surface [m/s].
    pub surface_velocity: DVec3,
    /// Coulomb's coefficient of friction [-].
    pub friction: f64,
    /// Coefficient of restitution [-].
    pub restitution: f64,
}

/// One body's side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The body.
    pub body: usize,
    /// Position along the body.
    pub at: Abscissa,
    /// Vector from the centerline (or the center of a ball) to the contact [m].
    pub arm: DVec3,
}

/// Identity of a contact across steps: the two segments in contact, and the end of a rod if the contact is there. The ordering of keys defines the order of contact lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// Body and segment.
    pub a: [u32; 2],
    /// Body, and segment with the number of an end (see [`ContactKey::at_end`]). For a collider: [`ContactKey::COLLIDER`] and the index of the collider.
    pub b: [u32; 2],
}

impl ContactKey {
    /// Replaces the body index for a collider.
    pub const COLLIDER: u32 = u32::MAX;
    /// Bits of `b[1]` that hold the segment.
    const SEGMENT_BITS: u32 = 29;

    /// Returns the key of the contact between the same segments at the end of a rod: 1 or 2 for the start and the end of segment `a`, 3 or 4 for those of `b`.
    pub fn at_end(self, end: u32) -> ContactKey {
        ContactKey { b: [self.b[0], self.b[1] | end << Self::SEGMENT_BITS], ..self }
    }

    /// Returns whether the contact is at the end of a rod.
    pub fn is_at_end(&self) -> bool {
        self.b[0] != Self::COLLIDER && self.b[1] >> Self::SEGMENT_BITS != 0
    }

    /// Returns the segment of the body `b`.
    pub fn segment_of_b(&self) -> usize {
        (self.b[1] & ((1 << Self::SEGMENT_BITS) - 1)) as usize
    }
}

impl Contact {
    /// Returns the radius of the thinner body [m]; a collider does not count.
    pub fn thinner_radius(&self, bodies: &[Body]) -> f64 {
        let radius = |side: &Side| bodies[side.body].radius();
        self.b.as_ref().map_or(f64::INFINITY, radius).min(radius(&self.a))
    }

    /// Returns the axes of the contact: the normal and two tangents, which depend on the normal only.
    pub fn axes(&self) -> [DVec3; 3] {
        let (first, second) = self.normal.any_orthonormal_pair();
        [self.normal, first, second]
    }
}
