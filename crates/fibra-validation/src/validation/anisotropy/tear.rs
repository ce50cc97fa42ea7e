//! A hanging fibrous body tears under its own weight along its weak plane [Schreck2020, Fig. 3].

use super::to_f32;
use crate::validation::Check;
use crate::validation::scenario::{G, Scenario, block};
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::anisotropy::{Anisotropy, Elasticity, Orthotropic, StressMap};
use fibra_mpm::materials::{Anisotropic, Lame, Material, Tissue};
use glam::{DMat3, DVec3, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cell width [m].
const DX: f64 = 0.01;
/// Width, height and thickness of the body [m], a thin slice between two frictionless walls.
const SIZE: DVec3 = DVec3::new(0.3, 0.6, 4.0 * DX);
/// Depth of the waist below the top, half its length and half its width [m]. The waist makes the body break far from
/// the clamp.
const WAIST: [f64; 3] = [0.21, 0.15, 0.045];
/// Angles between the weak direction and the vertical [deg]. An isotropic material breaks horizontally.
const ANGLES: [f64; 3] = [0.0, 20.0, 40.0];

/// Checks the angle between the weak direction and the normal of the crack, which must be at most 20 degrees.
///
/// Angles above 45 degrees are not tested. For these angles, the fibers hang almost vertically, the halves slide along
/// each other, and the path of the crack depends on the clamp.
pub fn run() -> Result<Vec<Check>, String> {
    let check = |&weak: &f64| Ok(Check::at_most(&format!("aniso-tear-{weak}"), (crack(weak)? - weak).abs(), 20.0));
    ANGLES.iter().map(check).collect()
}

/// Angle between the crack's normal and the vertical [deg].
fn crack(weak: f64) -> Result<f64, String> {
    let mut body = hanging(weak)?;
    let count = body.state.particles.len() as u32;
    let rest = body.positions_of(0..count);
    // Gravity increases slowly, so that only one crack forms.
    const RAMP: f64 = 1.0;
    body.step(1e-6)?;
    flaw(&mut body);
    while body.state.time < 1.2 * RAMP {
        let now = body.state.time;
        body.params.gravity[1] = -(G * (now / RAMP).min(1.0)) as f32;
        let dt = body.step(1.2 * RAMP)?;
        let kept = (-5.0 * dt).exp() as f32;
        body.state.particles.v.iter_mut().flatten().for_each(|v| *v *= kept);
        let lowest = (0..count as usize).map(|p| body.position(p).y).fold(0.0, f64::min);
        if lowest < -SIZE.y - 4.0 * DX {
            return normal(&rest, &body.positions_of(0..count));
        }
    }
    Err("the body has not torn".to_owned())
}

/// Starts the crack: particles within one cell width of the center of the waist lose a tenth of their strength.
fn flaw(body: &mut Scenario) {
    for p in 0..body.state.particles.len() {
        let offset = body.position(p) + WAIST[0] * DVec3::Y;
        if offset.truncate().length() < DX {
            body.state.particles.memory[p] = 0.02;
        }
    }
}

/// The anisotropy is stronger than in the paper, which makes cracks follow the weak direction more closely.
fn fibers() -> Result<Material, String> {
    let tissue = Tissue { lame: Lame::new(1e5, 0.0), critical_shear: 0.025, softening: 6.0 };
    let elasticity = Orthotropic {
        youngs_moduli: [1e5, 1e5, 5e4],
        poisson_ratios: [0.1, 0.4, 0.1],
        reverse_poisson_ratios: None,
        shear_moduli: None,
    };
    let wanted =
        Anisotropy { elasticity: Elasticity::Orthotropic(elasticity), stress_map: StressMap::Scales([0.5, 0.5, 1.5]) };
    Anisotropic::new(&Material::Tissue(tissue), &wanted)
        .map(|fibers| Material::Anisotropic(Arc::new(fibers)))
        .map_err(|error| error.to_string())
}

/// The body with its top at y = 0. Its weak direction is in the xy plane, at the angle `weak` [deg] to the vertical.
fn hanging(weak: f64) -> Result<Scenario, String> {
    let substance = Substance { material: fibers()?, density: 1000.0 };
    let middle = 0.5 * SIZE * DVec3::new(0.0, -1.0, 1.0);
    let mut body = Scenario::new(DX, block((0.5 * SIZE).as_vec3(), RigidPose::at(middle), substance)?)?;
    let [depth, half_length, half_width] = WAIST;
    body.retain(|x| x.x.abs() < half_width * (1.0 + 1.5 * ((-x.y - depth) / half_length).powi(2)));
    let (sin, cos) = weak.to_radians().sin_cos();
    let (across, along) = (DVec3::new(sin, cos, 0.0), DVec3::new(cos, -sin, 0.0));
    body.state.particles.f.fill(to_f32(DMat3::from_cols(along, across.cross(along), across)));
    body.add_plane(DVec3::ZERO, Vec3::Z, Contact::Slip, 0.0)?;
    body.add_plane(SIZE.z * DVec3::Z, Vec3::NEG_Z, Contact::Slip, 0.0)?;
    let half_height = 0.05;
    body.params.colliders.push(Collider {
        name: "clamp".to_owned(),
        shape: Shape::cuboid(Vec3::new(1.0, half_height as f32, 1.0)).map_err(|e| e.to_string())?,
        rest: RigidPose::at((half_height - 2.0 * DX) * DVec3::Y),
        motion: Motion::Still,
        contact: Contact::Sticky,
        friction: 0.0,
    });
    Ok(body)
}

/// Fits a plane to the crack by least squares and returns the angle between its normal and the vertical [deg].
///
/// Particles that were neighbors at the start and are now far apart lie on opposite sides of the crack. The plane is
/// fitted to the midpoints between them.
fn normal(rest: &[DVec3], now: &[DVec3]) -> Result<f64, String> {
    const SPACING: f64 = 0.5 * DX;
    let cell = |x: DVec3| (x / SPACING).floor().as_ivec3().to_array();
    let at: BTreeMap<[i32; 3], usize> = rest.iter().enumerate().map(|(p, x)| (cell(*x), p)).collect();
    let mut between: Vec<DVec3> = Vec::new();
    for (&[i, j, k], &p) in &at {
        for next in [[i + 1, j, k], [i, j + 1, k], [i, j, k + 1]] {
            if let Some(&q) = at.get(&next)
                && now[p].distance(now[q]) > 2.5 * SPACING
            {
                between.push(0.5 * (rest[p] + rest[q]));
            }
        }
    }
    if between.len() < 10 {
        return Err("no crack was found: fewer than 10 pairs of neighbors have separated".to_owned());
    }
    let middle = between.iter().sum::<DVec3>() / between.len() as f64;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for x in &between {
        let d = *x - middle;
        xx += d.x * d.x;
        xy += d.x * d.y;
        yy += d.y * d.y;
    }
    // Angle between the principal axis of the points and the horizontal. It equals the angle between the normal and the
    // vertical.
    Ok(-0.5 * (2.0 * xy).atan2(xx - yy).to_degrees())
}
