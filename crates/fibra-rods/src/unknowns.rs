//! Numbering of a chain's unknowns, and assembly of element contributions into the linear system of a step.
//!
//! Node `i` has the position coordinates `stride i` to `stride i + 2`. With a stride of 4, coordinate `stride i + 3` is the angle of
//! the edge that starts at the node.

use crate::rod::{Abscissa, Integrator, PointMotion, StepSystem};
use glam::DVec3;

/// Returns the terms of [`Unknowns::motion`] for a point whose velocity is `weight` times that of a node.
pub fn node_terms(coordinate: usize, weight: f64) -> impl Iterator<Item = (usize, DVec3)> {
    (0..3).map(move |c| (coordinate + c, weight * DVec3::AXES[c]))
}

/// Returns the edges that rotate the cross section at an abscissa, with their weights. At a joint, the cross section rotates with the mean of both
/// edges: a contact there must not twist one edge more than the other.
pub fn edges_at(at: Abscissa, edges: usize, closed: bool) -> impl Iterator<Item = (usize, f64)> {
    let neighbor = match at.share {
        0.0 if at.segment > 0 => Some(at.segment - 1),
        0.0 if closed => Some(edges - 1),
        1.0 if at.segment + 1 < edges => Some(at.segment + 1),
        1.0 if closed => Some(0),
        _ => None,
    };
    let weight = if neighbor.is_some() { 0.5 } else { 1.0 };
    std::iter::once(at.segment).chain(neighbor).map(move |edge| (edge, weight))
}

/// The unknowns of a chain in one step.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    /// Unknown of each coordinate; `None` where the coordinate is prescribed.
    of: Vec<Option<usize>>,
    /// Number of unknowns.
    pub count: usize,
    /// Half-bandwidth: largest index distance between two unknowns of one element.
    pub width: usize,
}

impl Unknowns {
    /// Numbers the `free` coordinates of `nodes` nodes.
    ///
    /// The nodes of a closed chain are ordered 0, N-1, 1, N-2, ..., so that neighbors stay close and the operator stays banded.
    pub fn number(nodes: usize, stride: usize, closed: bool, free: impl Fn(usize) -> bool) -> Unknowns {
        let mut of = vec![None; nodes * stride];
        let mut count = 0;
        for rank in 0..nodes {
            let node = match (closed, rank % 2) {
                (false, _) => rank,
                (true, 0) => rank / 2,
                (true, _) => nodes - 1 - rank / 2,
            };
            for coordinate in (stride * node..stride * (node + 1)).filter(|&c| free(c)) {
                of[coordinate] = Some(count);
                count += 1;
            }
        }
        Unknowns { of, count, width: 0 }
    }

    /// Widens the band so that it can hold the matrix of an element with these coordinates.
    pub fn widen(&mut self, coordinates: &[usize]) {
        let unknowns = || coordinates.iter().filter_map(|&c| self.of[c]);
        if let (Some(first), Some(last)) = (unknowns().min(), unknowns().max()) {
            self.width = self.width.max(last - first);
        }
    }

    /// Returns the unknown of a coordinate, or `None` if the coordinate is prescribed.
    pub fn of(&self, coordinate: usize) -> Option<usize> {
        self.of[coordinate]
    }

    /// Returns the motion of a point from its velocity per unit rate of each coordinate. A coordinate may occur several times. `driven` holds the
    /// velocities of the prescribed coordinates.
    pub fn motion(&self, terms: &[(usize, DVec3)], driven: &[f64]) -> PointMotion {
        let mut motion = PointMotion::default();
        let unknowns = || terms.iter().filter_map(|&(coordinate, _)| self.of[coordinate]);
        if let (Some(first), Some(last)) = (unknowns().min(), unknowns().max()) {
            motion.first = first;
            motion.columns = vec![DVec3::ZERO; last + 1 - first];
        }
        for &(coordinate, velocity) in terms {
            match self.of[coordinate] {
                Some(unknown) => motion.columns[unknown - motion.first] += velocity,
                None => motion.drift += driven[coordinate] * velocity,
            }
        }
        motion
    }
}

/// The linear system of a step during assembly: `(M (1 + dt drag) + c K) v = M v0 + dt f`, with `c = dt^2 + dt internal_damping`.
/// Prescribed coordinates contribute to the right-hand side with their velocity.
pub struct Assembly<'a> {
    /// The unknowns.
    unknowns: &'a Unknowns,
    /// Velocities of the prescribed coordinates.
    driven: &'a [f64],
    /// The time step [s].
    dt: f64,
    /// Factor of the stiffness, `c` [s^2].
    implicit: f64,
    /// The system being assembled.
    system: &'a mut StepSystem,
}

impl<'a> Assembly<'a> {
    /// Starts with a system of zeros, for a time step [s] and a stiffness factor [s^2].
    pub fn start(
        unknowns: &'a Unknowns,
        driven: &'a [f64],
        [dt, implicit]: [f64; 2],
        system: &'a mut StepSystem,
    ) -> Assembly<'a> {
        system.operator.reset(unknowns.count, unknowns.width);
        system.impulse.clear();
        system.impulse.resize(unknowns.count, 0.0);
        Assembly { unknowns, driven, dt, implicit, system }
    }

    /// Adds the inertia of a coordinate and its momentum at the given velocity, with drag [1/s].
    pub fn add_mass(&mut self, coordinate: usize, mass: f64, velocity: f64, drag: f64) {
        if let Some(i) = self.unknowns.of(coordinate) {
            self.system.operator.add(i, i, mass * (1.0 + self.dt * drag));
            self.system.impulse[i] += mass * velocity;
        }
    }

    /// Returns the lateral stiffness of an edge [N/m] from its length [m] and its tension at the start of this step and in the middle of the last one [N].
    /// Compression would make the matrix indefinite, so it has no lateral stiffness.
    ///
    /// With the midpoint rule, the length of a stiff edge alternates from step to step, because nodes move along straight lines. The tension at the start
    /// of a step alternates with it. The tension in the middle does not: it is the one that acts.
    pub fn lateral_stiffness(&self, [at_start, in_middle]: [f64; 2], length: f64) -> f64 {
        let tension = match self.system.integrator {
            Integrator::Euler => at_start,
            Integrator::Midpoint => in_middle,
        };
        tension.max(0.0) / length
    }

    /// Adds an impulse on a coordinate.
    pub fn add_impulse(&mut self, coordinate: usize, impulse: f64) {
        if let Some(i) = self.unknowns.of(coordinate) {
            self.system.impulse[i] += impulse;
        }
    }

    /// Adds a force on a coordinate.
    pub fn add_force(&mut self, coordinate: usize, force: f64) {
        self.add_impulse(coordinate, self.dt * force);
    }

    /// Adds an element's symmetric stiffness matrix.
    pub fn add_stiffness<const N: usize>(&mut self, coordinates: &[usize; N], k: &[[f64; N]; N]) {
        for a in 0..N {
            let Some(i) = self.unknowns.of(coordinates[a]) else { continue };
            for b in 0..N {
                let k = self.implicit * k[a][b];
                match self.unknowns.of(coordinates[b]) {
                    Some(j) if j <= i => self.system.operator.add(i, j, k),
                    Some(_) => {}
                    None => self.system.impulse[i] -= k * self.driven[coordinates[b]],
                }
            }
        }
    }
}
