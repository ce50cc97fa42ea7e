//! Cloth on clamped cloth, and fibers on clamped fibers. The free mesh is pulled downhill with increasing force until
//! it slides.

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
/// Time during which gravity is ramped up and the mesh settles, before the slope rises [s].
const SETTLE: f64 = 0.4;
/// Time during which the slope rises from 0 to 1 [s].
const TILT: f64 = 2.0;
/// Number of slopes at which the speed is measured.
const SAMPLES: u32 = 200;

/// Critical slope of cloth, compared with `c_F = 0.2`.
pub fn cloth_low() -> Result<Vec<Check>, String> {
    cloth("cloth-friction-0.2", 0.2, DQuat::IDENTITY)
}

/// Critical slope of cloth, compared with `c_F = 0.5`.
pub fn cloth_high() -> Result<Vec<Check>, String> {
    cloth("cloth-friction-0.5", 0.5, DQuat::IDENTITY)
}

/// Critical slope if cloth and table are rotated relative to the grid by the angle of the slope, 26.6 degrees. Gravity
/// is then vertical when sliding starts.
pub fn cloth_tilted() -> Result<Vec<Check>, String> {
    cloth("cloth-friction-tilted", 0.5, DQuat::from_rotation_z(-(0.5f64).atan()))
}

/// A patch of cloth on a larger patch with all its vertices pinned.
///
/// The normals of the patch are sheared by `r13, r23` and compressed to `r33`. They can support a traction of up to
/// `c_F` times the pressure [Jiang2017, Sec. 4.5.1], and the patch stays at rest as long as the traction is below this
/// bound. Weight and downhill force act on the same mass and use the same grid weights. Their ratio therefore equals
/// the ratio of traction to pressure, and the critical slope is `c_F`.
///
/// Pinned vertices do not interact with the grid, and pressure on their elements is transferred to the grid below them.
/// The clamped cloth therefore lies on a table. It is two layers thick, so that every node between the cloths has an
/// element that supports it.
fn cloth(name: &str, friction: f64, turn: DQuat) -> Result<Vec<Check>, String> {
    // The patch's weight, about rho g dx = 0.4 Pa, compresses the normals by 6 % and shears them by up to 0.4 %.
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

/// Critical slope along the fibers of a mat, compared with 0.2.
pub fn fiber_low() -> Result<Vec<Check>, String> {
    fiber("fiber-friction-0.2", 0.2)
}

/// Critical slope along the fibers of a mat, compared with 0.5.
pub fn fiber_high() -> Result<Vec<Check>, String> {
    fiber("fiber-friction-0.5", 0.5)
}

/// A mat of three layers of parallel fibers on a longer mat of three layers with all vertices pinned. Both lie between
/// frictionless walls. The downhill force acts along the fibers.
///
/// With axis 1 along the fibers, 2 up and 3 across, the mat stays at rest as long as `|s12| <= -beta (s22 + s33) / 2`
/// [Jiang2017, Sec. 4.5.2]. The slope is `s12 / s22`. The pressure on the walls, `s33 = K s22`, follows from the
/// plastic flow of the cross-section, which admits `|s22 - s33| <= -alpha/2 (s22 + s33)`. An elastic section pressed
/// from above and confined by the walls would have `K = nu / (1 - nu) = 0.43`. It flows until
/// `(1 - K) / (1 + K) = alpha / 2`, and then `(1 + K) / 2 = 1 / (1 + alpha / 2)`. The critical slope is
/// `beta / (1 + alpha / 2)`.
///
/// For `beta = 0.5`, the critical slope is 0.437. Each case chooses the friction angle so that the critical slope is
/// the number in the name of the case.
fn fiber(name: &str, friction: f64) -> Result<Vec<Check>, String> {
    let contact = |angle: f64| Fiber::new(500.0, 100.0, Lame::new(100.0, 0.3), angle, ContactModel::Frictional);
    // The fixed-point iteration converges fast: alpha / 2 grows by at most 0.2 per radian.
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

/// A free mesh on a clamped mesh.
struct Slope {
    scenario: Scenario,
    /// Vertices of the free mesh.
    free: Range<u32>,
    /// Rotation from the frame of the slope (x downhill, y away from the table) to the world frame.
    turn: DQuat,
}

impl Slope {
    /// Clamps vertices and adds a table through the origin.
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
        scenario.params.transfer = Transfer::RIGID;
        Ok(Slope { scenario, free, turn })
    }

    /// Raises the slope, at most to 1, until the free mesh has slid by one cell. Then finds the slope at which sliding
    /// started.
    ///
    /// Gravity normal to the slope stays `g`, and the downhill part is `g` times the slope. Only the ratio of the two
    /// matters. A normal load that decreased during tilting would leave contacts in a state that results from a larger
    /// load. In every step, nodes shared with the table or the clamped mesh remove a share of the free mesh's speed.
    /// The mesh therefore slides at a speed proportional to the force in excess of friction. The critical slope is
    /// where the line of speed against slope crosses zero.
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

    /// Sets the components of gravity toward the table and downhill, in units of `g`.
    fn pull(&mut self, weight: f64, downhill: f64) {
        let gravity = self.turn * (G * DVec3::new(downhill, -weight, 0.0));
        self.scenario.params.gravity = gravity.as_vec3().to_array();
    }

    /// Mean downhill position of the free mesh [m].
    fn downhill(&self) -> f64 {
        let x = self.scenario.positions_of(self.free.clone());
        x.iter().sum::<DVec3>().dot(self.turn * DVec3::X) / x.len() as f64
    }
}

/// Least-squares fit of `v = a max(0, slope - kink)` to pairs of slope and speed; returns `kink`.
fn kink(speeds: &[(f64, f64)]) -> f64 {
    let misfit = |kink: f64| {
        let beyond = |slope: f64| f64::max(0.0, slope - kink);
        let a = speeds.iter().map(|&(slope, v)| beyond(slope) * v).sum::<f64>()
            / speeds.iter().map(|&(slope, _)| beyond(slope).powi(2)).sum::<f64>();
        speeds.iter().map(|&(slope, v)| (v - a * beyond(slope)).powi(2)).sum::<f64>()
    };
    // At least two pairs must lie beyond the kink.
    let last = speeds.iter().rev().nth(1).map_or(0.0, |pair| pair.0);
    let candidates = (0..1000).map(|k| 1e-3 * f64::from(k)).take_while(|kink| *kink < last);
    candidates.min_by(|a, b| misfit(*a).total_cmp(&misfit(*b))).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kink_finds_the_start_of_sliding() {
        let speeds: Vec<_> =
            (1..=100).map(|k| 0.01 * f64::from(k)).map(|s| (s, 0.3 * f64::max(0.0, s - 0.37))).collect();
        assert!((kink(&speeds) - 0.37).abs() < 2e-3);
    }
}
