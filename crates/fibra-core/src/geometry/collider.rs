//! Colliders: bodies with prescribed motion that act on the material. Each has a shape, a pose, a motion and a contact law.

use super::{Motion, Nearest, Plane, RigidPose, RigidState, Shape, ShapeKind, SurfacePoint};
use crate::frame;
use glam::{DVec3, Mat3, Vec3};

/// A body with prescribed motion. It is rigid unless its shape deforms.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name, for messages.
    pub name: String,
    /// Shape in the body's frame.
    pub shape: Shape,
    /// Rest pose of the body: its pose where `motion` has zero displacement.
    pub rest: RigidPose,
    /// Displacement from the rest pose over time.
    pub motion: Motion,
    /// Contact law.
    pub contact: Contact,
    /// Coulomb friction coefficient [-]; unused if the contact is sticky.
    pub friction: f32,
}

/// How a collider constrains material that touches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// The material moves with the body.
    Sticky,
    /// The material slides along the body and cannot leave it.
    Slip,
    /// The material slides along the body and may leave it.
    #[default]
    Separating,
}

/// A collider at one time, in `f32` relative to the run origin.
#[derive(Clone, Debug)]
pub struct PlacedCollider {
    /// Contact law.
    pub contact: Contact,
    /// Coulomb friction coefficient [-].
    pub friction: f32,
    shape: Shape,
    pose: frame::Pose,
    placement: Placement,
    /// If the shape is a plane, a point of the plane [m] and its normal. Floors and walls are queried most often, and these two vectors
    /// make their queries cheap.
    plane: Option<(Vec3, Vec3)>,
}

/// Pose of a shape relative to the run origin, and the velocity of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Rotation from shape axes to world axes.
    pub rotation: Mat3,
    /// Position of the shape's center [m].
    pub center: Vec3,
    /// Position of the motion's pivot [m].
    pub pivot: Vec3,
    /// Velocity of the pivot [m/s].
    pub linear_velocity: Vec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vec3,
}

/// Velocity of a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidVelocity {
    /// A point of the body [m].
    pub pivot: DVec3,
    /// Velocity of the pivot [m/s].
    pub linear: DVec3,
    /// Angular velocity in world axes [rad/s].
    pub angular: DVec3,
}

impl RigidVelocity {
    /// Computes the constant velocity of a body that moves from one pose to another within `dt` [s].
    pub fn between(from: &RigidPose, to: &RigidPose, dt: f64) -> Self {
        let turn = (to.rotation * from.rotation.inverse()).normalize();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let linear = (to.translation - from.translation) / dt;
        Self { pivot: to.translation, linear, angular: turn.to_scaled_axis() / dt }
    }
}

/// Result of querying a collider at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Signed distance [m], negative inside.
    pub distance: f32,
    /// Outward unit normal.
    pub normal: Vec3,
    /// Velocity of the body [m/s]: its rigid motion at the query point, as if the point were part of the body. For deforming shapes, plus
    /// the deformation velocity of the closest surface point.
    pub velocity: Vec3,
}

/// Construction.
impl Collider {
    /// Creates a resting body at `rest`, without friction and with separating contact.
    ///
    /// ```
    /// use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape, Spin};
    /// use glam::DVec3;
    ///
    /// let spin = Motion::Spin(Spin::new(DVec3::Y, 2.0, None)?);
    /// let drum = Collider::new("drum", Shape::cylinder(0.2, 0.5)?, RigidPose::at(DVec3::Y)).friction(0.4).motion(spin);
    /// assert_eq!((drum.friction, drum.contact), (0.4, Contact::Separating));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, shape: Shape, rest: RigidPose) -> Collider {
        let (motion, contact) = (Motion::Still, Contact::default());
        Collider { name: name.into(), shape, rest, motion, contact, friction: 0.0 }
    }

    /// Creates a horizontal ground plane named `ground`, solid below `height` [m] along y, without friction.
    pub fn ground(height: f64) -> Collider {
        let below = Shape::Plane(Plane { point: Vec3::ZERO, normal: Vec3::Y });
        Collider::new("ground", below, RigidPose::at(height * DVec3::Y))
    }

    /// Sets the friction coefficient [-].
    pub fn friction(self, friction: f32) -> Collider {
        Collider { friction, ..self }
    }

    /// Sets the contact law.
    pub fn contact(self, contact: Contact) -> Collider {
        Collider { contact, ..self }
    }

    /// Sets the motion relative to the rest pose.
    pub fn motion(self, motion: Motion) -> Collider {
        Collider { motion, ..self }
    }
}

/// Poses.
impl Collider {
    /// Returns the pose and the velocity of the body's frame at time `t` [s].
    pub fn body(&self, t: f64) -> (RigidPose, RigidVelocity) {
        let RigidState { translation, rotation, linear_velocity, angular_velocity } = self.motion.at(t);
        let pivot = self.motion.pivot(self.rest.translation);
        let moved_pivot = pivot + translation;
        let body = RigidPose {
            translation: moved_pivot + rotation * (self.rest.translation - pivot),
            rotation: (rotation * self.rest.rotation).normalize(),
        };
        (body, RigidVelocity { pivot: moved_pivot, linear: linear_velocity, angular: angular_velocity })
    }

    /// Evaluates the collider at time `t` [s], relative to the run origin [m].
    pub fn place(&self, t: f64, origin: DVec3) -> PlacedCollider {
        let (body, velocity) = self.body(t);
        let placed = PlacedCollider::new(&self.shape, &body, &velocity, origin, self.contact, self.friction);
        // Keep the center of the undeformed shape.
        PlacedCollider { shape: self.shape.at(t), ..placed }
    }
}

impl PlacedCollider {
    /// Places a shape at a pose, relative to the run origin [m], with a velocity.
    pub fn new(
        shape: &Shape,
        body: &RigidPose,
        velocity: &RigidVelocity,
        origin: DVec3,
        contact: Contact,
        friction: f32,
    ) -> Self {
        let quaternion = body.rotation.as_quat().normalize();
        let (turn, center) = (Mat3::from_quat(quaternion), (body.apply(shape.center()) - origin).as_vec3());
        PlacedCollider {
            plane: match *shape {
                Shape::Plane(Plane { point, normal }) => Some((center + turn * point, turn * normal)),
                _ => None,
            },
            contact,
            friction,
            shape: shape.clone(),
            pose: frame::Pose {
                translation: (body.translation - origin).as_vec3().to_array(),
                rotation: quaternion.to_array(),
            },
            placement: Placement {
                rotation: turn,
                center,
                pivot: (velocity.pivot - origin).as_vec3(),
                linear_velocity: velocity.linear.as_vec3(),
                angular_velocity: velocity.angular.as_vec3(),
            },
        }
    }

    /// Returns the signed distance [m] at `x` [m, relative to the run origin], negative inside.
    #[inline]
    pub fn signed_distance(&self, x: Vec3) -> f32 {
        match self.plane {
            Some((point, normal)) => normal.dot(x - point),
            None => self.shape.signed_distance(self.to_local(x)),
        }
    }

    /// Returns whether `x` [m, relative to the run origin] is inside or closer than `reach` [m].
    #[inline]
    pub fn is_within(&self, x: Vec3, reach: f32) -> bool {
        match self.plane {
            Some((point, normal)) => normal.dot(x - point) < reach,
            None => self.shape.is_within(self.to_local(x), reach),
        }
    }

    /// Returns a bit mask of up to 32 points: a bit is set if the point is inside or closer than `reach` [m]. The points are given
    /// component by component [m, relative to the run origin]. For spheres, capsules and ellipsoids, the most common shapes, the compiler
    /// vectorizes the loop.
    #[inline(always)]
    pub fn are_within<const N: usize>(&self, x: &[[f32; N]; 3], reach: f32) -> u32 {
        let point = |i: usize| Vec3::new(x[0][i], x[1][i], x[2][i]);
        let within: [bool; N] = match self.plane {
            Some((at, normal)) => ShapeKind::are_within(&Plane { point: at, normal }, point, reach),
            None => self.shape.are_within(|i| self.to_local(point(i)), reach),
        };
        (0..N).fold(0, |bits, i| bits | u32::from(within[i]) << i)
    }

    /// Queries the collider as [`PlacedCollider::query`] does if `x` [m, relative to the run origin] is inside or closer than `reach` [m];
    /// otherwise returns `None`.
    pub fn query_within(&self, x: Vec3, reach: f32) -> Option<Hit> {
        let Shape::Deformed(mesh) = &self.shape else { return self.is_within(x, reach).then(|| self.query(x)) };
        let SurfacePoint { distance, normal, velocity } = mesh.within(self.to_local(x), reach)?;
        let velocity = self.rigid_velocity(x) + self.placement.rotation * velocity;
        (distance < reach).then(|| Hit { distance, normal: self.placement.rotation * normal, velocity })
    }

    /// Returns the signed distance, the normal and the body's velocity at `x` [m, relative to the run origin]. For deforming shapes, the
    /// deformation velocity of the closest surface point is added to the rigid motion at `x`.
    pub fn query(&self, x: Vec3) -> Hit {
        if let Shape::Deformed(_) = self.shape
            && let Some(hit) = self.query_within(x, f32::INFINITY)
        {
            return hit;
        }
        let Nearest { distance, normal } = self.shape.query(self.to_local(x));
        Hit { distance, normal: self.placement.rotation * normal, velocity: self.rigid_velocity(x) }
    }

    /// Returns the velocity [m/s] of the point `x` [m], as if the point were part of a rigid body.
    fn rigid_velocity(&self, x: Vec3) -> Vec3 {
        let Placement { linear_velocity, angular_velocity, pivot, .. } = self.placement;
        linear_velocity + angular_velocity.cross(x - pivot)
    }

    /// Returns the angular velocity of the rigid motion [rad/s].
    pub fn angular_velocity(&self) -> Vec3 {
        self.placement.angular_velocity
    }

    /// Returns the body's pose, for frames.
    pub fn pose(&self) -> frame::Pose {
        self.pose
    }

    /// Returns the shape at this time.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the placement of the shape.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    #[inline(always)]
    fn to_local(&self, x: Vec3) -> Vec3 {
        self.placement.rotation.mul_transpose_vec3(x - self.placement.center)
    }
}

/// Computes the velocity [m/s] of a grid node after contact, from its velocity `v` [m/s] before.
///
/// With n the outward normal, the velocity relative to the body is v_r = v_n n + v_t. Sticky contact sets v_r to zero. Slip contact removes
/// v_n; separating contact removes v_n only if v_n < 0, that is, if the node approaches. Friction then shortens v_t by `friction` |v_n|, at
/// most to zero. Only approaching material presses on the body, so friction acts only on approaching material.
pub fn collider_response(v: Vec3, hit: &Hit, contact: Contact, friction: f32) -> Vec3 {
    let relative = v - hit.velocity;
    let normal_speed = relative.dot(hit.normal);
    match contact {
        Contact::Sticky => return hit.velocity,
        Contact::Separating if normal_speed >= 0.0 => return v,
        Contact::Slip | Contact::Separating => {}
    }
    let tangential = relative - normal_speed * hit.normal;
    let speed = tangential.length();
    let lost = friction * (-normal_speed).max(0.0);
    if lost >= speed { hit.velocity } else { hit.velocity + tangential * (1.0 - lost / speed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::cuboid;
    use crate::geometry::{DeformingMesh, Keyframes, MeshDistance, Spin};
    use glam::{DQuat, Quat};
    use proptest::prelude::*;
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    fn collider(shape: Shape, rest: RigidPose, motion: Motion) -> Collider {
        Collider::new("body", shape, rest).motion(motion)
    }

    #[test]
    fn ground_is_solid_below_its_height() {
        let ground = Collider::ground(1.5).friction(0.5).contact(Contact::Slip).place(0.0, DVec3::Y);
        assert_eq!((ground.friction, ground.contact), (0.5, Contact::Slip));
        let hit = ground.query(Vec3::new(3.0, 0.25, -2.0));
        assert_eq!((hit.distance, hit.normal, hit.velocity), (-0.25, Vec3::Y, Vec3::ZERO));
    }

    fn spinning_box() -> Collider {
        let rest = RigidPose { translation: DVec3::new(2.0, 0.0, 0.0), rotation: DQuat::from_rotation_z(0.4) };
        let spin = Spin::new(DVec3::Y, 3.0, Some(DVec3::X)).unwrap().moving(DVec3::new(0.0, 0.5, 0.0)).unwrap();
        collider(Shape::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap(), rest, Motion::Spin(spin))
    }

    #[test]
    fn spin_rotates_the_body_about_its_pivot() {
        let rest = RigidPose::at(DVec3::new(2.0, 0.0, 0.0));
        let spin = Spin::new(DVec3::Y, FRAC_PI_2, Some(DVec3::X)).unwrap();
        let placed = collider(Shape::sphere(0.25).unwrap(), rest, Motion::Spin(spin)).place(1.0, DVec3::ZERO);
        // A quarter turn about y through (1, 0, 0) takes (2, 0, 0) to (1, 0, -1).
        assert!(Vec3::from_array(placed.pose().translation).distance(Vec3::new(1.0, 0.0, -1.0)) < 1e-6);
        let hit = placed.query(Vec3::new(1.0, 0.0, -2.0));
        assert!((hit.distance - 0.75).abs() < 1e-6 && hit.normal.distance(Vec3::NEG_Z) < 1e-6);
        // omega x r = (pi/2) y x (-2 z)
        assert!(hit.velocity.distance(Vec3::NEG_X * std::f32::consts::PI) < 1e-5, "{}", hit.velocity);
    }

    #[test]
    fn keyframes_rotate_a_body_about_its_rest_position() {
        let rest = RigidPose::at(DVec3::new(5.0, 0.0, 0.0));
        let keyframes = Keyframes::new(vec![0.0], vec![DVec3::Y], vec![DQuat::from_rotation_z(FRAC_PI_2)]).unwrap();
        let shape = Shape::cuboid(Vec3::new(1.0, 0.1, 0.1)).unwrap();
        let placed = collider(shape, rest, Motion::Keyframes(keyframes)).place(0.0, DVec3::ZERO);
        assert_eq!(placed.pose().translation, [5.0, 1.0, 0.0]);
        assert!((placed.signed_distance(Vec3::new(5.0, 2.5, 0.0)) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn distant_bodies_and_meshes_keep_precision() {
        let far = DVec3::new(1e6, -1e6, 1e6);
        let mesh = cuboid(far, DVec3::splat(0.5));
        let shape = Shape::Mesh(Arc::new(MeshDistance::new(&mesh, 0.125).unwrap()));
        let placed = collider(shape, RigidPose::at(far), Motion::Still).place(0.0, 2.0 * far);
        let hit = placed.query(Vec3::new(0.0, 0.6, 0.0));
        assert!((hit.distance - 0.1).abs() < 1e-4, "{}", hit.distance);
        assert!(hit.normal.distance(Vec3::Y) < 1e-3);
    }

    #[test]
    fn deformation_velocity_adds_to_rigid_velocity() {
        let small = cuboid(DVec3::new(5.0, 0.0, 0.0), DVec3::ONE);
        let large = cuboid(DVec3::new(5.0, 0.0, 0.0), DVec3::splat(2.0));
        let mesh = DeformingMesh::recorded(&[small, large], 1.0, 0.01).unwrap();
        let spin = Spin::new(DVec3::Y, FRAC_PI_2, None).unwrap().moving(DVec3::Y).unwrap();
        let body = collider(Shape::Deforming(Arc::new(mesh)), RigidPose::IDENTITY, Motion::Spin(spin));
        // After one second, (5, 0, 0) is at (0, 1, -5). At half a second the box has a side of 3 m.
        let placed = body.place(0.5, DVec3::Y);
        let center = 5.0 * Vec3::new(0.5f32.sqrt(), 0.0, -(0.5f32.sqrt())) - 0.5 * Vec3::Y;
        let above = center + 2.5 * Vec3::Y;
        let hit = placed.query(above);
        assert!((hit.distance - 1.0).abs() < 1e-5 && hit.normal.distance(Vec3::Y) < 1e-5, "{hit:?}");
        // omega x r, the drift, and the growth.
        let rigid = std::f32::consts::FRAC_PI_2 * Vec3::Y.cross(center) + Vec3::Y;
        assert!(hit.velocity.distance(rigid + Vec3::Y) < 1e-4, "{}", hit.velocity);
        assert_eq!(placed.query_within(above, 1.1), Some(hit));
        assert!(placed.query_within(above, 0.9).is_none());
        assert!(placed.is_within(above, 1.1) && !placed.is_within(above, 0.9) && placed.is_within(center, 0.1));
        assert!((placed.signed_distance(center) + 1.5).abs() < 1e-5);
    }

    #[test]
    fn sticky_contact_imposes_the_body_velocity() {
        let hit = Hit { distance: -0.1, normal: Vec3::Y, velocity: Vec3::new(1.0, 2.0, 3.0) };
        assert_eq!(collider_response(Vec3::splat(9.0), &hit, Contact::Sticky, 0.5), hit.velocity);
    }

    #[test]
    fn slip_and_separating_with_friction() {
        let body = Vec3::new(1.0, 1.0, 0.0);
        let hit = Hit { distance: -0.1, normal: Vec3::Y, velocity: body };
        let respond =
            |relative: Vec3, contact, friction| collider_response(body + relative, &hit, contact, friction) - body;
        let approaching = Vec3::new(3.0, -2.0, 4.0);
        let leaving = Vec3::new(3.0, 2.0, 4.0);
        for contact in [Contact::Slip, Contact::Separating] {
            assert_eq!(respond(approaching, contact, 0.0), Vec3::new(3.0, 0.0, 4.0));
            // The tangential speed 5 falls by 0.25 * 2.
            assert!(respond(approaching, contact, 0.25).distance(0.9 * Vec3::new(3.0, 0.0, 4.0)) < 1e-6);
            assert_eq!(respond(approaching, contact, 2.5), Vec3::ZERO);
            assert_eq!(respond(Vec3::NEG_Y, contact, 0.0), Vec3::ZERO);
        }
        assert_eq!(respond(leaving, Contact::Separating, 1.0), leaving);
        assert_eq!(respond(leaving, Contact::Slip, 1.0), Vec3::new(3.0, 0.0, 4.0));
    }

    proptest! {
        #[test]
        fn velocity_equals_that_of_the_material_point(t in 0.0..5.0f64, x in prop::array::uniform3(-0.5f32..0.5)) {
            let body = spinning_box();
            let h = 1e-5;
            let position_at = |t| {
                let pose = body.motion.at(t);
                let local = Vec3::from_array(x).as_dvec3();
                let world = body.rest.apply(local);
                DVec3::X + pose.translation + pose.rotation * (world - DVec3::X)
            };
            let velocity = ((position_at(t + h) - position_at(t - h)) / (2.0 * h)).as_vec3();
            let placed = body.place(t, DVec3::ZERO);
            prop_assert!(placed.query(position_at(t).as_vec3()).velocity.distance(velocity) < 1e-4);
            // The point keeps its position in the body frame.
            let exact = body.shape.query(Vec3::from_array(x));
            let hit = placed.query(position_at(t).as_vec3());
            prop_assert!((hit.distance - exact.distance).abs() < 1e-5);
            prop_assert!((placed.signed_distance(position_at(t).as_vec3()) - hit.distance).abs() < 1e-6);
            // The pose that frames store moves points in the same way.
            let pose = placed.pose();
            let drawn = Quat::from_array(pose.rotation) * Vec3::from_array(x) + Vec3::from_array(pose.translation);
            prop_assert!(drawn.distance(position_at(t).as_vec3()) < 1e-5);
        }

        #[test]
        fn response_never_increases_relative_speed(
            v in prop::array::uniform3(-5.0f32..5.0),
            n in prop::array::uniform3(-1.0f32..1.0),
            friction in 0.0f32..2.0,
        ) {
            let Some(normal) = Vec3::from_array(n).try_normalize() else { return Ok(()) };
            let hit = Hit { distance: 0.0, normal, velocity: Vec3::new(0.5, -1.0, 2.0) };
            let v = Vec3::from_array(v);
            for contact in [Contact::Sticky, Contact::Slip, Contact::Separating] {
                let after = collider_response(v, &hit, contact, friction);
                prop_assert!(after.distance(hit.velocity) <= v.distance(hit.velocity) + 1e-5);
                prop_assert!((after - hit.velocity).dot(normal) > -1e-5);
            }
        }
    }
}
