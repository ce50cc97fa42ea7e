//! Meshes of a stage, merged into one.

use super::attribute::Between;
use super::find::Line;
use super::stage::{Prim, Stage};
use crate::ImportError;
use crate::error::Fault;
use crate::recording::MAX_ELEMENTS;
use glam::{DMat4, DVec3};

/// The attributes that define the faces.
pub(super) const TOPOLOGY: [&str; 3] = ["faceVertexCounts", "faceVertexIndices", "holeIndices"];

impl Stage {
    /// Returns the points of all meshes at a time, one mesh after another, in world coordinates [m].
    pub fn points(&self, lines: &[Line], t: f64, to_meters: DMat4) -> Result<Vec<DVec3>, ImportError> {
        let mut points = Vec::new();
        for line in lines {
            let matrix = to_meters * self.to_world(line, t)?;
            points.extend(self.own_points(last(line), t)?.iter().map(|point| matrix.transform_point3(*point)));
            self.check_total(last(line), points.len(), "points")?;
        }
        Ok(points)
    }

    /// Returns the points of a prim in its local coordinates.
    pub fn own_points(&self, prim: &Prim, t: f64) -> Result<Vec<DVec3>, ImportError> {
        let numbers = self.numbers(prim, "points", t, Between::Linear, 3)?.unwrap_or_default();
        Ok(numbers.as_chunks().0.iter().map(|point| DVec3::from_array(*point)).collect())
    }

    /// Returns the triangles of all meshes at a time, as indices into [`Stage::points`], counterclockwise seen from outside.
    pub fn triangles(&self, lines: &[Line], t: f64) -> Result<Vec<[u32; 3]>, ImportError> {
        let mut triangles = Vec::new();
        let mut first = 0usize;
        for line in lines {
            let prim = last(line);
            let points = self.own_points(prim, t)?.len();
            let mirrored = self.to_world(line, t)?.determinant() < 0.0;
            let left_handed = self.word(prim, "orientation", t)?.as_deref() == Some("leftHanded");
            let flip = mirrored != left_handed;
            let error = |problem: String| Fault::new(&prim.path, problem, "export the mesh again").in_file(self.file());
            self.check_total(prim, first + points, "points")?;
            let [counts, indices, holes] = self.topology(prim, t)?;
            let mut corners = indices.as_slice();
            for (face, &count) in counts.iter().enumerate() {
                if count < 3 || count as usize > corners.len() {
                    return Err(error(format!(
                        "face {face} has {count} corners, but {} indices are left",
                        corners.len()
                    )));
                }
                let (polygon, rest) = corners.split_at(count as usize);
                corners = rest;
                if let Some(corner) = polygon.iter().find(|&&corner| corner as usize >= points) {
                    return Err(error(format!("face {face} uses point {corner}, but there are only {points} points")));
                }
                if holes.binary_search(&(face as u32)).is_ok() {
                    continue;
                }
                for pair in polygon[1..].windows(2) {
                    let triangle = [polygon[0], pair[0], pair[1]].map(|corner| first as u32 + corner);
                    let [a, b, c] = triangle;
                    // Merging points in a modeling program leaves triangles with repeated corners behind.
                    if a != b && b != c && c != a {
                        triangles.push(if flip { [a, c, b] } else { triangle });
                    }
                }
            }
            self.check_total(prim, triangles.len(), "triangles")?;
            if !corners.is_empty() {
                return Err(error(format!("{} indices belong to no face", corners.len())));
            }
            first += points;
        }
        Ok(triangles)
    }

    /// Rejects too many points or triangles, which references can create from small files.
    pub(super) fn check_total(&self, prim: &Prim, count: usize, what: &str) -> Result<(), ImportError> {
        if count <= MAX_ELEMENTS {
            return Ok(());
        }
        let problem = format!("with this prim, the scene has more than {MAX_ELEMENTS} {what}");
        Err(Fault::new(&prim.path, problem, "select a part with `prim`").in_file(self.file()))
    }

    /// Returns the values of the [`TOPOLOGY`] attributes. Holes are sorted.
    fn topology(&self, prim: &Prim, t: f64) -> Result<[Vec<u32>; 3], ImportError> {
        let mut lists: [Vec<u32>; 3] = Default::default();
        for (list, name) in lists.iter_mut().zip(TOPOLOGY) {
            for number in self.numbers(prim, name, t, Between::Held, 1)?.unwrap_or_default() {
                if !(0.0..f64::from(u32::MAX)).contains(&number) || number.fract() != 0.0 {
                    let problem = format!("`{name}` contains {number}");
                    let remedy = "counts and indices must be non-negative integers";
                    return Err(Fault::new(&prim.path, problem, remedy).in_file(self.file()));
                }
                list.push(number as u32);
            }
        }
        lists[2].sort_unstable();
        Ok(lists)
    }
}

/// Returns the prim at the end of a line of ancestors.
pub(super) fn last(line: &Line) -> &Prim {
    // A line always contains at least the prim itself.
    &line[line.len() - 1]
}
