//! Triangulation of a polygon into triangles about as large as the polygon's edges: ear clipping, insertion of interior
//! points, and Delaunay edge flips.

use glam::DVec2;
use rustc_hash::FxHashMap;

/// Maximum number of interior points.
const MAX_INNER_POINTS: f64 = 4000.0;

/// Minimum distance of interior points from the outline, in units of the spacing of the interior points [-].
const MARGIN: f64 = 0.55;

/// A triangulated polygon.
pub struct Face {
    /// Interior points.
    pub inner: Vec<DVec2>,
    /// Triangles. The indices count the corners of the outline first, and then the interior points.
    pub triangles: Vec<[u32; 3]>,
}

/// Triangulates a counterclockwise outline of at least three corners. All edges of the outline are kept. A self-intersecting outline is not
/// an error: it is also divided into triangles.
pub fn triangulate(outline: &[DVec2]) -> Face {
    let mut mesh =
        Triangulation { points: outline.to_vec(), triangles: Vec::new(), triangle_of_edge: FxHashMap::default() };
    clip_ears(outline).into_iter().for_each(|triangle| mesh.add(triangle));
    let edges: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    mesh.flip(edges);
    let inner = lattice(outline);
    for &point in &inner {
        mesh.insert(point);
    }
    Face { inner: mesh.points.split_off(outline.len()), triangles: mesh.triangles }
}

/// Points of a triangular lattice inside an outline, at a minimum distance from it.
fn lattice(outline: &[DVec2]) -> Vec<DVec2> {
    let edges = || outline.iter().copied().zip(outline.iter().copied().cycle().skip(1));
    let area: f64 = 0.5 * edges().map(|(a, b)| a.perp_dot(b)).sum::<f64>();
    let mean = edges().map(|(a, b)| a.distance(b)).sum::<f64>() / outline.len() as f64;
    let spacing = mean.max((area.max(0.0) / MAX_INNER_POINTS).sqrt());
    let (min, max) = outline.iter().fold((outline[0], outline[0]), |(min, max), &p| (min.min(p), max.max(p)));
    let rows = ((max.y - min.y) / (spacing * 0.75_f64.sqrt())).floor() as usize;
    let columns = ((max.x - min.x) / spacing).floor() as usize + 1;
    let mut points = Vec::new();
    for row in 0..=rows {
        for column in 0..=columns {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let point = min + spacing * DVec2::new(column as f64 + shift, row as f64 * 0.75_f64.sqrt());
            let off = edges().map(|(a, b)| distance(point, a, b)).fold(f64::INFINITY, f64::min);
            if off > MARGIN * spacing && contains(outline, point) {
                points.push(point);
            }
        }
    }
    points
}

fn distance(point: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let fraction = ((point - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    point.distance(a + fraction * along)
}

/// Whether a point is inside the outline: a ray from the point crosses the outline an odd number of times.
fn contains(outline: &[DVec2], point: DVec2) -> bool {
    let edges = outline.iter().zip(outline.iter().cycle().skip(1));
    let crossed = |(a, b): &(&DVec2, &DVec2)| {
        (a.y > point.y) != (b.y > point.y) && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
    };
    edges.filter(crossed).count() % 2 == 1
}

/// Twice the area of a triangle, positive if it is counterclockwise.
fn twice_area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Triangulates an outline by ear clipping, without interior points.
fn clip_ears(outline: &[DVec2]) -> Vec<[u32; 3]> {
    let at = |corner: u32| outline[corner as usize];
    let mut left: Vec<u32> = (0..outline.len() as u32).collect();
    let mut triangles = Vec::with_capacity(outline.len());
    while left.len() > 3 {
        let corner = |k: usize| left[k % left.len()];
        let ear = |k: usize| [corner(k + left.len() - 1), corner(k), corner(k + 1)];
        // Clip the roundest ear that contains no other corner. If there is none, the outline intersects itself.
        let shape = |k: usize| {
            let [a, b, c] = ear(k).map(at);
            let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
            let roundness = twice_area(a, b, c) / longest.max(f64::MIN_POSITIVE);
            let inside = |&other: &u32| {
                let p = at(other);
                !ear(k).contains(&other)
                    && twice_area(a, b, p) >= 0.0
                    && twice_area(b, c, p) >= 0.0
                    && twice_area(c, a, p) >= 0.0
            };
            let free = roundness > 0.0 && !left.iter().any(inside);
            (free, roundness)
        };
        let mut best = (0, (false, f64::NEG_INFINITY));
        for k in 0..left.len() {
            let found = shape(k);
            if found.partial_cmp(&best.1) == Some(std::cmp::Ordering::Greater) {
                best = (k, found);
            }
        }
        triangles.push(ear(best.0));
        left.remove(best.0);
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// A triangulation with adjacency.
struct Triangulation {
    points: Vec<DVec2>,
    triangles: Vec<[u32; 3]>,
    /// Triangle of each directed edge.
    triangle_of_edge: FxHashMap<[u32; 2], u32>,
}

impl Triangulation {
    fn add(&mut self, triangle: [u32; 3]) {
        self.triangles.push(triangle);
        self.set(self.triangles.len() - 1, triangle);
    }

    fn set(&mut self, at: usize, [a, b, c]: [u32; 3]) {
        self.triangles[at] = [a, b, c];
        for edge in [[a, b], [b, c], [c, a]] {
            self.triangle_of_edge.insert(edge, at as u32);
        }
    }

    /// Inserts a point into the triangle that contains it.
    fn insert(&mut self, point: DVec2) {
        let name = self.points.len() as u32;
        self.points.push(point);
        let at = |corner: u32| self.points[corner as usize];
        let least = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(at);
            twice_area(a, b, point).min(twice_area(b, c, point)).min(twice_area(c, a, point))
        };
        let deepest =
            (0..self.triangles.len()).max_by(|&i, &j| least(&self.triangles[i]).total_cmp(&least(&self.triangles[j])));
        let Some(holder) = deepest else { return };
        let [a, b, c] = self.triangles[holder];
        self.set(holder, [a, b, name]);
        self.add([b, c, name]);
        self.add([c, a, name]);
        self.flip(vec![[a, b], [b, c], [c, a]]);
    }

    /// Flips edges until the given edges, and those around flipped edges, satisfy the Delaunay criterion.
    fn flip(&mut self, mut edges: Vec<[u32; 2]>) {
        // Upper bound on the number of flips, so that rounding cannot cause an endless loop. Far fewer flips are
        // needed.
        let mut left = 100 * (edges.len() + 10);
        while let Some([a, b]) = edges.pop() {
            let (Some(&one), Some(&other)) = (self.triangle_of_edge.get(&[a, b]), self.triangle_of_edge.get(&[b, a]))
            else {
                continue;
            };
            let [c, d] = [self.apex(one, a, b), self.apex(other, b, a)];
            let known = self.triangle_of_edge.contains_key(&[c, d]) || self.triangle_of_edge.contains_key(&[d, c]);
            if c == d || known || left == 0 || !self.should_flip(a, b, c, d) {
                continue;
            }
            left -= 1;
            self.triangle_of_edge.remove(&[a, b]);
            self.triangle_of_edge.remove(&[b, a]);
            self.set(one as usize, [a, d, c]);
            self.set(other as usize, [d, b, c]);
            edges.extend([[a, d], [d, b], [b, c], [c, a]]);
        }
    }

    fn apex(&self, triangle: u32, a: u32, b: u32) -> u32 {
        self.triangles[triangle as usize].into_iter().find(|&corner| corner != a && corner != b).unwrap_or(a)
    }

    /// Whether the edge from `a` to `b`, with `c` on its left and `d` on its right, should be replaced by the edge from
    /// `c` to `d`.
    fn should_flip(&self, a: u32, b: u32, c: u32, d: u32) -> bool {
        let [a, b, c, d] = [a, b, c, d].map(|corner| self.points[corner as usize]);
        let size = a.distance_squared(b).max(c.distance_squared(d));
        let convex = twice_area(a, d, c) > 1e-9 * size && twice_area(d, b, c) > 1e-9 * size;
        // In-circle test (Delaunay criterion): d is inside the circle through a, b and c.
        let [p, q, r] = [a - d, b - d, c - d];
        let determinant = p.length_squared() * q.perp_dot(r) - q.length_squared() * p.perp_dot(r)
            + r.length_squared() * p.perp_dot(q);
        convex && determinant > 1e-12 * size * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn area(face: &Face, outline: &[DVec2]) -> f64 {
        let points: Vec<DVec2> = outline.iter().chain(&face.inner).copied().collect();
        let areas = face.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|corner| points[corner as usize]);
            assert!(twice_area(a, b, c) > 0.0);
            0.5 * twice_area(a, b, c)
        });
        areas.sum()
    }

    #[test]
    fn triangulation_of_a_square_and_an_l_keeps_the_outline() {
        let line = |a: [f64; 2], b: [f64; 2], n: usize| {
            (0..n).map(move |k| DVec2::from(a).lerp(DVec2::from(b), k as f64 / n as f64))
        };
        let walk = |corners: &[[f64; 2]]| -> Vec<DVec2> {
            let next = corners.iter().cycle().skip(1);
            corners.iter().zip(next).flat_map(|(&a, &b)| line(a, b, 8)).collect()
        };
        let square = walk(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let ell = walk(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]);
        for (outline, exact) in [(square, 1.0), (ell, 3.0)] {
            let face = triangulate(&outline);
            assert!(face.inner.len() > 20);
            assert_relative_eq!(area(&face, &outline), exact, epsilon = 1e-12);
            // Euler's formula: a disk with n corners and m interior points has n + 2 m - 2 triangles.
            assert_eq!(face.triangles.len(), outline.len() + 2 * face.inner.len() - 2);
            let directed: Vec<[u32; 2]> =
                face.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
            for corner in 0..outline.len() as u32 {
                assert!(directed.contains(&[corner, (corner + 1) % outline.len() as u32]));
            }
        }
    }

    #[test]
    fn a_self_intersecting_outline_gives_triangles() {
        let bow = [DVec2::ZERO, DVec2::new(1.0, 1.0), DVec2::new(1.0, 0.0), DVec2::new(0.0, 1.0)];
        assert!(triangulate(&bow).triangles.len() >= 2);
        assert_eq!(triangulate(&[DVec2::ZERO; 5]).triangles.len(), 3);
    }
}
