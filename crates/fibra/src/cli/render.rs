//! `fibra render`: pictures of a run, with no GPU and no display.

use super::CliError;
use crate::run_folder::RunFolder;
use std::path::PathBuf;

/// Draw pictures of a run's frames
#[derive(clap::Args)]
pub struct Args {
    /// Folder of a run
    pub run: PathBuf,
    /// Folder to write to [default: a folder `png` inside the run's]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Draw only this frame
    #[arg(long, value_name = "N")]
    pub frame: Option<u32>,
    /// Size of the pictures [pixels]
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = picture_size)]
    pub size: (u32, u32),
    /// Write one animated GIF in place of PNGs
    #[arg(long, value_name = "FILE", conflicts_with = "frame")]
    pub gif: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let frames = chosen_frames(&run, args.frame)?;
    Err(CliError::failed(format!("this build cannot draw the {} frames", frames.len())))
}

/// The frames to draw: the one asked for, or all there are.
fn chosen_frames(run: &RunFolder, frame: Option<u32>) -> Result<Vec<u32>, CliError> {
    let there = run.frames()?.indices;
    let root = run.root().display();
    let Some(last) = there.last() else {
        return Err(CliError::bad_input(format!("{root} has no frames")));
    };
    match frame {
        None => Ok(there),
        Some(frame) if there.contains(&frame) => Ok(vec![frame]),
        Some(frame) => Err(CliError::bad_input(format!("{root} has no frame {frame}; the last one is {last}"))),
    }
}

fn picture_size(text: &str) -> Result<(u32, u32), String> {
    const MOST: u32 = 16384;
    let parsed = text.split_once('x').map(|(width, height)| (width.parse(), height.parse()));
    match parsed {
        Some((Ok(width @ 1..=MOST), Ok(height @ 1..=MOST))) => Ok((width, height)),
        _ => Err(format!("must be WIDTHxHEIGHT, each from 1 to {MOST}, such as 1280x720")),
    }
}
