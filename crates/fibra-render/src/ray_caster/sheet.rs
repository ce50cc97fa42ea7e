//! Several images in one, each with a label.

use super::text::{LETTER_HEIGHT, draw_text, fill, text_width};
use image::{Rgb, RgbImage, imageops};

/// Tiles side by side.
const COLUMNS: u32 = 3;

/// Between tiles and around them [pixels].
const MARGIN: u32 = 6;

/// Color of the margins.
const PAPER: Rgb<u8> = Rgb([246, 246, 244]);

/// An image of a contact sheet.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The image.
    pub image: RgbImage,
    /// What is written into its lower left corner, such as the time; may be empty.
    pub label: String,
}

/// Lays images out three to a row, with thin margins and a label in each. The sheet is as large as its largest tile
/// asks for; smaller ones are centered. Without tiles it is an empty margin.
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

/// Writes a label on a darkened plate in the lower left corner, legible on any picture.
pub fn label(image: &mut RgbImage, text: &str) {
    if text.is_empty() {
        return;
    }
    let scale = (image.height() / 160).max(1);
    let pad = i64::from(3 * scale);
    let (width, height) = (i64::from(text_width(text, scale)), i64::from(LETTER_HEIGHT * scale));
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
        // The label's plate and letters are there.
        assert!(sheet.pixels().any(|pixel| pixel.0 == [250, 250, 248]));
    }

    #[test]
    fn odd_numbers_and_sizes_fit() {
        assert_eq!(contact_sheet(&[]).dimensions(), (6, 6));
        assert_eq!(contact_sheet(&[tile(10, 10, "a label wider than its tile")]).dimensions(), (22, 22));
        let sheet = contact_sheet(&[tile(10, 20, ""), tile(20, 10, ""), tile(1, 1, "x"), tile(0, 0, "x")]);
        assert_eq!(sheet.dimensions(), (3 * 26 + 6, 2 * 26 + 6));
        assert_eq!(sheet.get_pixel(6 + 26, 6 + 5).0, [200, 100, 50]);
    }
}
