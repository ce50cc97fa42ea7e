//! Physical validation: each case computes numbers and compares them with reference values.

mod anisotropy;
mod ball_loop;
mod bar;
mod bending;
mod column;
mod contact;
mod elastons;
mod fabric;
mod far_origin;
mod freefall;
mod friction;
mod hair;
pub mod hair_scene;
mod hang;
mod hydrostatic;
pub mod implicit_step;
mod incline;
mod knot;
mod knot_determinant;
mod momentum;
mod pile;
mod poisson;
mod rods;
pub mod rods_scene;
mod runner;
mod scenario;
mod slime;
mod spaghetti;

pub use runner::{Finished, run_alone, run_side_by_side};

use serde::Serialize;

/// A validation case: a function that returns its comparisons.
pub type Case = crate::Case<fn() -> Result<Vec<Check>, String>>;

/// Cases that do not measure wall time. They may run in parallel.
pub const CASES: &[Case] = &[
    Case {
        name: "mpm-freefall",
        about: "drop of a jelly ball in free fall after 1 s, compared with the closed form of symplectic Euler [m]",
        run: freefall::run,
    },
    Case {
        name: "mpm-momentum-linear",
        about: "drift of the linear momentum of a spinning, vibrating block over 2000 steps, relative to the sum of m |v| [-]",
        run: momentum::linear,
    },
    Case {
        name: "mpm-momentum-angular",
        about: "drift of the angular momentum of a spinning, vibrating block over 2000 steps, relative to its initial value [-]",
        run: momentum::angular,
    },
    Case {
        name: "mpm-bar",
        about: "period of the lowest axial mode of a clamped-free bar, compared with 4 L / c [s]",
        run: bar::run,
    },
    Case {
        name: "mpm-incline-slide",
        about: "acceleration of a block sliding down an inclined plane, compared with g (sin a - mu cos a) [m/s^2]",
        run: incline::slide,
    },
    Case {
        name: "mpm-incline-rest",
        about: "displacement in 1.2 s of a block that friction holds on an inclined plane, at most 0.001 [m]",
        run: incline::rest,
    },
    Case {
        name: "mpm-hydrostatic",
        about: "pressure at three depths in water at rest, compared with rho g h [Pa]",
        run: hydrostatic::run,
    },
    Case {
        name: "mpm-slime",
        about: "shear stress and normal stress difference of slime in simple shear, and its relaxation, compared with Oldroyd's model B [Pa]",
        run: slime::run,
    },
    Case {
        name: "mpm-column-low",
        about: "relative runout of a collapsing sand column of aspect ratio a = 0.8, compared with 1.24 a [-]",
        run: column::low,
    },
    Case {
        name: "mpm-column-tall",
        about: "relative runout of a collapsing sand column of aspect ratio a = 3, compared with 1.6 sqrt(a) [-]",
        run: column::tall,
    },
    Case {
        name: "mpm-far-origin",
        about: "fall of a jelly ball 1 km from the origin along every axis, compared with the same fall at the origin [m]",
        run: far_origin::positive,
    },
    Case {
        name: "mpm-far-origin-negative",
        about: "fall of a jelly ball at -1 km along every axis, compared with the same fall at the origin [m]",
        run: far_origin::negative,
    },
    Case {
        name: "cloth-hang",
        about: "elongation of a hanging strip of cloth under its own weight, compared with rho g L^2 / (2 E) [m]",
        run: hang::cloth,
    },
    Case {
        name: "fiber-hang",
        about: "elongation of hanging fibers under their own weight, compared with rho g L^2 / (2 k) [m]",
        run: hang::fiber,
    },
    Case {
        name: "cloth-poisson",
        about: "lateral contraction [-] and Young's modulus [Pa] of a hanging strip of cloth, in two directions of the mesh, compared with the material's",
        run: poisson::run,
    },
    Case {
        name: "cloth-elastica",
        about: "drop of a strip of cloth clamped horizontally, at two resolutions and in two directions of the mesh, compared with the heavy elastica [m]",
        run: bending::cloth,
    },
    Case {
        name: "fiber-elastica",
        about: "drop of a fiber clamped horizontally, at two resolutions, compared with the heavy elastica [m]",
        run: bending::fiber,
    },
    Case {
        name: "cloth-flight",
        about: "change of the energy of rotating sheets of any bending stiffness in free fall, relative to the kinetic energy, compared with 0 [-]",
        run: bending::flight,
    },
    Case {
        name: "cloth-friction-0.2",
        about: "slope at which cloth starts to slide on clamped cloth, compared with c_F = 0.2 [-]",
        run: friction::cloth_low,
    },
    Case {
        name: "cloth-friction-0.5",
        about: "slope at which cloth starts to slide on clamped cloth, compared with c_F = 0.5 [-]",
        run: friction::cloth_high,
    },
    Case {
        name: "cloth-friction-tilted",
        about: "slope at which cloth rotated against the grid starts to slide on clamped cloth, compared with c_F = 0.5 [-]",
        run: friction::cloth_tilted,
    },
    Case {
        name: "fiber-friction-0.2",
        about: "slope at which fibers start to slide along clamped fibers, compared with beta / (1 + alpha/2) = 0.2 [-]",
        run: friction::fiber_low,
    },
    Case {
        name: "fiber-friction-0.5",
        about: "slope at which fibers start to slide along clamped fibers, compared with beta / (1 + alpha/2) = 0.5 [-]",
        run: friction::fiber_high,
    },
    Case {
        name: "friction-pile",
        about: "height of a pile of fibers at five friction angles, required to grow with the angle [m]",
        run: pile::friction,
    },
    Case {
        name: "fiber-pile",
        about: "broken segments [-], spread [m] and gaps [m] of curves dropped on a block, compared between four contact models",
        run: pile::models,
    },
    Case {
        name: "aniso-identity",
        about: "difference after 200 steps between runs with and without identity maps, for a block dropped on a floor and each isotropic law [-]",
        run: anisotropy::identity,
    },
    Case {
        name: "aniso-moduli",
        about: "moduli measured in tension and shear along the axes, compared with the prescribed moduli; the modulus with the largest error for each law [Pa] or [-]",
        run: anisotropy::moduli,
    },
    Case {
        name: "aniso-frame",
        about: "largest distance between the rotated result of a run and the result of a run with rotated scene and axes, relative to the size of the body [-]",
        run: anisotropy::frame,
    },
    Case {
        name: "aniso-orientation",
        about: "trace and extreme eigenvalues of the orientation tensor [-], and grain direction in simple shear compared with the closed form [deg]",
        run: anisotropy::orientation,
    },
    Case {
        name: "aniso-flow",
        about: "both flow rules of anisotropic sand: distance outside of the yield surface after a step, energy created by plastic flow (negative if it dissipates), and volume changed by it [-]",
        run: anisotropy::flow,
    },
    Case {
        name: "aniso-repose",
        about: "angles of repose of rod-like and card-like grains, required to be monotonic in the scale factor (listed as negative numbers, in increasing order) [deg]",
        run: anisotropy::repose,
    },
    Case {
        name: "aniso-tear",
        about: "angle between the weak direction and the normal of the crack in a body torn by its own weight, at most 20 [deg]",
        run: anisotropy::tear,
    },
    Case {
        name: "contact-incline",
        about: "speed of a rod below and above the critical slope, and its acceleration compared with g (sin a - mu cos a) [m/s^2]",
        run: contact::incline,
    },
    Case {
        name: "contact-capstan",
        about: "ratio of the tensions at the ends of a rod on a slipping cylinder, compared with exp(mu phi) [-]",
        run: contact::capstan,
    },
    Case {
        name: "contact-roll",
        about: "speed of a rod that rolls or slips down inclines for 0.5 s, or rolls on after a slide, compared with a solid cylinder [m/s]",
        run: contact::roll,
    },
    Case {
        name: "contact-spin",
        about: "drift of the total angular momentum of two free rods that collide with friction, relative to its initial value [-]",
        run: contact::spin,
    },
    Case {
        name: "contact-restitution",
        about: "speed of a ball after impact divided by its speed before impact, compared with the coefficient of restitution [-]",
        run: contact::restitution,
    },
    Case {
        name: "contact-knot",
        about: "knot pulled with ten times the force that tightens it: smallest distance of the rope from itself divided by its diameter, and knot determinant, 3 for a trefoil [-]",
        run: knot::run,
    },
    Case {
        name: "ball-loop",
        about: "distance that a spinning ball travels along a double loop, required to grow with friction [m]; largest residual and largest number of iterations [-]",
        run: ball_loop::run,
    },
    Case {
        name: "rod-cantilever-mass-spring",
        about: "ratio of height to width of the shape of a mass-spring chain bent by its own weight, compared with the heavy elastica [-]",
        run: rods::cantilever_mass_spring,
    },
    Case {
        name: "rod-cantilever-corde",
        about: "ratio of height to width of the shape of a CORDE rod bent by its own weight, compared with the heavy elastica [-]",
        run: rods::cantilever_corde,
    },
    Case {
        name: "rod-cantilever-super-helix",
        about: "ratio of height to width of the shape of a super-helix bent by its own weight, compared with the heavy elastica [-]",
        run: rods::cantilever_super_helix,
    },
    Case {
        name: "rod-cantilever-der",
        about: "ratio of height to width of the shape of a discrete elastic rod bent by its own weight, compared with the heavy elastica [-]",
        run: rods::cantilever_der,
    },
    Case {
        name: "rod-euler-super-helix",
        about: "buckling load of a clamped-free super-helix, compared with pi^2 EI / (2 L)^2 [N]",
        run: rods::euler_super_helix,
    },
    Case {
        name: "rod-euler-der",
        about: "buckling load of a clamped-free discrete elastic rod, compared with pi^2 EI / (2 L)^2 [N]",
        run: rods::euler_der,
    },
    Case {
        name: "rod-michell-corde",
        about: "critical total twist of a CORDE ring, compared with 2 pi sqrt(3) EI / GJ [rad]",
        run: rods::michell_corde,
    },
    Case {
        name: "rod-michell-der",
        about: "critical total twist of a discrete elastic ring, compared with 2 pi sqrt(3) EI / GJ [rad]",
        run: rods::michell_der,
    },
    Case {
        name: "lateral-buckling",
        about: "critical load factors of a deep, narrow cantilever: P L^2 / sqrt(EI GJ) for a force on its end, q L^3 / sqrt(EI GJ) for its weight [-]",
        run: rods::lateral::cantilever,
    },
    Case {
        name: "rod-greenhill-der",
        about: "angle by which a clamped discrete elastic rod is twisted when it buckles, compared with 8.9868 EI / GJ [rad]",
        run: rods::lateral::twisted,
    },
    Case {
        name: "rod-frequency-der",
        about: "first three bending frequencies of a clamped-free discrete elastic rod, compared with Euler-Bernoulli beam theory [Hz]",
        run: rods::frequency_der,
    },
    Case {
        name: "rod-pendulum",
        about: "midpoint rule: amplitude of a pendulum after 5 s with steps of 1 ms [deg], and stopping distance of a sliding rod with steps of 10 ms [m]",
        run: rods::pendulum,
    },
    Case {
        name: "elaston-rod-bend",
        about: "sag of a clamped rod under its own weight, divided by rho A g L^4 / (8 EI) and compared with 1, for 4 to 16 samples [-]",
        run: elastons::rod_bend,
    },
    Case {
        name: "elaston-rod-twist",
        about: "torque of a twisted square rod, divided by G a^4 / (6 L) times the angle and compared with 1, for 4 to 16 samples [-]",
        run: elastons::rod_twist,
    },
    Case {
        name: "elaston-plate",
        about: "sag of a plate clamped at all edges, divided by 0.00126 q a^4 / D and compared with 1, for 25 to 196 samples [-]",
        run: elastons::plate,
    },
    Case {
        name: "elaston-cantilever-plate",
        about: "sag of a wide plate clamped at one edge, divided by q L^4 / (8 D) and compared with 1, for 25 to 196 samples [-]",
        run: elastons::cantilever_plate,
    },
    Case {
        name: "elaston-cube",
        about: "sag of a hanging cube with 8 to 343 samples, compared with the extrapolated result of finite elements [m]",
        run: elastons::cube,
    },
    Case {
        name: "elaston-locking",
        about: "sag errors of a rod and a plate with first-order displacements (locking), required to exceed ten times the errors with second-order displacements [-]",
        run: elastons::locking,
    },
    Case {
        name: "elaston-ratio",
        about: "sum of the sag errors of three clamped plates with 2 to 5 elastons per sample along an axis; each additional elaston must reduce the sum by less than the previous one [-]",
        run: elastons::ratio,
    },
    Case {
        name: "elaston-rotation",
        about: "sag of a clamped plate whose elastons have randomly rotated tangents, compared with the sag for unrotated tangents [-]",
        run: elastons::rotation,
    },
    Case {
        name: "elaston-buckling",
        about: "compressed thin cylinder: final force divided by peak force, number of dents, depth of dents divided by the thickness, and correlation of two rows of dents [-]",
        run: elastons::buckling,
    },
    Case {
        name: "elaston-cut",
        about: "bar cut in two: volume [m^3], mass [kg] and number of parts [-] compared with exact values, fall of the free half compared with free fall [m]",
        run: elastons::cut,
    },
    Case {
        name: "elaston-merge",
        about: "changes of momentum, angular momentum and mass when a flying bar merges with a bar at rest [-]",
        run: elastons::merge,
    },
    Case {
        name: "elaston-plastic",
        about: "residual angle of a bar bent to 2, 3 and 5 times its yield curvature, compared with an elastic-plastic beam [rad]",
        run: elastons::plastic,
    },
    Case {
        name: "elaston-elastica",
        about: "heavy elastica: position of the free end of a rod clamped horizontally, for a weight of 10 and 100 times EI / L^2 [-]",
        run: elastons::elastica,
    },
    Case {
        name: "elaston-prongs",
        about: "two prongs on a held base: largest displacement of one while the tip of the other is moved by 0.05 m, for gaps of 8 to 40 mm and 4 to 24 samples per prong, with and without resampling [m]",
        run: elastons::prongs,
    },
    Case {
        name: "elaston-friction",
        about: "block on an incline: creep below the friction angle [m/s], and acceleration beyond it, compared with g (sin a - mu cos a) [m/s^2]",
        run: elastons::friction,
    },
    Case {
        name: "elaston-rest-height",
        about: "height at which a sheet and a round wire lie on the ground, compared with half of the thickness and with the radius [m]",
        run: elastons::rest_height,
    },
    Case {
        name: "hair-cantilever",
        about: "ratio of height to width of the shape of a strand bent by its own weight, compared with the heavy elastica [-]",
        run: hair::cantilever,
    },
    Case {
        name: "hair-michell",
        about: "critical total twist of a ring of hair, compared with 2 pi sqrt(3) EI / GJ [rad]",
        run: hair::michell,
    },
    Case {
        name: "hair-ldl",
        about: "relative error of the band solver in f32, compared with a dense solver in f64 [-]",
        run: hair::ldl,
    },
    Case {
        name: "hair-transport",
        about: "strands on a revolving head: residual twist per revolution, compared with 0 [rad], and largest displacement from the initial positions [m]",
        run: hair::transport,
    },
    Case {
        name: "hair-stability",
        about: "1,000 steps of short and long hair on a head with a new random pose in each step: number of completed steps, largest stretch, and largest distance of a vertex from its root divided by the strand length [-]",
        run: hair::stability,
    },
    Case {
        name: "hair-substeps",
        about: "difference between dancing hair with 2 or 3 grid steps per strand step and with 1: mean distance of corresponding vertices after 2 s, divided by the strand length [-]",
        run: hair::substeps,
    },
    Case {
        name: "hair-volume",
        about: "volume of hair at rest on a head at four elastic moduli of the grid, required to grow with the modulus [m^3]",
        run: hair::volume,
    },
    Case {
        name: "hair-friction",
        about: "spread of loose strands on the ground, required to decrease with increasing friction angle and to be largest for a fluid [m]",
        run: hair::friction,
    },
    Case {
        name: "hair-head",
        about: "largest share of free vertices deeper than half a cell in the head, and in any body, during a dance, at most 0.005 [-]",
        run: hair::head,
    },
    // Last, so that the results of the other cases are printed before it ends.
    Case {
        name: "contact-spaghetti",
        about: "76 rods piled on a plate: share of solved steps [-], largest residual [-], speed at rest [m/s], smallest distance of two rods divided by their thickness [-], ratio of the width without friction to the width with friction [-]",
        run: spaghetti::run,
    },
];

/// Cases that measure wall time. Each of them runs alone.
pub const TIMED_CASES: &[Case] = &[Case {
    name: "implicit-step",
    about: "stiff curtain with implicit steps ten times as long as explicit steps: RMS difference of the shapes divided by the height, and ratio of implicit to explicit wall time [-]",
    run: implicit_step::run,
}];

/// The slowest cases. They start first, so that they do not run alone at the end.
const SLOW: &[&str] = &["contact-spaghetti"];

/// Long cases, which run only on request.
pub const LONG_CASES: &[Case] =
    &[Case { name: "hair-stability-full", about: "20,000 steps of hair-stability", run: hair::stability_full }];

/// A validation case that runs on a GPU.
#[cfg(feature = "gpu")]
pub type CardCase = crate::Case<fn(&fibra_run::device::Card) -> Result<Vec<Check>, String>>;

/// Cases that run on a GPU.
#[cfg(feature = "gpu")]
pub const CARD_CASES: &[CardCase] = &[CardCase {
    name: "hair-stability",
    about: "1,000 steps of short and long hair on a head with a new random pose in each step, as on the CPU",
    run: hair::stability_on_card,
}];

/// Long cases that run on a GPU, only on request.
#[cfg(feature = "gpu")]
pub const LONG_CARD_CASES: &[CardCase] = &[CardCase {
    name: "hair-stability-full",
    about: "a million steps of hair-stability",
    run: hair::stability_full_on_card,
}];

/// A measured number and its reference value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The case's name, with a suffix when a case makes several comparisons.
    pub name: String,
    /// Result of the simulation.
    pub measured: f64,
    /// Reference value.
    pub expected: f64,
    /// Error, relative to `expected` unless the case states otherwise.
    pub error: f64,
    /// Largest allowed error.
    pub tolerance: f64,
}

impl Check {
    /// A comparison with a relative error.
    pub fn relative(name: &str, measured: f64, expected: f64, tolerance: f64) -> Check {
        let error = ((measured - expected) / expected).abs();
        Check { name: name.to_owned(), measured, expected, error, tolerance }
    }

    /// A comparison with an absolute error.
    pub fn absolute(name: &str, measured: f64, expected: f64, tolerance: f64) -> Check {
        Check { name: name.to_owned(), measured, expected, error: (measured - expected).abs(), tolerance }
    }

    /// A number that must exceed a bound. If it does, the error is 0. Otherwise the error is the shortfall divided by
    /// the larger of the two absolute values, and positive even if the number equals the bound.
    pub fn above(name: &str, measured: f64, bound: f64) -> Check {
        let short = (bound - measured) / bound.abs().max(measured.abs()).max(f64::MIN_POSITIVE);
        // A number that equals the bound does not pass.
        let error = if measured > bound { 0.0 } else { short.max(f64::EPSILON) };
        Check { name: name.to_owned(), measured, expected: bound, error, tolerance: 0.0 }
    }

    /// A number that must not exceed a bound. The error is 0, or the excess divided by the absolute value of the bound.
    pub fn at_most(name: &str, measured: f64, bound: f64) -> Check {
        let error = ((measured - bound) / bound.abs().max(f64::MIN_POSITIVE)).max(0.0);
        // `f64::max` discards NaN, so restore it.
        let error = if measured.is_nan() { f64::NAN } else { error };
        Check { name: name.to_owned(), measured, expected: bound, error, tolerance: 0.0 }
    }

    /// Whether the error is within the tolerance. A NaN error is not.
    pub fn passes(&self) -> bool {
        self.error <= self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_above_the_tolerance_fail() {
        assert!(Check::relative("x", 1.01, 1.0, 0.02).passes());
        assert!(!Check::relative("x", 1.03, 1.0, 0.02).passes());
        assert!(!Check::relative("x", f64::NAN, 1.0, 0.02).passes());
        assert!(!Check::relative("x", 0.0, 0.0, 0.02).passes());
    }

    #[test]
    fn above_passes_only_above_the_bound() {
        assert!(Check::above("x", 1.01, 1.0).passes());
        assert!(Check::above("x", -1.0, -2.0).passes());
        assert!(!Check::above("x", 1.0, 1.0).passes());
        assert!(!Check::above("x", 0.0, 0.0).passes());
        assert!(!Check::above("x", f64::NAN, 1.0).passes());
        assert_eq!(Check::above("x", 1.0, 2.0).error, 0.5);
    }

    #[test]
    fn at_most_passes_up_to_the_bound() {
        assert!(Check::at_most("x", 1.0, 1.0).passes() && Check::at_most("x", 0.0, 0.0).passes());
        assert!(!Check::at_most("x", 1.01, 1.0).passes() && !Check::at_most("x", 1e-300, 0.0).passes());
        assert!(!Check::at_most("x", f64::NAN, 1.0).passes());
        assert_eq!(Check::at_most("x", 3.0, 2.0).error, 0.5);
    }
}
