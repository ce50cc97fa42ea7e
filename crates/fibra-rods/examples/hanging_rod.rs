//! A cord, clamped at one end, swings down under its weight.

use fibra_rods::{End, RodInput, RodMaterial, RodSettings, RodSim, RodSimError};
use glam::DVec3;

fn main() -> Result<(), RodSimError> {
    let mut sim = RodSim::new(RodSettings::default())?;
    let cord = sim.add_rod(RodInput {
        points: (0..=30).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect(),
        material: RodMaterial { drag: 1.0, ..RodMaterial::default() },
        ends: [End::clamped(), End::free()],
        ..RodInput::default()
    })?;
    for _ in 0..20 {
        sim.advance(0.1)?;
        let tip = sim.positions_of(cord)?[30];
        println!("{:.1} s: the tip is at [{:.3}, {:.3}, {:.3}] m", sim.time(), tip.x, tip.y, tip.z);
    }
    Ok(())
}
