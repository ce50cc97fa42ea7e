//! Plasticity: an additive model for membrane and bending strains, which yield together [OBrien2002], [Muller2004].
//!
//! The yield criterion is that of von Mises, in terms of equivalent uniaxial strain. A bent elaston yields first at its
//! surface and last at its core. With increasing plastic bending, the bending moment therefore grows beyond the moment at
//! first yield, as in an elastic, perfectly plastic beam: to 3/2 of it for a rectangular section, to 16 / (3 pi) for a
//! round one.

use crate::discretization::Discretization;
use crate::elaston::Elaston;
use crate::law::{self, Elasticity, Strains};
use crate::world::{Params, Plasticity, Section, State};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Updates the plastic strains of all elastons after a step of `dt` [s].
pub(crate) fn update_plastic_strains(params: &Params, state: &mut State, discretization: &Discretization, dt: f64) {
    if params.objects.iter().all(|object| object.plasticity.is_none()) {
        return;
    }
    let State { matter, displacements, plastic, flowed, .. } = state;
    let table = &discretization.elastons;
    plastic.par_iter_mut().zip(flowed).with_min_len(64).enumerate().for_each(|(at, (permanent, flowed))| {
        let substance = &params.objects[discretization.substances[at] as usize];
        let Some(plasticity) = &substance.plasticity else { return };
        let elaston = &matter.elastons[at];
        let field = table.read(at, displacements);
        let strains = law::strains(&field, elaston, &law::frame(&field, elaston));
        let beam = Beam { plasticity, elasticity: &substance.elasticity, section: substance.section, elaston };
        let flow = beam.flow(&(strains - *permanent), flowed, dt);
        *permanent = *permanent + flow;
        *flowed = *flowed + flow;
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

impl Section {
    /// Distance of the surface from the center of an elaston along its axes [m]. A disk of radius `r` has the second moments
    /// of a square of side `sqrt(3) r`.
    pub fn surface_distances(self, sides: DVec3) -> DVec3 {
        let half = 0.5 * sides;
        match self {
            Section::Rectangular => half,
            // The sides across the wire are equal; the remaining one is along it. Sides are in descending order.
            Section::Round => {
                let across = 2.0 / 3.0_f64.sqrt();
                let is_long = sides.x * sides.z >= sides.y * sides.y;
                half * if is_long { DVec3::new(1.0, across, across) } else { DVec3::new(across, across, 1.0) }
            }
        }
    }

    /// Bending moment at a curvature `c`, both relative to first yield, with its derivative.
    fn moment(self, c: f64) -> [f64; 2] {
        match self {
            Section::Rectangular => [1.5 - 0.5 / (c * c), 1.0 / (c * c * c)],
            // The strain r sin(t) c / r yields beyond sin(t) = 1 / c. The integrals of sin^2 cos^2 up to this angle and of
            // sin cos^2 beyond it give the moment.
            Section::Round => {
                let angle = (1.0 / c).min(1.0).asin();
                let core = angle / 8.0 - (4.0 * angle).sin() / 32.0;
                let rim = angle.cos().powi(3) / 3.0;
                [16.0 / PI * (c * core + rim), 16.0 / PI * core]
            }
        }
    }

    /// Bending moment of a section, relative to the moment at first yield, if the plastic strain at the surface of the
    /// section is `set` yield strains.
    ///
    /// A section bent to `c` times the curvature of first yield has a moment `m(c)`. Unloading leaves a curvature of
    /// `c - m(c)` times that of first yield.
    fn relative_moment(self, set: f64) -> f64 {
        // Solves c - m(c) = set by Newton's method. It starts above the solution, where the function is convex.
        let mut c = set + 1.7;
        for _ in 0..50 {
            let [moment, slope] = self.moment(c);
            let excess = c - moment - set;
            if 1.0 - slope < 1e-9 || excess.abs() < 1e-13 * c {
                break;
            }
            c = (c - excess / (1.0 - slope)).max(1.0);
        }
        self.moment(c)[0]
    }
}

/// An elaston with its material.
pub struct Beam<'a> {
    /// Yield strain and creep rate.
    pub plasticity: &'a Plasticity,
    /// Elastic constants.
    pub elasticity: &'a Elasticity,
    /// Shape of the cross-section.
    pub section: Section,
    /// The elaston.
    pub elaston: &'a Elaston,
}

impl Beam<'_> {
    /// Returns the plastic flow in a step of `dt` [s], for given elastic strains and plastic strains since the start.
    pub fn flow(&self, elastic: &Strains, flowed: &Strains, dt: f64) -> Strains {
        let Beam { plasticity, elasticity, section, elaston } = self;
        let membrane = equivalent_strain(elasticity, &elastic.membrane);
        // Equivalent strain at the surface of the elaston.
        let distances = section.surface_distances(elaston.sides);
        let at_surface = |strain: &DMat3, k: usize| distances[k] * equivalent_strain(elasticity, strain);
        let bending: [f64; 3] = std::array::from_fn(|k| at_surface(&elastic.bending[k], k));
        let set: [f64; 3] = std::array::from_fn(|k| at_surface(&flowed.bending[k], k));
        // Yield function if all elastic strains are scaled by a factor. Values above 1 are beyond yield.
        let load = |factor: f64| {
            let mut sum = (factor * membrane).powi(2);
            for k in 0..3 {
                let set = (set[k] + (1.0 - factor) * bending[k]) / plasticity.yield_strain;
                sum += (factor * bending[k] / section.relative_moment(set)).powi(2);
            }
            sum.sqrt() / plasticity.yield_strain
        };
        // Early exit: no section yields below the load of first yield.
        let most = (membrane.powi(2) + bending.iter().map(|b| b * b).sum::<f64>()).sqrt();
        if most <= plasticity.yield_strain || load(1.0) <= 1.0 {
            return Strains::ZERO;
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
            membrane: deviator(&elastic.membrane) * flowing,
            bending: std::array::from_fn(|k| deviator(&elastic.bending[k]) * flowing),
        }
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

    /// Plastic strains after a step at given total strains.
    fn after(creep: f64, section: Section, strains: &Strains, permanent: &Strains, dt: f64) -> Strains {
        let beam = Beam { plasticity: &plasticity(creep), elasticity: &ELASTICITY, section, elaston: &elaston() };
        *permanent + beam.flow(&(*strains - *permanent), permanent, dt)
    }

    #[test]
    fn stretch_beyond_yield_becomes_plastic() {
        let strains = Strains { membrane: uniaxial(0.015), ..Strains::ZERO };
        let at = |strains: &Strains, permanent: &Strains, creep: f64, dt: f64| {
            after(creep, Section::Rectangular, strains, permanent, dt)
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
        // Bent about z: strain varies along y. First yield is at a strain YIELD at the surface.
        for section in [Section::Rectangular, Section::Round] {
            let distance = section.surface_distances(elaston().sides).y;
            for times in [1.05_f64, 1.5, 2.0, 5.0, 20.0] {
                let mut permanent = Strains::ZERO;
                for part in 1..=200 {
                    let curvature = times * f64::from(part) / 200.0 * YIELD / distance;
                    let strains = Strains { bending: [DMat3::ZERO, uniaxial(curvature), DMat3::ZERO], ..Strains::ZERO };
                    permanent = after(f64::INFINITY, section, &strains, &permanent, 1.0);
                }
                let exact = times - moment_by_integration(section, times);
                let set = equivalent_strain(&ELASTICITY, &permanent.bending[1]) * distance / YIELD;
                assert!((set - exact).abs() < 1e-3 * times, "{section:?} {times}: {set} against {exact}");
            }
        }
    }

    /// Moment of a section with half height 1 at a curvature `c`, relative to first yield: the sum over thin layers.
    fn moment_by_integration(section: Section, c: f64) -> f64 {
        let layers = 20_000;
        let (mut plastic, mut elastic) = (0.0, 0.0);
        for layer in 0..layers {
            let y = (f64::from(layer) + 0.5) / f64::from(layers);
            let width = if section == Section::Round { (1.0 - y * y).sqrt() } else { 1.0 };
            plastic += width * y * (c * y).min(1.0);
            elastic += width * y * y;
        }
        plastic / elastic
    }

    #[test]
    fn a_disk_yields_at_its_radius() {
        let radius = 0.01;
        let side = radius * 3.0_f64.sqrt();
        for length in [0.5 * side, 0.1] {
            let sides = if length < side { DVec3::new(side, side, length) } else { DVec3::new(length, side, side) };
            let distances = Section::Round.surface_distances(sides);
            assert!((distances.y - radius).abs() < 1e-15);
            let along = if length < side { distances.z } else { distances.x };
            assert!((along - 0.5 * length).abs() < 1e-15);
        }
    }
}
