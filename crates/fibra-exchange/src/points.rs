//! Points with radii and volumes, from PLY, OBJ and CSV files.

use crate::file::contents;
use crate::formats::{self, Content};
use crate::point_fields::PointField;
use crate::{ImportError, obj};
use glam::DVec3;
use std::path::Path;

/// The fields of a point, in this order.
pub(crate) const POINT_FIELDS: [PointField; 5] = [
    PointField { name: "x", positive: false },
    PointField { name: "y", positive: false },
    PointField { name: "z", positive: false },
    PointField { name: "radius", positive: true },
    PointField { name: "volume", positive: true },
];

/// The values of each field, one per point; `None` for a field that the file does not have.
pub(crate) type Columns = Vec<Option<Vec<f64>>>;

/// Points of a file. Coordinates are finite; radii and volumes are finite and above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Positions [m].
    pub positions: Vec<DVec3>,
    /// Radius of each point [m]. [positions]
    pub radii: Vec<f64>,
    /// Volume of each point [m^3], if the file has them. [positions]
    pub volumes: Option<Vec<f64>>,
}

/// Reads points from `.ply`, `.obj` or `.csv`. PLY properties or CSV columns are `x`, `y`, `z`, `radius` and `volume`. If the file has no radii, all points
/// get `radius` [m].
pub fn read_points(path: impl AsRef<Path>, radius: Option<f64>) -> Result<Points, ImportError> {
    let path = path.as_ref();
    let format = formats::for_reading(path, Content::Points)?;
    parse_with(&contents(path)?, path, format, radius)
}

/// Parses points from the contents of a file; see [`read_points`]. `path` selects the format and appears in errors.
pub fn parse_points(bytes: &[u8], path: impl AsRef<Path>, radius: Option<f64>) -> Result<Points, ImportError> {
    let path = path.as_ref();
    parse_with(bytes, path, formats::for_reading(path, Content::Points)?, radius)
}

fn parse_with(bytes: &[u8], path: &Path, format: &formats::Format, radius: Option<f64>) -> Result<Points, ImportError> {
    let file = path.display().to_string();
    let columns = match format.points {
        Some(parse) => parse(bytes, &file)?,
        None => Vec::new(),
    };
    from_columns(columns, &file, radius)
}

/// Parses the columns of an OBJ file, which has only positions.
pub(crate) fn obj_columns(bytes: &[u8], file: &str) -> Result<Columns, ImportError> {
    let points = obj::parse_points(bytes, file)?;
    let axis = |k: usize| Some(points.iter().map(|point| point[k]).collect());
    Ok(vec![axis(0), axis(1), axis(2), None, None])
}

fn from_columns(columns: Columns, file: &str, radius: Option<f64>) -> Result<Points, ImportError> {
    let missing = |field: &str, remedy| ImportError::Unusable {
        file: file.to_owned(),
        problem: format!("the points have no `{field}`"),
        remedy,
    };
    let mut columns = columns.into_iter();
    let mut next = || columns.next().flatten();
    let mut axis = |name| next().ok_or_else(|| missing(name, "every point needs x, y and z"));
    let (x, y, z) = (axis("x")?, axis("y")?, axis("z")?);
    let positions: Vec<DVec3> = (0..x.len()).map(|i| DVec3::new(x[i], y[i], z[i])).collect();
    let radii = match (next(), radius) {
        (Some(radii), _) => radii,
        (None, Some(radius)) if radius > 0.0 && radius.is_finite() => vec![radius; positions.len()],
        (None, Some(radius)) => {
            let problem = format!("the radius is {radius} m");
            return Err(ImportError::Unusable {
                file: file.to_owned(),
                problem,
                remedy: "it must be positive and finite",
            });
        }
        (None, None) => {
            return Err(missing("radius", "add a column or property `radius`, or set a radius for all points"));
        }
    };
    Ok(Points { positions, radii, volumes: next() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str, format: &str, radius: Option<f64>) -> Result<Points, String> {
        parse_points(text.as_bytes(), format!("c.{format}"), radius).map_err(|error| error.to_string())
    }

    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
        property float radius\nend_header\n0 0 0 0.75\n1 0 0 0.5\n";

    #[test]
    fn all_formats_give_the_same_points() {
        let csv = "# two\n\nradius, z,y,x\r\n0.75,0,0,0\n0.5,0,0,1\n";
        let points = parse(csv, "csv", None).unwrap();
        assert_eq!(points.positions, [DVec3::ZERO, DVec3::X]);
        assert_eq!((&points.radii[..], &points.volumes), (&[0.75, 0.5][..], &None));
        assert_eq!(parse(PLY, "ply", Some(9.0)).unwrap(), points);

        let obj = parse("v 0 0 0\nv 1 0 0\n", "obj", Some(0.6)).unwrap();
        assert_eq!((obj.positions, obj.radii), (points.positions, vec![0.6; 2]));
        let with_volume = parse("x,y,z,volume\n0,0,0,2\n0,1,0,3\n", "csv", Some(0.6)).unwrap();
        assert_eq!(with_volume.volumes, Some(vec![2.0, 3.0]));
    }

    #[test]
    fn errors_name_file_line_field_and_allowed_values() {
        let cases = [
            ("csv", "", "c.csv, line 1: the file is empty; name the columns x"),
            ("csv", "x,y,q\n", "c.csv, line 1: `q` is not a known column; name the columns x"),
            ("csv", "x,y,x\n", "c.csv, line 1: column `x` is named twice"),
            ("csv", "x,y,z,radius\n0,0,0\n", "c.csv, line 2: 3 values for 4 columns"),
            ("csv", "x,y,z,radius\n\n0,0,zero,1\n", "c.csv, line 3: `z` is `zero`; it must be a finite number"),
            (
                "csv",
                "x,y,z,radius\n0,0,0,1\n1,0,0,0\n",
                "c.csv, line 3: `radius` is `0`; it must be a finite number above 0",
            ),
            ("csv", "x,y,radius\n0,0,1\n", "c.csv: the points have no `z`; every point needs x, y and z"),
            (
                "csv",
                "x,y,z\n0,0,1\n",
                "c.csv: the points have no `radius`; add a column or property `radius`, or set a radius for all points",
            ),
            ("obj", "v 0 0\n", "c.obj, line 1: a vertex has 2 coordinates"),
            ("obj", "v 0 0 0\nv 1 0 0\n", "c.obj: the points have no `radius`"),
            ("ply", "ply\nformat ascii 1.0\nend_header\n", "c.ply: the points have no `x`"),
            (
                "ply",
                &PLY.replace("0.5", "-0.5"),
                "c.ply, line 10: `radius` of vertex 1 is -0.5; it must be a finite number above 0",
            ),
        ];
        for (format, text, message) in cases {
            let error = parse(text, format, None).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        let error = parse("v 0 0 0\n", "obj", Some(0.0)).unwrap_err();
        assert!(error.starts_with("c.obj: the radius is 0 m; it must be positive"), "{error}");
        let odd = read_points("none.xyz", None).unwrap_err().to_string();
        assert!(
            odd.starts_with(
                "none.xyz: this point file format is not supported; supported formats are .ply, .obj and .csv"
            ),
            "{odd}"
        );
        assert!(read_points("none.csv", None).unwrap_err().to_string().starts_with("cannot read none.csv"));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>()) {
            let mut mutated = PLY.as_bytes().to_vec();
            let at = at.index(mutated.len());
            let end = mutated.len().min(at + 3);
            mutated.splice(at..end, bytes.iter().take(3).copied());
            let csv = [b"x,y,z,radius\n0,0,0,1\n", &bytes[..]].concat();
            for name in ["random.ply", "random.obj", "random.csv"] {
                for content in [&bytes, &mutated, &csv] {
                    let _ = parse_points(content, name, Some(1.0));
                }
            }
        }
    }
}
