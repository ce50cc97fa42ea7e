//! Rasterizes a drawing.

use super::drawing::{Anchor, Drawing, Mark};
use crate::ray_caster::{LETTER_HEIGHT, draw_text, text_width};
use image::{Rgb, RgbImage};

/// Renders the drawing on a white background.
pub(super) fn pixels(drawing: &Drawing) -> RgbImage {
    let mut image = RgbImage::from_pixel(drawing.width, drawing.height, Rgb([255; 3]));
    for mark in &drawing.marks {
        match mark {
            Mark::Line { points, width, color } => line(&mut image, points, *width, *color),
            Mark::Box { at, size, color } => {
                let rounded = |position: f64, end: u32| position.round().clamp(0.0, f64::from(end)) as u32;
                let [left, right] = [at[0], at[0] + size[0]].map(|x| rounded(x, drawing.width));
                let [top, bottom] = [at[1], at[1] + size[1]].map(|y| rounded(y, drawing.height));
                (top..bottom).for_each(|y| (left..right).for_each(|x| image.put_pixel(x, y, Rgb(*color))));
            }
            Mark::Text { at, anchor, large, color, text } => {
                let scale = if *large { 3 } else { 2 };
                let width = f64::from(text_width(text, scale));
                let left = match anchor {
                    Anchor::Start => at[0],
                    Anchor::Middle => at[0] - 0.5 * width,
                    Anchor::End => at[0] - width,
                };
                let top = at[1] - 0.5 * f64::from(LETTER_HEIGHT * scale);
                draw_text(&mut image, [left.round() as i64, top.round() as i64], scale, *color, text);
            }
        }
    }
    image
}

fn line(image: &mut RgbImage, points: &[[f64; 2]], width: f64, color: [u8; 3]) {
    for pair in points.windows(2) {
        line_between(image, [pair[0], pair[1]], width, color);
    }
}

/// Blends a line segment into the image, weighted by its coverage of each pixel.
fn line_between(image: &mut RgbImage, [a, b]: [[f64; 2]; 2], width: f64, color: [u8; 3]) {
    let reach = 0.5 * width + 0.5;
    let along = |axis: usize, end: u32| {
        let low = (a[axis].min(b[axis]) - reach).floor().clamp(0.0, f64::from(end));
        let high = (a[axis].max(b[axis]) + reach).ceil().clamp(0.0, f64::from(end));
        low as u32..high as u32
    };
    let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    let square = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
    let columns = along(0, image.width());
    for y in along(1, image.height()) {
        for x in columns.clone() {
            let [px, py] = [f64::from(x) + 0.5 - a[0], f64::from(y) + 0.5 - a[1]];
            let share = ((px * dx + py * dy) / square).clamp(0.0, 1.0);
            let distance = (px - share * dx).hypot(py - share * dy);
            let cover = (reach - distance).clamp(0.0, 1.0);
            if cover > 0.0 {
                let pixel = image.get_pixel_mut(x, y);
                for channel in 0..3 {
                    let [old, new] = [pixel.0[channel], color[channel]].map(f64::from);
                    pixel.0[channel] = (old + cover * (new - old)).round() as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_antialiased_and_clipped() {
        let mark = Mark::Line { points: vec![[5.0, 10.0], [25.0, 10.0]], width: 2.0, color: [0; 3] };
        let image = pixels(&Drawing { width: 30, height: 20, marks: vec![mark] });
        assert_eq!(image.get_pixel(15, 10).0, [0; 3]);
        assert_eq!(image.get_pixel(15, 13).0, [255; 3]);
        let ink: f64 = image.pixels().map(|pixel| 1.0 - f64::from(pixel.0[0]) / 255.0).sum();
        assert!((ink - 42.0).abs() < 4.0, "{ink}");
        // Lines outside the drawing are clipped.
        let outside = Mark::Line { points: vec![[-50.0, -9.0], [99.0, 1e9]], width: 2.0, color: [0; 3] };
        pixels(&Drawing { width: 3, height: 3, marks: vec![outside] });
    }
}
