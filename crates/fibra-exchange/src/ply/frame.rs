//! Export of frames as binary PLY: points, faces for surfaces, edges for curves.

use crate::world::is_far;
use fibra_core::frame::Frame;

/// Encodes a frame as a file: a text header, then one packed record per point, triangle and segment.
pub(crate) fn encode(frame: &Frame) -> Vec<u8> {
    let far = is_far(frame);
    let mut bytes = header(frame, far).into_bytes();
    for point in 0..frame.points.len() {
        if far {
            bytes.extend(frame.world_point(point).into_iter().flat_map(f64::to_le_bytes));
        } else {
            bytes.extend(frame.points[point].into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend(frame.velocities[point].into_iter().flat_map(f32::to_le_bytes));
        bytes.extend(frame.object[point].to_le_bytes());
        bytes.extend(frame.attributes.iter().flat_map(|attribute| attribute.values[point].to_le_bytes()));
    }
    for triangle in &frame.triangles {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|corner| corner.to_le_bytes()));
    }
    bytes.extend(frame.segments.iter().flatten().flat_map(|end| end.to_le_bytes()));
    bytes
}

/// Encodes the grains of a frame as a separate file: one point per grain, with its rotation as a unit quaternion.
pub(crate) fn encode_instances(frame: &Frame) -> Vec<u8> {
    let far = is_far(frame);
    let mut text = opening(frame, frame.instances.len(), far);
    for part in ["qx", "qy", "qz", "qw"] {
        text += &format!("property float {part}\n");
    }
    let mut bytes = (text + "property uint object\nend_header\n").into_bytes();
    for (pose, object) in frame.instances.iter().zip(&frame.instance_object) {
        if far {
            bytes.extend(frame.in_world(pose.translation).into_iter().flat_map(f64::to_le_bytes));
        } else {
            bytes.extend(pose.translation.into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend(pose.rotation.into_iter().flat_map(f32::to_le_bytes));
        bytes.extend(object.to_le_bytes());
    }
    bytes
}

/// Returns the start of a header: format, comment and vertex coordinates.
fn opening(frame: &Frame, vertices: usize, far: bool) -> String {
    let coordinate = if far { "double" } else { "float" };
    let mut text = format!(
        "ply\nformat binary_little_endian 1.0\ncomment fibra {}, frame {}, t = {} s, SI units\nelement vertex {}\n",
        env!("CARGO_PKG_VERSION"),
        frame.index,
        frame.time,
        vertices
    );
    for axis in ["x", "y", "z"] {
        text += &format!("property {coordinate} {axis}\n");
    }
    text
}

fn header(frame: &Frame, far: bool) -> String {
    let mut text = opening(frame, frame.points.len(), far);
    for axis in ["vx", "vy", "vz"] {
        text += &format!("property float {axis}\n");
    }
    text += "property uint object\n";
    for attribute in &frame.attributes {
        text += &format!("property float {}\n", word(&attribute.name));
    }
    // Readers expect signed indices. A frame with enough points to overflow them would not fit into memory.
    if !frame.triangles.is_empty() {
        text += &format!("element face {}\nproperty list uchar int vertex_indices\n", frame.triangles.len());
    }
    if !frame.segments.is_empty() {
        text += &format!("element edge {}\nproperty int vertex1\nproperty int vertex2\n", frame.segments.len());
    }
    text + "end_header\n"
}

/// Replaces all characters that are not allowed in a PLY property name.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_frames::{sample, woven};
    use fibra_core::frame::Pose;

    fn split(bytes: &[u8]) -> (String, Vec<u8>) {
        let mark = b"end_header\n";
        let end = bytes.windows(mark.len()).position(|part| part == mark).unwrap() + mark.len();
        (String::from_utf8(bytes[..end].to_vec()).unwrap(), bytes[end..].to_vec())
    }

    #[test]
    fn near_the_origin_coordinates_are_floats() {
        let (header, data) = split(&encode(&sample([0.0; 3])));
        assert!(header.contains("element vertex 2\nproperty float x\n"), "{header}");
        assert!(header.contains("property uint object\nproperty float a__b__\nend_header"), "{header}");
        assert_eq!(data.len(), 2 * (3 * 4 + 3 * 4 + 4 + 4));
        assert_eq!(data[..4], 0.1f32.to_le_bytes());
        assert_eq!(data[24..28], 0u32.to_le_bytes());
        assert_eq!(data[28..32], 10.0f32.to_le_bytes());
        assert_eq!(data[32..36], 4.0f32.to_le_bytes());
    }

    #[test]
    fn far_from_the_origin_coordinates_are_doubles() {
        let (header, data) = split(&encode(&sample([1e6, 0.0, 0.0])));
        assert!(header.contains("property double x\n"), "{header}");
        assert_eq!(data.len(), 2 * (3 * 8 + 3 * 4 + 4 + 4));
        assert_eq!(data[..8], (1e6 + f64::from(0.1f32)).to_le_bytes());
    }

    #[test]
    fn grains_are_points_with_a_rotation() {
        let pose = |x: f32| Pose { translation: [x, 2.0, 3.0], rotation: [0.0, 0.6, 0.0, 0.8] };
        let mut frame =
            Frame { instances: vec![pose(1.0), pose(4.0)], instance_object: vec![0, 9], ..sample([0.0; 3]) };
        let (header, data) = split(&encode_instances(&frame));
        assert!(header.contains("element vertex 2\nproperty float x\n"), "{header}");
        assert!(header.ends_with("property float qw\nproperty uint object\nend_header\n"), "{header}");
        assert_eq!(data.len(), 2 * (3 * 4 + 4 * 4 + 4));
        assert_eq!((&data[32..36], &data[60..64]), (&4f32.to_le_bytes()[..], &9u32.to_le_bytes()[..]));
        assert_eq!(data[16..20], 0.6f32.to_le_bytes());
        frame.origin = [1e6, 0.0, 0.0];
        let (header, data) = split(&encode_instances(&frame));
        assert!(header.contains("property double x\n") && data.len() == 2 * (3 * 8 + 4 * 4 + 4), "{header}");
        assert_eq!(data[..8], (1e6 + 1.0f64).to_le_bytes());
    }

    #[test]
    fn faces_and_edges_follow_the_points() {
        let (header, data) = split(&encode(&woven()));
        let elements: Vec<&str> = header.lines().filter(|line| line.starts_with("element")).collect();
        assert_eq!(elements, ["element vertex 8", "element face 2", "element edge 2"]);
        assert!(header.contains("element face 2\nproperty list uchar int vertex_indices\n"), "{header}");
        assert!(
            header.ends_with("element edge 2\nproperty int vertex1\nproperty int vertex2\nend_header\n"),
            "{header}"
        );
        let (vertices, rest) = data.split_at(8 * (3 * 4 + 3 * 4 + 4 + 4));
        let (faces, edges) = rest.split_at(2 * (1 + 3 * 4));
        let indices = |bytes: &[u8]| -> Vec<i32> {
            bytes.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect()
        };
        // The grain keeps its index and attribute.
        assert_eq!(vertices[4 * 32 + 28..5 * 32], 4.0f32.to_le_bytes());
        let read: Vec<(u8, Vec<i32>)> = faces.chunks_exact(13).map(|face| (face[0], indices(&face[1..]))).collect();
        assert_eq!(read, [(3, vec![0, 1, 2]), (3, vec![2, 1, 3])]);
        assert_eq!(indices(edges), [7, 6, 6, 5]);
    }
}
