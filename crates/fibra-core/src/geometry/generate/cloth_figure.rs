//! A cloth figure: the smooth surface around a few balls, with an opening.

use super::surface_nets::surface_nets;
use super::{GenerateError, require, require_positive};
use crate::geometry::{Bounds, ClothFlaw, TriangleMesh};
use glam::{DVec3, UVec3};
use rayon::prelude::*;

/// Number of smoothing iterations after the surface is extracted.
const SMOOTHING: usize = 12;

/// Sharpness of the blend between balls: large values keep them separate [-].
const SHARPNESS: f64 = 4.0;

/// Maximum number of grid corners at which the field is evaluated.
const MAX_CELLS: f64 = (1u64 << 27) as f64;

/// Number of grids tried, and the shift of each relative to the previous one in cells along each axis [-]. No shift occurs twice.
const ATTEMPTS: u32 = 32;
const GRID_SHIFT: DVec3 = DVec3::new(0.618_034, 0.414_214, 0.732_051);

/// A ball of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Center [m].
    pub center: DVec3,
    /// Radius [m].
    pub radius: f64,
}

/// The surface around balls that blend where they are close.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothFigure {
    /// The balls; at least one. Balls far from the others have separate surfaces.
    pub balls: Vec<Ball>,
    /// The surface inside this ball is removed, which opens the figure.
    pub opening: Option<Ball>,
    /// Approximate edge length of the triangles [m].
    pub spacing: f64,
}

impl ClothFigure {
    /// Returns a sitting teddy bear with its feet on `y = 0`, facing +z, and an opening between its ears.
    pub fn teddy_bear(height: f64, spacing: f64) -> Self {
        // In fractions of the height. Arms, legs and ears come in pairs.
        let middle = [([0.0, 0.33, 0.0], 0.27), ([0.0, 0.72, 0.0], 0.21)];
        let pairs = [
            ([0.17, 0.9, 0.0], 0.08),
            ([0.27, 0.47, 0.1], 0.09),
            ([0.33, 0.38, 0.2], 0.08),
            ([0.17, 0.12, 0.2], 0.12),
            ([0.2, 0.11, 0.36], 0.1),
        ];
        let ball =
            |center: [f64; 3], radius: f64| Ball { center: height * DVec3::from(center), radius: height * radius };
        let mut balls: Vec<Ball> = middle.map(|(center, radius)| ball(center, radius)).to_vec();
        for ([x, y, z], radius) in pairs {
            balls.extend([ball([x, y, z], radius), ball([-x, y, z], radius)]);
        }
        Self { balls, opening: Some(ball([0.0, 0.95, 0.0], 0.12)), spacing }
    }

    /// Builds the surface, with triangles counterclockwise seen from outside.
    pub fn build(&self) -> Result<TriangleMesh, GenerateError> {
        require_positive([("spacing", self.spacing)])?;
        require(!self.balls.is_empty(), "number of balls", 0.0, "at least one is needed")?;
        for ball in self.balls.iter().chain(&self.opening) {
            require_positive([("radius of a ball", ball.radius)])?;
            require(ball.center.is_finite(), "center of a ball", f64::NAN, "its coordinates must be finite")?;
        }
        let coarse = self.balls.iter().map(|ball| ball.radius).fold(f64::INFINITY, f64::min);
        let allowed = "it must be at most a third of the smallest radius, to resolve all balls";
        require(3.0 * self.spacing <= coarse, "spacing", self.spacing, allowed)?;
        // For n coincident balls, the surface is at this many radii from the center. Other arrangements do not move it farther out.
        let reach = (1.0 + (self.balls.len() as f64).ln() / SHARPNESS).sqrt();
        let box_of = |ball: &Ball| [-reach, reach].map(|side| ball.center + side * ball.radius);
        let bounds = Bounds::around(self.balls.iter().flat_map(box_of));
        // One extra corner on each side, so that the surface is inside the grid for every shift.
        let corners = (bounds.extent() / self.spacing).ceil() + 4.0;
        let allowed = "it is too small for the size of the figure: at most 2^27 cells are possible";
        require(corners.element_product() <= MAX_CELLS, "spacing", self.spacing, allowed)?;
        let middle = bounds.center() - 0.5 * self.spacing * (corners - 1.0);
        // If two parts of the surface cross the same cell, they share its vertex, and more than two triangles may meet at an edge. A shifted
        // grid cuts the surface elsewhere, and one of a few shifts usually avoids this.
        let mut attempt = 0;
        loop {
            let shift = (f64::from(attempt) * GRID_SHIFT).fract() - 0.5;
            let skin = self.skin(middle + self.spacing * shift, corners.as_uvec3());
            attempt += 1;
            match TriangleMesh::new(skin.vertices, skin.triangles)?.into_cloth() {
                Err(ClothFlaw::NonManifoldEdge { .. } | ClothFlaw::DoubledTriangle { .. }) if attempt < ATTEMPTS => {}
                made => return Ok(made?),
            }
        }
    }

    /// Extracts the surface on a grid with the given number of corners from `origin` [m], then opens and smooths it.
    fn skin(&self, origin: DVec3, corners: UVec3) -> Skin {
        let corner = |index: UVec3| origin + self.spacing * index.as_dvec3();
        let (vertices, triangles) = surface_nets(corners, |index| self.field(corner(index)));
        let vertices = vertices.into_iter().map(|v| origin + self.spacing * v).collect();
        let mut skin = Skin { vertices, triangles };
        if let Some(opening) = self.opening {
            skin.open(&opening);
        }
        skin.smooth(self);
        skin
    }

    /// Evaluates the field, 0 on the surface and positive inside [-]: the logarithm of `sum exp(K (1 - |x - c|^2 / r^2))`. One term gives a
    /// ball, several give a blend.
    fn field(&self, x: DVec3) -> f64 {
        self.terms(x).map(|(term, _)| term).sum::<f64>().ln()
    }

    /// Projects a point [m] to the surface, or to the intersection of the surface with a ball.
    fn project(&self, mut x: DVec3, on: Option<Ball>) -> DVec3 {
        for _ in 0..4 {
            if let Some(ball) = on {
                x = ball.center + ball.radius * (x - ball.center).normalize_or(DVec3::Y);
            }
            x = self.newton_step(x);
        }
        x
    }

    /// Returns the result of one Newton step toward the surface, from a point near it [m].
    fn newton_step(&self, x: DVec3) -> DVec3 {
        let (sum, slope) = self.terms(x).fold((0.0, DVec3::ZERO), |(s, g), (term, gradient)| (s + term, g + gradient));
        let gradient = slope / sum;
        x - sum.ln() / gradient.length_squared() * gradient
    }

    fn terms(&self, x: DVec3) -> impl Iterator<Item = (f64, DVec3)> + '_ {
        self.balls.iter().map(move |ball| {
            let (from_center, square) = (x - ball.center, ball.radius * ball.radius);
            let term = (SHARPNESS * (1.0 - from_center.length_squared() / square)).exp();
            (term, -2.0 * SHARPNESS / square * term * from_center)
        })
    }
}

/// Triangles of a figure during construction.
struct Skin {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Skin {
    /// Removes the triangles in a ball, and then triangles that are attached by a single edge.
    fn open(&mut self, ball: &Ball) {
        let vertices = &self.vertices;
        let middle = |t: &[u32; 3]| t.iter().map(|&i| vertices[i as usize]).sum::<DVec3>() / 3.0;
        self.triangles.retain(|t| middle(t).distance(ball.center) > ball.radius);
        loop {
            let border = self.border();
            let on_border = |a: u32, b: u32| border.binary_search(&[a.min(b), a.max(b)]).is_ok();
            let before = self.triangles.len();
            self.triangles.retain(|&[a, b, c]| {
                [on_border(a, b), on_border(b, c), on_border(c, a)].into_iter().filter(|&on| on).count() < 2
            });
            if self.triangles.len() == before {
                return;
            }
        }
    }

    /// Returns the edges of all triangles as sorted pairs of vertices, smaller index first, with repetitions.
    fn edges(&self) -> Vec<[u32; 2]> {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
        let mut edges: Vec<[u32; 2]> =
            self.triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges
    }

    /// Returns the edges that belong to exactly one triangle, sorted.
    fn border(&self) -> Vec<[u32; 2]> {
        self.edges().chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]).collect()
    }

    /// Makes the triangles more regular: repeatedly moves every vertex toward the mean of its neighbors and projects it back to the
    /// surface. Border vertices stay on the edge of the opening.
    fn smooth(&mut self, figure: &ClothFigure) {
        let edges = self.edges();
        let border = self.border();
        let mut on_border = vec![false; self.vertices.len()];
        border.iter().flatten().for_each(|&i| on_border[i as usize] = true);
        for _ in 0..SMOOTHING {
            let mut sum = vec![(DVec3::ZERO, 0.0); self.vertices.len()];
            let mut add = |to: u32, from: u32| {
                let (place, weight) = &mut sum[to as usize];
                *place += self.vertices[from as usize];
                *weight += 1.0;
            };
            let inner = |i: u32| !on_border[i as usize];
            for &[a, b] in &edges {
                if inner(a) {
                    add(a, b);
                }
                if inner(b) {
                    add(b, a);
                }
            }
            for &[a, b] in &border {
                add(a, b);
                add(b, a);
            }
            self.vertices.par_iter_mut().zip(sum).zip(&on_border).for_each(|((vertex, (place, weight)), on_border)| {
                // Vertices of removed triangles have no neighbors.
                if weight > 0.0 {
                    let opening = figure.opening.filter(|_| *on_border);
                    *vertex = figure.project(0.5 * (*vertex + place / weight), opening);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use std::f64::consts::PI;

    /// Returns the smallest ratio of a triangle's height to its longest side [-], and the longest edge [m].
    fn quality(mesh: &TriangleMesh) -> (f64, f64) {
        (0..mesh.triangles().len()).fold((1.0, 0.0), |(thinnest, longest), t| {
            let [a, b, c] = mesh.corners(t);
            let side = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let height = (b - a).cross(c - a).length() / side;
            (height.min(thinnest * side) / side, side.max(longest))
        })
    }

    #[test]
    fn surface_of_one_ball_is_a_sphere() {
        let ball = Ball { center: DVec3::new(3.0, -1.0, 0.5), radius: 0.5 };
        let mesh = ClothFigure { balls: vec![ball], opening: None, spacing: 0.05 }.build().unwrap();
        assert!(mesh.is_closed());
        assert!(mesh.vertices().iter().all(|v| (v.distance(ball.center) - 0.5).abs() < 1e-6));
        assert_relative_eq!(mesh.signed_volume(), 4.0 / 3.0 * PI * 0.125, max_relative = 0.01);
        let (thinnest, longest) = quality(&mesh);
        assert!(thinnest > 0.2 && longest < 0.1, "{thinnest} {longest}");
    }

    #[test]
    fn bear_is_open_only_at_the_top() {
        let bear = ClothFigure::teddy_bear(1.0, 0.02);
        let closed = ClothFigure { opening: None, ..bear.clone() }.build().unwrap();
        assert!(closed.is_closed());
        let mesh = bear.build().unwrap();
        let opening = bear.opening.unwrap();
        let skin = Skin { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() };
        let border = skin.border();
        assert!(border.len() > 20);
        for &i in border.iter().flatten() {
            let from_middle = skin.vertices[i as usize].distance(opening.center);
            assert_relative_eq!(from_middle, opening.radius, max_relative = 1e-3);
        }
        assert!(mesh.vertices().iter().all(|v| v.distance(opening.center) > 0.95 * opening.radius));
        let bounds = mesh.bounds();
        assert!(bounds.min.y > -0.05 && (0.9..1.05).contains(&bounds.max.y), "{bounds:?}");
        let (thinnest, longest) = quality(&mesh);
        assert!(thinnest > 0.1 && longest < 0.05, "{thinnest} {longest}");
    }

    #[test]
    fn bear_can_be_built_with_any_spacing() {
        for step in 0..10 {
            let spacing = 0.0151 + 1e-3 * f64::from(step);
            ClothFigure::teddy_bear(1.0, spacing).build().unwrap_or_else(|error| panic!("{spacing}: {error}"));
        }
    }

    #[test]
    fn size_matches_the_paper() {
        let count = ClothFigure::teddy_bear(1.0, 0.0122).build().unwrap().triangles().len();
        assert_relative_eq!(count as f64, 0.04e6, max_relative = 0.15);
    }

    #[test]
    fn invalid_figures_are_errors() {
        let bear = ClothFigure::teddy_bear(1.0, 0.02);
        for figure in [
            ClothFigure { balls: vec![], ..bear.clone() },
            ClothFigure { spacing: 0.1, ..bear.clone() },
            ClothFigure { spacing: 1e-4, ..bear.clone() },
            ClothFigure::teddy_bear(f64::NAN, 0.02),
            ClothFigure::teddy_bear(-1.0, 0.02),
            ClothFigure { opening: Some(Ball { center: DVec3::ZERO, radius: 0.0 }), ..bear.clone() },
        ] {
            assert!(matches!(figure.build().unwrap_err(), GenerateError::Parameter { .. }), "{figure:?}");
        }
        let gone = ClothFigure { opening: Some(Ball { center: DVec3::ZERO, radius: 9.0 }), ..bear };
        assert!(matches!(gone.build().unwrap_err(), GenerateError::Mesh(_)));
    }
}
