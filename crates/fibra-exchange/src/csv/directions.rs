//! Direction fields: directions at points, optionally with the alignment of grains.

use super::shortened;
use crate::ImportError;
use crate::error::Fault;
use crate::file;
use fibra_core::geometry::{DirectionField, DirectionSample};
use glam::DVec3;
use std::path::Path;

/// Header line of a file; `,alignment` may follow.
const HEADER: &str = "x,y,z,u,v,w";
/// Largest plausible coordinate [m].
const MAX_COORDINATE: f64 = 1e18;

const HEADER_REMEDY: &str = "the first line must be `x,y,z,u,v,w` or `x,y,z,u,v,w,alignment`; each further line gives a point [m] and a direction";
const LINE_REMEDY: &str =
    "each line gives a point [m], a nonzero direction and, if the header has it, an alignment from 0 to 1";

/// Reads a direction field from a text file. The header line is `x,y,z,u,v,w` or `x,y,z,u,v,w,alignment`. Each further line gives a point [m], a
/// direction of any nonzero length, and an alignment from 0 to 1. Blank lines and lines that start with # are ignored.
pub fn read_directions(path: impl AsRef<Path>) -> Result<DirectionField, ImportError> {
    let path = path.as_ref();
    parse_directions(&file::contents(path)?, &path.display().to_string())
}

/// Parses the contents of a file of directions; `file` is its name in error messages.
pub fn parse_directions(bytes: &[u8], file: &str) -> Result<DirectionField, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let empty =
        || ImportError::Unusable { file: file.to_owned(), problem: "no directions".to_owned(), remedy: HEADER_REMEDY };
    let is_data = |line: &(usize, &str)| !line.1.trim().is_empty() && !line.1.trim_start().starts_with('#');
    let mut lines = text.lines().enumerate().filter(is_data);
    let fault =
        |index: usize, problem: String, remedy| Fault::new(format!("line {}", index + 1), problem, remedy).named(file);
    let (index, header) = lines.next().ok_or_else(empty)?;
    let columns = header.split(',').map(str::trim).collect::<Vec<_>>().join(",");
    let aligned = match columns.strip_prefix(HEADER) {
        Some("") => false,
        Some(",alignment") => true,
        _ => return Err(fault(index, format!("unknown columns `{}`", shortened(header)), HEADER_REMEDY)),
    };
    let mut samples = Vec::new();
    for (index, line) in lines {
        samples.push(sample(line, aligned).map_err(|problem| fault(index, problem, LINE_REMEDY))?);
        // Point indices have 32 bits.
        if samples.len() > u32::MAX as usize {
            return Err(fault(index, "too many points for 32-bit indices".to_owned(), LINE_REMEDY));
        }
    }
    if samples.is_empty() {
        return Err(empty());
    }
    Ok(DirectionField::new(&samples))
}

/// Parses one line.
fn sample(line: &str, aligned: bool) -> Result<DirectionSample, String> {
    let wanted = if aligned { 7 } else { 6 };
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if fields.len() != wanted {
        return Err(format!("expected {wanted} numbers separated by commas, found {}", fields.len()));
    }
    let mut numbers = [0.0; 7];
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = field.parse().map_err(|_| format!("`{}` is not a number", shortened(field)))?;
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
    // Scale before normalizing, so that squares neither overflow nor underflow.
    let direction = (direction / size).normalize();
    Ok(DirectionSample { point, direction, alignment: aligned.then_some(alignment) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_column_is_read() {
        let text = b"# made by hand\nx, y, z, u, v, w, alignment\n0,0,0, 0,0,1, 0.4\n\n1,0,0, 0,0,1, 0.8\n";
        let field = parse_directions(text, "field.csv").unwrap();
        assert!(field.has_alignment());
        assert_eq!(field.alignment(DVec3::X), Some(0.8));
        let field = parse_directions(b"x,y,z,u,v,w\n0,0,0,0,0,-2\n", "field.csv").unwrap();
        assert_eq!((field.alignment(DVec3::X), field.direction(DVec3::X).z.abs()), (None, 1.0));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, parts) in [
            ("", ["field.csv: no directions", "x,y,z,u,v,w"]),
            ("x,y,z,u,v,w\n", ["field.csv: no directions", "each further line"]),
            ("x,y,z\n0,0,0\n", ["line 1", "columns `x,y,z`"]),
            ("x,y,z,u,v,w\n0,0,0,0,0,1\n\n0,0,0,0,1\n", ["line 4", "found 5"]),
            ("x,y,z,u,v,w\n0,0,0,0,0,up\n", ["line 2", "`up` is not a number"]),
            ("x,y,z,u,v,w\n0,0,0,0,0,0\n", ["line 2", "finite and nonzero"]),
            ("x,y,z,u,v,w\n0,0,0,0,nan,1\n", ["line 2", "must be finite"]),
            ("x,y,z,u,v,w\n0,inf,0,0,1,1\n", ["line 2", "finite coordinates"]),
            ("x,y,z,u,v,w,alignment\n0,0,0,0,1,1,1.5\n", ["line 2", "not 1.5"]),
        ] {
            let error = parse_directions(text.as_bytes(), "field.csv").unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
        let error = read_directions("/nowhere/field.csv").unwrap_err().to_string();
        assert!(error.contains("/nowhere/field.csv"), "{error}");
    }
}
