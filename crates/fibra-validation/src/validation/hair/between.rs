//! Effects of the grid on hair: volume preservation and friction between strands.

use crate::validation::Check;
use crate::validation::hair_scene::HairScene;
use fibra_hair::internals::measures::{free_points, occupied_volume};
use glam::DVec3;

/// Young's moduli of the grid, ascending [Pa]. The third is the value of the paper.
const MODULI: [f64; 4] = [75.0, 300.0, 1200.0, 4800.0];
/// Friction angles between strands, ascending [deg]. The second is the value of the paper.
const ANGLES: [f64; 3] = [10.0, 20.0, 40.0];

/// Volume of hair at rest on a head, which must grow with the modulus of the grid [Huang2023, Fig. 10].
pub fn volume() -> Result<Vec<Check>, String> {
    let volumes = MODULI
        .iter()
        .map(|modulus| {
            let mut scene =
                HairScene::load("volume-preservation", None, &[format!("hair.grid.youngs_modulus={modulus}")])?;
            scene.advance_to(scene.end)?;
            let sim = scene.simulation.sim();
            Ok(occupied_volume(free_points(sim, 0..sim.positions().len()), sim.settings().grid.cell))
        })
        .collect::<Result<Vec<f64>, String>>()?;
    let rises = volumes.windows(2).zip(&MODULI[1..]);
    Ok(rises.map(|(pair, modulus)| Check::above(&format!("hair-volume-{modulus}"), pair[1], pair[0])).collect())
}

/// Spread of loose strands on the ground. It must shrink with increasing friction angle and be largest without friction
/// [Huang2023, Fig. 11].
pub fn friction() -> Result<Vec<Check>, String> {
    let fluid = spread(&["hair.grid.between=fluid".to_owned()])?;
    let sand = ANGLES
        .iter()
        .map(|angle| spread(&[format!("hair.grid.friction_angle={angle}")]))
        .collect::<Result<Vec<f64>, String>>()?;
    let mut checks = vec![Check::above("hair-friction-fluid", fluid, sand[0])];
    let falls = sand.windows(2).zip(&ANGLES);
    checks.extend(falls.map(|(pair, angle)| Check::above(&format!("hair-friction-{angle}"), pair[0], pair[1])));
    Ok(checks)
}

/// RMS distance of the vertices from the vertical line through their center at the end of the scene [m].
fn spread(sets: &[String]) -> Result<f64, String> {
    let mut scene = HairScene::load("sand-vs-fluid", None, sets)?;
    scene.advance_to(scene.end)?;
    let points = scene.simulation.sim().positions();
    let flat = || points.iter().map(|point| DVec3::new(point.x.into(), 0.0, point.z.into()));
    let center = flat().sum::<DVec3>() / points.len() as f64;
    Ok((flat().map(|point| point.distance_squared(center)).sum::<f64>() / points.len() as f64).sqrt())
}
