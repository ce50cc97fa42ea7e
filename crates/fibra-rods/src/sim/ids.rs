//! Names of what was added to a simulation.

/// A rod of a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RodId(pub(crate) usize);

/// A ball of a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BallId(pub(crate) usize);

/// A collider of a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub(crate) usize);

/// Anything that can be in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyId {
    /// A rod.
    Rod(RodId),
    /// A ball.
    Ball(BallId),
    /// A collider.
    Collider(ColliderId),
}

impl RodId {
    /// Index among all rods and balls, in the order in which they were added.
    pub fn index(self) -> usize {
        self.0
    }
}

impl BallId {
    /// Index among all rods and balls, in the order in which they were added.
    pub fn index(self) -> usize {
        self.0
    }
}

impl ColliderId {
    /// Index among the colliders, in the order in which they were added.
    pub fn index(self) -> usize {
        self.0
    }
}
