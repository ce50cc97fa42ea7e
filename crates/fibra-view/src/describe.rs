//! Descriptions of the run as JSON: the data that is constant over the run, and the list of frames.

use super::{SceneData, ServedRun};
use fibra_core::appearance::{BodyAppearance, BodyShape, ObjectAppearance};
use fibra_run::folder::RunFolderError;
use fibra_run::quantity_groups::groups_by_section;
use serde_json::{Value, json};
use std::time::SystemTime;

/// Lists the existing frames and the status of the run. The value of `run` changes when another run replaces this one.
pub(super) fn frames(served: &ServedRun) -> Result<String, RunFolderError> {
    let report = served.run.read_report()?;
    Ok(json!({ "run": run_id(&served.scene_data()), "status": report.status, "frames": served.run.frames()?.indices })
        .to_string())
}

/// Returns an identifier that no other run in this folder has.
fn run_id(scene_data: &SceneData) -> String {
    let started = scene_data.started.and_then(|started| started.duration_since(SystemTime::UNIX_EPOCH).ok());
    started.map_or(String::new(), |started| started.as_nanos().to_string())
}

/// Describes the data that is constant over the run. Camera and domain are in world coordinates; frames and bodies are relative to the run's origin.
pub(super) fn appearance(served: &ServedRun) -> String {
    let scene_data = served.scene_data();
    let scene = &scene_data.scene;
    let camera = scene.camera.as_ref();
    let domain = scene.domain.as_ref();
    json!({
        "run": run_id(&scene_data),
        "title": scene.title,
        "method": scene.method,
        "frames_per_second": scene_data.appearance.frames_per_second,
        "objects": scene_data.appearance.objects.iter().map(object).collect::<Vec<_>>(),
        "bodies": scene_data.appearance.bodies.iter().map(body).collect::<Vec<_>>(),
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
