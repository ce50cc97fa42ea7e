//! Checks of shapes and of mesh files.

use super::report::{Report, plain};
use crate::builtin;
use crate::load::suggest::listed;
use crate::model::extent;
use crate::model::shape::{Mesh, Shape, ShapeSource};
use fibra_core::geometry::Rule;
use std::path::Path;

/// Checks a shape. Returns whether it is valid.
pub(super) fn check(report: &mut Report, path: &str, shape: &Shape) -> bool {
    let before = report.count();
    match shape.source() {
        ShapeSource::Primitive(primitive) => {
            let path = format!("{path}.{}", shape.name());
            primitive.rules().into_iter().for_each(|rule| check_rule(report, &path, rule));
        }
        ShapeSource::Figure(figure) => {
            report.positive(&format!("{path}.figure.scale"), figure.scale, "-");
            if figure.parts().next().is_none() {
                report.fault(
                    &format!("{path}.figure.without"),
                    "the figure has no parts left",
                    "omits every part",
                    "keep at least one part, or leave out the collider",
                );
            }
        }
        ShapeSource::Shawl(shawl) => {
            let path = format!("{path}.shawl");
            report.positive(&format!("{path}.spacing"), shawl.spacing, "m");
            report.positive(&format!("{path}.thickness"), shawl.thickness, "m");
            report.positive(&format!("{path}.length"), shawl.length, "m");
            report.within(&format!("{path}.length"), shawl.length, ..=0.6, "m");
            report.within(&format!("{path}.delay"), shawl.delay, 0.0.., "s");
        }
        ShapeSource::DeformingMesh(mesh) => {
            let path = format!("{path}.deforming-mesh");
            match mesh.fps {
                Some(fps) => report.positive(&format!("{path}.fps"), fps, "1/s"),
                None if mesh.file.contains('#') => report.fault(
                    &format!("{path}.file"),
                    "`{}` is a sequence of files and has no frame rate",
                    "frame rate is missing",
                    "write `fps` [1/s] beside it",
                ),
                None => {}
            }
            if !mesh.file.contains('#') {
                check_file(
                    report,
                    &format!("{path}.file"),
                    &mesh.file,
                    "a USD or glTF file, or a name with # for numbers",
                );
            }
            report.positive(&format!("{path}.thickness"), mesh.thickness, "m");
            report.positive(&format!("{path}.scale"), mesh.scale, "m");
        }
        ShapeSource::Mesh(mesh) => check_mesh(report, &format!("{path}.mesh"), mesh),
    }
    report.count() == before
}

/// Checks one rule of a shape whose table is at `path`.
fn check_rule(report: &mut Report, path: &str, rule: Rule) {
    match rule {
        Rule::Positive { field, value, unit } => report.positive(&format!("{path}.{field}"), value, unit),
        Rule::Direction { field, value, example } => report.direction(&format!("{path}.{field}"), &value, example),
        Rule::Holds { holds: true, .. } => {}
        Rule::Holds { holds: false, field, message, label, remedy } => {
            report.fault(&format!("{path}.{field}"), message, label, remedy);
        }
    }
}

/// Requires a valid solid to be at least one grid cell thick.
pub(super) fn check_thickness(report: &mut Report, path: &str, shape: &Shape, dx: f64) {
    match extent::thinnest(shape) {
        Some(thinnest) if thinnest < dx => report.fault(
            path,
            "`{}` is thinner than a grid cell",
            &format!("{} m at its thinnest", super::short(thinnest)),
            &format!("make it at least `mpm.dx` = {} [m] thick, or lower `mpm.dx`", plain(dx)),
        ),
        _ => {}
    }
}

pub(super) fn check_mesh(report: &mut Report, path: &str, mesh: &Mesh) {
    report.positive(&format!("{path}.scale"), mesh.scale, "m");
    let path = format!("{path}.file");
    match mesh.file.strip_prefix(builtin::MESH_PREFIX) {
        Some(name) if builtin::mesh(name).is_none() => report.fault(
            &path,
            &format!("there is no built-in mesh `{name}`"),
            "no such mesh",
            &format!("the built-in meshes are {}", listed(builtin::mesh_names())),
        ),
        Some(_) if mesh.prim.is_some() => report.fault(
            &path,
            "`{}` is a built-in mesh, which has no parts to choose from",
            "has no parts",
            "leave out `prim`",
        ),
        Some(_) => {}
        None => check_file(report, &path, &mesh.file, "an OBJ, PLY, USD or glTF file"),
    }
}

/// Requires a file to exist and to be readable.
pub(super) fn check_file(report: &mut Report, path: &str, file: &str, what: &str) {
    let trouble = match std::fs::File::open(file).and_then(|opened| opened.metadata()) {
        Ok(metadata) if metadata.is_dir() => "it is a folder".to_owned(),
        Ok(_) => return,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        Err(error) => error.to_string(),
    };
    report.fault(
        path,
        &format!("cannot read `{}` of `{{}}`: {trouble}", Path::new(file).display()),
        &trouble,
        &format!("use {what}; relative paths start from the scene file's folder"),
    );
}
