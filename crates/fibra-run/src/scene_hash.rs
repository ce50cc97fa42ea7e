//! A hash of everything that changes what a run computes, so that a run is only resumed with the scene it began with.

use fibra_exchange::sequence_files;
use fibra_scene::LoadedScene;
use std::path::PathBuf;

/// Hash (BLAKE3, hexadecimal) of a scene and of every file it refers to, byte by byte. The number of frames and the expectations do not count:
/// they change how far a run goes and how it is judged, not what is computed.
pub fn scene_hash(loaded: &LoadedScene) -> String {
    let mut scene = loaded.clone();
    scene.scene.time.frames = 1;
    scene.scene.expect.clear();
    let mut hasher = blake3::Hasher::new();
    add(&mut hasher, scene.to_resolved_toml().as_bytes());
    for name in scene.scene.files_mut() {
        for path in files_of(name) {
            // A file that cannot be read has been rejected already, when the simulation was built.
            add(&mut hasher, &std::fs::read(path).unwrap_or_default());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// The files behind a name: those of the sequence if it has `#` in place of the number, else the one file.
fn files_of(name: &str) -> Vec<PathBuf> {
    sequence_files(name).unwrap_or_else(|_| vec![PathBuf::from(name)])
}

/// Adds bytes and their count, so that moving bytes from one file to the next changes the hash.
fn add(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}
