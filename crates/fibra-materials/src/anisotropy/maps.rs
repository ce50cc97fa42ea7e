//! The maps between the material's axes and the fictitious isotropic space.

use super::mandel::Matrix6;
use super::{Anisotropy, BadAnisotropy, Elasticity, StressMap};
use crate::Lame;
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::elementary::pick;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// A linear map of symmetric tensors.
#[cfg_attr(feature = "gpu", cube)]
pub trait TensorMap: Copy + Send + Sync {
    /// Applies the map to a tensor.
    fn apply(&self, s: &Sym3) -> Sym3;
}

/// A map with three planes of symmetry: it couples the normal components, and scales each shear component separately.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct BlockMap {
    /// Acts on the normal components.
    pub normal: Mat3,
    /// Factors of the shear components yz, xz, xy.
    pub shear: Diag3,
}

#[cfg_attr(feature = "gpu", cube)]
impl TensorMap for BlockMap {
    #[inline(always)]
    fn apply(&self, s: &Sym3) -> Sym3 {
        let Diag3 { x, y, z } = self.normal.apply(&Diag3 { x: s.xx, y: s.yy, z: s.zz });
        Sym3 { xx: x, yy: y, zz: z, yz: self.shear.x * s.yz, xz: self.shear.y * s.xz, xy: self.shear.z * s.xy }
    }
}

/// A general map. Each field holds the coefficients of one output component.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct FullMap {
    /// Coefficients of xx.
    pub xx: Sym3,
    /// Coefficients of yy.
    pub yy: Sym3,
    /// Coefficients of zz.
    pub zz: Sym3,
    /// Coefficients of yz.
    pub yz: Sym3,
    /// Coefficients of xz.
    pub xz: Sym3,
    /// Coefficients of xy.
    pub xy: Sym3,
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn row(m: &Sym3, s: &Sym3) -> f32 {
    (m.xx * s.xx + m.yy * s.yy + m.zz * s.zz) + (m.yz * s.yz + m.xz * s.xz + m.xy * s.xy)
}

#[cfg_attr(feature = "gpu", cube)]
impl TensorMap for FullMap {
    #[inline(always)]
    fn apply(&self, s: &Sym3) -> Sym3 {
        Sym3 {
            xx: row(&self.xx, s),
            yy: row(&self.yy, s),
            zz: row(&self.zz, s),
            yz: row(&self.yz, s),
            xz: row(&self.xz, s),
            xy: row(&self.xy, s),
        }
    }
}

impl FullMap {
    /// Converts from Mandel's notation.
    fn of(m: &Matrix6) -> FullMap {
        let root = |i: usize| if i < 3 { 1.0 } else { std::f64::consts::SQRT_2 };
        let row = |i: usize| -> [f32; 6] { std::array::from_fn(|j| (m.0[i][j] * root(j) / root(i)) as f32) };
        let [xx, yy, zz, yz, xz, xy] = [0, 1, 2, 3, 4, 5].map(|i| bytemuck::cast(row(i)));
        FullMap { xx, yy, zz, yz, xz, xy }
    }

    /// Returns the coefficients in row-major order; rows and columns are ordered as [`Sym3`]'s fields.
    pub(crate) fn rows(&self) -> [[f32; 6]; 6] {
        [self.xx, self.yy, self.zz, self.yz, self.xz, self.xy].map(bytemuck::cast)
    }

    /// Converts to a map with three planes of symmetry, if all entries that such a map does not have are zero up to rounding.
    fn block(&self) -> Option<BlockMap> {
        let m = self.rows();
        let largest = m.iter().flatten().fold(0.0f32, |a, b| a.max(b.abs()));
        let outside = |i: usize, j: usize| i != j && (i > 2 || j > 2);
        let mut entries = (0..6).flat_map(|i| (0..6).map(move |j| (i, j)));
        if entries.any(|(i, j)| outside(i, j) && m[i][j].abs() > 1e-12 * largest) {
            return None;
        }
        Some(BlockMap {
            normal: Mat3::from_rows(std::array::from_fn(|e| m[e / 3][e % 3])),
            shear: Diag3 { x: m[3][3], y: m[4][4], z: m[5][5] },
        })
    }
}

/// The maps into the fictitious isotropic space and back, the same for all particles of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Maps<M: TensorMap> {
    /// Maps strain into the fictitious space: `A^E`.
    pub inward: M,
    /// Maps strain out of the fictitious space: the inverse of `A^E`.
    pub outward: M,
    /// Maps stress out of the fictitious space: the inverse of `A^s`.
    pub stress: M,
    /// Maps plastic strain out of the fictitious space: `A^s`, which is work-conjugate to the stress map.
    pub flow: M,
    /// `A^s C A^s / (2 mu)` with `mu` of the isotropic law [-]: decrease of the fictitious stress per plastic strain in the fictitious space.
    pub relaxation: M,
    /// `A^s C I / (2 mu)` with `mu` of the isotropic law [-]: fictitious stress per volumetric strain in the real space.
    pub expansion_stress: Sym3,
    /// Modulus of the fastest wave over the wave modulus of the isotropic material [-].
    pub wave_ratio: f32,
    /// `lambda / (2 mu)` of the isotropic law [-].
    pub lambda_over_2mu: f32,
    /// 1 if plastic flow is work-conjugate to the stress, 0 if it is mapped like strain: see [`FlowRule`](super::FlowRule).
    pub conjugate: f32,
}

/// Maps of a material with three planes of symmetry.
pub type BlockMaps = Maps<BlockMap>;
/// General maps.
pub type FullMaps = Maps<FullMap>;

#[cfg_attr(feature = "gpu", cube)]
impl<M: TensorMap> Maps<M> {
    /// Computes the plastic flow in the real space ("outside") for plastic flow `flow` in the fictitious space ("inside").
    /// `strain` is the strain inside; `inside` and `outside` are the stresses after the flow [Pa].
    ///
    /// The direction is work-conjugate to the stress: `A^s flow` dissipates outside as much as `flow` dissipates inside. The flow
    /// therefore creates no energy, and a material tears across its weak axis. The paper maps plastic flow like strain, which
    /// guarantees neither. The magnitude is chosen such that, to first order, the stress along `flow` decreases as much as the
    /// isotropic law requires: `C A^s flow`, mapped inside, is compared with `Cbar flow`. If the law preserves volume, the flow
    /// outside does too, unless only the volume change dissipates energy.
    ///
    /// First order is not accurate enough if the law removes half of the strain or more, as in torn or scattered material.
    /// In this case, flow is mapped like strain. The remaining strain inside is then exactly that of the law. With [`Maps::conjugate`] of 0, flow is always
    /// mapped like strain, without any correction of the volume: the algorithm of the paper.
    #[inline(always)]
    pub fn flow_outside(&self, strain: &Sym3, flow: &Sym3, keeps_volume: bool, inside: &Sym3, outside: &Sym3) -> Sym3 {
        let given_back = pick(keeps_volume, flow.trace(), 0.0);
        let shape = flow.add_isotropic(-given_back / 3.0);
        let turned = self.flow.apply(&shape);
        let gained = turned.trace() / 3.0;
        // Pressure does work on the volume change. Removing the volume change must leave at least a tenth of the dissipation.
        let (work, of_volume) = (inside.inner(&shape), gained * outside.trace());
        let most = pick(of_volume < 0.0, 0.9 * f32::min(work, 0.0) / f32::min(of_volume, -1e-30), 1.0);
        let removed = pick(keeps_volume, gained * f32::min(most, 1.0), 0.0);
        let trace = shape.trace();
        let asked = shape.inner(&shape) + self.lambda_over_2mu * trace * trace;
        let along = shape.inner(&self.relaxation.apply(&shape));
        let brought = f32::max(along - removed * shape.inner(&self.expansion_stress), 0.25 * along);
        let lost = flow.inner(flow) / f32::max(strain.inner(strain), 1e-30);
        let conjugate = self.conjugate * f32::max(1.0 - 4.0 * lost, 0.0);
        let share = conjugate * asked / f32::max(brought, 1e-30);
        let mapped = self.outward.apply(flow);
        let excess = self.conjugate * pick(keeps_volume, mapped.trace() - given_back, 0.0);
        let exact = mapped.add_isotropic(-excess / 3.0);
        turned.combine(share, &exact, 1.0 - conjugate).add_isotropic(conjugate * given_back / 3.0 - share * removed)
    }
}

impl Maps<BlockMap> {
    /// Returns the identity maps for an isotropic law with the elastic constants `base`.
    pub(super) fn identity(base: &Lame) -> Maps<BlockMap> {
        let one = BlockMap { normal: Mat3::IDENTITY, shear: Diag3 { x: 1.0, y: 1.0, z: 1.0 } };
        let ratio = base.lambda / (2.0 * base.mu);
        let coupled = BlockMap { normal: Mat3::from_rows([ratio; 9]).add(&Mat3::IDENTITY), ..one };
        Maps {
            inward: one,
            outward: one,
            stress: one,
            flow: one,
            relaxation: coupled,
            expansion_stress: Sym3::isotropic(1.0 + 3.0 * ratio),
            wave_ratio: 1.0,
            lambda_over_2mu: ratio,
            conjugate: 1.0,
        }
    }
}

impl Maps<FullMap> {
    /// Computes the maps for an isotropic law with the elastic constants `base`, such that the material has the anisotropy
    /// `wanted`. `flows` is true if the law has a yield surface.
    ///
    /// `A^E = Cbar^-1 A^s C` [Schreck2020, Eq. 5] gives the stress `(A^s)^-1 Cbar A^E E = C E`. Without a yield surface `A^s` is
    /// free. The choice `A^s = (A^E)^-1 = B^-1` with `B Cbar B = C` makes the stress the derivative of the law's own energy at
    /// the mapped strain, for any nonlinear law.
    pub fn new(base: &Lame, flows: bool, wanted: &Anisotropy) -> Result<Maps<FullMap>, BadAnisotropy> {
        let isotropic = Matrix6::isotropic(base);
        let stiffness = match &wanted.elasticity {
            Elasticity::Same => isotropic,
            Elasticity::Orthotropic(moduli) => moduli.stiffness()?,
            Elasticity::General(stiffness) => checked("stiffness", stiffness)?,
        };
        let stress_map = match &wanted.stress_map {
            StressMap::Scales(scales) => scale_map(scales)?,
            StressMap::General(map) => checked("stress map", map)?,
        };
        let wave_ratio = (stiffness.wave_modulus() / isotropic.wave_modulus()) as f32;
        let (inward, stress) = if flows {
            (isotropic.inverse().mul(&stress_map).mul(&stiffness), stress_map.inverse())
        } else {
            let congruence = isotropic.congruence_to(&stiffness);
            (congruence, congruence)
        };
        let relaxation = stress_map.mul(&stiffness).mul(&stress_map).scale(0.5 / f64::from(base.mu));
        let wide = stress_map
            .mul(&stiffness)
            .apply(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
            .map(|t| (0.5 * t / f64::from(base.mu)) as f32);
        let shear = std::f32::consts::FRAC_1_SQRT_2;
        let expansion_stress = Sym3 {
            xx: wide[0],
            yy: wide[1],
            zz: wide[2],
            yz: shear * wide[3],
            xz: shear * wide[4],
            xy: shear * wide[5],
        };
        let [inward, outward, stress, flow, relaxation] =
            [inward, inward.inverse(), stress, stress_map, relaxation].map(|map| FullMap::of(&map));
        Ok(Maps {
            inward,
            outward,
            stress,
            flow,
            relaxation,
            expansion_stress,
            wave_ratio,
            lambda_over_2mu: 0.5 * base.lambda / base.mu,
            conjugate: 1.0,
        })
    }

    /// Converts to the smaller block form, if the maps have three planes of symmetry.
    pub fn blocks(&self) -> Option<Maps<BlockMap>> {
        let Maps {
            inward,
            outward,
            stress,
            flow,
            relaxation,
            expansion_stress,
            wave_ratio,
            lambda_over_2mu,
            conjugate,
        } = self;
        Some(Maps {
            inward: inward.block()?,
            outward: outward.block()?,
            stress: stress.block()?,
            flow: flow.block()?,
            relaxation: relaxation.block()?,
            expansion_stress: *expansion_stress,
            wave_ratio: *wave_ratio,
            lambda_over_2mu: *lambda_over_2mu,
            conjugate: *conjugate,
        })
    }
}

/// Returns `S -> D S D` in Mandel's notation: `diag(a_1^2, a_2^2, a_3^2, a_2 a_3, a_1 a_3, a_1 a_2)`.
fn scale_map(a: &[f64; 3]) -> Result<Matrix6, BadAnisotropy> {
    match (0..3).find(|&axis| !(a[axis] > 0.0 && a[axis].is_finite())) {
        Some(axis) => Err(BadAnisotropy::Scale { axis: axis + 1, value: a[axis] }),
        None => Ok(Matrix6::diagonal([a[0] * a[0], a[1] * a[1], a[2] * a[2], a[1] * a[2], a[0] * a[2], a[0] * a[1]])),
    }
}

/// Returns the map, or an error if it is not positive definite.
fn checked(map: &'static str, upper: &[f64; 21]) -> Result<Matrix6, BadAnisotropy> {
    let m = Matrix6::symmetric(upper);
    match m.first_bad_pivot() {
        Some(row) => Err(BadAnisotropy::NotPositive { map, row: row + 1 }),
        None => Ok(m),
    }
}
