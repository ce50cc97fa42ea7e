//! How a run reports progress.

use std::time::Duration;

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tick {
    /// The frame written last.
    pub frame: u32,
    /// The last frame of the run.
    pub frames: u32,
    /// Simulated time [s].
    pub time: f64,
    /// Simulated time at the end of the run [s].
    pub end_time: f64,
    /// Steps since the start of the run.
    pub steps: u64,
}

/// Receives progress reports. By default, all reports are ignored.
pub trait Progress {
    /// Called when the run starts or resumes from a checkpoint.
    fn begin(&mut self, _now: &Tick) {}
    /// Called after each call of [`Simulation::step`](crate::Simulation::step).
    fn step(&mut self, _now: &Tick) {}
    /// Called after each written frame.
    fn frame(&mut self, _now: &Tick) {}
    /// Called when the run ends; `summary` is one line.
    fn end(&mut self, _summary: &str) {}
}

/// Ignores all reports.
impl Progress for () {}

/// Formats a duration, for example as `8.2 s`, `3 min 20 s` or `2 h 5 min`.
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
