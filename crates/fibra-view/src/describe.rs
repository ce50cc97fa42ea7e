//! The run in words: what stays the same from frame to frame, and how far the run is.

use super::{Cast, Show};
use fibra_core::appearance::{BodyAppearance, BodyShape, ObjectAppearance};
use fibra_run::folder::RunFolderError;
use fibra_run::quantity_groups::groups_by_section;
use serde_json::{Value, json};
use std::time::SystemTime;

/// Which frames are there, and whether more will come; `run` is another when the run has been replaced.
pub(super) fn frames(show: &Show) -> Result<String, RunFolderError> {
    let report = show.run.read_report()?;
    Ok(json!({ "run": name_of(&show.cast()), "status": report.status, "frames": show.run.frames()?.indices })
        .to_string())
}

/// A name that another run does not have.
fn name_of(cast: &Cast) -> String {
    let begun = cast.begun.and_then(|begun| begun.duration_since(SystemTime::UNIX_EPOCH).ok());
    begun.map_or(String::new(), |begun| begun.as_nanos().to_string())
}

/// What does not change from frame to frame, of the run of this name. The camera is in the world; what is in frames and bodies counts from the run's origin.
pub(super) fn appearance(show: &Show) -> String {
    let cast = show.cast();
    let scene = &cast.scene;
    let camera = scene.camera.as_ref();
    let domain = scene.domain.as_ref();
    json!({
        "run": name_of(&cast),
        "title": scene.title,
        "method": scene.method,
        "frames_per_second": cast.appearance.frames_per_second,
        "objects": cast.appearance.objects.iter().map(object).collect::<Vec<_>>(),
        "bodies": cast.appearance.bodies.iter().map(body).collect::<Vec<_>>(),
        "camera": camera.map(|camera| json!({
            "eye": camera.eye, "target": camera.target, "fov_degrees": camera.fov_degrees,
        })),
        "domain": domain.map(|domain| json!({ "min": domain.min, "max": domain.max })),
        "quantity_groups": groups_by_section(),
    })
    .to_string()
}

fn object(object: &ObjectAppearance) -> Value {
    json!({
        "name": object.name,
        "material": object.material,
        "color": object.color.to_array(),
        "point_radius": object.point_radius,
        "turns": object.turns,
        "curve_radius": object.curve_radius,
        "is_skin": object.is_skin,
        "grain": object.grain.map(|grain| json!({ "size": grain.size.to_array(), "is_round": grain.is_round })),
    })
}

fn body(body: &BodyAppearance) -> Value {
    let shape = match &body.shape {
        BodyShape::Unseen => json!({ "kind": "unseen" }),
        BodyShape::Plane { normal } => json!({ "kind": "plane", "normal": normal.to_array() }),
        BodyShape::Ball { radius, turns } => json!({ "kind": "ball", "radius": radius, "turns": turns }),
        BodyShape::Capsule { half_height, radius } => {
            json!({ "kind": "capsule", "half_height": half_height, "radius": radius })
        }
        BodyShape::Mesh { .. } => json!({ "kind": "mesh" }),
        BodyShape::Deforming(_) => json!({ "kind": "deforming" }),
    };
    json!({ "name": body.name, "color": body.color.to_array(), "shape": shape })
}
