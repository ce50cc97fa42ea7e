//! Point clouds of spheres, as specified in files.

use crate::cloud::Cloud;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

impl Cloud {
    /// A cloud of spheres at `points` [m] with `radii` [m]. Without `volumes` [m^3], each point has the volume of its
    /// sphere. Second moments are those of a sphere of the given volume. [`Cloud::check`] validates the result.
    pub fn from_balls(points: Vec<DVec3>, radii: Vec<f64>, volumes: Option<Vec<f64>>) -> Self {
        let ball = 4.0 / 3.0 * PI;
        let volumes = volumes.unwrap_or_else(|| radii.iter().map(|r| ball * r * r * r).collect());
        // Per volume, a sphere of radius r has the second moment r^2 / 5 along each axis.
        let spread = |volume: &f64| DMat3::from_diagonal(DVec3::splat((volume / ball).cbrt().powi(2) / 5.0));
        Self { spreads: volumes.iter().map(spread).collect(), points, radii, volumes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn sphere_volumes_are_the_default_volumes() {
        let points = vec![DVec3::ZERO, DVec3::X];
        let cloud = Cloud::from_balls(points.clone(), vec![0.75, 0.5], None);
        assert_relative_eq!(cloud.volumes[1], PI / 6.0, max_relative = 1e-14);
        assert_relative_eq!(cloud.spreads[1].x_axis.x, 0.05, max_relative = 1e-14);
        assert!(cloud.check().is_ok());
        let given = Cloud::from_balls(points, vec![0.6; 2], Some(vec![2.0, 3.0]));
        assert_eq!(given.volumes, [2.0, 3.0]);
    }

    #[test]
    fn invalid_sphere_clouds_are_rejected_with_indices() {
        let check = |xs: &[f64]| {
            let points: Vec<DVec3> = xs.iter().map(|x| *x * DVec3::X).collect();
            Cloud::from_balls(points, vec![1.0; xs.len()], None).check().unwrap_err().to_string()
        };
        assert!(check(&[0.0]).starts_with("the cloud has 1 points"));
        assert!(check(&[0.0, 5.0]).starts_with("2 points (0, 1) with a sphere that overlaps no other"));
    }
}
