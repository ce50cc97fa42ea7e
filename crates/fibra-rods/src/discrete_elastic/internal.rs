//! Internal forces, moments and material frames of a discrete elastic rod.

use super::DiscreteElastic;
use super::frames::turned;
use crate::internal_loads::InternalLoads;
use glam::{DMat3, DQuat, DVec3};

impl DiscreteElastic {
    /// Returns the elastic internal loads.
    pub(super) fn elastic_loads(&self) -> InternalLoads {
        let chain = &self.chain;
        let mut loads = chain.tension_loads();
        let (nodes, edges) = (chain.nodes(), chain.edges());
        for (i, joint) in chain.active_joints() {
            let gradient = self.joint_state(i, joint).derivatives(&self.natural[i]).gradient;
            let by_edges = [0, 4].map(|at| DVec3::from_slice(&gradient[at..at + 3]));
            for (edge, force) in joint.edges.into_iter().zip(by_edges) {
                // Edges behind clamped ends are not part of the rod.
                if edges.contains(&edge) {
                    loads.forces[edge - edges.start] += force;
                }
            }
            let after = joint.edges[1];
            loads.moments[joint.nodes[1] - nodes.start] =
                chain.edge(after).cross(by_edges[1]) + gradient[7] * self.tangent(after);
        }
        loads
    }

    /// Returns the material frame of an edge: both directors and the tangent.
    pub(super) fn material_frame(&self, edge: usize) -> DQuat {
        let t = self.tangent(edge);
        let [m1, m2] = turned(self.reference[edge], t, self.theta[edge]);
        DQuat::from_mat3(&DMat3::from_cols(m1, m2, t)).normalize()
    }
}
