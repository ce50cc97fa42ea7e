//! Colors that sit well together, and the way from display colors to linear light.

use glam::Vec3;

/// The palette by name, as display (sRGB) colors. Neighbors differ in hue and in lightness, so that they stay apart
/// in a gray print and for most kinds of color blindness.
const COLORS: [(&str, [u8; 3]); 10] = [
    ("teal", [31, 142, 140]),
    ("sand", [222, 178, 112]),
    ("coral", [221, 91, 74]),
    ("indigo", [70, 86, 160]),
    ("moss", [122, 150, 72]),
    ("rose", [214, 138, 160]),
    ("sky", [110, 174, 214]),
    ("plum", [120, 66, 112]),
    ("straw", [232, 208, 134]),
    ("slate", [96, 108, 122]),
];

/// Color of the object with index `i`, linear RGB; the palette starts over after its last color.
pub fn palette(i: usize) -> Vec3 {
    let [r, g, b] = COLORS[i % COLORS.len()].1;
    srgb(r, g, b)
}

/// Linear RGB of a palette color by its name: `teal`, `sand`, `coral`, `indigo`, `moss`, `rose`, `sky`, `plum`,
/// `straw` or `slate`.
pub fn named_color(name: &str) -> Option<Vec3> {
    COLORS.iter().position(|(known, _)| *known == name).map(palette)
}

/// Linear RGB of a display color.
pub fn srgb(r: u8, g: u8, b: u8) -> Vec3 {
    Vec3::new(r as f32, g as f32, b as f32).map(|value| {
        let value = value / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_wraps_and_answers_to_names() {
        assert_eq!(palette(0), palette(COLORS.len()));
        for (i, (name, _)) in COLORS.iter().enumerate() {
            assert_eq!(named_color(name), Some(palette(i)));
        }
        assert_eq!(named_color("octarine"), None);
    }
}
