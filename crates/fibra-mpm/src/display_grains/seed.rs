//! Initial grains: around every particle, along its material axes.

use super::Grain;
use crate::state::Particles;
use fibra_core::random::CounterRng;
use glam::{DQuat, DVec3, Mat3, Quat, Vec3};
use std::f64::consts::TAU;
use std::ops::Range;

/// Parameters for seeding grains around particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seeding {
    /// Grains per particle.
    pub per_particle: u32,
    /// Distance between particles [m]: grains are seeded in the cube of that side around their particle.
    pub spacing: f64,
    /// Largest angle between a grain's third axis and the material's [rad], at most pi. Directions are uniform within that cone.
    pub spread: f64,
    /// Whether each grain is rotated about its third axis by a random angle, for round grains.
    pub round: bool,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Maximum number of positions tried for a grain before it is placed at its particle.
const TRIES: u64 = 8;

/// Creates the grains of the particles with the given indices, in their order. The state must not have been sorted yet. `contains` returns whether
/// a position [m, relative to the run origin] is inside the object.
pub fn seed(
    particles: &Particles,
    places: Range<usize>,
    seeding: &Seeding,
    contains: impl Fn(DVec3) -> bool,
) -> Vec<Grain> {
    let random = CounterRng::new(seeding.seed);
    let mut grains = Vec::with_capacity(places.len() * seeding.per_particle as usize);
    for p in places {
        let middle = DVec3::from_array(particles.x[p].map(f64::from));
        let axes = Quat::from_mat3(&Mat3::from_cols(
            particles.f[p].column_x().into(),
            particles.f[p].column_y().into(),
            particles.f[p].column_z().into(),
        ));
        let c = &particles.c[p];
        for n in 0..seeding.per_particle {
            let number = |which: u64| random.uniform(&[p as u64, u64::from(n), which]);
            let place = |attempt: u64| {
                let offset = DVec3::new(number(3 * attempt), number(3 * attempt + 1), number(3 * attempt + 2)) - 0.5;
                middle + seeding.spacing * offset
            };
            let x = (0..TRIES).map(place).find(|&x| contains(x)).unwrap_or(middle);
            let own = own_rotation(seeding, [0, 1, 2].map(|which| number(3 * TRIES + which))).as_quat();
            let from_particle = (x - middle).as_vec3().to_array();
            grains.push(Grain {
                x: x.as_vec3().to_array(),
                rotation: (axes * own).normalize().to_array(),
                v: (Vec3::from(particles.v[p]) + Vec3::from(c.mul_vec(from_particle))).to_array(),
                spin: (0.5 * Vec3::new(c.zy - c.yz, c.xz - c.zx, c.yx - c.xy)).to_array(),
            });
        }
    }
    grains
}

/// Returns a grain's rotation relative to the material axes, from three random numbers.
fn own_rotation(seeding: &Seeding, [toward, tilt, about]: [f64; 3]) -> DQuat {
    let (sine, cosine) = (TAU * toward).sin_cos();
    // Equal areas of the sphere are equally likely when the cosine is uniform.
    let angle = (1.0 - tilt * (1.0 - seeding.spread.cos())).acos();
    let turn = if seeding.round { DQuat::from_rotation_z(TAU * about) } else { DQuat::IDENTITY };
    DQuat::from_axis_angle(DVec3::new(cosine, sine, 0.0), angle) * turn
}
