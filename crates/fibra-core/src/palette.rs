//! Colours that sit well together, and the way from display colours to linear light.

use glam::Vec3;

/// The palette by name, as display (sRGB) colours. Neighbours differ in hue and in lightness, so that they stay apart
/// in a grey print and for most kinds of colour blindness.
const COLOURS: [(&str, [u8; 3]); 10] = [
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

/// Colour of the object with index `i`, linear RGB; the palette starts over after its last colour.
pub fn palette(i: usize) -> Vec3 {
    let [r, g, b] = COLOURS[i % COLOURS.len()].1;
    srgb(r, g, b)
}

/// Linear RGB of a palette colour by its name: `teal`, `sand`, `coral`, `indigo`, `moss`, `rose`, `sky`, `plum`,
/// `straw` or `slate`.
pub fn named_colour(name: &str) -> Option<Vec3> {
    COLOURS.iter().position(|(known, _)| *known == name).map(palette)
}

/// Linear RGB of a display colour.
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
        assert_eq!(palette(0), palette(COLOURS.len()));
        for (i, (name, _)) in COLOURS.iter().enumerate() {
            assert_eq!(named_colour(name), Some(palette(i)));
        }
        assert_eq!(named_colour("octarine"), None);
    }
}
