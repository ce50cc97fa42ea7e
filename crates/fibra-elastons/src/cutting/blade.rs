//! The surfaces that blades sweep in a step.

use crate::world::{Blade, Params};
use fibra_core::geometry::{Bounds, Bvh, RigidState, Triangle};
use glam::DVec3;

/// Tolerance for points on a blade, relative to the extent of the swept triangles [-].
const SLACK: f64 = 1e-9;

/// Maximum rotation of a blade between two of its poses [rad].
const MAX_ROTATION: f64 = 0.05;

/// Maximum number of poses of a blade in a step.
const MAX_POSES: f64 = 64.0;

/// The triangles of all blades at several poses in a step, and the surfaces that the boundary edges of the blades sweep
/// between poses. A blade that moves within its own surface therefore leaves no gap, however far it moves in a step. A
/// blade that moves perpendicular to its surface cuts only at its poses.
pub struct Swept {
    tree: Bvh,
    /// Points closer to a triangle's plane than this count as on the plane [m].
    slack: f64,
    /// Indices of the blades.
    pub blades: Vec<u32>,
}

/// The crossing of a segment with a blade.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// Position on the segment, from 0 to 1 [-].
    pub fraction: f64,
    /// Position in space [m].
    pub place: DVec3,
    /// Normal of the blade, from back to front.
    normal: DVec3,
    /// Whether the segment starts in front of the blade.
    pub from_front: bool,
}

impl Crossing {
    /// Whether a nearby position is in front of the blade.
    pub fn in_front(&self, place: DVec3) -> bool {
        self.normal.dot(place - self.place) > 0.0
    }
}

impl Swept {
    /// Sweeps the blades that cut at any time in `from..to` [s]. Returns `None` if there are no such blades.
    pub fn new(params: &Params, from: f64, to: f64) -> Option<Swept> {
        let mut triangles = Vec::new();
        // A blade that stops cutting at the start of the interval was included in the previous step, unless it cuts
        // only at that instant.
        let cuts = |(_, blade): &(usize, &Blade)| blade.from < to && (blade.until > from || blade.from >= from);
        let mut blades = Vec::new();
        for (index, blade) in params.blades.iter().enumerate().filter(cuts) {
            blades.push(index as u32);
            sweep(blade, params.origin, [from.max(blade.from), to.min(blade.until)], &mut triangles);
        }
        if triangles.is_empty() {
            return None;
        }
        let tree = Bvh::new(triangles);
        let slack = SLACK * tree.bounds().extent().max_element();
        Some(Swept { tree, slack, blades })
    }

    /// Returns the first crossing of the segment from `a` to `b`. Segments along a blade do not cross it: those for
    /// which the sine of the angle to the plane of the blade is below `steepness`.
    pub fn crossing(&self, a: DVec3, b: DVec3, steepness: f64) -> Option<Crossing> {
        let (min, max) = (a.min(b) - self.slack, a.max(b) + self.slack);
        let near = |bounds: &Bounds| bounds.min.cmple(max).all() && bounds.max.cmpge(min).all();
        let mut first: Option<Crossing> = None;
        self.tree.visit(&near, &mut |triangle| {
            let found = intersect(triangle, [a, b], self.slack, steepness);
            if found.is_some_and(|found| first.is_none_or(|first| found.fraction < first.fraction)) {
                first = found;
            }
        });
        first
    }
}

fn sweep(blade: &Blade, origin: DVec3, [from, to]: [f64; 2], triangles: &mut Vec<Triangle>) {
    let pivot = blade.motion.pivot(DVec3::ZERO);
    let pose = |time: f64| -> Vec<DVec3> {
        let RigidState { translation, rotation, .. } = blade.motion.at(time);
        let place = |&point: &DVec3| pivot - origin + translation + rotation * (point - pivot);
        blade.surface.vertices().iter().map(place).collect()
    };
    let turn = blade.motion.at(from).rotation.angle_between(blade.motion.at(to).rotation);
    let poses = (turn / MAX_ROTATION).ceil().clamp(1.0, MAX_POSES) as usize;
    let boundary_edges = boundary_edges(blade.surface.triangles());
    let mut before = pose(from);
    let mut add = |places: &[DVec3], corners: [u32; 3]| triangles.push(corners.map(|corner| places[corner as usize]));
    blade.surface.triangles().iter().for_each(|&corners| add(&before, corners));
    for k in 1..=poses {
        let after = pose(from + (to - from) * k as f64 / poses as f64);
        if after == before {
            continue;
        }
        blade.surface.triangles().iter().for_each(|&corners| add(&after, corners));
        for &[a, b] in &boundary_edges {
            let [a, b] = [a as usize, b as usize];
            add(&[before[a], before[b], after[b], after[a]], [0, 1, 2]);
            add(&[before[a], before[b], after[b], after[a]], [0, 2, 3]);
        }
        before = after;
    }
}

/// Boundary edges: edges of only one triangle.
fn boundary_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [sorted(a, b), sorted(b, c), sorted(c, a)]).collect();
    edges.sort_unstable();
    edges.chunk_by(|one, other| one == other).filter(|same| same.len() == 1).map(|same| same[0]).collect()
}

/// Intersects the segment from `a` to `b` with a triangle.
fn intersect(triangle: &Triangle, [a, b]: [DVec3; 2], slack: f64, steepness: f64) -> Option<Crossing> {
    let [u, v, w] = *triangle;
    let cross = (v - u).cross(w - u);
    let longest = (v - u).length_squared().max((w - u).length_squared()).max((w - v).length_squared());
    let normal = cross.try_normalize().filter(|_| cross.length() > 1e-12 * longest)?;
    // Points on a plane count as behind it. All triangles of one plane must agree on which side is behind; otherwise
    // points on the plane would be cut off on both sides.
    let sign = normal.to_array().into_iter().find(|part| part.abs() > 1e-3).map_or(1.0, f64::signum);
    let [before, after] = [a, b].map(|place| sign * normal.dot(place - u));
    if (before > slack) == (after > slack) || (before - after).abs() < steepness * a.distance(b) {
        return None;
    }
    let fraction = (before / (before - after)).clamp(0.0, 1.0);
    let place = a + fraction * (b - a);
    let inside = |from: DVec3, to: DVec3| normal.dot((to - from).cross(place - from)) >= -slack * (to - from).length();
    let crossing = Crossing { fraction, place, normal: sign * normal, from_front: before > slack };
    (inside(u, v) && inside(v, w) && inside(w, u)).then_some(crossing)
}
