//! Forces of hinges and joints on vertices, and torques on segments.

use super::frames::{NONE, SHORTEST};
use super::{Bending, CurveJoint, Hinge, HingeShape, RodFrames};
use crate::params::Params;
use crate::state::{State, bytes_of};
use fibra_core::edge_frames::{angle, nearest_turn, transport};
use fibra_core::rod_joint::{Gradient, Joint, RestJoint};
use glam::Vec3;
use rayon::prelude::*;

/// The forces of a hinge or joint. Those on its vertices sum to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BendForce {
    /// For a hinge: forces on the end of its edge, on the left and on the right vertex [N]. For a joint: forces on the vertex before and after [N],
    /// and the torques on the segments before and after [N m], in the first two components.
    pub on: [Vec3; 3],
}

/// Position of a vertex in a hinge or joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// First end of a hinge's edge.
    Start = 0,
    /// Second end of a hinge's edge.
    End = 1,
    /// Left of a hinge's edge.
    Left = 2,
    /// Right of a hinge's edge.
    Right = 3,
    /// Before a joint.
    Before = 4,
    /// At a joint.
    Middle = 5,
    /// After a joint.
    After = 6,
}

impl Corner {
    const ALL: [Corner; 7] =
        [Corner::Start, Corner::End, Corner::Left, Corner::Right, Corner::Before, Corner::Middle, Corner::After];

    /// Returns the force on the vertex [N].
    #[inline(always)]
    pub fn force(self, of: &BendForce) -> Vec3 {
        let [a, b, c] = of.on;
        match self {
            Corner::Start => -(a + b + c),
            Corner::End | Corner::Before => a,
            Corner::Left | Corner::After => b,
            Corner::Right => c,
            Corner::Middle => -(a + b),
        }
    }
}

/// Bits of a code that hold the corner.
const CORNER_BITS: u32 = 3;

/// Places of all hinges and joints in the sorted particles. Scratch: rebuilt after every sort.
#[derive(Debug, Default)]
pub struct Bends {
    /// Places of the vertices of each hinge.
    hinges: Vec<[u32; 4]>,
    /// Places of the vertices of each joint.
    joints: Vec<[u32; 3]>,
    /// Places of the vertices of each segment.
    segments: Vec<[u32; 2]>,
    /// First code of each particle, by place; a final entry holds the number of codes.
    starts: Vec<u32>,
    /// Hinges, then joints of each vertex: the index, and the [`Corner`] in the lowest bits.
    codes: Vec<u32>,
}

/// The forces of all hinges and joints, or their changes. Scratch.
#[derive(Debug, Default)]
pub struct BendForces {
    /// Angles of the hinges minus their rest angles, or their changes [rad].
    pub(super) angles: Vec<f32>,
    /// Forces of hinges, then of joints.
    forces: Vec<BendForce>,
}

impl Bends {
    /// Rebuilds the places, given the place of each particle by id.
    pub(crate) fn rebuild(&mut self, bending: &Bending, particles: usize, place_of: impl Fn(u32) -> u32) {
        if bending.is_empty() {
            return;
        }
        let Bends { hinges, joints, segments, starts, codes } = self;
        refill(hinges, bending.hinges.iter().map(|hinge| hinge.vertices.map(&place_of)));
        refill(joints, bending.joints.iter().map(|joint| joint.vertices.map(&place_of)));
        refill(segments, bending.segments.iter().map(|segment| segment.ends.map(&place_of)));
        let first_joint = hinges.len();
        let all = || {
            let hinges = hinges
                .iter()
                .enumerate()
                .flat_map(|(i, places)| places.iter().zip(&Corner::ALL).map(move |at| (i, at)));
            let joints = joints.iter().enumerate();
            let joints = joints
                .flat_map(move |(i, places)| places.iter().zip(&Corner::ALL[4..]).map(move |at| (first_joint + i, at)));
            hinges.chain(joints)
        };
        // A counting sort: counts, prefix sum, fill.
        starts.clear();
        starts.resize(particles + 1, 0);
        all().for_each(|(_, (&place, _))| starts[place as usize] += 1);
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        codes.resize(total as usize, 0);
        // Backward, so that the codes of a vertex end up in ascending order of their counters.
        for (index, (&place, &corner)) in all().collect::<Vec<_>>().into_iter().rev() {
            let start = &mut starts[place as usize];
            *start -= 1;
            codes[*start as usize] = ((index as u32) << CORNER_BITS) | corner as u32;
        }
    }

    /// Returns the codes of a vertex, by place.
    #[inline(always)]
    pub(crate) fn codes_of(&self, vertex: usize) -> &[u32] {
        match self.starts.get(vertex..vertex + 2) {
            Some(range) => &self.codes[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    /// Returns the force of all hinges and joints on a vertex [N].
    #[inline(always)]
    pub fn force_on(&self, forces: &BendForces, vertex: usize) -> Vec3 {
        let of = |&code: &u32| {
            let corner = Corner::ALL[(code & ((1 << CORNER_BITS) - 1)) as usize];
            corner.force(&forces.forces[(code >> CORNER_BITS) as usize])
        };
        self.codes_of(vertex).iter().map(of).fold(Vec3::ZERO, |sum, force| sum + force)
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.hinges)
            + bytes_of(&self.joints)
            + bytes_of(&self.segments)
            + bytes_of(&self.starts)
            + bytes_of(&self.codes)
    }
}

impl BendForces {
    /// Returns the torque of the joints on a segment about its tangent [N m].
    #[inline(always)]
    pub(crate) fn torque_on(&self, bending: &Bending, segment: usize) -> f32 {
        // The segment is the second one of the joint at its first vertex.
        let of = |end: usize, side: usize| match bending.segments[segment].joints[end] {
            NONE => 0.0,
            joint => self.forces[bending.hinges.len() + joint as usize].on[2][side],
        };
        of(0, 1) + of(1, 0)
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.angles) + bytes_of(&self.forces)
    }
}

fn refill<T>(to: &mut Vec<T>, from: impl Iterator<Item = T>) {
    to.clear();
    to.extend(from);
}

/// Advances the frames of curves by a step of length `dt` that ends at `end` [s], and evaluates all hinges and joints at the current positions.
pub(crate) fn bend(params: &Params, state: &mut State, bends: &Bends, out: &mut BendForces, [dt, end]: [f64; 2]) {
    let bending = &params.meshes.bending;
    if bending.is_empty() {
        return;
    }
    let x = &state.particles.x;
    let between = |a: u32, b: u32| Vec3::from_array(x[b as usize]) - Vec3::from_array(x[a as usize]);
    if !bending.segments.is_empty() {
        let segments = &bends.segments;
        state.rods.advance(bending, &params.meshes.pins, [dt, end], |s| between(segments[s][0], segments[s][1]));
    }
    let system = BendSystem { bending, bends, frames: &state.rods };
    system.evaluate(between, out);
    let torques = state.rods.torque.par_iter_mut().enumerate().with_min_len(4096);
    torques.for_each(|(segment, torque)| *torque = out.torque_on(bending, segment));
}

/// Everything that hinges and joints depend on, except the positions of their vertices.
#[derive(Clone, Copy)]
pub(crate) struct BendSystem<'a> {
    pub(crate) bending: &'a Bending,
    pub(crate) bends: &'a Bends,
    pub(crate) frames: &'a RodFrames,
}

/// Hinges or joints per task. The chunks are fixed, so the sum of the energies does not depend on the number of threads.
const CHUNK: usize = 1024;

impl BendSystem<'_> {
    /// Evaluates all hinges and joints; returns the energy [J]. `between` returns the vector from one place to another [m].
    pub(crate) fn evaluate(self, between: impl Fn(u32, u32) -> Vec3 + Sync, out: &mut BendForces) -> f64 {
        let bending = self.bending;
        let angle = |i: usize| self.hinge(i, &between).angle - bending.hinges[i].rest_angle;
        let hinge = |i: usize, angles: &[f32]| {
            let moment = bending.hinges[i].moment(angles);
            (self.hinge(i, &between).force(moment), 0.5 * f64::from(moment * angles[i]))
        };
        let joint = |i: usize| joint_force(&self.joint(i, &between), &bending.joints[i].rest);
        self.for_all(angle, hinge, joint, out)
    }

    /// Computes the changes of the forces when the vertices move, with the Gauss-Newton approximation of the Hessian, `K g g^T` with the gradients `g`
    /// of angles and residuals. It is positive semidefinite for any shape. Returns the dot product of the moves with the negative changes [J].
    pub(crate) fn differentiate(
        self,
        between: impl Fn(u32, u32) -> Vec3 + Sync,
        moved: impl Fn(u32, u32) -> Vec3 + Sync,
        out: &mut BendForces,
    ) -> f64 {
        let bending = self.bending;
        let angle = |i: usize| {
            let [a, b, c, d] = self.bends.hinges[i];
            let [end, left, right] = self.hinge(i, &between).gradients();
            end.dot(moved(a, b)) + left.dot(moved(a, c)) + right.dot(moved(a, d))
        };
        let hinge = |i: usize, changes: &[f32]| {
            let moment = bending.hinges[i].moment(changes);
            (self.hinge(i, &between).force(moment), f64::from(moment * changes[i]))
        };
        let joint = |i: usize| {
            let [a, b, c] = self.bends.joints[i];
            let rest = &bending.joints[i].rest;
            let mut force = BendForce::default();
            let mut product = 0.0;
            for (k, (_, g)) in residuals(&self.joint(i, &between), rest) {
                let change = g.edges[0].dot(moved(a, b)) + g.edges[1].dot(moved(b, c));
                force.on[0] += k * change * g.edges[0];
                force.on[1] -= k * change * g.edges[1];
                product += f64::from(k * change * change);
            }
            (force, product)
        };
        self.for_all(angle, hinge, joint, out)
    }

    /// Computes all angles, then all forces; returns the sum of the second results of `hinge` and `joint`.
    fn for_all(
        self,
        angle: impl Fn(usize) -> f32 + Sync,
        hinge: impl Fn(usize, &[f32]) -> (BendForce, f64) + Sync,
        joint: impl Fn(usize) -> (BendForce, f64) + Sync,
        out: &mut BendForces,
    ) -> f64 {
        let BendForces { angles, forces } = out;
        let hinges = self.bending.hinges.len();
        (0..hinges).into_par_iter().with_min_len(CHUNK).map(&angle).collect_into_vec(angles);
        forces.resize(self.bending.len(), BendForce::default());
        let angles = &angles[..];
        let sums: Vec<f64> = forces
            .par_chunks_mut(CHUNK)
            .enumerate()
            .map(|(chunk, forces)| {
                let mut sum = 0.0;
                for (i, to) in (chunk * CHUNK..).zip(forces) {
                    let (force, term) = if i < hinges { hinge(i, angles) } else { joint(i - hinges) };
                    *to = force;
                    sum += term;
                }
                sum
            })
            .collect();
        sums.into_iter().sum()
    }

    #[inline(always)]
    fn hinge(&self, i: usize, between: impl Fn(u32, u32) -> Vec3) -> HingeShape {
        let [a, b, c, d] = self.bends.hinges[i];
        HingeShape::of([between(a, b), between(a, c), between(a, d)])
    }

    #[inline(always)]
    fn joint(&self, i: usize, between: impl Fn(u32, u32) -> Vec3) -> Joint {
        let [a, b, c] = self.bends.joints[i];
        self.bending.joints[i].shape(self.frames, self.frames.twist[i], [between(a, b), between(b, c)])
    }
}

impl Hinge {
    /// Returns the moment about the edge [N m] from the angles of all hinges minus their rest angles [rad].
    #[inline(always)]
    pub(crate) fn moment(&self, angles: &[f32]) -> f32 {
        self.coupled.iter().zip(self.coupling).map(|(&hinge, k)| k * angles[hinge as usize]).sum()
    }
}

impl HingeShape {
    /// Returns the forces for a moment about the edge [N m].
    #[inline(always)]
    fn force(&self, moment: f32) -> BendForce {
        BendForce { on: self.gradients().map(|gradient| -moment * gradient) }
    }
}

impl CurveJoint {
    /// Returns the joint with the given edges [m]. The frames are transported from their own tangents to those of the edges.
    #[inline(always)]
    fn shape(&self, frames: &RodFrames, twist: f32, edges: [Vec3; 2]) -> Joint {
        let [e, f] = self.segments.map(|s| s as usize);
        let t = edges.map(|edge| edge / edge.length().max(SHORTEST));
        let moved = |s: usize, t: Vec3| {
            let (tangent, director) = (Vec3::from_array(frames.tangent[s]), Vec3::from_array(frames.director[s]));
            if tangent == t { director } else { transport(director, tangent, t) }
        };
        let directors = [moved(e, t[0]), moved(f, t[1])];
        let now = nearest_turn(angle(transport(directors[0], t[0], t[1]), directors[1], t[1]), twist);
        Joint { edges, directors, twist: now - self.rest_twist }
    }
}

/// Returns the five residuals of a joint with their stiffness [J].
#[inline(always)]
fn residuals(joint: &Joint, rest: &RestJoint) -> [(f32, (f32, Gradient)); 5] {
    let r = joint.residuals(rest);
    let (bend, twist) = (rest.bending, rest.twisting);
    [(bend, r.before_1), (bend, r.before_2), (bend, r.after_1), (bend, r.after_2), (twist, r.twist)]
}

/// Returns the force and the energy [J] of a joint.
#[inline(always)]
fn joint_force(joint: &Joint, rest: &RestJoint) -> (BendForce, f64) {
    let mut force = BendForce::default();
    let mut energy = 0.0;
    for (k, (c, g)) in residuals(joint, rest) {
        force.on[0] += k * c * g.edges[0];
        force.on[1] -= k * c * g.edges[1];
        force.on[2] -= k * c * Vec3::new(g.angles[0], g.angles[1], 0.0);
        energy += 0.5 * f64::from(k * c * c);
    }
    (force, energy)
}

/// Returns the elastic energy of all hinges and joints whose vertices pass a filter [J]. `x` returns the position of a particle by id [m].
pub(crate) fn elastic_energy(
    bending: &Bending,
    frames: &RodFrames,
    x: impl Fn(u32) -> Vec3,
    counts: impl Fn(u32) -> bool,
) -> f64 {
    let shape = |hinge: &Hinge| {
        let [a, b, c, d] = hinge.vertices.map(&x);
        HingeShape::of([b - a, c - a, d - a])
    };
    let angles: Vec<f32> = bending.hinges.iter().map(|hinge| shape(hinge).angle - hinge.rest_angle).collect();
    let hinges = bending.hinges.iter().zip(&angles).filter(|(hinge, _)| counts(hinge.vertices[0]));
    let of_hinges = hinges.map(|(hinge, &angle)| 0.5 * f64::from(hinge.moment(&angles) * angle));
    let joints = bending.joints.iter().zip(&frames.twist).filter(|(joint, _)| counts(joint.vertices[0]));
    let of_joints = joints.map(|(joint, &twist)| {
        let [a, b, c] = joint.vertices.map(&x);
        joint_force(&joint.shape(frames, twist, [b - a, c - b]), &joint.rest).1
    });
    of_hinges.sum::<f64>() + of_joints.sum::<f64>()
}
