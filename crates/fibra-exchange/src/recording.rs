//! A mesh that was recorded frame by frame.

use crate::ImportError;
use crate::error::Fault;
use fibra_core::geometry::{DeformingMesh, TriangleMesh};
use glam::DVec3;
use std::path::Path;

/// Most frames of a recording, and most vertices of all of them together.
const MOST_FRAMES: f64 = 1e5;
const MOST_VERTICES: f64 = 1e8;

/// Most work of all frames together, in the unit of [`Clock::new`]: vertices are not all that takes time.
const MOST_WORK: f64 = 1e10;

/// Most vertices, and most triangles, that all meshes of a file have together: one of them can be used again and again.
pub(crate) const MOST_AT_ONCE: usize = 1 << 26;

/// A mesh whose vertices move: frames at a steady rate from time 0.
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
    /// A recording without the triangles that have no area in the first frame: programs leave them behind, and no side of them
    /// is outside. Later ones may become flat.
    pub(crate) fn new(mut triangles: Vec<[u32; 3]>, frames: Vec<Vec<DVec3>>, fps: f64) -> Self {
        if let Some(first) = frames.first() {
            triangles.retain(|triangle| {
                let corners = triangle.map(|corner| first[corner as usize]);
                // What is broken is kept, so that it is named.
                TriangleMesh::has_area(corners) || corners.iter().any(|corner| !corner.is_finite())
            });
        }
        Self { triangles, frames, fps }
    }

    /// The first frame as a mesh that is known to be sound.
    pub(crate) fn into_mesh(self, file: &Path) -> Result<TriangleMesh, ImportError> {
        let vertices = self.frames.into_iter().next().unwrap_or_default();
        TriangleMesh::new(vertices, self.triangles)
            .map_err(|flaw| ImportError::Mesh { file: file.display().to_string(), flaw })
    }

    /// The recording as a body that deforms, its lengths multiplied by `scale` [-]; `thickness` [m] as for
    /// [`DeformingMesh::recorded`].
    pub(crate) fn into_deforming(
        mut self,
        scale: f64,
        thickness: f32,
        file: &Path,
    ) -> Result<DeformingMesh, ImportError> {
        self.frames.iter_mut().flatten().for_each(|place| *place *= scale);
        Ok(DeformingMesh::of_places(self.triangles, self.frames, self.fps, thickness, &file.display().to_string())?)
    }
}

/// The times at which a mesh is recorded.
pub(crate) struct Clock {
    frames: usize,
    fps: f64,
}

impl Clock {
    /// Frames from 0 to `seconds` [s], the last one not before the end; refused where they would be too many. Each has so many
    /// vertices, and takes so much `work`: about the numbers that are worked out for it.
    pub fn new(seconds: f64, fps: f64, vertices: usize, work: usize) -> Result<Self, Fault> {
        let refuse = |problem: String, remedy: &str| Err(Fault::new("animation", problem, remedy));
        if !(fps > 0.0 && fps.is_finite()) {
            return refuse(format!("it has {fps} frames per second"), "it must be above 0 and finite");
        }
        // Rounding must not add a frame.
        let frames = (seconds * fps - 1e-6).ceil().max(0.0) + 1.0;
        let possible = frames <= MOST_FRAMES && frames * vertices as f64 <= MOST_VERTICES;
        if !possible {
            let problem = format!("{seconds} s at {fps} frames per second of {vertices} vertices are too much");
            return refuse(
                problem,
                "at most 1e5 frames and 1e8 vertices in all of them can be read: give a lower `fps`",
            );
        }
        if frames * work as f64 > MOST_WORK {
            let problem = format!("{seconds} s at {fps} frames per second of {work} numbers each take too long");
            return refuse(
                problem,
                "at most 1e10 numbers in all frames can be worked out: give a lower `fps` or choose a part with `prim`",
            );
        }
        Ok(Self { frames: frames as usize, fps })
    }

    pub fn frames(&self) -> usize {
        self.frames
    }

    /// When each frame is [s].
    pub fn times(&self) -> impl Iterator<Item = f64> {
        (0..self.frames).map(|frame| frame as f64 / self.fps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_refuse_too_many_frames_vertices_and_numbers() {
        // A character of 20,000 vertices, four joints each, for a minute and a half.
        assert_eq!(Clock::new(83.3, 60.0, 20_000, 5 * 20_000 + 200 * 32).unwrap().frames(), 4_999);
        for (seconds, vertices, work, part) in [
            (1e4, 3, 3, "of 3 vertices are too much"),
            (100.0, 100_000, 100_000, "of 100000 vertices are too much"),
            (1666.0, 3, 1_000_000, "of 1000000 numbers each take too long"),
            (0.0, 3, 20_000_000_000, "take too long"),
        ] {
            let fault = Clock::new(seconds, 60.0, vertices, work).err().unwrap();
            assert!(fault.place == "animation" && fault.problem.contains(part), "{fault:?}");
        }
    }
}
