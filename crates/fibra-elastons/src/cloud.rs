//! The point cloud that represents the material [Martin2010, Sec. 9].

use crate::connectivity::{Connectivity, TooManyLinks};
use fibra_core::geometry::{Bounds, PointTree};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::fmt;
use thiserror::Error;

/// Points closer than this fraction of the cloud's extent count as duplicates [-].
const DUPLICATE_DISTANCE: f64 = 1e-9;

/// Upper bound for coordinates, radii and extents of material points [m]. Beyond this value, squares and products of
/// lengths lose precision.
const LENGTH_LIMIT: f64 = 1e9;

/// Maximum number of indices listed in an error.
const MAX_LISTED: usize = 8;

/// A point cloud. Each material point has a sphere, for contact and connectivity, and a volume with second moments, for mass and stiffness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Positions of the material points [m].
    pub points: Vec<DVec3>,
    /// Radii of the spheres [m]. Material points with overlapping spheres are connected.
    pub radii: Vec<f64>,
    /// Volumes of the material points [m^3].
    pub volumes: Vec<f64>,
    /// Second moments of each material point about its own position, per volume [m^2]: `s^2 / 12` times the identity for a cube of side
    /// `s`.
    pub spreads: Vec<DMat3>,
}

/// `v v^T` [m^2]: the second moment, per volume, of material concentrated at `v`.
pub fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}

/// A subset of the points of a cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indices {
    /// The first few indices, in ascending order.
    pub first: Vec<usize>,
    /// Total number.
    pub count: usize,
}

impl Indices {
    /// The points with an index below `points` for which `is` is true; `None` if there are none.
    fn of(points: usize, is: impl Fn(usize) -> bool + Sync) -> Option<Self> {
        let found: Vec<usize> = (0..points).into_par_iter().with_min_len(1024).filter(|&i| is(i)).collect();
        (!found.is_empty())
            .then(|| Self { first: found.iter().copied().take(MAX_LISTED).collect(), count: found.len() })
    }
}

impl fmt::Display for Indices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = self.first.iter().map(usize::to_string).collect();
        let more = if self.count > named.len() { ", ..." } else { "" };
        write!(f, "{} point{} ({}{more})", self.count, if self.count == 1 { "" } else { "s" }, named.join(", "))
    }
}

/// Defect of a point cloud.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CloudError {
    /// Too few points to deform.
    #[error("the cloud has {points} points; at least 2 are needed")]
    TooFew {
        /// Number of points.
        points: usize,
    },
    /// More points than 32-bit indices allow.
    #[error("the cloud has {points} points; at most {} are possible", u32::MAX)]
    TooMany {
        /// Number of points.
        points: usize,
    },
    /// The arrays of a cloud differ in length.
    #[error(
        "the cloud has {points} points, but {radii} radii, {volumes} volumes and {spreads} spreads; give one for each point"
    )]
    Lengths {
        /// Number of points.
        points: usize,
        /// Number of radii.
        radii: usize,
        /// Number of volumes.
        volumes: usize,
        /// Number of spreads.
        spreads: usize,
    },
    /// Points with coordinates or second moments that are not finite or too large.
    #[error(
        "{0} with a coordinate or spread that is not finite or too large; coordinates must be below {LENGTH_LIMIT:e} m"
    )]
    NotFinite(Indices),
    /// Points with invalid radii.
    #[error("{0} with a radius that is not above 0 and below {LENGTH_LIMIT:e} m")]
    BadRadius(Indices),
    /// Points with invalid volumes.
    #[error("{0} with a volume that is not above 0 and finite")]
    BadVolume(Indices),
    /// Points at the same position.
    #[error(
        "{0} at the same position as another, or nearer to it than {DUPLICATE_DISTANCE:e} of the cloud's extent; remove the duplicates"
    )]
    Duplicate(Indices),
    /// Spheres that overlap too many others.
    #[error(transparent)]
    TooManyLinks(#[from] TooManyLinks),
    /// Points without neighbors.
    #[error("{0} with a sphere that overlaps no other; use larger radii, or remove the points")]
    Isolated(Indices),
}

impl Cloud {
    /// Validates the cloud and returns its connectivity graph.
    pub fn check(&self) -> Result<Connectivity, CloudError> {
        let points = self.points.len();
        let (radii, volumes, spreads) = (self.radii.len(), self.volumes.len(), self.spreads.len());
        if [radii, volumes, spreads] != [points; 3] {
            return Err(CloudError::Lengths { points, radii, volumes, spreads });
        }
        if points < 2 {
            return Err(CloudError::TooFew { points });
        }
        if points > u32::MAX as usize {
            return Err(CloudError::TooMany { points });
        }
        let reject = |is: &(dyn Fn(usize) -> bool + Sync), error: fn(Indices) -> CloudError| {
            Indices::of(points, is).map_or(Ok(()), |indices| Err(error(indices)))
        };
        // Written so that NaN is rejected too.
        let near = |v: DVec3, limit: f64| v.abs().max_element() < limit && v.is_finite();
        let in_range = |i: usize| {
            let spread = &self.spreads[i];
            let columns = [spread.x_axis, spread.y_axis, spread.z_axis];
            near(self.points[i], LENGTH_LIMIT) && columns.into_iter().all(|c| near(c, LENGTH_LIMIT * LENGTH_LIMIT))
        };
        reject(&|i| !in_range(i), CloudError::NotFinite)?;
        reject(&|i| !(self.radii[i] > 0.0 && self.radii[i] < LENGTH_LIMIT), CloudError::BadRadius)?;
        reject(&|i| !(self.volumes[i] > 0.0 && self.volumes[i].is_finite()), CloudError::BadVolume)?;

        let apart = DUPLICATE_DISTANCE * Bounds::around(self.points.iter().copied()).extent().max_element();
        let tree = PointTree::new(&self.points);
        let is_duplicate = |i: usize| {
            let (position, mut alone) = (self.points[i], true);
            tree.visit(
                |_, node| node.distance_squared(position) <= apart * apart,
                |j, point| {
                    alone &= j as usize == i || point.distance(position) > apart;
                    alone
                },
            );
            !alone
        };
        reject(&is_duplicate, CloudError::Duplicate)?;
        let connectivity = Connectivity::new(self)?;
        reject(&|i| connectivity.neighbors(i).is_empty(), CloudError::Isolated)?;
        Ok(connectivity)
    }

    /// Total volume [m^3].
    pub fn volume(&self) -> f64 {
        // Sum in chunks. In a running sum of equal volumes, rounding errors have the same sign and would grow with the
        // number of points.
        self.volumes.chunks(1024).map(|part| part.iter().sum::<f64>()).sum()
    }

    /// Center of mass [m].
    pub fn center(&self) -> DVec3 {
        // Computed relative to the first point, so that a cloud far from the origin loses no precision.
        let Some(&origin) = self.points.first() else { return DVec3::ZERO };
        let weighted = self.points.iter().zip(&self.volumes).map(|(&point, &volume)| volume * (point - origin));
        origin + weighted.sum::<DVec3>() / self.volume()
    }

    /// Second moment about the center, per volume [m^2].
    pub fn second_moment(&self) -> DMat3 {
        let center = self.center();
        let whole = self.points.iter().zip(&self.spreads).zip(&self.volumes).fold(
            DMat3::ZERO,
            |sum, ((&point, &spread), &volume)| {
                let arm = point - center;
                sum + (spread + outer(arm)) * volume
            },
        );
        whole * (1.0 / self.volume())
    }

    /// Appends the material points of another cloud.
    pub fn append(&mut self, mut other: Self) {
        self.points.append(&mut other.points);
        self.radii.append(&mut other.radii);
        self.volumes.append(&mut other.volumes);
        self.spreads.append(&mut other.spreads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::cuboid;
    use fibra_core::geometry::RigidPose;

    fn row() -> Cloud {
        cuboid(DVec3::new(1.0, 0.1, 0.1), [20, 1, 1], &RigidPose::IDENTITY).unwrap()
    }

    fn error(change: impl Fn(&mut Cloud)) -> CloudError {
        let mut cloud = row();
        change(&mut cloud);
        cloud.check().unwrap_err()
    }

    fn indices(first: &[usize]) -> Indices {
        Indices { first: first.to_vec(), count: first.len() }
    }

    #[test]
    fn invalid_clouds_are_rejected_with_indices() {
        assert!(row().check().is_ok());
        assert_eq!(Cloud::default().check(), Err(CloudError::TooFew { points: 0 }));
        let single = cuboid(DVec3::ONE, [1; 3], &RigidPose::IDENTITY).unwrap();
        assert_eq!(single.check(), Err(CloudError::TooFew { points: 1 }));
        assert_eq!(
            error(|c| c.radii.truncate(19)),
            CloudError::Lengths { points: 20, radii: 19, volumes: 20, spreads: 20 }
        );
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            assert_eq!(error(|c| c.points[3].y = bad), CloudError::NotFinite(indices(&[3])));
            assert_eq!(error(|c| c.spreads[4].x_axis.y = bad), CloudError::NotFinite(indices(&[4])));
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(error(|c| c.radii[5] = bad), CloudError::BadRadius(indices(&[5])));
            assert_eq!(error(|c| (c.volumes[6], c.volumes[9]) = (bad, bad)), CloudError::BadVolume(indices(&[6, 9])));
        }
        assert_eq!(error(|c| c.points[2] = c.points[17]), CloudError::Duplicate(indices(&[2, 17])));
        let near = 1e-10 * DVec3::Z;
        assert_eq!(error(|c| c.points[2] = c.points[17] + near), CloudError::Duplicate(indices(&[2, 17])));
        assert_eq!(error(|c| c.points[0].y = 1.0), CloudError::Isolated(indices(&[0])));
        assert!(matches!(error(|c| c.points.fill(DVec3::X)), CloudError::Duplicate(Indices { count: 20, .. })));
        let message = error(|c| c.radii.fill(0.01)).to_string();
        assert!(
            message.starts_with("20 points (0, 1, 2, 3, 4, 5, 6, 7, ...) with a sphere that overlaps no"),
            "{message}"
        );
        assert!(error(|c| c.radii[5] = 0.0).to_string().starts_with("1 point (5) with a radius"));
    }

    #[test]
    fn the_volume_of_a_million_material_points_is_exact() {
        let cloud = cuboid(DVec3::new(0.7, 0.3, 0.1), [100; 3], &RigidPose::IDENTITY).unwrap();
        assert!((cloud.volume() / 0.021 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn twenty_thousand_coincident_points_are_rejected_quickly() {
        let mut cloud = cuboid(DVec3::ONE, [20_000, 1, 1], &RigidPose::IDENTITY).unwrap();
        cloud.points.fill(DVec3::ONE);
        assert!(matches!(cloud.check(), Err(CloudError::Duplicate(_))));
    }
}
