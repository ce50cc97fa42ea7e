//! Converts shapes of the scene, given in world coordinates, to shapes in a local frame with a pose.

use super::geometry::REPAIR;
use super::rejected::file_remedy;
use crate::model::extent::rotation_degrees;
use crate::{LoadedScene, Mesh, Motion, SceneError, Shape, ShapeSource, builtin};
use fibra_core::geometry::generate::{GenerateError, Shawl};
use fibra_core::geometry::{
    self, BodyPart, Dance, DeformationError, DeformingMesh, Jump, MeshDistance, MeshSurface, RigidPose, TriangleMesh,
};
use fibra_exchange::{DeformingImport, ImportError, read_deforming};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A shape and its pose.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The shape, in its own frame.
    pub(super) shape: geometry::Shape,
    /// The pose of that frame. Its origin is the center of rotation of the scene's motions.
    pub(super) pose: RigidPose,
}

/// Returns the body of the shape written at `path`. Distances to a mesh are sampled at `cell` [m]. `motion` is used by
/// shapes that follow it with a delay.
pub(super) fn body(
    loaded: &LoadedScene,
    path: &str,
    shape: &Shape,
    motion: &Motion,
    cell: f64,
) -> Result<Body, SceneError> {
    let at = |point: [f64; 3]| RigidPose::at(DVec3::from_array(point));
    let turned = |angles: [f64; 3], point: [f64; 3]| {
        let rotation = DQuat::from_mat3(&rotation_degrees(angles));
        RigidPose { rotation, ..at(point) }
    };
    let made = match shape.source() {
        ShapeSource::Primitive(primitive) => primitive.body(),
        ShapeSource::Figure(_) => {
            return Err(loaded.error_at(
                path,
                "a figure is not a single body",
                "only a `[[collider]]` can be a figure",
            ));
        }
        ShapeSource::Shawl(shawl) => Ok((deforming(loaded, path, shape, motion)?, at(shawl.feet))),
        ShapeSource::DeformingMesh(mesh) => {
            Ok((deforming(loaded, path, shape, motion)?, turned(mesh.rotate_degrees, mesh.translate)))
        }
        ShapeSource::Mesh(mesh) => {
            Ok((distances(loaded, path, mesh, cell)?, turned(mesh.rotate_degrees, mesh.translate)))
        }
    };
    // Lengths have already been checked, except whether 32-bit floats can represent them.
    let (shape, pose) =
        made.map_err(|error| loaded.error_at(path, &format!("`{{}}`: {error}"), "write another length [m]"))?;
    Ok(Body { shape, pose })
}

fn distances(loaded: &LoadedScene, path: &str, mesh: &Mesh, cell: f64) -> Result<geometry::Shape, SceneError> {
    let file = format!("{path}.mesh.file");
    let triangles = read_mesh(mesh).map_err(|error| {
        let remedy = file_remedy(&error, REPAIR);
        loaded.error_at(&file, &format!("the mesh of `{{}}` cannot be used: {error}"), remedy)
    })?;
    let surface = MeshSurface::new(&triangles).map_err(|flaw| {
        let problem = format!("{} of `{{}}` is not a solid: {flaw}", mesh.file);
        loaded.error_at(&file, &problem, "a mesh must be closed, with all its triangles wound the same way")
    })?;
    Ok(geometry::Shape::Mesh(Arc::new(MeshDistance::of_surface(surface, cell))))
}

fn deforming(loaded: &LoadedScene, path: &str, shape: &Shape, motion: &Motion) -> Result<geometry::Shape, SceneError> {
    let made = deforming_mesh(shape, motion).map_err(|error| {
        let message = format!("the deforming mesh of `{{}}` cannot be used: {error}");
        let remedy = match &error {
            DeformingError::File(error) => file_remedy(error, "correct the name or the files"),
            _ => "correct the name or the files",
        };
        loaded.error_at(&format!("{path}.{}", shape.name()), &message, remedy)
    })?;
    match made {
        Some(mesh) => Ok(geometry::Shape::Deforming(Arc::new(mesh))),
        None => Err(loaded.error_at(path, "`{}` does not deform", "use another shape")),
    }
}

/// Why a deforming mesh cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum DeformingError {
    /// The files cannot be used.
    #[error(transparent)]
    File(#[from] ImportError),
    /// The deformation is invalid.
    #[error(transparent)]
    Deformation(#[from] DeformationError),
    /// The mesh is invalid.
    #[error(transparent)]
    Mesh(#[from] GenerateError),
    /// The motion that the mesh follows with a delay is invalid.
    #[error(transparent)]
    Motion(#[from] geometry::MotionError),
}

/// Returns the mesh of a deforming shape, or `None` for other shapes.
pub fn deforming_mesh(shape: &Shape, motion: &Motion) -> Result<Option<DeformingMesh>, DeformingError> {
    Ok(Some(match shape {
        Shape::DeformingMesh(mesh) => {
            let (scale, thickness) = (mesh.scale, mesh.thickness as f32);
            let import = DeformingImport { prim: mesh.prim.as_deref(), scale, fps: mesh.fps, thickness };
            read_deforming(&mesh.file, &import)?
        }
        Shape::Shawl(shawl) => {
            let (mesh, hanging) = Shawl { length: shawl.length, spacing: shawl.spacing }.build()?;
            let chest = match motion {
                Motion::Dance(dance) => geometry::Motion::Dance(Dance::new(BodyPart::Chest, dance.rate)?),
                Motion::Jump(jump) => geometry::Motion::Jump(Jump::new(BodyPart::Chest, jump.start, jump.height, 1.0)?),
                _ => geometry::Motion::Still,
            };
            // Small lag below the shoulders, largest at the hem.
            let delays = hanging.iter().map(|down| shawl.delay * down * down).collect();
            DeformingMesh::trailing(&mesh, chest, BodyPart::Chest.center(), delays, shawl.thickness as f32)?
        }
        _ => return Ok(None),
    }))
}

/// Reads the triangles of a mesh, scaled to meters but neither rotated nor translated.
pub fn read_mesh(mesh: &Mesh) -> Result<TriangleMesh, ImportError> {
    let read = match mesh.file.strip_prefix(builtin::MESH_PREFIX) {
        Some(name) => {
            let text = builtin::mesh(name).unwrap_or_default();
            fibra_exchange::parse::parse_mesh(text.as_bytes(), &mesh.file, None)?
        }
        None => fibra_exchange::read_mesh(&mesh.file, mesh.prim.as_deref())?,
    };
    let scaled = read.vertices().iter().map(|vertex| mesh.scale * *vertex).collect();
    TriangleMesh::new(scaled, read.triangles().to_vec())
        .map_err(|flaw| ImportError::Mesh { file: mesh.file.clone(), flaw })
}
