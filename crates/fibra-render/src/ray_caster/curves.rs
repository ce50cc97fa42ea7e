//! Curves to draw: hair, yarn, ropes.

use super::picture::Finish;
use glam::Vec3;

/// Curves of round cross-section, given as segments between vertices. Segments that share a vertex run into each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Vertices [m].
    pub positions: Vec<Vec3>,
    /// Ends of each segment, as indices into `positions`.
    pub segments: Vec<[u32; 2]>,
    /// Linear RGB, one per vertex; left empty, `color` is used throughout.
    pub vertex_colors: Vec<Vec3>,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Radius of the cross-section [m].
    pub radius: f32,
    /// How light leaves the surface.
    pub finish: Finish,
}

impl Curves {
    /// Direction of the curve at each vertex, either way along it and of any length: at the end of a curve that of its
    /// segment, between two segments their mean. It is zero at junctions, where there is no one direction.
    pub(super) fn tangents(&self) -> Vec<Vec3> {
        let mut tangents = vec![Vec3::ZERO; self.positions.len()];
        let mut degrees = vec![0u8; self.positions.len()];
        for &[a, b] in &self.segments {
            let at = |vertex: u32| self.positions.get(vertex as usize).copied();
            let (Some(start), Some(end)) = (at(a), at(b)) else { continue };
            let Some(direction) = (end - start).try_normalize() else { continue };
            // Two directions away from a vertex, on opposite sides of it: their difference runs along the curve.
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
    fn tangents_follow_the_curve_whichever_way_its_segments_point() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let positions: Vec<Vec3> = (0..=20)
            .map(|k| (quarter * k as f32 / 20.0).sin_cos())
            .map(|(sine, cosine)| Vec3::new(cosine, sine, 0.0))
            .collect();
        let segments = (0..20).map(|k| if k % 3 == 0 { [k + 1, k] } else { [k, k + 1] }).collect();
        let curve = Curves { positions, segments, ..Curves::default() };
        for (vertex, tangent) in curve.tangents().into_iter().enumerate() {
            let along = Vec3::Z.cross(curve.positions[vertex]);
            // At the ends the tangent is a chord's, half a segment's angle off.
            assert!(tangent.normalize().dot(along).abs() > (0.51 * quarter / 20.0).cos(), "{vertex}: {tangent}");
        }
    }

    #[test]
    fn junctions_and_broken_segments_have_no_tangent() {
        let curves = Curves {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::NAN],
            segments: vec![[0, 1], [0, 2], [3, 0], [3, 4], [4, 9], [2, 2]],
            ..Curves::default()
        };
        assert_eq!(curves.tangents(), [Vec3::ZERO, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z, Vec3::ZERO]);
    }
}
