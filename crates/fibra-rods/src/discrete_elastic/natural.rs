//! Stiffness and natural shape of the joints of a discrete elastic rod, and the rotation of its ends.

use super::DiscreteElastic;
use glam::{DQuat, DVec2, DVec3};

impl DiscreteElastic {
    /// Sets the stiffnesses of all joints from the material and the lengths of the joints.
    pub(super) fn update_stiffness(&mut self) {
        let material = &self.chain.params.material;
        let [first, second] = material.bending_by_axis();
        for (joint, natural) in self.chain.joints.iter().zip(&mut self.natural) {
            natural.bending = 0.5 * material.bending() / joint.length;
            natural.bending_difference = 0.25 * (first - second) / joint.length;
            natural.twisting = material.twisting() / joint.length;
        }
    }

    /// Sets the natural curvatures toward both axes and the natural twist at each point [1/m].
    pub(super) fn change_natural_curvature(&mut self, curvatures: &[DVec3]) {
        let first = self.chain.nodes().start;
        for (i, (joint, natural)) in self.chain.joints.iter().zip(&mut self.natural).enumerate() {
            let turn = joint.length * curvatures[joint.nodes[1] - first];
            let angle = turn.truncate().length();
            // The curvature binormal of a joint that bends by an angle has the length 2 tan(angle / 2).
            let scale = if angle > 0.0 { 2.0 * (0.5 * angle).tan() / angle } else { 1.0 };
            let bend = scale * turn.truncate();
            // Both frames are rotated by half of the twist from the middle of the joint.
            natural.curvature = [0.5, -0.5].map(|half| DVec2::from_angle(half * turn.z).rotate(bend).to_array());
            natural.twist = turn.z + if i == 0 { self.seam_twist } else { 0.0 };
        }
    }

    /// Returns the rotation of the material frame of an end since the start.
    pub(super) fn end_turn(&self, end: usize) -> DQuat {
        self.material_frame(self.chain.end_edge(end)) * self.end_frames[end].conjugate()
    }

    /// Updates the directions of follower loads.
    pub(super) fn turn_ends(&mut self) {
        for end in 0..2 {
            if self.chain.params.ends[end].follower {
                self.chain.end_turns[end] = self.end_turn(end);
            }
        }
    }
}
