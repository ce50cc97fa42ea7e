//! The film: accumulates samples, smooths noisy light, and maps tones for display.

use super::light::Shade;
use glam::Vec3;
use image::RgbImage;
use rayon::prelude::*;

/// Edge length of the square tiles in which the film is stored and exposed [pixels]. Rays of a tile hit mostly the same shapes.
pub(super) const TILE: u32 = 16;

/// Radius of the smoothing filter [pixels].
const REACH: u32 = 3;

/// One pixel: means over its samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pixel {
    /// Means of [`Shade`].
    pub shade: Shade,
    /// Fraction of the samples that are in the sun [-], and the number of samples. Both are 0 if sunlight has no effect on the pixel.
    pub sun_fraction: f32,
    pub samples: f32,
    /// Incoming skylight, linear RGB [-], and the visible fraction of the sky [-].
    pub skylight: Vec3,
    pub open: f32,
    /// Mean position [m] and mean normal of the visible surface; the normal of the background is zero.
    pub point: Vec3,
    pub normal: Vec3,
}

/// All pixels, stored tile by tile.
pub(super) struct Film {
    width: u32,
    height: u32,
    pixels: Vec<Pixel>,
}

impl Film {
    /// Calls `expose` for every pixel, with tiles in parallel.
    pub fn exposed(width: u32, height: u32, expose: impl Fn(u32, u32) -> Pixel + Sync) -> Film {
        let across = width.div_ceil(TILE);
        let area = (TILE * TILE) as usize;
        let mut pixels = vec![Pixel::default(); (across * height.div_ceil(TILE)) as usize * area];
        pixels.par_chunks_mut(area).enumerate().for_each(|(tile, pixels)| {
            let corner = [tile as u32 % across * TILE, tile as u32 / across * TILE];
            for (i, pixel) in pixels.iter_mut().enumerate() {
                let (x, y) = (corner[0] + i as u32 % TILE, corner[1] + i as u32 / TILE);
                if x < width && y < height {
                    *pixel = expose(x, y);
                }
            }
        });
        Film { width, height, pixels }
    }

    fn pixel(&self, x: u32, y: u32) -> &Pixel {
        let tile = y / TILE * self.width.div_ceil(TILE) + x / TILE;
        &self.pixels[(tile * TILE * TILE + y % TILE * TILE + x % TILE) as usize]
    }

    /// Returns the final image. `pixel_size` is the width of a pixel at unit distance from `eye` [-].
    pub fn developed(&self, eye: Vec3, pixel_size: f32) -> RgbImage {
        let mut image = RgbImage::new(self.width, self.height);
        image.par_chunks_mut(3 * self.width as usize).enumerate().for_each(|(y, row)| {
            for (x, rgb) in row.chunks_exact_mut(3).enumerate() {
                let color = self.color(x as u32, y as u32, eye, pixel_size);
                rgb.copy_from_slice(&display(color));
            }
        });
        image
    }

    fn color(&self, x: u32, y: u32, eye: Vec3, pixel_size: f32) -> Vec3 {
        let pixel = self.pixel(x, y);
        let Shade { glow, sunlit, albedo } = pixel.shade;
        if albedo == Vec3::ZERO {
            return glow;
        }
        let light = self.smoothed(x, y, pixel_size * pixel.point.distance(eye));
        // Indirect light: surfaces that hide the sky reflect light. In a cavity of one color, the bounces sum to
        // 1 + a (1 - o) + (a (1 - o))^2 + ... with albedo a and open fraction o.
        let bounces = (Vec3::ONE - albedo.min(Vec3::splat(0.9)) * (1.0 - light.open)).recip();
        glow + light.sun_fraction * sunlit + albedo * light.skylight * bounces
    }

    /// Returns the light of a pixel, averaged over similar neighbors: those in the same plane with the same normal.
    fn smoothed(&self, x: u32, y: u32, footprint: f32) -> Light {
        let center = self.pixel(x, y);
        let span = |middle: u32, size: u32| middle.saturating_sub(REACH)..(middle + REACH + 1).min(size);
        let mut sum = Light { sun_fraction: 0.0, skylight: Vec3::ZERO, open: 0.0 };
        let (mut sky_weight, mut sun_weight) = (0.0, 0.0);
        for j in span(y, self.height) {
            for i in span(x, self.width) {
                let other = self.pixel(i, j);
                let off_plane = (other.point - center.point).dot(center.normal) / (2.0 * footprint);
                let similarity = other.normal.dot(center.normal).max(0.0).powi(8);
                let weight = similarity / (1.0 + off_plane * off_plane).powi(2);
                sum.skylight += weight * other.skylight;
                sum.open += weight * other.open;
                sky_weight += weight;

                // To preserve shadow edges, a neighbor counts only if its difference can be noise. A fraction v measured with n
                // samples has the variance v (1 - v) / n. Even if all n samples agree, v need not be exactly 0 or 1.
                let samples = center.samples.min(other.samples);
                if samples > 0.0 {
                    let margin = 1.0 / (samples + 2.0);
                    let mean = (0.5 * (center.sun_fraction + other.sun_fraction)).clamp(margin, 1.0 - margin);
                    let variance = mean * (1.0 - mean) / samples;
                    let difference = (center.sun_fraction - other.sun_fraction).powi(2) / variance;
                    let weight = weight / (1.0 + 0.125 * difference).powi(4);
                    sum.sun_fraction += weight * other.sun_fraction;
                    sun_weight += weight;
                }
            }
        }
        let mean = |sum: f32, weight: f32, own: f32| if weight > 1e-6 { sum / weight } else { own };
        Light {
            sun_fraction: mean(sum.sun_fraction, sun_weight, center.sun_fraction),
            skylight: if sky_weight > 1e-6 { sum.skylight / sky_weight } else { center.skylight },
            open: mean(sum.open, sky_weight, center.open),
        }
    }
}

/// Incoming light of a pixel; see [`Pixel`].
struct Light {
    sun_fraction: f32,
    skylight: Vec3,
    open: f32,
}

/// Converts linear light to a display color.
pub(super) fn display(color: Vec3) -> [u8; 3] {
    color.to_array().map(|linear| {
        let toned = tone(linear);
        let encoded = if toned <= 0.003_130_8 { 12.92 * toned } else { 1.055 * toned.powf(1.0 / 2.4) - 0.055 };
        // The cast converts NaN to 0.
        (255.0 * encoded + 0.5) as u8
    })
}

/// The tone curve. It is linear up to the midtones, so that specified colors are reproduced. Brighter values are compressed
/// smoothly toward white, so that highlights keep their shape.
pub(super) fn tone(linear: f32) -> f32 {
    const KNEE: f32 = 0.5;
    if linear <= KNEE {
        return linear.max(0.0);
    }
    let above = (linear - KNEE) / (1.0 - KNEE);
    KNEE + (1.0 - KNEE) * (1.0 - (-above).exp())
}
