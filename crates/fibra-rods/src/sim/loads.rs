//! Internal loads and reactions of rods.

use super::RodSim;
use super::error::RodSimError;
use super::ids::RodId;
use crate::body::Body;
use crate::contact::ContactKey;
use crate::internal_loads::PointLoads;
use crate::rod::{EndLoad, Hold, Rod, RodEnd};
use crate::world::Touch;
use fibra_core::Quantities;
use glam::{DQuat, DVec3};

/// Internal loads at the points of a rod: what the part after each point exerts on the part before it.
///
/// They are elastic and viscous loads at the current time. At an end, they equal the reaction of its hold, or the force on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RodLoads {
    /// Force at each point, in world axes [N].
    pub force: Vec<DVec3>,
    /// Moment at each point, in world axes [N m].
    pub moment: Vec<DVec3>,
    /// Tension at each point: the component of the force along the tangent; negative under compression [N].
    pub tension: Vec<f64>,
    /// Shear at each point: the components of the force along both axes of the section [N]. For a model without frames, the magnitude and zero.
    pub shear: Vec<[f64; 2]>,
    /// Bending moment at each point: `EI` times the curvature toward each axis of the section [N m]. For a model without frames, the magnitude and
    /// zero.
    pub bending: Vec<[f64; 2]>,
    /// Twisting moment at each point, about the tangent [N m].
    pub twisting: Vec<f64>,
}

/// What a hold exerts on the end of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Force on the rod [N].
    pub force: DVec3,
    /// Moment on the rod about its end [N m]; zero if the end is pinned.
    pub moment: DVec3,
}

/// Twist, writhe and linking number of a closed rod, in turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Topology {
    /// Twist of the material frames about the centerline [-].
    pub twist: f64,
    /// Writhe of the centerline [-].
    pub writhe: f64,
    /// Linking number, `twist + writhe` [-]. It is constant while the rod does not pass through itself, and an integer if the material frames were
    /// joined without an offset; see [`RodInput::link`](crate::RodInput::link).
    pub link: f64,
}

impl RodSim {
    /// Returns the internal forces and moments at the points of a rod. They are zero for rails.
    ///
    /// Forces of a super-helix follow from equilibrium with the weight, the contacts and the force on its tip, without inertia.
    ///
    /// ```
    /// use fibra_rods::{End, RodInput, RodSettings, RodSim, RodSimError};
    /// use glam::DVec3;
    ///
    /// let mut sim = RodSim::new(RodSettings { gravity: DVec3::ZERO, ..RodSettings::default() })?;
    /// let points = (0..=10).map(|i| DVec3::new(0.0, -0.01 * f64::from(i), 0.0)).collect();
    /// let ends = [End::clamped(), End::pulled(DVec3::new(0.0, -2.0, 0.0))];
    /// let rod = sim.add_rod(RodInput { points, ends, ..RodInput::default() })?;
    /// sim.settle()?;
    /// assert!(sim.loads_of(rod)?.tension.iter().all(|tension| (tension - 2.0).abs() < 1e-6));
    /// # Ok::<(), RodSimError>(())
    /// ```
    pub fn loads_of(&self, rod: RodId) -> Result<RodLoads, RodSimError> {
        let this = self.rod(rod)?;
        let points = this.centerline().len();
        let zero = vec![DVec3::ZERO; points];
        let Some(mut internal) = this.internal_loads(&self.point_loads(this, rod.0)) else {
            return Ok(resolve(this, zero.clone(), zero));
        };
        let closed = this.params().closed;
        let mut force = zero;
        for (i, force) in force.iter_mut().enumerate() {
            let before = if i > 0 { internal.forces[i - 1] } else { internal.forces[internal.forces.len() - 1] };
            let after = internal.forces[i % internal.forces.len()];
            *force = 0.5 * (before + after);
        }
        if !closed {
            for (end, at, sign) in [(RodEnd::First, 0, -1.0), (RodEnd::Last, points - 1, 1.0)] {
                if self.hold_of(this, end) == Hold::Free {
                    let load = this.end_load(end as usize, self.state.time);
                    (force[at], internal.moments[at]) = (sign * load.force, sign * load.moment);
                } else {
                    force[at] = sign * self.reaction(rod, end).force;
                }
            }
        }
        Ok(resolve(this, force, internal.moments))
    }

    /// Returns the force and the moment that a hold exerts on the end of a rod. For a rail, returns what moves it against its contacts, with the moment
    /// about the end.
    ///
    /// ```
    /// use fibra_rods::{End, RodEnd, RodInput, RodSettings, RodSim, RodSimError};
    /// use glam::DVec3;
    ///
    /// let mut sim = RodSim::new(RodSettings::default())?;
    /// let points = (0..=10).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect();
    /// let cord = sim.add_rod(RodInput { points, ends: [End::clamped(), End::free()], ..RodInput::default() })?;
    /// sim.settle()?;
    /// let weight = 9.81 * sim.quantities()["mass"];
    /// assert!((sim.reaction_of(cord, RodEnd::First)?.force.y / weight - 1.0).abs() < 1e-6);
    /// # Ok::<(), RodSimError>(())
    /// ```
    pub fn reaction_of(&self, rod: RodId, end: RodEnd) -> Result<Reaction, RodSimError> {
        self.check_held(rod, end)?;
        Ok(self.reaction(rod, end))
    }

    /// Returns the reactions of all held ends, with the rod and the end.
    pub fn reactions(&self) -> Vec<(RodId, RodEnd, Reaction)> {
        let ends = |rod: usize| [RodEnd::First, RodEnd::Last].map(|end| (RodId(rod), end));
        let all = (0..self.state.bodies.len()).flat_map(ends);
        // Both ends of a rail have the same reaction; it counts once.
        let counts = |rod: RodId, end: RodEnd| {
            let is_rail = self.rod(rod).is_ok_and(|this| this.unknowns() == 0);
            self.check_held(rod, end).is_ok() && !(is_rail && end == RodEnd::Last)
        };
        all.filter(|&(rod, end)| counts(rod, end)).map(|(rod, end)| (rod, end, self.reaction(rod, end))).collect()
    }

    fn reaction(&self, rod: RodId, end: RodEnd) -> Reaction {
        let Ok(this) = self.rod(rod) else { return Reaction::default() };
        let (gravity, points) = (self.params.settings.gravity, this.centerline());
        let contacts = self.point_contact_forces(rod.0);
        let at = if end == RodEnd::First { 0 } else { points.len() - 1 };
        let Some(internal) = this.internal_loads(&self.point_loads(this, rod.0)) else {
            let moment = contacts.iter().zip(points).map(|(force, x)| (*x - points[at]).cross(*force)).sum::<DVec3>();
            return Reaction { force: -contacts.iter().sum::<DVec3>(), moment: -moment };
        };
        let material = &this.params().material;
        let velocity = this.point_velocities()[at];
        let inertial = self.end_acceleration(rod, end) + material.drag * velocity - gravity;
        let external = internal.end_masses[end as usize] * inertial - contacts[at];
        match end {
            RodEnd::First => Reaction { force: external - internal.forces[0], moment: -internal.moments[0] },
            RodEnd::Last => {
                Reaction { force: external + internal.forces[internal.forces.len() - 1], moment: internal.moments[at] }
            }
        }
    }

    /// Returns the forces on the points of a rod.
    fn point_loads(&self, rod: &dyn Rod, body: usize) -> PointLoads {
        let tip = if rod.params().closed { EndLoad::default() } else { rod.end_load(1, self.state.time) };
        PointLoads { gravity: self.params.settings.gravity, contacts: self.point_contact_forces(body), tip }
    }

    /// Returns the acceleration that the motion of a held end prescribes [m/s^2], over two steps.
    fn end_acceleration(&self, rod: RodId, end: RodEnd) -> DVec3 {
        let Ok(this) = self.rod(rod) else { return DVec3::ZERO };
        let (motion, h) = (&this.params().ends[end as usize].motion, self.params.settings.dt);
        let start = self.end_starts[rod.0][end as usize];
        let position = |time: f64| super::drive::displacement(motion, start, time).translation;
        let now = self.state.time;
        if now < 2.0 * h {
            return DVec3::ZERO;
        }
        (position(now) - 2.0 * position(now - h) + position(now - 2.0 * h)) / (h * h)
    }

    /// Returns the net contact force on each point of a body in the last step [N]. A force on a segment is divided between its ends by the lever rule.
    pub fn point_contact_forces(&self, body: usize) -> Vec<DVec3> {
        let Some(this) = self.state.bodies.get(body) else { return Vec::new() };
        let mut forces = vec![DVec3::ZERO; this.points().len()];
        for touch in &self.state.contacts {
            let Touch { key: key @ ContactKey { a, b }, share, normal, force } = *touch;
            if a[0] as usize == body {
                let against_collider = b[0] == ContactKey::COLLIDER;
                match (a[1] as usize).checked_sub(this.points().len()) {
                    None if against_collider => forces[a[1] as usize] += force,
                    Some(segment) if against_collider => add_to_segment(&mut forces, this, segment, share, force),
                    _ => add_to_segment(&mut forces, this, a[1] as usize, share, force),
                }
            }
            if b[0] as usize == body {
                let other = &self.state.bodies[a[0] as usize];
                let [from, to] = other.ends_of(a[1] as usize).map(|end| other.points()[end]);
                let point = from.lerp(to, share) - (other.radius() + this.radius()) * normal;
                let share = share_nearest(this, key.segment_of_b(), point);
                add_to_segment(&mut forces, this, key.segment_of_b(), share, -force);
            }
        }
        forces
    }

    /// Returns the material frame of each segment of a rod: both axes of the section, and the tangent. Empty if the model has no twist.
    pub fn material_frames_of(&self, rod: RodId) -> Result<Vec<DQuat>, RodSimError> {
        Ok(self.rod(rod)?.material_frames())
    }

    /// Returns the twist, the writhe and the linking number of a closed rod; `None` for an open rod, and for models without twist.
    pub fn topology_of(&self, rod: RodId) -> Result<Option<Topology>, RodSimError> {
        let this = self.rod(rod)?;
        Ok(this.closed_twist().map(|twist| {
            let (twist, writhe) = (twist / std::f64::consts::TAU, crate::topology::writhe(this.centerline()));
            Topology { twist, writhe, link: twist + writhe }
        }))
    }
}

impl RodSim {
    /// Adds sums and extremes of internal loads and reactions.
    pub(super) fn add_load_quantities(&self, quantities: &mut Quantities) {
        let rods = || (0..self.state.bodies.len()).map(RodId);
        let loads: Vec<RodLoads> = rods().filter_map(|rod| self.loads_of(rod).ok()).collect();
        if loads.is_empty() {
            return;
        }
        let most = |of: fn(&RodLoads) -> f64| loads.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let largest = |pairs: &[[f64; 2]]| pairs.iter().map(|[a, b]| a.hypot(*b)).fold(0.0, f64::max);
        let reaction = self.reactions().iter().map(|(_, _, reaction)| reaction.force).sum::<DVec3>();
        quantities.extend([
            ("max_tension", most(|loads| loads.tension.iter().copied().fold(f64::NEG_INFINITY, f64::max))),
            (
                "min_tension",
                -most(|loads| loads.tension.iter().map(|tension| -tension).fold(f64::NEG_INFINITY, f64::max)),
            ),
            ("max_shear", loads.iter().map(|loads| largest(&loads.shear)).fold(0.0, f64::max)),
            ("max_bending_moment", loads.iter().map(|loads| largest(&loads.bending)).fold(0.0, f64::max)),
            ("max_twisting_moment", most(|loads| loads.twisting.iter().map(|m| m.abs()).fold(0.0, f64::max))),
            ("reaction_x", reaction.x),
            ("reaction_y", reaction.y),
            ("reaction_z", reaction.z),
        ]);
        if let Some((rod, starts)) =
            self.state.bodies.iter().zip(&self.end_starts).find(|(body, _)| matches!(body, Body::Rod(_)))
        {
            let points = rod.points();
            let displacement = self.params.settings.origin + points[points.len() - 1] - starts[1];
            quantities.extend([
                ("end_displacement_x", displacement.x),
                ("end_displacement_y", displacement.y),
                ("end_displacement_z", displacement.z),
            ]);
        }
        let closed: Vec<Topology> = rods().filter_map(|rod| self.topology_of(rod).ok().flatten()).collect();
        if !closed.is_empty() {
            let sum = |of: fn(&Topology) -> f64| closed.iter().map(of).sum::<f64>();
            quantities.extend([
                ("twist", sum(|topology| topology.twist)),
                ("writhe", sum(|topology| topology.writhe)),
                ("link", sum(|topology| topology.link)),
            ]);
        }
    }
}

/// Resolves forces and moments into components along the tangent and the axes of the section.
fn resolve(rod: &dyn Rod, force: Vec<DVec3>, moment: Vec<DVec3>) -> RodLoads {
    let (points, closed) = (rod.centerline(), rod.params().closed);
    let (count, frames) = (points.len(), rod.material_frames());
    let segments = if closed { count } else { count - 1 };
    let adjacent = |i: usize| match (closed, i) {
        (false, 0) => [0, 0],
        (false, i) if i == segments => [segments - 1; 2],
        (_, i) => [(i + segments - 1) % segments, i],
    };
    let direction = |k: usize| (points[(k + 1) % count] - points[k]).normalize_or_zero();
    let mut loads = RodLoads::default();
    for i in 0..count {
        let sides = adjacent(i);
        let tangent = (direction(sides[0]) + direction(sides[1])).normalize_or_zero();
        let across = |v: DVec3| v - v.dot(tangent) * tangent;
        loads.tension.push(force[i].dot(tangent));
        loads.twisting.push(moment[i].dot(tangent));
        if frames.is_empty() {
            loads.shear.push([across(force[i]).length(), 0.0]);
            loads.bending.push([across(moment[i]).length(), 0.0]);
        } else {
            let first = across(sides.iter().map(|&k| frames[k] * DVec3::X).sum()).normalize_or_zero();
            let second = tangent.cross(first);
            loads.shear.push([force[i].dot(first), force[i].dot(second)]);
            // A rod that bends toward the first axis rotates about the second.
            loads.bending.push([moment[i].dot(second), -moment[i].dot(first)]);
        }
    }
    RodLoads { force, moment, ..loads }
}

fn add_to_segment(forces: &mut [DVec3], body: &Body, segment: usize, share: f64, force: DVec3) {
    let [from, to] = body.ends_of(segment);
    forces[from] += (1.0 - share) * force;
    forces[to] += share * force;
}

/// Returns the fraction of a segment at which it is nearest to a point, 0 to 1 [-].
fn share_nearest(body: &Body, segment: usize, point: DVec3) -> f64 {
    let [from, to] = body.ends_of(segment).map(|end| body.points()[end]);
    let along = to - from;
    let square = along.length_squared();
    if square > 0.0 { ((point - from).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 }
}
