//! Appearance of objects in pictures: the general appearance with the finish of the material.

use crate::ray_caster::Finish;
use fibra_core::appearance::ObjectAppearance;
use fibra_mpm::materials;
use fibra_scene::{GrainShape, Material, Object, Scene};
use std::ops::Deref;

/// Appearance of an object in pictures.
pub(super) struct ObjectLook {
    appearance: ObjectAppearance,
    /// Finish of the surface.
    pub(super) finish: Finish,
    /// Finish of the grains.
    pub(super) grain_finish: Finish,
    /// Maximum variation of brightness between particles [-].
    pub(super) variation: f32,
}

impl Deref for ObjectLook {
    type Target = ObjectAppearance;

    fn deref(&self) -> &ObjectAppearance {
        &self.appearance
    }
}

/// Returns the appearances of a scene's objects, in the order of the scene.
pub(super) fn looks(scene: &Scene, appearances: Vec<ObjectAppearance>) -> Vec<ObjectLook> {
    let look = |(object, appearance): (&Object, ObjectAppearance)| {
        let (finish, variation) = match (object.material.mpm(), &object.material) {
            (Some(mpm), _) => (finish(mpm.look().finish), mpm.look().variation),
            (None, Material::Elastic(_)) => (Finish::Jelly, 0.0),
            (None, _) => (Finish::Matte, 0.0),
        };
        let is_fiber = object.grains.is_some_and(|grains| grains.shape == GrainShape::Fiber);
        let grain_finish = if is_fiber { Finish::Fiber } else { Finish::Matte };
        ObjectLook { appearance, finish, grain_finish, variation }
    };
    scene.objects.iter().zip(appearances).map(look).collect()
}

fn finish(finish: materials::Finish) -> Finish {
    match finish {
        materials::Finish::Matte => Finish::Matte,
        materials::Finish::Cloth => Finish::Cloth,
        materials::Finish::Jelly => Finish::Jelly,
        materials::Finish::Glossy => Finish::Glossy,
    }
}
