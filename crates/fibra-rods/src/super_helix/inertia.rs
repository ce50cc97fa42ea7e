//! Assembles the operator and right-hand side of a chain of elements, with a cost quadratic in their number.
//!
//! The composite-rigid-body algorithm [Featherstone2008, Sec. 6.2] is used. Everything beyond an element moves rigidly with the element, so only
//! the mass beyond the element and its first and second moments matter. Integrals along an element involve its own unknowns only.

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
    /// Returns the momentum of a linear impulse that acts at a position.
    pub fn at(r: DVec3, linear: DVec3) -> Momentum {
        Momentum { linear, angular: r.cross(linear) }
    }

    /// Returns the component of the momentum along an unknown.
    pub fn along(&self, twist: &Twist) -> f64 {
        self.linear.dot(twist.linear) + self.angular.dot(twist.angular)
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

/// Rigid-body inertia of a part of the rod.
#[derive(Clone, Copy, Debug)]
struct Inertia {
    mass: f64,
    first: DVec3,
    /// Second moment: inertia against rotation about the root.
    second: DMat3,
}

impl Inertia {
    const NONE: Inertia = Inertia { mass: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn add(&mut self, r: DVec3, load: &Load) {
        self.mass += load.mass;
        self.first += load.mass * r;
        self.second += load.rotational_inertia
            + load.mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r, r));
    }

    fn momentum(&self, twist: &Twist) -> Momentum {
        Momentum {
            linear: self.mass * twist.linear + twist.angular.cross(self.first),
            angular: self.first.cross(twist.linear) + self.second * twist.angular,
        }
    }
}

/// Inertia and impulses at a quadrature point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Effective mass [kg].
    pub mass: f64,
    /// Effective rotational inertia [kg m^2].
    pub rotational_inertia: DMat3,
    /// Impulse [N s].
    pub impulse: DVec3,
    /// Angular impulse [N m s].
    pub torque: DVec3,
}

/// Inertia and impulses of a chain.
pub(crate) struct Loads<'a> {
    /// Quadrature points, element by element, the same number in each.
    pub stations: &'a [Station],
    /// Load of each quadrature point.
    pub loads: &'a [Load],
    /// Impulse on the tip.
    pub tip: Momentum,
    /// Impulse on the root.
    pub root: Momentum,
}

/// Adds the inertia and the impulses to a system whose first unknowns are the `root` twists, followed by those of the elements. `drift` is the
/// prescribed motion.
pub(crate) fn assemble(chain: &Chain, input: &Loads, root: &[Twist], drift: &Twist, system: &mut StepSystem) {
    let elements = chain.twists.len();
    let per_element = input.stations.len() / elements;
    let StepSystem { operator, impulse, .. } = system;
    let mut beyond = Inertia::NONE;
    let mut impulse_beyond = input.tip;
    for element in (0..elements).rev() {
        let at = element * per_element..(element + 1) * per_element;
        let (stations, loads) = (&input.stations[at.clone()], &input.loads[at]);
        let twists = &chain.twists[element];
        let row = root.len() + 3 * element;
        // Momenta of the part beyond the element, and of the element itself.
        let mut momenta = [0, 1, 2].map(|c| beyond.momentum(&twists[c]));
        let mut block = DMat3::ZERO;
        let mut own = DVec3::ZERO;
        for (station, load) in stations.iter().zip(loads) {
            let (linear, angular) = (station.own_linear, station.own_angular);
            let rotational_inertia = load.rotational_inertia * angular;
            block += load.mass * (linear.transpose() * linear) + angular.transpose() * rotational_inertia;
            own += linear.transpose() * load.impulse + angular.transpose() * load.torque;
            for (c, momentum) in momenta.iter_mut().enumerate() {
                let mut within = Momentum::at(station.r, load.mass * linear.col(c));
                within.angular += rotational_inertia.col(c);
                *momentum += within;
            }
        }
        for c in 0..3 {
            for d in 0..=c {
                operator.add(row + c, row + d, block.col(d)[c] + beyond.momentum(&twists[d]).along(&twists[c]));
            }
            let before = root.iter().chain(chain.twists[..element].as_flattened()).enumerate();
            for (column, twist) in before {
                operator.add(row + c, column, momenta[c].along(twist));
            }
            impulse[row + c] += own[c] + impulse_beyond.along(&twists[c]) - momenta[c].along(drift);
        }
        for (station, load) in stations.iter().zip(loads) {
            beyond.add(station.r, load);
            impulse_beyond += Momentum::at(station.r, load.impulse);
            impulse_beyond.angular += load.torque;
        }
    }
    impulse_beyond += input.root;
    let drifting = beyond.momentum(drift);
    for (i, twist) in root.iter().enumerate() {
        for (j, other) in root[..=i].iter().enumerate() {
            operator.add(i, j, beyond.momentum(other).along(twist));
        }
        impulse[i] += impulse_beyond.along(twist) - drifting.along(twist);
    }
}

/// Returns `a b^T`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
