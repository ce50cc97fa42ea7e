//! Points attached to a deforming collider, which move with its surface.

use super::{Collider, RigidPose, RigidState, Shape};
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// A point attached to the nearest triangle of a deforming collider.
///
/// The point is `x = sum_i w_i x_i + R d`, with the corners `x_i` of the triangle, the barycentric coordinates `w_i` of the closest point, the frame `R`
/// of the triangle and the offset `d` in this frame, all at time 0. The frame follows the first edge and the normal of the triangle. The velocity is
/// the time derivative: `v = sum_i w_i v_i + omega x R d`. A collider that also moves as a whole takes the point along.
///
/// As a [`Motion`](super::Motion), it displaces the point and rotates about it with the frame. While a triangle has no area, its frame is that of time 0.
#[derive(Clone, Debug)]
pub struct Attachment {
    collider: Arc<Collider>,
    /// The corners of the triangle.
    corners: [u32; 3],
    /// Barycentric coordinates [-].
    weights: [f64; 3],
    /// Offset from the surface, in the frame of the triangle [m].
    offset: DVec3,
    /// The point where the collider has zero displacement [m].
    pub(super) point: DVec3,
    /// Frame of the triangle at time 0, in the body's frame.
    frame: DMat3,
}

impl Attachment {
    /// Attaches `point` [m] to the collider's surface at time 0. Returns `None` if the collider does not deform, because a rigid collider's own motion
    /// moves all its points.
    pub fn new(collider: &Arc<Collider>, point: DVec3) -> Option<Attachment> {
        let Shape::Deforming(mesh) = &collider.shape else { return None };
        let local = collider.rest.rotation.inverse() * (point - collider.rest.translation);
        let (corners, weights) = mesh.start().nearest_triangle((local - mesh.center()).as_vec3())?;
        let (x, v) = mesh.corners_at(corners, 0.0);
        let (frame, _) = frame(x, v)?;
        let weights = weights.to_array().map(f64::from);
        let offset = frame.transpose() * (local - blend(weights, x));
        Some(Attachment { collider: collider.clone(), corners, weights, offset, point, frame })
    }

    pub(super) fn at(&self, t: f64) -> RigidState {
        let Shape::Deforming(mesh) = &self.collider.shape else { return RigidState::REST };
        let (x, v) = mesh.corners_at(self.corners, t);
        let (frame, spin) = frame(x, v).unwrap_or((self.frame, DVec3::ZERO));
        let arm = frame * self.offset;
        let (here, velocity) = (blend(self.weights, x) + arm, blend(self.weights, v) + spin.cross(arm));

        let (body, moving) = self.collider.body(t);
        let turned = DQuat::from_mat3(&(frame * self.frame.transpose()));
        let RigidPose { rotation: rest, .. } = self.collider.rest;
        let place = body.apply(here);
        RigidState {
            translation: place - self.point,
            rotation: (body.rotation * turned * rest.inverse()).normalize(),
            linear_velocity: moving.linear + moving.angular.cross(place - moving.pivot) + body.rotation * velocity,
            angular_velocity: moving.angular + body.rotation * spin,
        }
    }
}

impl PartialEq for Attachment {
    /// Whether both attach the same point to the same collider.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.collider, &other.collider) && self.point == other.point
    }
}

fn blend(weights: [f64; 3], vectors: [DVec3; 3]) -> DVec3 {
    (0..3).map(|i| weights[i] * vectors[i]).sum()
}

/// Returns the frame of a triangle - first edge, in-plane normal of that edge, normal - and its angular velocity [rad/s], from positions and velocities
/// of the corners; `None` without area.
///
/// The axes `a_i` of a frame satisfy `a_i' = omega x a_i`. Since `a_i x (omega x a_i)` sums to `2 omega`, `omega = sum_i a_i x a_i' / 2`.
fn frame(x: [DVec3; 3], v: [DVec3; 3]) -> Option<(DMat3, DVec3)> {
    let [e1, e2] = [x[1] - x[0], x[2] - x[0]];
    let [rate1, rate2] = [v[1] - v[0], v[2] - v[0]];
    let (area, area_rate) = (e1.cross(e2), rate1.cross(e2) + e1.cross(rate2));
    let unit = |vector: DVec3, rate: DVec3| {
        let axis = vector.try_normalize()?;
        Some((axis, (rate - axis.dot(rate) * axis) / vector.length()))
    };
    let (tangent, tangent_rate) = unit(e1, rate1)?;
    let (normal, normal_rate) = unit(area, area_rate)?;
    let (across, across_rate) = (normal.cross(tangent), normal_rate.cross(tangent) + normal.cross(tangent_rate));
    let spin = tangent.cross(tangent_rate) + across.cross(across_rate) + normal.cross(normal_rate);
    Some((DMat3::from_cols(tangent, across, normal), 0.5 * spin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::icosphere;
    use crate::geometry::{BodyPart, Dance, DeformingMesh, Motion, Spin};

    /// A ball whose parts follow a dance with different delays, on a body that spins.
    fn dancing_ball() -> Arc<Collider> {
        let ball = icosphere(2, 0.2);
        let dance = Motion::Dance(Dance::new(BodyPart::Chest, 1.0).unwrap());
        let delays = ball.vertices().iter().map(|x| 0.2 - x.y).collect();
        let mesh = DeformingMesh::trailing(&ball, dance, DVec3::ZERO, delays, 0.01).unwrap();
        let rest = RigidPose { translation: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::from_rotation_x(0.7) };
        let spin = Spin::new(DVec3::new(1.0, 2.0, 0.0), 1.5, Some(DVec3::X)).unwrap().moving(DVec3::Z).unwrap();
        let collider = Collider::new("ball", Shape::Deforming(Arc::new(mesh)), rest);
        Arc::new(collider.motion(Motion::Spin(spin)))
    }

    fn mesh_of(collider: &Collider) -> &DeformingMesh {
        let Shape::Deforming(mesh) = &collider.shape else { unreachable!("the collider deforms") };
        mesh
    }

    #[test]
    fn point_on_the_surface_moves_with_it() {
        let ball = dancing_ball();
        let mesh = mesh_of(&ball);
        for triangle in mesh.triangles().iter().step_by(17) {
            let at = |t: f64| {
                let (x, _) = mesh.corners_at(*triangle, t);
                ball.body(t).0.apply(blend([0.5, 0.3, 0.2], x))
            };
            let attached = Attachment::new(&ball, at(0.0)).unwrap();
            for t in [0.0, 0.4, 1.7, 2.9] {
                let state = attached.at(t);
                assert!((at(0.0) + state.translation).distance(at(t)) < 1e-6, "{t}: {triangle:?}");
            }
        }
    }

    #[test]
    fn velocities_are_derivatives_of_position_and_rotation() {
        let ball = dancing_ball();
        let h = 1e-4;
        for point in [DVec3::new(1.0, 2.25, 3.0), DVec3::new(1.1, 1.9, 3.3)] {
            let attached = Attachment::new(&ball, point).unwrap();
            let (before, now, after) = (attached.at(1.7 - h), attached.at(1.7), attached.at(1.7 + h));
            let velocity = (after.translation - before.translation) / (2.0 * h);
            assert!(velocity.distance(now.linear_velocity) < 1e-5 * velocity.length(), "{velocity} {now:?}");
            let turn = (after.rotation * before.rotation.inverse()).to_scaled_axis() / (2.0 * h);
            assert!(turn.distance(now.angular_velocity) < 1e-5 * turn.length(), "{turn} {now:?}");
        }
    }

    #[test]
    fn offset_turns_with_the_triangle() {
        // A mesh that rotates rigidly, as a deformation: a point off its surface moves as a point of the body.
        let ball = icosphere(1, 0.2);
        let spin = Motion::Spin(Spin::new(DVec3::Y, 2.0, None).unwrap());
        let still = vec![0.0; ball.vertices().len()];
        let mesh = DeformingMesh::trailing(&ball, spin, DVec3::ZERO, still, 0.01).unwrap();
        let collider = Arc::new(Collider::new("ball", Shape::Deforming(Arc::new(mesh)), RigidPose::IDENTITY));
        let point = DVec3::new(0.3, 0.1, 0.1);
        let state = Attachment::new(&collider, point).unwrap().at(0.8);
        let turned = DQuat::from_rotation_y(1.6);
        assert!((point + state.translation).distance(turned * point) < 1e-12);
        assert!(state.rotation.dot(turned).abs() > 1.0 - 1e-12);
        assert!(state.linear_velocity.distance(2.0 * DVec3::Y.cross(turned * point)) < 1e-12);
        assert!(state.angular_velocity.distance(2.0 * DVec3::Y) < 1e-12);
    }

    #[test]
    fn rigid_colliders_have_no_attachments() {
        assert_eq!(Attachment::new(&Arc::new(Collider::ground(0.0)), DVec3::ZERO), None);
    }
}
