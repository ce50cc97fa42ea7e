//! Thin plates on triangle meshes.
//!
//! The curvature of a triangle of area `A` is that of Morley's plate element with the slope at each edge averaged over the two triangles there:
//! ```text
//! kappa = sum_i theta_i l_i / (2 A) n_i n_i^T
//! ```
//! `theta_i` is the angle at edge `i` minus its rest angle, `l_i` the edge's length, and `n_i` the unit normal of the edge in the triangle's plane. The energy
//! of the triangle is that of a plate of stiffness `D` with Poisson's ratio `nu`, a quadratic form of its three angles:
//! ```text
//! E = D/2 A ((1 - nu) kappa : kappa + nu (tr kappa)^2) = 1/2 sum_ij K_ij theta_i theta_j
//! K_ij = D l_i l_j / (4 A) ((1 - nu) (n_i . n_j)^2 + nu)
//! ```
//! Constant curvature is exact on every mesh whose triangles are point reflections of each other, whatever the direction of its edges. Hinges without
//! the coupling of the three edges of a triangle have an error of a factor of up to nine there.
//!
//! - **Free edges** have no angle of their own. Their slope minimizes the energy, so no moment acts on them: `theta` is eliminated.
//! - **Clamped edges**, next to a triangle whose vertices are pinned for the whole run, have the slope of that triangle. The slope is not averaged, so
//!   `theta` counts twice, and the pinned triangle has no energy. The plate is thus clamped exactly at the edge.
//! - Edges of three or more triangles count as free.

use super::Bending;
use super::hinge::{Hinge, HingeShape};
use super::step_rate::StepRate;
use glam::DVec3;

/// A surface that bends.
#[derive(Clone, Debug)]
pub struct Plate {
    /// Id of the first vertex.
    pub first: u32,
    /// Rest positions of the vertices [m].
    pub vertices: Vec<DVec3>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Bending stiffness `D` [N m].
    pub stiffness: f64,
    /// Poisson's ratio [-].
    pub poisson_ratio: f64,
    /// Mass per area [kg/m^2].
    pub area_density: f64,
}

/// An edge of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    ends: [u32; 2],
    triangle: u32,
    /// The corner opposite to the edge.
    corner: u32,
}

/// The kind of one edge of a triangle.
#[derive(Clone, Copy)]
enum Edge {
    Free,
    /// Index of the hinge, and how often its angle counts.
    Hinge(u32, f64),
}

impl Plate {
    /// Appends the hinges of the plate. `pinned` tells which vertices are pinned for the whole run; `masses` are those of the vertices [kg].
    pub(crate) fn build(&self, pinned: impl Fn(u32) -> bool, masses: &[f32], into: &mut Bending) {
        let pinned = |triangle: u32| self.triangles[triangle as usize].iter().all(|&v| pinned(self.first + v));
        let first_hinge = into.hinges.len();
        let mut edges = vec![[Edge::Free; 3]; self.triangles.len()];
        for pair in self.sides().chunk_by(|a, b| a.ends == b.ends) {
            let &[one, other] = pair else { continue };
            let held = [pinned(one.triangle), pinned(other.triangle)];
            if held == [true, true] {
                continue;
            }
            let index = into.hinges.len() as u32;
            for (side, other_held) in [(one, held[1]), (other, held[0])] {
                edges[side.triangle as usize][side.corner as usize] =
                    Edge::Hinge(index, if other_held { 2.0 } else { 1.0 });
            }
            into.hinges.push(self.hinge(index, one, other));
        }
        for (triangle, edges) in edges.iter().enumerate().filter(|&(triangle, _)| !pinned(triangle as u32)) {
            self.add_stiffness(triangle, edges, &mut into.hinges);
        }
        into.rates.push(self.step_rate(&into.hinges[first_hinge..], first_hinge, masses));
    }

    /// Returns all edges of all triangles, sorted by their ends.
    fn sides(&self) -> Vec<Side> {
        let mut sides = Vec::with_capacity(3 * self.triangles.len());
        for (triangle, corners) in self.triangles.iter().enumerate() {
            for corner in 0..3 {
                let [a, b] = [1, 2].map(|k| corners[(corner + k) % 3]);
                sides.push(Side { ends: [a.min(b), a.max(b)], triangle: triangle as u32, corner: corner as u32 });
            }
        }
        sides.sort_unstable();
        sides
    }

    /// Creates the hinge between two triangles, without stiffness. The edge runs as in the first triangle, which is to its left.
    fn hinge(&self, index: u32, one: Side, other: Side) -> Hinge {
        let corners = self.triangles[one.triangle as usize];
        let at = |k: u32| corners[((one.corner + k) % 3) as usize];
        let opposite = self.triangles[other.triangle as usize][other.corner as usize];
        let vertices = [at(1), at(2), at(0), opposite];
        Hinge {
            vertices: vertices.map(|v| self.first + v),
            rest_angle: self.rest_shape(&vertices).angle,
            coupled: [index; 5],
            coupling: [0.0; 5],
        }
    }

    fn rest_shape(&self, vertices: &[u32; 4]) -> HingeShape {
        let [x0, x1, x2, x3] = vertices.map(|v| self.vertices[v as usize]);
        HingeShape::of([x1, x2, x3].map(|x| (x - x0).as_vec3()))
    }

    /// Adds the stiffness matrix of a triangle to its hinges.
    fn add_stiffness(&self, triangle: usize, edges: &[Edge; 3], hinges: &mut [Hinge]) {
        let corners = self.triangles[triangle].map(|v| self.vertices[v as usize]);
        let sides = [0, 1, 2].map(|i| corners[(i + 2) % 3] - corners[(i + 1) % 3]);
        let area = 0.5 * sides[0].cross(sides[1]).length();
        let nu = self.poisson_ratio;
        let factors = [0, 1, 2].map(|i| match edges[i] {
            Edge::Free => 1.0,
            Edge::Hinge(_, count) => count,
        });
        // In a plane the normals of two edges have the angle of the edges: (n_i . n_j)^2 l_i l_j = (e_i . e_j)^2 / (l_i l_j).
        let mut k = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let (l2, dot): (f64, f64) = (sides[i].length() * sides[j].length(), sides[i].dot(sides[j]));
                let isotropic = (1.0 - nu) * dot * dot / l2 + nu * l2;
                self.stiffness * factors[i] * factors[j] * isotropic / (4.0 * area)
            })
        });
        for free in (0..3).filter(|&i| matches!(edges[i], Edge::Free)) {
            eliminate(&mut k, free);
        }
        for i in 0..3 {
            let Edge::Hinge(hinge, _) = edges[i] else { continue };
            let hinge = &mut hinges[hinge as usize];
            hinge.coupling[0] += k[i][i] as f32;
            for j in (0..3).filter(|&j| j != i) {
                let Edge::Hinge(other, _) = edges[j] else { continue };
                if let Some(unused) = hinge.coupling.iter().position(|&c| c == 0.0) {
                    (hinge.coupled[unused], hinge.coupling[unused]) = (other, k[i][j] as f32);
                }
            }
        }
    }

    /// Bounds the frequency of bending vibrations by Gershgorin's theorem: the absolute row sums of `M^-1 G^T K G`, with `G` the gradients of the angles
    /// at rest.
    fn step_rate(&self, hinges: &[Hinge], first: usize, masses: &[f32]) -> StepRate {
        let local = |hinge: &Hinge| hinge.vertices.map(|v| v - self.first);
        let gradients: Vec<[f64; 4]> =
            hinges.iter().map(|hinge| self.rest_shape(&local(hinge)).gradient_lengths()).collect();
        let total = |hinge: usize| gradients[hinge].iter().sum::<f64>();
        let mut rows = vec![0.0; self.vertices.len()];
        for (hinge, gradient) in hinges.iter().zip(&gradients) {
            let coupled = hinge.coupled.iter().zip(hinge.coupling);
            let moment = coupled.map(|(&other, k)| f64::from(k.abs()) * total(other as usize - first)).sum::<f64>();
            for (vertex, length) in local(hinge).into_iter().zip(gradient) {
                rows[vertex as usize] += length * moment;
            }
        }
        let masses = &masses[self.first as usize..];
        let square = rows.iter().zip(masses).map(|(row, &mass)| row / f64::from(mass)).fold(0.0, f64::max);
        let length = |[a, b]: [u32; 2]| self.vertices[a as usize].distance(self.vertices[b as usize]);
        let shortest = self.sides().iter().map(|side| length(side.ends)).fold(f64::INFINITY, f64::min);
        StepRate { vertices: square.sqrt(), grid: (self.stiffness / self.area_density).sqrt() / shortest }
    }
}

impl HingeShape {
    /// Returns the lengths of the angle's gradients with respect to the four vertices [1/m].
    fn gradient_lengths(&self) -> [f64; 4] {
        let [end, left, right] = self.gradients();
        [end + left + right, end, left, right].map(|g| f64::from(g.length()))
    }
}

/// Eliminates an angle on which no moment acts from a stiffness matrix.
fn eliminate(k: &mut [[f64; 3]; 3], free: usize) {
    if k[free][free] > 0.0 {
        let row = k[free];
        for i in 0..3 {
            for j in 0..3 {
                k[i][j] -= row[i] * row[j] / row[free];
            }
        }
    }
    for i in 0..3 {
        (k[free][i], k[i][free]) = (0.0, 0.0);
    }
}
