//! A small bitmap font for labels.

use super::font::{GLYPHS, ROWS};
use image::{Rgb, RgbImage};

/// Height of a capital letter at scale 1 [pixels]. Descenders reach [`DESCENT`] pixels further down.
pub const LETTER_HEIGHT: u32 = 7;

/// Height of the descenders of g, j, p, q and y below the baseline at scale 1 [pixels].
pub const DESCENT: u32 = ROWS as u32 - LETTER_HEIGHT;

/// Width of a letter at scale 1 [pixels].
const LETTER_WIDTH: u32 = 5;

/// Glyph of characters that the font does not contain.
const UNKNOWN: [u8; ROWS] = [0b11111, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11111, 0, 0];

/// Returns the width of a text [pixels], without the gap after its last letter.
pub fn text_width(text: &str, scale: u32) -> u32 {
    let letters = text.chars().count() as u32;
    (letters * (LETTER_WIDTH + 1)).saturating_sub(1) * scale
}

/// Draws a line of text. `at` is the upper left corner of the first capital letter [pixels], and `scale` the size of a dot [pixels]. The text
/// is clipped to the image. Characters that the font does not contain are drawn as hollow boxes.
pub fn draw_text(image: &mut RgbImage, at: [i64; 2], scale: u32, color: [u8; 3], text: &str) {
    let scale = i64::from(scale);
    for (k, letter) in text.chars().enumerate() {
        let glyph = GLYPHS.iter().find(|(known, _)| *known == letter);
        let rows = glyph.map_or(&UNKNOWN, |(_, rows)| rows);
        let left = at[0] + k as i64 * i64::from(LETTER_WIDTH + 1) * scale;
        for (row, bits) in rows.iter().enumerate() {
            for column in (0..LETTER_WIDTH).filter(|column| bits >> (LETTER_WIDTH - 1 - column) & 1 == 1) {
                let corner = [left + i64::from(column) * scale, at[1] + row as i64 * scale];
                fill(image, corner, [scale; 2], |_| color);
            }
        }
    }
}

/// Changes the pixels of a rectangle, clipped to the image.
pub(super) fn fill(image: &mut RgbImage, at: [i64; 2], size: [i64; 2], change: impl Fn([u8; 3]) -> [u8; 3]) {
    let clip = |from: i64, size: i64, end: u32| {
        from.clamp(0, i64::from(end)) as u32..(from + size).clamp(0, i64::from(end)) as u32
    };
    for y in clip(at[1], size[1], image.height()) {
        for x in clip(at[0], size[0], image.width()) {
            let pixel = image.get_pixel_mut(x, y);
            *pixel = Rgb(change(pixel.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, at: [i64; 2], scale: u32) -> usize {
        let mut image = RgbImage::new(40, 20);
        draw_text(&mut image, at, scale, [255; 3], text);
        image.pixels().filter(|pixel| pixel.0 == [255; 3]).count()
    }

    #[test]
    fn all_glyphs_differ() {
        for (i, (letter, rows)) in GLYPHS.iter().enumerate() {
            assert!(GLYPHS[..i].iter().all(|other| other.0 != *letter && other.1 != *rows), "{letter}");
        }
    }

    #[test]
    fn descenders_reach_below_the_baseline() {
        for (letter, rows) in &GLYPHS {
            let descends = rows[LETTER_HEIGHT as usize..].iter().any(|row| *row != 0);
            assert_eq!(descends, "gjpqy,;".contains(*letter), "{letter}");
        }
        assert_eq!(DESCENT, 2);
    }

    #[test]
    fn letters_have_the_expected_dots_at_each_scale() {
        assert_eq!(drawn("-", [0, 0], 1), 5);
        assert_eq!(drawn("-", [0, 0], 2), 4 * 5);
        assert_eq!(drawn("--", [0, 0], 1), 10);
        assert_eq!(drawn("\u{1F9F6}", [0, 0], 1), drawn("\u{7}", [0, 0], 1));
        assert_eq!(text_width("t = 0.5", 2), 2 * (7 * 6 - 1));
        assert_eq!(text_width("", 2), 0);
    }

    #[test]
    fn text_is_clipped_at_the_edges() {
        assert_eq!(drawn("-", [-2, 0], 1), 3);
        assert_eq!(drawn("-", [38, 0], 1), 2);
        assert_eq!(drawn("-", [0, 18], 1), 0);
        assert_eq!(drawn("---", [-900, -900], 3), 0);
    }
}
