//! What to draw, in plain lists. Nothing here knows of simulations or of ray casting.

use super::camera::Camera;
use super::curves::Curves;
use super::mesh::Mesh;
use fibra_core::appearance::GROUND_COLOR;
use glam::{Quat, Vec3};

/// Everything a picture shows. Lengths in meters, colors linear RGB in 0..1, the y axis up.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// Grains, particles, balls.
    pub spheres: Vec<Sphere>,
    /// Single strands, capsule colliders.
    pub capsules: Vec<Capsule>,
    /// Grains with edges.
    pub bricks: Vec<Brick>,
    /// Hair, yarn, ropes.
    pub curves: Vec<Curves>,
    /// Cloth, skin, boxes, cylinders, triangle-mesh colliders.
    pub meshes: Vec<Mesh>,
    /// The floor, if any.
    pub ground: Option<Ground>,
    /// The one direct light.
    pub sun: Sun,
    /// The background and the light it gives.
    pub sky: Sky,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Center [m].
    pub center: Vec3,
    /// Radius [m].
    pub radius: f32,
    /// Linear RGB [-].
    pub color: Vec3,
    /// How light leaves the surface.
    pub finish: Finish,
}

/// The convex hull of two balls: a capsule, or a rounded cone when the radii differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Centers of the two balls [m].
    pub ends: [Vec3; 2],
    /// Radii of the two balls [m].
    pub radii: [f32; 2],
    /// Linear RGB [-].
    pub color: Vec3,
    /// How light leaves the surface.
    pub finish: Finish,
}

/// A box that lies any way round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brick {
    /// Middle [m].
    pub center: Vec3,
    /// Unit quaternion that turns the coordinate axes to those of the box.
    pub rotation: Quat,
    /// Half of the edge lengths [m].
    pub half_extents: Vec3,
    /// Linear RGB [-].
    pub color: Vec3,
    /// How light leaves the surface.
    pub finish: Finish,
}

/// How light leaves a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// Dry and rough: sand, snow, wood, colliders.
    #[default]
    Matte,
    /// Woven: matte with a soft sheen where it turns away.
    Cloth,
    /// Soft plastic: light bleeds round the edge, a broad highlight, a bright rim.
    Jelly,
    /// Wet or polished: a small highlight and a mirror-like rim.
    Glossy,
    /// Hair and yarn: a highlight that runs along the strand. Meant for curves and capsules; elsewhere it is [`Finish::Matte`].
    Fiber,
}

/// A floor without end, seen and lit from the side its normal points to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// A point of the floor [m].
    pub point: Vec3,
    /// Direction out of the floor, of any length but 0 [-].
    pub normal: Vec3,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Spacing of the grid lines [m], every tenth of them stronger. `None` takes the power of ten that suits the
    /// camera's distance, so that a reader can tell millimeters from meters.
    pub cell: Option<f32>,
}

/// The sun: a far light with soft-edged shadows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Direction toward the sun, of any length but 0 [-].
    pub direction: Vec3,
    /// Radiance a white surface facing it reflects, linear RGB [-].
    pub color: Vec3,
    /// Half of the angle the sun covers [degrees]. Larger makes softer shadows; the real one has 0.27.
    pub radius: f32,
}

/// The background, which also lights everything that can see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Linear RGB straight up [-].
    pub zenith: Vec3,
    /// Linear RGB at the horizon and below [-].
    pub horizon: Vec3,
    /// How strongly the sky lights surfaces [-]; 1 is as strongly as it shines itself.
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
    /// A sun to the left of the camera and a little in front of it: the raking light that shows folds and piles best.
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
    /// Linear RGB seen in a direction whose sine of elevation is `rise`.
    pub(super) fn towards(&self, rise: f32) -> Vec3 {
        self.horizon.lerp(self.zenith, rise.clamp(0.0, 1.0).sqrt())
    }
}
