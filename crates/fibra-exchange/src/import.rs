//! One entry for each thing that is read from files, whatever the format.

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
/// USD and glTF files are brought to meters with y up, and moving ones read at their start. `prim` chooses a part of them, with all
/// that is below it: the path of a prim, or the name of a node; otherwise all visible meshes are read as one, but not those that
/// only are models for a USD `PointInstancer`. Triangles of USD and glTF files without area are left out.
pub fn read_mesh(path: impl AsRef<Path>, prim: Option<&str>) -> Result<TriangleMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Meshes)?.read_mesh(&Source { path, bytes: None, prim })
}

/// The same from the contents of a file; what it refers to is looked for beside `path`.
pub fn parse_mesh(bytes: &[u8], path: impl AsRef<Path>, prim: Option<&str>) -> Result<TriangleMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Meshes)?.read_mesh(&Source { path, bytes: Some(bytes), prim })
}

/// Writes a triangle mesh as `.obj` or `.ply`, whole or not at all; reading it back gives the same bits.
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

/// Reads a mesh that moves from one file: `.usd`, `.usda`, `.usdc`, `.gltf` or `.glb`. `prim` as for [`read_mesh`]. Frames are
/// `fps` per second [1/s], or as many as the file has samples. Lengths are in meters, and time starts at the file's own start.
pub fn read_animation(path: impl AsRef<Path>, prim: Option<&str>, fps: Option<f64>) -> Result<Recording, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::DeformingMeshes)?.read_animation(&Source { path, bytes: None, prim }, fps)
}

/// The same from the contents of a file; what it refers to is looked for beside `path`.
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

/// How a mesh that moves becomes a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeformingImport<'a> {
    /// The part of a USD or glTF file, as for [`read_mesh`].
    pub prim: Option<&'a str>,
    /// What one unit of a sequence of files is [m]; other files know their unit, which is multiplied by it [-].
    pub scale: f64,
    /// Frames per second [1/s]. A sequence of files needs it; other files have their own.
    pub fps: Option<f64>,
    /// As for [`DeformingMesh::recorded`] [m].
    pub thickness: f32,
}

/// Reads a body that deforms: one moving file as for [`read_animation`], or OBJ or PLY files in the order of their numbers, for
/// which `name` has some # (`walk/shirt_####.obj`).
pub fn read_deforming(name: &str, import: &DeformingImport) -> Result<DeformingMesh, ImportError> {
    let path = Path::new(name);
    if formats::for_reading(path, Content::DeformingMeshes).is_ok() {
        return read_animation(path, import.prim, import.fps)?.into_deforming(import.scale, import.thickness, path);
    }
    reject_prim(path, import.prim)?;
    let fps = import.fps.ok_or_else(|| ImportError::Broken {
        file: name.to_owned(),
        place: "fps".to_owned(),
        problem: "a sequence of files does not say how many frames there are per second".to_owned(),
        remedy: "give `fps`".to_owned(),
    })?;
    read_sequence(name, import.scale, fps, import.thickness)
}

/// Reads curves: `.hair`, `.bcc`, `.usd`, `.usda` or `.usdc`. `prim` as for [`read_mesh`]. They are cut anew into segments as
/// `import` says; its scale is multiplied to the meters of USD files.
pub fn read_curves(path: impl AsRef<Path>, prim: Option<&str>, import: &CurveImport) -> Result<CurveMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Curves)?.read_curves(&Source { path, bytes: None, prim }, import)
}

/// The same from the contents of a file; what it refers to is looked for beside `path`.
pub fn parse_curves(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    import: &CurveImport,
) -> Result<CurveMesh, ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Curves)?.read_curves(&Source { path, bytes: Some(bytes), prim }, import)
}

/// Reads strands of hair: `.hair`, `.usd`, `.usda` or `.usdc`. `prim` as for [`read_mesh`]. One unit of a `.hair` file is `scale` [m];
/// it is multiplied to the meters of USD files. Strands without length and repeated points are left out and counted.
pub fn read_strands(
    path: impl AsRef<Path>,
    prim: Option<&str>,
    scale: f64,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Strands)?.read_strands(&Source { path, bytes: None, prim }, scale)
}

/// The same from the contents of a file; what it refers to is looked for beside `path`.
pub fn parse_strands(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    scale: f64,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    let path = path.as_ref();
    formats::for_reading(path, Content::Strands)?.read_strands(&Source { path, bytes: Some(bytes), prim }, scale)
}
