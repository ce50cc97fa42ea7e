//! Materials of the scene, in the numbers users know, as laws in the numbers that are computed with.

use crate::{Deformation, Elastic, Material, SelfContact};
use fibra_mpm::builder::Fabric;
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{
    self, Cloth, CorotatedLinear, Fiber, FixedCorotated, Fluid, Goo, Lame, NeoHookean, Sand, Snow, Tissue,
};
use fibra_mpm::params::Substance;
use std::f64::consts::PI;

/// The law and density of a material; none where it is of another method.
pub(super) fn substance(material: &Material) -> Option<Substance> {
    let lame = |elastic: &Elastic| Lame::new(elastic.youngs_modulus, elastic.poisson_ratio);
    let law = match material {
        Material::CorotatedLinear(elastic) => {
            materials::Material::CorotatedLinear(CorotatedLinear { lame: lame(elastic) })
        }
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
        Material::Tissue(tissue) => materials::Material::Tissue(Tissue {
            lame: Lame::new(tissue.youngs_modulus, tissue.poisson_ratio),
            critical_shear: tissue.critical_shear as f32,
            softening: tissue.softening as f32,
        }),
        Material::Cloth(cloth) => materials::Material::Cloth(Cloth::new(
            Lame::new(cloth.youngs_modulus, cloth.poisson_ratio),
            cloth.normal_stiffness as f32,
            cloth.shear_stiffness as f32,
            cloth.friction_angle.to_radians(),
            contact(cloth.contact),
        )),
        Material::Fiber(fiber) => materials::Material::Fiber(Fiber::new(
            fiber.stiffness as f32,
            fiber.shear_stiffness as f32,
            Lame::new(fiber.youngs_modulus, fiber.poisson_ratio),
            fiber.friction_angle.to_radians(),
            contact(fiber.contact),
        )),
        Material::Rod(_) | Material::Rigid(_) | Material::Hair(_) | Material::Elastic(_) => return None,
    };
    Some(Substance { material: law, density: material.density() as f32 })
}

fn contact(contact: SelfContact) -> ContactModel {
    match contact {
        SelfContact::Frictional => ContactModel::Frictional,
        SelfContact::Elastic => ContactModel::Elastic,
        SelfContact::Absent => ContactModel::Absent,
    }
}

/// What the mesh of an object is made of. Solids have none, so that what is said of them means nothing.
pub(super) fn fabric(material: &Material) -> Fabric {
    let (section, deformation) = match material {
        Material::Cloth(cloth) => (cloth.thickness, cloth.deformation),
        Material::Fiber(fiber) => (PI * fiber.radius.powi(2), fiber.deformation),
        _ => (0.0, Deformation::Hybrid),
    };
    Fabric { density: material.density(), section, follows_mesh: deformation == Deformation::Hybrid }
}
