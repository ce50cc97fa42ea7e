//! 2x2 matrices and the isotropic elasticity of a plane: a fiber's cross-section or a cloth's surface.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::elementary::pick;

/// A 2D vector: components along the axes of the plane, or singular values, the larger first.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub(super) struct Vec2 {
    pub(super) x: f32,
    pub(super) y: f32,
}

/// A 2x2 matrix; `xy` is row x, column y.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub(super) struct Mat2 {
    pub(super) xx: f32,
    pub(super) xy: f32,
    pub(super) yx: f32,
    pub(super) yy: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Mat2 {
    #[inline(always)]
    pub(super) fn det(&self) -> f32 {
        self.xx * self.yy - self.xy * self.yx
    }

    #[inline(always)]
    pub(super) fn add(&self, o: &Mat2) -> Mat2 {
        Mat2 { xx: self.xx + o.xx, xy: self.xy + o.xy, yx: self.yx + o.yx, yy: self.yy + o.yy }
    }

    #[inline(always)]
    pub(super) fn transpose(&self) -> Mat2 {
        Mat2 { xx: self.xx, xy: self.yx, yx: self.xy, yy: self.yy }
    }

    /// `self * v`.
    #[inline(always)]
    pub(super) fn apply(&self, v: &Vec2) -> Vec2 {
        Vec2 { x: self.xx * v.x + self.xy * v.y, y: self.yx * v.x + self.yy * v.y }
    }
}

/// A matrix as a multiple of a rotation plus a multiple of a reflection: `B = mean T + half_gap M`. Its singular values are
/// `mean + half_gap` and `mean - half_gap`; the second is negative if `B` reflects. Unlike the singular value decomposition
/// `B = U diag(s) V^T`, it needs no half angles and no iteration. The two are related by `T = U V^T`, `M = U diag(1, -1) V^T`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub(super) struct RotationReflection {
    /// Mean of the singular values.
    pub(super) mean: f32,
    /// Half the difference of the singular values.
    pub(super) half_gap: f32,
    /// Cosine and sine of the rotation `T`.
    turn: Vec2,
    /// First column of the reflection `M`.
    mirror: Vec2,
}

/// Returns length and direction of a vector; the direction is the x axis if the length is zero.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn polar(x: f32, y: f32) -> (f32, Vec2) {
    let square = x * x + y * y;
    let sound = square > 1e-36;
    let length = f32::sqrt(square);
    let k = 1.0 / pick(sound, length, 1.0);
    (length, Vec2 { x: pick(sound, x * k, 1.0), y: pick(sound, y * k, 0.0) })
}

#[cfg_attr(feature = "gpu", cube)]
impl RotationReflection {
    #[inline(always)]
    pub(super) fn of(b: &Mat2) -> RotationReflection {
        let (mean, turn) = polar(0.5 * (b.xx + b.yy), 0.5 * (b.yx - b.xy));
        let (half_gap, mirror) = polar(0.5 * (b.xx - b.yy), 0.5 * (b.xy + b.yx));
        RotationReflection { mean, half_gap, turn, mirror }
    }

    /// Returns `mean T + half_gap M`, which is `U diag(mean + half_gap, mean - half_gap) V^T`.
    #[inline(always)]
    pub(super) fn assemble(&self, mean: f32, half_gap: f32) -> Mat2 {
        let (c, s) = (self.turn.x, self.turn.y);
        let (u, v) = (self.mirror.x, self.mirror.y);
        Mat2 {
            xx: mean * c + half_gap * u,
            xy: half_gap * v - mean * s,
            yx: mean * s + half_gap * v,
            yy: mean * c - half_gap * u,
        }
    }
}

impl RotationReflection {
    /// Returns the change of the derivative of `h(mean, half_gap)` with respect to the matrix, for a change of the matrix.
    #[inline(always)]
    pub(super) fn gradient_change(&self, curvature: &Curvature, change: &Mat2) -> Mat2 {
        // `mean` and `half_gap` are the lengths of two vectors that depend linearly on the matrix. Along each vector the Hessian has
        // h's second derivatives, across it the first derivative over the length.
        let (Vec2 { x: c, y: s }, Vec2 { x: u, y: v }) = (self.turn, self.mirror);
        let turn = [0.5 * (change.xx + change.yy), 0.5 * (change.yx - change.xy)];
        let mirror = [0.5 * (change.xx - change.yy), 0.5 * (change.xy + change.yx)];
        let (turn_along, turn_across) = (c * turn[0] + s * turn[1], c * turn[1] - s * turn[0]);
        let (mirror_along, mirror_across) = (u * mirror[0] + v * mirror[1], u * mirror[1] - v * mirror[0]);
        let along = 0.5 * (curvature.mean * turn_along + curvature.mixed * mirror_along);
        let across = 0.5 * curvature.turn * turn_across;
        let (e, h) = (along * c - across * s, along * s + across * c);
        let along = 0.5 * (curvature.mixed * turn_along + curvature.half_gap * mirror_along);
        let across = 0.5 * curvature.mirror * mirror_across;
        let (f, g) = (along * u - across * v, along * v + across * u);
        Mat2 { xx: e + f, xy: g - h, yx: g + h, yy: e - f }
    }
}

/// Second derivatives of an energy `h(mean, half_gap)` [Pa].
#[derive(Clone, Copy, Debug)]
pub(super) struct Curvature {
    /// `d^2 h / d mean^2`.
    pub(super) mean: f32,
    /// `d^2 h / d mean d half_gap`.
    pub(super) mixed: f32,
    /// `d^2 h / d half_gap^2`.
    pub(super) half_gap: f32,
    /// `(d h / d mean) / mean`.
    pub(super) turn: f32,
    /// `(d h / d half_gap) / half_gap`, with its limit for a vanishing gap.
    pub(super) mirror: f32,
}
