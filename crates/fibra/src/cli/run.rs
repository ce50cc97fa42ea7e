//! `fibra run`: simulates a scene and writes its frames to a folder.

use super::ctrl_c::stop_on_ctrl_c;
use super::device_parser::device_parser;
use super::progress;
use super::{CliError, SceneArgs, print_line, print_note, print_warnings, thread_count, use_threads};
use fibra_render::write_preview;
use fibra_run::expectations;
use fibra_run::folder::{IfTaken, RunFolder};
use fibra_run::{Card, Device, Existing, Job, RunOptions, Unchecked};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Simulate a scene and write its frames to a folder
///
/// `fibra run --resume DIR` continues the run in DIR. Ctrl-C finishes the current step, writes a checkpoint and exits
/// with 130; a second Ctrl-C exits at once.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Output folder [default: out/SCENE]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of frames after frame 0, overriding the scene; expectations are not checked if the scene has more frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Number of worker threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
    /// Device that computes the steps; GPUs need a fibra built with `--features gpu`
    #[arg(long, value_parser = device_parser(), default_value_t = Device::Cpu)]
    device: Device,
    /// Solve for the static equilibrium of each frame instead of the motion (method `rods`, without contact)
    #[arg(long = "static")]
    is_static: bool,
    /// Change one number of the scene from the first frame to the last, in SI units, such as `gravity.1=0..-9.81`; each frame starts
    /// from the equilibrium of the previous one
    #[arg(long, value_name = "KEY.PATH=FROM..TO", requires = "is_static", value_parser = varied)]
    vary: Option<Varied>,
    /// Continue the run in the folder; on the same device, the result is bit-identical to an uninterrupted run
    #[arg(long)]
    resume: bool,
    /// Replace an existing run in the folder
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Do not render preview.png at the end
    #[arg(long)]
    no_preview: bool,
    /// Wall-clock time between checkpoints [s]
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32))]
    checkpoint_every: u32,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    use_threads(args.threads)?;
    let (mut scene, out) = scene_and_folder(args)?;
    scene.set.extend(static_settings(args));
    let existing = match (args.resume, args.force) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Replace,
        _ => Existing::Refuse,
    };
    // Checked here to fail before a large simulation is built.
    if existing == Existing::Refuse {
        RunFolder::may_create(&out, IfTaken::Refuse)?;
    }
    let card = open(args.device)?;
    let mut job = scene.load(args.frames)?;
    print_warnings(&job);
    // Printed at the start, so that an interrupted run prints it, too.
    if let Some(Unchecked { expectations, scene_frames }) = job.unchecked {
        print_note(&format!(
            "note: the scene's expectations ({expectations}) are not checked: the run has {} of its {scene_frames} frames",
            job.frames
        ));
    }
    if let Some(card) = &card {
        move_to(&mut job, card, args.device)?;
    }
    let stop = stop_on_ctrl_c()?;
    let checkpoint_every = Duration::from_secs(args.checkpoint_every.into());
    let options = RunOptions { existing, checkpoint_every, stop: &stop };
    let outcome = job.run_with_progress(&out, &options, &mut *progress::on_stderr())?;
    let shown = out.display();
    if outcome.interrupted {
        return Err(CliError::Interrupted(format!("continue with: fibra run --resume {shown}\n")));
    }
    print_line(&format!("wrote {shown}"))?;
    let expectations = &outcome.report.expectations;
    if !expectations.is_empty() {
        print_line(&format!("expectations at the end:\n{}", expectations::table(expectations).trim_end()))?;
    }
    if !args.no_preview {
        let preview = write_preview(&RunFolder::open(&out)?)?;
        print_line(&preview.display().to_string())?;
    }
    if expectations.iter().all(|result| result.pass) { Ok(()) } else { Err(CliError::FailedQuietly) }
}

/// A parameter that changes in a static analysis.
#[derive(Clone, Debug, PartialEq)]
struct Varied {
    parameter: String,
    from: f64,
    to: f64,
}

fn varied(text: &str) -> Result<Varied, String> {
    let parse = || {
        let (parameter, range) = text.split_once('=')?;
        let (from, to) = range.split_once("..")?;
        let [from, to] = [from, to].map(|number| number.trim().parse::<f64>().ok().filter(|value| value.is_finite()));
        Some(Varied { parameter: parameter.trim().to_owned(), from: from?, to: to? })
    };
    parse().ok_or_else(|| "write `KEY.PATH=FROM..TO` with two numbers, e.g. `gravity.1=0..-9.81`".to_owned())
}

/// Returns the settings of the scene that `--static` and `--vary` stand for.
fn static_settings(args: &Args) -> Vec<String> {
    let analysis = args.is_static.then(|| "rods.analysis=\"static\"".to_owned());
    let continuation = args.vary.as_ref().map(|Varied { parameter, from, to }| {
        format!("rods.continuation={{ parameter = {parameter:?}, from = {from:?}, to = {to:?} }}")
    });
    analysis.into_iter().chain(continuation).collect()
}

/// Opens the requested GPU, if any. Prints a note when the CPU is used instead.
fn open(device: Device) -> Result<Option<Card>, CliError> {
    let (card, why_not) = device.open().map_err(CliError::bad_input)?;
    if let Some(why) = why_not {
        print_note(&format!("computing on the CPU: {why}"));
    }
    Ok(card)
}

/// Moves the simulation of a job to a GPU.
fn move_to(job: &mut Job, card: &Card, device: Device) -> Result<(), CliError> {
    match (job.simulation.move_to(card), device) {
        (Ok(()), _) => print_note(&format!("computing on {}", card.name())),
        (Err(why), Device::Auto) => print_note(&format!("computing on the CPU: {why}")),
        (Err(why), _) => {
            return Err(CliError::bad_input(format!("cannot run `{}` on {}: {why}", job.name, card.name())));
        }
    }
    Ok(())
}

/// Returns the scene to load and the folder to write to.
fn scene_and_folder(args: &Args) -> Result<(SceneArgs, PathBuf), CliError> {
    let named = Path::new(&args.scene.scene);
    if args.resume && args.out.is_none() && named.is_dir() {
        // `fibra run --resume DIR`: the folder contains the resolved scene, with all options applied.
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
