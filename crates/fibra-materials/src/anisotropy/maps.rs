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
    /// The map of one tensor.
    fn apply(&self, s: &Sym3) -> Sym3;
}

/// A map with three planes of symmetry: normal components among themselves, each shear component on its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct BlockMap {
    /// Normal components.
    pub normal: Mat3,
    /// Factors of yz, xz, xy.
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

/// Any map: the factors of the components in each component.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct FullMap {
    /// Of xx.
    pub xx: Sym3,
    /// Of yy.
    pub yy: Sym3,
    /// Of zz.
    pub zz: Sym3,
    /// Of yz.
    pub yz: Sym3,
    /// Of xz.
    pub xz: Sym3,
    /// Of xy.
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
    /// From Mandel's notation.
    fn of(m: &Matrix6) -> FullMap {
        let root = |i: usize| if i < 3 { 1.0 } else { std::f64::consts::SQRT_2 };
        let row = |i: usize| -> [f32; 6] { std::array::from_fn(|j| (m.0[i][j] * root(j) / root(i)) as f32) };
        let [xx, yy, zz, yz, xz, xy] = [0, 1, 2, 3, 4, 5].map(|i| bytemuck::cast(row(i)));
        FullMap { xx, yy, zz, yz, xz, xy }
    }

    /// The factors, row after row, on the components in the order of [`Sym3`]'s fields.
    pub(crate) fn rows(&self) -> [[f32; 6]; 6] {
        [self.xx, self.yy, self.zz, self.yz, self.xz, self.xy].map(bytemuck::cast)
    }

    /// Without what three planes of symmetry leave out, if that is nothing but rounding.
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

/// Everything that leads into the fictitious space and out of it, the same for all particles of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Maps<M: TensorMap> {
    /// Strain into the fictitious space, `A^E`.
    pub inward: M,
    /// Strain out of it, the inverse of `A^E`.
    pub outward: M,
    /// Stress out of it, the inverse of `A^s`.
    pub stress: M,
    /// Plastic strain out of it, `A^s` itself: conjugate to the stress in work.
    pub flow: M,
    /// `A^s C A^s` over `2 mu` of the isotropic law [-]: how stress in the fictitious space falls with plastic strain there.
    pub relief: M,
    /// `A^s C I` over `2 mu` of the isotropic law [-]: stress in the fictitious space by expansion outside.
    pub pressed: Sym3,
    /// Stiffness of the fastest wave over that in the isotropic material [-].
    pub wave_ratio: f32,
    /// `lambda` over `2 mu` of the isotropic law [-].
    pub volume_share: f32,
}

/// Maps with three planes of symmetry.
pub type BlockMaps = Maps<BlockMap>;
/// Any maps.
pub type FullMaps = Maps<FullMap>;

#[cfg_attr(feature = "gpu", cube)]
impl<M: TensorMap> Maps<M> {
    /// The plastic flow outside for one inside, out of a strain there, under the stresses `inside` and `outside` that are left [Pa].
    ///
    /// Its direction is conjugate to the stress in work: `A^s flow` dissipates outside what `flow` does inside, so that flow does not give
    /// energy away, and a material tears across its weak axis. (Mapped out as strain is, as in the paper, it does neither.) Its size brings
    /// the stress back as far as the law asks for, to first order: `C A^s flow` seen from inside along `flow`, against
    /// `Cbar flow`. Where the law keeps the volume, so does the flow outside, unless only expansion or contraction dissipates.
    ///
    /// First order is not enough where the law takes half of the strain away or more, as in what is torn or scattered: there flow is
    /// mapped out as strain is, which leaves exactly the strain that the law asks for.
    #[inline(always)]
    pub fn flow_outside(&self, strain: &Sym3, flow: &Sym3, keeps_volume: bool, inside: &Sym3, outside: &Sym3) -> Sym3 {
        let given_back = pick(keeps_volume, flow.trace(), 0.0);
        let shape = flow.add_isotropic(-given_back / 3.0);
        let turned = self.flow.apply(&shape);
        let gained = turned.trace() / 3.0;
        // Pressure does work on volume gained. What is kept from it must leave a tenth of the dissipation.
        let (work, of_volume) = (inside.inner(&shape), gained * outside.trace());
        let most = pick(of_volume < 0.0, 0.9 * f32::min(work, 0.0) / f32::min(of_volume, -1e-30), 1.0);
        let removed = pick(keeps_volume, gained * f32::min(most, 1.0), 0.0);
        let trace = shape.trace();
        let asked = shape.inner(&shape) + self.volume_share * trace * trace;
        let along = shape.inner(&self.relief.apply(&shape));
        let brought = f32::max(along - removed * shape.inner(&self.pressed), 0.25 * along);
        let lost = flow.inner(flow) / f32::max(strain.inner(strain), 1e-30);
        let conjugate = f32::max(1.0 - 4.0 * lost, 0.0);
        let share = conjugate * asked / f32::max(brought, 1e-30);
        let mapped = self.outward.apply(flow);
        let excess = pick(keeps_volume, mapped.trace() - given_back, 0.0);
        let exact = mapped.add_isotropic(-excess / 3.0);
        turned.combine(share, &exact, 1.0 - conjugate).add_isotropic(conjugate * given_back / 3.0 - share * removed)
    }
}

impl Maps<FullMap> {
    /// Maps that make the isotropic law with the constants `base` into what is wanted. `flows` tells whether the law has a
    /// yield surface.
    ///
    /// `A^E = Cbar^-1 A^s C` [Schreck2020, Eq. 5] gives the stress `(A^s)^-1 Cbar A^E E = C E`. A law without a yield surface leaves
    /// `A^s` free: with `A^s = (A^E)^-1 = B^-1`, `B Cbar B = C`, stress is the derivative of the law's own energy at the
    /// mapped strain, however nonlinear the law.
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
            let bridge = isotropic.bridge_to(&stiffness);
            (bridge, bridge)
        };
        let relief = stress_map.mul(&stiffness).mul(&stress_map).scale(0.5 / f64::from(base.mu));
        let wide = stress_map
            .mul(&stiffness)
            .apply(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
            .map(|t| (0.5 * t / f64::from(base.mu)) as f32);
        let shear = std::f32::consts::FRAC_1_SQRT_2;
        let pressed = Sym3 {
            xx: wide[0],
            yy: wide[1],
            zz: wide[2],
            yz: shear * wide[3],
            xz: shear * wide[4],
            xy: shear * wide[5],
        };
        let [inward, outward, stress, flow, relief] =
            [inward, inward.inverse(), stress, stress_map, relief].map(|map| FullMap::of(&map));
        Ok(Maps {
            inward,
            outward,
            stress,
            flow,
            relief,
            pressed,
            wave_ratio,
            volume_share: 0.5 * base.lambda / base.mu,
        })
    }

    /// The same maps in fewer numbers, where they have three planes of symmetry.
    pub fn blocks(&self) -> Option<Maps<BlockMap>> {
        let Maps { inward, outward, stress, flow, relief, pressed, wave_ratio, volume_share } = self;
        Some(Maps {
            inward: inward.block()?,
            outward: outward.block()?,
            stress: stress.block()?,
            flow: flow.block()?,
            relief: relief.block()?,
            pressed: *pressed,
            wave_ratio: *wave_ratio,
            volume_share: *volume_share,
        })
    }
}

/// `S -> D S D` in Mandel's notation: `diag(a_1^2, a_2^2, a_3^2, a_2 a_3, a_1 a_3, a_1 a_2)`.
fn scale_map(a: &[f64; 3]) -> Result<Matrix6, BadAnisotropy> {
    match (0..3).find(|&axis| !(a[axis] > 0.0 && a[axis].is_finite())) {
        Some(axis) => Err(BadAnisotropy::Scale { axis: axis + 1, value: a[axis] }),
        None => Ok(Matrix6::diagonal([a[0] * a[0], a[1] * a[1], a[2] * a[2], a[1] * a[2], a[0] * a[2], a[0] * a[1]])),
    }
}

/// A positive definite map.
fn checked(map: &'static str, upper: &[f64; 21]) -> Result<Matrix6, BadAnisotropy> {
    let m = Matrix6::symmetric(upper);
    match m.first_bad_pivot() {
        Some(row) => Err(BadAnisotropy::NotPositive { map, row: row + 1 }),
        None => Ok(m),
    }
}
