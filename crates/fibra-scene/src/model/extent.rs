//! How large a shape is. Files are measured when they are read, so they have no answer here.

use super::scene::Vec3;
use super::shape::{Capsule, Cuboid, Cylinder, Shape};
use glam::{DMat3, DVec3, EulerRot};
use std::f64::consts::PI;

/// The rotation by angles about the fixed x, then y, then z axis [deg], as scenes write it.
pub fn rotation_degrees(angles: Vec3) -> DMat3 {
    let [x, y, z] = angles.map(f64::to_radians);
    DMat3::from_euler(EulerRot::ZYX, z, y, x)
}

/// Volume [m^3], where it is finite and known.
pub(crate) fn volume(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::Plane(_) | Shape::Figure(_) | Shape::Shawl(_) | Shape::DeformingMesh(_) | Shape::Mesh(_) => None,
        Shape::Box(cuboid) => Some(cuboid.size.iter().product()),
        Shape::Sphere(sphere) => Some(4.0 / 3.0 * PI * sphere.radius.powi(3)),
        Shape::Cylinder(cylinder) => Some(PI * cylinder.radius.powi(2) * cylinder.height),
        Shape::Capsule(capsule) => {
            let length = length(capsule);
            Some(PI * capsule.radius.powi(2) * (length + 4.0 / 3.0 * capsule.radius))
        }
    }
}

/// Extent along the thinnest direction [m].
pub(crate) fn thinnest(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::Plane(_) | Shape::DeformingMesh(_) | Shape::Mesh(_) => None,
        Shape::Shawl(shawl) => Some(shawl.thickness),
        Shape::Figure(figure) => figure.parts().map(|part| 2.0 * part.capsule().1).reduce(f64::min),
        Shape::Box(cuboid) => Some(cuboid.size.into_iter().fold(f64::INFINITY, f64::min)),
        Shape::Sphere(sphere) => Some(2.0 * sphere.radius),
        Shape::Cylinder(cylinder) => Some(cylinder.height.min(2.0 * cylinder.radius)),
        Shape::Capsule(capsule) => Some(2.0 * capsule.radius),
    }
}

/// Lower and upper corner of the smallest axis-aligned box around a shape [m].
pub(crate) fn bounds(shape: &Shape) -> Option<[Vec3; 2]> {
    let (center, half) = match shape {
        Shape::Plane(_) | Shape::Figure(_) | Shape::Shawl(_) | Shape::DeformingMesh(_) | Shape::Mesh(_) => return None,
        Shape::Box(cuboid) => (DVec3::from(cuboid.center), half_extent_box(cuboid)),
        Shape::Sphere(sphere) => (DVec3::from(sphere.center), DVec3::splat(sphere.radius)),
        Shape::Cylinder(cylinder) => (DVec3::from(cylinder.center), half_extent_cylinder(cylinder)),
        Shape::Capsule(capsule) => {
            let (start, end) = (DVec3::from(capsule.start), DVec3::from(capsule.end));
            (0.5 * (start + end), 0.5 * (end - start).abs() + DVec3::splat(capsule.radius))
        }
    };
    Some([(center - half).into(), (center + half).into()])
}

fn half_extent_box(cuboid: &Cuboid) -> DVec3 {
    let half = 0.5 * DVec3::from(cuboid.size);
    let rotation = rotation_degrees(cuboid.rotate_degrees);
    rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z
}

/// A disc with unit normal n and radius r reaches r sqrt(1 - n_i^2) along axis i.
fn half_extent_cylinder(cylinder: &Cylinder) -> DVec3 {
    let normal = DVec3::from(cylinder.axis).normalize_or_zero();
    let disc = (DVec3::ONE - normal * normal).max(DVec3::ZERO).map(f64::sqrt) * cylinder.radius;
    0.5 * cylinder.height * normal.abs() + disc
}

fn length(capsule: &Capsule) -> f64 {
    DVec3::from(capsule.start).distance(DVec3::from(capsule.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn assert_bounds(shape: &Shape, low: Vec3, high: Vec3) {
        let [min, max] = bounds(shape).unwrap();
        for axis in 0..3 {
            assert_relative_eq!(min[axis], low[axis], epsilon = 1e-12);
            assert_relative_eq!(max[axis], high[axis], epsilon = 1e-12);
        }
    }

    #[test]
    fn rotations_turn_about_x_then_y_then_z() {
        let turned = rotation_degrees([90.0, 0.0, 90.0]) * DVec3::Y;
        assert_relative_eq!(turned.z, 1.0, epsilon = 1e-12); // y -> z about x; z stays z about z
        let turned = rotation_degrees([0.0, 90.0, 90.0]) * DVec3::Z;
        assert_relative_eq!(turned.y, 1.0, epsilon = 1e-12); // z -> x about y; x -> y about z
    }

    #[test]
    fn a_turned_box_reaches_as_far_as_its_corners() {
        let cuboid = Cuboid { center: [1.0, 0.0, 0.0], size: [2.0, 2.0, 4.0], rotate_degrees: [0.0, 0.0, 45.0] };
        let reach = 2f64.sqrt();
        assert_bounds(&Shape::Box(cuboid), [1.0 - reach, -reach, -2.0], [1.0 + reach, reach, 2.0]);
    }

    #[test]
    fn cylinders_and_capsules_along_an_axis() {
        let cylinder = Cylinder { center: [0.0; 3], radius: 1.0, height: 6.0, axis: [0.0, 0.0, 2.0] };
        assert_bounds(&Shape::Cylinder(cylinder), [-1.0, -1.0, -3.0], [1.0, 1.0, 3.0]);
        let capsule = Capsule { start: [0.0; 3], end: [0.0, 3.0, 0.0], radius: 1.0 };
        assert_relative_eq!(volume(&Shape::Capsule(capsule.clone())).unwrap(), PI * (3.0 + 4.0 / 3.0));
        assert_bounds(&Shape::Capsule(capsule), [-1.0, -1.0, -1.0], [1.0, 4.0, 1.0]);
    }
}
