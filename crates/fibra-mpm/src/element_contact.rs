//! Resolves penetration of elements into colliders, between vertices that are outside.
//!
//! At a rim or corner of a collider, the edges and triangles between vertices cut through it. Each edge of an element is searched for its deepest
//! point, and each triangle is tested at its center. Such a sample `x = sum_i w_i x_i` at depth `g` is moved to the surface. The direction `m` is
//! normal to the element, so that the mesh does not slide along the collider; with the normal `n` of the collider, the distance is `g / (n . m)`.
//! The least displacement of the vertices that moves the sample by `d` is `d w_i / sum_j w_j^2`. The velocities change in the same way, by the contact
//! response of the sample's velocity. Each vertex takes the mean over its samples, weighted by depth.
//!
//! Elements with pinned vertices are excluded, because pins may be inside colliders.

use crate::links::{Corner, Links};
use crate::params::Params;
use crate::resolve_penetration::{REACH, change_vertices, find_near};
use crate::split::Blocks;
use crate::state::{Extremes, Particles, State};
use crate::workspace::{Grid, Workspace};
use fibra_core::geometry::{Hit, PlacedCollider, collider_response};
use fibra_materials::kind::{Group, Kind};
use glam::Vec3;

/// Vertices farther than this from a collider are not tested [cells]. Elements are at most about one cell long; see `docs/methods/cloth-and-fibers.md`.
pub(crate) const FAR: f32 = 2.0;

/// Number of points at which the deepest point of an edge is searched. Each halves the interval, so the last is 1/32 of the edge from the deepest point.
pub(crate) const SEARCHES: u32 = 4;

/// Smallest cosine of the angle between the normals of element and collider for which samples move along the element's normal [-].
pub(crate) const ALIGNED: f32 = 0.5;

/// Change of a vertex: displacement [m] and change of velocity [m/s].
pub type Push = [[f32; 3]; 2];

/// Moves vertices such that the elements around them do not cut through colliders.
pub fn resolve_elements(
    params: &Params,
    colliders: &[PlacedCollider],
    state: &mut State,
    work: &mut Workspace,
) -> Extremes {
    if colliders.is_empty() || params.meshes.corners.is_empty() {
        return Extremes::default();
    }
    let Workspace { grid, links, pushes, .. } = work;
    pushes.resize(state.particles.len(), Push::default());
    find_pushes(params, colliders, state, (grid, links), pushes);
    change_vertices(params, colliders, state, grid, REACH + FAR, |_, vertex, x, v| {
        let [displacement, change] = pushes[vertex];
        (0..3).for_each(|a| x[a] += displacement[a]);
        (0..3).for_each(|a| v[a] += change[a]);
        displacement != [0.0; 3]
    })
}

/// Computes the change of every free vertex near a collider; zero if the elements around it are outside.
fn find_pushes(
    params: &Params,
    colliders: &[PlacedCollider],
    state: &State,
    (grid, links): (&Grid, &Links),
    pushes: &mut [Push],
) {
    let blocks = Blocks { runs: &state.runs, grid };
    let (p, far) = (&state.particles, FAR * params.dx);
    blocks.share(pushes, &|range, mut views: &mut [Push]| {
        let mut near = Vec::with_capacity(colliders.len());
        for block in range {
            let runs = blocks.runs_of(block);
            find_near(&mut near, colliders, runs[0].key, [params.dx, REACH + FAR]);
            for run in runs {
                let (mine, rest) = views.split_at_mut((run.end - run.start) as usize);
                views = rest;
                if Group::of_number(run.group).kind != Kind::Vertex {
                    continue;
                }
                for (push, vertex) in mine.iter_mut().zip(run.start as usize..) {
                    let mut mean = MeanPush::default();
                    let x = Vec3::from(p.x[vertex]);
                    for collider in &near {
                        let Some(hit) = collider.query_within(x, far) else { continue };
                        let around = links.elements_of(vertex);
                        let elements = around.filter_map(|(at, corner)| Element::new(p, links.corners(at), corner));
                        elements.for_each(|element| element.test(collider, &hit, &mut mean));
                    }
                    *push = mean.value();
                }
            }
        }
    });
}

/// The changes of a vertex, weighted by depth.
#[derive(Default)]
struct MeanPush {
    displacement: Vec3,
    velocity: Vec3,
    depth: f32,
}

impl MeanPush {
    fn value(&self) -> Push {
        if self.depth > 0.0 {
            [(self.displacement / self.depth).to_array(), (self.velocity / self.depth).to_array()]
        } else {
            Push::default()
        }
    }
}

/// An element, seen from one of its vertices: the corners start with this vertex.
struct Element<'a> {
    p: &'a Particles,
    corners: [usize; 3],
    x: [Vec3; 3],
    is_triangle: bool,
}

impl Element<'_> {
    /// Reads the element whose vertices are the particles at `corners`; `None` if a vertex is pinned.
    #[inline]
    fn new(p: &Particles, corners: [usize; 3], own: Corner) -> Option<Element<'_>> {
        if corners.iter().any(|&at| p.kind[at] == Kind::Held) {
            return None;
        }
        let [a, b, c] = corners;
        // A segment repeats its second vertex.
        let corners = match own {
            Corner::SegmentStart | Corner::TriangleFirst => [a, b, c],
            Corner::Second if b == c => [b, a, a],
            Corner::Second => [b, c, a],
            Corner::Third => [c, a, b],
        };
        Some(Element { p, corners, x: corners.map(|at| Vec3::from(p.x[at])), is_triangle: b != c })
    }

    /// Adds the pushes of all samples that move the element's first vertex, which is at `hit` of the collider. The distance to a convex collider at `x` is
    /// at least `hit.distance + n . (x - a)`; where this is positive, as on flat and smooth surfaces, no sample needs to be tested.
    #[inline]
    fn test(&self, collider: &PlacedCollider, hit: &Hit, mean: &mut MeanPush) {
        let [a, b, c] = self.x;
        let may_be_inside = |x: Vec3| hit.distance + hit.normal.dot(x - a) < 0.0;
        if may_be_inside(b)
            && let Some((share, hit)) = deepest_on_edge(collider, a, b)
        {
            self.add(collider, &hit, [1.0 - share, share, 0.0], mean);
        }
        if !self.is_triangle {
            return;
        }
        if may_be_inside(c)
            && let Some((share, hit)) = deepest_on_edge(collider, a, c)
        {
            self.add(collider, &hit, [1.0 - share, 0.0, share], mean);
        }
        let (third, center) = (1.0 / 3.0, (a + b + c) / 3.0);
        if may_be_inside(center)
            && let Some(hit) = collider.query_within(center, 0.0)
        {
            self.add(collider, &hit, [third; 3], mean);
        }
    }

    /// Adds the push of a sample with the given barycentric coordinates.
    fn add(&self, collider: &PlacedCollider, hit: &Hit, weights: [f32; 3], mean: &mut MeanPush) {
        let depth = -hit.distance;
        let (normal, distance) = self.way_out(hit);
        let velocity = (0..3).fold(Vec3::ZERO, |sum, i| sum + weights[i] * Vec3::from(self.p.v[self.corners[i]]));
        let contact = Hit { normal, ..*hit };
        let after = collider_response(velocity, &contact, collider.contact, collider.friction);
        let share = weights[0] / weights.iter().map(|w| w * w).sum::<f32>();
        mean.displacement += depth * share * distance * normal;
        mean.velocity += depth * share * (after - velocity);
        mean.depth += depth;
    }

    /// Returns the direction in which a sample leaves the collider, and the distance [m].
    fn way_out(&self, hit: &Hit) -> (Vec3, f32) {
        let [a, b, c] = self.x;
        let across = if self.is_triangle {
            let normal = (b - a).cross(c - a);
            normal * normal.dot(hit.normal)
        } else {
            let along = b - a;
            hit.normal * along.length_squared() - along * along.dot(hit.normal)
        };
        let normal = across.normalize_or(hit.normal);
        let slope = normal.dot(hit.normal);
        if slope > ALIGNED { (normal, -hit.distance / slope) } else { (hit.normal, -hit.distance) }
    }
}

/// Returns the deepest point found on the edge from `a` to `b` [m], as a fraction of the edge, if it is inside the collider. The distance to a convex
/// collider is a convex function on the edge, so its slope tells on which side of a point the minimum is, and how deep it can be.
fn deepest_on_edge(collider: &PlacedCollider, a: Vec3, b: Vec3) -> Option<(f32, Hit)> {
    let along = b - a;
    let length = along.length();
    let (mut at, mut rest) = (0.5f32, 0.5f32);
    let mut deepest: Option<(f32, Hit)> = None;
    for _ in 0..SEARCHES {
        let Some(hit) = collider.query_within(a + at * along, rest * length) else { break };
        if hit.distance < deepest.map_or(0.0, |(_, hit)| hit.distance) {
            deepest = Some((at, hit));
        }
        let slope = hit.normal.dot(along);
        if hit.distance >= rest * slope.abs() {
            break;
        }
        rest *= 0.5;
        at += if slope > 0.0 { -rest } else { rest };
    }
    deepest
}
