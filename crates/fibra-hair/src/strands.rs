//! Strands: input, constants and state.

use crate::assembly::Trial;
use crate::band::BandSystem;
use crate::error::StrandError;
use crate::group::{Group, GroupState, Pinned};
use crate::lanes::{LANES, Lanes, Lanes3, get3, set3};
use crate::material::StrandMaterial;
use fibra_core::edge_frames::{perpendicular, transport};
use fibra_core::geometry::RigidPose;
use fibra_core::rod_joint::{Joint, RestJoint};
use glam::Vec3;
use rayon::prelude::*;
use std::f32::consts::PI;

/// Minimum radius of gyration of an edge about its axis, relative to its length [-]. The true value, half the radius of a hair, is so small that `f32`
/// loses it next to the stiffness terms of a step. This value is still too small to have a visible effect.
const MIN_GYRATION: f32 = 0.02;

/// Maximum bend at a vertex beyond that of the rest shape [rad]. With edges of 1 cm, combed or swinging hair bends much less.
const MAX_EXTRA_BEND: f32 = PI / 3.0;

/// Stress-free shape of a strand.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RestShape {
    /// The initial shape (the default).
    #[default]
    Start,
    /// A straight line with the initial edge lengths.
    Straight,
    /// Another polyline with the same number of points, at any position [m].
    Points(Vec<Vec3>),
}

/// Input for one strand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrandInput {
    /// Vertices from root to tip, relative to the run origin, with the head in its initial pose [m].
    pub points: Vec<Vec3>,
    /// Rest shape.
    pub rest: RestShape,
    /// Number of vertices at the root that move with the head; 0, the default, leaves the strand loose. Two or more also fix the root's direction
    /// and its material frame.
    pub pinned: usize,
    /// Number of vertices at the tip that move with the head; zero unless the tip is tied.
    pub pinned_tip: usize,
    /// Initial twist from the first edge to the last, distributed evenly over the vertices [rad]. The rest twist is zero.
    pub twist: f32,
}

impl StrandInput {
    /// Returns the points of the rest shape. For a straight rest shape only their distances are meaningful.
    fn rest_points(&self) -> &[Vec3] {
        if let RestShape::Points(rest) = &self.rest { rest } else { &self.points }
    }

    fn rest_lengths(&self) -> Vec<f32> {
        self.rest_points().windows(2).map(|p| p[0].distance(p[1])).collect()
    }

    fn holds(&self, vertex: usize) -> bool {
        vertex < self.pinned || vertex + self.pinned_tip >= self.points.len()
    }
}

/// Returns the Voronoi length of a vertex: half the total length of its adjacent edges [m].
fn voronoi(lengths: &[f32], vertex: usize) -> f32 {
    let before = if vertex > 0 { lengths[vertex - 1] } else { 0.0 };
    0.5 * (before + lengths.get(vertex).unwrap_or(&0.0))
}

/// Location of a strand in the groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub group: usize,
    pub lane: usize,
    pub vertices: usize,
    /// Index of the first vertex.
    pub first: usize,
}

/// Location of a vertex in the groups.
#[derive(Clone, Copy, Debug)]
struct VertexPlace {
    group: u32,
    index: u32,
    lane: u32,
}

/// Minimum number of vertices per parallel task.
const VERTICES_PER_TASK: usize = 4096;
/// Minimum number of groups per parallel task.
const GROUPS_PER_TASK: usize = 16;

/// Strands as built from user input. Vertices are numbered strand by strand, from root to tip.
#[derive(Clone, Debug)]
pub struct Strands {
    pub(crate) groups: Vec<Group>,
    pub(crate) places: Vec<Place>,
    /// Strands in the order of groups and lanes.
    members: Vec<u32>,
    /// Location of each vertex in the groups.
    vertex_places: Vec<VertexPlace>,
    /// Mass of each vertex [kg].
    masses: Vec<f32>,
    /// Whether each vertex is pinned.
    pinned: Vec<bool>,
    start: StrandState,
}

/// State of the strands, part of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandState {
    pub(crate) groups: Vec<GroupState>,
    /// Pose of the head after the last step, relative to the run origin.
    pub head: RigidPose,
}

/// Workspace for steps.
#[derive(Clone, Debug)]
pub struct StrandWorkspace {
    pub(crate) slots: Vec<Slot>,
    /// Predicted velocity change from elasticity, gravity and drag, per group and vertex [m/s].
    pub(crate) changes: Vec<Vec<Lanes3>>,
}

/// Workspace for one group at a time.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub system: BandSystem,
    pub trial: Trial,
    /// Wall time spent on building and on solving in the last step [s].
    pub seconds: [f64; 2],
}

impl Strands {
    /// Builds strands of one material, with the head initially at `head`.
    pub fn new(material: &StrandMaterial, head: RigidPose, strands: &[StrandInput]) -> Result<Strands, StrandError> {
        material.check()?;
        if strands.is_empty() {
            return Err(StrandError::Empty);
        }
        for (index, strand) in strands.iter().enumerate() {
            check(index, strand)?;
        }
        // Strands of similar length share a group, to minimize padding.
        let mut order: Vec<usize> = (0..strands.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(strands[index].points.len()));
        let mut first = 0;
        let mut places: Vec<Place> = Vec::with_capacity(strands.len());
        for strand in strands {
            let vertices = strand.points.len();
            places.push(Place { group: 0, lane: 0, vertices, first });
            first += vertices;
        }
        let (mut groups, mut states) = (Vec::new(), Vec::new());
        for (g, members) in order.chunks(LANES).enumerate() {
            let vertices = strands[members[0]].points.len();
            let (mut group, mut state) = (Group::absent(vertices), GroupState::absent(vertices));
            for (lane, &index) in members.iter().enumerate() {
                (places[index].group, places[index].lane) = (g, lane);
                place(material, &head, &strands[index], lane, &mut group, &mut state);
            }
            groups.push(group);
            states.push(state);
        }
        let vertex_places = places.iter().flat_map(|place: &Place| {
            let (group, lane) = (place.group as u32, place.lane as u32);
            (0..place.vertices as u32).map(move |index| VertexPlace { group, index, lane })
        });
        let (vertex_places, members) = (vertex_places.collect(), order.iter().map(|&index| index as u32).collect());
        let line_density = material.density * material.area();
        let (mut masses, mut pinned) = (Vec::with_capacity(first), Vec::with_capacity(first));
        for strand in strands {
            let lengths = strand.rest_lengths();
            masses.extend((0..strand.points.len()).map(|i| line_density * voronoi(&lengths, i)));
            pinned.extend((0..strand.points.len()).map(|i| strand.holds(i)));
        }
        let start = StrandState { groups: states, head };
        Ok(Strands { groups, places, members, vertex_places, masses, pinned, start })
    }

    /// Returns the initial state.
    pub fn initial_state(&self) -> StrandState {
        self.start.clone()
    }

    /// Allocates the workspace for steps.
    pub fn workspace(&self) -> StrandWorkspace {
        let vertices = self.groups.iter().map(|group| group.vertices).max().unwrap_or(0);
        let slot = Slot {
            system: BandSystem::with_capacity(4 * vertices),
            trial: Trial::with_capacity(vertices),
            seconds: [0.0; 2],
        };
        // Several slots per thread, for load balancing.
        let slots = (4 * rayon::current_num_threads()).min(self.groups.len()).max(1);
        let changes = self.groups.iter().map(|group| vec![Lanes::ZERO3; group.vertices]).collect();
        StrandWorkspace { slots: vec![slot; slots], changes }
    }

    /// Returns the number of strands.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there are no strands.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the total number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.places.last().map_or(0, |place| place.first + place.vertices)
    }

    /// Returns the index range of a strand's vertices.
    pub fn vertices(&self, strand: usize) -> std::ops::Range<usize> {
        let place = &self.places[strand];
        place.first..place.first + place.vertices
    }

    /// Returns the vertex masses [kg].
    pub fn masses(&self) -> &[f32] {
        &self.masses
    }

    /// Returns whether each vertex is pinned to the head.
    pub fn pinned(&self) -> &[bool] {
        &self.pinned
    }

    /// Returns whether a vertex belongs to a strand on the head, one with a pinned vertex. Other strands are loose.
    #[inline]
    pub fn is_on_head(&self, vertex: usize) -> bool {
        let VertexPlace { group, lane, .. } = self.vertex_places[vertex];
        self.groups[group as usize].flying[lane as usize] == 0.0
    }

    /// Copies the positions of all vertices into `to` [m].
    pub fn read_positions(&self, state: &StrandState, to: &mut [Vec3]) {
        self.read(&state.groups, to, |group| &group.position);
    }

    /// Copies the velocities of all vertices into `to` [m/s].
    pub fn read_velocities(&self, state: &StrandState, to: &mut [Vec3]) {
        self.read(&state.groups, to, |group| &group.velocity);
    }

    /// Copies the velocity changes that [`predict`](crate::predict::predict) computed into `to`, one per vertex [m/s].
    pub fn read_changes(&self, workspace: &StrandWorkspace, to: &mut [Vec3]) {
        self.read(&workspace.changes, to, |changes| changes);
    }

    /// Returns position [m] and velocity [m/s] of a vertex.
    #[inline]
    pub fn vertex(&self, state: &StrandState, vertex: usize) -> (Vec3, Vec3) {
        let VertexPlace { group, index, lane } = self.vertex_places[vertex];
        let group = &state.groups[group as usize];
        let of = |field: &[Lanes3]| get3(&field[index as usize], lane as usize);
        (of(&group.position), of(&group.velocity))
    }

    /// Sets position [m] and velocity [m/s] of every vertex. Call [`settle`](crate::settle::settle) afterward to update frames.
    pub fn write(&self, state: &mut StrandState, of_vertex: impl Fn(usize) -> (Vec3, Vec3) + Sync) {
        let places = self.members.par_chunks(LANES);
        state.groups.par_iter_mut().zip(places).with_min_len(GROUPS_PER_TASK).for_each(|(group, members)| {
            for place in members.iter().map(|&strand| &self.places[strand as usize]) {
                for i in 0..place.vertices {
                    let (x, v) = of_vertex(place.first + i);
                    set3(&mut group.position[i], place.lane, x);
                    set3(&mut group.velocity[i], place.lane, v);
                }
            }
        });
    }

    fn read<G: Sync>(&self, groups: &[G], to: &mut [Vec3], field: impl Fn(&G) -> &[Lanes3] + Sync) {
        to.par_iter_mut().zip(&self.vertex_places).with_min_len(VERTICES_PER_TASK).for_each(|(to, place)| {
            *to = get3(&field(&groups[place.group as usize])[place.index as usize], place.lane as usize);
        });
    }

    /// Returns the maximum of edge length over rest length, minus one [-]. NaN counts as infinite.
    pub fn largest_stretch(&self, state: &StrandState) -> f32 {
        let stretch = |place: &Place| {
            let (group, state) = (&self.groups[place.group], &state.groups[place.group]);
            let of = |i: usize| state.edge(i, place.lane).length() / group.length[i][place.lane] - 1.0;
            (0..place.vertices - 1).map(of).fold(0.0, |most: f32, s| if s <= most { most } else { s })
        };
        let most = self.places.iter().map(stretch).fold(0.0, |most: f32, s| if s <= most { most } else { s });
        if most.is_nan() { f32::INFINITY } else { most }
    }

    /// Returns the largest ratio of edge length to rest length that a strand reached in the steps so far, before lengths were limited [-].
    pub fn reached_stretch(&self, state: &StrandState, strand: usize) -> f32 {
        let place = &self.places[strand];
        state.groups[place.group].stretch[place.lane]
    }

    /// Returns the largest distance by which limits on lengths and bends moved a vertex of a strand at the end of a step so far [m].
    pub fn length_correction(&self, state: &StrandState, strand: usize) -> f32 {
        let place = &self.places[strand];
        state.groups[place.group].correction[place.lane]
    }

    /// Returns the twist of a strand from root to tip [rad].
    pub fn total_twist(&self, state: &StrandState, strand: usize) -> f32 {
        let place = &self.places[strand];
        (0..place.vertices.saturating_sub(2)).map(|i| state.groups[place.group].twist[i][place.lane]).sum()
    }

    /// Returns the elastic energy of a strand [J].
    pub fn elastic_energy(&self, state: &StrandState, strand: usize) -> f32 {
        let place = &self.places[strand];
        let (group, state) = (&self.groups[place.group], &state.groups[place.group]);
        let stretch = |i: usize| {
            let (length, stiffness) = (group.length[i][place.lane], group.stretching[i][place.lane]);
            crate::stretch::StretchedEdge { edge: state.edge(i, place.lane), length, stiffness }.energy()
        };
        let joint = |i: usize| state.joint(i, place.lane).energy(&group.joints[i].get(place.lane));
        (0..place.vertices - 1).map(stretch).sum::<f32>()
            + (0..place.vertices.saturating_sub(2)).map(joint).sum::<f32>()
    }
}

fn check(index: usize, strand: &StrandInput) -> Result<(), StrandError> {
    let count = strand.points.len();
    if count < 2 {
        return Err(StrandError::TooFewPoints { strand: index, count });
    }
    check_points(index, &strand.points)?;
    if let RestShape::Points(rest) = &strand.rest {
        if rest.len() != count {
            return Err(StrandError::RestCount { strand: index, rest: rest.len(), points: count });
        }
        check_points(index, rest)?;
    }
    if !strand.twist.is_finite() {
        return Err(StrandError::OutOfRange {
            what: "twist of a strand",
            value: strand.twist,
            allowed: "finite, in rad",
        });
    }
    let pinned = strand.pinned.saturating_add(strand.pinned_tip);
    if pinned > count {
        return Err(StrandError::TooManyPinned { strand: index, pinned, points: count });
    }
    Ok(())
}

fn check_points(strand: usize, points: &[Vec3]) -> Result<(), StrandError> {
    if let Some(index) = points.iter().position(|point| !point.is_finite()) {
        return Err(StrandError::PointNotFinite { strand, index, point: points[index] });
    }
    // The distance must exceed the rounding of the coordinates.
    let apart = |pair: &[Vec3]| pair[0].distance(pair[1]) > 4.0 * f32::EPSILON * pair[0].abs().max_element();
    match points.windows(2).position(|pair| !apart(pair)) {
        Some(index) => Err(StrandError::Coincident { strand, index }),
        None => Ok(()),
    }
}

/// Writes a strand into a lane of a group.
fn place(
    material: &StrandMaterial,
    head: &RigidPose,
    strand: &StrandInput,
    lane: usize,
    group: &mut Group,
    state: &mut GroupState,
) {
    let points = &strand.points;
    let n = points.len();
    let rest_points = strand.rest_points();
    let lengths = strand.rest_lengths();
    let voronoi = |i: usize| voronoi(&lengths, i);
    let line_density = material.density * material.area();
    let held = |i: usize| strand.holds(i);

    let (tangents, mut directors) = untwisted_frames(points);
    let mut joints: Vec<RestJoint> = (1..n - 1)
        .map(|i| RestJoint {
            bending: 0.5 * material.bending() / voronoi(i),
            twisting: material.twisting() / voronoi(i),
            curvature: [0.0; 4],
        })
        .collect();
    if strand.rest != RestShape::Straight {
        let (_, rest_directors) = untwisted_frames(rest_points);
        for (i, joint) in joints.iter_mut().enumerate() {
            joint.curvature = joint_at(rest_points, &rest_directors, i).curvatures();
        }
    }
    if let RestShape::Points(_) = strand.rest {
        let roll = least_bending(&joints, |i| joint_at(points, &directors, i).curvatures());
        let (sin, cos) = roll.sin_cos();
        for (d, t) in directors.iter_mut().zip(&tangents) {
            *d = cos * *d + sin * t.cross(*d);
        }
    }

    let twist = strand.twist / joints.len().max(1) as f32;
    for (i, (d, t)) in directors.iter_mut().zip(&tangents).enumerate() {
        let (sin, cos) = (twist * i as f32).sin_cos();
        *d = cos * *d + sin * t.cross(*d);
    }
    (0..joints.len()).for_each(|i| state.twist[i][lane] = twist);

    group.flying[lane] = if strand.pinned + strand.pinned_tip == 0 { 1.0 } else { 0.0 };
    let to_head = head.rotation.inverse();
    for i in 0..n {
        let point = points[i];
        set3(&mut state.position[i], lane, point);
        if held(i) {
            let home = (to_head * (point.as_dvec3() - head.translation)).as_vec3();
            group.pinned_vertices.push(Pinned { index: i, lane, home });
        } else {
            group.mass[i][lane] = line_density * voronoi(i);
        }
    }
    // Padding vertices continue the last edge.
    for i in n..group.vertices {
        set3(&mut state.position[i], lane, points[n - 1] + (i + 1 - n) as f32 * (points[n - 1] - points[n - 2]));
    }
    for i in 0..n - 1 {
        group.length[i][lane] = lengths[i];
        group.stretching[i][lane] = material.stretching() / lengths[i];
        set3(&mut state.tangent[i], lane, tangents[i]);
        set3(&mut state.director[i], lane, directors[i]);
        if held(i) && held(i + 1) {
            let home = (to_head * directors[i].as_dvec3()).as_vec3();
            group.pinned_edges.push(Pinned { index: i, lane, home });
        } else {
            let gyration = (0.5f32.sqrt() * material.radius).max(MIN_GYRATION * lengths[i]);
            group.inertia[i][lane] = line_density * lengths[i] * gyration * gyration;
        }
    }
    for i in n - 1..group.vertices - 1 {
        set3(&mut state.tangent[i], lane, tangents[n - 2]);
        set3(&mut state.director[i], lane, directors[n - 2]);
    }
    for (i, joint) in joints.iter().enumerate() {
        group.joints[i].set(lane, joint);
        // |kb| = 2 tan(angle / 2). Each edge's frame contributes half of the sum of squares.
        let [a, b, c, d] = joint.curvature;
        let at_rest = 2.0 * (0.5 * (0.5 * (a * a + b * b + c * c + d * d)).sqrt()).atan();
        group.min_cosine[i + 1][lane] = (at_rest + MAX_EXTRA_BEND).min(PI).cos();
    }
}

/// Returns tangents and untwisted directors along a polyline.
fn untwisted_frames(points: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
    let tangents: Vec<Vec3> = points.windows(2).map(|p| (p[1] - p[0]).normalize()).collect();
    let mut directors = vec![perpendicular(tangents[0].any_orthonormal_vector(), tangents[0])];
    for pair in tangents.windows(2) {
        directors.push(transport(directors[directors.len() - 1], pair[0], pair[1]));
    }
    (tangents, directors)
}

fn joint_at(points: &[Vec3], directors: &[Vec3], i: usize) -> Joint {
    Joint {
        edges: [points[i + 1] - points[i], points[i + 2] - points[i + 1]],
        directors: [directors[i], directors[i + 1]],
        twist: 0.0,
    }
}

/// Returns the common rotation angle of all material frames that minimizes the bending energy [rad]. As a function of this angle, the energy is
/// `constant - (a cos(angle) + b sin(angle))`.
fn least_bending(rest: &[RestJoint], now: impl Fn(usize) -> [f32; 4]) -> f32 {
    let (mut a, mut b) = (0.0, 0.0);
    for (i, rest) in rest.iter().enumerate() {
        let (w, n) = (now(i), rest.curvature);
        for j in [0, 2] {
            a += rest.bending * (n[j] * w[j] + n[j + 1] * w[j + 1]);
            b += rest.bending * (n[j] * w[j + 1] - n[j + 1] * w[j]);
        }
    }
    if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a) }
}
