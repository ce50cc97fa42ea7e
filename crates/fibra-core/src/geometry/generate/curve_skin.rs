//! Surfaces of wires: tubes around curves.

use super::{GenerateError, WireSection, require_particle_limit, require_positive};
use crate::geometry::{CurveMesh, Strand, TriangleMesh};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Number of vertices around a round cross section.
const SIDES: u32 = 8;

/// Tubes around the strands of a curve mesh, closed at their ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSkin {
    /// Cross section of the tubes.
    pub section: WireSection,
}

impl CurveSkin {
    /// Builds one tube per strand, or one per segment if the curves have junctions.
    pub fn build(&self, curves: &CurveMesh) -> Result<TriangleMesh, GenerateError> {
        match self.section {
            WireSection::Round { radius } => require_positive([("radius", radius)])?,
            WireSection::Rectangle { width, height, .. } => require_positive([("width", width), ("height", height)])?,
        }
        let per_point = 3.0 * f64::from(SIDES) + 4.0;
        require_particle_limit(per_point * (curves.points().len() + 2 * curves.segments().len()) as f64)?;
        let alone = |&[a, b]: &[u32; 2]| Strand { points: vec![a, b], closed: false };
        let strands = curves.strands().unwrap_or_else(|_| curves.segments().iter().map(alone).collect());
        let mut skin = Skin { outline: outline(&self.section), vertices: Vec::new(), triangles: Vec::new() };
        for strand in &strands {
            let points: Vec<DVec3> = strand.points.iter().map(|&point| curves.points()[point as usize]).collect();
            skin.tube(&points, strand.closed, &self.section);
        }
        Ok(TriangleMesh::new(skin.vertices, skin.triangles)?)
    }
}

/// Returns the outline of a cross section, counterclockwise seen from the wire's end. Corners are duplicated at sharp edges.
fn outline(section: &WireSection) -> Vec<[f64; 2]> {
    match *section {
        WireSection::Round { radius } => (0..SIDES)
            .map(|side| (TAU * f64::from(side) / f64::from(SIDES)).sin_cos())
            .map(|(sin, cos)| [radius * cos, radius * sin])
            .collect(),
        // Duplicate each corner for sharp edges.
        WireSection::Rectangle { width, height, .. } => {
            let [a, b] = [0.5 * width, 0.5 * height];
            vec![[a, -b], [a, b], [a, b], [-a, b], [-a, b], [-a, -b], [-a, -b], [a, -b]]
        }
    }
}

struct Skin {
    outline: Vec<[f64; 2]>,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Skin {
    fn tube(&mut self, points: &[DVec3], closed: bool, section: &WireSection) {
        let frames = frames(points, closed, section);
        let sides = self.outline.len() as u32;
        let rings: Vec<u32> =
            points.iter().zip(&frames).map(|(&point, &[along, up])| self.ring(point, along, up)).collect();
        let pairs = if closed { points.len() } else { points.len() - 1 };
        for pair in 0..pairs {
            let [low, high] = [pair, (pair + 1) % points.len()].map(|ring| rings[ring]);
            for side in 0..sides {
                // There is no face between the two copies of a corner.
                let next = (side + 1) % sides;
                if self.outline[side as usize] != self.outline[next as usize] {
                    let [a, b, c, d] = [low + side, low + next, high + next, high + side];
                    self.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        if !closed {
            let last = points.len() - 1;
            self.cap(points[0], frames[0], false);
            self.cap(points[last], frames[last], true);
        }
    }

    /// Adds the outline around a point, for a wire in the direction `along`. Returns the index of its first vertex.
    fn ring(&mut self, point: DVec3, along: DVec3, up: DVec3) -> u32 {
        let first = self.vertices.len() as u32;
        // Looking against the wire's direction, `across` is to the right of `up`.
        let across = up.cross(along);
        self.vertices.extend(self.outline.iter().map(|&[x, y]| point + x * across + y * up));
        first
    }

    fn cap(&mut self, point: DVec3, [along, up]: [DVec3; 2], end: bool) {
        let rim = self.ring(point, along, up);
        let middle = self.vertices.len() as u32;
        self.vertices.push(point);
        let sides = self.outline.len() as u32;
        for side in 0..sides {
            let next = (side + 1) % sides;
            if self.outline[side as usize] != self.outline[next as usize] {
                let [a, b] = [rim + side, rim + next];
                self.triangles.push(if end { [middle, a, b] } else { [middle, b, a] });
            }
        }
    }
}

/// Returns the unit tangent and the up direction at each point.
fn frames(points: &[DVec3], closed: bool, section: &WireSection) -> Vec<[DVec3; 2]> {
    let count = points.len();
    let tangent = |i: usize| {
        let (before, after) = if closed {
            ((i + count - 1) % count, (i + 1) % count)
        } else {
            (i.saturating_sub(1), (i + 1).min(count - 1))
        };
        // Where a wire reverses direction, use the incoming direction.
        (points[after] - points[before]).try_normalize().unwrap_or((points[i] - points[before]).normalize_or(DVec3::X))
    };
    let mut kept = tangent(0).any_orthonormal_vector();
    let mut frames: Vec<[DVec3; 2]> = (0..count)
        .map(|i| {
            let along = tangent(i);
            let across = |v: DVec3| (v - v.dot(along) * along).try_normalize();
            let wanted = match section {
                WireSection::Round { .. } => None,
                WireSection::Rectangle { up, .. } => across(up.normalize_or_zero()),
            };
            kept = wanted.or_else(|| across(kept)).unwrap_or(along.any_orthonormal_vector());
            [along, kept]
        })
        .collect();
    if closed && let WireSection::Round { .. } = section {
        // After transport once around the loop, the up direction is rotated relative to its start: distribute this rotation over the loop.
        let [along, start] = frames[0];
        let end = (kept - kept.dot(along) * along).normalize_or(start);
        let turn = along.dot(end.cross(start)).atan2(end.dot(start));
        for (i, [along, up]) in frames.iter_mut().enumerate() {
            *up = DQuat::from_axis_angle(*along, turn * i as f64 / count as f64) * *up;
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::generate::{Helix, Polyline};
    use approx::assert_relative_eq;

    #[test]
    fn tubes_are_closed_and_enclose_their_wires() {
        let curve = Helix { radius: 0.3, pitch: 0.4, turns: 2.0, left_handed: false, spacing: 0.01 }.build().unwrap();
        let length: f64 = curve.lengths().sum();
        let round = CurveSkin { section: WireSection::Round { radius: 0.01 } }.build(&curve).unwrap();
        assert!(round.is_closed());
        // An octagon has the area 2 sqrt(2) R^2.
        assert_relative_eq!(round.signed_volume(), 8f64.sqrt() * 1e-4 * length, max_relative = 1e-2);
        let section = WireSection::Rectangle { width: 0.02, height: 0.005, up: DVec3::Y };
        let band = CurveSkin { section }.build(&curve).unwrap();
        assert!(band.is_closed());
        assert_relative_eq!(band.signed_volume(), 1e-4 * length, max_relative = 1e-2);
    }

    #[test]
    fn closed_loops_have_no_caps() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y + 0.5 * DVec3::Z];
        let curve = Polyline { points, closed: true, spacing: 0.05 }.build().unwrap();
        let skin = CurveSkin { section: WireSection::Round { radius: 0.01 } }.build(&curve).unwrap();
        assert!(skin.is_closed() && skin.signed_volume() > 0.0);
        assert_eq!(skin.vertices().len(), 8 * curve.points().len());
        // No facet is twisted: corresponding sides of consecutive rings are aligned.
        let longest = (0..skin.triangles().len())
            .map(|t| skin.corners(t))
            .map(|[a, b, c]| a.distance(b).max(b.distance(c)).max(c.distance(a)))
            .fold(0.0, f64::max);
        assert!(longest < 0.06, "{longest}");
    }
}
