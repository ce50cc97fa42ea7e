//! A hash of everything that affects the results of a run. A run can be resumed only if its hash is unchanged.

use fibra_exchange::dependencies::{files_behind, sequence_files};
use fibra_scene::LoadedScene;
use std::path::{Path, PathBuf};

/// Hashed instead of the length of an absent file; no file has this length.
const ABSENT: u64 = u64::MAX;

/// Returns the hash (BLAKE3, hexadecimal) of a scene and of the bytes of all files that it refers to, directly or indirectly. The
/// number of frames and the expectations are excluded, because they do not affect the results.
pub fn scene_hash(loaded: &LoadedScene) -> String {
    let mut scene = loaded.clone();
    scene.scene.time.frames = 1;
    scene.scene.expect.clear();
    let mut hasher = blake3::Hasher::new();
    add(&mut hasher, scene.to_resolved_toml().as_bytes());
    for name in scene.scene.files_mut() {
        for path in files_of(name) {
            add_file(&mut hasher, &path);
            files_behind(&path).iter().for_each(|path| add_file(&mut hasher, path));
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Returns the files that a name refers to: all files of a sequence if the name contains `#`, otherwise the one file.
fn files_of(name: &str) -> Vec<PathBuf> {
    sequence_files(name).unwrap_or_else(|_| vec![PathBuf::from(name)])
}

/// Adds a regular file. An absent file differs from an empty one. Devices and pipes have no end, so they count as absent.
fn add_file(hasher: &mut blake3::Hasher, path: &Path) {
    let is_plain = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    match is_plain.then(|| std::fs::read(path)) {
        Some(Ok(bytes)) => add(hasher, &bytes),
        _ => {
            hasher.update(&ABSENT.to_le_bytes());
        }
    }
}

/// Adds bytes and their count, so that moving bytes from one file to another changes the hash.
fn add(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_scene::Scene;
    use std::fs::write;

    /// Returns the hash of a scene with the given collider shape; `sets` as for [`Scene::load`].
    fn hash(shape: &str, sets: &[&str]) -> String {
        let scene = format!(
            r#"title = "A ball and a collider"
method = "mpm"
time = {{ frames = 3, fps = 24 }}
mpm = {{ dx = 0.1 }}

[[object]]
name = "ball"
shape.sphere = {{ center = [0, 2, 0], radius = 0.5 }}
material.neo-hookean = {{}}

[[collider]]
name = "body"
shape.{shape}
"#
        );
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let loaded = Scene::load(&scene, None, &sets).unwrap_or_else(|error| panic!("{}", error.render(false)));
        scene_hash(&loaded)
    }

    /// Returns the hash of a scene that reads a mesh from `file`.
    fn mesh_hash(file: &Path) -> String {
        hash(&format!("mesh = {{ file = \"{}\" }}", file.display()), &[])
    }

    #[test]
    fn files_with_different_bytes_but_equal_lossy_text_differ() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mesh.ply");
        let [one, other]: [&[u8]; 2] = [b"ply \xff\xfe", b"ply \xfe\xff"];
        assert_eq!(String::from_utf8_lossy(one), String::from_utf8_lossy(other));
        let hashes = [one, other, one].map(|bytes| {
            write(&file, bytes).unwrap();
            mesh_hash(&file)
        });
        assert_ne!(hashes[0], hashes[1]);
        assert_eq!(hashes[0], hashes[2]);
    }

    #[test]
    fn the_hash_includes_all_files_of_a_sequence() {
        let folder = tempfile::tempdir().unwrap();
        for frame in 1..=3 {
            write(folder.path().join(format!("walk_{frame:04}.obj")), format!("v {frame} 0 0\n")).unwrap();
        }
        let shape =
            format!("deforming-mesh = {{ file = \"{}\", fps = 24 }}", folder.path().join("walk_####.obj").display());
        let mut hashes = vec![hash(&shape, &["collider.body.shape.deforming-mesh.thickness=0.2"])];
        write(folder.path().join("walk_0002.obj"), "v 2 0 1\n").unwrap();
        hashes.push(hash(&shape, &["collider.body.shape.deforming-mesh.thickness=0.2"]));
        write(folder.path().join("walk_0004.obj"), "v 4 0 0\n").unwrap();
        hashes.push(hash(&shape, &["collider.body.shape.deforming-mesh.thickness=0.2"]));
        assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
    }

    #[test]
    fn the_hash_includes_indirectly_referenced_files() {
        let folder = tempfile::tempdir().unwrap();
        let [mesh, buffer] = ["mesh.gltf", "mesh.bin"].map(|name| folder.path().join(name));
        write(&mesh, r#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "mesh.bin", "byteLength": 2 }] }"#)
            .unwrap();
        let absent = mesh_hash(&mesh);
        let hashes = [&b""[..], b"ab", b"ac"].map(|bytes| {
            write(&buffer, bytes).unwrap();
            mesh_hash(&mesh)
        });
        assert!(hashes.iter().all(|hash| *hash != absent));
        assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
    }

    #[test]
    fn the_hash_excludes_the_number_of_frames_and_the_expectations() {
        let ground = "plane = { point = [0, 0, 0], normal = [0, 1, 0] }";
        let original = hash(ground, &[]);
        assert_eq!(hash(ground, &["time.frames=7"]), original);
        assert_eq!(hash(ground, &["expect=[{quantity=\"mass_change\",min=-1}]"]), original);
        assert_ne!(hash(ground, &["mpm.dx=0.11"]), original);
    }
}
