//! Implicit mass-spring chain [Baraff1998]: stiff springs along the segments, and second differences for bending.
//!
//! Energies, where `e` are the segments, `l` their rest lengths and `h` the mean length of the two segments at a node:
//! ```text
//! stretch  EA / (2 l) (|e| - l)^2          per segment
//! bend     EI / (2 h) |e' / l' - e / l|^2  per inner node
//! ```
//! For evenly spaced nodes, the bending energy is `EI / (2 h^3) |x- - 2 x + x+|^2`. It is quadratic in the positions,
//! so its stiffness is constant. It replaces arcs by chords, which makes it too soft by a relative error of second
//! order in the angle between neighboring segments.
//!
//! Limitations: the natural shape is straight, and the model has no twist; a clamp holds only the position and the direction. Contact acts on the
//! centerline, so the rod does not roll.

use crate::chain::{Chain, Joint};
use crate::error::{RodError, check_end_loads, first_bend};
use crate::internal_loads::{InternalLoads, PointLoads, with_damping};
use crate::rod::{Abscissa, Momenta, PointMotion, Rod, RodEnergy, RodParams, StepContext, StepSystem};
use crate::section::SectionShape;
use crate::unknowns::Assembly;
use fibra_core::geometry::Motion;
use glam::DVec3;

/// A mass-spring chain.
#[derive(Clone, Debug)]
pub struct MassSpring {
    chain: Chain,
}

impl MassSpring {
    /// Builds a chain relative to the run origin [m].
    pub fn new(params: RodParams, origin: DVec3) -> Result<MassSpring, RodError> {
        if params.material.section.shape != SectionShape::Circular {
            return Err(RodError::Section { model: "mass-spring" });
        }
        check_end_loads(&params, "mass-spring", false)?;
        let chain = Chain::new(params, origin, 3)?;
        match chain.params.natural.as_deref().and_then(first_bend) {
            Some(index) => Err(RodError::NaturalCurved { model: "mass-spring", index }),
            None => Ok(MassSpring { chain }),
        }
    }

    /// Returns the weights of a joint's nodes in `e' / l' - e / l = sum_n weight_n x_n` [1/m].
    fn bend_weights(&self, joint: &Joint) -> [f64; 3] {
        let [before, after] = joint.edges.map(|edge| 1.0 / self.chain.lengths[edge]);
        [before, -before - after, after]
    }

    /// Returns `e' / l' - e / l` at a joint [-].
    fn bend(&self, joint: &Joint) -> DVec3 {
        let [before, after] = joint.edges.map(|edge| self.chain.edge(edge) / self.chain.lengths[edge]);
        after - before
    }

    /// Returns the elastic internal loads. The energy of a joint with bend `b = e' / l' - e / l` and stiffness `k` has the derivatives `k b / l'` and `-k
    /// b / l`.
    fn elastic_loads(&self) -> InternalLoads {
        let chain = &self.chain;
        let mut loads = chain.tension_loads();
        let (nodes, edges) = (chain.nodes(), chain.edges());
        for (_, joint) in chain.active_joints() {
            let moment = chain.params.material.bending() / joint.length * self.bend(joint);
            for (edge, sign) in joint.edges.into_iter().zip([-1.0, 1.0]) {
                if edges.contains(&edge) {
                    loads.forces[edge - edges.start] += sign / chain.lengths[edge] * moment;
                }
            }
            let after = joint.edges[1];
            loads.moments[joint.nodes[1] - nodes.start] = chain.edge(after).cross(moment / chain.lengths[after]);
        }
        loads
    }

    fn add_bending(&self, assembly: &mut Assembly) {
        for (_, joint) in self.chain.active_joints() {
            let stiffness = self.chain.params.material.bending() / joint.length;
            let weights = self.bend_weights(joint);
            let moment = stiffness * self.bend(joint);
            let k = weights.map(|a| weights.map(|b| stiffness * a * b));
            for c in 0..3 {
                let coordinates = joint.nodes.map(|node| self.chain.coordinate(node) + c);
                (0..3).for_each(|n| assembly.add_force(coordinates[n], -weights[n] * moment[c]));
                assembly.add_stiffness(&coordinates, &k);
            }
        }
    }
}

impl Rod for MassSpring {
    fn unknowns(&self) -> usize {
        self.chain.unknowns.count
    }

    fn centerline(&self) -> &[DVec3] {
        self.chain.centerline()
    }

    fn params(&self) -> &RodParams {
        &self.chain.params
    }

    fn form(&mut self, step: &StepContext, system: &mut StepSystem) {
        self.chain.drive(step);
        let mut assembly = self.chain.assembly(step, system);
        self.chain.add_masses(step, &mut assembly);
        self.chain.add_stretch(&mut assembly);
        self.add_bending(&mut assembly);
    }

    /// Returns the motion of the centerline: without twist, the surface does not rotate.
    fn motion_of(&self, at: Abscissa, _arm: DVec3) -> PointMotion {
        self.chain.unknowns.motion(&self.chain.centerline_terms(at), &self.chain.driven)
    }

    fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        self.chain.advance(velocities, step.dt);
    }

    fn shift(&mut self, displacements: &[f64]) {
        self.chain.shift(displacements);
    }

    fn velocities(&self) -> &[f64] {
        self.chain.velocities()
    }

    fn point_velocities(&self) -> Vec<DVec3> {
        self.chain.point_velocities()
    }

    fn rigid_rates(&self, linear: DVec3, angular: DVec3) -> Option<Vec<f64>> {
        self.chain.rigid_rates(linear, angular, |_| 0.0)
    }

    fn masses(&self) -> Option<Vec<f64>> {
        Some(self.chain.masses(|_| 0.0))
    }

    fn tension(&self) -> f64 {
        self.chain.tension()
    }

    fn momenta(&self) -> Momenta {
        self.chain.momenta()
    }

    fn energy(&self, gravity: DVec3) -> RodEnergy {
        let (kinetic, gravitational) = self.chain.node_energies(gravity);
        let stiffness = self.chain.params.material.bending();
        let bending = self
            .chain
            .active_joints()
            .map(|(_, joint)| 0.5 * stiffness / joint.length * self.bend(joint).length_squared());
        RodEnergy { kinetic, elastic: self.chain.stretch_energy() + bending.sum::<f64>(), gravitational }
    }

    fn set_end_motion(&mut self, end: usize, motion: Motion) {
        self.chain.params.ends[end].motion = motion;
    }

    fn set_end_force(&mut self, end: usize, force: DVec3) {
        self.chain.params.ends[end].force = force;
    }

    fn set_rest_lengths(&mut self, lengths: &[f64]) -> bool {
        self.chain.set_rest_lengths(lengths);
        true
    }

    fn internal_loads(&self, _loads: &PointLoads) -> Option<InternalLoads> {
        Some(with_damping(self, MassSpring::elastic_loads))
    }

    fn save(&self) -> Vec<f64> {
        let mut saved = Vec::new();
        self.chain.save(&mut saved);
        saved
    }

    fn load(&mut self, saved: &[f64]) -> bool {
        let fits = saved.len() == self.chain.saved_len();
        if fits {
            self.chain.load(saved);
        }
        fits
    }
}
