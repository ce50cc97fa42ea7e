//! Animated meshes as a sequence of numbered files.

use crate::ImportError;
use crate::formats::{self, Content, Source};
use fibra_core::geometry::{DeformationError, DeformingMesh};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// Reads frames from numbered files, in the order of their numbers. `pattern` is a path whose file name has one group of `#` in place of the number:
/// `walk/shirt_####.obj`. Coordinates are multiplied by `scale` [m]. For `fps` [1/s] and `thickness` [m], see [`DeformingMesh::recorded`].
pub(crate) fn read_sequence(pattern: &str, scale: f64, fps: f64, thickness: f32) -> Result<DeformingMesh, ImportError> {
    let files = sequence_files(pattern)?;
    if !(scale > 0.0 && scale.is_finite()) {
        let (what, allowed) = ("the scale", "positive and finite");
        return Err(DeformationError::Number { what, value: scale, allowed }.into());
    }
    let mut triangles = Vec::new();
    let mut frames: Vec<Vec<DVec3>> = Vec::with_capacity(files.len());
    for file in &files {
        let read = formats::for_reading(file, Content::NumberedMeshes)?.read_mesh(&Source {
            path: file,
            bytes: None,
            prim: None,
        })?;
        match frames.first() {
            None => triangles = read.triangles().to_vec(),
            Some(first) if read.triangles() == triangles && read.vertices().len() == first.len() => {}
            Some(_) => {
                let [frame, first] = [file, &files[0]].map(|file| file.display().to_string());
                return Err(DeformationError::OtherMesh { frame, first }.into());
            }
        }
        frames.push(read.vertices().iter().map(|vertex| scale * *vertex).collect());
    }
    Ok(DeformingMesh::of_places(triangles, frames, fps, thickness, pattern)?)
}

/// Returns the files of a sequence, in the order of their numbers. `pattern` has `#` in place of the number, e.g. `walk/shirt_####.obj`.
pub fn sequence_files(pattern: &str) -> Result<Vec<PathBuf>, ImportError> {
    let path = Path::new(pattern);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (Some(from), Some(to)) = (name.find('#'), name.rfind('#')) else {
        return Err(ImportError::NoNumbers { pattern: pattern.to_owned() });
    };
    if name[from..=to].chars().any(|c| c != '#') {
        return Err(ImportError::NoNumbers { pattern: pattern.to_owned() });
    }
    let (prefix, suffix) = (&name[..from], &name[to + 1..]);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let io_error = |source| ImportError::Folder { folder: folder.to_owned(), source };
    let mut numbered: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io_error)? {
        let file = entry.map_err(io_error)?.file_name();
        let digits = file.to_str().and_then(|file| file.strip_prefix(prefix)?.strip_suffix(suffix));
        let number = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(number) = number.and_then(|digits| digits.parse().ok()) {
            numbered.push((number, folder.join(&file)));
        }
    }
    numbered.sort();
    match numbered.is_empty() {
        true => Err(ImportError::NoFrames { pattern: pattern.to_owned() }),
        false => Ok(numbered.into_iter().map(|(_, file)| file).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::octahedron;
    use crate::writers::write_obj;
    use fibra_core::geometry::TriangleMesh;

    #[test]
    fn frames_are_read_by_number_and_errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, size: f64, extra: &str| {
            let ball = octahedron();
            let vertices = ball.vertices().iter().map(|vertex| size * *vertex).collect();
            let mut text = Vec::new();
            write_obj(&TriangleMesh::new(vertices, ball.triangles().to_vec()).unwrap(), &mut text).unwrap();
            text.extend(extra.bytes());
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        let pattern = |name: &str| folder.path().join(name).display().to_string();
        write("ball_0002.obj", 7.0, "");
        write("ball_10.obj", 14.0, "");
        write("ball_x.obj", 9.0, "");
        let mesh = read_sequence(&pattern("ball_####.obj"), 0.5, 1.0, 0.01).unwrap();
        assert!((mesh.bounds().extent() - DVec3::ONE).length() < 1e-12);
        // Halfway between the two frames.
        let [first, second] = [0, 1].map(|vertex| mesh.places(0.5)[vertex]);
        assert!((first.distance(second) - 1.5).abs() < 1e-6);
        write("ball_11.obj", 7.0, "f 1 2 3\n");
        let rejected = |pattern: &str| read_sequence(pattern, 1.0, 1.0, 0.01).unwrap_err().to_string();
        let message = rejected(&pattern("ball_####.obj"));
        assert!(message.contains("ball_11.obj differs from") && message.contains("ball_0002.obj"), "{message}");
        assert!(rejected(&pattern("ball_1.obj")).contains("must have #"));
        assert!(rejected(&pattern("hat_#.obj")).contains("no file name matches"));
        assert!(rejected(&pattern("none/hat_#.obj")).contains("cannot read the folder"));
        std::fs::write(folder.path().join("hat_1.stl"), "").unwrap();
        let message = rejected(&pattern("hat_#.stl"));
        assert!(
            message.ends_with("hat_1.stl: this mesh file format is not supported; supported formats are .obj and .ply"),
            "{message}"
        );
    }
}
