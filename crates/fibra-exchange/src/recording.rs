//! A mesh recorded frame by frame.

use crate::ImportError;
use crate::error::Fault;
use fibra_core::geometry::{DeformingMesh, TriangleMesh};
use glam::DVec3;
use std::path::Path;

/// Limit on the number of frames of a recording.
const MAX_FRAMES: f64 = 1e5;

/// Limit on the number of vertices of all frames together.
const MAX_VERTICES: f64 = 1e8;

/// Limit on the cost of all frames together, as defined in [`Clock::new`]: evaluating joints and nodes takes time too.
const MAX_COST: f64 = 1e10;

/// Limit on the total number of vertices of all mesh instances in a file, and on the total number of their triangles. One
/// mesh can be instantiated many times.
pub(crate) const MAX_ELEMENTS: usize = 1 << 26;

/// A deforming mesh: frames at a constant rate from time 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Vertex indices of each triangle, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Positions of the vertices in each frame [m].
    pub frames: Vec<Vec<DVec3>>,
    /// Frames per second [1/s].
    pub fps: f64,
}

impl Recording {
    /// Creates a recording and drops triangles that have no area in the first frame. Modeling programs leave such triangles behind, and they have no outer
    /// side. In later frames triangles may be degenerate.
    pub(crate) fn new(mut triangles: Vec<[u32; 3]>, frames: Vec<Vec<DVec3>>, fps: f64) -> Self {
        if let Some(first) = frames.first() {
            triangles.retain(|triangle| {
                let corners = triangle.map(|corner| first[corner as usize]);
                // Triangles with non-finite corners are kept, so that later checks report them.
                TriangleMesh::has_area(corners) || corners.iter().any(|corner| !corner.is_finite())
            });
        }
        Self { triangles, frames, fps }
    }

    /// Converts the first frame to a validated mesh.
    pub(crate) fn into_mesh(self, file: &Path) -> Result<TriangleMesh, ImportError> {
        let vertices = self.frames.into_iter().next().unwrap_or_default();
        TriangleMesh::new(vertices, self.triangles)
            .map_err(|flaw| ImportError::Mesh { file: file.display().to_string(), flaw })
    }

    /// Converts the recording to a deforming body with all lengths multiplied by `scale` [-]. For `thickness` [m], see
    /// [`DeformingMesh::recorded`].
    pub(crate) fn into_deforming(
        mut self,
        scale: f64,
        thickness: f32,
        file: &Path,
    ) -> Result<DeformingMesh, ImportError> {
        self.frames.iter_mut().flatten().for_each(|position| *position *= scale);
        Ok(DeformingMesh::of_places(self.triangles, self.frames, self.fps, thickness, &file.display().to_string())?)
    }
}

/// The times at which a mesh is recorded.
pub(crate) struct Clock {
    frames: usize,
    fps: f64,
}

impl Clock {
    /// Creates the times of frames from 0 to `seconds` [s]. The last frame is at or after the end. Too many frames are an error. `vertices` and
    /// `cost` are per frame; `cost` is about the number of values to compute.
    pub fn new(seconds: f64, fps: f64, vertices: usize, cost: usize) -> Result<Self, Fault> {
        let reject = |problem: String, remedy: &str| Err(Fault::new("animation", problem, remedy));
        if !(fps > 0.0 && fps.is_finite()) {
            return reject(format!("the frame rate is {fps}"), "it must be finite and above 0");
        }
        // The tolerance keeps rounding errors from adding a frame.
        let frames = (seconds * fps - 1e-6).ceil().max(0.0) + 1.0;
        let possible = frames <= MAX_FRAMES && frames * vertices as f64 <= MAX_VERTICES;
        if !possible {
            let problem = format!("{seconds} s at {fps} frames per second with {vertices} vertices exceed the limit");
            return reject(problem, "the limit is 1e5 frames, and 1e8 vertices in all frames: use a lower `fps`");
        }
        if frames * cost as f64 > MAX_COST {
            let problem =
                format!("{seconds} s at {fps} frames per second with {cost} numbers per frame exceed the limit");
            return reject(
                problem,
                "the limit is 1e10 numbers in all frames: use a lower `fps` or select a part with `prim`",
            );
        }
        Ok(Self { frames: frames as usize, fps })
    }

    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Returns the time of each frame [s].
    pub fn times(&self) -> impl Iterator<Item = f64> {
        (0..self.frames).map(|frame| frame as f64 / self.fps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_frames_vertices_or_numbers_are_rejected() {
        // A character of 20,000 vertices with four joints each, for almost a minute and a half.
        assert_eq!(Clock::new(83.3, 60.0, 20_000, 5 * 20_000 + 200 * 32).unwrap().frames(), 4_999);
        for (seconds, vertices, cost, part) in [
            (1e4, 3, 3, "with 3 vertices exceed the limit"),
            (100.0, 100_000, 100_000, "with 100000 vertices exceed the limit"),
            (1666.0, 3, 1_000_000, "with 1000000 numbers per frame exceed the limit"),
            (0.0, 3, 20_000_000_000, "numbers per frame exceed the limit"),
        ] {
            let fault = Clock::new(seconds, 60.0, vertices, cost).err().unwrap();
            assert!(fault.place == "animation" && fault.problem.contains(part), "{fault:?}");
        }
    }
}
