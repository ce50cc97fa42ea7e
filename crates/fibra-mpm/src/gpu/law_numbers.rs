//! How each law's parameters lie in the table: what writes them and what reads them on the device, side by side.

use crate::law::ContactModel;
use crate::materials::{
    Cloth, CorotatedLinear, Fiber, FixedCorotated, Fluid, Goo, Lame, NeoHookean, Sand, Snow, Tissue,
};
use cubecl::prelude::*;

fn put_lame(lame: &Lame, to: &mut Vec<f32>) {
    to.extend([lame.mu, lame.lambda]);
}

#[cube]
fn lame(table: &Array<f32>, first: usize) -> Lame {
    Lame { mu: table[first], lambda: table[first + 1] }
}

pub(super) fn put_corotated_linear(law: &CorotatedLinear, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
}

#[cube]
pub(super) fn corotated_linear(table: &Array<f32>, first: usize) -> CorotatedLinear {
    CorotatedLinear { lame: lame(table, first) }
}

pub(super) fn put_fixed_corotated(law: &FixedCorotated, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
}

#[cube]
pub(super) fn fixed_corotated(table: &Array<f32>, first: usize) -> FixedCorotated {
    FixedCorotated { lame: lame(table, first) }
}

pub(super) fn put_neo_hookean(law: &NeoHookean, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
}

#[cube]
pub(super) fn neo_hookean(table: &Array<f32>, first: usize) -> NeoHookean {
    NeoHookean { lame: lame(table, first) }
}

pub(super) fn put_snow(law: &Snow, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
    to.extend([law.critical_compression, law.critical_stretch, law.hardening]);
}

#[cube]
pub(super) fn snow(table: &Array<f32>, first: usize) -> Snow {
    Snow {
        lame: lame(table, first),
        critical_compression: table[first + 2],
        critical_stretch: table[first + 3],
        hardening: table[first + 4],
    }
}

pub(super) fn put_sand(law: &Sand, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
    to.extend([law.alpha, law.cohesion_strain, law.volume_correction]);
}

#[cube]
pub(super) fn sand(table: &Array<f32>, first: usize) -> Sand {
    Sand {
        lame: lame(table, first),
        alpha: table[first + 2],
        cohesion_strain: table[first + 3],
        volume_correction: table[first + 4],
    }
}

pub(super) fn put_fluid(law: &Fluid, to: &mut Vec<f32>) {
    to.extend([law.bulk_modulus, law.gamma, law.viscosity]);
}

#[cube]
pub(super) fn fluid(table: &Array<f32>, first: usize) -> Fluid {
    Fluid { bulk_modulus: table[first], gamma: table[first + 1], viscosity: table[first + 2] }
}

pub(super) fn put_goo(law: &Goo, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
    to.extend([law.yield_stress, law.viscosity]);
}

#[cube]
pub(super) fn goo(table: &Array<f32>, first: usize) -> Goo {
    Goo { lame: lame(table, first), yield_stress: table[first + 2], viscosity: table[first + 3] }
}

pub(super) fn put_tissue(law: &Tissue, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
    to.extend([law.critical_shear, law.softening]);
}

#[cube]
pub(super) fn tissue(table: &Array<f32>, first: usize) -> Tissue {
    Tissue { lame: lame(table, first), critical_shear: table[first + 2], softening: table[first + 3] }
}

pub(super) fn put_fiber(law: &Fiber, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
    to.extend([law.stiffness, law.shear_stiffness, law.friction_across, law.friction_along]);
}

#[cube]
pub(super) fn fiber(table: &Array<f32>, first: usize, #[comptime] contact: ContactModel) -> Fiber {
    Fiber {
        lame: lame(table, first),
        stiffness: table[first + 2],
        shear_stiffness: table[first + 3],
        friction_across: table[first + 4],
        friction_along: table[first + 5],
        contact,
    }
}

pub(super) fn put_cloth(law: &Cloth, to: &mut Vec<f32>) {
    put_lame(&law.lame, to);
    to.extend([law.normal_stiffness, law.shear_stiffness, law.friction]);
}

#[cube]
pub(super) fn cloth(table: &Array<f32>, first: usize, #[comptime] contact: ContactModel) -> Cloth {
    Cloth {
        lame: lame(table, first),
        normal_stiffness: table[first + 2],
        shear_stiffness: table[first + 3],
        friction: table[first + 4],
        contact,
    }
}
