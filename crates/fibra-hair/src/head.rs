//! Head motion: pinned vertices follow the head, and large head motion moves everything on the head rigidly.

use crate::group::{Group, GroupState};
use crate::lanes::{LANES, Lanes3, get3, set3};
use crate::params::HeadLimits;
use crate::strands::{StrandState, Strands};
use fibra_core::edge_frames::{angle, transport};
use fibra_core::geometry::RigidPose;
use glam::{DQuat, DVec3, Mat3, Vec3};
use rayon::prelude::*;

/// Sets the velocities of the pinned vertices and edges of a group so that they reach their targets on the head after `h` [s]. With `follow < 1`,
/// applies only that fraction of the velocity change [Huang2023, Sec. 3.1.3]. Positions are unchanged.
pub fn drive_pinned(group: &Group, state: &mut GroupState, head: &RigidPose, follow: f32, h: f32) {
    let rotation = Mat3::from_quat(head.rotation.as_quat());
    let translation = head.translation.as_vec3();
    for held in &group.pinned_vertices {
        let velocity = &mut state.velocity[held.index];
        let before = get3(velocity, held.lane);
        let wanted = (rotation * held.home + translation - get3(&state.position[held.index], held.lane)) / h;
        set3(velocity, held.lane, before + follow * (wanted - before));
    }
    for held in &group.pinned_edges {
        let (i, lane) = (held.index, held.lane);
        let rate = get3(&state.velocity[i + 1], lane) - get3(&state.velocity[i], lane);
        let tangent = (state.edge(i, lane) + h * rate).normalize_or_zero();
        let carried = transport(get3(&state.director[i], lane), get3(&state.tangent[i], lane), tangent);
        let wanted = angle(carried, transport(rotation * held.home, tangent, tangent), tangent) / h;
        state.spin[i][lane] += follow * (wanted - state.spin[i][lane]);
    }
}

/// A rigid motion: rotation about a point, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Center of rotation [m].
    pub about: DVec3,
    /// Rotation, a unit quaternion.
    pub rotation: DQuat,
    /// Translation [m].
    pub translation: DVec3,
}

impl RigidMotion {
    /// Returns the pose of a body after the motion.
    pub fn of(&self, body: &RigidPose) -> RigidPose {
        RigidPose {
            translation: self.rotation * (body.translation - self.about) + self.about + self.translation,
            rotation: (self.rotation * body.rotation).normalize(),
        }
    }
}

/// Returns the rigid motion by which the head's motion exceeds the limits, or `None` if it is within the limits.
pub fn excess(from: &RigidPose, to: &RigidPose, limits: &HeadLimits) -> Option<RigidMotion> {
    let turn = (to.rotation * from.rotation.inverse()).normalize();
    let (axis, mut by) = (if turn.w < 0.0 { -turn } else { turn }).to_axis_angle();
    by = (by - f64::from(limits.rotation)).max(0.0);
    let displacement = to.translation - from.translation;
    let share = (1.0 - f64::from(limits.displacement) / displacement.length().max(f64::MIN_POSITIVE)).max(0.0);
    (by > 0.0 || share > 0.0).then(|| RigidMotion {
        about: from.translation,
        rotation: DQuat::from_axis_angle(axis, by),
        translation: share * displacement,
    })
}

/// Moves the strands on the head rigidly by the head motion that exceeds the limits in this step [Huang2023, Sec. 4.2]. Loose strands stay where they
/// are. Returns the motion.
pub fn blend_rigid_motion(
    strands: &Strands,
    state: &mut StrandState,
    head: &RigidPose,
    limits: &HeadLimits,
) -> Option<RigidMotion> {
    let motion = excess(&state.head, head, limits)?;
    let (about, shift) = (motion.about.as_vec3(), motion.translation.as_vec3());
    let turn = Mat3::from_quat(motion.rotation.as_quat());
    state.groups.par_iter_mut().zip(&strands.groups).for_each(|(state, group)| {
        let GroupState { position, velocity, tangent, director, .. } = state;
        for lane in (0..LANES).filter(|&lane| group.flying[lane] == 0.0) {
            position.iter_mut().for_each(|x| map(x, lane, |x| turn * (x - about) + about + shift));
            for field in [&mut *velocity, &mut *tangent, &mut *director] {
                field.iter_mut().for_each(|v| map(v, lane, |v| turn * v));
            }
        }
    });
    state.head = motion.of(&state.head);
    Some(motion)
}

fn map(vectors: &mut Lanes3, lane: usize, f: impl Fn(Vec3) -> Vec3) {
    let moved = f(get3(vectors, lane));
    set3(vectors, lane, moved);
}
