//! How what is in a run's frames looks: the names, colors, sizes and shapes that stay the same from frame to frame. Pictures, the viewer and
//! export all start from a [`Frame`](crate::frame::Frame) and this.

use crate::geometry::{DeformingMesh, DisplayMesh};
use glam::Vec3;

/// Color of the ground, linear RGB.
pub const GROUND_COLOR: Vec3 = Vec3::new(0.48, 0.47, 0.45);

/// How a run looks.
#[derive(Clone, Default)]
pub struct Appearance {
    /// Frames for each second of simulated time [1/s].
    pub frames_per_second: f64,
    /// The scene's objects, in its order: `Frame::object` and `Frame::instance_object` are indices into them.
    pub objects: Vec<ObjectAppearance>,
    /// The scene's colliders, in its order, then the head where hair grows on one: `Frame::colliders` has a pose for each.
    pub bodies: Vec<BodyAppearance>,
}

/// How an object looks: points that no curve or surface uses as balls, curves as threads, surfaces as they are, instances as grains.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectAppearance {
    /// Its name in the scene.
    pub name: String,
    /// Its material as scenes write it, e.g. `sand`.
    pub material: String,
    /// Linear RGB.
    pub color: Vec3,
    /// Radius of a point [m]; 0 where points alone are not drawn.
    pub point_radius: f32,
    /// Whether its points are balls that are seen to turn.
    pub turns: bool,
    /// Radius of its curves [m]; none if the material does not say.
    pub curve_radius: Option<f32>,
    /// Whether its surface is the skin of a volume, whose back is not seen.
    pub is_skin: bool,
    /// The grains that are drawn in place of its points.
    pub grain: Option<GrainAppearance>,
}

/// Radius of a curve over the median length of its segments, where the material does not tell [-].
const SLENDERNESS: f32 = 0.1;

impl ObjectAppearance {
    /// Radius of its curves [m], whose segments have the given lengths [m].
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

/// How the grains of an object look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainAppearance {
    /// Extent along the grain's own axes [m]; the third is the long one of round grains.
    pub size: Vec3,
    /// Whether it is a capsule along its third axis; otherwise it is a box.
    pub is_round: bool,
}

/// How a rigid or deforming body looks, in its own frame.
#[derive(Clone)]
pub struct BodyAppearance {
    /// Its name in the scene.
    pub name: String,
    /// Linear RGB.
    pub color: Vec3,
    /// What is seen of it.
    pub shape: BodyShape,
}

/// The shape of a body.
#[derive(Clone)]
pub enum BodyShape {
    /// Nothing is seen of it.
    Unseen,
    /// A plane through its place, without end.
    Plane {
        /// Unit normal, toward the open side.
        normal: Vec3,
    },
    /// A ball around its place.
    Ball {
        /// Radius [m].
        radius: f32,
        /// Whether it is seen to turn.
        turns: bool,
    },
    /// A capsule along y, with its middle at its place.
    Capsule {
        /// From the middle to the center of an end [m].
        half_height: f32,
        /// Radius [m].
        radius: f32,
    },
    /// A triangle mesh.
    Mesh {
        /// Vertices [m].
        positions: Vec<Vec3>,
        /// Corners, counterclockwise from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A triangle mesh whose vertices move as time goes by.
    Deforming(Box<DeformingMesh>),
}

impl BodyShape {
    /// A mesh of separate triangles with the given corners [m].
    pub fn of_corners(corners: impl Iterator<Item = [Vec3; 3]>) -> Self {
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
    fn the_median_is_not_moved_by_one_long_segment() {
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
