//! Surfaces of revolution about the y axis: tubes, and the surfaces of balls, cylinders and capsules.

use super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use crate::geometry::TriangleMesh;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Minimum number of vertices around the axis.
const MIN_SIDES: f64 = 8.0;

/// A surface of revolution about the y axis, with triangles counterclockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolved {
    /// The profile: smooth parts with sharp edges between them, each a polyline of points [distance from the axis, height] [m]. Triangles
    /// face outward if the profile runs from the bottom of the surface to the top.
    pub parts: Vec<Vec<[f64; 2]>>,
    /// Largest distance between neighboring vertices, along the profile and around the axis [m].
    pub spacing: f64,
}

impl Revolved {
    /// Creates a tube centered at the origin, open at both ends.
    pub fn tube(radius: f64, height: f64, spacing: f64) -> Self {
        Self { parts: vec![vec![[radius, -0.5 * height], [radius, 0.5 * height]]], spacing }
    }

    /// Creates the surface of a cylinder centered at the origin.
    pub fn cylinder(radius: f64, height: f64, spacing: f64) -> Self {
        let half = 0.5 * height;
        let bottom = vec![[0.0, -half], [radius, -half]];
        let side = vec![[radius, -half], [radius, half]];
        let top = vec![[radius, half], [0.0, half]];
        Self { parts: vec![bottom, side, top], spacing }
    }

    /// Creates the surface of a capsule centered at the origin, with `length` [m] between the end centers; 0 gives a ball.
    pub fn capsule(radius: f64, length: f64, spacing: f64) -> Self {
        let quarter = segment_count(FRAC_PI_2 * radius, spacing).clamp(2.0, 1e6) as u32;
        let cap = |step: u32, shift: f64| {
            let angle = FRAC_PI_2 * (f64::from(step) / f64::from(quarter) - 1.0);
            [radius * angle.cos(), radius * angle.sin() + shift]
        };
        let mut part: Vec<[f64; 2]> = (0..=quarter).map(|step| cap(step, -0.5 * length)).collect();
        let upper = (0..=quarter).rev().map(|step| cap(step, -0.5 * length)).map(|[r, y]| [r, -y]);
        part.extend(upper.skip(usize::from(length == 0.0)));
        // Exactly on the axis, so that each pole is a single vertex.
        part[0][0] = 0.0;
        if let Some(last) = part.last_mut() {
            last[0] = 0.0;
        }
        Self { parts: vec![part], spacing }
    }

    /// Builds the surface, with one vertex at each point on the axis.
    pub fn build(&self) -> Result<TriangleMesh, GenerateError> {
        require_positive([("spacing", self.spacing)])?;
        let all = || self.parts.iter().flatten();
        for &[radius, height] in all() {
            require(radius >= 0.0 && radius.is_finite(), "radius", radius, "it must be finite and not negative")?;
            require(height.is_finite(), "height", height, "it must be finite")?;
        }
        let widest = all().map(|point| point[0]).fold(0.0, f64::max);
        require_positive([("radius", widest)])?;
        let sides = segment_count(TAU * widest, self.spacing).max(MIN_SIDES);
        let steps = |[a, b]: [[f64; 2]; 2]| segment_count((b[0] - a[0]).hypot(b[1] - a[1]), self.spacing);
        let rings: f64 = self.parts.iter().flat_map(|part| part.windows(2)).map(|two| steps([two[0], two[1]])).sum();
        require_particle_limit(3.0 * sides * (rings + self.parts.len() as f64))?;

        let mut skin = Skin { sides: sides as u32, ..Skin::default() };
        for part in &self.parts {
            let mut before: Option<Ring> = None;
            let mut row = 0;
            for (index, &point) in part.iter().enumerate() {
                let start = index.checked_sub(1).map_or(point, |last| part[last]);
                let count = if index == 0 { 1 } else { steps([start, point]) as u32 };
                for step in 1..=count {
                    let share = f64::from(step) / f64::from(count);
                    let [radius, height] = [0, 1].map(|k| start[k] + share * (point[k] - start[k]));
                    let ring = skin.ring(radius, height);
                    if let Some(before) = before {
                        skin.join(before, ring, row);
                        row += 1;
                    }
                    before = Some(ring);
                }
            }
        }
        Ok(TriangleMesh::new(skin.vertices, skin.triangles)?)
    }
}

/// A ring of vertices around the axis: index of the first vertex, and whether the ring is a single vertex on the axis.
#[derive(Clone, Copy)]
struct Ring {
    first: u32,
    pole: bool,
}

#[derive(Default)]
struct Skin {
    sides: u32,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Skin {
    fn ring(&mut self, radius: f64, height: f64) -> Ring {
        let first = self.vertices.len() as u32;
        let pole = radius == 0.0;
        let count = if pole { 1 } else { self.sides };
        let step = 2.0 * PI / f64::from(self.sides);
        self.vertices.extend((0..count).map(|side| {
            let (sin, cos) = (f64::from(side) * step).sin_cos();
            DVec3::new(radius * sin, height, radius * cos)
        }));
        Ring { first, pole }
    }

    /// Adds the triangles between a ring and the next one. The diagonals of squares alternate in a checkerboard pattern.
    fn join(&mut self, low: Ring, high: Ring, row: u32) {
        for side in 0..self.sides {
            let next = (side + 1) % self.sides;
            let [a, b] = [side, next].map(|side| low.first + if low.pole { 0 } else { side });
            let [d, c] = [side, next].map(|side| high.first + if high.pole { 0 } else { side });
            match (low.pole, high.pole) {
                (true, true) => {}
                (true, false) => self.triangles.push([a, c, d]),
                (false, true) => self.triangles.push([a, b, c]),
                (false, false) if (side + row).is_multiple_of(2) => self.triangles.extend([[a, b, c], [a, c, d]]),
                (false, false) => self.triangles.extend([[a, b, d], [b, c, d]]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn surfaces_of_solids_enclose_their_volumes() {
        let ball = Revolved::capsule(0.5, 0.0, 0.02).build().unwrap();
        assert!(ball.is_closed());
        assert_relative_eq!(ball.signed_volume(), PI / 6.0, max_relative = 2e-3);
        let capsule = Revolved::capsule(0.5, 2.0, 0.02).build().unwrap();
        assert!(capsule.is_closed());
        assert_relative_eq!(capsule.signed_volume(), PI / 6.0 + PI / 2.0, max_relative = 2e-3);
        assert_eq!(capsule.bounds().extent().y, 3.0);
        // The vertices of sharp rims are duplicated; coincident vertices count as one.
        let column = Revolved::cylinder(0.5, 2.0, 0.02).build().unwrap();
        assert!(column.is_closed());
        assert_relative_eq!(column.signed_volume(), PI / 2.0, max_relative = 2e-3);
    }

    #[test]
    fn tube_is_open_with_small_triangles() {
        let tube = Revolved::tube(0.1, 0.3, 0.02).build().unwrap();
        assert!(!tube.is_closed());
        assert_eq!(tube.vertices().len(), 32 * 16);
        let area: f64 = (0..tube.triangles().len())
            .map(|t| tube.corners(t))
            .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
            .sum();
        assert_relative_eq!(area, TAU * 0.1 * 0.3, max_relative = 2e-3);
        tube.into_cloth().unwrap();
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let parameter = |surface: Revolved| assert!(matches!(surface.build(), Err(GenerateError::Parameter { .. })));
        parameter(Revolved::tube(0.0, 1.0, 0.1));
        parameter(Revolved::tube(-1.0, 1.0, 0.1));
        parameter(Revolved::tube(1.0, f64::NAN, 0.1));
        parameter(Revolved::capsule(1.0, 0.0, 0.0));
        assert!(matches!(Revolved::tube(1.0, 1.0, 1e-6).build(), Err(GenerateError::TooMany { .. })));
    }
}
