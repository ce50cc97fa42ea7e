//! Frames of a rod that follows given points, its joints, and its natural curvatures.

use super::element::JointStrain;
use crate::bishop::{best_roll, bishop_frames};
use crate::rod::RodParams;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Two frames that meet, and what lies between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// The frames, as numbers of their edges counted with the walls.
    pub frames: [usize; 2],
    /// Length of rod that bends here [m].
    pub length: f64,
    /// Natural curvatures and twist [1/m].
    pub natural: DVec3,
    /// How the second frame is turned before it is seen from the first: not at all but where a closed rod was joined.
    pub glue: DQuat,
    /// The end whose clamp makes the joint.
    pub clamp: Option<usize>,
}

/// What a rod starts with.
pub(crate) struct Start {
    /// Natural lengths of the edges [m].
    pub lengths: Vec<f64>,
    /// A frame per edge; for an open rod, one before and one after for what may clamp it.
    pub frames: Vec<DQuat>,
    /// Joints between them.
    pub joints: Vec<Joint>,
}

/// Lays a rod along its points, twisted evenly by so much [rad]. Frames do not twist otherwise; of all ways to roll them it is the one
/// that bends a naturally curved rod least. A closed rod is joined where the twist leaves it.
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
                // It was joined in its natural shape. Which of the ways that differ by full turns is not known: the one that twists it least.
                let more = turn_around(&natural_frames) - turn_around(&frames);
                twist += more - TAU * (more / TAU).round();
            }
            (0..frames.len() - 1).map(|i| curvature(&natural_frames, i)).collect()
        }
        None => vec![DVec3::ZERO; frames.len() - 1],
    };
    let roll = best_roll(
        (0..frames.len() - 1).map(|i| (joint_length(i), curvature(&frames, i).truncate(), natural[i].truncate())),
    );
    let whole: f64 = (0..frames.len() - 1).map(joint_length).sum();
    let mut along = 0.0;
    for (i, frame) in frames.iter_mut().enumerate() {
        along += if i > 0 { joint_length(i - 1) / whole } else { 0.0 };
        *frame *= DQuat::from_rotation_z(roll + twist * along);
    }

    // Edges are counted with the wall before them, where there is one.
    let first = usize::from(!params.closed);
    let between = |i: usize, second: usize, glue: DQuat| Joint {
        frames: [first + i, first + second],
        length: joint_length(i),
        natural: natural[i],
        glue,
        clamp: None,
    };
    let mut joints: Vec<Joint> = (0..edges - 1).map(|i| between(i, i + 1, DQuat::IDENTITY)).collect();
    if params.closed {
        // Around the loop, the frames come back to the first edge turned.
        let glue = frames[0].conjugate() * frames[edges];
        frames.truncate(edges);
        joints.push(between(edges - 1, 0, glue));
    } else {
        // What clamps an end bends it over half an edge; it starts without doing so.
        let wall = |end: usize, frames: [usize; 2], length: f64| Joint {
            frames,
            length: 0.5 * length,
            natural: DVec3::ZERO,
            glue: DQuat::IDENTITY,
            clamp: Some(end),
        };
        joints.push(wall(0, [0, 1], lengths[0]));
        joints.push(wall(1, [edges, edges + 1], lengths[edges - 1]));
        frames.insert(0, frames[0]);
        frames.push(frames[edges]);
    }
    Start { lengths, frames, joints }
}

/// The angle by which frames without twist come back turned to where they started [rad].
fn turn_around(frames: &[DQuat]) -> f64 {
    let turn = frames[0].conjugate() * frames[frames.len() - 1];
    2.0 * turn.z.atan2(turn.w)
}
