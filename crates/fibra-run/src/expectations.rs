//! Evaluates the expectations of a scene at the end of a run.

use crate::report::ExpectationResult;
use crate::simulation::Simulation;
use fibra_scene::Expect;
use std::fmt::Write;

/// Evaluates every expectation for the current state of the simulation.
pub fn evaluate(expect: &[Expect], simulation: &dyn Simulation) -> Vec<ExpectationResult> {
    expect.iter().map(|claim| evaluate_one(claim, simulation)).collect()
}

fn evaluate_one(claim: &Expect, simulation: &dyn Simulation) -> ExpectationResult {
    let Expect { quantity, object, min, max, because } = claim;
    let measured = simulation.measure(*quantity, object.as_deref());
    let mut name = quantity.name();
    if let Some(object) = object {
        name += &format!(" of {object}");
    }
    if let Some(because) = because {
        name += &format!(": {because}");
    }
    // Undefined quantities and NaN fail this comparison.
    let pass = measured.is_some_and(|measured| {
        min.is_none_or(|min| measured >= min) && max.is_none_or(|max| measured <= max) && !measured.is_nan()
    });
    let measured = measured.filter(|measured| measured.is_finite());
    ExpectationResult { name, measured, min: *min, max: *max, pass }
}

/// Formats the results as a table, one line per expectation.
pub fn table(results: &[ExpectationResult]) -> String {
    let mut text = String::new();
    for result in results {
        let measured = result.measured.map_or("not finite".to_owned(), short);
        let bounds = match (result.min.map(short), result.max.map(short)) {
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => String::new(),
        };
        let verdict = if result.pass { "ok" } else { "FAIL" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "  {verdict:4}  {measured:>10}  {bounds:22}  {}", result.name);
    }
    text
}

/// Formats a number with about four digits.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_value_bounds_and_verdict() {
        let result =
            |measured, min, max, pass| ExpectationResult { name: "lowest".to_owned(), measured, min, max, pass };
        let table = table(&[
            result(Some(0.125), Some(-0.02), Some(1e-5), true),
            result(None, None, Some(3.0), false),
            result(Some(0.0), Some(0.0), None, true),
        ]);
        let expected = "  ok         0.125  -0.02 to 1.0e-5         lowest\n  \
                          FAIL  not finite  at most 3               lowest\n  \
                          ok             0  at least 0              lowest\n";
        assert_eq!(table, expected);
    }
}
