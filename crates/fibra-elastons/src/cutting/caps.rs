//! Faces that close a surface where it is cut: one on each side.
//!
//! The edges that a cut has opened make chains. One that comes back to its start is closed by a face for good; at the
//! ends of the others the blade is still on its way, and a straight line stands for its front for the time being.

use super::surface::{Scene, border, reaches};
use super::triangulate::triangulate;
use crate::point_tree::PointTree;
use crate::world::{Matter, Surface, SurfaceCuts};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Smallest area of a face over the square of its outline [-]: a slit has none. A circle has 0.08.
const FLATTEST: f64 = 1e-4;

/// Closes what has been opened and says what of it will last.
pub fn close_cuts(surface: &mut Surface, cuts: &mut SurfaceCuts, matter: &Matter, scene: &Scene) {
    let (loops, chains) = outlines(surface, cuts);
    let capped = loops.len() + chains.len() > 0;
    let capper = capped.then(|| Capper {
        matter,
        scene,
        tree: PointTree::new(&matter.cloud.points),
        components: scene.links.components(),
    });
    if let Some(capper) = &capper {
        loops.iter().for_each(|outline| capper.close(surface, outline));
    }
    cuts.closed.resize(surface.vertices.len(), true);
    cuts.lasting = [surface.vertices.len() as u32, surface.triangles.len() as u32];
    if let Some(capper) = &capper {
        chains.iter().for_each(|outline| capper.close(surface, outline));
    }
    cuts.closed.resize(surface.vertices.len(), true);
}

/// Outlines of the faces that are missing, in the direction in which they go around those: loops, and chains that do
/// not close.
fn outlines(surface: &Surface, cuts: &SurfaceCuts) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    // Edges that are cut while a triangle beside them is not are open as well, until that is divided.
    let waiting = cuts.open_edges.iter().flat_map(|&[[a, b], [from_a, from_b]]| [[a, b], [a, from_a], [from_b, b]]);
    let mut waiting: Vec<[u32; 2]> = waiting.flat_map(|[a, b]| [[a, b], [b, a]]).collect();
    waiting.sort_unstable();
    let opened = |edge: &[u32; 2]| {
        let [a, b] = *edge;
        a.min(b) >= cuts.first_made && cuts.closed[a as usize] && waiting.binary_search(edge).is_err()
    };
    // Against the direction of the triangles that are there.
    let edges: Vec<[u32; 2]> = border(&surface.triangles).into_iter().filter(opened).map(|[a, b]| [b, a]).collect();
    let mut onward: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut balance: BTreeMap<u32, i32> = BTreeMap::new();
    for &[a, b] in &edges {
        onward.entry(a).or_default().push(b);
        *balance.entry(a).or_default() += 1;
        *balance.entry(b).or_default() -= 1;
    }
    let mut follow = |start: u32| {
        let mut outline = vec![start];
        let mut at = start;
        while let Some(next) = onward.get_mut(&at).and_then(Vec::pop) {
            at = next;
            if at == start {
                break;
            }
            outline.push(at);
        }
        outline
    };
    let starts = balance.iter().filter(|(_, balance)| **balance > 0).map(|(&vertex, _)| vertex);
    let chains: Vec<Vec<u32>> = starts.map(&mut follow).collect();
    let loops = edges.iter().map(|&[a, _]| follow(a)).filter(|outline| outline.len() > 2).collect();
    (loops, chains.into_iter().filter(|outline| outline.len() > 2).collect())
}

struct Capper<'a> {
    matter: &'a Matter,
    scene: &'a Scene<'a>,
    tree: PointTree,
    /// Of the pieces, after the cut.
    components: Vec<u32>,
}

impl Capper<'_> {
    /// Adds a face within an outline.
    fn close(&self, surface: &mut Surface, outline: &[u32]) {
        let corners: Vec<DVec3> = outline.iter().map(|&vertex| surface.vertices[vertex as usize]).collect();
        let centre = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let around = || corners.iter().zip(corners.iter().cycle().skip(1));
        let twice_area: DVec3 = around().map(|(a, b)| (a - centre).cross(b - centre)).sum();
        let length: f64 = around().map(|(a, b)| a.distance(*b)).sum();
        let Some(normal) = twice_area.try_normalize() else { return };
        if 0.5 * twice_area.length() < FLATTEST * length * length {
            return;
        }
        let (u, v) = normal.any_orthonormal_pair();
        // any_orthonormal_pair may be of either hand.
        let v = if u.cross(v).dot(normal) > 0.0 { v } else { -v };
        let flat: Vec<DVec2> =
            corners.iter().map(|corner| DVec2::new(u.dot(corner - centre), v.dot(corner - centre))).collect();
        let heights: Vec<f64> = corners.iter().map(|corner| normal.dot(corner - centre)).collect();
        let face = triangulate(&flat);
        let mut names = outline.to_vec();
        let piece = surface.pieces[outline[0] as usize];
        for &point in &face.inner {
            let place = centre + u * point.x + v * point.y + normal * height(&flat, &heights, point);
            let (place, piece) = self.hang(place, normal, length / corners.len() as f64, piece);
            names.push(surface.vertices.len() as u32);
            surface.vertices.push(place);
            surface.pieces.push(piece);
        }
        surface.triangles.extend(face.triangles.iter().map(|corners| corners.map(|corner| names[corner as usize])));
    }

    /// The nearest piece that is behind a face and of the body of `known`; a place so far off that none is there is
    /// moved to that piece.
    fn hang(&self, place: DVec3, normal: DVec3, spacing: f64, known: u32) -> (DVec3, u32) {
        let points = &self.matter.cloud.points;
        let mut reach = 2.0 * spacing;
        for _ in 0..6 {
            let mut best = (f64::INFINITY, known);
            let near = |_: usize, node: &crate::point_tree::Node| node.distance_squared(place) < reach * reach;
            self.tree.visit(near, |piece, point| {
                let distance = point.distance_squared(place);
                let same = self.components[piece as usize] == self.components[known as usize];
                if same && (distance, piece) < best && normal.dot(point - place) < 0.0 && distance < reach * reach {
                    best = (distance, piece);
                }
                true
            });
            if best.0 < f64::INFINITY && reaches(self.matter, self.scene, best.1, place) {
                return (place, best.1);
            }
            reach *= 2.0;
        }
        (points[known as usize], known)
    }
}

/// Height over a point within an outline: the nearer a corner, the more it counts.
fn height(outline: &[DVec2], heights: &[f64], point: DVec2) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (corner, height) in outline.iter().zip(heights) {
        let weight = corner.distance_squared(point).max(f64::MIN_POSITIVE).powi(-2);
        sum += weight * height;
        weights += weight;
    }
    sum / weights
}
