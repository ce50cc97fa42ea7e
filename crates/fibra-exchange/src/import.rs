//! Functions that read meshes, animations, curves and strands from files of any supported format.

use crate::curve_import::CurveImport;
use crate::formats::{self, Content, FORMATS, Source, reject_prim};
use crate::recording::Recording;
use crate::sequence::read_sequence;
use crate::{ImportError, file};
use fibra_core::atomic_file::{WriteError, write_bytes_atomic};
use fibra_core::geometry::{CurveMesh, DeformingMesh, StrandRepairs, StrandSet, TriangleMesh};
use std::path::Path;

/// Reads a triangle mesh: `.obj`, `.ply`, `.usd`, `.usda`, `.usdc`, `.gltf` or `.glb`.
///
/// USD and glTF files are converted to meters with y up, and animated files are read at their start. `prim` selects a subtree by the path of a
/// prim or the name of a node. Without it, all visible meshes are merged into one, except the prototypes of a USD `PointInstancer`. Triangles of USD and
/// glTF files that have no area are dropped.
pub fn read_mesh(path: impl AsRef<Path>, prim: Option<&str>) -> Result<TriangleMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Meshes)?.read_mesh(&Source { path, bytes: None, prim })
}

/// Parses a triangle mesh from the contents of a file; see [`read_mesh`]. References to other files are relative to `path`.
pub fn parse_mesh(bytes: &[u8], path: impl AsRef<Path>, prim: Option<&str>) -> Result<TriangleMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Meshes)?.read_mesh(&Source { path, bytes: Some(bytes), prim })
}

/// Writes a triangle mesh as `.obj` or `.ply`, atomically. Reading it back gives the same bits.
pub fn write_mesh(mesh: &TriangleMesh, path: impl AsRef<Path>) -> Result<(), WriteError> {
    let path = path.as_ref();
    let failed = |source| WriteError { path: path.to_owned(), bytes_needed: None, source };
    let extension = file::extension(path);
    let format = FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()));
    let mut bytes = Vec::new();
    match format {
        Some(format) => format.write_mesh(mesh, &mut bytes).map_err(failed)?,
        None => return Err(failed(formats::no_mesh_writer(&extension))),
    }
    write_bytes_atomic(path, &bytes)
}

/// Reads an animated mesh from one file: `.usd`, `.usda`, `.usdc`, `.gltf` or `.glb`. For `prim`, see [`read_mesh`]. The frame rate is `fps` [1/s], or
/// the rate of the file's samples. Lengths are in meters, and time 0 is the start time of the file.
pub fn read_animation(path: impl AsRef<Path>, prim: Option<&str>, fps: Option<f64>) -> Result<Recording, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::DeformingMeshes)?.read_animation(&Source { path, bytes: None, prim }, fps)
}

/// Parses an animation from the contents of a file; see [`read_animation`]. References to other files are relative to `path`.
pub fn parse_animation(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    fps: Option<f64>,
) -> Result<Recording, ImportError> {
    let path = path.as_ref();
    let source = Source { path, bytes: Some(bytes), prim };
    formats::for_reading(path, Content::DeformingMeshes)?.read_animation(&source, fps)
}

/// Settings for the conversion of an animated mesh to a deforming body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeformingImport<'a> {
    /// The part of a USD or glTF file to read; see [`read_mesh`].
    pub prim: Option<&'a str>,
    /// Length of one unit of a sequence of files [m]. Other files store their unit; for them this is an additional factor [-].
    pub scale: f64,
    /// Frames per second [1/s]. Required for a sequence of files; other files store their own rate.
    pub fps: Option<f64>,
    /// Thickness [m]; see [`DeformingMesh::recorded`].
    pub thickness: f32,
}

/// Reads a deforming body: one animated file, as for [`read_animation`], or OBJ or PLY files in the order of their numbers. For numbered files,
/// `name` has `#` in place of the number (`walk/shirt_####.obj`).
pub fn read_deforming(name: &str, import: &DeformingImport) -> Result<DeformingMesh, ImportError> {
    let path = Path::new(name);
    match formats::for_reading(path, Content::DeformingMeshes) {
        Ok(_) => {
            return read_animation(path, import.prim, import.fps)?.into_deforming(import.scale, import.thickness, path);
        }
        // Neither an animation nor a sequence.
        Err(error) if !name.contains('#') && formats::for_reading(path, Content::NumberedMeshes).is_err() => {
            return Err(error);
        }
        Err(_) => {}
    }
    reject_prim(path, import.prim)?;
    let fps = import.fps.ok_or_else(|| ImportError::Broken {
        file: name.to_owned(),
        place: "fps".to_owned(),
        problem: "a sequence of files does not store its frame rate".to_owned(),
        remedy: "set `fps`".to_owned(),
    })?;
    read_sequence(name, import.scale, fps, import.thickness)
}

/// Reads curves: `.hair`, `.bcc`, `.usd`, `.usda` or `.usdc`. For `prim`, see [`read_mesh`]. The curves are resampled according to `import`. USD files are
/// converted to meters first, then scaled by `import.scale`.
pub fn read_curves(path: impl AsRef<Path>, prim: Option<&str>, import: &CurveImport) -> Result<CurveMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Curves)?.read_curves(&Source { path, bytes: None, prim }, import)
}

/// Parses curves from the contents of a file; see [`read_curves`]. References to other files are relative to `path`.
pub fn parse_curves(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    import: &CurveImport,
) -> Result<CurveMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Curves)?.read_curves(&Source { path, bytes: Some(bytes), prim }, import)
}

/// Reads strands of hair: `.hair`, `.usd`, `.usda` or `.usdc`. For `prim`, see [`read_mesh`]. One unit of a `.hair` file is `scale` [m]; USD files are
/// converted to meters first, then scaled by this factor. Strands of zero length and repeated points are dropped and counted.
pub fn read_strands(
    path: impl AsRef<Path>,
    prim: Option<&str>,
    scale: f64,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Strands)?.read_strands(&Source { path, bytes: None, prim }, scale)
}

/// Parses strands of hair from the contents of a file; see [`read_strands`]. References to other files are relative to `path`.
pub fn parse_strands(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    scale: f64,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Strands)?.read_strands(&Source { path, bytes: Some(bytes), prim }, scale)
}
