//! How bright a visible point is: sun, sky, finishes, and the grid on the ground.

use super::picture::{Finish, Ground};
use super::shape::Ray;
use super::world::{Surface, World};
use glam::Vec3;

/// What a visible point sends to the eye, in parts: two of them wait for light that is smoothed before it is multiplied.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shade {
    /// Linear RGB that needs no light: the background [-].
    pub glow: Vec3,
    /// Linear RGB if the sun shines on the point [-].
    pub sunlit: Vec3,
    /// Part of the sky's light that is sent on to the eye, linear RGB [-].
    pub albedo: Vec3,
}

/// How a finish answers the sun and the sky.
struct Look {
    /// How far light creeps past the edge of its shadow side [-]: 0 for opaque.
    wrap: f32,
    /// Strength of the highlight [-], and how small it is.
    highlight: f32,
    sharpness: f32,
    /// Reflection of the sky straight on [-]; it grows to `rim` where the surface turns away.
    mirror: f32,
    rim: f32,
    /// Brightening of the own color where the surface turns away [-].
    sheen: f32,
}

const MATTE: Look = Look { wrap: 0.0, highlight: 0.0, sharpness: 1.0, mirror: 0.0, rim: 0.04, sheen: 0.0 };
const CLOTH: Look = Look { sheen: 0.25, rim: 0.03, ..MATTE };
const JELLY: Look = Look { wrap: 0.35, highlight: 0.35, sharpness: 50.0, mirror: 0.03, rim: 0.45, sheen: 0.15 };
const GLOSSY: Look = Look { wrap: 0.0, highlight: 1.0, sharpness: 250.0, mirror: 0.05, rim: 0.8, sheen: 0.0 };

impl Finish {
    fn look(self) -> Look {
        match self {
            Finish::Matte | Finish::Fiber => MATTE,
            Finish::Cloth => CLOTH,
            Finish::Jelly => JELLY,
            Finish::Glossy => GLOSSY,
        }
    }
}

/// What a point sends to the eye. `sunlight` is a direction toward a point of the sun.
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
            // The floor dissolves into the horizon, so that it has no visible end.
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

/// How far beyond the target the ground dissolves [distances from eye to target].
const FADE: f32 = 2.5;

/// Whether a point of the sun can be seen from a surface.
pub(super) fn in_sun(world: &World, surface: &Surface, sunlight: Vec3) -> bool {
    // What glows past the edge of its shadow side is lit through itself. In a solid the ray starts inside and leaves
    // unhindered; in a strand it starts on the bright side, since segment after segment would be in its way.
    let origin = match (&surface.strand, surface.inside) {
        (Some(strand), _) => strand.axis + strand.radius * strand.towards_light(surface.normal, sunlight),
        (None, Some(inside)) if surface.normal.dot(sunlight) < 0.0 => inside,
        _ => surface.outside,
    };
    let to_sun = Ray { origin, direction: sunlight };
    !world.blocked(&to_sun) && !world.meets_ground(&to_sun)
}

/// Light sent to the eye per sunlight and per skylight that arrives, for surfaces with a normal.
fn shade_solid(world: &World, surface: &Surface, to_eye: Vec3, sunlight: Vec3) -> (Vec3, Vec3) {
    let look = surface.finish.look();
    let normal = surface.normal;
    let facing = normal.dot(to_eye).clamp(0.0, 1.0);
    let edge = (1.0 - facing).powi(4);
    let mirror = look.mirror + (look.rim - look.mirror) * edge;
    let color = surface.color * (1.0 + look.sheen * (1.0 - facing).powi(2));

    let cosine = normal.dot(sunlight);
    let wrap = if surface.inside.is_some() { look.wrap } else { 0.0 };
    let lit = ((cosine + wrap) / (1.0 + wrap)).max(0.0);
    let half = (sunlight + to_eye).normalize_or(normal);
    let highlight = if cosine > 0.0 { look.highlight * normal.dot(half).max(0.0).powf(look.sharpness) } else { 0.0 };
    let sunlit = (1.0 - mirror) * lit * color + highlight;

    // The rim mirrors the sky. As part of the albedo it darkens with the sky's light in folds and gaps.
    let mirrored = (2.0 * facing * normal - to_eye).y;
    let sky = &world.picture().sky;
    let reflection = sky.towards(mirrored) / sky.towards(0.5).max(Vec3::splat(1e-3));
    (sunlit, (1.0 - mirror) * color + mirror * reflection)
}

/// The same for a strand, whose highlight depends on the angles to its tangent [Kajiya1989].
///
/// Light mirrored by a thin cylinder leaves in the cone with `t.v = -t.l`; the highlight is a power of the cosine of
/// the angle between the eye and that cone, `sin(t,l) sin(t,v) - (t.l)(t.v)`. It has two parts, as hair does: a white one
/// from the outside, tilted to the root, and a broader one in the hair's own color that went through, tilted to the tip.
fn shade_fiber(surface: &Surface, tangent: Vec3, to_eye: Vec3, sunlight: Vec3) -> (Vec3, Vec3) {
    let sine = |cosine: f32| (1.0 - cosine * cosine).max(0.0).sqrt();
    let lobe = |tilt: f32, sharpness: f32| {
        let tangent = (tangent + tilt * surface.normal).normalize();
        let (t_l, t_v) = (tangent.dot(sunlight), tangent.dot(to_eye));
        (sine(t_l) * sine(t_v) - t_l * t_v).max(0.0).powf(sharpness)
    };
    let across = sine(tangent.dot(sunlight));
    // A strand is lit all round its dark side by light passing through, so its shading is gentler than a solid's.
    let around = 0.35 + 0.65 * surface.normal.dot(sunlight).max(0.0);
    let diffuse = 1.1 * across * around * surface.color;
    let highlight = 0.16 * lobe(-0.06, 90.0) + 0.55 * lobe(0.10, 18.0) * surface.color;
    (diffuse + across * highlight, 0.95 * surface.color)
}

/// The sky's light that arrives along a ray: none if something is in the way, the ground's reflection from below.
pub(super) fn skylight(world: &World, ray: &Ray) -> Option<Vec3> {
    if world.blocked(ray) {
        return None;
    }
    let (sky, sun) = (&world.picture().sky, &world.picture().sun);
    Some(match world.ground() {
        Some(ground) if world.meets_ground(ray) => {
            // As if half of the floor around were in the open.
            let sunny = ground.normal.dot(sun.direction.normalize_or(Vec3::Y)).max(0.0);
            0.5 * ground.color * (sunny * sun.color + sky.strength * sky.horizon)
        }
        _ => sky.strength * sky.towards(ray.direction.y),
    })
}

/// How much darker the ground is at a point because of its grid [-].
fn grid_ink(world: &World, ground: &Ground, point: Vec3, t: f32, direction: Vec3) -> f32 {
    let view = world.view();
    let usable = |cell: f32| (cell.is_finite() && cell > 0.0).then_some(cell);
    let cell = ground.cell.and_then(usable).unwrap_or_else(|| 10f32.powf((0.15 * view.distance).log10().floor()));
    let (u, v) = ground.normal.any_orthonormal_pair();
    let offset = point - ground.point;
    // A pixel's footprint on the floor: lines are that wide, and fade where they would run into each other.
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
