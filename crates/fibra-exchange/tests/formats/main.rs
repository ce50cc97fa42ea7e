//! Integration tests of the file formats.
//!
//! `cargo test --release -p fibra-exchange --test formats mutated -- --ignored --nocapture` reads 100,000 damaged files of each format.

mod gltf;
mod gltf_bombs;
mod mutated;
#[path = "../mutation/mod.rs"]
mod mutation;
mod round_trip;
mod usd;
mod usd_bombs;

use mutation::Counting;
use std::path::{Path, PathBuf};

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the path of a file in `tests/data`.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}
