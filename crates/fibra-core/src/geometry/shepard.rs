//! Weights of what is nearest, for blending.

/// Weights from the distances of the nearest few, in their order, of which the last gets none [m].
///
/// `w_k = (1/d_k - 1/d_last)^2` over their sum [Franke1980]: a weight is 0 where another takes its place, so that the blend is
/// continuous, and 1 where the distance is 0. Those that do not exist are infinitely far away.
pub(super) fn shepard_weights<const N: usize>(distances: [f64; N]) -> [f64; N] {
    // Times the smallest distance, so that nothing overflows.
    let nearness = distances.map(|d| if d > 0.0 { distances[0] / d } else { 1.0 });
    let weights = nearness.map(|near| (near - nearness[N - 1]).powi(2));
    let sum: f64 = weights.iter().sum();
    // All equally far away.
    let equal = std::array::from_fn(|k| if k + 1 < N { 1.0 / (N - 1) as f64 } else { 0.0 });
    if sum == 0.0 { equal } else { weights.map(|weight| weight / sum) }
}
