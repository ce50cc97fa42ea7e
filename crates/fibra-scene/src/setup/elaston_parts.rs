//! Converts objects of elastons to clouds of material and render surfaces.

use super::geometry::{Geometry, Maker, REPAIR, geometry, pose};
use super::rejected::file_remedy;
use super::shape::{Body, body, read_mesh};
use crate::model::cloud_shape::{CloudFile, CloudShape};
use crate::model::surface::SurfaceShape;
use crate::{ElastonMaterial, Elastons, LoadedScene, Motion, Object, ObjectShape, SceneError, Shape, ShapeSource};
use fibra_core::geometry::generate::{CurveSkin, WireSection};
use fibra_core::geometry::{CurveMesh, RigidPose, TriangleMesh};
use fibra_elastons::internals::cloud::Cloud;
use fibra_elastons::internals::fill::{self, FillError};
use glam::{DMat3, DVec3};
use std::f64::consts::SQRT_2;

/// Pieces and render surface of an object, in world coordinates.
pub(super) struct Part {
    /// The pieces.
    pub(super) cloud: Cloud,
    /// The render surface; if `None`, the pieces are drawn.
    pub(super) skin: Option<TriangleMesh>,
}

/// Builds the object with this index.
pub(super) fn part(
    loaded: &LoadedScene,
    index: usize,
    settings: &Elastons,
    material: &ElastonMaterial,
) -> Result<Part, SceneError> {
    let object = &loaded.scene.objects[index];
    let made = PartMaker {
        maker: Maker { loaded, path: format!("object.{index}.shape.{}", object.shape.name()) },
        index,
        spacing: spacing(object, settings),
        material,
    }
    .make(&object.shape)?;
    // Clouds from files have already been checked by the reader.
    made.cloud.check().map_err(|flaw| {
        let message = format!("object `{}` does not give a valid cloud of material: {flaw}", object.name);
        loaded.error_at(&format!("object.{index}.shape"), &message, "use a smaller spacing, or change the shape")
    })?;
    Ok(made)
}

/// Returns the distance between neighboring pieces of an object [m].
pub(super) fn spacing(object: &Object, settings: &Elastons) -> f64 {
    object.sampling.as_ref().and_then(|sampling| sampling.spacing).unwrap_or(settings.spacing)
}

struct PartMaker<'a> {
    maker: Maker<'a>,
    index: usize,
    spacing: f64,
    material: &'a ElastonMaterial,
}

impl PartMaker<'_> {
    fn make(&self, shape: &ObjectShape) -> Result<Part, SceneError> {
        match shape {
            ObjectShape::Solid(solid) => self.solid(solid),
            ObjectShape::Surface(surface) => self.surface(surface),
            ObjectShape::Curves(_) => match geometry(self.maker.loaded, self.index)? {
                Geometry::Curves(mesh) => self.curves(&mesh),
                // Curve shapes generate curves.
                _ => Err(self.error("the shape has no curves", "use another shape")),
            },
            ObjectShape::Cloud(CloudShape::Cloud(file)) => Ok(Part { cloud: self.cloud_of_file(file)?, skin: None }),
        }
    }

    fn solid(&self, solid: &Shape) -> Result<Part, SceneError> {
        let path = format!("object.{}.shape", self.index);
        // Filling a mesh queries its surface, not its sampled distances, so the coarsest sampling suffices.
        let Body { shape, pose } = body(self.maker.loaded, &path, solid, &Motion::Still, f64::INFINITY)?;
        let cloud = self.filled(fill::shape(&shape, self.spacing, &pose))?;
        let skin = match solid.source() {
            ShapeSource::Primitive(primitive) => primitive.skin(self.spacing),
            ShapeSource::Mesh(mesh) => {
                let read =
                    read_mesh(mesh).map_err(|error| self.error(&error.to_string(), file_remedy(&error, REPAIR)))?;
                Some(Ok(self.refined(&read)?))
            }
            // These shapes are for colliders only.
            ShapeSource::Figure(_) | ShapeSource::Shawl(_) | ShapeSource::DeformingMesh(_) => None,
        };
        let Some(skin) = skin else { return Ok(Part { cloud, skin: None }) };
        let skin = skin.map_err(|error| self.maker.not_generated(&error))?;
        Ok(Part { cloud, skin: Some(self.maker.placed(&skin, &pose)?) })
    }

    fn surface(&self, surface: &SurfaceShape) -> Result<Part, SceneError> {
        // Loading rejects a surface without a thickness.
        let thickness = self.material.thickness.unwrap_or(f64::NAN);
        let pose = pose(surface.place());
        let at = |spacing: f64| self.maker.surface(surface, surface.spacing(spacing).unwrap_or(spacing));
        let skin = self.refined(&at(self.spacing)?)?;
        let cloud = match surface {
            // A sheet is a box with one layer of cells through its thickness: squares are more uniform than triangles.
            SurfaceShape::Sheet(sheet) => {
                let cells = [sheet.width, thickness, sheet.depth].map(|side| (side / self.spacing).round().max(1.0));
                // Counts beyond 32 bits are rejected as too large.
                let cells = [cells[0] as u32, 1, cells[2] as u32];
                fill::cuboid(DVec3::new(sheet.width, thickness, sheet.depth), cells, &pose)
            }
            // The two triangles of a square share its area, so the edges of squares are longer by the factor sqrt(2).
            _ => fill::sheet(&self.maker.placed(&at(SQRT_2 * self.spacing)?, &pose)?, thickness, self.spacing),
        };
        Ok(Part { cloud: self.filled(cloud)?, skin: Some(self.maker.placed(&skin, &pose)?) })
    }

    fn curves(&self, mesh: &CurveMesh) -> Result<Part, SceneError> {
        let section = match (&self.material.section, self.material.radius) {
            (Some(section), _) => WireSection::Rectangle {
                width: section.width,
                height: section.height,
                up: DVec3::from_array(section.up),
            },
            // Loading rejects curves without a cross section.
            (None, radius) => WireSection::Round { radius: radius.unwrap_or(f64::NAN) },
        };
        let cloud = self.filled(fill::curves(mesh, &section, self.spacing))?;
        let skin = CurveSkin { section }.build(mesh).map_err(|error| self.maker.not_generated(&error))?;
        Ok(Part { cloud, skin: Some(skin) })
    }

    fn cloud_of_file(&self, file: &CloudFile) -> Result<Cloud, SceneError> {
        let unusable = |error: &dyn std::fmt::Display, remedy: &str| {
            let message = format!("the file named by `{{}}` cannot be used: {error}");
            self.maker.loaded.error_at(&format!("{}.file", self.maker.path), &message, remedy)
        };
        let points = fibra_exchange::read_points(&file.file, file.radius)
            .map_err(|error| unusable(&error, file_remedy(&error, REPAIR)))?;
        let mut cloud = Cloud::from_balls(points.positions, points.radii, points.volumes);
        cloud.check().map_err(|flaw| unusable(&format!("{}: {flaw}", file.file), REPAIR))?;
        let (scale, RigidPose { translation, rotation }) = (file.scale, pose([file.translate, file.rotate_degrees]));
        let turn = DMat3::from_quat(rotation);
        cloud.points.iter_mut().for_each(|point| *point = translation + turn * (scale * *point));
        cloud.radii.iter_mut().for_each(|radius| *radius *= scale);
        cloud.volumes.iter_mut().for_each(|volume| *volume *= scale.powi(3));
        cloud.spreads.iter_mut().for_each(|spread| *spread = turn * *spread * turn.transpose() * (scale * scale));
        Ok(cloud)
    }

    /// Refines a mesh until its edges are no longer than the piece spacing.
    fn refined(&self, mesh: &TriangleMesh) -> Result<TriangleMesh, SceneError> {
        let refined = mesh.refined(SQRT_2 * self.spacing * (1.0 + 1e-6));
        refined.ok_or_else(|| self.error("its mesh has too many triangles at this spacing", "use a larger spacing"))
    }

    fn filled(&self, cloud: Result<Cloud, FillError>) -> Result<Cloud, SceneError> {
        cloud.map_err(|error| self.error(&error.to_string(), "use another spacing, or change the shape"))
    }

    fn error(&self, why: &str, remedy: &str) -> SceneError {
        let message = format!("`{{}}` does not give a cloud of material: {why}");
        self.maker.loaded.error_at(&self.maker.path, &message, remedy)
    }
}
