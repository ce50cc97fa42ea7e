//! Errors about files that cannot be used and about scenes that need too much memory.

use crate::builtin::MESH_PREFIX;
use crate::model::memory::TooLarge;
use crate::{LoadedScene, Object, SceneError};
use fibra_core::geometry::{Bounds, CurveCutError};
use fibra_exchange::ImportError;

/// Extent of an imported object above which the error suggests that the file is in another unit [m].
const LARGE: f64 = 5.0;
/// The remedy for a file that needs too many points.
pub(super) const COARSEN: &str = "use a larger `spacing`, or a smaller `scale` if the file is in another unit";

/// Returns the remedy for a file that cannot be read, or `otherwise` if the file itself must be repaired.
pub(super) fn file_remedy(error: &ImportError, otherwise: &'static str) -> &'static str {
    match error {
        ImportError::UnknownFormat { .. } => "convert the file to a supported format",
        ImportError::Io { .. } | ImportError::Folder { .. } => "name a file that can be read",
        ImportError::NoNumbers { .. } | ImportError::NoFrames { .. } => "correct the name of the file",
        ImportError::Cut { error: CurveCutError::TooMany { .. }, .. } => COARSEN,
        _ => otherwise,
    }
}

/// Returns the error for a scene that needs too much memory. The error shows the size of the largest object, because the
/// most frequent cause is a file in centimeters that is read as meters. `boxes` are the bounding boxes of the objects.
pub(super) fn too_large(
    loaded: &LoadedScene,
    path: &str,
    refusal: &TooLarge,
    boxes: impl IntoIterator<Item = Bounds>,
) -> SceneError {
    let size = |bounds: &Bounds| bounds.extent().max_element();
    let sized = loaded.scene.objects.iter().zip(boxes).filter(|(_, bounds)| size(bounds).is_finite());
    match sized.max_by(|(_, a), (_, b)| size(a).total_cmp(&size(b))) {
        Some((largest, bounds)) => too_large_object(loaded, path, refusal, (largest, bounds)),
        None => loaded.error_at(path, &refusal.message, &refusal.remedy),
    }
}

/// Returns the error for a scene in which a single object needs too much memory. The error shows the bounding box of the
/// object.
pub(super) fn too_large_object(
    loaded: &LoadedScene,
    path: &str,
    refusal: &TooLarge,
    (object, bounds): (&Object, Bounds),
) -> SceneError {
    let [x, y, z] = bounds.extent().to_array().map(in_meters);
    let message = format!("{}; the bounding box of `{}` is {x} x {y} x {z} m", refusal.message, object.name);
    let remedy = if bounds.extent().max_element() > LARGE && is_from_file(object) {
        format!("if its file is in centimeters, add `scale = 0.01` to the shape; otherwise, {}", refusal.remedy)
    } else {
        refusal.remedy.clone()
    };
    loaded.error_at(path, &message, &remedy)
}

/// Formats a length [m] to a millimeter, or to three digits if it is large.
fn in_meters(length: f64) -> String {
    let text = format!(
        "{length:.*}",
        if length < 1.0 {
            3
        } else if length < 100.0 {
            1
        } else {
            0
        }
    );
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns whether the shape of an object is from a file.
fn is_from_file(object: &Object) -> bool {
    object.shape.clone().file_mut().is_some_and(|file| !file.starts_with(MESH_PREFIX))
}
