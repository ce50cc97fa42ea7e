//! Chart of validation checks: the error of each check relative to its tolerance, on a logarithmic axis.

use super::axis::Axis;
use super::drawing::{Anchor, Drawing, Mark};
use super::layout::{FAINT, INK, LETTER, line, text};

/// A check as one row of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRow {
    /// Name of the check.
    pub name: String,
    /// Error divided by the tolerance [-].
    pub ratio: f64,
    /// Whether the check passes.
    pub pass: bool,
}

/// Height of a row [pixels].
const ROW: f64 = 22.0;
/// Height of the heading, and of the axis labels below the rows [pixels].
const HEADING: f64 = 56.0;
const FOOTER: f64 = 40.0;
/// Width of the area with the bars [pixels].
const BARS: f64 = 640.0;
const MARGIN: f64 = 24.0;
/// Smaller ratios are drawn at the left end of the axis: the error is negligible.
const SMALLEST: f64 = 1e-4;

const PASS: [u8; 3] = [31, 142, 140];
const FAIL: [u8; 3] = [221, 91, 74];

/// Draws one bar per check, and a vertical line where the error equals the tolerance.
pub(super) fn sheet(title: &str, rows: &[CheckRow]) -> Drawing {
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = MARGIN + LETTER * longest as f64 + 10.0;
    let bottom = HEADING + ROW * rows.len() as f64;
    let ratios = rows.iter().map(|row| row.ratio.max(SMALLEST));
    let axis = Axis::enclosing(ratios.chain([SMALLEST, 10.0]), true);
    let x = |ratio: f64| left + BARS * axis.position(ratio.max(SMALLEST)).unwrap_or(1.0);
    let mut marks = vec![text([MARGIN, 24.0], Anchor::Start, true, INK, title)];
    for tick in &axis.ticks {
        marks.push(line([x(*tick), HEADING], [x(*tick), bottom], FAINT));
        marks.push(text([x(*tick), bottom + 18.0], Anchor::Middle, false, INK, &axis.label(*tick)));
    }
    for (number, row) in rows.iter().enumerate() {
        let middle = HEADING + (number as f64 + 0.5) * ROW;
        let color = if row.pass { PASS } else { FAIL };
        marks.push(text([left - 10.0, middle], Anchor::End, false, INK, &row.name));
        let size = [(x(row.ratio) - left).max(2.0), ROW - 8.0];
        marks.push(Mark::Box { at: [left, middle - 0.5 * size[1]], size, color });
    }
    marks.push(Mark::Line { points: vec![[x(1.0), HEADING], [x(1.0), bottom]], width: 2.0, color: INK });
    Drawing { width: (left + BARS + 2.0 * MARGIN) as u32, height: (bottom + FOOTER) as u32, marks }
}

/// Returns the checks as a table.
pub(super) fn csv(rows: &[CheckRow]) -> String {
    let row = |row: &CheckRow| format!("{},{},{}\n", row.name, row.ratio, row.pass);
    std::iter::once("check,error/tolerance,pass\n".to_owned()).chain(rows.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right_end(drawing: &Drawing, color: [u8; 3]) -> f64 {
        let ends = drawing.marks.iter().filter_map(|mark| match mark {
            Mark::Box { at, size, color: c } if *c == color => Some(at[0] + size[0]),
            _ => None,
        });
        ends.fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn bars_end_left_of_the_tolerance_exactly_if_the_error_is_smaller() {
        let row = |ratio: f64, pass| CheckRow { name: "case".to_owned(), ratio, pass };
        let drawing = sheet("checks", &[row(0.5, true), row(0.0, true), row(2.0, false), row(f64::INFINITY, false)]);
        let limit = drawing.marks.iter().find_map(|mark| match mark {
            Mark::Line { points, width: 2.0, .. } => Some(points[0][0]),
            _ => None,
        });
        let limit = limit.expect("the tolerance is drawn");
        assert!(right_end(&drawing, PASS) < limit, "a passing check is left of the line");
        assert!(right_end(&drawing, FAIL) > limit, "a failing check crosses the line");
        assert!(right_end(&drawing, FAIL) <= f64::from(drawing.width), "an infinite error stays on the sheet");
    }
}
