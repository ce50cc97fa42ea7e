//! Checks of method `elastons`: settings, materials, sampling and blades.

use super::report::{Report, plain};
use super::settings::LONGEST_STEP;
use super::{collider, object, shape};
use crate::model::blade::Blade;
use crate::model::cloud_shape::CloudFile;
use crate::model::elastons::{ElastonGrading, ElastonMaterial, ElastonSampling, Elastons};
use crate::model::material::Material;
use crate::model::object_shape::Form;
use crate::model::scene::{Method, Object, Scene};
use crate::model::surface::SurfaceShape;
use std::ops::Bound::{Excluded, Included, Unbounded};

pub(super) fn check(report: &mut Report, elastons: &Elastons, scene: &Scene) {
    report.positive("elastons.spacing", elastons.spacing, "m");
    if let Some(spacing) = elastons.sample_spacing {
        report.positive("elastons.sample_spacing", spacing, "m");
    }
    report.within("elastons.elaston_ratio", elastons.elaston_ratio, 1.0.., "-");
    report.within("elastons.dt", elastons.dt, (Excluded(0.0), Included(LONGEST_STEP)), "s");
    report.within("elastons.support", elastons.support, (Excluded(1.0), Unbounded), "-");
    report.within("elastons.mass_damping", elastons.mass_damping, 0.0.., "1/s");
    report.within("elastons.stiffness_damping", elastons.stiffness_damping, 0.0.., "s");
    report.positive("elastons.hold_stiffness", elastons.hold_stiffness, "-");
    report.positive("elastons.contact.stiffness", elastons.contact.stiffness, "-");
    report.within("elastons.contact.friction", elastons.contact.friction, 0.0.., "-");
    if let Some(resampling) = &elastons.resampling {
        report.positive("elastons.resampling.interval", resampling.interval, "s");
    }
    if scene.time.max_dt.is_some() {
        report.fault(
            "time.max_dt",
            "`{}` belongs to method `mpm`, but the scene's method is `elastons`",
            "has no effect",
            "write `elastons.dt` [s] instead",
        );
    }
}

/// Checks the fields that only objects of elastons may have.
pub(super) fn check_object(report: &mut Report, path: &str, object: &Object) {
    let Material::Elastic(material) = &object.material else {
        for (field, there) in [("body", object.body.is_some()), ("sampling", object.sampling.is_some())] {
            if there {
                report.fault(
                    &format!("{path}.{field}"),
                    &format!("`{{}}` applies to elastons, but `{}` is {}", object.name, object.material.name()),
                    "has no effect",
                    "leave it out, or use method `elastons` with material `elastic`",
                );
            }
        }
        return;
    };
    check_section(report, &format!("{path}.material.elastic"), material, object);
    if let Some(sampling) = &object.sampling {
        check_sampling(report, &format!("{path}.sampling"), sampling);
    }
}

/// Requires a thickness or cross section for surfaces and curves, and none for solids.
fn check_section(report: &mut Report, path: &str, material: &ElastonMaterial, object: &Object) {
    let form = object.shape.form();
    let given = [
        ("thickness", material.thickness.is_some(), Form::Surface),
        ("radius", material.radius.is_some(), Form::Curves),
        ("section", material.section.is_some(), Form::Curves),
    ];
    for (field, ..) in given.into_iter().filter(|&(_, there, of)| there && of != form) {
        report.fault(
            &format!("{path}.{field}"),
            &format!("`{{}}` does not fit: shape `{}` is {form}", object.shape.name()),
            "has no effect",
            "leave it out: `thickness` is for surfaces, `radius` and `section` are for curves",
        );
    }
    let count = given.into_iter().filter(|&(_, there, of)| there && of == form).count();
    let (needed, remedy) = match form {
        Form::Solid | Form::Cloud => return,
        Form::Surface => ("`thickness`", "write e.g. `thickness = 0.001` [m]"),
        Form::Curves => ("`radius` or `section`", "write e.g. `radius = 0.001` [m]"),
    };
    if count == 0 {
        report.fault(
            path,
            &format!("`{{}}` lacks {needed}: shape `{}` is {form} and has no volume by itself", object.shape.name()),
            "thickness or cross section is missing",
            remedy,
        );
    } else if count > 1 {
        report.fault(
            &format!("{path}.section"),
            "`radius` and `{}` cannot be combined: both define the cross section",
            "beside `radius`",
            "keep one of the two",
        );
    }
}

fn check_sampling(report: &mut Report, path: &str, sampling: &ElastonSampling) {
    if let Some(spacing) = sampling.spacing {
        report.positive(&format!("{path}.spacing"), spacing, "m");
    }
    for (field, count) in [("samples", sampling.samples), ("elastons", sampling.elastons)] {
        if count == Some(0) {
            report.fault(
                &format!("{path}.{field}"),
                "`{}` must be at least 1",
                "must not be 0",
                "leave it out for its default",
            );
        }
    }
    if let (Some(samples), Some(elastons)) = (sampling.samples, sampling.elastons)
        && elastons < samples
    {
        report.fault(
            &format!("{path}.elastons"),
            &format!("`{{}}` must be at least the number of samples, {samples}"),
            "fewer than the samples",
            "use 3 elastons per sample for rods, 9 for shells and 27 for solids, or slightly fewer",
        );
    }
    if let Some(ElastonGrading { region, factor, reach }) = &sampling.grading {
        object::check_region(report, &format!("{path}.grading.region"), region);
        report.within(&format!("{path}.grading.factor"), *factor, (Excluded(1.0), Unbounded), "-");
        report.within(&format!("{path}.grading.reach"), *reach, 0.0.., "m");
    }
}

/// Checks an elastic material.
pub(super) fn check_material(report: &mut Report, path: &str, material: &ElastonMaterial) {
    if let Some(thickness) = material.thickness {
        report.positive(&format!("{path}.thickness"), thickness, "m");
    }
    if let Some(radius) = material.radius {
        report.positive(&format!("{path}.radius"), radius, "m");
    }
    if let Some(section) = &material.section {
        report.positive(&format!("{path}.section.width"), section.width, "m");
        report.positive(&format!("{path}.section.height"), section.height, "m");
        report.direction(&format!("{path}.section.up"), &section.up, "[0, 1, 0]");
    }
    if let Some(plasticity) = &material.plasticity {
        report.positive(&format!("{path}.plasticity.yield_strain"), plasticity.yield_strain, "-");
        if let Some(creep) = plasticity.creep {
            report.positive(&format!("{path}.plasticity.creep"), creep, "1/s");
        }
    }
}

pub(super) fn check_cloud(report: &mut Report, path: &str, cloud: &CloudFile) {
    report.positive(&format!("{path}.scale"), cloud.scale, "m");
    if let Some(radius) = cloud.radius {
        report.positive(&format!("{path}.radius"), radius, "-");
    }
    shape::check_file(report, &format!("{path}.file"), &cloud.file, "a PLY, OBJ or CSV file");
}

pub(super) fn check_blade(report: &mut Report, path: &str, blade: &Blade, scene: &Scene) {
    if scene.method != Method::Elastons {
        report.fault(
            path,
            &format!("method `{}` does not support blades", scene.method.name()),
            "has no effect",
            "leave it out, or use method `elastons`",
        );
        return;
    }
    let path_of_shape = format!("{path}.shape.{}", blade.shape.name());
    if let Some(spacing) = blade.shape.spacing(1.0) {
        report.positive(&format!("{path_of_shape}.spacing"), spacing, "m");
    }
    if let SurfaceShape::SurfaceMesh(mesh) = &blade.shape {
        shape::check_mesh(report, &path_of_shape, mesh);
    }
    collider::check_motion(report, &format!("{path}.motion"), &blade.motion);
    report.within(&format!("{path}.from"), blade.from, 0.0.., "s");
    if let Some(until) = blade.until
        && until <= blade.from
    {
        report.fault(
            &format!("{path}.until"),
            "`{}` must be later than `from`",
            &format!("not after {} s", plain(blade.from)),
            "write a later time [s], or leave it out",
        );
    }
}
