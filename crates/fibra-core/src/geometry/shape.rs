//! Shapes of any kind, each in its own frame, with signed distance and outward normal. Both are exact except for ellipsoids and sampled
//! meshes.

use super::shapes::*;
use super::{DeformedMesh, DeformingMesh, MeshDistance};
use crate::appearance::BodyShape;
use glam::{DVec3, Vec3};
use std::sync::Arc;
use thiserror::Error;

/// Defines the enum and its methods, which dispatch to [`ShapeKind`].
macro_rules! define_shape {
    ($(
        $(#[$doc:meta])* $Kind:ident($Type:ty)
        $(, in scenes $(#[$scene_doc:meta])* $Scene:ident($Placed:ident) = $name:literal)?;
    )*) => {
        /// A shape in its own frame. Construct it with `Shape::sphere` and similar functions, which validate the sizes.
        #[derive(Clone, Debug)]
        pub enum Shape {
            $($(#[$doc])* $Kind($Type),)*
        }

        impl Shape {
            /// Returns the center [m], in the body's frame. Positions passed to [`Shape::query`] are relative to this point. It is zero
            /// except for meshes, which may be far from their frame's origin.
            pub fn center(&self) -> DVec3 {
                match self { $(Self::$Kind(shape) => shape.center(),)* }
            }

            /// Returns the volume [m^3]; `None` for a plane and for deforming shapes.
            pub fn volume(&self) -> Option<f64> {
                match self { $(Self::$Kind(shape) => shape.volume(),)* }
            }

            /// Returns half of the edge lengths [m] of the bounding box, which is centered at [`Shape::center`]; `None` for a plane and for
            /// deforming shapes.
            pub fn half_extents(&self) -> Option<DVec3> {
                match self { $(Self::$Kind(shape) => shape.half_extents(),)* }
            }

            /// Returns the representation of the shape for display.
            pub fn display(&self) -> BodyShape {
                match self { $(Self::$Kind(shape) => shape.display(),)* }
            }

            /// Returns whether the shape fills its bounding box, so that cells can tile it exactly.
            pub fn fills_its_box(&self) -> bool {
                match self { $(Self::$Kind(shape) => shape.fills_its_box(),)* }
            }

            /// Returns whether `x` [m, relative to the center] is inside, in `f64` if the shape supports it.
            pub fn contains(&self, x: DVec3) -> bool {
                match self { $(Self::$Kind(shape) => shape.contains(x),)* }
            }

            /// Returns the shape at time `t` [s], with the same center. Only deforming shapes change.
            pub fn at(&self, t: f64) -> Shape {
                let deformed = match self { $(Self::$Kind(shape) => shape.deformed_at(t),)* };
                deformed.unwrap_or_else(|| self.clone())
            }

            /// Returns the signed distance [m] at `x` [m, relative to the center], negative inside.
            pub fn signed_distance(&self, x: Vec3) -> f32 {
                match self { $(Self::$Kind(shape) => shape.signed_distance(x),)* }
            }

            /// Returns whether `x` [m, relative to the center] is inside or closer than `reach` [m]. Equivalent to
            /// [`Shape::signed_distance`] below `reach`, but faster for meshes, whose surface must be searched.
            pub fn is_within(&self, x: Vec3, reach: f32) -> bool {
                match self { $(Self::$Kind(shape) => shape.is_within(x, reach),)* }
            }

            /// Evaluates [`Shape::is_within`] for `N` points [m, relative to the center], in one loop for each kind of shape.
            #[inline(always)]
            pub fn are_within<const N: usize>(&self, point: impl Fn(usize) -> Vec3, reach: f32) -> [bool; N] {
                match self { $(Self::$Kind(shape) => shape.are_within(point, reach),)* }
            }

            /// Returns the signed distance and outward normal at `x` [m, relative to the center].
            pub fn query(&self, x: Vec3) -> Nearest {
                match self { $(Self::$Kind(shape) => shape.query(x),)* }
            }
        }
    };
}

crate::shape_table!(define_shape);

/// Signed distance and normal of the closest surface point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Direction of steepest increase of the distance, a unit vector; arbitrary where it is not unique.
    pub normal: Vec3,
}

/// Error from creating a shape with invalid sizes.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A length is zero, negative or not finite.
    #[error("{what} is {value} m; it must be positive and finite")]
    BadLength {
        /// Name of the length.
        what: &'static str,
        /// The value [m].
        value: f32,
    },
    /// The normal of a plane is zero, or its point is not finite.
    #[error("a plane needs a finite point and a nonzero normal; got point {point} and normal {normal}")]
    BadPlane {
        /// The point [m].
        point: Vec3,
        /// The normal.
        normal: Vec3,
    },
}

/// Returns an error unless a length is positive and finite.
pub(super) fn positive(what: &'static str, value: f32) -> Result<f32, ShapeError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(ShapeError::BadLength { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::{assert_abs_diff_eq, assert_relative_eq};
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::plane(Vec3::new(0.1, 0.2, 0.3), Vec3::new(1.0, 2.0, -2.0)).unwrap(),
            Shape::sphere(0.7).unwrap(),
            Shape::cuboid(Vec3::new(0.3, 0.5, 0.8)).unwrap(),
            Shape::cylinder(0.6, 0.4).unwrap(),
            Shape::capsule(0.5, 0.3).unwrap(),
        ]
    }

    #[test]
    fn closed_forms() {
        let [plane, sphere, cuboid, cylinder, capsule]: [Shape; 5] = shapes().try_into().unwrap();
        let corner = Vec3::new(0.3, 0.5, 0.8);
        let diagonal = Vec3::ONE.normalize();
        let cases = [
            (&plane, Vec3::new(1.1, 2.2, -1.7), 3.0, Vec3::new(1.0, 2.0, -2.0) / 3.0),
            (&sphere, Vec3::new(0.0, 3.0, 4.0), 4.3, Vec3::new(0.0, 0.6, 0.8)),
            (&sphere, Vec3::new(0.1, 0.0, 0.0), -0.6, Vec3::X),
            (&cuboid, corner + diagonal, 1.0, diagonal),
            (&cuboid, Vec3::new(-0.29, 0.0, 0.0), -0.01, Vec3::NEG_X),
            (&cuboid, Vec3::new(0.0, -1.5, 0.1), 1.0, Vec3::NEG_Y),
            (&cylinder, Vec3::new(0.0, -2.6, 0.0), 2.0, Vec3::NEG_Y),
            (&cylinder, Vec3::new(0.0, 0.0, 1.4), 1.0, Vec3::Z),
            (&cylinder, Vec3::new(3.4, 4.6, 0.0), 5.0, Vec3::new(0.6, 0.8, 0.0)),
            (&cylinder, Vec3::new(0.0, 0.1, -0.3), -0.1, Vec3::NEG_Z),
            (&capsule, Vec3::new(3.0, -4.5, 0.0), 4.7, Vec3::new(0.6, -0.8, 0.0)),
            (&capsule, Vec3::new(0.0, 0.2, -0.1), -0.2, Vec3::NEG_Z),
        ];
        for (shape, x, distance, normal) in cases {
            let nearest = shape.query(x);
            assert_abs_diff_eq!(nearest.distance, distance, epsilon = 1e-6);
            assert!(nearest.normal.distance(normal) < 1e-6, "{shape:?} {x}: {}", nearest.normal);
        }
    }

    #[test]
    fn ellipsoid_distance_is_accurate_on_axes_and_near_the_surface() {
        let half_axes = Vec3::new(0.078, 0.115, 0.098);
        let head = Shape::ellipsoid(half_axes).unwrap();
        assert_abs_diff_eq!(head.signed_distance(Vec3::new(0.0, 0.3, 0.0)), 0.185, epsilon = 1e-6);
        assert_abs_diff_eq!(head.signed_distance(Vec3::ZERO), -0.078, epsilon = 1e-6);
        assert!(head.query(Vec3::ZERO).normal.is_normalized());
        assert_relative_eq!(head.volume().unwrap(), 3.6822e-3, max_relative = 1e-4);
        for k in 0..200 {
            let (a, b) = (0.1 * k as f32, 0.37 * k as f32);
            let on = half_axes * Vec3::new(a.sin() * b.cos(), a.cos(), a.sin() * b.sin());
            let normal = (on / (half_axes * half_axes)).normalize();
            for distance in [-0.01f32, -0.002, 0.0, 0.002, 0.01] {
                let nearest = head.query(on + distance * normal);
                assert!((nearest.distance - distance).abs() < 0.05 * distance.abs() + 1e-6, "{distance}: {nearest:?}");
                assert!(nearest.normal.dot(normal) > 0.998, "{distance}: {nearest:?}");
            }
        }
        assert!(Shape::ellipsoid(Vec3::new(1.0, -1.0, 1.0)).is_err());
    }

    #[test]
    fn normals_exist_at_centers_edges_and_corners() {
        for shape in shapes() {
            for x in [Vec3::ZERO, -Vec3::ZERO, Vec3::new(0.3, 0.5, 0.8), Vec3::new(0.4, 0.6, 0.0), 0.5 * Vec3::Y] {
                let nearest = shape.query(x);
                assert!(nearest.normal.is_normalized() && nearest.distance.is_finite(), "{shape:?} {x}");
            }
        }
    }

    #[test]
    fn volumes() {
        let volume = |shape: &Shape| shape.volume().unwrap();
        let [plane, sphere, cuboid, cylinder, capsule]: [Shape; 5] = shapes().try_into().unwrap();
        assert!(plane.volume().is_none() && plane.half_extents().is_none());
        assert_relative_eq!(volume(&sphere), 1.436755, max_relative = 1e-6);
        assert_relative_eq!(volume(&cuboid), 0.96, max_relative = 1e-6);
        assert_relative_eq!(volume(&cylinder), 0.192 * PI, max_relative = 1e-6);
        assert_relative_eq!(volume(&capsule), 0.126 * PI, max_relative = 1e-6);
        assert_relative_eq!(capsule.half_extents().unwrap().y, 0.8, max_relative = 1e-6);
    }

    #[test]
    fn display_meshes_lie_on_the_surface() {
        let mut meshes = 0;
        for shape in shapes().into_iter().chain([Shape::ellipsoid(Vec3::new(0.2, 0.5, 0.3)).unwrap()]) {
            if let BodyShape::Mesh { positions, triangles } = shape.display() {
                assert!(!triangles.is_empty());
                assert!(positions.iter().all(|x| shape.signed_distance(*x).abs() < 1e-6), "{shape:?}");
                meshes += 1;
            }
        }
        assert_eq!(meshes, 3);
    }

    #[test]
    fn all_inside_tests_agree() {
        let points: [Vec3; 16] = std::array::from_fn(|i| {
            let angle = i as f32;
            0.09 * angle * Vec3::new(angle.sin(), (1.3 * angle).cos(), (0.7 * angle).sin())
        });
        for shape in shapes().into_iter().chain([Shape::ellipsoid(Vec3::new(0.2, 0.5, 0.3)).unwrap()]) {
            let within: [bool; 16] = shape.are_within(|i| points[i], 0.0);
            for (x, within) in points.into_iter().zip(within) {
                assert_eq!(within, shape.signed_distance(x) < 0.0);
                assert_eq!(within, shape.is_within(x, 0.0));
                assert_eq!(within, shape.contains(x.as_dvec3()), "{shape:?} {x}");
            }
        }
    }

    #[test]
    fn invalid_sizes_are_errors() {
        assert!(Shape::plane(Vec3::ZERO, Vec3::ZERO).is_err());
        assert!(Shape::plane(Vec3::NAN, Vec3::Y).is_err());
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(Shape::sphere(bad).is_err());
            assert!(Shape::cylinder(bad, 1.0).is_err() && Shape::cylinder(1.0, bad).is_err());
            assert!(Shape::capsule(bad, 1.0).is_err() && Shape::capsule(1.0, bad).is_err());
            for axis in 0..3 {
                let mut half = Vec3::ONE;
                half[axis] = bad;
                assert!(Shape::cuboid(half).is_err());
            }
        }
    }

    fn point() -> impl Strategy<Value = Vec3> {
        (-1.5f32..1.5, -1.5f32..1.5, -1.5f32..1.5).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn distance_is_one_lipschitz(x in point(), y in point()) {
            for shape in shapes() {
                let change = (shape.signed_distance(x) - shape.signed_distance(y)).abs();
                prop_assert!(change <= x.distance(y) + 1e-6, "{shape:?}");
            }
        }

        #[test]
        fn normal_is_the_gradient(x in point()) {
            for shape in shapes() {
                let h = 1e-3;
                let slope = Vec3::from_array(Vec3::AXES.map(|e| {
                    (shape.signed_distance(x + h * e) - shape.signed_distance(x - h * e)) / (2.0 * h)
                }));
                let nearest = shape.query(x);
                prop_assert!(nearest.normal.is_normalized());
                // Where the gradient is discontinuous (inside, between two faces), the central difference is shorter than one.
                if slope.length() > 0.999 {
                    prop_assert!(nearest.normal.dot(slope.normalize()) > 0.999, "{shape:?} {slope}");
                }
                // Moving back by the distance gives a point on the surface.
                let surface = x - nearest.distance * nearest.normal;
                prop_assert!(shape.signed_distance(surface).abs() < 1e-5, "{shape:?}");
            }
        }
    }
}
