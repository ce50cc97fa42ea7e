//! Direction fields, interpolated from samples in a file.

use super::point_tree::PointTree;
use super::principal_axes::principal_axes;
use super::shepard::shepard_weights;
use glam::{DMat3, DVec3};
use std::path::Path;

/// Number of nearest samples: those interpolated, and one more whose weight is zero, at which the weights vanish.
const NEAREST: usize = 8 + 1;
/// Header line of a file; `,alignment` may follow.
const HEADER: &str = "x,y,z,u,v,w";
/// Largest plausible coordinate [m].
const MAX_COORDINATE: f64 = 1e18;

/// A field of directions without sign: `u` and `-u` are equivalent.
#[derive(Clone, Debug)]
pub struct DirectionField {
    points: PointTree,
    directions: Vec<DVec3>,
    /// Alignment of grains with the direction [-], if the file has it.
    alignments: Option<Vec<f64>>,
}

/// Error from reading a direction field.
#[derive(Debug, thiserror::Error)]
pub enum DirectionFieldError {
    /// The file cannot be read.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The underlying I/O error.
        source: std::io::Error,
    },
    /// A line is malformed.
    #[error("{file}, line {line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// There are no samples.
    #[error("{file}: no directions; after the header line `{HEADER}`, each line must give a point [m] and a direction")]
    Empty {
        /// The file.
        file: String,
    },
}

impl DirectionField {
    /// Reads a text file. The header line is `x,y,z,u,v,w` or `x,y,z,u,v,w,alignment`. Each further line gives a point [m], a direction of
    /// any nonzero length, and an alignment from 0 to 1. Blank lines and lines that start with # are ignored.
    pub fn read(path: impl AsRef<Path>) -> Result<DirectionField, DirectionFieldError> {
        let file = path.as_ref().display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&String::from_utf8_lossy(&bytes), &file),
            Err(source) => Err(DirectionFieldError::Io { file, source }),
        }
    }

    /// Parses the text of such a file; `file` is its name in error messages.
    pub fn parse(text: &str, file: &str) -> Result<DirectionField, DirectionFieldError> {
        let empty = || DirectionFieldError::Empty { file: file.to_owned() };
        let is_data = |line: &(usize, &str)| !line.1.trim().is_empty() && !line.1.trim_start().starts_with('#');
        let mut lines = text.lines().enumerate().filter(is_data);
        let wrong =
            |index: usize, problem| DirectionFieldError::Line { file: file.to_owned(), line: index + 1, problem };
        let (index, header) = lines.next().ok_or_else(empty)?;
        let columns = header.split(',').map(str::trim).collect::<Vec<_>>().join(",");
        let aligned = match columns.strip_prefix(HEADER) {
            Some("") => false,
            Some(",alignment") => true,
            _ => {
                let problem =
                    format!("the columns must be `{HEADER}` or `{HEADER},alignment`, not `{}`", short(header));
                return Err(wrong(index, problem));
            }
        };
        let (mut points, mut directions, mut alignments) = (Vec::new(), Vec::new(), Vec::new());
        for (index, line) in lines {
            let (point, direction, alignment) = sample(line, aligned).map_err(|problem| wrong(index, problem))?;
            points.push(point);
            directions.push(direction);
            alignments.push(alignment);
            // Point indices have 32 bits.
            if points.len() > u32::MAX as usize {
                return Err(wrong(index, "too many points for 32-bit indices".to_owned()));
            }
        }
        if points.is_empty() {
            return Err(empty());
        }
        Ok(DirectionField { points: PointTree::new(&points), directions, alignments: aligned.then_some(alignments) })
    }

    /// Returns the unit direction at a position [m], with arbitrary sign: the principal axis of `sum w u u^T` over the nearest samples.
    pub fn direction(&self, place: DVec3) -> DVec3 {
        let moment = self.blend(place).into_iter().fold(DMat3::ZERO, |sum, (weight, point)| {
            let u = self.directions[point as usize];
            sum + DMat3::from_cols(u.x * u, u.y * u, u.z * u) * weight
        });
        principal_axes(&moment)[0].1
    }

    /// Returns the alignment of grains with the direction at a position [-], if the file has it.
    pub fn alignment(&self, place: DVec3) -> Option<f64> {
        let alignments = self.alignments.as_ref()?;
        Some(self.blend(place).into_iter().map(|(weight, point)| weight * alignments[point as usize]).sum())
    }

    /// Returns whether the file gives an alignment.
    pub fn has_alignment(&self) -> bool {
        self.alignments.is_some()
    }

    fn blend(&self, place: DVec3) -> [(f64, u32); NEAREST] {
        let nearest = self.points.nearest::<NEAREST>(place);
        let weights = shepard_weights(nearest.map(|(distance, _)| distance));
        std::array::from_fn(|k| (weights[k], nearest[k].1))
    }
}

/// Truncates a text for display.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Parses the point, the unit direction and the alignment of one line.
fn sample(line: &str, aligned: bool) -> Result<(DVec3, DVec3, f64), String> {
    let wanted = if aligned { 7 } else { 6 };
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if fields.len() != wanted {
        return Err(format!("expected {wanted} numbers separated by commas, found {}", fields.len()));
    }
    let mut numbers = [0.0; 7];
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = field.parse().map_err(|_| format!("`{}` is not a number", short(field)))?;
    }
    let [x, y, z, u, v, w, alignment] = numbers;
    let (point, direction) = (DVec3::new(x, y, z), DVec3::new(u, v, w));
    if !(point.abs().max_element() <= MAX_COORDINATE && point.is_finite()) {
        return Err(format!("a point must have finite coordinates of at most {MAX_COORDINATE:e} m"));
    }
    let size = direction.abs().max_element();
    if !(size > 0.0 && direction.is_finite()) {
        return Err("a direction must be finite and nonzero".to_owned());
    }
    if !(0.0..=1.0).contains(&alignment) {
        return Err(format!("an alignment must be from 0 to 1, not {alignment}"));
    }
    Ok((point, (direction / size).normalize(), alignment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CounterRng;

    fn field(samples: &[(DVec3, DVec3)]) -> DirectionField {
        let line = |(p, u): &(DVec3, DVec3)| format!("{},{},{},{},{},{}\n", p.x, p.y, p.z, u.x, u.y, u.z);
        let text: String = samples.iter().map(line).collect();
        DirectionField::parse(&format!("x,y,z,u,v,w\n{text}"), "field.csv").unwrap()
    }

    /// Returns samples of a smooth field at random positions in a unit cube, each with a random sign.
    fn swirl(n: u64) -> Vec<(DVec3, DVec3)> {
        let rng = CounterRng::new(11);
        let sign = |i: u64| if rng.bits(&[i]) & 1 == 0 { 1.0 } else { -2.0 };
        (0..n).map(|i| (rng.uniform_in_cube([i, 2, 3]), i)).map(|(p, i)| (p, sign(i) * exact(p))).collect()
    }

    fn exact(p: DVec3) -> DVec3 {
        DVec3::new(p.y.cos(), p.y.sin(), 0.5 * p.x).normalize()
    }

    fn angle(a: DVec3, b: DVec3) -> f64 {
        a.cross(b).length().atan2(a.dot(b).abs())
    }

    #[test]
    fn samples_are_interpolated_and_a_smooth_field_is_approximated() {
        let samples = swirl(4000);
        let field = field(&samples);
        for (point, direction) in samples.iter().take(50) {
            assert!(angle(field.direction(*point), *direction) < 1e-5);
        }
        let rng = CounterRng::new(12);
        // Samples are 0.06 apart, and the field rotates by 1 rad per unit length.
        let worst = (0..500)
            .map(|i| 0.1 + 0.8 * rng.uniform_in_cube([i, 0, 0]))
            .map(|p| angle(field.direction(p), exact(p)))
            .fold(0.0, f64::max);
        assert!(worst < 0.06, "{worst} rad");
    }

    #[test]
    fn signs_do_not_matter() {
        let samples = swirl(300);
        let flipped: Vec<_> = samples.iter().map(|(p, u)| (*p, -*u)).collect();
        let (one, other) = (field(&samples), field(&flipped));
        for i in 0..100 {
            let p = CounterRng::new(13).uniform_in_cube([i, 0, 0]);
            assert_eq!(one.direction(p), other.direction(p));
        }
        // Opposite directions are equivalent and do not cancel.
        let pair = field(&[(DVec3::ZERO, DVec3::X), (DVec3::X, -DVec3::X)]);
        assert_eq!(pair.direction(DVec3::new(0.5, 0.3, 0.0)), DVec3::X);
    }

    #[test]
    fn directions_are_continuous_between_samples() {
        let field = field(&swirl(300));
        let rng = CounterRng::new(14);
        for i in 0..20 {
            let (from, to) = (rng.uniform_in_cube([i, 0, 0]), rng.uniform_in_cube([i, 1, 0]));
            let at = |k: u32| field.direction(from.lerp(to, f64::from(k) / 20_000.0));
            let jump = (0..20_000).map(|k| angle(at(k), at(k + 1))).fold(0.0, f64::max);
            // Each step is 3e-5 of the cube; the closest sample may be as close as 1e-2.
            assert!(jump < 0.01, "{jump} rad on line {i}");
        }
    }

    #[test]
    fn alignment_column_is_interpolated() {
        let text = "# made by hand\nx, y, z, u, v, w, alignment\n0,0,0, 0,0,1, 0.4\n\n1,0,0, 0,0,1, 0.8\n";
        let field = DirectionField::parse(text, "field.csv").unwrap();
        assert!(field.has_alignment());
        let middle = field.alignment(DVec3::new(0.5, 0.0, 0.0)).unwrap();
        assert!((middle - 0.6).abs() < 1e-12, "{middle}");
        assert_eq!(field.alignment(DVec3::X), Some(0.8));
        assert_eq!(swirl_without().alignment(DVec3::X), None);
    }

    fn swirl_without() -> DirectionField {
        field(&swirl(3))
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| DirectionField::parse(text, "field.csv").unwrap_err().to_string();
        for (text, parts) in [
            ("", ["field.csv: no directions", "x,y,z,u,v,w"]),
            ("x,y,z,u,v,w\n", ["field.csv: no directions", "each line"]),
            ("x,y,z\n0,0,0\n", ["line 1", "not `x,y,z`"]),
            ("x,y,z,u,v,w\n0,0,0,0,0,1\n\n0,0,0,0,1\n", ["line 4", "found 5"]),
            ("x,y,z,u,v,w\n0,0,0,0,0,up\n", ["line 2", "`up` is not a number"]),
            ("x,y,z,u,v,w\n0,0,0,0,0,0\n", ["line 2", "finite and nonzero"]),
            ("x,y,z,u,v,w\n0,0,0,0,nan,1\n", ["line 2", "must be finite"]),
            ("x,y,z,u,v,w\n0,inf,0,0,1,1\n", ["line 2", "finite coordinates"]),
            ("x,y,z,u,v,w,alignment\n0,0,0,0,1,1,1.5\n", ["line 2", "not 1.5"]),
        ] {
            let error = message(text);
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
        let error = DirectionField::read("/nowhere/field.csv").unwrap_err().to_string();
        assert!(error.contains("/nowhere/field.csv"), "{error}");
    }
}
