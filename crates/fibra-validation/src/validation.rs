//! Physical validation: each case computes a number and the reference it must meet.

mod anisotropy;
mod ball_loop;
mod bar;
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
mod rods;
pub mod rods_scene;
mod runner;
mod scenario;
mod spaghetti;

pub use runner::{Finished, run_alone, run_side_by_side};

use serde::Serialize;

/// A validation case: computes and compares.
pub type Case = crate::Case<fn() -> Result<Vec<Check>, String>>;

/// Cases that measure no wall time, so that they may run side by side.
pub const CASES: &[Case] = &[
    Case {
        name: "mpm-freefall",
        about: "center of mass of a falling jelly ball after 1 s against the integrator's closed form",
        run: freefall::run,
    },
    Case {
        name: "mpm-momentum-linear",
        about: "drift of linear momentum of a spinning, deforming block over 2000 steps",
        run: momentum::linear,
    },
    Case {
        name: "mpm-momentum-angular",
        about: "drift of angular momentum of a spinning, deforming block over 2000 steps",
        run: momentum::angular,
    },
    Case {
        name: "mpm-bar",
        about: "period of a clamped-free bar swinging along its axis against 4 L / c",
        run: bar::run,
    },
    Case {
        name: "mpm-incline-slide",
        about: "acceleration of a block sliding down a plane against g (sin - mu cos)",
        run: incline::slide,
    },
    Case {
        name: "mpm-incline-rest",
        about: "distance a block moves in 1 s where friction should hold it, in m",
        run: incline::rest,
    },
    Case { name: "mpm-hydrostatic", about: "pressure in resting water against rho g h", run: hydrostatic::run },
    Case {
        name: "mpm-column-low",
        about: "runout of a sand column of aspect ratio 0.8 against 1.24 a",
        run: column::low,
    },
    Case {
        name: "mpm-column-tall",
        about: "runout of a sand column of aspect ratio 3 against 1.6 sqrt(a)",
        run: column::tall,
    },
    Case {
        name: "mpm-far-origin",
        about: "a jelly ball dropped 1 km from the origin against the same drop at the origin",
        run: far_origin::positive,
    },
    Case {
        name: "mpm-far-origin-negative",
        about: "a jelly ball dropped at -1 km along every axis against the same drop at the origin",
        run: far_origin::negative,
    },
    Case {
        name: "cloth-hang",
        about: "elongation of a hanging strip of cloth under its own weight against rho g L^2 / (2 E)",
        run: hang::cloth,
    },
    Case {
        name: "fiber-hang",
        about: "elongation of hanging fibers under their own weight against rho g L^2 / (2 k)",
        run: hang::fiber,
    },
    Case {
        name: "cloth-friction-0.2",
        about: "slope at which cloth begins to slide on clamped cloth against c_F = 0.2",
        run: friction::cloth_low,
    },
    Case {
        name: "cloth-friction-0.5",
        about: "slope at which cloth begins to slide on clamped cloth against c_F = 0.5",
        run: friction::cloth_high,
    },
    Case {
        name: "cloth-friction-tilted",
        about: "the same for c_F = 0.5 with the cloth, not gravity, tilted within the grid",
        run: friction::cloth_tilted,
    },
    Case {
        name: "fiber-friction-0.2",
        about: "slope at which fibers begin to slide along clamped fibers against beta / (1 + alpha/2) = 0.2",
        run: friction::fiber_low,
    },
    Case {
        name: "fiber-friction-0.5",
        about: "slope at which fibers begin to slide along clamped fibers against beta / (1 + alpha/2) = 0.5",
        run: friction::fiber_high,
    },
    Case {
        name: "friction-pile",
        about: "height of a pile of fibers, which must rise with each of five friction angles",
        run: pile::friction,
    },
    Case {
        name: "fiber-pile",
        about: "broken segments, spread and gaps of curves dropped on a block, with four models of contact",
        run: pile::models,
    },
    Case {
        name: "aniso-identity",
        about: "maps that change nothing: largest difference to the isotropic law, of a block that falls on the floor and gives way, after 200 steps",
        run: anisotropy::identity,
    },
    Case {
        name: "aniso-moduli",
        about: "pulls along the three axes and shears between them against the moduli and ratios asked for, the worst of each material",
        run: anisotropy::moduli,
    },
    Case {
        name: "aniso-frame",
        about: "scene and axes turned together: largest distance to the result turned, over the size",
        run: anisotropy::frame,
    },
    Case {
        name: "aniso-orientation",
        about: "trace and extremes of the alignment of grains over 10,000 random steps, and their angle from the flow in a simple shear, in deg",
        run: anisotropy::orientation,
    },
    Case {
        name: "aniso-repose",
        about: "angles of repose of rods and of cards for five anisotropies, each beyond the one before",
        run: anisotropy::repose,
    },
    Case {
        name: "aniso-tear",
        about: "angle between the weak direction and the normal of a crack under the body's own weight, in degrees",
        run: anisotropy::tear,
    },
    Case {
        name: "contact-incline",
        about: "a rod on an incline: sticks just below the critical slope, slides just above it, accelerates by g (sin - mu cos)",
        run: contact::incline,
    },
    Case {
        name: "contact-capstan",
        about: "ratio of the tensions of a rod at both sides of a cylinder that slips under it against exp(mu phi)",
        run: contact::capstan,
    },
    Case {
        name: "contact-restitution",
        about: "velocity of a ball after a hit over that before against the coefficient of restitution",
        run: contact::restitution,
    },
    Case {
        name: "contact-knot",
        about: "a knot pulled ten times as hard as tightens it: least distance of its strands over their diameter, and its type",
        run: knot::run,
    },
    Case {
        name: "contact-spaghetti",
        about: "76 rods piled on a plate: share of steps solved, worst residual, speed at rest, and how far they spread without friction",
        run: spaghetti::run,
    },
    Case {
        name: "ball-loop",
        about: "distance a spinning ball gets through a double loop, which must grow with friction; residual and iterations of all steps",
        run: ball_loop::run,
    },
    Case {
        name: "rod-cantilever-mass-spring",
        about: "height over width of a mass-spring chain under its own weight against the heavy elastica",
        run: rods::cantilever_mass_spring,
    },
    Case {
        name: "rod-cantilever-corde",
        about: "height over width of a CORDE rod under its own weight against the heavy elastica",
        run: rods::cantilever_corde,
    },
    Case {
        name: "rod-cantilever-super-helix",
        about: "height over width of a super-helix under its own weight against the heavy elastica",
        run: rods::cantilever_super_helix,
    },
    Case {
        name: "rod-cantilever-der",
        about: "height over width of a discrete elastic rod under its own weight against the heavy elastica",
        run: rods::cantilever_der,
    },
    Case {
        name: "rod-euler-super-helix",
        about: "load under which a clamped-free super-helix buckles against pi^2 EI / (2 L)^2, in N",
        run: rods::euler_super_helix,
    },
    Case {
        name: "rod-euler-der",
        about: "load under which a clamped-free column buckles against pi^2 EI / (2 L)^2, in N",
        run: rods::euler_der,
    },
    Case {
        name: "rod-michell-corde",
        about: "total twist at which a CORDE ring leaves its plane against 2 pi sqrt(3) EI / GJ, in rad",
        run: rods::michell_corde,
    },
    Case {
        name: "rod-michell-der",
        about: "total twist at which a ring leaves its plane against 2 pi sqrt(3) EI / GJ, in rad",
        run: rods::michell_der,
    },
    Case {
        name: "rod-frequency-der",
        about: "first three bending frequencies of a clamped-free beam against Euler and Bernoulli, in Hz",
        run: rods::frequency_der,
    },
    Case {
        name: "elaston-rod-bend",
        about: "sag of a thin clamped rod under its own weight over rho A g L^4 / (8 EI), with 4 to 16 samples",
        run: elastons::rod_bend,
    },
    Case {
        name: "elaston-rod-twist",
        about: "torque of a twisted rod of square section over G a^4 / (6 L) times its angle, with 4 to 16 samples",
        run: elastons::rod_twist,
    },
    Case {
        name: "elaston-plate",
        about: "sag of a square plate, thickness 1 %, clamped at all edges, over 0.00126 q a^4 / D, with 25 to 196 samples",
        run: elastons::plate,
    },
    Case {
        name: "elaston-cantilever-plate",
        about: "sag of a wide plate clamped at one edge over q L^4 / (8 D), with 25 to 196 samples",
        run: elastons::cantilever_plate,
    },
    Case {
        name: "elaston-cube",
        about: "sag of a hanging cube with 8 to 343 samples against converged finite elements, in m",
        run: elastons::cube,
    },
    Case {
        name: "elaston-locking",
        about: "errors of bending with displacements of first order, which lock, against ten times those of second order",
        run: elastons::locking,
    },
    Case {
        name: "elaston-ratio",
        about: "error of a clamped shell with 2, 3, 4 and 5 times as many elastons as samples along an axis: 3 is better than 2, more gains less each time",
        run: elastons::ratio,
    },
    Case {
        name: "elaston-rotation",
        about: "sag of a clamped shell with the elastons' tangents turned at random against that without",
        run: elastons::rotation,
    },
    Case {
        name: "elaston-buckling",
        about: "a thin cylinder pressed together: force at the end over its peak, waves around, depth over thickness, and staggered rows",
        run: elastons::buckling,
    },
    Case {
        name: "elaston-cut",
        about: "a held bar cut across: its volume and mass, its parts, and how far the free half falls by itself, in m",
        run: elastons::cut,
    },
    Case {
        name: "elaston-merge",
        about: "momentum and mass of two bars that become one in flight",
        run: elastons::merge,
    },
    Case {
        name: "elaston-plastic",
        about: "angle in rad that a bar keeps after bending to 2, 3 and 5 times first yield against an elastic-plastic beam",
        run: elastons::plastic,
    },
    Case {
        name: "hair-cantilever",
        about: "height over width of a strand under its own weight against the heavy elastica",
        run: hair::cantilever,
    },
    Case {
        name: "hair-michell",
        about: "total twist at which a ring leaves its plane against 2 pi sqrt(3) EI / GJ, in rad",
        run: hair::michell,
    },
    Case {
        name: "hair-ldl",
        about: "relative error of the solver of band systems in f32 against a dense one in f64",
        run: hair::ldl,
    },
    Case {
        name: "hair-transport",
        about: "twist that a turn of the head leaves in a strand, in rad, and how far strands are from where they were, in m",
        run: hair::transport,
    },
    Case {
        name: "hair-stability",
        about: "1,000 steps of short and long hair with the head anywhere in each: steps done, worst stretch, worst distance from a root \
                over the strand's length",
        run: hair::stability,
    },
    Case {
        name: "hair-substeps",
        about: "distance after 2 s of dance between hair with several steps of the grid per step of the strands and with one, over \
                its length",
        run: hair::substeps,
    },
    Case {
        name: "hair-volume",
        about: "room that hair takes up on a head, in m^3, which must grow with each of four moduli of the grid",
        run: hair::volume,
    },
    Case {
        name: "hair-friction",
        about: "how far loose strands spread over the ground, in m: most without friction between them, least with most friction",
        run: hair::friction,
    },
    Case {
        name: "hair-head",
        about: "largest share of free vertices deep in the head, and in any body, in a frame of a dance",
        run: hair::head,
    },
];

/// Cases that measure wall time: each runs alone.
pub const TIMED_CASES: &[Case] = &[Case {
    name: "implicit-step",
    about: "a stiff curtain at ten times the explicit step: RMS distance of its vertices over its height, and wall time \
                over that of the explicit run",
    run: implicit_step::run,
}];

/// Cases that take longest: they start first, so that none of them runs alone at the end.
const SLOW: &[&str] = &["contact-spaghetti"];

/// Cases that take long, which run only when asked for.
pub const LONG_CASES: &[Case] =
    &[Case { name: "hair-stability-full", about: "hair-stability with 20,000 steps", run: hair::stability_full }];

/// One measured number against its reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The case's name, with a suffix when a case makes several comparisons.
    pub name: String,
    /// What the simulation gave.
    pub measured: f64,
    /// What it should give.
    pub expected: f64,
    /// How far off it is: relative to `expected` unless the case says otherwise.
    pub error: f64,
    /// Largest error allowed.
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

    /// A number that must exceed another: the error is what it lacks, relative to the larger of both; 0 where it lacks nothing.
    pub fn above(name: &str, measured: f64, bound: f64) -> Check {
        let short = (bound - measured) / bound.abs().max(measured.abs()).max(f64::MIN_POSITIVE);
        // Equal is not above.
        let error = if measured > bound { 0.0 } else { short.max(f64::EPSILON) };
        Check { name: name.to_owned(), measured, expected: bound, error, tolerance: 0.0 }
    }

    /// A number that must not exceed another: the error is the excess, relative to the bound; 0 where there is none.
    pub fn at_most(name: &str, measured: f64, bound: f64) -> Check {
        let error = ((measured - bound) / bound.abs().max(f64::MIN_POSITIVE)).max(0.0);
        // The greater of anything and what is not a number is the former.
        let error = if measured.is_nan() { f64::NAN } else { error };
        Check { name: name.to_owned(), measured, expected: bound, error, tolerance: 0.0 }
    }

    /// Whether the error is within the tolerance; an error that is not a number is not.
    pub fn passes(&self) -> bool {
        self.error <= self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_within_the_tolerance_passes() {
        assert!(Check::relative("x", 1.01, 1.0, 0.02).passes());
        assert!(!Check::relative("x", 1.03, 1.0, 0.02).passes());
        assert!(!Check::relative("x", f64::NAN, 1.0, 0.02).passes());
        assert!(!Check::relative("x", 0.0, 0.0, 0.02).passes());
    }

    #[test]
    fn only_what_is_above_passes() {
        assert!(Check::above("x", 1.01, 1.0).passes());
        assert!(Check::above("x", -1.0, -2.0).passes());
        assert!(!Check::above("x", 1.0, 1.0).passes());
        assert!(!Check::above("x", 0.0, 0.0).passes());
        assert!(!Check::above("x", f64::NAN, 1.0).passes());
        assert_eq!(Check::above("x", 1.0, 2.0).error, 0.5);
    }

    #[test]
    fn only_what_does_not_exceed_passes() {
        assert!(Check::at_most("x", 1.0, 1.0).passes() && Check::at_most("x", 0.0, 0.0).passes());
        assert!(!Check::at_most("x", 1.01, 1.0).passes() && !Check::at_most("x", 1e-300, 0.0).passes());
        assert!(!Check::at_most("x", f64::NAN, 1.0).passes());
        assert_eq!(Check::at_most("x", 3.0, 2.0).error, 0.5);
    }
}
