//! Export of frames as OBJ: one vertex per point, then the faces and polylines of each object.

use crate::world::is_far;
use fibra_core::frame::Frame;
use fibra_core::geometry::polylines;
use std::fmt::Write;

/// Encodes a frame as a file.
pub(crate) fn encode(frame: &Frame) -> Vec<u8> {
    let mut text = format!(
        "# fibra {}, frame {}, t = {} s, meters\no points\n",
        env!("CARGO_PKG_VERSION"),
        frame.index,
        frame.time
    );
    for (index, [x, y, z]) in frame.points.iter().enumerate() {
        // For `f32` and `f64`, Rust prints the shortest decimal form that parses to the same number.
        let line = if is_far(frame) {
            let [x, y, z] = frame.world_point(index);
            writeln!(text, "v {x} {y} {z}")
        } else {
            writeln!(text, "v {x} {y} {z}")
        };
        line.expect("writing to a string cannot fail");
    }
    add_elements(frame, &mut text).expect("writing to a string cannot fail");
    text.into_bytes()
}

/// Appends the faces and polylines, grouped by object. OBJ counts vertices from 1.
fn add_elements(frame: &Frame, text: &mut String) -> std::fmt::Result {
    let curves = polylines(&frame.segments);
    let faces = frame.triangles.iter().map(|corners| ("f", corners.as_slice()));
    let lines = curves.iter().map(|points| ("l", points.as_slice()));
    let object_of = |points: &[u32]| frame.object[points[0] as usize];
    let mut elements: Vec<(&str, &[u32])> = faces.chain(lines).collect();
    elements.sort_by_key(|(_, points)| object_of(points));
    for part in elements.chunk_by(|(_, a), (_, b)| object_of(a) == object_of(b)) {
        writeln!(text, "o object_{}", object_of(part[0].1))?;
        for (keyword, points) in part {
            text.push_str(keyword);
            for &point in *points {
                write!(text, " {}", u64::from(point) + 1)?;
            }
            text.push('\n');
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_frames::{sample, woven};

    #[test]
    fn one_vertex_per_point_in_world_coordinates() {
        let near = String::from_utf8(encode(&sample([0.0; 3]))).unwrap();
        assert!(near.ends_with("\nv 0.1 2 -3\nv 4 5.5 6\n"), "{near}");
        let far = String::from_utf8(encode(&sample([1e6, 0.0, 0.5]))).unwrap();
        assert!(far.ends_with("\nv 1000004 5.5 6.5\n"), "{far}");
    }

    #[test]
    fn cloth_is_faces_and_threads_are_polylines() {
        let text = String::from_utf8(encode(&woven())).unwrap();
        let mut object = "";
        let mut found = Vec::new();
        for line in text.lines() {
            let (keyword, rest) = line.split_once(' ').unwrap();
            match keyword {
                "o" => object = rest,
                "f" | "l" => {
                    let points: Vec<usize> = rest.split(' ').map(|number| number.parse().unwrap()).collect();
                    found.push((object, keyword, points));
                }
                _ => {}
            }
        }
        assert_eq!(text.lines().filter(|line| line.starts_with("v ")).count(), 8);
        let faces = [("object_1", "f", vec![1, 2, 3]), ("object_1", "f", vec![3, 2, 4])];
        assert_eq!(found[..2], faces);
        assert_eq!(found[2..], [("object_2", "l", vec![6, 7, 8])]);
    }
}
