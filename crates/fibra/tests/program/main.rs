//! End-to-end tests of the program: whole runs of scenes, checked by exit codes, messages and files.

mod broken_bodies;
mod broken_elastons;
mod broken_hair;
mod broken_scenes;
mod builtin_scenes;
mod cli;
mod command;
#[cfg(unix)]
mod determinism;
#[cfg(unix)]
mod failing_runs;
mod files;
mod friction;
mod jitter;
mod run_loop;
mod toy;
mod view_server;
