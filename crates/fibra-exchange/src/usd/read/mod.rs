//! Reading of USD: static and animated meshes and curves, in meters with y up.
//!
//! `text` and `binary` parse one file into a `Layer`, `Stage` composes layers, and the other modules read the attributes of meshes and curves from the
//! stage. We use no existing library, because reading must withstand damaged and hostile files.

mod attribute;
mod binary;
mod clips;
mod curves;
mod find;
mod layer;
mod mesh;
mod stage;
mod text;
mod transform;
mod value;

use crate::ImportError;
use crate::curve_import::{CurveImport, cut_splines};
use crate::error::Fault;
use crate::formats::Source;
use crate::recording::{Clock, Recording};
use curves::TooShort;
use fibra_core::geometry::{CurveLine, CurveMesh, Spline, StrandRepairs, StrandSet};
use find::Line;
use glam::{DMat4, DVec3};
use layer::Layer;
use mesh::{TOPOLOGY, last};
use stage::Stage;
use std::path::{Path, PathBuf};
use value::Value;

/// Length unit of a file without `metersPerUnit` [m]: USD's default, one centimeter.
const DEFAULT_UNIT: f64 = 0.01;

/// An opened scene.
pub(crate) struct UsdScene {
    stage: Stage,
    /// Transform from stage coordinates to meters with y up.
    to_meters: DMat4,
}

impl UsdScene {
    /// Opens a file, or parses the given contents of its root layer.
    pub fn of(source: &Source) -> Result<Self, ImportError> {
        Self::of_stage(match source.bytes {
            Some(bytes) => Stage::of_bytes(bytes.to_vec(), source.path)?,
            None => Stage::open(source.path)?,
        })
    }

    /// Returns the curves, resampled evenly.
    pub fn cut_curves(mut self, source: &Source, import: &CurveImport) -> Result<CurveMesh, ImportError> {
        cut_splines(Spline::Polyline, &self.curves(source.prim)?, import, &source.name())
    }

    /// Returns the strands [m], multiplied by `scale`, and the numbers of dropped strands and points.
    pub fn scaled_strands(mut self, source: &Source, scale: f64) -> Result<(StrandSet, StrandRepairs), ImportError> {
        let (lines, too_short) = self.strands(source.prim)?;
        if let Some(strand) = lines.iter().position(|line| line.closed) {
            let problem = "it is closed, but hair has a root and a tip";
            return Err(
                Fault::new(format!("curve {strand}"), problem, "select open curves with `prim`").in_file(source.path)
            );
        }
        let counts: Vec<u32> = lines.iter().map(|line| line.points.len() as u32).collect();
        let points = lines.iter().flat_map(|line| &line.points).map(|point| scale * *point).collect();
        let (strands, mut repairs) = StrandSet::repaired(points, &counts, None)
            .map_err(|flaw| ImportError::Strands { file: source.name(), flaw })?;
        repairs.strands_without_length += too_short;
        Ok((strands, repairs))
    }

    /// Returns the files that one USD file refers to: the layers, and at most `most` value clips. Only layers can refer to
    /// more files.
    pub fn files_named_by(path: &Path, most: usize) -> Result<(Vec<PathBuf>, Vec<PathBuf>), ImportError> {
        let layer = Layer::open(path)?;
        Ok((layer.named_layers(), layer.named_clips().take(most).collect()))
    }

    fn of_stage(stage: Stage) -> Result<Self, ImportError> {
        let error = |problem: String, remedy: &str| Fault::new("layer metadata", problem, remedy).in_file(stage.file());
        let unit = stage.setting("metersPerUnit")?.as_ref().and_then(Value::number).unwrap_or(DEFAULT_UNIT);
        if !(unit > 0.0 && unit.is_finite()) {
            return Err(error(format!("`metersPerUnit` is {unit}"), "it must be finite and above 0"));
        }
        let rotation = match stage.setting("upAxis")?.as_ref().and_then(Value::word) {
            None | Some("Y") => DMat4::IDENTITY,
            // (x, y, z) with z up becomes (x, z, -y) with y up.
            Some("Z") => DMat4::from_cols(
                DVec3::X.extend(0.0),
                DVec3::NEG_Z.extend(0.0),
                DVec3::Y.extend(0.0),
                DVec3::ZERO.extend(1.0),
            ),
            Some(other) => return Err(error(format!("`upAxis` is {other}"), "it must be Y or Z")),
        };
        Ok(Self { to_meters: DMat4::from_scale(DVec3::splat(unit)) * rotation, stage })
    }

    /// Returns all curves at the start time; a curve with too few points is an error.
    pub fn curves(&mut self, prim: Option<&str>) -> Result<Vec<CurveLine>, ImportError> {
        Ok(self.some_curves(prim, TooShort::Error)?.0)
    }

    /// Returns all curves at the start time without those that have too few points, and the number of dropped curves.
    pub fn strands(&mut self, prim: Option<&str>) -> Result<(Vec<CurveLine>, usize), ImportError> {
        self.some_curves(prim, TooShort::Drop)
    }

    fn some_curves(&mut self, prim: Option<&str>, too_short: TooShort) -> Result<(Vec<CurveLine>, usize), ImportError> {
        let given = self.given_range()?;
        let lines = self.stage.find("BasisCurves", prim, given.map_or(0.0, |range| range.0))?;
        let start = self.times(&lines, given)?.0;
        self.stage.curves(&lines, start, self.to_meters, too_short)
    }

    /// Returns all meshes at the start time, merged, as a recording of one frame.
    pub fn mesh(&mut self, prim: Option<&str>) -> Result<Recording, ImportError> {
        let given = self.given_range()?;
        let lines = self.stage.find("Mesh", prim, given.map_or(0.0, |range| range.0))?;
        let start = self.times(&lines, given)?.0;
        let points = self.stage.points(&lines, start, self.to_meters)?;
        Ok(Recording::new(self.stage.triangles(&lines, start)?, vec![points], self.stage.rate()))
    }

    /// Returns all meshes from start to end, merged, at `fps` frames per second [1/s], or at the rate of the file's samples.
    pub fn animation(&mut self, prim: Option<&str>, fps: Option<f64>) -> Result<Recording, ImportError> {
        let given = self.given_range()?;
        let lines = self.stage.find("Mesh", prim, given.map_or(0.0, |range| range.0))?;
        for line in &lines {
            const JOINTS: &str = "primvars:skel:jointIndices";
            let prim = last(line);
            if self.stage.value(prim, JOINTS, 0.0, attribute::Between::Held)?.is_some() {
                let problem = "it is skinned to a skeleton, and skinning is not supported";
                return Err(self.fault(&prim.path, problem, "bake the skinning into points and export it again"));
            }
        }
        let (start, end, finest) = self.times(&lines, given)?;
        let rate = self.stage.rate();
        let fps = fps.unwrap_or(rate / finest.min(1.0));
        let triangles = self.stage.triangles(&lines, start)?;
        let vertices = self.stage.points(&lines, start, self.to_meters)?.len();
        // In each frame, faces may be read again, and the transforms of all ancestors of a mesh are evaluated.
        let work = vertices + 3 * triangles.len() + 64 * lines.iter().map(Vec::len).sum::<usize>();
        let clock =
            Clock::new((end - start) / rate, fps, vertices, work).map_err(|fault| fault.in_file(self.stage.file()))?;
        let varies = self.topology_varies(&lines)?;
        let mut frames = Vec::with_capacity(clock.frames());
        for second in clock.times() {
            let t = start + rate * second;
            let points = self.stage.points(&lines, t, self.to_meters)?;
            let same = points.len() == vertices && (!varies || self.stage.triangles(&lines, t)? == triangles);
            if !same {
                let problem = format!("its faces or number of points differ between time codes {start} and {t}");
                let remedy = "all frames must have the same topology";
                return Err(self.fault(&last(&lines[0]).path, &problem, remedy));
            }
            frames.push(points);
        }
        Ok(Recording::new(triangles, frames, fps))
    }

    /// Returns the time range in the metadata of the file [time codes].
    fn given_range(&self) -> Result<Option<(f64, f64)>, ImportError> {
        let number = |name: &str| -> Result<Option<f64>, ImportError> {
            Ok(self.stage.setting(name)?.as_ref().and_then(Value::number))
        };
        let (start, end) = (number("startTimeCode")?, number("endTimeCode")?);
        Ok(start.zip(end).filter(|(start, end)| start < end && start.is_finite() && end.is_finite()))
    }

    /// Returns the first and last time, and the shortest interval between samples [time codes].
    fn times(&self, lines: &[Line], given: Option<(f64, f64)>) -> Result<(f64, f64, f64), ImportError> {
        let mut times = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for line in lines {
            times.extend(self.stage.times(last(line), "points")?);
            for prim in line.iter().filter(|prim| seen.insert(prim.path.clone())) {
                for operation in self.stage.operations(prim)? {
                    times.extend(self.stage.times(prim, operation.trim_start_matches("!invert!"))?);
                }
            }
        }
        times.sort_by(f64::total_cmp);
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        // Sample times that differ only by rounding count as one.
        let finest = gaps.filter(|gap| *gap > 1e-3).fold(f64::INFINITY, f64::min);
        let own = times.first().copied().zip(times.last().copied());
        let (start, end) = given.or(own).unwrap_or((0.0, 0.0));
        Ok((start, if own.is_none() { start } else { end }, finest))
    }

    /// Returns whether the topology may change over time.
    fn topology_varies(&self, lines: &[Line]) -> Result<bool, ImportError> {
        for line in lines {
            for name in TOPOLOGY {
                if self.stage.times(last(line), name)?.len() > 1 {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn fault(&self, place: &str, problem: &str, remedy: &str) -> ImportError {
        Fault::new(place, problem, remedy).in_file(self.stage.file())
    }
}
