//! Assignment of the points, segments, triangles and grains of a frame to objects.

use fibra_core::frame::Frame;
use fibra_core::frame_parts::parts;
use fibra_core::geometry::polylines;
use std::borrow::Cow;

/// The elements of each object in a frame. The layout seldom changes from frame to frame.
#[derive(Default)]
pub(crate) struct Layout {
    /// All objects in the order of the scene, including those without elements.
    pub(crate) objects: Vec<ObjectLayout>,
    made_for: Topology,
}

/// The part of a frame that determines its layout.
#[derive(Default, PartialEq)]
struct Topology {
    object: Vec<u32>,
    segments: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    instance_object: Vec<u32>,
}

/// The elements of one object.
#[derive(Default)]
pub(crate) struct ObjectLayout {
    pub(crate) surface: SurfaceLayout,
    pub(crate) curves: CurvesLayout,
    /// Points that belong to no segment or triangle.
    pub(crate) points: Rows,
    /// Instances: the grains.
    pub(crate) grains: Rows,
}

/// The triangles of an object.
#[derive(Default)]
pub(crate) struct SurfaceLayout {
    pub(crate) vertices: Rows,
    /// Corners of each triangle, as indices into `vertices`.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// The segments of an object as polylines.
#[derive(Default)]
pub(crate) struct CurvesLayout {
    /// The points of all polylines, one polyline after another. Points where curves meet or a ring closes are repeated.
    pub(crate) vertices: Rows,
    /// Number of vertices of each polyline.
    pub(crate) lengths: Vec<u32>,
}

/// A subset of a frame's points or instances, as indices.
#[derive(Default)]
pub(crate) struct Rows {
    numbers: Vec<u32>,
    /// Whether the indices are consecutive, so that values need no copy.
    is_run: bool,
}

impl Rows {
    fn new(numbers: Vec<u32>) -> Rows {
        Rows { is_run: numbers.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1)), numbers }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Selects these rows from the values of a frame.
    pub(crate) fn of<'a, T: Copy>(&self, values: &'a [T]) -> Cow<'a, [T]> {
        match self.numbers.first() {
            None => Cow::Borrowed(&[]),
            Some(&first) if self.is_run => Cow::Borrowed(&values[first as usize..][..self.numbers.len()]),
            Some(_) => Cow::Owned(self.numbers.iter().map(|&row| values[row as usize]).collect()),
        }
    }
}

impl Layout {
    /// Returns whether this is also the layout of `frame`.
    pub(crate) fn fits(&self, frame: &Frame) -> bool {
        let Topology { object, segments, triangles, instance_object } = &self.made_for;
        *object == frame.object
            && *segments == frame.segments
            && *triangles == frame.triangles
            && *instance_object == frame.instance_object
    }

    /// Creates the layout of a frame for a scene of `count` objects. The error is an object index that does not exist in the scene.
    pub(crate) fn of(frame: &Frame, count: usize) -> Result<Layout, usize> {
        let last = frame.object.iter().chain(&frame.instance_object).max().map(|&last| last as usize);
        if let Some(unknown) = last.filter(|&last| last >= count) {
            return Err(unknown);
        }
        let mut objects: Vec<ObjectLayout> = std::iter::repeat_with(ObjectLayout::default).take(count).collect();
        for part in parts(frame, &frame.triangles) {
            let surface = &mut objects[part.object as usize].surface;
            *surface = SurfaceLayout { vertices: Rows::new(part.points), triangles: part.elements };
        }
        for part in parts(frame, &frame.segments) {
            let lines = polylines(&part.elements);
            let lengths = lines.iter().map(|line| line.len() as u32).collect();
            let vertices = lines.iter().flatten().map(|&vertex| part.points[vertex as usize]).collect();
            objects[part.object as usize].curves = CurvesLayout { vertices: Rows::new(vertices), lengths };
        }
        let is_vertex = frame.vertices();
        let lone = (0u32..).zip(&frame.object).filter(|(point, _)| !is_vertex[*point as usize]);
        for (object, numbers) in objects.iter_mut().zip(by_object(count, lone)) {
            object.points = Rows::new(numbers);
        }
        for (object, numbers) in objects.iter_mut().zip(by_object(count, (0u32..).zip(&frame.instance_object))) {
            object.grains = Rows::new(numbers);
        }
        let made_for = Topology {
            object: frame.object.clone(),
            segments: frame.segments.clone(),
            triangles: frame.triangles.clone(),
            instance_object: frame.instance_object.clone(),
        };
        Ok(Layout { objects, made_for })
    }
}

fn by_object<'a>(objects: usize, numbered: impl Iterator<Item = (u32, &'a u32)>) -> Vec<Vec<u32>> {
    let mut sorted = vec![Vec::new(); objects];
    for (number, object) in numbered {
        sorted[*object as usize].push(number);
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_assigned_to_their_objects() {
        let frame = Frame {
            object: vec![2, 0, 0, 0, 1, 1, 1, 0],
            points: (0..8).map(|k| [k as f32, 0.0, 0.0]).collect(),
            segments: vec![[6, 5], [5, 4]],
            triangles: vec![[1, 2, 3]],
            instance_object: vec![2, 0, 2],
            ..Frame::default()
        };
        assert_eq!(Layout::of(&frame, 2).err(), Some(2));
        let layout = Layout::of(&frame, 4).unwrap();
        let [cloth, thread, grains, _] = &layout.objects[..] else { panic!("four objects") };
        assert_eq!(
            (cloth.surface.vertices.numbers(), &cloth.surface.triangles[..]),
            (&[1, 2, 3][..], &[[0, 1, 2]][..])
        );
        assert_eq!((cloth.points.numbers(), cloth.grains.numbers()), (&[7][..], &[1][..]));
        assert_eq!((thread.curves.vertices.numbers(), &thread.curves.lengths[..]), (&[4, 5, 6][..], &[3][..]));
        assert!(thread.points.is_empty());
        assert_eq!((grains.points.numbers(), grains.grains.numbers()), (&[0][..], &[0, 2][..]));
        assert!(layout.fits(&frame));
        assert!(!layout.fits(&Frame { triangles: vec![[1, 3, 2]], ..frame.clone() }));
        assert!(matches!(thread.curves.vertices.of(&frame.points), Cow::Borrowed([_, [5.0, ..], _])));
        assert!(matches!(&grains.grains.of(&frame.points), Cow::Owned(rows) if rows[1][0] == 2.0));
    }
}
