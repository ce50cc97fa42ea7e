//! Rough cost of a run, known before its first step: time step, memory and run time.
//!
//! The costs per item and step were measured on one thread of an AMD EPYC (Zen 4); `docs/benchmarks.md` has current measurements.

use std::fmt::{Display, Formatter};

/// Time of an explicit MPM step per particle, on one thread [ns].
pub(crate) const MPM_EXPLICIT: f64 = 100.0;
/// Time of an implicit MPM step per particle, on one thread [ns].
pub(crate) const MPM_IMPLICIT: f64 = 600.0;
/// Time of a rod step per point, with few contacts [ns].
pub(crate) const ROD_POINT: f64 = 8000.0;
/// Time of a grid step of hair per point, including its share of the time of a strand step, on one thread [ns].
pub(crate) const HAIR_POINT: f64 = 220.0;
/// Time of a step of elastons per unknown, on two threads [ns]. It grows with the number of unknowns.
pub(crate) const ELASTON_UNKNOWN: f64 = 5000.0;
/// Number of unknowns of elastons at which the factorization doubles the time of a step [-].
pub(crate) const ELASTON_UNKNOWNS: f64 = 7000.0;
/// Memory of the program without a simulation [B].
const PROGRAM: f64 = 15e6;

/// The estimated cost of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Numbers of objects, particles, strands or rods, in words.
    pub contents: String,
    /// The time step at the start [s].
    pub dt: f64,
    /// The condition that limits the time step, in words.
    pub limit: String,
    /// Memory of the simulation [B].
    pub bytes: f64,
    /// Time of a step [s].
    pub seconds_per_step: f64,
    /// The cost per item and step that `seconds_per_step` is computed from, in words.
    pub basis: String,
}

/// The estimated cost of a run of `frames` frames. It is displayed with one line per quantity.
#[derive(Clone, Copy, Debug)]
pub struct RunEstimate<'a> {
    /// The estimate.
    pub estimate: &'a Estimate,
    /// Number of frames.
    pub frames: u32,
    /// Frames per simulated second [1/s].
    pub fps: f64,
}

impl RunEstimate<'_> {
    /// Returns the number of steps per frame, if all steps are as long as the first.
    pub fn steps_per_frame(&self) -> f64 {
        (1.0 / (self.fps * self.estimate.dt) - 1e-6).ceil().max(1.0)
    }

    /// Returns the run time [s], if all steps are as long as the first.
    pub fn seconds(&self) -> f64 {
        f64::from(self.frames) * self.steps_per_frame() * self.estimate.seconds_per_step
    }
}

impl Display for RunEstimate<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Estimate { contents, dt, limit, bytes, basis, .. } = self.estimate;
        let steps = self.steps_per_frame();
        let all = steps * f64::from(self.frames);
        writeln!(f, "  contents    {contents}")?;
        writeln!(f, "  time step   {dt:.1e} s at the start, limited by {limit}")?;
        writeln!(f, "  steps       about {} per frame, {} in all", two_digits(steps), two_digits(all))?;
        writeln!(f, "  memory      about {}", megabytes(bytes + PROGRAM))?;
        write!(f, "  run time    about {} ({basis})", duration(self.seconds()))
    }
}

/// Returns `count` and the noun, in the plural unless `count` is one.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as f64), if count == 1 { "" } else { "s" })
}

/// Formats a whole number with commas between thousands.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a whole number, rounded to two digits.
fn two_digits(value: f64) -> String {
    let unit = 10f64.powi((value.max(1.0).log10().floor() as i32 - 1).max(0));
    grouped((value / unit).round() * unit)
}

/// Formats an amount of memory [B] with its unit.
fn megabytes(bytes: f64) -> String {
    let megabytes = bytes / 1e6;
    if megabytes < 1000.0 { format!("{} MB", two_digits(megabytes)) } else { format!("{:.1} GB", megabytes / 1000.0) }
}

/// Formats a duration [s] in a single suitable unit: s, min, h or days.
fn duration(seconds: f64) -> String {
    match seconds {
        ..1.0 => "1 s or less".to_owned(),
        ..90.0 => format!("{seconds:.0} s"),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{} days", two_digits(seconds / 86_400.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 9.0, 42.0, 123.0, 1250.0, 987_654.0].map(two_digits),
            ["1", "9", "42", "120", "1,300", "990,000"]
        );
        assert_eq!([0.1, 45.0, 100.0, 7300.0, 1e6].map(duration), ["1 s or less", "45 s", "2 min", "2 h", "12 days"]);
        assert_eq!([3e7, 2.34e9].map(megabytes), ["30 MB", "2.3 GB"]);
        assert_eq!([counted(1, "rod"), counted(12_345, "point")], ["1 rod", "12,345 points"]);
    }

    #[test]
    fn steps_and_time_follow_from_the_first_step() {
        let estimate = Estimate {
            contents: "1 rod".to_owned(),
            dt: 1e-3,
            limit: "`rods.dt`".to_owned(),
            bytes: 0.0,
            seconds_per_step: 0.01,
            basis: String::new(),
        };
        let run = RunEstimate { estimate: &estimate, frames: 10, fps: 24.0 };
        assert_eq!(run.steps_per_frame(), 42.0);
        assert!((run.seconds() - 4.2).abs() < 1e-12);
        assert_eq!(RunEstimate { fps: 1e4, ..run }.steps_per_frame(), 1.0);
    }
}
