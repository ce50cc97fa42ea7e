//! A human figure made of capsules on a tree of joints.
//!
//! The figure stands at the origin with its feet on y = 0 and faces +z, so that its left is +x. In the rest pose every joint frame is
//! parallel to the world frame. A pose is a rotation of each joint and a translation of the pelvis.

use super::{RigidPose, RigidState, Shape, ShapeError};
use glam::{DQuat, DVec3};

/// Length of a thigh, and of a shin [m]. They are equal, so that bending the knee by twice the hip angle keeps the foot under the hip.
pub(super) const LEG: f64 = 0.43;

/// A capsule of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BodyPart {
    /// The head; it lies within the ellipsoid [`Head::ADULT`](super::generate::Head::ADULT) about its center.
    Head,
    /// The neck.
    Neck,
    /// From shoulder to shoulder.
    Shoulders,
    /// The chest.
    Chest,
    /// The belly.
    Belly,
    /// From hip to hip.
    Hips,
    /// From the left shoulder to the elbow.
    LeftUpperArm,
    /// From the left elbow to the wrist.
    LeftForearm,
    /// From the right shoulder to the elbow.
    RightUpperArm,
    /// From the right elbow to the wrist.
    RightForearm,
    /// From the left hip to the knee.
    LeftThigh,
    /// From the left knee to the ground.
    LeftShin,
    /// From the right hip to the knee.
    RightThigh,
    /// From the right knee to the ground.
    RightShin,
}

/// A joint of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    Shoulder(Side),
    Elbow(Side),
    Hip(Side),
    Knee(Side),
}

/// A side of the figure, from its own point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Rotation of a joint relative to its parent: about the parent's x, then z, then y axis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Angles about x, y and z [rad].
    pub angles: DVec3,
    /// Rates of the angles [rad/s, or rad per beat in a dance].
    pub rates: DVec3,
}

/// A pose of the figure and its rate of change.
pub(super) trait Stance {
    /// Returns the displacement [m] and velocity [m/s, or m per beat in a dance] of the pelvis.
    fn shift(&self) -> (DVec3, DVec3);
    /// Returns the rotation of a joint.
    fn turn(&self, joint: Joint) -> Turn;
}

impl Side {
    /// Returns 1 on the left, where x is positive, and -1 on the right [-].
    pub fn sign(self) -> f64 {
        match self {
            Side::Left => 1.0,
            Side::Right => -1.0,
        }
    }
}

impl Joint {
    /// Returns the parent joint.
    fn parent(self) -> Option<Joint> {
        match self {
            Joint::Pelvis => None,
            Joint::Spine | Joint::Hip(_) => Some(Joint::Pelvis),
            Joint::Chest => Some(Joint::Spine),
            Joint::Neck | Joint::Shoulder(_) => Some(Joint::Chest),
            Joint::Head => Some(Joint::Neck),
            Joint::Elbow(side) => Some(Joint::Shoulder(side)),
            Joint::Knee(side) => Some(Joint::Hip(side)),
        }
    }

    /// Returns the rest position [m].
    fn rest(self) -> DVec3 {
        let beside = |side: Side, x: f64, y: f64| DVec3::new(side.sign() * x, y, 0.0);
        match self {
            // The joints of the trunk are on the axis of the figure's rotation.
            Joint::Pelvis => DVec3::new(0.0, 0.95, 0.0),
            Joint::Spine => DVec3::new(0.0, 1.02, 0.0),
            Joint::Chest => DVec3::new(0.0, 1.17, 0.0),
            Joint::Neck => DVec3::new(0.0, 1.40, 0.0),
            Joint::Head => DVec3::new(0.0, 1.50, 0.0),
            Joint::Shoulder(side) => beside(side, 0.19, 1.37),
            Joint::Elbow(side) => beside(side, 0.26, 1.10),
            Joint::Hip(side) => beside(side, 0.09, 0.055 + 2.0 * LEG),
            Joint::Knee(side) => beside(side, 0.09, 0.055 + LEG),
        }
    }

    /// Returns the displacement of the joint's frame in a stance: an attached point x moves to `rest` + translation + rotation (x - `rest`).
    fn state(self, stance: &impl Stance) -> RigidState {
        let carried = match self.parent() {
            None => {
                let (translation, linear_velocity) = stance.shift();
                RigidState { translation, linear_velocity, ..RigidState::REST }
            }
            Some(parent) => moved(&parent.state(stance), parent.rest(), self.rest()),
        };
        let Turn { angles, rates } = stance.turn(self);
        // R = R_y R_z R_x, whose angular velocity is y a_y' + R_y (z a_z' + R_z x a_x').
        let about_y = DQuat::from_rotation_y(angles.y);
        let about_z = DQuat::from_rotation_z(angles.z);
        let turn = about_y * about_z * DQuat::from_rotation_x(angles.x);
        let rate = rates.y * DVec3::Y + about_y * (rates.z * DVec3::Z + about_z * (rates.x * DVec3::X));
        RigidState {
            rotation: (carried.rotation * turn).normalize(),
            angular_velocity: carried.angular_velocity + carried.rotation * rate,
            ..carried
        }
    }
}

/// Converts a rigid displacement about `pivot` [m] to one about another point of the body, given in the rest pose [m].
fn moved(state: &RigidState, pivot: DVec3, point: DVec3) -> RigidState {
    let arm = state.rotation * (point - pivot);
    RigidState {
        translation: pivot + state.translation + arm - point,
        linear_velocity: state.linear_velocity + state.angular_velocity.cross(arm),
        ..*state
    }
}

impl BodyPart {
    /// All parts, from the head down.
    pub const ALL: [BodyPart; 14] = [
        BodyPart::Head,
        BodyPart::Neck,
        BodyPart::Shoulders,
        BodyPart::Chest,
        BodyPart::Belly,
        BodyPart::Hips,
        BodyPart::LeftUpperArm,
        BodyPart::LeftForearm,
        BodyPart::RightUpperArm,
        BodyPart::RightForearm,
        BodyPart::LeftThigh,
        BodyPart::LeftShin,
        BodyPart::RightThigh,
        BodyPart::RightShin,
    ];

    /// Returns the name of the part, with hyphens.
    pub fn name(self) -> &'static str {
        match self {
            BodyPart::Head => "head",
            BodyPart::Neck => "neck",
            BodyPart::Shoulders => "shoulders",
            BodyPart::Chest => "chest",
            BodyPart::Belly => "belly",
            BodyPart::Hips => "hips",
            BodyPart::LeftUpperArm => "left-upper-arm",
            BodyPart::LeftForearm => "left-forearm",
            BodyPart::RightUpperArm => "right-upper-arm",
            BodyPart::RightForearm => "right-forearm",
            BodyPart::LeftThigh => "left-thigh",
            BodyPart::LeftShin => "left-shin",
            BodyPart::RightThigh => "right-thigh",
            BodyPart::RightShin => "right-shin",
        }
    }

    /// Returns the end points of the capsule's axis in the rest pose [m], and the radius [m].
    pub fn capsule(self) -> ([DVec3; 2], f64) {
        let upright = |from: f64, to: f64| [DVec3::Y * from, DVec3::Y * to];
        let across = |half: f64, y: f64| [DVec3::new(-half, y, 0.0), DVec3::new(half, y, 0.0)];
        let limb = |side: Side, from: fn(Side) -> Joint, to: DVec3| {
            [from(side).rest(), DVec3::new(side.sign() * to.x, to.y, to.z)]
        };
        let elbow = Joint::Elbow(Side::Left).rest();
        let wrist = elbow + DVec3::new(0.06, -0.24, 0.0);
        let knee = Joint::Knee(Side::Left).rest();
        let ankle = knee - LEG * DVec3::Y;
        match self {
            BodyPart::Head => (upright(1.545, 1.615), 0.07),
            BodyPart::Neck => (upright(1.38, 1.50), 0.05),
            BodyPart::Shoulders => (across(0.16, 1.36), 0.055),
            BodyPart::Chest => (across(0.06, 1.25), 0.115),
            BodyPart::Belly => (across(0.05, 1.09), 0.105),
            BodyPart::Hips => (across(0.06, 0.95), 0.105),
            BodyPart::LeftUpperArm => (limb(Side::Left, Joint::Shoulder, elbow), 0.045),
            BodyPart::RightUpperArm => (limb(Side::Right, Joint::Shoulder, elbow), 0.045),
            BodyPart::LeftForearm => (limb(Side::Left, Joint::Elbow, wrist), 0.038),
            BodyPart::RightForearm => (limb(Side::Right, Joint::Elbow, wrist), 0.038),
            BodyPart::LeftThigh => (limb(Side::Left, Joint::Hip, knee), 0.075),
            BodyPart::RightThigh => (limb(Side::Right, Joint::Hip, knee), 0.075),
            BodyPart::LeftShin => (limb(Side::Left, Joint::Knee, ankle), 0.055),
            BodyPart::RightShin => (limb(Side::Right, Joint::Knee, ankle), 0.055),
        }
    }

    /// Returns the shape of the part, centered at the middle of the capsule.
    pub fn shape(self) -> Result<Shape, ShapeError> {
        let ([start, end], radius) = self.capsule();
        Shape::capsule(0.5 * start.distance(end) as f32, radius as f32)
    }

    /// Returns the rest pose of the shape.
    pub fn rest(self) -> RigidPose {
        let ([start, end], _) = self.capsule();
        let rotation = DQuat::from_rotation_arc(DVec3::Y, (end - start).normalize());
        RigidPose { translation: self.center(), rotation }
    }

    /// Returns the middle of the capsule in the rest pose [m].
    pub fn center(self) -> DVec3 {
        let ([start, end], _) = self.capsule();
        0.5 * (start + end)
    }

    /// Returns the displacement of the part about its center in a stance.
    pub(super) fn state(self, stance: &impl Stance) -> RigidState {
        let joint = self.joint();
        moved(&joint.state(stance), joint.rest(), self.center())
    }

    /// Returns the joint that the part is attached to.
    fn joint(self) -> Joint {
        match self {
            BodyPart::Head => Joint::Head,
            BodyPart::Neck => Joint::Neck,
            BodyPart::Shoulders | BodyPart::Chest => Joint::Chest,
            BodyPart::Belly => Joint::Spine,
            BodyPart::Hips => Joint::Pelvis,
            BodyPart::LeftUpperArm => Joint::Shoulder(Side::Left),
            BodyPart::RightUpperArm => Joint::Shoulder(Side::Right),
            BodyPart::LeftForearm => Joint::Elbow(Side::Left),
            BodyPart::RightForearm => Joint::Elbow(Side::Right),
            BodyPart::LeftThigh => Joint::Hip(Side::Left),
            BodyPart::RightThigh => Joint::Hip(Side::Right),
            BodyPart::LeftShin => Joint::Knee(Side::Left),
            BodyPart::RightShin => Joint::Knee(Side::Right),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::generate::Head;

    /// One joint rotated by 90 degrees about y, all others at rest.
    struct Turned(Joint);

    impl Stance for Turned {
        fn shift(&self) -> (DVec3, DVec3) {
            (DVec3::ZERO, DVec3::ZERO)
        }

        fn turn(&self, joint: Joint) -> Turn {
            let angle = if joint == self.0 { std::f64::consts::FRAC_PI_2 } else { 0.0 };
            Turn { angles: angle * DVec3::Y, rates: DVec3::Y * f64::from(u8::from(joint == self.0)) }
        }
    }

    #[test]
    fn head_lies_within_the_skin_of_an_adult() {
        let (ends, radius) = BodyPart::Head.capsule();
        let center = BodyPart::Head.center();
        assert_eq!(center, DVec3::new(0.0, 1.58, 0.0));
        for i in 0..2000 {
            let (height, angle) = (1.0 - (f64::from(i) + 0.5) / 1000.0, 2.4 * f64::from(i));
            let ring = (1.0 - height * height).sqrt();
            let direction = DVec3::new(ring * angle.cos(), height, ring * angle.sin());
            let end = ends[usize::from(height > 0.0)];
            assert!(Head::ADULT.level(end + radius * direction - center) < 1.0, "{direction}");
        }
    }

    #[test]
    fn figure_stands_on_the_ground_and_is_symmetric() {
        let lowest = |part: BodyPart| {
            let (ends, radius) = part.capsule();
            ends[0].y.min(ends[1].y) - radius
        };
        for shin in [BodyPart::LeftShin, BodyPart::RightShin] {
            assert!(lowest(shin).abs() < 1e-12);
        }
        assert!(BodyPart::ALL.into_iter().all(|part| lowest(part) > -1e-12 && part.shape().is_ok()));
        for (left, right) in
            [(BodyPart::LeftForearm, BodyPart::RightForearm), (BodyPart::LeftShin, BodyPart::RightShin)]
        {
            assert_eq!(left.capsule().0.map(|end| end * DVec3::new(-1.0, 1.0, 1.0)), right.capsule().0);
        }
        assert!(BodyPart::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn joints_move_their_descendants() {
        let still = BodyPart::LeftForearm.state(&Turned(Joint::Neck));
        assert_eq!(still, RigidState::REST);
        // A quarter turn about y takes +x to -z.
        let arm = BodyPart::LeftForearm.state(&Turned(Joint::Pelvis));
        let center = BodyPart::LeftForearm.center();
        assert!((center + arm.translation).distance(DVec3::new(0.0, center.y, -center.x)) < 1e-12);
        assert!((arm.rotation * DVec3::X).distance(DVec3::NEG_Z) < 1e-12);
        // omega x r = y x (-x z)
        assert!(arm.linear_velocity.distance(DVec3::NEG_X * center.x) < 1e-12);
        assert!(arm.angular_velocity.distance(DVec3::Y) < 1e-12);
    }
}
