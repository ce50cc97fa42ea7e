//! Angle of repose of heaps of rod-like and of card-like grains [Schreck2020, Fig. 10].

use super::to_f32;
use crate::validation::Check;
use crate::validation::scenario::{Scenario, block};
use fibra_core::geometry::{Contact, RigidPose};
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::anisotropy::{AxisParameters, Orientation};
use fibra_mpm::materials::{Anisotropic, Lame, Material, Sand};
use glam::{DMat3, DVec3, Vec3};
use std::sync::Arc;

/// Height of a heap at the start [m].
const HEIGHT: f64 = 0.1;
/// Cell width [m].
const DX: f64 = HEIGHT / 20.0;
/// Width of the heap's top [m].
const TOP: f64 = 0.25 * HEIGHT;
/// Slope at the start [rad], steeper than the angles of repose.
const START: f64 = 65.0 * std::f64::consts::PI / 180.0;
/// Scale factors along the grain axis of the five materials of the figure [-].
const SCALES: [f64; 5] = [0.5, 0.75, 1.0, 1.5, 2.0];

/// With increasing scale factor, the angle of repose must decrease for rods and increase for cards. The first and the
/// last angle must differ by more than 8 degrees. The checks negate the measured angles, because [`Check::above`]
/// expects increasing values.
///
/// The heaps are thin slices against a wall. Grains start in the orientation that they have after pouring: rods lie
/// along the flank and cards flat on the flank. The flow preserves this orientation. A larger factor makes rods slide
/// more easily along their axis, because the law receives the shear multiplied by the factor. A smaller factor makes
/// cards slide more easily, because the pressure is multiplied by the square of the factor.
pub fn run() -> Result<Vec<Check>, String> {
    let rods = angles(1.0, |along, flat| DMat3::from_cols(flat, DVec3::Z, along))?;
    let mut cards = angles(-1.0, |along, flat| DMat3::from_cols(DVec3::Z, along, flat))?;
    let mut checks = Vec::new();
    cards.reverse();
    let mut reversed = SCALES;
    reversed.reverse();
    for (grains, angles, scales) in [("rods", &rods, SCALES), ("cards", &cards, reversed)] {
        for (pair, scale) in angles.windows(2).zip(&scales[1..]) {
            checks.push(Check::above(&format!("aniso-repose-{grains}-{scale}"), -pair[1], -pair[0]));
        }
        checks.push(Check::above(&format!("aniso-repose-{grains}-apart"), angles[0] - angles[4], 8.0));
    }
    Ok(checks)
}

/// Angle of repose for each scale factor [deg]. `axes` builds the material axes from the downhill direction and the
/// outward normal of the flank.
fn angles(elongation: f64, axes: fn(DVec3, DVec3) -> DMat3) -> Result<Vec<f64>, String> {
    let (sin, cos) = START.sin_cos();
    let axes = axes(DVec3::new(cos, -sin, 0.0), DVec3::new(sin, cos, 0.0));
    SCALES.iter().map(|&scale| slumped(scale, elongation, axes)).collect()
}

fn slumped(scale: f64, elongation: f64, axes: DMat3) -> Result<f64, String> {
    let thickness = 4.0 * DX;
    let full = DVec3::new(TOP + HEIGHT / START.tan(), HEIGHT, thickness);
    let substance = Substance { material: grains(scale, elongation)?, density: 1600.0 };
    let mut heap = Scenario::new(DX, block((0.5 * full).as_vec3(), RigidPose::at(0.5 * full), substance)?)?;
    heap.retain(|x| x.x < TOP + (HEIGHT - x.y) / START.tan());
    heap.state.particles.f.fill(to_f32(axes));
    heap.add_plane(DVec3::ZERO, Vec3::X, Contact::Slip, 0.0)?;
    heap.add_plane(DVec3::ZERO, Vec3::Z, Contact::Slip, 0.0)?;
    heap.add_plane(thickness * DVec3::Z, Vec3::NEG_Z, Contact::Slip, 0.0)?;
    heap.add_plane(DVec3::ZERO, Vec3::Y, Contact::Sticky, 0.0)?;
    heap.params.limits.sound_cfl = 0.6;
    heap.advance(0.7)?;
    Ok(slope(&heap).to_degrees())
}

/// Young's modulus 1e5 Pa and Poisson's ratio 0.4 are from [Schreck2020, Table 2]. The paper does not state a friction
/// angle.
fn grains(scale: f64, elongation: f64) -> Result<Material, String> {
    let of = |scale: f64| AxisParameters { youngs_modulus: 1e5, poisson_ratio: 0.4, scale };
    let sand = Material::Sand(Sand::new(Lame::new(1e5, 0.4), 30f64.to_radians(), 0.0, true));
    let orientation =
        Orientation { elongation, along: of(scale), across: of(1.0), mixed: of(1.0), start: [0.0, 0.0, 1.0] };
    Anisotropic::of_grains(&sand, &orientation)
        .map(|grains| Material::Anisotropic(Arc::new(grains)))
        .map_err(|error| error.to_string())
}

/// Slope of the least-squares line through the flank, between a fifth and four fifths of the height [rad].
fn slope(heap: &Scenario) -> f64 {
    let mut tops: Vec<f64> = Vec::new();
    for p in 0..heap.state.particles.len() {
        let x = heap.position(p);
        let column = (x.x.max(0.0) / DX) as usize;
        if column >= tops.len() {
            tops.resize(column + 1, 0.0);
        }
        tops[column] = tops[column].max(x.y);
    }
    let height = tops[0];
    let flank = tops.iter().enumerate().filter(|(_, top)| (0.2 * height..0.8 * height).contains(*top));
    let flank: Vec<[f64; 2]> = flank.map(|(column, top)| [column as f64 * DX, *top]).collect();
    let mean = |k: usize| flank.iter().map(|point| point[k]).sum::<f64>() / flank.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let (mut rise, mut run) = (0.0, 0.0);
    for point in &flank {
        rise += (point[0] - x) * (y - point[1]);
        run += (point[0] - x).powi(2);
    }
    rise.atan2(run)
}
