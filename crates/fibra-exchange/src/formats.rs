//! The table of file formats: the content of each, and the functions that read and write it.
//!
//! Reading, `fibra export` and the lists of extensions in error messages are derived from [`FORMATS`]. To add a format, add a folder with its
//! reader and writer, and a row here.

use crate::curve_import::CurveImport;
use crate::export::{EncodeError, FrameFile, RunWriter};
use crate::file::{contents, extension};
use crate::gltf::GltfScene;
use crate::points::{Columns, POINT_FIELDS, obj_columns};
use crate::recording::Recording;
use crate::usd::{StageError, StageWriter, UsdScene};
use crate::{ImportError, bcc, csv, gltf, hair, obj, ply, vtk};
use fibra_core::appearance::Appearance;
use fibra_core::atomic_file::AtomicFile;
use fibra_core::frame::Frame;
use fibra_core::geometry::{CurveMesh, StrandRepairs, StrandSet, TriangleMesh};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// All formats, in the order in which user-facing lists show them.
pub const FORMATS: &[Format] = &[
    Format {
        description: "Binary points, faces and edges with velocities and attributes (`.ply`)",
        mesh: Some(|source| ply::parse_mesh(&source.plain()?, &source.name())),
        points: Some(|bytes, file| ply::parse_fields(bytes, file, &POINT_FIELDS)),
        write_mesh: Some(ply::write_ply),
        write_run: Some(Writer::Frames(ply::frame_files)),
        ..Format::new("ply", &["ply"], "ply")
    },
    Format {
        description: "Text with one vertex per point, cloth as faces and curves as lines (`.obj`)",
        usual_for: Some(Content::Meshes),
        mesh: Some(|source| obj::parse_mesh(&source.plain()?, &source.name())),
        points: Some(obj_columns),
        write_mesh: Some(obj::write_obj),
        write_run: Some(Writer::Frames(|frame| Ok(vec![("obj", obj::encode(frame))]))),
        ..Format::new("obj", &["obj"], "obj")
    },
    Format {
        description: "ParaView points, lines and triangles (`.vtp`) and a time series (`frames.pvd`)",
        related: &["vtk"],
        write_run: Some(Writer::Frames(|frame| Ok(vec![("vtp", vtk::encode(frame))]))),
        write_series: Some(|files| ("frames.pvd", vtk::series(files).into_bytes())),
        ..Format::new("vtk", &["vtp", "pvd"], "vtp")
    },
    Format {
        description: "Curves as strands of hair, in meters (`.hair`)",
        curves: Some(|source, import| hair::parse_curves(&source.plain()?, import, &source.name())),
        strands: Some(hair::read_strands),
        write_run: Some(Writer::Frames(hair::frame_files)),
        ..Format::new("hair", &["hair"], "hair")
    },
    Format {
        description: "Open and closed splines, used for yarns (`.bcc`)",
        curves: Some(|source, import| bcc::parse_curves(&source.plain()?, import, &source.name())),
        ..Format::new("bcc", &["bcc"], "bcc")
    },
    Format {
        description: "The whole run as one USD stage: meshes, curves, points, grains and moving colliders (`.usdc`)",
        related: &["usdz"],
        mesh: Some(|source| UsdScene::of(source)?.mesh(source.prim)?.into_mesh(source.path)),
        animation: Some(|source, fps| UsdScene::of(source)?.animation(source.prim, fps)),
        curves: Some(|source, import| UsdScene::of(source)?.cut_curves(source, import)),
        strands: Some(|source, scale| UsdScene::of(source)?.scaled_strands(source, scale)),
        write_run: Some(Writer::Run(|file, name, appearance| Ok(Box::new(StageWriter::new(file, name, appearance)?)))),
        ..Format::new("usd", &["usd", "usda", "usdc"], "usdc")
    },
    Format {
        description: "Binary glTF: triangles, lines, points, grains and colliders (`.glb`)",
        mesh: Some(|source| GltfScene::of(source)?.mesh(source.prim)?.into_mesh(source.path)),
        animation: Some(|source, fps| GltfScene::of(source)?.animation(source.prim, fps)),
        write_run: Some(Writer::FramesInColor(|frame, looks| Ok(vec![("glb", gltf::encode(frame, looks)?)]))),
        ..Format::new("glb", &["gltf", "glb"], "glb")
    },
    Format {
        description: "Points as comma-separated values (`.csv`)",
        points: Some(csv::parse_points),
        ..Format::new("csv", &["csv"], "csv")
    },
];

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A triangle mesh.
    Meshes,
    /// One frame of a deforming mesh, in a numbered file.
    NumberedMeshes,
    /// A deforming triangle mesh.
    DeformingMeshes,
    /// Curves, open or closed.
    Curves,
    /// Strands of hair from root to tip.
    Strands,
    /// Points with radii and volumes.
    Points,
    /// A run: one file per frame, or one file for all frames.
    Runs,
}

/// A file format: a row of [`FORMATS`].
pub struct Format {
    /// The name for `fibra export --to`.
    pub name: &'static str,
    /// File extensions.
    pub extensions: &'static [&'static str],
    /// The extension of written files.
    pub written: &'static str,
    /// Extensions of related formats that are neither read nor written.
    pub related: &'static [&'static str],
    /// A one-line description of the content.
    pub description: &'static str,
    /// The content for which this is the most common format. This format is listed first in error messages about that content.
    usual_for: Option<Content>,
    mesh: Option<ReadMesh>,
    animation: Option<ReadAnimation>,
    curves: Option<ReadCurves>,
    strands: Option<ReadStrands>,
    pub(crate) points: Option<ReadPoints>,
    write_mesh: Option<WriteMesh>,
    /// Writes a run.
    pub write_run: Option<Writer>,
    /// Writes an index of the files of all frames.
    pub write_series: Option<WriteSeries>,
}

type ReadMesh = fn(&Source) -> Result<TriangleMesh, ImportError>;
type ReadAnimation = fn(&Source, Option<f64>) -> Result<Recording, ImportError>;
type ReadCurves = fn(&Source, &CurveImport) -> Result<CurveMesh, ImportError>;
type ReadStrands = fn(&Source, f64) -> Result<(StrandSet, StrandRepairs), ImportError>;
type ReadPoints = fn(&[u8], &str) -> Result<Columns, ImportError>;
type WriteMesh = fn(&TriangleMesh, &mut dyn Write) -> io::Result<()>;

/// Returns the name and contents of an index file, given the time [s] and file name of each frame.
pub type WriteSeries = fn(&[(f64, String)]) -> FrameFile;

/// Starts the file of a whole run, given the run's name.
pub type BeginRun = fn(AtomicFile, &str, Appearance) -> Result<Box<dyn RunWriter>, StageError>;

/// The function that writes a run.
#[derive(Clone, Copy)]
pub enum Writer {
    /// Writes files for each frame.
    Frames(fn(&Frame) -> Result<Vec<FrameFile>, EncodeError>),
    /// Writes files for each frame, with the colors and shapes of objects and colliders.
    FramesInColor(fn(&Frame, &Appearance) -> Result<Vec<FrameFile>, EncodeError>),
    /// Writes one file for the whole run.
    Run(BeginRun),
}

/// A file to read.
pub(crate) struct Source<'a> {
    pub path: &'a Path,
    /// The contents, if they are already in memory.
    pub bytes: Option<&'a [u8]>,
    /// The prim or node to read; everything if unset.
    pub prim: Option<&'a str>,
}

impl Source<'_> {
    /// Returns the file's name for errors.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the contents of a file whose format has no named parts; returns an error if `prim` is set.
    pub fn plain(&self) -> Result<Cow<'_, [u8]>, ImportError> {
        reject_prim(self.path, self.prim)?;
        Ok(match self.bytes {
            Some(bytes) => Cow::Borrowed(bytes),
            None => Cow::Owned(contents(self.path)?),
        })
    }
}

/// Rejects a `prim` for formats without named parts.
pub(crate) fn reject_prim(path: &Path, prim: Option<&str>) -> Result<(), ImportError> {
    match prim {
        None => Ok(()),
        Some(prim) => Err(ImportError::Broken {
            file: path.display().to_string(),
            place: "prim".to_owned(),
            problem: format!("`{prim}` cannot be selected: this format has no named parts"),
            remedy: "remove `prim`".to_owned(),
        }),
    }
}

impl Format {
    /// Returns a format without any reader or writer.
    const fn new(name: &'static str, extensions: &'static [&'static str], written: &'static str) -> Self {
        Self {
            name,
            extensions,
            written,
            related: &[],
            description: "",
            usual_for: None,
            mesh: None,
            animation: None,
            curves: None,
            strands: None,
            points: None,
            write_mesh: None,
            write_run: None,
            write_series: None,
        }
    }

    /// Returns whether this content can be read from files of the format.
    pub fn reads(&self, content: Content) -> bool {
        match content {
            Content::Meshes => self.mesh.is_some(),
            Content::NumberedMeshes => self.mesh.is_some() && self.animation.is_none(),
            Content::DeformingMeshes => self.animation.is_some(),
            Content::Curves => self.curves.is_some(),
            Content::Strands => self.strands.is_some(),
            Content::Points => self.points.is_some(),
            Content::Runs => false,
        }
    }

    /// Returns whether this content can be written to files of the format.
    pub fn writes(&self, content: Content) -> bool {
        match content {
            Content::Meshes => self.write_mesh.is_some(),
            Content::Runs => self.write_run.is_some(),
            _ => false,
        }
    }

    pub(crate) fn read_mesh(&self, source: &Source) -> Result<TriangleMesh, ImportError> {
        self.mesh.ok_or_else(|| unsupported(source.path, Content::Meshes)).and_then(|read| read(source))
    }

    pub(crate) fn read_animation(&self, source: &Source, fps: Option<f64>) -> Result<Recording, ImportError> {
        self.animation
            .ok_or_else(|| unsupported(source.path, Content::DeformingMeshes))
            .and_then(|read| read(source, fps))
    }

    pub(crate) fn read_curves(&self, source: &Source, import: &CurveImport) -> Result<CurveMesh, ImportError> {
        self.curves.ok_or_else(|| unsupported(source.path, Content::Curves)).and_then(|read| read(source, import))
    }

    pub(crate) fn read_strands(&self, source: &Source, scale: f64) -> Result<(StrandSet, StrandRepairs), ImportError> {
        self.strands.ok_or_else(|| unsupported(source.path, Content::Strands)).and_then(|read| read(source, scale))
    }

    /// Writes a mesh to `out`.
    pub fn write_mesh(&self, mesh: &TriangleMesh, out: &mut dyn Write) -> io::Result<()> {
        match self.write_mesh {
            Some(write) => write(mesh, out),
            None => Err(no_mesh_writer(self.name)),
        }
    }
}

/// Selects the format by the file's extension, among the formats that can hold the content.
pub(crate) fn for_reading(path: &Path, content: Content) -> Result<&'static Format, ImportError> {
    let extension = extension(path);
    let fits = |format: &&Format| format.reads(content) && format.extensions.contains(&extension.as_str());
    FORMATS.iter().find(fits).ok_or_else(|| unsupported(path, content))
}

/// Returns the error for a file whose extension belongs to no format for the content.
fn unsupported(path: &Path, content: Content) -> ImportError {
    let wanted = match content {
        Content::Meshes | Content::NumberedMeshes => "mesh",
        Content::DeformingMeshes => "animation",
        Content::Curves => "curve",
        Content::Strands => "hair",
        Content::Points => "point",
        Content::Runs => "run",
    };
    let mut formats: Vec<&Format> = FORMATS.iter().filter(|format| format.reads(content)).collect();
    formats.sort_by_key(|format| {
        !(matches!(content, Content::Meshes | Content::NumberedMeshes) && format.usual_for == Some(Content::Meshes))
    });
    let mut allowed = listed(&formats);
    if content == Content::DeformingMeshes {
        allowed += ", and names with # for numbered OBJ or PLY files";
    }
    ImportError::UnknownFormat { file: path.display().to_string(), wanted, allowed }
}

/// Returns the error for a format that has no mesh writer.
pub(crate) fn no_mesh_writer(name: &str) -> io::Error {
    let formats: Vec<&Format> = FORMATS.iter().filter(|format| format.writes(Content::Meshes)).collect();
    let problem = format!("meshes cannot be written as `{name}`; supported formats are {}", listed(&formats));
    io::Error::new(io::ErrorKind::Unsupported, problem)
}

/// Returns the extensions as text: `.a, .b and .c`.
fn listed(formats: &[&Format]) -> String {
    let extensions: Vec<String> =
        formats.iter().flat_map(|row| row.extensions).map(|name| format!(".{name}")).collect();
    match extensions.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => extensions.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_list_the_supported_extensions() {
        for (content, message) in [
            (
                Content::Meshes,
                "this mesh file format is not supported; supported formats are .obj, .ply, .usd, .usda, .usdc, .gltf and .glb",
            ),
            (Content::NumberedMeshes, "this mesh file format is not supported; supported formats are .obj and .ply"),
            (
                Content::DeformingMeshes,
                "this animation file format is not supported; supported formats are .usd, .usda, .usdc, .gltf and .glb, and names with # for numbered OBJ or \
                 PLY files",
            ),
            (
                Content::Curves,
                "this curve file format is not supported; supported formats are .hair, .bcc, .usd, .usda and .usdc",
            ),
            (
                Content::Strands,
                "this hair file format is not supported; supported formats are .hair, .usd, .usda and .usdc",
            ),
            (Content::Points, "this point file format is not supported; supported formats are .ply, .obj and .csv"),
        ] {
            assert_eq!(unsupported(Path::new("a.txt"), content).to_string(), format!("a.txt: {message}"));
        }
    }

    #[test]
    fn names_and_extensions_are_unique() {
        let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let mut extensions: Vec<&str> = FORMATS.iter().flat_map(|format| format.extensions).copied().collect();
        for list in [&mut names, &mut extensions] {
            let count = list.len();
            list.sort_unstable();
            list.dedup();
            assert_eq!(list.len(), count);
        }
        assert!(
            FORMATS.iter().all(|format| format.extensions.contains(&format.written) && !format.description.is_empty())
        );
    }
}
