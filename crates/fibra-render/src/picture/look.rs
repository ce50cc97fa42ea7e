//! How an object is drawn: as it looks, with the finish of its material.

use crate::ray_caster::Finish;
use fibra_core::appearance::ObjectAppearance;
use fibra_scene::{GrainShape, Material, Object, Scene};
use std::ops::Deref;

/// How an object is drawn.
pub(super) struct ObjectLook {
    appearance: ObjectAppearance,
    /// How light leaves it.
    pub(super) finish: Finish,
    /// How light leaves its grains.
    pub(super) grain_finish: Finish,
    /// How much lighter or darker single particles are [-].
    pub(super) variation: f32,
}

impl Deref for ObjectLook {
    type Target = ObjectAppearance;

    fn deref(&self) -> &ObjectAppearance {
        &self.appearance
    }
}

/// The looks of a scene's objects, in its order.
pub(super) fn looks(scene: &Scene, appearances: Vec<ObjectAppearance>) -> Vec<ObjectLook> {
    let look = |(object, appearance): (&Object, ObjectAppearance)| {
        let (finish, variation) = match object.material {
            Material::CorotatedLinear(_)
            | Material::FixedCorotated(_)
            | Material::NeoHookean(_)
            | Material::Elastic(_) => (Finish::Jelly, 0.0),
            Material::Snow(_) | Material::Tissue(_) => (Finish::Matte, 0.04),
            Material::Sand(_) => (Finish::Matte, 0.2),
            Material::Fluid(_) | Material::Goo(_) => (Finish::Glossy, 0.0),
            Material::Cloth(_) => (Finish::Cloth, 0.0),
            Material::Fiber(_) | Material::Rod(_) | Material::Rigid(_) | Material::Hair(_) => (Finish::Matte, 0.0),
        };
        let is_fiber = object.grains.is_some_and(|grains| grains.shape == GrainShape::Fiber);
        let grain_finish = if is_fiber { Finish::Fibre } else { Finish::Matte };
        ObjectLook { appearance, finish, grain_finish, variation }
    };
    scene.objects.iter().zip(appearances).map(look).collect()
}
