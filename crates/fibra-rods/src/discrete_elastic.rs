//! Discrete elastic rod [Bergou2008, Bergou2010]: node positions and one angle per edge, from a time-parallel reference frame to the material frame.
//! It bends, twists and stretches, may be naturally curved and twisted, and is open or closed.
//!
//! Unknowns are ordered `x0 theta0 x1 theta1 ...`, so the operator has a half-bandwidth of 10 (19 for closed rods, whose nodes are interleaved).
//!
//! Differences from the papers:
//! - The bending energy combines both papers: the frames of both edges at a node [Bergou2008], and time-parallel
//!   frames [Bergou2010].
//! - Angles have inertia: they are dynamic unknowns rather than quasi-static.
//! - Stretch is a spring rather than a constraint.
//! - A clamped rod can bend at its end point (see the module `chain`).
//! - Forces are exact. The operator uses the exact stiffness if this makes it positive definite. Otherwise it includes
//!   half or none of the stiffness terms beyond Gauss-Newton. Compression does not reduce the lateral stiffness.

mod curvature;
mod frames;
mod internal;
mod joint_energy;
mod natural;
mod start;
mod tangent;
#[cfg(test)]
mod tests;

use crate::band::SymmetricBand;
use crate::chain::{Chain, Joint};
use crate::error::RodError;
use crate::internal_loads::{InternalLoads, PointLoads, with_damping};
use crate::rod::{Abscissa, EndLoad, Momenta, PointMotion, Rod, RodEnergy, RodParams, StepContext, StepSystem};
use crate::unknowns::{Assembly, edges_at};
use curvature::Curvature;
use fibra_core::geometry::Motion;
use glam::{DQuat, DVec3};
use joint_energy::{JointState, NODES, NaturalJoint, by_nodes, matrix_by_nodes};

/// Number of coordinates per node: three for its position, and one for the angle of the edge that starts there.
const STRIDE: usize = 4;

/// A discrete elastic rod.
#[derive(Clone, Debug)]
pub struct DiscreteElastic {
    chain: Chain,
    /// Stiffness and natural shape of each joint.
    natural: Vec<NaturalJoint>,
    /// Moment of inertia of each edge about its axis [kg m^2].
    spin_inertia: Vec<f64>,
    /// Initial first material director of the edges behind clamped ends.
    clamped_directors: [DVec3; 2],
    /// Natural twist of the first joint of a closed rod: the offset with which its ends were joined [rad].
    seam_twist: f64,
    /// Initial material frames of both end edges.
    end_frames: [DQuat; 2],
    /// Angle of each edge from the reference to the material directors [rad].
    theta: Vec<f64>,
    /// First reference director of each edge.
    reference: Vec<DVec3>,
    /// Reference twist at each joint, including full turns [rad].
    reference_twist: Vec<f64>,
    /// Tangent of each edge at the start of the last step: the axis of its spin.
    spin_axes: Vec<DVec3>,
    /// Time at the end of the last step that changed the state [s].
    time: f64,
    /// Scratch memory: the stiffness beyond Gauss-Newton.
    remainder: StepSystem,
}

impl DiscreteElastic {
    /// Creates a rod relative to the run origin [m].
    pub fn new(params: RodParams, origin: DVec3) -> Result<DiscreteElastic, RodError> {
        DiscreteElastic::twisted(params, origin, 0.0)
    }

    /// Creates a rod with a uniform initial twist, given in total [rad]. A closed rod, or a rod clamped at both ends,
    /// keeps this twist.
    pub fn twisted(params: RodParams, origin: DVec3, twist: f64) -> Result<DiscreteElastic, RodError> {
        if !twist.is_finite() {
            return Err(RodError::OutOfRange { what: "twist", value: twist, allowed: "finite, in rad" });
        }
        Ok(start::start(Chain::new(params, origin, STRIDE)?, twist))
    }

    /// Returns the total material twist minus the total natural twist [rad].
    pub fn total_twist(&self) -> f64 {
        self.chain.active_joints().map(|(i, joint)| self.twist(i, joint) - self.natural[i].twist).sum()
    }

    fn twist(&self, i: usize, joint: &Joint) -> f64 {
        self.theta[joint.edges[1]] - self.theta[joint.edges[0]] + self.reference_twist[i]
    }

    fn tangent(&self, edge: usize) -> DVec3 {
        self.chain.edge(edge).normalize()
    }

    fn joint_state(&self, i: usize, joint: &Joint) -> JointState {
        let [e, f] = joint.edges.map(|edge| self.chain.edge(edge));
        let curvature = Curvature::new(e, f);
        let directors = [0, 1]
            .map(|j| frames::turned(self.reference[joint.edges[j]], curvature.tangents[j], self.theta[joint.edges[j]]));
        JointState { curvature, directors, twist: self.twist(i, joint) }
    }

    /// Returns the indices of a joint's unknowns: three node positions and two edge angles.
    fn joint_coordinates(&self, joint: &Joint) -> [usize; NODES] {
        let [a, b, c] = joint.nodes.map(|node| self.chain.coordinate(node));
        [a, a + 1, a + 2, a + 3, b, b + 1, b + 2, b + 3, c, c + 1, c + 2]
    }

    /// Returns the angle coordinate of an edge.
    fn angle_coordinate(&self, edge: usize) -> usize {
        self.chain.coordinate(edge) + 3
    }

    /// Returns the edges that currently have frames.
    fn framed_edges(&self) -> impl Iterator<Item = usize> {
        let clamped = [0, 1].map(|end| self.chain.clamped_edge(end));
        clamped[0].into_iter().chain(self.chain.edges()).chain(clamped[1])
    }

    /// Computes the prescribed angular rates of the edges behind clamped ends, so that the material rotates with the clamp.
    fn drive_angles(&mut self, step: &StepContext) {
        for end in 0..2 {
            let Some(edge) = self.chain.clamped_edge(end) else { continue };
            let pose = self.chain.params.ends[end].motion.at(step.time + step.dt);
            let velocity = |node: usize| {
                let at = self.chain.coordinate(node);
                DVec3::from_slice(&self.chain.driven[at..at + 3])
            };
            let before = self.tangent(edge);
            let after = (self.chain.edge(edge) + step.dt * (velocity(edge + 1) - velocity(edge))).normalize();
            let reference = frames::transport(self.reference[edge], before, after);
            let turned = frames::angle(reference, pose.rotation * self.clamped_directors[end], after);
            // The clamp may have rotated by more than half a turn since the last step.
            let since = step.time + step.dt - self.time;
            let expected = self.theta[edge] + since * pose.angular_velocity.dot(after);
            let theta = frames::nearest_turn(turned, expected);
            let at = self.angle_coordinate(edge);
            self.chain.driven[at] = (theta - self.theta[edge]) / step.dt;
        }
    }

    /// Returns the tangents of the edges that currently have frames.
    fn tangents(&self) -> Vec<(usize, DVec3)> {
        self.framed_edges().map(|edge| (edge, self.tangent(edge))).collect()
    }

    /// Transports the reference frames from earlier tangents to the current ones, and updates the reference twist.
    fn transport_frames(&mut self, tangents_before: &[(usize, DVec3)]) {
        for &(edge, before) in tangents_before {
            self.reference[edge] = frames::transport(self.reference[edge], before, self.tangent(edge));
        }
        for (i, joint) in self.chain.active_joints() {
            let [before, after] = joint.edges;
            let (t, d) = (
                self.tangent(after),
                frames::transport(self.reference[before], self.tangent(before), self.tangent(after)),
            );
            let twist = frames::angle(d, self.reference[after], t);
            self.reference_twist[i] = frames::nearest_turn(twist, self.reference_twist[i]);
        }
    }

    /// Adds the inertia of the edges about their axes. The angular momentum `I theta' t` keeps its direction in space when the edge rotates: the
    /// component across the new tangent becomes a couple on the nodes of the edge.
    fn add_spins(&self, assembly: &mut Assembly) {
        for edge in self.chain.edges() {
            let (at, inertia, e) = (self.angle_coordinate(edge), self.spin_inertia[edge], self.chain.edge(edge));
            let t = e.normalize();
            let spin = self.chain.v[at] * self.spin_axes[edge];
            assembly.add_mass(at, inertia, spin.dot(t), self.chain.params.material.drag);
            // The couple c of impulses -f and f satisfies e x f = c.
            let f = inertia * spin.reject_from_normalized(t).cross(e) / e.length_squared();
            let [x0, y0, z0, x1, y1, z1] = self.chain.edge_coordinates(edge);
            for (c, (from, to)) in [(x0, x1), (y0, y1), (z0, z1)].into_iter().enumerate() {
                assembly.add_impulse(from, -f[c]);
                assembly.add_impulse(to, f[c]);
            }
        }
    }

    /// Adds the forces and the Gauss-Newton stiffness of the joints to one system and the remaining stiffness to another.
    fn add_joints(&self, gauss_newton: &mut Assembly, remainder: &mut Assembly) {
        for (i, joint) in self.chain.active_joints() {
            let derivatives = self.joint_state(i, joint).derivatives(&self.natural[i]);
            let coordinates = self.joint_coordinates(joint);
            let gradient = by_nodes(&derivatives.gradient);
            (0..NODES).for_each(|a| gauss_newton.add_force(coordinates[a], -gradient[a]));
            gauss_newton.add_stiffness(&coordinates, &matrix_by_nodes(&derivatives.gauss_newton));
            remainder.add_stiffness(&coordinates, &matrix_by_nodes(&derivatives.remainder));
        }
    }

    /// Adds as much of the stiffness beyond Gauss-Newton as keeps the operator positive definite: all, half or none.
    /// With at least half, twice the operator exceeds the exact stiffness. Steps that discard velocities then converge
    /// to static equilibrium.
    fn add_remainder(remainder: &StepSystem, system: &mut StepSystem) {
        for share in [1.0, 0.5] {
            let mut operator = system.operator.clone();
            operator.add_scaled(share, &remainder.operator);
            if operator.clone().factor().is_ok() {
                system.operator = operator;
                system.impulse.iter_mut().zip(&remainder.impulse).for_each(|(a, b)| *a += share * b);
                return;
            }
        }
    }
}

impl Rod for DiscreteElastic {
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
        self.drive_angles(step);
        self.turn_ends();
        let mut remainder = std::mem::take(&mut self.remainder);
        remainder.integrator = system.integrator;
        let mut assembly = self.chain.assembly(step, system);
        self.chain.add_masses(step, &mut assembly);
        self.chain.add_stretch(&mut assembly);
        self.add_spins(&mut assembly);
        let torques = self.chain.add_end_moments(step, &mut assembly);
        for (end, torque) in torques.into_iter().enumerate().filter(|(_, torque)| *torque != 0.0) {
            assembly.add_force(self.angle_coordinate(self.chain.end_edge(end)), torque);
        }
        self.add_joints(&mut assembly, &mut self.chain.assembly(step, &mut remainder));
        DiscreteElastic::add_remainder(&remainder, system);
        self.remainder = remainder;
    }

    /// Edges rotate rigidly: `omega = t x t' + theta' t`, with `t' = (v1 - v0 - (...) t) / |e|`, hence `omega = e x (v1 - v0) / |e|^2 + theta' t`.
    fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion {
        let chain = &self.chain;
        let mut terms = chain.centerline_terms(at);
        if arm != DVec3::ZERO {
            for (segment, weight) in edges_at(at, chain.edges().len(), chain.params.closed) {
                let [a, b] = chain.edge_nodes(segment);
                let e = chain.edge(a);
                let arm = weight * arm;
                for (c, axis) in DVec3::AXES.into_iter().enumerate() {
                    let turned = e.cross(axis).cross(arm) / e.length_squared();
                    terms.extend([(chain.coordinate(a) + c, -turned), (chain.coordinate(b) + c, turned)]);
                }
                terms.push((self.angle_coordinate(a), e.normalize().cross(arm)));
            }
        }
        chain.unknowns.motion(&terms, &chain.driven)
    }

    fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        let tangents_before = self.tangents();
        self.chain.advance(velocities, step.dt);
        if step.dt > 0.0 {
            self.time = step.time + step.dt;
        }
        for &(edge, before) in &tangents_before {
            self.spin_axes[edge] = before;
            self.theta[edge] += step.dt * self.chain.v[self.angle_coordinate(edge)];
        }
        self.transport_frames(&tangents_before);
    }

    fn shift(&mut self, displacements: &[f64]) {
        let tangents_before = self.tangents();
        self.chain.shift(displacements);
        for edge in self.chain.edges() {
            let unknown = self.chain.unknowns.of(self.angle_coordinate(edge));
            self.theta[edge] += unknown.map_or(0.0, |unknown| displacements[unknown]);
        }
        self.transport_frames(&tangents_before);
    }

    fn velocities(&self) -> &[f64] {
        self.chain.velocities()
    }

    fn point_velocities(&self) -> Vec<DVec3> {
        self.chain.point_velocities()
    }

    fn rigid_rates(&self, linear: DVec3, angular: DVec3) -> Option<Vec<f64>> {
        self.chain.rigid_rates(linear, angular, |edge| angular.dot(self.tangent(edge)))
    }

    fn masses(&self) -> Option<Vec<f64>> {
        Some(self.chain.masses(|edge| self.spin_inertia[edge]))
    }

    fn tension(&self) -> f64 {
        self.chain.tension()
    }

    fn momenta(&self) -> Momenta {
        let mut momenta = self.chain.momenta();
        for edge in self.chain.edges() {
            momenta.angular +=
                self.spin_inertia[edge] * self.chain.v[self.angle_coordinate(edge)] * self.spin_axes[edge];
        }
        momenta
    }

    fn energy(&self, gravity: DVec3) -> RodEnergy {
        let (moving, gravitational) = self.chain.node_energies(gravity);
        let spin = |edge: usize| 0.5 * self.spin_inertia[edge] * self.chain.v[self.angle_coordinate(edge)].powi(2);
        let joint = |(i, joint): (usize, &Joint)| self.joint_state(i, joint).energy(&self.natural[i]);
        RodEnergy {
            kinetic: moving + self.chain.edges().map(spin).sum::<f64>(),
            elastic: self.chain.stretch_energy() + self.chain.active_joints().map(joint).sum::<f64>(),
            gravitational,
        }
    }

    fn set_end_motion(&mut self, end: usize, motion: Motion) {
        self.chain.params.ends[end].motion = motion;
    }

    fn set_end_force(&mut self, end: usize, force: DVec3) {
        self.chain.params.ends[end].force = force;
    }

    fn internal_loads(&self, _loads: &PointLoads) -> Option<InternalLoads> {
        Some(with_damping(self, DiscreteElastic::elastic_loads))
    }

    fn end_load(&self, end: usize, time: f64) -> EndLoad {
        self.chain.params.ends[end].load_at(time, self.end_turn(end))
    }

    fn set_natural_curvature(&mut self, curvatures: &[DVec3]) -> bool {
        self.change_natural_curvature(curvatures);
        true
    }

    fn set_rest_lengths(&mut self, lengths: &[f64]) -> bool {
        self.chain.set_rest_lengths(lengths);
        self.update_stiffness();
        true
    }

    fn tangent_stiffness(&self, matrix: &mut SymmetricBand) -> bool {
        self.assemble_tangent(matrix);
        true
    }

    fn material_frames(&self) -> Vec<DQuat> {
        self.chain.edges().map(|edge| self.material_frame(edge)).collect()
    }

    fn closed_twist(&self) -> Option<f64> {
        let twist = || -> f64 { self.chain.active_joints().map(|(i, joint)| self.twist(i, joint)).sum() };
        self.chain.params.closed.then(|| twist() - self.seam_twist)
    }

    fn spin_momentum(&self) -> DVec3 {
        let spin = |edge: usize| self.spin_inertia[edge] * self.chain.v[self.angle_coordinate(edge)];
        self.chain.edges().map(|edge| spin(edge) * self.tangent(edge)).sum()
    }

    fn save(&self) -> Vec<f64> {
        let mut saved = Vec::new();
        self.chain.save(&mut saved);
        saved.extend(&self.theta);
        saved.extend(self.reference.iter().flat_map(|d| d.to_array()));
        saved.extend(self.spin_axes.iter().flat_map(|t| t.to_array()));
        saved.extend(&self.reference_twist);
        saved.push(self.time);
        saved
    }

    fn load(&mut self, saved: &[f64]) -> bool {
        let edges = self.theta.len();
        if saved.len() != self.chain.saved_len() + 7 * edges + self.reference_twist.len() + 1 {
            return false;
        }
        let (chain, saved) = saved.split_at(self.chain.saved_len());
        let (theta, saved) = saved.split_at(edges);
        let (reference, saved) = saved.split_at(3 * edges);
        let (spin_axes, saved) = saved.split_at(3 * edges);
        let (twist, time) = saved.split_at(self.reference_twist.len());
        self.chain.load(chain);
        self.theta.copy_from_slice(theta);
        self.reference = reference.chunks_exact(3).map(DVec3::from_slice).collect();
        self.spin_axes = spin_axes.chunks_exact(3).map(DVec3::from_slice).collect();
        self.reference_twist.copy_from_slice(twist);
        self.time = time[0];
        true
    }
}
