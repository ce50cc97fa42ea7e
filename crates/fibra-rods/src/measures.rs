//! Diagnostics: masses, energies, stretch and gaps of bodies, and the number of points inside colliders.

use crate::body::Body;
use crate::contact::detection::{Surroundings, detect};
use crate::rod::{Hold, RodEnergy};
use crate::world::{Params, State};
use fibra_core::geometry::PlacedCollider;
use glam::DVec3;

/// Upper bound of the measured distance, relative to the sum of the radii [-]. Larger distances are reported as this
/// value.
const MAX_MEASURED: f64 = 1.1;

/// Constant quantities of each body: masses and initial lengths.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// Masses of the points [kg].
    masses: Vec<Vec<f64>>,
    /// Initial lengths of the segments [m].
    lengths: Vec<Vec<f64>>,
    /// Initial centers of mass, relative to the run origin [m].
    centers: Vec<DVec3>,
}

/// Totals over bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Mass [kg].
    pub mass: f64,
    /// Center of mass, relative to the run origin [m].
    pub center: DVec3,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Angular momentum about the run origin [kg m^2/s].
    pub angular_momentum: DVec3,
    /// Energies [J].
    pub energy: RodEnergy,
}

impl Measures {
    /// Adds a body in its initial state.
    pub fn add(&mut self, body: &Body) {
        let lengths = segment_lengths(body);
        let masses = point_masses(body, &lengths);
        let sum = body.points().iter().zip(&masses).fold(DVec3::ZERO, |sum, (x, m)| sum + *m * *x);
        self.centers.push(sum / masses.iter().sum::<f64>());
        self.lengths.push(lengths);
        self.masses.push(masses);
    }

    /// Computes the totals over the given bodies, with gravity [m/s^2].
    pub fn totals(&self, state: &State, gravity: DVec3, bodies: impl Iterator<Item = usize>) -> Totals {
        let mut totals = Totals::default();
        for body in bodies {
            let this = &state.bodies[body];
            let velocities = this.point_velocities();
            for ((mass, x), v) in self.masses[body].iter().zip(this.points()).zip(&velocities) {
                totals.mass += mass;
                totals.center += *mass * *x;
                totals.momentum += *mass * *v;
                totals.angular_momentum += x.cross(*mass * *v);
            }
            totals.angular_momentum += match this {
                Body::Rod(rod) => rod.spin_momentum(),
                Body::Ball(ball) => ball.inertia() * DVec3::from_slice(&ball.velocity[3..]),
            };
            let energy = energy(this, gravity);
            totals.energy.kinetic += energy.kinetic;
            totals.energy.elastic += energy.elastic;
            totals.energy.gravitational += energy.gravitational;
        }
        totals.center /= totals.mass;
        totals
    }

    /// Returns the initial center of mass of the given bodies, relative to the run origin [m].
    pub fn start_center(&self, bodies: impl Iterator<Item = usize>) -> DVec3 {
        let (mut mass, mut sum) = (0.0, DVec3::ZERO);
        for body in bodies {
            let of_body: f64 = self.masses[body].iter().sum();
            mass += of_body;
            sum += of_body * self.centers[body];
        }
        sum / mass
    }

    /// Returns the stretch ratios of the segments of the given rods: length over initial length [-].
    pub fn stretches<'a>(
        &'a self,
        state: &'a State,
        bodies: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        bodies.flat_map(|body| {
            let now = segment_lengths(&state.bodies[body]);
            now.into_iter().zip(&self.lengths[body]).map(|(now, start)| now / start).collect::<Vec<f64>>()
        })
    }
}

/// Lengths of a rod's segments [m]; a ball has none.
fn segment_lengths(body: &Body) -> Vec<f64> {
    let length = |segment: usize| {
        let [from, to] = body.ends_of(segment).map(|end| body.points()[end]);
        from.distance(to)
    };
    match body {
        Body::Rod(_) => (0..body.segments()).map(length).collect(),
        Body::Ball(_) => Vec::new(),
    }
}

fn point_masses(body: &Body, lengths: &[f64]) -> Vec<f64> {
    match body {
        Body::Ball(ball) => vec![ball.mass],
        Body::Rod(rod) => {
            let material = &rod.params().material;
            let mut masses = vec![0.0; body.points().len()];
            for (segment, length) in lengths.iter().enumerate() {
                let half = 0.5 * material.density * material.area() * length;
                body.ends_of(segment).into_iter().for_each(|end| masses[end] += half);
            }
            masses
        }
    }
}

fn energy(body: &Body, gravity: DVec3) -> RodEnergy {
    match body {
        Body::Rod(rod) => rod.energy(gravity),
        Body::Ball(ball) => {
            let (velocity, spin) = (DVec3::from_slice(&ball.velocity), DVec3::from_slice(&ball.velocity[3..]));
            RodEnergy {
                kinetic: 0.5 * ball.mass * velocity.length_squared() + 0.5 * ball.inertia() * spin.length_squared(),
                elastic: 0.0,
                gravitational: -ball.mass * gravity.dot(ball.center),
            }
        }
    }
}

/// Returns the smallest distance between the polylines of two bodies, or of two parts of one body, relative to the sum of their radii [-]. Only pairs
/// whose bodies both satisfy `counts` are considered.
pub fn smallest_gap(params: &Params, state: &State, counts: impl Fn(usize) -> bool) -> f64 {
    let velocities: Vec<Vec<DVec3>> = state.bodies.iter().map(Body::point_velocities).collect();
    let contacts = detect(&Surroundings {
        bodies: &state.bodies,
        velocities: &velocities,
        surfaces: &params.surfaces,
        pairs: &params.pairs,
        colliders: &[],
        dt: 0.0,
        gravity: DVec3::ZERO,
        before: &Default::default(),
    });
    let distance = contacts.iter().filter_map(|contact| {
        let [a, b] = [contact.a.body, contact.b?.body];
        let radii = state.bodies[a].radius() + state.bodies[b].radius();
        (counts(a) && counts(b)).then(|| 1.0 + contact.gap / radii)
    });
    distance.fold(MAX_MEASURED, f64::min)
}

/// Counts the centerline points (or ball centers) of the given bodies that are inside a collider. Held ends do not
/// count.
pub fn inside_colliders(params: &Params, state: &State, bodies: impl Iterator<Item = usize>) -> usize {
    let placed: Vec<PlacedCollider> =
        params.colliders.iter().map(|collider| collider.place(state.time, params.settings.origin)).collect();
    let deep = |x: &DVec3| placed.iter().any(|collider| collider.signed_distance(x.as_vec3()) < 0.0);
    let count = |body: usize| {
        let this = &state.bodies[body];
        if this.unknowns() == 0 {
            return 0;
        }
        let points = this.points();
        let held = |point: usize| match this {
            Body::Rod(rod) if !rod.params().closed => {
                let ends = [(0, 0), (1, points.len() - 1)];
                ends.iter().any(|&(end, at)| point == at && rod.params().ends[end].hold_at(state.time) != Hold::Free)
            }
            _ => false,
        };
        (0..points.len()).filter(|&point| deep(&points[point]) && !held(point)).count()
    };
    bodies.map(count).sum()
}
