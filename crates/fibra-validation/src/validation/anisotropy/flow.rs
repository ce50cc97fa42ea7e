//! The two flow rules of anisotropic materials: the paper's, which maps the strain after plastic flow back [Schreck2020, Algorithm 1], and Fibra's, whose
//! plastic flow is work-conjugate to the stress.
//!
//! Single particles of anisotropic sand are loaded step by step. Each step strains them further by a small random amount. Each rule has a property that the
//! other one lacks:
//!
//! | property | paper | conjugate |
//! |---|---|---|
//! | the stress is on the yield surface after one step | yes | to first order |
//! | plastic flow dissipates energy | no | yes |
//! | plastic flow keeps the volume where that of the isotropic law does | no | yes |
//!
//! With the paper's parameters for rods, its rule creates energy. Where `a_i^4 E_i` is nearly equal along all axes, as in its Fig. 2, `(A^E)^-1` is nearly
//! proportional to `A^s`, and its rule dissipates energy.

use crate::validation::Check;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::random::CounterRng;
use fibra_mpm::law::Batch;
use fibra_mpm::materials::anisotropy::{
    Anisotropy, Elasticity, FlowRule, HenckyStrain, Matrix6, Measure, Orthotropic, StressMap,
};
use fibra_mpm::materials::{Anisotropic, Lame, Material, Sand};
use std::f64::consts::SQRT_2;

/// Factors of the stress map and Young's modulus [Pa] of [Schreck2020, Table 2, Fig. 9 middle]. Axis 3 is weak.
const SCALES: [f64; 3] = [0.8, 0.8, 1.4];
const YOUNGS: f64 = 5e5;
/// Number of particles, and of steps of each.
const PARTICLES: u64 = 40;
const STEPS: u64 = 60;
/// Strain increment of a step, and hydrostatic compression at the start [-].
const INCREMENT: f64 = 5e-4;
const COMPRESSION: f64 = 0.01;

/// Compares both rules; see the table in the module's documentation.
pub fn run() -> Result<Vec<Check>, String> {
    let (ours, paper) = (load(FlowRule::Conjugate)?, load(FlowRule::Paper)?);
    Ok(vec![
        Check::at_most("aniso-flow-paper-yield", paper.excess, 1e-3),
        Check::at_most("aniso-flow-conjugate-yield", ours.excess, 0.1),
        Check::at_most("aniso-flow-conjugate-created", -ours.least_work, 1e-4),
        Check::above("aniso-flow-paper-created", -paper.least_work, 0.1),
        Check::at_most("aniso-flow-conjugate-volume", ours.volume, 0.02),
        Check::above("aniso-flow-paper-volume", paper.volume, 0.1),
    ])
}

/// Extremes over all steps of all particles.
struct Extremes {
    /// Largest distance of the stress outside of the yield surface after a step, relative to the pressure [-].
    excess: f64,
    /// Smallest work of the stress on the plastic strain of a step, relative to the product of their magnitudes [-].
    least_work: f64,
    /// Largest volumetric part of the plastic strain of a step, relative to its magnitude [-].
    volume: f64,
}

fn moduli() -> Orthotropic {
    Orthotropic {
        youngs_moduli: [YOUNGS; 3],
        poisson_ratios: [0.0, 0.4, 0.0],
        reverse_poisson_ratios: None,
        shear_moduli: None,
    }
}

fn wrap(law: &Material, rule: FlowRule) -> Result<Material, String> {
    let wanted = Anisotropy { elasticity: Elasticity::Orthotropic(moduli()), stress_map: StressMap::Scales(SCALES) };
    let wrapped = Anisotropic::new(law, &wanted).map_err(|e| e.to_string())?;
    Ok(Material::Anisotropic(wrapped.with_flow_rule(rule).into()))
}

/// Loads particles of sand by random small strains.
fn load(rule: FlowRule) -> Result<Extremes, String> {
    let sand = Sand::new(Lame::new(YOUNGS, 0.2), 35f64.to_radians(), 0.0, false);
    let material = wrap(&Material::Sand(sand), rule)?;
    let stiffness = moduli().stiffness().map_err(|e| e.to_string())?;
    let [a, b, c] = SCALES;
    let map = Matrix6::diagonal([a * a, b * b, c * c, b * c, a * c, a * b]);
    let rng = CounterRng::new(17);
    let mut worst = Extremes { excess: 0.0, least_work: 1.0, volume: 0.0 };
    for particle in 0..PARTICLES {
        let mut f = Mat3::diagonal(1.0, 1.0, 1.0).scale(1.0 - COMPRESSION as f32);
        // A fixed direction of loading, with a volume-preserving strain, so that the particle keeps yielding.
        let draw = |k: u64| 2.0 * rng.uniform(&[particle, k]) - 1.0;
        let (xx, yy) = (draw(0), draw(1));
        let rate = Sym3 {
            xx: xx as f32,
            yy: yy as f32,
            zz: -(xx + yy) as f32,
            yz: draw(2) as f32,
            xz: draw(3) as f32,
            xy: draw(4) as f32,
        };
        for step in 0..STEPS {
            let (trial, after) = respond(&material, &f, &rate.to_mat3().scale(INCREMENT as f32));
            f = after;
            let (before, elastic) = (strain(&trial), strain(&f));
            let plastic: [f64; 6] = std::array::from_fn(|k| before[k] - elastic[k]);
            let size = norm(&plastic);
            // The first steps are elastic. The strain has a rounding error of 1e-7, up to a hundredth of the smallest flow that counts.
            if step < 10 || size < 0.1 * INCREMENT {
                continue;
            }
            let stress = stiffness.apply(&elastic);
            let inside = map.apply(&stress);
            let trace = inside[0] + inside[1] + inside[2];
            let deviator: [f64; 6] = std::array::from_fn(|k| inside[k] - if k < 3 { trace / 3.0 } else { 0.0 });
            // Where the pressure has vanished, the law itself lets the material expand.
            if trace >= -0.1 * 3.0 * COMPRESSION * YOUNGS {
                continue;
            }
            worst.excess = worst.excess.max((norm(&deviator) + f64::from(sand.alpha) * trace) / -trace);
            worst.least_work = worst.least_work.min(dot(&stress, &plastic) / (norm(&stress) * size));
            worst.volume = worst.volume.max((plastic[0] + plastic[1] + plastic[2]).abs() / size);
        }
    }
    Ok(worst)
}

/// Strains a particle by a velocity gradient times the time step; returns its deformation gradients before and after the plastic flow.
fn respond(material: &Material, f: &Mat3, increment: &Mat3) -> (Mat3, Mat3) {
    let mut batch = Batch::default();
    for k in 0..9 {
        batch.f[k][0] = f.to_rows()[k];
        batch.grad_v[k][0] = increment.to_rows()[k];
    }
    batch.memory[0] = material.initial_memory();
    material.respond(&mut batch, 1, 1.0);
    (f.add(&increment.mul(f)), Mat3::from_rows(batch.f.map(|row| row[0])))
}

/// Hencky's strain in Mandel notation.
fn strain(f: &Mat3) -> [f64; 6] {
    let Sym3 { xx, yy, zz, yz, xz, xy } = HenckyStrain::of(f).strain();
    let [xx, yy, zz, yz, xz, xy] = [xx, yy, zz, yz, xz, xy].map(f64::from);
    [xx, yy, zz, SQRT_2 * yz, SQRT_2 * xz, SQRT_2 * xy]
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64; 6]) -> f64 {
    dot(a, a).sqrt()
}
