//! Curves to draw: hair, yarn, ropes.

use super::picture::Finish;
use glam::Vec3;

/// Curves with a round cross-section, given as segments between vertices. Segments that share a vertex are connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Vertices [m].
    pub positions: Vec<Vec3>,
    /// Ends of each segment, as indices into `positions`.
    pub segments: Vec<[u32; 2]>,
    /// Linear RGB, one per vertex; if empty, `color` is used for all vertices.
    pub vertex_colors: Vec<Vec3>,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Radius of the cross-section [m].
    pub radius: f32,
    /// Finish of the surface.
    pub finish: Finish,
}

impl Curves {
    /// Returns the tangent at each vertex, with arbitrary sign and length. At the end of a curve, it is the direction of the
    /// segment; between two segments, it is their mean direction. It is zero at junctions, where the direction is undefined.
    pub(super) fn tangents(&self) -> Vec<Vec3> {
        let mut tangents = vec![Vec3::ZERO; self.positions.len()];
        let mut degrees = vec![0u8; self.positions.len()];
        for &[a, b] in &self.segments {
            let at = |vertex: u32| self.positions.get(vertex as usize).copied();
            let (Some(start), Some(end)) = (at(a), at(b)) else { continue };
            let Some(direction) = (end - start).try_normalize() else { continue };
            // The directions from a vertex to its two neighbors are nearly opposite; their difference is along the curve.
            for (vertex, away) in [(a as usize, direction), (b as usize, -direction)] {
                tangents[vertex] = match degrees[vertex] {
                    0 => away,
                    1 => tangents[vertex] - away,
                    _ => Vec3::ZERO,
                };
                degrees[vertex] = (degrees[vertex] + 1).min(2);
            }
        }
        tangents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_do_not_depend_on_the_direction_of_segments() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let positions: Vec<Vec3> = (0..=20)
            .map(|k| (quarter * k as f32 / 20.0).sin_cos())
            .map(|(sine, cosine)| Vec3::new(cosine, sine, 0.0))
            .collect();
        let segments = (0..20).map(|k| if k % 3 == 0 { [k + 1, k] } else { [k, k + 1] }).collect();
        let curve = Curves { positions, segments, ..Curves::default() };
        for (vertex, tangent) in curve.tangents().into_iter().enumerate() {
            let along = Vec3::Z.cross(curve.positions[vertex]);
            // At the ends, the tangent is the direction of a chord, which deviates by half the angle of a segment.
            assert!(tangent.normalize().dot(along).abs() > (0.51 * quarter / 20.0).cos(), "{vertex}: {tangent}");
        }
    }

    #[test]
    fn junctions_and_invalid_segments_have_no_tangent() {
        let curves = Curves {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::NAN],
            segments: vec![[0, 1], [0, 2], [3, 0], [3, 4], [4, 9], [2, 2]],
            ..Curves::default()
        };
        assert_eq!(curves.tangents(), [Vec3::ZERO, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z, Vec3::ZERO]);
    }
}
