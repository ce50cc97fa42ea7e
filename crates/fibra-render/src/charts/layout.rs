//! Arranges the charts on a sheet.

use super::axis::{Axis, label};
use super::drawing::{Anchor, Drawing, Mark};
use super::panels::Panel;
use fibra_run::report::RunReport;

/// Size of a chart with its labels [pixels].
const PANEL: [f64; 2] = [640.0, 340.0];
/// Distance from the edges of a chart to its axes: left, right, top, bottom [pixels].
const INSET: [f64; 4] = [110.0, 20.0, 62.0, 34.0];
const COLUMNS: usize = 2;
/// Height of the sheet's heading [pixels].
const HEADING: f64 = 70.0;
/// Width of a letter of small text [pixels].
pub(super) const LETTER: f64 = 12.0;
/// Height of a row in the bar chart [pixels].
const BAR: f64 = 24.0;
/// Additional left inset of the bar chart, for the names of stages [pixels].
const STAGE_NAME: f64 = 60.0;

pub(super) const INK: [u8; 3] = [40, 44, 52];
pub(super) const FAINT: [u8; 3] = [222, 224, 228];
/// Colors of the series, different in hue and lightness.
const COLORS: [[u8; 3]; 6] =
    [[31, 142, 140], [221, 91, 74], [70, 86, 160], [222, 168, 82], [122, 150, 72], [120, 66, 112]];

/// Draws the sheet of a run: its charts, and a bar chart of the stage times.
pub(super) fn sheet(report: &RunReport, panels: &[Panel]) -> Drawing {
    let has_stages = !report.stages.0.is_empty();
    let rows = (panels.len() + usize::from(has_stages)).div_ceil(COLUMNS).max(1);
    let mut drawing = Drawing {
        width: (COLUMNS as f64 * PANEL[0]) as u32,
        height: (HEADING + rows as f64 * PANEL[1]) as u32,
        marks: Vec::new(),
    };
    let summary = format!("{} frames, {} steps, {:.1} s", report.frames, report.steps, report.seconds);
    let marks = &mut drawing.marks;
    marks.push(text([24.0, 26.0], Anchor::Start, true, INK, &report.scene));
    marks.push(text([24.0, 52.0], Anchor::Start, false, INK, &summary));
    let corner = |number: usize| [(number % COLUMNS) as f64 * PANEL[0], HEADING + (number / COLUMNS) as f64 * PANEL[1]];
    for (number, panel) in panels.iter().enumerate() {
        chart(marks, corner(number), panel);
    }
    if has_stages {
        bars(marks, corner(panels.len()), &report.stages.0);
    }
    if panels.is_empty() && !has_stages {
        marks.push(text([24.0, HEADING + 30.0], Anchor::Start, false, INK, "this run has no quantities yet"));
    }
    drawing
}

pub(super) fn text(at: [f64; 2], anchor: Anchor, large: bool, color: [u8; 3], text: &str) -> Mark {
    Mark::Text { at, anchor, large, color, text: text.to_owned() }
}

pub(super) fn line(a: [f64; 2], b: [f64; 2], color: [u8; 3]) -> Mark {
    Mark::Line { points: vec![a, b], width: 1.0, color }
}

/// Returns the plot area of a chart: left, top, right, bottom.
fn plot_area([x, y]: [f64; 2]) -> [f64; 4] {
    let [left, right, top, bottom] = INSET;
    [x + left, y + top, x + PANEL[0] - right, y + PANEL[1] - bottom]
}

fn chart(marks: &mut Vec<Mark>, corner: [f64; 2], panel: &Panel) {
    let points = || panel.series.iter().flat_map(|series| series.points.iter().copied());
    let times = Axis::of_times(points().map(|[t, _]| t));
    let values = Axis::enclosing(points().map(|[_, value]| value), panel.logarithmic);
    let [left, top, right, bottom] = plot_area(corner);
    let x = |t: f64| times.position(t).map(|position| left + position * (right - left));
    let y = |value: f64| values.position(value).map(|position| bottom - position * (bottom - top));
    marks.push(text([left, corner[1] + 18.0], Anchor::Start, false, INK, &panel.title));
    for tick in &values.ticks {
        if let Some(y) = y(*tick) {
            marks.push(line([left, y], [right, y], FAINT));
            marks.push(text([left - 10.0, y], Anchor::End, false, INK, &values.label(*tick)));
        }
    }
    for tick in &times.ticks {
        if let Some(x) = x(*tick) {
            marks.push(line([x, bottom], [x, bottom + 6.0], INK));
            let unit = if *tick == 0.0 { " s" } else { "" };
            marks.push(text([x, bottom + 20.0], Anchor::Middle, false, INK, &format!("{}{unit}", times.label(*tick))));
        }
    }
    marks.push(line([left, bottom], [right, bottom], INK));
    let mut legend = left;
    for (series, color) in panel.series.iter().zip(COLORS.iter().cycle()) {
        let positions = series.points.iter().map(|[t, value]| Some([x(*t)?, y(*value)?]));
        for points in split_at_gaps(positions) {
            marks.push(Mark::Line { points, width: 2.0, color: *color });
        }
        if panel.series.len() > 1 {
            marks.push(text([legend, corner[1] + 42.0], Anchor::Start, false, *color, &series.name));
            legend += (series.name.chars().count() as f64 + 2.0) * LETTER;
        }
    }
}

/// Splits a line at its gaps. A piece with a single point becomes a dot.
fn split_at_gaps(positions: impl Iterator<Item = Option<[f64; 2]>>) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = vec![Vec::new()];
    for position in positions {
        match position {
            Some(position) => pieces.last_mut().expect("the list is never empty").push(position),
            None => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    for piece in pieces.iter_mut().filter(|piece| piece.len() == 1) {
        let [x, y] = piece[0];
        piece.push([x + 1.0, y]);
    }
    pieces
}

fn bars(marks: &mut Vec<Mark>, corner: [f64; 2], stages: &[(String, f64)]) {
    let [left, top, right, bottom] = plot_area(corner);
    marks.push(text([left, corner[1] + 18.0], Anchor::Start, false, INK, "time per stage [s]"));
    let left = left + STAGE_NAME;
    let longest = stages.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
    let rows = ((bottom - top + INSET[3]) / BAR) as usize;
    let row_top = top - 20.0;
    for (row, (name, seconds)) in stages.iter().take(rows).enumerate() {
        let middle = row_top + (row as f64 + 0.5) * BAR;
        let length = if longest > 0.0 { seconds / longest * (right - left - 9.0 * LETTER) } else { 0.0 };
        marks.push(text([left - 10.0, middle], Anchor::End, false, INK, name));
        let size = [length.max(1.0), BAR - 8.0];
        marks.push(Mark::Box { at: [left, middle - 0.5 * size[1]], size, color: COLORS[0] });
        marks.push(text([left + length + 10.0, middle], Anchor::Start, false, INK, &label(*seconds, 0.01 * seconds)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_gaps() {
        let positions = [Some([0.0, 0.0]), None, None, Some([2.0, 0.0]), Some([3.0, 1.0])];
        let pieces = split_at_gaps(positions.into_iter());
        assert_eq!(pieces, [vec![[0.0, 0.0], [1.0, 0.0]], vec![[2.0, 0.0], [3.0, 1.0]]]);
    }

    #[test]
    fn the_sheet_of_a_run_without_quantities_has_a_note() {
        let sheet = sheet(&RunReport::new("toy", "0"), &[]);
        assert!(
            sheet.marks.iter().any(|mark| matches!(mark, Mark::Text { text, .. } if text.contains("no quantities")))
        );
    }
}
