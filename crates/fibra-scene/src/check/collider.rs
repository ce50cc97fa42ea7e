//! Checks of colliders and their motion.

use super::report::{Report, plain};
use super::settings::check_contact;
use super::shape::{self, check_file};
use crate::model::collider::{Collider, Keyframes, Motion, RandomPoses, Recorded};
use crate::model::scene::{Method, Settings};
use crate::model::shape::Shape;

pub(super) fn check(report: &mut Report, path: &str, collider: &Collider, settings: Settings<'_>) {
    let path_of_shape = format!("{path}.shape");
    let is_valid = shape::check(report, &path_of_shape, &collider.shape);
    match settings {
        Settings::Mpm(mpm) if is_valid => shape::check_thickness(report, &path_of_shape, &collider.shape, mpm.dx),
        Settings::Mpm(_) => {}
        Settings::Hair(_) => {}
        Settings::Rods(_) => check_contact(report, &format!("{path}.contact"), collider.contact, Method::Rods),
        Settings::Elastons(_) => {
            check_contact(report, &format!("{path}.contact"), collider.contact, Method::Elastons);
        }
    }
    report.within(&format!("{path}.friction"), collider.friction, 0.0.., "-");
    if let Some(color) = collider.color {
        report.color(&format!("{path}.color"), color);
    }
    let path_of_motion = format!("{path}.motion");
    check_motion(report, &path_of_motion, &collider.motion);
    if let Shape::Figure(_) | Shape::Shawl(_) = collider.shape {
        check_figure_motion(report, &path_of_motion, &collider.motion);
    }
}

/// Checks the motion of a figure, which moves by its joints, and of its shawl.
fn check_figure_motion(report: &mut Report, path: &str, motion: &Motion) {
    match motion {
        Motion::Still => {}
        Motion::Dance(dance) => {
            check_whole(report, &format!("{path}.dance"), dance.part.is_some(), dance.feet.is_some(), dance.scale);
        }
        Motion::Jump(jump) => {
            check_whole(report, &format!("{path}.jump"), jump.part.is_some(), jump.feet.is_some(), jump.scale);
        }
        _ => report.fault(
            path,
            "a figure or its shawl cannot have this motion",
            "not for a figure",
            "use `still`, `dance` or `jump`, e.g. `motion.dance = { rate = 1 }`",
        ),
    }
}

/// Checks that a figure's motion does not select a part, a position or a size.
fn check_whole(report: &mut Report, path: &str, part: bool, feet: bool, scale: f64) {
    for (field, set) in [("part", part), ("feet", feet), ("scale", scale != 1.0)] {
        if set {
            report.fault(
                &format!("{path}.{field}"),
                "`{}` cannot be set for a figure or its shawl: they move as a whole, at the position of the figure",
                "has no effect on a figure",
                "leave it out; `feet` and `scale` of the shape set the position and the size of the figure",
            );
            return;
        }
    }
}

pub(super) fn check_motion(report: &mut Report, path: &str, motion: &Motion) {
    match motion {
        Motion::Still => {}
        Motion::Keyframes(keyframes) => check_keyframes(report, &format!("{path}.keyframes"), keyframes),
        Motion::Spin(spin) => report.direction(&format!("{path}.spin.axis"), &spin.axis, "[0, 0, 1]"),
        Motion::Recorded(recorded) => check_recorded(report, &format!("{path}.recorded"), recorded),
        Motion::Dance(dance) => {
            report.within(&format!("{path}.dance.rate"), dance.rate, 0.0.., "-");
            report.positive(&format!("{path}.dance.scale"), dance.scale, "-");
        }
        Motion::Jump(jump) => {
            report.within(&format!("{path}.jump.start"), jump.start, .., "s");
            report.positive(&format!("{path}.jump.height"), jump.height, "m");
            report.positive(&format!("{path}.jump.scale"), jump.scale, "-");
        }
        Motion::Random(random) => check_random(report, &format!("{path}.random"), random),
    }
}

fn check_keyframes(report: &mut Report, path: &str, keyframes: &Keyframes) {
    let count = keyframes.times.len();
    if count == 0 {
        report.fault(
            &format!("{path}.times"),
            "the motion has no keyframes",
            "empty",
            "add at least one time [s], or leave out `motion`",
        );
    }
    for (index, pair) in keyframes.times.windows(2).enumerate() {
        if pair[0] >= pair[1] {
            report.fault(
                &format!("{path}.times.{}", index + 1),
                "each keyframe must be later than the one before",
                &format!("not later than {}", plain(pair[0])),
                "sort the times [s] and remove duplicates",
            );
        }
    }
    let mut same_length = |field: &str, length: usize| {
        if length != count {
            report.fault(
                &format!("{path}.{field}"),
                &format!("there are {count} times, but {length} {field}"),
                &format!("{length} of {count}"),
                "give one per time",
            );
        }
    };
    same_length("translations", keyframes.translations.len());
    if let Some(rotations) = &keyframes.rotations_degrees {
        same_length("rotations_degrees", rotations.len());
    }
    if let Some(rotations) = &keyframes.rotations {
        same_length("rotations", rotations.len());
        for (index, rotation) in rotations.iter().enumerate() {
            report.direction(&format!("{path}.rotations.{index}"), rotation, "[0, 0, 0, 1]");
        }
        if keyframes.rotations_degrees.is_some() {
            report.fault(
                &format!("{path}.rotations"),
                "the keyframes give the rotations twice",
                "`rotations_degrees` is also set",
                "keep either `rotations` or `rotations_degrees`",
            );
        }
    }
}

fn check_recorded(report: &mut Report, path: &str, recorded: &Recorded) {
    report.positive(&format!("{path}.fps"), recorded.fps, "1/s");
    check_file(report, &format!("{path}.file"), &recorded.file, "a text file of poses");
}

fn check_random(report: &mut Report, path: &str, random: &RandomPoses) {
    report.positive(&format!("{path}.interval"), random.interval, "s");
    for axis in 0..3 {
        report.within(&format!("{path}.reach.{axis}"), random.reach[axis], 0.0.., "m");
        report.within(&format!("{path}.turn_degrees.{axis}"), random.turn_degrees[axis], 0.0.., "deg");
    }
}
