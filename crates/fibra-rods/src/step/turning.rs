//! Angular momentum of free rods.
//!
//! An implicit step evaluates the elastic forces at its end, but their lever arms at its start. A rod under stress that rotates therefore loses angular
//! momentum, in proportion to the time step. The loss is known exactly. With the rigid rotations `R` about the center of mass, the matrix `A` and the mass matrix `M`
//! of the step, the angular momentum at the end of the step should be
//! ```text
//! L = R^T A v / (1 + dt drag),    A = (1 + dt drag) M + (dt^2 + dt damping) K
//! ```
//! This holds for rods that touch other free rods or nothing. Colliders and held bodies take up angular momentum, so rods that touch them are left alone.
//! The next step restores the difference from the actual angular momentum, and the loss that it expects for itself, by the impulse of a rigid rotation,
//! `M R q` with `R^T M R q = E`.

use crate::band::SymmetricBand;
use crate::body::Body;
use crate::one_step::rows::FreeBody;
use crate::rod::{Rod, StepSystem};
use crate::world::State;
use glam::{DMat3, DVec3};

/// Regularization of the rotational inertia, relative to its largest entry [-]. A straight rod without twist has no inertia about its axis.
const REGULARIZATION: f64 = 1e-9;

/// Angular momentum that the next step restores. Part of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turning {
    /// Angular momentum that is missing [kg m^2/s].
    pub missing: DVec3,
    /// Loss of the last step [kg m^2/s].
    pub loss: DVec3,
}

/// Returns the rates of the rotations about the axes through `center` [m], or `None` if the rod is not free.
fn rotations(rod: &dyn Rod, center: DVec3) -> Option<[Vec<f64>; 3]> {
    let [x, y, z] = DVec3::AXES.map(|axis| rod.rigid_rates(center.cross(axis), axis));
    Some([x?, y?, z?])
}

/// Adds the impulses that restore the angular momentum of a free rod to its system. Returns the restored angular momentum [kg m^2/s].
pub(super) fn restore(body: &Body, turning: &Turning, system: &mut StepSystem, dt: f64) -> DVec3 {
    let wanted = turning.missing + turning.loss;
    let Body::Rod(rod) = body else { return DVec3::ZERO };
    if wanted == DVec3::ZERO {
        return DVec3::ZERO;
    }
    let Some(impulse) = turning_impulse(rod.as_ref(), wanted, &system.operator, dt) else { return DVec3::ZERO };
    system.impulse.iter_mut().zip(impulse).for_each(|(sum, more)| *sum += more);
    wanted
}

/// Returns the impulses of the rigid rotation about the center of mass that has a given angular momentum.
fn turning_impulse(rod: &dyn Rod, wanted: DVec3, operator: &SymmetricBand, dt: f64) -> Option<Vec<f64>> {
    let (inertia, momenta) = inertia(rod, operator, dt)?;
    let spin = regularized(inertia).inverse() * wanted;
    let impulse = |i: usize| (0..3).map(|c| spin[c] * momenta[c][i]).sum::<f64>();
    spin.is_finite().then(|| (0..operator.len()).map(impulse).collect())
}

/// Returns the inertia of rotations about the center of mass [kg m^2], and the momenta of the unknowns in the rotations about the axes.
fn inertia(rod: &dyn Rod, operator: &SymmetricBand, dt: f64) -> Option<(DMat3, [Vec<f64>; 3])> {
    let rotations = rotations(rod, rod.momenta().center())?;
    let momenta = rotations.each_ref().map(|rotation| momentum(rod, rotation, operator, dt));
    let column = |j: usize| DVec3::from_array([0, 1, 2].map(|i| dot(&rotations[i], &momenta[j])));
    Some((DMat3::from_cols(column(0), column(1), column(2)), momenta))
}

fn regularized(inertia: DMat3) -> DMat3 {
    let largest = [0, 1, 2].map(|i| inertia.col(i)[i]).into_iter().fold(0.0, f64::max);
    inertia + DMat3::from_diagonal(DVec3::splat(REGULARIZATION * largest))
}

/// Returns whether the bodies are free rods, which conserve their total angular momentum unless they touch a collider.
pub(super) fn are_free(bodies: &[usize], state: &State) -> bool {
    let is_free = |body: &Body| matches!(body, Body::Rod(rod) if rod.rigid_rates(DVec3::ZERO, DVec3::ZERO).is_some());
    bodies.iter().all(|&body| is_free(&state.bodies[body]))
}

/// Distributes angular momentum [kg m^2/s] that a group of free rods lost, so that all rods restore it with the same angular velocity.
pub(super) fn distribute(loss: DVec3, bodies: &[usize], state: &mut State, free: &[FreeBody], dt: f64) {
    let inertias: Option<Vec<DMat3>> = bodies
        .iter()
        .map(|&body| match &state.bodies[body] {
            Body::Rod(rod) => inertia(rod.as_ref(), &free[body].operator, dt).map(|(inertia, _)| inertia),
            Body::Ball(_) => None,
        })
        .collect();
    let Some(inertias) = inertias else { return };
    let total = inertias.iter().fold(DMat3::ZERO, |sum, inertia| sum + *inertia);
    let spin = regularized(total).inverse() * loss;
    if spin.is_finite() {
        bodies.iter().zip(inertias).for_each(|(&body, inertia)| state.turning[body].missing += inertia * spin);
    }
}

/// Returns the momentum of a rigid motion, `M v`.
fn momentum(rod: &dyn Rod, rates: &[f64], operator: &SymmetricBand, dt: f64) -> Vec<f64> {
    match rod.masses() {
        Some(masses) => rates.iter().zip(masses).map(|(rate, mass)| rate * mass).collect(),
        // Rigid motions do not change the curvatures, so the matrix of the step contains nothing but the mass with drag.
        None => {
            let mut momentum = vec![0.0; rates.len()];
            operator.multiply_add(1.0 / (1.0 + dt * rod.params().material.drag), rates, &mut momentum);
            momentum
        }
    }
}

/// Returns the angular momentum about the center of mass that a step should leave [kg m^2/s]. `None` if the rod is not free.
pub(super) fn intended(body: &Body, operator: &SymmetricBand, velocities: &[f64], dt: f64) -> Option<DVec3> {
    let Body::Rod(rod) = body else { return None };
    let rotations = rotations(rod.as_ref(), rod.momenta().center())?;
    let mut impulse = vec![0.0; velocities.len()];
    operator.multiply_add(1.0 / (1.0 + dt * rod.params().material.drag), velocities, &mut impulse);
    Some(DVec3::from_array(rotations.map(|rotation| dot(&rotation, &impulse))))
}

impl Turning {
    /// Updates the account after a step: `intended` and `actual` are the angular momenta that the step should leave and that it leaves. `restored` was
    /// added at its start.
    pub(super) fn update(&mut self, intended: Option<DVec3>, actual: DVec3, restored: DVec3, drag_factor: f64) {
        *self = match intended {
            Some(intended) => {
                let loss = intended - actual;
                Turning { missing: (self.missing - restored) / drag_factor + loss, loss }
            }
            None => Turning::default(),
        };
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
