//! Colliders and held ends that the caller moves from one advance to the next.

use super::RodSim;
use super::error::RodSimError;
use super::ids::{ColliderId, RodId};
use crate::body::Body;
use crate::rod::{Hold, Rod, RodEnd};
use fibra_core::geometry::{Driven, Motion, RigidPose};
use glam::DVec3;

/// Deviation of a quaternion's length from one that counts as rounding [-].
const UNIT: f64 = 1e-6;

/// Something that was told where to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drive {
    target: Target,
    to: RigidPose,
    /// When it arrives [s]; `None` before the step that sets out.
    arrival: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Collider(ColliderId),
    End(RodId, RodEnd),
}

impl RodSim {
    /// Lets a collider go to a pose, uniformly, during the next [`RodSim::advance`] (or up to the `until` of the next [`RodSim::step`]). It
    /// stops there unless it is moved again.
    pub fn move_collider(&mut self, id: ColliderId, to: RigidPose) -> Result<(), RodSimError> {
        self.check_collider(id)?;
        self.set_out(Target::Collider(id), check_pose("a collider", to)?);
        Ok(())
    }

    /// Puts a collider at a pose at once, without velocity.
    pub fn place_collider(&mut self, id: ColliderId, at: RigidPose) -> Result<(), RodSimError> {
        self.check_collider(id)?;
        let at = check_pose("a collider", at)?;
        self.forget(Target::Collider(id));
        self.drive(Target::Collider(id), at, self.state.time);
        Ok(())
    }

    /// Lets a held end go to a pose, uniformly, during the next [`RodSim::advance`]: to the point `to.translation` [m], turned by `to.rotation` from
    /// the orientation it started in. It stops there unless it is moved again. Both ends of a rail move all of it.
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
        self.set_out(Target::End(rod, end), check_pose("an end", to)?);
        Ok(())
    }

    /// Puts a held end at a pose, as in [`RodSim::move_end`]: it is there at the end of the next step, however far that is.
    pub fn place_end(&mut self, rod: RodId, end: RodEnd, at: RigidPose) -> Result<(), RodSimError> {
        self.check_held(rod, end)?;
        let at = check_pose("an end", at)?;
        self.forget(Target::End(rod, end));
        self.drive(Target::End(rod, end), at, self.state.time);
        Ok(())
    }

    /// Sets the force on a free end [N], from the next step on.
    pub fn set_end_force(&mut self, rod: RodId, end: RodEnd, force: DVec3) -> Result<(), RodSimError> {
        if !force.is_finite() {
            let what = "force on an end [N]";
            return Err(crate::error::RodError::VectorNotFinite { what, value: force }.into());
        }
        let this = self.rod(rod)?;
        if this.params().closed || self.hold_of(this, end) != Hold::Free {
            return Err(RodSimError::EndNotFree { rod: rod.0, end });
        }
        self.rod_mut(rod)?.set_end_force(end as usize, force);
        Ok(())
    }

    /// Starts and stops what is driven, before a step that ends no later than `until` [s].
    pub(super) fn steer(&mut self, until: f64) {
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

    /// Notes a new target. What has arrived at the one before stays exactly there, so that where it goes on from does not depend on rounding.
    fn set_out(&mut self, target: Target, to: RigidPose) {
        let before = self.drives.iter().find(|drive| drive.target == target).copied();
        if let Some(Drive { to: reached, arrival: Some(arrival), .. }) = before
            && arrival <= self.state.time
        {
            self.drive(target, reached, self.state.time);
        }
        self.forget(target);
        self.drives.push(Drive { target, to, arrival: None });
    }

    fn forget(&mut self, target: Target) {
        self.drives.retain(|drive| drive.target != target);
    }

    /// Moves something from where it is now to a pose, uniformly until `arrival` [s]; at once where that is not later than now.
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

    fn check_collider(&self, id: ColliderId) -> Result<(), RodSimError> {
        let exists = id.0 < self.params.colliders.len();
        if exists { Ok(()) } else { Err(RodSimError::UnknownId { kind: "collider", index: id.0 }) }
    }

    fn check_held(&self, rod: RodId, end: RodEnd) -> Result<(), RodSimError> {
        let this = self.rod(rod)?;
        let held = !this.params().closed || this.unknowns() == 0;
        let held = held && self.hold_of(this, end) != Hold::Free;
        if held { Ok(()) } else { Err(RodSimError::EndNotHeld { rod: rod.0, end }) }
    }

    fn hold_of(&self, rod: &dyn Rod, end: RodEnd) -> Hold {
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

/// How far a motion has moved and turned, at a time [s], a point that started at `start` [m].
fn displacement(motion: &Motion, start: DVec3, time: f64) -> RigidPose {
    let (pivot, moved) = (motion.pivot(start), motion.at(time));
    let position = pivot + moved.translation + moved.rotation * (start - pivot);
    RigidPose { translation: position - start, rotation: moved.rotation }
}

fn check_pose(what: &'static str, pose: RigidPose) -> Result<RigidPose, RodSimError> {
    let unit = (pose.rotation.length() - 1.0).abs() < UNIT;
    if unit && pose.translation.is_finite() { Ok(pose) } else { Err(RodSimError::BadPose { what }) }
}
