//! Which coordinates of a chain are unknowns of its step, in which order, and how elements add to the step's system.
//!
//! Node `i` has the coordinates `stride i` to `stride i + 2` in space; with a stride of 4, coordinate `stride i + 3` is the angle of
//! the edge that leaves it.

use crate::rod::{PointMotion, StepSystem};
use glam::DVec3;

/// The unknowns of a chain's step.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    /// By coordinate; `None` where it is prescribed.
    of: Vec<Option<usize>>,
    /// Their number.
    pub count: usize,
    /// Largest distance between two that share an element.
    pub width: usize,
}

impl Unknowns {
    /// Numbers the coordinates that are `free`, of `nodes` nodes.
    ///
    /// A closed chain is folded: nodes 0, N-1, 1, N-2, ..., so that neighbors stay close to each other and the operator banded.
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

    /// Makes the band wide enough for an element on these coordinates.
    pub fn widen(&mut self, coordinates: &[usize]) {
        let unknowns = || coordinates.iter().filter_map(|&c| self.of[c]);
        if let (Some(first), Some(last)) = (unknowns().min(), unknowns().max()) {
            self.width = self.width.max(last - first);
        }
    }

    /// The unknown that is a coordinate, if it is one.
    pub fn of(&self, coordinate: usize) -> Option<usize> {
        self.of[coordinate]
    }

    /// How the point between two nodes moves that is a `share` of the way from the first, given the velocities of what is prescribed.
    pub fn motion_between(&self, coordinates: [usize; 2], share: f64, driven: &[f64]) -> PointMotion {
        let parts = [(coordinates[0], 1.0 - share), (coordinates[1], share)];
        let mut motion = PointMotion::default();
        let unknowns = || coordinates.iter().filter_map(|&c| self.of[c]);
        if let (Some(first), Some(last)) = (unknowns().min(), unknowns().max()) {
            motion.first = first;
            motion.columns = vec![DVec3::ZERO; last + 3 - first];
        }
        for (coordinate, weight) in parts {
            match self.of[coordinate] {
                Some(unknown) => {
                    let at = unknown - motion.first;
                    DVec3::AXES.iter().enumerate().for_each(|(c, axis)| motion.columns[at + c] += weight * *axis);
                }
                None => motion.drift += weight * DVec3::from_slice(&driven[coordinate..coordinate + 3]),
            }
        }
        motion
    }
}

/// A step's system in the making: `(M (1 + dt drag) + c K) v = M v0 + dt f`, with `c = dt^2 + dt internal_damping`. What is
/// prescribed goes to the right-hand side with its velocity.
pub struct Assembly<'a> {
    /// The unknowns.
    unknowns: &'a Unknowns,
    /// Velocities of the coordinates that are prescribed.
    driven: &'a [f64],
    /// The step [s].
    dt: f64,
    /// Factor of the stiffness, `c` [s^2].
    implicit: f64,
    /// What is made.
    system: &'a mut StepSystem,
}

impl<'a> Assembly<'a> {
    /// A system of zeros, for a step [s] and a factor of the stiffness [s^2].
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

    /// Adds the inertia of a coordinate with a velocity, which drag [1/s] slows down.
    pub fn add_mass(&mut self, coordinate: usize, mass: f64, velocity: f64, drag: f64) {
        if let Some(i) = self.unknowns.of(coordinate) {
            self.system.operator.add(i, i, mass * (1.0 + self.dt * drag));
            self.system.impulse[i] += mass * velocity;
        }
    }

    /// Adds a force on a coordinate.
    pub fn add_force(&mut self, coordinate: usize, force: f64) {
        if let Some(i) = self.unknowns.of(coordinate) {
            self.system.impulse[i] += self.dt * force;
        }
    }

    /// Adds an element's symmetric stiffness between coordinates.
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
