//! Tests of `.hair` files: round trips, damage, repairs.

use super::*;
use fibra_core::geometry::CurveCutError;
use proptest::prelude::*;

/// Returns a file with strands of 1, 3 and 2 segments and all arrays.
fn full_file() -> HairFile {
    let points = (0..9u8).map(|i| [f32::from(i), 0.1, -1.0 / 3.0]).collect();
    let mut file = HairFile::new(points, &[2, 4, 3]).unwrap();
    file.looks = HairLooks {
        thickness: PerPoint { default: 0.1, own: Some(vec![0.2; 9]) },
        transparency: PerPoint { default: f32::NAN, own: Some(vec![0.7; 9]) },
        color: PerPoint { default: [1.0, 0.5, 0.25], own: Some(vec![[0.1, 0.2, 0.3]; 9]) },
    };
    file.information[..5].copy_from_slice(b"curls");
    file
}

/// Returns a file with three strands of two segments each and only the points array.
fn plain_file() -> HairFile {
    HairFile::new((0..9u8).map(|i| [f32::from(i), 0.0, 1.0]).collect(), &[3; 3]).unwrap()
}

fn bytes(file: &HairFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(&mut bytes).unwrap();
    bytes
}

fn error(bytes: &[u8]) -> String {
    let message = parse_strands(bytes, 1.0, "fringe.hair").unwrap_err().to_string();
    assert!(message.starts_with("fringe.hair"), "{message}");
    message
}

#[test]
fn written_bytes_match_the_format() {
    let written = bytes(&plain_file());
    assert_eq!(written.len(), 128 + 9 * 12);
    assert_eq!(written[..20], *b"HAIR\x03\0\0\0\x09\0\0\0\x02\0\0\0\x02\0\0\0");
    let written = bytes(&full_file());
    assert_eq!(written.len(), 128 + 3 * 2 + 9 * (12 + 4 + 4 + 12));
    assert_eq!(written[12], 31);
    assert_eq!(written[40..45], *b"curls");
    assert_eq!(written[128..134], [1, 0, 3, 0, 2, 0]);
    assert_eq!(written[134 + 12..][..4], 1f32.to_le_bytes());
    assert_eq!(written[134 + 9 * 12..][..4], 0.2f32.to_le_bytes());
}

#[test]
fn files_round_trip_bit_for_bit() {
    for file in [plain_file(), full_file()] {
        let written = bytes(&file);
        assert_eq!(bytes(&HairFile::parse(&written, "x").unwrap()), written);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.hair");
    std::fs::write(&path, bytes(&plain_file())).unwrap();
    assert_eq!(HairFile::read(&path).unwrap(), plain_file());
    assert_eq!(crate::read_strands(&path, None, 0.5).unwrap(), parse_strands(&bytes(&plain_file()), 0.5, "x").unwrap());
}

#[test]
fn the_scale_converts_units_to_meters_and_back() {
    let (strands, repairs) = parse_strands(&bytes(&plain_file()), 0.25, "x").unwrap();
    assert!(repairs.is_empty());
    assert_eq!((strands.len(), strands.strand(1)[2]), (3, DVec3::new(1.25, 0.0, 0.25)));
    assert_eq!(HairFile::from_strands(&strands, 0.25).unwrap(), plain_file());
    for bad in [0.0, 1e-40, f64::NAN] {
        assert!(matches!(HairFile::from_strands(&strands, bad), Err(HairFlaw::BadCoordinate { .. })), "{bad}");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = parse_strands(&bytes(&plain_file()), bad, "x").unwrap_err();
        assert!(
            matches!(error, ImportError::Cut { error: CurveCutError::Setting { name: "scale", .. }, .. }),
            "{error}"
        );
    }
}

/// Overwrites the 32-bit word at a byte offset.
fn set(bytes: &mut [u8], at: usize, word: [u8; 4]) {
    bytes[at..at + 4].copy_from_slice(&word);
}

#[test]
fn broken_files_are_rejected_with_file_and_location() {
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    let cases: &[(Damage, &str)] = &[
        (&|b| b.clear(), "header, signature: 4 bytes are needed, but only 0 are left"),
        (
            &|b| b[0] = b'h',
            "header, signature: this is not a .hair file: its first four bytes are not `HAIR`; supported formats are .hair",
        ),
        (&|b| b.truncate(18), "header, default segments"),
        (&|b| b.truncate(100), "header, information"),
        (&|b| b[12] = 0x22 | 1, "header, arrays: the bit mask is 35; it must be a sum of 1"),
        (&|b| b[12] = 29, "header, arrays: the file has no points"),
        (&|b| set(b, 4, [255; 4]), "strand segments: 8589934590 bytes are needed"),
        (&|b| set(b, 8, [255; 4]), "points: 51539607540 bytes are needed"),
        (&|b| b.truncate(200), "points"),
        (&|b| b.truncate(134 + 9 * 12 + 5), "thickness"),
        (&|b| b.truncate(134 + 9 * 16 + 5), "transparency"),
        (&|b| b.truncate(134 + 9 * 20 + 5), "colors"),
        (&|b| b.push(0), "end of the file: 1 unread bytes are left"),
        (&|b| b[130] = 9, "header, point count: the header declares 9 points, but strands up to 1 need 12"),
        (
            &|b| b[128..134].fill(255),
            "header, point count: the header declares 9 points, but strands up to 0 need 65536",
        ),
        (&|b| b[132] = 1, "header, point count: the header declares 9 points, but the strands use 8"),
        (&|b| set(b, 134, f32::NAN.to_le_bytes()), "point 0 of strand 0 is at (NaN"),
        (&|b| set(b, 134 + 12 * 7 + 4, f32::INFINITY.to_le_bytes()), "point 1 of strand 2 is at (7, inf"),
        (&|b| set(b, 134 + 12 * 2, 1e20f32.to_le_bytes()), "point 0 of strand 1"),
        (&|b| b[134..134 + 9 * 12].fill(0), "strands: all 3 strands have zero length"),
    ];
    for (case, (damage, problem)) in cases.iter().enumerate() {
        let mut bytes = bytes(&full_file());
        damage(&mut bytes);
        let message = error(&bytes);
        assert!(message.contains(problem), "case {case}: {message}");
    }
    let missing = crate::read_strands("no/such.hair", None, 1.0).unwrap_err().to_string();
    assert!(missing.contains("no/such.hair"), "{missing}");
}

#[test]
fn default_counts_must_add_up_too() {
    let damaged = |at, word: u32| {
        let mut bytes = bytes(&plain_file());
        set(&mut bytes, at, word.to_le_bytes());
        error(&bytes)
    };
    assert!(damaged(16, 3).contains("9 points, but strands up to 2 need 12"));
    assert!(damaged(16, 65_536).contains("header, default segments: 65536 segments per strand; at most 65535"));
    assert!(damaged(16, u32::MAX).contains("header, default segments"));
    assert!(damaged(4, u32::MAX).contains("9 points, but strands up to 3 need 12"));
    assert!(damaged(4, 0).contains("9 points, but the strands use 0"));
    assert!(error(&bytes(&HairFile::new(vec![], &[]).unwrap())).contains("all 0 strands have zero length"));
}

#[test]
fn a_strand_has_65535_segments_at_most() {
    let points = |count: u32| (0..count).map(|i| [i as f32, 0.0, 0.0]).collect::<Vec<_>>();
    for counts in [&[65_536][..], &[65_536, 2]] {
        let longest = HairFile::new(points(counts.iter().sum()), counts).unwrap();
        let (strands, _) = parse_strands(&bytes(&longest), 1.0, "x").unwrap();
        assert_eq!(strands.strand(0).len(), 65_536);
    }
    let flaw = HairFile::new(points(65_539), &[2, 65_537]).unwrap_err();
    assert_eq!(flaw, HairFlaw::StrandPoints { strand: 1, points: 65_537 });
    assert_eq!(HairFile::new(points(1), &[1]).unwrap_err(), HairFlaw::StrandPoints { strand: 0, points: 1 });
    let flaw = HairFile::new(points(5), &[2, 4]).unwrap_err();
    assert_eq!(flaw, HairFlaw::PointCount { needed: 6, points: 5 });
}

#[test]
fn appearance_arrays_need_one_value_per_point() {
    let mut file = plain_file();
    file.looks.thickness.own = Some(vec![1.0; 8]);
    let message = file.write(&mut Vec::new()).unwrap_err().to_string();
    assert_eq!(message, "`thickness` has 8 values for 9 points; it needs one value per point");
}

#[test]
fn strands_of_zero_length_and_repeated_points_are_dropped_and_counted() {
    let mut damaged = bytes(&full_file());
    // The first strand becomes a single point, and its other point joins the second strand, whose last two points then coincide.
    damaged[128..132].copy_from_slice(&[0, 0, 4, 0]);
    let point: Vec<u8> = damaged[134 + 12 * 4..134 + 12 * 5].to_vec();
    damaged[134 + 12 * 5..134 + 12 * 6].copy_from_slice(&point);
    let (strands, repairs) = parse_strands(&damaged, 1.0, "x").unwrap();
    assert_eq!(repairs, StrandRepairs { strands_without_length: 1, repeated_points: 1 });
    assert_eq!(strands.offsets(), &[0, 4, 7]);
}

#[test]
fn a_third_party_model_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/hair/straight.hair");
    let Ok(original) = std::fs::read(&path) else {
        return eprintln!("skipped: there is no {}", path.display());
    };
    let file = HairFile::parse(&original, "straight.hair").unwrap();
    assert_eq!((file.strands(), file.points().len()), (10_000, 160_000));
    assert_eq!(bytes(&file), original);
    let (strands, repairs) = crate::read_strands(&path, None, 0.01).unwrap();
    assert!(repairs.is_empty(), "{repairs}");
    assert!(strands.lengths().all(|length| (0.5..1.1).contains(&length)));
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_strands(&bytes, 1.0, "random");
        let _ = parse_strands(&[b"HAIR", &bytes[..]].concat(), 1.0, "random");
    }

    #[test]
    fn mutated_files_never_panic_and_valid_ones_round_trip(
        full in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        truncate in any::<bool>(),
    ) {
        let mut mutated = bytes(&if full { full_file() } else { plain_file() });
        for (at, byte) in edits {
            let at = at.index(mutated.len());
            mutated[at] = byte;
        }
        if truncate {
            mutated.truncate(cut.index(mutated.len()));
        }
        if let Ok(file) = HairFile::parse(&mutated, "mutated") {
            prop_assert_eq!(bytes(&file), mutated.clone());
        }
        if let Ok((strands, _)) = parse_strands(&mutated, 1.0, "mutated") {
            // The strict validation must accept the strands too.
            let counts: Vec<u32> = strands.iter().map(|strand| strand.len() as u32).collect();
            prop_assert_eq!(StrandSet::new(strands.points().to_vec(), &counts).unwrap(), strands.with_widths(None));
        }
    }
}
