//! Lines and letters on a sheet, before they are SVG or pixels. Lengths are pixels, y points down.

/// A sheet of lines and letters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) marks: Vec<Mark>,
}

/// Something on a sheet. Colors are display RGB.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// A line through points.
    Line { points: Vec<[f64; 2]>, width: f64, color: [u8; 3] },
    /// A filled rectangle.
    Box { at: [f64; 2], size: [f64; 2], color: [u8; 3] },
    /// A line of text; `at` is the middle of its height, at its start, middle or end.
    Text { at: [f64; 2], anchor: Anchor, large: bool, color: [u8; 3], text: String },
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}
