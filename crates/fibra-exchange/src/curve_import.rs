//! Conversion of the curves of a file to a curve mesh.

use crate::ImportError;
use crate::error::Fault;
use fibra_core::geometry::{CurveCutError, CurveLine, CurveMesh, Spline};

/// Settings for the conversion of the curves of a file to a curve mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveImport {
    /// Length of one file unit [m], which `.hair` and `.bcc` files do not store. USD files are converted to meters first, then scaled by this factor.
    pub scale: f64,
    /// Approximate length of a segment [m]: curves are resampled evenly along their length.
    pub spacing: f64,
}

impl CurveImport {
    /// Rejects a scale or a spacing that is not a valid length.
    pub(crate) fn check(&self, file: &str) -> Result<(), ImportError> {
        check_setting("scale", self.scale, file)?;
        check_setting("spacing", self.spacing, file)
    }
}

/// Rejects a named value that is not a valid length.
pub(crate) fn check_setting(name: &'static str, value: f64, file: &str) -> Result<(), ImportError> {
    CurveCutError::check_setting(name, value).map_err(|error| in_file(error, file))
}

/// Resamples the curves of a file evenly.
pub(crate) fn cut_splines(
    spline: Spline,
    curves: &[CurveLine],
    import: &CurveImport,
    file: &str,
) -> Result<CurveMesh, ImportError> {
    CurveMesh::from_splines(spline, curves, import.scale, import.spacing).map_err(|error| in_file(error, file))
}

fn in_file(error: CurveCutError, file: &str) -> ImportError {
    match error {
        CurveCutError::Curve { place, problem, remedy } => Fault::new(place, problem, remedy).named(file),
        error => ImportError::Cut { file: file.to_owned(), error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bcc, hair, read_curves};
    use glam::DVec3;
    use proptest::prelude::*;
    use std::path::Path;

    const IMPORT: CurveImport = CurveImport { scale: 1.0, spacing: 0.25 };

    /// Returns a `.hair` file of two strands, with two segments each by default, or with 1 and 3 segments if `own_counts`.
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

    /// Returns a `.bcc` file with an open and a closed curve of four points each.
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

    type Parser = fn(&[u8], &CurveImport, &str) -> Result<CurveMesh, ImportError>;
    const HAIR: Parser = hair::parse_curves;
    const BCC: Parser = bcc::parse_curves;

    fn valid_files() -> Vec<(Parser, Vec<u8>)> {
        let mut files = vec![(HAIR, hair_file(false)), (HAIR, hair_file(true))];
        files.extend([b"C0", b"C1", b"C5", b"BS", b"BZ", b"PL"].map(|kind| (BCC, bcc_file(kind))));
        files
    }

    #[test]
    fn strands_use_their_own_segment_count_or_the_default() {
        let ends = |own_counts| {
            let mesh = hair::parse_curves(&hair_file(own_counts), &IMPORT, "x").unwrap();
            assert!(mesh.lengths().all(|length| (length - 0.25).abs() < 1e-12));
            let loose = mesh.points().len() - mesh.segments().len();
            (loose, mesh.segments().len(), mesh.points()[0], mesh.points()[mesh.points().len() - 1])
        };
        assert_eq!(ends(false), (2, 8 + 8, DVec3::Z, DVec3::new(5.0, 0.0, 1.0)));
        assert_eq!(ends(true), (2, 4 + 12, DVec3::Z, DVec3::new(5.0, 0.0, 1.0)));
    }

    #[test]
    fn open_curves_have_two_ends_and_closed_curves_none() {
        for (parse, bytes) in valid_files().split_off(2) {
            let mesh = parse(&bytes, &IMPORT, "x").unwrap();
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
    fn the_scale_is_applied_before_the_spacing() {
        let import = CurveImport { scale: 0.01, spacing: 0.0025 };
        let mesh = bcc::parse_curves(&bcc_file(b"PL"), &import, "x").unwrap();
        assert_eq!(mesh.segments().len(), 24 + 32);
        assert!((mesh.bounds().extent().x - 0.02).abs() < 1e-9);
    }

    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);

    #[test]
    fn broken_files_are_rejected_with_file_and_location() {
        let cases: &[(&str, Damage, &str)] = &[
            ("hair", &|b| b[0] = b'h', "header, signature"),
            ("hair", &|b| b.truncate(100), "header"),
            ("hair", &|b| b.truncate(150), "points"),
            ("hair", &|b| b[12] = 1, "header, arrays"),
            ("hair", &|b| b[12] = 2, "end of the file"),
            ("hair", &|b| b[4..8].fill(255), "strand segments"),
            ("hair", &|b| b[8..12].fill(255), "points"),
            ("hair", &|b| b[12] = 3 | 16, "colors"),
            ("hair", &|b| b[128..132].copy_from_slice(&[0, 0, 4, 0]), "strand 0"),
            ("hair", &|b| b[128] = 9, "point count"),
            ("hair", &|b| b[130] = 2, "point count"),
            ("hair", &|b| b[132..136].fill(255), "curve 0, point 0"),
            ("bcc", &|b| b[2] = b'D', "header, signature"),
            ("bcc", &|b| b[3] = 0x88, "header, number sizes"),
            ("bcc", &|b| b[4] = b'X', "header, curve type"),
            ("bcc", &|b| b[6] = 2, "header, dimensions"),
            ("bcc", &|b| b[8..16].fill(255), "header, curve count"),
            ("bcc", &|b| b[16..24].fill(255), "header, point count"),
            ("bcc", &|b| b[16] = 7, "header, point count"),
            ("bcc", &|b| b[64..68].copy_from_slice(&i32::MIN.to_le_bytes()), "curve 0"),
            ("bcc", &|b| b[64..68].copy_from_slice(&1i32.to_le_bytes()), "curve 0"),
            ("bcc", &|b| b[68..72].copy_from_slice(&f32::NAN.to_le_bytes()), "curve 0, point 0"),
            ("bcc", &|b| b.truncate(120), "curve 1"),
        ];
        for (case, (format, damage, place)) in cases.iter().enumerate() {
            let (parse, mut bytes) = match *format {
                "hair" => (HAIR, hair_file(true)),
                _ => (BCC, bcc_file(b"C0")),
            };
            damage(&mut bytes);
            let message = parse(&bytes, &IMPORT, "wool.bcc").unwrap_err().to_string();
            assert!(message.starts_with("wool.bcc, ") && message.contains(place), "case {case}: {message}");
        }
    }

    #[test]
    fn invalid_settings_are_rejected() {
        let parse =
            |scale, spacing| bcc::parse_curves(&bcc_file(b"C0"), &CurveImport { scale, spacing }, "x").unwrap_err();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                parse(bad, 0.1),
                ImportError::Cut { error: CurveCutError::Setting { name: "scale", .. }, .. }
            ));
            assert!(matches!(
                parse(1.0, bad),
                ImportError::Cut { error: CurveCutError::Setting { name: "spacing", .. }, .. }
            ));
        }
        assert!(matches!(parse(1.0, 1e-12), ImportError::Cut { error: CurveCutError::TooMany { .. }, .. }));
        assert!(matches!(parse(1e300, 1e-300), ImportError::Broken { .. }));
        let odd = read_curves("strand.txt", None, &IMPORT).unwrap_err().to_string();
        assert!(odd.contains("strand.txt") && odd.contains(".bcc"), "{odd}");
        let missing = read_curves("no/such.hair", None, &IMPORT).unwrap_err().to_string();
        assert!(missing.contains("no/such.hair"), "{missing}");
    }

    /// Returns the folder of third-party models, if it exists.
    fn models() -> Option<std::path::PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        if folder.is_dir() {
            return Some(folder);
        }
        eprintln!("skipped: there is no {}", folder.display());
        None
    }

    #[test]
    fn third_party_models_are_read() {
        let Some(folder) = models() else { return };
        let hair =
            read_curves(folder.join("hair/straight.hair"), None, &CurveImport { scale: 0.01, spacing: 0.05 }).unwrap();
        assert_eq!(hair.points().len() - hair.segments().len(), 10_000);
        assert!(hair.lengths().all(|length| length < 0.06));
        for (file, curves) in [("glove", 70), ("knittubeinit", 39)] {
            let import = CurveImport { scale: 0.01, spacing: 2e-3 };
            let mesh = read_curves(folder.join(format!("yarn/{file}.bcc")), None, &import).unwrap();
            // All curves of the models are closed, so there are as many points as segments.
            assert_eq!(mesh.points().len(), mesh.segments().len(), "{file} of {curves} curves");
            assert!(mesh.lengths().all(|length| (5e-4..2.1e-3).contains(&length)), "{file}");
        }
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for (parse, start) in [(HAIR, &b"HAIR"[..]), (BCC, b"BCC\x44C0\x03\x01")] {
                let _ = parse(&bytes, &IMPORT, "random");
                let _ = parse(&[start, &bytes].concat(), &IMPORT, "random");
            }
        }

        #[test]
        fn mutated_files_never_panic(
            file in 0usize..8,
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
            truncate in any::<bool>(),
        ) {
            let (parse, mut bytes) = valid_files().swap_remove(file);
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if truncate {
                bytes.truncate(cut.index(bytes.len()));
            }
            // A coarse spacing, so that coordinates of 1e9 give at most a few thousand points.
            let _ = parse(&bytes, &CurveImport { scale: 1.0, spacing: 1e6 }, "mutated");
        }
    }
}
