//! Rods and balls as the user describes them.

use crate::ball::Ball;
use crate::contact::detection::Surface;
use crate::corde::Corde;
use crate::discrete_elastic::DiscreteElastic;
use crate::error::{RodError, in_range};
use crate::mass_spring::MassSpring;
use crate::rod::{End, Rod, RodMaterial, RodParams};
use crate::super_helix::SuperHelix;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// A rod to add to a [`RodSim`](crate::RodSim).
///
/// ```
/// use fibra_rods::{RodInput, RodMaterial, RodModel, RodSettings, RodSim, RodSimError, Surface};
/// use glam::DVec3;
///
/// let mut sim = RodSim::new(RodSettings::default())?;
/// let rod = sim.add_rod(RodInput {
///     points: (0..=10).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect(),
///     model: RodModel::SuperHelix { elements: 5 },
///     material: RodMaterial { radius: 5e-4, ..RodMaterial::default() },
///     surface: Surface { friction: 0.5, restitution: 0.0 },
///     ..RodInput::default()
/// })?;
/// assert_eq!(sim.positions_of(rod)?.len(), 11);
/// # Ok::<(), RodSimError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RodInput {
    /// Points of its centerline at the start, at least two [m].
    pub points: Vec<DVec3>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// The discretization. Default: the discrete elastic rod.
    pub model: RodModel,
    /// Section and material.
    pub material: RodMaterial,
    /// Friction and restitution.
    pub surface: Surface,
    /// The shape without stress. Default: the one it starts in.
    pub natural: NaturalShape,
    /// Velocity at the start [m/s].
    pub velocity: DVec3,
    /// Its first and its last end. Default: free. Ignored when it is closed.
    pub ends: [End; 2],
}

/// How a rod is discretized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RodModel {
    /// Masses and springs: bending and stretching, no twist; naturally straight.
    MassSpring,
    /// CORDE: nodes and frames coupled by penalties; open or closed.
    Corde,
    /// Helical elements: inextensible, few unknowns; cannot be closed.
    SuperHelix {
        /// Number of helical elements, at least 1.
        elements: usize,
    },
    /// The discrete elastic rod: bending, twisting and stretching; open or closed.
    #[default]
    DiscreteElastic,
}

/// The shape that a rod returns to when nothing acts on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NaturalShape {
    /// The shape it starts in.
    #[default]
    AsGiven,
    /// A straight line.
    Straight,
    /// The shape of these points, as many as the rod has, at any position and orientation [m].
    Points(Vec<DVec3>),
}

impl RodInput {
    /// The same rod for a model.
    pub(super) fn params(self) -> RodParams {
        let RodInput { points, closed, material, natural, velocity, ends, .. } = self;
        let natural = match natural {
            NaturalShape::AsGiven => Some(points.clone()),
            NaturalShape::Straight => None,
            NaturalShape::Points(points) => Some(points),
        };
        RodParams { material, points, natural, closed, velocity, ends }
    }
}

impl RodModel {
    /// A rod of this model, relative to the run origin [m].
    pub(super) fn build(self, params: RodParams, origin: DVec3) -> Result<Box<dyn Rod>, RodError> {
        Ok(match self {
            RodModel::MassSpring => Box::new(MassSpring::new(params, origin)?),
            RodModel::Corde => Box::new(Corde::new(params, origin)?),
            RodModel::SuperHelix { elements } => Box::new(SuperHelix::new(params, elements, origin)?),
            RodModel::DiscreteElastic => Box::new(DiscreteElastic::new(params, origin)?),
        })
    }
}

/// A homogeneous rigid ball to add to a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallInput {
    /// Center at the start [m].
    pub center: DVec3,
    /// Radius [m].
    pub radius: f64,
    /// Density [kg/m^3].
    pub density: f64,
    /// Rate at which motion decays in still air [1/s].
    pub drag: f64,
    /// Friction and restitution.
    pub surface: Surface,
    /// Velocity at the start [m/s].
    pub velocity: DVec3,
    /// Angular velocity at the start [rad/s].
    pub angular_velocity: DVec3,
}

impl Default for BallInput {
    /// A ball of a centimeter at the origin, as heavy as water.
    fn default() -> BallInput {
        BallInput {
            center: DVec3::ZERO,
            radius: 0.01,
            density: 1000.0,
            drag: 0.0,
            surface: Surface::default(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        }
    }
}

impl BallInput {
    /// The ball relative to the run origin [m].
    pub(super) fn build(&self, origin: DVec3) -> Result<Ball, RodError> {
        let BallInput { center, radius, density, drag, velocity, angular_velocity, .. } = *self;
        in_range("radius", radius, radius > 0.0, "positive and finite, in m")?;
        in_range("density", density, density > 0.0, "positive and finite, in kg/m^3")?;
        in_range("drag", drag, drag >= 0.0, "finite and not negative, in 1/s")?;
        let vectors = [("center", center), ("velocity", velocity), ("angular velocity", angular_velocity)];
        if let Some(&(what, value)) = vectors.iter().find(|(_, value)| !value.is_finite()) {
            return Err(RodError::VectorNotFinite { what, value });
        }
        let ([x, y, z], [wx, wy, wz]) = (velocity.to_array(), angular_velocity.to_array());
        Ok(Ball {
            radius,
            mass: density * 4.0 / 3.0 * PI * radius.powi(3),
            drag,
            center: center - origin,
            rotation: DQuat::IDENTITY,
            velocity: [x, y, z, wx, wy, wz],
        })
    }
}
