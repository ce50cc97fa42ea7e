//! Colliders and held ends driven by the caller between advances.

use super::RodSim;
use super::error::RodSimError;
use super::ids::{ColliderId, RodId};
use crate::body::Body;
use crate::error::{RodError, in_range};
use crate::rod::{Hold, Rod, RodEnd};
use fibra_core::geometry::{Driven, Motion, RigidPose};
use glam::DVec3;

/// Allowed deviation of a quaternion's length from one [-].
const UNIT_LENGTH_TOLERANCE: f64 = 1e-6;

/// A target pose for a collider or a held end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drive {
    target: Target,
    to: RigidPose,
    /// Arrival time [s]; `None` until the first step of the motion.
    arrival: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Collider(ColliderId),
    End(RodId, RodEnd),
}

impl RodSim {
    /// Moves a collider to a pose at constant velocity during the next [`RodSim::advance`] (or up to the `until` of the next [`RodSim::step`]). It
    /// stops there unless it is moved again.
    pub fn move_collider(&mut self, id: ColliderId, to: RigidPose) -> Result<(), RodSimError> {
        self.check_collider(id)?;
        self.set_target(Target::Collider(id), check_pose("a collider", to)?);
        Ok(())
    }

    /// Sets the pose of a collider at once, with zero velocity.
    pub fn place_collider(&mut self, id: ColliderId, at: RigidPose) -> Result<(), RodSimError> {
        self.check_collider(id)?;
        let at = check_pose("a collider", at)?;
        self.remove_drive(Target::Collider(id));
        self.drive(Target::Collider(id), at, self.state.time);
        Ok(())
    }

    /// Moves a held end to a pose at constant velocity during the next [`RodSim::advance`]: to the position `to.translation` [m], rotated by
    /// `to.rotation` from its initial orientation. It stops there unless it is moved again. Moving either end of a rail moves the whole rail.
    ///
    /// ```
    /// use fibra_core::geometry::RigidPose;
    /// use fibra_rods::{End, RodEnd, RodInput, RodSettings, RodSim, RodSimError};
    /// use glam::DVec3;
    ///
    /// let mut sim = RodSim::new(RodSettings::default())?;
    /// let points = (0..=10).map(|i| DVec3::new(0.0, -0.02 * f64::from(i), 0.0)).collect();
    /// let rope = sim.add_rod(RodInput { points, ends: [End::pinned(), End::free()], ..RodInput::default() })?;
    /// sim.move_end(rope, RodEnd::First, RigidPose::at(DVec3::new(0.1, 0.0, 0.0)))?;
    /// sim.advance(0.5)?;
    /// assert!((sim.positions_of(rope)?[0].x - 0.1).abs() < 1e-9);
    /// # Ok::<(), RodSimError>(())
    /// ```
    pub fn move_end(&mut self, rod: RodId, end: RodEnd, to: RigidPose) -> Result<(), RodSimError> {
        self.check_held(rod, end)?;
        self.set_target(Target::End(rod, end), check_pose("an end", to)?);
        Ok(())
    }

    /// Sets the pose of a held end, defined as in [`RodSim::move_end`]. The end reaches this pose in the next step,
    /// however far away it is.
    pub fn place_end(&mut self, rod: RodId, end: RodEnd, at: RigidPose) -> Result<(), RodSimError> {
        self.check_held(rod, end)?;
        let at = check_pose("an end", at)?;
        self.remove_drive(Target::End(rod, end));
        self.drive(Target::End(rod, end), at, self.state.time);
        Ok(())
    }

    /// Sets the force on a free end [N], from the next step on.
    pub fn set_end_force(&mut self, rod: RodId, end: RodEnd, force: DVec3) -> Result<(), RodSimError> {
        if !force.is_finite() {
            let what = "force on an end [N]";
            return Err(RodError::VectorNotFinite { what, value: force }.into());
        }
        let this = self.rod(rod)?;
        if this.params().closed || self.hold_of(this, end) != Hold::Free {
            return Err(RodSimError::EndNotFree { rod: rod.0, end });
        }
        self.rod_mut(rod)?.set_end_force(end as usize, force);
        Ok(())
    }

    /// Sets the natural curvature of a rod from the next step on: toward the first and the second axis of its section, and the twist per length, at each
    /// point [1/m]. A checkpoint does not contain it.
    ///
    /// ```
    /// use fibra_rods::{RodInput, RodSettings, RodSim, RodSimError};
    /// use glam::DVec3;
    ///
    /// let mut sim = RodSim::new(RodSettings { gravity: DVec3::ZERO, ..RodSettings::default() })?;
    /// let points = (0..=40).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect();
    /// let rod = sim.add_rod(RodInput { points, ..RodInput::default() })?;
    /// // The rod bends to half of a circle.
    /// sim.set_natural_curvature(rod, &[DVec3::new(3.14159 / 0.4, 0.0, 0.0); 41])?;
    /// sim.settle()?;
    /// let points = sim.positions_of(rod)?;
    /// assert!((points[0].distance(points[40]) / (0.4 * 2.0 / 3.14159) - 1.0).abs() < 1e-2);
    /// # Ok::<(), RodSimError>(())
    /// ```
    pub fn set_natural_curvature(&mut self, rod: RodId, curvatures: &[DVec3]) -> Result<(), RodSimError> {
        let points = self.rod(rod)?.centerline().len();
        if curvatures.len() != points {
            return Err(RodError::NaturalCount { natural: curvatures.len(), points }.into());
        }
        if let Some(value) = curvatures.iter().find(|value| !value.is_finite()) {
            return Err(RodError::VectorNotFinite { what: "natural curvature [1/m]", value: *value }.into());
        }
        let is_set = self.rod_mut(rod)?.set_natural_curvature(curvatures);
        if is_set { Ok(()) } else { Err(RodError::Actuation { what: "natural curvature" }.into()) }
    }

    /// Sets the rest length of each segment of a rod from the next step on [m]. Masses do not change. A checkpoint does not contain it.
    pub fn set_rest_lengths(&mut self, rod: RodId, lengths: &[f64]) -> Result<(), RodSimError> {
        let this = self.rod(rod)?;
        let segments = this.centerline().len() - usize::from(!this.params().closed);
        if lengths.len() != segments {
            return Err(RodError::RestLengths { lengths: lengths.len(), segments }.into());
        }
        for &length in lengths {
            in_range("rest length", length, length > 0.0, "positive and finite, in m")?;
        }
        let is_set = self.rod_mut(rod)?.set_rest_lengths(lengths);
        if is_set { Ok(()) } else { Err(RodError::Actuation { what: "rest lengths" }.into()) }
    }

    /// Starts and stops driven motions before a step that ends no later than `until` [s].
    pub(super) fn update_drives(&mut self, until: f64) {
        let now = self.state.time;
        for mut drive in std::mem::take(&mut self.drives) {
            match drive.arrival {
                None => {
                    self.drive(drive.target, drive.to, until);
                    drive.arrival = Some(until);
                    self.drives.push(drive);
                }
                Some(arrival) if now < arrival => self.drives.push(drive),
                Some(_) => self.drive(drive.target, drive.to, now),
            }
        }
    }

    /// Stores a new target. An object that has reached its previous target is first placed exactly at this target. Otherwise the next motion would
    /// start from a pose with rounding errors.
    fn set_target(&mut self, target: Target, to: RigidPose) {
        let before = self.drives.iter().find(|drive| drive.target == target).copied();
        if let Some(Drive { to: reached, arrival: Some(arrival), .. }) = before
            && arrival <= self.state.time
        {
            self.drive(target, reached, self.state.time);
        }
        self.remove_drive(target);
        self.drives.push(Drive { target, to, arrival: None });
    }

    fn remove_drive(&mut self, target: Target) {
        self.drives.retain(|drive| drive.target != target);
    }

    /// Moves an object from its current pose to another at constant velocity until `arrival` [s], or at once if `arrival` is not in the future.
    fn drive(&mut self, target: Target, to: RigidPose, arrival: f64) {
        let now = self.state.time;
        match target {
            Target::Collider(id) => self.params.colliders[id.0].drive_to(&to, now, arrival),
            Target::End(rod, end) => {
                let start = self.end_starts[rod.0][end as usize];
                let Ok(this) = self.rod_mut(rod) else { return };
                let from = displacement(&this.params().ends[end as usize].motion, start, now);
                let to = RigidPose { translation: to.translation - start, rotation: to.rotation };
                this.set_end_motion(end as usize, Motion::Driven(Driven::between(from, to, now, arrival)));
            }
        }
    }

    pub(super) fn check_collider(&self, id: ColliderId) -> Result<(), RodSimError> {
        let exists = id.0 < self.params.colliders.len();
        if exists { Ok(()) } else { Err(RodSimError::UnknownId { kind: "collider", index: id.0 }) }
    }

    pub(super) fn check_held(&self, rod: RodId, end: RodEnd) -> Result<(), RodSimError> {
        let this = self.rod(rod)?;
        let held = !this.params().closed || this.unknowns() == 0;
        let held = held && self.hold_of(this, end) != Hold::Free;
        if held { Ok(()) } else { Err(RodSimError::EndNotHeld { rod: rod.0, end }) }
    }

    pub(super) fn hold_of(&self, rod: &dyn Rod, end: RodEnd) -> Hold {
        rod.params().ends[end as usize].hold_at(self.state.time)
    }

    pub(super) fn rod(&self, id: RodId) -> Result<&dyn Rod, RodSimError> {
        match self.state.bodies.get(id.0) {
            Some(Body::Rod(rod)) => Ok(rod.as_ref()),
            _ => Err(RodSimError::UnknownId { kind: "rod", index: id.0 }),
        }
    }

    fn rod_mut(&mut self, id: RodId) -> Result<&mut dyn Rod, RodSimError> {
        match self.state.bodies.get_mut(id.0) {
            Some(Body::Rod(rod)) => Ok(rod.as_mut()),
            _ => Err(RodSimError::UnknownId { kind: "rod", index: id.0 }),
        }
    }
}

/// Returns the displacement and rotation that a motion gives a point at time `time` [s], for the initial position `start` [m].
pub(super) fn displacement(motion: &Motion, start: DVec3, time: f64) -> RigidPose {
    let (pivot, moved) = (motion.pivot(start), motion.at(time));
    let position = pivot + moved.translation + moved.rotation * (start - pivot);
    RigidPose { translation: position - start, rotation: moved.rotation }
}

fn check_pose(what: &'static str, pose: RigidPose) -> Result<RigidPose, RodSimError> {
    let unit = (pose.rotation.length() - 1.0).abs() < UNIT_LENGTH_TOLERANCE;
    if unit && pose.translation.is_finite() { Ok(pose) } else { Err(RodSimError::BadPose { what }) }
}
