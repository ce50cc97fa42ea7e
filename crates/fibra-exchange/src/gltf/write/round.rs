//! Triangle meshes of capsules and spheres: glTF has no such primitives.

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// A closed mesh with normals.
pub(super) struct RoundMesh {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Builds a capsule along `axis` (0 to 2) whose cap centers are `half_height` [m] from the middle; a sphere if `half_height` is 0. `sides`
/// is the number of vertices around the axis, a multiple of 4.
pub(super) fn capsule(radius: f32, half_height: f32, axis: usize, sides: u32) -> RoundMesh {
    let mut mesh = RoundMesh { positions: Vec::new(), normals: Vec::new(), triangles: Vec::new() };
    let half = sides / 2;
    // Rings from pole to pole. The equator occurs twice: the cylinder of the capsule is between its two rings.
    let upper = (0..=half / 2).map(|ring| (ring, half_height));
    let rings: Vec<(u32, f32)> = upper.chain((half / 2..=half).map(|ring| (ring, -half_height))).collect();
    for &(ring, end) in &rings {
        let (wide, high) = (PI * ring as f32 / half as f32).sin_cos();
        for side in 0..sides {
            let (sine, cosine) = (TAU * side as f32 / sides as f32).sin_cos();
            let normal = Vec3::new(high, wide * cosine, wide * sine).normalize();
            let position = radius * normal + end * Vec3::X;
            let along_axis = |vector: Vec3| std::array::from_fn(|k| vector[(k + 3 - axis) % 3]);
            mesh.normals.push(along_axis(normal));
            mesh.positions.push(along_axis(position));
        }
    }
    for (ring, pair) in (0u32..).zip(rings.windows(2)) {
        if pair[0].0 == pair[1].0 && half_height == 0.0 {
            continue;
        }
        for side in 0..sides {
            let [a, b] = [side, (side + 1) % sides].map(|side| ring * sides + side);
            let [d, c] = [a, b].map(|above| above + sides);
            // At the poles, one of the two triangles has no area.
            if pair[1].0 < half {
                mesh.triangles.push([a, d, c]);
            }
            if pair[0].0 > 0 {
                mesh.triangles.push([a, c, b]);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the divergence theorem, outward-facing triangles enclose a positive volume. Here it must be close to the volume of the exact shape.
    #[test]
    fn capsules_have_the_right_volume_and_face_outward() {
        for (radius, half_height, axis) in [(0.5, 0.0, 1), (0.3, 0.8, 2), (1.0, 0.2, 0)] {
            let mesh = capsule(radius, half_height, axis, 96);
            let place = |corner: u32| Vec3::from_array(mesh.positions[corner as usize]);
            let volume: f32 =
                mesh.triangles.iter().map(|&[a, b, c]| place(a).dot(place(b).cross(place(c))) / 6.0).sum();
            let exact = PI * radius * radius * (4.0 / 3.0 * radius + 2.0 * half_height);
            assert!((volume / exact - 1.0).abs() < 5e-3, "{volume} for {exact}");
            let tip = mesh.positions.iter().map(|place| place[axis]).fold(0.0, f32::max);
            assert!((tip - radius - half_height).abs() < 1e-6);
            for (normal, position) in mesh.normals.iter().zip(&mesh.positions) {
                assert!(Vec3::from_array(*normal).dot(Vec3::from_array(*position)) > 0.0);
            }
        }
    }
}
