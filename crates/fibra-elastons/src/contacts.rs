//! Contacts of the cloud's spheres with colliders and with each other, resolved by implicit penalty forces [Martin2010, Sec. 9.3].

use crate::cloud::outer;
use crate::discretization::Discretization;
use crate::sphere_pairs::overlapping_pairs;
use crate::table::Table;
use crate::world::{Params, State};
use fibra_core::geometry::PlacedCollider;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Rest distance, relative to the sum of the radii, below which material points of one body never collide [-].
/// Elasticity keeps such points apart.
const NEAR_AT_REST: f64 = 2.0;

/// A contact of a sphere with a collider or with another sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The material point.
    pub piece: u32,
    /// The other material point; `None`: a collider.
    pub other: Option<u32>,
    /// Unit normal, toward `piece` from the collider or from the other material point.
    pub normal: DVec3,
    /// Penetration depth [m].
    pub depth: f64,
    /// Part of the contact impulse on the material point that does not depend on the unknown velocities [N s].
    impulse: DVec3,
    /// Derivative of the contact impulse with respect to the unknown relative velocity, which the impulse opposes [kg].
    resistance: DMat3,
}

/// The contacts of a step.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    contacts: Vec<Contact>,
}

/// A sphere in a step.
struct Sphere {
    position: DVec3,
    velocity: DVec3,
    radius: f64,
    /// Contact stiffness [N/m].
    stiffness: f64,
}

impl Contacts {
    /// Finds the contacts of a step of `dt` [s]. Colliders are at their poses at the end of the step, at time `end` [s].
    pub fn find(params: &Params, state: &State, discretization: &Discretization, dt: f64, end: f64) -> Contacts {
        if params.colliders.is_empty() && !params.contact.between_bodies {
            return Contacts::default();
        }
        let (cloud, pieces) = (&state.matter.cloud, &discretization.pieces);
        let sphere = |piece: usize| Sphere {
            position: cloud.points[piece] + pieces.read(piece, &state.displacements)[0],
            velocity: pieces.read(piece, &state.velocities)[0],
            radius: cloud.radii[piece],
            stiffness: params.contact.stiffness
                * params.objects[state.matter.objects[piece] as usize].elasticity.young
                * cloud.volumes[piece].cbrt(),
        };
        let spheres: Vec<Sphere> = (0..cloud.points.len()).into_par_iter().with_min_len(256).map(sphere).collect();
        let placed: Vec<PlacedCollider> =
            params.colliders.iter().map(|collider| collider.place(end, params.origin)).collect();
        let against_colliders = spheres.par_iter().enumerate().with_min_len(256).flat_map_iter(|(piece, sphere)| {
            placed.iter().filter_map(move |collider| against_collider(piece as u32, sphere, collider, dt))
        });
        let mut contacts: Vec<Contact> = against_colliders.collect();
        if params.contact.between_bodies {
            contacts.extend(between_spheres(params, state, &discretization.components, &spheres, dt));
        }
        Contacts { contacts }
    }

    /// The contacts found.
    pub fn as_slice(&self) -> &[Contact] {
        &self.contacts
    }

    /// Adds the constant impulses to the right-hand side of the step's equations.
    pub fn add_constant_impulses(&self, discretization: &Discretization, right: &mut [f64]) {
        self.add_impulses(&discretization.pieces, right, |contact| contact.impulse);
    }

    /// Adds the contact terms to the product of the step's matrix with velocities.
    pub fn add_product(&self, discretization: &Discretization, velocities: &[f64], product: &mut [f64]) {
        let pieces = &discretization.pieces;
        self.add_impulses(pieces, product, |contact| {
            let own = pieces.read(contact.piece as usize, velocities)[0];
            let other = contact.other.map_or(DVec3::ZERO, |other| pieces.read(other as usize, velocities)[0]);
            contact.resistance * (own - other)
        });
    }

    fn add_impulses(&self, pieces: &Table, to: &mut [f64], impulse: impl Fn(&Contact) -> DVec3) {
        for contact in &self.contacts {
            let impulse = impulse(contact);
            pieces.add_load(contact.piece as usize, impulse, to);
            if let Some(other) = contact.other {
                pieces.add_load(other as usize, -impulse, to);
            }
        }
    }
}

/// Returns `impulse` and `resistance` of a contact. The vectors are the normal, the current velocity of the sphere
/// relative to its partner, and the part of the partner's velocity that is prescribed rather than unknown.
fn impulse_terms(
    [normal, relative, partner]: [DVec3; 3],
    depth: f64,
    stiffness: f64,
    friction: f64,
    dt: f64,
) -> (DVec3, DMat3) {
    let along = |v: DVec3| normal * v.dot(normal);
    let normal_force = (stiffness * (depth - dt * relative.dot(normal))).max(0.0);
    let sliding = (relative - along(relative)).length();
    // Friction is modeled as viscous drag that equals Coulomb friction at the current sliding speed and is no stiffer
    // than the contact itself.
    let drag = (friction * normal_force / sliding.max(f64::MIN_POSITIVE)).min(stiffness * dt);
    let across = DMat3::IDENTITY - outer(normal);
    let resistance = outer(normal) * (dt * dt * stiffness) + across * (dt * drag);
    (normal * (dt * stiffness * depth) + resistance * partner, resistance)
}

fn against_collider(piece: u32, sphere: &Sphere, collider: &PlacedCollider, dt: f64) -> Option<Contact> {
    let hit = collider.query_within(sphere.position.as_vec3(), sphere.radius as f32)?;
    let depth = sphere.radius - f64::from(hit.distance);
    let (normal, velocity) = (hit.normal.as_dvec3(), hit.velocity.as_dvec3());
    let friction = f64::from(collider.friction);
    // The collider is already at its final pose, so only the motion of the sphere counts along the normal.
    let across = velocity - normal * velocity.dot(normal);
    let (impulse, resistance) =
        impulse_terms([normal, sphere.velocity - across, across], depth, sphere.stiffness, friction, dt);
    (depth > 0.0).then_some(Contact { piece, other: None, normal, depth, impulse, resistance })
}

fn between_spheres(params: &Params, state: &State, components: &[u32], spheres: &[Sphere], dt: f64) -> Vec<Contact> {
    let positions: Vec<DVec3> = spheres.iter().map(|sphere| sphere.position).collect();
    let matter = &state.matter;
    let at_rest = |a: usize, b: usize| matter.cloud.points[a].distance(matter.cloud.points[b]);
    // Parts of one object that a cut has separated may have spheres that overlap at rest. Limit their contact distance
    // to the rest distance, so that contact does not push them apart.
    let reach = |a: usize, b: usize| {
        let sum = spheres[a].radius + spheres[b].radius;
        if matter.objects[a] == matter.objects[b] { sum.min(at_rest(a, b)) } else { sum }
    };
    let can_touch = |a: usize, b: usize| {
        let apart =
            components[a] != components[b] || at_rest(a, b) > NEAR_AT_REST * (spheres[a].radius + spheres[b].radius);
        apart && positions[a].distance(positions[b]) < reach(a, b)
    };
    let contact_of = |&[a, b]: &[u32; 2]| {
        let (one, two) = (&spheres[a as usize], &spheres[b as usize]);
        let offset = one.position - two.position;
        let distance = offset.length();
        let normal = if distance > 0.0 { offset / distance } else { DVec3::Y };
        let depth = reach(a as usize, b as usize) - distance;
        let stiffness = one.stiffness.min(two.stiffness);
        let relative = one.velocity - two.velocity;
        let (impulse, resistance) =
            impulse_terms([normal, relative, DVec3::ZERO], depth, stiffness, params.contact.friction, dt);
        Contact { piece: a, other: Some(b), normal, depth, impulse, resistance }
    };
    let pairs = overlapping_pairs(&positions, &matter.cloud.radii, can_touch);
    pairs.iter().map(contact_of).collect()
}
