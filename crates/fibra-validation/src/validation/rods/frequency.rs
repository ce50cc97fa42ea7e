//! Bending frequencies of a clamped-free beam, from the mass and stiffness matrices of its time step.

use super::{Build, LENGTH, WIRE, clamped_wire, line_density};
use crate::validation::Check;
use fibra_rods::internals::band::{BandFactor, SymmetricBand};
use fibra_rods::internals::rod::{Rod, StepContext, StepSystem};
use glam::DVec3;
use std::f64::consts::TAU;

/// Segments of the beam.
const SEGMENTS: usize = 60;
/// `beta L` of the first modes: `cos(x) cosh(x) = -1`.
const WAVES: [f64; 3] = [1.875104068711961, 4.694091132974175, 7.854757438237613];
/// Number of iterations per mode. The mode that converges most slowly gains a factor of 0.13 in error per iteration.
const ITERATIONS: usize = 60;

/// The first three frequencies, compared with `(beta L)^2 / (2 pi L^2) sqrt(EI / (rho A))`.
pub fn run(name: &str, build: Build, tolerance: f64) -> Result<Vec<Check>, String> {
    let mut rod = build(clamped_wire(SEGMENTS)).map_err(|e| e.to_string())?;
    // The operator is M + dt^2 K. A tiny step gives M, and a step of 1 s gives M + K.
    let mass = operator(rod.as_mut(), 1e-15);
    let mut stiffness = operator(rod.as_mut(), 1.0);
    stiffness.add_scaled(-1.0, &mass);
    // A round beam bends in two planes, so each frequency occurs twice.
    let squares = lowest(&mass, stiffness, 2 * WAVES.len())?;
    let check = |(i, wave): (usize, &f64)| {
        let expected = (wave / LENGTH).powi(2) * (WIRE.bending() / line_density()).sqrt() / TAU;
        Check::relative(&format!("{name}-{}", i + 1), squares[2 * i].sqrt() / TAU, expected, tolerance)
    };
    Ok(WAVES.iter().enumerate().map(check).collect())
}

fn operator(rod: &mut dyn Rod, dt: f64) -> SymmetricBand {
    let mut system = StepSystem::default();
    rod.form(&StepContext { time: 0.0, dt, gravity: DVec3::ZERO, origin: DVec3::ZERO }, &mut system);
    system.operator
}

/// The smallest eigenvalues `lambda` of `K x = lambda M x` in ascending order, by inverse iteration with deflation of
/// the modes already found.
fn lowest(mass: &SymmetricBand, stiffness: SymmetricBand, count: usize) -> Result<Vec<f64>, String> {
    let factor: BandFactor = stiffness.factor().map_err(|e| e.to_string())?;
    let n = mass.len();
    // Modes, and the products of the mass matrix with the modes.
    let mut modes: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let mut values = Vec::new();
    for mode in 0..count {
        let mut x: Vec<f64> = (0..n).map(|i| (1.0 + (i * (mode + 1)) as f64).sin()).collect();
        let mut value = 0.0;
        for _ in 0..ITERATIONS {
            for (other, weighted) in &modes {
                let share = dot(&x, weighted);
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= share * o);
            }
            let norm = dot(&x, &times(mass, &x)).sqrt();
            x.iter_mut().for_each(|x| *x /= norm);
            let weighted = times(mass, &x);
            let mut next = weighted.clone();
            factor.solve(&mut next);
            // x . M K^-1 M x is 1 / lambda for a mode of unit mass.
            value = 1.0 / dot(&next, &weighted);
            x = next;
        }
        let norm = dot(&x, &times(mass, &x)).sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
        let weighted = times(mass, &x);
        modes.push((x, weighted));
        values.push(value);
    }
    Ok(values)
}

fn times(a: &SymmetricBand, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    a.multiply_add(1.0, x, &mut out);
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
