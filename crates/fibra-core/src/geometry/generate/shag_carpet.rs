//! A shag carpet: a flexible net with a pile of strands.

use super::{GenerateError, require, require_not_negative, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use crate::random::CounterRng;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// A rectangular net in the xz-plane, centered at the origin, with tufts of strands that grow up from its junctions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShagCarpet {
    /// Edge length along x [m].
    pub width: f64,
    /// Edge length along z [m].
    pub depth: f64,
    /// Longest edge of the net's squares [m].
    pub mesh_size: f64,
    /// Number of strands per junction.
    pub strands: u32,
    /// Mean length of the strands [m]; each is up to 20% longer or shorter.
    pub pile: f64,
    /// Largest angle between a strand and the vertical [rad], below pi/2. Strands start vertical and bend over to this angle.
    pub lean: f64,
    /// Longest segment of net and pile [m].
    pub spacing: f64,
    /// Seed of the strands' directions and lengths.
    pub seed: u64,
}

/// Relative variation of the strand lengths [-].
const LENGTH_VARIATION: f64 = 0.2;

impl ShagCarpet {
    /// Builds the net, then the strands. A strand's root is the junction it grows from.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let sizes = [("width", self.width), ("depth", self.depth), ("mesh_size", self.mesh_size)];
        require_positive(sizes)?;
        require_positive([("pile", self.pile), ("spacing", self.spacing)])?;
        require_not_negative([("lean", self.lean)])?;
        require(self.lean < 0.25 * TAU, "lean", self.lean, "it must be below half of pi (1.5707)")?;
        let [columns, rows] = [self.width, self.depth].map(|length| segment_count(length, self.mesh_size));
        let per_edge = segment_count(self.mesh_size, self.spacing);
        let per_strand = segment_count((1.0 + LENGTH_VARIATION) * self.pile, self.spacing);
        let junctions = (columns + 1.0) * (rows + 1.0);
        require_particle_limit(2.0 * junctions * (2.0 * per_edge + f64::from(self.strands) * per_strand))?;

        let mut carpet = CurveBuilder::default();
        let (columns, rows) = (columns as u32, rows as u32);
        let mut junction = Vec::with_capacity(junctions as usize);
        for row in 0..=rows {
            for column in 0..=columns {
                let at = |i: u32, n: u32, length: f64| (f64::from(i) / f64::from(n) - 0.5) * length;
                junction.push(carpet.point(DVec3::new(
                    at(column, columns, self.width),
                    0.0,
                    at(row, rows, self.depth),
                )));
            }
        }
        let stride = columns as usize + 1;
        for (i, &from) in junction.iter().enumerate() {
            if i % stride < columns as usize {
                carpet.line(from, junction[i + 1], self.spacing);
            }
            if let Some(&to) = junction.get(i + stride) {
                carpet.line(from, to, self.spacing);
            }
        }
        let random = CounterRng::new(self.seed);
        for (i, &root) in junction.iter().enumerate() {
            for strand in 0..u64::from(self.strands) {
                self.grow(root, |k| random.uniform(&[i as u64, strand, k]), &mut carpet);
            }
        }
        Ok(carpet.finish()?)
    }

    /// Adds one strand: a circular arc of equal segments.
    fn grow(&self, root: u32, random: impl Fn(u64) -> f64, carpet: &mut CurveBuilder) {
        let length = self.pile * (1.0 + LENGTH_VARIATION * (2.0 * random(0) - 1.0));
        let toward = DVec2::from_angle(TAU * random(1));
        // With the square root of a uniform number, directions are uniform over the disk of lean angles.
        let lean = self.lean * random(2).sqrt();
        let segments = segment_count(length, self.spacing);
        let mut at = carpet.position(root);
        let mut last = root;
        for i in 0..segments as u64 {
            let (across, up) = (lean * (i as f64 + 0.5) / segments).sin_cos();
            at += length / segments * DVec3::new(across * toward.x, up, across * toward.y);
            let next = carpet.point(at);
            carpet.segment(last, next);
            last = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const CARPET: ShagCarpet = ShagCarpet {
        width: 0.4,
        depth: 0.2,
        mesh_size: 0.02,
        strands: 3,
        pile: 0.05,
        lean: 0.5,
        spacing: 0.01,
        seed: 1,
    };

    #[test]
    fn carpet_is_a_net_with_tufts() {
        let mesh = CARPET.build().unwrap();
        let (junctions, edges) = (21 * 11, 20 * 11 + 21 * 10);
        let bare = ShagCarpet { strands: 0, ..CARPET }.build().unwrap();
        assert_eq!((bare.points().len(), bare.segments().len()), (junctions + edges, 2 * edges));
        assert_eq!(mesh.points()[..bare.points().len()], bare.points()[..]);
        // Strands of 40 to 60 mm have four to six segments.
        let strands = mesh.segments().len() - bare.segments().len();
        assert!((4 * 3 * junctions..=6 * 3 * junctions).contains(&strands), "{strands}");
        assert!(mesh.lengths().all(|length| (0.0079..=0.01 + 1e-12).contains(&length)));
        let bounds = mesh.bounds();
        assert_eq!(bounds.min.y, 0.0);
        assert!(bounds.max.y <= 0.06 && bounds.max.y > 0.045, "{}", bounds.max.y);
        assert!(bounds.extent().x < 0.4 + 0.06 && bounds.extent().z < 0.2 + 0.06);
    }

    #[test]
    fn strands_lean_at_most_by_the_given_angle() {
        let bare = ShagCarpet { strands: 0, ..CARPET }.build().unwrap().segments().len();
        let mesh = CARPET.build().unwrap();
        for segment in bare..mesh.segments().len() {
            let [a, b] = mesh.ends(segment);
            assert!((b - a).normalize().y >= 0.5f64.cos() - 1e-12);
        }
    }

    #[test]
    fn size_matches_the_paper() {
        let carpet = ShagCarpet { width: 1.2, depth: 1.2, mesh_size: 0.015, strands: 5, pile: 0.12, ..CARPET };
        assert_relative_eq!(carpet.build().unwrap().segments().len() as f64, 0.48e6, max_relative = 0.15);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        for carpet in [
            ShagCarpet { lean: 1.6, ..CARPET },
            ShagCarpet { pile: 0.0, ..CARPET },
            ShagCarpet { width: f64::INFINITY, ..CARPET },
            ShagCarpet { mesh_size: f64::NAN, ..CARPET },
        ] {
            assert!(matches!(carpet.build().unwrap_err(), GenerateError::Parameter { .. }), "{carpet:?}");
        }
        for carpet in [ShagCarpet { spacing: 1e-8, ..CARPET }, ShagCarpet { strands: u32::MAX, ..CARPET }] {
            assert!(matches!(carpet.build().unwrap_err(), GenerateError::TooMany { .. }), "{carpet:?}");
        }
    }
}
