//! A frame's segments or triangles grouped by object, each group with only the vertices it uses.

use crate::frame::Frame;
use glam::Vec3;

/// The elements of one object: segments for `N` = 2, triangles for `N` = 3.
pub struct Part<const N: usize> {
    /// Index of the object in the scene.
    pub object: u32,
    /// Points of the frame used as vertices, ascending.
    pub points: Vec<u32>,
    /// Vertices of each element, as indices into `points`.
    pub elements: Vec<[u32; N]>,
}

impl<const N: usize> Part<N> {
    /// Returns the positions of the vertices, relative to the run origin [m].
    pub fn positions(&self, frame: &Frame) -> Vec<Vec3> {
        self.points.iter().map(|&point| Vec3::from_array(frame.points[point as usize])).collect()
    }
}

/// Groups elements of a frame by object. An element belongs to the object of its first vertex.
pub fn parts<const N: usize>(frame: &Frame, elements: &[[u32; N]]) -> Vec<Part<N>> {
    let object_of = |element: &[u32; N]| frame.object[element[0] as usize];
    let mut sorted = elements.to_vec();
    sorted.sort_by_key(object_of);
    let mut local_index = vec![0u32; frame.points.len()];
    let parts = sorted.chunk_by(|a, b| object_of(a) == object_of(b)).map(|part| {
        let mut points = part.as_flattened().to_vec();
        points.sort_unstable();
        points.dedup();
        for (index, &point) in (0u32..).zip(&points) {
            local_index[point as usize] = index;
        }
        let elements = part.iter().map(|element| element.map(|corner| local_index[corner as usize])).collect();
        Part { object: object_of(&part[0]), points, elements }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_only_its_own_vertices() {
        let frame = Frame {
            object: vec![1, 0, 1, 0, 1],
            points: (0..5).map(|k| [k as f32, 0.0, 0.0]).collect(),
            segments: vec![[4, 2], [1, 3], [2, 0]],
            ..Frame::default()
        };
        let parts = parts(&frame, &frame.segments);
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].object, &parts[0].points[..], &parts[0].elements[..]), (0, &[1, 3][..], &[[0, 1]][..]));
        assert_eq!((parts[1].object, &parts[1].points[..]), (1, &[0, 2, 4][..]));
        assert_eq!(parts[1].elements, [[2, 1], [1, 0]]);
        assert_eq!(parts[1].positions(&frame)[2], Vec3::new(4.0, 0.0, 0.0));
    }
}
