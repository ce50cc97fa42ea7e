//! Exponential and logarithm in `f32`, branch-free and independent of the platform's math library. They vectorize and give the same bits on
//! every machine.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;

/// Returns `yes` if `condition` holds and `no` otherwise. On the GPU both sides are evaluated; unlike `if`, this creates neither a branch
/// nor a variable.
#[inline(always)]
pub fn pick(condition: bool, yes: f32, no: f32) -> f32 {
    if condition { yes } else { no }
}

/// [`pick`](fn@pick) on the GPU.
#[cfg(feature = "gpu")]
pub mod pick {
    use cubecl::prelude::*;

    /// Kernels call this function in place of the CPU function.
    pub fn expand(
        scope: &mut Scope,
        condition: NativeExpand<bool>,
        yes: NativeExpand<f32>,
        no: NativeExpand<f32>,
    ) -> NativeExpand<f32> {
        select::expand(scope, condition, yes, no)
    }
}

/// Computes `e^x` within 2 ulp for |x| < 87; clamped beyond.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (power, tail) = exp_parts(x);
    (tail + 1.0) * power
}

/// Computes `e^x - 1` within 3 ulp for |x| < 87, including tiny arguments; clamped beyond.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    let (power, tail) = exp_parts(x);
    tail * power + (power - 1.0)
}

/// 1.5 * 2^23: adding it to a number leaves the nearest integer in the low bits of the mantissa.
const ROUND: f32 = 12_582_912.0;

/// Rounds a small number to the nearest integer.
#[inline(always)]
fn nearest(x: f32) -> f32 {
    (x + ROUND) - ROUND
}

/// [`nearest`](fn@nearest) on the GPU: a rounding instruction, because the GPU compiler would simplify the sum to `x`.
#[cfg(feature = "gpu")]
mod nearest {
    use cubecl::prelude::*;

    pub fn expand(scope: &mut Scope, x: NativeExpand<f32>) -> NativeExpand<f32> {
        f32::__expand_round(scope, x)
    }
}

/// Returns a power of two `2^n` and `e^r - 1`, |r| <= ln(2)/2, with `e^x = 2^n e^r`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn exp_parts(x: f32) -> (f32, f32) {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 split in two, the first part with trailing zeros, so that x - n ln 2 is exact.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    // The bits of `ROUND` minus the exponent bias.
    const ROUND_BITS: i32 = 0x4b40_0000 - 127;
    let x = f32::clamp(x, -87.0, 87.0);
    let n = nearest(x * LOG2_E);
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    // Minimax polynomial of (e^r - 1 - r) / r^2 on |r| <= ln(2)/2.
    let p = 1.987_569_1e-4;
    let p = p * r + 1.398_2e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 0.5;
    // n + 127. It cannot overflow, not even for the bits of a NaN.
    let exponent = f32::to_bits(n + ROUND) as i32 - ROUND_BITS;
    let power = f32::from_bits((exponent << 23) as u32);
    (power, p * r * r + r)
}

/// Computes the natural logarithm within 2 ulp for positive normal `x`; returns a finite value (about -87) for zero and below.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const SQRT_HALF_BITS: i32 = 0x3f35_04f3;
    // 0 if x is finite, NaN if x is NaN. It is added to the result because the bit manipulation below would turn a NaN into a number.
    let not_a_number = 0.0 * x;
    let x = pick(x < f32::MIN_POSITIVE, f32::MIN_POSITIVE, x);
    // x = 2^n m with m in [sqrt(1/2), sqrt(2)). No overflow: x is not negative.
    let bits = f32::to_bits(x) as i32 - SQRT_HALF_BITS;
    let n = (bits >> 23) as f32;
    let m = f32::from_bits(((bits & 0x007f_ffff) + SQRT_HALF_BITS) as u32) - 1.0;
    // Minimax polynomial of (ln(1 + m) - m + m^2/2) / m^3.
    let z = m * m;
    let p = 7.037_683_6e-2;
    let p = p * m - 1.151_461e-1;
    let p = p * m + 1.167_699_9e-1;
    let p = p * m - 1.242_014_1e-1;
    let p = p * m + 1.424_932_3e-1;
    let p = p * m - 1.666_805_8e-1;
    let p = p * m + 2.000_071_5e-1;
    let p = p * m - 2.499_999_4e-1;
    let p = p * m + 0.333_333_3;
    let tail = p * m * z + n * LN2_LOW - 0.5 * z;
    m + tail + n * LN2_HIGH + not_a_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_matches_f64() {
        for i in -860_000..=860_000 {
            let x = i as f32 * 1e-4;
            let exact = (x as f64).exp();
            assert!(((exp(x) as f64 - exact) / exact).abs() < 2.4e-7, "{x}");
        }
        assert!(exp(1e30).is_finite() && exp(-1e30) > 0.0 && exp(f32::NAN).is_nan());
    }

    #[test]
    fn exp_m1_matches_f64() {
        for i in -860_000..=860_000 {
            for x in [i as f32 * 1e-4, i as f32 * 1e-9] {
                let exact = (x as f64).exp_m1();
                assert!((exp_m1(x) as f64 - exact).abs() <= 3.6e-7 * exact.abs(), "{x}");
            }
        }
        assert!(exp_m1(1e30).is_finite() && exp_m1(-1e30) == -1.0 && exp_m1(f32::NAN).is_nan());
    }

    #[test]
    fn ln_matches_f64() {
        let mut x = 1e-30f32;
        while x < 1e30 {
            let exact = (x as f64).ln();
            let error = (ln(x) as f64 - exact).abs();
            assert!(error < 2.4e-7 * exact.abs().max(0.25), "{x}: {error}");
            x *= 1.000_37;
        }
        assert_eq!(ln(1.0), 0.0);
        assert!(ln(0.0).is_finite() && ln(-3.0).is_finite() && ln(f32::NAN).is_nan());
    }
}
