//! Strain that becomes permanent: membrane and bending strains yield together, by an additive law [OBrien2002], [Muller2004].
//!
//! Yield is von Mises's, in terms of the strain that a pull in one direction has. Where an elaston is bent, its surface yields first
//! and its core last: the moment it bears grows from that of first yield to 3/2 of it while permanent bending grows, as in
//! a rectangular section of an elastic, perfectly plastic beam.

use crate::elaston::Elaston;
use crate::law::{Elasticity, Strains};
use crate::world::Plasticity;
use glam::{DMat3, DVec3};

/// The strain of a pull in one direction that is as near to yield [-].
pub fn equivalent(elasticity: &Elasticity, strain: &DMat3) -> f64 {
    let deviator = deviator(strain);
    let squares: f64 = (0..3).map(|axis| deviator.col(axis).length_squared()).sum();
    (1.5 * squares).sqrt() / (1.0 + elasticity.poisson)
}

fn deviator(strain: &DMat3) -> DMat3 {
    let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
    *strain - DMat3::from_diagonal(DVec3::splat(trace / 3.0))
}

/// Moment in moments of first yield that a section bears when its surface is permanently strained by `set` yield strains.
///
/// A section bent to `c` times the curvature of first yield bears `m = 3/2 - 1/(2 c^2)`, and would be left with `c - m` of it.
fn bearing(set: f64) -> f64 {
    // c - 3/2 + 1/(2 c^2) = set, by Newton's method from above, where it is convex.
    let mut c = set + 1.5;
    for _ in 0..50 {
        let excess = c - 1.5 + 0.5 / (c * c) - set;
        let slope = 1.0 - 1.0 / (c * c * c);
        if slope < 1e-9 || excess.abs() < 1e-13 * c {
            break;
        }
        c = (c - excess / slope).max(1.0);
    }
    1.5 - 0.5 / (c * c)
}

/// Strains that are permanent after a step [s] at the given total strains.
pub fn flow(
    plasticity: &Plasticity,
    elasticity: &Elasticity,
    elaston: &Elaston,
    strains: &Strains,
    permanent: &Strains,
    dt: f64,
) -> Strains {
    let elastic = *strains - *permanent;
    let membrane = equivalent(elasticity, &elastic.membrane);
    // At the surface of the elaston.
    let at_surface = |strain: &DMat3, k: usize| 0.5 * elaston.sides[k] * equivalent(elasticity, strain);
    let bending: [f64; 3] = std::array::from_fn(|k| at_surface(&elastic.bending[k], k));
    let set: [f64; 3] = std::array::from_fn(|k| at_surface(&permanent.bending[k], k));
    // How far from yield, above 1 beyond it, if all elastic strains shrink to a share.
    let load = |share: f64| {
        let mut sum = (share * membrane).powi(2);
        for k in 0..3 {
            let bears = bearing((set[k] + (1.0 - share) * bending[k]) / plasticity.yield_strain);
            sum += (share * bending[k] / bears).powi(2);
        }
        sum.sqrt() / plasticity.yield_strain
    };
    // Nothing bears more than 3/2 of first yield: quick to see where nothing can yield.
    let most = (membrane.powi(2) + bending.iter().map(|b| b * b).sum::<f64>()).sqrt();
    if most <= plasticity.yield_strain || load(1.0) <= 1.0 {
        return *permanent;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..48 {
        let middle = 0.5 * (low + high);
        if load(middle) > 1.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    let flowing = (1.0 - low) * -(-plasticity.creep * dt).exp_m1();
    Strains {
        membrane: permanent.membrane + deviator(&elastic.membrane) * flowing,
        bending: std::array::from_fn(|k| permanent.bending[k] + deviator(&elastic.bending[k]) * flowing),
    }
}
