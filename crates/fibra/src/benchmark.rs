//! Benchmarks: how long a step takes per particle.

pub mod pcg64;
pub mod peer_block;

use serde::Serialize;

/// A benchmark.
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// What is timed, in one line.
    pub about: &'static str,
    /// Does the work in the current thread pool and times it.
    pub run: fn() -> Result<Timed, String>,
}

/// All benchmarks, in the order they run.
pub const CASES: &[Case] = &[];

/// What was timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// Number of particles, vertices or elastons.
    pub items: usize,
    /// Number of steps timed.
    pub steps: u64,
    /// Wall time of all the steps [s].
    pub seconds: f64,
}

/// A benchmark's result, as printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Name of the benchmark.
    pub name: String,
    /// Where it was computed.
    pub device: String,
    /// Number of worker threads.
    pub threads: usize,
    /// Number of particles, vertices or elastons.
    pub items: usize,
    /// Number of steps timed.
    pub steps: u64,
    /// Wall time per item and step [ns].
    pub ns_per_item_step: f64,
    /// Wall time per step [s].
    pub seconds_per_step: f64,
}

impl Timed {
    /// The same per step and per item.
    pub fn record(&self, name: &str, device: &str) -> Record {
        let seconds_per_step = self.seconds / self.steps as f64;
        Record {
            name: name.to_owned(),
            device: device.to_owned(),
            threads: rayon::current_num_threads(),
            items: self.items,
            steps: self.steps,
            ns_per_item_step: seconds_per_step * 1e9 / self.items as f64,
            seconds_per_step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_among_items_and_steps() {
        let record = Timed { items: 1000, steps: 10, seconds: 2.0 }.record("toy", "cpu");
        assert_eq!((record.seconds_per_step, record.ns_per_item_step), (0.2, 2e5));
    }
}
