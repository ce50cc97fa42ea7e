//! Shepard weights for interpolation between nearest neighbors.

/// Computes interpolation weights from the sorted distances [m] of the nearest neighbors. The last neighbor gets weight 0.
///
/// `w_k = (1/d_k - 1/d_last)^2` divided by the sum of all weights [Franke1980]. A weight is 1 at distance 0. It falls to 0 where the last
/// neighbor is equally far away, so that the interpolation stays continuous when the set of nearest neighbors changes. Missing neighbors
/// have infinite distance.
pub(super) fn shepard_weights<const N: usize>(distances: [f64; N]) -> [f64; N] {
    // Multiply by the smallest distance to avoid overflow.
    let nearness = distances.map(|d| if d > 0.0 { distances[0] / d } else { 1.0 });
    let weights = nearness.map(|near| (near - nearness[N - 1]).powi(2));
    let sum: f64 = weights.iter().sum();
    // The weights if all neighbors are at the same distance.
    let equal = std::array::from_fn(|k| if k + 1 < N { 1.0 / (N - 1) as f64 } else { 0.0 });
    if sum == 0.0 { equal } else { weights.map(|weight| weight / sum) }
}
