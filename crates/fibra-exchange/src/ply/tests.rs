//! Tests of the scalar properties of vertices.

use super::*;

const FIELDS: [PointField; 3] = [
    PointField { name: "x", positive: false },
    PointField { name: "radius", positive: true },
    PointField { name: "volume", positive: true },
];

fn ply(kind: &str, values: &[u8]) -> Vec<u8> {
    let header = format!(
        "ply\nformat {kind} 1.0\nelement junk 1\nproperty uchar a\nelement vertex 2\nproperty float radius\n\
         property list uchar uchar tags\nproperty float x\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n"
    );
    [header.as_bytes(), values].concat()
}

#[test]
fn fields_are_found_in_text_and_binary() {
    let expected = vec![Some(vec![-1.0, 2.0]), Some(vec![0.5, 0.25]), None];
    let text = ply("ascii", b"7\n0.5 1 9 -1\n0.25 0 2\n");
    assert_eq!(parse_fields(&text, "c.ply", &FIELDS).unwrap(), expected);
    let mut raw = vec![7];
    for (radius, tags, x) in [(0.5f32, &[1u8, 9][..], -1.0f32), (0.25, &[0], 2.0)] {
        raw.extend(radius.to_le_bytes());
        raw.extend(tags);
        raw.extend(x.to_le_bytes());
    }
    let binary = ply("binary_little_endian", &raw);
    assert_eq!(parse_fields(&binary, "c.ply", &FIELDS).unwrap(), expected);
    let cut = &binary[..binary.len() - 1];
    let error = parse_fields(cut, "c.ply", &FIELDS).unwrap_err().to_string();
    assert!(error.contains("c.ply") && error.contains("vertex 1"), "{error}");
}

#[test]
fn invalid_values_are_rejected_with_their_location() {
    for (values, message) in [
        (&b"7\n0.5 0 1\n0 0 2\n"[..], "c.ply, line 14: `radius` of vertex 1 is 0; it must be a finite number above 0"),
        (&b"7\n0.5 0 inf\n1 0 2\n"[..], "c.ply, line 13: `x` of vertex 0 is inf; it must be a finite number"),
    ] {
        let error = parse_fields(&ply("ascii", values), "c.ply", &FIELDS).unwrap_err().to_string();
        assert_eq!(error, message);
    }
    let none = b"ply\nformat ascii 1.0\nend_header\n";
    assert_eq!(parse_fields(none, "c.ply", &FIELDS).unwrap(), [None, None, None]);
}
