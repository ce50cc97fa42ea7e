//! Bending and twisting energy of one joint, with its derivatives.
//!
//! The bending energy uses the curvature in the material frames of both edges [Bergou2008, Eq. 2]. The energy of a naturally straight rod with a
//! circular cross section is therefore independent of its frames:
//! ```text
//! bend   1 / (4 l) sum_j (EI_1 (w_j1 - w0_j1)^2 + EI_2 (w_j2 - w0_j2)^2),  w_j = (kb . m2_j, -kb . m1_j),  j = edge before, edge after
//! twist  GJ / (2 l) (theta_after - theta_before + reference twist - natural twist)^2
//! ```
//! Frames are time-parallel: a change of shape rotates them without spin, `dm = -(m . dt) t`. Since `kb . t = 0`, this leaves every `w` unchanged to
//! first order.

use super::curvature::{Curvature, outer};
use glam::{DMat3, DVec3};

/// Number of edge coordinates of a joint: the edge before (3), its angle, the edge after (3), its angle.
pub const EDGES: usize = 8;
/// Number of node coordinates of a joint: three nodes (3 each) and the two angles between them, in the order 3, 1, 3,
/// 1, 3.
pub const NODES: usize = 11;

/// Stiffness and natural shape of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NaturalJoint {
    /// `EI / (2 l)`, with the mean `EI` of both axes of the section [J].
    pub bending: f64,
    /// `(EI_1 - EI_2) / (4 l)`: `EI_1 / (2 l)` and `EI_2 / (2 l)` are the mean plus and minus this [J].
    pub bending_difference: f64,
    /// `GJ / l` [J].
    pub twisting: f64,
    /// Natural `w` in the frames of both edges [-].
    pub curvature: [[f64; 2]; 2],
    /// Natural twist [rad].
    pub twist: f64,
}

/// Current configuration of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointState {
    /// Curvature of the joint.
    pub curvature: Curvature,
    /// The material directors of both edges.
    pub directors: [[DVec3; 2]; 2],
    /// Twist of the joint [rad].
    pub twist: f64,
}

/// Derivatives of the energy with respect to the coordinates of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointDerivatives {
    /// First derivatives.
    pub gradient: [f64; EDGES],
    /// The part of the second derivatives built from first derivatives of `w` and twist; positive semidefinite.
    pub gauss_newton: [[f64; EDGES]; EDGES],
    /// The remaining part of the second derivatives.
    pub remainder: [[f64; EDGES]; EDGES],
}

impl JointState {
    /// Returns `w` in the frame of an edge.
    pub fn components(&self, j: usize) -> [f64; 2] {
        let [m1, m2] = self.directors[j];
        [self.curvature.kb.dot(m2), -self.curvature.kb.dot(m1)]
    }

    /// Returns the energy [J].
    pub fn energy(&self, natural: &NaturalJoint) -> f64 {
        let bend = |j: usize| {
            let (w, w0) = (self.components(j), natural.curvature[j]);
            (w[0] - w0[0]).powi(2) + (w[1] - w0[1]).powi(2)
        };
        let isotropic = 0.5 * natural.bending * (bend(0) + bend(1));
        let twist = 0.5 * natural.twisting * (self.twist - natural.twist).powi(2);
        if natural.bending_difference == 0.0 {
            return isotropic + twist;
        }
        let difference = |j: usize| {
            let (w, w0) = (self.components(j), natural.curvature[j]);
            (w[0] - w0[0]).powi(2) - (w[1] - w0[1]).powi(2)
        };
        isotropic + 0.5 * natural.bending_difference * (difference(0) + difference(1)) + twist
    }

    /// Returns the derivatives of the energy.
    pub fn derivatives(&self, natural: &NaturalJoint) -> JointDerivatives {
        let mut d = JointDerivatives {
            gradient: [0.0; EDGES],
            gauss_newton: [[0.0; EDGES]; EDGES],
            remainder: [[0.0; EDGES]; EDGES],
        };
        self.add_bending(natural, &mut d);
        if natural.bending_difference != 0.0 {
            self.add_bending_difference(natural, &mut d);
        }
        self.add_twisting(natural, &mut d);
        d
    }

    /// Adds the derivatives of the bending energy. Let `c_j = w0_1 m2 - w0_2 m1` be the natural curvature in frame `j`. Then `|w_j - w0_j|^2 = |kb -
    /// c_j|^2`, and the energy is `k |kb|^2 - k kb . (c_0 + c_1)` plus a constant, with `k = EI / (2 l)`.
    ///
    /// Along a straight path, `c' = -(c . t') t` and `c'' = -(c . t'') t - (c . t') t'`. With `kb . t = 0`, and thus `kb' . t = -kb . t'`, this gives
    /// `(kb . c)'' = kb'' . c + (c . t')(kb . t')`. With respect to an edge, `c . t' = c . e' / |e|`.
    fn add_bending(&self, natural: &NaturalJoint, d: &mut JointDerivatives) {
        let k = natural.bending;
        let kb = self.curvature.kb;
        let by_edge = self.curvature.by_edge.map(|m| m.transpose());
        let natural_curvature = |j: usize| {
            let ([m1, m2], [w1, w2]) = (self.directors[j], natural.curvature[j]);
            w1 * m2 - w2 * m1
        };
        let residual = 2.0 * kb - natural_curvature(0) - natural_curvature(1);
        let second = self.curvature.second(k * residual);
        for a in 0..2 {
            add_vector(&mut d.gradient, a, k * (by_edge[a] * residual));
            (0..2).for_each(|b| add_block(&mut d.remainder, a, b, second[a][b]));
            // Gauss-Newton lacks a part of 2 k kb' . kb', because each frame measures only the components perpendicular
            // to its edge. This term adds that part and subtracts the effect of the rotation of the frames.
            let c = natural_curvature(a);
            let frame_rotation =
                (outer(kb, kb) - (outer(c, kb) + outer(kb, c)) * 0.5) * (k / self.curvature.lengths[a].powi(2));
            add_block(&mut d.remainder, a, a, frame_rotation);
        }
        for j in 0..2 {
            let ([m1, m2], [w1, w2], [n1, n2]) = (self.directors[j], self.components(j), natural.curvature[j]);
            let by_angle = n1 * m1 + n2 * m2;
            d.gradient[4 * j + 3] += k * kb.dot(by_angle);
            d.remainder[4 * j + 3][4 * j + 3] += k * (kb.dot(natural_curvature(j)) - kb.length_squared());
            for a in 0..2 {
                add_column(&mut d.remainder, a, 4 * j + 3, k * (by_edge[a] * (by_angle - w1 * m1 - w2 * m2)));
            }
            for (director, by_theta) in [(m2, w2), (-m1, -w1)] {
                let mut gradient = [0.0; EDGES];
                (0..2).for_each(|a| add_vector(&mut gradient, a, by_edge[a] * director));
                gradient[4 * j + 3] = by_theta;
                add_square(&mut d.gauss_newton, k, &gradient);
            }
        }
    }

    /// Adds the derivatives of `sum_jc d_c (w_jc - w0_jc)^2 / 2`, with `d_1 = -d_2 = (EI_1 - EI_2) / (4 l)` and `w_jc = kb . q_jc`, `q_j1 = m2_j`, `q_j2
    /// = -m1_j`.
    ///
    /// As in [`JointState::add_bending`], `w'' = kb'' . q + (q . t')(kb . t')` along a straight path. A rotation by an angle gives `q_1' = q_2` and
    /// `q_2' = -q_1`, thus `w_1' = w_2`, `w_2' = -w_1` and `w'' = -w`. The squares of first derivatives join those of the mean stiffness: their sum
    /// stays positive semidefinite, because the difference is smaller than the mean.
    fn add_bending_difference(&self, natural: &NaturalJoint, d: &mut JointDerivatives) {
        let kb = self.curvature.kb;
        let by_edge = self.curvature.by_edge.map(|m| m.transpose());
        for j in 0..2 {
            let ([m1, m2], w, n) = (self.directors[j], self.components(j), natural.curvature[j]);
            let angle = 4 * j + 3;
            let difference = natural.bending_difference;
            for (stiffness, q, turned, w, w_turned, n) in
                [(difference, m2, -m1, w[0], w[1], n[0]), (-difference, -m1, -m2, w[1], -w[0], n[1])]
            {
                let force = stiffness * (w - n);
                let mut gradient = [0.0; EDGES];
                (0..2).for_each(|a| add_vector(&mut gradient, a, by_edge[a] * q));
                gradient[angle] = w_turned;
                (0..EDGES).for_each(|i| d.gradient[i] += force * gradient[i]);
                add_square(&mut d.gauss_newton, stiffness, &gradient);

                let second = self.curvature.second(force * q);
                for a in 0..2 {
                    (0..2).for_each(|b| add_block(&mut d.remainder, a, b, second[a][b]));
                    add_column(&mut d.remainder, a, angle, force * (by_edge[a] * turned));
                }
                let frame_rotation = (outer(q, kb) + outer(kb, q)) * (0.5 * force / self.curvature.lengths[j].powi(2));
                add_block(&mut d.remainder, j, j, frame_rotation);
                d.remainder[angle][angle] -= force * w;
            }
        }
    }

    fn add_twisting(&self, natural: &NaturalJoint, d: &mut JointDerivatives) {
        let torque = natural.twisting * (self.twist - natural.twist);
        let by_edge = self.curvature.twist_by_edge();
        let second = self.curvature.twist_second();
        let mut gradient = [0.0; EDGES];
        for a in 0..2 {
            add_vector(&mut gradient, a, by_edge[a]);
            (0..2).for_each(|b| add_block(&mut d.remainder, a, b, second[a][b] * torque));
        }
        (gradient[3], gradient[7]) = (-1.0, 1.0);
        (0..EDGES).for_each(|i| d.gradient[i] += torque * gradient[i]);
        add_square(&mut d.gauss_newton, natural.twisting, &gradient);
    }
}

/// Converts derivatives with respect to the edges of a joint to derivatives with respect to its nodes.
pub fn by_nodes(by_edges: &[f64; EDGES]) -> [f64; NODES] {
    let [e0, e1, e2, before, f0, f1, f2, after] = *by_edges;
    [-e0, -e1, -e2, before, e0 - f0, e1 - f1, e2 - f2, after, f0, f1, f2]
}

/// Converts second derivatives with respect to the edges of a joint to second derivatives with respect to its nodes.
pub fn matrix_by_nodes(by_edges: &[[f64; EDGES]; EDGES]) -> [[f64; NODES]; NODES] {
    // Transform the rows first. The matrix is symmetric, so the columns are transformed in the same way.
    let half = by_edges.map(|row| by_nodes(&row));
    let mut out = [[0.0; NODES]; NODES];
    for column in 0..NODES {
        let whole = by_nodes(&half.map(|row| row[column]));
        (0..NODES).for_each(|row| out[row][column] = whole[row]);
    }
    out
}

fn add_vector(to: &mut [f64; EDGES], edge: usize, v: DVec3) {
    (0..3).for_each(|c| to[4 * edge + c] += v[c]);
}

fn add_block(to: &mut [[f64; EDGES]; EDGES], a: usize, b: usize, m: DMat3) {
    for column in 0..3 {
        (0..3).for_each(|row| to[4 * a + row][4 * b + column] += m.col(column)[row]);
    }
}

/// Adds `v` to the column and the row of an angle.
fn add_column(to: &mut [[f64; EDGES]; EDGES], edge: usize, angle: usize, v: DVec3) {
    for c in 0..3 {
        to[4 * edge + c][angle] += v[c];
        to[angle][4 * edge + c] += v[c];
    }
}

/// Adds `factor g g^T`.
fn add_square(to: &mut [[f64; EDGES]; EDGES], factor: f64, g: &[f64; EDGES]) {
    for i in 0..EDGES {
        (0..EDGES).for_each(|j| to[i][j] += factor * g[i] * g[j]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::frames::{angle, any_director, transport, turned};
    use super::*;
    use fibra_core::random::CounterRng;

    /// A joint whose reference frames are transported from its previous configuration.
    #[derive(Clone, Copy)]
    struct Configuration {
        edges: [DVec3; 2],
        reference: [DVec3; 2],
        theta: [f64; 2],
    }

    impl Configuration {
        fn random(rng: CounterRng) -> Configuration {
            let vector = |k: u64| 2.0 * rng.uniform_in_cube([k, 0, 0]) - DVec3::ONE;
            let edges = [vector(0) + 1.5 * DVec3::X, vector(1) + DVec3::X];
            let reference = edges.map(|e| any_director(e.normalize()));
            Configuration { edges, reference, theta: [4.0 * rng.uniform(&[2]), 4.0 * rng.uniform(&[3])] }
        }

        fn moved(&self, by: &[f64; EDGES], factor: f64) -> Configuration {
            let edges = [0, 1].map(|j| self.edges[j] + factor * DVec3::from_slice(&by[4 * j..4 * j + 3]));
            let reference =
                [0, 1].map(|j| transport(self.reference[j], self.edges[j].normalize(), edges[j].normalize()));
            Configuration { edges, reference, theta: [0, 1].map(|j| self.theta[j] + factor * by[4 * j + 3]) }
        }

        fn state(&self) -> JointState {
            let curvature = Curvature::new(self.edges[0], self.edges[1]);
            let t = curvature.tangents;
            let directors = [0, 1].map(|j| turned(self.reference[j], t[j], self.theta[j]));
            let reference_twist = angle(transport(self.reference[0], t[0], t[1]), self.reference[1], t[1]);
            JointState { curvature, directors, twist: self.theta[1] - self.theta[0] + reference_twist }
        }
    }

    fn random_natural(rng: CounterRng) -> NaturalJoint {
        let u = |k: u64| 2.0 * rng.uniform(&[k]) - 1.0;
        let curvature = [[u(0), u(1)], [u(2), u(3)]];
        NaturalJoint { bending: 0.7, bending_difference: 0.6 * u(5), twisting: 1.3, curvature, twist: u(4) }
    }

    fn unit(i: usize) -> [f64; EDGES] {
        std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 })
    }

    #[test]
    fn first_derivatives_agree_with_finite_differences() {
        for seed in 0..100 {
            let (configuration, natural) =
                (Configuration::random(CounterRng::new(seed)), random_natural(CounterRng::new(seed + 1000)));
            let gradient = configuration.state().derivatives(&natural).gradient;
            let h = 1e-6;
            for i in 0..EDGES {
                let energy = |factor: f64| configuration.moved(&unit(i), factor).state().energy(&natural);
                let difference = (energy(h) - energy(-h)) / (2.0 * h);
                let scale = 1.0 + configuration.state().energy(&natural);
                assert!((difference - gradient[i]).abs() < 1e-6 * scale, "{seed} {i}: {difference} {}", gradient[i]);
            }
        }
    }

    /// The derivative of the force is the symmetric second derivative plus a skew part from transporting the frames.
    #[test]
    fn second_derivatives_agree_with_finite_differences() {
        for seed in 0..100 {
            let (configuration, natural) =
                (Configuration::random(CounterRng::new(seed)), random_natural(CounterRng::new(seed + 1000)));
            let d = configuration.state().derivatives(&natural);
            let h = 1e-5;
            let gradient =
                |i: usize, factor: f64| configuration.moved(&unit(i), factor).state().derivatives(&natural).gradient;
            let columns: [[f64; EDGES]; EDGES] = std::array::from_fn(|i| {
                let (plus, minus) = (gradient(i, h), gradient(i, -h));
                std::array::from_fn(|j| (plus[j] - minus[j]) / (2.0 * h))
            });
            let scale = 1.0 + columns.iter().flatten().fold(0.0, |most: f64, k| most.max(k.abs()));
            for i in 0..EDGES {
                for j in 0..EDGES {
                    let exact = d.gauss_newton[i][j] + d.remainder[i][j];
                    let difference = 0.5 * (columns[i][j] + columns[j][i]);
                    assert!((exact - difference).abs() < 1e-6 * scale, "{seed} ({i}, {j}): {exact} {difference}");
                }
            }
        }
    }

    #[test]
    fn a_joint_in_its_natural_shape_has_no_force_and_only_gauss_newton_stiffness() {
        for seed in 0..20 {
            let state = Configuration::random(CounterRng::new(seed)).state();
            let natural = NaturalJoint {
                bending: 0.7,
                bending_difference: -0.4,
                twisting: 1.3,
                curvature: [state.components(0), state.components(1)],
                twist: state.twist,
            };
            let d = state.derivatives(&natural);
            assert!(state.energy(&natural) < 1e-28);
            let scale = d.gauss_newton.iter().flatten().fold(0.0, |most: f64, k| most.max(k.abs()));
            assert!(d.gradient.iter().all(|g| g.abs() < 1e-12 * scale), "{:?}", d.gradient);
            assert!(d.remainder.iter().flatten().all(|k| k.abs() < 1e-12 * scale), "{:?}", d.remainder);
        }
    }

    #[test]
    fn bending_of_a_straight_round_rod_does_not_depend_on_its_frames() {
        let configuration = Configuration::random(CounterRng::new(5));
        let natural = NaturalJoint { bending: 1.0, ..NaturalJoint::default() };
        let energy =
            |theta: f64| Configuration { theta: [theta, 2.0 * theta], ..configuration }.state().energy(&natural);
        assert!((energy(0.3) - energy(1.9)).abs() < 1e-14 * energy(0.3));
        assert!((energy(0.3) - configuration.state().curvature.kb.length_squared()).abs() < 1e-14 * energy(0.3));
    }
}
