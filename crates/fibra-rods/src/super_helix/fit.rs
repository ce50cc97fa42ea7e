//! Fits the curvatures of helical elements to given points.

use super::chain::{Chain, HelixShape, ROOT_TWISTS};
use crate::band::SymmetricBand;
use crate::bishop::bishop_frames;
use glam::{DQuat, DVec2, DVec3};

/// Maximum number of iterations of the fit.
const ITERATIONS: usize = 100;

/// Returns the shape of `elements` elements of equal length that passes closest to the points of a polyline. Its total length is that of the
/// polyline. The root is the first point; the roll of its frame about the tangent is arbitrary.
pub(crate) fn fit(points: &[DVec3], elements: usize) -> HelixShape {
    let mut abscissa = vec![0.0; points.len()];
    for i in 1..points.len() {
        abscissa[i] = abscissa[i - 1] + points[i].distance(points[i - 1]);
    }
    let length = abscissa[points.len() - 1];
    let mut shape = initial_guess(points, &abscissa, elements, length / elements as f64);
    let targets: Vec<(usize, f64, DVec3)> = (1..points.len())
        .map(|i| {
            let element = ((abscissa[i] / shape.element_length).ceil() as usize).clamp(1, elements) - 1;
            (element, abscissa[i] - element as f64 * shape.element_length, points[i] - points[0])
        })
        .collect();
    refine(&mut shape, &targets, length);
    shape
}

/// Estimates curvatures from the rotations between segments. Curvatures are computed in twist-free frames, then
/// expressed in a frame that rolls about the tangent together with the curvature. In this frame a helix has constant
/// curvatures.
fn initial_guess(points: &[DVec3], abscissa: &[f64], elements: usize, element_length: f64) -> HelixShape {
    let frames = bishop_frames(points, false);
    let bends: Vec<DVec2> = (1..frames.len())
        .map(|i| {
            let turn = 2.0 * (frames[i - 1].conjugate() * frames[i]).xyz();
            turn.truncate() / (0.5 * (abscissa[i + 1] - abscissa[i - 1]))
        })
        .collect();
    let largest = bends.iter().fold(0.0, |most: f64, bend| most.max(bend.length_squared()));
    // Rotation of the curvature about the tangent from one bend to the next. The rotation is ignored if the curvature
    // is small or changes sign.
    let turn = |i: usize| {
        let significant = i > 0 && bends[i - 1].length() * bends[i].length() > 1e-2 * largest;
        let angle = if significant { bends[i - 1].angle_to(bends[i]) } else { 0.0 };
        if angle.abs() < std::f64::consts::FRAC_PI_2 { angle } else { 0.0 }
    };
    let at_bend = |i: usize| ((abscissa[i + 1] / element_length) as usize).min(elements - 1);
    let mut twists = vec![0.0; elements];
    (0..bends.len()).for_each(|i| twists[at_bend(i)] += turn(i) / element_length);
    let mut curvatures: Vec<DVec3> = twists.iter().map(|twist| DVec3::new(0.0, 0.0, *twist)).collect();
    for k in 0..elements {
        let rolled_before: f64 = element_length * twists[..k].iter().sum::<f64>();
        let mine = || (0..bends.len()).filter(|&i| at_bend(i) == k);
        let sum: DVec2 = mine()
            .map(|i| {
                let roll = rolled_before + twists[k] * (abscissa[i + 1] - k as f64 * element_length);
                DVec2::from_angle(-roll).rotate(bends[i])
            })
            .sum();
        curvatures[k] += (sum / (mine().count().max(1) as f64)).extend(0.0);
    }
    HelixShape { root: points[0], frame: frames[0], element_length, curvatures }
}

/// Refines the fit by the Levenberg-Marquardt method on the distances from the targets: (element, distance along it, position relative to the root).
fn refine(shape: &mut HelixShape, targets: &[(usize, f64, DVec3)], length: f64) {
    let n = 3 + 3 * shape.curvatures.len();
    let mut chain = Chain::default();
    let mut damping = 1e-3;
    let mut error = misfit(shape, &mut chain, targets);
    for _ in 0..ITERATIONS {
        // Unknowns: the rotations of the root and of each element [rad].
        let mut normal = SymmetricBand::zeros(n, n - 1);
        let mut gradient = vec![0.0; n];
        shape.compute_chain(&mut chain);
        for &(element, s, target) in targets {
            let station = shape.station(&chain, element, s);
            let mut columns: Vec<DVec3> = ROOT_TWISTS[3..].iter().map(|twist| twist.velocity(station.r)).collect();
            let before = chain.twists[..element].as_flattened().iter().map(|twist| twist.velocity(station.r));
            let own = (0..3).map(|c| station.own_linear.col(c));
            columns.extend(before.chain(own).map(|column| column / shape.element_length));
            for (i, column) in columns.iter().enumerate() {
                gradient[i] += column.dot(station.r - target);
                columns[..=i].iter().enumerate().for_each(|(j, other)| normal.add(i, j, column.dot(*other)));
            }
        }
        let scale = (0..n).map(|i| normal.get(i, i)).sum::<f64>() / n as f64;
        (0..n).for_each(|i| normal.add(i, i, damping * scale));
        let Ok(factor) = normal.factor() else { break };
        factor.solve(&mut gradient);
        let mut trial = shape.clone();
        trial.frame = (DQuat::from_scaled_axis(-DVec3::from_slice(&gradient)) * shape.frame).normalize();
        for (curvature, change) in trial.curvatures.iter_mut().zip(gradient[3..].chunks_exact(3)) {
            *curvature -= DVec3::from_slice(change) / shape.element_length;
        }
        let now = misfit(&trial, &mut chain, targets);
        if now < error {
            let settled = error - now <= 1e-12 * error;
            (*shape, error) = (trial, now);
            damping = f64::max(0.1 * damping, 1e-12);
            if settled || error.sqrt() <= 1e-14 * length {
                break;
            }
        } else {
            damping *= 10.0;
            if damping > 1e6 {
                break;
            }
        }
    }
}

/// Returns the sum of squared distances from the targets [m^2].
fn misfit(shape: &HelixShape, chain: &mut Chain, targets: &[(usize, f64, DVec3)]) -> f64 {
    shape.compute_chain(chain);
    targets.iter().map(|&(element, s, target)| shape.position(chain, element, s).distance_squared(target)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::chain::tests::tangled;
    use super::*;

    fn samples(shape: &HelixShape, per_element: usize) -> Vec<DVec3> {
        let mut chain = Chain::default();
        shape.compute_chain(&mut chain);
        let elements = shape.curvatures.len();
        (0..=elements * per_element)
            .map(|i| {
                let element = (i / per_element).min(elements - 1);
                let s = shape.element_length * (i as f64 / per_element as f64 - element as f64);
                shape.root + shape.position(&chain, element, s)
            })
            .collect()
    }

    fn worst(points: &[DVec3], fitted: &HelixShape, per_element: usize) -> f64 {
        let through = samples(fitted, per_element);
        points.iter().zip(&through).fold(0.0, |worst: f64, (a, b)| worst.max(a.distance(*b)))
    }

    #[test]
    fn straight_points_give_no_curvature() {
        let points: Vec<DVec3> = (0..9).map(|i| DVec3::new(0.1, 0.2, 0.3) * f64::from(i)).collect();
        let shape = fit(&points, 4);
        assert!(shape.curvatures.iter().all(|k| k.length() < 1e-9), "{shape:?}");
    }

    #[test]
    fn helix_and_circle_are_fitted() {
        for curvature in [DVec3::new(0.0, 9.0, 0.0), DVec3::new(12.0, 0.0, 6.0)] {
            let helix = HelixShape { curvatures: vec![curvature; 8], element_length: 0.05, ..tangled(1, 4) };
            let points = samples(&helix, 8);
            let fitted = fit(&points, 8);
            assert!(worst(&points, &fitted, 8) < 2e-4, "{}", worst(&points, &fitted, 8));
            for k in &fitted.curvatures {
                assert!((k.truncate().length() / curvature.truncate().length() - 1.0).abs() < 0.02, "{k}");
                assert!((k.z - curvature.z).abs() < 0.05 * curvature.length(), "{k}");
            }
        }
    }

    #[test]
    fn arbitrary_points_are_fitted() {
        let shape = tangled(6, 5);
        let points = samples(&shape, 6);
        let fitted = fit(&points, 6);
        // The elements of the fit follow the chords, so they are slightly shorter than the arcs.
        assert!(worst(&points, &fitted, 6) < 2e-3, "{}", worst(&points, &fitted, 6));
        // The polyline has as few points as the fit has elements, or fewer.
        for elements in [6, 9] {
            let coarse = fit(&samples(&shape, 1), elements);
            assert!(coarse.curvatures.iter().all(|k| k.is_finite()));
        }
    }
}
