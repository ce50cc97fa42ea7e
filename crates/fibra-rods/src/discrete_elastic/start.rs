//! Natural shape and initial material frames of a discrete elastic rod.

use super::DiscreteElastic;
use super::curvature::Curvature;
use super::frames::{angle, any_director, nearest_turn, transport, turned};
use super::joint_energy::{JointState, NaturalJoint};
use crate::chain::Chain;
use crate::rod::StepSystem;
use glam::{DQuat, DVec2, DVec3};

/// Builds a rod on a chain with a uniform total twist [rad].
///
/// Frames are parallel-transported along the rod in both the natural and the initial shape, so neither is twisted. The remaining free angle between
/// the two minimizes the bending energy. A rod that starts in its natural shape is therefore free of stress.
pub fn start(chain: Chain, twist: f64) -> DiscreteElastic {
    let edges: Vec<DVec3> = (0..chain.lengths.len()).map(|k| chain.edge(k)).collect();
    let shape = TransportedFrames::along(&edges, &chain);
    let mut natural = vec![NaturalJoint::default(); chain.joints.len()];
    let material = &chain.params.material;
    for (joint, natural) in chain.joints.iter().zip(&mut natural) {
        natural.bending = 0.5 * material.bending() / joint.length;
        natural.twisting = material.twisting() / joint.length;
        let [first, second] = material.bending_by_axis();
        natural.bending_difference = 0.25 * (first - second) / joint.length;
    }
    let mut theta = 0.0;
    // A naturally straight rod is closed without twist.
    let mut seam = shape.seam;
    if let Some(points) = &chain.params.natural {
        let natural_edges = natural_edges(points, &chain);
        let frames = TransportedFrames::along(&natural_edges, &chain);
        for (i, natural) in natural.iter_mut().enumerate() {
            let state = frames.joint(&natural_edges, &chain, i);
            natural.curvature = [0, 1].map(|j| state.components(j));
        }
        theta = least_bending_angle(&natural, |i| shape.joint(&edges, &chain, i));
        // The number of full turns in the natural shape is unknown: assume the number with the least twist.
        seam = nearest_turn(frames.seam, shape.seam);
    }
    if material.section.axis != DVec3::ZERO {
        let turn = angle_to_axis(material.section.axis, edges[0].normalize(), shape.directors[0], theta);
        natural.iter_mut().for_each(|natural| natural.curvature = natural.curvature.map(|w| rotated(w, -turn)));
        theta += turn;
    }

    let mut rod = DiscreteElastic {
        spin_inertia: chain.lengths.iter().map(|length| material.spin_density() * length).collect(),
        clamped_directors: [DVec3::ZERO; 2],
        theta: vec![theta; edges.len()],
        reference: shape.directors,
        spin_axes: edges.iter().map(|e| e.normalize()).collect(),
        reference_twist: vec![0.0; chain.joints.len()],
        time: 0.0,
        remainder: StepSystem::default(),
        seam_twist: 0.0,
        end_frames: [DQuat::IDENTITY; 2],
        natural,
        chain,
    };
    if rod.chain.params.closed {
        // The ends were rotated against each other before they were joined.
        rod.natural[0].twist = seam - twist;
        rod.seam_twist = seam - twist;
        rod.reference_twist[0] = shape.seam;
        spread_twist(&mut rod, shape.seam - seam + twist);
    } else {
        spread_twist(&mut rod, twist);
    }
    rod.clamped_directors =
        [0, edges.len() - 1].map(|k| turned(rod.reference[k], edges[k].normalize(), rod.theta[k])[0]);
    rod.end_frames = [0, 1].map(|end| rod.material_frame(rod.chain.end_edge(end)));
    rod
}

/// Rotates the edges so that the twist is uniform. In a closed rod, the seam (its first joint) keeps its share of the
/// total twist.
fn spread_twist(rod: &mut DiscreteElastic, twist: f64) {
    let whole: f64 = rod.chain.joints.iter().map(|joint| joint.length).sum();
    for joint in &rod.chain.joints[usize::from(rod.chain.params.closed)..] {
        rod.theta[joint.edges[1]] = rod.theta[joint.edges[0]] + twist * joint.length / whole;
    }
}

/// Returns the edges of a natural shape; ghost edges continue it straight before and after.
fn natural_edges(points: &[DVec3], chain: &Chain) -> Vec<DVec3> {
    let first = chain.edges().start;
    let count = chain.edges().len();
    let edge = |k: usize| points[(k + 1) % points.len()] - points[k];
    (0..chain.lengths.len()).map(|k| edge(k.saturating_sub(first).min(count - 1))).collect()
}

/// Returns the common angle of all material frames that minimizes the bending energy. The energy is a constant minus `a cos(theta) + b sin(theta)`.
fn least_bending_angle(natural: &[NaturalJoint], state: impl Fn(usize) -> JointState) -> f64 {
    let (mut a, mut b) = (0.0, 0.0);
    for (i, natural) in natural.iter().enumerate() {
        let state = state(i);
        for j in 0..2 {
            let ([w1, w2], [n1, n2]) = (state.components(j), natural.curvature[j]);
            a += natural.bending * (n1 * w1 + n2 * w2);
            b += natural.bending * (n1 * w2 - n2 * w1);
        }
    }
    b.atan2(a)
}

/// Returns the angle by which to rotate the material frame of an edge so that its first director points along an axis.
fn angle_to_axis(axis: DVec3, t: DVec3, reference: DVec3, theta: f64) -> f64 {
    let projected = (axis - axis.dot(t) * t).normalize();
    angle(turned(reference, t, theta)[0], projected, t)
}

/// Rotates the components of a curvature by an angle.
fn rotated(w: [f64; 2], by: f64) -> [f64; 2] {
    DVec2::from_angle(by).rotate(DVec2::from_array(w)).to_array()
}

/// Directors parallel-transported along a chain.
struct TransportedFrames {
    directors: Vec<DVec3>,
    /// Seam angle of a closed chain: from a director transported once around the chain to its initial value [rad].
    seam: f64,
}

impl TransportedFrames {
    fn along(edges: &[DVec3], chain: &Chain) -> TransportedFrames {
        let t: Vec<DVec3> = edges.iter().map(|e| e.normalize()).collect();
        let mut directors = vec![any_director(t[0])];
        for k in 1..t.len() {
            directors.push(transport(directors[k - 1], t[k - 1], t[k]));
        }
        let last = t.len() - 1;
        let around = transport(directors[last], t[last], t[0]);
        let seam = if chain.params.closed { angle(around, directors[0], t[0]) } else { 0.0 };
        TransportedFrames { directors, seam }
    }

    /// Returns a joint with these directors as its material frames.
    fn joint(&self, edges: &[DVec3], chain: &Chain, i: usize) -> JointState {
        let [e, f] = chain.joints[i].edges;
        let curvature = Curvature::new(edges[e], edges[f]);
        let directors = [(e, 0), (f, 1)].map(|(k, j)| turned(self.directors[k], curvature.tangents[j], 0.0));
        JointState { curvature, directors, twist: 0.0 }
    }
}
