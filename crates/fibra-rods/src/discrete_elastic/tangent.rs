//! Exact stiffness matrix of a discrete elastic rod. Unlike the operator of a step, it includes compression and may be indefinite.

use super::DiscreteElastic;
use super::joint_energy::matrix_by_nodes;
use crate::band::SymmetricBand;
use crate::rod::StepSystem;
use crate::unknowns::Assembly;

impl DiscreteElastic {
    /// Assembles the second derivatives of the elastic energy with respect to the unknowns.
    pub(super) fn assemble_tangent(&self, matrix: &mut SymmetricBand) {
        let chain = &self.chain;
        let mut system = StepSystem { operator: std::mem::take(matrix), ..StepSystem::default() };
        let mut assembly = Assembly::start(&chain.unknowns, &chain.driven, [1.0, 1.0], &mut system);
        for edge in chain.edges() {
            assembly.add_stiffness(&chain.edge_coordinates(edge), &self.edge_stiffness(edge));
        }
        for (i, joint) in chain.active_joints() {
            let derivatives = self.joint_state(i, joint).derivatives(&self.natural[i]);
            let coordinates = self.joint_coordinates(joint);
            assembly.add_stiffness(&coordinates, &matrix_by_nodes(&derivatives.gauss_newton));
            assembly.add_stiffness(&coordinates, &matrix_by_nodes(&derivatives.remainder));
        }
        *matrix = system.operator;
    }

    /// Returns the second derivatives of the stretching energy of an edge, `k t t^T + tension / length (1 - t t^T)`.
    fn edge_stiffness(&self, edge: usize) -> [[f64; 6]; 6] {
        let (e, rest) = (self.chain.edge(edge), self.chain.lengths[edge]);
        let length = e.length();
        let t = e / length;
        let stiffness = self.chain.params.material.stretching() / rest;
        let side = stiffness * (length - rest) / length;
        let mut k = [[0.0; 6]; 6];
        for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
            let kab = (stiffness - side) * t[a] * t[b] + if a == b { side } else { 0.0 };
            (k[a][b], k[a + 3][b + 3]) = (kab, kab);
            (k[a][b + 3], k[a + 3][b]) = (-kab, -kab);
        }
        k
    }
}
