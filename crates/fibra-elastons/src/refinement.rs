//! Refinement of the point cloud and the render surface where material is stretched.

use crate::cloud::outer;
use crate::connectivity::Connectivity;
use crate::symmetric_eigen::symmetric_eigen;
use crate::world::{Matter, Surface};
use fibra_core::geometry::halve_long_edges;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Maximum side of a material point, in radii of its sphere [-]. In a lattice, sides are 1.7 radii. Above 2 radii, the
/// spheres of neighbors along the longest side no longer overlap.
const LONGEST_SIDE: f64 = 3.0;

/// Maximum edge length of a surface, in radii of the spheres below it [-]: twice the diagonal of a lattice cell.
const LONGEST_EDGE: f64 = 4.7;

/// Splits material points that have become too long for their spheres, conserving volume and second moments. Also
/// splits long edges of the surface. New material points come last. Samples and elastons do not change.
pub fn refine(matter: &mut Matter) {
    let halves = halve_pieces(matter);
    attach_to_nearest(&mut matter.surface, &matter.cloud.points, &halves);
    // Cuts in progress store numbers of vertices and triangles, which splitting edges would change.
    if matter.surface.cuts.is_none() {
        halve_edges(matter);
    }
}

/// Splits long material points. For each material point, returns the index of its new second half, if any.
fn halve_pieces(matter: &mut Matter) -> Vec<Option<u32>> {
    let cloud = &mut matter.cloud;
    let longest = |(spread, radius): (&DMat3, &f64)| -> Option<DVec3> {
        let (values, axes) = symmetric_eigen(spread);
        // A uniform bar of length s has the variance s^2 / 12.
        let side = (12.0 * values.x).sqrt();
        (side > LONGEST_SIDE * radius).then(|| side * axes.x_axis)
    };
    let sides: Vec<Option<DVec3>> = cloud.spreads.par_iter().zip(&cloud.radii).with_min_len(256).map(longest).collect();
    let before = cloud.points.clone();
    let mut halves = vec![None; before.len()];
    for (piece, side) in sides.iter().enumerate().filter_map(|(piece, side)| Some((piece, (*side)?))) {
        halves[piece] = Some(cloud.points.len() as u32);
        // The halves of a bar of length s are s / 4 from its center and have a quarter of its variance.
        let spread = cloud.spreads[piece] - outer(side) * (1.0 / 16.0);
        cloud.volumes[piece] *= 0.5;
        cloud.spreads[piece] = spread;
        cloud.points[piece] = before[piece] - 0.25 * side;
        cloud.points.push(before[piece] + 0.25 * side);
        cloud.spreads.push(spread);
        cloud.volumes.push(cloud.volumes[piece]);
        cloud.radii.push(cloud.radii[piece]);
        matter.objects.push(matter.objects[piece]);
        matter.owners.push(matter.owners[piece]);
        matter.gradings.push(matter.gradings[piece]);
        matter.branches.push(matter.branches[piece]);
    }
    if cloud.points.len() > before.len() {
        matter.links = links_of_halves(&matter.links, &before, &sides, &halves);
    }
    halves
}

/// Links the two halves of a material point, and the facing halves of material points that were linked.
fn links_of_halves(
    links: &Connectivity,
    before: &[DVec3],
    sides: &[Option<DVec3>],
    halves: &[Option<u32>],
) -> Connectivity {
    let count = before.len() + halves.iter().flatten().count();
    let mut lists = vec![Vec::new(); count];
    let mut join = |a: u32, b: u32| {
        lists[a as usize].push(b);
        lists[b as usize].push(a);
    };
    // Halves of a material point that face a position. Both halves face a position near the plane between them.
    let facing = |piece: usize, position: DVec3| -> [Option<u32>; 2] {
        let (Some(side), Some(half)) = (sides[piece], halves[piece]) else { return [Some(piece as u32), None] };
        let along = (position - before[piece]).dot(side) / side.length_squared();
        [(along < 0.25).then_some(piece as u32), (along > -0.25).then_some(half)]
    };
    for piece in 0..before.len() {
        if let Some(half) = halves[piece] {
            join(piece as u32, half);
        }
        for &other in links.neighbors(piece).iter().filter(|&&other| other as usize > piece) {
            let theirs = facing(other as usize, before[piece]);
            for a in facing(piece, before[other as usize]).into_iter().flatten() {
                theirs.into_iter().flatten().for_each(|b| join(a, b));
            }
        }
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    Connectivity::from_lists(lists)
}

/// Attaches vertices of a split material point to the nearer half.
fn attach_to_nearest(surface: &mut Surface, points: &[DVec3], halves: &[Option<u32>]) {
    for (vertex, piece) in surface.vertices.iter().zip(&mut surface.pieces) {
        let distance = |piece: u32| points[piece as usize].distance_squared(*vertex);
        match halves[*piece as usize] {
            Some(half) if distance(half) < distance(*piece) => *piece = half,
            _ => {}
        }
    }
}

fn halve_edges(matter: &mut Matter) {
    let Matter { cloud, links, surface, .. } = matter;
    let pieces = &surface.pieces;
    let radius = |vertex: u32| cloud.radii[pieces[vertex as usize] as usize];
    let longest = |[a, b]: [u32; 2]| LONGEST_EDGE * radius(a).max(radius(b));
    let first = surface.vertices.len();
    let edges = halve_long_edges(&mut surface.vertices, &mut surface.triangles, longest);
    // An edge may be much longer than a material point. The search for the one below its midpoint starts at both ends and follows the links, so
    // that it does not cross gaps.
    for (edge, vertex) in edges.iter().zip(first..) {
        let middle = surface.vertices[vertex];
        let distance = |piece: u32| cloud.points[piece as usize].distance_squared(middle);
        let nearer = |&a: &u32, &b: &u32| distance(a).total_cmp(&distance(b)).then(a.cmp(&b));
        let below = edge.map(|end| {
            let mut piece = surface.pieces[end as usize];
            while let Some(&next) = links.neighbors(piece as usize).iter().min_by(|&a, &b| nearer(a, b)) {
                if nearer(&next, &piece).is_ge() {
                    break;
                }
                piece = next;
            }
            piece
        });
        // Later midpoints may lie on edges that end at this one.
        surface.pieces.push(if nearer(&below[0], &below[1]).is_le() { below[0] } else { below[1] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::Cloud;
    use crate::fill::cuboid;
    use crate::matter::Body;
    use approx::assert_relative_eq;
    use fibra_core::geometry::{RigidPose, TriangleMesh};

    fn box_skin(size: DVec3) -> TriangleMesh {
        let corner = |i: u32| size * (DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5);
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()
    }

    /// A bar of 8 x 2 x 2 material points with a surface, stretched threefold along a direction oblique to its cells.
    fn stretched_bar() -> (Matter, DMat3) {
        let size = DVec3::new(0.8, 0.2, 0.2);
        let cloud = cuboid(size, [8, 2, 2], &RigidPose::IDENTITY).unwrap();
        let objects = vec![0; cloud.points.len()];
        let body = Body { cloud, objects, samples: 6, elastons: 12, grading: None };
        let mut matter = Matter::sample(&[body], 1.6).unwrap();
        let skin = box_skin(size).refined(0.15).unwrap();
        let way = DVec3::new(0.8, 0.6, 0.0);
        let stretch = DMat3::IDENTITY + outer(way) * 2.0;
        matter.surface = Surface {
            pieces: skin.vertices().iter().map(|vertex| nearest_piece(&matter.cloud, *vertex)).collect(),
            vertices: skin.vertices().iter().map(|vertex| stretch * *vertex).collect(),
            triangles: skin.triangles().to_vec(),
            cuts: None,
        };
        matter.cloud.points.iter_mut().for_each(|point| *point = stretch * *point);
        matter.cloud.spreads.iter_mut().for_each(|spread| *spread = stretch * *spread * stretch.transpose());
        (matter, stretch)
    }

    fn nearest_piece(cloud: &Cloud, position: DVec3) -> u32 {
        let distance = |piece: &usize| cloud.points[*piece].distance_squared(position);
        (0..cloud.points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap() as u32
    }

    fn second_moment(cloud: &Cloud) -> DMat3 {
        let own = |at: usize| (cloud.spreads[at] + outer(cloud.points[at])) * cloud.volumes[at];
        (0..cloud.points.len()).fold(DMat3::ZERO, |sum, at| sum + own(at))
    }

    #[test]
    fn splitting_conserves_volume_and_second_moment() {
        let (mut matter, _) = stretched_bar();
        let (volume, moment, count) = (matter.cloud.volume(), second_moment(&matter.cloud), matter.cloud.points.len());
        refine(&mut matter);
        assert_eq!(matter.cloud.points.len(), 2 * count);
        assert_relative_eq!(matter.cloud.volume(), volume, max_relative = 1e-14);
        assert!(second_moment(&matter.cloud).abs_diff_eq(moment, 1e-14 * moment.x_axis.x));
        assert_eq!(matter.owners.len(), 2 * count);
        assert_eq!(matter.owners[..count], matter.owners[count..]);
        let again = matter.cloud.points.len();
        refine(&mut matter);
        assert_eq!(matter.cloud.points.len(), again, "halves are not split again");
    }

    #[test]
    fn splitting_keeps_links_symmetric_and_the_body_connected() {
        let (mut matter, _) = stretched_bar();
        refine(&mut matter);
        for piece in 0..matter.links.len() {
            let list = matter.links.neighbors(piece);
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(list.iter().all(|&other| matter.links.neighbors(other as usize).contains(&(piece as u32))));
        }
        assert!(matter.links.components().iter().all(|&component| component == 0));
    }

    #[test]
    fn refined_surface_stays_closed_and_near_its_material_points() {
        let (mut matter, stretch) = stretched_bar();
        let before = matter.surface.vertices.len();
        refine(&mut matter);
        let surface = &matter.surface;
        assert!(surface.vertices.len() > before && surface.pieces.len() == surface.vertices.len());
        let mesh = TriangleMesh::new(surface.vertices.clone(), surface.triangles.clone()).unwrap();
        assert!(mesh.is_closed());
        assert_relative_eq!(mesh.signed_volume(), 0.8 * 0.04 * stretch.determinant(), max_relative = 1e-12);
        let farthest = |(vertex, &piece): (&DVec3, &u32)| vertex.distance(matter.cloud.points[piece as usize]);
        let farthest = surface.vertices.iter().zip(&surface.pieces).map(farthest).fold(0.0, f64::max);
        // The corner of a cell, relative to the center of the half it belongs to.
        let corner = stretch * DVec3::splat(0.05) - 0.25 * 0.3 * DVec3::new(0.8, 0.6, 0.0);
        assert!(farthest < corner.length() + 1e-9, "{farthest}");
    }

    #[test]
    fn unstretched_material_is_not_refined() {
        let (mut matter, stretch) = stretched_bar();
        let back = stretch.inverse();
        matter.cloud.points.iter_mut().for_each(|point| *point = back * *point);
        matter.cloud.spreads.iter_mut().for_each(|spread| *spread = back * *spread * back.transpose());
        matter.surface.vertices.iter_mut().for_each(|vertex| *vertex = back * *vertex);
        let before = matter.clone();
        refine(&mut matter);
        assert_eq!(matter, before);
    }
}
