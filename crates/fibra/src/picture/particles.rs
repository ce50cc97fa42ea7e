//! Particles as balls, large enough to close the surface and with the finish of their material.

use crate::assembly::particle_spacing;
use crate::render::{Finish, Picture, Sphere, palette};
use crate::scene::{Material, Scene};
use fibra_core::frame::Frame;
use fibra_core::random::CounterRng;
use glam::Vec3;

/// How an object's particles look.
pub(super) struct ObjectLook {
    colour: Vec3,
    finish: Finish,
    /// Radius of a particle [m].
    radius: f32,
    /// How much lighter or darker single particles are [-].
    variation: f32,
}

/// The looks of a scene's objects, in its order.
pub(super) fn looks(scene: &Scene) -> Vec<ObjectLook> {
    let spacing = particle_spacing(scene) as f32;
    let look = |(index, object): (usize, &crate::scene::Object)| {
        // Balls of 0.71 spacings close a square lattice. Grains show themselves better when they do not quite.
        let (finish, size, variation) = match object.material {
            Material::FixedCorotated(_) | Material::NeoHookean(_) => (Finish::Jelly, 0.75, 0.0),
            Material::Snow(_) => (Finish::Matte, 0.7, 0.04),
            Material::Sand(_) => (Finish::Matte, 0.6, 0.2),
            Material::Fluid(_) => (Finish::Glossy, 0.75, 0.0),
            Material::Goo(_) => (Finish::Glossy, 0.75, 0.0),
        };
        let colour = object.color.map_or_else(|| palette(index), |color| Vec3::from_array(color.map(|c| c as f32)));
        ObjectLook { colour, finish, radius: size * spacing, variation }
    };
    scene.objects.iter().enumerate().map(look).collect()
}

/// Adds the frame's particles to a picture.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    let random = CounterRng::new(0);
    let points = frame.points.iter().zip(&frame.object).enumerate();
    picture.spheres.extend(points.filter_map(|(number, (point, object))| {
        let look = looks.get(*object as usize)?;
        let shade = match look.variation {
            0.0 => 1.0,
            variation => 1.0 + variation * (2.0 * random.uniform(&[number as u64]) as f32 - 1.0),
        };
        let colour = (shade * look.colour).min(Vec3::ONE);
        Some(Sphere { centre: Vec3::from_array(*point), radius: look.radius, colour, finish: look.finish })
    }));
}
