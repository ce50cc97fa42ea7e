//! Length and uniform resampling of polylines.

use glam::DVec3;

/// Returns the length of a polyline [m].
pub fn length(line: &[DVec3]) -> f64 {
    line.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// Returns `count + 1` evenly spaced points along a polyline of the given length [m], including both ends.
pub fn resample(line: &[DVec3], length: f64, count: usize) -> Vec<DVec3> {
    let places = even_places(line, length, count).into_iter();
    places.map(|(segment, share)| line[segment].lerp(line[segment + 1], share)).collect()
}

/// Returns `count + 1` evenly spaced places along a polyline of the given length [m], including both ends: the index of a segment, and the fraction of
/// it before the place [-].
pub fn even_places(line: &[DVec3], length: f64, count: usize) -> Vec<(usize, f64)> {
    let mut places = Vec::with_capacity(count + 1);
    let mut passed = 0.0;
    for (segment, pair) in line.windows(2).enumerate() {
        let piece = pair[0].distance(pair[1]);
        while places.len() < count {
            let wanted = length * places.len() as f64 / count as f64;
            if wanted > passed + piece {
                break;
            }
            places.push((segment, if piece > 0.0 { (wanted - passed) / piece } else { 0.0 }));
        }
        passed += piece;
    }
    // Because of rounding in the sum of lengths, the last places may be missing.
    places.resize(count + 1, (line.len() - 2, 1.0));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn resampling_is_even() {
        let line = [DVec3::ZERO, 0.1 * DVec3::X, 0.1 * DVec3::X, DVec3::X, DVec3::X + DVec3::Y];
        let points = resample(&line, length(&line), 8);
        assert_eq!(points.len(), 9);
        for pair in points.windows(2) {
            assert_relative_eq!(pair[0].distance(pair[1]), 0.25, epsilon = 1e-12);
        }
        assert_eq!(points[8], line[4]);
    }
}
