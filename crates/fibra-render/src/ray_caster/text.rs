//! Small bitmap lettering for labels.

use super::font::GLYPHS;
use image::{Rgb, RgbImage};

/// Height of a letter at scale 1 [pixels].
pub const LETTER_HEIGHT: u32 = 7;

/// Width of a letter at scale 1 [pixels].
const LETTER_WIDTH: u32 = 5;

/// Drawn for characters without a shape of their own.
const UNKNOWN: [u8; 7] = [0b11111, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11111];

/// Width of a text [pixels], without the gap after its last letter.
pub fn text_width(text: &str, scale: u32) -> u32 {
    let letters = text.chars().count() as u32;
    (letters * (LETTER_WIDTH + 1)).saturating_sub(1) * scale
}

/// Draws a line of text with its upper left corner at `at` [pixels], each dot of a letter `scale` pixels wide. What
/// falls outside the image is cut off; characters other than letters, digits and common signs become hollow boxes.
pub fn draw_text(image: &mut RgbImage, at: [i64; 2], scale: u32, color: [u8; 3], text: &str) {
    let scale = i64::from(scale);
    for (k, letter) in text.chars().enumerate() {
        let known = GLYPHS.iter().find(|(known, _)| *known == letter);
        let rows = known.map_or(&UNKNOWN, |(_, rows)| rows);
        let left = at[0] + k as i64 * i64::from(LETTER_WIDTH + 1) * scale;
        for (row, bits) in rows.iter().enumerate() {
            for column in (0..LETTER_WIDTH).filter(|column| bits >> (LETTER_WIDTH - 1 - column) & 1 == 1) {
                let corner = [left + i64::from(column) * scale, at[1] + row as i64 * scale];
                fill(image, corner, [scale; 2], |_| color);
            }
        }
    }
}

/// Changes the pixels of a rectangle, as far as it lies in the image.
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
    fn every_shape_is_unlike_the_others() {
        for (i, (letter, rows)) in GLYPHS.iter().enumerate() {
            assert!(GLYPHS[..i].iter().all(|other| other.0 != *letter && other.1 != *rows), "{letter}");
        }
    }

    #[test]
    fn letters_have_the_right_dots_and_scale() {
        assert_eq!(drawn("-", [0, 0], 1), 5);
        assert_eq!(drawn("-", [0, 0], 2), 4 * 5);
        assert_eq!(drawn("--", [0, 0], 1), 10);
        assert_eq!(drawn("\u{1F9F6}", [0, 0], 1), drawn("\u{7}", [0, 0], 1));
        assert_eq!(text_width("t = 0.5", 2), 2 * (7 * 6 - 1));
        assert_eq!(text_width("", 2), 0);
    }

    #[test]
    fn text_is_cut_at_the_edges() {
        assert_eq!(drawn("-", [-2, 0], 1), 3);
        assert_eq!(drawn("-", [38, 0], 1), 2);
        assert_eq!(drawn("-", [0, 18], 1), 0);
        assert_eq!(drawn("---", [-900, -900], 3), 0);
    }
}
