//! Support radii of samples.

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::sampling::Clusters;

/// Maximum distance of covered material from its sample, relative to the support radius [-]. Weights vanish at 1 and
/// are too small near 1.
const COVERED: f64 = 0.75;

/// Support radii of the samples [m]: `factor` times the local sample spacing, and larger if needed to cover all
/// material. Every material point is within 3/4 of the support radius of its own sample. Every elaston is within 3/4 of
/// the support radius of the nearest sample among those of its material points. `elastons` are the cells of the elastons.
///
/// The local spacing is the mean distance to samples with connected cells. This definition is the same along a rod, in
/// a sheet and in a solid. It ignores samples that are near but not connected.
pub fn support_radii(
    cloud: &Cloud,
    connectivity: &Connectivity,
    samples: &Clusters,
    elastons: &Clusters,
    factor: f64,
) -> Vec<f64> {
    let Clusters { centers, owner } = samples;
    let mut neighbors = vec![Vec::new(); centers.len()];
    // Extent of each cell about its sample. The extent used for isolated samples includes the spheres; the extent used
    // for coverage does not.
    let mut extents = vec![0.0_f64; centers.len()];
    let mut farthest = vec![0.0_f64; centers.len()];
    for (i, &own) in owner.iter().enumerate() {
        let own = own as usize;
        let distance = cloud.points[i].distance(centers[own]);
        farthest[own] = farthest[own].max(distance);
        extents[own] = extents[own].max(distance + cloud.radii[i]);
        for &j in connectivity.neighbors(i) {
            let other = owner[j as usize] as usize;
            if other != own && !neighbors[own].contains(&other) {
                neighbors[own].push(other);
            }
        }
    }
    // Not the nearest of all samples, which may be on the other side of a gap.
    let mut nearest = vec![(f64::INFINITY, 0); elastons.centers.len()];
    for (&own, &elaston) in owner.iter().zip(&elastons.owner) {
        let best = &mut nearest[elaston as usize];
        let distance = elastons.centers[elaston as usize].distance(centers[own as usize]);
        if distance < best.0 {
            *best = (distance, own as usize);
        }
    }
    for (distance, own) in nearest {
        farthest[own] = farthest[own].max(distance);
    }
    (0..centers.len())
        .map(|i| {
            // A sample without neighbors is the only one of its body. Its spacing is the size of the body.
            let spacing = match neighbors[i].len() {
                0 => 2.0 * extents[i],
                count => neighbors[i].iter().map(|&j| centers[i].distance(centers[j])).sum::<f64>() / count as f64,
            };
            (factor * spacing).max(farthest[i] / COVERED)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::cuboid;
    use crate::sampling::sample;
    use fibra_core::geometry::RigidPose;
    use glam::DVec3;

    #[test]
    fn support_radii_follow_the_spacing_and_cover_rod_plate_and_cube() {
        // Size, cells, samples, and range of the spacing. The expected spacing is 0.05 on the line, about 0.107 in the
        // plane (hexagons of the same area), and 0.2 to 0.35 in the cube (across faces and diagonals). It is smaller at
        // boundaries.
        let cases = [
            (DVec3::new(1.0, 0.02, 0.02), [200, 1, 1], 20, 0.0498..0.0502),
            (DVec3::new(1.0, 1.0, 0.01), [60, 60, 1], 100, 0.09..0.14),
            (DVec3::ONE, [24, 24, 24], 125, 0.18..0.36),
        ];
        for (size, cells, count, spacing) in cases {
            let cloud = cuboid(size, cells, &RigidPose::IDENTITY).unwrap();
            let graph = Connectivity::new(&cloud).unwrap();
            let samples = sample(&cloud, &graph.components(), count, None, &[], Some(&graph)).unwrap();
            // An elaston far outside the body, which contains all of it.
            let stray = Clusters { centers: vec![DVec3::new(0.6, 0.0, 0.0)], owner: vec![0; cloud.points.len()] };
            for factor in [2.0, 1e-3] {
                let radii = support_radii(&cloud, &graph, &samples, &stray, factor);
                for (&point, &owner) in cloud.points.iter().zip(&samples.owner) {
                    let owner = owner as usize;
                    assert!(point.distance(samples.centers[owner]) <= COVERED * radii[owner] * (1.0 + 1e-12));
                }
                let covers =
                    |i: usize| stray.centers[0].distance(samples.centers[i]) <= COVERED * radii[i] * (1.0 + 1e-12);
                assert!((0..count).any(covers));
                let kept = |radius: &&f64| (spacing.start * factor..spacing.end * factor).contains(*radius);
                let regular = radii.iter().filter(kept).count();
                assert!(factor < 1.0 || regular >= count - 1, "{regular} of {count}: {radii:?}");
            }
        }
    }

    #[test]
    fn unconnected_neighbors_are_ignored_and_a_single_sample_covers_its_body() {
        let mut cloud = cuboid(DVec3::new(1.0, 0.02, 0.02), [50, 1, 1], &RigidPose::IDENTITY).unwrap();
        let near = RigidPose::at(DVec3::new(0.0, 0.1, 0.0));
        cloud.append(cuboid(DVec3::new(0.2, 0.02, 0.02), [10, 1, 1], &near).unwrap());
        let graph = Connectivity::new(&cloud).unwrap();
        let samples = sample(&cloud, &graph.components(), 6, None, &[], Some(&graph)).unwrap();
        let radii = support_radii(&cloud, &graph, &samples, &samples, 1.0);
        let alone = samples.owner[55] as usize;
        assert!(radii[alone] >= 0.2 && radii[alone] < 0.25, "{radii:?}");
        assert!((0..6).filter(|&i| i != alone).all(|i| (radii[i] / 0.2 - 1.0).abs() < 0.01), "{radii:?}");
    }
}
