//! The laws of a scene on the device: a table of their parameters, and the choice among them.
//!
//! Kernels are compiled for the laws that a scene has ([`LawSet`]); with a single one there is no branch.

use super::anisotropic_laws as anisotropic;
use super::law_numbers as numbers;
use crate::law::{AlignedResponse, ContactModel, ElementResponse, Response, Trial};
use crate::materials::Material;
use crate::params::Substance;
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// Numbers of the laws.
pub(super) mod kind {
    pub(in crate::gpu) const COROTATED_LINEAR: u32 = 0;
    pub(in crate::gpu) const FIXED_COROTATED: u32 = 1;
    pub(in crate::gpu) const NEO_HOOKEAN: u32 = 2;
    pub(in crate::gpu) const SNOW: u32 = 3;
    pub(in crate::gpu) const SAND: u32 = 4;
    pub(in crate::gpu) const FLUID: u32 = 5;
    pub(in crate::gpu) const GOO: u32 = 6;
    pub(in crate::gpu) const TISSUE: u32 = 7;
    /// Fibres, by [`contact`](super::contact).
    pub(in crate::gpu) const FIBER: u32 = 8;
    /// Cloth, by [`contact`](super::contact).
    pub(in crate::gpu) const CLOTH: u32 = 11;
    /// Laws seen through maps, by the law and the kind of maps.
    pub(in crate::gpu) const ANISOTROPIC: u32 = 14;
    /// How many there are.
    pub(in crate::gpu) const COUNT: u32 = ANISOTROPIC + super::anisotropic::COUNT;
}

/// The models of contact, in the order of the laws' numbers.
const CONTACTS: [ContactModel; 3] = [ContactModel::Frictional, ContactModel::Elastic, ContactModel::Absent];

/// The model of contact of a law of fibres or cloth.
fn contact(law: u32) -> ContactModel {
    CONTACTS[(law - kind::FIBER) as usize % CONTACTS.len()]
}

fn is_fiber(law: u32) -> bool {
    (kind::FIBER..kind::CLOTH).contains(&law)
}

fn is_element(law: u32) -> bool {
    (kind::FIBER..kind::ANISOTROPIC).contains(&law)
}

/// A set of laws: those that a kernel is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LawSet(u64);

impl LawSet {
    /// With one more.
    pub fn with(self, law: u32) -> LawSet {
        LawSet(self.0 | 1 << law)
    }

    /// Whether a law is among them.
    pub fn contains(self, law: u32) -> bool {
        self.0 >> law & 1 == 1
    }

    /// Those of which elements can be made.
    pub fn of_elements(self) -> LawSet {
        (0..kind::COUNT).filter(|&law| is_element(law) && self.contains(law)).fold(LawSet::default(), LawSet::with)
    }

    /// The law, if there is but one.
    pub fn only(self) -> Option<u32> {
        (self.0.count_ones() == 1).then_some(self.0.trailing_zeros())
    }
}

/// The laws of all substances with their parameters, as the device reads them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawTable {
    /// Parameters, one substance after the other.
    pub numbers: Vec<f32>,
    /// Where each substance's parameters start. [substances]
    pub first: Vec<u32>,
    /// Number of each substance's law. [substances]
    pub law: Vec<u32>,
    /// Which laws there are.
    pub kinds: LawSet,
}

impl LawTable {
    /// Of the substances of a scene.
    pub fn new(substances: &[Substance]) -> LawTable {
        let mut table = LawTable::default();
        for substance in substances {
            table.first.push(table.numbers.len() as u32);
            let law = put(&substance.material, &mut table.numbers);
            table.law.push(law);
            table.kinds = table.kinds.with(law);
        }
        table
    }
}

/// Writes the parameters; returns the law's number.
pub(super) fn put(material: &Material, to: &mut Vec<f32>) -> u32 {
    match material {
        Material::CorotatedLinear(law) => {
            numbers::put_corotated_linear(law, to);
            kind::COROTATED_LINEAR
        }
        Material::FixedCorotated(law) => {
            numbers::put_fixed_corotated(law, to);
            kind::FIXED_COROTATED
        }
        Material::NeoHookean(law) => {
            numbers::put_neo_hookean(law, to);
            kind::NEO_HOOKEAN
        }
        Material::Snow(law) => {
            numbers::put_snow(law, to);
            kind::SNOW
        }
        Material::Sand(law) => {
            numbers::put_sand(law, to);
            kind::SAND
        }
        Material::Fluid(law) => {
            numbers::put_fluid(law, to);
            kind::FLUID
        }
        Material::Goo(law) => {
            numbers::put_goo(law, to);
            kind::GOO
        }
        Material::Tissue(law) => {
            numbers::put_tissue(law, to);
            kind::TISSUE
        }
        Material::Fiber(law) => {
            numbers::put_fiber(law, to);
            kind::FIBER + number(law.contact)
        }
        Material::Cloth(law) => {
            numbers::put_cloth(law, to);
            kind::CLOTH + number(law.contact)
        }
        Material::Anisotropic(law) => kind::ANISOTROPIC + anisotropic::put(law, to),
    }
}

/// Place of a model of contact among [`CONTACTS`].
fn number(contact: ContactModel) -> u32 {
    match contact {
        ContactModel::Frictional => 0,
        ContactModel::Elastic => 1,
        ContactModel::Absent => 2,
    }
}

/// What a particle's material answers to a trial deformation; `law` and `first` are the substance's in the [`LawTable`] whose numbers are
/// `table`. The alignment is that of grains that turn, and comes back as it was from all other materials.
#[cube]
// The outer condition is decided when the kernel is compiled, the inner one when it runs.
#[allow(clippy::collapsible_if)]
pub fn respond(
    trial: &Trial,
    alignment: &Diag3,
    law: u32,
    first: usize,
    table: &Array<f32>,
    #[comptime] laws: LawSet,
) -> AlignedResponse {
    if comptime!(laws.only().is_some()) {
        respond_by(trial, alignment, first, table, comptime!(laws.only().unwrap_or(0)))
    } else {
        let mut answer = AlignedResponse {
            response: Response { f: trial.f, tau: Sym3::isotropic(0.0), memory: trial.memory, modulus: f32::new(0.0) },
            alignment: *alignment,
        };
        #[unroll]
        for kind in 0..kind::COUNT {
            if comptime!(laws.contains(kind)) {
                if law == kind {
                    answer = respond_by(trial, alignment, first, table, kind);
                }
            }
        }
        answer
    }
}

/// What the law of that number answers.
#[cube]
fn respond_by(
    trial: &Trial,
    alignment: &Diag3,
    first: usize,
    table: &Array<f32>,
    #[comptime] kind: u32,
) -> AlignedResponse {
    if comptime!(kind >= kind::ANISOTROPIC) {
        anisotropic::respond(trial, alignment, first, table, comptime!(kind - kind::ANISOTROPIC))
    } else {
        AlignedResponse { response: respond_isotropic(trial, first, table, kind), alignment: *alignment }
    }
}

/// The same of a law that is seen through no maps.
#[cube]
fn respond_isotropic(trial: &Trial, first: usize, table: &Array<f32>, #[comptime] kind: u32) -> Response {
    if comptime!(kind == kind::COROTATED_LINEAR) {
        numbers::corotated_linear(table, first).answer(trial)
    } else if comptime!(kind == kind::FIXED_COROTATED) {
        numbers::fixed_corotated(table, first).answer(trial)
    } else if comptime!(kind == kind::NEO_HOOKEAN) {
        numbers::neo_hookean(table, first).answer(trial)
    } else if comptime!(kind == kind::SNOW) {
        numbers::snow(table, first).answer(trial)
    } else if comptime!(kind == kind::SAND) {
        numbers::sand(table, first).answer(trial)
    } else if comptime!(kind == kind::FLUID) {
        numbers::fluid(table, first).answer(trial)
    } else if comptime!(kind == kind::GOO) {
        numbers::goo(table, first).answer(trial)
    } else if comptime!(kind == kind::TISSUE) {
        numbers::tissue(table, first).answer(trial)
    } else {
        respond_element_by(&trial.f, first, table, kind).of_point(trial.memory)
    }
}

/// What the material of an element of a curve or a surface answers to deformed material directions; the rest as in [`respond`](fn@respond).
#[cube]
// The outer condition is decided when the kernel is compiled, the inner one when it runs.
#[allow(clippy::collapsible_if)]
pub fn respond_element(
    d: &Mat3,
    law: u32,
    first: usize,
    table: &Array<f32>,
    #[comptime] laws: LawSet,
) -> ElementResponse {
    let laws = comptime!(laws.of_elements());
    if comptime!(laws.only().is_some()) {
        respond_element_by(d, first, table, comptime!(laws.only().unwrap_or(kind::FIBER)))
    } else {
        let mut answer = ElementResponse {
            d: *d,
            tau: Sym3::isotropic(0.0),
            piola: Mat3::diagonal(0.0, 0.0, 0.0),
            modulus: f32::new(0.0),
        };
        #[unroll]
        for kind in kind::FIBER..kind::ANISOTROPIC {
            if comptime!(laws.contains(kind)) {
                if law == kind {
                    answer = respond_element_by(d, first, table, kind);
                }
            }
        }
        answer
    }
}

/// What the element's law of that number answers.
#[cube]
fn respond_element_by(d: &Mat3, first: usize, table: &Array<f32>, #[comptime] kind: u32) -> ElementResponse {
    if comptime!(is_fiber(kind)) {
        numbers::fiber(table, first, comptime!(contact(kind))).answer(d)
    } else {
        numbers::cloth(table, first, comptime!(contact(kind))).answer(d)
    }
}
