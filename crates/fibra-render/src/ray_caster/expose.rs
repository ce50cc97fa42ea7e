//! Takes the samples of one pixel.

use super::Quality;
use super::film::{Pixel, tone};
use super::light::{Shade, in_sun, shade, skylight};
use super::sampler::{cone_direction, cosine_direction, pixel_seed, sample_point};
use super::shape::Ray;
use super::world::{Strand, Surface, World};
use glam::Vec3;

/// Pixels with a larger difference of display brightness between their samples get additional samples [-].
const CONTRAST: f32 = 0.06;

/// Takes the samples of one pixel and returns their means.
pub(super) fn expose(world: &World, x: u32, y: u32, quality: Quality) -> Pixel {
    let [place_seed, sun_seed, sky_seed] = [0, 1, 2].map(|purpose| pixel_seed(x, y, purpose));
    let view = world.view();
    let mut sums = Sums::default();
    let first = quality.samples.max(1);
    let mut count = 0;
    while count < first || (count < quality.edge_samples && sums.contrast() > CONTRAST) {
        let [i, j] = sample_point(count, place_seed);
        let ray = Ray { origin: view.eye, direction: view.direction(x as f32 + i, y as f32 + j) };
        match world.first_hit(&ray) {
            None => sums.add_background(world.picture().sky.towards(ray.direction.y)),
            Some(surface) => {
                let sunlight = direction_to_sun(world, sample_point(count, sun_seed));
                let shade = shade(world, &ray, &surface, sunlight);
                let is_sunlit = shade.sunlit.max_element() > 0.0 && in_sun(world, &surface, sunlight);
                sums.add(shade, is_sunlit);
                // Skylight varies slowly, so the additional samples do not measure it.
                if count < first {
                    sums.add_guide(&surface, &ray);
                    for k in count * quality.sky_rays..(count + 1) * quality.sky_rays {
                        let direction = cosine_direction(surface.normal, sample_point(k, sky_seed));
                        let to_sky = Ray { origin: surface.outside, direction };
                        sums.add_skylight(&shade, skylight(world, &to_sky));
                    }
                }
            }
        }
        count += 1;
    }
    sums.means()
}

fn direction_to_sun(world: &World, at: [f32; 2]) -> Vec3 {
    let sun = &world.picture().sun;
    cone_direction(sun.direction.normalize_or(Vec3::Y), sun.radius.clamp(0.0, 45.0).to_radians().tan(), at)
}

/// Sums over the samples of a pixel. Incoming light is weighted by the reflectance of the point, so that dark points of a pixel do
/// not affect the light on bright ones.
#[derive(Default)]
struct Sums {
    shade: Shade,
    samples: f32,
    /// Smallest and largest display brightness of the samples, assuming an open sky.
    range: Option<[f32; 2]>,
    sunlit_weight: f32,
    sun_weight: f32,
    skylight: Vec3,
    open: f32,
    skylight_weight: f32,
    point: Vec3,
    normal: Vec3,
    surfaces: f32,
}

impl Sums {
    fn add_background(&mut self, glow: Vec3) {
        self.add(Shade { glow, ..Shade::default() }, false);
    }

    fn add(&mut self, shade: Shade, is_sunlit: bool) {
        self.shade.glow += shade.glow;
        self.shade.sunlit += shade.sunlit;
        self.shade.albedo += shade.albedo;
        self.samples += 1.0;
        let weight = shade.sunlit.element_sum();
        self.sun_weight += weight;
        let direct = if is_sunlit { shade.sunlit } else { Vec3::ZERO };
        self.sunlit_weight += if is_sunlit { weight } else { 0.0 };

        let brightness = tone((shade.glow + direct + 0.5 * shade.albedo).element_sum() / 3.0).sqrt();
        let [low, high] = self.range.unwrap_or([brightness; 2]);
        self.range = Some([low.min(brightness), high.max(brightness)]);
    }

    fn contrast(&self) -> f32 {
        self.range.map_or(0.0, |[low, high]| high - low)
    }

    fn add_skylight(&mut self, shade: &Shade, light: Option<Vec3>) {
        let weight = shade.albedo.element_sum().max(1e-6);
        self.skylight_weight += weight;
        if let Some(light) = light {
            self.skylight += weight * light;
            self.open += weight;
        }
    }

    /// Adds position and normal, which guide the smoothing of light.
    fn add_guide(&mut self, surface: &Surface, ray: &Ray) {
        // A pixel covers all normals of a strand. Use the normal that faces the camera instead, which depends only on the tangent.
        let across = |strand: &Strand| (-ray.direction).reject_from_normalized(strand.tangent).try_normalize();
        self.point += surface.point;
        self.normal += surface.strand.as_ref().and_then(across).unwrap_or(surface.normal);
        self.surfaces += 1.0;
    }

    fn means(&self) -> Pixel {
        let ratio = |weight: f32| 1.0 / weight.max(f32::MIN_POSITIVE);
        let (per_sample, per_surface) = (1.0 / self.samples, 1.0 / self.surfaces.max(1.0));
        Pixel {
            shade: Shade {
                glow: per_sample * self.shade.glow,
                sunlit: per_sample * self.shade.sunlit,
                albedo: per_sample * self.shade.albedo,
            },
            sun_fraction: ratio(self.sun_weight) * self.sunlit_weight,
            samples: if self.sun_weight > 0.0 { self.samples } else { 0.0 },
            skylight: ratio(self.skylight_weight) * self.skylight,
            open: ratio(self.skylight_weight) * self.open,
            point: per_surface * self.point,
            normal: per_surface * self.normal,
        }
    }
}
