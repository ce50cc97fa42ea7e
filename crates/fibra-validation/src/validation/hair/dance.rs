//! Hair on the dancing figure: penetration of the body, and accuracy of grid substeps.

use crate::validation::Check;
use crate::validation::hair_scene::HairScene;
use fibra_hair::HairSim;
use fibra_hair::internals::measures::{free_points, inside};

/// Time at which the hair of two runs is compared [s].
const COMPARED: f64 = 2.0;
/// Largest allowed mean difference from a run with one grid substep per strand step, relative to the strand length [-].
const DIFFERENCE: f64 = 0.05;
/// Duration of the part of the dance in which penetration is measured [s]. It includes a spin.
const AROUND: f64 = 8.0;
/// Frames per second of this dance [1/s].
const FPS: u32 = 60;
/// Largest allowed share of free vertices that are deeper than half a cell in a body [-].
const INSIDE: f64 = 0.005;

/// Two and three grid substeps per strand step, compared with one substep [Huang2023, Fig. 13].
pub fn substeps() -> Result<Vec<Check>, String> {
    let danced = |substeps: u32| {
        let mut scene = HairScene::load("dance", None, &[format!("hair.substeps={substeps}")])?;
        scene.advance_to(COMPARED)?;
        Ok::<_, String>(scene)
    };
    let one = danced(1)?;
    [2, 3]
        .into_iter()
        .map(|substeps| {
            let measured = difference(danced(substeps)?.simulation.sim(), one.simulation.sim());
            let name = format!("hair-substeps-{substeps}");
            Ok(Check { name, measured, expected: 0.0, error: measured, tolerance: DIFFERENCE })
        })
        .collect()
}

/// Mean distance between corresponding vertices of the same hair in two runs, relative to the lengths of their strands
/// [-].
fn difference(hair: &HairSim, other: &HairSim) -> f64 {
    let mut sum = 0.0;
    for strand in 0..hair.strands().len() {
        let own = hair.strands().vertices(strand);
        let (points, others) = (&hair.positions()[own.clone()], &other.positions()[own]);
        let length: f32 = others.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        sum += points.iter().zip(others).map(|(x, y)| f64::from(x.distance(*y) / length)).sum::<f64>();
    }
    sum / hair.positions().len() as f64
}

/// Measures two shares of the free vertices in each frame: those deep in the head and those deep in any body. Checks
/// the largest value of each share.
pub fn head() -> Result<Vec<Check>, String> {
    let mut scene = HairScene::load("dance", None, &[])?;
    let (mut in_head, mut in_any) = (0.0, 0.0);
    for frame in 1..=(AROUND * f64::from(FPS)) as u32 {
        scene.advance_to(f64::from(frame) / f64::from(FPS))?;
        let sim = scene.simulation.sim();
        let all = 0..sim.positions().len();
        let depth = 0.5 * sim.settings().grid.cell;
        let (count, free) = inside(sim, all.clone(), depth);
        in_any = f64::max(in_any, count as f64 / free as f64);
        // The skin of the head is the last collider.
        let skin = sim.placed_colliders().last().ok_or("the figure has no head")?;
        let deep = free_points(sim, all).filter(|x| skin.signed_distance(*x) < -depth).count();
        in_head = f64::max(in_head, deep as f64 / free as f64);
    }
    Ok(vec![Check::at_most("hair-head", in_head, INSIDE), Check::at_most("hair-head-body", in_any, INSIDE)])
}
