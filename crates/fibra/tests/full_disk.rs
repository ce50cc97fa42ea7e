//! A disk that has no room left: a clear error, and only whole files remain.
//!
//! The limit is one on file sizes, which needs no privileges. It is set for a child process only: this test binary
//! again, running the ignored test below.
#![cfg(unix)]

mod common;

use common::{Balls, contents, new_folder, plan};
use fibra::run_folder::RunFolder;
use fibra::run_loop::run;
use fibra_core::frame::Frame;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;

const OUT: &str = "FIBRA_TEST_OUT";
const BALLS: &str = "FIBRA_TEST_BALLS";

/// The child's part; does nothing unless told where to write.
#[test]
#[ignore = "run by the test below, under a limit on file sizes"]
fn child_runs_until_the_disk_is_full() {
    let (Some(out), Ok(balls)) = (std::env::var_os(OUT).map(PathBuf::from), std::env::var(BALLS)) else {
        return;
    };
    let mut balls = Balls::new(balls.parse().unwrap());
    let folder = new_folder(&out);
    let error = run(&mut balls, &folder, &plan(200), &AtomicBool::new(false), &mut ()).unwrap_err();
    println!("{error}");
}

#[test]
fn a_full_disk_ends_the_run_with_whole_files_only() {
    // Frames of 100 balls fit, the report of 200 frames does not; of 1000 balls not even the first frame does.
    for (balls, too_large, frames) in [("100", "run.json", 201), ("1000", "0000.safetensors", 0)] {
        let parent = tempfile::tempdir().unwrap();
        let out = parent.path().join("out");
        // An ignored signal stays ignored across `exec`: the write then fails instead of killing the child.
        let limited =
            "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact child_runs_until_the_disk_is_full --ignored --nocapture";
        let child = Command::new("bash")
            .args(["-c", limited])
            .arg(std::env::current_exe().unwrap())
            .env(OUT, &out)
            .env(BALLS, balls)
            .output()
            .unwrap();
        assert!(child.status.success(), "{child:?}");

        let error = String::from_utf8(child.stdout).unwrap();
        assert!(error.contains(too_large) && error.contains("bytes, more than the limit"), "{error}");
        let folder = RunFolder::open(&out).unwrap();
        folder.read_report().unwrap();
        let written = folder.frames().unwrap();
        assert_eq!((written.indices.len(), written.gaps().len()), (frames, 0));
        for index in written.indices {
            Frame::read(&folder.frame_path(index)).unwrap();
        }
        for name in contents(&out).keys() {
            assert!(!name.contains(".tmp-"), "{name} was left behind");
        }
    }
}
