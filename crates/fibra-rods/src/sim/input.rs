//! User-facing descriptions of rods and balls.

use crate::ball::Ball;
use crate::contact::detection::Surface;
use crate::corde::Corde;
use crate::discrete_elastic::DiscreteElastic;
use crate::error::{RodError, in_range};
use crate::mass_spring::MassSpring;
use crate::rod::{End, Rod, RodMaterial, RodParams};
use crate::super_helix::SuperHelix;
use crate::topology::writhe;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// Description of a rod to add to a [`RodSim`](crate::RodSim).
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
    /// Initial points of the centerline, at least two [m].
    pub points: Vec<DVec3>,
    /// Whether the last point is connected to the first.
    pub closed: bool,
    /// The discretization. Default: discrete elastic rod.
    pub model: RodModel,
    /// Cross section and material.
    pub material: RodMaterial,
    /// Friction and restitution.
    pub surface: Surface,
    /// The stress-free shape. Default: the initial shape.
    pub natural: NaturalShape,
    /// Initial twist, distributed uniformly, in total [rad]. A closed rod keeps it, as if its ends were rotated against each other before they were
    /// joined. Models `Corde` and `DiscreteElastic` only. Default: 0.
    pub twist: f64,
    /// Linking number of a closed rod [-]: sets the twist to the linking number minus the writhe of the points, in turns. Excludes `twist`. Default:
    /// not set.
    pub link: Option<f64>,
    /// Initial velocity [m/s].
    pub velocity: DVec3,
    /// The first and the last end. Default: free. Ignored if the rod is closed.
    pub ends: [End; 2],
}

/// The discretization of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RodModel {
    /// Mass-spring chain: bending and stretching, no twist; naturally straight.
    MassSpring,
    /// CORDE: nodes and frames coupled by penalties; open or closed.
    Corde,
    /// Helical elements: inextensible, few unknowns; open only.
    SuperHelix {
        /// Number of helical elements, at least 1.
        elements: usize,
    },
    /// The discrete elastic rod: bending, twisting and stretching; open or closed.
    #[default]
    DiscreteElastic,
}

/// The natural (stress-free) shape of a rod.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NaturalShape {
    /// The initial shape.
    #[default]
    AsGiven,
    /// A straight line.
    Straight,
    /// The shape of these points [m], at any position and orientation. There must be as many points as the rod has.
    Points(Vec<DVec3>),
}

impl RodInput {
    /// Builds the rod, relative to the run origin [m].
    pub(super) fn build(self, origin: DVec3) -> Result<Box<dyn Rod>, RodError> {
        let (model, twist) = (self.model, self.total_twist()?);
        let params = self.params();
        let untwisted = |model: &'static str| match twist {
            0.0 => Ok(()),
            _ => Err(RodError::Twist { model }),
        };
        Ok(match model {
            RodModel::MassSpring => {
                untwisted("mass-spring")?;
                Box::new(MassSpring::new(params, origin)?)
            }
            RodModel::Corde => Box::new(Corde::twisted(params, origin, twist)?),
            RodModel::SuperHelix { elements } => {
                untwisted("super-helix")?;
                Box::new(SuperHelix::new(params, elements, origin)?)
            }
            RodModel::DiscreteElastic => Box::new(DiscreteElastic::twisted(params, origin, twist)?),
        })
    }

    /// Returns the initial twist [rad], from the twist or the linking number.
    fn total_twist(&self) -> Result<f64, RodError> {
        let Some(link) = self.link else {
            in_range("twist", self.twist, true, "finite, in rad")?;
            return Ok(self.twist);
        };
        in_range("linking number", link, true, "finite")?;
        if !self.closed || self.twist != 0.0 {
            return Err(RodError::Link);
        }
        Ok(TAU * (link - writhe(&self.points)))
    }

    /// Converts to the parameters of a rod model.
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

/// Description of a homogeneous rigid ball to add to a [`RodSim`](crate::RodSim).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallInput {
    /// Initial center [m].
    pub center: DVec3,
    /// Radius [m].
    pub radius: f64,
    /// Density [kg/m^3].
    pub density: f64,
    /// Drag coefficient: decay rate of the velocity in still air [1/s].
    pub drag: f64,
    /// Friction and restitution.
    pub surface: Surface,
    /// Initial velocity [m/s].
    pub velocity: DVec3,
    /// Initial angular velocity [rad/s].
    pub angular_velocity: DVec3,
}

impl Default for BallInput {
    /// A ball of radius 1 cm at the origin, with the density of water.
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
    /// Builds the ball relative to the run origin [m].
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
