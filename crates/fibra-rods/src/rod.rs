//! What a step asks of a rod model, and what a user says of a rod.

use crate::band::SymmetricBand;
use crate::error::{RodError, in_range};
use fibra_core::geometry::Motion;
use glam::DVec3;

/// A thin elastic rod. Contact sees a chain of capsules around [`Rod::centerline`]; the model behind it may have any unknowns.
///
/// A step is linear in the velocities at its end: `operator v = impulse + J^T r`, with `r` the impulses of contacts and `J` made
/// of [`Rod::motion_of`]. What is prescribed (clamped and scripted ends) is no unknown.
pub trait Rod: Send + Sync {
    /// Number of velocity unknowns. Changes in [`Rod::form`] when an end is let go.
    fn unknowns(&self) -> usize;
    /// Points of the centerline [m], relative to the run origin. Segments join neighbors and, if the rod is closed, the last to the first.
    fn centerline(&self) -> &[DVec3];
    /// What it was made from.
    fn params(&self) -> &RodParams;
    /// The step without contact. Takes note of how prescribed parts move in it.
    fn form(&mut self, step: &StepContext, system: &mut StepSystem);
    /// How the point at an abscissa moves in the step that was formed last.
    fn motion_of(&self, at: Abscissa) -> PointMotion;
    /// Moves the rod by a step with the given velocities at its end.
    fn advance(&mut self, velocities: &[f64], step: &StepContext);
    /// Velocity unknowns as they are now: m/s for coordinates in space; rad/s, or 1/(m s) for curvatures.
    fn velocities(&self) -> &[f64];
    /// Velocities of the points of the centerline [m/s].
    fn point_velocities(&self) -> Vec<DVec3>;
    /// Its energies now, with gravity [m/s^2].
    fn energy(&self, gravity: DVec3) -> RodEnergy;
    /// Changes how a held end moves from now on: 0 for the first, 1 for the last. What is held stays the same.
    fn set_end_motion(&mut self, end: usize, motion: Motion);
    /// Changes the force on an end [N]: 0 for the first, 1 for the last.
    fn set_end_force(&mut self, end: usize, force: DVec3);
    /// Everything it continues from, as numbers.
    fn save(&self) -> Vec<f64>;
    /// Takes up saved numbers; false when there are not as many as there should be.
    fn load(&mut self, saved: &[f64]) -> bool;
}

/// A place on a rod: so far along one segment of its centerline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Abscissa {
    /// The segment, by its first point.
    pub segment: usize,
    /// Share of the segment, 0 to 1 [-].
    pub share: f64,
}

/// How a point moves: `dx/dt = drift + sum_j columns[j] v[first + j]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointMotion {
    /// First unknown it depends on.
    pub first: usize,
    /// Velocity per unknown, for consecutive unknowns.
    pub columns: Vec<DVec3>,
    /// What prescribed motion adds [m/s].
    pub drift: DVec3,
}

/// When and where a step happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepContext {
    /// Time at the start [s].
    pub time: f64,
    /// Length [s].
    pub dt: f64,
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// The point that coordinates start from [m].
    pub origin: DVec3,
}

/// A rod's step without contact: `operator v = impulse`.
#[derive(Clone, Debug, Default)]
pub struct StepSystem {
    /// Mass and implicit stiffness and damping, `M + dt B + dt^2 K`: symmetric and positive definite.
    pub operator: SymmetricBand,
    /// Right-hand side.
    pub impulse: Vec<f64>,
}

/// Energies of a rod [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RodEnergy {
    /// Of motion.
    pub kinetic: f64,
    /// Of stretching, bending and twisting.
    pub elastic: f64,
    /// In the field of gravity, from the run origin.
    pub gravitational: f64,
}

/// A rod as the user describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct RodParams {
    /// What it is made of.
    pub material: RodMaterial,
    /// Points of its centerline at the start [m], in the world.
    pub points: Vec<DVec3>,
    /// Points of its natural shape, as many, in any place and orientation [m]; straight, with the lengths it starts with, when `None`.
    pub natural: Option<Vec<DVec3>>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// Velocity at the start [m/s].
    pub velocity: DVec3,
    /// The first and the last point; without meaning if it is closed.
    pub ends: [End; 2],
}

/// A round, homogeneous section and an elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodMaterial {
    /// Radius of the section [m].
    pub radius: f64,
    /// Density [kg/m^3].
    pub density: f64,
    /// Young's modulus [Pa].
    pub youngs_modulus: f64,
    /// Poisson's ratio [-]; with Young's modulus it gives the stiffness against twist.
    pub poisson_ratio: f64,
    /// Rate at which motion dies in still air [1/s].
    pub drag: f64,
    /// Time over which deformation rates are resisted as strongly as deformation [s]: damping `B = internal_damping K`.
    pub internal_damping: f64,
}

/// What happens to an end of a rod: by default it is free.
///
/// ```
/// use fibra_rods::{End, Hold};
/// use glam::DVec3;
///
/// let root = End::clamped();
/// assert_eq!((root.hold, root.release), (Hold::Clamped, None));
/// let tip = End::pulled(DVec3::new(0.0, -0.1, 0.0));
/// assert_eq!(tip.hold, Hold::Free);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// What is held.
    pub hold: Hold,
    /// How what is held moves. Rotations turn about the end, so that a spin about the tangent is a motor that twists the rod.
    pub motion: Motion,
    /// Time at which it is released [s]; never when `None`.
    pub release: Option<f64>,
    /// Force on the end, where it is not held [N].
    pub force: DVec3,
}

/// The end of a rod at its first or at its last point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RodEnd {
    /// At the first point.
    First,
    /// At the last point.
    Last,
}

/// What is held of an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Nothing.
    #[default]
    Free,
    /// The point.
    Pinned,
    /// The point, the direction and the twist.
    Clamped,
}

impl Default for RodMaterial {
    /// A soft cord, 2 mm thick.
    fn default() -> RodMaterial {
        RodMaterial {
            radius: 1e-3,
            density: 1000.0,
            youngs_modulus: 1e7,
            poisson_ratio: 0.5,
            drag: 0.0,
            internal_damping: 0.0,
        }
    }
}

impl RodMaterial {
    /// Rejects numbers that no material has.
    pub fn check(&self) -> Result<(), RodError> {
        let RodMaterial { radius, density, youngs_modulus, poisson_ratio, drag, internal_damping } = *self;
        in_range("radius", radius, radius > 0.0, "positive and finite, in m")?;
        in_range("density", density, density > 0.0, "positive and finite, in kg/m^3")?;
        in_range("Young's modulus", youngs_modulus, youngs_modulus > 0.0, "positive and finite, in Pa")?;
        let poisson = poisson_ratio > -1.0 && poisson_ratio <= 0.5;
        in_range("Poisson's ratio", poisson_ratio, poisson, "above -1 and at most 0.5")?;
        in_range("drag", drag, drag >= 0.0, "finite and not negative, in 1/s")?;
        in_range("internal damping", internal_damping, internal_damping >= 0.0, "finite and not negative, in s")
    }

    /// Area of the section [m^2].
    pub fn area(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius
    }

    /// Stiffness against bending, `E I` [N m^2].
    pub fn bending(&self) -> f64 {
        self.youngs_modulus * 0.25 * std::f64::consts::PI * self.radius.powi(4)
    }

    /// Stiffness against twist, `G J` [N m^2].
    pub fn twisting(&self) -> f64 {
        self.bending() / (1.0 + self.poisson_ratio)
    }

    /// Stiffness against stretch, `E A` [N].
    pub fn stretching(&self) -> f64 {
        self.youngs_modulus * self.area()
    }
}
