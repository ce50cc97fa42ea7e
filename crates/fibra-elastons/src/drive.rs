//! Colliders and holds that the caller moves from one `advance` to the next.

use crate::world::{Hold, Params};
use fibra_core::geometry::{Collider, Keyframes, Motion, RigidPose};

/// What a collider or a hold was told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Drive {
    /// Nothing, or it has arrived and stopped.
    #[default]
    None,
    /// To be at a pose at the end of the next span of time.
    Pending(RigidPose),
    /// It moves, and arrives at a time [s].
    Moving(f64),
}

/// What all colliders and holds were told.
#[derive(Clone, Debug)]
pub(crate) struct Drives {
    pub(crate) colliders: Vec<Drive>,
    pub(crate) holds: Vec<Drive>,
    /// World pose of each hold's frame at the start.
    pub(crate) frames: Vec<RigidPose>,
}

impl Drives {
    pub(crate) fn new(params: &Params, frames: Vec<RigidPose>) -> Drives {
        let none = |count: usize| vec![Drive::None; count];
        Drives { colliders: none(params.colliders.len()), holds: none(params.holds.len()), frames }
    }

    /// Starts pending motions, so that they end at `until` [s], and stops those that have arrived. Returns the first arrival, at most
    /// `until` [s].
    pub(crate) fn begin(&mut self, params: &mut Params, sampled: Option<f64>, now: f64, until: f64) -> f64 {
        let mut first = until;
        for (drive, collider) in self.colliders.iter_mut().zip(&mut params.colliders) {
            drive.begin(now, until, collider, |collider, to| collider.drive_to(to, now, until));
            if let Drive::None = drive {
                collider.stop_driven(now);
            }
            first = drive.arrival().map_or(first, |arrival| first.min(arrival));
        }
        for ((drive, hold), frame) in self.holds.iter_mut().zip(&mut params.holds).zip(&self.frames) {
            drive.begin(now, until, hold, |hold, to| move_hold(hold, frame, to, sampled, [now, until]));
            first = drive.arrival().map_or(first, |arrival| first.min(arrival));
        }
        first
    }

    /// Forgets what has not begun.
    pub(crate) fn clear(&mut self) {
        self.colliders.iter_mut().chain(&mut self.holds).for_each(|drive| *drive = Drive::None);
    }
}

impl Drive {
    fn begin<T>(&mut self, now: f64, until: f64, what: &mut T, start: impl FnOnce(&mut T, &RigidPose)) {
        match *self {
            Drive::Pending(to) => {
                start(what, &to);
                *self = Drive::Moving(until);
            }
            Drive::Moving(arrival) if arrival <= now => *self = Drive::None,
            Drive::Moving(_) | Drive::None => {}
        }
    }

    fn arrival(&self) -> Option<f64> {
        if let Drive::Moving(arrival) = *self { Some(arrival) } else { None }
    }
}

/// Pose of a hold's frame at a time [s], given the one at the start.
pub(crate) fn hold_pose(hold: &Hold, frame: &RigidPose, time: f64) -> RigidPose {
    let moved = hold.motion.at(time);
    let pivot = hold.motion.pivot(frame.translation);
    RigidPose {
        translation: pivot + moved.translation + moved.rotation * (frame.translation - pivot),
        rotation: (moved.rotation * frame.rotation).normalize(),
    }
}

/// Moves a hold from where it is at the time `now` [s] to a pose at the time `arrival` [s]. How it was rotated when bodies were `sampled`
/// last stays known: loads of a hold are relative to that.
pub(crate) fn move_hold(
    hold: &mut Hold,
    frame: &RigidPose,
    to: &RigidPose,
    sampled: Option<f64>,
    [now, arrival]: [f64; 2],
) {
    let mut poses = Vec::new();
    if let Some(sampled) = sampled.filter(|&sampled| sampled < now) {
        poses.push((sampled, hold_pose(hold, frame, sampled)));
    }
    if arrival > now {
        poses.push((now, hold_pose(hold, frame, now)));
    }
    poses.push((arrival, *to));
    let (mut times, mut translations, mut rotations) = (Vec::new(), Vec::new(), Vec::new());
    for (time, pose) in poses {
        times.push(time);
        translations.push(pose.translation - frame.translation);
        rotations.push((pose.rotation.normalize() * frame.rotation.inverse()).normalize());
    }
    // Times increase and poses were checked, so these are keyframes.
    if let Ok(keyframes) = Keyframes::new(times, translations, rotations) {
        hold.motion = Motion::Keyframes(keyframes).about(frame.translation);
    }
}

/// Puts a collider at a pose at once, without velocity.
pub(crate) fn place_collider(collider: &mut Collider, to: &RigidPose, now: f64) {
    collider.drive_to(to, now, now);
}
