//! The `.hair` format: a 128-byte header, then whole arrays over strands and points, all little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `HAIR` |
//! | 4, 4 | number of strands, number of points |
//! | 4 | which arrays follow, one bit each, in the order below |
//! | 4 | segments of a strand, if they have no array |
//! | 4, 4, 12 | thickness, transparency and colour, if they have no array |
//! | 88 | text about the file |
//! | 2 per strand | segments; a strand has one point more |
//! | 12 per point | position |
//! | 4, 4, 12 per point | thickness, transparency, colour |

mod read;
mod write;

use super::{CurveError, Fault, check_import};
use crate::geometry::{StrandFlaw, StrandRepairs, StrandSet};
use glam::DVec3;
use std::path::Path;
use thiserror::Error;

/// Most segments that a strand may have: counts are kept in 16 bits.
const MOST_SEGMENTS: u32 = u16::MAX as u32;
/// Bytes for text about the file.
const INFORMATION: usize = 88;

const SEGMENTS: u32 = 1;
const POINTS: u32 = 2;
const THICKNESS: u32 = 4;
const TRANSPARENCY: u32 = 8;
const COLORS: u32 = 16;
const ALL_ARRAYS: u32 = SEGMENTS | POINTS | THICKNESS | TRANSPARENCY | COLORS;

/// What a `.hair` file holds, to the bit: reading and writing it again gives the same bytes.
///
/// Every strand has at most 65,535 segments, and the strands' points add up. What the points are is not judged here:
/// [`StrandSet::read`] does.
#[derive(Clone, Debug, PartialEq)]
pub struct HairFile {
    segments: Segments,
    points: Vec<[f32; 3]>,
    /// How the hair looks.
    pub looks: HairLooks,
    /// Text about the file, filled up with zeros.
    pub information: [u8; INFORMATION],
}

/// How many segments each strand has.
#[derive(Clone, Debug, PartialEq)]
struct Segments {
    strands: u32,
    /// For all strands, if they have no own.
    default: u32,
    own: Option<Vec<u16>>,
}

/// How the hair of a `.hair` file looks. Values are as in the file, unchecked; nothing is simulated with them.
#[derive(Clone, Debug, PartialEq)]
pub struct HairLooks {
    /// Thickness of strands [the file's unit].
    pub thickness: PerPoint<f32>,
    /// Transparency of strands, 0 to 1 [-].
    pub transparency: PerPoint<f32>,
    /// Colour of strands: red, green and blue, 0 to 1 [-].
    pub color: PerPoint<[f32; 3]>,
}

impl Default for HairLooks {
    /// Brown, opaque, and one unit thick.
    fn default() -> Self {
        Self { thickness: PerPoint::new(1.0), transparency: PerPoint::new(0.0), color: PerPoint::new([0.3, 0.2, 0.1]) }
    }
}

/// A quantity along strands: one value for all points, unless each has its own.
#[derive(Clone, Debug, PartialEq)]
pub struct PerPoint<T> {
    /// The value of points that have no own.
    pub default: T,
    /// One value per point, if they differ. [points]
    pub own: Option<Vec<T>>,
}

impl<T> PerPoint<T> {
    /// One value for all points.
    pub fn new(value: T) -> Self {
        Self { default: value, own: None }
    }
}

/// Why strands do not fit into a `.hair` file. Strands are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HairFlaw {
    /// A strand has too many segments, or none.
    #[error("strand {strand} has {points} points; .hair files take 2 to 65536")]
    StrandPoints {
        /// The strand.
        strand: usize,
        /// How many points it has.
        points: u32,
    },
    /// The strands' numbers of points do not add up to the number of points.
    #[error("the strands need {needed} points, but there are {points}; the numbers must be the same, below 2^32")]
    PointCount {
        /// Sum over the strands.
        needed: u64,
        /// How many there are.
        points: usize,
    },
    /// A coordinate is beyond what 32 bits can hold.
    #[error(
        "point {point} has a coordinate of {coordinate:e} in units of the file; it must be finite and below 3.4e38"
    )]
    BadCoordinate {
        /// The point, counted from 0 over all strands.
        point: usize,
        /// Its largest coordinate [the file's unit].
        coordinate: f64,
    },
}

impl HairFile {
    /// Strands of so many points each, taken from `points` [the file's unit] in order.
    pub fn new(points: Vec<[f32; 3]>, counts: &[u32]) -> Result<Self, HairFlaw> {
        let needed = counts.iter().map(|&count| u64::from(count)).sum();
        if needed != points.len() as u64 || needed > u64::from(u32::MAX) {
            return Err(HairFlaw::PointCount { needed, points: points.len() });
        }
        if let Some(strand) = counts.iter().position(|&points| !(2..=MOST_SEGMENTS + 1).contains(&points)) {
            return Err(HairFlaw::StrandPoints { strand, points: counts[strand] });
        }
        let default = counts.first().map_or(0, |count| count - 1);
        let own = counts.iter().any(|&count| count - 1 != default);
        let own = own.then(|| counts.iter().map(|&count| (count - 1) as u16).collect());
        let segments = Segments { strands: counts.len() as u32, default, own };
        Ok(Self { segments, points, looks: HairLooks::default(), information: [0; INFORMATION] })
    }

    /// Strands in metres, for a file whose unit is `scale` [m].
    pub fn from_strands(strands: &StrandSet, scale: f64) -> Result<Self, HairFlaw> {
        let counts: Vec<u32> = strands.iter().map(|strand| strand.len() as u32).collect();
        let scaled = |&p: &DVec3| p / scale;
        if let Some(point) = strands.points().iter().position(|p| !scaled(p).as_vec3().is_finite()) {
            let coordinate = scaled(&strands.points()[point]).abs().max_element();
            return Err(HairFlaw::BadCoordinate { point, coordinate });
        }
        Self::new(strands.points().iter().map(|p| scaled(p).as_vec3().to_array()).collect(), &counts)
    }

    /// The contents of the file `path`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CurveError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&bytes, &file),
            Err(source) => Err(CurveError::Io { file, source }),
        }
    }

    /// The contents of a file given as bytes; `name` stands for the file in errors.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Self, CurveError> {
        read::parse(bytes).map_err(|fault| fault.in_file(name))
    }

    /// Number of strands.
    pub fn strands(&self) -> u32 {
        self.segments.strands
    }

    /// Positions [the file's unit], strand after strand, each from its root to its tip.
    pub fn points(&self) -> &[[f32; 3]] {
        &self.points
    }

    /// Number of points of each strand; a strand of a bad file may have one alone.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = u32> {
        self.segments.counts()
    }
}

impl Segments {
    /// Number of points of each strand.
    fn counts(&self) -> impl ExactSizeIterator<Item = u32> {
        // Of `usize`: a range of `u32` does not know its length on every machine.
        (0..self.strands as usize).map(|strand| match &self.own {
            Some(own) => u32::from(own[strand]) + 1,
            None => self.default + 1,
        })
    }
}

impl StrandSet {
    /// Reads the strands of a `.hair` file whose unit is `scale` [m]. The file's axes are kept.
    ///
    /// Strands without length and repeated points are left out; the second value counts them, for a warning.
    pub fn read(path: impl AsRef<Path>, scale: f64) -> Result<(Self, StrandRepairs), CurveError> {
        let name = path.as_ref().display().to_string();
        check_import("scale", scale, &name)?;
        Self::from_hair(&HairFile::read(path)?, scale, &name)
    }

    /// Reads the strands from the contents of a `.hair` file; `name` stands for the file in errors.
    pub fn parse(bytes: &[u8], scale: f64, name: &str) -> Result<(Self, StrandRepairs), CurveError> {
        check_import("scale", scale, name)?;
        Self::from_hair(&HairFile::parse(bytes, name)?, scale, name)
    }

    fn from_hair(file: &HairFile, scale: f64, name: &str) -> Result<(Self, StrandRepairs), CurveError> {
        let points = file.points.iter().map(|p| scale * DVec3::from_array(p.map(f64::from))).collect();
        let counts: Vec<u32> = file.counts().collect();
        Self::repaired(points, &counts).map_err(|flaw| match flaw {
            StrandFlaw::NoStrands => {
                let problem = format!("none of the {} strands has a length", file.strands());
                let remedy = "give a file with at least one strand of two points";
                Fault { field: "strands".to_string(), problem, remedy }.in_file(name)
            }
            flaw => CurveError::Strands { file: name.to_string(), flaw },
        })
    }
}

#[cfg(test)]
mod tests;
