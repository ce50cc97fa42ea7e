//! The files that a file refers to.

use crate::file::extension;
use crate::gltf::GltfScene;
use crate::usd::UsdScene;
use std::collections::{HashSet, VecDeque};
use std::fs::canonicalize;
use std::path::{Path, PathBuf};

/// Limit on the number of files: a template can name very many value clips in a few bytes.
const MAX_FILES: usize = 1 << 20;

/// Returns the files that a file refers to, directly or through others: buffers of glTF, layers and value clips of USD.
///
/// Each file is listed once; the file at `path` is not listed. The order depends only on the contents of the files. Missing files are listed, too.
/// Damaged files count as files without references.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("fibra-files-behind-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let path = folder.join("shirt.gltf");
/// std::fs::write(&path, r#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "shirt.bin", "byteLength": 4 }] }"#)?;
/// assert_eq!(fibra_exchange::dependencies::files_behind(&path), [folder.join("shirt.bin")]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn files_behind(path: impl AsRef<Path>) -> Vec<PathBuf> {
    let path = path.as_ref();
    let mut known = HashSet::from([identity(path)]);
    let mut found = Vec::new();
    let mut unread = VecDeque::from([path.to_owned()]);
    while let Some(path) = unread.pop_front() {
        let (layers, others) = direct_references(&path);
        for layer in layers {
            if known.insert(identity(&layer)) {
                found.push(layer.clone());
                unread.push_back(layer);
            }
        }
        found.extend(others.into_iter().filter(|path| known.insert(path.clone())));
        if found.len() >= MAX_FILES {
            found.truncate(MAX_FILES);
            break;
        }
    }
    found
}

/// Returns the files that one file refers to directly: first those that can refer to more files, then those that cannot.
fn direct_references(path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    match extension(path).as_str() {
        "usd" | "usda" | "usdc" => UsdScene::files_named_by(path, MAX_FILES).unwrap_or_default(),
        "gltf" | "glb" => (Vec::new(), GltfScene::files_named_by(path).unwrap_or_default()),
        _ => (Vec::new(), Vec::new()),
    }
}

/// Returns the canonical path of a file, even if the file is missing. Without canonical paths, a cycle of references through `../folder/` would never end.
fn identity(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| canonicalize(folder).ok());
    canonicalize(path).unwrap_or_else(|_| match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir, write};

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
    }

    fn referenced_names(path: &Path) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        files_behind(path).into_iter().map(name).collect()
    }

    #[test]
    fn layers_clips_and_buffers_are_found() {
        assert_eq!(referenced_names(&data("nodes.gltf")), ["nodes.bin"]);
        assert!(
            referenced_names(&data("nodes_inside.gltf")).is_empty() && referenced_names(&data("nodes.glb")).is_empty()
        );
        assert_eq!(referenced_names(&data("arcs.usda")), ["below.usda", "part.usdc"]);
        assert_eq!(referenced_names(&data("rates.usda")), ["rates_below.usda", "rates_deep.usda"]);
        for clips in ["clips.usda", "clips.usdc"] {
            let names = referenced_names(&data(clips));
            assert!(
                ["clip.0.usdc", "clip.3.usdc"].iter().all(|clip| names.iter().any(|name| name == clip)),
                "{names:?}"
            );
        }
    }

    #[test]
    fn cycles_terminate_and_missing_or_damaged_files_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("stage");
        create_dir(&root).unwrap();
        let layer = |names: &str| format!("#usda 1.0\n(\n    subLayers = [{names}]\n)\n");
        write(root.join("a.usda"), layer("@../stage/b.usda@, @gone.usda@, @broken.usdc@, @a.usda@")).unwrap();
        write(root.join("b.usda"), layer("@../stage/a.usda@, @../stage/../stage/b.usda@, @gone.usda@")).unwrap();
        write(root.join("broken.usdc"), b"PXR-USDC\0\x08").unwrap();
        let names = referenced_names(&root.join("a.usda"));
        assert_eq!(names, ["b.usda", "gone.usda", "broken.usdc"]);
        assert!(files_behind(root.join("nowhere.gltf")).is_empty());
        assert!(files_behind(&root).is_empty());
    }

    #[test]
    fn the_number_of_clips_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.usda");
        let prim = |number: u32| {
            format!(
                "def \"P{number}\" (\n clips = {{ dictionary default = {{ string primPath = \"/P\" asset templateAssetPath = @{number}.#.usd@ \
                 double templateStartTime = 0 double templateEndTime = 999000 double templateStride = 1 }} }}\n) {{}}\n"
            )
        };
        write(&path, format!("#usda 1.0\n{}", (0..50).map(prim).collect::<String>())).unwrap();
        assert_eq!(files_behind(&path).len(), MAX_FILES);
    }
}
