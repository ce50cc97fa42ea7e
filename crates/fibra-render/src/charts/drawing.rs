//! A drawing of lines, rectangles and text, independent of the output format. Lengths are in pixels, and y points down.

/// A drawing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) marks: Vec<Mark>,
}

/// An element of a drawing. Colors are sRGB.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// A polyline.
    Line { points: Vec<[f64; 2]>, width: f64, color: [u8; 3] },
    /// A filled rectangle.
    Box { at: [f64; 2], size: [f64; 2], color: [u8; 3] },
    /// A line of text, vertically centered at `at`. `anchor` selects the part of the line that is at `at` horizontally.
    Text { at: [f64; 2], anchor: Anchor, large: bool, color: [u8; 3], text: String },
}

/// The part of a text that is placed at the text's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}
