//! Linear, quadratic and cubic B-splines: the weights of transfers between particles and grid nodes.

/// Returns the first node of the stencil of width `K` (2 linear, 3 quadratic, 4 cubic) of a point at `x` [cells], which must be at least
/// `K/2 - 1`.
#[inline(always)]
pub fn base<const K: usize>(x: f32) -> i32 {
    // Truncation equals the floor because the argument is not negative.
    (x - 0.5 * (K as f32 - 2.0)) as i32
}

/// Returns the weights of the B-spline of width `K` and their derivatives [1/cells], for a position relative to the first node of its
/// stencil [cells].
#[inline(always)]
pub fn weights<const K: usize>(offset: f32) -> ([f32; 4], [f32; 4]) {
    let f = offset;
    match K {
        2 => ([1.0 - f, f, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0]),
        3 => {
            let (a, b, c) = (1.5 - f, f - 1.0, f - 0.5);
            let (w0, w2) = (0.5 * a * a, 0.5 * c * c);
            // 3/4 - b^2, computed as 1 minus the other two weights: the weights then sum to 1 without bias, and momentum does not drift.
            ([w0, 1.0 - (w0 + w2), w2, 0.0], [-a, -2.0 * b, c, 0.0])
        }
        4 => {
            let t = f - 1.0;
            let s = 1.0 - t;
            let (t2, s2) = (t * t, s * s);
            let (w0, w1, w3) = (s2 * s / 6.0, 2.0 / 3.0 - t2 + 0.5 * t2 * t, t2 * t / 6.0);
            ([w0, w1, 1.0 - (w0 + w1 + w3), w3], [-0.5 * s2, 1.5 * t2 - 2.0 * t, 2.0 * s - 1.5 * s2, 0.5 * t2])
        }
        _ => unreachable!("B-splines of width 2, 3 and 4 only"),
    }
}

/// Returns `1 / sum_i w_i (x_i - x)^2` [1/cells^2], the factor `b` of the affine transfer: 4 for quadratic and 3 for cubic splines
/// [Jiang2015]. The second moment of linear splines varies with position, so their transfers use weight gradients instead.
pub const fn inverse_inertia<const K: usize>() -> f32 {
    match K {
        3 => 4.0,
        4 => 3.0,
        _ => panic!("only quadratic and cubic splines have a constant second moment"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const K: usize>() {
        for n in 0..1000 {
            let x = 3.0 + n as f32 * 0.001_7;
            let base = base::<K>(x);
            let f = x - base as f32;
            let (w, dw) = weights::<K>(f);
            let sum = |g: &dyn Fn(usize) -> f32| (0..K).map(g).sum::<f32>();
            assert!((sum(&|i| w[i]) - 1.0).abs() < 1e-6);
            assert!(sum(&|i| w[i] * (i as f32 - f)).abs() < 2e-6, "first moment at {x}");
            assert!(sum(&|i| dw[i]).abs() < 1e-6);
            assert!((sum(&|i| dw[i] * i as f32) - 1.0).abs() < 2e-6);
            assert!(w.iter().all(|&w| w >= -1e-7) && w[K..].iter().all(|&w| w == 0.0));
            if K > 2 {
                let m = sum(&|i| w[i] * (i as f32 - f).powi(2));
                assert!((m * inverse_inertia::<K>() - 1.0).abs() < 1e-5);
            }
            let h = 1e-3;
            if base == self::base::<K>(x + h) && base == self::base::<K>(x - h) {
                let (a, b) = (weights::<K>(f + h).0, weights::<K>(f - h).0);
                for i in 0..K {
                    assert!(((a[i] - b[i]) / (2.0 * h) - dw[i]).abs() < 1e-3, "derivative {i} at {x}");
                }
            }
        }
    }

    #[test]
    fn partition_of_unity_and_moments() {
        check::<2>();
        check::<3>();
        check::<4>();
    }
}
