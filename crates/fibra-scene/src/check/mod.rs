//! Checks of constraints that the scene's types cannot express: ranges, names, files, sizes. All problems are reported, not only the first.
//!
//! Paths are dotted, with list elements by index (`object.0.shape.sphere.radius`), so that each path leads to one value.

mod anisotropy;
mod collider;
mod elastons;
mod grains;
mod hair;
mod material;
mod object;
mod report;
mod settings;
mod shape;

pub(super) use report::{Finding, Report};

use super::memory;
use super::model::{Scene, Settings};
use std::collections::BTreeMap;

/// Returns all problems of a scene whose file paths are absolute.
pub(super) fn check(scene: &Scene) -> Vec<Finding> {
    let mut report = Report::default();
    settings::check_top(&mut report, scene);
    settings::check_time(&mut report, &scene.time);
    let Some(of_method) = settings::check_method(&mut report, scene) else { return report.into_findings() };
    match of_method {
        Settings::Mpm(mpm) => settings::check_mpm(&mut report, mpm),
        Settings::Rods(rods) => settings::check_rods(&mut report, rods, scene),
        Settings::Hair(settings) => hair::check(&mut report, settings, scene),
        Settings::Elastons(settings) => elastons::check(&mut report, settings, scene),
    }
    // If the domain itself is invalid, objects are not checked against it.
    let domain = scene.domain.as_ref().filter(|domain| settings::check_domain(&mut report, domain, of_method));
    if let Some(camera) = &scene.camera {
        settings::check_camera(&mut report, camera);
    }
    if scene.objects.is_empty() {
        report.fault(
            "",
            "the scene has no objects",
            "there is nothing to simulate",
            "add an `[[object]]` with `name`, `shape` and `material`",
        );
    }
    check_names(&mut report, "object", scene.objects.iter().map(|object| object.name.as_str()));
    check_names(&mut report, "collider", scene.colliders.iter().map(|collider| collider.name.as_str()));
    for (index, object) in scene.objects.iter().enumerate() {
        object::check(&mut report, &format!("object.{index}"), object, scene, domain);
    }
    for (index, collider) in scene.colliders.iter().enumerate() {
        collider::check(&mut report, &format!("collider.{index}"), collider, of_method);
    }
    check_names(&mut report, "blade", scene.blades.iter().map(|blade| blade.name.as_str()));
    for (index, blade) in scene.blades.iter().enumerate() {
        elastons::check_blade(&mut report, &format!("blade.{index}"), blade, scene);
    }
    for (index, expect) in scene.expect.iter().enumerate() {
        settings::check_expect(&mut report, &format!("expect.{index}"), expect, scene);
    }
    // Memory is estimated only if all lengths are valid.
    if report.is_clean() {
        let amount = scene.objects.iter().map(|object| object.amount(scene.element_length())).sum();
        let (path, fits) = match of_method {
            Settings::Mpm(mpm) => ("mpm.dx", memory::check(amount, mpm, memory::installed())),
            Settings::Rods(rods) => ("rods.spacing", memory::check_rods(amount, rods, memory::installed())),
            Settings::Hair(_) => ("object", memory::check_hair(amount, 0.0, memory::installed())),
            Settings::Elastons(elastons) => {
                ("elastons.spacing", memory::check_elastons(amount, elastons, memory::installed()))
            }
        };
        if let Err(error) = fits {
            report.fault(path, &error.message, &error.label, &error.remedy);
        }
    }
    report.into_findings()
}

fn check_names<'a>(report: &mut Report, list: &str, names: impl Iterator<Item = &'a str>) {
    let mut seen = BTreeMap::new();
    for (index, name) in names.enumerate() {
        let path = format!("{list}.{index}.name");
        let well_formed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(well_formed) {
            report.fault(
                &path,
                &format!("\"{name}\" cannot be the name of {}", with_article(list)),
                "not a valid name",
                "use lower-case letters, digits and hyphens, e.g. `left-ball`",
            );
        } else if let Some(first) = seen.insert(name, index) {
            report.fault(
                &path,
                &format!("two {list}s are named `{name}`"),
                &format!("already used by {list} {first}"),
                "choose a different name",
            );
        }
    }
}

fn with_article(list: &str) -> String {
    if list == "object" { "an object".to_owned() } else { format!("a {list}") }
}

/// Formats a number with at most four digits.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = (3 - value.abs().log10().floor() as i32).clamp(-300, 300);
    let factor = 10f64.powi(decimals);
    let rounded = (value * factor).round() / factor;
    if (1e-4..1e7).contains(&rounded.abs()) { rounded.to_string() } else { format!("{rounded:e}") }
}
