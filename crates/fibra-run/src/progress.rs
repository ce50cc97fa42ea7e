//! How a run reports progress.

use std::time::Duration;

/// Where a run stands.
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

/// Somebody who wants to know how a run goes. The default is not to listen.
pub trait Progress {
    /// The run starts, or goes on from a checkpoint.
    fn begin(&mut self, _now: &Tick) {}
    /// A step was taken.
    fn step(&mut self, _now: &Tick) {}
    /// A frame was written.
    fn frame(&mut self, _now: &Tick) {}
    /// The run is over; `summary` is one line.
    fn end(&mut self, _summary: &str) {}
}

/// Nobody listens.
impl Progress for () {}

/// A duration as one would say it: `8.2 s`, `3 min 20 s`, `2 h 5 min`.
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
