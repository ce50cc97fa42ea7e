//! Checks of the scene's settings: time, grid, domain, camera, expectations.

use super::report::{Report, plain};
use crate::load::suggest::listed;
use crate::model::expect::Expect;
use crate::model::mpm::{Kernel, Mpm, Transfer};
use crate::model::rod_statics::RodAnalysis;
use crate::model::rods::{Pair, Rods};
use crate::model::scene::{Camera, Contact, Domain, Method, Scene, Settings, Time};
use std::ops::Bound::{Excluded, Included};

/// Smallest width of a domain along each axis [cells], so that a kernel fits between two walls.
const CELLS_ACROSS_DOMAIN: f64 = 4.0;
/// Largest time step of rods and elastons [s]; larger values are most likely mistakes.
pub(super) const LONGEST_STEP: f64 = 0.1;

pub(super) fn check_top(report: &mut Report, scene: &Scene) {
    report.one_line("title", &scene.title);
    if let Some(paper) = &scene.paper {
        report.one_line("paper", paper);
    }
    if let Some(figure) = &scene.figure {
        report.one_line("figure", figure);
    }
}

pub(super) fn check_time(report: &mut Report, time: &Time) {
    if time.frames == 0 {
        report.fault(
            "time.frames",
            "`{}` must be at least 1",
            "no frames",
            "write how many frames to simulate, e.g. `frames = 48`",
        );
    }
    report.positive("time.fps", time.fps, "1/s");
    report.positive("time.min_dt", time.min_dt, "s");
    report.within("time.cfl", time.cfl, (Excluded(0.0), Excluded(1.0)), "-");
    report.within("time.sound_cfl", time.sound_cfl, (Excluded(0.0), Excluded(1.0)), "-");
    if let Some(max_dt) = time.max_dt {
        report.positive("time.max_dt", max_dt, "s");
        if max_dt > 0.0 && max_dt < time.min_dt {
            report.fault(
                "time.max_dt",
                "`{}` must not be below `time.min_dt`",
                &format!("below min_dt = {} s", plain(time.min_dt)),
                "raise `max_dt` or lower `min_dt`",
            );
        }
    }
    if time.fps > 0.0 && time.min_dt > 1.0 / time.fps {
        report.fault(
            "time.min_dt",
            "`{}` must not be longer than a frame",
            &format!("a frame lasts {} s", super::short(1.0 / time.fps)),
            "lower `min_dt`; 1e-7 suits most scenes",
        );
    }
}

/// Requires the settings of the scene's method and of no other.
pub(super) fn check_method<'a>(report: &mut Report, scene: &'a Scene) -> Option<Settings<'a>> {
    let name = scene.method.name();
    let tables = [
        (Method::Mpm, scene.mpm.is_some()),
        (Method::Rods, scene.rods.is_some()),
        (Method::Hair, scene.hair.is_some()),
        (Method::Elastons, scene.elastons.is_some()),
    ];
    for (other, _) in tables.into_iter().filter(|(method, there)| *there && *method != scene.method) {
        report.fault(
            other.name(),
            &format!("the scene has settings of method `{}`, but its method is `{name}`", other.name()),
            "has no effect",
            &format!("remove the table, or write `method = \"{}\"`", other.name()),
        );
    }
    let settings = scene.settings();
    if settings.is_none() {
        let needed = match scene.method {
            Method::Mpm => " with `dx = ...` [m], the width of a grid cell",
            Method::Rods => " with `spacing = ...` [m], the length of a segment",
            Method::Hair => "; all its keys have defaults",
            Method::Elastons => " with `spacing = ...` [m], the distance between pieces of material",
        };
        report.fault(
            "method",
            &format!("method `{name}` needs a table `[{name}]`"),
            "its settings are missing",
            &format!("add `[{name}]`{needed}"),
        );
    }
    settings
}

pub(super) fn check_rods(report: &mut Report, rods: &Rods, scene: &Scene) {
    report.positive("rods.spacing", rods.spacing, "m");
    report.within("rods.dt", rods.dt, (Excluded(0.0), Included(LONGEST_STEP)), "s");
    report.positive("rods.tolerance", rods.tolerance, "-");
    for (index, pair) in rods.pairs.iter().enumerate() {
        check_pair(report, &format!("rods.pair.{index}"), pair, scene);
    }
    for (path, count) in [("rods.newton_iterations", rods.newton_iterations), ("rods.sweeps", rods.sweeps)] {
        if count == 0 {
            report.fault(path, "`{}` must be at least 1", "must not be 0", "leave it out for its default");
        }
    }
    if let Some(continuation) = &rods.continuation
        && rods.analysis != RodAnalysis::Static
    {
        report.fault(
            "rods.continuation",
            &format!("`{{}}` changes `{}` in a static analysis, but the analysis is dynamic", continuation.parameter),
            "has no effect",
            "write `rods.analysis = \"static\"`, or remove it",
        );
    }
    if scene.time.max_dt.is_some() {
        report.fault(
            "time.max_dt",
            "`{}` belongs to method `mpm`, but the scene's method is `rods`",
            "has no effect",
            "write `rods.dt` [s] instead",
        );
    }
}

/// Checks the names and values of a pair of `rods.pair`.
fn check_pair(report: &mut Report, path: &str, pair: &Pair, scene: &Scene) {
    report.within(&format!("{path}.friction"), pair.friction, 0.0.., "-");
    report.within(&format!("{path}.restitution"), pair.restitution.unwrap_or(0.0), 0.0..=1.0, "-");
    let is_object = |name: &String| scene.objects.iter().any(|object| object.name == *name);
    let is_collider = |name: &String| scene.colliders.iter().any(|collider| collider.name == *name);
    for (side, name) in pair.between.iter().enumerate() {
        let path = format!("{path}.between.{side}");
        match (is_object(name), is_collider(name)) {
            (false, false) => report.fault(
                &path,
                &format!("there is no object or collider `{name}`"),
                "unknown name",
                "write the `name` of an `[[object]]` or a `[[collider]]`",
            ),
            (true, true) => report.fault(
                &path,
                &format!("an object and a collider are named `{name}`"),
                "ambiguous name",
                "rename one of them",
            ),
            _ => {}
        }
    }
    if pair.between.iter().all(|name| is_collider(name) && !is_object(name)) {
        report.fault(
            &format!("{path}.between"),
            "`{}` names two colliders, which do not touch each other",
            "needs an object",
            "write the name of at least one `[[object]]`",
        );
    }
}

/// Requires contact `separating`, the only one that rods and elastons support.
pub(super) fn check_contact(report: &mut Report, path: &str, contact: Contact, method: Method) {
    if contact != Contact::Separating {
        report.fault(
            path,
            match method {
                Method::Rods => "rods and balls support only the contact `separating`",
                _ => "elastons support only the contact `separating`",
            },
            &format!("not for method `{}`", method.name()),
            "leave it out, and use `friction`",
        );
    }
}

pub(super) fn check_mpm(report: &mut Report, mpm: &Mpm) {
    report.positive("mpm.dx", mpm.dx, "m");
    report.within("mpm.damping_rate", mpm.damping_rate, 0.0.., "1/s");
    report.within("mpm.flip_ratio", mpm.flip_ratio, 0.0..=1.0, "-");
    for (index, share) in mpm.trap_breaking.into_iter().enumerate() {
        report.within(&format!("mpm.trap_breaking.{index}"), share, 0.0..=1.0, "-");
    }
    if !(1..=512).contains(&mpm.particles_per_cell) {
        report.fault(
            "mpm.particles_per_cell",
            "`{}` must be from 1 to 512",
            &format!("{} is out of range", mpm.particles_per_cell),
            "8 suits most scenes, 27 is more than enough",
        );
    }
    report.within("mpm.implicit.tolerance", mpm.implicit.tolerance, (Excluded(0.0), Excluded(1.0)), "-");
    let iterations = [
        ("mpm.implicit.newton_iterations", mpm.implicit.newton_iterations),
        ("mpm.implicit.linear_iterations", mpm.implicit.linear_iterations),
    ];
    for (path, _) in iterations.into_iter().filter(|(_, count)| *count == 0) {
        report.fault(path, "`{}` must be at least 1", "must not be 0", "leave it out for its default");
    }
    if mpm.kernel == Kernel::Linear && mpm.transfer == Transfer::Apic {
        // Computing the affine velocity divides by the second moment of the weights, which vanishes at a node.
        report.fault(
            "mpm.kernel",
            "the `linear` kernel does not support the affine velocity of transfer `apic`",
            "too narrow for `apic`",
            "use kernel `quadratic` or `cubic`, or transfer `pic`, `flip` or `sflip`",
        );
    }
    if mpm.damping_rate > 0.0 && mpm.transfer != Transfer::Apic {
        report.fault(
            "mpm.damping_rate",
            "`{}` acts on the affine velocity, which only transfer `apic` has",
            "has no effect",
            "use transfer `apic`, or leave out `damping_rate`",
        );
    }
}

/// Checks the domain. Returns whether it is valid.
pub(super) fn check_domain(report: &mut Report, domain: &Domain, settings: Settings<'_>) -> bool {
    let before = report.count();
    let narrowest = match settings {
        Settings::Mpm(mpm) => CELLS_ACROSS_DOMAIN * mpm.dx,
        Settings::Hair(_) => 0.0,
        Settings::Rods(_) => {
            check_contact(report, "domain.wall", domain.wall, Method::Rods);
            0.0
        }
        Settings::Elastons(_) => {
            check_contact(report, "domain.wall", domain.wall, Method::Elastons);
            0.0
        }
    };
    report.within("domain.friction", domain.friction, 0.0.., "-");
    for axis in 0..3 {
        let name = ["x", "y", "z"][axis];
        let (low, high) = (domain.min[axis], domain.max[axis]);
        let path = format!("domain.max.{axis}");
        if low >= high {
            report.fault(
                &path,
                &format!("the domain has no extent along {name}"),
                &format!("not above min, which is {}", plain(low)),
                "every component of `max` must be above the same component of `min` [m]",
            );
        } else if high - low < narrowest {
            let dx = narrowest / CELLS_ACROSS_DOMAIN;
            report.fault(
                &path,
                &format!("the domain is only {} cells wide along {name}", super::short((high - low) / dx)),
                "too narrow",
                &format!("make it at least {CELLS_ACROSS_DOMAIN} cells of `mpm.dx` = {} [m] wide", plain(dx)),
            );
        }
    }
    report.count() == before
}

pub(super) fn check_camera(report: &mut Report, camera: &Camera) {
    report.within("camera.fov_degrees", camera.fov_degrees, (Excluded(0.0), Excluded(180.0)), "deg");
    if camera.eye == camera.target {
        report.fault(
            "camera.target",
            "the camera's `target` equals its `eye`",
            "same as `eye`",
            "move `eye` or `target` [m]",
        );
    }
}

pub(super) fn check_expect(report: &mut Report, path: &str, expect: &Expect, scene: &Scene) {
    if let Some(because) = &expect.because {
        report.one_line(&format!("{path}.because"), because);
    }
    match (expect.min, expect.max) {
        (None, None) => report.fault(
            path,
            "the expectation has no bound",
            "neither `min` nor `max`",
            "add `min = ...`, `max = ...` or both",
        ),
        (Some(min), Some(max)) if min > max => report.fault(
            &format!("{path}.max"),
            "`max` is below `min`, so no value can satisfy both",
            &format!("below min, which is {}", plain(min)),
            "swap the two",
        ),
        _ => {}
    }
    if !expect.quantity.is_available_for(scene.method) {
        report.fault(
            &format!("{path}.quantity"),
            &format!("method `{}` has no `{}` to measure", scene.method.name(), expect.quantity.name()),
            "not for this method",
            "use another quantity; `fibra schema` lists them",
        );
    }
    let Some(name) = &expect.object else { return };
    let names = || scene.objects.iter().map(|object| object.name.as_str());
    if !names().any(|known| known == name) {
        report.fault(
            &format!("{path}.object"),
            &format!("there is no object `{name}` to measure"),
            "no such object",
            &format!("the scene's objects are {}", listed(names())),
        );
    }
}
