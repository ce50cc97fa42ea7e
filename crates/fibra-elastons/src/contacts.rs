//! Contacts of the cloud's spheres with colliders and with each other, resolved by implicit penalty forces [Martin2010, Sec. 9.3].

use crate::ball_pairs::overlapping_pairs;
use crate::cloud::outer;
use crate::discretization::Discretization;
use crate::table::Table;
use crate::world::{Params, State};
use fibra_core::geometry::PlacedCollider;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Distance at rest, in sums of their radii, below which material points of one body never collide [-]: there elasticity keeps them apart.
const NEAR_AT_REST: f64 = 2.0;

/// A contact of a sphere with a collider or with another sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The material point.
    pub piece: u32,
    /// The other material point; `None`: a collider.
    pub other: Option<u32>,
    /// Unit normal, from the collider or the other material point to this one.
    pub normal: DVec3,
    /// Penetration depth [m].
    pub depth: f64,
    /// Part of the contact impulse on the material point that does not depend on the unknown velocities [N s].
    push: DVec3,
    /// Contact impulse per unknown relative velocity, which it opposes [kg].
    resistance: DMat3,
}

/// The contacts of a step.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    touches: Vec<Touch>,
}

/// A sphere in a step.
struct Ball {
    position: DVec3,
    velocity: DVec3,
    radius: f64,
    /// Contact stiffness [N/m].
    stiffness: f64,
}

impl Contacts {
    /// Finds the contacts, with colliders at the end of the step.
    pub fn find(params: &Params, state: &State, discretization: &Discretization, dt: f64, end: f64) -> Contacts {
        if params.colliders.is_empty() && !params.contact.between_bodies {
            return Contacts::default();
        }
        let (cloud, pieces) = (&state.matter.cloud, &discretization.pieces);
        let ball = |piece: usize| Ball {
            position: cloud.points[piece] + pieces.read(piece, &state.displacements)[0],
            velocity: pieces.read(piece, &state.velocities)[0],
            radius: cloud.radii[piece],
            stiffness: params.contact.stiffness
                * params.objects[state.matter.objects[piece] as usize].elasticity.young
                * cloud.volumes[piece].cbrt(),
        };
        let balls: Vec<Ball> = (0..cloud.points.len()).into_par_iter().with_min_len(256).map(ball).collect();
        let placed: Vec<PlacedCollider> =
            params.colliders.iter().map(|collider| collider.place(end, params.origin)).collect();
        let against_colliders = balls.par_iter().enumerate().with_min_len(256).flat_map_iter(|(piece, ball)| {
            placed.iter().filter_map(move |collider| against_collider(piece as u32, ball, collider, dt))
        });
        let mut touches: Vec<Touch> = against_colliders.collect();
        if params.contact.between_bodies {
            touches.extend(between_balls(params, state, &discretization.components, &balls, dt));
        }
        Contacts { touches }
    }

    /// The contacts found.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Adds the constant impulses to the right-hand side of the step's equations.
    pub fn add_pushes(&self, discretization: &Discretization, right: &mut [f64]) {
        self.add_impulses(&discretization.pieces, right, |touch| touch.push);
    }

    /// Adds the contact terms to the product of the step's matrix with velocities.
    pub fn add_product(&self, discretization: &Discretization, velocities: &[f64], product: &mut [f64]) {
        let pieces = &discretization.pieces;
        self.add_impulses(pieces, product, |touch| {
            let own = pieces.read(touch.piece as usize, velocities)[0];
            let other = touch.other.map_or(DVec3::ZERO, |other| pieces.read(other as usize, velocities)[0]);
            touch.resistance * (own - other)
        });
    }

    fn add_impulses(&self, pieces: &Table, to: &mut [f64], impulse: impl Fn(&Touch) -> DVec3) {
        for touch in &self.touches {
            let impulse = impulse(touch);
            pieces.add_load(touch.piece as usize, impulse, to);
            if let Some(other) = touch.other {
                pieces.add_load(other as usize, -impulse, to);
            }
        }
    }
}

/// Returns `push` and `resistance` of a contact. The vectors are the normal, the current velocity of the sphere relative to its partner,
/// and the prescribed velocity of the partner, which is not an unknown.
fn touch(
    [normal, relative, partner]: [DVec3; 3],
    depth: f64,
    stiffness: f64,
    friction: f64,
    dt: f64,
) -> (DVec3, DMat3) {
    let along = |v: DVec3| normal * v.dot(normal);
    let pressing = (stiffness * (depth - dt * relative.dot(normal))).max(0.0);
    let sliding = (relative - along(relative)).length();
    // Friction as viscous drag that equals Coulomb friction at the current sliding speed, and is no stiffer than the contact itself.
    let drag = (friction * pressing / sliding.max(f64::MIN_POSITIVE)).min(stiffness * dt);
    let across = DMat3::IDENTITY - outer(normal);
    let resistance = outer(normal) * (dt * dt * stiffness) + across * (dt * drag);
    (normal * (dt * stiffness * depth) + resistance * partner, resistance)
}

fn against_collider(piece: u32, ball: &Ball, collider: &PlacedCollider, dt: f64) -> Option<Touch> {
    let hit = collider.query_within(ball.position.as_vec3(), ball.radius as f32)?;
    let depth = ball.radius - f64::from(hit.distance);
    let (normal, velocity) = (hit.normal.as_dvec3(), hit.velocity.as_dvec3());
    let friction = f64::from(collider.friction);
    // The collider is at its final pose, so along the normal only the motion of the sphere counts.
    let across = velocity - normal * velocity.dot(normal);
    let (push, resistance) = touch([normal, ball.velocity - across, across], depth, ball.stiffness, friction, dt);
    (depth > 0.0).then_some(Touch { piece, other: None, normal, depth, push, resistance })
}

fn between_balls(params: &Params, state: &State, components: &[u32], balls: &[Ball], dt: f64) -> Vec<Touch> {
    let positions: Vec<DVec3> = balls.iter().map(|ball| ball.position).collect();
    let matter = &state.matter;
    let at_rest = |a: usize, b: usize| matter.cloud.points[a].distance(matter.cloud.points[b]);
    // Parts of one object that a cut has separated stay in place: their spheres overlap at rest.
    let reach = |a: usize, b: usize| {
        let sum = balls[a].radius + balls[b].radius;
        if matter.objects[a] == matter.objects[b] { sum.min(at_rest(a, b)) } else { sum }
    };
    let touching = |a: usize, b: usize| {
        let apart =
            components[a] != components[b] || at_rest(a, b) > NEAR_AT_REST * (balls[a].radius + balls[b].radius);
        apart && positions[a].distance(positions[b]) < reach(a, b)
    };
    let meet = |&[a, b]: &[u32; 2]| {
        let (one, two) = (&balls[a as usize], &balls[b as usize]);
        let offset = one.position - two.position;
        let distance = offset.length();
        let normal = if distance > 0.0 { offset / distance } else { DVec3::Y };
        let depth = reach(a as usize, b as usize) - distance;
        let stiffness = one.stiffness.min(two.stiffness);
        let relative = one.velocity - two.velocity;
        let (push, resistance) = touch([normal, relative, DVec3::ZERO], depth, stiffness, params.contact.friction, dt);
        Touch { piece: a, other: Some(b), normal, depth, push, resistance }
    };
    let pairs = overlapping_pairs(&positions, &matter.cloud.radii, touching);
    pairs.iter().map(meet).collect()
}
