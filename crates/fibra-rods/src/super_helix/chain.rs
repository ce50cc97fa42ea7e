//! Pieces of helix joined end to end, root to tip: where they are and how every point moves with each unknown.
//!
//! What lies beyond a piece moves rigidly with its curvatures, so that each unknown is a twist (a turn and a shift) for all that
//! lies beyond it. No table of Jacobians is needed: the column of a point is its twist evaluated at the point.

use super::arc::Arc;
use glam::{DMat3, DQuat, DVec3};
use std::ops::{Add, Mul};

/// A rigid velocity field, `v(r) = shift + turn x r`, or one per unit of an unknown. `r` counts from the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    /// Angular velocity.
    pub turn: DVec3,
    /// Velocity at the root.
    pub shift: DVec3,
}

impl Twist {
    pub fn velocity(&self, r: DVec3) -> DVec3 {
        self.shift + self.turn.cross(r)
    }
}

impl Add for Twist {
    type Output = Twist;
    fn add(self, other: Twist) -> Twist {
        Twist { turn: self.turn + other.turn, shift: self.shift + other.shift }
    }
}

impl Mul<f64> for Twist {
    type Output = Twist;
    fn mul(self, k: f64) -> Twist {
        Twist { turn: self.turn * k, shift: self.shift * k }
    }
}

/// How the root moves with its own velocity and angular velocity, world axes.
pub(crate) const ROOT_TWISTS: [Twist; 6] = [
    Twist { turn: DVec3::ZERO, shift: DVec3::X },
    Twist { turn: DVec3::ZERO, shift: DVec3::Y },
    Twist { turn: DVec3::ZERO, shift: DVec3::Z },
    Twist { turn: DVec3::X, shift: DVec3::ZERO },
    Twist { turn: DVec3::Y, shift: DVec3::ZERO },
    Twist { turn: DVec3::Z, shift: DVec3::ZERO },
];

/// A shape: the frame at the root, and material curvatures and twist `(k1, k2, tau)` [1/m] of pieces of equal length: rates of turn of
/// the material frame about its own three axes, of which the third is the tangent.
#[derive(Clone, Debug, PartialEq)]
pub struct HelixShape {
    /// Place of the root [m].
    pub root: DVec3,
    /// Frame at the root.
    pub frame: DQuat,
    /// Length of each piece [m].
    pub piece: f64,
    /// Curvatures and twist of each piece [1/m].
    pub curvatures: Vec<DVec3>,
}

/// The pieces of a shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// Where each piece starts, counted from the root [m], and its frame there; after the last, the tip.
    pub joints: Vec<(DVec3, DMat3)>,
    /// For each piece, how what lies beyond it moves with its curvatures.
    pub twists: Vec<[Twist; 3]>,
}

/// A point within a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Station {
    /// Its place, counted from the root [m].
    pub r: DVec3,
    /// Direction of the rod.
    pub tangent: DVec3,
    /// Its velocity per rate of the piece's own curvatures.
    pub own_shift: DMat3,
    /// Its angular velocity per rate of the piece's own curvatures.
    pub own_turn: DMat3,
}

impl HelixShape {
    /// The pieces, root to tip, put into `chain`.
    pub(crate) fn unroll(&self, chain: &mut Chain) {
        let mut frame = DMat3::from_quat(self.frame);
        let mut r = DVec3::ZERO;
        chain.joints.clear();
        chain.twists.clear();
        for &curvature in &self.curvatures {
            chain.joints.push((r, frame));
            let arc = Arc::new(self.piece * curvature);
            let turn = frame * arc.mean_rotation() * self.piece;
            let shift = frame * arc.chord_derivative() * (self.piece * self.piece);
            r += frame * arc.chord() * self.piece;
            // The end of the piece moves by `shift` and what is beyond turns about it.
            let twist = |c: usize| Twist { turn: turn.col(c), shift: shift.col(c) - turn.col(c).cross(r) };
            chain.twists.push([twist(0), twist(1), twist(2)]);
            frame *= arc.rotation();
        }
        chain.joints.push((r, frame));
    }

    /// The point at a distance `s` [m] from the start of a piece.
    pub(crate) fn station(&self, chain: &Chain, piece: usize, s: f64) -> Station {
        let (start, frame) = chain.joints[piece];
        let arc = Arc::new(s * self.curvatures[piece]);
        Station {
            r: start + frame * arc.chord() * s,
            tangent: frame * (arc.rotation() * DVec3::Z),
            own_shift: frame * arc.chord_derivative() * (s * s),
            own_turn: frame * arc.mean_rotation() * s,
        }
    }

    /// The place of the point at a distance `s` [m] from the start of a piece, counted from the root.
    pub(crate) fn place(&self, chain: &Chain, piece: usize, s: f64) -> DVec3 {
        let (start, frame) = chain.joints[piece];
        start + frame * Arc::new(s * self.curvatures[piece]).chord() * s
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    /// A shape that bends and twists every way.
    pub fn tangled(pieces: usize, seed: u64) -> HelixShape {
        let random = CounterRng::new(seed);
        let vector = |i: u64| 2.0 * random.uniform_in_cube([i, 0, 0]) - DVec3::ONE;
        HelixShape {
            root: vector(1000),
            frame: DQuat::from_scaled_axis(3.0 * vector(1001)),
            piece: 0.11,
            curvatures: (0..pieces as u64).map(|i| 12.0 * vector(i)).collect(),
        }
    }

    fn point(shape: &HelixShape, piece: usize, s: f64) -> DVec3 {
        let mut chain = Chain::default();
        shape.unroll(&mut chain);
        shape.root + shape.station(&chain, piece, s).r
    }

    #[test]
    fn columns_are_derivatives_of_positions() {
        let (shape, h) = (tangled(5, 1), 1e-6);
        let mut chain = Chain::default();
        shape.unroll(&mut chain);
        for (piece, s) in [(0, 0.04), (2, 0.0), (2, 0.07), (4, 0.11)] {
            let station = shape.station(&chain, piece, s);
            for (other, axis) in (0..5).flat_map(|other| (0..3).map(move |axis| (other, axis))) {
                let moved = |by: f64| {
                    let mut shape = shape.clone();
                    shape.curvatures[other][axis] += by;
                    point(&shape, piece, s)
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * h);
                let column = match other.cmp(&piece) {
                    std::cmp::Ordering::Less => chain.twists[other][axis].velocity(station.r),
                    std::cmp::Ordering::Equal => station.own_shift.col(axis),
                    std::cmp::Ordering::Greater => DVec3::ZERO,
                };
                assert!(column.distance(difference) < 1e-9, "{piece} {s} {other} {axis}: {column} {difference}");
            }
            for (axis, twist) in ROOT_TWISTS[3..].iter().enumerate() {
                let moved = |by: f64| {
                    let frame = DQuat::from_scaled_axis(by * DVec3::AXES[axis]) * shape.frame;
                    point(&HelixShape { frame, ..shape.clone() }, piece, s)
                };
                assert!(twist.velocity(station.r).distance((moved(h) - moved(-h)) / (2.0 * h)) < 1e-9);
            }
        }
    }

    #[test]
    fn turns_are_derivatives_of_frames() {
        let (shape, h) = (tangled(4, 2), 1e-6);
        let mut chain = Chain::default();
        for (other, axis) in (0..4).flat_map(|other| (0..3).map(move |axis| (other, axis))) {
            let mut frame = |by: f64| {
                let mut shape = shape.clone();
                shape.curvatures[other][axis] += by;
                shape.unroll(&mut chain);
                DQuat::from_mat3(&chain.joints[4].1)
            };
            let delta = frame(h) * frame(-h).conjugate();
            let spin = delta.xyz() * delta.w.signum() / h;
            shape.unroll(&mut chain);
            assert!(chain.twists[other][axis].turn.distance(spin) < 1e-8);
        }
    }

    #[test]
    fn lengths_are_exact() {
        let shape = tangled(3, 3);
        let mut chain = Chain::default();
        shape.unroll(&mut chain);
        let n = 20_000;
        for piece in 0..3 {
            let at = |i: usize| shape.place(&chain, piece, shape.piece * i as f64 / n as f64);
            let length: f64 = (0..n).map(|i| at(i).distance(at(i + 1))).sum();
            assert!((length - shape.piece).abs() < 1e-9 * shape.piece);
        }
        // A helix of curvature 3 and torsion 4: radius 3/25, a turn every 2 pi/5, rising by 4/5 of its length.
        let helix = HelixShape {
            root: DVec3::ZERO,
            frame: DQuat::IDENTITY,
            piece: std::f64::consts::TAU / 5.0,
            curvatures: vec![DVec3::new(3.0, 0.0, 4.0)],
        };
        helix.unroll(&mut chain);
        let rise = DVec3::new(3.0, 0.0, 4.0) / 5.0 * (0.8 * helix.piece);
        assert!(chain.joints[1].0.distance(rise) < 1e-15);
    }
}
