//! Physical validation: each case computes a number and the reference it must meet.

use serde::Serialize;

/// A validation case.
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// What is compared with what, in one line.
    pub about: &'static str,
    /// Computes and compares; an error says why there is nothing to compare.
    pub run: fn() -> Result<Vec<Check>, String>,
}

/// All cases, in the order they run.
pub const CASES: &[Case] = &[];

/// One measured number against its reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The case's name, with a suffix when a case makes several comparisons.
    pub name: String,
    /// What the simulation gave.
    pub measured: f64,
    /// What it should give.
    pub expected: f64,
    /// How far off it is: relative to `expected` unless the case says otherwise.
    pub error: f64,
    /// Largest error allowed.
    pub tolerance: f64,
}

impl Check {
    /// A comparison with a relative error.
    pub fn relative(name: &str, measured: f64, expected: f64, tolerance: f64) -> Check {
        let error = ((measured - expected) / expected).abs();
        Check { name: name.to_owned(), measured, expected, error, tolerance }
    }

    /// Whether the error is within the tolerance; an error that is not a number is not.
    pub fn passes(&self) -> bool {
        self.error <= self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_within_the_tolerance_passes() {
        assert!(Check::relative("x", 1.01, 1.0, 0.02).passes());
        assert!(!Check::relative("x", 1.03, 1.0, 0.02).passes());
        assert!(!Check::relative("x", f64::NAN, 1.0, 0.02).passes());
        assert!(!Check::relative("x", 0.0, 0.0, 0.02).passes());
    }
}
