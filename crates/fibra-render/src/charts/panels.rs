//! Which numbers of a report are shown together.

use fibra_run::report::RunReport;
use std::collections::BTreeSet;

/// A chart over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it shows, with the unit in brackets.
    pub title: String,
    /// Its curves.
    pub series: Vec<Series>,
    /// Whether values are told by their powers of ten.
    pub logarithmic: bool,
}

/// A curve of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it shows.
    pub name: String,
    /// Time [s] and value; values that are not finite leave a gap.
    pub points: Vec<[f64; 2]>,
}

/// What belongs together: title, and quantities with their names in the chart.
const GROUPS: &[(&str, &[(&str, &str)])] = &[
    (
        "energy [J]",
        &[("kinetic_energy", "kinetic"), ("elastic_energy", "elastic"), ("gravitational_energy", "gravitational")],
    ),
    ("momentum [kg m/s]", &[("momentum_x", "x"), ("momentum_y", "y"), ("momentum_z", "z")]),
    (
        "angular momentum [kg m^2/s]",
        &[("angular_momentum_x", "x"), ("angular_momentum_y", "y"), ("angular_momentum_z", "z")],
    ),
    ("contacts [-]", &[("contacts", "now"), ("most_contacts", "most so far")]),
    (RESIDUAL, &[("residual", "last step"), ("worst_residual", "worst so far")]),
    (
        "iterations [-]",
        &[
            ("newton_iterations", "Newton"),
            ("linear_iterations", "linear"),
            ("sweeps", "sweeps"),
            ("iterations", "solver"),
            ("factors", "factorisations"),
        ],
    ),
    (
        "steps so far [-]",
        &[("contact_steps", "with contacts"), ("unsolved_steps", "unsolved"), ("unconverged_steps", "unconverged")],
    ),
    ("pieces [-]", &[("elastons", "elastons"), ("samples", "samples"), ("parts", "parts")]),
    ("mass [kg]", &[("mass", "mass")]),
    ("volume [m^3]", &[("volume", "volume")]),
];
const RESIDUAL: &str = "residual [-]";
/// The first group adds up.
const TOTAL: &str = "total";

/// The charts of a report. Quantities that no group knows have a chart each.
pub(super) fn panels(report: &RunReport) -> Vec<Panel> {
    let names: BTreeSet<&str> =
        report.quantities.iter().flat_map(|frame| frame.values.keys().map(String::as_str)).collect();
    let mut panels = Vec::new();
    for (number, (title, members)) in GROUPS.iter().enumerate() {
        let there: Vec<_> = members.iter().filter(|(quantity, _)| names.contains(quantity)).collect();
        let mut series: Vec<Series> = there.iter().map(|(quantity, name)| series(report, quantity, name)).collect();
        if series.is_empty() {
            continue;
        }
        if number == 0 && series.len() > 1 {
            series.push(sum(&series));
        }
        panels.push(Panel { title: (*title).to_owned(), series, logarithmic: *title == RESIDUAL });
    }
    let known = |name: &str| GROUPS.iter().any(|(_, members)| members.iter().any(|(quantity, _)| *quantity == name));
    for name in names.into_iter().filter(|name| !known(name)) {
        let title = name.replace('_', " ");
        panels.push(Panel { series: vec![series(report, name, &title)], title, logarithmic: false });
    }
    panels
}

fn series(report: &RunReport, quantity: &str, name: &str) -> Series {
    let point = |frame: &fibra_run::report::FrameQuantities| {
        [frame.time, frame.values.get(quantity).copied().flatten().unwrap_or(f64::NAN)]
    };
    Series { name: name.to_owned(), points: report.quantities.iter().map(point).collect() }
}

fn sum(series: &[Series]) -> Series {
    let points = (0..series[0].points.len())
        .map(|k| [series[0].points[k][0], series.iter().map(|part| part.points[k][1]).sum()])
        .collect();
    Series { name: TOTAL.to_owned(), points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_run::report::FrameQuantities;

    #[test]
    fn every_quantity_is_shown_once_and_energies_add_up() {
        let mut report = RunReport::new("toy", "0");
        for frame in 0..3u32 {
            let values = [("kinetic_energy", 1.0), ("elastic_energy", 2.0), ("mass", 5.0), ("odd_number", 7.0)];
            report.quantities.push(FrameQuantities {
                frame,
                time: f64::from(frame),
                values: values.map(|(name, value)| (name.to_owned(), Some(value))).into(),
            });
        }
        report.quantities[1].values.insert("elastic_energy".to_owned(), None);
        let panels = panels(&report);
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["energy [J]", "mass [kg]", "odd number"]);
        let total = &panels[0].series[2];
        assert_eq!((total.name.as_str(), total.points[0]), ("total", [0.0, 3.0]));
        assert!(total.points[1][1].is_nan());
    }
}
