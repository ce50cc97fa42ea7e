//! Writes a drawing as SVG.

use super::drawing::{Anchor, Drawing, Mark};
use fibra_exchange::writers::escape_xml;
use std::fmt::Write;

/// Returns the text of an SVG file.
pub(super) fn text(drawing: &Drawing) -> String {
    let Drawing { width, height, marks } = drawing;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for mark in marks {
        // Writing to a `String` cannot fail.
        let _ = match mark {
            Mark::Line { points, width, color } => {
                let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
                writeln!(
                    out,
                    "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" points=\"{}\"/>",
                    hex(*color),
                    points.join(" ")
                )
            }
            Mark::Box { at: [x, y], size: [width, height], color } => writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\"/>",
                hex(*color)
            ),
            Mark::Text { at: [x, y], anchor, large, color, text } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let size = if *large { 20 } else { 14 };
                writeln!(
                    out,
                    "<text x=\"{x:.2}\" y=\"{y:.2}\" dy=\"0.35em\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{}\">{}</text>",
                    hex(*color),
                    escape_xml(text)
                )
            }
        };
    }
    out + "</svg>\n"
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mark = Mark::Text {
            at: [1.0, 2.0],
            anchor: Anchor::End,
            large: false,
            color: [255, 0, 10],
            text: "a<b>&\n".to_owned(),
        };
        let svg = text(&Drawing { width: 10, height: 20, marks: vec![mark] });
        assert!(svg.contains(">a&lt;b&gt;&amp; </text>") && svg.contains("#ff000a"), "{svg}");
    }
}
