//! Contact sheets: several labeled images in one.

use super::text::{DESCENT, LETTER_HEIGHT, draw_text, fill, text_width};
use image::{Rgb, RgbImage, imageops};

/// Number of tiles in a row.
const COLUMNS: u32 = 3;

/// Margin between and around tiles [pixels].
const MARGIN: u32 = 6;

/// Color of the margins.
const PAPER: Rgb<u8> = Rgb([246, 246, 244]);

/// One image on a contact sheet, with its label.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The image.
    pub image: RgbImage,
    /// Label in the lower left corner, for example the time; may be empty.
    pub label: String,
}

/// Arranges images in rows of three, with thin margins and a label in each. All cells have the size of the largest tile; smaller
/// tiles are centered. Without tiles, the sheet is only a margin.
pub fn contact_sheet(tiles: &[Tile]) -> RgbImage {
    let count = tiles.len() as u32;
    let width = tiles.iter().map(|tile| tile.image.width()).max().unwrap_or(0);
    let height = tiles.iter().map(|tile| tile.image.height()).max().unwrap_or(0);
    let (columns, rows) = (count.min(COLUMNS), count.div_ceil(COLUMNS));
    let mut sheet = RgbImage::from_pixel(columns * (width + MARGIN) + MARGIN, rows * (height + MARGIN) + MARGIN, PAPER);
    for (i, tile) in (0u32..).zip(tiles) {
        let left = MARGIN + i % COLUMNS * (width + MARGIN) + (width - tile.image.width()) / 2;
        let top = MARGIN + i / COLUMNS * (height + MARGIN) + (height - tile.image.height()) / 2;
        let mut image = tile.image.clone();
        label(&mut image, &tile.label);
        imageops::replace(&mut sheet, &image, left.into(), top.into());
    }
    sheet
}

/// Draws a label on a darkened background in the lower left corner, legible on any image.
pub fn label(image: &mut RgbImage, text: &str) {
    if text.is_empty() {
        return;
    }
    let scale = (image.height() / 160).max(1);
    let pad = i64::from(3 * scale);
    let (width, height) = (i64::from(text_width(text, scale)), i64::from((LETTER_HEIGHT + DESCENT) * scale));
    let top = i64::from(image.height()) - height - 2 * pad;
    fill(image, [0, top], [width + 2 * pad, height + 2 * pad], |rgb| rgb.map(|value| value / 3 + 12));
    draw_text(image, [pad, top + pad], scale, [250, 250, 248], text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(width: u32, height: u32, label: &str) -> Tile {
        Tile { image: RgbImage::from_pixel(width, height, Rgb([200, 100, 50])), label: label.to_owned() }
    }

    #[test]
    fn six_tiles_make_three_by_two() {
        let tiles: Vec<Tile> = (0..6).map(|i| tile(40, 30, &format!("{i} s"))).collect();
        let sheet = contact_sheet(&tiles);
        assert_eq!(sheet.dimensions(), (3 * 46 + 6, 2 * 36 + 6));
        for (x, y) in [(6, 6), (52, 6), (98, 6), (6, 42), (137, 50)] {
            assert_eq!(sheet.get_pixel(x, y).0, [200, 100, 50], "at {x}, {y}");
        }
        assert_eq!(*sheet.get_pixel(48, 20), PAPER);
        // The letters of the label are drawn.
        assert!(sheet.pixels().any(|pixel| pixel.0 == [250, 250, 248]));
    }

    #[test]
    fn any_number_and_size_of_tiles_is_allowed() {
        assert_eq!(contact_sheet(&[]).dimensions(), (6, 6));
        assert_eq!(contact_sheet(&[tile(10, 10, "a label wider than its tile")]).dimensions(), (22, 22));
        let sheet = contact_sheet(&[tile(10, 20, ""), tile(20, 10, ""), tile(1, 1, "x"), tile(0, 0, "x")]);
        assert_eq!(sheet.dimensions(), (3 * 26 + 6, 2 * 26 + 6));
        assert_eq!(sheet.get_pixel(6 + 26, 6 + 5).0, [200, 100, 50]);
    }
}
