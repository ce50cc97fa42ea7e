//! Checks of anisotropic materials.

use super::report::{Report, plain};
use super::shape;
use crate::load::builtin;
use crate::load::suggest::listed;
use crate::model::alignment::Alignment;
use crate::model::anisotropy::{Anisotropy, Orientation};
use crate::model::axes::Axes;
use crate::model::scene::{Object, Vec3};
use crate::setup::anisotropic;
use fibra_mpm::materials::ANISOTROPIC;
use fibra_mpm::materials::anisotropy::BadAnisotropy;
use std::ops::Bound::Excluded;

/// Tolerance for the difference between the sum of fractions and 1 [-]: scenes give fractions with few digits.
const SUM_TOLERANCE: f64 = 1e-3;

pub(super) fn check(report: &mut Report, path: &str, wanted: &Anisotropy, object: &Object) {
    let Some(own @ [youngs_modulus, poisson_ratio]) = object.material.elasticity() else {
        report.fault(
            path,
            &format!("`{{}}`: material `{}` cannot be anisotropic", object.material.name()),
            "not for this material",
            &format!("use material {}, or leave it out", listed(ANISOTROPIC.iter().copied())),
        );
        return;
    };
    let before = report.count();
    check_combination(report, path, wanted);
    check_yield(report, path, wanted, object);
    check_axes(report, &format!("{path}.axes.{}", wanted.axes.name()), &wanted.axes);
    if let Some(fibers) = &wanted.transverse {
        let path = format!("{path}.transverse");
        report.positive(&format!("{path}.youngs_modulus_along"), fibers.youngs_modulus_along, "Pa");
        report.positive(&format!("{path}.youngs_modulus_across"), fibers.youngs_modulus_across, "Pa");
        report.positive(&format!("{path}.shear_modulus_along"), fibers.shear_modulus_along, "Pa");
    }
    if let Some(grains) = &wanted.orientation {
        check_orientation(report, &format!("{path}.orientation"), grains, own);
    }
    // Values that are valid individually can be invalid together. Errors of the isotropic base material have already been reported.
    let is_valid = youngs_modulus > 0.0 && poisson_ratio > -1.0 && poisson_ratio < 0.5;
    if report.count() == before
        && is_valid
        && let Err(bad) = anisotropic(&object.material, wanted)
    {
        let (field, remedy) = place(&bad, wanted);
        report.fault(&format!("{path}.{field}"), &format!("`{{}}`: {bad}"), "invalid value", remedy);
    }
}

/// Rejects redundant or incomplete specifications.
fn check_combination(report: &mut Report, path: &str, wanted: &Anisotropy) {
    let moduli = [
        ("youngs_moduli", wanted.youngs_moduli.is_some()),
        ("poisson_ratios", wanted.poisson_ratios.is_some()),
        ("reverse_poisson_ratios", wanted.reverse_poisson_ratios.is_some()),
        ("shear_moduli", wanted.shear_moduli.is_some()),
    ];
    let there = moduli.into_iter().find(|(_, there)| *there).map(|(name, _)| name);
    let ways = [
        there,
        wanted.transverse.is_some().then_some("transverse"),
        wanted.stiffness.is_some().then_some("stiffness"),
        wanted.orientation.is_some().then_some("orientation"),
    ];
    let mut said = ways.into_iter().flatten();
    if let (Some(first), Some(second)) = (said.next(), said.next()) {
        exclude(report, path, first, second, "both define the elasticity");
    } else if let Some(there) = there
        && let Some((missing, _)) = moduli[..2].iter().find(|(_, there)| !there)
    {
        report.fault(
            &format!("{path}.{there}"),
            &format!("`{{}}` needs `{missing}` as well"),
            &format!("`{missing}` is missing"),
            "give both, or neither to use the elasticity of the material",
        );
    }
    let maps = [
        wanted.scales.is_some().then_some("scales"),
        wanted.stress_map.is_some().then_some("stress_map"),
        wanted.orientation.is_some().then_some("orientation"),
    ];
    let mut said = maps.into_iter().flatten();
    if let (Some(first), Some(second)) = (said.next(), said.next()) {
        exclude(report, path, first, second, "both define the stress map");
    }
}

fn exclude(report: &mut Report, path: &str, first: &str, second: &str, why: &str) {
    report.fault(
        &format!("{path}.{second}"),
        &format!("`{first}` and `{{}}` cannot be combined: {why}"),
        &format!("beside `{first}`"),
        &format!("keep either `{first}` or `{second}`"),
    );
}

/// Rejects yield surface parameters for materials without a yield surface.
fn check_yield(report: &mut Report, path: &str, wanted: &Anisotropy, object: &Object) {
    let field = match (wanted.scales, &wanted.stress_map, wanted.flow) {
        (Some(scales), ..) if scales != [1.0; 3] => "scales",
        (None, Some(_), _) => "stress_map",
        (.., Some(_)) => "flow",
        _ => return,
    };
    if !object.material.flows() {
        report.fault(
            &format!("{path}.{field}"),
            &format!("`{{}}` applies to the yield surface, but material `{}` has none", object.material.name()),
            "has no effect",
            "leave it out, or use a material with a yield surface: `snow`, `sand`, `goo` or `tissue`",
        );
    }
}

fn check_axes(report: &mut Report, path: &str, axes: &Axes) {
    match axes {
        Axes::Fixed(_) | Axes::Principal(_) => {}
        Axes::Direction(direction) => {
            report.direction(&format!("{path}.along"), &direction.along, "[0, 1, 0]");
            if let Some(across) = direction.across {
                report.direction(&format!("{path}.across"), &across, "[1, 0, 0]");
                if is_parallel(across, direction.along) {
                    report.fault(
                        &format!("{path}.across"),
                        "`{}` must not be parallel to `along`",
                        "parallel to `along`",
                        "leave it out, or write a direction that is not parallel to `along`",
                    );
                }
            }
        }
        Axes::Radial(radial) => report.direction(&format!("{path}.axis"), &radial.axis, "[0, 1, 0]"),
        Axes::File(field) => {
            check_directions(report, &format!("{path}.file"), &field.file);
            if let Some(across) = field.across {
                report.direction(&format!("{path}.across"), &across, "[1, 0, 0]");
            }
        }
        Axes::Random(random) => {
            report.within(&format!("{path}.spread_degrees"), random.spread_degrees, 0.0..=90.0, "deg");
            report.direction(&format!("{path}.about"), &random.about, "[0, 0, 1]");
            if let Some(length) = random.length {
                report.positive(&format!("{path}.length"), length, "m");
            }
        }
    }
}

fn check_directions(report: &mut Report, path: &str, file: &str) {
    match file.strip_prefix(builtin::MESH_PREFIX) {
        Some(name) if builtin::directions(name).is_none() => report.fault(
            path,
            &format!("there is no built-in file of directions `{name}`"),
            "no such file",
            &format!("the built-in files of directions are {}", listed(builtin::direction_names())),
        ),
        Some(_) => {}
        None => shape::check_file(report, path, file, "a text file of points and directions"),
    }
}

fn is_parallel(a: Vec3, b: Vec3) -> bool {
    let [a, b] = [a, b].map(|v| glam::DVec3::from_array(v).normalize_or_zero());
    a != glam::DVec3::ZERO && b != glam::DVec3::ZERO && a.cross(b).length() < 1e-6
}

/// Checks the orientation of grains. `own` holds the material's Young's modulus and Poisson's ratio, the defaults of the grains.
fn check_orientation(report: &mut Report, path: &str, grains: &Orientation, own: [f64; 2]) {
    report.within(&format!("{path}.elongation"), grains.elongation, -1.0..=1.0, "-");
    for (name, axis) in [("along", &grains.along), ("across", &grains.across), ("mixed", &grains.mixed)] {
        let path = format!("{path}.{name}");
        let poisson_ratio = axis.poisson_ratio.unwrap_or(own[1]);
        report.positive(&format!("{path}.youngs_modulus"), axis.youngs_modulus.unwrap_or(own[0]), "Pa");
        report.within(&format!("{path}.poisson_ratio"), poisson_ratio, (Excluded(-0.5), Excluded(0.5)), "-");
        report.positive(&format!("{path}.scale"), axis.scale, "-");
    }
    let path = format!("{path}.alignment.{}", grains.alignment.name());
    match &grains.alignment {
        Alignment::Uniform(shares) => check_shares(report, &path, *shares),
        Alignment::Linear(linear) => {
            check_shares(report, &format!("{path}.start"), linear.start);
            check_shares(report, &format!("{path}.end"), linear.end);
            if linear.from == linear.to {
                report.fault(
                    &format!("{path}.to"),
                    "the line along which the alignment varies has no length",
                    "same as `from`",
                    "move `to` away from `from` [m]",
                );
            }
        }
        Alignment::Radial(radial) => {
            check_shares(report, &format!("{path}.inner"), radial.inner);
            check_shares(report, &format!("{path}.outer"), radial.outer);
            report.direction(&format!("{path}.axis"), &radial.axis, "[0, 1, 0]");
            report.positive(&format!("{path}.radius"), radial.radius, "m");
        }
        Alignment::File(field) => {
            check_directions(report, &format!("{path}.file"), &field.file);
        }
        Alignment::Random(random) => {
            report.within(&format!("{path}.least"), random.least, 0.0..=1.0, "-");
            report.within(&format!("{path}.most"), random.most, 0.0..=1.0, "-");
            if random.least > random.most {
                report.fault(
                    &format!("{path}.most"),
                    "`{}` must not be below `least`",
                    &format!("below {}", plain(random.least)),
                    "swap the two",
                );
            }
        }
    }
}

/// Requires three fractions with the sum 1.
fn check_shares(report: &mut Report, path: &str, shares: Vec3) {
    let sum: f64 = shares.iter().sum();
    let is_valid = (sum - 1.0).abs() <= SUM_TOLERANCE && shares.iter().all(|share| (0.0..=1.0).contains(share));
    if !is_valid {
        report.fault(
            path,
            "`{}` must be three numbers from 0 to 1 with the sum 1 [-]",
            &format!("the sum is {}", super::short(sum)),
            "`[0, 0, 1]` aligns all grains with axis 3; 0.333 each is a random orientation",
        );
    }
}

/// Returns the offending field and the remedy.
fn place(bad: &BadAnisotropy, wanted: &Anisotropy) -> (String, &'static str) {
    let ratio = "use a ratio of smaller magnitude, or moduli that are closer to each other";
    let transverse = wanted.transverse.is_some();
    match bad {
        BadAnisotropy::YoungsModulus { axis, .. } => {
            (format!("youngs_moduli.{}", axis - 1), "write a modulus above 0 [Pa]")
        }
        // Derived shear moduli depend on the Poisson ratios.
        BadAnisotropy::ShearModulus { .. } if transverse => ("transverse.poisson_ratio_across".to_owned(), ratio),
        BadAnisotropy::ShearModulus { pair, .. } if wanted.shear_moduli.is_none() => {
            (format!("poisson_ratios.{}", position(*pair)), ratio)
        }
        BadAnisotropy::ShearModulus { pair, .. } => {
            (format!("shear_moduli.{}", position(*pair)), "write a modulus above 0 [Pa]")
        }
        BadAnisotropy::Poisson { pair, .. } | BadAnisotropy::PoissonTogether { pair, .. } if transverse => {
            let field = if pair.contains(&3) { "along" } else { "across" };
            (format!("transverse.poisson_ratio_{field}"), ratio)
        }
        BadAnisotropy::Poisson { pair, .. } | BadAnisotropy::PoissonTogether { pair, .. } => {
            (format!("poisson_ratios.{}", position(*pair)), ratio)
        }
        BadAnisotropy::NotReciprocal { pair, .. } => (
            format!("reverse_poisson_ratios.{}", position(*pair)),
            "leave out `reverse_poisson_ratios`, or correct one of the two ratios or moduli",
        ),
        BadAnisotropy::Scale { axis, .. } => (format!("scales.{}", axis - 1), "write a factor above 0 [-]"),
        BadAnisotropy::NotPositive { map, .. } => (
            map.replace(' ', "_"),
            "the matrix must be positive definite: diagonal entries above 0, off-diagonal entries not too large",
        ),
        // These values have already been checked, each at its own field.
        BadAnisotropy::Law { .. }
        | BadAnisotropy::AxisPoisson { .. }
        | BadAnisotropy::Axis { .. }
        | BadAnisotropy::Alignment { .. }
        | BadAnisotropy::Elongation { .. } => ("orientation".to_owned(), "write other numbers"),
    }
}

/// Returns the index of a pair of axes in the lists of a scene file, whose order is 12, 23, 13.
fn position(pair: [usize; 2]) -> usize {
    match pair {
        [1, 2] => 0,
        [2, 3] => 1,
        _ => 2,
    }
}
