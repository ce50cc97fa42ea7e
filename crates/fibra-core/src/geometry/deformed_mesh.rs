//! The surface of a triangle mesh with moving vertices, closed or open, at one time: signed distance, normal and velocity.
//!
//! Data that depend only on the triangles are computed once. Updating the vertices then takes one pass and allocates nothing.

use super::{Nearest, TriangleMesh};
use glam::{DVec3, Vec3};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Triangles per leaf of the tree.
const LEAF_SIZE: usize = 4;
/// Stack size of the tree search. A tree of 2^31 triangles, split in halves, has a depth of 30.
const DEPTH: usize = 48;
/// Marks a missing triangle.
const NONE: u32 = u32::MAX;

/// A triangle mesh with the positions and velocities of its vertices at one time.
///
/// The angle-weighted pseudo-normal at the closest point determines the sign of the distance [Baerentzen2005]. It is the face normal on a
/// face, the sum of the adjacent face normals at an edge, and their angle-weighted sum at a vertex. The overall winding of a closed mesh
/// does not matter. An open mesh has a front side, and the layer of constant thickness behind it is inside. All other points are outside,
/// including those behind the layer and those whose closest point lies on the boundary of the mesh. The distance jumps at the back of the
/// layer.
#[derive(Clone)]
pub struct DeformedMesh {
    topology: Arc<Topology>,
    /// Thickness of the layer behind an open mesh [m].
    thickness: f32,
    /// Velocity of each vertex [m/s].
    velocities: Vec<Vec3>,
    /// Corners of the triangles, in tree order [m].
    corners: Vec<[Vec3; 3]>,
    /// Unit normals of the triangles; zero for degenerate ones.
    normals: Vec<Vec3>,
    /// Bounding boxes of the tree's nodes: lower and upper corner [m].
    boxes: Vec<[Vec3; 2]>,
}

/// Result of querying the surface at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Unit vector of the steepest increase of the distance.
    pub normal: Vec3,
    /// Velocity of the closest surface point [m/s].
    pub velocity: Vec3,
}

/// Error: the number of positions or velocities does not match the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a mesh with {vertices} vertices was given {positions} positions and {velocities} velocities; one of each is needed per vertex"
)]
pub struct VertexCounts {
    /// Number of vertices of the mesh.
    pub vertices: usize,
    /// Number of positions given.
    pub positions: usize,
    /// Number of velocities given.
    pub velocities: usize,
}

/// A node of the bounding volume hierarchy over the triangles of a [`DeformedMesh`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceNode {
    /// First triangle and one past the last, in tree order.
    pub range: (u32, u32),
    /// Index of the right child; 0 for a leaf. The left child follows its parent.
    pub right: u32,
}

/// Data that do not change when vertices move.
struct Topology {
    vertices: usize,
    /// Vertex indices in tree order. Vertices with the same initial position are all replaced by the first one.
    triangles: Vec<[u32; 3]>,
    /// For each corner, the triangle across the opposite edge, or [`NONE`].
    neighbors: Vec<[u32; 3]>,
    /// The triangles at vertex v are `fans[fan_starts[v]..fan_starts[v + 1]]`.
    fans: Vec<u32>,
    fan_starts: Vec<u32>,
    /// Whether each vertex is on a border.
    at_border: Vec<bool>,
    closed: bool,
    /// Nodes in depth-first order: the left child follows its parent.
    nodes: Vec<SurfaceNode>,
}

/// The closest point of the surface.
struct ClosestPoint {
    triangle: usize,
    /// Barycentric coordinates. Zeros mark a point on an edge or at a corner.
    weights: Vec3,
    offset: Vec3,
}

impl DeformedMesh {
    /// Creates a mesh in its rest shape, at rest, relative to `center` [m]. `thickness` [m] is the thickness of the layer behind an open mesh
    /// that counts as inside. It is unused for closed meshes.
    pub fn new(mesh: &TriangleMesh, center: DVec3, thickness: f32) -> Self {
        let topology = Arc::new(Topology::new(mesh));
        let (triangles, nodes) = (topology.triangles.len(), topology.nodes.len());
        let mut made = Self {
            velocities: vec![Vec3::ZERO; topology.vertices],
            corners: vec![[Vec3::ZERO; 3]; triangles],
            normals: vec![Vec3::ZERO; triangles],
            boxes: vec![[Vec3::ZERO; 2]; nodes],
            topology,
            thickness,
        };
        let positions: Vec<Vec3> = mesh.vertices().iter().map(|vertex| (*vertex - center).as_vec3()).collect();
        made.refit(&positions);
        made
    }

    /// Sets the positions [m] and velocities [m/s] of the vertices, in mesh order. Allocates nothing.
    pub fn set_vertices(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), VertexCounts> {
        let vertices = self.topology.vertices;
        if positions.len() != vertices || velocities.len() != vertices {
            return Err(VertexCounts { vertices, positions: positions.len(), velocities: velocities.len() });
        }
        self.velocities.copy_from_slice(velocities);
        self.refit(positions);
        Ok(())
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.topology.vertices
    }

    /// Returns whether the surface has no border.
    pub fn is_closed(&self) -> bool {
        self.topology.closed
    }

    /// Returns the lower and upper corner of the bounding box [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        self.boxes[0]
    }

    /// Returns the thickness of the layer behind an open mesh [m].
    pub fn thickness(&self) -> f32 {
        self.thickness
    }

    /// Returns the vertex indices of the triangles, in tree order. Vertices with the same initial position are all replaced by the first
    /// one.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.topology.triangles
    }

    /// Returns the corner positions of the triangles [m], in tree order.
    pub fn corners(&self) -> &[[Vec3; 3]] {
        &self.corners
    }

    /// Returns the velocities of the vertices [m/s].
    pub fn velocities(&self) -> &[Vec3] {
        &self.velocities
    }

    /// Returns, for each triangle in tree order, the triangles across the edges opposite its corners; `None` at a border.
    pub fn neighbors(&self) -> impl ExactSizeIterator<Item = [Option<u32>; 3]> + '_ {
        self.topology.neighbors.iter().map(|around| around.map(|t| (t != NONE).then_some(t)))
    }

    /// Returns the triangles at a vertex, as indices in tree order.
    pub fn fan(&self, vertex: u32) -> &[u32] {
        self.topology.fan(vertex)
    }

    /// Returns whether a vertex is on a border.
    pub fn is_at_border(&self, vertex: u32) -> bool {
        self.topology.at_border[vertex as usize]
    }

    /// Returns the nodes of the tree in depth-first order, parents before their children.
    pub fn nodes(&self) -> &[SurfaceNode] {
        &self.topology.nodes
    }

    /// Returns the bounding boxes of the tree's nodes: lower and upper corner [m].
    pub fn boxes(&self) -> &[[Vec3; 2]] {
        &self.boxes
    }

    /// Returns the signed distance [m] at `x` [m], negative inside.
    pub fn signed_distance(&self, x: Vec3) -> f32 {
        self.within(x, f32::INFINITY).map_or(f32::INFINITY, |point| point.distance)
    }

    /// Returns whether `x` [m] is inside, or closer than `reach` [m] to the surface.
    pub fn is_within(&self, x: Vec3, reach: f32) -> bool {
        self.within(x, reach).is_some_and(|point| point.distance < reach)
    }

    /// Returns the signed distance and its gradient direction at `x` [m].
    pub fn query(&self, x: Vec3) -> Nearest {
        let far = SurfacePoint { distance: f32::INFINITY, normal: Vec3::Y, velocity: Vec3::ZERO };
        let SurfacePoint { distance, normal, .. } = self.within(x, f32::INFINITY).unwrap_or(far);
        Nearest { distance, normal }
    }

    /// Returns the vertices of the triangle closest to `x` [m], and the barycentric coordinates of its closest point. `None` only if `x` is not finite.
    pub fn nearest_triangle(&self, x: Vec3) -> Option<([u32; 3], Vec3)> {
        let ClosestPoint { triangle, weights, .. } = self.nearest(x, f32::INFINITY)?;
        Some((self.topology.triangles[triangle], weights))
    }

    /// Queries the surface at `x` [m]. Returns `None` if `x` is outside and farther away than `reach` [m], which is the cheapest case.
    pub fn within(&self, x: Vec3, reach: f32) -> Option<SurfacePoint> {
        let [low, high] = self.boxes[0];
        // Deep inside a closed mesh, the surface may be farther away than `reach`.
        let inside_box = x == x.clamp(low, high);
        let limit = match self.topology.closed {
            true if inside_box => f32::INFINITY,
            true => reach,
            false => reach.max(self.thickness),
        };
        let ClosestPoint { triangle, weights, offset } = self.nearest(x, limit * limit)?;
        let corners = self.topology.triangles[triangle];
        let velocity = (0..3).fold(Vec3::ZERO, |sum, i| sum + weights[i] * self.velocities[corners[i] as usize]);
        let (pseudo_normal, border) = self.pseudo_normal(triangle, weights);
        let (length, behind) = (offset.length(), offset.dot(pseudo_normal) < 0.0);
        let away = offset.try_normalize();
        let (distance, normal) = if self.topology.closed || (behind && !border && length < self.thickness) {
            let sign = if behind { -1.0 } else { 1.0 };
            (sign * length, away.map_or(pseudo_normal, |away| sign * away))
        } else if behind && !border {
            (length - self.thickness, away.unwrap_or(-pseudo_normal))
        } else {
            (length, away.unwrap_or(pseudo_normal))
        };
        let normal = normal.try_normalize().unwrap_or(Vec3::Y);
        (distance <= reach).then_some(SurfacePoint { distance, normal, velocity })
    }

    /// Returns the pseudo-normal at a surface point, and whether that point is on a border.
    fn pseudo_normal(&self, triangle: usize, weights: Vec3) -> (Vec3, bool) {
        let zeros = weights.cmpeq(Vec3::ZERO);
        match [zeros.x, zeros.y, zeros.z] {
            [true, true, _] => self.vertex_normal(triangle, 2),
            [true, _, true] => self.vertex_normal(triangle, 1),
            [_, true, true] => self.vertex_normal(triangle, 0),
            [true, ..] => self.edge_normal(triangle, 0),
            [_, true, _] => self.edge_normal(triangle, 1),
            [_, _, true] => self.edge_normal(triangle, 2),
            _ => (self.normals[triangle], false),
        }
    }

    /// Returns the pseudo-normal at the edge opposite a corner.
    fn edge_normal(&self, triangle: usize, corner: usize) -> (Vec3, bool) {
        let neighbor = self.topology.neighbors[triangle][corner];
        match self.normals.get(neighbor as usize) {
            Some(beyond) => ((self.normals[triangle] + beyond).normalize_or(self.normals[triangle]), false),
            None => (self.normals[triangle], true),
        }
    }

    /// Returns the pseudo-normal at a corner: the sum of the adjacent normals, weighted by their angles.
    fn vertex_normal(&self, triangle: usize, corner: usize) -> (Vec3, bool) {
        let topology = &self.topology;
        let vertex = topology.triangles[triangle][corner];
        let sum = topology.fan(vertex).iter().fold(Vec3::ZERO, |sum, &t| {
            let t = t as usize;
            // Degenerate triangles have no angles.
            if self.normals[t] == Vec3::ZERO {
                return sum;
            }
            let own = topology.triangles[t].iter().position(|&v| v == vertex).unwrap_or(0);
            let [a, b, c] = [own, (own + 1) % 3, (own + 2) % 3].map(|i| self.corners[t][i]);
            sum + (b - a).angle_between(c - a).clamp(0.0, 4.0) * self.normals[t]
        });
        (sum.normalize_or(self.normals[triangle]), topology.at_border[vertex as usize])
    }

    /// Finds the closest point whose squared distance is at most `limit` [m^2].
    fn nearest(&self, x: Vec3, limit: f32) -> Option<ClosestPoint> {
        let mut best = limit;
        let mut found = None;
        let mut waiting = [(0.0f32, 0u32); DEPTH];
        let mut count = 1;
        waiting[0] = (box_distance_squared(x, &self.boxes[0]), 0);
        while count > 0 {
            count -= 1;
            let (distance, mut node) = waiting[count];
            if distance > best {
                continue;
            }
            // Descend into the closer child; push the other.
            loop {
                let SurfaceNode { range, right } = self.topology.nodes[node as usize];
                if right == 0 {
                    for triangle in range.0 as usize..range.1 as usize {
                        let (weights, offset) = closest_point(x, &self.corners[triangle]);
                        let distance = offset.length_squared();
                        if distance <= best {
                            best = distance;
                            found = Some(ClosestPoint { triangle, weights, offset });
                        }
                    }
                    break;
                }
                let [mut near, mut far] =
                    [node + 1, right].map(|child| (box_distance_squared(x, &self.boxes[child as usize]), child));
                if far.0 < near.0 {
                    std::mem::swap(&mut near, &mut far);
                }
                if far.0 <= best && count < DEPTH {
                    waiting[count] = far;
                    count += 1;
                }
                if near.0 > best {
                    break;
                }
                node = near.1;
            }
        }
        found
    }

    /// Updates corners, normals and bounding boxes for new positions [m].
    fn refit(&mut self, positions: &[Vec3]) {
        let topology = &*self.topology;
        for ((indices, corners), normal) in topology.triangles.iter().zip(&mut self.corners).zip(&mut self.normals) {
            let [a, b, c] = indices.map(|i| positions[i as usize]);
            *corners = [a, b, c];
            *normal = (b - a).cross(c - a).normalize_or_zero();
        }
        // Children come after their parents.
        for (index, SurfaceNode { range, right }) in topology.nodes.iter().enumerate().rev() {
            self.boxes[index] = if *right == 0 {
                let corners = self.corners[range.0 as usize..range.1 as usize].as_flattened();
                corners.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)])
            } else {
                let ([low, high], [other_low, other_high]) = (self.boxes[index + 1], self.boxes[*right as usize]);
                [low.min(other_low), high.max(other_high)]
            };
        }
    }
}

impl Topology {
    fn new(mesh: &TriangleMesh) -> Self {
        // Files often duplicate vertices along seams.
        let mut first = BTreeMap::new();
        let standing_for: Vec<u32> = mesh
            .vertices()
            .iter()
            .enumerate()
            .map(|(i, x)| *first.entry((*x + DVec3::ZERO).to_array().map(f64::to_bits)).or_insert(i as u32))
            .collect();
        let mut triangles: Vec<[u32; 3]> =
            mesh.triangles().iter().map(|t| t.map(|i| standing_for[i as usize])).collect();
        if mesh.is_closed() && mesh.signed_volume() < 0.0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let mut nodes = Vec::new();
        let count = triangles.len();
        split(mesh.vertices(), &mut triangles, (0, count), &mut nodes);

        let edges = |t: [u32; 3]| [(t[1], t[2]), (t[2], t[0]), (t[0], t[1])];
        let mut owners = BTreeMap::new();
        for (index, triangle) in triangles.iter().enumerate() {
            for edge in edges(*triangle) {
                owners.insert(edge, index as u32);
            }
        }
        let beyond = |(from, to): (u32, u32)| owners.get(&(to, from)).copied().unwrap_or(NONE);
        let neighbors: Vec<[u32; 3]> = triangles.iter().map(|t| edges(*t).map(beyond)).collect();
        let mut at_border = vec![false; mesh.vertices().len()];
        for (triangle, neighbors) in triangles.iter().zip(&neighbors) {
            for ((from, to), neighbor) in edges(*triangle).into_iter().zip(neighbors) {
                if *neighbor == NONE {
                    at_border[from as usize] = true;
                    at_border[to as usize] = true;
                }
            }
        }
        let mut fan_starts = vec![0u32; mesh.vertices().len() + 1];
        for vertex in triangles.as_flattened() {
            fan_starts[*vertex as usize + 1] += 1;
        }
        for vertex in 0..mesh.vertices().len() {
            fan_starts[vertex + 1] += fan_starts[vertex];
        }
        let mut next = fan_starts.clone();
        let mut fans = vec![0u32; 3 * triangles.len()];
        for (index, triangle) in triangles.iter().enumerate() {
            for &vertex in triangle {
                fans[next[vertex as usize] as usize] = index as u32;
                next[vertex as usize] += 1;
            }
        }
        let closed = !at_border.contains(&true);
        Self { vertices: mesh.vertices().len(), triangles, neighbors, fans, fan_starts, at_border, closed, nodes }
    }

    fn fan(&self, vertex: u32) -> &[u32] {
        let [from, to] = [vertex, vertex + 1].map(|v| self.fan_starts[v as usize] as usize);
        &self.fans[from..to]
    }
}

/// Adds the node over `triangles[range]` and its descendants, and sorts the triangles into tree order.
fn split(vertices: &[DVec3], triangles: &mut [[u32; 3]], range: (usize, usize), nodes: &mut Vec<SurfaceNode>) {
    let node = nodes.len();
    nodes.push(SurfaceNode { range: (range.0 as u32, range.1 as u32), right: 0 });
    let part = &mut triangles[range.0..range.1];
    if part.len() <= LEAF_SIZE {
        return;
    }
    let center = |t: &[u32; 3]| t.iter().map(|&i| vertices[i as usize]).sum::<DVec3>();
    let (low, high) = part
        .iter()
        .map(center)
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c)));
    let axis = (high - low).max_position();
    let half = part.len() / 2;
    part.select_nth_unstable_by(half, |s, t| center(s)[axis].total_cmp(&center(t)[axis]));
    let middle = range.0 + half;
    split(vertices, triangles, (range.0, middle), nodes);
    nodes[node].right = nodes.len() as u32;
    split(vertices, triangles, (middle, range.1), nodes);
}

#[inline]
fn box_distance_squared(x: Vec3, [low, high]: &[Vec3; 2]) -> f32 {
    (*low - x).max(x - *high).max(Vec3::ZERO).length_squared()
}

/// Returns the point of a triangle closest to `x`, as barycentric coordinates that are exactly zero at edges and corners, and the vector
/// from there to `x`.
#[inline]
fn closest_point(x: Vec3, [a, b, c]: &[Vec3; 3]) -> (Vec3, Vec3) {
    let (ab, ac, ax) = (*b - *a, *c - *a, x - *a);
    let (d1, d2) = (ab.dot(ax), ac.dot(ax));
    let (aa, bb, cc) = (ab.length_squared(), ab.dot(ac), ac.length_squared());
    // Barycentric coordinates of b and c for the projection, times the squared double area.
    let area = aa * cc - bb * bb;
    let (v, w) = (cc * d1 - bb * d2, aa * d2 - bb * d1);
    let u = area - v - w;
    if u > 0.0 && v > 0.0 && w > 0.0 {
        let weights = Vec3::new(u, v, w) / area;
        return (weights, ax - weights.y * ab - weights.z * ac);
    }
    // Otherwise the closest point is on one of the three edges.
    let on_edge = |from: Vec3, along: Vec3| {
        let length = along.length_squared();
        let share = if length > 0.0 { ((x - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        (share, x - from - share * along)
    };
    let [(s, to_ab), (t, to_bc), (r, to_ca)] = [on_edge(*a, ab), on_edge(*b, *c - *b), on_edge(*c, -ac)];
    let [l, m, n] = [to_ab, to_bc, to_ca].map(Vec3::length_squared);
    if l <= m && l <= n {
        (Vec3::new(1.0 - s, s, 0.0), to_ab)
    } else if m <= n {
        (Vec3::new(0.0, 1.0 - t, t), to_bc)
    } else {
        (Vec3::new(r, 0.0, 1.0 - r), to_ca)
    }
}

impl fmt::Debug for DeformedMesh {
    /// Prints a summary without the triangles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (triangles, thickness) = (self.corners.len(), self.thickness);
        write!(f, "DeformedMesh {{ triangles: {triangles}, closed: {}, thickness: {thickness} }}", self.is_closed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::generate::Sheet;
    use crate::geometry::test_meshes::{cuboid, icosphere};
    use glam::Quat;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static BALL: LazyLock<TriangleMesh> = LazyLock::new(|| icosphere(4, 1.0));

    fn sheet() -> DeformedMesh {
        let mesh = Sheet { width: 2.0, depth: 2.0, spacing: 0.1 }.build().unwrap();
        DeformedMesh::new(&mesh, DVec3::ZERO, 0.05)
    }

    #[test]
    fn signs_are_correct_at_edges_and_corners_of_a_box() {
        let half = DVec3::new(0.5, 0.7, 0.9);
        let mesh = DeformedMesh::new(&cuboid(DVec3::splat(3.0), half), DVec3::splat(3.0), 0.0);
        assert!(mesh.is_closed());
        for i in 0..13i32.pow(3) {
            let grid = [i % 13, i / 13 % 13, i / 169].map(|n| (n - 6) as f32 * 0.25);
            let x = Vec3::from_array(grid) * half.as_vec3();
            let q = x.abs() - half.as_vec3();
            let exact = q.max(Vec3::ZERO).length() + q.max_element().min(0.0);
            let found = mesh.signed_distance(x);
            assert!((found - exact).abs() < 1e-6, "{x}: {found} instead of {exact}");
            let nearest = mesh.query(x);
            assert!(nearest.normal.is_normalized());
            assert!(mesh.signed_distance(x - exact * nearest.normal).abs() < 1e-5, "{x}");
            assert_eq!(mesh.is_within(x, 0.2), exact < 0.2, "{x}");
        }
    }

    #[test]
    fn only_a_layer_behind_a_sheet_is_inside() {
        let sheet = sheet();
        assert!(!sheet.is_closed());
        let front = if sheet.signed_distance(Vec3::new(0.0, 0.02, 0.0)) > 0.0 { 1.0 } else { -1.0 };
        let at = |x: f32, y: f32, z: f32| sheet.query(Vec3::new(x, front * y, z));
        for (x, z) in [(0.03, 0.04), (0.1, 0.1), (-0.95, 0.5)] {
            assert!((at(x, 0.3, z).distance - 0.3).abs() < 1e-6);
            assert!((at(x, -0.03, z).distance + 0.03).abs() < 1e-6);
            assert!((at(x, -0.2, z).distance - 0.15).abs() < 1e-6);
            assert!(at(x, -0.03, z).normal.distance(front * Vec3::Y) < 1e-5);
            assert!(at(x, -0.2, z).normal.distance(-front * Vec3::Y) < 1e-5);
        }
        // Points beside the border are outside.
        for y in [-0.04, -0.001, 0.0, 0.04] {
            let beside = at(1.1, y, 0.33);
            assert!((beside.distance - 0.1f32.hypot(y)).abs() < 1e-6 && beside.normal.x > 0.9, "{beside:?}");
            assert!(at(1.1, y, 1.1).distance > 0.14);
        }
        assert!(!sheet.is_within(Vec3::new(0.0, 3.0, 0.0), 1.0) && sheet.within(Vec3::splat(9.0), 0.1).is_none());
    }

    #[test]
    fn duplicate_vertices_create_no_borders() {
        let closed = cuboid(DVec3::ZERO, DVec3::ONE);
        let vertices = (0..12).flat_map(|t| closed.corners(t)).collect();
        let torn = TriangleMesh::new(vertices, (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
        let mesh = DeformedMesh::new(&torn, DVec3::ZERO, 0.0);
        assert!(mesh.is_closed() && mesh.vertex_count() == 36);
        assert!((mesh.signed_distance(Vec3::splat(0.9)) + 0.1).abs() < 1e-6);
    }

    #[test]
    fn wrong_vertex_counts_are_errors_and_flat_triangles_are_harmless() {
        let mut mesh = sheet();
        let error = mesh.set_vertices(&[Vec3::ZERO], &[]).unwrap_err();
        assert!(error.to_string().contains("given 1 positions and 0 velocities"), "{error}");
        let count = mesh.vertex_count();
        mesh.set_vertices(&vec![Vec3::ONE; count], &vec![Vec3::X; count]).unwrap();
        let point = mesh.within(Vec3::ZERO, 9.0).unwrap();
        assert!((point.distance - 3f32.sqrt()).abs() < 1e-6 && point.velocity.distance(Vec3::X) < 1e-6);
        mesh.set_vertices(&vec![Vec3::NAN; count], &vec![Vec3::NAN; count]).unwrap();
        mesh.query(Vec3::ZERO);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn moving_rotating_and_growing_ball(
            x in prop::array::uniform3(-2.0f32..2.0),
            shift in prop::array::uniform3(-0.5f32..0.5),
            angle in -3.0f32..3.0,
            radius in 0.3f32..1.2,
        ) {
            let mut mesh = DeformedMesh::new(&BALL, DVec3::ZERO, 0.0);
            let (shift, turn) = (Vec3::from_array(shift), Quat::from_axis_angle(Vec3::ONE.normalize(), angle));
            let (linear, angular, growth) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 2.0, -1.0), 0.7);
            let positions: Vec<Vec3> =
                BALL.vertices().iter().map(|v| shift + radius * (turn * v.as_vec3())).collect();
            let velocity = |p: Vec3| linear + angular.cross(p - shift) + growth * (p - shift) / radius;
            let velocities: Vec<Vec3> = positions.iter().map(|p| velocity(*p)).collect();
            mesh.set_vertices(&positions, &velocities).unwrap();
            let x = Vec3::from_array(x);
            let exact = x.distance(shift) - radius;
            let point = mesh.within(x, f32::INFINITY).unwrap();
            // Faces lie below the sphere by up to R (longest edge)^2 / 6, with edges of 0.08.
            prop_assert!((point.distance - exact).abs() < 1.2e-3 * radius, "{} {exact}", point.distance);
            prop_assert_eq!(mesh.is_within(x, 0.3), point.distance < 0.3);
            if x.distance(shift) > 0.2 * radius {
                let normal = (x - shift).normalize();
                prop_assert!(point.normal.dot(normal) > 0.98, "{} {normal}", point.normal);
                // Inside, the closest face is the one below x or one of its neighbors.
                let there = velocity(x - point.distance * point.normal);
                prop_assert!(point.velocity.distance(there) < 1e-3, "{} {there}", point.velocity);
            }
        }

        #[test]
        fn tree_search_equals_brute_force(x in prop::array::uniform3(-2.0f32..2.0), reach in 0.01f32..1.0) {
            let x = Vec3::from_array(x);
            let mesh = sheet();
            let brute = mesh.corners.iter().map(|t| closest_point(x, t).1.length()).fold(f32::INFINITY, f32::min);
            let found = mesh.nearest(x, f32::INFINITY).unwrap().offset.length();
            prop_assert!((found - brute).abs() < 1e-6);
            let bounded = mesh.nearest(x, reach * reach).map(|point| point.offset.length());
            prop_assert_eq!(bounded.is_some(), brute <= reach);
        }
    }
}
