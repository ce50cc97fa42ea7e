//! Choosing and listing validation cases and benchmarks by name.

use super::{CliError, say};

/// The cases that names stand for, all when there are none. A name stands for the case so called and for its family:
/// `mpm-momentum` for `mpm-momentum-linear` and `mpm-momentum-angular`. An unknown name is an error that lists the known.
pub(super) fn chosen<'a, T>(
    cases: &'a [T],
    names: &[String],
    kind: &str,
    name_of: impl Fn(&T) -> &str,
) -> Result<Vec<&'a T>, CliError> {
    let stands_for = |name: &str, case: &T| {
        name_of(case).strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    if let Some(unknown) = names.iter().find(|name| !cases.iter().any(|case| stands_for(name, case))) {
        let known: Vec<&str> = cases.iter().map(&name_of).collect();
        return Err(CliError::bad_input(format!("there is no {kind} `{unknown}`; known are: {}", known.join(", "))));
    }
    Ok(cases.iter().filter(|case| names.is_empty() || names.iter().any(|name| stands_for(name, case))).collect())
}

/// Prints names with what they are about.
pub(super) fn list<'a>(cases: impl Iterator<Item = (&'a str, &'a str)>, json: bool) -> Result<(), CliError> {
    if json {
        let entries: Vec<_> = cases.map(|(name, about)| serde_json::json!({"name": name, "about": about})).collect();
        return say(&serde_json::to_string_pretty(&entries).expect("entries have only text keys"));
    }
    for (name, about) in cases {
        say(&format!("{name:24} {about}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_itself_and_its_family() {
        let cases = ["mpm-bar", "mpm-momentum-linear", "mpm-momentum-angular", "mpm-momentums"];
        let pick = |names: &[&str]| -> Result<Vec<&str>, CliError> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            chosen(&cases, &names, "case", |case| case).map(|found| found.into_iter().copied().collect())
        };
        assert_eq!(pick(&[]).unwrap(), cases);
        assert_eq!(pick(&["mpm-momentum"]).unwrap(), ["mpm-momentum-linear", "mpm-momentum-angular"]);
        assert_eq!(pick(&["mpm-momentum-angular", "mpm-bar"]).unwrap(), ["mpm-bar", "mpm-momentum-angular"]);
        assert!(pick(&["mpm-mom"]).is_err() && pick(&["nothing"]).is_err());
    }
}
