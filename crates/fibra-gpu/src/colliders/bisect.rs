//! Adaptive sampling of a function of time by bisection.

use std::collections::VecDeque;

/// Largest number of bisections of a time span. A discontinuity of a velocity is then smeared over 1/16000 of the span.
const DEPTH: u32 = 14;

/// Samples `at` at fractions of a span, from 0 to 1, until values between neighboring samples can be interpolated.
///
/// `fits(a, b, length, share, exact)` tests the interpolation at the relative position `share` between the samples `a` and `b`, whose fractions differ
/// by `length`. It returns true if the interpolated value is close enough to `exact`. At most `most` samples are taken; if this is too few, they are
/// distributed evenly over the intervals that need more.
pub(super) fn bisected<S>(
    at: impl Fn(f64) -> S,
    fits: impl Fn(&S, &S, f64, f64, &S) -> bool,
    most: usize,
) -> Vec<(f64, S)> {
    let mut samples = vec![(0.0, at(0.0)), (1.0, at(1.0))];
    let mut waiting = VecDeque::from([(0, 1, 0)]);
    while let Some((a, b, depth)) = waiting.pop_front() {
        if depth >= DEPTH || samples.len() >= most {
            continue;
        }
        let (from, to) = (samples[a].0, samples[b].0);
        let length = to - from;
        let fits_at = |share: f64, exact: &S| fits(&samples[a].1, &samples[b].1, length, share, exact);
        let middle = at(from + 0.5 * length);
        // Tests at three positions detect both a kink in the middle and an oscillation.
        if fits_at(0.5, &middle) && [0.3, 0.8].iter().all(|&share| fits_at(share, &at(from + share * length))) {
            continue;
        }
        let new = samples.len();
        samples.push((from + 0.5 * length, middle));
        waiting.extend([(a, new, depth + 1), (new, b, depth + 1)]);
    }
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight(a: &f64, b: &f64, _length: f64, share: f64, exact: &f64) -> bool {
        (a + share * (b - a) - exact).abs() < 1e-4
    }

    #[test]
    fn lines_need_two_samples_and_kinks_are_refined_locally() {
        assert_eq!(bisected(|t| 3.0 * t, straight, 100), [(0.0, 0.0), (1.0, 3.0)]);
        let samples = bisected(|t: f64| (t - 0.4).max(0.0), straight, 100);
        assert!(samples.len() < 20, "{}", samples.len());
        assert!(samples.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(samples.iter().filter(|(t, _)| (t - 0.4).abs() < 0.01).count() >= 4);
        assert_eq!(bisected(|t: f64| (99.0 * t).sin(), straight, 33).len(), 33);
    }
}
