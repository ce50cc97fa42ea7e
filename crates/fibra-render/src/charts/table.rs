//! The quantities of a run as comma-separated values.

use fibra_run::report::RunReport;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns a table with the frame, its time [s] and all quantities in SI units. Cells without a value are empty.
pub(super) fn csv(report: &RunReport) -> String {
    let names: BTreeSet<&str> =
        report.quantities.iter().flat_map(|frame| frame.values.keys().map(String::as_str)).collect();
    let mut text = "frame,time".to_owned();
    names.iter().for_each(|name| text.extend([",", name]));
    text.push('\n');
    for frame in &report.quantities {
        // Writing to a string cannot fail.
        let _ = write!(text, "{},{}", frame.frame, frame.time);
        for name in &names {
            text.push(',');
            if let Some(Some(value)) = frame.values.get(*name) {
                let _ = write!(text, "{value}");
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_run::report::FrameQuantities;

    #[test]
    fn every_quantity_has_a_column_and_every_frame_a_row() {
        let mut report = RunReport::new("scene", "hash");
        let frame = |frame: u32, values: &[(&str, Option<f64>)]| FrameQuantities {
            frame,
            time: 0.5 * f64::from(frame),
            values: values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        };
        report.quantities =
            vec![frame(0, &[("mass", Some(2.0))]), frame(1, &[("mass", None), ("energy", Some(-1.5e-9))])];
        assert_eq!(csv(&report), "frame,time,energy,mass\n0,0,,2\n1,0.5,-0.0000000015,\n");
    }
}
