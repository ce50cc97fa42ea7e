//! Wavefront OBJ text files. Reads vertices and faces, and skips everything else. Writes meshes and frames.

mod frame;

use crate::ImportError;
use crate::error::Fault;
use crate::polygons::{RawMesh, fan, validated_mesh};
use fibra_core::geometry::TriangleMesh;
pub(crate) use frame::encode;
use glam::DVec3;
use std::io::{self, Write};

const VERTEX_REMEDY: &str = "write `v x y z` with three finite numbers";
const FACE_REMEDY: &str =
    "write `f` with at least three corners `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 1, or from -1 backwards";

/// Parses a mesh from the contents of a file.
pub(crate) fn parse_mesh(bytes: &[u8], file: &str) -> Result<TriangleMesh, ImportError> {
    validated_mesh(parse(bytes), file)
}

/// Parses all vertices [m], including those that no face uses.
pub(crate) fn parse_points(bytes: &[u8], file: &str) -> Result<Vec<DVec3>, ImportError> {
    parse(bytes).map(|(vertices, _)| vertices).map_err(|fault| fault.named(file))
}

/// Parses the `v` and `f` lines. Polygons are split into triangle fans.
fn parse(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let mut polygon = Vec::new();
    // A face may refer to later vertices, so the largest index is checked at the end.
    let mut furthest = (0, 0);

    for (line, text) in logical_lines(bytes) {
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("v") => vertices.push(vertex(words, line)?),
            Some("f") => {
                polygon.clear();
                for word in words {
                    polygon.push(corner(word, vertices.len(), line)?);
                }
                if polygon.len() < 3 {
                    let problem = format!("a face has {} corners", polygon.len());
                    return Err(fault(line, problem, FACE_REMEDY));
                }
                furthest = polygon.iter().fold(furthest, |best, &i| if i > best.0 { (i, line) } else { best });
                triangles.extend(fan(&polygon));
            }
            _ => {}
        }
    }
    if !triangles.is_empty() && furthest.0 as usize >= vertices.len() {
        let problem = format!("a face uses vertex {}, but the file has {}", u64::from(furthest.0) + 1, vertices.len());
        return Err(fault(furthest.1, problem, FACE_REMEDY));
    }
    Ok((vertices, triangles))
}

fn vertex<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<DVec3, Fault> {
    let mut position = [0.0; 3];
    let mut count = 0;
    // A fourth number (a weight) or more (a color) may follow and is ignored.
    for (coordinate, word) in position.iter_mut().zip(words) {
        *coordinate = match word.parse::<f64>() {
            Ok(number) if number.is_finite() => number,
            _ => return Err(fault(line, format!("`{}` is not a finite number", shortened(word)), VERTEX_REMEDY)),
        };
        count += 1;
    }
    match count {
        3 => Ok(DVec3::from_array(position)),
        _ => Err(fault(line, format!("a vertex has {count} coordinates"), VERTEX_REMEDY)),
    }
}

/// Parses the corner of a face and returns its vertex index, counted from 0. `known` is the number of vertices read so far.
fn corner(word: &str, known: usize, line: usize) -> Result<u32, Fault> {
    let reject = |why: &str| Err(fault(line, format!("face corner `{}` {why}", shortened(word)), FACE_REMEDY));
    let index = word.split('/').next().unwrap_or_default();
    let Ok(number) = index.parse::<i64>() else { return reject("is not an index") };
    let zero_based = match number {
        1.. => number - 1,
        0 => return reject("is zero"),
        // Negative indices count back from the latest vertex. The sum of i64::MIN and a length cannot overflow.
        _ => number + known as i64,
    };
    match u32::try_from(zero_based) {
        Ok(index) => Ok(index),
        Err(_) if number < 0 => reject(&format!("counts back beyond the {known} preceding vertices")),
        Err(_) => reject("is too large"),
    }
}

/// Returns lines with their numbers, counted from 1. A line that ends in a backslash continues on the next line. Comments do not continue,
/// because a comment may end with a folder path.
fn logical_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut lines = bytes.split(|&b| b == b'\n').enumerate();
    std::iter::from_fn(move || {
        let (first, mut text) = lines.next().map(|(n, line)| (n + 1, String::from_utf8_lossy(line).into_owned()))?;
        if text.starts_with('#') {
            return Some((first, text));
        }
        while let Some(kept) = text.trim_end().strip_suffix('\\').map(str::len) {
            let Some((_, next)) = lines.next() else { break };
            text.truncate(kept);
            text.push(' ');
            text.push_str(&String::from_utf8_lossy(next));
        }
        Some((first, text))
    })
}

fn fault(line: usize, problem: String, remedy: &'static str) -> Fault {
    Fault::new(format!("line {line}"), problem, remedy)
}

/// Returns the first 24 characters of a word, so that error messages stay short if a binary file is read as text.
fn shortened(word: &str) -> String {
    word.chars().take(24).collect()
}

/// Writes a mesh as OBJ text; reading it back gives the same bits.
pub fn write_obj(mesh: &TriangleMesh, out: &mut dyn Write) -> io::Result<()> {
    for p in mesh.vertices() {
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh.triangles().iter().map(|t| t.map(|i| u64::from(i) + 1)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::octahedron;

    fn read(text: &str) -> Result<TriangleMesh, String> {
        parse_mesh(text.as_bytes(), "m.obj").map_err(|e| e.to_string())
    }

    const SQUARE: &str = "# a square\r\nmtllib x.mtl\nv 0 0 0 1.0\nv 1 0 0\nv 1 1 0 0.5 0.5 0.5\nv 0 1e0 0\nvt 0 0\n";

    #[test]
    fn all_corner_forms_are_read() {
        for face in ["1 2 3 4", "1/1 2/1 3/1 4/1", "1//1 2//1 3//1 4//1", "1/1/1 2/1/1 3/1/1 4/1/1", "-4 -3 -2 -1"] {
            let mesh = read(&format!("{SQUARE}f {face}\n")).unwrap();
            assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
            assert_eq!(mesh.vertices()[2], DVec3::new(1.0, 1.0, 0.0));
        }
        assert_eq!(read(&format!("{SQUARE}f 1 2 \\\r\n 3 4\n")).unwrap().triangles().len(), 2);
        assert_eq!(read("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0").unwrap().triangles(), [[0, 1, 2]]);
    }

    #[test]
    fn written_meshes_round_trip() {
        let mesh = octahedron();
        let mut text = Vec::new();
        write_obj(&mesh, &mut text).unwrap();
        assert_eq!(parse_mesh(&text, "m.obj").unwrap(), mesh);
    }

    #[test]
    fn points_need_no_faces() {
        assert_eq!(parse_points(b"v 1 0 0\nv 0 1 0\n", "c.obj").unwrap(), [DVec3::X, DVec3::Y]);
        let error = parse_points(b"v 1 0\n", "c.obj").unwrap_err().to_string();
        assert!(error.starts_with("c.obj, line 1: a vertex has 2 coordinates"), "{error}");
    }

    #[test]
    fn errors_name_line_and_remedy() {
        let cases = [
            ("v 0 0 nan\n", "m.obj, line 1: `nan` is not a finite number"),
            ("v 0 0 1e999\n", "m.obj, line 1: `1e999` is not a finite number"),
            ("v 0 0 0\nv 0 zero 0\n", "m.obj, line 2: `zero` is not a finite number"),
            ("v 1 2\n", "m.obj, line 1: a vertex has 2 coordinates"),
            (&format!("{SQUARE}f 1 2\n"), "m.obj, line 8: a face has 2 corners"),
            (&format!("{SQUARE}f 1 2 0\n"), "m.obj, line 8: face corner `0` is zero"),
            (&format!("{SQUARE}f 1 2 x/1\n"), "m.obj, line 8: face corner `x/1` is not an index"),
            (
                &format!("{SQUARE}f 1 2 -5\n"),
                "m.obj, line 8: face corner `-5` counts back beyond the 4 preceding vertices",
            ),
            (&format!("{SQUARE}f 1 2 5\n"), "m.obj, line 8: a face uses vertex 5, but the file has 4"),
            (&format!("{SQUARE}f 1 2 99999999999\n"), "m.obj, line 8: face corner `99999999999` is too large"),
            (&format!("{SQUARE}f 1 2 1\n"), "m.obj: triangle 0"),
        ];
        for (text, message) in cases {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
