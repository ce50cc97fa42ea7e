//! Strain that becomes permanent: membrane and bending strains yield together, by an additive law [OBrien2002], [Muller2004].
//!
//! Yield is von Mises's, in terms of the strain that a pull in one direction has. Where an elaston is bent, its surface yields first
//! and its core last: the moment it bears grows from that of first yield to 3/2 of it while permanent bending grows, as in
//! a rectangular section of an elastic, perfectly plastic beam.

use crate::discretization::Discretization;
use crate::elaston::Elaston;
use crate::law::{self, Elasticity, Strains};
use crate::world::{Params, Plasticity, State};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Lets strain of all elastons become permanent in a step of `dt` [s].
pub(crate) fn update_plastic_strains(params: &Params, state: &mut State, discretization: &Discretization, dt: f64) {
    if params.objects.iter().all(|object| object.plasticity.is_none()) {
        return;
    }
    let State { matter, displacements, plastic, .. } = state;
    let table = &discretization.elastons;
    plastic.par_iter_mut().with_min_len(64).enumerate().for_each(|(at, permanent)| {
        let substance = &params.objects[discretization.substances[at] as usize];
        let Some(plasticity) = &substance.plasticity else { return };
        let elaston = &matter.elastons[at];
        let readings = table.read(at, displacements);
        let strains = law::strains(&readings, elaston, &law::frame(&readings, elaston));
        *permanent = flow(plasticity, &substance.elasticity, elaston, &strains, permanent, dt);
    });
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const ELASTICITY: Elasticity = Elasticity { young: 1e6, poisson: 0.3 };
    const YIELD: f64 = 0.01;

    fn elaston() -> Elaston {
        Elaston {
            center: DVec3::ZERO,
            axes: DMat3::IDENTITY,
            sides: DVec3::new(0.1, 0.02, 0.03),
            volume: 0.1 * 0.02 * 0.03,
        }
    }

    fn plasticity(creep: f64) -> Plasticity {
        Plasticity { yield_strain: YIELD, creep }
    }

    /// Strain of a pull along x, with the shrinking across that goes with it.
    fn pull(strain: f64) -> DMat3 {
        DMat3::from_diagonal(DVec3::new(1.0, -0.3, -0.3) * strain)
    }

    #[test]
    fn a_pull_counts_by_its_strain() {
        assert!((equivalent(&ELASTICITY, &pull(0.007)) - 0.007).abs() < 1e-15);
        assert!(equivalent(&ELASTICITY, &(DMat3::IDENTITY * 0.1)) < 1e-15);
    }

    #[test]
    fn stretch_beyond_yield_is_left() {
        let strains = Strains { membrane: pull(0.015), ..Strains::ZERO };
        let at = |strains: &Strains, permanent: &Strains, creep: f64, dt: f64| {
            flow(&plasticity(creep), &ELASTICITY, &elaston(), strains, permanent, dt)
        };
        assert_eq!(at(&Strains { membrane: pull(0.0099), ..Strains::ZERO }, &Strains::ZERO, 1e9, 1.0), Strains::ZERO);
        let permanent = at(&strains, &Strains::ZERO, f64::INFINITY, 0.1);
        let left = strains - permanent;
        assert!((equivalent(&ELASTICITY, &left.membrane) - YIELD).abs() < 1e-12);
        // It keeps its volume, and nothing more happens.
        let trace = permanent.membrane.x_axis.x + permanent.membrane.y_axis.y + permanent.membrane.z_axis.z;
        assert!(trace.abs() < 1e-15);
        let again = at(&strains, &permanent, f64::INFINITY, 0.1);
        assert!(equivalent(&ELASTICITY, &(again.membrane - permanent.membrane)) < 1e-12);
        // By and by: what is left beyond yield after one time constant is 1/e of it.
        let slow = at(&strains, &Strains::ZERO, 2.0, 0.5);
        let beyond = equivalent(&ELASTICITY, &(strains - slow).membrane) - YIELD;
        assert!((beyond - 0.005 * (-1.0_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn bending_leaves_what_an_elastic_plastic_section_does() {
        // Bent about z: strain changes along y, with h = 0.02. First yield at a curvature of 2 * YIELD / h = 1 / m.
        for times in [1.05_f64, 1.5, 2.0, 5.0, 20.0] {
            let mut permanent = Strains::ZERO;
            for part in 1..=200 {
                let curvature = times * f64::from(part) / 200.0;
                let strains = Strains { bending: [DMat3::ZERO, pull(curvature), DMat3::ZERO], ..Strains::ZERO };
                permanent = flow(&plasticity(f64::INFINITY), &ELASTICITY, &elaston(), &strains, &permanent, 1.0);
            }
            let moment = 1.5 - 0.5 / (times * times);
            let exact = times - moment;
            let set = equivalent(&ELASTICITY, &permanent.bending[1]);
            assert!((set - exact).abs() < 1e-3 * times, "{times}: {set} against {exact}");
        }
    }
}
