//! Cuboids divided into cells, and solids of any shape filled with cubes.

use super::{FillError, MAX_POINTS, OVERLAP, positive};
use crate::cloud::Cloud;
use fibra_core::geometry::sampling::{self, Pattern, SamplingError};
use fibra_core::geometry::{MeshSurface, RigidPose, Shape};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// A cuboid with sides `size` [m] about the pose's origin, divided into equal cells. One cell along one side makes a sheet; one cell along
/// two sides makes a rod.
pub fn cuboid(size: DVec3, cells: [u32; 3], pose: &RigidPose) -> Result<Cloud, FillError> {
    for side in size.to_array() {
        positive("a side of a cuboid", side)?;
    }
    if cells.contains(&0) {
        return Err(FillError::NoCells { cells });
    }
    let counts = DVec3::from_array(cells.map(f64::from));
    let total = counts.element_product();
    if total > MAX_POINTS {
        return Err(FillError::TooMany { estimate: total });
    }
    let cell = size / counts;
    let [nx, ny, nz] = cells.map(|n| n as usize);
    let points = (0..nx * ny * nz)
        .map(|i| [i / (ny * nz), i / nz % ny, i % nz].map(|k| k as f64 + 0.5))
        .map(|middle| pose.apply((DVec3::from_array(middle) - 0.5 * counts) * cell))
        .collect();
    // Neighbors are adjacent along divided sides. The shortest undivided side is the thickness.
    let apart = (0..3).filter(|&k| cells[k] > 1).map(|k| cell[k]).fold(0.0, f64::max);
    let uncut = (0..3).filter(|&k| cells[k] == 1).map(|k| cell[k]).fold(f64::INFINITY, f64::min);
    let thickness = if uncut.is_finite() { uncut } else { 0.0 };
    Ok(pieces(points, size.element_product(), cell, pose, (OVERLAP * apart).max(0.5 * thickness)))
}

/// A shape filled with cubes of side `spacing` [m] whose centers are inside. Volumes are scaled to the exact volume of
/// the shape. For a box, the spacing is adjusted to the nearest value that tiles the box.
pub fn shape(shape: &Shape, spacing: f64, pose: &RigidPose) -> Result<Cloud, FillError> {
    if shape.fills_its_box()
        && let Some(half_extents) = shape.half_extents()
    {
        let size = 2.0 * half_extents;
        let counts = (size / positive("the spacing", spacing)?).round().max(DVec3::ONE);
        if counts.element_product() > MAX_POINTS {
            return Err(FillError::TooMany { estimate: counts.element_product() });
        }
        return cuboid(size, counts.to_array().map(|n| n as u32), pose);
    }
    let samples = sampling::fill(shape, spacing, pose, 0, Pattern::Lattice)?;
    Ok(cubes(samples.points, samples.volume, spacing, pose))
}

/// The interior of a closed mesh, filled in the same way as by [`shape`].
pub fn closed_mesh(surface: &MeshSurface, spacing: f64, pose: &RigidPose) -> Result<Cloud, FillError> {
    positive("the spacing", spacing)?;
    let bounds = surface.bounds();
    let (center, extent) = (0.5 * (bounds.min + bounds.max), bounds.extent());
    let counts = (extent / spacing).ceil().max(DVec3::ONE);
    if counts.element_product() > MAX_POINTS {
        return Err(FillError::TooMany { estimate: counts.element_product() });
    }
    let [nx, ny, nz] = counts.to_array().map(|n| n as u64);
    let inside = |cell: [u64; 3]| {
        let middle = DVec3::from_array(cell.map(|k| k as f64 + 0.5)) - 0.5 * counts;
        let point = center + spacing * middle;
        surface.contains(point).then(|| pose.apply(point))
    };
    let points: Vec<DVec3> = (0..nx * ny)
        .into_par_iter()
        .flat_map_iter(|row| (0..nz).filter_map(move |k| inside([row / ny, row % ny, k])))
        .collect();
    if points.is_empty() {
        return Err(SamplingError::Empty { extent, spacing }.into());
    }
    Ok(cubes(points, surface.volume(), spacing, pose))
}

fn cubes(points: Vec<DVec3>, volume: f64, side: f64, pose: &RigidPose) -> Cloud {
    pieces(points, volume, DVec3::splat(side), pose, OVERLAP * side)
}

/// Equal cells with sides `cell` [m] that share a total volume [m^3].
fn pieces(points: Vec<DVec3>, volume: f64, cell: DVec3, pose: &RigidPose, radius: f64) -> Cloud {
    let count = points.len();
    let turn = DMat3::from_quat(pose.rotation);
    let spread = turn * DMat3::from_diagonal(cell * cell / 12.0) * turn.transpose();
    Cloud {
        points,
        radii: vec![radius; count],
        volumes: vec![volume / count as f64; count],
        spreads: vec![spread; count],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use fibra_core::geometry::TriangleMesh;
    use glam::{DQuat, Vec3};

    #[test]
    fn cuboid_moments_are_exact_for_any_cells() {
        let size = DVec3::new(1.0, 0.3, 0.01);
        let pose = RigidPose {
            translation: DVec3::new(3.0, -2.0, 1.0),
            rotation: DQuat::from_axis_angle(DVec3::ONE.normalize(), 0.7),
        };
        let turn = DMat3::from_quat(pose.rotation);
        let exact = turn * DMat3::from_diagonal(size * size / 12.0) * turn.transpose();
        for cells in [[1, 1, 1], [7, 1, 1], [20, 3, 1], [11, 5, 2]] {
            let cloud = cuboid(size, cells, &pose).unwrap();
            assert_eq!(cloud.points.len() as u32, cells.iter().product::<u32>());
            assert_relative_eq!(cloud.volume(), size.element_product(), max_relative = 1e-12);
            assert_relative_eq!(cloud.center(), pose.translation, epsilon = 1e-12);
            assert_relative_eq!(cloud.second_moment(), exact, epsilon = 1e-12);
        }
    }

    #[test]
    fn shapes_and_meshes_have_exact_volume() {
        let ball = shape(&Shape::sphere(0.5).unwrap(), 0.07, &RigidPose::at(DVec3::X)).unwrap();
        assert_relative_eq!(ball.volume(), std::f64::consts::PI / 6.0, max_relative = 1e-12);
        assert_relative_eq!(ball.center(), DVec3::X, epsilon = 1e-12);
        let block = shape(&Shape::cuboid(Vec3::new(0.5, 0.25, 0.125)).unwrap(), 0.1, &RigidPose::IDENTITY).unwrap();
        assert_eq!(block.points.len(), 10 * 5 * 3);
        assert_relative_eq!(block.volume(), 0.125, max_relative = 1e-12);

        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let tetrahedron = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
        let surface = MeshSurface::new(&tetrahedron).unwrap();
        let filled = closed_mesh(&surface, 0.03, &RigidPose::IDENTITY).unwrap();
        assert_relative_eq!(filled.volume(), 1.0 / 6.0, max_relative = 1e-12);
        assert_relative_eq!(filled.center(), DVec3::splat(0.25), epsilon = 0.01);
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let pose = RigidPose::IDENTITY;
        assert!(matches!(cuboid(DVec3::new(1.0, -1.0, 1.0), [1; 3], &pose), Err(FillError::BadLength { .. })));
        assert_eq!(cuboid(DVec3::ONE, [1, 0, 1], &pose), Err(FillError::NoCells { cells: [1, 0, 1] }));
        assert!(matches!(cuboid(DVec3::ONE, [u32::MAX; 3], &pose), Err(FillError::TooMany { .. })));
        let ball = Shape::sphere(1.0).unwrap();
        for spacing in [0.0, f64::NAN, 1e-9] {
            shape(&ball, spacing, &pose).unwrap_err();
            shape(&Shape::cuboid(Vec3::ONE).unwrap(), spacing, &pose).unwrap_err();
        }
        shape(&Shape::plane(Vec3::ZERO, Vec3::Y).unwrap(), 0.1, &pose).unwrap_err();
    }
}
