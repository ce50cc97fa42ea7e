//! Scenes and meshes embedded in the binary, so that they work from any folder.

/// A scene embedded in the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinScene {
    /// The name for `fibra run`.
    pub name: &'static str,
    /// The scene file.
    pub text: &'static str,
}

impl BuiltinScene {
    /// Returns the names of the scene's presets, in alphabetical order.
    pub fn preset_names(&self) -> Vec<String> {
        let scene: toml::Table = toml::from_str(self.text).unwrap_or_default();
        let presets = scene.get("preset").and_then(toml::Value::as_table);
        presets.map(|presets| presets.keys().cloned().collect()).unwrap_or_default()
    }
}

/// Prefix of the file names of built-in meshes ([`mesh`]) and directions ([`directions`]).
pub const MESH_PREFIX: &str = "builtin:";

macro_rules! scene {
    ($folder:literal, $name:literal) => {
        BuiltinScene { name: $name, text: include_str!(concat!("../../../../scenes/", $folder, "/", $name, ".toml")) }
    };
}

/// All built-in scenes. The recommended first scene comes first.
pub const SCENES: &[BuiltinScene] = &[
    scene!("mpm", "jelly-drop"),
    scene!("mpm", "sand-column"),
    scene!("mpm", "snowball"),
    scene!("mpm", "dam-break"),
    scene!("mpm", "goo-drip"),
    scene!("mpm", "mixed-materials"),
    scene!("mpm", "mesh-collider"),
    scene!("codimensional", "cloth-curtain"),
    scene!("codimensional", "cloth-curtain-x3"),
    scene!("codimensional", "cloth-ball"),
    scene!("codimensional", "cloth-twister"),
    scene!("codimensional", "knit-sweater"),
    scene!("codimensional", "knit-poncho"),
    scene!("codimensional", "knit-twister"),
    scene!("codimensional", "knit-curtain"),
    scene!("codimensional", "knit-anisotropy"),
    scene!("codimensional", "shag-carpet"),
    scene!("codimensional", "tearing-fiber"),
    scene!("codimensional", "hair-tubes"),
    scene!("codimensional", "curtain-goo"),
    scene!("codimensional", "cloth-slime"),
    scene!("codimensional", "curtain-sand"),
    scene!("codimensional", "cloth-sand"),
    scene!("codimensional", "fiber-pile"),
    scene!("codimensional", "friction-pile"),
    scene!("anisotropy", "fiber-bundle"),
    scene!("anisotropy", "dump-truck"),
    scene!("anisotropy", "tearing-bale"),
    scene!("anisotropy", "column-general"),
    scene!("anisotropy", "slope-alignment"),
    scene!("anisotropy", "cards"),
    scene!("anisotropy", "rods-pile"),
    scene!("anisotropy", "layers"),
    scene!("anisotropy", "column-repose"),
    scene!("anisotropy", "grain-of-wood"),
    scene!("rods", "spaghetti-7"),
    scene!("rods", "spaghetti-31"),
    scene!("rods", "spaghetti-76"),
    scene!("rods", "self-stacking"),
    scene!("rods", "wavy-hair"),
    scene!("rods", "tight-knot"),
    scene!("rods", "plectoneme"),
    scene!("rods", "rotating-sphere"),
    scene!("rods", "ball-loop"),
    scene!("rods", "michell"),
    scene!("rods", "greenhill"),
    scene!("rods", "lateral-buckling"),
    scene!("hair", "dance"),
    scene!("hair", "random-trajectory"),
    scene!("hair", "substepping"),
    scene!("hair", "long-hair"),
    scene!("hair", "volume-preservation"),
    scene!("hair", "sand-vs-fluid"),
    scene!("hair", "cape"),
    scene!("elastons", "shell-clamped"),
    scene!("elastons", "cylinder-buckling"),
    scene!("elastons", "elaston-plectoneme"),
    scene!("elastons", "helical-perversion"),
    scene!("elastons", "plastic-cuboid"),
    scene!("elastons", "squeeze-bunnies"),
    scene!("elastons", "flag"),
    scene!("elastons", "plant"),
    scene!("elastons", "fish"),
    scene!("elastons", "wire-dog"),
    scene!("elastons", "cube-cut"),
];

const MESHES: &[(&str, &str)] = &[("knot.obj", include_str!("../../../../scenes/meshes/knot.obj"))];

const DIRECTIONS: &[(&str, &str)] = &[("branch.csv", include_str!("../../../../scenes/meshes/branch.csv"))];

/// Returns the scene with this name.
pub fn scene(name: &str) -> Option<&'static BuiltinScene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// Returns the text of the OBJ file with this name (without [`MESH_PREFIX`]).
pub fn mesh(name: &str) -> Option<&'static str> {
    MESHES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the names of all built-in meshes.
pub fn mesh_names() -> impl Iterator<Item = &'static str> {
    MESHES.iter().map(|(name, _)| *name)
}

/// Returns the text of the file of directions with this name (without [`MESH_PREFIX`]).
pub fn directions(name: &str) -> Option<&'static str> {
    DIRECTIONS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the names of all built-in files of directions.
pub fn direction_names() -> impl Iterator<Item = &'static str> {
    DIRECTIONS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;
    use glam::DVec3;
    use std::f64::consts::TAU;
    use std::fmt::Write;

    /// Every scene, with and without its presets, loads, and its resolved form loads to the same scene.
    #[test]
    fn every_scene_loads_and_its_resolved_form_is_the_same() {
        for builtin in SCENES {
            let presets = builtin.preset_names();
            for preset in presets.iter().map(|name| Some(name.as_str())).chain([None]) {
                let loaded = Scene::load(builtin.name, preset, &[])
                    .unwrap_or_else(|error| panic!("{}\n{}", builtin.name, error.render(false)));
                assert_eq!(loaded.name, builtin.name);
                assert!(loaded.scene.camera.is_some() && !loaded.scene.expect.is_empty());
                let resolved = loaded.to_resolved_toml();
                let again = Scene::load(&resolved, None, &[])
                    .unwrap_or_else(|error| panic!("{}\n{}\n{resolved}", builtin.name, error.render(false)));
                assert_eq!(again.scene, loaded.scene, "{}", builtin.name);
            }
        }
    }

    /// This test generates `scenes/meshes/knot.obj`: after a change here, run it with `WRITE_MESHES=1` set.
    #[test]
    fn knot_mesh_matches_its_formula() {
        let text = trefoil_knot(96, 10, 0.6);
        if std::env::var_os("WRITE_MESHES").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/meshes/knot.obj"), &text).unwrap();
        }
        assert!(text == mesh("knot.obj").unwrap(), "knot.obj differs from its formula; run with WRITE_MESHES=1");
    }

    /// Returns a tube of the given radius around the curve (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t), as OBJ.
    fn trefoil_knot(segments: usize, sides: usize, radius: f64) -> String {
        let mut obj = "# A trefoil knot: a tube around (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t).\n\
                       # Made by the test `knot_mesh_matches_its_formula` of crates/fibra-scene/src/load/builtin.rs.\n"
            .to_owned();
        for segment in 0..segments {
            let t = TAU * segment as f64 / segments as f64;
            let (s1, c1) = t.sin_cos();
            let (s2, c2) = (2.0 * t).sin_cos();
            let (s3, c3) = (3.0 * t).sin_cos();
            let curve = DVec3::new(s1 + 2.0 * s2, c1 - 2.0 * c2, -s3);
            let first = DVec3::new(c1 + 4.0 * c2, -s1 + 4.0 * s2, -3.0 * c3);
            let second = DVec3::new(-s1 - 8.0 * s2, -c1 + 8.0 * c2, 9.0 * s3);
            // The curvature never vanishes, so the Frenet frame turns smoothly and closes on itself.
            let binormal = first.cross(second).normalize();
            let normal = binormal.cross(first.normalize());
            for side in 0..sides {
                let (sin, cos) = (TAU * side as f64 / sides as f64).sin_cos();
                let v = curve + radius * (cos * normal + sin * binormal);
                writeln!(obj, "v {:.4} {:.4} {:.4}", v.x, v.y, v.z).unwrap();
            }
        }
        let vertex = |segment: usize, side: usize| 1 + (segment % segments) * sides + side % sides;
        for segment in 0..segments {
            for side in 0..sides {
                let [a, b] = [vertex(segment, side), vertex(segment, side + 1)];
                let [d, c] = [vertex(segment + 1, side), vertex(segment + 1, side + 1)];
                writeln!(obj, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
            }
        }
        obj
    }
}
