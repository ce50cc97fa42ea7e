//! `run.json`: the scene, status, timings and results of a run.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The content of `run.json`. Times are wall-clock times unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Version of the program.
    pub fibra_version: String,
    /// Name or path of the scene.
    pub scene: String,
    /// Hash of the resolved scene, the same as in the checkpoint.
    pub scene_hash: String,
    /// Status of the run.
    pub status: Status,
    /// The error message of a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The machine that computed the run.
    pub machine: Machine,
    /// Number of frames simulated, without the initial state (frame 0).
    pub frames: u32,
    /// Number of steps, summed over all resumed parts.
    pub steps: u64,
    /// Total time, summed over all resumed parts, including reading and writing [s].
    pub seconds: f64,
    /// Mean time per frame [s].
    pub seconds_per_frame: f64,
    /// Number of particles, vertices or elastons.
    pub items: usize,
    /// Peak resident memory of the process; 0 if the system does not report it [bytes].
    pub peak_rss_bytes: u64,
    /// Time by stage [s].
    pub stages: Stages,
    /// Time steps; `None` before the first step.
    pub dt: Option<StepLengths>,
    /// Conserved and diagnostic quantities of each frame.
    pub quantities: Vec<FrameQuantities>,
    /// Results of the scene's expectations, which are evaluated at the end of the run.
    pub expectations: Vec<ExpectationResult>,
    /// Set when the expectations are not checked because the run is shorter than the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Unchecked>,
}

/// Expectations that are not checked because the run is shorter than the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unchecked {
    /// Number of expectations.
    pub expectations: usize,
    /// Number of frames of the scene.
    pub scene_frames: u32,
}

/// Status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In progress, or killed before the report could be updated.
    Running,
    /// All frames are written.
    Done,
    /// Stopped by the user; a checkpoint was written.
    Interrupted,
    /// Stopped by an error; `message` holds the reason.
    Failed,
}

/// The machine that computed a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Number of worker threads.
    pub threads: usize,
    /// Operating system and architecture.
    pub os: String,
}

/// Statistics of a run's time steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepLengths {
    /// Shortest [s].
    pub min: f64,
    /// Longest [s].
    pub max: f64,
    /// Mean [s].
    pub mean: f64,
}

/// Quantities of one frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameQuantities {
    /// Frame number.
    pub frame: u32,
    /// Simulated time [s].
    pub time: f64,
    /// Values in SI units by name; null if not finite, because JSON has no notation for that.
    #[serde(flatten)]
    pub values: BTreeMap<String, Option<f64>>,
}

/// Result of one of the scene's expectations, which are evaluated at the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationResult {
    /// The expectation in words.
    pub name: String,
    /// The measured value; null if it is undefined or not finite.
    pub measured: Option<f64>,
    /// Smallest allowed value.
    pub min: Option<f64>,
    /// Largest allowed value.
    pub max: Option<f64>,
    /// Whether the measured value is within the bounds.
    pub pass: bool,
}

impl RunReport {
    /// Creates the report of a run that is about to start.
    pub fn new(scene: &str, scene_hash: &str) -> RunReport {
        RunReport {
            fibra_version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene.to_owned(),
            scene_hash: scene_hash.to_owned(),
            status: Status::Running,
            message: None,
            machine: Machine::here(),
            frames: 0,
            steps: 0,
            seconds: 0.0,
            seconds_per_frame: 0.0,
            items: 0,
            peak_rss_bytes: 0,
            stages: Stages::default(),
            dt: None,
            quantities: Vec::new(),
            expectations: Vec::new(),
            unchecked: None,
        }
    }

    /// Returns the content of the file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a report has only text keys");
        text.push('\n');
        text
    }
}

impl Machine {
    /// Describes this machine, with the number of threads in the current thread pool.
    pub fn here() -> Machine {
        let cpu = std::fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|text| proc_field(&text, "model name").map(str::to_owned))
            .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        Machine {
            cpu,
            threads: rayon::current_num_threads(),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// Returns the peak resident memory of this process [bytes]; 0 if the system does not report it.
pub fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kibibytes = proc_field(&status, "VmHWM")
        .and_then(|text| text.strip_suffix("kB"))
        .and_then(|text| text.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// Resets [`peak_rss_bytes`], if the system supports it.
pub fn forget_peak_rss() {
    // On Linux, writing 5 resets the peak. If that fails, the peak covers the whole life of the process, which is an upper bound.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the text after `name :` in a file of `/proc`.
fn proc_field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim())
}

/// Wall-clock time of each stage [s], in the order in which a step runs the stages. In the file, it is a JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages(pub Vec<(String, f64)>);

impl Stages {
    /// Adds time to a stage; a new stage is appended.
    pub fn add(&mut self, name: &str, seconds: f64) {
        match self.0.iter_mut().find(|(stage, _)| stage == name) {
            Some((_, sum)) => *sum += seconds,
            None => self.0.push((name.to_owned(), seconds)),
        }
    }
}

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, seconds)| (name, seconds)))
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Stages, D::Error> {
        struct InOrder;
        impl<'de> serde::de::Visitor<'de> for InOrder {
            type Value = Stages;

            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("an object that maps stages to seconds")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Stages, A::Error> {
                let mut stages = Stages::default();
                while let Some((name, seconds)) = map.next_entry::<String, f64>()? {
                    stages.add(&name, seconds);
                }
                Ok(stages)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_unchanged_after_writing_and_reading() {
        let mut report = RunReport::new("toy", "abc");
        report.stages.add("zebra", 1.0 / 3.0);
        report.stages.add("apple", 2.0);
        report.stages.add("zebra", 0.1);
        report.dt = Some(StepLengths { min: 1e-5, max: 0.1, mean: 0.3 - 0.2 });
        report.quantities.push(FrameQuantities {
            frame: 3,
            time: 0.125,
            values: [("mass".to_owned(), Some(2.5)), ("energy".to_owned(), None)].into(),
        });
        let text = report.to_json();
        assert!(text.find("zebra") < text.find("apple"), "the order of stages has changed");
        assert_eq!(serde_json::from_str::<RunReport>(&text).unwrap(), report);
    }

    #[test]
    fn all_documented_keys_are_written() {
        let json: serde_json::Value = serde_json::from_str(&RunReport::new("toy", "abc").to_json()).unwrap();
        for key in "fibra_version scene machine frames steps seconds seconds_per_frame items peak_rss_bytes \
                    stages dt quantities expectations status"
            .split_whitespace()
        {
            assert!(json.get(key).is_some(), "{key}");
        }
        assert_eq!(json["status"], "running");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn peak_memory_is_measured() {
        assert!(peak_rss_bytes() > 100_000);
    }
}
