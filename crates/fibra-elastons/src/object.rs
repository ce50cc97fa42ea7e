//! Objects to simulate: geometry, material and resolution.

use crate::cloud::Cloud;
use crate::error::{ElastonError, OutOfRange};
use crate::fill::{self, FillError};
use crate::sampling::count_apart;
use crate::settings::ElasticMaterial;
use crate::world::Section;
use fibra_core::geometry::generate::{CuboidSkin, CurveSkin, GenerateError, Revolved, WireSection};
use fibra_core::geometry::{Capsule, Cuboid, CurveMesh, Cylinder, MeshSurface, RigidPose, Shape, Sphere, TriangleMesh};
use glam::DVec3;
use std::f64::consts::SQRT_2;

/// Default ratio of sample spacing to material point spacing [-]: several material points per elaston, several elastons per sample.
const SAMPLE_RATIO: f64 = 5.0;
/// Default ratio of sample spacing to elaston spacing [-].
const ELASTON_RATIO: f64 = 2.5;

/// An object to add to a simulation: a geometry, a material, and the resolution of the discretization. The resolution is
/// the spacing of the *material points* and the numbers of *samples*, which carry the unknowns, and of *elastons*, at
/// which strain is measured.
///
/// ```
/// use fibra_elastons::{ElasticMaterial, ElastonObject};
/// use fibra_core::geometry::RigidPose;
/// use glam::DVec3;
///
/// let rubber = ElasticMaterial { youngs_modulus: 2e6, poisson_ratio: 0.45, ..ElasticMaterial::default() };
/// let block = ElastonObject::cuboid(DVec3::new(0.2, 0.1, 0.1), RigidPose::IDENTITY, 0.01).material(rubber).samples(20).elastons(160);
/// let wire = ElastonObject::wire(vec![DVec3::ZERO, DVec3::X], 0.005, 0.01).sample_spacing(0.1);
/// ```
#[derive(Clone, Debug)]
pub struct ElastonObject {
    geometry: Geometry,
    spacing: f64,
    pub(crate) material: ElasticMaterial,
    sample_spacing: Option<f64>,
    samples: Option<usize>,
    elastons: Option<usize>,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    pub(crate) joined_to: Option<ObjectId>,
}

/// Handle of an object in a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub(crate) usize);

impl ObjectId {
    /// Index in the order of addition.
    pub fn index(self) -> usize {
        self.0
    }
}

#[derive(Clone, Debug)]
enum Geometry {
    Cuboid { size: DVec3, pose: RigidPose },
    Solid { shape: Shape, pose: RigidPose },
    Mesh(TriangleMesh),
    Sheet { mesh: TriangleMesh, thickness: f64 },
    Wire { points: Vec<DVec3>, section: WireSection },
    Cloud(Cloud),
}

impl ElastonObject {
    fn new(geometry: Geometry, spacing: f64) -> ElastonObject {
        ElastonObject {
            geometry,
            spacing,
            material: ElasticMaterial::default(),
            sample_spacing: None,
            samples: None,
            elastons: None,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            joined_to: None,
        }
    }

    /// A cuboid with sides `size` [m] centered at the pose's origin: a block, a plate or a beam. Material points are about `spacing` [m]
    /// apart. A side shorter than `spacing` has one layer.
    pub fn cuboid(size: DVec3, pose: RigidPose, spacing: f64) -> ElastonObject {
        ElastonObject::new(Geometry::Cuboid { size, pose }, spacing)
    }

    /// A solid of any shape with a volume, filled with material points `spacing` [m] apart.
    pub fn solid(shape: Shape, pose: RigidPose, spacing: f64) -> ElastonObject {
        ElastonObject::new(Geometry::Solid { shape, pose }, spacing)
    }

    /// The interior of a closed mesh in world coordinates [m], filled with material points `spacing` [m] apart.
    pub fn mesh(mesh: TriangleMesh, spacing: f64) -> ElastonObject {
        ElastonObject::new(Geometry::Mesh(mesh), spacing)
    }

    /// A shell of `thickness` [m]. The mesh, in world coordinates [m], is its midsurface. Material points are about
    /// `spacing` [m] apart.
    pub fn sheet(mesh: TriangleMesh, thickness: f64, spacing: f64) -> ElastonObject {
        ElastonObject::new(Geometry::Sheet { mesh, thickness }, spacing)
    }

    /// A wire along a polyline in world coordinates [m], with a circular cross-section of `radius` [m]. Material points
    /// are about `spacing` [m] apart.
    pub fn wire(points: Vec<DVec3>, radius: f64, spacing: f64) -> ElastonObject {
        ElastonObject::wire_of_section(points, WireSection::Round { radius }, spacing)
    }

    /// Like [`ElastonObject::wire`], with any cross-section.
    pub fn wire_of_section(points: Vec<DVec3>, section: WireSection, spacing: f64) -> ElastonObject {
        ElastonObject::new(Geometry::Wire { points, section }, spacing)
    }

    /// A point cloud in world coordinates. It has no render surface.
    pub fn cloud(cloud: Cloud) -> ElastonObject {
        let mean = cloud.volume() / cloud.points.len().max(1) as f64;
        ElastonObject::new(Geometry::Cloud(cloud), mean.cbrt())
    }

    /// Sets the material. Default: [`ElasticMaterial::default`].
    pub fn material(self, material: ElasticMaterial) -> ElastonObject {
        ElastonObject { material, ..self }
    }

    /// Sets the distance between neighboring samples [m]. Default: 5 times the material point spacing.
    pub fn sample_spacing(self, sample_spacing: f64) -> ElastonObject {
        ElastonObject { sample_spacing: Some(sample_spacing), ..self }
    }

    /// Sets the number of samples. Default: follows from the sample spacing.
    pub fn samples(self, samples: usize) -> ElastonObject {
        ElastonObject { samples: Some(samples), ..self }
    }

    /// Sets the number of elastons. Default: elastons are 2.5 times as dense as samples along each dimension of the object.
    pub fn elastons(self, elastons: usize) -> ElastonObject {
        ElastonObject { elastons: Some(elastons), ..self }
    }

    /// Sets the initial velocity of the center of mass [m/s] and the angular velocity about it [rad/s]. Default: 0.
    pub fn moving(self, velocity: DVec3, angular_velocity: DVec3) -> ElastonObject {
        ElastonObject { velocity, angular_velocity, ..self }
    }

    /// Joins the object with another object into one body: their material points are connected where their spheres
    /// overlap.
    pub fn joined_to(self, other: ObjectId) -> ElastonObject {
        ElastonObject { joined_to: Some(other), ..self }
    }

    /// Shape of the cross-section.
    pub(crate) fn section(&self) -> Section {
        match self.geometry {
            Geometry::Wire { section: WireSection::Round { .. }, .. } => Section::Round,
            _ => Section::Rectangular,
        }
    }

    /// Discretizes the object and chooses the numbers of samples and elastons.
    pub(crate) fn fill(self, object: usize) -> Result<FilledObject, ElastonError> {
        self.check()?;
        let (cloud, skin) = self.cloud_and_skin(object)?;
        cloud.check().map_err(|source| ElastonError::Cloud { object, source })?;
        let apart = self.sample_spacing.unwrap_or(SAMPLE_RATIO * self.spacing);
        let samples = self.samples.unwrap_or_else(|| count_apart(&cloud.points, apart));
        let counted = || count_apart(&cloud.points, apart / ELASTON_RATIO).max(samples);
        let elastons = self.elastons.unwrap_or_else(counted);
        let pieces = cloud.points.len();
        for (what, count) in [("samples", samples), ("elastons", elastons)] {
            if count > pieces {
                return Err(ElastonError::TooFewPieces { object, what, count, pieces });
            }
        }
        let least = "at least 1 and at least the number of samples";
        OutOfRange::unless(elastons >= samples.max(1), "elastons", elastons as f64, least)?;
        OutOfRange::unless(samples > 0, "samples", 0.0, "at least 1")?;
        Ok(FilledObject { cloud, skin, samples, elastons, spacing: self.spacing, object: self })
    }

    fn check(&self) -> Result<(), OutOfRange> {
        // The spacing of a cloud follows from its volumes, which are checked with the cloud itself.
        if !matches!(self.geometry, Geometry::Cloud(_)) {
            OutOfRange::positive("spacing", self.spacing, "above 0 m and finite")?;
        }
        if let Some(spacing) = self.sample_spacing {
            OutOfRange::positive("sample_spacing", spacing, "above 0 m and finite")?;
        }
        OutOfRange::finite("velocity", self.velocity, "finite, in m/s")?;
        OutOfRange::finite("angular_velocity", self.angular_velocity, "finite, in rad/s")?;
        if let Geometry::Cuboid { pose, .. } | Geometry::Solid { pose, .. } = &self.geometry {
            check_pose(pose)?;
        }
        self.material.check()
    }

    /// Returns the material points and the render surface, in world coordinates.
    fn cloud_and_skin(&self, object: usize) -> Result<(Cloud, Option<TriangleMesh>), ElastonError> {
        let spacing = self.spacing;
        let fill_error = |source: FillError| ElastonError::Fill { object, source };
        let skin_error = |source: GenerateError| ElastonError::Skin { object, source };
        let mesh_error = |source| ElastonError::Mesh { object, source };
        let refined = |mesh: &TriangleMesh| {
            mesh.refined(SQRT_2 * spacing * (1.0 + 1e-6)).ok_or(ElastonError::TooManyTriangles { object })
        };
        match &self.geometry {
            Geometry::Cuboid { size, pose } => {
                // The cast saturates; `fill::cuboid` rejects such cell counts as too many.
                let cells = (*size / spacing).round().max(DVec3::ONE).to_array().map(|count| count as u32);
                let cloud = fill::cuboid(*size, cells, pose).map_err(fill_error)?;
                let skin = CuboidSkin { size: *size, spacing }.build().map_err(skin_error)?;
                Ok((cloud, Some(placed(&skin, pose).map_err(mesh_error)?)))
            }
            Geometry::Solid { shape, pose } => {
                let cloud = fill::shape(shape, spacing, pose).map_err(fill_error)?;
                let skin = solid_skin(shape, spacing).transpose().map_err(skin_error)?;
                let skin = skin.map(|skin| placed(&skin, pose)).transpose().map_err(mesh_error)?;
                Ok((cloud, skin))
            }
            Geometry::Mesh(mesh) => {
                let surface = MeshSurface::new(mesh).map_err(mesh_error)?;
                let cloud = fill::closed_mesh(&surface, spacing, &RigidPose::IDENTITY).map_err(fill_error)?;
                Ok((cloud, Some(refined(mesh)?)))
            }
            Geometry::Sheet { mesh, thickness } => {
                let cloud = fill::sheet(mesh, *thickness, spacing).map_err(fill_error)?;
                Ok((cloud, Some(refined(mesh)?)))
            }
            Geometry::Wire { points, section } => {
                let segments = (1..points.len() as u32).map(|end| [end - 1, end]).collect();
                let mesh = CurveMesh::new(points.clone(), segments);
                let mesh = mesh.map_err(|source| ElastonError::Wire { object, source })?;
                let cloud = fill::curves(&mesh, section, spacing).map_err(fill_error)?;
                let skin = CurveSkin { section: *section }.build(&mesh).map_err(skin_error)?;
                Ok((cloud, Some(skin)))
            }
            Geometry::Cloud(cloud) => Ok((cloud.clone(), None)),
        }
    }
}

/// The render surface of a shape about its own origin; `None` for shapes that only colliders use.
fn solid_skin(shape: &Shape, spacing: f64) -> Option<Result<TriangleMesh, GenerateError>> {
    let [twice, same] = [|x: f32| 2.0 * f64::from(x), |x: f32| f64::from(x)];
    match *shape {
        Shape::Cuboid(Cuboid { half_extents }) => {
            Some(CuboidSkin { size: 2.0 * half_extents.as_dvec3(), spacing }.build())
        }
        Shape::Sphere(Sphere { radius }) => Some(Revolved::capsule(same(radius), 0.0, spacing).build()),
        Shape::Cylinder(Cylinder { half_height, radius }) => {
            Some(Revolved::cylinder(same(radius), twice(half_height), spacing).build())
        }
        Shape::Capsule(Capsule { half_height, radius }) => {
            Some(Revolved::capsule(same(radius), twice(half_height), spacing).build())
        }
        _ => None,
    }
}

fn placed(mesh: &TriangleMesh, pose: &RigidPose) -> Result<TriangleMesh, fibra_core::geometry::MeshFlaw> {
    let vertices = mesh.vertices().iter().map(|&vertex| pose.apply(vertex)).collect();
    TriangleMesh::new(vertices, mesh.triangles().to_vec())
}

/// Rejects poses that are not finite or whose rotation is not a unit quaternion.
pub(crate) fn check_pose(pose: &RigidPose) -> Result<(), OutOfRange> {
    OutOfRange::finite("pose.translation", pose.translation, "finite, in m")?;
    let length = pose.rotation.length();
    let is_unit = (length - 1.0).abs() < 1e-3;
    OutOfRange::unless(is_unit, "length of pose.rotation", length, "1: a unit quaternion")
}

/// An object with its discretization.
#[derive(Clone, Debug)]
pub(crate) struct FilledObject {
    pub(crate) object: ElastonObject,
    /// Material points in world coordinates.
    pub(crate) cloud: Cloud,
    pub(crate) skin: Option<TriangleMesh>,
    pub(crate) samples: usize,
    pub(crate) elastons: usize,
    /// Distance between material points [m].
    pub(crate) spacing: f64,
}
