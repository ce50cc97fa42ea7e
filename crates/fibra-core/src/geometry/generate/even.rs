//! Uniform resampling of smooth curves.

use super::segment_count;
use glam::DVec3;

/// Returns evenly spaced points along a finely sampled curve, at most `spacing` [m] apart, including both ends.
pub(super) fn even_points(curve: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let mut arcs = vec![0.0];
    for pair in curve.windows(2) {
        arcs.push(arcs[arcs.len() - 1] + pair[0].distance(pair[1]));
    }
    let length = arcs[arcs.len() - 1];
    let count = segment_count(length, spacing);
    (0..=count as usize)
        .map(|i| {
            let arc = length * i as f64 / count;
            let next = arcs.partition_point(|&a| a < arc).clamp(1, curve.len() - 1);
            let share = (arc - arcs[next - 1]) / (arcs[next] - arcs[next - 1]);
            curve[next - 1].lerp(curve[next], share.clamp(0.0, 1.0))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_circle_is_resampled_evenly() {
        let curve: Vec<DVec3> = (0..=1000)
            .map(|i| {
                let (sine, cosine) = (std::f64::consts::FRAC_PI_2 * (i as f64 / 1000.0).powi(2)).sin_cos();
                DVec3::new(cosine, sine, 0.0)
            })
            .collect();
        let points = even_points(&curve, 0.1);
        assert_eq!(points.len(), 17);
        let chord = 2.0 * (0.25 * std::f64::consts::PI / 16.0).sin();
        assert!(points.windows(2).all(|p| (p[0].distance(p[1]) - chord).abs() < 1e-5));
        assert_eq!((points[0], points[16]), (curve[0], curve[1000]));
    }
}
