//! Laws seen through maps, and the choice among them.

use super::law_numbers as numbers;
use super::laws::kind;
use crate::law::{AlignedResponse, Trial};
use crate::materials::anisotropy::{
    Anisotropic, AnswersStrain, BlockMap, FullMap, HenckyStrain, MapKind, Measure, PolarStrain, SquareStrain,
    numbers as maps, respond_with_grains, respond_with_maps,
};
use crate::materials::{CorotatedLinear, FixedCorotated, Goo, NeoHookean, Sand, Snow, Tissue};
use cubecl::prelude::*;
use fibra_core::mat3::Diag3;

/// Room for the parameters of the law that is wrapped; the maps come after it.
const ROOM: usize = 5;

/// How many laws can be wrapped, counting those between them that cannot.
const BASES: u32 = 8;

/// Kinds of maps, in the order of the laws' numbers.
const MAPS: [MapKind; 3] = [MapKind::Blocks, MapKind::Full, MapKind::Grains];

/// How many numbers laws seen through maps have.
pub(super) const COUNT: u32 = BASES * MAPS.len() as u32;

/// Writes the parameters, of the law and of the maps; returns the law's number among those seen through maps.
pub(super) fn put(law: &Anisotropic, to: &mut Vec<f32>) -> u32 {
    let start = to.len();
    let base = super::laws::put(&law.base(), to);
    to.resize(start + ROOM, 0.0);
    let maps = match law.put_maps(to) {
        MapKind::Blocks => 0,
        MapKind::Full => 1,
        MapKind::Grains => 2,
    };
    BASES * maps + base
}

/// The law that a number, counted from the first of those seen through maps, wraps; and its kind of maps.
fn parts(law: u32) -> (u32, MapKind) {
    (law % BASES, MAPS[(law / BASES) as usize % MAPS.len()])
}

/// What the law answers; `law` is its number among those seen through maps.
#[cube]
pub(super) fn respond(
    trial: &Trial,
    alignment: &Diag3,
    first: usize,
    table: &Array<f32>,
    #[comptime] law: u32,
) -> AlignedResponse {
    let base = comptime!(parts(law).0);
    let maps = comptime!(parts(law).1);
    if comptime!(base == kind::COROTATED_LINEAR) {
        let law = numbers::corotated_linear(table, first);
        through::<CorotatedLinear, PolarStrain>(&law, trial, alignment, first, table, maps, false)
    } else if comptime!(base == kind::FIXED_COROTATED) {
        let law = numbers::fixed_corotated(table, first);
        through::<FixedCorotated, PolarStrain>(&law, trial, alignment, first, table, maps, false)
    } else if comptime!(base == kind::NEO_HOOKEAN) {
        let law = numbers::neo_hookean(table, first);
        through::<NeoHookean, SquareStrain>(&law, trial, alignment, first, table, maps, false)
    } else if comptime!(base == kind::SNOW) {
        let law = numbers::snow(table, first);
        through::<Snow, HenckyStrain>(&law, trial, alignment, first, table, maps, true)
    } else if comptime!(base == kind::SAND) {
        let law = numbers::sand(table, first);
        through::<Sand, HenckyStrain>(&law, trial, alignment, first, table, maps, true)
    } else if comptime!(base == kind::GOO) {
        let law = numbers::goo(table, first);
        through::<Goo, HenckyStrain>(&law, trial, alignment, first, table, maps, true)
    } else {
        let law = numbers::tissue(table, first);
        through::<Tissue, HenckyStrain>(&law, trial, alignment, first, table, maps, true)
    }
}

#[cube]
fn through<L: AnswersStrain, D: Measure>(
    law: &L,
    trial: &Trial,
    alignment: &Diag3,
    first: usize,
    table: &Array<f32>,
    #[comptime] kind: MapKind,
    flows: bool,
) -> AlignedResponse {
    if comptime!(kind == MapKind::Blocks) {
        let maps = maps::block_maps(table, first + ROOM);
        respond_with_maps::<L, D, BlockMap>(law, &maps, trial, alignment, flows)
    } else if comptime!(kind == MapKind::Full) {
        let maps = maps::full_maps(table, first + ROOM);
        respond_with_maps::<L, D, FullMap>(law, &maps, trial, alignment, flows)
    } else {
        let grains = maps::grains(table, first + ROOM);
        respond_with_grains::<L, D>(law, &grains, trial, alignment, flows)
    }
}
