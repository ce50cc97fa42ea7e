//! A curtain: a rectangular cloth that hangs in folds.

use super::sheet::triangulated_grid;
use super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use crate::geometry::TriangleMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Ratio of cloth width to span above which the folds would touch each other [-].
const MAX_FULLNESS: f64 = 4.0;

/// A rectangular cloth that hangs along -y from `y = 0`, with folds along x that swing along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curtain {
    /// Width of the unfolded cloth [m].
    pub width: f64,
    /// Height [m].
    pub height: f64,
    /// Width of the folded curtain [m]: from `width` (flat) down to a quarter of it.
    pub span: f64,
    /// Number of folds; at least 1.
    pub folds: u32,
    /// Longest edge of the squares that are split into triangles [m].
    pub spacing: f64,
}

impl Curtain {
    /// Builds a sheet folded without stretching: every edge is as long as in the flat sheet. Vertices are ordered along x first, from the
    /// top row down.
    pub fn build(&self) -> Result<TriangleMesh, GenerateError> {
        let sizes = [("width", self.width), ("height", self.height), ("span", self.span), ("spacing", self.spacing)];
        require_positive(sizes)?;
        require(self.folds > 0, "folds", 0.0, "it must be at least 1")?;
        let fits = self.span <= self.width && MAX_FULLNESS * self.span >= self.width;
        require(fits, "span", self.span, "it must be between a quarter of the width and the width")?;
        let [columns, rows] = [self.width, self.height].map(|length| segment_count(length, self.spacing));
        let resolved = columns >= 6.0 * f64::from(self.folds);
        require(resolved, "spacing", self.spacing, "each fold needs at least six edges")?;
        require_particle_limit((columns + 1.0) * (rows + 1.0) + 2.0 * columns * rows)?;
        let profile = self.profile(columns as usize);
        let middle = 0.5 * self.span;
        triangulated_grid(columns as u32, rows as u32, |u, v| {
            let across = profile[(u * columns).round() as usize];
            DVec3::new(across.x - middle, -v * self.height, across.y)
        })
    }

    /// Returns the profile seen from above [m]: `edges` edges of equal length, with the first and last point `span` apart along x.
    ///
    /// The direction angle of the edges is a sine of the arc length (a sine-generated curve, like folds of cloth and meanders of rivers). All
    /// edges have equal length by construction.
    fn profile(&self, edges: usize) -> Vec<DVec2> {
        let edge = self.width / edges as f64;
        let waves = TAU * f64::from(self.folds);
        let swing = |i: usize| (waves * (i as f64 + 0.5) / edges as f64).cos();
        let span = |angle: f64| (0..edges).map(|i| edge * (angle * swing(i)).cos()).sum::<f64>();
        // The span decreases monotonically from the width at angle 0 to almost zero at 2.4, the first zero of J_0.
        let (mut low, mut high) = (0.0, 2.4);
        for _ in 0..60 {
            let angle = 0.5 * (low + high);
            if span(angle) > self.span {
                low = angle;
            } else {
                high = angle;
            }
        }
        let mut at = DVec2::ZERO;
        let mut points = vec![at];
        points.extend((0..edges).map(|i| {
            at += edge * DVec2::from_angle(high * swing(i));
            at
        }));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::generate::Sheet;
    use approx::assert_relative_eq;

    const CURTAIN: Curtain = Curtain { width: 2.0, height: 1.0, span: 1.2, folds: 6, spacing: 0.02 };

    #[test]
    fn folding_preserves_edge_lengths() {
        for span in [0.5, 1.2, 2.0] {
            let curtain = Curtain { span, ..CURTAIN }.build().unwrap();
            let flat = Sheet { width: 2.0, depth: 1.0, spacing: 0.02 }.build().unwrap();
            assert_eq!(curtain.triangles(), flat.triangles());
            for t in 0..flat.triangles().len() {
                let ([a, b, c], [d, e, f]) = (curtain.corners(t), flat.corners(t));
                for (folded, rest) in [((a, b), (d, e)), ((b, c), (e, f)), ((c, a), (f, d))] {
                    assert_relative_eq!(folded.0.distance(folded.1), rest.0.distance(rest.1), max_relative = 1e-9);
                }
            }
        }
    }

    #[test]
    fn curtain_has_the_given_span() {
        let mesh = CURTAIN.build().unwrap();
        let first_row = &mesh.vertices()[..101];
        assert_relative_eq!(first_row[0].x, -0.6, epsilon = 1e-9);
        assert_relative_eq!(first_row[100].x, 0.6, epsilon = 1e-9);
        assert_relative_eq!(first_row[100].z, first_row[0].z, epsilon = 1e-9);
        assert!(first_row.iter().all(|v| v.y == 0.0));
        assert_relative_eq!(mesh.bounds().min.y, -1.0);
        // Six folds of 1/3 m of cloth each in 0.2 m are about 0.12 m deep.
        let depth = mesh.bounds().extent().z;
        assert!((0.08..0.16).contains(&depth), "{depth}");
        mesh.into_cloth().unwrap();
    }

    #[test]
    fn tightest_curtain_does_not_touch_itself() {
        let profile = Curtain { span: 0.5, ..CURTAIN }.profile(600);
        for i in 0..profile.len() {
            for j in i + 60..profile.len() {
                assert!(profile[i].distance(profile[j]) > 0.01, "{i} {j}");
            }
        }
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let cases = [
            Curtain { span: 2.1, ..CURTAIN },
            Curtain { span: 0.4, ..CURTAIN },
            Curtain { folds: 0, ..CURTAIN },
            Curtain { folds: u32::MAX, ..CURTAIN },
            Curtain { spacing: f64::NAN, ..CURTAIN },
            Curtain { height: 0.0, ..CURTAIN },
        ];
        for curtain in cases {
            assert!(matches!(curtain.build().unwrap_err(), GenerateError::Parameter { .. }), "{curtain:?}");
        }
        let endless = Curtain { spacing: 1e-9, ..CURTAIN };
        assert!(matches!(endless.build().unwrap_err(), GenerateError::TooMany { .. }));
    }
}
