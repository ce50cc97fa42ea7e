//! Shapes, each in its own frame, with signed distance and outward normal; exact but for ellipsoids.

use super::{DeformedMesh, DeformingMesh, MeshDistance};
use glam::{DVec3, Vec2, Vec3};
use std::f64::consts::PI;
use std::sync::Arc;
use thiserror::Error;

/// A shape in its own frame. Construct it with the functions below, which check the sizes.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Everything below a plane. For colliders; it has no volume to fill.
    Plane {
        /// A point of the plane [m]. A point far away belongs into the pose, which has more digits.
        point: Vec3,
        /// Unit vector out of the solid side.
        normal: Vec3,
    },
    /// A ball about the origin.
    Sphere {
        /// Radius [m].
        radius: f32,
    },
    /// A box about the origin.
    Cuboid {
        /// Half of the edge lengths [m].
        half_extents: Vec3,
    },
    /// A cylinder about the origin, along y.
    Cylinder {
        /// Half of the height [m].
        half_height: f32,
        /// Radius [m].
        radius: f32,
    },
    /// All points within a radius of a segment about the origin, along y.
    Capsule {
        /// Half of the segment's length [m], without the round ends.
        half_height: f32,
        /// Radius [m].
        radius: f32,
    },
    /// An ellipsoid about the origin. Its distance is right to first order: on the surface and in its neighbourhood, and along its axes.
    Ellipsoid {
        /// Half of its width, height and depth [m].
        half_axes: Vec3,
    },
    /// A closed triangle mesh.
    Mesh(Arc<MeshDistance>),
    /// A triangle mesh, closed or open, with the vertices it has at one time, relative to the frame's origin. Whoever moves
    /// it in place holds the only reference meanwhile: `Arc::get_mut`, then [`DeformedMesh::set_vertices`].
    Deformed(Arc<DeformedMesh>),
    /// A triangle mesh, closed or open, that deforms with time; asked itself, it answers for the start.
    Deforming(Arc<DeformingMesh>),
}

/// Where the surface is, seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Unit vector in which the distance grows fastest; where several do, one of them.
    pub normal: Vec3,
}

/// A size that makes no shape.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A length is zero, negative or not finite.
    #[error("{what} is {value} m; it must be positive and finite")]
    BadLength {
        /// Which length.
        what: &'static str,
        /// Its value [m].
        value: f32,
    },
    /// The normal of a plane has no direction, or its point is nowhere.
    #[error("a plane needs a finite point and a normal other than zero; got point {point} and normal {normal}")]
    BadPlane {
        /// The point [m].
        point: Vec3,
        /// The normal.
        normal: Vec3,
    },
}

impl Shape {
    /// A plane through `point` [m] with an outward normal of any length.
    pub fn plane(point: Vec3, normal: Vec3) -> Result<Self, ShapeError> {
        match normal.try_normalize() {
            Some(unit) if point.is_finite() => Ok(Self::Plane { point, normal: unit }),
            _ => Err(ShapeError::BadPlane { point, normal }),
        }
    }

    /// A ball of the given radius [m].
    pub fn sphere(radius: f32) -> Result<Self, ShapeError> {
        Ok(Self::Sphere { radius: positive("the radius of a sphere", radius)? })
    }

    /// A box with the given half edge lengths [m].
    pub fn cuboid(half_extents: Vec3) -> Result<Self, ShapeError> {
        for half in half_extents.to_array() {
            positive("a half extent of a box", half)?;
        }
        Ok(Self::Cuboid { half_extents })
    }

    /// A cylinder along y with the given half height and radius [m].
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Ok(Self::Cylinder {
            half_height: positive("the half height of a cylinder", half_height)?,
            radius: positive("the radius of a cylinder", radius)?,
        })
    }

    /// A capsule along y with the given half length between the ends' centres, and radius [m].
    pub fn capsule(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Ok(Self::Capsule {
            half_height: positive("the half height of a capsule", half_height)?,
            radius: positive("the radius of a capsule", radius)?,
        })
    }

    /// An ellipsoid with the given half axes [m].
    pub fn ellipsoid(half_axes: Vec3) -> Result<Self, ShapeError> {
        for half in half_axes.to_array() {
            positive("a half axis of an ellipsoid", half)?;
        }
        Ok(Self::Ellipsoid { half_axes })
    }

    /// Point of the body's frame that [`Shape::query`] is relative to [m]: zero, except for meshes, which may have been
    /// modelled far from their frame's origin.
    pub fn centre(&self) -> DVec3 {
        match self {
            Self::Mesh(mesh) => mesh.centre(),
            Self::Deforming(mesh) => mesh.centre(),
            _ => DVec3::ZERO,
        }
    }

    /// The shape at time `t` [s], about the same centre; only a deforming one changes.
    pub fn at(&self, t: f64) -> Shape {
        match self {
            Self::Deforming(mesh) => Self::Deformed(Arc::new(mesh.at(t))),
            other => other.clone(),
        }
    }

    /// Volume [m^3]; a plane has none, and what deforms has none that lasts.
    pub fn volume(&self) -> Option<f64> {
        let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
        let cylinder = |h: f64, r: f64| 2.0 * h * PI * r * r;
        Some(match self {
            Self::Plane { .. } | Self::Deformed(_) | Self::Deforming(_) => return None,
            Self::Sphere { radius } => ball((*radius).into()),
            Self::Cuboid { half_extents } => 8.0 * half_extents.as_dvec3().element_product(),
            Self::Cylinder { half_height, radius } => cylinder((*half_height).into(), (*radius).into()),
            Self::Capsule { half_height, radius } => {
                cylinder((*half_height).into(), (*radius).into()) + ball((*radius).into())
            }
            Self::Ellipsoid { half_axes } => ball(1.0) * half_axes.as_dvec3().element_product(),
            Self::Mesh(mesh) => mesh.surface().volume(),
        })
    }

    /// Half of the edge lengths [m] of the box around the shape; the box is about [`Shape::centre`]. A plane has none,
    /// and what deforms has none that lasts.
    pub fn half_extents(&self) -> Option<DVec3> {
        Some(match self {
            Self::Plane { .. } | Self::Deformed(_) | Self::Deforming(_) => return None,
            Self::Sphere { radius } => DVec3::splat((*radius).into()),
            Self::Cuboid { half_extents } => half_extents.as_dvec3(),
            Self::Cylinder { half_height, radius } => Vec3::new(*radius, *half_height, *radius).as_dvec3(),
            Self::Capsule { half_height, radius } => {
                DVec3::splat((*radius).into()) + DVec3::Y * f64::from(*half_height)
            }
            Self::Ellipsoid { half_axes } => half_axes.as_dvec3(),
            Self::Mesh(mesh) => 0.5 * mesh.bounds().extent(),
        })
    }

    /// Signed distance [m] at `x` [m, relative to the centre], negative inside.
    pub fn signed_distance(&self, x: Vec3) -> f32 {
        match self {
            Self::Plane { point, normal } => normal.dot(x - *point),
            Self::Sphere { radius } => x.length() - radius,
            Self::Cuboid { half_extents } => {
                let q = x.abs() - *half_extents;
                q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
            }
            Self::Cylinder { half_height, radius } => {
                let q = Vec2::new(Vec2::new(x.x, x.z).length() - radius, x.y.abs() - half_height);
                q.max(Vec2::ZERO).length() + q.max_element().min(0.0)
            }
            Self::Capsule { half_height, radius } => from_segment(x, *half_height).length() - radius,
            Self::Ellipsoid { half_axes } => ellipsoid_distance(x, *half_axes),
            Self::Mesh(mesh) => mesh.signed_distance(x),
            Self::Deformed(mesh) => mesh.signed_distance(x),
            Self::Deforming(mesh) => mesh.start().signed_distance(x),
        }
    }

    /// Whether `x` [m, relative to the centre] is inside, or nearer than `reach` [m]. As [`Shape::signed_distance`] below
    /// `reach`, but quicker where the surface has to be searched for.
    #[inline]
    pub fn is_within(&self, x: Vec3, reach: f32) -> bool {
        match self {
            Self::Deformed(mesh) => mesh.is_within(x, reach),
            Self::Deforming(mesh) => mesh.start().is_within(x, reach),
            other => other.signed_distance(x) < reach,
        }
    }

    /// Signed distance and outward normal at `x` [m, relative to the centre].
    pub fn query(&self, x: Vec3) -> Nearest {
        let normal = match self {
            Self::Plane { normal, .. } => *normal,
            Self::Sphere { .. } => x.try_normalize().unwrap_or(Vec3::Y),
            Self::Cuboid { half_extents } => {
                let q = x.abs() - *half_extents;
                // Outside, away from the nearest point of the box; inside, towards the nearest face.
                let away = q.max(Vec3::ZERO).try_normalize().unwrap_or_else(|| Vec3::AXES[q.max_position()]);
                away * x.signum()
            }
            Self::Cylinder { half_height, radius } => {
                let radial = Vec3::new(x.x, 0.0, x.z).try_normalize().unwrap_or(Vec3::X);
                let q = Vec2::new(Vec2::new(x.x, x.z).length() - radius, x.y.abs() - half_height);
                let away = q.max(Vec2::ZERO).try_normalize().unwrap_or_else(|| Vec2::AXES[q.max_position()]);
                away.x * radial + away.y * x.y.signum() * Vec3::Y
            }
            Self::Capsule { half_height, .. } => from_segment(x, *half_height).try_normalize().unwrap_or(Vec3::X),
            Self::Ellipsoid { half_axes } => ellipsoid_level(x, *half_axes).1.try_normalize().unwrap_or(Vec3::Y),
            Self::Mesh(mesh) => return mesh.query(x),
            Self::Deformed(mesh) => return mesh.query(x),
            Self::Deforming(mesh) => return mesh.start().query(x),
        };
        Nearest { distance: self.signed_distance(x), normal }
    }
}

/// How far out a point is less one, divided by its slope; at the very middle the shortest half axis.
#[inline(always)]
pub(super) fn ellipsoid_distance(x: Vec3, half_axes: Vec3) -> f32 {
    let (level, slope) = ellipsoid_level(x, half_axes);
    let steep = slope.length();
    if steep > 1e-12 { level * (level - 1.0) / steep } else { -half_axes.min_element() }
}

/// How far out a point is in an ellipsoid, 1 on its surface, and that times its gradient.
#[inline(always)]
fn ellipsoid_level(x: Vec3, half_axes: Vec3) -> (f32, Vec3) {
    let q = x / half_axes;
    (q.length(), q / half_axes)
}

/// The way from the nearest point of the segment between (0, -half, 0) and (0, half, 0).
#[inline(always)]
pub(super) fn from_segment(x: Vec3, half: f32) -> Vec3 {
    Vec3::new(x.x, x.y - x.y.clamp(-half, half), x.z)
}

fn positive(what: &'static str, value: f32) -> Result<f32, ShapeError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(ShapeError::BadLength { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::{assert_abs_diff_eq, assert_relative_eq};
    use proptest::prelude::*;

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
    fn an_ellipsoid_is_right_on_its_axes_and_near_its_surface() {
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
    fn normals_exist_at_centres_edges_and_corners() {
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
    fn impossible_sizes_are_refused() {
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
        fn the_normal_is_the_gradient(x in point()) {
            for shape in shapes() {
                let h = 1e-3;
                let slope = Vec3::from_array(Vec3::AXES.map(|e| {
                    (shape.signed_distance(x + h * e) - shape.signed_distance(x - h * e)) / (2.0 * h)
                }));
                let nearest = shape.query(x);
                prop_assert!(nearest.normal.is_normalized());
                // Where the gradient jumps (inside, between two faces) the central difference is shorter than one.
                if slope.length() > 0.999 {
                    prop_assert!(nearest.normal.dot(slope.normalize()) > 0.999, "{shape:?} {slope}");
                }
                // Stepping back by the distance lands on the surface.
                let surface = x - nearest.distance * nearest.normal;
                prop_assert!(shape.signed_distance(surface).abs() < 1e-5, "{shape:?}");
            }
        }
    }
}
