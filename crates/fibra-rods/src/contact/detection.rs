//! Detects the contacts of a step: pairs of segments that may meet before it ends, and points near colliders.

use super::hash::{Bounds, overlapping_pairs};
use super::pairs::{Member, Pairs};
use super::segments::{closest_shares, point_on, steady_shares};
use super::{Contact, ContactKey, Side};
use crate::body::Body;
use crate::error::{RodError, in_range};
use crate::rod::Abscissa;
use crate::world::Touch;
use fibra_core::geometry::PlacedCollider;
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Contact margin, relative to the radii [-]. Contacts with a gap below this margin are included even if the bodies
/// separate.
const MARGIN: f64 = 0.1;
/// Smallest distance along a rod between two points that can be in self-contact, relative to the diameter of the rod
/// [-]. Bending stiffness keeps closer points apart: the tightest bend that brings the surfaces together is a half turn
/// with the radius of the rod, an arc of pi/2 diameters.
const MIN_ARC: f64 = 1.6;
/// Minimum spacing of contacts between the same two bodies, measured along either body and relative to the mean segment length of that body
/// [-]. Segments are straight, so closer contacts are redundant.
const SPACING: f64 = 1.0;
/// Overlap above which a contact is kept even if other contacts are near, relative to the contact spacing [-]. A new
/// contact replaces a contact of the previous step only if the new gap is smaller by this margin. The value bounds how
/// far rods tilt between contacts.
const MAX_TILT: f64 = 0.005;
/// A contact stays at its previous position while the distance there exceeds the minimum by at most this value, relative to the smaller radius [-].
const PERSISTENCE: f64 = 0.01;
/// Number of steps of the ternary search for the point of a segment closest to a collider.
const SEARCH_STEPS: usize = 24;

/// Friction and restitution of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb's coefficient of friction [-]. Two bodies, or a body and a collider, use the smaller value, unless the pair has its own.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1 [-]. Two bodies use the smaller value; a body and a collider use the body's.
    pub restitution: f64,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { friction: 0.3, restitution: 0.0 }
    }
}

impl Surface {
    /// Validates the coefficients.
    pub fn check(&self) -> Result<(), RodError> {
        let Surface { friction, restitution } = *self;
        in_range("friction", friction, friction >= 0.0, "finite and not negative")?;
        in_range("restitution", restitution, (0.0..=1.0).contains(&restitution), "from 0 to 1")
    }
}

/// Input of contact detection.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// Velocities of the points of each body, predicted without contact [m/s].
    pub velocities: &'a [Vec<DVec3>],
    /// Friction and restitution of the bodies.
    pub surfaces: &'a [Surface],
    /// Pairs with their own friction and restitution.
    pub pairs: &'a Pairs,
    /// The colliders at the start of the step.
    pub colliders: &'a [PlacedCollider],
    /// The time step [s].
    pub dt: f64,
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// The contacts of the previous step.
    pub before: &'a FxHashMap<ContactKey, Touch>,
}

/// Per-body data for detection.
struct BodyData<'a> {
    velocities: &'a [DVec3],
    /// Arc length at each point [m]; the last entry is the total length.
    arcs: Vec<f64>,
    /// Minimum spacing along the body of two contacts with the same other body [m].
    spacing: f64,
}

/// Returns all contacts of a step, sorted by key.
pub fn detect(input: &Surroundings<'_>) -> Vec<Contact> {
    let data = body_data(input);
    let mut contacts = body_contacts(input, &data);
    contacts.par_extend(
        input.bodies.par_iter().enumerate().flat_map_iter(|(body, _)| collider_contacts(input, &data, body)),
    );
    // If neither side can move, as at the clamped root of a hair on a head, an impulse has no effect, so the contact is dropped.
    contacts.retain(|contact| can_move(input, &contact.a) || contact.b.as_ref().is_some_and(|b| can_move(input, b)));
    contacts.sort_unstable_by_key(|contact| contact.key);
    contacts
}

/// Returns whether an impulse at the contact moves the centerline of the body.
fn can_move(input: &Surroundings<'_>, side: &Side) -> bool {
    let motion = input.bodies[side.body].motion_of(side.at, DVec3::ZERO);
    motion.columns.iter().any(|column| *column != DVec3::ZERO)
}

fn body_data<'a>(input: &Surroundings<'a>) -> Vec<BodyData<'a>> {
    input.bodies.par_iter().zip(input.velocities).map(|(body, velocities)| data_of(body, velocities)).collect()
}

fn data_of<'a>(body: &Body, velocities: &'a [DVec3]) -> BodyData<'a> {
    let points = body.points();
    let mut arcs = vec![0.0];
    for segment in 0..body.segments() {
        let [from, to] = body.ends_of(segment);
        arcs.push(arcs[segment] + points[from].distance(points[to]));
    }
    let mean = arcs[body.segments()] / body.segments() as f64;
    BodyData { velocities, arcs, spacing: (SPACING * mean).max(2.0 * body.radius()) }
}

/// Returns the largest distance by which two bodies that may meet approach within the step, relative to the sum of
/// their radii [-]. If it is above one, the time step is too long to detect contacts reliably.
pub fn largest_approach(input: &Surroundings<'_>) -> f64 {
    let data = body_data(input);
    let segments = segments(input.bodies);
    let speed =
        |&(body, segment): &(usize, usize)| input.bodies[body].ends_of(segment).map(|end| data[body].velocities[end]);
    candidates(input, &data, &segments)
        .into_iter()
        .map(|[i, j]| {
            let (i, j) = (&segments[i as usize], &segments[j as usize]);
            let radii = input.bodies[i.0].radius() + input.bodies[j.0].radius();
            let (a, b) = (speed(i), speed(j));
            let relative = a.iter().flat_map(|a| b.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max);
            let (ends_a, ends_b) = (ends(input.bodies, *i), ends(input.bodies, *j));
            let [s, t] = closest_shares(ends_a, ends_b);
            let gap = point_on(ends_a, s).distance(point_on(ends_b, t)) - radii;
            if relative * input.dt > gap { relative * input.dt / radii } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

/// Returns all segments as (body, segment) indices.
fn segments(bodies: &[Body]) -> Vec<(usize, usize)> {
    bodies.iter().enumerate().flat_map(|(body, b)| (0..b.segments()).map(move |segment| (body, segment))).collect()
}

fn ends(bodies: &[Body], (body, segment): (usize, usize)) -> [DVec3; 2] {
    bodies[body].ends_of(segment).map(|end| bodies[body].points()[end])
}

/// Returns the pairs of segments whose swept boxes overlap, except neighbors on one rod.
fn candidates(input: &Surroundings<'_>, data: &[BodyData<'_>], segments: &[(usize, usize)]) -> Vec<[u32; 2]> {
    let fall = input.dt * input.dt * input.gravity.length();
    let bounds: Vec<Bounds> = segments
        .par_iter()
        .map(|&(body, segment)| {
            let [from, to] = input.bodies[body].ends_of(segment);
            let velocities = data[body].velocities;
            let speed = velocities[from].length().max(velocities[to].length());
            let margin = (1.0 + MARGIN) * input.bodies[body].radius() + input.dt * speed + fall;
            let [a, b] = ends(input.bodies, (body, segment));
            Bounds::enclosing(a, b, margin)
        })
        .collect();
    let apart = |[i, j]: &[u32; 2]| {
        let ((a, s), (b, t)) = (segments[*i as usize], segments[*j as usize]);
        let count = input.bodies[a].segments();
        a != b || (t > s + 1 && !(input.bodies[a].is_closed() && s == 0 && t == count - 1))
    };
    let mut pairs = overlapping_pairs(&bounds);
    pairs.retain(apart);
    pairs
}

fn body_contacts(input: &Surroundings<'_>, data: &[BodyData<'_>]) -> Vec<Contact> {
    let segments = segments(input.bodies);
    let pairs = candidates(input, data, &segments);
    let mut contacts: Vec<Contact> = pairs
        .par_iter()
        .flat_map_iter(|&[i, j]| segment_contacts(input, data, segments[i as usize], segments[j as usize]))
        .collect();
    // Two segments report the same contact at their joint, and parallel segments report one contact many times. Among
    // nearby contacts between the same bodies, only the contact with the smallest gap is kept. A contact that existed
    // in the previous step, or that overlaps, is dropped only if a kept contact is within one radius. Otherwise,
    // contacts would alternate between steps and move bodies at rest. The same holds at the ends of rods: where two rods lie side by side and one
    // of them ends, two contacts keep it from tilting.
    let known = |contact: &Contact| input.before.contains_key(&contact.key);
    let tilt = |contact: &Contact| MAX_TILT * data[contact.a.body].spacing;
    let preferred = |contact: &Contact| f64::from(u8::from(known(contact)) + u8::from(contact.key.is_at_end()));
    let rank = |contact: &Contact| contact.gap - preferred(contact) * tilt(contact);
    contacts.sort_by(|x, y| bodies_of(x).cmp(&bodies_of(y)).then(rank(x).total_cmp(&rank(y))).then(x.key.cmp(&y.key)));
    let mut kept: Vec<Contact> = Vec::with_capacity(contacts.len());
    let mut pair_start = 0;
    for contact in contacts {
        if kept.get(pair_start).is_some_and(|first| bodies_of(first) != bodies_of(&contact)) {
            pair_start = kept.len();
        }
        let protected = known(&contact) || contact.gap < -tilt(&contact);
        let redundant = |other: &Contact| {
            let near = protected || contact.key.is_at_end() || other.key.is_at_end();
            let least = |body: usize| if near { input.bodies[body].radius() } else { data[body].spacing };
            let far = |x: &Side, y: &Side| along(data, x, y, &input.bodies[x.body]) > least(x.body);
            let other_b = other.b.as_ref().zip(contact.b.as_ref());
            !far(&other.a, &contact.a) && other_b.is_none_or(|(x, y)| !far(x, y))
        };
        if !kept[pair_start..].iter().any(redundant) {
            kept.push(contact);
        }
    }
    kept
}

fn bodies_of(contact: &Contact) -> [u32; 2] {
    [contact.key.a[0], contact.key.b[0]]
}

/// Returns the arc length between two points of a body [m].
fn along(data: &[BodyData<'_>], x: &Side, y: &Side, body: &Body) -> f64 {
    let arcs = &data[x.body].arcs;
    let arc = |side: &Side| {
        let segment = side.at.segment;
        arcs[segment] + side.at.share * (arcs[segment + 1] - arcs[segment])
    };
    let distance = (arc(x) - arc(y)).abs();
    if body.is_closed() { distance.min(arcs[arcs.len() - 1] - distance) } else { distance }
}

/// Returns the contacts of two segments that may meet before the end of the step: where they are closest, and where a rod ends beside the other segment.
fn segment_contacts(
    input: &Surroundings<'_>,
    data: &[BodyData<'_>],
    a: (usize, usize),
    b: (usize, usize),
) -> impl Iterator<Item = Contact> {
    let (ends_a, ends_b) = (ends(input.bodies, a), ends(input.bodies, b));
    let [radius_a, radius_b] = [a, b].map(|(body, _)| input.bodies[body].radius());
    let key = ContactKey { a: [a.0 as u32, a.1 as u32], b: [b.0 as u32, b.1 as u32] };
    let known = input.before.get(&key);
    let is_ball = |body: usize| matches!(input.bodies[body], Body::Ball(_));
    let closest = match known {
        // The closest point to a ball does not jump. Therefore only contacts between rods stay near their previous
        // position.
        Some(before) if !is_ball(a.0) && !is_ball(b.0) => {
            steady_shares(ends_a, ends_b, before.share, PERSISTENCE * radius_a.min(radius_b))
        }
        _ => closest_shares(ends_a, ends_b),
    };
    let ends_of_a = ends_of_rod(&input.bodies[a.0], a.1)
        .filter_map(move |(end, s)| Some((end, [s, foot(ends_b, point_on(ends_a, s))?])));
    let ends_of_b = ends_of_rod(&input.bodies[b.0], b.1)
        .filter_map(move |(end, t)| Some((end + 2, [foot(ends_a, point_on(ends_b, t))?, t])));
    std::iter::once((0, closest))
        .chain(ends_of_a)
        .chain(ends_of_b)
        .filter_map(move |(end, shares)| segment_contact(input, data, [a, b], key.at_end(end), shares))
}

/// Returns the ends of an open rod that belong to a segment: 1 for its start, 2 for its end, with the fraction along the segment.
fn ends_of_rod(body: &Body, segment: usize) -> impl Iterator<Item = (u32, f64)> + use<> {
    let is_open_rod = matches!(body, Body::Rod(_)) && !body.is_closed();
    let first = (is_open_rod && segment == 0).then_some((1, 0.0));
    first.into_iter().chain((is_open_rod && segment + 1 == body.segments()).then_some((2, 1.0)))
}

/// Returns the position beside a point as a fraction along a segment, or `None` if the point is not beside the segment.
fn foot(segment: [DVec3; 2], point: DVec3) -> Option<f64> {
    let along = segment[1] - segment[0];
    let share = (point - segment[0]).dot(along) / along.length_squared();
    (0.0..=1.0).contains(&share).then_some(share)
}

/// Returns the contact of two segments at the given fractions along them, if they may meet there before the end of the step.
fn segment_contact(
    input: &Surroundings<'_>,
    data: &[BodyData<'_>],
    [a, b]: [(usize, usize); 2],
    key: ContactKey,
    [s, t]: [f64; 2],
) -> Option<Contact> {
    let (ends_a, ends_b) = (ends(input.bodies, a), ends(input.bodies, b));
    let [radius_a, radius_b] = [a, b].map(|(body, _)| input.bodies[body].radius());
    let before = input.before.get(&key);
    let is_ball = |body: usize| matches!(input.bodies[body], Body::Ball(_));
    let (x, y) = (point_on(ends_a, s), point_on(ends_b, t));
    let mut side_a = Side { body: a.0, at: Abscissa { segment: a.1, share: s }, arm: DVec3::ZERO };
    let mut side_b = Side { body: b.0, at: Abscissa { segment: b.1, share: t }, arm: DVec3::ZERO };
    if a.0 == b.0 && along(data, &side_a, &side_b, &input.bodies[a.0]) < MIN_ARC * 2.0 * radius_a {
        return None;
    }
    // A ball touches a rod at the point of the rod closest to it. Skip this segment if its neighbor comes closer to the
    // ball.
    let is_closer_to_neighbor = |ball: usize, rod: (usize, usize), share: f64, toward: DVec3| {
        is_ball(ball) && neighbor_is_closer(&input.bodies[rod.0], rod.1, share, toward)
    };
    if is_closer_to_neighbor(a.0, b, t, x - y) || is_closer_to_neighbor(b.0, a, s, y - x) {
        return None;
    }
    let velocity = |(body, segment): (usize, usize), share| {
        let [from, to] = input.bodies[body].ends_of(segment).map(|end| data[body].velocities[end]);
        from + share * (to - from)
    };
    let distance = x.distance(y);
    let mut gap = distance - radius_a - radius_b;
    let approach = input.dt * (velocity(a, s) - velocity(b, t)).length();
    if gap > approach + MARGIN * (radius_a + radius_b) {
        return None;
    }
    let mut normal = match (x - y).try_normalize() {
        Some(normal) => normal,
        // The centerlines intersect: use the previous normal or, for a new contact, the direction perpendicular to
        // both.
        None => before.map(|before| before.normal).unwrap_or_else(|| {
            let across = (ends_a[1] - ends_a[0]).cross(ends_b[1] - ends_b[0]);
            across.try_normalize().unwrap_or_else(|| (ends_a[1] - ends_a[0]).any_orthonormal_vector())
        }),
    };
    // The centerlines have passed through each other since the previous step: push them back to their previous sides.
    if before.is_some_and(|before| before.normal.dot(normal) < 0.0) && gap < 0.0 {
        normal = -normal;
        gap = -distance - radius_a - radius_b;
    }
    // Both bodies receive the impulse at the same point. Otherwise friction across an open gap would change the angular momentum.
    let arm = (gap / (radius_a + radius_b) + 1.0) * normal;
    side_a.arm = -radius_a * arm;
    side_b.arm = radius_b * arm;
    let Surface { friction, restitution } =
        input.pairs.of([a, b].map(|(body, _)| (Member::Body(body), input.surfaces[body])));
    Some(Contact { key, a: side_a, b: Some(side_b), normal, gap, surface_velocity: DVec3::ZERO, friction, restitution })
}

/// Returns whether the neighboring segment continues in the direction `toward`, where it comes closer to the object than this segment.
fn neighbor_is_closer(rod: &Body, segment: usize, share: f64, toward: DVec3) -> bool {
    let along = |segment: usize| {
        let [from, to] = rod.ends_of(segment).map(|end| rod.points()[end]);
        to - from
    };
    let count = rod.segments();
    let next =
        if rod.is_closed() { Some((segment + 1) % count) } else { Some(segment + 1).filter(|&next| next < count) };
    let last = if rod.is_closed() { Some((segment + count - 1) % count) } else { segment.checked_sub(1) };
    (share == 1.0 && next.is_some_and(|next| along(next).dot(toward) > 0.0))
        || (share == 0.0 && last.is_some_and(|last| along(last).dot(toward) < 0.0))
}

/// Returns the contacts of one body with the colliders: at its points, and within segments whose interior is closest to a collider.
fn collider_contacts(input: &Surroundings<'_>, data: &[BodyData<'_>], body: usize) -> Vec<Contact> {
    let this = &input.bodies[body];
    let (points, radius) = (this.points(), this.radius());
    let fall = input.dt * input.dt * input.gravity.length();
    let mut contacts = Vec::new();
    for (index, collider) in input.colliders.iter().enumerate() {
        let surface = Surface { friction: f64::from(collider.friction), restitution: f64::INFINITY };
        let sides = [(Member::Body(body), input.surfaces[body]), (Member::Collider(index), surface)];
        let Surface { friction, restitution } = input.pairs.of(sides);
        let contact_at = |at: Abscissa, place: usize, x: DVec3, velocity: DVec3| -> Option<Contact> {
            let hit = collider.query(x.as_vec3());
            let gap = f64::from(hit.distance) - radius;
            let normal = hit.normal.as_dvec3().try_normalize()?;
            // The velocity of the collider at its surface.
            let turning = collider.angular_velocity().as_dvec3();
            let surface_velocity = hit.velocity.as_dvec3() - f64::from(hit.distance) * turning.cross(normal);
            let approach = input.dt * (velocity - surface_velocity).length() + fall;
            if gap > approach + MARGIN * radius {
                return None;
            }
            Some(Contact {
                key: ContactKey { a: [body as u32, place as u32], b: [ContactKey::COLLIDER, index as u32] },
                a: Side { body, at, arm: -radius * normal },
                b: None,
                normal,
                gap,
                surface_velocity,
                friction,
                restitution,
            })
        };
        for (place, &x) in points.iter().enumerate() {
            let last = place == this.segments();
            let at = Abscissa { segment: place - usize::from(last), share: if last { 1.0 } else { 0.0 } };
            contacts.extend(contact_at(at, place, x, data[body].velocities[place]));
        }
        for segment in 0..this.segments() {
            let [from, to] = this.ends_of(segment);
            let ends = [points[from], points[to]];
            let distance = |share: f64| collider.signed_distance(point_on(ends, share).as_vec3());
            let nearest_end = distance(0.0).min(distance(1.0));
            if f64::from(distance(0.5)) > f64::from(nearest_end) - 0.01 * radius {
                continue;
            }
            let share = minimizer(distance);
            let velocity = data[body].velocities[from].lerp(data[body].velocities[to], share);
            contacts.extend(contact_at(
                Abscissa { segment, share },
                points.len() + segment,
                point_on(ends, share),
                velocity,
            ));
        }
    }
    contacts
}

/// Returns the minimizer on 0..1 of a function with a single minimum, by ternary search.
fn minimizer(f: impl Fn(f64) -> f32) -> f64 {
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..SEARCH_STEPS {
        let third = (to - from) / 3.0;
        let (left, right) = (from + third, to - third);
        if f(left) < f(right) { to = right } else { from = left }
    }
    0.5 * (from + to)
}
