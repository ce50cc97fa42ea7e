//! Finds the contacts of a step: pairs of segments that may meet before it ends, and points near colliders.

use super::hash::{Bounds, overlapping_pairs};
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

/// Contacts that are closer than this are watched even when they part, over the radii [-].
const SKIN: f64 = 0.1;
/// Points of one rod whose distance along it is below this are held apart by its stiffness, not by contact, over its diameter [-]: a
/// bend that brings surfaces together has half a turn of at least its own radius, an arc of pi/2 diameters.
const ARC: f64 = 1.6;
/// Contacts of the same bodies are at least so far apart along one of them, over its mean segment [-]: segments are straight, so that
/// more would say the same again.
const SPACING: f64 = 1.0;
/// Overlap, over the least distance of contacts, at which one counts even beside others, and by which another must be closer to come before
/// one of the step before [-]: how far rods may tilt between contacts.
const TILT: f64 = 0.005;
/// How much less close than it could be a contact may be to stay where it was in the step before, over the radius [-].
const STEADY: f64 = 0.01;
/// Steps of the search for the point of a segment that is closest to a collider.
const SEARCH: usize = 24;

/// Friction and restitution of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb's coefficient of friction between this body and others [-]; of two bodies the smaller counts, against a collider
    /// the collider's.
    pub friction: f64,
    /// Share of the approach velocity that a hit gives back, 0 to 1 [-]; of two bodies the smaller counts.
    pub restitution: f64,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { friction: 0.3, restitution: 0.0 }
    }
}

impl Surface {
    /// Rejects impossible numbers.
    pub fn check(&self) -> Result<(), RodError> {
        let Surface { friction, restitution } = *self;
        in_range("friction", friction, friction >= 0.0, "finite and not negative")?;
        in_range("restitution", restitution, (0.0..=1.0).contains(&restitution), "from 0 to 1")
    }
}

/// What detection looks at.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// Velocities of their points in the step, as far as they are known before contact [m/s].
    pub velocities: &'a [Vec<DVec3>],
    /// Their surfaces.
    pub surfaces: &'a [Surface],
    /// The colliders at the start of the step.
    pub colliders: &'a [PlacedCollider],
    /// Length of the step [s].
    pub dt: f64,
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// The contacts of the step before.
    pub before: &'a FxHashMap<ContactKey, Touch>,
}

/// What is known of a body before contacts are looked for.
struct Seen<'a> {
    velocities: &'a [DVec3],
    /// Distance along the body to each of its points [m], and its whole length.
    arcs: Vec<f64>,
    /// Least distance along it of two contacts with the same other body [m].
    spacing: f64,
}

/// All contacts of a step, in the order of their keys.
pub fn detect(around: &Surroundings<'_>) -> Vec<Contact> {
    let seen = see_all(around);
    let mut contacts = between_bodies(around, &seen);
    contacts
        .par_extend(around.bodies.par_iter().enumerate().flat_map_iter(|(body, _)| at_colliders(around, &seen, body)));
    // Where neither side can move, as at the clamped root of a hair on a head, no impulse changes anything.
    contacts
        .retain(|contact| gives_way(around, &contact.a) || contact.b.as_ref().is_some_and(|b| gives_way(around, b)));
    contacts.sort_unstable_by_key(|contact| contact.key);
    contacts
}

/// Whether an impulse there moves the body.
fn gives_way(around: &Surroundings<'_>, side: &Side) -> bool {
    let motion = around.bodies[side.body].motion_of(side.at, side.arm);
    motion.columns.iter().any(|column| *column != DVec3::ZERO)
}

fn see_all<'a>(around: &Surroundings<'a>) -> Vec<Seen<'a>> {
    around.bodies.par_iter().zip(around.velocities).map(|(body, velocities)| see(body, velocities)).collect()
}

fn see<'a>(body: &Body, velocities: &'a [DVec3]) -> Seen<'a> {
    let points = body.points();
    let mut arcs = vec![0.0];
    for segment in 0..body.segments() {
        let [from, to] = body.ends_of(segment);
        arcs.push(arcs[segment] + points[from].distance(points[to]));
    }
    let mean = arcs[body.segments()] / body.segments() as f64;
    Seen { velocities, arcs, spacing: (SPACING * mean).max(2.0 * body.radius()) }
}

/// Largest distance over which two bodies of one pair approach within the step, if they are pairs that may meet, over the sum of their
/// radii [-]. Above one, a step is too long for contacts to be seen in time.
pub fn largest_approach(around: &Surroundings<'_>) -> f64 {
    let seen = see_all(around);
    let segments = segments(around.bodies);
    let speed =
        |&(body, segment): &(usize, usize)| around.bodies[body].ends_of(segment).map(|end| seen[body].velocities[end]);
    candidates(around, &seen, &segments)
        .into_iter()
        .map(|[i, j]| {
            let (i, j) = (&segments[i as usize], &segments[j as usize]);
            let radii = around.bodies[i.0].radius() + around.bodies[j.0].radius();
            let (a, b) = (speed(i), speed(j));
            let relative = a.iter().flat_map(|a| b.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max);
            let (ends_a, ends_b) = (ends(around.bodies, *i), ends(around.bodies, *j));
            let [s, t] = closest_shares(ends_a, ends_b);
            let gap = point_on(ends_a, s).distance(point_on(ends_b, t)) - radii;
            if relative * around.dt > gap { relative * around.dt / radii } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

/// All segments, as body and index.
fn segments(bodies: &[Body]) -> Vec<(usize, usize)> {
    bodies.iter().enumerate().flat_map(|(body, b)| (0..b.segments()).map(move |segment| (body, segment))).collect()
}

fn ends(bodies: &[Body], (body, segment): (usize, usize)) -> [DVec3; 2] {
    bodies[body].ends_of(segment).map(|end| bodies[body].points()[end])
}

/// Pairs of segments whose swept boxes overlap and that are not neighbors on one rod.
fn candidates(around: &Surroundings<'_>, seen: &[Seen<'_>], segments: &[(usize, usize)]) -> Vec<[u32; 2]> {
    let fall = around.dt * around.dt * around.gravity.length();
    let bounds: Vec<Bounds> = segments
        .par_iter()
        .map(|&(body, segment)| {
            let [from, to] = around.bodies[body].ends_of(segment);
            let velocities = seen[body].velocities;
            let speed = velocities[from].length().max(velocities[to].length());
            let room = (1.0 + SKIN) * around.bodies[body].radius() + around.dt * speed + fall;
            let [a, b] = ends(around.bodies, (body, segment));
            Bounds::around(a, b, room)
        })
        .collect();
    let apart = |[i, j]: &[u32; 2]| {
        let ((a, s), (b, t)) = (segments[*i as usize], segments[*j as usize]);
        let count = around.bodies[a].segments();
        a != b || (t > s + 1 && !(around.bodies[a].is_closed() && s == 0 && t == count - 1))
    };
    let mut pairs = overlapping_pairs(&bounds);
    pairs.retain(apart);
    pairs
}

fn between_bodies(around: &Surroundings<'_>, seen: &[Seen<'_>]) -> Vec<Contact> {
    let segments = segments(around.bodies);
    let pairs = candidates(around, seen, &segments);
    let mut contacts: Vec<Contact> =
        pairs.par_iter().filter_map(|&[i, j]| meet(around, seen, segments[i as usize], segments[j as usize])).collect();
    // A meeting at the joint of two segments is found from both, and one along parallel segments many times. Of contacts between the
    // same bodies that are close together, the one with the smallest gap stays; but those of the step before, and those where bodies
    // overlap, give way only to what is closer than a radius: what rests must not be moved by contacts that take turns.
    let known = |contact: &Contact| around.before.contains_key(&contact.key);
    let tilt = |contact: &Contact| TILT * seen[contact.a.body].spacing;
    let rank = |contact: &Contact| contact.gap - if known(contact) { tilt(contact) } else { 0.0 };
    contacts.sort_by(|x, y| bodies_of(x).cmp(&bodies_of(y)).then(rank(x).total_cmp(&rank(y))).then(x.key.cmp(&y.key)));
    let mut kept: Vec<Contact> = Vec::with_capacity(contacts.len());
    let mut first_of_pair = 0;
    for contact in contacts {
        if kept.get(first_of_pair).is_some_and(|first| bodies_of(first) != bodies_of(&contact)) {
            first_of_pair = kept.len();
        }
        let wanted = known(&contact) || contact.gap < -tilt(&contact);
        let near = |other: &Contact| {
            let least = |body: usize| if wanted { around.bodies[body].radius() } else { seen[body].spacing };
            let far = |x: &Side, y: &Side| along(seen, x, y, &around.bodies[x.body]) > least(x.body);
            let other_b = other.b.as_ref().zip(contact.b.as_ref());
            !far(&other.a, &contact.a) && other_b.is_none_or(|(x, y)| !far(x, y))
        };
        if !kept[first_of_pair..].iter().any(near) {
            kept.push(contact);
        }
    }
    kept
}

fn bodies_of(contact: &Contact) -> [u32; 2] {
    [contact.key.a[0], contact.key.b[0]]
}

/// Distance along a body between two places on it [m].
fn along(seen: &[Seen<'_>], x: &Side, y: &Side, body: &Body) -> f64 {
    let arcs = &seen[x.body].arcs;
    let arc = |side: &Side| {
        let segment = side.at.segment;
        arcs[segment] + side.at.share * (arcs[segment + 1] - arcs[segment])
    };
    let distance = (arc(x) - arc(y)).abs();
    if body.is_closed() { distance.min(arcs[arcs.len() - 1] - distance) } else { distance }
}

/// The contact of two segments, if they may meet before the step is over.
fn meet(around: &Surroundings<'_>, seen: &[Seen<'_>], a: (usize, usize), b: (usize, usize)) -> Option<Contact> {
    let (ends_a, ends_b) = (ends(around.bodies, a), ends(around.bodies, b));
    let [radius_a, radius_b] = [a, b].map(|(body, _)| around.bodies[body].radius());
    let key = ContactKey { a: [a.0 as u32, a.1 as u32], b: [b.0 as u32, b.1 as u32] };
    let before = around.before.get(&key);
    let is_ball = |body: usize| matches!(around.bodies[body], Body::Ball(_));
    let [s, t] = match before {
        // A ball's own place does not leap.
        Some(before) if !is_ball(a.0) && !is_ball(b.0) => {
            steady_shares(ends_a, ends_b, before.share, STEADY * radius_a.min(radius_b))
        }
        _ => closest_shares(ends_a, ends_b),
    };
    let (x, y) = (point_on(ends_a, s), point_on(ends_b, t));
    let mut side_a = Side { body: a.0, at: Abscissa { segment: a.1, share: s }, arm: DVec3::ZERO };
    let mut side_b = Side { body: b.0, at: Abscissa { segment: b.1, share: t }, arm: DVec3::ZERO };
    if a.0 == b.0 && along(seen, &side_a, &side_b, &around.bodies[a.0]) < ARC * 2.0 * radius_a {
        return None;
    }
    // A ball meets a rod where that is nearest: what is ahead along the rod will not be nearer when the ball is there.
    let passed_by = |ball: usize, rod: (usize, usize), share: f64, toward: DVec3| {
        is_ball(ball) && goes_on_nearer(&around.bodies[rod.0], rod.1, share, toward)
    };
    if passed_by(a.0, b, t, x - y) || passed_by(b.0, a, s, y - x) {
        return None;
    }
    let velocity = |(body, segment): (usize, usize), share| {
        let [from, to] = around.bodies[body].ends_of(segment).map(|end| seen[body].velocities[end]);
        from + share * (to - from)
    };
    let distance = x.distance(y);
    let mut gap = distance - radius_a - radius_b;
    let approach = around.dt * (velocity(a, s) - velocity(b, t)).length();
    if gap > approach + SKIN * (radius_a + radius_b) {
        return None;
    }
    let mut normal = match (x - y).try_normalize() {
        Some(normal) => normal,
        // Their lines meet: apart the way they were, or across both.
        None => before.map(|before| before.normal).unwrap_or_else(|| {
            let across = (ends_a[1] - ends_a[0]).cross(ends_b[1] - ends_b[0]);
            across.try_normalize().unwrap_or_else(|| (ends_a[1] - ends_a[0]).any_orthonormal_vector())
        }),
    };
    // Lines that have gone through each other since the step before: back to where they came from.
    if before.is_some_and(|before| before.normal.dot(normal) < 0.0) && gap < 0.0 {
        normal = -normal;
        gap = -distance - radius_a - radius_b;
    }
    side_a.arm = -radius_a * normal;
    side_b.arm = radius_b * normal;
    let [surface_a, surface_b] = [around.surfaces[a.0], around.surfaces[b.0]];
    Some(Contact {
        key,
        a: side_a,
        b: Some(side_b),
        normal,
        gap,
        surface_velocity: DVec3::ZERO,
        friction: surface_a.friction.min(surface_b.friction),
        restitution: surface_a.restitution.min(surface_b.restitution),
    })
}

/// Whether a rod, at the end of one of its segments, goes on into the direction `toward` what is near, and so comes nearer to it.
fn goes_on_nearer(rod: &Body, segment: usize, share: f64, toward: DVec3) -> bool {
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

/// Contacts of one body with the colliders: at its points, and within segments where a collider is closest to their inside.
fn at_colliders(around: &Surroundings<'_>, seen: &[Seen<'_>], body: usize) -> Vec<Contact> {
    let this = &around.bodies[body];
    let (points, radius) = (this.points(), this.radius());
    let fall = around.dt * around.dt * around.gravity.length();
    let mut contacts = Vec::new();
    for (index, collider) in around.colliders.iter().enumerate() {
        let touch = |at: Abscissa, place: usize, x: DVec3, velocity: DVec3| -> Option<Contact> {
            let hit = collider.query(x.as_vec3());
            let gap = f64::from(hit.distance) - radius;
            let surface_velocity = hit.velocity.as_dvec3();
            let approach = around.dt * (velocity - surface_velocity).length() + fall;
            if gap > approach + SKIN * radius {
                return None;
            }
            let normal = hit.normal.as_dvec3().try_normalize()?;
            Some(Contact {
                key: ContactKey { a: [body as u32, place as u32], b: [ContactKey::COLLIDER, index as u32] },
                a: Side { body, at, arm: -radius * normal },
                b: None,
                normal,
                gap,
                surface_velocity,
                friction: f64::from(collider.friction),
                restitution: around.surfaces[body].restitution,
            })
        };
        for (place, &x) in points.iter().enumerate() {
            let last = place == this.segments();
            let at = Abscissa { segment: place - usize::from(last), share: if last { 1.0 } else { 0.0 } };
            contacts.extend(touch(at, place, x, seen[body].velocities[place]));
        }
        for segment in 0..this.segments() {
            let [from, to] = this.ends_of(segment);
            let ends = [points[from], points[to]];
            let distance = |share: f64| collider.signed_distance(point_on(ends, share).as_vec3());
            let nearest_end = distance(0.0).min(distance(1.0));
            if f64::from(distance(0.5)) > f64::from(nearest_end) - 0.01 * radius {
                continue;
            }
            let share = lowest(distance);
            let velocity = seen[body].velocities[from].lerp(seen[body].velocities[to], share);
            contacts.extend(touch(
                Abscissa { segment, share },
                points.len() + segment,
                point_on(ends, share),
                velocity,
            ));
        }
    }
    contacts
}

/// Where between 0 and 1 a function with one valley is lowest, by thirds.
fn lowest(f: impl Fn(f64) -> f32) -> f64 {
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..SEARCH {
        let third = (to - from) / 3.0;
        let (left, right) = (from + third, to - third);
        if f(left) < f(right) { to = right } else { from = left }
    }
    0.5 * (from + to)
}
