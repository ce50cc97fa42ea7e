//! Colliders and pins that the caller moves from one call to the next.

use crate::params::Params;
use fibra_core::geometry::{Driven, Motion, RigidPose};

/// What the caller moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// A collider, by its index.
    Collider(usize),
    /// A pin, by its index.
    Pin(usize),
}

/// One body on its way.
#[derive(Clone, Copy, Debug)]
struct Way {
    body: Moved,
    to: RigidPose,
    /// When it arrives [s]; unset until the next step starts it.
    arrival: Option<f64>,
}

/// Where the caller wants colliders and pins to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Driving {
    ways: Vec<Way>,
    /// Whether motions have changed since a device was told.
    #[cfg(feature = "gpu")]
    pub(super) has_changed: bool,
}

impl Driving {
    /// Sends a body to a pose: it leaves with the next step.
    pub(super) fn send(&mut self, body: Moved, to: RigidPose) {
        self.ways.retain(|way| way.body != body);
        self.ways.push(Way { body, to, arrival: None });
    }

    /// Puts a body at a pose at once, without velocity.
    pub(super) fn put(&mut self, params: &mut Params, body: Moved, at: &RigidPose, now: f64) {
        self.ways.retain(|way| way.body != body);
        self.drive(params, body, at, [now, now]);
    }

    /// Starts what has been sent, so that it arrives at `until` [s]; returns the time that the next step must not pass [s].
    pub(super) fn depart(&mut self, params: &mut Params, now: f64, until: f64) -> f64 {
        let mut ways = std::mem::take(&mut self.ways);
        for Way { body, to, arrival } in &mut ways {
            if arrival.is_none() {
                *arrival = Some(until);
                self.drive(params, *body, to, [now, until]);
            }
        }
        self.ways = ways;
        self.ways.iter().filter_map(|way| way.arrival).fold(until, f64::min)
    }

    /// Stops what has arrived, exactly where it was sent.
    pub(super) fn arrive(&mut self, params: &mut Params, now: f64) {
        let has_arrived = |way: &Way| way.arrival.is_some_and(|arrival| arrival <= now);
        let (arrived, others): (Vec<Way>, Vec<Way>) = std::mem::take(&mut self.ways).into_iter().partition(has_arrived);
        self.ways = others;
        for way in arrived {
            self.drive(params, way.body, &way.to, [now, now]);
        }
    }

    /// Stops everything that is on its way where it is now, and forgets what has been sent.
    pub(super) fn stop(&mut self, params: &mut Params, now: f64) {
        for way in std::mem::take(&mut self.ways) {
            let here = pose_of(params, way.body, now);
            self.drive(params, way.body, &here, [now, now]);
        }
    }

    /// Moves a body uniformly from where it is at the first time to a pose at the second [s].
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

/// Where a body's frame is at time `t` [s]. That of a pin starts at its pivot, not rotated.
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
