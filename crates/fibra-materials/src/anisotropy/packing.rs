//! Layout of maps in the GPU's table of laws: host code that packs them, next to the device code that unpacks them.

use super::maps::{BlockMap, BlockMaps, FullMap, FullMaps, Maps, TensorMap};
use super::orientation::{Axis, Grains};
use crate::Lame;
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

#[cube]
fn diag3(table: &Array<f32>, first: usize) -> Diag3 {
    Diag3 { x: table[first], y: table[first + 1], z: table[first + 2] }
}

#[cube]
fn sym3(table: &Array<f32>, first: usize) -> Sym3 {
    Sym3 {
        xx: table[first],
        yy: table[first + 1],
        zz: table[first + 2],
        yz: table[first + 3],
        xz: table[first + 4],
        xy: table[first + 5],
    }
}

#[cube]
fn mat3(table: &Array<f32>, first: usize) -> Mat3 {
    Mat3 {
        xx: table[first],
        xy: table[first + 1],
        xz: table[first + 2],
        yx: table[first + 3],
        yy: table[first + 4],
        yz: table[first + 5],
        zx: table[first + 6],
        zy: table[first + 7],
        zz: table[first + 8],
    }
}

fn pack_maps<M: TensorMap>(maps: &Maps<M>, put: impl Fn(&M, &mut Vec<f32>), to: &mut Vec<f32>) {
    to.extend([maps.wave_ratio, maps.lambda_over_2mu, maps.conjugate]);
    to.extend(bytemuck::cast::<Sym3, [f32; 6]>(maps.expansion_stress));
    for map in [&maps.inward, &maps.outward, &maps.stress, &maps.flow, &maps.relaxation] {
        put(map, to);
    }
}

pub(super) fn pack_block_maps(maps: &BlockMaps, to: &mut Vec<f32>) {
    let put = |map: &BlockMap, to: &mut Vec<f32>| {
        to.extend(map.normal.to_rows());
        to.extend([map.shear.x, map.shear.y, map.shear.z]);
    };
    pack_maps(maps, put, to);
}

#[cube]
fn block_map(table: &Array<f32>, first: usize) -> BlockMap {
    BlockMap { normal: mat3(table, first), shear: diag3(table, first + 9) }
}

#[cube]
pub fn block_maps(table: &Array<f32>, first: usize) -> BlockMaps {
    BlockMaps {
        wave_ratio: table[first],
        lambda_over_2mu: table[first + 1],
        conjugate: table[first + 2],
        expansion_stress: sym3(table, first + 3),
        inward: block_map(table, first + 9),
        outward: block_map(table, first + 21),
        stress: block_map(table, first + 33),
        flow: block_map(table, first + 45),
        relaxation: block_map(table, first + 57),
    }
}

pub(super) fn pack_full_maps(maps: &FullMaps, to: &mut Vec<f32>) {
    pack_maps(maps, |map, to| to.extend(map.rows().as_flattened()), to);
}

#[cube]
fn full_map(table: &Array<f32>, first: usize) -> FullMap {
    FullMap {
        xx: sym3(table, first),
        yy: sym3(table, first + 6),
        zz: sym3(table, first + 12),
        yz: sym3(table, first + 18),
        xz: sym3(table, first + 24),
        xy: sym3(table, first + 30),
    }
}

#[cube]
pub fn full_maps(table: &Array<f32>, first: usize) -> FullMaps {
    FullMaps {
        wave_ratio: table[first],
        lambda_over_2mu: table[first + 1],
        conjugate: table[first + 2],
        expansion_stress: sym3(table, first + 3),
        inward: full_map(table, first + 9),
        outward: full_map(table, first + 45),
        stress: full_map(table, first + 81),
        flow: full_map(table, first + 117),
        relaxation: full_map(table, first + 153),
    }
}

pub(super) fn pack_grains(grains: &Grains, to: &mut Vec<f32>) {
    to.extend([grains.elongation, grains.wave_ratio, grains.base.mu, grains.base.lambda, grains.conjugate]);
    to.extend([grains.start.x, grains.start.y, grains.start.z]);
    for axis in [&grains.along, &grains.across, &grains.mixed] {
        to.extend([axis.youngs_modulus, axis.poisson_ratio, axis.scale]);
    }
}

#[cube]
fn axis(table: &Array<f32>, first: usize) -> Axis {
    Axis { youngs_modulus: table[first], poisson_ratio: table[first + 1], scale: table[first + 2] }
}

#[cube]
pub fn grains(table: &Array<f32>, first: usize) -> Grains {
    Grains {
        elongation: table[first],
        wave_ratio: table[first + 1],
        base: Lame { mu: table[first + 2], lambda: table[first + 3] },
        conjugate: table[first + 4],
        start: diag3(table, first + 5),
        along: axis(table, first + 8),
        across: axis(table, first + 11),
        mixed: axis(table, first + 14),
    }
}
