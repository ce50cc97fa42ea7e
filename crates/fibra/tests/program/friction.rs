//! `fibra friction`: solutions, reports and errors.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn friction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fibra")).arg("friction").args(arguments).output().unwrap()
}

/// Two contacts that approach and slide; the off-diagonal blocks couple them.
const TWO: &str = r#"{
    "mu": [0.3, 0.5], "b": [-1.0, 0.5, 0.2, -0.5, 0.0, 2.0],
    "W": {"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "blocks": [
        [2.0, 0.1, 0.0, 0.1, 3.0, 0.2, 0.0, 0.2, 3.0], [0.5, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4],
        [0.5, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4], [1.0, 0.0, 0.1, 0.0, 2.0, 0.0, 0.1, 0.0, 2.0]]}
}"#;

/// An approaching contact that no impulse can stop, because its row of `W` is zero.
const UNSOLVABLE: &str = r#"{"mu": [0.3], "b": [-1, 0, 0], "W": {"rows": [], "cols": [], "blocks": []}}"#;

fn file(folder: &Path, text: &str) -> String {
    let path = folder.join("problem.json");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_solver_solves_and_reports() {
    let here = tempfile::tempdir().unwrap();
    let path = file(here.path(), TWO);
    let out = here.path().join("r.json");
    let mut solutions: Vec<Vec<f64>> = Vec::new();
    for solver in ["newton", "gauss-seidel", "interior-point", "auto"] {
        let output = friction(&[&path, "--solver", solver, "--tol", "1e-11", "--json", "--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["solver"], &report["contacts"]), (&solver.into(), &2.into()));
        assert!(report["iterations"].as_u64().unwrap() > 0 && report["seconds"].as_f64().unwrap() >= 0.0);
        assert!(report["residual"].as_f64().unwrap() < 1e-10 && report["error"].as_f64().unwrap() <= 1e-11, "{report}");
        let written: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
        solutions.push(written["r"].as_array().unwrap().iter().map(|r| r.as_f64().unwrap()).collect());
    }
    for solution in &solutions {
        assert_eq!(solution.len(), 6);
        assert!(solution.iter().zip(&solutions[0]).all(|(a, b)| (a - b).abs() < 1e-9), "{solutions:?}");
    }
}

#[test]
fn a_tolerance_that_is_not_met_exits_with_1_and_still_writes_the_best() {
    let here = tempfile::tempdir().unwrap();
    let path = file(here.path(), UNSOLVABLE);
    let out = here.path().join("r.json");
    for solver in ["newton", "gauss-seidel", "interior-point", "auto"] {
        let output = friction(&[&path, "--solver", solver, "--out", out.to_str().unwrap()]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("NOT met"), "{text}");
        assert!(std::fs::read_to_string(&out).unwrap().starts_with("{\"r\":["));
    }
}

#[test]
fn bad_problems_exit_with_2_and_name_file_and_field() {
    let here = tempfile::tempdir().unwrap();
    for (from, to, expected) in [
        ("-1.0, 0.5, 0.2,", "0.2,", "`b` has 4 numbers for 2 contacts"),
        ("\"cols\": [0, 1, 0, 1]", "\"cols\": [0, 1, 0, 2]", "`W.cols[3]` is 2: `W` has 2 rows and columns of blocks"),
        ("\"cols\": [0, 1, 0, 1]", "\"cols\": [0, 1, 0]", "`W.cols` has 3 entries: it must have 4"),
        ("\"cols\": [0, 1, 0, 1]", "\"cols\": [0, 1, 1, 1]", "`W.blocks[3]` is at row 1, column 1"),
        ("[0.3, 0.5]", "[0.3, -0.5]", "`mu[1]` is -0.5"),
        ("0.4, 0.0, 0.0", "1e999, 0.0, 0.0", "not JSON, in `W.blocks`"),
        ("0.4, 0.0, 0.0", "null, 0.0, 0.0", "`W.blocks[1][4]` is null"),
        ("2.0]]}\n}", "2.0]]", "ends in the middle of `W.blocks` (line 5)"),
        ("\"mu\"", "\"friction\"", "`mu` is missing"),
    ] {
        assert!(TWO.contains(from), "{from}");
        let path = file(here.path(), &TWO.replacen(from, to, 1));
        let output = friction(&[&path, "--json"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("problem.json: ") && message.contains(expected), "{message}");
        assert!(output.stdout.is_empty());
    }
    let output = friction(&["nowhere.json"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("nowhere.json: cannot be read"), "{message}");
}

#[test]
fn an_output_that_cannot_be_written_fails() {
    let here = tempfile::tempdir().unwrap();
    let path = file(here.path(), TWO);
    let output = friction(&[&path, "--out", here.path().join("no/such/folder.json").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot write"));
}

/// Solves problems of the Siconos test set, if they are present.
#[test]
fn siconos_problems_are_solved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/friction");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let is_problem = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(is_problem).collect();
    paths.sort();
    for path in paths {
        for solver in ["newton", "auto"] {
            let output = friction(&[path.to_str().unwrap(), "--solver", solver, "--json"]);
            assert_eq!(output.status.code(), Some(0), "{} {solver}: {output:?}", path.display());
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(report["error"].as_f64().unwrap() <= 1e-8, "{report}");
        }
    }
}
