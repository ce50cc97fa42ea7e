//! Colliders: rigid bodies and deforming meshes that push hair and receive no forces from it. The caller moves them.

use crate::error::{HairError, StrandError};
use crate::head::RigidMotion;
use crate::step::StepPlan;
use fibra_core::geometry::{Contact, PlacedCollider, RigidPose, RigidVelocity, Shape};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// A body that pushes hair.
///
/// ```
/// use fibra_core::geometry::{RigidPose, Shape};
/// use fibra_hair::HairCollider;
/// use glam::DVec3;
///
/// let ball = HairCollider { pose: RigidPose::at(DVec3::Y), ..HairCollider::new(Shape::sphere(0.1)?) };
/// assert!(!ball.on_head);
/// # Ok::<(), fibra_core::geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HairCollider {
    /// Shape in the collider's frame. A mesh that deforms is a [`Shape::Deformed`].
    pub shape: Shape,
    /// Initial pose, relative to the run origin; for a collider on the head, relative to the head.
    pub pose: RigidPose,
    /// Whether the collider moves with the head.
    pub on_head: bool,
    /// Contact condition for hair.
    pub contact: Contact,
    /// Coulomb friction coefficient [-].
    pub friction: f32,
}

impl HairCollider {
    /// Returns a collider at the run origin that is not on the head. Hair slides along it and can separate from it; the friction coefficient is 0.3.
    pub fn new(shape: Shape) -> HairCollider {
        HairCollider { shape, pose: RigidPose::IDENTITY, on_head: false, contact: Contact::Separating, friction: 0.3 }
    }

    /// Rejects a pose or a friction coefficient out of range.
    pub(crate) fn check(&self, id: ColliderId) -> Result<(), HairError> {
        check_pose(id, &self.pose)?;
        if self.friction >= 0.0 {
            return Ok(());
        }
        let (what, value, allowed) = ("friction of a collider", self.friction, "0 or positive, without a unit");
        Err(StrandError::OutOfRange { what, value, allowed }.into())
    }
}

/// Identifier of a collider of a [`HairSim`](crate::HairSim). The builder returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColliderId(pub(crate) usize);

impl ColliderId {
    /// Returns the index of the collider, in insertion order.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Rejects a pose that is not finite or whose rotation is not a unit quaternion.
pub(crate) fn check_pose(id: ColliderId, pose: &RigidPose) -> Result<(), HairError> {
    let RigidPose { translation, rotation } = *pose;
    if translation.is_finite() && rotation.is_finite() && rotation.is_normalized() {
        return Ok(());
    }
    Err(HairError::ColliderPose { collider: id.0, translation, rotation })
}

/// A collider in motion.
#[derive(Clone, Debug)]
pub(crate) struct MovingCollider {
    pub collider: HairCollider,
    /// Current pose, pose at the start of the advance, and pose at its end. Not used for a collider on the head.
    pub now: RigidPose,
    pub from: RigidPose,
    pub to: RigidPose,
    /// Vertices of a deforming mesh at the start and at the end of the advance, in the collider's frame [m]; empty until they are set.
    vertices: [Vec<Vec3>; 2],
    /// Workspace: positions [m] and velocities [m/s] of the vertices.
    moving: [Vec<Vec3>; 2],
}

/// Uniform motion from one pose to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidPath {
    pub from: RigidPose,
    pub to: RigidPose,
    /// Duration [s].
    pub dt: f64,
}

impl RigidPath {
    /// Returns pose and velocity at a fraction `share` of the path.
    fn at(&self, share: f64) -> (RigidPose, RigidVelocity) {
        let pose = self.from.towards(&self.to, share);
        let mut velocity = RigidVelocity::between(&self.from, &self.to, self.dt);
        velocity.pivot = pose.translation;
        (pose, velocity)
    }
}

impl MovingCollider {
    /// Returns a collider in its initial pose.
    pub fn new(collider: HairCollider) -> MovingCollider {
        let pose = collider.pose;
        let (vertices, moving) = Default::default();
        MovingCollider { collider, now: pose, from: pose, to: pose, vertices, moving }
    }

    /// Sets the pose immediately, with zero velocity.
    pub fn place(&mut self, at: RigidPose) {
        (self.now, self.from, self.to) = (at, at, at);
    }

    /// Sets the vertex positions of a deforming mesh at the end of the next advance [m]. The first call places them immediately.
    pub fn move_vertices(&mut self, to: &[Vec3]) -> Result<(), HairError> {
        if self.vertices[0].is_empty() {
            return self.place_vertices(to);
        }
        self.check_count(to)?;
        self.vertices[1].copy_from_slice(to);
        Ok(())
    }

    /// Sets the vertices of a deforming mesh immediately, with zero velocity [m].
    pub fn place_vertices(&mut self, at: &[Vec3]) -> Result<(), HairError> {
        self.check_count(at)?;
        for field in self.vertices.iter_mut().chain(&mut self.moving) {
            field.clear();
            field.extend_from_slice(at);
        }
        self.deform(1.0, 1.0);
        Ok(())
    }

    fn check_count(&self, vertices: &[Vec3]) -> Result<(), HairError> {
        let expected = match &self.collider.shape {
            Shape::Deformed(mesh) => mesh.vertex_count(),
            _ => 0,
        };
        let given = vertices.len();
        if given == expected { Ok(()) } else { Err(HairError::VertexCount { vertices: expected, given }) }
    }

    /// Ends an advance: the targets become the start of the next one.
    pub fn arrive(&mut self) {
        (self.now, self.from) = (self.to, self.to);
        let [from, to] = &mut self.vertices;
        from.copy_from_slice(to);
    }

    /// Deforms the mesh to its shape at a fraction `share` of its motion, which takes `dt` [s]. A shared mesh is copied first.
    pub fn deform(&mut self, share: f32, dt: f32) {
        let (Shape::Deformed(mesh), [from, to]) = (&mut self.collider.shape, &self.vertices) else { return };
        if from.is_empty() {
            return;
        }
        let [positions, velocities] = &mut self.moving;
        for (i, (from, to)) in from.iter().zip(to).enumerate() {
            (positions[i], velocities[i]) = (from.lerp(*to, share), (*to - *from) / dt);
        }
        // Cannot fail: the number of vertices was checked when they were set.
        let _ = Arc::make_mut(mesh).set_vertices(positions, velocities);
    }

    /// Applies a jump of the head at once if the collider's own motion up to a fraction `share` of the advance contains it, as that of a body that
    /// the head sits on. Such a collider would otherwise sweep through the hair, which has jumped already. Other colliders, such as those at rest,
    /// do not take part.
    pub fn jump(&mut self, motion: &RigidMotion, share: f64) {
        let (target, jumped) = (self.from.towards(&self.to, share), motion.of(&self.now));
        // A rotation of 1 rad counts like 1 m.
        let gap = |pose: &RigidPose| {
            pose.translation.distance(target.translation) + pose.rotation.angle_between(target.rotation)
        };
        if gap(&jumped) < gap(&self.now) {
            self.now = jumped;
        }
    }

    /// Returns the path from the current pose to the pose at a fraction `share` of the advance, with duration `dt` [s].
    pub fn path(&self, share: f64, dt: f64) -> RigidPath {
        RigidPath { from: self.now, to: self.from.towards(&self.to, share), dt }
    }

    /// Returns the collider at a fraction `share` of a step, deformed.
    pub fn placed_during(&mut self, head_path: &RigidPath, plan: &StepPlan, share: f64) -> PlacedCollider {
        self.deform(plan.progress_at(share) as f32, plan.advance_dt as f32);
        self.placed(head_path, &self.path(plan.progress[1], head_path.dt), share)
    }

    /// Returns the collider at a fraction `share` of the head's path and of its own path.
    pub fn placed(&self, head: &RigidPath, own: &RigidPath, share: f64) -> PlacedCollider {
        let HairCollider { shape, pose, on_head, contact, friction } = &self.collider;
        let (at, velocity) = if *on_head {
            let (head, mut velocity) = head.at(share);
            let at = RigidPose { translation: head.apply(pose.translation), rotation: head.rotation * pose.rotation };
            velocity.pivot = head.translation;
            (at, velocity)
        } else {
            own.at(share)
        };
        PlacedCollider::new(shape, &at, &velocity, DVec3::ZERO, *contact, *friction)
    }
}
