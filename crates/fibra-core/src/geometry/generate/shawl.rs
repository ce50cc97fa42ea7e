//! A garment for the figure: a short cape around its shoulders.

use super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use crate::geometry::TriangleMesh;
use glam::DVec3;
use std::f64::consts::TAU;

/// Half width, half depth and height of the collar, and of the ring where the cape leaves the shoulders [m].
const COLLAR: DVec3 = DVec3::new(0.066, 0.066, 1.45);
const SHOULDER: DVec3 = DVec3::new(0.24, 0.13, 1.405);
/// Change of the rings' half width, half depth and height per meter downward [-].
const FLARE: DVec3 = DVec3::new(0.5, 0.35, -1.0);
/// Number of folds around the hem, and their depth relative to the radius there [-].
const FOLDS: f64 = 11.0;
const FOLD_DEPTH: f64 = 0.05;

/// A short cape, open at the collar and at the hem, around the shoulders of the standing [figure](crate::geometry::BodyPart). Its
/// triangles face outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shawl {
    /// Length below the shoulders [m]; at most 0.6.
    pub length: f64,
    /// Approximate edge length [m].
    pub spacing: f64,
}

impl Shawl {
    /// Builds the cape as a mesh. Also returns, for each vertex, its relative distance below the shoulders: 0 at the shoulders and above, 1
    /// at the hem.
    pub fn build(&self) -> Result<(TriangleMesh, Vec<f64>), GenerateError> {
        require_positive([("length", self.length), ("spacing", self.spacing)])?;
        require(self.length <= 0.6, "length", self.length, "it must be at most 0.6")?;
        let hem = SHOULDER + self.length * FLARE;
        let upper = segment_count((SHOULDER - COLLAR).length(), self.spacing);
        let lower = segment_count((hem - SHOULDER).length(), self.spacing);
        let around = segment_count(TAU * 0.5 * (hem.x + hem.y), self.spacing).max(8.0);
        require_particle_limit(3.0 * (upper + lower + 1.0) * around)?;
        let (rings, around) = ((upper + lower) as u32 + 1, around as u32);
        let (mut vertices, mut hanging) = (Vec::new(), Vec::new());
        for ring in 0..rings {
            let place = f64::from(ring);
            let down = ((place - upper) / lower).max(0.0);
            let size = if place < upper { COLLAR.lerp(SHOULDER, place / upper) } else { SHOULDER.lerp(hem, down) };
            for i in 0..around {
                let angle = TAU * f64::from(i) / f64::from(around);
                let fold = 1.0 + FOLD_DEPTH * down * (FOLDS * angle).sin();
                vertices.push(DVec3::new(fold * size.x * angle.sin(), size.z, fold * size.y * angle.cos()));
                hanging.push(down);
            }
        }
        let mut triangles = Vec::new();
        for ring in 0..rings - 1 {
            for i in 0..around {
                let [a, b] = [i, (i + 1) % around].map(|i| ring * around + i);
                let [c, d] = [a, b].map(|above| above + around);
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        Ok((TriangleMesh::new(vertices, triangles)?, hanging))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{BodyPart, DeformedMesh};
    use glam::Vec3;

    #[test]
    fn shawl_covers_the_shoulders_and_faces_outward() {
        let (mesh, hanging) = Shawl { length: 0.16, spacing: 0.02 }.build().unwrap();
        assert!(!mesh.is_closed() && hanging.len() == mesh.vertices().len());
        let surface = DeformedMesh::new(&mesh, DVec3::ZERO, 0.02);
        assert!((surface.signed_distance(Vec3::new(0.15, 1.6, 0.0)) - 0.17).abs() < 0.02);
        let below = mesh.vertices()[mesh.vertices().len() / 2].as_vec3() * Vec3::new(0.97, 1.0, 0.97);
        assert!(surface.signed_distance(below) < 0.0);
        for part in [BodyPart::Shoulders, BodyPart::Chest, BodyPart::Neck] {
            let (ends, radius) = part.capsule();
            for x in mesh.vertices() {
                let along = ends[1] - ends[0];
                let share = ((*x - ends[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                assert!(x.distance(ends[0] + share * along) > radius, "{part:?} {x}");
            }
        }
        for bad in [0.0, 0.7, f64::NAN] {
            assert!(Shawl { length: bad, spacing: 0.02 }.build().is_err());
            assert!(Shawl { length: 0.2, spacing: bad.min(0.0) }.build().is_err());
        }
    }
}
