//! The color palette, and conversion from sRGB to linear RGB.

use glam::Vec3;

/// The palette by name, as display (sRGB) colors. Adjacent colors differ in hue and in lightness. They remain distinct in grayscale and for
/// most kinds of color blindness.
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

/// Returns the color of the object with index `i`, linear RGB; the palette repeats after its last color.
pub fn palette(i: usize) -> Vec3 {
    let [r, g, b] = COLORS[i % COLORS.len()].1;
    srgb(r, g, b)
}

/// Returns the palette color with the given name, linear RGB: `teal`, `sand`, `coral`, `indigo`, `moss`, `rose`, `sky`, `plum`, `straw` or
/// `slate`.
pub fn named_color(name: &str) -> Option<Vec3> {
    COLORS.iter().position(|(known, _)| *known == name).map(palette)
}

/// Converts an sRGB color to linear RGB.
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
    fn palette_wraps_and_finds_colors_by_name() {
        assert_eq!(palette(0), palette(COLORS.len()));
        for (i, (name, _)) in COLORS.iter().enumerate() {
            assert_eq!(named_color(name), Some(palette(i)));
        }
        assert_eq!(named_color("octarine"), None);
    }
}
