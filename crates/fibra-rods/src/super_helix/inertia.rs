//! The operator and right-hand side of a chain of pieces, in time that grows with the square of their number.
//!
//! Since what lies beyond a piece moves rigidly with it, only the mass, its first and its second moment beyond each piece count
//! (the composite-rigid-body algorithm [Featherstone2008, Sec. 6.2]); integrals along a piece concern its own unknowns alone.

use super::chain::{Chain, Station, Twist};
use crate::rod::StepSystem;
use glam::{DMat3, DVec3};
use std::ops::{Add, AddAssign};

/// A momentum or an impulse: linear, and angular about the root.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Momentum {
    pub linear: DVec3,
    pub angular: DVec3,
}

impl Momentum {
    /// Of a push at a place.
    pub fn at(r: DVec3, linear: DVec3) -> Momentum {
        Momentum { linear, angular: r.cross(linear) }
    }

    /// What of it acts on an unknown.
    pub fn along(&self, twist: &Twist) -> f64 {
        self.linear.dot(twist.shift) + self.angular.dot(twist.turn)
    }
}

impl Add for Momentum {
    type Output = Momentum;
    fn add(self, other: Momentum) -> Momentum {
        Momentum { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl AddAssign for Momentum {
    fn add_assign(&mut self, other: Momentum) {
        *self = *self + other;
    }
}

/// What resists the motion of a stretch of rod, seen as rigid.
#[derive(Clone, Copy, Debug)]
struct Inertia {
    mass: f64,
    first: DVec3,
    /// Against turning about the root.
    second: DMat3,
}

impl Inertia {
    const NONE: Inertia = Inertia { mass: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn add(&mut self, r: DVec3, load: &Load) {
        self.mass += load.mass;
        self.first += load.mass * r;
        self.second +=
            load.turning + load.mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r, r));
    }

    fn momentum(&self, twist: &Twist) -> Momentum {
        Momentum {
            linear: self.mass * twist.shift + twist.turn.cross(self.first),
            angular: self.first.cross(twist.shift) + self.second * twist.turn,
        }
    }
}

/// What a point of quadrature stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// What resists its velocity [kg].
    pub mass: f64,
    /// What resists its turning in place [kg m^2].
    pub turning: DMat3,
    /// Impulse on it [N s].
    pub push: DVec3,
    /// Angular impulse on it [N m s].
    pub torque: DVec3,
}

/// What acts on a chain.
pub(crate) struct Loads<'a> {
    /// Points of quadrature, piece by piece, as many in each.
    pub stations: &'a [Station],
    /// What each stands for.
    pub loads: &'a [Load],
    /// Impulse on the tip.
    pub tip: Momentum,
    /// Impulse on the root.
    pub root: Momentum,
}

/// Adds the inertia and the impulses to a system whose first unknowns are the `root` twists and the others those of the pieces; `drift` is
/// what moves without being an unknown.
pub(crate) fn assemble(chain: &Chain, what: &Loads, root: &[Twist], drift: &Twist, system: &mut StepSystem) {
    let pieces = chain.twists.len();
    let per_piece = what.stations.len() / pieces;
    let StepSystem { operator, impulse } = system;
    let mut beyond = Inertia::NONE;
    let mut push = what.tip;
    for piece in (0..pieces).rev() {
        let at = piece * per_piece..(piece + 1) * per_piece;
        let (stations, loads) = (&what.stations[at.clone()], &what.loads[at]);
        let twists = &chain.twists[piece];
        let row = root.len() + 3 * piece;
        // The motion of what is beyond, and the motion within the piece.
        let mut momenta = [0, 1, 2].map(|c| beyond.momentum(&twists[c]));
        let mut block = DMat3::ZERO;
        let mut own = DVec3::ZERO;
        for (station, load) in stations.iter().zip(loads) {
            let (shift, turn) = (station.own_shift, station.own_turn);
            let turning = load.turning * turn;
            block += load.mass * (shift.transpose() * shift) + turn.transpose() * turning;
            own += shift.transpose() * load.push + turn.transpose() * load.torque;
            for (c, momentum) in momenta.iter_mut().enumerate() {
                let mut within = Momentum::at(station.r, load.mass * shift.col(c));
                within.angular += turning.col(c);
                *momentum += within;
            }
        }
        for c in 0..3 {
            for d in 0..=c {
                operator.add(row + c, row + d, block.col(d)[c] + beyond.momentum(&twists[d]).along(&twists[c]));
            }
            let before = root.iter().chain(chain.twists[..piece].as_flattened()).enumerate();
            for (column, twist) in before {
                operator.add(row + c, column, momenta[c].along(twist));
            }
            impulse[row + c] += own[c] + push.along(&twists[c]) - momenta[c].along(drift);
        }
        for (station, load) in stations.iter().zip(loads) {
            beyond.add(station.r, load);
            push += Momentum::at(station.r, load.push);
            push.angular += load.torque;
        }
    }
    push += what.root;
    let drifting = beyond.momentum(drift);
    for (i, twist) in root.iter().enumerate() {
        for (j, other) in root[..=i].iter().enumerate() {
            operator.add(i, j, beyond.momentum(other).along(twist));
        }
        impulse[i] += push.along(twist) - drifting.along(twist);
    }
}

/// `a b^T`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
