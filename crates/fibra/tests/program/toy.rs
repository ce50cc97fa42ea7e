//! A toy simulation: balls that bounce on a floor. The time step shortens with speed.

pub use super::files::contents;

use fibra_core::StepsTaken;
use fibra_core::frame::{Attribute, Frame, Pose};
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_run::folder::{IfTaken, RunFolder};
use fibra_run::report::RunReport;
use fibra_run::run_loop::Plan;
use fibra_run::simulation::{Failure, Simulation};
use fibra_scene::Quantity;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Balls above a floor at height 0.
pub struct Balls {
    pub time: f64,
    pub heights: Vec<f64>,
    pub speeds: Vec<f64>,
    /// Time at which a step fails [s].
    pub fails_at: f64,
    /// Whether steps leave the time unchanged.
    pub stuck: bool,
}

impl Balls {
    /// Creates `count` balls at different heights, at rest.
    pub fn new(count: usize) -> Balls {
        Balls {
            time: 0.0,
            heights: (0..count).map(|ball| 1.0 + 0.1 * ball as f64).collect(),
            speeds: vec![0.0; count],
            fails_at: f64::INFINITY,
            stuck: false,
        }
    }
}

impl Simulation for Balls {
    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure> {
        if self.time >= self.fails_at {
            return Err(Failure {
                what: "ball 0 of `balls` has speed NaN m/s".to_owned(),
                stage: "bounce".to_owned(),
                time: self.time,
                remedy: "lower `time.max_dt`".to_owned(),
                machine: false,
            });
        }
        if self.stuck {
            return Ok(StepsTaken::single(1e-300));
        }
        let fastest = self.speeds.iter().fold(0.0f64, |v, speed| v.max(speed.abs()));
        let stable = 0.01 / (1.0 + fastest);
        let left = until - self.time;
        let dt = stable.min(left);
        for (height, speed) in self.heights.iter_mut().zip(&mut self.speeds) {
            *speed -= 9.81 * dt;
            *height += *speed * dt;
            if *height < 0.0 {
                *height = -*height;
                *speed *= -0.9;
            }
        }
        self.time = if stable >= left { until } else { self.time + dt };
        Ok(StepsTaken::single(dt))
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn items(&self) -> usize {
        self.heights.len()
    }

    fn frame(&self, index: u32) -> Frame {
        Frame {
            index,
            time: self.time,
            origin: [1000.0, 0.0, 0.0],
            object: vec![0; self.items()],
            points: self.heights.iter().map(|h| [0.0, *h as f32, 0.0]).collect(),
            velocities: self.speeds.iter().map(|v| [0.0, *v as f32, 0.0]).collect(),
            attributes: vec![Attribute {
                name: "height".to_owned(),
                unit: "m".to_owned(),
                values: self.heights.iter().map(|h| *h as f32).collect(),
            }],
            colliders: vec![Pose { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }],
            ..Frame::default()
        }
    }

    fn quantities(&self) -> BTreeMap<&'static str, f64> {
        let kinetic = self.speeds.iter().map(|v| 0.5 * v * v).sum();
        BTreeMap::from([("kinetic_energy", kinetic), ("undefined", f64::NAN)])
    }

    fn measure(&self, _quantity: Quantity, _object: Option<&str>) -> Option<f64> {
        None
    }

    fn save(&self) -> TensorFile<'_> {
        let tensors = [("time", vec![self.time]), ("heights", self.heights.clone()), ("speeds", self.speeds.clone())];
        TensorFile {
            tensors: tensors.map(|(name, values)| (name.to_owned(), Tensor::values(values))).into(),
            ..TensorFile::default()
        }
    }

    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        from.expect_rows("time", 1)?;
        for name in ["heights", "speeds"] {
            from.expect_rows(name, self.items())?;
        }
        self.time = from.values("time")?[0];
        self.heights = from.values("heights")?.to_vec();
        self.speeds = from.values("speeds")?.to_vec();
        Ok(())
    }

    fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        vec![("fall", 0.25), ("bounce", 0.125)]
    }
}

/// Returns a plan of `frames` frames for scene `toy`.
pub fn plan(frames: u32) -> Plan {
    Plan { frames, fps: 24.0, scene_hash: "toy".to_owned(), checkpoint_every: Duration::MAX, resume: false }
}

/// Creates a run folder at `root`.
pub fn new_folder(root: &Path) -> RunFolder {
    RunFolder::create(root, IfTaken::Refuse, "# toy\n", &RunReport::new("toy", "toy")).unwrap()
}
