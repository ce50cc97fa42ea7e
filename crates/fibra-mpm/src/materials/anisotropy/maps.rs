//! The maps between the material's axes and the fictitious isotropic space.

use super::mandel::Matrix6;
use super::{Anisotropy, BadAnisotropy, Elasticity, StressMap};
use crate::materials::Lame;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// A linear map of symmetric tensors.
pub trait TensorMap: Copy + Send + Sync {
    /// The map of one tensor.
    fn apply(&self, s: &Sym3) -> Sym3;
}

/// A map with three planes of symmetry: normal components among themselves, each shear component on its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockMap {
    /// Normal components.
    pub normal: Mat3,
    /// Factors of yz, xz, xy.
    pub shear: Diag3,
}

impl TensorMap for BlockMap {
    #[inline(always)]
    fn apply(&self, s: &Sym3) -> Sym3 {
        let [xx, yy, zz] = self.normal.mul_vec([s.xx, s.yy, s.zz]);
        Sym3 { xx, yy, zz, yz: self.shear.x * s.yz, xz: self.shear.y * s.xz, xy: self.shear.z * s.xy }
    }
}

/// Any map, on the components in the order of [`Sym3`]'s fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FullMap(pub [[f32; 6]; 6]);

impl TensorMap for FullMap {
    #[inline(always)]
    fn apply(&self, s: &Sym3) -> Sym3 {
        let row = |m: &[f32; 6]| (m[0] * s.xx + m[1] * s.yy + m[2] * s.zz) + (m[3] * s.yz + m[4] * s.xz + m[5] * s.xy);
        let m = &self.0;
        Sym3 { xx: row(&m[0]), yy: row(&m[1]), zz: row(&m[2]), yz: row(&m[3]), xz: row(&m[4]), xy: row(&m[5]) }
    }
}

impl FullMap {
    /// From Mandel's notation.
    fn of(m: &Matrix6) -> FullMap {
        let root = |i: usize| if i < 3 { 1.0 } else { std::f64::consts::SQRT_2 };
        FullMap(std::array::from_fn(|i| std::array::from_fn(|j| (m.0[i][j] * root(j) / root(i)) as f32)))
    }

    /// Without what three planes of symmetry leave out, if that is nothing but rounding.
    fn block(&self) -> Option<BlockMap> {
        let m = &self.0;
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
pub struct Maps<M> {
    /// Strain into the fictitious space, `A^E`.
    pub inward: M,
    /// Strain out of it, the inverse of `A^E`.
    pub outward: M,
    /// Stress out of it, the inverse of `A^s`.
    pub stress: M,
    /// Stiffness of the fastest wave over that in the isotropic material [-].
    pub wave_ratio: f32,
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
        let [inward, outward, stress] = [inward, inward.inverse(), stress].map(|map| FullMap::of(&map));
        Ok(Maps { inward, outward, stress, wave_ratio })
    }

    /// The same maps in fewer numbers, where they have three planes of symmetry.
    pub fn blocks(&self) -> Option<Maps<BlockMap>> {
        let Maps { inward, outward, stress, wave_ratio } = self;
        Some(Maps {
            inward: inward.block()?,
            outward: outward.block()?,
            stress: stress.block()?,
            wave_ratio: *wave_ratio,
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
