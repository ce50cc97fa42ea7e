//! Comma-separated values: points, directions and poses are read, nothing is written.

mod directions;
mod poses;

pub use directions::{parse_directions, read_directions};
pub use poses::{parse_poses, read_poses};

use crate::ImportError;
use crate::error::Fault;
use crate::point_fields::PointField;
use crate::points::{Columns, POINT_FIELDS};

const HEADER_REMEDY: &str = "name the columns x, y, z, radius and volume, each once; radius and volume are optional";
const NUMBER_REMEDY: &str = "it must be a finite number";
const POSITIVE_REMEDY: &str = "it must be a finite number above 0";

/// Parses points from comma-separated values. Skips empty lines and lines that start with `#`.
pub(crate) fn parse_points(bytes: &[u8], file: &str) -> Result<Columns, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let fault =
        |line: usize, problem: String, remedy: &str| Fault::new(format!("line {line}"), problem, remedy).named(file);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim_start_matches('\u{feff}').trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((line, header)) = lines.next() else { return Err(fault(1, "the file is empty".into(), HEADER_REMEDY)) };
    let mut columns: Columns = vec![None; POINT_FIELDS.len()];
    let mut order = Vec::new();
    for word in header.split(',').map(str::trim) {
        let Some(at) = POINT_FIELDS.iter().position(|field| field.name == word) else {
            return Err(fault(line, format!("`{}` is not a known column", shortened(word)), HEADER_REMEDY));
        };
        if columns[at].replace(Vec::new()).is_some() {
            return Err(fault(line, format!("column `{word}` is named twice"), HEADER_REMEDY));
        }
        order.push(at);
    }
    for (line, text) in lines {
        let words = text.split(',').count();
        if words != order.len() {
            let problem = format!("{words} values for {} columns", order.len());
            return Err(fault(line, problem, "give one value for each column"));
        }
        for (&at, word) in order.iter().zip(text.split(',').map(str::trim)) {
            let PointField { name, positive } = POINT_FIELDS[at];
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

/// Returns the first 24 characters of a word, so that error messages stay short if a binary file is read as text.
fn shortened(word: &str) -> String {
    word.chars().take(24).collect()
}
