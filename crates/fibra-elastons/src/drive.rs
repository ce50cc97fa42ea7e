//! Motions of colliders and holds that the caller requests between calls of `advance`.

use crate::world::{Hold, Params};
use fibra_core::geometry::{Collider, Keyframes, Motion, RigidPose};

/// Requested motion of a collider or a hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Drive {
    /// No request, or the motion is complete.
    #[default]
    None,
    /// A target pose, to be reached at the end of the next time span.
    Pending(RigidPose),
    /// In motion until an arrival time [s].
    Moving(f64),
}

/// Requested motions of all colliders and holds.
#[derive(Clone, Debug)]
pub(crate) struct Drives {
    pub(crate) colliders: Vec<Drive>,
    pub(crate) holds: Vec<Drive>,
    /// Initial world pose of each hold's frame.
    pub(crate) frames: Vec<RigidPose>,
}

impl Drives {
    pub(crate) fn new(params: &Params, frames: Vec<RigidPose>) -> Drives {
        let none = |count: usize| vec![Drive::None; count];
        Drives { colliders: none(params.colliders.len()), holds: none(params.holds.len()), frames }
    }

    /// Starts pending motions so that they end at `until` [s], and ends motions that have arrived. Returns the earliest
    /// arrival time, at most `until` [s].
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

    /// Discards all requests.
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

/// Pose of a hold's frame at a time [s], from its initial pose.
pub(crate) fn hold_pose(hold: &Hold, frame: &RigidPose, time: f64) -> RigidPose {
    let moved = hold.motion.at(time);
    let pivot = hold.motion.pivot(frame.translation);
    RigidPose {
        translation: pivot + moved.translation + moved.rotation * (frame.translation - pivot),
        rotation: (moved.rotation * frame.rotation).normalize(),
    }
}

/// Moves a hold from its pose at time `now` [s] to a pose at time `arrival` [s]. Keeps a keyframe of the rotation at
/// the time of the last resampling, `sampled`, because the loads of a hold are relative to this rotation.
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
    // This cannot fail, because times increase and poses were checked.
    if let Ok(keyframes) = Keyframes::new(times, translations, rotations) {
        hold.motion = Motion::Keyframes(keyframes).about(frame.translation);
    }
}

/// Sets the pose of a collider at once, without velocity.
pub(crate) fn place_collider(collider: &mut Collider, to: &RigidPose, now: f64) {
    collider.drive_to(to, now, now);
}
