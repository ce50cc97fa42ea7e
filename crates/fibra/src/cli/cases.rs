//! Choosing and listing validation cases and benchmarks by name.

use super::{CliError, say};
use fibra_validation::Case;

/// The cases that names stand for, all when there are none. A name stands for the case so called and for its family:
/// `mpm-momentum` for `mpm-momentum-linear` and `mpm-momentum-angular`. An unknown name is an error that lists the known.
pub(super) fn chosen<'a, R>(
    cases: impl IntoIterator<Item = &'a Case<R>>,
    names: &[String],
    kind: &str,
) -> Result<Vec<&'a Case<R>>, CliError> {
    let mut cases: Vec<&Case<R>> = cases.into_iter().collect();
    let stands_for = |name: &str, case: &Case<R>| {
        case.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    if let Some(unknown) = names.iter().find(|name| !cases.iter().any(|case| stands_for(name, case))) {
        let known: Vec<&str> = cases.iter().map(|case| case.name).collect();
        return Err(CliError::bad_input(format!("there is no {kind} `{unknown}`; known are: {}", known.join(", "))));
    }
    cases.retain(|case| names.is_empty() || names.iter().any(|name| stands_for(name, case)));
    Ok(cases)
}

/// Prints names with what they are about.
pub(super) fn list<R>(cases: &[&Case<R>], json: bool) -> Result<(), CliError> {
    if json {
        let entry = |case: &&Case<R>| serde_json::json!({"name": case.name, "about": case.about});
        let entries: Vec<_> = cases.iter().map(entry).collect();
        return say(&serde_json::to_string_pretty(&entries).expect("entries have only text keys"));
    }
    for Case { name, about, .. } in cases {
        say(&format!("{name:24} {about}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_itself_and_its_family() {
        let names = ["mpm-bar", "mpm-momentum-linear", "mpm-momentum-angular", "mpm-momentums"];
        let cases = names.map(|name| Case { name, about: "", run: () });
        let pick = |names: &[&str]| -> Result<Vec<&str>, CliError> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            chosen(&cases, &names, "case").map(|found| found.into_iter().map(|case| case.name).collect())
        };
        assert_eq!(pick(&[]).unwrap(), names);
        assert_eq!(pick(&["mpm-momentum"]).unwrap(), ["mpm-momentum-linear", "mpm-momentum-angular"]);
        assert_eq!(pick(&["mpm-momentum-angular", "mpm-bar"]).unwrap(), ["mpm-bar", "mpm-momentum-angular"]);
        assert!(pick(&["mpm-mom"]).is_err() && pick(&["nothing"]).is_err());
    }
}
