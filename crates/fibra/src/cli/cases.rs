//! Selects and lists validation cases and benchmarks by name.

use super::{CliError, print_line};
use fibra_validation::Case;

/// Returns the cases that match `names`, or all cases when `names` is empty.
///
/// A name matches the case of that name and its family: `mpm-momentum` matches `mpm-momentum-linear` and `mpm-momentum-angular`.
/// An unknown name is an error that lists the known names.
pub(super) fn select<'a, R>(
    cases: impl IntoIterator<Item = &'a Case<R>>,
    names: &[String],
    kind: &str,
) -> Result<Vec<&'a Case<R>>, CliError> {
    let mut cases: Vec<&Case<R>> = cases.into_iter().collect();
    let matches = |name: &str, case: &Case<R>| {
        case.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    if let Some(unknown) = names.iter().find(|name| !cases.iter().any(|case| matches(name, case))) {
        let known: Vec<&str> = cases.iter().map(|case| case.name).collect();
        return Err(CliError::bad_input(format!("there is no {kind} `{unknown}`; use one of: {}", known.join(", "))));
    }
    cases.retain(|case| names.is_empty() || names.iter().any(|name| matches(name, case)));
    Ok(cases)
}

/// Prints the names and descriptions of cases.
pub(super) fn print_list<R>(cases: &[&Case<R>], json: bool) -> Result<(), CliError> {
    if json {
        let entry = |case: &&Case<R>| serde_json::json!({"name": case.name, "about": case.about});
        let entries: Vec<_> = cases.iter().map(entry).collect();
        return print_line(&serde_json::to_string_pretty(&entries).expect("entries have only string keys"));
    }
    for Case { name, about, .. } in cases {
        print_line(&format!("{name:24} {about}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_selects_the_case_and_its_family() {
        let names = ["mpm-bar", "mpm-momentum-linear", "mpm-momentum-angular", "mpm-momentums"];
        let cases = names.map(|name| Case { name, about: "", run: () });
        let pick = |names: &[&str]| -> Result<Vec<&str>, CliError> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            select(&cases, &names, "case").map(|found| found.into_iter().map(|case| case.name).collect())
        };
        assert_eq!(pick(&[]).unwrap(), names);
        assert_eq!(pick(&["mpm-momentum"]).unwrap(), ["mpm-momentum-linear", "mpm-momentum-angular"]);
        assert_eq!(pick(&["mpm-momentum-angular", "mpm-bar"]).unwrap(), ["mpm-bar", "mpm-momentum-angular"]);
        assert!(pick(&["mpm-mom"]).is_err() && pick(&["nothing"]).is_err());
    }
}
