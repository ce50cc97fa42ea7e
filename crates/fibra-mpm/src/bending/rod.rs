//! Discrete elastic rods on curves [Bergou2008].
//!
//! Every vertex between two segments is a joint; see [`fibra_core::rod_joint`] for its energy. Vertices of three or more segments are hinges without
//! stiffness, because a curve has no direction there. A joint next to a segment that is pinned for the whole run is half as long: the pinned segment
//! does not bend, so the rod is clamped exactly at the vertex.

use super::Bending;
use super::frames::{NONE, RodFrames, Segment};
use super::step_rate::StepRate;
use fibra_core::edge_frames::{angle, perpendicular, transport};
use fibra_core::rod_joint::{Joint, RestJoint};
use glam::{DVec3, Vec3};

/// Curves that bend and twist.
#[derive(Clone, Debug)]
pub struct Rod {
    /// Id of the first vertex.
    pub first: u32,
    /// Rest positions of the vertices [m].
    pub vertices: Vec<DVec3>,
    /// The segments.
    pub segments: Vec<[u32; 2]>,
    /// Bending stiffness `EI` [N m^2].
    pub bending: f64,
    /// Twisting stiffness `GJ` [N m^2].
    pub twisting: f64,
    /// Mass per length [kg/m].
    pub line_density: f64,
    /// Cross-sectional area [m^2].
    pub section: f64,
}

/// A joint between two segments of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveJoint {
    /// Ids of the vertex before, at and after the joint.
    pub vertices: [u32; 3],
    /// The segments before and after, as indices of [`Bending::segments`].
    pub segments: [u32; 2],
    /// Stiffness and rest curvature.
    pub rest: RestJoint,
    /// Twist at rest [rad]; only the last joint of a closed curve has any.
    pub rest_twist: f32,
}

/// Radius of gyration of a segment, relative to its length, below which its inertia is raised [-]. Slow twist waves need no short steps.
const MIN_GYRATION: f64 = 0.05;

impl Rod {
    /// Appends the joints and segments, and the segments' initial frames. `pinned` tells which vertices are pinned for the whole run.
    pub(crate) fn build(
        &self,
        pinned: impl Fn(u32) -> bool,
        masses: &[f32],
        into: &mut Bending,
        frames: &mut RodFrames,
    ) {
        let (first_segment, first_joint) = (into.segments.len() as u32, into.joints.len());
        let chains = Chains::of(self.vertices.len(), &self.segments);
        let rigid: Vec<bool> = self.segments.iter().map(|ends| ends.iter().all(|&v| pinned(self.first + v))).collect();
        let edges: Vec<DVec3> =
            chains.oriented.iter().map(|[a, b]| self.vertices[*b as usize] - self.vertices[*a as usize]).collect();
        for (ends, edge) in chains.oriented.iter().zip(&edges) {
            let gyration = (self.section / (2.0 * std::f64::consts::PI)).sqrt().max(MIN_GYRATION * edge.length());
            into.segments.push(Segment {
                ends: ends.map(|v| self.first + v),
                inertia: (self.line_density * edge.length() * gyration * gyration) as f32,
                twisting: 0.0,
                joints: [NONE; 2],
                pin: NONE,
            });
        }
        let tangents: Vec<Vec3> = edges.iter().map(|edge| edge.normalize().as_vec3()).collect();
        let mut directors: Vec<Vec3> = tangents.iter().map(|&t| perpendicular(t.any_orthonormal_vector(), t)).collect();
        for &[before, after] in &chains.pairs {
            let ([e, f], closes) = ([before as usize, after as usize], chains.closes(before, after));
            let carried = transport(directors[e], tangents[e], tangents[f]);
            let mut rest_twist = 0.0;
            match closes {
                true => rest_twist = angle(carried, directors[f], tangents[f]),
                false => directors[f] = carried,
            }
            let [le, lf] = [e, f].map(|s| if rigid[s] { 0.0 } else { edges[s].length() });
            let length = 0.5 * (le + lf);
            if length == 0.0 {
                continue;
            }
            let joint = Joint {
                edges: [e, f].map(|s| edges[s].as_vec3()),
                directors: [e, f].map(|s| directors[s]),
                twist: 0.0,
            };
            let rest = RestJoint {
                bending: (self.bending / (2.0 * length)) as f32,
                twisting: (self.twisting / length) as f32,
                curvature: joint.curvatures(),
            };
            let index = into.joints.len() as u32;
            for (k, s) in [(1, before), (0, after)] {
                let segment = &mut into.segments[(first_segment + s) as usize];
                segment.joints[k] = index;
                // Bounds the torque per spin: each joint turns by the difference of two angles.
                segment.twisting += 2.0 * rest.twisting;
            }
            let [a, b] = chains.oriented[e];
            into.joints.push(CurveJoint {
                vertices: [a, b, chains.oriented[f][1]].map(|v| self.first + v),
                segments: [before, after].map(|s| first_segment + s),
                rest,
                rest_twist,
            });
            frames.twist.push(rest_twist);
        }
        frames.tangent.extend(tangents.iter().map(|t| t.to_array()));
        frames.director.extend(directors.iter().map(|d| d.to_array()));
        frames.spin.resize(into.segments.len(), 0.0);
        frames.torque.resize(into.segments.len(), 0.0);
        into.rates.push(self.step_rate(&into.joints[first_joint..], masses));
    }

    /// Bounds the frequency of bending vibrations. A joint of bending stiffness `k = EI / l` turns by `1 / |e|` and `1 / |f|` per displacement of its
    /// outer vertices, and by their sum per displacement of the middle one.
    fn step_rate(&self, joints: &[CurveJoint], masses: &[f32]) -> StepRate {
        let mut rows = vec![0.0; self.vertices.len()];
        let mut shortest = f64::INFINITY;
        for joint in joints {
            let ids = joint.vertices.map(|v| (v - self.first) as usize);
            let [a, b, c] = ids.map(|v| self.vertices[v]);
            let [ie, jf] = [1.0 / a.distance(b), 1.0 / b.distance(c)];
            shortest = shortest.min(1.0 / ie.max(jf));
            let k = 2.0 * f64::from(joint.rest.bending);
            for (vertex, slope) in ids.into_iter().zip([ie, ie + jf, jf]) {
                rows[vertex] += k * slope * 2.0 * (ie + jf);
            }
        }
        let masses = &masses[self.first as usize..];
        let square = rows.iter().zip(masses).map(|(row, &mass)| row / f64::from(mass)).fold(0.0, f64::max);
        StepRate { vertices: square.sqrt(), grid: (self.bending / self.line_density).sqrt() / shortest }
    }
}

/// Segments oriented along their curves.
struct Chains {
    /// Ends of each segment, in input order of the segments.
    oriented: Vec<[u32; 2]>,
    /// Consecutive segments, in the order of the curves.
    pairs: Vec<[u32; 2]>,
    /// Position of each segment in the walk along the curves.
    rank: Vec<u32>,
}

impl Chains {
    fn of(vertices: usize, segments: &[[u32; 2]]) -> Chains {
        // The segments of each vertex; curves continue only where there are two.
        let mut around = vec![(0u32, [0u32; 2]); vertices];
        for (segment, ends) in segments.iter().enumerate() {
            for &end in ends {
                let (count, at) = &mut around[end as usize];
                if let Some(at) = at.get_mut(*count as usize) {
                    *at = segment as u32;
                }
                *count += 1;
            }
        }
        let mut chains =
            Chains { oriented: segments.to_vec(), pairs: Vec::new(), rank: vec![u32::MAX; segments.len()] };
        let mut walked = 0;
        let is_end = |vertex: u32| around[vertex as usize].0 != 2;
        let open = (0..segments.len()).filter(|&s| segments[s].iter().any(|&v| is_end(v)));
        for start in open.chain(0..segments.len()) {
            if chains.rank[start] != u32::MAX {
                continue;
            }
            let [a, b] = segments[start];
            if !is_end(a) && is_end(b) {
                chains.oriented[start] = [b, a];
            }
            let mut segment = start as u32;
            loop {
                chains.rank[segment as usize] = walked;
                walked += 1;
                let joint = chains.oriented[segment as usize][1];
                let (count, pair) = around[joint as usize];
                if count != 2 || pair[0] == pair[1] {
                    break;
                }
                let next = if pair[0] == segment { pair[1] } else { pair[0] };
                chains.pairs.push([segment, next]);
                if chains.rank[next as usize] != u32::MAX {
                    break;
                }
                let [a, b] = segments[next as usize];
                chains.oriented[next as usize] = if a == joint { [a, b] } else { [b, a] };
                segment = next;
            }
        }
        chains
    }

    /// Whether a pair closes a curve.
    fn closes(&self, before: u32, after: u32) -> bool {
        self.rank[after as usize] <= self.rank[before as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_oriented_from_end_to_end() {
        // 0-1-2-3 with its middle segment reversed, and a branch 2-4 that ends the curve there.
        let chains = Chains::of(5, &[[0, 1], [2, 1], [2, 3], [4, 2]]);
        assert_eq!(chains.oriented[..2], [[0, 1], [1, 2]]);
        assert_eq!(chains.pairs, [[0, 1]]);
    }

    #[test]
    fn closed_curves_have_a_joint_at_every_vertex() {
        let chains = Chains::of(4, &[[0, 1], [2, 1], [2, 3], [3, 0]]);
        assert_eq!(chains.oriented, [[0, 1], [1, 2], [2, 3], [3, 0]]);
        assert_eq!(chains.pairs, [[0, 1], [1, 2], [2, 3], [3, 0]]);
        assert!(chains.closes(3, 0) && !chains.closes(0, 1));
    }
}
