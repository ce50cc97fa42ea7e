//! Shapes as defined in scenes.

use crate::appearance::BodyShape;
use crate::geometry::generate::GenerateError;
use crate::geometry::{RigidPose, Shape, ShapeError, TriangleMesh};
use glam::DVec3;

/// A shape with given sizes and position, as defined in scenes: `shape.NAME = { ... }`.
pub trait Primitive {
    /// Returns the default center of rotation [m].
    fn center(&self) -> [f64; 3];

    /// Returns the conditions on the values of the keys.
    fn rules(&self) -> Vec<Rule>;

    /// Returns the shape in its own frame, and the pose of that frame.
    fn body(&self) -> Result<(Shape, RigidPose), ShapeError>;

    /// Returns the volume [m^3]; `None` if infinite.
    fn volume(&self) -> Option<f64>;

    /// Returns the smallest extent in any direction [m]; `None` if infinite.
    fn thinnest(&self) -> Option<f64>;

    /// Returns half of the edge lengths [m] of the axis-aligned bounding box around the shape's center; `None` if infinite.
    fn half_extents(&self) -> Option<DVec3>;

    /// Returns the surface in its own frame, as triangles with edges of about `spacing` [m]; `None` if infinite.
    fn skin(&self, spacing: f64) -> Option<Result<TriangleMesh, GenerateError>>;

    /// Returns the shape for display, in its own frame.
    fn display(&self) -> Result<BodyShape, ShapeError> {
        Ok(self.body()?.0.display())
    }
}

/// A condition on a value of a [`Primitive`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The value is above 0.
    Positive {
        /// Key of the value, with `.0` to `.2` for a component.
        field: &'static str,
        /// The value.
        value: f64,
        /// The unit.
        unit: &'static str,
    },
    /// Not all components are 0.
    Direction {
        /// Key of the value.
        field: &'static str,
        /// The value [-].
        value: [f64; 3],
        /// A value that is allowed.
        example: &'static str,
    },
    /// A condition specific to this shape.
    Holds {
        /// Whether it is satisfied.
        holds: bool,
        /// Key of the value to change.
        field: &'static str,
        /// Error message, in one line.
        message: &'static str,
        /// Label at the value.
        label: &'static str,
        /// How to fix it.
        remedy: &'static str,
    },
}

/// Returns the default direction of plane normals and axes.
pub(super) fn up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

/// Returns the pose that aligns a body along y with `axis`, of any length.
pub(super) fn along(axis: DVec3, center: [f64; 3]) -> RigidPose {
    let rotation = glam::DQuat::from_rotation_arc(DVec3::Y, axis.normalize_or(DVec3::Y));
    RigidPose { rotation, ..RigidPose::at(DVec3::from_array(center)) }
}

#[cfg(test)]
mod tests {
    use super::super::{PlacedCapsule, PlacedCuboid, PlacedCylinder, PlacedSphere};
    use super::*;
    use approx::assert_relative_eq;

    fn primitives() -> Vec<Box<dyn Primitive>> {
        let center = [0.1, 0.2, -0.3];
        vec![
            Box::new(PlacedCuboid { center, size: [0.4, 0.8, 1.2], rotate_degrees: [10.0, 20.0, 30.0] }),
            Box::new(PlacedSphere { center, radius: 0.7 }),
            Box::new(PlacedCylinder { center, radius: 0.3, height: 1.1, axis: [1.0, -2.0, 0.5] }),
            Box::new(PlacedCapsule { start: center, end: [1.0, 0.5, 0.25], radius: 0.2 }),
        ]
    }

    #[test]
    fn primitive_agrees_with_its_shape() {
        for primitive in primitives() {
            let (shape, pose) = primitive.body().unwrap();
            assert_relative_eq!(primitive.volume().unwrap(), shape.volume().unwrap(), max_relative = 1e-6);
            assert_eq!(pose.translation, DVec3::from_array(primitive.center()));
            let thinnest = 2.0 * shape.half_extents().unwrap().min_element();
            assert_relative_eq!(primitive.thinnest().unwrap(), thinnest, max_relative = 1e-6);
            let skin = primitive.skin(0.1).unwrap().unwrap();
            let reach = primitive.half_extents().unwrap();
            let mut farthest = DVec3::ZERO;
            for vertex in skin.vertices() {
                assert!(shape.signed_distance(vertex.as_vec3()).abs() < 1e-5, "{shape:?} {vertex}");
                farthest = farthest.max((pose.apply(*vertex) - pose.translation).abs());
            }
            assert!((reach - farthest).min_element() > -1e-6 && (reach - farthest).max_element() < 0.02, "{shape:?}");
        }
    }

    #[test]
    fn invalid_values_violate_rules() {
        let holds = |rule: &Rule| match *rule {
            Rule::Positive { value, .. } => value > 0.0,
            Rule::Direction { value, .. } => value != [0.0; 3],
            Rule::Holds { holds, .. } => holds,
        };
        assert!(primitives().iter().all(|primitive| primitive.rules().iter().all(holds)));
        let point = PlacedCapsule { start: [1.0; 3], end: [1.0; 3], radius: 1.0 };
        let flat = PlacedCuboid { center: [0.0; 3], size: [1.0, 0.0, 1.0], rotate_degrees: [0.0; 3] };
        let nowhere = PlacedCylinder { center: [0.0; 3], radius: 1.0, height: 1.0, axis: [0.0; 3] };
        for broken in [&point as &dyn Primitive, &flat, &nowhere] {
            assert_eq!(broken.rules().iter().filter(|rule| !holds(rule)).count(), 1);
        }
    }
}
