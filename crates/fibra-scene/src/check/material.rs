//! Checks of materials.

use super::report::Report;
use super::{elastons, hair};
use crate::model::material::Material;
use crate::model::rod_section::RodSection;
use fibra_mpm::materials::{BadParameter, ParameterCheck};
use std::ops::Bound::{Excluded, Included};

pub(super) fn check(report: &mut Report, path: &str, material: &Material) {
    match material {
        Material::Rod(rod) => {
            let path = format!("{path}.rod");
            report.positive(&format!("{path}.radius"), rod.radius, "m");
            if let Some(section) = &rod.section {
                check_section(report, &format!("{path}.section.{}", section.name()), section);
            }
            report.positive(&format!("{path}.density"), rod.density, "kg/m^3");
            report.positive(&format!("{path}.youngs_modulus"), rod.youngs_modulus, "Pa");
            report.within(&format!("{path}.poisson_ratio"), rod.poisson_ratio, (Excluded(-1.0), Included(0.5)), "-");
            report.within(&format!("{path}.internal_damping"), rod.internal_damping, 0.0.., "s");
            check_surface(report, &path, rod.drag, rod.friction, rod.restitution);
            if rod.elements == 0 {
                report.fault(
                    &format!("{path}.elements"),
                    "`{}` must be at least 1",
                    "must not be 0",
                    "10 suits most strands",
                );
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
        mpm => {
            let faults = mpm.mpm().map_or_else(Vec::new, |material| material.check());
            report_faults(report, &format!("{path}.{}", mpm.name()), faults);
        }
    }
}

fn check_section(report: &mut Report, path: &str, section: &RodSection) {
    match section {
        RodSection::Elliptic(size) | RodSection::Rectangular(size) => {
            report.positive(&format!("{path}.width"), size.width, "m");
            report.positive(&format!("{path}.height"), size.height, "m");
        }
        RodSection::Stiffness(stiffness) => {
            for (index, bending) in stiffness.bending.into_iter().enumerate() {
                report.positive(&format!("{path}.bending.{index}"), bending, "N m^2");
            }
            report.positive(&format!("{path}.twisting"), stiffness.twisting, "N m^2");
        }
    }
    report.direction(&format!("{path}.axis"), &section.axis(), "[0, 1, 0]");
}

fn check_surface(report: &mut Report, path: &str, drag: f64, friction: f64, restitution: f64) {
    report.within(&format!("{path}.drag"), drag, 0.0.., "1/s");
    report.within(&format!("{path}.friction"), friction, 0.0.., "-");
    report.within(&format!("{path}.restitution"), restitution, 0.0..=1.0, "-");
}

fn check_elastic(report: &mut Report, path: &str, density: f64, youngs_modulus: f64, poisson_ratio: f64) {
    let mut check = ParameterCheck::default();
    check.elastic(density, youngs_modulus, poisson_ratio);
    report_faults(report, path, check.into_faults());
}

/// Reports the bad parameters of the material at `path`.
fn report_faults(report: &mut Report, path: &str, faults: Vec<BadParameter>) {
    for BadParameter { field, message, label, remedy } in faults {
        report.fault(&format!("{path}.{field}"), &message, &label, &remedy);
    }
}
