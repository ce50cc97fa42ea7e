//! A hash of everything that changes what a run computes, so that a run is only resumed with the scene it began with.

use fibra_exchange::dependencies::{files_behind, sequence_files};
use fibra_scene::LoadedScene;
use std::path::{Path, PathBuf};

/// In place of the length of a file that is absent; no file is as long.
const ABSENT: u64 = u64::MAX;

/// Hash (BLAKE3, hexadecimal) of a scene and of every file it refers to, directly or through others, byte by byte. The number of
/// frames and the expectations do not count: they change how far a run goes and how it is judged, not what is computed.
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

/// The files behind a name: those of the sequence if it has `#` in place of the number, else the one file.
fn files_of(name: &str) -> Vec<PathBuf> {
    sequence_files(name).unwrap_or_else(|_| vec![PathBuf::from(name)])
}

/// Adds a plain file. One that is absent differs from an empty one; a device or a pipe, which a file may name, has no end and counts as absent.
fn add_file(hasher: &mut blake3::Hasher, path: &Path) {
    let is_plain = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    match is_plain.then(|| std::fs::read(path)) {
        Some(Ok(bytes)) => add(hasher, &bytes),
        _ => {
            hasher.update(&ABSENT.to_le_bytes());
        }
    }
}

/// Adds bytes and their count, so that moving bytes from one file to the next changes the hash.
fn add(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_scene::Scene;
    use std::fs::write;

    /// The hash of a scene with this shape of a collider; `sets` as for [`Scene::load`].
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

    /// The hash of a scene that reads a mesh from `file`.
    fn mesh_hash(file: &Path) -> String {
        hash(&format!("mesh = {{ file = \"{}\" }}", file.display()), &[])
    }

    #[test]
    fn files_that_are_the_same_text_but_other_bytes_differ() {
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
    fn every_file_of_a_sequence_counts() {
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
    fn files_that_files_refer_to_count() {
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
    fn the_length_of_a_run_and_its_expectations_do_not_count() {
        let ground = "plane = { point = [0, 0, 0], normal = [0, 1, 0] }";
        let usual = hash(ground, &[]);
        assert_eq!(hash(ground, &["time.frames=7"]), usual);
        assert_eq!(hash(ground, &["expect=[{quantity=\"mass_change\",min=-1}]"]), usual);
        assert_ne!(hash(ground, &["mpm.dx=0.11"]), usual);
    }
}
