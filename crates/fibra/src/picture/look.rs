//! How an object looks, by its material.

use crate::assembly::particle_spacing;
use crate::render::{Finish, palette};
use crate::scene::{Grains, Material, Object, ObjectShape, Scene, Settings, Shape};
use glam::Vec3;

/// How an object looks.
pub(super) struct ObjectLook {
    /// Linear RGB.
    pub(super) colour: Vec3,
    /// How light leaves its particles.
    pub(super) finish: Finish,
    /// Radius of a particle or a ball [m].
    pub(super) radius: f32,
    /// How much lighter or darker single particles are [-].
    pub(super) variation: f32,
    /// Radius of its curves [m]; none if the material does not say.
    pub(super) curve_radius: Option<f32>,
    /// Whether its surface is a skin around a volume, whose back is not seen.
    pub(super) is_skin: bool,
    /// Whether it is a ball that is seen to turn.
    pub(super) turns: bool,
    /// The grains that are drawn in place of its particles.
    pub(super) grains: Option<Grains>,
}

/// The looks of a scene's objects, in its order.
pub(super) fn looks(scene: &Scene) -> Vec<ObjectLook> {
    let spacing = match scene.settings() {
        Some(Settings::Mpm(mpm)) => particle_spacing(mpm) as f32,
        Some(Settings::Elastons(elastons)) => elastons.spacing as f32,
        _ => 0.0,
    };
    let look = |(index, object): (usize, &Object)| {
        // Balls of 0.71 spacings close a square lattice. Grains show themselves better when they do not quite.
        let (finish, size, variation) = match object.material {
            Material::CorotatedLinear(_) | Material::FixedCorotated(_) | Material::NeoHookean(_) => {
                (Finish::Jelly, 0.75, 0.0)
            }
            Material::Snow(_) | Material::Tissue(_) => (Finish::Matte, 0.7, 0.04),
            Material::Sand(_) => (Finish::Matte, 0.6, 0.2),
            Material::Fluid(_) => (Finish::Glossy, 0.75, 0.0),
            Material::Goo(_) => (Finish::Glossy, 0.75, 0.0),
            Material::Cloth(_) => (Finish::Cloth, 0.7, 0.0),
            Material::Fiber(_) => (Finish::Matte, 0.7, 0.0),
            Material::Rod(_) | Material::Rigid(_) | Material::Hair(_) => (Finish::Matte, 0.0, 0.0),
            Material::Elastic(_) => (Finish::Jelly, 0.75, 0.0),
        };
        let curve_radius = match &object.material {
            Material::Fiber(fiber) => Some(fiber.radius as f32),
            Material::Rod(rod) => Some(rod.radius as f32),
            Material::Hair(hair) => Some(hair.drawn_radius as f32),
            _ => None,
        };
        let (turns, radius) = match (&object.material, &object.shape) {
            (Material::Rigid(_), ObjectShape::Solid(Shape::Sphere(sphere))) => (true, sphere.radius as f32),
            _ => (false, size * spacing),
        };
        let colour = object.color.map_or_else(|| palette(index), |color| Vec3::from_array(color.map(|c| c as f32)));
        let is_skin =
            matches!(object.material, Material::Elastic(_)) && !matches!(object.shape, ObjectShape::Surface(_));
        ObjectLook { colour, is_skin, finish, radius, variation, curve_radius, turns, grains: object.grains }
    };
    scene.objects.iter().enumerate().map(look).collect()
}
