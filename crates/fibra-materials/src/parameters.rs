//! Range checks of user parameters, with texts for error messages.

use std::ops::{Bound, RangeBounds};

/// A parameter that is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {label}; {remedy}", .message.replace("{}", .field))]
pub struct BadParameter {
    /// Name of the parameter's field.
    pub field: &'static str,
    /// The violated condition in one line; `{}` stands for the field's full name.
    pub message: String,
    /// The label shown at the value.
    pub label: String,
    /// The suggested fix.
    pub remedy: String,
}

/// Collects the parameters of a material that are out of range.
#[derive(Clone, Debug, Default)]
pub struct ParameterCheck {
    faults: Vec<BadParameter>,
}

impl ParameterCheck {
    /// Requires `value` to lie in `range`.
    pub fn within(&mut self, field: &'static str, value: f64, range: impl RangeBounds<f64>, unit: &str) {
        if !range.contains(&value) {
            let allowed = range_in_words(&range);
            self.fault(BadParameter {
                field,
                message: format!("`{{}}` must be {allowed} [{unit}]"),
                label: format!("{} is out of range", plain_number(value)),
                remedy: format!("write a number {allowed} [{unit}]"),
            });
        } else if !(value as f32).is_finite() {
            // Laws compute in 32 bits.
            let largest = format!("{:.1e}", f32::MAX);
            self.fault(BadParameter {
                field,
                message: format!("`{{}}` must be at most {largest} [{unit}]"),
                label: format!("{} is out of range", plain_number(value)),
                remedy: format!("write a number of at most {largest} [{unit}]"),
            });
        }
    }

    /// Requires `value` to be above 0.
    pub fn positive(&mut self, field: &'static str, value: f64, unit: &str) {
        self.within(field, value, (Bound::Excluded(0.0), Bound::Unbounded), unit);
    }

    /// Requires the parameters that most materials have: `density` [kg/m^3], `youngs_modulus` [Pa] and `poisson_ratio` [-].
    pub fn elastic(&mut self, density: f64, youngs_modulus: f64, poisson_ratio: f64) {
        self.positive("density", density, "kg/m^3");
        self.positive("youngs_modulus", youngs_modulus, "Pa");
        if poisson_ratio >= 0.5 {
            self.fault(BadParameter {
                field: "poisson_ratio",
                message: "`{}` must be below 0.5 [-], where a material would resist any change of volume without limit"
                    .to_owned(),
                label: format!("{} is out of range", plain_number(poisson_ratio)),
                remedy: "0.49 is nearly incompressible; for a liquid use material `fluid`".to_owned(),
            });
        } else {
            self.within("poisson_ratio", poisson_ratio, (Bound::Excluded(-1.0), Bound::Excluded(0.5)), "-");
        }
    }

    /// Adds a bad parameter.
    pub fn fault(&mut self, fault: BadParameter) {
        self.faults.push(fault);
    }

    /// Returns all errors found.
    pub fn into_faults(self) -> Vec<BadParameter> {
        self.faults
    }
}

/// Formats a number in full, without a long row of zeros.
pub fn plain_number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}

/// Describes a range in words, for example `0 or above and below 90`.
pub fn range_in_words(range: &impl RangeBounds<f64>) -> String {
    let low = match range.start_bound() {
        Bound::Included(bound) => Some(format!("{bound} or above")),
        Bound::Excluded(bound) => Some(format!("above {bound}")),
        Bound::Unbounded => None,
    };
    let high = match range.end_bound() {
        Bound::Included(bound) => Some(format!("{bound} or below")),
        Bound::Excluded(bound) => Some(format!("below {bound}")),
        Bound::Unbounded => None,
    };
    match (range.start_bound(), range.end_bound()) {
        (Bound::Included(low), Bound::Included(high)) => format!("from {low} to {high}"),
        _ => [low, high].into_iter().flatten().collect::<Vec<_>>().join(" and "),
    }
}
