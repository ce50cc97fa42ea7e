//! Progress on standard error: a bar on a terminal, a line per frame otherwise.

use fibra_run::progress::{Progress, Tick, format_duration};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Reports progress on standard error: as a bar on a terminal, as lines otherwise.
pub fn on_stderr() -> Box<dyn Progress> {
    if std::io::stderr().is_terminal() { Box::new(Bar::new()) } else { Box::new(Lines::new(std::io::stderr())) }
}

/// Speed and remaining time, measured since this process started or resumed the run.
struct Pace {
    started: Instant,
    from: Tick,
}

impl Pace {
    fn begin(from: Tick) -> Pace {
        Pace { started: Instant::now(), from }
    }

    fn steps_per_second(&self, now: &Tick) -> f64 {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        now.steps.saturating_sub(self.from.steps) as f64 / seconds
    }

    /// Estimates the remaining time from the mean speed so far; `None` before the first step.
    fn remaining(&self, now: &Tick) -> Option<Duration> {
        let done = now.time - self.from.time;
        let left = (now.end_time - now.time).max(0.0);
        let ratio = left / done;
        let seconds = self.started.elapsed().as_secs_f64() * ratio;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// A bar that redraws itself on standard error.
struct Bar {
    bar: ProgressBar,
    pace: Pace,
}

/// Bar positions per frame, so that the bar also moves between frames.
const BAR_PER_FRAME: f64 = 1000.0;

impl Bar {
    fn new() -> Bar {
        let style = ProgressStyle::with_template("{bar:30.cyan/black} {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Bar { bar: ProgressBar::new(0).with_style(style), pace: Pace::begin(Tick::default()) }
    }

    fn show(&self, now: &Tick) {
        let frames = f64::from(now.frames) * BAR_PER_FRAME;
        self.bar.set_length(frames as u64);
        self.bar.set_position((frames * now.time / now.end_time) as u64);
        let left = self.pace.remaining(now).map(|left| format!(", {} left", format_duration(left)));
        self.bar.set_message(format!(
            "frame {}/{}, {:.0} steps/s{}",
            now.frame,
            now.frames,
            self.pace.steps_per_second(now),
            left.unwrap_or_default()
        ));
    }
}

impl Progress for Bar {
    fn begin(&mut self, now: &Tick) {
        self.pace = Pace::begin(*now);
        self.show(now);
    }

    fn step(&mut self, now: &Tick) {
        self.show(now);
    }

    fn frame(&mut self, now: &Tick) {
        self.show(now);
    }

    fn end(&mut self, summary: &str) {
        self.bar.finish_and_clear();
        let _ = writeln!(std::io::stderr(), "{summary}");
    }
}

/// One line per frame.
pub struct Lines<W> {
    out: W,
    pace: Pace,
}

impl<W: Write> Lines<W> {
    /// Prints lines to `out`. Write errors are ignored, so that the run continues when `out` is closed.
    pub fn new(out: W) -> Lines<W> {
        Lines { out, pace: Pace::begin(Tick::default()) }
    }
}

impl<W: Write> Progress for Lines<W> {
    fn begin(&mut self, now: &Tick) {
        self.pace = Pace::begin(*now);
    }

    fn frame(&mut self, now: &Tick) {
        let left = self.pace.remaining(now).map(|left| format!(", {} left", format_duration(left)));
        let _ = writeln!(
            self.out,
            "frame {}/{}: t = {:.4} s, {} steps, {:.0} steps/s{}",
            now.frame,
            now.frames,
            now.time,
            now.steps,
            self.pace.steps_per_second(now),
            left.unwrap_or_default()
        );
    }

    fn end(&mut self, summary: &str) {
        let _ = writeln!(self.out, "{summary}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_printed_per_frame_and_one_at_the_end() {
        let mut text = Vec::new();
        let mut lines = Lines::new(&mut text);
        let mut now = Tick { frames: 2, end_time: 0.5, ..Tick::default() };
        lines.begin(&now);
        for frame in 0..=2 {
            now.frame = frame;
            now.time = 0.25 * f64::from(frame);
            now.steps = 10 * u64::from(frame);
            lines.step(&now);
            lines.frame(&now);
        }
        lines.end("done");
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[0].starts_with("frame 0/2: t = 0.0000 s, 0 steps") && !lines[0].contains("left"), "{text}");
        assert!(lines[1].starts_with("frame 1/2: t = 0.2500 s, 10 steps") && lines[1].contains("left"), "{text}");
        assert_eq!(lines[3], "done");
    }

    #[test]
    fn durations_are_formatted_by_magnitude() {
        for (seconds, words) in [(8.23, "8.2 s"), (200.0, "3 min 20 s"), (7500.0, "2 h 5 min")] {
            assert_eq!(format_duration(Duration::from_secs_f64(seconds)), words);
        }
    }
}
