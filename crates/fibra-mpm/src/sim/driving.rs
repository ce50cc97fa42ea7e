//! Colliders and pins that the caller moves between calls.

use crate::params::Params;
use fibra_core::geometry::{Driven, Motion, RigidPose};

/// An item that the caller moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// A collider, by its index.
    Collider(usize),
    /// A pin, by its index.
    Pin(usize),
}

/// A pending or active motion of one item.
#[derive(Clone, Copy, Debug)]
struct DrivenMotion {
    body: Moved,
    to: RigidPose,
    /// Arrival time [s]; unset until the next step starts the motion.
    arrival: Option<f64>,
}

/// Motions of colliders and pins toward the poses that the caller requested.
#[derive(Clone, Debug, Default)]
pub(super) struct Driving {
    motions: Vec<DrivenMotion>,
    /// Whether motions have changed since the last upload to a device.
    #[cfg(feature = "gpu")]
    pub(super) has_changed: bool,
}

impl Driving {
    /// Schedules a motion of an item to a pose; it starts with the next step.
    pub(super) fn send(&mut self, body: Moved, to: RigidPose) {
        self.motions.retain(|motion| motion.body != body);
        self.motions.push(DrivenMotion { body, to, arrival: None });
    }

    /// Places an item at a pose at once, with zero velocity.
    pub(super) fn put(&mut self, params: &mut Params, body: Moved, at: &RigidPose, now: f64) {
        self.motions.retain(|motion| motion.body != body);
        self.drive(params, body, at, [now, now]);
    }

    /// Starts the scheduled motions so that they arrive at `until` [s]; returns the time that the next step must not pass [s].
    pub(super) fn depart(&mut self, params: &mut Params, now: f64, until: f64) -> f64 {
        let mut motions = std::mem::take(&mut self.motions);
        for DrivenMotion { body, to, arrival } in &mut motions {
            if arrival.is_none() {
                *arrival = Some(until);
                self.drive(params, *body, to, [now, until]);
            }
        }
        self.motions = motions;
        self.motions.iter().filter_map(|motion| motion.arrival).fold(until, f64::min)
    }

    /// Stops items that have arrived, exactly at their target poses.
    pub(super) fn arrive(&mut self, params: &mut Params, now: f64) {
        let has_arrived = |motion: &DrivenMotion| motion.arrival.is_some_and(|arrival| arrival <= now);
        let (arrived, others): (Vec<DrivenMotion>, Vec<DrivenMotion>) =
            std::mem::take(&mut self.motions).into_iter().partition(has_arrived);
        self.motions = others;
        for motion in arrived {
            self.drive(params, motion.body, &motion.to, [now, now]);
        }
    }

    /// Stops all moving items at their current poses, and discards scheduled motions.
    pub(super) fn stop(&mut self, params: &mut Params, now: f64) {
        for motion in std::mem::take(&mut self.motions) {
            let here = pose_of(params, motion.body, now);
            self.drive(params, motion.body, &here, [now, now]);
        }
    }

    /// Moves an item uniformly from its pose at the first time to a given pose at the second time [s].
    fn drive(&mut self, params: &mut Params, body: Moved, to: &RigidPose, [now, arrival]: [f64; 2]) {
        match body {
            Moved::Collider(index) => params.colliders[index].drive_to(to, now, arrival),
            Moved::Pin(index) => {
                let from = pose_of(params, body, now);
                let pin = &mut params.meshes.pins[index];
                let displacement =
                    |pose: &RigidPose| RigidPose { translation: pose.translation - pin.pivot, rotation: pose.rotation };
                pin.motion = Motion::Driven(Driven::between(displacement(&from), displacement(to), now, arrival));
            }
        }
        #[cfg(feature = "gpu")]
        {
            self.has_changed = true;
        }
    }
}

/// Returns the pose of an item's frame at time `t` [s]. The frame of a pin starts at its pivot, unrotated.
pub(super) fn pose_of(params: &Params, body: Moved, t: f64) -> RigidPose {
    match body {
        Moved::Collider(index) => params.colliders[index].body(t).0,
        Moved::Pin(index) => {
            let pin = &params.meshes.pins[index];
            let now = pin.motion.at(t);
            RigidPose { translation: pin.pivot + now.translation, rotation: now.rotation }
        }
    }
}
