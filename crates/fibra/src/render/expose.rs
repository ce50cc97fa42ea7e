//! The samples of one pixel.

use super::Quality;
use super::film::{Pixel, tone};
use super::light::{Shade, shade, skylight};
use super::sampler::{cone_direction, cosine_direction, pixel_seed, spread};
use super::shape::Ray;
use super::world::{Surface, World};
use glam::Vec3;

/// Difference of display brightness between samples of a pixel above which it gets more of them [-].
const CONTRAST: f32 = 0.06;

/// Takes the samples of one pixel and returns their means.
pub(super) fn expose(world: &World, x: u32, y: u32, quality: Quality) -> Pixel {
    let [place_seed, sun_seed, sky_seed] = [0, 1, 2].map(|purpose| pixel_seed(x, y, purpose));
    let view = world.view();
    let mut sums = Sums::default();
    let first = quality.samples.max(1);
    let mut count = 0;
    while count < first || (count < quality.edge_samples && sums.contrast() > CONTRAST) {
        let [i, j] = spread(count, place_seed);
        let ray = Ray { origin: view.eye, direction: view.direction(x as f32 + i, y as f32 + j) };
        match world.see(&ray) {
            None => sums.add(Shade { direct: world.picture().sky.towards(ray.direction.y), albedo: Vec3::ZERO }),
            Some(surface) => {
                let shade = shade(world, &ray, &surface, towards_sun(world, spread(count, sun_seed)));
                sums.add(shade);
                // The sky's light varies slowly, so the samples added for edges go without.
                if count < first {
                    let from = count * quality.sky_rays;
                    sums.add_skylight(
                        world,
                        &surface,
                        &shade,
                        (from..from + quality.sky_rays).map(|k| spread(k, sky_seed)),
                    );
                }
            }
        }
        count += 1;
    }
    sums.means()
}

fn towards_sun(world: &World, at: [f32; 2]) -> Vec3 {
    let sun = &world.picture().sun;
    cone_direction(sun.direction.normalize_or(Vec3::Y), sun.radius.clamp(0.0, 45.0).to_radians().tan(), at)
}

/// Sums over the samples of a pixel.
#[derive(Default)]
struct Sums {
    shade: Shade,
    samples: f32,
    /// Least and greatest display brightness of a sample, under an open sky.
    range: Option<[f32; 2]>,
    skylight: Vec3,
    open: f32,
    /// How much the summed skylight counts.
    weight: f32,
    point: Vec3,
    normal: Vec3,
    surfaces: f32,
}

impl Sums {
    fn add(&mut self, shade: Shade) {
        self.shade.direct += shade.direct;
        self.shade.albedo += shade.albedo;
        self.samples += 1.0;
        let brightness = tone((shade.direct + 0.5 * shade.albedo).element_sum() / 3.0).sqrt();
        let [low, high] = self.range.unwrap_or([brightness; 2]);
        self.range = Some([low.min(brightness), high.max(brightness)]);
    }

    fn contrast(&self) -> f32 {
        self.range.map_or(0.0, |[low, high]| high - low)
    }

    fn add_skylight(&mut self, world: &World, surface: &Surface, shade: &Shade, rays: impl Iterator<Item = [f32; 2]>) {
        // A point counts as much as it reflects, so that the dark ones do not dim the light of the bright ones.
        let weight = shade.albedo.element_sum().max(1e-6);
        for at in rays {
            let direction = cosine_direction(surface.normal, at);
            if let Some(light) = skylight(world, &Ray { origin: surface.outside, direction }) {
                self.skylight += weight * light;
                self.open += weight;
            }
            self.weight += weight;
        }
        self.point += surface.point;
        self.normal += surface.normal;
        self.surfaces += 1.0;
    }

    fn means(&self) -> Pixel {
        let per_weight = 1.0 / self.weight.max(f32::MIN_POSITIVE);
        let per_surface = 1.0 / self.surfaces.max(1.0);
        Pixel {
            shade: Shade { direct: self.shade.direct / self.samples, albedo: self.shade.albedo / self.samples },
            skylight: per_weight * self.skylight,
            open: per_weight * self.open,
            point: per_surface * self.point,
            normal: per_surface * self.normal,
        }
    }
}
