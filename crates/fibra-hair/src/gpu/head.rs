//! Head motion in kernels: [`head`](crate::head).

use crate::gpu::strands::{
    DIRECTOR, DIRECTOR_HOME, HOME, INERTIA, LOOSE, MASS, POSITION, SPIN, StrandOf, TANGENT, VELOCITY,
};
use crate::gpu::vector::{Triple, Turn, get, of, set, triple_arg, turn, turn_arg};
use crate::group::PINNED_MASS;
use crate::head::RigidMotion;
use cubecl::prelude::*;
use fibra_core::geometry::RigidPose;
use fibra_gpu::edge_frames::{angle, transport};
use glam::Mat3;

/// Head motion in a step.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub(crate) struct HeadStep {
    /// Pose at the end of the step.
    rotation: Turn,
    translation: Triple,
    /// Nonzero if the head jumps. All hair on the head then first moves rigidly with it: a rotation about a point and a translation of that point.
    jumps: u32,
    turn: Turn,
    about: Triple,
    to: Triple,
    /// Fraction of the velocity change that pinned vertices make [-].
    follow: f32,
}

/// Converts the head motion to a launch argument.
pub(crate) fn head_arg<R: Runtime>(head: &RigidPose, jump: Option<RigidMotion>, follow: f32) -> HeadStepLaunch<R> {
    let rotation = Mat3::from_quat(head.rotation.as_quat());
    let turn = jump.map_or(Mat3::IDENTITY, |jump| Mat3::from_quat(jump.rotation.as_quat()));
    let about = jump.map_or(glam::Vec3::ZERO, |jump| jump.about.as_vec3());
    let to = about + jump.map_or(glam::Vec3::ZERO, |jump| jump.translation.as_vec3());
    HeadStepLaunch::new(
        turn_arg(rotation),
        triple_arg(head.translation.as_vec3()),
        u32::from(jump.is_some()),
        turn_arg(turn),
        triple_arg(about),
        triple_arg(to),
        follow,
    )
}

/// Moves a vertex of a strand on the head, and the edge that begins there, rigidly if the head jumps. Sets the velocity of a pinned vertex to reach its target on the head.
#[cube]
pub(crate) fn drive_vertex(
    constants: &Array<f32>,
    state: &mut Array<f32>,
    n: usize,
    i: usize,
    head: &HeadStep,
    h: f32,
) {
    if head.jumps > 0 && constants[LOOSE * n + i] == 0.0f32 {
        let x = get(state, n, POSITION, i);
        set(state, n, POSITION, i, turn(&head.turn, x.minus(of(&head.about))).plus(of(&head.to)));
        let v = get(state, n, VELOCITY, i);
        set(state, n, VELOCITY, i, turn(&head.turn, v));
        let tangent = get(state, n, TANGENT, i);
        set(state, n, TANGENT, i, turn(&head.turn, tangent));
        let director = get(state, n, DIRECTOR, i);
        set(state, n, DIRECTOR, i, turn(&head.turn, director));
    }
    if constants[MASS * n + i] >= PINNED_MASS {
        let home = turn(&head.rotation, get(constants, n, HOME, i)).plus(of(&head.translation));
        let before = get(state, n, VELOCITY, i);
        let wanted = home.minus(get(state, n, POSITION, i)).times(1.0f32 / h);
        set(state, n, VELOCITY, i, before.plus(wanted.minus(before).times(head.follow)));
    }
}

/// Sets the spin of a pinned edge to reach its target on the head. Its vertices must already be driven.
#[cube]
pub(crate) fn drive_edge(
    constants: &Array<f32>,
    state: &mut Array<f32>,
    n: usize,
    strand: &StrandOf,
    edge: u32,
    head: &HeadStep,
    h: f32,
) {
    let i = strand.vertex(edge);
    if edge + 1 < strand.count && constants[INERTIA * n + i] >= PINNED_MASS {
        let rate = get(state, n, VELOCITY, i + 1).minus(get(state, n, VELOCITY, i));
        let now = get(state, n, POSITION, i + 1).minus(get(state, n, POSITION, i));
        let then = now.plus(rate.times(h));
        let long = then.length();
        let tangent = then.times(select(long > 0.0f32, 1.0f32 / long, 0.0f32));
        let carried = transport(get(state, n, DIRECTOR, i), get(state, n, TANGENT, i), tangent);
        let home = turn(&head.rotation, get(constants, n, DIRECTOR_HOME, i));
        let wanted = angle(carried, transport(home, tangent, tangent), tangent) / h;
        let spin = state[SPIN * n + i];
        state[SPIN * n + i] = spin + head.follow * (wanted - spin);
    }
}
