//! Least-squares fit of the remaining samples after copies were dropped, so that material points keep their positions
//! and velocities.

use crate::linear::conjugate_gradients::{Stop, Workspace, conjugate_gradients};
use crate::table::{FieldValues, Table};
use rayon::prelude::*;

/// Stopping criterion. Weakly determined unknowns, such as second derivatives of a sample with few material points,
/// converge last. It is better to leave them unchanged.
const STOP: Stop = Stop { tolerance: 0.01, max_iterations: 100 };

/// Rounding level of differences, relative to the largest value [-].
const ROUNDING: f64 = 1e-9;

/// Evaluates unknowns at all material points.
pub fn evaluate_all(pieces: &Table, unknowns: &[f64]) -> Vec<FieldValues> {
    (0..pieces.len()).into_par_iter().with_min_len(256).map(|piece| pieces.read(piece, unknowns)).collect()
}

/// Changes unknowns so that the displacements of the material points match `before` in the least-squares sense.
/// Conjugate gradients on the normal equations start from a change of zero, so unknowns elsewhere do not change.
pub fn refit(pieces: &Table, unknowns: &mut [f64], before: &[FieldValues]) {
    let mut missing = evaluate_all(pieces, unknowns);
    missing.iter_mut().zip(before).for_each(|(now, before)| now[0] = before[0] - now[0]);
    let largest = |of: &[FieldValues]| of.iter().map(|value| value[0].abs().max_element()).fold(0.0, f64::max);
    if largest(&missing) <= ROUNDING * largest(before) {
        return;
    }
    let size = 3 * pieces.functions();
    let gather = |evaluate_all: &[FieldValues], sums: &mut [f64]| {
        sums.fill(0.0);
        let gather_at = |(sample, sums): (usize, &mut [f64])| pieces.add_forces(sample, evaluate_all, sums);
        sums.par_chunks_mut(size).enumerate().for_each(gather_at);
    };
    let mut rhs = vec![0.0; unknowns.len()];
    gather(&missing, &mut rhs);
    let normal = |x: &[f64], y: &mut [f64]| gather(&evaluate_all(pieces, x), y);
    let identity = |x: &[f64], y: &mut [f64]| y.copy_from_slice(x);
    let mut change = vec![0.0; unknowns.len()];
    conjugate_gradients(normal, identity, &rhs, &mut change, STOP, &mut Workspace::default());
    unknowns.iter_mut().zip(&change).for_each(|(unknown, change)| *unknown += change);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discretization::Discretization;
    use crate::fill::cuboid;
    use crate::gmls::Order;
    use crate::matter::Body;
    use crate::table::linear_field;
    use crate::world::Matter;
    use fibra_core::geometry::RigidPose;
    use glam::{DMat3, DVec3};

    #[test]
    fn refit_restores_a_perturbed_sample() {
        let cloud = cuboid(DVec3::new(1.0, 0.2, 0.2), [30, 6, 6], &RigidPose::IDENTITY).unwrap();
        let body = Body { objects: vec![0; cloud.points.len()], cloud, samples: 12, elastons: 60, grading: None };
        let matter = Matter::sample(&[body], 1.6).unwrap();
        for order in [Order::First, Order::Second] {
            let pieces = Discretization::new(order, &matter, &[]).unwrap().pieces;
            let right = linear_field(order, &matter.samples, DVec3::X, DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3)));
            let before = evaluate_all(&pieces, &right);
            let off = |unknowns: &[f64]| {
                let now = evaluate_all(&pieces, unknowns);
                before.iter().zip(&now).map(|(before, now)| before[0].distance(now[0])).fold(0.0, f64::max)
            };
            let mut unknowns = right.clone();
            refit(&pieces, &mut unknowns, &before);
            assert_eq!(unknowns, right, "exact unknowns must not change");
            unknowns[5 * 3 * order.functions()] += 0.1;
            let astray = off(&unknowns);
            refit(&pieces, &mut unknowns, &before);
            assert!(astray > 0.01 && off(&unknowns) < 0.05 * astray, "{astray}, then {}", off(&unknowns));
        }
    }
}
