//! Appearance of a scene: derives the [`Appearance`] from the objects, colliders and head of a scene. Images, the viewer and export share
//! it.

mod bodies;
mod head;
mod objects;

use crate::Scene;
use crate::setup::DeformingError;
use fibra_core::appearance::Appearance;
use fibra_core::geometry::ShapeError;
use fibra_core::geometry::generate::GenerateError;
use fibra_exchange::ImportError;

/// Returns the appearance of a scene.
pub fn appearance_of(scene: &Scene) -> Result<Appearance, AppearanceError> {
    let mut bodies = scene.bodies().iter().map(bodies::body).collect::<Result<Vec<_>, _>>()?;
    bodies.extend(head::body(scene)?);
    Ok(Appearance { frames_per_second: scene.time.fps, objects: objects::objects(scene), bodies })
}

/// Why the appearance of a run cannot be determined.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message explains its fields")]
pub enum AppearanceError {
    /// A collider's mesh is missing or broken.
    #[error(
        "cannot draw collider `{collider}`: {source}\n  restore the file, or hide the collider by setting `visible = false` in the run's scene.toml"
    )]
    Mesh { collider: String, source: Box<ImportError> },
    /// The files of a deforming collider are missing or broken.
    #[error(
        "cannot draw collider `{collider}`: {source}\n  restore the files, or hide the collider by setting `visible = false` in the run's scene.toml"
    )]
    Deforming { collider: String, source: Box<DeformingError> },
    /// A collider has a size that `f32` cannot represent.
    #[error("cannot draw collider `{collider}`: {source}")]
    Shape { collider: String, source: ShapeError },
    /// The head's mesh cannot be generated.
    #[error("the head cannot be drawn: {0}")]
    Head(#[from] GenerateError),
}
