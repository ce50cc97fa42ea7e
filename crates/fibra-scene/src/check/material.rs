//! Checks of materials.

use super::report::{Report, plain};
use super::{elastons, hair};
use crate::model::material::Material;
use std::ops::Bound::{Excluded, Included};

pub(super) fn check(report: &mut Report, path: &str, material: &Material) {
    match material {
        Material::CorotatedLinear(solid) => {
            let path = format!("{path}.corotated-linear");
            check_elastic(report, &path, solid.density, solid.youngs_modulus, solid.poisson_ratio);
        }
        Material::FixedCorotated(jelly) => {
            let path = format!("{path}.fixed-corotated");
            check_elastic(report, &path, jelly.density, jelly.youngs_modulus, jelly.poisson_ratio);
        }
        Material::NeoHookean(rubber) => {
            let path = format!("{path}.neo-hookean");
            check_elastic(report, &path, rubber.density, rubber.youngs_modulus, rubber.poisson_ratio);
        }
        Material::Snow(snow) => {
            let path = format!("{path}.snow");
            check_elastic(report, &path, snow.density, snow.youngs_modulus, snow.poisson_ratio);
            report.within(&format!("{path}.critical_compression"), snow.critical_compression, 0.0..1.0, "-");
            report.within(&format!("{path}.critical_stretch"), snow.critical_stretch, 0.0.., "-");
            report.within(&format!("{path}.hardening"), snow.hardening, 0.0.., "-");
        }
        Material::Sand(sand) => {
            let path = format!("{path}.sand");
            check_elastic(report, &path, sand.density, sand.youngs_modulus, sand.poisson_ratio);
            report.within(&format!("{path}.friction_angle"), sand.friction_angle, 0.0..90.0, "deg");
            report.within(&format!("{path}.cohesion"), sand.cohesion, 0.0.., "Pa");
        }
        Material::Fluid(fluid) => {
            let path = format!("{path}.fluid");
            report.positive(&format!("{path}.density"), fluid.density, "kg/m^3");
            report.positive(&format!("{path}.bulk_modulus"), fluid.bulk_modulus, "Pa");
            report.within(&format!("{path}.gamma"), fluid.gamma, 1.0.., "-");
            report.within(&format!("{path}.viscosity"), fluid.viscosity, 0.0.., "Pa s");
        }
        Material::Goo(goo) => {
            let path = format!("{path}.goo");
            check_elastic(report, &path, goo.density, goo.youngs_modulus, goo.poisson_ratio);
            report.within(&format!("{path}.yield_stress"), goo.yield_stress, 0.0.., "Pa");
            report.within(&format!("{path}.viscosity"), goo.viscosity, 0.0.., "Pa s");
        }
        Material::Tissue(tissue) => {
            let path = format!("{path}.tissue");
            check_elastic(report, &path, tissue.density, tissue.youngs_modulus, tissue.poisson_ratio);
            report.positive(&format!("{path}.critical_shear"), tissue.critical_shear, "-");
            report.within(&format!("{path}.softening"), tissue.softening, 0.0.., "-");
        }
        Material::Cloth(cloth) => {
            let path = format!("{path}.cloth");
            check_elastic(report, &path, cloth.density, cloth.youngs_modulus, cloth.poisson_ratio);
            report.positive(&format!("{path}.thickness"), cloth.thickness, "m");
            report.positive(&format!("{path}.normal_stiffness"), cloth.normal_stiffness, "Pa");
            check_thin(report, &path, cloth.shear_stiffness, cloth.friction_angle, cloth.bending_stiffness);
            if cloth.friction_angle > 0.0 && cloth.shear_stiffness == 0.0 {
                report.fault(
                    &format!("{path}.friction_angle"),
                    "`{}` has no effect without `shear_stiffness`, which is what friction pulls with",
                    "has no effect",
                    "give `shear_stiffness` a value above 0 [Pa], or make `friction_angle` 0",
                );
            }
        }
        Material::Fiber(fiber) => {
            let path = format!("{path}.fiber");
            check_elastic(report, &path, fiber.density, fiber.youngs_modulus, fiber.poisson_ratio);
            report.positive(&format!("{path}.radius"), fiber.radius, "m");
            report.positive(&format!("{path}.stiffness"), fiber.stiffness, "Pa");
            check_thin(report, &path, fiber.shear_stiffness, fiber.friction_angle, fiber.bending_stiffness);
        }
        Material::Rod(rod) => {
            let path = format!("{path}.rod");
            report.positive(&format!("{path}.radius"), rod.radius, "m");
            report.positive(&format!("{path}.density"), rod.density, "kg/m^3");
            report.positive(&format!("{path}.youngs_modulus"), rod.youngs_modulus, "Pa");
            report.within(&format!("{path}.poisson_ratio"), rod.poisson_ratio, (Excluded(-1.0), Included(0.5)), "-");
            report.within(&format!("{path}.internal_damping"), rod.internal_damping, 0.0.., "s");
            check_surface(report, &path, rod.drag, rod.friction, rod.restitution);
            if rod.elements == 0 {
                report.fault(&format!("{path}.elements"), "`{}` must be at least 1", "none", "10 suits most strands");
            }
        }
        Material::Hair(material) => hair::check_material(report, &format!("{path}.hair"), material),
        Material::Elastic(elastic) => {
            let path = format!("{path}.elastic");
            check_elastic(report, &path, elastic.density, elastic.youngs_modulus, elastic.poisson_ratio);
            elastons::check_material(report, &path, elastic);
        }
        Material::Rigid(rigid) => {
            let path = format!("{path}.rigid");
            report.positive(&format!("{path}.density"), rigid.density, "kg/m^3");
            check_surface(report, &path, rigid.drag, rigid.friction, rigid.restitution);
        }
    }
}

fn check_surface(report: &mut Report, path: &str, drag: f64, friction: f64, restitution: f64) {
    report.within(&format!("{path}.drag"), drag, 0.0.., "1/s");
    report.within(&format!("{path}.friction"), friction, 0.0.., "-");
    report.within(&format!("{path}.restitution"), restitution, 0.0..=1.0, "-");
}

fn check_thin(report: &mut Report, path: &str, shear_stiffness: f64, friction_angle: f64, bending_stiffness: f64) {
    report.within(&format!("{path}.shear_stiffness"), shear_stiffness, 0.0.., "Pa");
    report.within(&format!("{path}.friction_angle"), friction_angle, 0.0..90.0, "deg");
    report.within(&format!("{path}.bending_stiffness"), bending_stiffness, 0.0.., "N/m");
}

fn check_elastic(report: &mut Report, path: &str, density: f64, youngs_modulus: f64, poisson_ratio: f64) {
    report.positive(&format!("{path}.density"), density, "kg/m^3");
    report.positive(&format!("{path}.youngs_modulus"), youngs_modulus, "Pa");
    if poisson_ratio >= 0.5 {
        report.fault(
            &format!("{path}.poisson_ratio"),
            "`{}` must be below 0.5 [-], where a material would resist any change of volume without limit",
            &format!("{} is not", plain(poisson_ratio)),
            "0.49 is nearly incompressible; for a liquid use material `fluid`",
        );
    } else {
        report.within(&format!("{path}.poisson_ratio"), poisson_ratio, (Excluded(-1.0), Excluded(0.5)), "-");
    }
}
