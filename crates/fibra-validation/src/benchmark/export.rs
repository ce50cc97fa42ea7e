//! Export of many frames with many points to a USD stage.

use super::Timed;
use fibra_core::appearance::{Appearance, ObjectAppearance};
use fibra_core::frame::{Attribute, Frame};
use fibra_core::random::CounterRng;
use fibra_run::export::usd::write_stage;
use fibra_run::report::{forget_peak_rss, peak_rss_bytes};
use glam::Vec3;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const POINTS: u64 = 1_000_000;
const FRAMES: u32 = 100;
const FRAMES_PER_SECOND: f64 = 24.0;

/// Reads 100 frames of a million points with one attribute and writes them as one stage, in the temporary folder.
pub fn usd() -> Result<Timed, String> {
    let folder = std::env::temp_dir().join(format!("fibra-bench-export-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let timed = time_in(&folder);
    std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    timed
}

fn time_in(folder: &Path) -> Result<Timed, String> {
    let frames = write_frames(folder)?;
    forget_peak_rss();
    let stage = folder.join("stage.usdc");
    let start = Instant::now();
    let bytes = write_stage(&frames, "bench", appearance(), &stage, &AtomicBool::new(false))
        .map_err(|error| error.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Timed {
        items: POINTS as usize,
        steps: FRAMES.into(),
        seconds,
        details: vec![
            ("megabytes_written", (bytes as f64 / 1e6).round()),
            ("megabytes_per_second", (bytes as f64 / 1e6 / seconds).round()),
            ("peak_megabytes_in_memory", (peak_rss_bytes() as f64 / 1e6).round()),
        ],
        ..Timed::default()
    })
}

/// Writes frames of expanding points. Every position changes in every frame; only the object numbers stay the same.
fn write_frames(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let random = CounterRng::new(0);
    let start: Vec<Vec3> = (0..POINTS).map(|point| random.uniform_in_cube([point, 0, 0]).as_vec3()).collect();
    let mut files = Vec::new();
    for index in 0..FRAMES {
        let time = f64::from(index) / FRAMES_PER_SECOND;
        let spread = time.exp() as f32;
        let points: Vec<[f32; 3]> = start.iter().map(|place| (spread * *place).to_array()).collect();
        let frame = Frame {
            index,
            time,
            object: vec![0; points.len()],
            velocities: points.clone(),
            attributes: vec![Attribute {
                name: "volume_ratio".to_owned(),
                unit: "-".to_owned(),
                values: points.iter().map(|point| point[0]).collect(),
            }],
            points,
            ..Frame::default()
        };
        let file = folder.join(format!("{index:04}.safetensors"));
        frame.write(&file).map_err(|error| error.to_string())?;
        files.push(file);
    }
    Ok(files)
}

fn appearance() -> Appearance {
    let sand = ObjectAppearance {
        name: "sand".to_owned(),
        material: "sand".to_owned(),
        color: Vec3::splat(0.5),
        point_radius: 0.005,
        turns: false,
        curve_radius: None,
        is_skin: false,
        grain: None,
    };
    Appearance { frames_per_second: FRAMES_PER_SECOND, objects: vec![sand], bodies: Vec::new() }
}
