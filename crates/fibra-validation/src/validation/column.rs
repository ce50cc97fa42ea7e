//! Runout of a round column of sand that collapses on a rough floor.

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
/// Friction angle [rad]. In the experiments, the angle of repose of the sand and of other grains is about 30 degrees.
const FRICTION_ANGLE: f64 = 30.0 * PI / 180.0;

/// Runout of a column that is lower than wide, with aspect ratio `a = h0 / r0 = 0.8`, compared with `1.24 a`
/// [Lube2004].
pub fn low() -> Result<Vec<Check>, String> {
    const ASPECT: f64 = 0.8;
    Ok(vec![Check::relative("mpm-column-low", runout(ASPECT)?, 1.24 * ASPECT, 0.15)])
}

/// Runout of a tall column, `a = 3`, compared with `1.6 sqrt(a)` [Lube2004].
pub fn tall() -> Result<Vec<Check>, String> {
    const ASPECT: f64 = 3.0;
    Ok(vec![Check::relative("mpm-column-tall", runout(ASPECT)?, 1.6 * ASPECT.sqrt(), 0.15)])
}

/// Relative runout `(r - r0) / r0`, where `r` is the radius of the heap. The heap ends at its outermost ring with a mean
/// thickness of at least one particle spacing. As in the experiments, single grains beyond this ring do not count.
///
/// The runout depends on the resolution. Grid transfers slow down thin layers, so the runout is longer on finer grids.
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

/// A quarter of the column between two frictionless walls, which act as symmetry planes.
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
    // Every step adds numerical diffusion, which slows down thin layers, so take longer steps.
    sand.params.limits.sound_cfl = 0.6;
    Ok(sand)
}

/// Sand whose Drucker-Prager cone matches the Mohr-Coulomb pyramid in plane strain, which is the state of a shearing
/// flank.
///
/// Plastic flow preserves volume, so in plane strain the intermediate principal stress is the mean of the other two:
/// `|dev tau| = (s1 - s3) / sqrt(2)` and `tr tau = 3 (s1 + s3) / 2`. With `s1 - s3 = -(s1 + s3) sin(phi)`, the cone
/// `|dev tau| + alpha tr tau = 0` has `alpha = sqrt(2) sin(phi) / 3`. A cone through the compression edges of the
/// pyramid, as in [`Sand::new`], would be as strong as a friction angle of 44 degrees here.
fn grains() -> Sand {
    // Softer than real sand, which allows longer steps. The weight of the column compresses it by at most 5 %.
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
