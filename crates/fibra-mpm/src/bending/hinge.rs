//! The angle between two triangles, and its gradient.

use glam::Vec3;

/// The angle at an edge that two triangles share. It is coupled to the angles at the other edges of the two triangles; see `plate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Ids of the edge's ends, then of the vertices opposite to it: to its left, to its right.
    pub vertices: [u32; 4],
    /// Angle at rest [rad].
    pub rest_angle: f32,
    /// This hinge, then those at the other edges of the two triangles.
    pub coupled: [u32; 5],
    /// Moment at this edge per angle at each of them [N m]; zero if there is none.
    pub coupling: [f32; 5],
}

/// The current shape of a hinge.
#[derive(Clone, Copy, Debug)]
pub struct HingeShape {
    /// Angle [rad]: zero if flat, positive if the wings bend toward the front side.
    pub angle: f32,
    /// Gradient of the angle with respect to the vertex on the left [1/m]: the normal of the triangle, divided by its height.
    pub left: Vec3,
    /// The same for the vertex on the right.
    pub right: Vec3,
    /// Feet of the two heights, as fractions of the edge.
    pub feet: [f32; 2],
}

/// Smallest height of a triangle over a hinge, relative to the edge [-]. Flatter triangles would exert huge forces.
pub(crate) const LEAST_HEIGHT: f32 = 0.03;

impl HingeShape {
    /// Returns the gradients of the angle with respect to the end of the edge, the left and the right vertex [1/m]. The gradient with respect to the
    /// start of the edge is minus their sum.
    #[inline(always)]
    pub fn gradients(&self) -> [Vec3; 3] {
        let [s, t] = self.feet;
        [-(s * self.left + t * self.right), self.left, self.right]
    }

    /// Computes the shape from the positions of the vertices relative to the first one [m].
    ///
    /// With the edge `e` and the normals `n_l = e x (x2 - x0)`, `n_r = (x3 - x0) x e`:
    /// ```text
    /// angle = atan2(|e| (n_r x n_l) . e / |e|^2, n_r . n_l)
    /// d angle / d x2 = |e| n_l / |n_l|^2
    /// d angle / d x3 = |e| n_r / |n_r|^2
    /// ```
    /// The gradients with respect to the ends of the edge follow, because neither a translation nor a rotation changes the angle.
    #[inline(always)]
    pub fn of([e, a, b]: [Vec3; 3]) -> HingeShape {
        let square = e.length_squared().max(1e-30);
        let length = square.sqrt();
        let (n_l, n_r) = (e.cross(a), b.cross(e));
        let angle = fibra_core::edge_frames::atan2(n_r.cross(n_l).dot(e) / length, n_r.dot(n_l));
        let least = (LEAST_HEIGHT * square).powi(2);
        let gradient = |n: Vec3| n * (length / n.length_squared().max(least));
        HingeShape { angle, left: gradient(n_l), right: gradient(n_r), feet: [a.dot(e) / square, b.dot(e) / square] }
    }
}
