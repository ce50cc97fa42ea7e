//! Cloth on clamped cloth and fibers on clamped fibers, pulled downhill harder and harder until they slide.

use super::Check;
use super::fabric::{add_sheet, add_strands, straight};
use super::scenario::{G, Scenario};
use fibra_core::geometry::{Contact, Motion};
use fibra_mpm::internals::builder::{Builder, Fabric};
use fibra_mpm::internals::params::{Substance, Transfer};
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Cloth, Fiber, Lame, Material};
use glam::{DQuat, DVec3, Vec3};
use std::ops::Range;

/// Cell width [m].
const DX: f64 = 0.02;
/// Length of the meshes' elements and distance between layers [m].
const H: f64 = 0.5 * DX;
/// Density [kg/m^3].
const DENSITY: f64 = 2.0;
/// How long the weight takes to set in, and how long it then rests [s].
const SETTLE: f64 = 0.4;
/// How long the slope takes to rise from 0 to 1 [s].
const TILT: f64 = 2.0;
/// Places of the slope at which the speed is taken.
const SAMPLES: u32 = 200;

/// Critical slope of cloth against `c_F = 0.2`.
pub fn cloth_low() -> Result<Vec<Check>, String> {
    cloth("cloth-friction-0.2", 0.2, DQuat::IDENTITY)
}

/// Critical slope of cloth against `c_F = 0.5`.
pub fn cloth_high() -> Result<Vec<Check>, String> {
    cloth("cloth-friction-0.5", 0.5, DQuat::IDENTITY)
}

/// The same, with cloth and table turned within the grid by the angle of the slope, 26.6 degrees: gravity is then upright
/// where sliding sets in.
pub fn cloth_tilted() -> Result<Vec<Check>, String> {
    cloth("cloth-friction-tilted", 0.5, DQuat::from_rotation_z(-(0.5f64).atan()))
}

/// A patch of cloth lies on a larger one, all vertices of which are held.
///
/// The patch stays as long as its normals, sheared by `r13, r23` and compressed to `r33`, carry the traction: up to `c_F`
/// times the pressure [Jiang2017, Sec. 4.5.1]. Weight and pull act on the same mass and pass through the same weights of the
/// grid, so that they are to each other as pressure and traction, and the critical slope is `c_F`.
///
/// Held vertices do not meet the grid, and what presses on their elements presses the grid below them: the clamped cloth
/// lies on a table, two layers thick so that every node between both has an element that carries it.
fn cloth(name: &str, friction: f64, turn: DQuat) -> Result<Vec<Check>, String> {
    // Under the patch's weight, some rho g dx = 0.4 Pa, normals are compressed by 6 % and sheared by up to 0.4 %.
    let law = Cloth::new(Lame::new(400.0, 0.3), 100.0, 50.0, friction.atan(), ContactModel::Frictional);
    let substance = Substance { material: Material::Cloth(law), density: DENSITY as f32 };
    let fabric = Fabric { density: DENSITY, section: H, follows_mesh: true };
    let mut builder = Builder::new(DVec3::ZERO);
    let mut sheet = |n: u32, height: f64| {
        let half = 0.5 * f64::from(n) * H;
        let corner = turn * DVec3::new(-half, height, -half);
        add_sheet(&mut builder, &fabric, corner, [turn * DVec3::Z, turn * DVec3::X], [n, n], H)
    };
    let clamped = sheet(30, H)?.start..sheet(30, 2.0 * H)?.end;
    let free = sheet(16, 4.0 * H)?;
    Slope::new(substance, builder, clamped, free, turn)?.check(name, friction)
}

/// Critical slope along the fibers of a mat against 0.2.
pub fn fiber_low() -> Result<Vec<Check>, String> {
    fiber("fiber-friction-0.2", 0.2)
}

/// Critical slope along the fibers of a mat against 0.5.
pub fn fiber_high() -> Result<Vec<Check>, String> {
    fiber("fiber-friction-0.5", 0.5)
}

/// A mat of parallel fibers, three layers, lies on a longer one, three layers whose vertices are all held. Both lie between
/// walls without friction. The pull is along the fibers.
///
/// With 1 along the fibers, 2 upwards and 3 across, the mat stays as long as `|s12| <= -beta (s22 + s33) / 2`
/// [Jiang2017, Sec. 4.5.2]. `s12 / s22` is the slope; the pressure on the walls, `s33 = K s22`, follows from the flow of the
/// cross-section, which admits `|s22 - s33| <= -alpha/2 (s22 + s33)`. Pressed from above and held by the walls alone, the
/// section would have `K = nu / (1 - nu) = 0.43` if it did not flow. It flows until `(1 - K) / (1 + K) = alpha / 2`, so that
/// `(1 + K) / 2 = 1 / (1 + alpha / 2)`. The critical slope is `beta / (1 + alpha / 2)`.
///
/// With `beta = 0.5` it is 0.437. Here the friction angle is the one for which it is the number in the case's name.
fn fiber(name: &str, friction: f64) -> Result<Vec<Check>, String> {
    let contact = |angle: f64| Fiber::new(500.0, 100.0, Lame::new(100.0, 0.3), angle, ContactModel::Frictional);
    // Contracts fast: alpha / 2 grows by 0.2 per radian at most.
    let angle = (0..20)
        .fold(friction.atan(), |angle, _| (friction * (1.0 + 0.5 * f64::from(contact(angle).friction_across))).atan());
    let substance = Substance { material: Material::Fiber(contact(angle)), density: DENSITY as f32 };
    let fabric = Fabric { density: DENSITY, section: H * H, follows_mesh: true };
    let mut builder = Builder::new(DVec3::ZERO);
    const WIDTH: u32 = 6;
    let mut mat = |n: u32, layers: Range<u32>| {
        let places = layers.flat_map(|layer| (0..WIDTH).map(move |i| (layer, i)));
        let strands: Vec<_> = places
            .map(|(layer, i)| {
                let from = DVec3::new(-0.5 * f64::from(n), f64::from(layer) + 0.5, f64::from(i) + 0.5);
                straight(H * from, DVec3::X, n, H)
            })
            .collect();
        add_strands(&mut builder, &fabric, &strands)
    };
    let clamped = mat(40, 0..3)?;
    let free = mat(24, 3..6)?;
    let mut slope = Slope::new(substance, builder, clamped, free, DQuat::IDENTITY)?;
    slope.scenario.add_plane(DVec3::ZERO, Vec3::Z, Contact::Slip, 0.0)?;
    slope.scenario.add_plane(f64::from(WIDTH) * H * DVec3::Z, Vec3::NEG_Z, Contact::Slip, 0.0)?;
    slope.check(name, friction)
}

/// Something free on something clamped.
struct Slope {
    scenario: Scenario,
    /// The vertices that may slide.
    free: Range<u32>,
    /// From the slope's frame, x downhill and y away from the table, to the world's.
    turn: DQuat,
}

impl Slope {
    /// Clamps vertices and puts a table under them, at the origin.
    fn new(
        substance: Substance,
        mut builder: Builder,
        clamped: Range<u32>,
        free: Range<u32>,
        turn: DQuat,
    ) -> Result<Slope, String> {
        builder.add_pin(&clamped.collect::<Vec<_>>(), Motion::Still, DVec3::ZERO, f64::INFINITY);
        let mut scenario = Scenario::of_meshes(DX, substance, builder);
        scenario.add_plane(DVec3::ZERO, (turn * DVec3::Y).as_vec3(), Contact::Sticky, 0.0)?;
        scenario.params.transfer = Transfer::Apic { damping: 1.0 };
        Ok(Slope { scenario, free, turn })
    }

    /// Raises the slope until the free has slid by a cell, at most to 1, and finds where sliding set in.
    ///
    /// The weight normal to the slope stays `g`, and `g` times the slope pulls downhill: only their ratio matters, and contact
    /// that is unloaded while it is tilted would remember its larger load. Nodes that the free shares with the table, or with the
    /// clamped, take a share of its speed in every step, so that it slides at a speed in proportion to what pulls beyond
    /// friction. The slope wanted is where that line meets zero.
    fn check(mut self, name: &str, expected: f64) -> Result<Vec<Check>, String> {
        const RAMP: u32 = 50;
        for k in 1..=RAMP {
            self.pull(f64::from(k) / f64::from(RAMP), 0.0);
            self.scenario.advance(0.75 * SETTLE * f64::from(k) / f64::from(RAMP))?;
        }
        self.scenario.advance(SETTLE)?;
        let start = self.downhill();
        let mut before = start;
        let mut speeds = Vec::new();
        for k in 1..=SAMPLES {
            let slope = f64::from(k) / f64::from(SAMPLES);
            self.pull(1.0, slope);
            self.scenario.advance(SETTLE + TILT * slope)?;
            let now = self.downhill();
            speeds.push((slope, (now - before) * f64::from(SAMPLES) / TILT));
            before = now;
            if now - start > DX {
                break;
            }
        }
        Ok(vec![Check::relative(name, kink(&speeds), expected, 0.15)])
    }

    /// Sets gravity, in units of `g`: toward the table and downhill.
    fn pull(&mut self, weight: f64, downhill: f64) {
        let gravity = self.turn * (G * DVec3::new(downhill, -weight, 0.0));
        self.scenario.params.gravity = gravity.as_vec3().to_array();
    }

    /// How far down the free is, on average [m].
    fn downhill(&self) -> f64 {
        let x = self.scenario.positions_of(self.free.clone());
        x.iter().sum::<DVec3>().dot(self.turn * DVec3::X) / x.len() as f64
    }
}

/// Where `v = a max(0, slope - kink)` has its kink, for the `a` and the kink that fit best to pairs of slope and speed.
fn kink(speeds: &[(f64, f64)]) -> f64 {
    let misfit = |kink: f64| {
        let beyond = |slope: f64| f64::max(0.0, slope - kink);
        let a = speeds.iter().map(|&(slope, v)| beyond(slope) * v).sum::<f64>()
            / speeds.iter().map(|&(slope, _)| beyond(slope).powi(2)).sum::<f64>();
        speeds.iter().map(|&(slope, v)| (v - a * beyond(slope)).powi(2)).sum::<f64>()
    };
    // Two pairs at least must lie beyond it.
    let last = speeds.iter().rev().nth(1).map_or(0.0, |pair| pair.0);
    let candidates = (0..1000).map(|k| 1e-3 * f64::from(k)).take_while(|kink| *kink < last);
    candidates.min_by(|a, b| misfit(*a).total_cmp(&misfit(*b))).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kink_is_found() {
        let speeds: Vec<_> =
            (1..=100).map(|k| 0.01 * f64::from(k)).map(|s| (s, 0.3 * f64::max(0.0, s - 0.37))).collect();
        assert!((kink(&speeds) - 0.37).abs() < 2e-3);
    }
}
