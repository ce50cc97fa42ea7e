//! Identifiers of the objects of a simulation.

/// Identifier of a rod of a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RodId(pub(crate) usize);

/// Identifier of a ball of a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BallId(pub(crate) usize);

/// Identifier of a collider of a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub(crate) usize);

/// Identifier of anything that can be in contact.
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
