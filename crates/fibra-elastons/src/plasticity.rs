//! Plasticity: an additive model for membrane and bending strains, which yield together [OBrien2002], [Muller2004].
//!
//! The yield criterion is that of von Mises, in terms of equivalent uniaxial strain. A bent elaston yields first at its
//! surface and last at its core. With increasing plastic bending, the bending moment therefore grows to 3/2 of the
//! moment at first yield, as in an elastic, perfectly plastic beam of rectangular section.

use crate::discretization::Discretization;
use crate::elaston::Elaston;
use crate::law::{self, Elasticity, Strains};
use crate::world::{Params, Plasticity, State};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Updates the plastic strains of all elastons after a step of `dt` [s].
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
        let field = table.read(at, displacements);
        let strains = law::strains(&field, elaston, &law::frame(&field, elaston));
        *permanent = flow(plasticity, &substance.elasticity, elaston, &strains, permanent, dt);
    });
}

/// Equivalent uniaxial (von Mises) strain [-].
pub fn equivalent_strain(elasticity: &Elasticity, strain: &DMat3) -> f64 {
    let deviator = deviator(strain);
    let squares: f64 = (0..3).map(|axis| deviator.col(axis).length_squared()).sum();
    (1.5 * squares).sqrt() / (1.0 + elasticity.poisson)
}

fn deviator(strain: &DMat3) -> DMat3 {
    let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
    *strain - DMat3::from_diagonal(DVec3::splat(trace / 3.0))
}

/// Bending moment of a section, relative to the moment at first yield, if the plastic strain at the surface of the
/// section is `set` yield strains.
///
/// A section bent to `c` times the curvature of first yield has the moment `m = 3/2 - 1/(2 c^2)`. Unloading leaves a
/// curvature of `c - m` times that of first yield.
fn relative_moment(set: f64) -> f64 {
    // Solves c - 3/2 + 1/(2 c^2) = set by Newton's method. It starts above the solution, where the function is convex.
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

/// Returns the plastic strains after a step of `dt` [s] at the given total strains.
pub fn flow(
    plasticity: &Plasticity,
    elasticity: &Elasticity,
    elaston: &Elaston,
    strains: &Strains,
    permanent: &Strains,
    dt: f64,
) -> Strains {
    let elastic = *strains - *permanent;
    let membrane = equivalent_strain(elasticity, &elastic.membrane);
    // Equivalent strain at the surface of the elaston.
    let at_surface = |strain: &DMat3, k: usize| 0.5 * elaston.sides[k] * equivalent_strain(elasticity, strain);
    let bending: [f64; 3] = std::array::from_fn(|k| at_surface(&elastic.bending[k], k));
    let set: [f64; 3] = std::array::from_fn(|k| at_surface(&permanent.bending[k], k));
    // Yield function if all elastic strains are scaled by a factor. Values above 1 are beyond yield.
    let load = |factor: f64| {
        let mut sum = (factor * membrane).powi(2);
        for k in 0..3 {
            let bears = relative_moment((set[k] + (1.0 - factor) * bending[k]) / plasticity.yield_strain);
            sum += (factor * bending[k] / bears).powi(2);
        }
        sum.sqrt() / plasticity.yield_strain
    };
    // Early exit: no section yields below the load of first yield.
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

    /// Uniaxial strain along x, with lateral contraction.
    fn uniaxial(strain: f64) -> DMat3 {
        DMat3::from_diagonal(DVec3::new(1.0, -0.3, -0.3) * strain)
    }

    #[test]
    fn equivalent_strain_of_uniaxial_tension_is_its_strain() {
        assert!((equivalent_strain(&ELASTICITY, &uniaxial(0.007)) - 0.007).abs() < 1e-15);
        assert!(equivalent_strain(&ELASTICITY, &(DMat3::IDENTITY * 0.1)) < 1e-15);
    }

    #[test]
    fn stretch_beyond_yield_becomes_plastic() {
        let strains = Strains { membrane: uniaxial(0.015), ..Strains::ZERO };
        let at = |strains: &Strains, permanent: &Strains, creep: f64, dt: f64| {
            flow(&plasticity(creep), &ELASTICITY, &elaston(), strains, permanent, dt)
        };
        assert_eq!(
            at(&Strains { membrane: uniaxial(0.0099), ..Strains::ZERO }, &Strains::ZERO, 1e9, 1.0),
            Strains::ZERO
        );
        let permanent = at(&strains, &Strains::ZERO, f64::INFINITY, 0.1);
        let left = strains - permanent;
        assert!((equivalent_strain(&ELASTICITY, &left.membrane) - YIELD).abs() < 1e-12);
        // Plastic flow preserves volume, and a second step at the same strain changes nothing.
        let trace = permanent.membrane.x_axis.x + permanent.membrane.y_axis.y + permanent.membrane.z_axis.z;
        assert!(trace.abs() < 1e-15);
        let again = at(&strains, &permanent, f64::INFINITY, 0.1);
        assert!(equivalent_strain(&ELASTICITY, &(again.membrane - permanent.membrane)) < 1e-12);
        // Finite creep rate: after one time constant, 1/e of the excess strain is left.
        let slow = at(&strains, &Strains::ZERO, 2.0, 0.5);
        let beyond = equivalent_strain(&ELASTICITY, &(strains - slow).membrane) - YIELD;
        assert!((beyond - 0.005 * (-1.0_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn plastic_bending_matches_an_elastic_perfectly_plastic_section() {
        // Bent about z: strain varies along y, with h = 0.02. First yield is at a curvature of 2 * YIELD / h = 1 / m.
        for times in [1.05_f64, 1.5, 2.0, 5.0, 20.0] {
            let mut permanent = Strains::ZERO;
            for part in 1..=200 {
                let curvature = times * f64::from(part) / 200.0;
                let strains = Strains { bending: [DMat3::ZERO, uniaxial(curvature), DMat3::ZERO], ..Strains::ZERO };
                permanent = flow(&plasticity(f64::INFINITY), &ELASTICITY, &elaston(), &strains, &permanent, 1.0);
            }
            let moment = 1.5 - 0.5 / (times * times);
            let exact = times - moment;
            let set = equivalent_strain(&ELASTICITY, &permanent.bending[1]);
            assert!((set - exact).abs() < 1e-3 * times, "{times}: {set} against {exact}");
        }
    }
}
