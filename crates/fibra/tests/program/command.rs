//! Runs the `fibra` executable.

use std::path::Path;
use std::process::{Command, Output};

/// Returns the command with its arguments, to run in `folder`.
pub fn fibra(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibra"));
    command.args(arguments).current_dir(folder);
    command
}

/// Runs the command to its end.
pub fn output(folder: &Path, arguments: &[&str]) -> Output {
    fibra(folder, arguments).output().unwrap()
}

/// Runs a command that must succeed; returns its standard output.
pub fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = output(folder, arguments);
    assert!(output.status.success(), "fibra {}\n{}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must exit with `code`; returns its standard error.
pub fn ends_with(code: i32, folder: &Path, arguments: &[&str]) -> String {
    let output = output(folder, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "fibra {}\n{message}", arguments.join(" "));
    message
}

/// Starts the command without waiting for its end.
#[cfg(unix)]
pub fn start(folder: &Path, arguments: &[&str]) -> std::process::Child {
    use std::process::Stdio;
    fibra(folder, arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}
