//! Discrete curvature binormal at a node, `kb = 2 e x f / (|e| |f| + e . f)` [Bergou2008, Eq. 1], and its derivatives.
//!
//! `e` and `f` are the edges before and after the node. The length of the curvature binormal is `2 tan(angle / 2)`; its
//! direction is the binormal.

use glam::{DMat3, DVec3};

/// Lower bound of `1 + cos(angle)`, reached at 179 degrees. The curvature is infinite at 180 degrees, so folds sharper
/// than 179 degrees are treated as folds of 179 degrees.
const MIN_ONE_PLUS_COS: f64 = 1.5e-4;

/// The curvature binormal at a node with its first derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// Lengths of the edges [m].
    pub lengths: [f64; 2],
    /// Directions of the edges.
    pub tangents: [DVec3; 2],
    /// The curvature binormal, integrated over the length of the joint [-].
    pub kb: DVec3,
    /// Derivatives of the curvature binormal with respect to the edges [1/m].
    pub by_edge: [DMat3; 2],
    /// The denominator `|e| |f| + e . f` [m^2].
    chi: f64,
    /// Derivatives of the denominator with respect to the edges [m].
    chi_by_edge: [DVec3; 2],
    edges: [DVec3; 2],
}

impl Curvature {
    /// Computes the curvature binormal between two edges [m].
    pub fn new(e: DVec3, f: DVec3) -> Curvature {
        let lengths = [e.length(), f.length()];
        let tangents = [e / lengths[0], f / lengths[1]];
        let chi = lengths[0] * lengths[1] * (1.0 + tangents[0].dot(tangents[1])).max(MIN_ONE_PLUS_COS);
        let kb = 2.0 * e.cross(f) / chi;
        let chi_by_edge = [lengths[1], lengths[0]].map(|length| length * (tangents[0] + tangents[1]));
        let by_edge = [
            (-2.0 * cross_matrix(f) - outer(kb, chi_by_edge[0])) * (1.0 / chi),
            (2.0 * cross_matrix(e) - outer(kb, chi_by_edge[1])) * (1.0 / chi),
        ];
        Curvature { lengths, tangents, kb, by_edge, chi, chi_by_edge, edges: [e, f] }
    }

    /// Returns the second derivative of `q . kb` with respect to the edges, for a fixed `q`.
    pub fn second(&self, q: DVec3) -> [[DMat3; 2]; 2] {
        let [e, f] = self.edges;
        let [te, tf] = self.tangents;
        let [le, lf] = self.lengths;
        // q . kb = n / chi, with n = 2 q . (e x f).
        let value = q.dot(self.kb);
        let n_by_edge = [2.0 * f.cross(q), 2.0 * q.cross(e)];
        let n_mixed = -2.0 * cross_matrix(q);
        let n_second = [[DMat3::ZERO, n_mixed], [n_mixed.transpose(), DMat3::ZERO]];
        let chi_mixed = DMat3::IDENTITY + outer(te, tf);
        let chi_second = [
            [(DMat3::IDENTITY - outer(te, te)) * (lf / le), chi_mixed],
            [chi_mixed.transpose(), (DMat3::IDENTITY - outer(tf, tf)) * (le / lf)],
        ];
        let block = |a: usize, b: usize| {
            let (na, nb) = (n_by_edge[a], n_by_edge[b]);
            let (ca, cb) = (self.chi_by_edge[a], self.chi_by_edge[b]);
            (n_second[a][b] - chi_second[a][b] * value) * (1.0 / self.chi)
                - (outer(na, cb) + outer(ca, nb) - outer(ca, cb) * (2.0 * value)) * (1.0 / (self.chi * self.chi))
        };
        [[block(0, 0), block(0, 1)], [block(1, 0), block(1, 1)]]
    }

    /// Returns the derivatives of the reference twist with respect to the edges, `kb / (2 |e|)`, for time-parallel
    /// reference frames [Bergou2008].
    pub fn twist_by_edge(&self) -> [DVec3; 2] {
        self.lengths.map(|length| self.kb / (2.0 * length))
    }

    /// Returns the second derivative of the reference twist.
    ///
    /// Along a straight path between two shapes, each edge stays in a plane, so parallel transport in one step gives
    /// the same result as in many steps. The first derivative therefore holds all along the path. Its rate of change,
    /// written as a quadratic form of the displacement, is the second derivative.
    pub fn twist_second(&self) -> [[DMat3; 2]; 2] {
        let half = self.lengths.map(|length| 0.5 / length);
        let one_sided = |a: usize, b: usize| {
            let shared = self.by_edge[b] * half[a];
            if a == b { shared - outer(self.kb, self.tangents[a]) * (2.0 * half[a] * half[a]) } else { shared }
        };
        let block = |a: usize, b: usize| (one_sided(a, b) + one_sided(b, a).transpose()) * 0.5;
        [[block(0, 0), block(0, 1)], [block(1, 0), block(1, 1)]]
    }
}

/// Returns `a b^T`.
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Returns the matrix of `a x`.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
