//! OBJ: a vertex per point, nothing else.

use super::is_far;
use fibra_core::frame::Frame;
use std::fmt::Write;

/// A frame as a file.
pub fn encode(frame: &Frame) -> Vec<u8> {
    let mut text = format!(
        "# fibra {}, frame {}, t = {} s, metres\no points\n",
        env!("CARGO_PKG_VERSION"),
        frame.index,
        frame.time
    );
    for (index, [x, y, z]) in frame.points.iter().enumerate() {
        // Both forms print the shortest digits that read back to the same number.
        let line = if is_far(frame) {
            let [x, y, z] = frame.world_point(index);
            writeln!(text, "v {x} {y} {z}")
        } else {
            writeln!(text, "v {x} {y} {z}")
        };
        line.expect("text can always grow");
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn one_vertex_per_point_in_world_coordinates() {
        let near = String::from_utf8(encode(&sample([0.0; 3]))).unwrap();
        assert!(near.ends_with("\nv 0.1 2 -3\nv 4 5.5 6\n"), "{near}");
        let far = String::from_utf8(encode(&sample([1e6, 0.0, 0.5]))).unwrap();
        assert!(far.ends_with("\nv 1000004 5.5 6.5\n"), "{far}");
    }
}
