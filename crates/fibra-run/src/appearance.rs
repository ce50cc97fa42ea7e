//! Reads the scene of a run and its appearance: colors, bodies and camera.

use crate::folder::RunFolder;
use fibra_core::appearance::Appearance;
use fibra_scene::appearance::AppearanceError;
use fibra_scene::{Scene, SceneError, appearance};
use std::path::PathBuf;

/// Reads the scene of a run.
pub fn scene_of(run: &RunFolder) -> Result<Scene, RunSceneError> {
    let path = run.scene_path();
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Scene::read_resolved(&path.display().to_string(), &text)?),
        Err(source) => Err(RunSceneError::Unreadable { path, source }),
    }
}

/// Returns the appearance of a scene.
pub fn appearance_of(scene: &Scene) -> Result<Appearance, RunSceneError> {
    Ok(appearance::appearance_of(scene)?)
}

/// An error from reading a run's scene or its appearance.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message explains its fields")]
pub enum RunSceneError {
    /// The run's scene cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The run's scene is invalid.
    #[error("the scene of the run cannot be used\n{}", .0.render(false).trim_end())]
    Scene(#[from] SceneError),
    /// The surface of a collider or of the head cannot be built.
    #[error(transparent)]
    Appearance(#[from] AppearanceError),
}
