//! Reading triangle meshes from files: formats, errors, and the one entry for all of them.

use super::{MeshFlaw, TriangleMesh, obj, ply};
use glam::DVec3;
use std::fmt;
use std::path::Path;
use thiserror::Error;

/// Mesh file formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ, text.
    Obj,
    /// PLY, text or binary of either byte order.
    Ply,
}

/// Why a mesh file cannot be used.
#[derive(Debug, Error)]
pub enum MeshError {
    /// The operating system refused.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// Its reason.
        source: std::io::Error,
    },
    /// The extension names no format we know.
    #[error("{file}: unknown kind of mesh file; allowed are .obj and .ply")]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// The file breaks the rules of its format.
    #[error("{file}, {place}: {problem}; {remedy}")]
    Syntax {
        /// The file.
        file: String,
        /// Where in the file.
        place: Place,
        /// What is wrong there.
        problem: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The file was read, but what it holds is not a sound mesh.
    #[error("{file}: {flaw}")]
    Flaw {
        /// The file.
        file: String,
        /// What is wrong with the mesh.
        flaw: MeshFlaw,
    },
}

/// A place in a mesh file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte of a binary part, counted from 0, with the element it belongs to.
    Byte {
        /// Offset from the start of the file.
        offset: usize,
        /// Which kind of element, e.g. `vertex`.
        element: String,
        /// Which of them, counted from 0.
        index: u64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte { offset, element, index } => write!(f, "byte {offset} ({element} {index})"),
        }
    }
}

/// A broken rule, before the file's name is known.
pub(super) struct Fault {
    pub place: Place,
    pub problem: String,
    pub remedy: &'static str,
}

/// What a parser finds: positions [m] and triangles, not yet checked.
pub(super) type RawMesh = (Vec<DVec3>, Vec<[u32; 3]>);

impl TriangleMesh {
    /// Reads the mesh in the file `path`, whose extension names the format.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let format = match extension.to_str() {
            Some("obj") => MeshFormat::Obj,
            Some("ply") => MeshFormat::Ply,
            _ => return Err(MeshError::UnknownFormat { file }),
        };
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&bytes, format, &file),
            Err(source) => Err(MeshError::Io { file, source }),
        }
    }

    /// Reads a mesh from the contents of a file; `name` stands for the file in errors.
    pub fn parse(bytes: &[u8], format: MeshFormat, name: &str) -> Result<Self, MeshError> {
        let file = || name.to_string();
        let raw = match format {
            MeshFormat::Obj => obj::parse(bytes),
            MeshFormat::Ply => ply::parse(bytes),
        };
        let (vertices, triangles) =
            raw.map_err(|Fault { place, problem, remedy }| MeshError::Syntax { file: file(), place, problem, remedy })?;
        Self::new(vertices, triangles).map_err(|flaw| MeshError::Flaw { file: file(), flaw })
    }
}

/// Cuts a polygon into triangles that share its first corner.
pub(super) fn fan<'a>(polygon: &'a [u32]) -> impl Iterator<Item = [u32; 3]> + 'a {
    let rest = polygon.get(1..).unwrap_or_default();
    rest.windows(2).map(|pair| [polygon[0], pair[0], pair[1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::icosphere;
    use proptest::prelude::*;

    #[test]
    fn extension_chooses_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = icosphere(1, 1.0);
        let mut text = Vec::new();
        mesh.write_obj(&mut text).unwrap();
        let path = folder.path().join("ball.OBJ");
        std::fs::write(&path, &text).unwrap();
        assert_eq!(TriangleMesh::read(&path).unwrap(), mesh);

        let odd = TriangleMesh::read(folder.path().join("ball.stl")).unwrap_err().to_string();
        assert!(odd.contains("ball.stl") && odd.contains(".ply"), "{odd}");
        let missing = TriangleMesh::read(folder.path().join("none.ply")).unwrap_err().to_string();
        assert!(missing.contains("none.ply"), "{missing}");
    }

    #[test]
    fn a_flaw_names_the_file() {
        let error = TriangleMesh::parse(b"v 0 0 0", MeshFormat::Obj, "rock.obj").unwrap_err().to_string();
        assert!(error.starts_with("rock.obj: the mesh has no triangles"), "{error}");
    }

    fn valid_files() -> Vec<(MeshFormat, Vec<u8>)> {
        let mesh = icosphere(0, 1.0);
        let (mut obj, mut ply) = (Vec::new(), Vec::new());
        mesh.write_obj(&mut obj).unwrap();
        mesh.write_ply(&mut ply).unwrap();
        let big_endian = b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty short y\n\
            property uchar z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
            \0\0\0\0\0\0\0\x3f\x80\0\0\0\0\0\0\0\0\0\0\x01\0\x03\0\0\0\0\0\0\0\x01\0\0\0\x02";
        let ascii = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
            element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        for bytes in [&big_endian[..], &ascii[..]] {
            TriangleMesh::parse(bytes, MeshFormat::Ply, "seed").unwrap();
        }
        vec![
            (MeshFormat::Obj, obj),
            (MeshFormat::Ply, ply),
            (MeshFormat::Ply, big_endian.to_vec()),
            (MeshFormat::Ply, ascii.to_vec()),
        ]
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for format in [MeshFormat::Obj, MeshFormat::Ply] {
                let _ = TriangleMesh::parse(&bytes, format, "random");
            }
        }

        #[test]
        fn mutated_files_never_panic(
            file in 0usize..4,
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
            truncate in any::<bool>(),
        ) {
            let (format, mut bytes) = valid_files().swap_remove(file);
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if truncate {
                bytes.truncate(cut.index(bytes.len()));
            }
            let _ = TriangleMesh::parse(&bytes, format, "mutated");
        }
    }
}
