//! Internal forces, moments and twist of a CORDE rod.

use super::Corde;
use crate::internal_loads::InternalLoads;
use glam::{DQuat, DVec3};

impl Corde {
    /// Returns the elastic internal loads.
    pub(super) fn elastic_loads(&self) -> InternalLoads {
        let stretching = self.params.material.stretching();
        let force = |edge: usize| {
            let strain = self.edge_strain(edge);
            let (tension, shearing) =
                (stretching / self.lengths[edge] * strain.stretch, stretching * self.lengths[edge]);
            tension * strain.direction + shearing * (strain.by_edge.transpose() * strain.shear)
        };
        let points = self.positions.len();
        let mut moments = vec![DVec3::ZERO; points];
        for joint in self.joints.iter().filter(|joint| self.joint_is_active(joint)) {
            let strain = self.joint_strain(joint);
            let stress = self.joint_stiffness(joint) * (strain.curvature - joint.natural);
            // The energy gradient with respect to a rotation of the second frame, in the axes of that frame.
            let torque = strain.by_rotations[1].transpose() * stress;
            moments[joint.frames[1] - self.first()] = self.frames[joint.frames[1]] * torque;
        }
        InternalLoads {
            forces: (0..self.lengths.len()).map(force).collect(),
            moments,
            end_masses: [self.masses[0], self.masses[points - 1]],
        }
    }

    /// Returns the total twist of the frames relative to twist-free frames [rad]. Joints twist by less than half a turn.
    pub fn total_twist(&self) -> f64 {
        let direction = |frame: usize| {
            let [a, b] = self.nodes_of(frame - self.first()).map(|node| self.positions[node]);
            (b - a).normalize()
        };
        let twist = |[before, after]: [usize; 2], seam: DQuat| {
            let (from, to) = (direction(before), direction(after));
            let transported = DQuat::from_rotation_arc(from, to) * (self.frames[before] * DVec3::X);
            let director = self.frames[after] * (seam * DVec3::X);
            transported.cross(director).dot(to).atan2(transported.reject_from(to).dot(director))
        };
        self.joints.iter().filter(|joint| joint.clamp.is_none()).map(|joint| twist(joint.frames, joint.seam)).sum()
    }
}
