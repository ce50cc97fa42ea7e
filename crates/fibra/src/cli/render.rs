//! `fibra render`: renders images of a run on the CPU; needs no GPU and no display.

use super::ctrl_c::stop_on_ctrl_c;
use super::numbered_files::{print_missing_frames, print_stale_files};
use super::{CliError, print_line, print_note};
use fibra_core::frame::Frame;
use fibra_render::picture::{Painter, PictureError};
use fibra_render::ray_caster::{MAX_PIXELS, Quality, render, write_gif, write_png};
use fibra_run::folder::RunFolder;
use image::RgbImage;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Render the frames of a run as numbered PNGs or as an animated GIF
#[derive(clap::Args)]
pub struct Args {
    /// Run folder
    pub run: PathBuf,
    /// Output folder [default: a folder `png` inside the run folder]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Render only this frame
    #[arg(long, value_name = "N")]
    pub frame: Option<u32>,
    /// Size of the images [pixels]
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = picture_size)]
    pub size: (u32, u32),
    /// Write one animated GIF instead of PNGs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["frame", "out"], value_parser = gif_file)]
    pub gif: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let frames = chosen_frames(&run, args.frame)?;
    let painter = Painter::of_run(&run)?;
    let stop = stop_on_ctrl_c()?;
    let draw = |index: u32| match stop.load(Ordering::Relaxed) {
        true => Err(CliError::Interrupted("interrupted before all frames were rendered\n".to_owned())),
        false => Ok(image_of(&painter, &run, index, args.size)?),
    };
    let has_gaps = args.frame.is_none() && print_missing_frames(&run)?;
    if let Some(path) = &args.gif {
        let fps = frames_per_second(&run, &frames)?;
        write_gif(path, frames.iter().map(|index| draw(*index)), fps)?;
        return print_line(&path.display().to_string());
    }
    let out = args.out.clone().unwrap_or_else(|| args.run.join("png"));
    create(&out)?;
    for &index in &frames {
        let path = out.join(format!("{index:04}.png"));
        write_png(&path, &draw(index)?)?;
        print_line(&path.display().to_string())?;
    }
    // The ffmpeg command uses all numbered images in the folder, so it is wrong when there are gaps or stale files.
    if frames.len() > 1 && !print_stale_files(&out, "png", &frames) && !has_gaps {
        print_note(&video_command(&out, frames[0], frames_per_second(&run, &frames)?));
    }
    Ok(())
}

fn image_of(
    painter: &Painter,
    run: &RunFolder,
    index: u32,
    (width, height): (u32, u32),
) -> Result<RgbImage, PictureError> {
    let frame = Frame::read(&run.frame_path(index))?;
    let picture = painter.picture(&frame, width as f32 / height as f32);
    Ok(render(&picture, width, height, Quality::STANDARD)?.image)
}

/// Returns the ffmpeg command that makes a video of the images. Many players need even sizes and the pixel format yuv420p.
fn video_command(folder: &Path, first: u32, fps: f64) -> String {
    let pictures = folder.join("%04d.png");
    let fps = (1000.0 * fps).round() / 1000.0;
    format!(
        "to make a video: ffmpeg -framerate {fps} -start_number {first} -i '{}' -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p film.mp4",
        pictures.display()
    )
}

fn create(folder: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| CliError::failed(format!("cannot create {}: {error}", folder.display())))
}

/// Returns the frame rate of the animation [1/s]: the run's rate, limited to what players support.
fn frames_per_second(run: &RunFolder, frames: &[u32]) -> Result<f64, CliError> {
    let time = |index: u32| Frame::read(&run.frame_path(index)).map(|frame| frame.time).map_err(PictureError::Frame);
    let (first, last) = (frames[0], frames[frames.len() - 1]);
    let fps = (f64::from(last) - f64::from(first)) / (time(last)? - time(first)?);
    // A single frame has no frame rate.
    Ok(if fps.is_finite() { fps.clamp(0.01, 50.0) } else { 1.0 })
}

/// Returns the frames to render: the requested one, or all.
fn chosen_frames(run: &RunFolder, frame: Option<u32>) -> Result<Vec<u32>, CliError> {
    let frames = run.frames()?.indices;
    let root = run.root().display();
    let Some(last) = frames.last() else {
        return Err(CliError::bad_input(format!("{root} has no frames")));
    };
    match frame {
        None => Ok(frames),
        Some(frame) if frames.contains(&frame) => Ok(vec![frame]),
        Some(frame) => Err(CliError::bad_input(format!("{root} has no frame {frame}; the last one is {last}"))),
    }
}

fn picture_size(text: &str) -> Result<(u32, u32), String> {
    const MAX_SIDE: u32 = 16384;
    let parsed = text.split_once('x').map(|(width, height)| (width.parse(), height.parse()));
    match parsed {
        Some((Ok(width @ 1..=MAX_SIDE), Ok(height @ 1..=MAX_SIDE)))
            if u64::from(width) * u64::from(height) <= MAX_PIXELS =>
        {
            Ok((width, height))
        }
        _ => Err(format!(
            "must be WIDTHxHEIGHT, each from 1 to {MAX_SIDE} and at most {MAX_PIXELS} pixels in total, for example 1280x720"
        )),
    }
}

fn gif_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_gif = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gif"));
    if is_gif { Ok(path) } else { Err("must end in .gif".to_owned()) }
}
