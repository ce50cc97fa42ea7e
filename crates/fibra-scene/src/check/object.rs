//! Checks of objects, their pins and pulls.

use super::report::Report;
use super::{anisotropy, collider, elastons, grains, hair, material, shape, short};
use crate::load::suggest::listed;
use crate::model::cloud_shape::CloudShape;
use crate::model::curve::CurveShape;
use crate::model::extent;
use crate::model::material::Material;
use crate::model::object_shape::{Form, ObjectShape};
use crate::model::pin::{Pin, Pull};
use crate::model::scene::{Domain, Method, Object, Scene, Settings, Vec3};
use crate::model::shape::Shape;
use crate::model::surface::SurfaceShape;
use std::ops::Bound::{Excluded, Included};

pub(super) fn check(report: &mut Report, path: &str, object: &Object, scene: &Scene, domain: Option<&Domain>) {
    check_shape(report, &format!("{path}.shape"), object, scene, domain);
    check_fit(report, path, object, scene.method);
    check_start(report, path, object);
    elastons::check_object(report, path, object);
    material::check(report, &format!("{path}.material"), &object.material);
    if let Some(wanted) = &object.anisotropy {
        anisotropy::check(report, &format!("{path}.anisotropy"), wanted, object);
    }
    if let Some(drawn) = &object.grains {
        grains::check(report, &format!("{path}.grains"), drawn, object);
    }
    if let Some(color) = object.color {
        report.color(&format!("{path}.color"), color);
    }
    for (index, pin) in object.pins.iter().enumerate() {
        check_pin(report, &format!("{path}.pin.{index}"), pin, object, scene);
    }
    for (index, pull) in object.pulls.iter().enumerate() {
        check_pull(report, &format!("{path}.pull.{index}"), pull, object);
    }
}

/// Checks a shape without generating it. The mesh generators check their own parameters.
fn check_shape(report: &mut Report, path: &str, object: &Object, scene: &Scene, domain: Option<&Domain>) {
    let length = scene.element_length();
    let mut check_spacing = |spacing: f64| {
        report.positive(&format!("{path}.{}.spacing", object.shape.name()), spacing, "m");
    };
    let solid = match &object.shape {
        ObjectShape::Surface(surface) => {
            surface.spacing(length).into_iter().for_each(check_spacing);
            if let SurfaceShape::SurfaceMesh(mesh) = surface {
                shape::check_mesh(report, &format!("{path}.surface-mesh"), mesh);
            }
            return;
        }
        ObjectShape::Curves(curves) => {
            // A hairstyle has a number of points instead of a spacing.
            if !matches!(curves, CurveShape::Hairstyle(_)) {
                check_spacing(curves.spacing(length));
            }
            check_curves(report, &format!("{path}.{}", curves.name()), curves);
            return;
        }
        ObjectShape::Cloud(CloudShape::Cloud(cloud)) => {
            elastons::check_cloud(report, &format!("{path}.cloud"), cloud);
            return;
        }
        ObjectShape::Solid(solid) => solid,
    };
    if !shape::check(report, path, solid) {
        return;
    }
    if let Some(Settings::Mpm(mpm)) = scene.settings() {
        shape::check_thickness(report, path, solid, mpm.dx);
    }
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
        CurveShape::Scalp(scalp) => {
            report.within(&format!("{path}.cap_degrees"), scalp.cap_degrees, (Excluded(0.0), Included(110.0)), "deg");
        }
        CurveShape::CurveFile(file) => {
            report.positive(&format!("{path}.scale"), file.scale, "m");
            shape::check_file(report, &format!("{path}.file"), &file.file, "a .hair, .bcc or USD file");
        }
        CurveShape::Hairstyle(_) | CurveShape::HairFile(_) => hair::check_shape(report, path, curves),
        _ => {}
    }
}

/// Requires a material of the scene's method, and a shape that the material supports.
fn check_fit(report: &mut Report, path: &str, object: &Object, method: Method) {
    let (shape, needed) = (&object.shape, object.material.form());
    if object.material.method() != method {
        let fitting = match method {
            Method::Mpm => "any material but `rod`, `rigid`, `hair` and `elastic`",
            Method::Rods => "material `rod` or `rigid`",
            Method::Hair => "material `hair`",
            Method::Elastons => "material `elastic`",
        };
        report.fault(
            &format!("{path}.material"),
            &format!(
                "material `{}` belongs to method `{}`, but the scene's method is `{}`",
                object.material.name(),
                object.material.method().name(),
                method.name()
            ),
            &format!("not for method `{}`", method.name()),
            &format!("use {fitting}, or write `method = \"{}\"`", object.material.method().name()),
        );
        return;
    }
    if !hair::check_growth(report, path, object, method) {
        return;
    }
    if let ObjectShape::Solid(solid) = shape
        && solid.is_for_colliders()
    {
        let name = solid.name();
        report.fault(
            &format!("{path}.shape.{name}"),
            &format!("an object cannot be a {name}"),
            "only colliders can",
            &format!("make the {name} a `[[collider]]`; the object can be a capsule or a mesh"),
        );
    } else if let ObjectShape::Solid(Shape::Plane(_)) = shape {
        report.fault(
            &format!("{path}.shape.plane"),
            "an object cannot be a plane",
            "unbounded, cannot be filled with particles",
            "give the object a box, or make the plane a `[[collider]]`",
        );
    } else if let (Material::Rigid(_), false) = (&object.material, is_sphere(shape)) {
        report.fault(
            &format!("{path}.shape"),
            &format!("material `rigid` needs a sphere, but the shape is `{}`", shape.name()),
            "not a sphere",
            "use shape `sphere`; curves take material `rod`, and other solids can be a `[[collider]]`",
        );
    } else if let Some(needed) = needed
        && shape.form() != needed
    {
        let fitting_material = match (method, shape.form()) {
            (Method::Mpm, Form::Solid) => "any material but `cloth` and `fiber`",
            (Method::Mpm, Form::Surface) => "material `cloth`",
            (Method::Mpm, Form::Curves) => "material `fiber`",
            (Method::Rods, Form::Solid) => "a sphere with material `rigid`",
            (Method::Rods, Form::Surface) => "method `mpm` with material `cloth`",
            (Method::Rods, Form::Curves) => "material `rod`",
            (Method::Hair, Form::Solid) => "a `[[collider]]`",
            (Method::Hair, Form::Surface) => "method `mpm` with material `cloth`",
            (Method::Hair, Form::Curves) => "material `hair`",
            (_, Form::Cloud) | (Method::Elastons, _) => "method `elastons` with material `elastic`",
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

fn is_sphere(shape: &ObjectShape) -> bool {
    matches!(shape, ObjectShape::Solid(Shape::Sphere(_)))
}

/// Rejects initial velocities that rods and hair cannot have.
fn check_start(report: &mut Report, path: &str, object: &Object) {
    const STILL: Vec3 = [0.0; 3];
    if let Material::Hair(_) = object.material {
        hair::check_object(report, path, object);
    }
    if matches!(object.material, Material::Rod(_)) && object.angular_velocity != STILL {
        report.fault(
            &format!("{path}.angular_velocity"),
            "rods start without rotation",
            "has no effect on rods",
            "give them a `velocity`, or pin their ends with a rotating pin",
        );
    }
}

/// Rejects regions with a shape that is for colliders only. Planes are allowed.
pub(super) fn check_region(report: &mut Report, path: &str, region: &Shape) {
    if region.is_for_colliders() {
        let name = region.name();
        report.fault(
            &format!("{path}.{name}"),
            &format!("a region cannot be a {name}"),
            "only colliders can",
            "use a box, sphere, cylinder, capsule or mesh",
        );
    }
    shape::check(report, path, region);
}

fn check_pin(report: &mut Report, path: &str, pin: &Pin, object: &Object, scene: &Scene) {
    if object.material.form() == Some(Form::Solid) {
        report.fault(
            path,
            &format!(
                "`{{}}`: only cloth, fibers, rods and elastons can be pinned, but `{}` is {}",
                object.name,
                object.material.name()
            ),
            "has no vertices to pin",
            match scene.method {
                Method::Mpm => "let it touch a collider with `contact = \"sticky\"` instead",
                Method::Rods | Method::Hair | Method::Elastons => {
                    "make it a `[[collider]]` instead, with a prescribed motion"
                }
            },
        );
    }
    if pin.hold.is_some() && matches!(object.material.method(), Method::Mpm | Method::Elastons) {
        report.fault(
            &format!("{path}.hold"),
            "`{}` applies only to the ends of rods",
            "has no effect",
            "leave it out: only the positions of cloth, fibers and elastons can be pinned",
        );
    }
    check_region(report, &format!("{path}.region"), &pin.region);
    collider::check_motion(report, &format!("{path}.motion"), &pin.motion);
    if let Some(until) = pin.until {
        report.positive(&format!("{path}.until"), until, "s");
    }
    let Some(name) = &pin.follow else { return };
    let bodies = scene.bodies();
    let names = || bodies.iter().map(|collider| collider.name.as_str());
    if !names().any(|known| known == name) {
        let remedy = if scene.colliders.is_empty() {
            "the scene has no colliders; give the pin a `motion`".to_owned()
        } else {
            format!("the scene's colliders are {}", listed(names()))
        };
        report.fault(
            &format!("{path}.follow"),
            &format!("there is no collider `{name}` to follow"),
            "no such collider",
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

fn check_pull(report: &mut Report, path: &str, pull: &Pull, object: &Object) {
    if !matches!(object.material, Material::Rod(_)) {
        report.fault(
            path,
            &format!("`{{}}`: only rods can be pulled, but `{}` is {}", object.name, object.material.name()),
            "has no ends to pull",
            "use material `rod`, or leave it out",
        );
    }
    check_region(report, &format!("{path}.region"), &pull.region);
}
