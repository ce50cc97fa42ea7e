//! CORDE rod [Spillmann2007]: node positions and one quaternion per edge, coupled by penalty energies. The energies penalize stretch of the edges,
//! misalignment of the third frame axis with its edge, and bending and twist between the frames of adjacent edges.
//!
//! **Differences from the paper.**
//! - A step is linearly implicit rather than explicit, with the Gauss-Newton stiffness (first derivatives of the strains only). It is stable at much
//!   longer time steps, and its matrix is positive definite.
//! - Frames are updated by exact rotations, so quaternions stay normalized without a penalty.
//! - The penalty stiffness of alignment equals the stretching stiffness, which is also the shear stiffness of a short
//!   thick rod. In a slender rod, shear and stretch are both negligible.
//! - A clamp has its own frame, which bends the rod over half of its first edge, so the whole length of the rod can bend.
//! - The gyroscopic torque of the frames is explicit: a frame keeps its angular momentum from step to step.
//!
//! **Limitations.** The twist between two edges must stay below a full turn.

mod element;
mod internal;
mod natural;
mod start;

use crate::ends::{Anchor, rotation_between};
use crate::error::{RodError, check, check_end_loads};
use crate::internal_loads::{InternalLoads, PointLoads, with_damping};
use crate::rod::{Abscissa, Hold, Momenta, PointMotion, Rod, RodEnergy, RodParams, StepContext, StepSystem};
use crate::section::SectionConstants;
use crate::unknowns::{Assembly, Unknowns, edges_at, node_terms};
use element::{EdgeStrain, JointStrain, outer};
use fibra_core::geometry::Motion;
use glam::{DMat3, DQuat, DVec3};
use start::{Joint, Start, start};

/// Number of coordinates per node: three for its position, and three for the rotation of the frame of the edge that starts there.
const STRIDE: usize = 6;

/// A CORDE rod.
///
/// In an open rod, a clamp frame precedes the first edge and another follows the last. `first` is the index of the first edge's frame.
#[derive(Clone, Debug)]
pub struct Corde {
    params: RodParams,
    /// Natural lengths of the edges [m].
    lengths: Vec<f64>,
    joints: Vec<Joint>,
    /// Masses of the nodes [kg].
    masses: Vec<f64>,
    /// Initial poses of the ends.
    anchors: [Anchor; 2],
    unknowns: Unknowns,
    /// Velocities of the unknowns, in the order of the unknowns.
    free_velocities: Vec<f64>,
    /// Velocities of the prescribed coordinates in the last assembled step, by coordinate.
    driven: Vec<f64>,
    /// Current boundary condition of each end.
    held: [Hold; 2],
    // The state, together with `held`:
    /// Positions of the nodes, relative to the run origin [m].
    positions: Vec<DVec3>,
    /// Frames of the edges and, for an open rod, of the two clamps.
    frames: Vec<DQuat>,
    /// Velocities of all coordinates: [m/s] for nodes, [rad/s] in their own axes for frames.
    rates: Vec<f64>,
    /// Angular momenta of the edges, in the axes of their frames [kg m^2/s]. They keep their direction in space when a frame rotates.
    spins: Vec<DVec3>,
    /// Tension of each edge in the middle of the last step, to first order [N].
    mean_tensions: Vec<f64>,
}

impl Corde {
    /// Creates a rod along the points of the parameters; `origin` is the run origin [m].
    pub fn new(params: RodParams, origin: DVec3) -> Result<Corde, RodError> {
        Corde::twisted(params, origin, 0.0)
    }

    /// Creates a rod with a uniform initial twist, given in total [rad]. A closed rod keeps the twist, as if its ends were rotated against each other
    /// before they were joined.
    pub fn twisted(params: RodParams, origin: DVec3, twist: f64) -> Result<Corde, RodError> {
        check(&params)?;
        check_end_loads(&params, "CORDE", true)?;
        let count = params.points.len();
        let joints_with_twist = if params.closed { count } else { count - 2 };
        let most = std::f64::consts::TAU * joints_with_twist as f64;
        if !(twist == 0.0 || twist.abs() < most) {
            return Err(RodError::OutOfRange {
                what: "twist",
                value: twist,
                allowed: "less than a full turn for each node between two segments, in rad",
            });
        }
        let Start { lengths, frames, joints } = start(&params, twist);
        let line_density = params.material.density * params.material.area();
        let mut masses = vec![0.0; count];
        for (i, length) in lengths.iter().enumerate() {
            masses[i] += 0.5 * line_density * length;
            masses[(i + 1) % count] += 0.5 * line_density * length;
        }
        let anchor = |point: usize, frame: usize| Anchor { position: params.points[point], frame: frames[frame] };
        let anchors = [anchor(0, 0), anchor(count - 1, frames.len() - 1)];
        let positions = params.points.iter().map(|point| *point - origin).collect();
        let edges = lengths.len();
        let held = [0, 1].map(|end: usize| if params.closed { Hold::Free } else { params.ends[end].hold });
        let coordinates = STRIDE * (count + usize::from(!params.closed));
        let mut rod = Corde {
            lengths,
            joints,
            masses,
            anchors,
            unknowns: Unknowns::default(),
            free_velocities: Vec::new(),
            driven: vec![0.0; coordinates],
            held,
            positions,
            frames,
            rates: vec![0.0; coordinates],
            spins: vec![DVec3::ZERO; edges],
            mean_tensions: vec![0.0; edges],
            params,
        };
        for node in 0..count {
            let at = rod.node_coordinate(node);
            rod.rates[at..at + 3].copy_from_slice(&rod.params.velocity.to_array());
        }
        rod.mean_tensions = (0..edges).map(|edge| rod.mean_tension(edge, 0.0)).collect();
        rod.number_unknowns();
        Ok(rod)
    }

    /// Returns the frames of the edges; the third axis points along the edge.
    pub fn edge_frames(&self) -> &[DQuat] {
        &self.frames[self.first()..self.first() + self.lengths.len()]
    }

    /// Returns the index of the frame of the first edge: 1 for an open rod, 0 for a closed one.
    fn first(&self) -> usize {
        usize::from(!self.params.closed)
    }

    /// Returns the first coordinate of a node.
    fn node_coordinate(&self, node: usize) -> usize {
        STRIDE * (self.first() + node)
    }

    /// Returns the nodes of an edge.
    fn nodes_of(&self, edge: usize) -> [usize; 2] {
        [edge, (edge + 1) % self.positions.len()]
    }

    fn joint_is_active(&self, joint: &Joint) -> bool {
        joint.clamp.is_none_or(|end| self.held[end] == Hold::Clamped)
    }

    /// Returns the coordinates of the nodes and of the frame of an edge.
    fn edge_coordinates(&self, edge: usize) -> [usize; 9] {
        let [a, b] = self.nodes_of(edge).map(|node| self.node_coordinate(node));
        let frame = frame_coordinate(self.first() + edge);
        [a, a + 1, a + 2, b, b + 1, b + 2, frame, frame + 1, frame + 2]
    }

    /// Returns the coordinates of the frames of a joint.
    fn joint_coordinates(&self, joint: &Joint) -> [usize; 6] {
        let [a, b] = joint.frames.map(frame_coordinate);
        [a, a + 1, a + 2, b, b + 1, b + 2]
    }

    /// Numbers the unknowns.
    fn number_unknowns(&mut self) {
        let (first, count) = (self.first(), self.positions.len());
        let units = count + first;
        let free = |coordinate: usize| {
            let (unit, is_node) = (coordinate / STRIDE, coordinate % STRIDE < 3);
            if self.params.closed {
                return true;
            }
            match (is_node, unit) {
                // A clamp frame precedes the first edge; it has no node.
                (_, 0) => false,
                (true, _) if unit == first => self.held[0] == Hold::Free,
                (true, _) if unit == count => self.held[1] == Hold::Free,
                (true, _) => true,
                // A clamp frame follows the last node.
                (false, _) => unit < count,
            }
        };
        let mut unknowns = Unknowns::number(units, STRIDE, self.params.closed, free);
        (0..self.lengths.len()).for_each(|edge| unknowns.widen(&self.edge_coordinates(edge)));
        self.joints.iter().for_each(|joint| unknowns.widen(&self.joint_coordinates(joint)));
        self.unknowns = unknowns;
        self.gather_velocities();
    }

    /// Collects values of the coordinates of each node and the frame that follows it, in the order of the unknowns.
    fn by_unknown(&self, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.unknowns.count];
        for coordinate in 0..self.rates.len() {
            if let Some(unknown) = self.unknowns.of(coordinate) {
                values[unknown] = value(coordinate / STRIDE, coordinate % STRIDE);
            }
        }
        values
    }

    /// Copies the velocities of the unknowns in their numbering.
    fn gather_velocities(&mut self) {
        self.free_velocities.resize(self.unknowns.count, 0.0);
        for (coordinate, velocity) in self.rates.iter().enumerate() {
            if let Some(unknown) = self.unknowns.of(coordinate) {
                self.free_velocities[unknown] = *velocity;
            }
        }
    }

    /// Releases ends at their release time, and computes the prescribed velocities of the held ends.
    fn drive(&mut self, step: &StepContext) {
        if self.params.closed {
            return;
        }
        let held = [0, 1].map(|end: usize| self.params.ends[end].hold_at(step.time));
        if held != self.held {
            self.held = held;
            self.number_unknowns();
        }
        self.driven.fill(0.0);
        let last = self.positions.len() - 1;
        for (end, node, clamp_frame) in [(0, 0, 0), (1, last, self.frames.len() - 1)] {
            let pose = self.anchors[end].at(&self.params.ends[end], step.time + step.dt, step.origin);
            if held[end] != Hold::Free {
                let velocity = (pose.position - self.positions[node]) / step.dt;
                let at = self.node_coordinate(node);
                self.driven[at..at + 3].copy_from_slice(&velocity.to_array());
            }
            if held[end] == Hold::Clamped {
                let spin = rotation_between(self.frames[clamp_frame], pose.frame) / step.dt;
                let at = frame_coordinate(clamp_frame);
                self.driven[at..at + 3].copy_from_slice(&spin.to_array());
            }
        }
    }

    /// Returns the moments of inertia of the frame of an edge about the frame's axes [kg m^2].
    fn frame_inertia(&self, edge: usize) -> DVec3 {
        let material = &self.params.material;
        match material.section.constants() {
            Some(SectionConstants { second: [first, second], .. }) => {
                material.density * self.lengths[edge] * DVec3::new(second, first, first + second)
            }
            None => DVec3::new(0.5, 0.5, 1.0) * (material.spin_density() * self.lengths[edge]),
        }
    }

    fn edge_strain(&self, edge: usize) -> EdgeStrain {
        let [a, b] = self.nodes_of(edge).map(|node| self.positions[node]);
        EdgeStrain::new(b - a, self.lengths[edge], self.frames[self.first() + edge])
    }

    /// Returns the tension of an edge after half a step with the current velocities, to first order [N].
    fn mean_tension(&self, edge: usize, dt: f64) -> f64 {
        let strain = self.edge_strain(edge);
        let [a, b] = self.nodes_of(edge).map(|node| DVec3::from_slice(&self.rates[self.node_coordinate(node)..]));
        let stretch = strain.stretch + 0.5 * dt * (b - a).dot(strain.direction);
        self.params.material.stretching() / self.lengths[edge] * stretch
    }

    fn joint_strain(&self, joint: &Joint) -> JointStrain {
        JointStrain::new(joint.frames.map(|frame| self.frames[frame]), joint.seam, joint.length)
    }

    /// Returns the bending and twisting stiffness of a joint [N m^3].
    fn joint_stiffness(&self, joint: &Joint) -> DVec3 {
        let material = &self.params.material;
        // A rotation about the first axis of the section bends the rod toward the second.
        let [first, second] = material.bending_by_axis();
        DVec3::new(second, first, material.twisting()) * joint.length
    }

    fn add_inertia(&self, step: &StepContext, assembly: &mut Assembly) {
        let drag = self.params.material.drag;
        for (node, mass) in self.masses.iter().enumerate() {
            for c in 0..3 {
                let at = self.node_coordinate(node) + c;
                assembly.add_mass(at, *mass, self.rates[at], drag);
                assembly.add_force(at, mass * step.gravity[c]);
            }
        }
        for edge in 0..self.lengths.len() {
            let inertia = self.frame_inertia(edge);
            for c in 0..3 {
                let at = frame_coordinate(self.first() + edge) + c;
                assembly.add_mass(at, inertia[c], self.spins[edge][c] / inertia[c], drag);
            }
        }
        if !self.params.closed {
            for (end, node) in [0, self.positions.len() - 1].into_iter().enumerate() {
                let load = self.params.ends[end].load_at(step.time + step.dt, DQuat::IDENTITY);
                (0..3).for_each(|c| assembly.add_force(self.node_coordinate(node) + c, load.force[c]));
                if load.moment != DVec3::ZERO {
                    let frame = if end == 0 { self.first() } else { self.first() + self.lengths.len() - 1 };
                    let torque = self.frames[frame].conjugate() * load.moment;
                    (0..3).for_each(|c| assembly.add_force(frame_coordinate(frame) + c, torque[c]));
                }
            }
        }
    }

    /// Adds the forces and stiffness of the edges, with energy `k stretch^2 / 2 + K |shear|^2 / 2`.
    fn add_edges(&self, assembly: &mut Assembly) {
        let stretching = self.params.material.stretching();
        for edge in 0..self.lengths.len() {
            let strain = self.edge_strain(edge);
            let (k, shearing) = (stretching / self.lengths[edge], stretching * self.lengths[edge]);
            // Tension adds lateral stiffness.
            let tension = k * strain.stretch;
            let side =
                assembly.lateral_stiffness([tension, self.mean_tensions[edge]], strain.length.max(self.lengths[edge]));
            let along = outer(strain.direction, strain.direction);
            let edge_edge =
                k * along + side * (DMat3::IDENTITY - along) + shearing * (strain.by_edge.transpose() * strain.by_edge);
            let edge_rotation = shearing * (strain.by_edge.transpose() * strain.by_rotation);
            let rotation_rotation = shearing * (strain.by_rotation.transpose() * strain.by_rotation);
            let force = tension * strain.direction + shearing * (strain.by_edge.transpose() * strain.shear);
            let torque = shearing * (strain.by_rotation.transpose() * strain.shear);

            // The edge vector is the position of the last node minus that of the first.
            let coordinates = self.edge_coordinates(edge);
            let mut stiffness = [[0.0; 9]; 9];
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                let (ee, et) = (edge_edge.col(b)[a], edge_rotation.col(b)[a]);
                stiffness[a][b] = ee;
                stiffness[a][b + 3] = -ee;
                stiffness[a + 3][b] = -ee;
                stiffness[a + 3][b + 3] = ee;
                stiffness[a][b + 6] = -et;
                stiffness[b + 6][a] = -et;
                stiffness[a + 3][b + 6] = et;
                stiffness[b + 6][a + 3] = et;
                stiffness[a + 6][b + 6] = rotation_rotation.col(b)[a];
            }
            for c in 0..3 {
                assembly.add_force(coordinates[c], force[c]);
                assembly.add_force(coordinates[c + 3], -force[c]);
                assembly.add_force(coordinates[c + 6], -torque[c]);
            }
            assembly.add_stiffness(&coordinates, &stiffness);
        }
    }

    /// Adds the torques and stiffness of the joints.
    fn add_joints(&self, assembly: &mut Assembly) {
        for joint in self.joints.iter().filter(|joint| self.joint_is_active(joint)) {
            let strain = self.joint_strain(joint);
            let weights = self.joint_stiffness(joint);
            let moment = weights * (strain.curvature - joint.natural);
            let coordinates = self.joint_coordinates(joint);
            let mut stiffness = [[0.0; 6]; 6];
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let block = strain.by_rotations[a].transpose() * DMat3::from_diagonal(weights) * strain.by_rotations[b];
                for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                    stiffness[3 * a + i][3 * b + j] = block.col(j)[i];
                }
            }
            for (side, by_rotation) in strain.by_rotations.iter().enumerate() {
                let torque = by_rotation.transpose() * moment;
                (0..3).for_each(|c| assembly.add_force(coordinates[3 * side + c], -torque[c]));
            }
            assembly.add_stiffness(&coordinates, &stiffness);
        }
    }
}

impl Rod for Corde {
    fn unknowns(&self) -> usize {
        self.unknowns.count
    }

    fn centerline(&self) -> &[DVec3] {
        &self.positions
    }

    fn params(&self) -> &RodParams {
        &self.params
    }

    fn form(&mut self, step: &StepContext, system: &mut StepSystem) {
        self.drive(step);
        let dt = system.implicit_dt(step);
        let implicit = dt * (dt + self.params.material.internal_damping);
        let mut assembly = Assembly::start(&self.unknowns, &self.driven, [dt, implicit], system);
        self.add_inertia(step, &mut assembly);
        self.add_edges(&mut assembly);
        self.add_joints(&mut assembly);
    }

    /// The cross section rotates with its frame.
    fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion {
        let [a, b] = self.nodes_of(at.segment).map(|node| self.node_coordinate(node));
        let mut terms: Vec<_> = node_terms(a, 1.0 - at.share).chain(node_terms(b, at.share)).collect();
        if arm != DVec3::ZERO {
            for (edge, weight) in edges_at(at, self.lengths.len(), self.params.closed) {
                let frame = self.first() + edge;
                let turn = |axis: DVec3| (self.frames[frame] * axis).cross(weight * arm);
                terms.extend((0..3).map(|c| (frame_coordinate(frame) + c, turn(DVec3::AXES[c]))));
            }
        }
        self.unknowns.motion(&terms, &self.driven)
    }

    fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        for (coordinate, velocity) in self.rates.iter_mut().enumerate() {
            *velocity = match self.unknowns.of(coordinate) {
                Some(unknown) => velocities[unknown],
                None => self.driven[coordinate],
            };
        }
        self.gather_velocities();
        if step.dt > 0.0 {
            self.mean_tensions = (0..self.lengths.len()).map(|edge| self.mean_tension(edge, step.dt)).collect();
        }
        let first = self.first();
        for (node, position) in self.positions.iter_mut().enumerate() {
            *position += step.dt * DVec3::from_slice(&self.rates[STRIDE * (first + node)..]);
        }
        for edge in 0..self.spins.len() {
            let rate = DVec3::from_slice(&self.rates[frame_coordinate(first + edge)..]);
            self.spins[edge] = DQuat::from_scaled_axis(-step.dt * rate) * (self.frame_inertia(edge) * rate);
        }
        for (frame, rotation) in self.frames.iter_mut().enumerate() {
            let turn = step.dt * DVec3::from_slice(&self.rates[frame_coordinate(frame)..]);
            *rotation = (*rotation * DQuat::from_scaled_axis(turn)).normalize();
        }
    }

    fn shift(&mut self, displacements: &[f64]) {
        let first = self.first();
        let moved = |coordinate: usize| {
            DVec3::from_array([0, 1, 2].map(|c| self.unknowns.of(coordinate + c).map_or(0.0, |u| displacements[u])))
        };
        for (node, position) in self.positions.iter_mut().enumerate() {
            *position += moved(STRIDE * (first + node));
        }
        for (edge, spin) in self.spins.iter_mut().enumerate() {
            let frame = first + edge;
            let turn = DQuat::from_scaled_axis(moved(frame_coordinate(frame)));
            self.frames[frame] = (self.frames[frame] * turn).normalize();
            *spin = turn.conjugate() * *spin;
        }
    }

    fn velocities(&self) -> &[f64] {
        &self.free_velocities
    }

    fn point_velocities(&self) -> Vec<DVec3> {
        let node = |node: usize| DVec3::from_slice(&self.rates[self.node_coordinate(node)..]);
        (0..self.positions.len()).map(node).collect()
    }

    fn rigid_rates(&self, linear: DVec3, angular: DVec3) -> Option<Vec<f64>> {
        let rate = |unit: usize, c: usize| match c.checked_sub(3) {
            Some(c) => (self.frames[unit].conjugate() * angular)[c],
            None => (linear + angular.cross(self.positions[unit - self.first()]))[c],
        };
        (self.held == [Hold::Free; 2]).then(|| self.by_unknown(rate))
    }

    fn masses(&self) -> Option<Vec<f64>> {
        let first = self.first();
        Some(self.by_unknown(|unit, c| match c.checked_sub(3) {
            Some(c) => self.frame_inertia(unit - first)[c],
            None => self.masses[unit - first],
        }))
    }

    fn tension(&self) -> f64 {
        let strain = |edge: usize| (self.edge_strain(edge).stretch / self.lengths[edge]).abs();
        self.params.material.stretching() * (0..self.lengths.len()).map(strain).fold(0.0, f64::max)
    }

    fn momenta(&self) -> Momenta {
        let mut momenta = Momenta::default();
        for ((mass, velocity), position) in self.masses.iter().zip(self.point_velocities()).zip(&self.positions) {
            momenta.add(*mass, *position, velocity);
        }
        let spins = self.edge_frames().iter().zip(&self.spins).map(|(frame, spin)| *frame * *spin);
        momenta.angular += spins.sum::<DVec3>();
        momenta
    }

    fn energy(&self, gravity: DVec3) -> RodEnergy {
        let mut energy = RodEnergy::default();
        for ((mass, velocity), position) in self.masses.iter().zip(self.point_velocities()).zip(&self.positions) {
            energy.kinetic += 0.5 * mass * velocity.length_squared();
            energy.gravitational -= mass * gravity.dot(*position);
        }
        let stretching = self.params.material.stretching();
        for (edge, length) in self.lengths.iter().enumerate() {
            let spin = DVec3::from_slice(&self.rates[frame_coordinate(self.first() + edge)..]);
            energy.kinetic += 0.5 * (self.frame_inertia(edge) * spin).dot(spin);
            let strain = self.edge_strain(edge);
            let stretch = strain.stretch / length;
            energy.elastic += 0.5 * stretching * length * (stretch * stretch + strain.shear.length_squared());
        }
        for joint in self.joints.iter().filter(|joint| self.joint_is_active(joint)) {
            let strain = self.joint_strain(joint).curvature - joint.natural;
            energy.elastic += 0.5 * (self.joint_stiffness(joint) * strain).dot(strain);
        }
        energy
    }

    fn set_end_motion(&mut self, end: usize, motion: Motion) {
        self.params.ends[end].motion = motion;
    }

    fn set_end_force(&mut self, end: usize, force: DVec3) {
        self.params.ends[end].force = force;
    }

    fn set_natural_curvature(&mut self, curvatures: &[DVec3]) -> bool {
        self.change_natural_curvature(curvatures);
        true
    }

    fn set_rest_lengths(&mut self, lengths: &[f64]) -> bool {
        self.change_rest_lengths(lengths);
        true
    }

    fn internal_loads(&self, _loads: &PointLoads) -> Option<InternalLoads> {
        Some(with_damping(self, Corde::elastic_loads))
    }

    fn material_frames(&self) -> Vec<DQuat> {
        self.edge_frames().to_vec()
    }

    fn closed_twist(&self) -> Option<f64> {
        self.params.closed.then(|| self.total_twist())
    }

    fn spin_momentum(&self) -> DVec3 {
        let spin = |edge: usize| {
            let frame = self.first() + edge;
            let rate = DVec3::from_slice(&self.rates[frame_coordinate(frame)..]);
            self.frames[frame] * (self.frame_inertia(edge) * rate)
        };
        (0..self.lengths.len()).map(spin).sum()
    }

    fn save(&self) -> Vec<f64> {
        let held = self.held.map(|hold| f64::from(hold as u8));
        let positions = self.positions.iter().flat_map(|position| position.to_array());
        let frames = self.frames.iter().flat_map(|frame| frame.to_array());
        let spins = self.spins.iter().flat_map(|spin| spin.to_array());
        held.into_iter()
            .chain(positions)
            .chain(frames)
            .chain(self.rates.iter().copied())
            .chain(spins)
            .chain(self.mean_tensions.iter().copied())
            .collect()
    }

    fn load(&mut self, saved: &[f64]) -> bool {
        let frames = 2 + 3 * self.positions.len();
        let velocities = frames + 4 * self.frames.len();
        let spins = velocities + self.rates.len();
        let tensions = spins + 3 * self.spins.len();
        if saved.len() != tensions + self.mean_tensions.len() {
            return false;
        }
        let hold = |number: f64| {
            [Hold::Free, Hold::Pinned, Hold::Clamped].into_iter().find(|hold| f64::from(*hold as u8) == number)
        };
        let [Some(first), Some(last)] = [hold(saved[0]), hold(saved[1])] else { return false };
        self.held = [first, last];
        self.positions = saved[2..frames].chunks_exact(3).map(DVec3::from_slice).collect();
        self.frames = saved[frames..velocities].chunks_exact(4).map(DQuat::from_slice).collect();
        self.rates.copy_from_slice(&saved[velocities..spins]);
        self.mean_tensions.copy_from_slice(&saved[tensions..]);
        self.spins = saved[spins..tensions].chunks_exact(3).map(DVec3::from_slice).collect();
        self.number_unknowns();
        true
    }
}

/// Returns the first coordinate of a frame, clamp frames included.
fn frame_coordinate(frame: usize) -> usize {
    STRIDE * frame + 3
}

#[cfg(test)]
mod tests;
