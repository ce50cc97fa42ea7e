//! `fibra run`: a scene from its first frame to its last.

use super::ctrl_c::stop_on_ctrl_c;
use super::device_parser::device_parser;
use super::progress;
use super::{CliError, SceneArgs, say, tell, thread_count, use_threads, warn};
use fibra_render::write_preview;
use fibra_run::expectations;
use fibra_run::folder::{IfTaken, RunFolder};
use fibra_run::{Card, Device, Existing, Job, RunOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Simulate a scene and write its frames to a folder
///
/// `fibra run --resume DIR` goes on with the run in DIR. Ctrl-C finishes the step, writes a checkpoint and exits
/// with 130; a second Ctrl-C ends at once.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder to write to [default: out/SCENE]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of frames after the start, in place of the scene's own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Number of worker threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
    /// Where to compute; a graphics card needs a fibra that was built with `--features gpu`
    #[arg(long, value_parser = device_parser(), default_value_t = Device::Cpu)]
    device: Device,
    /// Go on with the run in the folder, to the same bits as if it had never stopped
    #[arg(long)]
    resume: bool,
    /// Replace a run that is already in the folder
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Draw no preview.png at the end
    #[arg(long)]
    no_preview: bool,
    /// Wall time between checkpoints [s]
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32))]
    checkpoint_every: u32,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    use_threads(args.threads)?;
    let (scene, out) = place(args)?;
    let existing = match (args.resume, args.force) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Replace,
        _ => Existing::Refuse,
    };
    // Told at once, rather than after the work of building a large simulation.
    if existing == Existing::Refuse {
        RunFolder::may_create(&out, IfTaken::Refuse)?;
    }
    let card = open(args.device)?;
    let mut job = scene.load(args.frames)?;
    warn(&job);
    if let Some(card) = &card {
        move_to(&mut job, card, args.device)?;
    }
    let stop = stop_on_ctrl_c()?;
    let checkpoint_every = Duration::from_secs(args.checkpoint_every.into());
    let options = RunOptions { existing, checkpoint_every, stop: &stop };
    let outcome = job.run_with_progress(&out, &options, &mut *progress::on_stderr())?;
    let shown = out.display();
    if outcome.interrupted {
        return Err(CliError::Interrupted(format!("go on with: fibra run --resume {shown}\n")));
    }
    say(&format!("wrote {shown}"))?;
    let expectations = &outcome.report.expectations;
    if !expectations.is_empty() {
        say(&format!("expected of the end:\n{}", expectations::table(expectations).trim_end()))?;
    }
    if !args.no_preview {
        let preview = write_preview(&RunFolder::open(&out)?)?;
        say(&preview.display().to_string())?;
    }
    if expectations.iter().all(|result| result.pass) { Ok(()) } else { Err(CliError::FailedQuietly) }
}

/// The graphics card that is asked for, if one is; says so where the processor does the work in its place.
fn open(device: Device) -> Result<Option<Card>, CliError> {
    let (card, why_not) = device.open().map_err(CliError::bad_input)?;
    if let Some(why) = why_not {
        tell(&format!("computing on the processor: {why}"));
    }
    Ok(card)
}

/// Lets a graphics card do a job's steps.
fn move_to(job: &mut Job, card: &Card, device: Device) -> Result<(), CliError> {
    match (job.simulation.move_to(card), device) {
        (Ok(()), _) => tell(&format!("computing on {}", card.name())),
        (Err(why), Device::Auto) => tell(&format!("computing on the processor: {why}")),
        (Err(why), _) => return Err(CliError::bad_input(format!("`{}` on {}: {why}", job.name, card.name()))),
    }
    Ok(())
}

/// The scene to load and the folder to write to.
fn place(args: &Args) -> Result<(SceneArgs, PathBuf), CliError> {
    let named = Path::new(&args.scene.scene);
    if args.resume && args.out.is_none() && named.is_dir() {
        // `fibra run --resume DIR`: the folder knows its scene, complete and with all options applied.
        let folder = RunFolder::open(named)?;
        let scene = folder.scene_path().to_string_lossy().into_owned();
        return Ok((SceneArgs { scene, ..args.scene.clone() }, named.to_owned()));
    }
    let out = args.out.clone().unwrap_or_else(|| {
        let stem = named.file_stem().unwrap_or(named.as_os_str());
        Path::new("out").join(stem)
    });
    Ok((args.scene.clone(), out))
}
