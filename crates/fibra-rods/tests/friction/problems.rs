//! Frictional contact problems of many kinds, each with a solution.

use fibra_core::random::CounterRng;
use fibra_rods::friction::problem::{Block, FrictionProblem};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// One side of a contact: the body, and the dependence of the contact velocity on the unknowns of the body.
type Touch = (usize, Vec<DVec3>);

/// Bodies with an inverse mass per unknown, contacts between them, and velocities before contact.
pub struct Mechanism {
    /// Inverse mass of each unknown of each body.
    pub inverse_masses: Vec<Vec<f64>>,
    /// Velocity of each unknown of each body without contact.
    pub velocities: Vec<Vec<f64>>,
    /// Sides of each contact.
    pub contacts: Vec<Vec<Touch>>,
    /// Coefficients of friction.
    pub mu: Vec<f64>,
}

impl Mechanism {
    /// Returns the problem with `W = J M^-1 J^T` and `b = J v`. `b` is in the range of `J`, so rest is feasible and a
    /// solution exists.
    pub fn problem(&self) -> FrictionProblem {
        self.spinning(0.0)
    }

    /// Returns the problem of bodies that spin by the angle `spin` [rad] per step, with `W = J (M + G)^-1 J^T`. `G` is the
    /// skew-symmetric matrix of gyroscopic torques in the last three unknowns of a body, so `W` is not symmetric.
    pub fn spinning(&self, spin: f64) -> FrictionProblem {
        let velocity = |touches: &Vec<Touch>| {
            let columns = touches.iter().flat_map(|(body, columns)| columns.iter().zip(&self.velocities[*body]));
            columns.fold(DVec3::ZERO, |sum, (column, v)| sum + *column * *v)
        };
        let b = self.contacts.iter().map(velocity).collect();
        let mut on_body: BTreeMap<usize, Vec<(usize, &Vec<DVec3>)>> = BTreeMap::new();
        for (contact, touches) in self.contacts.iter().enumerate() {
            for (body, columns) in touches {
                on_body.entry(*body).or_default().push((contact, columns));
            }
        }
        let mut blocks: BTreeMap<(usize, usize), DMat3> = BTreeMap::new();
        for (body, touching) in &on_body {
            for (row, left) in touching {
                for (column, right) in touching {
                    let block = blocks.entry((*row, *column)).or_insert(DMat3::ZERO);
                    for (i, l) in left.iter().enumerate() {
                        for (j, r) in right.iter().enumerate() {
                            let mobility = self.mobility(*body, spin, i, j);
                            if mobility != 0.0 {
                                *block += DMat3::from_cols(*l * r.x, *l * r.y, *l * r.z) * mobility;
                            }
                        }
                    }
                }
            }
        }
        let blocks: Vec<Block> =
            blocks.into_iter().map(|((row, column), matrix)| Block { row, column, matrix }).collect();
        FrictionProblem::new(self.mu.clone(), b, &blocks).unwrap()
    }
}

impl Mechanism {
    /// Returns an entry of `(M + G)^-1` of a body, with `G = spin * largest inertia * [a x]` about a diagonal axis `a`.
    fn mobility(&self, body: usize, spin: f64, i: usize, j: usize) -> f64 {
        let masses = &self.inverse_masses[body];
        if spin == 0.0 || i < 3 || j < 3 {
            return if i == j { masses[i] } else { 0.0 };
        }
        let inertia = DVec3::new(1.0 / masses[3], 1.0 / masses[4], 1.0 / masses[5]);
        let axis = DVec3::new(0.6, 0.8, 0.0) * (spin * inertia.max_element());
        let gyroscopic = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z));
        (DMat3::from_diagonal(inertia) + gyroscopic).inverse().col(j - 3)[i - 3]
    }
}

fn symmetric(rng: &CounterRng, index: &[u64]) -> f64 {
    2.0 * rng.uniform(index) - 1.0
}

/// Returns contacts between random pairs of bodies with six unknowns that move in random directions; `nu = 3 n / m`.
pub fn random(contacts: usize, nu: f64, mu: f64, seed: u64) -> FrictionProblem {
    let rng = CounterRng::new(seed);
    let bodies = ((3 * contacts) as f64 / nu / 6.0).round().max(2.0) as usize;
    let pick = |i: usize, k: u64| rng.bits(&[1, i as u64, k]) as usize;
    let columns = |i: usize, side: u64| -> Vec<DVec3> {
        (0..6).map(|k| 2.0 * rng.uniform_in_cube([2 + side, i as u64, k]) - DVec3::ONE).collect()
    };
    let touches = |i: usize| {
        let first = pick(i, 0) % bodies;
        let second = (first + 1 + pick(i, 1) % (bodies - 1)) % bodies;
        vec![(first, columns(i, 0)), (second, columns(i, 1))]
    };
    Mechanism {
        inverse_masses: (0..bodies).map(|i| vec![10f64.powf(symmetric(&rng, &[5, i as u64])); 6]).collect(),
        velocities: (0..bodies).map(|i| (0..6).map(|k| symmetric(&rng, &[6, i as u64, k])).collect()).collect(),
        contacts: (0..contacts).map(touches).collect(),
        mu: (0..contacts).map(|i| mu * (0.5 + 0.5 * rng.uniform(&[7, i as u64]))).collect(),
    }
    .problem()
}

/// Returns the columns of a point of a rigid body: the velocity of the point at `arm` from its center, in the axes of the contact.
fn rigid(axes: [DVec3; 3], arm: DVec3, sign: f64) -> Vec<DVec3> {
    let in_contact_axes = |v: DVec3| sign * DVec3::from_array(axes.map(|axis| axis.dot(v)));
    DVec3::AXES
        .into_iter()
        .map(in_contact_axes)
        .chain(DVec3::AXES.into_iter().map(|turn| in_contact_axes(turn.cross(arm))))
        .collect()
}

fn axes_about(normal: DVec3) -> [DVec3; 3] {
    let first = normal.any_orthonormal_vector();
    [normal, first, normal.cross(first)]
}

/// Returns a brick wall on the ground that is pushed sideways. Each brick rests with four corners on each of two other
/// bricks. The wall is hyperstatic, with `nu` near 4.
pub fn wall(width: usize, height: usize, mu: f64, push: f64) -> FrictionProblem {
    wall_of_bricks(width, height, mu, push).problem()
}

/// Returns the bricks of a wall.
pub fn wall_of_bricks(width: usize, height: usize, mu: f64, push: f64) -> Mechanism {
    let (half, mass) = (DVec3::new(0.5, 0.25, 0.25), 2.0);
    let inertia =
        DVec3::new(half.y.powi(2) + half.z.powi(2), half.x.powi(2) + half.z.powi(2), half.x.powi(2) + half.y.powi(2))
            / 3.0;
    let mut centers = Vec::new();
    for row in 0..height {
        for place in 0..width {
            centers.push(DVec3::new(place as f64 + 0.5 * (row % 2) as f64, 0.25 + 0.5 * row as f64, 0.0));
        }
    }
    let mut contacts = Vec::new();
    for (upper, at) in centers.iter().enumerate() {
        let below =
            centers.iter().enumerate().filter(|(_, c)| (c.y - at.y + 0.5).abs() < 1e-9 && (c.x - at.x).abs() < 0.9);
        let mut supports: Vec<(Option<usize>, f64, f64)> =
            below.map(|(lower, c)| (Some(lower), (at.x - 0.5).max(c.x - 0.5), (at.x + 0.5).min(c.x + 0.5))).collect();
        if at.y < 0.3 {
            supports.push((None, at.x - 0.5, at.x + 0.5));
        }
        for (lower, from, to) in supports {
            for (x, z) in [(from, -0.25), (to, -0.25), (from, 0.25), (to, 0.25)] {
                let point = DVec3::new(x, at.y - 0.25, z);
                let axes = axes_about(DVec3::Y);
                let mut touches = vec![(upper, rigid(axes, point - *at, 1.0))];
                touches.extend(lower.map(|lower| (lower, rigid(axes, point - centers[lower], -1.0))));
                contacts.push(touches);
            }
        }
    }
    let masses = [
        1.0 / mass,
        1.0 / mass,
        1.0 / mass,
        1.0 / (mass * inertia.x),
        1.0 / (mass * inertia.y),
        1.0 / (mass * inertia.z),
    ];
    let top = 0.5 * (height - 1) as f64;
    let velocity = |c: &DVec3| vec![push * if c.y > top { 1.0 } else { 0.0 }, -0.0981, 0.3 * push, 0.0, 0.0, 0.0];
    Mechanism {
        inverse_masses: vec![masses.to_vec(); centers.len()],
        velocities: centers.iter().map(velocity).collect(),
        mu: vec![mu; contacts.len()],
        contacts,
    }
}

/// Returns balls of random sizes, closely packed in a box and shaken.
pub fn balls(side: usize, mu: f64, seed: u64) -> FrictionProblem {
    let rng = CounterRng::new(seed);
    let mut centers = Vec::new();
    for i in 0..side * side * side {
        let cell = [i % side, i / side % side, i / side / side];
        let jitter = 2.0 * rng.uniform_in_cube([cell[0] as u64, cell[1] as u64, cell[2] as u64]) - DVec3::ONE;
        let radius = 0.5 + 0.06 * rng.uniform(&[i as u64, 3]);
        centers.push((DVec3::from_array(cell.map(|c| c as f64)) + 0.04 * jitter, radius));
    }
    let mut contacts = Vec::new();
    for (i, (a, r_a)) in centers.iter().enumerate() {
        for (j, (b, r_b)) in centers.iter().enumerate().take(i) {
            let distance = (*a - *b).length();
            if distance < r_a + r_b {
                let normal = (*a - *b) / distance;
                let axes = axes_about(normal);
                contacts.push(vec![(i, rigid(axes, -r_a * normal, 1.0)), (j, rigid(axes, r_b * normal, -1.0))]);
            }
        }
        for (axis, wall) in DVec3::AXES.into_iter().enumerate() {
            if a[axis] < r_a - 0.5 {
                contacts.push(vec![(i, rigid(axes_about(wall), -r_a * wall, 1.0))]);
            }
        }
    }
    let masses = |&(_, r): &(DVec3, f64)| {
        let mass = 4.0 * f64::powi(r, 3);
        [[1.0 / mass; 3], [1.0 / (0.4 * mass * r * r); 3]].concat()
    };
    Mechanism {
        inverse_masses: centers.iter().map(masses).collect(),
        velocities: (0..centers.len())
            .map(|i| {
                (0..6).map(|k| 0.1 * symmetric(&rng, &[i as u64, 9, k]) - if k == 1 { 0.1 } else { 0.0 }).collect()
            })
            .collect(),
        mu: vec![mu; contacts.len()],
        contacts,
    }
    .problem()
}

/// Returns one rigid body wedged between many random planes.
pub fn wedged(contacts: usize, mu: f64, seed: u64) -> FrictionProblem {
    let rng = CounterRng::new(seed);
    let touches = |i: usize| {
        let normal = (2.0 * rng.uniform_in_cube([i as u64, 1, 0]) - DVec3::new(1.0, 0.6, 1.0)).normalize();
        vec![(0, rigid(axes_about(normal), -normal + 0.3 * rng.uniform_in_cube([i as u64, 2, 0]), 1.0))]
    };
    Mechanism {
        inverse_masses: vec![vec![1.0, 1.0, 1.0, 4.0, 4.0, 4.0]],
        velocities: vec![(0..6).map(|k| symmetric(&rng, &[99, k]) - if k == 1 { 2.0 } else { 0.0 }).collect()],
        contacts: (0..contacts).map(touches).collect(),
        mu: vec![mu; contacts],
    }
    .problem()
}
