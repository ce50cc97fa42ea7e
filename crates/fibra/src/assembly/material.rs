//! Materials of the scene, in the numbers users know, as laws in the numbers that are computed with.

use crate::scene::{Elastic, Material};
use fibra_mpm::materials::{self, FixedCorotated, Fluid, Goo, Lame, NeoHookean, Sand, Snow};
use fibra_mpm::params::Substance;

/// The law and density of a material.
pub(super) fn substance(material: &Material) -> Substance {
    let lame = |elastic: &Elastic| Lame::new(elastic.youngs_modulus, elastic.poisson_ratio);
    let law = match material {
        Material::FixedCorotated(elastic) => {
            materials::Material::FixedCorotated(FixedCorotated { lame: lame(elastic) })
        }
        Material::NeoHookean(elastic) => materials::Material::NeoHookean(NeoHookean { lame: lame(elastic) }),
        Material::Snow(snow) => materials::Material::Snow(Snow {
            lame: Lame::new(snow.youngs_modulus, snow.poisson_ratio),
            critical_compression: snow.critical_compression as f32,
            critical_stretch: snow.critical_stretch as f32,
            hardening: snow.hardening as f32,
        }),
        Material::Sand(sand) => materials::Material::Sand(Sand::new(
            Lame::new(sand.youngs_modulus, sand.poisson_ratio),
            sand.friction_angle.to_radians(),
            sand.cohesion,
            sand.volume_correction,
        )),
        Material::Fluid(fluid) => materials::Material::Fluid(Fluid {
            bulk_modulus: fluid.bulk_modulus as f32,
            gamma: fluid.gamma as f32,
            viscosity: fluid.viscosity as f32,
        }),
        Material::Goo(goo) => materials::Material::Goo(Goo {
            lame: Lame::new(goo.youngs_modulus, goo.poisson_ratio),
            // Scenes give the shear stress; von Mises' cylinder reaches it at sqrt(3) times less than in tension.
            yield_stress: (3f64.sqrt() * goo.yield_stress) as f32,
            viscosity: goo.viscosity as f32,
        }),
    };
    Substance { material: law, density: material.density() as f32 }
}
