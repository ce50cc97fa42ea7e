//! Draws curves as strands, each in a slightly different shade.

use super::look::ObjectLook;
use crate::ray_caster::{Curves, Finish, Picture};
use fibra_core::frame::Frame;
use fibra_core::frame_parts::{Part, parts};
use fibra_core::random::CounterRng;
use glam::Vec3;

/// Maximum variation of brightness and of color temperature between strands [-]: enough to follow a single strand.
const SHADES: (f32, f32) = (0.45, 0.15);

/// Adds the frame's segments to a picture.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    picture.curves.extend(parts(frame, &frame.segments).into_iter().filter_map(|part| {
        let look = looks.get(part.object as usize)?;
        let positions = part.positions(frame);
        let radius = look.radius_of_curves(|| lengths(&positions, &part.elements));
        let vertex_colors = strands(&part).into_iter().map(|strand| shade(look.color, strand)).collect();
        let segments = part.elements;
        Some(Curves { positions, segments, vertex_colors, color: look.color, radius, finish: Finish::Fiber })
    }));
}

/// Returns the strand of each vertex: the lowest index of a point that is connected to it.
fn strands(part: &Part<2>) -> Vec<u32> {
    // Union-find: every vertex points to a lower one, and the lowest vertex of a strand to itself.
    let mut lower: Vec<u32> = (0..part.points.len() as u32).collect();
    for &[a, b] in &part.elements {
        let [a, b] = [a, b].map(|vertex| lowest(&mut lower, vertex));
        lower[a.max(b) as usize] = a.min(b);
    }
    (0..lower.len() as u32).map(|vertex| part.points[lowest(&mut lower, vertex) as usize]).collect()
}

/// Returns the root of a vertex, with path halving.
fn lowest(lower: &mut [u32], mut vertex: u32) -> u32 {
    while lower[vertex as usize] != vertex {
        lower[vertex as usize] = lower[lower[vertex as usize] as usize];
        vertex = lower[vertex as usize];
    }
    vertex
}

fn shade(color: Vec3, strand: u32) -> Vec3 {
    let random = CounterRng::new(1);
    let [brightness, warmth] = [0, 1].map(|which| 2.0 * random.uniform(&[u64::from(strand), which]) as f32 - 1.0);
    let tint = Vec3::new(1.0 + SHADES.1 * warmth, 1.0, 1.0 - SHADES.1 * warmth);
    ((1.0 + SHADES.0 * brightness) * tint * color).min(Vec3::ONE)
}

fn lengths(positions: &[Vec3], segments: &[[u32; 2]]) -> Vec<f32> {
    segments.iter().map(|&[a, b]| positions[a as usize].distance(positions[b as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connected_segments_form_one_strand() {
        let part = Part {
            object: 0,
            points: vec![10, 11, 12, 13, 14, 15],
            elements: vec![[5, 3], [0, 2], [3, 1], [2, 4], [1, 5]],
        };
        assert_eq!(strands(&part), [10, 11, 10, 11, 10, 11]);
        assert_eq!(shade(Vec3::ONE, 10).max(Vec3::ONE), Vec3::ONE);
        assert_ne!(shade(Vec3::splat(0.5), 10), shade(Vec3::splat(0.5), 11));
    }
}
