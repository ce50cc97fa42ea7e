//! Residual and derivatives of the law of one contact, as needed by Newton's method.

use glam::{DMat3, DVec3};

/// A function of the velocity and the impulse of one contact that is zero where they satisfy its law, with its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalLaw {
    /// Residual, in the unit of impulses.
    pub value: DVec3,
    /// Derivative with respect to the velocity `u`.
    pub d_u: DMat3,
    /// Derivative with respect to the impulse `r`.
    pub d_r: DMat3,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Compares both derivatives with central differences, unless one of the sample points is not `comparable` with the center. Returns whether they
    /// were compared.
    pub fn assert_derivatives(
        law: impl Fn(DVec3, DVec3) -> LocalLaw,
        u: DVec3,
        r: DVec3,
        step: f64,
        tolerance: f64,
        comparable: impl Fn(DVec3, DVec3) -> bool,
    ) -> bool {
        let steps = DVec3::AXES.map(|axis| step * axis);
        if !steps.iter().flat_map(|&h| [(u + h, r), (u - h, r), (u, r + h), (u, r - h)]).all(|(u, r)| comparable(u, r))
        {
            return false;
        }
        let here = law(u, r);
        for (axis, h) in steps.into_iter().enumerate() {
            let by_u = (law(u + h, r).value - law(u - h, r).value) / (2.0 * step);
            let by_r = (law(u, r + h).value - law(u, r - h).value) / (2.0 * step);
            assert!((by_u - here.d_u.col(axis)).length() < tolerance, "d_u, axis {axis}: {by_u} at {u} {r}: {here:?}");
            assert!((by_r - here.d_r.col(axis)).length() < tolerance, "d_r, axis {axis}: {by_r} at {u} {r}: {here:?}");
        }
        true
    }
}
