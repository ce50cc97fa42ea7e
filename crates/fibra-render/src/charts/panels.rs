//! Collects the charts of a report, using [the groups of quantities](fibra_run::quantity_groups).

use fibra_run::quantity_groups::{QUANTITY_GROUPS, group_of};
use fibra_run::report::RunReport;
use std::collections::BTreeSet;

/// A chart of quantities over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title with the unit in brackets.
    pub title: String,
    /// The curves.
    pub series: Vec<Series>,
    /// Whether the value axis is logarithmic.
    pub logarithmic: bool,
}

/// A curve of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Time [s] and value; values that are not finite leave a gap.
    pub points: Vec<[f64; 2]>,
}

/// Returns the charts of a report. A quantity without a group has its own chart.
pub(super) fn panels(report: &RunReport) -> Vec<Panel> {
    let names: BTreeSet<&str> =
        report.quantities.iter().flat_map(|frame| frame.values.keys().map(String::as_str)).collect();
    let mut panels = Vec::new();
    for group in QUANTITY_GROUPS {
        let present = group.members.iter().filter(|member| names.contains(member.quantity));
        let mut series: Vec<Series> = present.map(|member| series(report, member.quantity, member.label)).collect();
        if series.is_empty() {
            continue;
        }
        if let Some(total) = group.total
            && series.len() > 1
        {
            series.push(sum(&series, total));
        }
        panels.push(Panel { title: group.title.to_owned(), series, logarithmic: group.is_logarithmic });
    }
    for name in names.into_iter().filter(|name| group_of(name).is_none()) {
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

fn sum(series: &[Series], name: &str) -> Series {
    let points = (0..series[0].points.len())
        .map(|k| [series[0].points[k][0], series.iter().map(|part| part.points[k][1]).sum()])
        .collect();
    Series { name: name.to_owned(), points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_run::report::FrameQuantities;

    #[test]
    fn every_quantity_is_in_one_chart_and_energies_are_summed() {
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
