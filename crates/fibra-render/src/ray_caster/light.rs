//! Shading of visible points: sun, sky, finishes, and the grid on the ground.

use super::picture::{Finish, Ground};
use super::shape::Ray;
use super::world::{Surface, World};
use glam::Vec3;

/// The light that a visible point sends to the eye, in three parts. The last two parts are multiplied by the incoming light, after that light has
/// been smoothed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shade {
    /// Light that does not depend on incoming light, linear RGB [-]: the background.
    pub glow: Vec3,
    /// Reflected sunlight if the point is in the sun, linear RGB [-].
    pub sunlit: Vec3,
    /// Reflected fraction of the skylight, linear RGB [-].
    pub albedo: Vec3,
}

/// Reflection parameters of a finish.
struct Reflection {
    /// Extent of diffuse light beyond the terminator [-]; 0 for opaque materials.
    wrap: f32,
    /// Strength and exponent of the highlight [-].
    highlight: f32,
    sharpness: f32,
    /// Reflectance of the sky at normal incidence [-]; it increases to `rim` at grazing angles.
    mirror: f32,
    rim: f32,
    /// Brightening of the color at grazing angles [-].
    sheen: f32,
}

const MATTE: Reflection = Reflection { wrap: 0.0, highlight: 0.0, sharpness: 1.0, mirror: 0.0, rim: 0.04, sheen: 0.0 };
const CLOTH: Reflection = Reflection { sheen: 0.25, rim: 0.03, ..MATTE };
const JELLY: Reflection =
    Reflection { wrap: 0.35, highlight: 0.35, sharpness: 50.0, mirror: 0.03, rim: 0.45, sheen: 0.15 };
const GLOSSY: Reflection =
    Reflection { wrap: 0.0, highlight: 1.0, sharpness: 250.0, mirror: 0.05, rim: 0.8, sheen: 0.0 };

impl Finish {
    fn reflection(self) -> Reflection {
        match self {
            Finish::Matte | Finish::Fiber => MATTE,
            Finish::Cloth => CLOTH,
            Finish::Jelly => JELLY,
            Finish::Glossy => GLOSSY,
        }
    }
}

/// Returns the light that a point sends to the eye. `sunlight` is a direction toward a point of the sun.
pub(super) fn shade(world: &World, ray: &Ray, surface: &Surface, sunlight: Vec3) -> Shade {
    let to_eye = -ray.direction;
    let (sunlit, albedo) = match &surface.strand {
        Some(strand) => shade_fiber(surface, strand.tangent, to_eye, sunlight),
        None => shade_solid(world, surface, to_eye, sunlight),
    };
    let shade = Shade { glow: Vec3::ZERO, sunlit: world.picture().sun.color * sunlit, albedo };
    match (surface.ground, world.ground()) {
        (Some(t), Some(ground)) => {
            let ink = 1.0 - grid_ink(world, ground, surface.point, t, ray.direction);
            // The ground fades into the horizon, so that it has no visible edge.
            let beyond = (t / world.view().distance - 1.0).max(0.0);
            let near = (-(beyond / FADE).powi(2)).exp();
            Shade {
                glow: (1.0 - near) * world.picture().sky.horizon,
                sunlit: near * ink * shade.sunlit,
                albedo: near * ink * shade.albedo,
            }
        }
        _ => shade,
    }
}

/// Distance beyond the target at which the ground fades, relative to the distance from eye to target [-].
const FADE: f32 = 2.5;

/// Returns whether a point of the sun is visible from a surface.
pub(super) fn in_sun(world: &World, surface: &Surface, sunlight: Vec3) -> bool {
    // Light beyond the terminator passes through the object. For a solid, the ray starts inside and leaves without a hit. For a
    // strand, the ray starts on the lit side, because it would hit neighboring segments otherwise.
    let origin = match (&surface.strand, surface.inside) {
        (Some(strand), _) => strand.axis + strand.radius * strand.towards_light(surface.normal, sunlight),
        (None, Some(inside)) if surface.normal.dot(sunlight) < 0.0 => inside,
        _ => surface.outside,
    };
    let to_sun = Ray { origin, direction: sunlight };
    !world.blocked(&to_sun) && !world.hits_ground(&to_sun)
}

/// Returns the reflected fractions of sunlight and skylight for surfaces with a normal.
fn shade_solid(world: &World, surface: &Surface, to_eye: Vec3, sunlight: Vec3) -> (Vec3, Vec3) {
    let reflection = surface.finish.reflection();
    let normal = surface.normal;
    let facing = normal.dot(to_eye).clamp(0.0, 1.0);
    let edge = (1.0 - facing).powi(4);
    let mirror = reflection.mirror + (reflection.rim - reflection.mirror) * edge;
    let color = surface.color * (1.0 + reflection.sheen * (1.0 - facing).powi(2));

    let cosine = normal.dot(sunlight);
    let wrap = if surface.inside.is_some() { reflection.wrap } else { 0.0 };
    let lit = ((cosine + wrap) / (1.0 + wrap)).max(0.0);
    let half = (sunlight + to_eye).normalize_or(normal);
    let highlight =
        if cosine > 0.0 { reflection.highlight * normal.dot(half).max(0.0).powf(reflection.sharpness) } else { 0.0 };
    let sunlit = (1.0 - mirror) * lit * color + highlight;

    // The rim reflects the sky. The reflection is part of the albedo, so that it darkens with the skylight in folds and gaps.
    let mirrored = (2.0 * facing * normal - to_eye).y;
    let sky = &world.picture().sky;
    let reflected_sky = sky.towards(mirrored) / sky.towards(0.5).max(Vec3::splat(1e-3));
    (sunlit, (1.0 - mirror) * color + mirror * reflected_sky)
}

/// Returns the reflected fractions of sunlight and skylight for a strand, whose highlight depends on the angles to the tangent [Kajiya1989].
///
/// A thin cylinder reflects light into the cone `t.v = -t.l`. The highlight is a power of the cosine of the angle between the eye
/// direction and that cone, `sin(t,l) sin(t,v) - (t.l)(t.v)`. There are two highlights. Reflection at the surface
/// gives a white highlight, tilted toward the root. Light that passed through the hair gives a broader highlight in the hair's
/// color, tilted toward the tip.
fn shade_fiber(surface: &Surface, tangent: Vec3, to_eye: Vec3, sunlight: Vec3) -> (Vec3, Vec3) {
    let sine = |cosine: f32| (1.0 - cosine * cosine).max(0.0).sqrt();
    let lobe = |tilt: f32, sharpness: f32| {
        let tangent = (tangent + tilt * surface.normal).normalize();
        let (t_l, t_v) = (tangent.dot(sunlight), tangent.dot(to_eye));
        (sine(t_l) * sine(t_v) - t_l * t_v).max(0.0).powf(sharpness)
    };
    let across = sine(tangent.dot(sunlight));
    // Transmitted light also reaches the dark side of a strand, so its shading is softer than that of a solid.
    let around = 0.35 + 0.65 * surface.normal.dot(sunlight).max(0.0);
    let diffuse = 1.1 * across * around * surface.color;
    let highlight = 0.16 * lobe(-0.06, 90.0) + 0.55 * lobe(0.10, 18.0) * surface.color;
    (diffuse + across * highlight, 0.95 * surface.color)
}

/// Returns the skylight along a ray: `None` if the ray is blocked, and light reflected by the ground for downward rays.
pub(super) fn skylight(world: &World, ray: &Ray) -> Option<Vec3> {
    if world.blocked(ray) {
        return None;
    }
    let (sky, sun) = (&world.picture().sky, &world.picture().sun);
    Some(match world.ground() {
        Some(ground) if world.hits_ground(ray) => {
            // Assumes that half of the surrounding ground is unoccluded.
            let cosine = ground.normal.dot(sun.direction.normalize_or(Vec3::Y)).max(0.0);
            0.5 * ground.color * (cosine * sun.color + sky.strength * sky.horizon)
        }
        _ => sky.strength * sky.towards(ray.direction.y),
    })
}

/// Returns the darkening of the ground by the grid lines at a point [-].
fn grid_ink(world: &World, ground: &Ground, point: Vec3, t: f32, direction: Vec3) -> f32 {
    let view = world.view();
    let usable = |cell: f32| (cell.is_finite() && cell > 0.0).then_some(cell);
    let cell = ground.cell.and_then(usable).unwrap_or_else(|| 10f32.powf((0.15 * view.distance).log10().floor()));
    let (u, v) = ground.normal.any_orthonormal_pair();
    let offset = point - ground.point;
    // The footprint of a pixel on the ground: lines have this width, and fade where they would merge.
    let footprint = t * view.pixel / direction.dot(ground.normal).abs().max(0.05);
    let lines = |spacing: f32| {
        let apart = (1.0 - footprint / (0.25 * spacing)).max(0.0);
        let line = |x: f32| {
            let to_line = ((x / spacing + 0.5).rem_euclid(1.0) - 0.5).abs() * spacing;
            (1.0 - to_line / footprint).max(0.0)
        };
        apart * line(offset.dot(u)).max(line(offset.dot(v)))
    };
    0.09 * lines(cell) + 0.18 * lines(10.0 * cell)
}
