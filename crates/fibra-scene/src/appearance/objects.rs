//! Appearance of objects, by material.

use crate::setup::particle_spacing;
use crate::{Material, Object, ObjectShape, Scene, Settings, Shape};
use fibra_core::appearance::{GrainAppearance, ObjectAppearance};
use fibra_core::palette::palette;
use glam::{DVec3, Vec3};

/// Returns the appearance of each object, in scene order.
pub(super) fn objects(scene: &Scene) -> Vec<ObjectAppearance> {
    let spacing = match scene.settings() {
        Some(Settings::Mpm(mpm)) => particle_spacing(mpm) as f32,
        Some(Settings::Elastons(elastons)) => elastons.spacing as f32,
        _ => 0.0,
    };
    let look = |(index, object): (usize, &Object)| {
        let curve_radius = match &object.material {
            Material::Rod(rod) => Some(rod.radius as f32),
            Material::Hair(hair) => Some(hair.drawn_radius as f32),
            other => other.mpm().and_then(|material| material.mesh().curve_radius).map(|radius| radius as f32),
        };
        let (turns, point_radius) = match (&object.material, &object.shape) {
            (Material::Rigid(_), ObjectShape::Solid(Shape::Sphere(sphere))) => (true, sphere.radius as f32),
            (material, _) => (false, spacings(material) * spacing),
        };
        let is_shell = matches!(object.shape, ObjectShape::Surface(_));
        ObjectAppearance {
            name: object.name.clone(),
            material: object.material.name().to_owned(),
            color: object.color.map_or_else(|| palette(index), |color| Vec3::from_array(color.map(|c| c as f32))),
            point_radius,
            turns,
            curve_radius,
            is_skin: matches!(object.material, Material::Elastic(_)) && !is_shell,
            grain: object.grains.map(|grains| GrainAppearance {
                size: DVec3::from_array(grains.size).as_vec3(),
                is_round: grains.shape.is_round(),
            }),
        }
    };
    scene.objects.iter().enumerate().map(look).collect()
}

/// Returns the drawn radius of a particle relative to the particle spacing [-].
fn spacings(material: &Material) -> f32 {
    match material {
        Material::Elastic(_) => 0.75,
        other => other.mpm().map_or(0.0, |material| material.look().particle_radius),
    }
}
