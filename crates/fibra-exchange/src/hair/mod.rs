//! Cem Yuksel's `.hair` format: strands of hair, each a polyline. A 128-byte header is followed by arrays over strands and points, all little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `HAIR` |
//! | 4, 4 | number of strands, number of points |
//! | 4 | which arrays follow, one bit each, in the order below |
//! | 4 | default number of segments of a strand, if there is no array |
//! | 4, 4, 12 | default thickness, transparency and color, if there is no array |
//! | 88 | text about the file |
//! | 2 per strand | number of segments; a strand has one more point |
//! | 12 per point | position |
//! | 4, 4, 12 per point | thickness, transparency, color |

mod frame;
mod read;
mod write;

use crate::ImportError;
use crate::curve_import::{CurveImport, check_setting, cut_splines};
use crate::error::Fault;
use crate::export::{EncodeError, FrameFile};
use crate::formats::Source;
use fibra_core::frame::Frame;
use fibra_core::geometry::{CurveLine, CurveMesh, Spline, StrandFlaw, StrandRepairs, StrandSet};
use glam::DVec3;
use std::path::Path;
use thiserror::Error;

/// Limit on the number of segments of a strand, which files store in 16 bits.
const MAX_SEGMENTS: u32 = u16::MAX as u32;
/// Size of the description in the header [bytes].
const INFORMATION: usize = 88;

const SEGMENTS: u32 = 1;
const POINTS: u32 = 2;
const THICKNESS: u32 = 4;
const TRANSPARENCY: u32 = 8;
const COLORS: u32 = 16;
const ALL_ARRAYS: u32 = SEGMENTS | POINTS | THICKNESS | TRANSPARENCY | COLORS;

/// The contents of a `.hair` file. Reading and writing it again gives the same bytes.
///
/// Every strand has at most 65,535 segments, and the point counts of the strands add up to the number of points. Positions are not validated here, but
/// in [`read_strands`](crate::read_strands).
#[derive(Clone, Debug, PartialEq)]
pub struct HairFile {
    segments: Segments,
    points: Vec<[f32; 3]>,
    /// Appearance of the hair.
    pub looks: HairLooks,
    /// Description of the file, padded with zeros.
    pub information: [u8; INFORMATION],
}

/// The number of segments of each strand.
#[derive(Clone, Debug, PartialEq)]
struct Segments {
    strands: u32,
    /// The number for all strands, if `own` is unset.
    default: u32,
    own: Option<Vec<u16>>,
}

/// Appearance of the hair in a `.hair` file. Values are stored as in the file, unchecked. They do not affect the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct HairLooks {
    /// Thickness of strands [file units].
    pub thickness: PerPoint<f32>,
    /// Transparency of strands, 0 to 1 [-].
    pub transparency: PerPoint<f32>,
    /// Color of strands: red, green and blue, 0 to 1 [-].
    pub color: PerPoint<[f32; 3]>,
}

impl Default for HairLooks {
    /// Brown, opaque, and one unit thick.
    fn default() -> Self {
        Self { thickness: PerPoint::new(1.0), transparency: PerPoint::new(0.0), color: PerPoint::new([0.3, 0.2, 0.1]) }
    }
}

/// A quantity along strands: either one value for all points, or one per point.
#[derive(Clone, Debug, PartialEq)]
pub struct PerPoint<T> {
    /// The value of all points, if `own` is unset.
    pub default: T,
    /// One value per point, if set. [points]
    pub own: Option<Vec<T>>,
}

impl<T> PerPoint<T> {
    /// Creates a quantity with one value for all points.
    pub fn new(value: T) -> Self {
        Self { default: value, own: None }
    }
}

impl PerPoint<f32> {
    /// Returns the thickness at each of `count` points [m] for the unit `scale` [m]; `None` if a value is negative or not finite.
    fn in_meters(&self, scale: f64, count: usize) -> Option<Vec<f32>> {
        let meters = |&thickness: &f32| (f64::from(thickness) * scale) as f32;
        let widths = match &self.own {
            Some(own) => own.iter().map(meters).collect(),
            None => vec![meters(&self.default); count],
        };
        widths.iter().all(|width| width.is_finite() && *width >= 0.0).then_some(widths)
    }

    /// Creates a quantity from one value per point, stored once if all are equal.
    pub(crate) fn from_values(values: Vec<f32>) -> Self {
        match values.first() {
            Some(&first) if values.iter().all(|&value| value == first) => Self::new(first),
            _ => Self { default: 0.0, own: Some(values) },
        }
    }
}

/// The reason why strands do not fit into a `.hair` file. Strands are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HairFlaw {
    /// A strand has too many segments, or none.
    #[error("strand {strand} has {points} points; .hair files allow 2 to 65536")]
    StrandPoints {
        /// The strand.
        strand: usize,
        /// The number of points.
        points: u32,
    },
    /// The point counts of the strands do not add up to the number of points.
    #[error("the strands need {needed} points, but there are {points}; the two numbers must be equal and below 2^32")]
    PointCount {
        /// Sum over the strands.
        needed: u64,
        /// The number of points.
        points: usize,
    },
    /// A coordinate is outside the range of `f32`.
    #[error("point {point} has a coordinate of {coordinate:e} file units; it must be finite and below 3.4e38")]
    BadCoordinate {
        /// The point, counted from 0 over all strands.
        point: usize,
        /// The largest coordinate [file units].
        coordinate: f64,
    },
}

impl HairFile {
    /// Creates strands with `counts` points each, taken in order from `points` [file units].
    pub fn new(points: Vec<[f32; 3]>, counts: &[u32]) -> Result<Self, HairFlaw> {
        let needed = counts.iter().map(|&count| u64::from(count)).sum();
        if needed != points.len() as u64 || needed > u64::from(u32::MAX) {
            return Err(HairFlaw::PointCount { needed, points: points.len() });
        }
        if let Some(strand) = counts.iter().position(|&points| !(2..=MAX_SEGMENTS + 1).contains(&points)) {
            return Err(HairFlaw::StrandPoints { strand, points: counts[strand] });
        }
        let default = counts.first().map_or(0, |count| count - 1);
        let own = counts.iter().any(|&count| count - 1 != default);
        let own = own.then(|| counts.iter().map(|&count| (count - 1) as u16).collect());
        let segments = Segments { strands: counts.len() as u32, default, own };
        Ok(Self { segments, points, looks: HairLooks::default(), information: [0; INFORMATION] })
    }

    /// Creates a file with unit `scale` [m] from strands in meters. Known widths become its thickness.
    pub fn from_strands(strands: &StrandSet, scale: f64) -> Result<Self, HairFlaw> {
        let counts: Vec<u32> = strands.iter().map(|strand| strand.len() as u32).collect();
        let scaled = |&p: &DVec3| p / scale;
        if let Some(point) = strands.points().iter().position(|p| !scaled(p).as_vec3().is_finite()) {
            let coordinate = scaled(&strands.points()[point]).abs().max_element();
            return Err(HairFlaw::BadCoordinate { point, coordinate });
        }
        let mut file = Self::new(strands.points().iter().map(|p| scaled(p).as_vec3().to_array()).collect(), &counts)?;
        if let Some(widths) = strands.widths() {
            let thickness = |&width: &f32| (f64::from(width) / scale) as f32;
            file.looks.thickness = PerPoint::from_values(widths.iter().map(thickness).collect());
        }
        Ok(file)
    }

    /// Reads the file `path`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ImportError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&bytes, &file),
            Err(source) => Err(ImportError::Io { file, source }),
        }
    }

    /// Parses the contents of a file; errors refer to the file by `name`.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Self, ImportError> {
        read::parse(bytes).map_err(|fault| fault.named(name))
    }

    /// Returns the number of strands.
    pub fn strands(&self) -> u32 {
        self.segments.strands
    }

    /// Returns the positions [file units], strand after strand, each from root to tip.
    pub fn points(&self) -> &[[f32; 3]] {
        &self.points
    }

    /// Returns the number of points of each strand. Strands of invalid files can have a single point.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = u32> {
        self.segments.counts()
    }
}

impl HairFile {
    /// Returns the valid strands [m] of a file with unit `scale` [m], and the numbers of dropped strands and points.
    fn to_strands(&self, scale: f64, file: &str) -> Result<(StrandSet, StrandRepairs), ImportError> {
        let points = self.points.iter().map(|p| scale * DVec3::from_array(p.map(f64::from))).collect();
        let counts: Vec<u32> = self.counts().collect();
        let widths = self.looks.thickness.in_meters(scale, self.points.len());
        StrandSet::repaired(points, &counts, widths.as_deref()).map_err(|flaw| match flaw {
            StrandFlaw::NoStrands => {
                let problem = format!("all {} strands have zero length", self.strands());
                Fault::new("strands", problem, "use a file with at least one strand of two distinct points").named(file)
            }
            flaw => ImportError::Strands { file: file.to_owned(), flaw },
        })
    }
}

impl Segments {
    /// Returns the number of points of each strand.
    fn counts(&self) -> impl ExactSizeIterator<Item = u32> {
        // `Range<u32>` does not implement `ExactSizeIterator` on all targets, `Range<usize>` does.
        (0..self.strands as usize).map(|strand| match &self.own {
            Some(own) => u32::from(own[strand]) + 1,
            None => self.default + 1,
        })
    }
}

/// Parses the strands of a file with unit `scale` [m]. The axes are kept. Strands of zero length and repeated points are dropped and counted.
pub(crate) fn parse_strands(bytes: &[u8], scale: f64, file: &str) -> Result<(StrandSet, StrandRepairs), ImportError> {
    check_setting("scale", scale, file)?;
    HairFile::parse(bytes, file)?.to_strands(scale, file)
}

/// Reads the strands of a file; see [`parse_strands`].
pub(crate) fn read_strands(source: &Source, scale: f64) -> Result<(StrandSet, StrandRepairs), ImportError> {
    parse_strands(&source.plain()?, scale, &source.name())
}

/// Encodes a frame as a file.
pub(crate) fn frame_files(frame: &Frame) -> Result<Vec<FrameFile>, EncodeError> {
    Ok(vec![("hair", frame::encode(frame)?.ok_or(EncodeError::NoCurves)?)])
}

/// Parses the curves of a file and resamples them evenly.
pub(crate) fn parse_curves(bytes: &[u8], import: &CurveImport, file: &str) -> Result<CurveMesh, ImportError> {
    import.check(file)?;
    let lines = lines(&HairFile::parse(bytes, file)?).map_err(|fault| fault.named(file))?;
    cut_splines(Spline::Polyline, &lines, import, file)
}

/// Converts the strands to open curves.
fn lines(file: &HairFile) -> Result<Vec<CurveLine>, Fault> {
    if let Some(strand) = file.counts().position(|count| count < 2) {
        let remedy = "remove the strand, or give it a second point";
        return Err(Fault::new(format!("strand {strand}"), "it has no segments", remedy));
    }
    let mut points = file.points().iter().map(|point| DVec3::from_array(point.map(f64::from)));
    let curve = |count| CurveLine { points: points.by_ref().take(count as usize).collect(), closed: false };
    Ok(file.counts().map(curve).collect())
}

#[cfg(test)]
mod tests;
