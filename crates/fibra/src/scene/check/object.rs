//! Checks of objects and their pins.

use super::report::Report;
use super::{collider, material, shape, short};
use crate::scene::curve::CurveShape;
use crate::scene::extent;
use crate::scene::model::{Domain, Object, Scene};
use crate::scene::object_shape::{Form, ObjectShape};
use crate::scene::pin::Pin;
use crate::scene::shape::Shape;
use crate::scene::suggest::listed;
use crate::scene::surface::SurfaceShape;

pub(super) fn check(report: &mut Report, path: &str, object: &Object, scene: &Scene, domain: Option<&Domain>) {
    check_shape(report, &format!("{path}.shape"), object, scene.mpm.dx, domain);
    check_fit(report, path, object);
    material::check(report, &format!("{path}.material"), &object.material);
    if let Some(color) = object.color {
        report.color(&format!("{path}.color"), color);
    }
    for (index, pin) in object.pins.iter().enumerate() {
        check_pin(report, &format!("{path}.pin.{index}"), pin, object, scene);
    }
}

/// What can be known without making the shape: the generators of meshes check their own numbers.
fn check_shape(report: &mut Report, path: &str, object: &Object, dx: f64, domain: Option<&Domain>) {
    let mut check_spacing = |spacing: f64| {
        report.positive(&format!("{path}.{}.spacing", object.shape.name()), spacing, "m");
    };
    let solid = match &object.shape {
        ObjectShape::Surface(surface) => {
            surface.spacing(dx).into_iter().for_each(check_spacing);
            if let SurfaceShape::SurfaceMesh(mesh) = surface {
                shape::check_mesh(report, &format!("{path}.surface-mesh"), mesh);
            }
            return;
        }
        ObjectShape::Curves(curves) => {
            check_spacing(curves.spacing(dx));
            check_curves(report, &format!("{path}.{}", curves.name()), curves);
            return;
        }
        ObjectShape::Solid(solid) => solid,
    };
    if !shape::check(report, path, solid) {
        return;
    }
    shape::check_thickness(report, path, solid, dx);
    let (Some(domain), Some(bounds)) = (domain, extent::bounds(solid)) else { return };
    let outside = (0..3).find(|&axis| bounds[0][axis] < domain.min[axis] || bounds[1][axis] > domain.max[axis]);
    if let Some(axis) = outside {
        let name = ["x", "y", "z"][axis];
        report.fault(
            path,
            &format!("object `{}` starts outside the domain", object.name),
            &format!("reaches from {name} = {} to {} [m]", short(bounds[0][axis]), short(bounds[1][axis])),
            &format!(
                "move it, or widen the domain, which goes from {name} = {} to {} [m]",
                short(domain.min[axis]),
                short(domain.max[axis])
            ),
        );
    }
}

fn check_curves(report: &mut Report, path: &str, curves: &CurveShape) {
    match curves {
        CurveShape::Carpet(carpet) => {
            report.within(&format!("{path}.lean_degrees"), carpet.lean_degrees, 0.0..90.0, "deg")
        }
        CurveShape::FiberBundle(bundle) => {
            report.within(&format!("{path}.spread_degrees"), bundle.spread_degrees, 0.0..90.0, "deg");
            report.within(&format!("{path}.bend_degrees"), bundle.bend_degrees, 0.0..=180.0, "deg");
        }
        CurveShape::CurveFile(file) => {
            report.positive(&format!("{path}.scale"), file.scale, "m");
            shape::check_file(report, &format!("{path}.file"), &file.file, "a .hair or .bcc file");
        }
        _ => {}
    }
}

/// Requires a shape that the material can be the material of.
fn check_fit(report: &mut Report, path: &str, object: &Object) {
    let (shape, needed) = (&object.shape, object.material.form());
    if let ObjectShape::Solid(Shape::Plane(_)) = shape {
        report.fault(
            &format!("{path}.shape.plane"),
            "an object cannot be a plane",
            "this has no end to fill with particles",
            "give the object a box, or make the plane a `[[collider]]`",
        );
    } else if shape.form() != needed {
        let fitting_material = match shape.form() {
            Form::Solid => "any material but `cloth` and `fiber`",
            Form::Surface => "material `cloth`",
            Form::Curves => "material `fiber`",
        };
        report.fault(
            &format!("{path}.shape"),
            &format!(
                "material `{}` needs {needed}, but `{}` is {}",
                object.material.name(),
                shape.name(),
                shape.form()
            ),
            &format!("not {needed}"),
            &format!("use shape {}, or {fitting_material}", listed(needed.shapes().iter().copied())),
        );
    }
}

fn check_pin(report: &mut Report, path: &str, pin: &Pin, object: &Object, scene: &Scene) {
    if object.material.form() == Form::Solid {
        report.fault(
            path,
            &format!(
                "`{{}}`: only cloth and fibres can be pinned, and `{}` is {}",
                object.name,
                object.material.name()
            ),
            "has no vertices to hold",
            "let it touch a collider with `contact = \"sticky\"` instead",
        );
    }
    shape::check(report, &format!("{path}.region"), &pin.region);
    collider::check_motion(report, &format!("{path}.motion"), &pin.motion);
    if let Some(until) = pin.until {
        report.positive(&format!("{path}.until"), until, "s");
    }
    let Some(name) = &pin.follow else { return };
    let names = || scene.colliders.iter().map(|collider| collider.name.as_str());
    if !names().any(|known| known == name) {
        let remedy = if scene.colliders.is_empty() {
            "the scene has no colliders; give the pin a `motion`".to_owned()
        } else {
            format!("the scene's colliders are {}", listed(names()))
        };
        report.fault(
            &format!("{path}.follow"),
            &format!("there is no collider `{name}` to follow"),
            "names nothing",
            &remedy,
        );
    } else if !pin.motion.is_still() {
        report.fault(
            &format!("{path}.motion"),
            "a pin cannot both follow a collider and have a motion of its own",
            &format!("it follows `{name}`"),
            "keep either `follow` or `motion`",
        );
    }
}
