//! Elastic moduli, measured by tension along the three axes and shear between the axes, in one step on the grid.

use super::super::Check;
use super::{Strength, YOUNGS, hay, laws, moving_box, wrap};
use fibra_core::mat3::Sym3;
use fibra_mpm::materials::Material;
use fibra_mpm::materials::anisotropy::{Anisotropy, Elasticity, Matrix6, Orthotropic, StressMap};
use glam::{DMat3, DQuat, DVec3, Vec3};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Extension or shear strain [-].
const STRAIN: f64 = 2e-3;
/// Time step in which the strain is applied [s].
const STEP: f64 = 1e-5;
/// Pairs of axes, numbered from 0: 23, 13, 12 in the usual notation.
const PAIRS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// For each kind of elasticity and each law, checks the modulus with the largest error among `E_i` [Pa], `nu_ij` [-]
/// and `mu_ij` [Pa].
pub fn run() -> Result<Vec<Check>, String> {
    let transverse = Orthotropic::transverse(2.0 * YOUNGS, 0.5 * YOUNGS, 0.3, 0.25, 0.25 * YOUNGS);
    let stiffness = hay().stiffness().map_err(|e| e.to_string())?;
    let kinds = [
        ("orthotropic", Elasticity::Orthotropic(hay())),
        ("transverse", Elasticity::Orthotropic(transverse)),
        ("general", Elasticity::General(skewed(&stiffness).upper())),
    ];
    let mut rows = Vec::new();
    for (kind, elasticity) in kinds {
        for (name, law) in laws(Strength::Endless) {
            let wanted = Anisotropy { elasticity, stress_map: StressMap::Scales([0.8, 1.1, 1.4]) };
            let specimen = Specimen { material: wrap(&law, &wanted)? };
            let (found, asked) = (specimen.moduli()?, moduli(&prescribed(&elasticity)?));
            let checks = found
                .iter()
                .zip(asked)
                .map(|(&found, asked)| Check::relative(&format!("aniso-moduli-{kind}-{name}"), found, asked, 0.01));
            rows.extend(checks.reduce(|worst, check| if check.error <= worst.error { worst } else { check }));
        }
    }
    Ok(rows)
}

/// A stiffness without any plane of symmetry: every strain component causes every stress component.
fn skewed(stiffness: &Matrix6) -> Matrix6 {
    let mut m = *stiffness;
    for i in 0..6 {
        for j in 0..i {
            let change = 0.03 * YOUNGS * f64::cos((7 * i + 3 * j) as f64);
            (m.0[i][j], m.0[j][i]) = (m.0[i][j] + change, m.0[j][i] + change);
        }
    }
    m
}

fn prescribed(elasticity: &Elasticity) -> Result<Matrix6, String> {
    match elasticity {
        Elasticity::Orthotropic(moduli) => Ok(moduli.stiffness().map_err(|e| e.to_string())?.inverse()),
        Elasticity::General(upper) => Ok(Matrix6::symmetric(upper).inverse()),
        Elasticity::Same => Err("this kind of elasticity has no moduli".to_owned()),
    }
}

/// The moduli `E_i`, `mu_ij`, `nu_ij` and `nu_ji` that follow from a compliance.
fn moduli(compliance: &Matrix6) -> [f64; 12] {
    let s = compliance.0;
    let poisson = |i: usize, j: usize| -s[j][i] / s[i][i];
    let mut moduli = [0.0; 12];
    for (pair, [i, j]) in PAIRS.into_iter().enumerate() {
        moduli[pair] = 1.0 / s[pair][pair];
        moduli[3 + pair] = 0.5 / s[3 + pair][3 + pair];
        (moduli[6 + pair], moduli[9 + pair]) = (poisson(i, j), poisson(j, i));
    }
    moduli
}

struct Specimen {
    material: Material,
}

impl Specimen {
    /// Returns the stress in the material axes for a strain, both in Mandel notation. A block with axes oblique to the
    /// grid is strained in one step. The returned stress is that of the innermost particle.
    fn stress(&self, strain: [f64; 6]) -> Result<[f64; 6], String> {
        let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.6, -0.48, 0.64), 0.7));
        let rate = matrix(strain.map(|e| e / STEP));
        let mut body = moving_box(0.1, Vec3::splat(0.3), self.material.clone(), turn, rate)?;
        body.step(STEP)?;
        let p = &body.state.particles;
        let nearest = |a: usize, b: usize| if distance2(&p.x[b]) < distance2(&p.x[a]) { b } else { a };
        let inner = (0..p.len()).reduce(nearest).ok_or("the block has no particles")?;
        Ok(mandel(turn.transpose() * to_f64(&p.tau[inner]) * turn))
    }

    /// The part of the stress that is odd in the strain: half the difference between the stresses for a strain and for
    /// the opposite strain.
    fn linear_stress(&self, strain: [f64; 6]) -> Result<[f64; 6], String> {
        let (ahead, back) = (self.stress(strain)?, self.stress(strain.map(|e| -e))?);
        Ok(std::array::from_fn(|k| 0.5 * (ahead[k] - back[k])))
    }

    /// Measures the moduli by uniaxial tension along each axis and by shear in each plane. The other strains are
    /// adjusted until the other stresses vanish.
    fn moduli(&self) -> Result<[f64; 12], String> {
        let unit = |k: usize| std::array::from_fn(|i| if i == k { STRAIN } else { 0.0 });
        let mut columns = [[0.0; 6]; 6];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = self.linear_stress(unit(k))?.map(|t| t / STRAIN);
        }
        let stiffness = Matrix6(columns).transpose();
        let mut compliance = Matrix6::diagonal([0.0; 6]);
        for k in 0..6 {
            let mut strain: [f64; 6] = unit(k);
            let mut stress = self.linear_stress(strain)?;
            for _ in 0..3 {
                let other = release(&stiffness, &stress, k);
                strain = std::array::from_fn(|i| strain[i] + other[i]);
                stress = self.linear_stress(strain)?;
            }
            for i in 0..6 {
                compliance.0[i][k] = strain[i] / stress[k];
            }
        }
        Ok(moduli(&compliance))
    }
}

/// Returns the changes of all strains except the `k`-th that cancel all stresses except the `k`-th.
fn release(stiffness: &Matrix6, stress: &[f64; 6], k: usize) -> [f64; 6] {
    let mut held = *stiffness;
    for i in 0..6 {
        (held.0[i][k], held.0[k][i]) = (0.0, 0.0);
    }
    held.0[k][k] = stiffness.0[k][k];
    let left = std::array::from_fn(|i| if i == k { 0.0 } else { -stress[i] });
    held.inverse().apply(&left)
}

fn distance2(x: &[f32; 3]) -> f32 {
    x.iter().map(|c| c * c).sum()
}

fn to_f64(s: &Sym3) -> DMat3 {
    let m = s.to_mat3();
    DMat3::from_cols_array(&m.to_rows().map(f64::from))
}

fn mandel(s: DMat3) -> [f64; 6] {
    [s.x_axis.x, s.y_axis.y, s.z_axis.z, SQRT_2 * s.z_axis.y, SQRT_2 * s.z_axis.x, SQRT_2 * s.y_axis.x]
}

fn matrix([xx, yy, zz, yz, xz, xy]: [f64; 6]) -> DMat3 {
    let [yz, xz, xy] = [yz, xz, xy].map(|e| FRAC_1_SQRT_2 * e);
    DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
}
