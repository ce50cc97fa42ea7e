//! Reading curves from files: formats, errors, and the one entry for all of them.

mod bcc;
mod bytes;
mod hair;
mod spline;

use super::broken_line::{self, resample};
use super::curve_builder::CurveBuilder;
use super::mesh::COORDINATE_LIMIT;
use super::{CurveFlaw, CurveMesh, StrandFlaw};
use glam::DVec3;
pub use hair::{HairFile, HairFlaw, HairLooks, PerPoint};
pub use spline::CurveLine;
use spline::PIECES_PER_SPAN;
pub use spline::Spline;
use std::path::Path;
use thiserror::Error;

/// Most points and segments together that a file may make.
const MAX_PARTICLES: f64 = (1u64 << 31) as f64;

/// Curve file formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveFormat {
    /// Strands of hair, each a broken line.
    Hair,
    /// Binary curve collection: open and closed splines, used for yarns.
    Bcc,
}

/// How the curves of a file become a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveImport {
    /// What one unit of the file is in metres [m]; neither format says.
    pub scale: f64,
    /// About the length of a segment [m]: curves are cut anew, evenly along their length.
    pub spacing: f64,
}

/// Why a curve file cannot be used.
#[derive(Debug, Error)]
pub enum CurveError {
    /// The operating system refused.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// Its reason.
        source: std::io::Error,
    },
    /// The extension names no format we know.
    #[error("{file}: unknown kind of curve file; allowed are .hair and .bcc")]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// The wanted scale or spacing is no length.
    #[error("{file}: the {name} is {value}; it must be positive and finite")]
    Import {
        /// The file.
        file: String,
        /// Which of the two.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The file breaks the rules of its format.
    #[error("{file}, {field}: {problem}; {remedy}")]
    Syntax {
        /// The file.
        file: String,
        /// Which part of the file, with the index of the curve or point.
        field: String,
        /// What is wrong there.
        problem: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The spacing is too small for the curves' length.
    #[error(
        "{file}: the curves are {length:.3e} m long, so a spacing of {spacing} m makes about {estimate:.2e} particles, but at most {MAX_PARTICLES:e} are possible; use a larger spacing or a smaller scale"
    )]
    TooMany {
        /// The file.
        file: String,
        /// Length of all curves [m].
        length: f64,
        /// The spacing [m].
        spacing: f64,
        /// How many points and segments there would be.
        estimate: f64,
    },
    /// The file was read, but what it holds makes no sound curves.
    #[error("{file}: {flaw}")]
    Flaw {
        /// The file.
        file: String,
        /// What is wrong with the curves.
        flaw: CurveFlaw,
    },
    /// The file was read, but what it holds makes no sound strands.
    #[error("{file}: {flaw}")]
    Strands {
        /// The file.
        file: String,
        /// What is wrong with the strands.
        flaw: StrandFlaw,
    },
}

/// A broken rule, before the file's name is known.
#[derive(Debug)]
struct Fault {
    field: String,
    problem: String,
    remedy: &'static str,
}

impl Fault {
    fn in_file(self, name: &str) -> CurveError {
        let Self { field, problem, remedy } = self;
        CurveError::Syntax { file: name.to_string(), field, problem, remedy }
    }
}

/// Refuses a named value that is no length.
fn check_import(name: &'static str, value: f64, file: &str) -> Result<(), CurveError> {
    let holds = value > 0.0 && value.is_finite();
    if holds { Ok(()) } else { Err(CurveError::Import { file: file.to_string(), name, value }) }
}

impl CurveMesh {
    /// Reads the curves in the file `path`, whose extension names the format. The file's axes are kept.
    pub fn read(path: impl AsRef<Path>, import: &CurveImport) -> Result<Self, CurveError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let format = match extension.to_str() {
            Some("hair") => CurveFormat::Hair,
            Some("bcc") => CurveFormat::Bcc,
            _ => return Err(CurveError::UnknownFormat { file }),
        };
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&bytes, format, import, &file),
            Err(source) => Err(CurveError::Io { file, source }),
        }
    }

    /// Reads curves from the contents of a file; `name` stands for the file in errors.
    pub fn parse(bytes: &[u8], format: CurveFormat, import: &CurveImport, name: &str) -> Result<Self, CurveError> {
        check_import("scale", import.scale, name)?;
        check_import("spacing", import.spacing, name)?;
        let syntax = |fault: Fault| fault.in_file(name);
        let (spline, controls) = match format {
            CurveFormat::Hair => (Spline::Polyline, hair_strands(&HairFile::parse(bytes, name)?).map_err(syntax)?),
            CurveFormat::Bcc => bcc::parse(bytes).map_err(syntax)?,
        };
        Self::cut(spline, &controls, import, name)
    }

    /// Curves along broken lines of at least two points each, or three where they are closed; `name` stands for the file they
    /// are from in errors.
    pub fn of_lines(lines: &[CurveLine], import: &CurveImport, name: &str) -> Result<Self, CurveError> {
        check_import("scale", import.scale, name)?;
        check_import("spacing", import.spacing, name)?;
        let accepted = |line: &CurveLine| Spline::Polyline.accepts(line.points.len() as u32, line.closed);
        if let Some(curve) = lines.iter().position(|line| !accepted(line)) {
            let problem = format!("it has {} points", lines[curve].points.len());
            let remedy = Spline::Polyline.counts_allowed();
            return Err(Fault { field: format!("curve {curve}"), problem, remedy }.in_file(name));
        }
        Self::cut(Spline::Polyline, lines, import, name)
    }

    /// Cuts curves evenly.
    fn cut(spline: Spline, controls: &[CurveLine], import: &CurveImport, name: &str) -> Result<Self, CurveError> {
        let file = || name.to_string();
        let syntax = |fault: Fault| fault.in_file(name);
        for (curve, control) in controls.iter().enumerate() {
            let sound = |p: &DVec3| (import.scale * p).abs().max_element() <= COORDINATE_LIMIT && p.is_finite();
            if let Some(point) = control.points.iter().position(|p| !sound(p)) {
                let problem = format!("it is at {}", control.points[point]);
                let remedy = "coordinates must be finite and, with the scale, below 1e9 m";
                return Err(syntax(Fault { field: format!("curve {curve}, point {point}"), problem, remedy }));
            }
        }
        // Curves are traced twice, to be measured and to be cut: a trace takes far more memory than the file.
        let trace = |control| spline.trace(control, import.scale, PIECES_PER_SPAN);
        let lengths: Vec<f64> = controls.iter().map(|control| broken_line::length(&trace(control))).collect();
        if let Some(index) = lengths.iter().position(|&length| length == 0.0) {
            let problem = "all its points are at one place".to_string();
            let remedy = "remove it, or give it a length";
            return Err(syntax(Fault { field: format!("curve {index}"), problem, remedy }));
        }
        let counts = controls.iter().zip(&lengths).map(|(c, &length)| segments(length, import.spacing, c.closed));
        let estimate = 2.0 * counts.sum::<f64>();
        // Not `>`, so that NaN from overflow is refused too.
        let possible = estimate <= MAX_PARTICLES;
        if !possible {
            let length = lengths.iter().sum();
            return Err(CurveError::TooMany { file: file(), length, spacing: import.spacing, estimate });
        }
        let mut mesh = CurveBuilder::default();
        for (control, &length) in controls.iter().zip(&lengths) {
            let count = segments(length, import.spacing, control.closed) as usize;
            let mut points = resample(&trace(control), length, count);
            if control.closed {
                points.pop();
            }
            let added = mesh.chain(points);
            if control.closed {
                mesh.segment(added.end - 1, added.start);
            }
        }
        mesh.finish().map_err(|flaw| CurveError::Flaw { file: file(), flaw })
    }
}

/// The strands of a `.hair` file as curves.
fn hair_strands(file: &HairFile) -> Result<Vec<CurveLine>, Fault> {
    if let Some(strand) = file.counts().position(|count| count < 2) {
        let problem = "it has no segments".to_string();
        let remedy = "remove the strand, or give it a second point";
        return Err(Fault { field: format!("strand {strand}"), problem, remedy });
    }
    let mut points = file.points().iter().map(|point| DVec3::from_array(point.map(f64::from)));
    let curve = |count| CurveLine { points: points.by_ref().take(count as usize).collect(), closed: false };
    Ok(file.counts().map(curve).collect())
}

/// Into how many segments a curve of a length [m] is cut.
fn segments(length: f64, spacing: f64, closed: bool) -> f64 {
    (length / spacing).round().max(if closed { 3.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const IMPORT: CurveImport = CurveImport { scale: 1.0, spacing: 0.25 };

    /// A `.hair` file of a default strand of two segments and one with its own count, by choice.
    fn hair_file(own_counts: bool) -> Vec<u8> {
        let mut bytes = b"HAIR".to_vec();
        for word in [2u32, 6, if own_counts { 3 } else { 2 }, 2] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(128, 0);
        if own_counts {
            bytes.extend([1u16, 3].iter().flat_map(|n| n.to_le_bytes()));
        }
        for i in 0..6u8 {
            bytes.extend([f32::from(i), 0.0, 1.0].iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes
    }

    /// A `.bcc` file with an open and a closed curve of four points each.
    fn bcc_file(kind: &[u8; 2]) -> Vec<u8> {
        let mut bytes = b"BCC\x44".to_vec();
        bytes.extend(kind);
        bytes.extend([3, 1]);
        let (open, closed) = if kind == b"BZ" { (4i32, -3i32) } else { (4, -4) };
        let total = open.unsigned_abs() + closed.unsigned_abs();
        bytes.extend([2, u64::from(total)].iter().flat_map(|n| n.to_le_bytes()));
        bytes.resize(64, 0);
        let corners = [[1.0f32, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        for (count, z) in [(open, 0.0f32), (closed, 1.0)] {
            bytes.extend(count.to_le_bytes());
            for [x, y] in &corners[..count.unsigned_abs() as usize] {
                bytes.extend([*x, *y, z].iter().flat_map(|x| x.to_le_bytes()));
            }
        }
        bytes
    }

    fn valid_files() -> Vec<(CurveFormat, Vec<u8>)> {
        let mut files = vec![(CurveFormat::Hair, hair_file(false)), (CurveFormat::Hair, hair_file(true))];
        files.extend([b"C0", b"C1", b"C5", b"BS", b"BZ", b"PL"].map(|kind| (CurveFormat::Bcc, bcc_file(kind))));
        files
    }

    #[test]
    fn strands_take_their_own_count_or_the_default() {
        let ends = |own_counts| {
            let mesh = CurveMesh::parse(&hair_file(own_counts), CurveFormat::Hair, &IMPORT, "x").unwrap();
            assert!(mesh.lengths().all(|length| (length - 0.25).abs() < 1e-12));
            let loose = mesh.points().len() - mesh.segments().len();
            (loose, mesh.segments().len(), mesh.points()[0], mesh.points()[mesh.points().len() - 1])
        };
        assert_eq!(ends(false), (2, 8 + 8, DVec3::Z, DVec3::new(5.0, 0.0, 1.0)));
        assert_eq!(ends(true), (2, 4 + 12, DVec3::Z, DVec3::new(5.0, 0.0, 1.0)));
    }

    #[test]
    fn open_curves_end_and_closed_curves_close() {
        for (format, bytes) in valid_files().split_off(2) {
            let mesh = CurveMesh::parse(&bytes, format, &IMPORT, "x").unwrap();
            let mut uses = vec![0; mesh.points().len()];
            mesh.segments().iter().flatten().for_each(|&i| uses[i as usize] += 1);
            let ends: Vec<DVec3> = (0..uses.len()).filter(|&i| uses[i] == 1).map(|i| mesh.points()[i]).collect();
            assert_eq!(ends.len(), 2);
            assert!(
                ends[0].distance(DVec3::new(1.0, 1.0, 0.0)) < 1e-12
                    && ends[1].distance(DVec3::new(1.0, -1.0, 0.0)) < 1e-12
            );
            let longest = mesh.lengths().fold(0.0, f64::max);
            assert!(longest < 0.3, "{longest}");
        }
    }

    #[test]
    fn the_scale_comes_before_the_spacing() {
        let import = CurveImport { scale: 0.01, spacing: 0.0025 };
        let mesh = CurveMesh::parse(&bcc_file(b"PL"), CurveFormat::Bcc, &import, "x").unwrap();
        assert_eq!(mesh.segments().len(), 24 + 32);
        assert!((mesh.bounds().extent().x - 0.02).abs() < 1e-9);
    }

    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);

    #[test]
    fn broken_files_are_named_and_refused() {
        let cases: &[(CurveFormat, Damage, &str)] = &[
            (CurveFormat::Hair, &|b| b[0] = b'h', "header, signature"),
            (CurveFormat::Hair, &|b| b.truncate(100), "header"),
            (CurveFormat::Hair, &|b| b.truncate(150), "points"),
            (CurveFormat::Hair, &|b| b[12] = 1, "header, arrays"),
            (CurveFormat::Hair, &|b| b[12] = 2, "end of the file"),
            (CurveFormat::Hair, &|b| b[4..8].fill(255), "strand segments"),
            (CurveFormat::Hair, &|b| b[8..12].fill(255), "points"),
            (CurveFormat::Hair, &|b| b[12] = 3 | 16, "colours"),
            (CurveFormat::Hair, &|b| b[128..132].copy_from_slice(&[0, 0, 4, 0]), "strand 0"),
            (CurveFormat::Hair, &|b| b[128] = 9, "point count"),
            (CurveFormat::Hair, &|b| b[130] = 2, "point count"),
            (CurveFormat::Hair, &|b| b[132..136].fill(255), "curve 0, point 0"),
            (CurveFormat::Bcc, &|b| b[2] = b'D', "header, signature"),
            (CurveFormat::Bcc, &|b| b[3] = 0x88, "header, number sizes"),
            (CurveFormat::Bcc, &|b| b[4] = b'X', "header, curve type"),
            (CurveFormat::Bcc, &|b| b[6] = 2, "header, dimensions"),
            (CurveFormat::Bcc, &|b| b[8..16].fill(255), "header, curve count"),
            (CurveFormat::Bcc, &|b| b[16..24].fill(255), "header, point count"),
            (CurveFormat::Bcc, &|b| b[16] = 7, "header, point count"),
            (CurveFormat::Bcc, &|b| b[64..68].copy_from_slice(&i32::MIN.to_le_bytes()), "curve 0"),
            (CurveFormat::Bcc, &|b| b[64..68].copy_from_slice(&1i32.to_le_bytes()), "curve 0"),
            (CurveFormat::Bcc, &|b| b[68..72].copy_from_slice(&f32::NAN.to_le_bytes()), "curve 0, point 0"),
            (CurveFormat::Bcc, &|b| b.truncate(120), "curve 1"),
        ];
        for (case, (format, damage, place)) in cases.iter().enumerate() {
            let mut bytes = match format {
                CurveFormat::Hair => hair_file(true),
                CurveFormat::Bcc => bcc_file(b"C0"),
            };
            damage(&mut bytes);
            let message = CurveMesh::parse(&bytes, *format, &IMPORT, "wool.bcc").unwrap_err().to_string();
            assert!(message.starts_with("wool.bcc, ") && message.contains(place), "case {case}: {message}");
        }
    }

    #[test]
    fn impossible_imports_are_refused() {
        let parse = |scale, spacing| {
            CurveMesh::parse(&bcc_file(b"C0"), CurveFormat::Bcc, &CurveImport { scale, spacing }, "x").unwrap_err()
        };
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(parse(bad, 0.1), CurveError::Import { name: "scale", .. }));
            assert!(matches!(parse(1.0, bad), CurveError::Import { name: "spacing", .. }));
        }
        assert!(matches!(parse(1.0, 1e-12), CurveError::TooMany { .. }));
        assert!(matches!(parse(1e300, 1e-300), CurveError::Syntax { .. }));
        let odd = CurveMesh::read("strand.txt", &IMPORT).unwrap_err().to_string();
        assert!(odd.contains("strand.txt") && odd.contains(".bcc"), "{odd}");
        let missing = CurveMesh::read("no/such.hair", &IMPORT).unwrap_err().to_string();
        assert!(missing.contains("no/such.hair"), "{missing}");
    }

    /// A folder of models made by others, if this machine has it.
    fn models() -> Option<std::path::PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        if folder.is_dir() {
            return Some(folder);
        }
        eprintln!("skipped: there is no {}", folder.display());
        None
    }

    #[test]
    fn models_made_by_others_are_read() {
        let Some(folder) = models() else { return };
        let hair =
            CurveMesh::read(folder.join("hair/straight.hair"), &CurveImport { scale: 0.01, spacing: 0.05 }).unwrap();
        assert_eq!(hair.points().len() - hair.segments().len(), 10_000);
        assert!(hair.lengths().all(|length| length < 0.06));
        for (file, curves) in [("glove", 70), ("knittubeinit", 39)] {
            let import = CurveImport { scale: 0.01, spacing: 2e-3 };
            let mesh = CurveMesh::read(folder.join(format!("yarn/{file}.bcc")), &import).unwrap();
            // All of their curves are closed, so points and segments are as many.
            assert_eq!(mesh.points().len(), mesh.segments().len(), "{file} of {curves} curves");
            assert!(mesh.lengths().all(|length| (5e-4..2.1e-3).contains(&length)), "{file}");
        }
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for (format, start) in [(CurveFormat::Hair, &b"HAIR"[..]), (CurveFormat::Bcc, b"BCC\x44C0\x03\x01")] {
                let _ = CurveMesh::parse(&bytes, format, &IMPORT, "random");
                let _ = CurveMesh::parse(&[start, &bytes].concat(), format, &IMPORT, "random");
            }
        }

        #[test]
        fn mutated_files_never_panic(
            file in 0usize..8,
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
            // Coarse, so that coordinates of 1e9 make no more than a few thousand points.
            let _ = CurveMesh::parse(&bytes, format, &CurveImport { scale: 1.0, spacing: 1e6 }, "mutated");
        }
    }
}
