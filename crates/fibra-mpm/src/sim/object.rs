//! Descriptions of objects and of pins, before they become particles.

use super::ObjectId;
use super::error::MpmError;
use crate::kind::Kind;
use crate::materials::Material;
use fibra_core::geometry::{CurveMesh, Motion, RigidPose, Shape, TriangleMesh};
use glam::{DQuat, DVec3};

/// A body of one material: what [`MpmBuilder::add_object`](super::MpmBuilder::add_object) takes.
///
/// ```
/// use fibra_core::geometry::{RigidPose, Shape};
/// use fibra_mpm::materials::{FixedCorotated, Lame};
/// use fibra_mpm::{Material, MpmObject};
/// use glam::DVec3;
///
/// let rubber = Material::FixedCorotated(FixedCorotated { lame: Lame::new(1e5, 0.4) });
/// let ball = MpmObject::solid("ball", Shape::sphere(0.1)?, RigidPose::at(DVec3::Y), rubber, 1100.0)
///     .velocity(DVec3::X)
///     .spin(3.0 * DVec3::Z);
/// # Ok::<(), fibra_core::geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MpmObject {
    pub(super) name: String,
    pub(super) content: Content,
    pub(super) material: Material,
    /// Rest density [kg/m^3].
    pub(super) density: f64,
    /// [m/s]
    pub(super) velocity: DVec3,
    /// [rad/s]
    pub(super) spin: DVec3,
    pub(super) axes: Option<DQuat>,
}

/// Where an object's particles come from.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Particles that fill a shape.
    Solid { shape: Shape, pose: RigidPose },
    /// Particles at given positions [m], each of the same volume [m^3].
    Points { points: Vec<DVec3>, volume: f64 },
    /// A mesh of triangles of a given thickness [m].
    Surface { mesh: TriangleMesh, thickness: f64 },
    /// Curves of a given radius [m].
    Curves { mesh: CurveMesh, radius: f64 },
}

impl MpmObject {
    /// A solid, grains or a liquid that fill `shape` at `pose`; `density` [kg/m^3] is that at rest.
    pub fn solid(
        name: impl Into<String>,
        shape: Shape,
        pose: RigidPose,
        material: Material,
        density: f64,
    ) -> MpmObject {
        MpmObject::new(name.into(), Content::Solid { shape, pose }, material, density)
    }

    /// A solid, grains or a liquid of particles at given positions [m], each of `volume` [m^3].
    pub fn points(
        name: impl Into<String>,
        points: Vec<DVec3>,
        volume: f64,
        material: Material,
        density: f64,
    ) -> MpmObject {
        MpmObject::new(name.into(), Content::Points { points, volume }, material, density)
    }

    /// Cloth of a given thickness [m]; the material is [`Material::Cloth`].
    pub fn surface(
        name: impl Into<String>,
        mesh: TriangleMesh,
        thickness: f64,
        material: Material,
        density: f64,
    ) -> MpmObject {
        MpmObject::new(name.into(), Content::Surface { mesh, thickness }, material, density)
    }

    /// Fibers of a given radius [m]; the material is [`Material::Fiber`].
    pub fn curves(
        name: impl Into<String>,
        mesh: CurveMesh,
        radius: f64,
        material: Material,
        density: f64,
    ) -> MpmObject {
        MpmObject::new(name.into(), Content::Curves { mesh, radius }, material, density)
    }

    fn new(name: String, content: Content, material: Material, density: f64) -> MpmObject {
        MpmObject { name, content, material, density, velocity: DVec3::ZERO, spin: DVec3::ZERO, axes: None }
    }

    /// Velocity at the start [m/s].
    pub fn velocity(self, velocity: DVec3) -> MpmObject {
        MpmObject { velocity, ..self }
    }

    /// Angular velocity at the start [rad/s]: about the center of a solid's shape, else about the mean of the points.
    pub fn spin(self, spin: DVec3) -> MpmObject {
        MpmObject { spin, ..self }
    }

    /// Turns the axes of an anisotropic material: x, y and z of the material are those of the world, rotated. Other materials ignore it.
    pub fn axes(self, rotation: DQuat) -> MpmObject {
        MpmObject { axes: Some(rotation), ..self }
    }

    /// Rejects what is impossible by itself.
    pub(super) fn check(&self) -> Result<(), MpmError> {
        let bad = |field, value, allowed| MpmError::Object { object: self.name.clone(), field, value, allowed };
        let positive = |field, value: f64, allowed| {
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(bad(field, value, allowed)) }
        };
        let finite = |field, vector: DVec3, allowed| {
            let wrong = vector.to_array().into_iter().find(|value| !value.is_finite());
            wrong.map_or(Ok(()), |value| Err(bad(field, value, allowed)))
        };
        positive("density", self.density, "positive and finite [kg/m^3]")?;
        finite("velocity", self.velocity, "finite [m/s]")?;
        finite("spin", self.spin, "finite [rad/s]")?;
        if let Some(axes) = self.axes.filter(|axes| !is_rotation(*axes)) {
            return Err(bad("axes", axes.length(), "a quaternion of length 1 [-]"));
        }
        self.check_material()?;
        match &self.content {
            Content::Solid { pose, .. } => check_pose(pose),
            Content::Points { points, volume } => {
                positive("volume", *volume, "positive and finite [m^3]")?;
                points.iter().try_for_each(|&point| finite("points", point, "finite [m]"))
            }
            Content::Surface { thickness, .. } => positive("thickness", *thickness, "positive and finite [m]"),
            Content::Curves { radius, .. } => positive("radius", *radius, "positive and finite [m]"),
        }
    }

    fn check_material(&self) -> Result<(), MpmError> {
        let (kind, needs) = match self.content {
            Content::Solid { .. } | Content::Points { .. } => (None, "a material of solids, grains or liquids"),
            Content::Surface { .. } => (Some(Kind::Surface), "the material `Cloth`"),
            Content::Curves { .. } => (Some(Kind::Curve), "the material `Fiber`"),
        };
        if self.material.element_kind() == kind {
            return Ok(());
        }
        Err(MpmError::WrongMaterial { object: self.name.clone(), needs })
    }
}

/// Vertices of a surface or of curves that are held: what [`MpmBuilder::add_pin`](super::MpmBuilder::add_pin) takes.
///
/// ```
/// use fibra_core::geometry::CurveMesh;
/// use fibra_mpm::law::ContactModel;
/// use fibra_mpm::materials::{Fiber, Lame};
/// use fibra_mpm::{Material, MpmObject, MpmPin, MpmSettings, MpmSim};
/// use glam::DVec3;
///
/// let points = (0..11).map(|i| 0.01 * f64::from(i) * DVec3::X).collect();
/// let thread = CurveMesh::new(points, (0..10).map(|i| [i, i + 1]).collect())?;
/// let nylon = Material::Fiber(Fiber::new(1e5, 10.0, Lame::new(1e3, 0.3), 0.2, ContactModel::Frictional));
/// let mut scene = MpmSim::builder(MpmSettings::default());
/// let thread = scene.add_object(MpmObject::curves("thread", thread, 0.001, nylon, 1000.0));
/// // Held at one end for a tenth of a second.
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
    /// Holds vertices of an object, counted from 0, where they are.
    pub fn new(object: ObjectId, vertices: impl IntoIterator<Item = usize>) -> MpmPin {
        let vertices = vertices.into_iter().collect();
        MpmPin { object, vertices, motion: Motion::Still, pivot: None, release: f64::INFINITY }
    }

    /// Moves them. [`MpmSim::move_pin`](super::MpmSim::move_pin) replaces the motion.
    pub fn motion(self, motion: Motion) -> MpmPin {
        MpmPin { motion, ..self }
    }

    /// The point of the world that is the origin of the pin's frame at time 0 [m]; the mean of the vertices by default. A motion with a pivot of its own
    /// takes precedence.
    pub fn pivot(self, pivot: DVec3) -> MpmPin {
        MpmPin { pivot: Some(pivot), ..self }
    }

    /// Lets them go at a time [s] after 0; never by default.
    pub fn release(self, time: f64) -> MpmPin {
        MpmPin { release: time, ..self }
    }
}

/// Rejects poses that are not finite, or that are no rotation.
pub(super) fn check_pose(pose: &RigidPose) -> Result<(), MpmError> {
    if pose.translation.is_finite() && is_rotation(pose.rotation) {
        return Ok(());
    }
    Err(MpmError::Pose { translation: pose.translation.to_array(), length: pose.rotation.length() })
}

fn is_rotation(rotation: DQuat) -> bool {
    // Far beyond rounding, far below any mistake.
    (rotation.length() - 1.0).abs() < 1e-6
}
