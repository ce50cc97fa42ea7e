//! Elastons: small cuboids at which stretch, shear, bending and twist are measured [Martin2010, Sec. 6].

use crate::cloud::{Cloud, outer};
use crate::symmetric_eigen::symmetric_eigen;
use glam::{DMat3, DVec3};

/// Minimum variance of a cell along an axis, divided by its volume to the power 2/3 [-]. With this bound, clouds
/// without extent have valid cuboids.
const MIN_VARIANCE: f64 = 1e-12;

/// A quadrature point with the extent of a cuboid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elaston {
    /// Its center at rest [m].
    pub center: DVec3,
    /// Its axes at rest: the columns of a rotation.
    pub axes: DMat3,
    /// Side lengths along the axes [m].
    pub sides: DVec3,
    /// Volume [m^3], exactly that of the material it represents.
    pub volume: f64,
}

/// Returns the elastons of cells. A cell is the set of material points with the same `owner`, which must be below
/// `count` [Martin2010, Sec. 9.1]. No cell may be empty.
///
/// A cuboid has the variance `h_k^2 / 12` along its axes. Axes and sides therefore follow from the covariance of the
/// cell: the covariance of the positions of its material points plus their own second moments. The longest side is
/// first.
pub fn elastons(cloud: &Cloud, owner: &[u32], count: usize) -> Vec<Elaston> {
    let mut volumes = vec![0.0; count];
    let mut centers = vec![DVec3::ZERO; count];
    let mut first = vec![None; count];
    for (i, cell) in owner.iter().map(|&cell| cell as usize).enumerate() {
        // Computed relative to the cell's first material point, so that a body far from the origin loses no precision.
        let origin = *first[cell].get_or_insert(cloud.points[i]);
        volumes[cell] += cloud.volumes[i];
        centers[cell] += cloud.volumes[i] * (cloud.points[i] - origin);
    }
    for cell in 0..count {
        centers[cell] = first[cell].unwrap_or_default() + centers[cell] / volumes[cell];
    }
    let mut moments = vec![DMat3::ZERO; count];
    for (i, cell) in owner.iter().map(|&cell| cell as usize).enumerate() {
        let arm = cloud.points[i] - centers[cell];
        moments[cell] += (outer(arm) + cloud.spreads[i]) * cloud.volumes[i];
    }
    (0..count).map(|cell| Elaston::new(centers[cell], volumes[cell], moments[cell] * (1.0 / volumes[cell]))).collect()
}

impl Elaston {
    /// The cuboid with a given center [m], volume [m^3] and covariance [m^2].
    ///
    /// The sides that follow from the covariance give the exact volume only for cuboid cells. The paper scales all
    /// three sides equally. Here, each side is scaled by a power of the correction factor. The exponent is proportional
    /// to the square of the variance along the side. A sheet of hexagonal cells therefore keeps its thickness, and a
    /// round rod keeps its cross-section. Both determine the bending stiffness (with equal exponents, the sheet would be
    /// 2.6% too stiff). An isotropic cell is scaled as in the paper.
    pub fn new(center: DVec3, volume: f64, covariance: DMat3) -> Self {
        let (values, axes) = symmetric_eigen(&covariance);
        let variances = values.max(DVec3::splat(MIN_VARIANCE * volume.cbrt().powi(2)));
        let sides = (12.0 * variances).map(f64::sqrt);
        let weights = variances * variances;
        let parts = weights / weights.element_sum();
        let correction = (volume / sides.element_product()).ln();
        Self { center, axes, sides: sides * (parts * correction).exp(), volume }
    }

    /// Its covariance about its center [m^2].
    pub fn covariance(&self) -> DMat3 {
        self.axes * DMat3::from_diagonal(self.sides * self.sides / 12.0) * self.axes.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connectivity::Connectivity;
    use crate::fill::{cuboid, wires};
    use crate::sampling::sample;
    use approx::assert_relative_eq;
    use fibra_core::geometry::RigidPose;
    use fibra_core::geometry::generate::WireSection;
    use glam::DQuat;

    /// Volume [m^3], center [m], and inertia tensor about the center divided by density [m^5], all computed from the
    /// cuboids.
    fn whole(elastons: &[Elaston]) -> (f64, DVec3, DMat3) {
        let volume: f64 = elastons.iter().map(|e| e.volume).sum();
        let center = elastons.iter().map(|e| e.volume * e.center).sum::<DVec3>() / volume;
        let second = elastons.iter().fold(DMat3::ZERO, |sum, e| {
            let arm = e.center - center;
            sum + (e.covariance() + outer(arm)) * e.volume
        });
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        (volume, center, DMat3::from_diagonal(DVec3::splat(trace)) - second)
    }

    fn sampled(cloud: &Cloud, samples: usize, count: usize) -> Vec<Elaston> {
        let components = Connectivity::new(cloud).unwrap().components();
        let samples = sample(cloud, &components, samples, None, &[], None).unwrap();
        let clusters = sample(cloud, &components, count, None, &samples.centers, None).unwrap();
        elastons(cloud, &clusters.owner, count)
    }

    #[test]
    fn rod_plate_and_cube_have_exact_mass_and_accurate_inertia() {
        let pose = RigidPose {
            translation: DVec3::new(5.0, -1.0, 2.0),
            rotation: DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.8),
        };
        let turn = DMat3::from_quat(pose.rotation);
        let cases = [
            (DVec3::new(1.0, 0.02, 0.02), [100, 1, 1], 10, 25),
            (DVec3::new(1.0, 0.02, 0.02), [200, 4, 4], 10, 27),
            (DVec3::new(1.0, 0.7, 0.01), [60, 42, 1], 30, 150),
            (DVec3::ONE, [20, 20, 20], 40, 400),
            (DVec3::ONE, [8, 8, 8], 8, 40),
        ];
        for (size, cells, samples, count) in cases {
            let cloud = cuboid(size, cells, &pose).unwrap();
            let elastons = sampled(&cloud, samples, count);
            let (volume, center, inertia) = whole(&elastons);
            assert_relative_eq!(volume, size.element_product(), max_relative = 1e-12);
            assert_relative_eq!(center, pose.translation, epsilon = 1e-12);
            let squares = size * size;
            let about = DVec3::splat(squares.element_sum()) - squares;
            let exact = DMat3::from_diagonal(about * (volume / 12.0));
            let found = turn.transpose() * inertia * turn;
            for k in 0..3 {
                let error = found.col(k)[k] / exact.col(k)[k] - 1.0;
                assert!(error.abs() < 0.01, "{size}, {count} elastons: inertia {k} is off by {error}");
            }
            assert_relative_eq!(found, exact, epsilon = 0.01 * exact.x_axis.x.max(exact.y_axis.y));
            for e in elastons {
                assert_relative_eq!(e.sides.element_product(), e.volume, max_relative = 1e-12);
                assert_relative_eq!(e.axes.determinant(), 1.0, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn elastons_of_thin_shapes_keep_their_thickness() {
        let plate = cuboid(DVec3::new(1.0, 1.0, 0.01), [60, 60, 1], &RigidPose::IDENTITY).unwrap();
        for e in sampled(&plate, 30, 100) {
            assert_relative_eq!(e.sides.z, 0.01, max_relative = 1e-3);
            assert!(e.axes.z_axis.z.abs() > 1.0 - 1e-12);
        }
        // A round rod has the second moment of area of a disk, pi r^4 / 4 = A h^2 / 12.
        let line = [vec![DVec3::ZERO, DVec3::Z]];
        let rod = wires(&line, &WireSection::Round { radius: 0.01 }, 0.01).unwrap();
        for e in sampled(&rod, 10, 25) {
            assert_relative_eq!(e.sides.y * e.sides.y / 12.0, 0.25e-4, max_relative = 0.01);
            assert_relative_eq!(e.sides.y, e.sides.z, max_relative = 1e-9);
        }
    }

    #[test]
    fn single_point_cells_keep_their_extent_and_pointlike_cells_are_valid() {
        let sides = DVec3::new(0.5, 0.2, 0.1);
        let mut cloud = cuboid(sides * DVec3::new(2.0, 1.0, 1.0), [2, 1, 1], &RigidPose::at(DVec3::Y)).unwrap();
        let found = elastons(&cloud, &[1, 0], 2);
        assert_relative_eq!(found[1].center, cloud.points[0], epsilon = 1e-15);
        assert_relative_eq!(found[1].sides, sides, max_relative = 1e-12);
        cloud.spreads.fill(DMat3::ZERO);
        for e in elastons(&cloud, &[0, 1], 2).into_iter().chain(elastons(&cloud, &[0, 0], 1)) {
            assert!(e.sides.is_finite() && e.sides.min_element() > 0.0);
            assert_relative_eq!(e.sides.element_product(), e.volume, max_relative = 1e-9);
        }
    }
}
