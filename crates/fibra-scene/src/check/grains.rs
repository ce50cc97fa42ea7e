//! Checks of the display grains of an object.

use super::report::Report;
use crate::model::grains::{GrainShape, Grains};
use crate::model::object_shape::Form;
use crate::model::scene::{Method, Object};
use std::ops::Bound::Excluded;

pub(super) fn check(report: &mut Report, path: &str, grains: &Grains, object: &Object) {
    if object.material.method() != Method::Mpm || object.material.form() != Some(Form::Solid) {
        report.fault(
            path,
            &format!(
                "`{{}}`: only solids of method `mpm` can be drawn as grains, but `{}` is {}",
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

#[cfg(test)]
mod tests {
    use crate::Scene;

    const VALID_SCENE: &str = r#"title = "A heap of twigs"
method = "mpm"
time = { frames = 1 }
mpm = { dx = 0.05 }

[[object]]
name = "twigs"
shape.sphere = { center = [0, 1, 0], radius = 0.2 }
material.sand = {}
[object.grains]
shape = "rod"
size = [0.002, 0.002, 0.02]
"#;

    fn error(from: &str, to: &str) -> String {
        assert!(VALID_SCENE.contains(from));
        let text = VALID_SCENE.replace(from, to);
        Scene::load(&text, None, &[]).expect_err(to).render(false)
    }

    #[test]
    fn missing_fields_have_defaults_and_errors_name_their_field() {
        let scene = Scene::load(VALID_SCENE, None, &[]).unwrap_or_else(|error| panic!("{}", error.render(false))).scene;
        let grains = scene.objects[0].grains.unwrap();
        assert_eq!((grains.per_particle, grains.spread_degrees, grains.escape_density), (10, 5.0, 0.005));
        let cases = [
            ("0.02]", "0.0]", "grains.size", "above 0"),
            ("0.02]", "0.001]", "grains.size", "long along its third axis"),
            ("\"rod\"", "\"card\"", "grains.size", "thin along its third axis"),
            ("\"rod\"", "\"ball\"", "grains.shape", "card"),
            ("0.02]", "0.02]\nper_particle = 0", "grains.per_particle", "from 1 to 1000"),
            ("0.02]", "0.02]\nspread_degrees = 181", "grains.spread_degrees", "from 0 to 180"),
            ("0.02]", "0.02]\nescape_density = 0.5", "grains.escape_density", "below 0.5"),
            ("0.02]", "0.02]\nescape = 1", "escape", "escape_density"),
            (
                "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nmaterial.sand = {}",
                "shape.sheet = { center = [0, 1, 0], width = 0.4, depth = 0.4 }\nmaterial.cloth = {}",
                "grains",
                "only solids of method `mpm`",
            ),
        ];
        for (from, to, field, part) in cases {
            let message = error(from, to);
            assert!(message.contains(field) && message.contains(part), "{to}: {message}");
        }
    }
}
