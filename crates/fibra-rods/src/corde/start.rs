//! Initial frames, joints and natural curvatures of a rod along given points.

use super::element::JointStrain;
use crate::bishop::{best_roll, bishop_frames, turn_to_axis};
use crate::rod::RodParams;
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::TAU;

/// A joint between two adjacent frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// Indices of the frames, clamp frames included.
    pub frames: [usize; 2],
    /// Length of the rod assigned to the joint [m].
    pub length: f64,
    /// Natural curvatures and twist [1/m].
    pub natural: DVec3,
    /// Rotation applied to the second frame before comparing it with the first: the identity except at the seam of a closed rod.
    pub seam: DQuat,
    /// The clamped end that the joint belongs to; `None` between edges.
    pub clamp: Option<usize>,
}

/// Initial frames and joints of a rod.
pub(crate) struct Start {
    /// Natural lengths of the edges [m].
    pub lengths: Vec<f64>,
    /// One frame per edge and, for an open rod, one clamp frame before and one after.
    pub frames: Vec<DQuat>,
    /// Joints between the frames.
    pub joints: Vec<Joint>,
}

/// Builds the initial frames of a rod along its points, with a uniform total twist [rad]. Apart from this twist, frames
/// are twist-free. Their rotation about the tangent minimizes the bending energy relative to the natural shape. In a
/// closed rod, the `seam` of the last joint takes up the remaining rotation.
pub(crate) fn start(params: &RodParams, twist: f64) -> Start {
    let natural_points = params.natural.as_deref().unwrap_or(&params.points);
    let count = params.points.len();
    let edges = if params.closed { count } else { count - 1 };
    let lengths: Vec<f64> = (0..edges).map(|i| natural_points[i].distance(natural_points[(i + 1) % count])).collect();
    let joint_length = |i: usize| 0.5 * (lengths[i] + lengths[(i + 1) % edges]);
    let curvature = |frames: &[DQuat], i: usize| {
        JointStrain::new([frames[i], frames[i + 1]], DQuat::IDENTITY, joint_length(i)).curvature
    };

    let mut frames = bishop_frames(&params.points, params.closed);
    let mut twist = twist;
    let natural: Vec<DVec3> = match &params.natural {
        Some(points) => {
            let natural_frames = bishop_frames(points, params.closed);
            if params.closed {
                // The rod was closed in its natural shape. The number of full turns is unknown: assume the number with
                // the least twist.
                let more = holonomy(&natural_frames) - holonomy(&frames);
                twist += more - TAU * (more / TAU).round();
            }
            (0..frames.len() - 1).map(|i| curvature(&natural_frames, i)).collect()
        }
        None => vec![DVec3::ZERO; frames.len() - 1],
    };
    let roll = best_roll(
        (0..frames.len() - 1).map(|i| (joint_length(i), curvature(&frames, i).truncate(), natural[i].truncate())),
    );
    let turn = turn_to_axis(params.material.section.axis, frames[0] * DQuat::from_rotation_z(roll));
    let mut natural = natural;
    if turn != 0.0 {
        for natural in &mut natural {
            *natural = DVec2::from_angle(-turn).rotate(natural.truncate()).extend(natural.z);
        }
    }
    let whole: f64 = (0..frames.len() - 1).map(joint_length).sum();
    let mut along = 0.0;
    for (i, frame) in frames.iter_mut().enumerate() {
        along += if i > 0 { joint_length(i - 1) / whole } else { 0.0 };
        *frame *= DQuat::from_rotation_z(roll + turn + twist * along);
    }

    // Index of the first edge's frame: 1 where a clamp frame precedes it.
    let first = usize::from(!params.closed);
    let between = |i: usize, second: usize, seam: DQuat| Joint {
        frames: [first + i, first + second],
        length: joint_length(i),
        natural: natural[i],
        seam,
        clamp: None,
    };
    let mut joints: Vec<Joint> = (0..edges - 1).map(|i| between(i, i + 1, DQuat::IDENTITY)).collect();
    if params.closed {
        // After transport around the loop, the frame of the first edge is rotated relative to its start.
        let seam = frames[0].conjugate() * frames[edges];
        frames.truncate(edges);
        joints.push(between(edges - 1, 0, seam));
    } else {
        // A clamp bends the end over half an edge; it starts without strain.
        let clamp_joint = |end: usize, frames: [usize; 2], length: f64| Joint {
            frames,
            length: 0.5 * length,
            natural: DVec3::ZERO,
            seam: DQuat::IDENTITY,
            clamp: Some(end),
        };
        joints.push(clamp_joint(0, [0, 1], lengths[0]));
        joints.push(clamp_joint(1, [edges, edges + 1], lengths[edges - 1]));
        frames.insert(0, frames[0]);
        frames.push(frames[edges]);
    }
    Start { lengths, frames, joints }
}

/// Returns the angle by which twist-free frames are rotated after one turn around a closed rod [rad].
fn holonomy(frames: &[DQuat]) -> f64 {
    let turn = frames[0].conjugate() * frames[frames.len() - 1];
    2.0 * turn.z.atan2(turn.w)
}
