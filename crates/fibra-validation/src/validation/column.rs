//! A round column of sand is let go on a rough floor and slumps into a heap: how far does it run out?

use super::Check;
use super::scenario::{Body, G, Scenario};
use fibra_core::geometry::{Contact, RigidPose, Shape};
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::{Lame, Material, Sand};
use glam::{DVec3, Vec3};
use std::f64::consts::{PI, SQRT_2};

/// Radius of the column `r0` [m].
const RADIUS: f64 = 0.1;
/// Cells along the radius.
const CELLS: f64 = 16.0;
/// Friction angle [rad]: sand and the other grains of the experiments form heaps of about 30 degrees.
const FRICTION_ANGLE: f64 = 30.0 * PI / 180.0;

/// Runout of a column lower than wide, aspect ratio `a = h0 / r0 = 0.8`, against `1.24 a` [Lube2004].
pub fn low() -> Result<Vec<Check>, String> {
    const ASPECT: f64 = 0.8;
    Ok(vec![Check::relative("mpm-column-low", runout(ASPECT)?, 1.24 * ASPECT, 0.15)])
}

/// Runout of a tall column, `a = 3`, against `1.6 sqrt(a)` [Lube2004].
pub fn tall() -> Result<Vec<Check>, String> {
    const ASPECT: f64 = 3.0;
    Ok(vec![Check::relative("mpm-column-tall", runout(ASPECT)?, 1.6 * ASPECT.sqrt(), 0.15)])
}

/// `(r - r0) / r0`, where `r` is the radius of the heap: of its outermost ring that is on average at least one particle
/// spacing thick. Single grains beyond do not count, as in the experiments.
///
/// What it depends on: transfers on the grid slow thin layers down, so that finer grids run further.
///
/// | cells along `r0` | 10 | 12 | 14 | 16 | 20 |
/// |---|---|---|---|---|---|
/// | low, expected 0.99 | 0.75 | 0.83 | 0.89 | 0.91 | 0.98 |
/// | tall, expected 2.77 | 2.85 | 2.96 | 3.00 | 3.03 | |
fn runout(aspect: f64) -> Result<f64, String> {
    let height = aspect * RADIUS;
    let mut sand = quarter_column(height)?;
    let collapse = (height / G).sqrt();
    // The experiments end after about 3.3 collapse times.
    for k in 3..=12 {
        sand.advance(f64::from(k) * collapse)?;
        if sand.mass_weighted(|p| DVec3::X * sand.velocity(p).length_squared()).x < 1e-6 * sand.mass() * G * height {
            return Ok(front(&sand) / RADIUS - 1.0);
        }
    }
    Err("the sand has not come to rest".to_owned())
}

/// A quarter of the column between two frictionless walls, which stand for the rest of it.
fn quarter_column(height: f64) -> Result<Scenario, String> {
    let body = Body {
        shape: Shape::cylinder(0.5 * height as f32, RADIUS as f32).map_err(|e| e.to_string())?,
        pose: RigidPose::at(DVec3::new(0.0, 0.5 * height, 0.0)),
        substance: Substance { material: Material::Sand(grains()), density: 1600.0 },
    };
    let mut sand = Scenario::new(RADIUS / CELLS, body)?;
    sand.retain(|x| x.x > 0.0 && x.z > 0.0);
    sand.add_plane(DVec3::ZERO, Vec3::X, Contact::Slip, 0.0)?;
    sand.add_plane(DVec3::ZERO, Vec3::Z, Contact::Slip, 0.0)?;
    sand.add_plane(DVec3::ZERO, Vec3::Y, Contact::Sticky, 0.0)?;
    // Every step smooths the motion a little, which thin layers feel: the fewer, the better.
    sand.params.limits.sound_cfl = 0.6;
    Ok(sand)
}

/// Sand whose cone meets Mohr and Coulomb's pyramid in plane strain, which is how a flank shears.
///
/// Plastic flow keeps the volume, so in plane strain the middle principal stress is the mean of the others:
/// `|dev tau| = (s1 - s3) / sqrt(2)` and `tr tau = 3 (s1 + s3) / 2`. With `s1 - s3 = -(s1 + s3) sin(phi)` the cone
/// `|dev tau| + alpha tr tau = 0` has `alpha = sqrt(2) sin(phi) / 3`. A cone that meets the pyramid along its compression
/// edges, as [`Sand::new`] makes it, would be as strong as 44 degrees here.
fn grains() -> Sand {
    // Soft against real sand, for longer steps: the column's own weight squeezes it by at most 5 %.
    let lame = Lame::new(1e5, 0.3);
    Sand { alpha: (SQRT_2 / 3.0 * FRICTION_ANGLE.sin()) as f32, ..Sand::new(lame, FRICTION_ANGLE, 0.0, true) }
}

/// Radius of the heap [m].
fn front(sand: &Scenario) -> f64 {
    let p = &sand.state.particles;
    let grains = &sand.params.substances[0].material;
    let spacing = 0.5 * f64::from(sand.params.dx);
    let mut volumes = Vec::new();
    for i in 0..p.len() {
        let x = sand.position(i);
        let ring = (x.x.hypot(x.z) / spacing) as usize;
        if ring >= volumes.len() {
            volumes.resize(ring + 1, 0.0);
        }
        volumes[ring] += f64::from(p.volume[i] * grains.volume_ratio(&p.f[i], p.memory[i]));
    }
    let thick = volumes.iter().enumerate().rposition(|(ring, volume)| {
        let inner = ring as f64 * spacing;
        let area = 0.25 * PI * ((inner + spacing).powi(2) - inner * inner);
        volume / area >= spacing
    });
    thick.map_or(0.0, |ring| (ring + 1) as f64 * spacing)
}
