//! Clouds read from files: PLY, OBJ and CSV.
//!
//! A point has a place `x`, `y`, `z`, a `radius` and maybe a `volume`. Without one it has the volume of its ball. Its
//! extent is that of a ball of its volume.

use crate::cloud::{Cloud, CloudError};
use fibra_core::geometry::{MeshError, PointField, read_point_fields_ply, read_points_obj};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;
use std::path::Path;
use thiserror::Error;

/// What a point may have, in this order.
const FIELDS: [PointField; 5] = [
    PointField { name: "x", positive: false },
    PointField { name: "y", positive: false },
    PointField { name: "z", positive: false },
    PointField { name: "radius", positive: true },
    PointField { name: "volume", positive: true },
];

/// For each of the fields one number per point, or none.
type Columns = Vec<Option<Vec<f64>>>;

/// Formats a cloud can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloudFormat {
    /// PLY, text or binary: an element `vertex` with properties named like the fields.
    Ply,
    /// Wavefront OBJ: its `v` lines, all with one radius.
    Obj,
    /// Numbers between commas, below a line that names the fields.
    Csv,
}

/// Why a file makes no cloud.
#[derive(Debug, Error)]
pub enum CloudFileError {
    /// The operating system refused.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// Its reason.
        source: std::io::Error,
    },
    /// The extension names no format we know.
    #[error("{file}: unknown kind of cloud file; allowed are .ply, .obj and .csv")]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// A PLY or OBJ file breaks the rules of its format.
    #[error(transparent)]
    Points(#[from] MeshError),
    /// A CSV file does.
    #[error("{file}, line {line}: {problem}; {remedy}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
        /// What is allowed.
        remedy: &'static str,
    },
    /// A field that every point needs is not there.
    #[error("{file}: the points have no `{field}`; {remedy}")]
    Missing {
        /// The file.
        file: String,
        /// The field.
        field: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The radius for points without one is no radius.
    #[error("{file}: the radius for points without one is {radius} m; it must be positive and finite")]
    BadRadius {
        /// The file.
        file: String,
        /// The radius [m].
        radius: f64,
    },
    /// The file was read, but what it holds is no sound cloud.
    #[error("{file}: {flaw}")]
    Flaw {
        /// The file.
        file: String,
        /// What is wrong with the cloud.
        flaw: CloudError,
    },
}

impl Cloud {
    /// Reads the cloud in the file `path`, whose extension names the format, and checks it. Points without a radius
    /// have the one given [m].
    pub fn read(path: impl AsRef<Path>, radius: Option<f64>) -> Result<Self, CloudFileError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let format = match extension.to_str() {
            Some("ply") => CloudFormat::Ply,
            Some("obj") => CloudFormat::Obj,
            Some("csv") => CloudFormat::Csv,
            _ => return Err(CloudFileError::UnknownFormat { file }),
        };
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&bytes, format, &file, radius),
            Err(source) => Err(CloudFileError::Io { file, source }),
        }
    }

    /// Reads a cloud from the contents of a file, as [`Cloud::read`] does; `file` stands for the file in errors.
    pub fn parse(bytes: &[u8], format: CloudFormat, file: &str, radius: Option<f64>) -> Result<Self, CloudFileError> {
        let columns = match format {
            CloudFormat::Ply => read_point_fields_ply(bytes, file, &FIELDS)?,
            CloudFormat::Obj => {
                let points = read_points_obj(bytes, file)?;
                let axis = |k: usize| Some(points.iter().map(|point| point[k]).collect());
                vec![axis(0), axis(1), axis(2), None, None]
            }
            CloudFormat::Csv => parse_csv(bytes, file)?,
        };
        let cloud = from_columns(columns, file, radius)?;
        match cloud.check() {
            Ok(_) => Ok(cloud),
            Err(flaw) => Err(CloudFileError::Flaw { file: file.into(), flaw }),
        }
    }
}

fn from_columns(columns: Columns, file: &str, radius: Option<f64>) -> Result<Cloud, CloudFileError> {
    let missing = |field, remedy| CloudFileError::Missing { file: file.into(), field, remedy };
    let mut fields = FIELDS.iter().zip(columns).map(|(field, column)| (field.name, column));
    let mut next = || fields.next().unwrap_or(("", None));
    let mut axis = || {
        let (name, column) = next();
        column.ok_or_else(|| missing(name, "every point needs x, y and z"))
    };
    let (x, y, z) = (axis()?, axis()?, axis()?);
    let points: Vec<DVec3> = (0..x.len()).map(|i| DVec3::new(x[i], y[i], z[i])).collect();
    let radii = match (next().1, radius) {
        (Some(radii), _) => radii,
        (None, Some(radius)) if radius > 0.0 && radius.is_finite() => vec![radius; points.len()],
        (None, Some(radius)) => return Err(CloudFileError::BadRadius { file: file.into(), radius }),
        (None, None) => return Err(missing("radius", "write one for each, or give one for all")),
    };
    let ball = 4.0 / 3.0 * PI;
    let volumes = next().1.unwrap_or_else(|| radii.iter().map(|r| ball * r * r * r).collect());
    // A ball of radius r has the second moment r^2 / 5 per volume about each axis.
    let spread = |volume: &f64| DMat3::from_diagonal(DVec3::splat((volume / ball).cbrt().powi(2) / 5.0));
    Ok(Cloud { spreads: volumes.iter().map(spread).collect(), points, radii, volumes })
}

const HEADER_REMEDY: &str = "name the columns x, y, z, radius and volume, each once; radius and volume may be left out";
const NUMBER_REMEDY: &str = "allowed are finite numbers";
const POSITIVE_REMEDY: &str = "allowed are finite numbers above 0";

/// Reads numbers between commas. Empty lines and those that start with `#` are passed over.
fn parse_csv(bytes: &[u8], file: &str) -> Result<Columns, CloudFileError> {
    let text = String::from_utf8_lossy(bytes);
    let fault = |line, problem, remedy| CloudFileError::Line { file: file.into(), line, problem, remedy };
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim_start_matches('\u{feff}').trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((line, header)) = lines.next() else { return Err(fault(1, "the file is empty".into(), HEADER_REMEDY)) };
    let mut columns: Columns = vec![None; FIELDS.len()];
    let mut order = Vec::new();
    for word in header.split(',').map(str::trim) {
        let Some(at) = FIELDS.iter().position(|field| field.name == word) else {
            return Err(fault(line, format!("`{}` is no column", shortened(word)), HEADER_REMEDY));
        };
        if columns[at].replace(Vec::new()).is_some() {
            return Err(fault(line, format!("column `{word}` is named twice"), HEADER_REMEDY));
        }
        order.push(at);
    }
    for (line, text) in lines {
        let words = text.split(',').count();
        if words != order.len() {
            let problem = format!("{words} values in {} columns", order.len());
            return Err(fault(line, problem, "give one value for each column"));
        }
        for (&at, word) in order.iter().zip(text.split(',').map(str::trim)) {
            let PointField { name, positive } = FIELDS[at];
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() && (!positive || value > 0.0) => {
                    columns[at].get_or_insert_default().push(value);
                }
                _ => {
                    let remedy = if positive { POSITIVE_REMEDY } else { NUMBER_REMEDY };
                    return Err(fault(line, format!("`{name}` is `{}`", shortened(word)), remedy));
                }
            }
        }
    }
    Ok(columns)
}

/// The start of a word, so that a binary file read as text makes no endless message.
fn shortened(word: &str) -> String {
    word.chars().take(24).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    fn parse(text: &str, format: CloudFormat, radius: Option<f64>) -> Result<Cloud, String> {
        Cloud::parse(text.as_bytes(), format, "c", radius).map_err(|error| error.to_string())
    }

    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
        property float radius\nend_header\n0 0 0 0.75\n1 0 0 0.5\n";

    #[test]
    fn the_same_cloud_from_every_format() {
        let csv = "# two\n\nradius, z,y,x\r\n0.75,0,0,0\n0.5,0,0,1\n";
        let cloud = parse(csv, CloudFormat::Csv, None).unwrap();
        assert_eq!(cloud.points, [DVec3::ZERO, DVec3::X]);
        assert_eq!(cloud.radii, [0.75, 0.5]);
        assert_relative_eq!(cloud.volumes[1], PI / 6.0, max_relative = 1e-14);
        assert_relative_eq!(cloud.spreads[1].x_axis.x, 0.05, max_relative = 1e-14);
        assert_eq!(parse(PLY, CloudFormat::Ply, Some(9.0)).unwrap(), cloud);

        let obj = parse("v 0 0 0\nv 1 0 0\n", CloudFormat::Obj, Some(0.6)).unwrap();
        assert_eq!((obj.points, obj.radii), (cloud.points, vec![0.6; 2]));
        let with_volume = parse("x,y,z,volume\n0,0,0,2\n0,1,0,3\n", CloudFormat::Csv, Some(0.6)).unwrap();
        assert_eq!(with_volume.volumes, [2.0, 3.0]);
    }

    #[test]
    fn errors_name_file_line_field_and_what_is_allowed() {
        use CloudFormat::{Csv, Obj, Ply};
        let cases = [
            (Csv, "", "c, line 1: the file is empty; name the columns x"),
            (Csv, "x,y,q\n", "c, line 1: `q` is no column; name the columns x"),
            (Csv, "x,y,x\n", "c, line 1: column `x` is named twice"),
            (Csv, "x,y,z,radius\n0,0,0\n", "c, line 2: 3 values in 4 columns"),
            (Csv, "x,y,z,radius\n\n0,0,zero,1\n", "c, line 3: `z` is `zero`; allowed are finite numbers"),
            (Csv, "x,y,z,radius\n0,0,0,1\n1,0,0,0\n", "c, line 3: `radius` is `0`; allowed are finite numbers above 0"),
            (Csv, "x,y,radius\n0,0,1\n", "c: the points have no `z`; every point needs x, y and z"),
            (Csv, "x,y,z\n0,0,1\n", "c: the points have no `radius`; write one for each, or give one for all"),
            (Csv, "x,y,z,radius\n0,0,0,1\n", "c: the cloud has 1 points"),
            (Csv, "x,y,z,radius\n0,0,0,1\n5,0,0,1\n", "c: 2 points (0, 1) with a ball that overlaps no other"),
            (Obj, "v 0 0\n", "c, line 1: a vertex has 2 coordinates"),
            (Obj, "v 0 0 0\nv 1 0 0\n", "c: the points have no `radius`"),
            (Ply, "ply\nformat ascii 1.0\nend_header\n", "c: the points have no `x`"),
            (
                Ply,
                &PLY.replace("0.5", "-0.5"),
                "c, line 10: `radius` of vertex 1 is -0.5; allowed are finite numbers above 0",
            ),
        ];
        for (format, text, message) in cases {
            let error = parse(text, format, None).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        let error = parse("v 0 0 0\n", Obj, Some(0.0)).unwrap_err();
        assert!(error.starts_with("c: the radius for points without one is 0 m"), "{error}");
        let odd = Cloud::read("none.xyz", None).unwrap_err().to_string();
        assert!(odd.starts_with("none.xyz: unknown kind of cloud file; allowed are .ply, .obj and .csv"), "{odd}");
        assert!(Cloud::read("none.csv", None).unwrap_err().to_string().starts_with("cannot read none.csv"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>()) {
            let mut mutated = PLY.as_bytes().to_vec();
            let at = at.index(mutated.len());
            let end = mutated.len().min(at + 3);
            mutated.splice(at..end, bytes.iter().take(3).copied());
            let csv = [b"x,y,z,radius\n0,0,0,1\n", &bytes[..]].concat();
            for format in [CloudFormat::Ply, CloudFormat::Obj, CloudFormat::Csv] {
                for content in [&bytes, &mutated, &csv] {
                    let _ = Cloud::parse(content, format, "random", Some(1.0));
                }
            }
        }
    }
}
