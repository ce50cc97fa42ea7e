//! Checks joints against an independent `f64` energy, differentiated by finite differences.

use super::*;
use crate::random::CounterRng;
use glam::{DQuat, DVec3};

/// Coordinates: edge before, its angle, edge after, its angle.
const COORDINATES: usize = 8;

/// A joint in `f64` whose frames are transported when it moves.
#[derive(Clone, Copy)]
struct Configuration {
    edges: [DVec3; 2],
    directors: [DVec3; 2],
}

impl Configuration {
    /// Returns a random joint with a bend of up to 140 degrees.
    fn random(rng: CounterRng) -> Configuration {
        let vector = |k: u64| 2.0 * rng.uniform_in_cube([k, 0, 0]) - DVec3::ONE;
        let mut edges = [vector(0), vector(1)];
        let cos = edges[0].normalize().dot(edges[1].normalize());
        if cos < -0.75 {
            edges[1] = -edges[1];
        }
        // Rounded to `f32`, so that both precisions have the same input.
        let edges = edges.map(|e| e.as_vec3().as_dvec3());
        let directors = [2, 3].map(vector).map(|d| d.normalize());
        let directors = [0, 1].map(|j| directors[j].reject_from(edges[j]).normalize());
        Configuration { edges, directors }
    }

    fn moved(&self, coordinate: usize, by: f64) -> Configuration {
        let mut moved = *self;
        let j = coordinate / 4;
        if coordinate % 4 < 3 {
            moved.edges[j][coordinate % 4] += by;
            let arc = DQuat::from_rotation_arc(self.edges[j].normalize(), moved.edges[j].normalize());
            moved.directors[j] = arc * self.directors[j];
        } else {
            moved.directors[j] = DQuat::from_axis_angle(self.edges[j].normalize(), by) * self.directors[j];
        }
        moved
    }

    /// Four curvatures and the twist.
    fn values(&self) -> [f64; 5] {
        let [te, tf] = self.edges.map(|e| e.normalize());
        let kb = 2.0 * te.cross(tf) / (1.0 + te.dot(tf));
        let [de, df] = self.directors;
        let carried = DQuat::from_rotation_arc(te, tf) * de;
        let twist = carried.cross(df).dot(tf).atan2(carried.dot(df));
        [kb.dot(te.cross(de)), -kb.dot(de), kb.dot(tf.cross(df)), -kb.dot(df), twist]
    }

    fn joint(&self) -> Joint {
        Joint {
            edges: self.edges.map(|e| e.as_vec3()),
            directors: self.directors.map(|d| d.as_vec3()),
            twist: self.values()[4] as f32,
        }
    }

    /// Computes gradients of the residuals by central differences.
    fn gradients(&self) -> [[f64; COORDINATES]; 5] {
        let h = 1e-6;
        let mut gradients = [[0.0; COORDINATES]; 5];
        for i in 0..COORDINATES {
            let (plus, minus) = (self.moved(i, h).values(), self.moved(i, -h).values());
            for r in 0..5 {
                let change = plus[r] - minus[r];
                // The twist wraps around at half a turn.
                gradients[r][i] =
                    (change - std::f64::consts::TAU * (change / std::f64::consts::TAU).round()) / (2.0 * h);
            }
        }
        gradients
    }
}

fn flat(g: &Gradient) -> [f64; COORDINATES] {
    let [e, f] = g.edges;
    [e.x, e.y, e.z, g.angles[0], f.x, f.y, f.z, g.angles[1]].map(f64::from)
}

fn listed(r: &Residuals) -> [(f32, Gradient); 5] {
    [r.before_1, r.before_2, r.after_1, r.after_2, r.twist]
}

fn random_rest(rng: CounterRng) -> RestJoint {
    let u = |k: u64| (2.0 * rng.uniform(&[k]) - 1.0) as f32;
    RestJoint { bending: 0.7, twisting: 1.3, curvature: [u(0), u(1), u(2), u(3)] }
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn residuals_and_gradients_agree_with_finite_differences() {
    for seed in 0..200 {
        let configuration = Configuration::random(CounterRng::new(seed));
        let (values, gradients) = (configuration.values(), configuration.gradients());
        let residuals = listed(&configuration.joint().residuals(&RestJoint::default()));
        for r in 0..5 {
            let scale = 1.0 + largest(values);
            assert!((f64::from(residuals[r].0) - values[r]).abs() < 3e-6 * scale, "{seed} {r}");
            let gradient = flat(&residuals[r].1);
            let scale = 1.0 + largest(gradients[r]);
            for i in 0..COORDINATES {
                let error = (gradient[i] - gradients[r][i]).abs();
                assert!(error < 3e-6 * scale, "{seed} residual {r} by {i}: {} {}", gradient[i], gradients[r][i]);
            }
        }
    }
}

/// Impulse and matrix equal those of the sum of squares with residuals linearized over the step.
#[test]
fn the_system_is_gauss_newton() {
    let h = 0.3;
    for seed in 0..100 {
        let (configuration, rest) =
            (Configuration::random(CounterRng::new(seed)), random_rest(CounterRng::new(seed + 1000)));
        let rng = CounterRng::new(seed + 2000);
        let rate: [f64; COORDINATES] = std::array::from_fn(|i| f64::from(rng.uniform(&[i as u64]) as f32) - 0.5);
        let rates = JointRates {
            edges: [0, 4].map(|i| Vec3::new(rate[i] as f32, rate[i + 1] as f32, rate[i + 2] as f32)),
            spins: [rate[3] as f32, rate[7] as f32],
        };
        let system = configuration.joint().system(&rest, &rates, h);
        let (h, values, gradients) = (f64::from(h), configuration.values(), configuration.gradients());
        let stiffness = |r: usize| f64::from(if r < 4 { rest.bending } else { rest.twisting });
        let mut impulse = [0.0; COORDINATES];
        let mut matrix = [[0.0; COORDINATES]; COORDINATES];
        for r in 0..5 {
            let natural = if r < 4 { f64::from(rest.curvature[r]) } else { 0.0 };
            let rate: f64 = (0..COORDINATES).map(|i| gradients[r][i] * rate[i]).sum();
            for i in 0..COORDINATES {
                impulse[i] -= h * stiffness(r) * gradients[r][i] * (values[r] - natural + h * rate);
                for j in 0..COORDINATES {
                    matrix[i][j] += h * h * stiffness(r) * gradients[r][i] * gradients[r][j];
                }
            }
        }
        let scale = 1.0 + largest(impulse);
        let found = flat(&system.impulse);
        assert!(
            (0..COORDINATES).all(|i| (found[i] - impulse[i]).abs() < 1e-5 * scale),
            "{seed}: {found:?} {impulse:?}"
        );
        let scale = 1.0 + largest(matrix.into_iter().flatten());
        let agrees = |value: f32, i: usize, j: usize| (f64::from(value) - matrix[i][j]).abs() < 1e-5 * scale;
        for i in 0..3 {
            for j in 0..3 {
                assert!(agrees(system.edges[0].col(j)[i], i, j) && agrees(system.edges[1].col(j)[i], i, 4 + j));
                assert!(agrees(system.edges[2].col(j)[i], 4 + i, 4 + j), "{seed} {i} {j}");
            }
            for a in 0..2 {
                assert!(agrees(system.first_angle[a][i], 4 * a + i, 3));
                assert!(agrees(system.second_angle[a][i], 4 * a + i, 7));
            }
        }
        assert!(agrees(system.angles[0], 3, 3) && agrees(system.angles[1], 3, 7) && agrees(system.angles[2], 7, 7));
    }
}

/// Forces on sharp bends are bounded and open the bend.
#[test]
fn sharp_bends_open() {
    let rest = RestJoint { bending: 1.0, twisting: 1.0, curvature: [0.0; 4] };
    let rates = JointRates { edges: [Vec3::ZERO; 2], spins: [0.0; 2] };
    for degrees in [30.0f32, 149.0, 151.0, 170.0, 179.9, 180.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let joint = Joint { edges: [Vec3::X, Vec3::new(cos, sin, 0.0)], directors: [Vec3::Y, Vec3::Z], twist: 0.0 };
        let impulse = joint.system(&rest, &rates, 1.0).impulse.edges[1];
        // The second edge is pushed back toward the first.
        let back = Vec3::new(sin, -cos, 0.0);
        assert!(impulse.dot(back) > 0.2 && impulse.length() < 250.0, "{degrees}: {impulse}");
    }
}

#[test]
fn bending_of_a_straight_round_strand_does_not_depend_on_its_frames() {
    let configuration = Configuration::random(CounterRng::new(5));
    let rest = RestJoint { bending: 1.0, ..RestJoint::default() };
    let energy = configuration.joint().energy(&rest);
    let rotated = configuration.moved(3, 1.1).moved(7, -0.4).joint().energy(&rest);
    assert!((energy - rotated).abs() < 1e-5 * energy, "{energy} {rotated}");
}
