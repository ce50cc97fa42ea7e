//! Lateral-torsional buckling of a deep, narrow cantilever, and buckling of a twisted rod: the load at which the exact stiffness matrix of the equilibrium
//! gets a negative eigenvalue.

use super::{LENGTH, WIRE, clamped_wire};
use crate::validation::Check;
use fibra_core::geometry::{Motion, Spin};
use fibra_rods::internals::discrete_elastic::DiscreteElastic;
use fibra_rods::internals::rod::{End, Rod, RodMaterial};
use fibra_rods::internals::statics::Statics;
use fibra_rods::{Section, SectionShape};
use glam::DVec3;

/// Segments of the rods.
const SEGMENTS: usize = 64;
/// Number of equal parts in which the load grows to 1.25 times its expected critical value.
const INCREMENTS: usize = 5;
/// Relative precision of the critical load [-].
const PRECISION: f64 = 1e-5;
/// Ratio of the bending stiffnesses. The closed forms neglect the sag before buckling, which raises the critical load by about half the inverse ratio.
const RATIO: f64 = 1e4;

/// Critical load factors of a cantilever that bends toward its stiff axis: `P L^2 / sqrt(EI GJ) = 4.0126` for a force on the free end and `q L^3 / sqrt(EI
/// GJ) = 12.854` for its own weight [Timoshenko1961, Sec. 6.3].
pub fn cantilever() -> Result<Vec<Check>, String> {
    let (bending, twisting) = (WIRE.bending(), WIRE.twisting());
    let shape = SectionShape::Stiffness { bending: [RATIO * bending, bending], twisting };
    let material = RodMaterial { section: Section { shape, axis: DVec3::Y }, ..WIRE };
    let build = || {
        let mut params = clamped_wire(SEGMENTS);
        params.material = material;
        DiscreteElastic::new(params, DVec3::ZERO).map_err(|e| e.to_string())
    };
    let root = (bending * twisting).sqrt();

    let unit = root / LENGTH.powi(2);
    let force = |factor: f64, _: &mut Statics, rod: &mut dyn Rod| rod.set_end_force(1, -factor * unit * DVec3::Y);
    let tip = critical("lateral-buckling-force", &mut build()?, 4.0126, force)?;

    let unit = root / LENGTH.powi(3) / (material.density * material.area());
    let gravity = |factor: f64, statics: &mut Statics, _: &mut dyn Rod| statics.gravity = -factor * unit * DVec3::Y;
    let weight = critical("lateral-buckling-weight", &mut build()?, 12.854, gravity)?;
    Ok(vec![tip, weight])
}

/// Angle between the clamped ends of a straight rod at which it buckles, `8.9868 EI / GJ` [Greenhill1883], the first root of `tan(x) = x` times two.
pub fn twisted() -> Result<Vec<Check>, String> {
    let mut params = clamped_wire(SEGMENTS);
    let motor = Spin::new(DVec3::X, 1.0, None).map_err(|e| e.to_string())?;
    params.ends[1] = End { motion: Motion::Spin(motor), ..End::clamped() };
    let mut rod = DiscreteElastic::new(params, DVec3::ZERO).map_err(|e| e.to_string())?;
    // The motor turns by 1 rad/s, so the time is the angle.
    let turn = |angle: f64, statics: &mut Statics, _: &mut dyn Rod| statics.time = angle;
    let expected = 8.986_819 * WIRE.bending() / WIRE.twisting();
    Ok(vec![critical("rod-greenhill-der", &mut rod, expected, turn)?])
}

fn critical(
    name: &str,
    rod: &mut dyn Rod,
    expected: f64,
    apply: impl Fn(f64, &mut Statics, &mut dyn Rod),
) -> Result<Check, String> {
    // A step far longer than the slowest period of the wire, about 1 s.
    let mut statics = Statics { longest_dt: 1e3, ..Statics::default() };
    let found = statics.critical_parameter(rod, [0.0, 1.25 * expected], INCREMENTS, PRECISION, apply);
    let measured = found.map_err(|e| e.to_string())?.ok_or("the rod does not buckle")?;
    Ok(Check::relative(name, measured, expected, 0.01))
}
