//! The scene description of the ray caster: lists of shapes, lights and a camera. It does not depend on simulations.

use super::camera::Camera;
use super::curves::Curves;
use super::mesh::Mesh;
use fibra_core::appearance::GROUND_COLOR;
use glam::{Quat, Vec3};

/// A scene to render. Lengths are in meters, colors are linear RGB in 0..1, and the y axis is up.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The camera.
    pub camera: Camera,
    /// Spheres: particles and balls.
    pub spheres: Vec<Sphere>,
    /// Capsules: round grains, capsule colliders and edges of the domain.
    pub capsules: Vec<Capsule>,
    /// Oriented boxes: grains with edges.
    pub bricks: Vec<Brick>,
    /// Curves: hair, yarn and ropes.
    pub curves: Vec<Curves>,
    /// Triangle meshes: cloth, surfaces of solids, and colliders.
    pub meshes: Vec<Mesh>,
    /// The ground, if any.
    pub ground: Option<Ground>,
    /// The direct light.
    pub sun: Sun,
    /// The background, which is also a light.
    pub sky: Sky,
}

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Center [m].
    pub center: Vec3,
    /// Radius [m].
    pub radius: f32,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Finish of the surface.
    pub finish: Finish,
}

/// The convex hull of two balls: a capsule, or a rounded cone if the radii differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Centers of the two balls [m].
    pub ends: [Vec3; 2],
    /// Radii of the two balls [m].
    pub radii: [f32; 2],
    /// Linear RGB [-].
    pub color: Vec3,
    /// Finish of the surface.
    pub finish: Finish,
}

/// An oriented box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brick {
    /// Center [m].
    pub center: Vec3,
    /// Unit quaternion that maps the coordinate axes to the axes of the box.
    pub rotation: Quat,
    /// Half the edge lengths [m].
    pub half_extents: Vec3,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Finish of the surface.
    pub finish: Finish,
}

/// Reflection behavior of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// Dry and rough: sand, snow, wood, colliders.
    #[default]
    Matte,
    /// Woven: matte with a soft sheen at grazing angles.
    Cloth,
    /// Soft plastic: light wraps around the terminator; a broad highlight and a bright rim.
    Jelly,
    /// Wet or polished: a small highlight and a reflective rim.
    Glossy,
    /// Hair and yarn: highlights that depend on the direction of the strand. For curves and capsules; other shapes use [`Finish::Matte`].
    Fiber,
}

/// An infinite ground plane, visible and lit from the side of its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// A point on the plane [m].
    pub point: Vec3,
    /// Normal of the plane; any nonzero length [-].
    pub normal: Vec3,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Spacing of the grid lines [m]; every tenth line is stronger. With `None`, the spacing is a power of ten that depends on the
    /// distance of the camera and shows the scale of the scene.
    pub cell: Option<f32>,
}

/// The sun: a distant light with soft shadows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Direction toward the sun; any nonzero length [-].
    pub direction: Vec3,
    /// Radiance that a white surface facing the sun reflects, linear RGB [-].
    pub color: Vec3,
    /// Angular radius [degrees]. Larger values give softer shadows; the real sun has 0.27.
    pub radius: f32,
}

/// The background, which also illuminates all points that are open to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Linear RGB at the zenith [-].
    pub zenith: Vec3,
    /// Linear RGB at the horizon and below [-].
    pub horizon: Vec3,
    /// Intensity of the skylight relative to the visible sky [-].
    pub strength: f32,
}

impl Default for Ground {
    fn default() -> Self {
        Ground { point: Vec3::ZERO, normal: Vec3::Y, color: GROUND_COLOR, cell: None }
    }
}

impl Default for Sun {
    fn default() -> Self {
        Sun { direction: Vec3::new(-0.8, 1.0, 0.4), color: Vec3::new(1.4, 1.29, 1.12), radius: 1.5 }
    }
}

impl Sun {
    /// Returns a sun to the left of the camera and slightly behind the viewer: the grazing light shows folds and piles well.
    pub fn beside(camera: &Camera) -> Sun {
        let up = camera.up.normalize_or(Vec3::Y);
        let level = (camera.eye - camera.target).reject_from_normalized(up);
        let towards_camera = level.normalize_or(up.any_orthonormal_vector());
        let left = towards_camera.cross(up);
        Sun { direction: left + 0.55 * towards_camera + 1.2 * up, ..Sun::default() }
    }
}

impl Default for Sky {
    fn default() -> Self {
        Sky { zenith: Vec3::new(0.33, 0.46, 0.66), horizon: Vec3::new(0.80, 0.84, 0.88), strength: 0.55 }
    }
}

impl Sky {
    /// Returns the color of the sky in a direction; `rise` is the sine of its elevation.
    pub(super) fn towards(&self, rise: f32) -> Vec3 {
        self.horizon.lerp(self.zenith, rise.clamp(0.0, 1.0).sqrt())
    }
}
