//! The interface of a rod model, and the parameters of a rod.

use crate::band::SymmetricBand;
use crate::error::{RodError, in_range};
use crate::internal_loads::{InternalLoads, PointLoads};
use crate::section::{Section, SectionShape};
use fibra_core::geometry::Motion;
use glam::{DQuat, DVec3};

/// A thin elastic rod. Contact detection treats the rod as a chain of capsules along [`Rod::centerline`]. Each model
/// chooses its own unknowns.
///
/// A step is linear in the end-of-step velocities `v`: `operator v = impulse + J^T r`. `r` are the contact impulses, and
/// [`Rod::motion_of`] returns the rows of `J`. Prescribed coordinates (clamped and scripted ends) are not unknowns.
pub trait Rod: Send + Sync {
    /// Whether [`Rod::form`] supports the midpoint rule. Otherwise the steps of this model are Euler steps.
    fn supports_midpoint(&self) -> bool {
        true
    }
    /// Number of velocity unknowns. [`Rod::form`] changes it when an end is released.
    fn unknowns(&self) -> usize;
    /// Points of the centerline [m], relative to the run origin. Segments connect neighbors and, if the rod is closed, the last point to the first.
    fn centerline(&self) -> &[DVec3];
    /// Parameters from which the rod was built.
    fn params(&self) -> &RodParams;
    /// Assembles the linear system of a step without contact, and stores the motion of prescribed parts.
    fn form(&mut self, step: &StepContext, system: &mut StepSystem);
    /// Returns the motion of the material point at offset `arm` [m] from the centerline at an abscissa, in the last assembled step: `v + omega x arm`,
    /// with the angular velocity of the cross section. A model without twist returns the motion of the centerline.
    fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion;
    /// Advances the rod by one step with the given end-of-step velocities.
    fn advance(&mut self, velocities: &[f64], step: &StepContext);
    /// Displaces the rod without changing its momentum. There is one displacement for each velocity unknown, in units of the unknown times a second.
    fn shift(&mut self, displacements: &[f64]);
    /// Current velocity unknowns [m/s]; rad/s for angles, or 1/(m s) for curvatures.
    fn velocities(&self) -> &[f64];
    /// Velocities of the points of the centerline [m/s].
    fn point_velocities(&self) -> Vec<DVec3>;
    /// Largest tension in the rod, or the largest compression [N], at the start of the last assembled step or now.
    fn tension(&self) -> f64;
    /// Returns the rates of the unknowns in the rigid motion `linear + angular x r` [m/s, rad/s], with `r` relative to the run origin. `None` if the rod
    /// cannot move rigidly, because an end is held.
    fn rigid_rates(&self, linear: DVec3, angular: DVec3) -> Option<Vec<f64>>;
    /// Returns the mass or the moment of inertia of each unknown, or `None` if the mass matrix is not diagonal.
    fn masses(&self) -> Option<Vec<f64>>;
    /// Returns the mass, the center of mass and the momenta of the rod.
    fn momenta(&self) -> Momenta;
    /// Returns the current energies of the rod, with gravity [m/s^2].
    fn energy(&self, gravity: DVec3) -> RodEnergy;
    /// Sets the motion of a held end from now on: 0 for the first end, 1 for the last. The kind of [`Hold`] does not change.
    fn set_end_motion(&mut self, end: usize, motion: Motion);
    /// Sets the force on an end [N]: 0 for the first end, 1 for the last.
    fn set_end_force(&mut self, end: usize, force: DVec3);
    /// Returns the internal forces and moments of the current state; `loads` are the forces on the points. Returns `None` for rods
    /// whose motion is prescribed.
    fn internal_loads(&self, _loads: &PointLoads) -> Option<InternalLoads> {
        None
    }
    /// Computes the exact stiffness matrix: the second derivatives of the elastic energy with respect to the unknowns. Returns false if the model has
    /// none.
    fn tangent_stiffness(&self, _matrix: &mut SymmetricBand) -> bool {
        false
    }
    /// Returns the material frame of each segment: the axes of the cross section, and the tangent. Empty if the model has no frames.
    fn material_frames(&self) -> Vec<DQuat> {
        Vec::new()
    }
    /// Returns the total twist of a closed rod relative to twist-free frames [rad]; `None` for open rods, and if the model has no twist.
    fn closed_twist(&self) -> Option<f64> {
        None
    }
    /// Returns the angular momentum of the rotation of the cross sections [kg m^2/s].
    fn spin_momentum(&self) -> DVec3 {
        DVec3::ZERO
    }
    /// Returns the force and the moment on an end at a time [s], if it is not held: 0 for the first end, 1 for the last.
    fn end_load(&self, end: usize, time: f64) -> EndLoad {
        self.params().ends[end].load_at(time, DQuat::IDENTITY)
    }
    /// Sets the natural curvature toward each axis of the section and the natural twist per length [1/m] at each point. Returns false if the model does not
    /// support it.
    fn set_natural_curvature(&mut self, _curvatures: &[DVec3]) -> bool {
        false
    }
    /// Sets the rest length of each segment [m]; masses do not change. Returns false if the model does not support it.
    fn set_rest_lengths(&mut self, _lengths: &[f64]) -> bool {
        false
    }
    /// Returns the state of the rod as numbers.
    fn save(&self) -> Vec<f64>;
    /// Restores the state of the rod from saved numbers. Returns false if their count is wrong.
    fn load(&mut self, saved: &[f64]) -> bool;
}

/// A point on a rod: a segment of the centerline and a fraction of that segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Abscissa {
    /// The segment, given by its first point.
    pub segment: usize,
    /// Fraction of the segment, 0 to 1 [-].
    pub share: f64,
}

/// The motion of a point as a function of the unknowns: `dx/dt = drift + sum_j columns[j] v[first + j]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointMotion {
    /// The first unknown on which the motion depends.
    pub first: usize,
    /// Velocity per unknown (columns of the Jacobian), for consecutive unknowns.
    pub columns: Vec<DVec3>,
    /// Contribution of prescribed motion [m/s].
    pub drift: DVec3,
}

impl PointMotion {
    /// Returns the velocity for the given unknowns of the body.
    pub fn velocity(&self, unknowns: &[f64]) -> DVec3 {
        self.columns.iter().zip(&unknowns[self.first..]).fold(self.drift, |sum, (column, v)| sum + *v * *column)
    }
}

/// Time and global parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepContext {
    /// Time at the start of the step [s].
    pub time: f64,
    /// Length of the step [s].
    pub dt: f64,
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// The run origin, to which coordinates are relative [m].
    pub origin: DVec3,
}

/// The linear system of a rod's step without contact: `operator v = impulse`. For the midpoint rule, `v` are the velocities in the middle of the step.
#[derive(Clone, Debug, Default)]
pub struct StepSystem {
    /// Mass with implicit stiffness and damping, `M + dt B + dt^2 K`; symmetric positive definite.
    pub operator: SymmetricBand,
    /// Right-hand side.
    pub impulse: Vec<f64>,
    /// The time integrator for which the system is assembled.
    pub integrator: Integrator,
}

/// Time integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Linearly implicit Euler: first order in time. It damps motions that the step does not resolve.
    #[default]
    Euler,
    /// Linearly implicit midpoint rule: second order in time, without numerical damping. Super-helices use Euler nevertheless.
    ///
    /// The system `A v(1/2) = b` is that of an Euler step of half the length. Positions advance with the velocity `v(1/2)` in the middle of the step, and
    /// the velocity at the end is `v1 = 2 v(1/2) - v0`. The impulses `r` of a whole step enter as `A v1 = 2 b - A v0 + J^T r`. Contact laws hold for
    /// `v1`.
    Midpoint,
}

impl StepSystem {
    /// Length of the linearly implicit step [s].
    pub fn implicit_dt(&self, step: &StepContext) -> f64 {
        match self.integrator {
            Integrator::Euler => step.dt,
            Integrator::Midpoint => 0.5 * step.dt,
        }
    }
}

/// Mass, center of mass and momenta of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momenta {
    /// Mass [kg].
    pub mass: f64,
    /// First moment of the mass about the run origin, the mass times the center of mass [kg m].
    pub first: DVec3,
    /// Momentum [kg m/s].
    pub linear: DVec3,
    /// Angular momentum about the run origin, with the spin of the cross sections [kg m^2/s].
    pub angular: DVec3,
}

impl Momenta {
    /// Adds a point mass [kg] at `x` [m] with a velocity [m/s].
    pub fn add(&mut self, mass: f64, x: DVec3, velocity: DVec3) {
        self.mass += mass;
        self.first += mass * x;
        self.linear += mass * velocity;
        self.angular += mass * x.cross(velocity);
    }

    /// Center of mass [m].
    pub fn center(&self) -> DVec3 {
        self.first / self.mass
    }

    /// Angular momentum about the center of mass [kg m^2/s].
    pub fn about_center(&self) -> DVec3 {
        self.angular - self.center().cross(self.linear)
    }
}

/// Energies of a rod [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RodEnergy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Energy of stretching, bending and twisting.
    pub elastic: f64,
    /// Gravitational energy, relative to the run origin.
    pub gravitational: f64,
}

/// The parameters of a rod.
#[derive(Clone, Debug, PartialEq)]
pub struct RodParams {
    /// The material.
    pub material: RodMaterial,
    /// Initial points of the centerline [m], in world coordinates.
    pub points: Vec<DVec3>,
    /// Points of the natural shape, the same number as `points`, at any position and orientation [m]. `None`: straight, with the initial lengths.
    pub natural: Option<Vec<DVec3>>,
    /// Whether the last point is connected to the first.
    pub closed: bool,
    /// Initial velocity [m/s].
    pub velocity: DVec3,
    /// The ends at the first and the last point; ignored if the rod is closed.
    pub ends: [End; 2],
}

/// A homogeneous elastic material and the cross section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodMaterial {
    /// Radius of the circular cross section [m]. For other sections, the radius of contact.
    pub radius: f64,
    /// Density [kg/m^3].
    pub density: f64,
    /// Young's modulus [Pa].
    pub youngs_modulus: f64,
    /// Poisson's ratio [-]; together with Young's modulus it determines the twisting stiffness.
    pub poisson_ratio: f64,
    /// Drag coefficient: decay rate of the velocity in still air [1/s].
    pub drag: f64,
    /// Stiffness-proportional damping coefficient [s]: `B = internal_damping K`.
    pub internal_damping: f64,
    /// Shape and orientation of the cross section. Default: a circle.
    pub section: Section,
}

/// Boundary condition at an end of a rod: free by default.
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
    /// The constraint.
    pub hold: Hold,
    /// Motion of the held end. Rotations are about the end, so a spin about the tangent acts as a motor that twists the rod.
    pub motion: Motion,
    /// Release time [s]; `None` means never.
    pub release: Option<f64>,
    /// Force on the end [N], while it is not held.
    pub force: DVec3,
    /// Moment on the end [N m], while it is not held. Not supported by the model `MassSpring`.
    pub moment: DVec3,
    /// Whether the force and the moment rotate with the material frame of the end, from their initial directions. Model `DiscreteElastic` only.
    pub follower: bool,
    /// Change of the force and the moment with time: `[time, factor]` pairs with increasing times [s, -]. The factor is linear in between, and constant
    /// before the first and after the last. Empty: 1.
    pub schedule: Vec<[f64; 2]>,
}

/// Force and moment on an end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndLoad {
    /// Force [N].
    pub force: DVec3,
    /// Moment [N m].
    pub moment: DVec3,
}

/// Selects the end of a rod at its first or its last point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RodEnd {
    /// At the first point.
    First,
    /// At the last point.
    Last,
}

/// The constraint on an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// No constraint.
    #[default]
    Free,
    /// The position is held.
    Pinned,
    /// The position, the direction and the twist are held.
    Clamped,
}

impl Default for RodMaterial {
    /// A soft cord with a radius of 1 mm, 1000 kg/m^3, 10 MPa and a Poisson's ratio of 0.5, without damping. Set `drag` if the rod should come to rest.
    fn default() -> RodMaterial {
        RodMaterial {
            radius: 1e-3,
            density: 1000.0,
            youngs_modulus: 1e7,
            poisson_ratio: 0.5,
            drag: 0.0,
            internal_damping: 0.0,
            section: Section::default(),
        }
    }
}

impl RodMaterial {
    /// Validates the material parameters.
    pub fn check(&self) -> Result<(), RodError> {
        let RodMaterial { radius, density, youngs_modulus, poisson_ratio, drag, internal_damping, section } = *self;
        in_range("radius", radius, radius > 0.0, "positive and finite, in m")?;
        in_range("density", density, density > 0.0, "positive and finite, in kg/m^3")?;
        in_range("Young's modulus", youngs_modulus, youngs_modulus > 0.0, "positive and finite, in Pa")?;
        let poisson = poisson_ratio > -1.0 && poisson_ratio <= 0.5;
        in_range("Poisson's ratio", poisson_ratio, poisson, "above -1 and at most 0.5")?;
        in_range("drag", drag, drag >= 0.0, "finite and not negative, in 1/s")?;
        in_range("internal damping", internal_damping, internal_damping >= 0.0, "finite and not negative, in s")?;
        section.check()
    }

    /// Area of the cross section [m^2].
    pub fn area(&self) -> f64 {
        match self.section.constants() {
            Some(constants) => constants.area,
            None => std::f64::consts::PI * self.radius * self.radius,
        }
    }

    /// Bending stiffness, `E I` [N m^2]: the mean over both axes of the section.
    pub fn bending(&self) -> f64 {
        let [first, second] = self.bending_by_axis();
        if first == second { first } else { 0.5 * (first + second) }
    }

    /// Bending stiffness for bending toward each axis of the section, `m1` and `m2` [N m^2].
    pub fn bending_by_axis(&self) -> [f64; 2] {
        match (self.section.constants(), self.section.shape) {
            (Some(constants), _) => constants.second.map(|second| self.youngs_modulus * second),
            (None, SectionShape::Stiffness { bending, .. }) => bending,
            (None, _) => [self.circular_bending(); 2],
        }
    }

    /// Bending stiffness of a circular section [N m^2].
    fn circular_bending(&self) -> f64 {
        self.youngs_modulus * 0.25 * std::f64::consts::PI * self.radius.powi(4)
    }

    /// Twisting stiffness, `G J` [N m^2].
    pub fn twisting(&self) -> f64 {
        let shear_modulus = 0.5 * self.youngs_modulus / (1.0 + self.poisson_ratio);
        match (self.section.constants(), self.section.shape) {
            (Some(constants), _) => shear_modulus * constants.torsion,
            (None, SectionShape::Stiffness { twisting, .. }) => twisting,
            (None, _) => self.circular_bending() / (1.0 + self.poisson_ratio),
        }
    }

    /// Moment of inertia per length about the tangent [kg m].
    pub(crate) fn spin_density(&self) -> f64 {
        match self.section.constants() {
            Some(constants) => self.density * (constants.second[0] + constants.second[1]),
            None => 0.5 * self.density * self.area() * self.radius.powi(2),
        }
    }

    /// Stretching stiffness, `E A` [N].
    pub fn stretching(&self) -> f64 {
        self.youngs_modulus * self.area()
    }
}
