//! Volumes and bounding boxes of shapes. They are unknown for shapes from files until the files are read.

use super::scene::Vec3;
use super::shape::{Shape, ShapeSource};
use glam::DVec3;

pub use fibra_core::geometry::rotation_degrees;

/// Returns the volume [m^3], if it is finite and known.
pub(crate) fn volume(shape: &Shape) -> Option<f64> {
    match shape.source() {
        ShapeSource::Primitive(primitive) => primitive.volume(),
        _ => None,
    }
}

/// Returns the extent along the thinnest direction [m], if known.
pub(crate) fn thinnest(shape: &Shape) -> Option<f64> {
    match shape.source() {
        ShapeSource::Primitive(primitive) => primitive.thinnest(),
        ShapeSource::Figure(figure) => {
            figure.parts().map(|part| 2.0 * figure.scale * part.capsule().1).reduce(f64::min)
        }
        ShapeSource::Shawl(shawl) => Some(shawl.thickness),
        ShapeSource::DeformingMesh(_) | ShapeSource::Mesh(_) => None,
    }
}

/// Returns the axis-aligned bounding box [m] as lower and upper corner, if known.
pub(crate) fn bounds(shape: &Shape) -> Option<[Vec3; 2]> {
    let ShapeSource::Primitive(primitive) = shape.source() else { return None };
    let (center, half) = (DVec3::from(primitive.center()), primitive.half_extents()?);
    Some([(center - half).into(), (center + half).into()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shape::{Capsule, Cuboid, Cylinder};
    use approx::assert_relative_eq;
    use std::f64::consts::PI;

    fn assert_bounds(shape: &Shape, low: Vec3, high: Vec3) {
        let [min, max] = bounds(shape).unwrap();
        for axis in 0..3 {
            assert_relative_eq!(min[axis], low[axis], epsilon = 1e-12);
            assert_relative_eq!(max[axis], high[axis], epsilon = 1e-12);
        }
    }

    #[test]
    fn rotations_apply_about_x_then_y_then_z() {
        let turned = rotation_degrees([90.0, 0.0, 90.0]) * DVec3::Y;
        assert_relative_eq!(turned.z, 1.0, epsilon = 1e-12); // y -> z about x; z stays z about z
        let turned = rotation_degrees([0.0, 90.0, 90.0]) * DVec3::Z;
        assert_relative_eq!(turned.y, 1.0, epsilon = 1e-12); // z -> x about y; x -> y about z
    }

    #[test]
    fn bounds_of_a_rotated_box_contain_its_corners() {
        let cuboid = Cuboid { center: [1.0, 0.0, 0.0], size: [2.0, 2.0, 4.0], rotate_degrees: [0.0, 0.0, 45.0] };
        let reach = 2f64.sqrt();
        assert_bounds(&Shape::Box(cuboid), [1.0 - reach, -reach, -2.0], [1.0 + reach, reach, 2.0]);
    }

    #[test]
    fn bounds_of_cylinders_and_capsules_along_an_axis() {
        let cylinder = Cylinder { center: [0.0; 3], radius: 1.0, height: 6.0, axis: [0.0, 0.0, 2.0] };
        assert_bounds(&Shape::Cylinder(cylinder), [-1.0, -1.0, -3.0], [1.0, 1.0, 3.0]);
        let capsule = Capsule { start: [0.0; 3], end: [0.0, 3.0, 0.0], radius: 1.0 };
        assert_relative_eq!(volume(&Shape::Capsule(capsule.clone())).unwrap(), PI * (3.0 + 4.0 / 3.0));
        assert_bounds(&Shape::Capsule(capsule), [-1.0, -1.0, -1.0], [1.0, 4.0, 1.0]);
    }
}
