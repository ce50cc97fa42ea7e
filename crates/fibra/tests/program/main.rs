//! The program as a user meets it: whole runs of real scenes, by their exit codes, messages and files.

mod broken_bodies;
mod broken_elastons;
mod broken_hair;
mod builtin_scenes;
mod command;
#[cfg(unix)]
mod determinism;
#[cfg(unix)]
mod failing_runs;
#[path = "../common/files.rs"]
mod files;
