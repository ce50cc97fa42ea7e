//! [`Anisotropic`]: an isotropic law combined with its maps. Particles of an anisotropic material refer to it.

use super::derivatives;
#[cfg(feature = "gpu")]
use super::maps::TensorMapExpand;
use super::maps::{BlockMap, BlockMaps, FullMaps, Maps, TensorMap};
use super::measure::Measure;
#[cfg(feature = "gpu")]
use super::measure::MeasureExpand;
use super::orientation::{Grains, Orientation};
#[cfg(feature = "gpu")]
use super::packing;
#[cfg(feature = "gpu")]
use super::strain_law::RespondToStrainExpand;
use super::strain_law::{RespondToStrain, StrainLaw, StrainTrial};
use super::{Anisotropy, BadAnisotropy, FlowRule};
use crate::elastic_model::ElasticModel;
use crate::law::{AlignedLaw, AlignedResponse, Batch, ElasticBatch, Response, Trial};
use crate::{Lame, Material};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};
use fibra_core::simd::dispatch;
use std::fmt::Debug;
use std::sync::Arc;

/// An isotropic law composed with linear maps of the strain.
#[derive(Clone, Debug)]
pub struct Anisotropic {
    law: Arc<dyn MappedLaw>,
    maps: AnyMaps,
    /// Whether the maps are the identity, because only the elasticity of the law is exchanged.
    is_isotropic: bool,
}

impl PartialEq for Anisotropic {
    fn eq(&self, other: &Anisotropic) -> bool {
        let law = |of: &Anisotropic| (of.law.material(), of.law.elasticity());
        law(self) == law(other) && self.maps == other.maps
    }
}

/// A law that can be made anisotropic, as a trait object.
pub(crate) trait MappedLaw: Debug + Send + Sync {
    /// Returns the isotropic law as a material, with its own elasticity.
    fn material(&self) -> Material;
    /// Returns the elastic model that replaces the law's own, if there is one.
    fn elasticity(&self) -> Option<ElasticModel>;
    /// See [`StrainLaw::with_elasticity`].
    fn with_elasticity(&self, model: ElasticModel) -> Option<Anisotropic>;
    /// Returns the initial elastic constants, and whether the law has plastic flow.
    fn constants_at_start(&self) -> (Lame, bool);
    /// See [`Anisotropic::respond`].
    fn respond_batch(&self, maps: &AnyMaps, batch: &mut Batch, n: usize, dt: f32);
    /// See [`Anisotropic::energy`].
    fn energy_through(&self, maps: &AnyMaps, f: &Mat3, memory: f32, alignment: &Diag3) -> f32;
    /// See [`Anisotropic::piola`].
    fn piola_through(&self, maps: &AnyMaps, f: &Mat3, memory: f32, alignment: &Diag3) -> Mat3;
    /// See [`Anisotropic::piola_change`].
    fn piola_change_through(&self, maps: &AnyMaps, f: &Mat3, memory: f32, alignment: &Diag3, change: &Mat3) -> Mat3;
}

impl<L: StrainLaw> MappedLaw for L {
    fn material(&self) -> Material {
        self.isotropic()
    }

    fn elasticity(&self) -> Option<ElasticModel> {
        self.exchanged()
    }

    fn with_elasticity(&self, model: ElasticModel) -> Option<Anisotropic> {
        StrainLaw::with_elasticity(self, model)
    }

    fn constants_at_start(&self) -> (Lame, bool) {
        (self.constants(self.isotropic().initial_memory()), L::FLOWS)
    }

    fn respond_batch(&self, maps: &AnyMaps, batch: &mut Batch, n: usize, dt: f32) {
        match maps {
            AnyMaps::Blocks(maps) => respond_through(*self, &**maps, batch, n, dt),
            AnyMaps::Full(maps) => respond_through(*self, &**maps, batch, n, dt),
            AnyMaps::Grains(grains) => respond_through(*self, grains, batch, n, dt),
        }
    }

    fn energy_through(&self, maps: &AnyMaps, f: &Mat3, memory: f32, alignment: &Diag3) -> f32 {
        match maps {
            AnyMaps::Blocks(maps) => derivatives::energy(self, maps, f, memory),
            AnyMaps::Full(maps) => derivatives::energy(self, maps, f, memory),
            AnyMaps::Grains(grains) => derivatives::energy(self, &grains.maps(alignment), f, memory),
        }
    }

    fn piola_through(&self, maps: &AnyMaps, f: &Mat3, memory: f32, alignment: &Diag3) -> Mat3 {
        match maps {
            AnyMaps::Blocks(maps) => derivatives::piola(self, maps, f, memory),
            AnyMaps::Full(maps) => derivatives::piola(self, maps, f, memory),
            AnyMaps::Grains(grains) => derivatives::piola(self, &grains.maps(alignment), f, memory),
        }
    }

    fn piola_change_through(&self, maps: &AnyMaps, f: &Mat3, memory: f32, alignment: &Diag3, change: &Mat3) -> Mat3 {
        match maps {
            AnyMaps::Blocks(maps) => derivatives::piola_change(self, maps, f, memory, change),
            AnyMaps::Full(maps) => derivatives::piola_change(self, maps, f, memory, change),
            AnyMaps::Grains(grains) => derivatives::piola_change(self, &grains.maps(alignment), f, memory, change),
        }
    }
}

/// The maps of a material, or the oriented grains that determine them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnyMaps {
    Blocks(Box<BlockMaps>),
    Full(Box<FullMaps>),
    Grains(Grains),
}

/// Source of a particle's maps.
pub(super) trait MapSource: Copy + Send + Sync {
    /// Computes the response of a particle whose grains have this alignment.
    fn respond<L: StrainLaw>(&self, law: &L, trial: &Trial, alignment: &Diag3) -> AlignedResponse;
}

impl<M: TensorMap> MapSource for Maps<M> {
    #[inline(always)]
    fn respond<L: StrainLaw>(&self, law: &L, trial: &Trial, alignment: &Diag3) -> AlignedResponse {
        respond_with_maps::<L, L::Measure, M>(law, self, trial, alignment, L::FLOWS)
    }
}

impl MapSource for Grains {
    #[inline(always)]
    fn respond<L: StrainLaw>(&self, law: &L, trial: &Trial, alignment: &Diag3) -> AlignedResponse {
        respond_with_grains::<L, L::Measure>(law, self, trial, alignment, L::FLOWS)
    }
}

/// Computes the response with constant maps; `flows` is true if the law has plastic flow.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn respond_with_maps<L: RespondToStrain, D: Measure, M: TensorMap>(
    law: &L,
    maps: &Maps<M>,
    trial: &Trial,
    alignment: &Diag3,
    flows: bool,
) -> AlignedResponse {
    let measure = D::of(&trial.f);
    AlignedResponse { response: respond::<L, D, M>(law, maps, &measure, trial, flows), alignment: *alignment }
}

/// Computes the response with the maps of oriented grains, and turns the grains with the material.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn respond_with_grains<L: RespondToStrain, D: Measure>(
    law: &L,
    grains: &Grains,
    trial: &Trial,
    alignment: &Diag3,
    flows: bool,
) -> AlignedResponse {
    let measure = D::of(&trial.f);
    let response = respond::<L, D, BlockMap>(law, &grains.maps(alignment), &measure, trial, flows);
    let rate = trial.grad_v.symmetric_part().seen_from(&measure.rotation());
    let (alignment, axes) = grains.turn(alignment, &rate, trial.dt);
    AlignedResponse {
        response: Response {
            f: response.f.mul(&axes),
            tau: response.tau,
            memory: response.memory,
            modulus: response.modulus,
        },
        alignment,
    }
}

/// Maps the strain in, evaluates the law, and maps stress and flow out.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn respond<L: RespondToStrain, D: Measure, M: TensorMap>(
    law: &L,
    maps: &Maps<M>,
    measure: &D,
    trial: &Trial,
    flows: bool,
) -> Response {
    let strain = maps.inward.apply(&measure.strain());
    let response = law.respond_to_strain(&StrainTrial {
        strain,
        square: trial.f.transpose().gram_rows().eigenvalue_bound(),
        volume: trial.f.det(),
        memory: trial.memory,
        dt: trial.dt,
    });
    let outside = maps.stress.apply(&response.stress);
    let flow = if flows {
        maps.flow_outside(&strain, &response.flow, response.keeps_volume, &response.stress, &outside)
    } else {
        Sym3::isotropic(0.0)
    };
    Response {
        f: measure.with_flow(&flow),
        tau: measure.stress(&outside),
        memory: response.memory,
        modulus: maps.wave_ratio * response.modulus,
    }
}

/// A law and the source of its maps.
#[derive(Clone, Copy)]
struct LawWithMaps<'a, L, S> {
    law: L,
    source: &'a S,
}

impl<L: StrainLaw, S: MapSource> AlignedLaw for LawWithMaps<'_, L, S> {
    #[inline(always)]
    fn respond(&self, trial: &Trial, alignment: &Diag3) -> AlignedResponse {
        self.source.respond(&self.law, trial, alignment)
    }
}

dispatch! {
    fn respond_through[L: StrainLaw, S: MapSource; for _V](law: L, source: &S, batch: &mut Batch, n: usize, dt: f32) {
        batch.respond_aligned(&LawWithMaps { law, source }, n, dt);
    }
}

impl Anisotropic {
    /// Makes an isotropic material anisotropic.
    pub fn new(material: &Material, wanted: &Anisotropy) -> Result<Anisotropic, BadAnisotropy> {
        let law = mapped(material)?;
        let (lame, flows) = law.constants_at_start();
        let maps = Maps::new(&lame, flows, wanted)?;
        let maps = maps.blocks().map_or_else(|| AnyMaps::Full(Box::new(maps)), |maps| AnyMaps::Blocks(Box::new(maps)));
        Ok(Anisotropic { law, maps, is_isotropic: false })
    }

    /// Wraps an isotropic law with identity maps.
    pub(crate) fn isotropic<L: StrainLaw + 'static>(law: L) -> Anisotropic {
        let maps = Maps::identity(&law.constants_at_start().0);
        Anisotropic { law: Arc::new(law), maps: AnyMaps::Blocks(Box::new(maps)), is_isotropic: true }
    }

    /// Makes an isotropic material anisotropic, with grains that turn with the flow.
    pub fn of_grains(material: &Material, orientation: &Orientation) -> Result<Anisotropic, BadAnisotropy> {
        let law = mapped(material)?;
        let grains = Grains::new(&law.constants_at_start().0, orientation)?;
        Ok(Anisotropic { law, maps: AnyMaps::Grains(grains), is_isotropic: false })
    }

    /// Sets how plastic flow is mapped.
    pub fn with_flow_rule(mut self, rule: FlowRule) -> Anisotropic {
        let conjugate = match rule {
            FlowRule::Conjugate => 1.0,
            FlowRule::Paper => 0.0,
        };
        match &mut self.maps {
            AnyMaps::Blocks(maps) => maps.conjugate = conjugate,
            AnyMaps::Full(maps) => maps.conjugate = conjugate,
            AnyMaps::Grains(grains) => grains.conjugate = conjugate,
        }
        self
    }

    /// Returns whether particles store an alignment of their grains that changes.
    pub fn has_grains(&self) -> bool {
        matches!(self.maps, AnyMaps::Grains(_))
    }

    /// Returns the elongation of oriented grains [-]; 0 for constant maps.
    pub fn elongation(&self) -> f32 {
        match &self.maps {
            AnyMaps::Grains(grains) => grains.elongation,
            _ => 0.0,
        }
    }

    /// Returns the initial eigenvalues of the orientation tensor [-]: a third each for constant maps.
    pub fn initial_alignment(&self) -> [f32; 3] {
        match &self.maps {
            AnyMaps::Grains(grains) => [grains.start.x, grains.start.y, grains.start.z],
            _ => [1.0 / 3.0; 3],
        }
    }

    /// Updates a batch of particles; see [`Batch::respond`].
    pub fn respond(&self, batch: &mut Batch, n: usize, dt: f32) {
        self.law.respond_batch(&self.maps, batch, n, dt);
    }

    /// Computes the elastic energy per rest volume [J/m^3]. `alignment` is the alignment of the oriented grains.
    pub fn energy(&self, f: &Mat3, memory: f32, alignment: [f32; 3]) -> f32 {
        let [x, y, z] = alignment;
        self.law.energy_through(&self.maps, f, memory, &Diag3 { x, y, z })
    }

    /// Computes the elastic energies of a batch of particles; see [`ElasticBatch::energy`].
    pub fn energies(&self, batch: &mut ElasticBatch, n: usize) {
        for l in 0..n {
            let (f, memory, alignment) = batch.particle(l);
            batch.energy[l] = self.law.energy_through(&self.maps, &f, memory, &alignment);
        }
    }

    /// Computes the derivatives of the elastic energies of a batch of particles; see [`ElasticBatch::piola`].
    pub fn piola(&self, batch: &mut ElasticBatch, n: usize) {
        for l in 0..n {
            let (f, memory, alignment) = batch.particle(l);
            batch.set_piola(l, &self.law.piola_through(&self.maps, &f, memory, &alignment));
        }
    }

    /// Computes products with the Hessians of the elastic energies of a batch of particles; see [`ElasticBatch::piola_change`].
    pub fn piola_change(&self, batch: &mut ElasticBatch, n: usize) {
        for l in 0..n {
            let (f, memory, alignment) = batch.particle(l);
            let change = batch.change_of(l);
            batch.set_piola(l, &self.law.piola_change_through(&self.maps, &f, memory, &alignment, &change));
        }
    }

    /// Returns the initial value of the law's internal variable.
    pub fn initial_memory(&self) -> f32 {
        self.law.material().initial_memory()
    }

    /// Computes current volume over rest volume [-].
    pub fn volume_ratio(&self, f: &Mat3, memory: f32) -> f32 {
        self.law.material().volume_ratio(f, memory)
    }
}

fn mapped(material: &Material) -> Result<Arc<dyn MappedLaw>, BadAnisotropy> {
    let law = match material {
        Material::Anisotropic(wrapped) if wrapped.is_isotropic => return Ok(wrapped.law.clone()),
        Material::Anisotropic(_) => "an anisotropic material",
        other => other.name(),
    };
    material.mapped_law().ok_or(BadAnisotropy::Law { law })
}

/// Kind of a material's maps.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapKind {
    Blocks,
    Full,
    Grains,
}

#[cfg(feature = "gpu")]
impl Anisotropic {
    /// Returns the isotropic law, with its own elasticity.
    pub fn base(&self) -> Material {
        self.law.material()
    }

    /// Returns the elastic model that replaces the law's own, if there is one.
    pub fn elasticity(&self) -> Option<ElasticModel> {
        self.law.elasticity()
    }

    /// Appends the maps to the GPU's table of laws.
    pub fn pack_maps(&self, to: &mut Vec<f32>) -> MapKind {
        match &self.maps {
            AnyMaps::Blocks(maps) => {
                packing::pack_block_maps(maps, to);
                MapKind::Blocks
            }
            AnyMaps::Full(maps) => {
                packing::pack_full_maps(maps, to);
                MapKind::Full
            }
            AnyMaps::Grains(grains) => {
                packing::pack_grains(grains, to);
                MapKind::Grains
            }
        }
    }
}
