//! Kinematics of a chain of helical elements, root to tip: positions, and the motion of every point with each unknown.
//!
//! Everything beyond an element moves rigidly with the element's curvatures. Each unknown is therefore a twist (angular
//! and linear velocity) for all points beyond the element. No table of Jacobians is needed: the column of a point is
//! the twist evaluated at the point.

use super::arc::Arc;
use glam::{DMat3, DQuat, DVec3};
use std::ops::{Add, Mul};

/// A rigid velocity field, `v(r) = linear + angular x r`, or its derivative with respect to an unknown. `r` is relative
/// to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    /// Angular velocity.
    pub angular: DVec3,
    /// Velocity at the root.
    pub linear: DVec3,
}

impl Twist {
    pub fn velocity(&self, r: DVec3) -> DVec3 {
        self.linear + self.angular.cross(r)
    }
}

impl Add for Twist {
    type Output = Twist;
    fn add(self, other: Twist) -> Twist {
        Twist { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }
}

impl Mul<f64> for Twist {
    type Output = Twist;
    fn mul(self, k: f64) -> Twist {
        Twist { angular: self.angular * k, linear: self.linear * k }
    }
}

/// Twists for unit rates of the root's velocity and angular velocity, in world axes.
pub(crate) const ROOT_TWISTS: [Twist; 6] = [
    Twist { angular: DVec3::ZERO, linear: DVec3::X },
    Twist { angular: DVec3::ZERO, linear: DVec3::Y },
    Twist { angular: DVec3::ZERO, linear: DVec3::Z },
    Twist { angular: DVec3::X, linear: DVec3::ZERO },
    Twist { angular: DVec3::Y, linear: DVec3::ZERO },
    Twist { angular: DVec3::Z, linear: DVec3::ZERO },
];

/// The shape of a super-helix: the root position and frame, and the material curvatures and twist `(k1, k2, tau)` [1/m] of elements of equal length.
/// These are the rotation rates of the material frame about its own three axes; the third is the tangent.
#[derive(Clone, Debug, PartialEq)]
pub struct HelixShape {
    /// Position of the root [m].
    pub root: DVec3,
    /// Frame at the root.
    pub frame: DQuat,
    /// Length of each element [m].
    pub element_length: f64,
    /// Curvatures and twist of each element [1/m].
    pub curvatures: Vec<DVec3>,
}

/// The elements of a shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// Position of the start of each element relative to the root [m], and the frame at this point. The last entry is
    /// the tip.
    pub joints: Vec<(DVec3, DMat3)>,
    /// For each element, the twists of everything beyond it per rate of its curvatures.
    pub twists: Vec<[Twist; 3]>,
}

/// A point within an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Station {
    /// Position of the point relative to the root [m].
    pub r: DVec3,
    /// The tangent.
    pub tangent: DVec3,
    /// Derivative of the velocity of the point with respect to the rates of the element's own curvatures.
    pub own_linear: DMat3,
    /// Derivative of the angular velocity of the point with respect to the rates of the element's own curvatures.
    pub own_angular: DMat3,
}

impl HelixShape {
    /// Computes the elements, root to tip, and stores them in `chain`.
    pub(crate) fn compute_chain(&self, chain: &mut Chain) {
        let mut frame = DMat3::from_quat(self.frame);
        let mut r = DVec3::ZERO;
        chain.joints.clear();
        chain.twists.clear();
        for &curvature in &self.curvatures {
            chain.joints.push((r, frame));
            let arc = Arc::new(self.element_length * curvature);
            let angular = frame * arc.mean_rotation() * self.element_length;
            let linear = frame * arc.chord_derivative() * (self.element_length * self.element_length);
            r += frame * arc.chord() * self.element_length;
            // The end of the element moves by `linear`, and everything beyond it rotates about the end.
            let twist = |c: usize| Twist { angular: angular.col(c), linear: linear.col(c) - angular.col(c).cross(r) };
            chain.twists.push([twist(0), twist(1), twist(2)]);
            frame *= arc.rotation();
        }
        chain.joints.push((r, frame));
    }

    /// Returns the point at a distance `s` [m] from the start of an element.
    pub(crate) fn station(&self, chain: &Chain, element: usize, s: f64) -> Station {
        let (start, frame) = chain.joints[element];
        let arc = Arc::new(s * self.curvatures[element]);
        Station {
            r: start + frame * arc.chord() * s,
            tangent: frame * (arc.rotation() * DVec3::Z),
            own_linear: frame * arc.chord_derivative() * (s * s),
            own_angular: frame * arc.mean_rotation() * s,
        }
    }

    /// Returns the frame at a distance `s` [m] from the start of an element.
    pub(crate) fn frame_at(&self, chain: &Chain, element: usize, s: f64) -> DQuat {
        DQuat::from_mat3(&(chain.joints[element].1 * Arc::new(s * self.curvatures[element]).rotation())).normalize()
    }

    /// Returns the position relative to the root of the point at a distance `s` [m] from the start of an element.
    pub(crate) fn position(&self, chain: &Chain, element: usize, s: f64) -> DVec3 {
        let (start, frame) = chain.joints[element];
        start + frame * Arc::new(s * self.curvatures[element]).chord() * s
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    /// A shape that bends and twists in all directions.
    pub fn tangled(elements: usize, seed: u64) -> HelixShape {
        let random = CounterRng::new(seed);
        let vector = |i: u64| 2.0 * random.uniform_in_cube([i, 0, 0]) - DVec3::ONE;
        HelixShape {
            root: vector(1000),
            frame: DQuat::from_scaled_axis(3.0 * vector(1001)),
            element_length: 0.11,
            curvatures: (0..elements as u64).map(|i| 12.0 * vector(i)).collect(),
        }
    }

    fn point(shape: &HelixShape, element: usize, s: f64) -> DVec3 {
        let mut chain = Chain::default();
        shape.compute_chain(&mut chain);
        shape.root + shape.station(&chain, element, s).r
    }

    #[test]
    fn columns_are_derivatives_of_positions() {
        let (shape, h) = (tangled(5, 1), 1e-6);
        let mut chain = Chain::default();
        shape.compute_chain(&mut chain);
        for (element, s) in [(0, 0.04), (2, 0.0), (2, 0.07), (4, 0.11)] {
            let station = shape.station(&chain, element, s);
            for (other, axis) in (0..5).flat_map(|other| (0..3).map(move |axis| (other, axis))) {
                let moved = |by: f64| {
                    let mut shape = shape.clone();
                    shape.curvatures[other][axis] += by;
                    point(&shape, element, s)
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * h);
                let column = match other.cmp(&element) {
                    std::cmp::Ordering::Less => chain.twists[other][axis].velocity(station.r),
                    std::cmp::Ordering::Equal => station.own_linear.col(axis),
                    std::cmp::Ordering::Greater => DVec3::ZERO,
                };
                assert!(column.distance(difference) < 1e-9, "{element} {s} {other} {axis}: {column} {difference}");
            }
            for (axis, twist) in ROOT_TWISTS[3..].iter().enumerate() {
                let moved = |by: f64| {
                    let frame = DQuat::from_scaled_axis(by * DVec3::AXES[axis]) * shape.frame;
                    point(&HelixShape { frame, ..shape.clone() }, element, s)
                };
                assert!(twist.velocity(station.r).distance((moved(h) - moved(-h)) / (2.0 * h)) < 1e-9);
            }
        }
    }

    #[test]
    fn angular_columns_are_derivatives_of_frames() {
        let (shape, h) = (tangled(4, 2), 1e-6);
        let mut chain = Chain::default();
        for (other, axis) in (0..4).flat_map(|other| (0..3).map(move |axis| (other, axis))) {
            let mut frame = |by: f64| {
                let mut shape = shape.clone();
                shape.curvatures[other][axis] += by;
                shape.compute_chain(&mut chain);
                DQuat::from_mat3(&chain.joints[4].1)
            };
            let delta = frame(h) * frame(-h).conjugate();
            let spin = delta.xyz() * delta.w.signum() / h;
            shape.compute_chain(&mut chain);
            assert!(chain.twists[other][axis].angular.distance(spin) < 1e-8);
        }
    }

    #[test]
    fn lengths_are_exact() {
        let shape = tangled(3, 3);
        let mut chain = Chain::default();
        shape.compute_chain(&mut chain);
        let n = 20_000;
        for element in 0..3 {
            let at = |i: usize| shape.position(&chain, element, shape.element_length * i as f64 / n as f64);
            let length: f64 = (0..n).map(|i| at(i).distance(at(i + 1))).sum();
            assert!((length - shape.element_length).abs() < 1e-9 * shape.element_length);
        }
        // A helix of curvature 3 and torsion 4: radius 3/25, one turn every 2 pi/5, rising by 4/5 of its length.
        let helix = HelixShape {
            root: DVec3::ZERO,
            frame: DQuat::IDENTITY,
            element_length: std::f64::consts::TAU / 5.0,
            curvatures: vec![DVec3::new(3.0, 0.0, 4.0)],
        };
        helix.compute_chain(&mut chain);
        let rise = DVec3::new(3.0, 0.0, 4.0) / 5.0 * (0.8 * helix.element_length);
        assert!(chain.joints[1].0.distance(rise) < 1e-15);
    }
}
