//! Cost of anisotropic maps: each isotropic law is timed with and without maps, for the same falling block.

use super::Timed;
use super::peer_block::{self, DX, Order};
use fibra_mpm::internals::params::Params;
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::step;
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::materials::anisotropy::{Anisotropy, AxisParameters, Elasticity, Orientation, Orthotropic, StressMap};
use fibra_mpm::materials::{
    Anisotropic, CorotatedLinear, FixedCorotated, Goo, Lame, Material, NeoHookean, Sand, Snow, Tissue,
};
use std::time::Instant;

/// Particles along each axis: 64,000 in all.
const COUNTS: [usize; 3] = [40; 3];
/// Number of warm-up steps. After these steps, the block has hit the floor and flows.
const WARM_UP: usize = 100;
/// Number of rounds. In each round, every block takes `STEPS` steps, one block after the other. Other load on the
/// machine therefore slows all blocks alike.
const ROUNDS: usize = 60;
const STEPS: usize = 3;

/// Young's modulus and Poisson's ratio of all laws [Pa, -].
const YOUNGS: f64 = 1e5;
const POISSON: f64 = 0.3;

/// Every isotropic law that supports anisotropic maps.
fn laws() -> [(&'static str, Material); 7] {
    let lame = Lame::new(YOUNGS, POISSON);
    let snow = Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 };
    [
        ("corotated-linear", Material::CorotatedLinear(CorotatedLinear { lame })),
        ("fixed-corotated", Material::FixedCorotated(FixedCorotated { lame })),
        ("neo-hookean", Material::NeoHookean(NeoHookean { lame })),
        ("snow", Material::Snow(snow)),
        ("sand", Material::Sand(Sand::new(lame, 35f64.to_radians(), 0.0, true))),
        ("goo", Material::Goo(Goo { lame, yield_stress: 200.0, viscosity: 5.0 })),
        ("tissue", Material::Tissue(Tissue { lame, critical_shear: 0.02, softening: 1.0 })),
    ]
}

/// Orthotropic stiffness with different Young's moduli along the axes, and a stress map with a different strength along
/// each axis.
fn orthotropic() -> Anisotropy {
    let moduli = Orthotropic {
        youngs_moduli: [YOUNGS, 0.5 * YOUNGS, 2.0 * YOUNGS],
        poisson_ratios: [0.1, 0.1, POISSON],
        reverse_poisson_ratios: None,
        shear_moduli: None,
    };
    Anisotropy { elasticity: Elasticity::Orthotropic(moduli), stress_map: StressMap::Scales([0.8, 0.9, 1.4]) }
}

/// The stress map of [`orthotropic`], with a general stiffness of 21 independent components.
fn general() -> Result<Anisotropy, String> {
    let Anisotropy { elasticity: Elasticity::Orthotropic(moduli), .. } = orthotropic() else {
        return Err("orthotropic() must return orthotropic moduli".to_owned());
    };
    let mut stiffness = moduli.stiffness().map_err(|e| e.to_string())?;
    for i in 0..6 {
        for j in 0..6 {
            stiffness.0[i][j] += 0.02 * YOUNGS * if i == j { 1.0 } else { 0.3 };
        }
    }
    Ok(Anisotropy { elasticity: Elasticity::General(stiffness.upper()), ..orthotropic() })
}

/// Elongated grains that rotate with the flow.
fn needles() -> Orientation {
    let axis = |stiffer, scale| AxisParameters { youngs_modulus: stiffer * YOUNGS, poisson_ratio: POISSON, scale };
    Orientation {
        elongation: 0.9,
        along: axis(2.0, 1.4),
        across: axis(0.5, 0.8),
        mixed: axis(1.0, 1.0),
        start: [0.1, 0.2, 0.7],
    }
}

/// A falling block.
struct Fall {
    params: Params,
    state: State,
    work: Workspace,
}

impl Fall {
    fn new(material: Material) -> Fall {
        let (params, state) = peer_block::block_of(material, COUNTS, Order::Shuffled, DX);
        Fall { params, state, work: Workspace::default() }
    }

    /// Takes steps and returns their wall time [s].
    fn steps(&mut self, count: usize) -> Result<f64, String> {
        let start = Instant::now();
        for _ in 0..count {
            step(&self.params, &mut self.state, &mut self.work, f64::INFINITY).map_err(|e| e.to_string())?;
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Times four interleaved variants: the isotropic law without maps, with orthotropic maps, with general maps and with
/// rotating grains. Each ratio is the median over all rounds of the time with maps divided by the time without maps.
fn time(law: &str, material: &Material) -> Result<Timed, String> {
    let wrap = |wanted: Anisotropy| Anisotropic::new(material, &wanted).map_err(|e| e.to_string());
    let grains = Anisotropic::of_grains(material, &needles()).map_err(|e| e.to_string())?;
    let wrapped =
        [wrap(orthotropic())?, wrap(general()?)?, grains].map(|wrapped| Material::Anisotropic(wrapped.into()));
    let mut falls: Vec<Fall> = [material.clone()].into_iter().chain(wrapped).map(Fall::new).collect();
    for fall in &mut falls {
        fall.steps(WARM_UP)?;
    }
    let mut rounds = vec![Vec::with_capacity(ROUNDS); falls.len()];
    for _ in 0..ROUNDS {
        for (fall, times) in falls.iter_mut().zip(&mut rounds) {
            times.push(fall.steps(STEPS)?);
        }
    }
    let ratio = |with_maps: usize| median((0..ROUNDS).map(|r| rounds[with_maps][r] / rounds[0][r]).collect());
    Ok(Timed {
        part: law.to_owned(),
        items: falls[1].state.particles.len(),
        steps: STEPS as u64,
        seconds: median(rounds[1].clone()),
        memory: None,
        details: vec![
            ("isotropic_seconds_per_step", median(rounds[0].clone()) / STEPS as f64),
            ("ratio", ratio(1)),
            ("ratio_general", ratio(2)),
            ("ratio_turning_grains", ratio(3)),
        ],
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Times all laws.
pub(super) fn run() -> Result<Vec<Timed>, String> {
    laws().iter().map(|(name, material)| time(name, material)).collect()
}
