//! Grains that turn with the flow: the distribution of their directions, and the material's parameters that follow from it.

use super::maps::{BlockMap, BlockMaps, Maps};
use super::{Anisotropy, BadAnisotropy, Elasticity, Orthotropic, StressMap};
use crate::Lame;
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{Eigen, eigen};
use fibra_core::elementary::pick;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// Parameters along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisParameters {
    /// Young's modulus [Pa].
    pub youngs_modulus: f64,
    /// Poisson's ratio [-], between -0.5 and 0.5. The ratio of a pair of axes is the mean of their two values, scaled by the moduli such
    /// that the stiffness is symmetric [Li2015].
    pub poisson_ratio: f64,
    /// Scale factor of the stress map [-]; see [`StressMap::Scales`].
    pub scale: f64,
}

/// How grains turn, and the material's parameters for aligned and for randomly oriented grains [Schreck2020, Sec. 6.4].
///
/// The second moment of the grain directions is the orientation tensor `Pi`. It is stored on the material's axes, which turn with the
/// material. Relative to these axes it changes by `dPi/dt = l (D Pi + Pi D - 2 (D : Pi) Pi)` [Schreck2020, Eq. 9]. After each step the eigenvectors
/// of `Pi` become the material's axes, so only the three eigenvalues, with the sum 1, are stored. The parameters of an axis depend on
/// its eigenvalue `w`: they are `across` for `w = 0`, `mixed` for `w = 1/3` and `along` for `w = 1`, and are interpolated in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orientation {
    /// Elongation `l` of the grains [-]: 1 for needles, 0 for spheres, -1 for disks. For disks, `Pi` describes the normals.
    pub elongation: f64,
    /// Along fully aligned grains.
    pub along: AxisParameters,
    /// Across fully aligned grains.
    pub across: AxisParameters,
    /// For randomly oriented grains.
    pub mixed: AxisParameters,
    /// Initial eigenvalues of the orientation tensor along the material's axes [-].
    pub start: [f64; 3],
}

/// [`AxisParameters`] in `f32`, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Axis {
    pub(crate) youngs_modulus: f32,
    pub(crate) poisson_ratio: f32,
    pub(crate) scale: f32,
}

/// [`Orientation`] in `f32`, checked, with the constants derived from it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Grains {
    pub(crate) elongation: f32,
    pub(crate) along: Axis,
    pub(crate) across: Axis,
    pub(crate) mixed: Axis,
    pub(crate) base: Lame,
    pub(crate) wave_ratio: f32,
    pub(crate) conjugate: f32,
    pub(crate) start: Diag3,
}

impl Grains {
    pub(super) fn new(base: &Lame, o: &Orientation) -> Result<Grains, BadAnisotropy> {
        if !(-1.0..=1.0).contains(&o.elongation) {
            return Err(BadAnisotropy::Elongation { value: o.elongation });
        }
        let sum: f64 = o.start.iter().sum();
        if !((sum - 1.0).abs() < 1e-3 && o.start.iter().all(|w| (0.0..=1.0).contains(w))) {
            return Err(BadAnisotropy::Alignment { given: o.start });
        }
        let [along, across, mixed] = [
            checked("grains aligned along the axis", &o.along)?,
            checked("grains aligned across the axis", &o.across)?,
            checked("mixed grains", &o.mixed)?,
        ];
        let [x, y, z] = o.start.map(|w| (w / sum) as f32);
        let start = Diag3 { x, y, z };
        let mut grains = Grains {
            elongation: o.elongation as f32,
            along,
            across,
            mixed,
            base: *base,
            wave_ratio: 1.0,
            conjugate: 1.0,
            start,
        };
        // Use the stiffest of three extreme states: all grains in one direction, all in one plane, random directions.
        for corner in [[0.0, 0.0, 1.0], [0.0, 0.5, 0.5], [1.0 / 3.0; 3]] {
            let wanted = Anisotropy {
                elasticity: Elasticity::Orthotropic(grains.moduli(corner)),
                stress_map: StressMap::Scales([1.0; 3]),
            };
            grains.wave_ratio = grains.wave_ratio.max(Maps::new(base, true, &wanted)?.wave_ratio);
        }
        Ok(grains)
    }

    /// Returns the elasticity for an alignment, as a user would specify it.
    fn moduli(&self, alignment: [f32; 3]) -> Orthotropic {
        let axes = alignment.map(|w| self.axis(w));
        let (youngs, poisson) =
            (axes.map(|axis| f64::from(axis.youngs_modulus)), axes.map(|axis| f64::from(axis.poisson_ratio)));
        let poisson = |i: usize, j: usize| 0.5 * (poisson[i] + poisson[j]) * (youngs[i] / youngs[j]).sqrt();
        Orthotropic {
            youngs_moduli: youngs,
            poisson_ratios: [poisson(1, 2), poisson(0, 2), poisson(0, 1)],
            reverse_poisson_ratios: None,
            shear_moduli: None,
        }
    }
}

/// Returns `diag(l) m diag(r)`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn scale(m: &Sym3, l: &Diag3, r: &Diag3) -> Mat3 {
    m.to_mat3().mul_diag(r).transpose().mul_diag(l).transpose()
}

/// Returns the matrix whose rows all equal `d`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn in_rows(d: &Diag3) -> Mat3 {
    Mat3 { xx: d.x, xy: d.y, xz: d.z, yx: d.x, yy: d.y, yz: d.z, zx: d.x, zy: d.y, zz: d.z }
}

fn checked(of: &'static str, p: &AxisParameters) -> Result<Axis, BadAnisotropy> {
    for (quantity, value) in [("Young's modulus", p.youngs_modulus), ("scale factor", p.scale)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(BadAnisotropy::Axis { of, quantity, value });
        }
    }
    // With ratios below a half in magnitude, every row of `N` has a 1 and two smaller ratios and is diagonally dominant. The stiffness is then
    // positive definite for any mixture.
    if !(p.poisson_ratio > -0.5 && p.poisson_ratio < 0.5) {
        return Err(BadAnisotropy::AxisPoisson { of, value: p.poisson_ratio });
    }
    Ok(Axis { youngs_modulus: p.youngs_modulus as f32, poisson_ratio: p.poisson_ratio as f32, scale: p.scale as f32 })
}

#[cfg_attr(feature = "gpu", cube)]
impl Grains {
    /// Returns the parameters of an axis with the eigenvalue `w`.
    #[inline(always)]
    fn axis(&self, w: f32) -> Axis {
        let (low, high) = (f32::max(1.0 - 3.0 * w, 0.0), f32::max(1.5 * w - 0.5, 0.0));
        let middle = 1.0 - low - high;
        let (mixed, across, along) = (&self.mixed, &self.across, &self.along);
        Axis {
            youngs_modulus: middle * mixed.youngs_modulus + low * across.youngs_modulus + high * along.youngs_modulus,
            poisson_ratio: middle * mixed.poisson_ratio + low * across.poisson_ratio + high * along.poisson_ratio,
            scale: middle * mixed.scale + low * across.scale + high * along.scale,
        }
    }

    /// Computes `A^E = Cbar^-1 A^s C` and its inverse in closed form. With `r_i = sqrt(E_i)` the compliance is
    /// `S_ij = N_ij / (r_i r_j)`, where `N` has ones on the diagonal and the negative ratios elsewhere. The stiffness is
    /// `C_ij = r_i r_j (N^-1)_ij`.
    #[inline(always)]
    pub(super) fn maps(&self, alignment: &Diag3) -> BlockMaps {
        let Lame { mu, lambda } = self.base;
        let Axis { youngs_modulus: e1, poisson_ratio: p1, scale: a1 } = self.axis(alignment.x);
        let Axis { youngs_modulus: e2, poisson_ratio: p2, scale: a2 } = self.axis(alignment.y);
        let Axis { youngs_modulus: e3, poisson_ratio: p3, scale: a3 } = self.axis(alignment.z);
        let (r1, r2, r3) = (f32::sqrt(e1), f32::sqrt(e2), f32::sqrt(e3));
        let (n23, n13, n12) = (0.5 * (p2 + p3), 0.5 * (p1 + p3), 0.5 * (p1 + p2));
        let k = 1.0 / (1.0 - n23 * n23 - n13 * n13 - n12 * n12 - 2.0 * n23 * n13 * n12);
        let inverse = Sym3 {
            xx: k * (1.0 - n23 * n23),
            yy: k * (1.0 - n13 * n13),
            zz: k * (1.0 - n12 * n12),
            yz: k * (n23 + n12 * n13),
            xz: k * (n13 + n12 * n23),
            xy: k * (n12 + n13 * n23),
        };
        let unit = Sym3 { xx: 1.0, yy: 1.0, zz: 1.0, yz: -n23, xz: -n13, xy: -n12 };
        // A^s C and S (A^s)^-1.
        let (d1, d2, d3) = (a1 * a1, a2 * a2, a3 * a3);
        let stiff = scale(&inverse, &Diag3 { x: d1 * r1, y: d2 * r2, z: d3 * r3 }, &Diag3 { x: r1, y: r2, z: r3 });
        let soft = scale(
            &unit,
            &Diag3 { x: 1.0 / r1, y: 1.0 / r2, z: 1.0 / r3 },
            &Diag3 { x: 1.0 / (r1 * d1), y: 1.0 / (r2 * d2), z: 1.0 / (r3 * d3) },
        );
        // Multiply by Cbar^-1 from the left, x -> (x - lambda / (3 lambda + 2 mu) tr(x)) / 2 mu, or by Cbar from the right.
        let share = lambda / (3.0 * lambda + 2.0 * mu);
        let sums = Diag3 {
            x: share * (stiff.xx + stiff.yx + stiff.zx),
            y: share * (stiff.xy + stiff.yy + stiff.zy),
            z: share * (stiff.xz + stiff.yz + stiff.zz),
        };
        let inward = stiff.sub(&in_rows(&sums)).scale(0.5 / mu);
        let sums = Diag3 {
            x: lambda * (soft.xx + soft.xy + soft.xz),
            y: lambda * (soft.yx + soft.yy + soft.yz),
            z: lambda * (soft.zx + soft.zy + soft.zz),
        };
        let outward = soft.scale(2.0 * mu).add(&in_rows(&sums).transpose());
        let shear = Diag3 {
            x: 0.5 * a2 * a3 * r2 * r3 / (mu * (1.0 + n23)),
            y: 0.5 * a1 * a3 * r1 * r3 / (mu * (1.0 + n13)),
            z: 0.5 * a1 * a2 * r1 * r2 / (mu * (1.0 + n12)),
        };
        BlockMaps {
            inward: BlockMap { normal: inward, shear },
            outward: BlockMap {
                normal: outward,
                shear: Diag3 { x: 1.0 / shear.x, y: 1.0 / shear.y, z: 1.0 / shear.z },
            },
            stress: BlockMap {
                normal: Mat3::diagonal(1.0 / d1, 1.0 / d2, 1.0 / d3),
                shear: Diag3 { x: 1.0 / (a2 * a3), y: 1.0 / (a1 * a3), z: 1.0 / (a1 * a2) },
            },
            flow: BlockMap { normal: Mat3::diagonal(d1, d2, d3), shear: Diag3 { x: a2 * a3, y: a1 * a3, z: a1 * a2 } },
            relaxation: BlockMap {
                normal: stiff.mul_diag(&Diag3 { x: d1, y: d2, z: d3 }).scale(0.5 / mu),
                shear: Diag3 { x: shear.x * a2 * a3, y: shear.y * a1 * a3, z: shear.z * a1 * a2 },
            },
            expansion_stress: Sym3 {
                xx: 0.5 / mu * (stiff.xx + stiff.xy + stiff.xz),
                yy: 0.5 / mu * (stiff.yx + stiff.yy + stiff.yz),
                zz: 0.5 / mu * (stiff.zx + stiff.zy + stiff.zz),
                yz: 0.0,
                xz: 0.0,
                xy: 0.0,
            },
            wave_ratio: self.wave_ratio,
            lambda_over_2mu: 0.5 * lambda / mu,
            conjugate: self.conjugate,
        }
    }

    /// Advances the orientation tensor by `dt`; returns its new eigenvalues and eigenvectors.
    ///
    /// For a constant rate the solution is `Pi -> M Pi M / tr(M Pi M)` with `M = e^(l D dt)`. The result is positive semidefinite with
    /// trace 1 for any symmetric `M`, hence also for the first three terms of the exponential series, which are used here.
    #[inline(always)]
    pub(super) fn turn(&self, alignment: &Diag3, rate: &Sym3, dt: f32) -> (Diag3, Mat3) {
        let step = rate.combine(self.elongation * dt, rate, 0.0);
        let m = step.combine(1.0, &step.square(), 0.5).add_isotropic(1.0);
        let moved = m.to_mat3().conjugate_diag(alignment);
        let Eigen { v: axes, d: values } = eigen(&moved.combine(1.0 / f32::max(moved.trace(), 1e-30), &moved, 0.0));
        let values = Diag3 {
            x: pick(values.x < 0.0, 0.0, values.x),
            y: pick(values.y < 0.0, 0.0, values.y),
            z: pick(values.z < 0.0, 0.0, values.z),
        };
        (values.scale_shift(1.0 / values.sum(), 0.0), axes)
    }
}

#[cfg(test)]
mod tests;
