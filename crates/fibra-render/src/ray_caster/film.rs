//! The picture while it is exposed: sums of samples, smoothed where the light is noisy, then toned for display.

use super::light::Shade;
use glam::Vec3;
use image::RgbImage;
use rayon::prelude::*;

/// Edge of the square tiles the film is stored and exposed in [pixels]: rays of a tile visit the same shapes.
pub(super) const TILE: u32 = 16;

/// Reach of the smoothing of light [pixels].
const REACH: u32 = 3;

/// One pixel: means over its samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pixel {
    /// Means of [`Shade`].
    pub shade: Shade,
    /// Part of the samples the sun shines on [-], and how many there were; none if the sun makes no difference.
    pub sunny: f32,
    pub samples: f32,
    /// Light of the sky that arrives, linear RGB [-], and the part of the sky that is open [-].
    pub skylight: Vec3,
    pub open: f32,
    /// Mean position [m] and normal of what is seen; a zero normal for the background.
    pub point: Vec3,
    pub normal: Vec3,
}

/// All pixels, tile by tile.
pub(super) struct Film {
    width: u32,
    height: u32,
    pixels: Vec<Pixel>,
}

impl Film {
    /// Calls `expose` for every pixel, with tiles spread over the threads.
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

    /// The finished picture. `pixel_size` is the width of a pixel at unit distance from `eye` [-].
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
        // What the sky does not light, its lit neighbors do. In a cavity of one color the bounces sum up to
        // 1 + a (1 - o) + (a (1 - o))^2 + ...
        let bounces = (Vec3::ONE - albedo.min(Vec3::splat(0.9)) * (1.0 - light.open)).recip();
        glow + light.sunny * sunlit + albedo * light.skylight * bounces
    }

    /// The light of a pixel averaged over the neighbors that look alike: on the same plane and facing the same way.
    fn smoothed(&self, x: u32, y: u32, footprint: f32) -> Light {
        let center = self.pixel(x, y);
        let span = |middle: u32, size: u32| middle.saturating_sub(REACH)..(middle + REACH + 1).min(size);
        let mut sum = Light { sunny: 0.0, skylight: Vec3::ZERO, open: 0.0 };
        let (mut sky_weight, mut sun_weight) = (0.0, 0.0);
        for j in span(y, self.height) {
            for i in span(x, self.width) {
                let other = self.pixel(i, j);
                let off_plane = (other.point - center.point).dot(center.normal) / (2.0 * footprint);
                let alike = other.normal.dot(center.normal).max(0.0).powi(8);
                let weight = alike / (1.0 + off_plane * off_plane).powi(2);
                sum.skylight += weight * other.skylight;
                sum.open += weight * other.open;
                sky_weight += weight;

                // Shadows have real edges: neighbors count if their difference may be chance. A part v of n samples
                // scatters by v (1 - v) / n; that all n agree does not yet prove that v is 0 or 1.
                let samples = center.samples.min(other.samples);
                if samples > 0.0 {
                    let doubt = 1.0 / (samples + 2.0);
                    let mean = (0.5 * (center.sunny + other.sunny)).clamp(doubt, 1.0 - doubt);
                    let scatter = mean * (1.0 - mean) / samples;
                    let difference = (center.sunny - other.sunny).powi(2) / scatter;
                    let weight = weight / (1.0 + 0.125 * difference).powi(4);
                    sum.sunny += weight * other.sunny;
                    sun_weight += weight;
                }
            }
        }
        let mean = |sum: f32, weight: f32, own: f32| if weight > 1e-6 { sum / weight } else { own };
        Light {
            sunny: mean(sum.sunny, sun_weight, center.sunny),
            skylight: if sky_weight > 1e-6 { sum.skylight / sky_weight } else { center.skylight },
            open: mean(sum.open, sky_weight, center.open),
        }
    }
}

/// Light that arrives at a pixel; see [`Pixel`].
struct Light {
    sunny: f32,
    skylight: Vec3,
    open: f32,
}

/// Display color of linear light.
pub(super) fn display(color: Vec3) -> [u8; 3] {
    color.to_array().map(|linear| {
        let toned = tone(linear);
        let encoded = if toned <= 0.003_130_8 { 12.92 * toned } else { 1.055 * toned.powf(1.0 / 2.4) - 0.055 };
        // A value that is not a number becomes 0, as casts do.
        (255.0 * encoded + 0.5) as u8
    })
}

/// The tone curve: true up to the middle tones, so that a color asked for is the color seen, then bending softly
/// toward white, so that highlights keep their shape.
pub(super) fn tone(linear: f32) -> f32 {
    const KNEE: f32 = 0.5;
    if linear <= KNEE {
        return linear.max(0.0);
    }
    let above = (linear - KNEE) / (1.0 - KNEE);
    KNEE + (1.0 - KNEE) * (1.0 - (-above).exp())
}
