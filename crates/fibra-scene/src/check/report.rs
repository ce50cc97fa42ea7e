//! Collects problems.

use super::super::model::Vec3;
pub(super) use fibra_mpm::materials::plain_number as plain;
use fibra_mpm::materials::range_in_words;
use std::ops::{Bound, RangeBounds};

/// A problem at a path of the scene.
#[derive(Clone, Debug)]
pub(in super::super) struct Finding {
    /// Dotted path with list elements by index; empty for the scene as a whole.
    pub(in super::super) path: String,
    /// The message, in one line. `{}` stands for the path in its readable form.
    pub(in super::super) message: String,
    /// A short note beside the value.
    pub(in super::super) label: String,
    /// How to fix it.
    pub(in super::super) remedy: String,
}

/// The problems found so far.
#[derive(Default)]
pub(in super::super) struct Report {
    findings: Vec<Finding>,
}

impl Report {
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.findings.len()
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    pub(super) fn fault(&mut self, path: &str, message: &str, label: &str, remedy: &str) {
        let [path, message, label, remedy] = [path, message, label, remedy].map(str::to_owned);
        self.findings.push(Finding { path, message, label, remedy });
    }

    /// Requires `value` to lie in `range`.
    pub(super) fn within(&mut self, path: &str, value: f64, range: impl RangeBounds<f64>, unit: &str) {
        if !range.contains(&value) {
            let allowed = range_in_words(&range);
            self.fault(
                path,
                &format!("`{{}}` must be {allowed} [{unit}]"),
                &format!("{} is out of range", plain(value)),
                &format!("write a number {allowed} [{unit}]"),
            );
        }
    }

    /// Requires `value` to be above 0.
    pub(super) fn positive(&mut self, path: &str, value: f64, unit: &str) {
        self.within(path, value, (Bound::Excluded(0.0), Bound::Unbounded), unit);
    }

    /// Requires a nonzero direction.
    pub(super) fn direction(&mut self, path: &str, value: &[f64], example: &str) {
        if value.iter().all(|component| *component == 0.0) {
            self.fault(
                path,
                "`{}` cannot be all zeros",
                "has no direction",
                &format!("write e.g. `{example}`; the length does not matter"),
            );
        }
    }

    /// Requires the components of a color to be from 0 to 1.
    pub(super) fn color(&mut self, path: &str, color: Vec3) {
        for (index, part) in color.into_iter().enumerate() {
            if !(0.0..=1.0).contains(&part) {
                self.fault(
                    &format!("{path}.{index}"),
                    "each component of a color must be from 0 to 1 [-]",
                    &format!("{} is out of range", plain(part)),
                    "colors are linear red, green, blue from 0 to 1; divide 8-bit values by 255",
                );
            }
        }
    }

    /// Requires one line of text.
    pub(super) fn one_line(&mut self, path: &str, text: &str) {
        if text.trim().is_empty() || text.contains(['\n', '\r']) {
            self.fault(path, "`{}` must be one line of text", "not one line", "write one line of text in \"quotes\"");
        }
    }
}
