//! Contacts of the cloud's spheres with colliders and with each other, resolved by implicit penalty forces [Martin2010, Sec. 9.3].
//! Against colliders, sheets and wires have their own thickness.

use crate::discretization::Discretization;
use crate::friction::{Partner, Slip, Surface, along_surface, slip_of};
use crate::law;
use crate::sphere_pairs::overlapping_pairs;
use crate::table::Table;
use crate::world::{Params, Section, State};
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
    /// Other side of the contact.
    pub partner: Partner,
    /// Normal, penetration and friction.
    pub surface: Surface,
    /// Slip before the step [m].
    slip: DVec3,
    /// Velocity of the partner along the surface, if it is prescribed rather than unknown [m/s].
    prescribed: DVec3,
    /// Part of the contact impulse on the material point that does not depend on the unknown velocities [N s].
    impulse: DVec3,
    /// Derivative of the contact impulse with respect to the unknown relative velocity, which the impulse opposes [kg].
    resistance: DMat3,
}

impl Contact {
    /// The other material point; `None`: a collider.
    pub fn other(&self) -> Option<u32> {
        match self.partner {
            Partner::Piece(other) => Some(other),
            Partner::Collider(_) => None,
        }
    }

    /// Unknown part of the relative velocity [m/s].
    fn unknown_velocity(&self, pieces: &Table, velocities: &[f64]) -> DVec3 {
        let other = self.other().map_or(DVec3::ZERO, |other| pieces.read(other as usize, velocities)[0]);
        pieces.read(self.piece as usize, velocities)[0] - other
    }
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
    /// Squared half extents of a thin material point, `n . extent n` along a direction `n` [m^2]; `None`: the sphere.
    extent: Option<DMat3>,
}

impl Sphere {
    /// Distance of the surface from the center along a direction [m].
    fn reach(&self, normal: DVec3) -> f64 {
        let Some(extent) = &self.extent else { return self.radius };
        normal.dot(*extent * normal).max(0.0).sqrt().min(self.radius)
    }
}

impl Contacts {
    /// Finds the contacts of a step of `dt` [s]. Colliders are at their poses at the end of the step, at time `end` [s].
    pub fn find(params: &Params, state: &State, discretization: &Discretization, dt: f64, end: f64) -> Contacts {
        if params.colliders.is_empty() && !params.contact.between_bodies {
            return Contacts::default();
        }
        let (cloud, pieces) = (&state.matter.cloud, &discretization.pieces);
        let with_extents = !params.colliders.is_empty();
        let sphere = |piece: usize| Sphere {
            position: cloud.points[piece] + pieces.read(piece, &state.displacements)[0],
            velocity: pieces.read(piece, &state.velocities)[0],
            radius: cloud.radii[piece],
            stiffness: params.contact.stiffness
                * params.objects[state.matter.objects[piece] as usize].elasticity.young
                * cloud.volumes[piece].cbrt(),
            extent: (with_extents && discretization.thin[piece]).then(|| extent(params, state, discretization, piece)),
        };
        let spheres: Vec<Sphere> = (0..cloud.points.len()).into_par_iter().with_min_len(256).map(sphere).collect();
        let placed: Vec<PlacedCollider> =
            params.colliders.iter().map(|collider| collider.place(end, params.origin)).collect();
        let slips = state.slips.as_slice();
        let against_colliders = spheres.par_iter().enumerate().with_min_len(256).flat_map_iter(|(piece, sphere)| {
            let touched = placed.iter().enumerate();
            touched.filter_map(move |(index, collider)| {
                against_collider([piece as u32, index as u32], sphere, collider, slips, dt)
            })
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
        self.add_impulses(pieces, product, |contact| contact.resistance * contact.unknown_velocity(pieces, velocities));
    }

    /// Slips after a step of `dt` [s] with the given velocities at its end, in ascending order.
    pub fn slips(&self, discretization: &Discretization, velocities: &[f64], dt: f64) -> Vec<Slip> {
        let slip = |contact: &Contact| {
            let relative = contact.unknown_velocity(&discretization.pieces, velocities) - contact.prescribed;
            let displacement = contact.surface.next_slip(contact.slip, relative, dt);
            Slip { piece: contact.piece, partner: contact.partner, displacement }
        };
        let mut slips: Vec<Slip> = self.contacts.iter().map(slip).collect();
        slips.retain(|slip| slip.displacement != DVec3::ZERO);
        slips.sort_by_key(|slip| (slip.piece, slip.partner));
        slips
    }

    fn add_impulses(&self, pieces: &Table, to: &mut [f64], impulse: impl Fn(&Contact) -> DVec3) {
        for contact in &self.contacts {
            let impulse = impulse(contact);
            pieces.add_load(contact.piece as usize, impulse, to);
            if let Some(other) = contact.other() {
                pieces.add_load(other as usize, -impulse, to);
            }
        }
    }
}

/// Squared half extents of a material point, in current axes [m^2].
fn extent(params: &Params, state: &State, discretization: &Discretization, piece: usize) -> DMat3 {
    let matter = &state.matter;
    let owner = matter.owners[piece] as usize;
    let elaston = &matter.elastons[owner];
    let field = discretization.elastons.read(owner, &state.displacements);
    let turn = law::frame(&field, elaston) * elaston.axes.transpose();
    // The second moments per volume are s^2 / 12 for a side s, and r^2 / 4 for a disk.
    let squares = match params.objects[matter.objects[piece] as usize].section {
        Section::Rectangular => 3.0,
        Section::Round => 4.0,
    };
    turn * matter.cloud.spreads[piece] * turn.transpose() * squares
}

fn against_collider(
    [piece, index]: [u32; 2],
    sphere: &Sphere,
    collider: &PlacedCollider,
    slips: &[Slip],
    dt: f64,
) -> Option<Contact> {
    let hit = collider.query_within(sphere.position.as_vec3(), sphere.radius as f32)?;
    let depth = sphere.reach(hit.normal.as_dvec3()) - f64::from(hit.distance);
    let (normal, velocity) = (hit.normal.as_dvec3(), hit.velocity.as_dvec3());
    let surface = Surface { normal, depth, stiffness: sphere.stiffness, friction: f64::from(collider.friction) };
    // The collider is already at its final pose, so only the motion of the sphere counts along the normal.
    let prescribed = along_surface(velocity, normal);
    let partner = Partner::Collider(index);
    let slip = slip_of(slips, piece, partner);
    let (constant, resistance) = surface.impulse(slip, sphere.velocity - prescribed, dt);
    let impulse = constant + resistance * prescribed;
    (depth > 0.0).then_some(Contact { piece, partner, surface, slip, prescribed, impulse, resistance })
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
        let surface = Surface { normal, depth, stiffness, friction: params.contact.friction };
        let partner = Partner::Piece(b);
        let slip = slip_of(&state.slips, a, partner);
        let (impulse, resistance) = surface.impulse(slip, one.velocity - two.velocity, dt);
        Contact { piece: a, partner, surface, slip, prescribed: DVec3::ZERO, impulse, resistance }
    };
    let pairs = overlapping_pairs(&positions, &matter.cloud.radii, can_touch);
    pairs.iter().map(contact_of).collect()
}
