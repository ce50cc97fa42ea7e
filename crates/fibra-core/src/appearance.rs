//! Display properties that are constant over a run: names, colors, sizes and shapes. Images, the viewer and export all combine a
//! [`Frame`](crate::frame::Frame) with an [`Appearance`].

use crate::geometry::{DeformingMesh, DisplayMesh};
use glam::Vec3;

/// Color of the ground, linear RGB.
pub const GROUND_COLOR: Vec3 = Vec3::new(0.48, 0.47, 0.45);

/// Display properties of a run.
#[derive(Clone, Default)]
pub struct Appearance {
    /// Frames per second of simulated time [1/s].
    pub frames_per_second: f64,
    /// The scene's objects, in scene order. `Frame::object` and `Frame::instance_object` are indices into this list.
    pub objects: Vec<ObjectAppearance>,
    /// The scene's colliders, in scene order, followed by the head that hair grows on, if the scene has one. `Frame::colliders` has one
    /// pose per entry.
    pub bodies: Vec<BodyAppearance>,
}

/// Display properties of an object. Free points (points of no curve or surface) are drawn as balls, curves as tubes, surfaces as triangles
/// and instances as grains.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectAppearance {
    /// Name in the scene.
    pub name: String,
    /// Material name as in the scene file, e.g. `sand`.
    pub material: String,
    /// Linear RGB.
    pub color: Vec3,
    /// Radius of a point [m]; 0 if free points are not drawn.
    pub point_radius: f32,
    /// Whether the balls are drawn with a pattern that makes their rotation visible.
    pub turns: bool,
    /// Radius of the curves [m]; `None` if the material does not define one.
    pub curve_radius: Option<f32>,
    /// Whether the surface encloses a volume, so that back faces are never visible.
    pub is_skin: bool,
    /// The grains drawn in place of the object's points.
    pub grain: Option<GrainAppearance>,
}

/// Ratio of a curve's radius to the median segment length, used if the material defines no radius [-].
const SLENDERNESS: f32 = 0.1;

impl ObjectAppearance {
    /// Returns the radius of the object's curves [m], given the lengths of their segments [m].
    pub fn radius_of_curves(&self, lengths: impl FnOnce() -> Vec<f32>) -> f32 {
        self.curve_radius.unwrap_or_else(|| {
            let mut lengths = lengths();
            let middle = lengths.len() / 2;
            if lengths.is_empty() {
                return 0.0;
            }
            SLENDERNESS * *lengths.select_nth_unstable_by(middle, f32::total_cmp).1
        })
    }
}

/// Display properties of an object's grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainAppearance {
    /// Full size along the grain's own axes [m]. Round grains are longest along the third axis.
    pub size: Vec3,
    /// Whether the grain is a capsule along its third axis; otherwise it is a box.
    pub is_round: bool,
}

/// Display properties of a rigid or deforming body, in the body's own frame.
#[derive(Clone)]
pub struct BodyAppearance {
    /// Name in the scene.
    pub name: String,
    /// Linear RGB.
    pub color: Vec3,
    /// The visible geometry.
    pub shape: BodyShape,
}

/// The shape of a body.
#[derive(Clone)]
pub enum BodyShape {
    /// Not drawn.
    Unseen,
    /// An infinite plane through the body's origin.
    Plane {
        /// Unit normal, pointing away from the solid side.
        normal: Vec3,
    },
    /// A ball centered on the body's origin.
    Ball {
        /// Radius [m].
        radius: f32,
        /// Whether the ball is drawn with a pattern that makes its rotation visible.
        turns: bool,
    },
    /// A capsule along y, centered on the body's origin.
    Capsule {
        /// Distance from the center to the center of an end cap [m].
        half_height: f32,
        /// Radius [m].
        radius: f32,
    },
    /// A triangle mesh.
    Mesh {
        /// Vertices [m].
        positions: Vec<Vec3>,
        /// Vertex indices, counterclockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A triangle mesh whose vertices move over time.
    Deforming(Box<DeformingMesh>),
}

impl BodyShape {
    /// Builds a mesh of separate triangles from their corners [m].
    pub fn from_corners(corners: impl Iterator<Item = [Vec3; 3]>) -> Self {
        let positions: Vec<Vec3> = corners.flatten().collect();
        let triangles = (0..positions.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Self::Mesh { positions, triangles }
    }
}

impl From<DisplayMesh> for BodyShape {
    fn from(mesh: DisplayMesh) -> Self {
        Self::Mesh { positions: mesh.positions, triangles: mesh.triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_radius_follows_the_median_segment_length() {
        let mut object = ObjectAppearance {
            name: String::new(),
            material: String::new(),
            color: Vec3::ONE,
            point_radius: 0.0,
            turns: false,
            curve_radius: None,
            is_skin: false,
            grain: None,
        };
        assert_eq!(object.radius_of_curves(|| vec![1.0, 97.0, 2.0]), 0.2);
        assert_eq!(object.radius_of_curves(Vec::new), 0.0);
        object.curve_radius = Some(0.5);
        assert_eq!(object.radius_of_curves(|| vec![1.0]), 0.5);
    }
}
