//! Base of the nodal rod models: a chain of point masses whose ends can be held and driven.
//!
//! A clamped end has a *ghost* node behind it, one segment length away. The ghost moves with the clamp and has neither
//! mass nor tension. The joint at the end point bends between the ghost edge and the first segment, over half a
//! segment. The whole length of the rod, starting at the end point, can therefore bend.

use crate::error::{RodError, check};
use crate::internal_loads::InternalLoads;
use crate::rod::{Abscissa, EndLoad, Hold, Momenta, RodParams, StepContext, StepSystem};
use crate::unknowns::{Assembly, Unknowns, node_terms};
use glam::{DQuat, DVec3};

/// A joint: a node at which a chain bends, between two edges and over half of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The previous node, the node itself, the next node.
    pub nodes: [usize; 3],
    /// The edges before and after.
    pub edges: [usize; 2],
    /// Voronoi length: length of rod that bends at this joint [m].
    pub length: f64,
    /// The clamped end that creates this joint. The joint is inactive once that end is released.
    clamp: Option<usize>,
}

/// A chain of point masses. Node and edge indices include ghosts; edge `k` starts at node `k`.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Parameters from which the chain was built.
    pub params: RodParams,
    /// Rest lengths of the edges [m].
    pub lengths: Vec<f64>,
    /// Joints at which the chain bends.
    pub joints: Vec<Joint>,
    /// Positions of the nodes, relative to the run origin [m].
    pub x: Vec<DVec3>,
    /// Velocities of all coordinates.
    pub v: Vec<f64>,
    /// Velocities of the prescribed coordinates in the last assembled step.
    pub driven: Vec<f64>,
    /// Tension of each edge in the middle of the last step, to first order [N].
    mean_tensions: Vec<f64>,
    /// The unknowns of the step.
    pub unknowns: Unknowns,
    /// Rotation of the material frame of each end since the start, for follower loads.
    pub end_turns: [DQuat; 2],
    /// Whether each end is currently held.
    held: [bool; 2],
    /// Number of coordinates per node.
    stride: usize,
    /// Index of the first node that is not a ghost.
    first: usize,
    /// Masses of the nodes [kg].
    masses: Vec<f64>,
    /// For each end, the initial position of the end point and of the ghost behind it [m], in world coordinates.
    clamps: [[DVec3; 2]; 2],
    /// Velocities in the order of the unknowns.
    free_velocities: Vec<f64>,
}

impl Chain {
    /// Builds a chain with `stride` coordinates per node, relative to the run origin [m].
    pub fn new(params: RodParams, origin: DVec3, stride: usize) -> Result<Chain, RodError> {
        check(&params)?;
        let p = &params.points;
        let count = p.len();
        let ghosts = [0, 1].map(|end| !params.closed && params.ends[end].hold == Hold::Clamped);
        let first = usize::from(ghosts[0]);
        // Adds `before` and `after` at the ends that have a ghost node.
        fn surround<T>(ghosts: [bool; 2], [before, after]: [T; 2], inside: Vec<T>) -> Vec<T> {
            let before = ghosts[0].then_some(before);
            before.into_iter().chain(inside).chain(ghosts[1].then_some(after)).collect()
        }

        let rest = params.natural.as_deref().unwrap_or(p);
        let segments = if params.closed { count } else { count - 1 };
        let lengths: Vec<f64> = (0..segments).map(|i| rest[i].distance(rest[(i + 1) % count])).collect();
        let outer = [lengths[0], lengths[segments - 1]];
        let behind = |end: DVec3, next: DVec3, length: f64| [end, end + length * (end - next).normalize()];
        let clamps = [behind(p[0], p[1], outer[0]), behind(p[count - 1], p[count - 2], outer[1])];
        let points = surround(ghosts, clamps.map(|clamp| clamp[1]), p.clone());
        let x: Vec<DVec3> = points.into_iter().map(|x| x - origin).collect();

        let line_density = params.material.density * params.material.area();
        let mut masses = vec![0.0; x.len()];
        for (i, length) in lengths.iter().enumerate() {
            masses[first + i] += 0.5 * line_density * length;
            masses[first + (i + 1) % count] += 0.5 * line_density * length;
        }
        let lengths = surround(ghosts, outer, lengths);

        let nodes = x.len();
        let joint = |node: usize| {
            let edges = [(node + nodes - 1) % nodes, node];
            let clamp = [(0, 1), (1, nodes - 2)].into_iter().find(|&(end, at)| ghosts[end] && node == at);
            let length = match clamp {
                Some((0, _)) => 0.5 * lengths[edges[1]],
                Some(_) => 0.5 * lengths[edges[0]],
                None => 0.5 * (lengths[edges[0]] + lengths[edges[1]]),
            };
            Joint { nodes: [edges[0], node, (node + 1) % nodes], edges, length, clamp: clamp.map(|(end, _)| end) }
        };
        let joints = if params.closed { (0..nodes).map(joint).collect() } else { (1..nodes - 1).map(joint).collect() };

        let held = [0, 1].map(|end| !params.closed && params.ends[end].hold != Hold::Free);
        let mut v = vec![0.0; stride * nodes];
        for i in first..first + count {
            v[stride * i..stride * i + 3].copy_from_slice(&params.velocity.to_array());
        }
        let driven = vec![0.0; v.len()];
        let mut chain = Chain {
            params,
            lengths,
            joints,
            x,
            v,
            driven,
            mean_tensions: Vec::new(),
            end_turns: [DQuat::IDENTITY; 2],
            held,
            stride,
            first,
            masses,
            clamps,
            unknowns: Unknowns::default(),
            free_velocities: Vec::new(),
        };
        chain.mean_tensions = (0..chain.lengths.len()).map(|edge| chain.mean_tension(edge, 0.0)).collect();
        chain.number();
        Ok(chain)
    }

    /// Positions of the nodes, without ghosts.
    pub fn centerline(&self) -> &[DVec3] {
        &self.x[self.first..self.first + self.params.points.len()]
    }

    /// Indices of the nodes, without ghosts.
    pub fn nodes(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.params.points.len()
    }

    /// Indices of the edges, without ghosts.
    pub fn edges(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.params.points.len() - usize::from(!self.params.closed)
    }

    /// The ghost edge behind a clamped end, while that end is held.
    pub fn clamped_edge(&self, end: usize) -> Option<usize> {
        let clamped = self.held[end] && self.params.ends[end].hold == Hold::Clamped;
        clamped.then(|| if end == 0 { 0 } else { self.lengths.len() - 1 })
    }

    /// Vector from the first node of an edge to its second [m].
    pub fn edge(&self, edge: usize) -> DVec3 {
        self.x[(edge + 1) % self.x.len()] - self.x[edge]
    }

    /// The joints that are currently active.
    pub fn active_joints(&self) -> impl Iterator<Item = (usize, &Joint)> {
        self.joints.iter().enumerate().filter(|(_, joint)| joint.clamp.is_none_or(|end| self.held[end]))
    }

    /// First coordinate of a node.
    pub fn coordinate(&self, node: usize) -> usize {
        self.stride * node
    }

    /// The six position coordinates of an edge.
    pub fn edge_coordinates(&self, edge: usize) -> [usize; 6] {
        let [a, b] = self.nodes_of(edge).map(|node| self.coordinate(node));
        [a, a + 1, a + 2, b, b + 1, b + 2]
    }

    /// Velocity of a node [m/s].
    pub fn node_velocity(&self, node: usize) -> DVec3 {
        let at = self.coordinate(node);
        DVec3::from_slice(&self.v[at..at + 3])
    }

    /// Velocities of the nodes, without ghosts [m/s].
    pub fn point_velocities(&self) -> Vec<DVec3> {
        self.nodes().map(|node| self.node_velocity(node)).collect()
    }

    /// Velocities in the order of the unknowns.
    pub fn velocities(&self) -> &[f64] {
        &self.free_velocities
    }

    /// Releases the ends whose release time has passed, and computes the velocities of the held ends in this step.
    pub fn drive(&mut self, step: &StepContext) {
        let keeps = |end: usize| self.held[end] && self.params.ends[end].hold_at(step.time) != Hold::Free;
        let held = [keeps(0), keeps(1)];
        if held != self.held {
            self.held = held;
            self.number();
        }
        self.driven.fill(0.0);
        for end in (0..2).filter(|&end| held[end]) {
            let (node, ghost) = if end == 0 { (self.first, 0) } else { (self.nodes().end - 1, self.x.len() - 1) };
            let [point, behind] = self.clamps[end];
            self.drive_node(node, end, point, step);
            if self.clamped_edge(end).is_some() {
                self.drive_node(ghost, end, behind, step);
            }
        }
    }

    /// Computes the velocity with which a node, initially at `rest` [m], follows an end in this step.
    fn drive_node(&mut self, node: usize, end: usize, rest: DVec3, step: &StepContext) {
        let motion = &self.params.ends[end].motion;
        let (pivot, pose) = (motion.pivot(self.clamps[end][0]), motion.at(step.time + step.dt));
        let target = pivot + pose.translation + pose.rotation * (rest - pivot) - step.origin;
        let velocity = (target - self.x[node]) / step.dt;
        let at = self.coordinate(node);
        self.driven[at..at + 3].copy_from_slice(&velocity.to_array());
    }

    /// Starts the assembly of an empty system.
    pub fn assembly<'a>(&'a self, step: &StepContext, system: &'a mut StepSystem) -> Assembly<'a> {
        let dt = system.implicit_dt(step);
        let implicit = dt * (dt + self.params.material.internal_damping);
        Assembly::start(&self.unknowns, &self.driven, [dt, implicit], system)
    }

    /// Adds the inertia of the nodes, gravity and the forces on the ends.
    pub fn add_masses(&self, step: &StepContext, assembly: &mut Assembly) {
        let drag = self.params.material.drag;
        for node in self.nodes() {
            let (at, mass) = (self.coordinate(node), self.masses[node]);
            for c in 0..3 {
                assembly.add_mass(at + c, mass, self.v[at + c], drag);
                assembly.add_force(at + c, mass * step.gravity[c]);
            }
        }
        if !self.params.closed {
            for (end, node) in [self.first, self.nodes().end - 1].into_iter().enumerate() {
                let force = self.end_load(end, step.time + step.dt).force;
                (0..3).for_each(|c| assembly.add_force(self.coordinate(node) + c, force[c]));
            }
        }
    }

    /// Returns the force and the moment on an end at a time [s].
    pub fn end_load(&self, end: usize, time: f64) -> EndLoad {
        self.params.ends[end].load_at(time, self.end_turns[end])
    }

    /// The edge at an end, without ghosts.
    pub fn end_edge(&self, end: usize) -> usize {
        if end == 0 { self.edges().start } else { self.edges().end - 1 }
    }

    /// Adds the moments on the ends: a pair of forces on the nodes of the edge at the end. Returns the components about the tangent [N m].
    pub fn add_end_moments(&self, step: &StepContext, assembly: &mut Assembly) -> [f64; 2] {
        [0, 1].map(|end| {
            let moment = if self.params.closed { DVec3::ZERO } else { self.end_load(end, step.time + step.dt).moment };
            if moment == DVec3::ZERO {
                return 0.0;
            }
            let edge = self.end_edge(end);
            let (t, length) = (self.edge(edge).normalize(), self.edge(edge).length());
            let force = moment.cross(t) / length;
            for (node, sign) in [(edge, -1.0), (edge + 1, 1.0)] {
                (0..3).for_each(|c| assembly.add_force(self.coordinate(node) + c, sign * force[c]));
            }
            moment.dot(t)
        })
    }

    /// Sets the rest lengths of the edges, without ghosts [m]. Masses do not change.
    pub fn set_rest_lengths(&mut self, lengths: &[f64]) {
        let edges = self.edges();
        let ghosts = [edges.start > 0, edges.end < self.lengths.len()];
        self.lengths[edges.clone()].copy_from_slice(lengths);
        if ghosts[0] {
            self.lengths[0] = lengths[0];
        }
        if ghosts[1] {
            self.lengths[edges.end] = lengths[lengths.len() - 1];
        }
        for joint in &mut self.joints {
            // A clamp bends half of the edge next to it.
            let halves = joint.edges.map(|edge| if edges.contains(&edge) { 0.5 * self.lengths[edge] } else { 0.0 });
            joint.length = halves[0] + halves[1];
        }
    }

    /// Adds the tension of the segments.
    pub fn add_stretch(&self, assembly: &mut Assembly) {
        for edge in self.edges() {
            let (e, rest) = (self.edge(edge), self.lengths[edge]);
            let length = e.length();
            let t = e / length;
            let stiffness = self.params.material.stretching() / rest;
            let tension = stiffness * (length - rest);
            // Tension resists lateral motion.
            let side = assembly.lateral_stiffness([tension, self.mean_tensions[edge]], length);
            let coordinates = self.edge_coordinates(edge);
            let mut k = [[0.0; 6]; 6];
            for a in 0..3 {
                assembly.add_force(coordinates[a], tension * t[a]);
                assembly.add_force(coordinates[a + 3], -tension * t[a]);
                for b in 0..3 {
                    let kab = (stiffness - side) * t[a] * t[b] + if a == b { side } else { 0.0 };
                    (k[a][b], k[a + 3][b + 3]) = (kab, kab);
                    (k[a][b + 3], k[a + 3][b]) = (-kab, -kab);
                }
            }
            assembly.add_stiffness(&coordinates, &k);
        }
    }

    /// Returns the mass and the momenta of the nodes.
    pub fn momenta(&self) -> Momenta {
        let mut momenta = Momenta::default();
        self.nodes().for_each(|node| momenta.add(self.masses[node], self.x[node], self.node_velocity(node)));
        momenta
    }

    /// Returns the rates of the unknowns in a rigid motion, or `None` if an end is held. `angle` returns the rate of the angle of an edge.
    pub fn rigid_rates(&self, linear: DVec3, angular: DVec3, angle: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
        let rate = |node: usize, c: usize| match c {
            3 => angle(node),
            _ => (linear + angular.cross(self.x[node]))[c],
        };
        (self.held == [false, false]).then(|| self.by_unknown(rate))
    }

    /// Returns the mass of each unknown; `inertia` returns the moment of inertia of an edge about its axis.
    pub fn masses(&self, inertia: impl Fn(usize) -> f64) -> Vec<f64> {
        self.by_unknown(|node, c| if c == 3 { inertia(node) } else { self.masses[node] })
    }

    /// Collects values of the coordinates of each node in the order of the unknowns.
    fn by_unknown(&self, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.unknowns.count];
        for coordinate in 0..self.v.len() {
            if let Some(unknown) = self.unknowns.of(coordinate) {
                values[unknown] = value(coordinate / self.stride, coordinate % self.stride);
            }
        }
        values
    }

    /// Largest magnitude of the tension of the segments [N].
    pub fn tension(&self) -> f64 {
        let strain = |edge: usize| (self.edge(edge).length() / self.lengths[edge] - 1.0).abs();
        self.params.material.stretching() * self.edges().map(strain).fold(0.0, f64::max)
    }

    /// Returns the internal loads of the stretched segments, without moments.
    pub fn tension_loads(&self) -> InternalLoads {
        let stretching = self.params.material.stretching();
        let force = |edge: usize| {
            let (e, rest) = (self.edge(edge), self.lengths[edge]);
            let length = e.length();
            stretching / rest * (length - rest) / length * e
        };
        let nodes = self.nodes();
        InternalLoads {
            forces: self.edges().map(force).collect(),
            moments: vec![DVec3::ZERO; nodes.len()],
            end_masses: [self.masses[nodes.start], self.masses[nodes.end - 1]],
        }
    }

    /// Stretching energy [J].
    pub fn stretch_energy(&self) -> f64 {
        let stretching = self.params.material.stretching();
        let energy = |edge: usize| {
            let rest = self.lengths[edge];
            0.5 * stretching / rest * (self.edge(edge).length() - rest).powi(2)
        };
        self.edges().map(energy).sum()
    }

    /// Kinetic energy of the nodes, and their gravitational energy relative to the run origin [J].
    pub fn node_energies(&self, gravity: DVec3) -> (f64, f64) {
        let kinetic = |i: usize| 0.5 * self.masses[i] * self.node_velocity(i).length_squared();
        let gravitational = |i: usize| -self.masses[i] * gravity.dot(self.x[i]);
        (self.nodes().map(kinetic).sum(), self.nodes().map(gravitational).sum())
    }

    /// Returns the coordinates that move a point of the centerline, with the velocity of the point per unit rate.
    pub fn centerline_terms(&self, at: Abscissa) -> Vec<(usize, DVec3)> {
        let [a, b] = self.edge_nodes(at.segment).map(|node| self.coordinate(node));
        node_terms(a, 1.0 - at.share).chain(node_terms(b, at.share)).collect()
    }

    /// Returns the nodes of an edge.
    fn nodes_of(&self, edge: usize) -> [usize; 2] {
        [edge, (edge + 1) % self.x.len()]
    }

    /// Returns the nodes of a segment of the centerline.
    pub fn edge_nodes(&self, segment: usize) -> [usize; 2] {
        [segment, (segment + 1) % self.params.points.len()].map(|i| self.first + i)
    }

    /// Advances the nodes and stores the velocities of all coordinates.
    pub fn advance(&mut self, velocities: &[f64], dt: f64) {
        for coordinate in 0..self.v.len() {
            self.v[coordinate] = match self.unknowns.of(coordinate) {
                Some(unknown) => velocities[unknown],
                None => self.driven[coordinate],
            };
        }
        if dt > 0.0 {
            self.mean_tensions = (0..self.lengths.len()).map(|edge| self.mean_tension(edge, dt)).collect();
        }
        for node in 0..self.x.len() {
            let velocity = self.node_velocity(node);
            self.x[node] += dt * velocity;
        }
        self.free_velocities.clear();
        self.free_velocities.extend_from_slice(velocities);
    }

    /// Displaces the nodes without changing their velocities. There is one displacement for each unknown [m].
    pub fn shift(&mut self, displacements: &[f64]) {
        for node in 0..self.x.len() {
            for c in 0..3 {
                let unknown = self.unknowns.of(self.coordinate(node) + c);
                self.x[node][c] += unknown.map_or(0.0, |unknown| displacements[unknown]);
            }
        }
    }

    /// Returns the tension of an edge after half a step with the current velocities, to first order [N].
    fn mean_tension(&self, edge: usize, dt: f64) -> f64 {
        let ([a, b], e) = (self.nodes_of(edge), self.edge(edge));
        let stretching = (self.node_velocity(b) - self.node_velocity(a)).dot(e.normalize());
        self.params.material.stretching() * ((e.length() + 0.5 * dt * stretching) / self.lengths[edge] - 1.0)
    }

    /// Appends the state of the chain to `saved`.
    pub fn save(&self, saved: &mut Vec<f64>) {
        saved.extend(self.x.iter().flat_map(|x| x.to_array()));
        saved.extend(&self.v);
        saved.extend(&self.mean_tensions);
        saved.extend(self.held.map(f64::from));
    }

    /// Number of values that [`Chain::save`] appends.
    pub fn saved_len(&self) -> usize {
        3 * self.x.len() + self.v.len() + self.lengths.len() + 2
    }

    /// Restores the state from values written by [`Chain::save`].
    pub fn load(&mut self, saved: &[f64]) {
        let (x, rest) = saved.split_at(3 * self.x.len());
        let (v, rest) = rest.split_at(self.v.len());
        let (tensions, held) = rest.split_at(self.lengths.len());
        self.mean_tensions.copy_from_slice(tensions);
        self.x = x.chunks_exact(3).map(DVec3::from_slice).collect();
        self.v.copy_from_slice(v);
        self.held = [held[0] != 0.0, held[1] != 0.0];
        self.number();
    }

    /// Numbers the unknowns for the ends that are currently held.
    fn number(&mut self) {
        let (nodes, edges, ends) = (self.nodes(), self.edges(), [self.first, self.nodes().end - 1]);
        let free = |coordinate: usize| {
            let (node, c) = (coordinate / self.stride, coordinate % self.stride);
            match c {
                3 => edges.contains(&node),
                _ => nodes.contains(&node) && (0..2).all(|end| !(self.held[end] && node == ends[end])),
            }
        };
        let mut unknowns = Unknowns::number(self.x.len(), self.stride, self.params.closed, free);
        for edge in self.edges() {
            unknowns.widen(&self.edge_coordinates(edge));
        }
        for joint in &self.joints {
            let [a, b, c] = joint.nodes.map(|node| self.coordinate(node));
            let last = self.stride - 1;
            unknowns.widen(&[a, a + last, b, b + last, c, c + 2]);
        }
        let of = |coordinate: &usize| unknowns.of(*coordinate);
        let mut order: Vec<usize> = (0..self.v.len()).filter(|c| of(c).is_some()).collect();
        order.sort_by_key(of);
        self.free_velocities = order.into_iter().map(|c| self.v[c]).collect();
        self.unknowns = unknowns;
    }
}
