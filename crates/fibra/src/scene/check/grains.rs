//! Checks of the grains by which an object is drawn.

use super::report::Report;
use crate::scene::grains::{GrainShape, Grains};
use crate::scene::model::{Method, Object};
use crate::scene::object_shape::Form;
use std::ops::Bound::Excluded;

pub(super) fn check(report: &mut Report, path: &str, grains: &Grains, object: &Object) {
    if object.material.method() != Method::Mpm || object.material.form() != Form::Solid {
        report.fault(
            path,
            &format!(
                "`{{}}`: only solids of method `mpm` can be drawn as grains, and `{}` is {}",
                object.name,
                object.material.name()
            ),
            "has no particles to draw",
            "leave it out",
        );
    }
    for (axis, size) in grains.size.into_iter().enumerate() {
        report.positive(&format!("{path}.size.{axis}"), size, "m");
    }
    let [x, y, z] = grains.size;
    let (misfit, rule) = match grains.shape {
        GrainShape::Card => (z > x.min(y), "a card is thin along its third axis, the normal of its layer"),
        _ => (z < x.max(y), "a rod, brick or fiber is long along its third axis"),
    };
    if misfit && grains.size.iter().all(|size| *size > 0.0) {
        report.fault(
            &format!("{path}.size"),
            &format!("{rule}, but `{{}}` is {:?}", grains.size),
            "the third number does not fit the shape",
            "change the order of the numbers, or the `shape`",
        );
    }
    report.within(&format!("{path}.per_particle"), f64::from(grains.per_particle), 1.0..=1000.0, "-");
    report.within(&format!("{path}.spread_degrees"), grains.spread_degrees, 0.0..=180.0, "deg");
    report.within(&format!("{path}.escape_density"), grains.escape_density, (Excluded(0.0), Excluded(0.5)), "-");
}
