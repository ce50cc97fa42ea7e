//! Checks of method `hair`: settings, shapes and pins.

use super::report::Report;
use super::{collider, shape};
use crate::model::curve::CurveShape;
use crate::model::hair::{Hair, HairMaterial};
use crate::model::hair_shape::HairFile;
use crate::model::object_shape::ObjectShape;
use crate::model::scene::{Method, Object, Scene, Vec3};
use std::ops::Bound::{Excluded, Included};

/// Largest number of grid steps per strand step.
const MOST_SUBSTEPS: u32 = 100;

pub(super) fn check(report: &mut Report, hair: &Hair, scene: &Scene) {
    report.positive("hair.step", hair.step, "s");
    if !(1..=MOST_SUBSTEPS).contains(&hair.substeps) {
        report.fault(
            "hair.substeps",
            &format!("`{{}}` must be from 1 to {MOST_SUBSTEPS}"),
            &format!("{} is out of range", hair.substeps),
            "write a number from 1 to 100; [Huang2023] uses 1, 2 and 3",
        );
    }
    report.within("hair.drag", hair.drag, 0.0.., "1/s");
    report.within("hair.follow", hair.follow, (Excluded(0.0), Included(1.0)), "-");
    report.within("hair.slack", hair.slack, (Excluded(0.0), Excluded(1.0)), "-");
    check_strand(report, hair);
    check_grid(report, hair);
    report.within("hair.blend.root", hair.blend.root, 0.0..=1.0, "-");
    report.within("hair.blend.tip", hair.blend.tip, 0.0..=1.0, "-");
    check_head(report, hair);
    if scene.time.max_dt.is_some() {
        report.fault(
            "time.max_dt",
            "`{}` belongs to method `mpm`, but the scene's method is `hair`",
            "has no effect",
            "write `hair.step` [s] instead",
        );
    }
}

fn check_strand(report: &mut Report, hair: &Hair) {
    let strand = &hair.strand;
    report.positive("hair.strand.radius", strand.radius, "m");
    report.positive("hair.strand.density", strand.density, "kg/m^3");
    report.positive("hair.strand.stretching_modulus", strand.stretching_modulus, "Pa");
    report.positive("hair.strand.bending_modulus", strand.bending_modulus, "Pa");
    report.positive("hair.strand.shear_modulus", strand.shear_modulus, "Pa");
}

fn check_grid(report: &mut Report, hair: &Hair) {
    let grid = &hair.grid;
    report.positive("hair.grid.cell", grid.cell, "m");
    report.positive("hair.grid.youngs_modulus", grid.youngs_modulus, "Pa");
    report.within("hair.grid.poisson_ratio", grid.poisson_ratio, 0.0..0.5, "-");
    report.within("hair.grid.friction_angle", grid.friction_angle, 0.0..90.0, "deg");
    report.within("hair.grid.flip_ratio", grid.flip_ratio, 0.0..=1.0, "-");
    for (index, share) in grid.trap_breaking.into_iter().enumerate() {
        report.within(&format!("hair.grid.trap_breaking.{index}"), share, 0.0..=1.0, "-");
    }
}

fn check_head(report: &mut Report, hair: &Hair) {
    let head = &hair.head;
    for (axis, length) in head.size.into_iter().enumerate() {
        report.positive(&format!("hair.head.size.{axis}"), length, "m");
    }
    collider::check_motion(report, "hair.head.motion", &head.motion);
    report.within("hair.head.friction", head.friction, 0.0.., "-");
    report.within("hair.head.max_displacement", head.max_displacement, 0.0.., "m");
    report.within("hair.head.max_rotation", head.max_rotation, 0.0.., "rad");
    report.color("hair.head.color", head.color);
}

/// Checks hair as the material of an object.
pub(super) fn check_material(report: &mut Report, path: &str, hair: &HairMaterial) {
    report.positive(&format!("{path}.drawn_radius"), hair.drawn_radius, "m");
    let Some(bangs) = &hair.bangs else { return };
    shape::check(report, &format!("{path}.bangs.region"), &bangs.region);
    if bangs.pinned <= hair.pinned {
        report.fault(
            &format!("{path}.bangs.pinned"),
            &format!("`{{}}` must be above `pinned`, which is {}", hair.pinned),
            &format!("{} is too few", bangs.pinned),
            "pin more vertices of bangs than of other hair, or leave out `bangs`",
        );
    }
}

/// Rejects initial velocities and pins: hair starts at rest and can only be pinned to the head.
pub(super) fn check_object(report: &mut Report, path: &str, object: &Object) {
    const STILL: Vec3 = [0.0; 3];
    for (field, value) in [("velocity", object.velocity), ("angular_velocity", object.angular_velocity)] {
        if value != STILL {
            report.fault(
                &format!("{path}.{field}"),
                "hair starts at rest",
                "has no effect on hair",
                "leave it out; move the head with `hair.head.motion`",
            );
        }
    }
    for index in 0..object.pins.len() {
        report.fault(
            &format!("{path}.pin.{index}"),
            "hair can only be pinned to the head",
            "has no effect on hair",
            "use `material.hair.pinned` and `material.hair.bangs`",
        );
    }
}

/// Checks the shapes that grow on the head.
pub(super) fn check_shape(report: &mut Report, path: &str, curves: &CurveShape) {
    match curves {
        CurveShape::Hairstyle(style) => {
            let wide = |angle: Option<f64>| angle.unwrap_or(1.0);
            report.within(
                &format!("{path}.cap_degrees"),
                wide(style.cap_degrees),
                (Excluded(0.0), Included(114.0)),
                "deg",
            );
            report.within(&format!("{path}.tilt_degrees"), wide(style.tilt_degrees), 0.0..=57.0, "deg");
        }
        CurveShape::HairFile(file) => check_file(report, path, file),
        _ => {}
    }
}

fn check_file(report: &mut Report, path: &str, hair: &HairFile) {
    report.positive(&format!("{path}.scale"), hair.scale, "m");
    shape::check_file(report, &format!("{path}.file"), &hair.file, "a .hair or USD file");
    if hair.strands == Some(0) {
        report.fault(
            &format!("{path}.strands"),
            "`{}` must be at least 1",
            "no strands",
            "leave it out to simulate all strands of the file",
        );
    }
    if hair.strands.is_none() && hair.interpolated > 0 {
        report.fault(
            &format!("{path}.interpolated"),
            "`{}` has no effect: all strands of the file are simulated",
            "no strands are left",
            "set `strands` to the number of simulated strands; the render strands are chosen among the others",
        );
    }
}

/// Requires method `hair` for shapes that grow on a head. Returns whether the shape fits the method.
pub(super) fn check_growth(report: &mut Report, path: &str, object: &Object, method: Method) -> bool {
    let ObjectShape::Curves(curves) = &object.shape else { return true };
    if method == Method::Hair || !curves.grows_on_head() {
        return true;
    }
    report.fault(
        &format!("{path}.shape"),
        &format!("shape `{}` requires method `hair`, but the scene's method is `{}`", curves.name(), method.name()),
        &format!("not for method `{}`", method.name()),
        "use shape `scalp`, `hair-tube` or `curve-file`, or write `method = \"hair\"`",
    );
    false
}
