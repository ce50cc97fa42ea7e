//! Anisotropic laws in kernels: an isotropic law composed with strain and stress maps.

use crate::law::{AlignedResponse, Trial};
use crate::materials::anisotropy::{
    BlockMap, FullMap, MapKind, Measure, RespondToStrain, packing as maps, respond_with_grains, respond_with_maps,
};
use cubecl::prelude::*;
use fibra_core::mat3::Diag3;

/// Kinds of maps; the index is the number used in kernels.
pub(super) const MAPS: [MapKind; 3] = [MapKind::Blocks, MapKind::Full, MapKind::Grains];

/// Returns the number of a kind of maps.
pub(super) fn map_number(kind: MapKind) -> u32 {
    match kind {
        MapKind::Blocks => 0,
        MapKind::Full => 1,
        MapKind::Grains => 2,
    }
}

/// Computes the response of an anisotropic law whose maps start at `first` in the table.
#[cube]
pub(super) fn respond_anisotropic<L: RespondToStrain, D: Measure>(
    law: &L,
    trial: &Trial,
    alignment: &Diag3,
    first: usize,
    table: &Array<f32>,
    #[comptime] kind: MapKind,
    flows: bool,
) -> AlignedResponse {
    match kind {
        MapKind::Blocks => {
            let maps = maps::block_maps(table, first);
            respond_with_maps::<L, D, BlockMap>(law, &maps, trial, alignment, flows)
        }
        MapKind::Full => {
            let maps = maps::full_maps(table, first);
            respond_with_maps::<L, D, FullMap>(law, &maps, trial, alignment, flows)
        }
        MapKind::Grains => {
            let grains = maps::grains(table, first);
            respond_with_grains::<L, D>(law, &grains, trial, alignment, flows)
        }
    }
}
