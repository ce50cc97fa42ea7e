//! One entry for each thing that scenes read from files, whatever the format.

use crate::ImportError;
use crate::file::extension;
use crate::gltf_read::GltfScene;
use crate::recording::Recording;
use crate::usd_read::UsdScene;
use fibra_core::geometry::{CurveImport, CurveMesh, DeformingMesh, MeshFormat, StrandRepairs, StrandSet, TriangleMesh};
use std::path::Path;

/// Reads a triangle mesh: `.obj`, `.ply`, `.usd`, `.usda`, `.usdc`, `.gltf` or `.glb`.
///
/// USD and glTF files are brought to metres with y up, and moving ones read at their start. `prim` chooses a part of them, with all
/// that is below it: the path of a prim, or the name of a node; otherwise all visible meshes are read as one, but not those that
/// only are models for a USD `PointInstancer`. Triangles of USD and glTF files without area are left out.
pub fn read_mesh(path: impl AsRef<Path>, prim: Option<&str>) -> Result<TriangleMesh, ImportError> {
    let path = path.as_ref();
    match MeshKind::of(path)? {
        MeshKind::Plain(_) => {
            refuse_prim(path, prim)?;
            Ok(TriangleMesh::read(path)?)
        }
        MeshKind::Usd => UsdScene::open(path)?.mesh(prim)?.into_mesh(path),
        MeshKind::Gltf => GltfScene::open(path)?.mesh(prim)?.into_mesh(path),
    }
}

/// The same from the contents of a file; what it refers to is looked for beside `path`.
pub fn parse_mesh(bytes: &[u8], path: impl AsRef<Path>, prim: Option<&str>) -> Result<TriangleMesh, ImportError> {
    let path = path.as_ref();
    match MeshKind::of(path)? {
        MeshKind::Plain(format) => {
            refuse_prim(path, prim)?;
            Ok(TriangleMesh::parse(bytes, format, &path.display().to_string())?)
        }
        MeshKind::Usd => UsdScene::parse(bytes, path)?.mesh(prim)?.into_mesh(path),
        MeshKind::Gltf => GltfScene::parse(bytes, path)?.mesh(prim)?.into_mesh(path),
    }
}

/// Reads a mesh that moves from one file: `.usd`, `.usda`, `.usdc`, `.gltf` or `.glb`. `prim` as for [`read_mesh`]. Frames are
/// `fps` per second [1/s], or as many as the file has samples. Lengths are in metres, and time starts at the file's own start.
pub fn read_animation(path: impl AsRef<Path>, prim: Option<&str>, fps: Option<f64>) -> Result<Recording, ImportError> {
    let path = path.as_ref();
    match MeshKind::of(path) {
        Ok(MeshKind::Usd) => UsdScene::open(path)?.animation(prim, fps),
        Ok(MeshKind::Gltf) => GltfScene::open(path)?.animation(prim, fps),
        _ => Err(not_moving(path)),
    }
}

/// The same from the contents of a file; what it refers to is looked for beside `path`.
pub fn parse_animation(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    fps: Option<f64>,
) -> Result<Recording, ImportError> {
    let path = path.as_ref();
    match MeshKind::of(path) {
        Ok(MeshKind::Usd) => UsdScene::parse(bytes, path)?.animation(prim, fps),
        Ok(MeshKind::Gltf) => GltfScene::parse(bytes, path)?.animation(prim, fps),
        _ => Err(not_moving(path)),
    }
}

fn not_moving(path: &Path) -> ImportError {
    ImportError::UnknownFormat {
        file: path.display().to_string(),
        wanted: "animation",
        allowed: ".usd, .usda, .usdc, .gltf and .glb, and names with # for OBJ or PLY files with numbers",
    }
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
    let is_one = matches!(MeshKind::of(path), Ok(MeshKind::Usd | MeshKind::Gltf));
    if is_one {
        return read_animation(path, import.prim, import.fps)?.into_deforming(import.scale, import.thickness, path);
    }
    refuse_prim(path, import.prim)?;
    let fps = import.fps.ok_or_else(|| ImportError::Broken {
        file: name.to_owned(),
        place: "fps".to_owned(),
        problem: "a sequence of files does not say how many frames there are per second".to_owned(),
        remedy: "give `fps`".to_owned(),
    })?;
    Ok(DeformingMesh::read(name, import.scale, fps, import.thickness)?)
}

/// Reads curves: `.hair`, `.bcc`, `.usd`, `.usda` or `.usdc`. `prim` as for [`read_mesh`]. They are cut anew into segments as
/// `import` says; its scale is multiplied to the metres of USD files.
pub fn read_curves(path: impl AsRef<Path>, prim: Option<&str>, import: &CurveImport) -> Result<CurveMesh, ImportError> {
    let path = path.as_ref();
    if is_usd(path) {
        let lines = UsdScene::open(path)?.curves(prim)?;
        return Ok(CurveMesh::of_lines(&lines, import, &path.display().to_string())?);
    }
    check_curves(path, ".hair, .bcc, .usd, .usda and .usdc", &["hair", "bcc"])?;
    refuse_prim(path, prim)?;
    Ok(CurveMesh::read(path, import)?)
}

/// Reads strands of hair: `.hair`, `.usd`, `.usda` or `.usdc`. `prim` as for [`read_mesh`]. One unit of a `.hair` file is `scale` [m];
/// it is multiplied to the metres of USD files. Strands without length and repeated points are left out and counted.
pub fn read_strands(
    path: impl AsRef<Path>,
    prim: Option<&str>,
    scale: f64,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    let path = path.as_ref();
    if is_usd(path) {
        return strands(UsdScene::open(path)?, prim, scale, path);
    }
    check_curves(path, ".hair, .usd, .usda and .usdc", &["hair"])?;
    refuse_prim(path, prim)?;
    Ok(StrandSet::read(path, scale)?)
}

/// Reads the strands of a USD file from its contents.
pub fn parse_strands_usd(
    bytes: &[u8],
    path: impl AsRef<Path>,
    prim: Option<&str>,
    scale: f64,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    strands(UsdScene::parse(bytes, path.as_ref())?, prim, scale, path.as_ref())
}

fn strands(
    mut scene: UsdScene,
    prim: Option<&str>,
    scale: f64,
    path: &Path,
) -> Result<(StrandSet, StrandRepairs), ImportError> {
    let file = || path.display().to_string();
    let (lines, too_short) = scene.strands(prim)?;
    if let Some(strand) = lines.iter().position(|line| line.closed) {
        return Err(ImportError::Broken {
            file: file(),
            place: format!("curve {strand}"),
            problem: "it is closed, and hair has a root and a tip".to_owned(),
            remedy: "choose other curves with `prim`".to_owned(),
        });
    }
    let counts: Vec<u32> = lines.iter().map(|line| line.points.len() as u32).collect();
    let points = lines.iter().flat_map(|line| &line.points).map(|point| scale * *point).collect();
    let (strands, mut repairs) =
        StrandSet::repaired(points, &counts).map_err(|flaw| ImportError::Strands { file: file(), flaw })?;
    repairs.strands_without_length += too_short;
    Ok((strands, repairs))
}

/// Which reader a mesh file needs.
enum MeshKind {
    Plain(MeshFormat),
    Usd,
    Gltf,
}

impl MeshKind {
    fn of(path: &Path) -> Result<Self, ImportError> {
        Ok(match extension(path).as_str() {
            "obj" => Self::Plain(MeshFormat::Obj),
            "ply" => Self::Plain(MeshFormat::Ply),
            "usd" | "usda" | "usdc" => Self::Usd,
            "gltf" | "glb" => Self::Gltf,
            _ => {
                return Err(ImportError::UnknownFormat {
                    file: path.display().to_string(),
                    wanted: "mesh",
                    allowed: ".obj, .ply, .usd, .usda, .usdc, .gltf and .glb",
                });
            }
        })
    }
}

fn is_usd(path: &Path) -> bool {
    matches!(extension(path).as_str(), "usd" | "usda" | "usdc")
}

fn check_curves(path: &Path, allowed: &'static str, extensions: &[&str]) -> Result<(), ImportError> {
    match extensions.contains(&extension(path).as_str()) {
        true => Ok(()),
        false => Err(ImportError::UnknownFormat { file: path.display().to_string(), wanted: "curve", allowed }),
    }
}

/// Formats without parts that have names have no `prim` to choose.
fn refuse_prim(path: &Path, prim: Option<&str>) -> Result<(), ImportError> {
    match prim {
        None => Ok(()),
        Some(prim) => Err(ImportError::Broken {
            file: path.display().to_string(),
            place: "prim".to_owned(),
            problem: format!("`{prim}` cannot be chosen: such files have no named parts that can be read alone"),
            remedy: "leave out `prim`".to_owned(),
        }),
    }
}
