//! Overlapping pairs of spheres, by spatial hashing.

use glam::{DVec3, I64Vec3};
use rayon::prelude::*;

/// Returns all pairs of overlapping spheres for which `counts` is true. Each pair has the lower index first; pairs are
/// in ascending order.
pub fn overlapping_pairs(
    positions: &[DVec3],
    radii: &[f64],
    counts: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<[u32; 2]> {
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let cell_of = |position: DVec3| (position / (2.0 * largest)).floor().as_i64vec3();
    let key = |cell: I64Vec3| (cell.x, cell.y, cell.z);
    let mut sorted: Vec<((i64, i64, i64), u32)> =
        (0..positions.len()).into_par_iter().map(|sphere| (key(cell_of(positions[sphere])), sphere as u32)).collect();
    sorted.par_sort_unstable();
    let of = |sphere: usize| {
        let mut found = Vec::new();
        let cell = cell_of(positions[sphere]);
        // Cells that differ only in z are contiguous.
        for x in -1..=1 {
            for y in -1..=1 {
                let first = key(cell + I64Vec3::new(x, y, -1));
                let last = key(cell + I64Vec3::new(x, y, 1));
                let start = sorted.partition_point(|(key, _)| *key < first);
                for &(key, other) in sorted[start..].iter() {
                    if key > last {
                        break;
                    }
                    let at = other as usize;
                    let reach = radii[sphere] + radii[at];
                    let near = positions[sphere].distance_squared(positions[at]) < reach * reach;
                    if at > sphere && near && counts(sphere, at) {
                        found.push([sphere as u32, other]);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    };
    (0..positions.len()).into_par_iter().with_min_len(256).flat_map_iter(of).collect()
}
