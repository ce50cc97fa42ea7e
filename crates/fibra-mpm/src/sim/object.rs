//! Descriptions of objects and pins, from which the builder creates particles.

use super::ObjectId;
use super::error::MpmError;
use super::material::MpmMaterial;
use crate::materials::{ClothParams, FiberParams};
use fibra_core::geometry::{CurveMesh, Motion, RigidPose, Shape, TriangleMesh};
use glam::{DQuat, DVec3};

/// An object of one material, for [`MpmBuilder::add_object`](super::MpmBuilder::add_object).
///
/// ```
/// use fibra_core::geometry::{RigidPose, Shape};
/// use fibra_mpm::materials::SnowParams;
/// use fibra_mpm::MpmObject;
/// use glam::DVec3;
///
/// let packed = SnowParams { density: 500.0, ..SnowParams::default() };
/// let ball = MpmObject::solid("ball", Shape::sphere(0.1)?, RigidPose::at(DVec3::Y), packed)
///     .velocity(DVec3::X)
///     .spin(3.0 * DVec3::Z);
/// # Ok::<(), fibra_core::geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MpmObject {
    pub(super) name: String,
    pub(super) content: Content,
    pub(super) material: MpmMaterial,
    /// Initial velocity [m/s].
    pub(super) velocity: DVec3,
    /// Initial angular velocity [rad/s].
    pub(super) spin: DVec3,
    pub(super) axes: Option<DQuat>,
}

/// Source of an object's particles.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Particles that fill a shape.
    Solid { shape: Shape, pose: RigidPose },
    /// Particles at given positions [m], each of the same volume [m^3].
    Points { points: Vec<DVec3>, volume: f64 },
    /// A mesh of triangles.
    Surface(TriangleMesh),
    /// Curves.
    Curves(CurveMesh),
}

impl MpmObject {
    /// Creates a solid, granular material or liquid that fills `shape` at `pose`.
    pub fn solid(
        name: impl Into<String>,
        shape: Shape,
        pose: RigidPose,
        material: impl Into<MpmMaterial>,
    ) -> MpmObject {
        MpmObject::new(name.into(), Content::Solid { shape, pose }, material.into())
    }

    /// Creates a solid, granular material or liquid from particles at given positions [m], each of `volume` [m^3].
    ///
    /// ```
    /// use fibra_mpm::materials::FluidParams;
    /// use fibra_mpm::{MpmObject, MpmSettings, MpmSim};
    /// use glam::DVec3;
    ///
    /// let points = (0..10).map(|i| 0.01 * f64::from(i) * DVec3::X).collect();
    /// let mut scene = MpmSim::builder(MpmSettings::default());
    /// scene.add_object(MpmObject::points("drops", points, 1e-6, FluidParams::default()));
    /// let sim = scene.build()?;
    /// assert!((sim.quantities()["mass"] - 0.01).abs() < 1e-8);
    /// # Ok::<(), fibra_mpm::MpmError>(())
    /// ```
    pub fn points(
        name: impl Into<String>,
        points: Vec<DVec3>,
        volume: f64,
        material: impl Into<MpmMaterial>,
    ) -> MpmObject {
        MpmObject::new(name.into(), Content::Points { points, volume }, material.into())
    }

    /// Creates cloth, with one particle for each vertex and each triangle of `mesh`.
    pub fn surface(name: impl Into<String>, mesh: TriangleMesh, cloth: ClothParams) -> MpmObject {
        MpmObject::new(name.into(), Content::Surface(mesh), cloth.into())
    }

    /// Creates fibers, with one particle for each vertex and each segment of `mesh`.
    pub fn curves(name: impl Into<String>, mesh: CurveMesh, fiber: FiberParams) -> MpmObject {
        MpmObject::new(name.into(), Content::Curves(mesh), fiber.into())
    }

    fn new(name: String, content: Content, material: MpmMaterial) -> MpmObject {
        MpmObject { name, content, material, velocity: DVec3::ZERO, spin: DVec3::ZERO, axes: None }
    }

    /// Sets the initial velocity [m/s].
    pub fn velocity(self, velocity: DVec3) -> MpmObject {
        MpmObject { velocity, ..self }
    }

    /// Sets the initial angular velocity [rad/s], about the center of a solid's shape, or else about the mean of the points.
    pub fn spin(self, spin: DVec3) -> MpmObject {
        MpmObject { spin, ..self }
    }

    /// Sets the axes of an anisotropic material: the world's x, y and z axes after `rotation`. Other materials ignore it.
    pub fn axes(self, rotation: DQuat) -> MpmObject {
        MpmObject { axes: Some(rotation), ..self }
    }

    /// Rejects properties that are out of range.
    pub(super) fn check(&self) -> Result<(), MpmError> {
        let bad = |field, value, allowed| MpmError::Object { object: self.name.clone(), field, value, allowed };
        let positive = |field, value: f64, allowed| {
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(bad(field, value, allowed)) }
        };
        let finite = |field, vector: DVec3, allowed| {
            let wrong = vector.to_array().into_iter().find(|value| !value.is_finite());
            wrong.map_or(Ok(()), |value| Err(bad(field, value, allowed)))
        };
        self.material.check(&self.name)?;
        positive("density", self.material.density(), "positive and finite [kg/m^3]")?;
        finite("velocity", self.velocity, "finite [m/s]")?;
        finite("spin", self.spin, "finite [rad/s]")?;
        if let Some(axes) = self.axes.filter(|axes| !is_rotation(*axes)) {
            return Err(bad("axes", axes.length(), "a quaternion of length 1 [-]"));
        }
        match &self.content {
            Content::Solid { pose, .. } => {
                self.check_fills_space()?;
                check_pose(pose)
            }
            Content::Points { points, volume } => {
                self.check_fills_space()?;
                positive("volume", *volume, "positive and finite [m^3]")?;
                points.iter().try_for_each(|&point| finite("points", point, "finite [m]"))
            }
            Content::Surface(_) | Content::Curves(_) => Ok(()),
        }
    }

    fn check_fills_space(&self) -> Result<(), MpmError> {
        if self.material.law().element_kind().is_none() {
            return Ok(());
        }
        let needs = "a material of solids, grains or liquids; cloth is a surface, fibers are curves";
        Err(MpmError::WrongMaterial { object: self.name.clone(), needs })
    }
}

/// Pinned vertices of a surface or of curves, for [`MpmBuilder::add_pin`](super::MpmBuilder::add_pin).
///
/// ```
/// use fibra_core::geometry::CurveMesh;
/// use fibra_mpm::materials::FiberParams;
/// use fibra_mpm::{MpmObject, MpmPin, MpmSettings, MpmSim};
/// use glam::DVec3;
///
/// let points = (0..11).map(|i| 0.01 * f64::from(i) * DVec3::X).collect();
/// let thread = CurveMesh::new(points, (0..10).map(|i| [i, i + 1]).collect())?;
/// let nylon = FiberParams { radius: 0.001, stiffness: 1e5, ..FiberParams::default() };
/// let mut scene = MpmSim::builder(MpmSettings::default());
/// let thread = scene.add_object(MpmObject::curves("thread", thread, nylon));
/// // Pinned at one end for a tenth of a second.
/// scene.add_pin(MpmPin::new(thread, [0]).release(0.1));
/// let mut sim = scene.build()?;
/// sim.advance(0.1)?;
/// assert!(sim.positions()[0].length() < 1e-6 && sim.positions()[10].y < -0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MpmPin {
    pub(super) object: ObjectId,
    pub(super) vertices: Vec<usize>,
    pub(super) motion: Motion,
    pub(super) pivot: Option<DVec3>,
    pub(super) release: f64,
}

impl MpmPin {
    /// Pins vertices of an object, counted from 0, at their positions.
    pub fn new(object: ObjectId, vertices: impl IntoIterator<Item = usize>) -> MpmPin {
        let vertices = vertices.into_iter().collect();
        MpmPin { object, vertices, motion: Motion::Still, pivot: None, release: f64::INFINITY }
    }

    /// Prescribes the motion of the pinned vertices. [`MpmSim::move_pin`](super::MpmSim::move_pin) replaces it.
    pub fn motion(self, motion: Motion) -> MpmPin {
        MpmPin { motion, ..self }
    }

    /// Sets the world point that is the origin of the pin's frame at time 0 [m]. Default: the mean of the vertices. If the motion has its own pivot, that
    /// pivot is used instead.
    pub fn pivot(self, pivot: DVec3) -> MpmPin {
        MpmPin { pivot: Some(pivot), ..self }
    }

    /// Releases the vertices at a time [s] after 0. Default: never.
    pub fn release(self, time: f64) -> MpmPin {
        MpmPin { release: time, ..self }
    }
}

/// Rejects poses that are not finite or whose quaternion is not a unit quaternion.
pub(super) fn check_pose(pose: &RigidPose) -> Result<(), MpmError> {
    if pose.translation.is_finite() && is_rotation(pose.rotation) {
        return Ok(());
    }
    Err(MpmError::Pose { translation: pose.translation.to_array(), length: pose.rotation.length() })
}

fn is_rotation(rotation: DQuat) -> bool {
    // Much larger than rounding errors, much smaller than any mistake.
    (rotation.length() - 1.0).abs() < 1e-6
}
