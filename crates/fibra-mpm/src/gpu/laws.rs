//! The laws of a scene on the device: a table of their parameters, and the selection of a law in kernels.
//!
//! Kernels are compiled for the laws that a scene uses ([`LawSet`]). With a single law there is no branch. The laws and the layout of
//! their parameters come from the [table of materials](crate::materials::for_each_material).

use super::anisotropic_laws::{MAPS, map_number, respond_anisotropic};
use crate::law::{AlignedResponse, ContactModel, ElementResponse, Response, Trial};
use crate::materials::anisotropy::{Exchanged, HenckyStrain, StrainLaw};
use crate::materials::{self, Material};
use crate::params::Substance;
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// Largest number of forms of a law: for solids, no maps or three kinds of maps, each with the law's own or an exchanged elasticity; for elements three
/// contact models.
const FORMS: u32 = 8;

/// Difference between the forms with exchanged and with the law's own elasticity.
const EXCHANGED: u32 = 4;

/// The isotropic form of a law, without maps.
const PLAIN: u32 = 0;

/// A law from another crate, which has no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the law {law} has no kernel: laws from other crates run on the CPU only")]
pub struct NoKernel {
    /// Name of the law's type.
    pub law: &'static str,
}

/// Returns the contact model for a form of a fiber or cloth law.
fn contact(form: u32) -> ContactModel {
    match form {
        0 => ContactModel::Frictional,
        1 => ContactModel::Elastic,
        2 => ContactModel::Absent,
        _ => panic!("{form} is not a contact model"),
    }
}

/// Returns the form of a fiber or cloth law with this contact model.
fn contact_number(contact: ContactModel) -> u32 {
    match contact {
        ContactModel::Frictional => 0,
        ContactModel::Elastic => 1,
        ContactModel::Absent => 2,
    }
}

/// A law of the table in a kernel. Its packed parameters start at `first` in `table`.
#[cube]
trait DeviceLaw {
    /// Computes the response to a trial deformation of a particle without a mesh.
    fn respond(
        trial: &Trial,
        alignment: &Diag3,
        first: usize,
        table: &Array<f32>,
        #[comptime] form: u32,
    ) -> AlignedResponse;
    /// Computes the response of a curve or surface element to deformed material directions. Laws of solids have no elements.
    fn respond_element(d: &Mat3, first: usize, table: &Array<f32>, #[comptime] form: u32) -> ElementResponse;
}

/// Generates the kernel functions of a law from its row in the table.
macro_rules! device_law {
    ($Law:ident, solid with axes) => {
        #[cube]
        impl DeviceLaw for materials::$Law {
            fn respond(
                trial: &Trial,
                alignment: &Diag3,
                first: usize,
                table: &Array<f32>,
                #[comptime] form: u32,
            ) -> AlignedResponse {
                let law = materials::$Law::unpack(table, first);
                if comptime!(form == PLAIN) {
                    AlignedResponse { response: law.evaluate(trial), alignment: *alignment }
                } else if comptime!(form > EXCHANGED) {
                    let model = table[first + comptime!(materials::$Law::PACKED_LEN)];
                    respond_anisotropic::<Exchanged<materials::$Law>, HenckyStrain>(
                        &Exchanged::<materials::$Law> { law, model },
                        trial,
                        alignment,
                        first + comptime!(materials::$Law::PACKED_LEN + 1),
                        table,
                        comptime!(MAPS[(form - EXCHANGED) as usize - 1]),
                        true,
                    )
                } else {
                    respond_anisotropic::<materials::$Law, <materials::$Law as StrainLaw>::Measure>(
                        &law,
                        trial,
                        alignment,
                        first + comptime!(materials::$Law::PACKED_LEN),
                        table,
                        comptime!(MAPS[form as usize - 1]),
                        comptime!(<materials::$Law as StrainLaw>::FLOWS),
                    )
                }
            }

            fn respond_element(
                _d: &Mat3,
                _first: usize,
                _table: &Array<f32>,
                #[comptime] _form: u32,
            ) -> ElementResponse {
                comptime!(panic!("solids have no elements"))
            }
        }
    };
    ($Law:ident, solid) => {
        #[cube]
        impl DeviceLaw for materials::$Law {
            fn respond(
                trial: &Trial,
                alignment: &Diag3,
                first: usize,
                table: &Array<f32>,
                #[comptime] _form: u32,
            ) -> AlignedResponse {
                AlignedResponse {
                    response: materials::$Law::unpack(table, first).evaluate(trial),
                    alignment: *alignment,
                }
            }

            fn respond_element(
                _d: &Mat3,
                _first: usize,
                _table: &Array<f32>,
                #[comptime] _form: u32,
            ) -> ElementResponse {
                comptime!(panic!("solids have no elements"))
            }
        }
    };
    ($Law:ident, $element:ident) => {
        #[cube]
        impl DeviceLaw for materials::$Law {
            fn respond(
                trial: &Trial,
                alignment: &Diag3,
                first: usize,
                table: &Array<f32>,
                #[comptime] form: u32,
            ) -> AlignedResponse {
                let law = materials::$Law::unpack(table, first, comptime!(contact(form)));
                AlignedResponse { response: law.evaluate(&trial.f).of_point(trial.memory), alignment: *alignment }
            }

            fn respond_element(d: &Mat3, first: usize, table: &Array<f32>, #[comptime] form: u32) -> ElementResponse {
                materials::$Law::unpack(table, first, comptime!(contact(form))).evaluate(d)
            }
        }
    };
}

macro_rules! has_elements {
    (solid) => {
        false
    };
    ($element:ident) => {
        true
    };
}

/// Returns the isotropic form of a law.
macro_rules! own_form {
    (solid, $law:ident) => {
        PLAIN
    };
    ($element:ident, $law:ident) => {
        contact_number($law.contact)
    };
}

/// Generates the numbers of the laws, their packing, and the selection in kernels from the table.
macro_rules! define_device_laws {
    ([] $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        /// The laws of the table, in table order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        enum LawKind {
            $($Law),*
        }

        impl LawKind {
            const ALL: &[LawKind] = &[$(LawKind::$Law),*];

            /// Whether the law can be used for surface or curve elements.
            fn has_elements(self) -> bool {
                match self {
                    $(LawKind::$Law => has_elements!($form),)*
                }
            }
        }

        $(device_law!($Law, $form $(with $axes)?);)*

        /// Appends the packed parameters to `to`; returns the law's number.
        fn put(material: &Material, to: &mut Vec<f32>) -> Result<u32, NoKernel> {
            match material {
                $(Material::$Law(law) => {
                    to.extend(law.pack());
                    Ok(number(LawKind::$Law, own_form!($form, law)))
                })*
                // The parameters of the law, its exchanged elasticity, those of the maps; the form encodes elasticity and kind of maps.
                Material::Anisotropic(wrapped) => {
                    let law = put(&wrapped.base(), to)?;
                    let exchanged = wrapped.elasticity().map_or(0, |model| {
                        to.push(model.number());
                        EXCHANGED
                    });
                    Ok(law + exchanged + 1 + map_number(wrapped.pack_maps(to)))
                }
                Material::Custom(law) => Err(NoKernel { law: law.name() }),
            }
        }

        /// Computes the response of the law with this number.
        #[cube]
        fn respond_by(
            trial: &Trial,
            alignment: &Diag3,
            first: usize,
            table: &Array<f32>,
            #[comptime] number: u32,
        ) -> AlignedResponse {
            let form = comptime!(number % FORMS);
            match comptime!(kind(number)) {
                $(LawKind::$Law => <materials::$Law as DeviceLaw>::respond(trial, alignment, first, table, form),)*
            }
        }

        /// Computes the response of the element law with this number.
        #[cube]
        fn respond_element_by(d: &Mat3, first: usize, table: &Array<f32>, #[comptime] number: u32) -> ElementResponse {
            let form = comptime!(number % FORMS);
            match comptime!(kind(number)) {
                $(LawKind::$Law => <materials::$Law as DeviceLaw>::respond_element(d, first, table, form),)*
            }
        }
    };
}

crate::materials::for_each_material!(define_device_laws!);

/// Number of laws, counting all forms.
const COUNT: u32 = FORMS * LawKind::ALL.len() as u32;
const _: () = assert!(COUNT <= u128::BITS, "a set of laws has one bit for each number");

/// Returns the number of a form of a law.
fn number(kind: LawKind, form: u32) -> u32 {
    FORMS * kind as u32 + form
}

/// Returns the law with this number.
fn kind(number: u32) -> LawKind {
    LawKind::ALL[(number / FORMS) as usize]
}

/// Returns whether a number is that of a fluid.
#[cube]
pub(super) fn is_fluid(number: u32) -> bool {
    number / FORMS == comptime!(LawKind::Fluid as u32)
}

/// Returns whether a number is that of slime.
#[cube]
pub(super) fn is_slime(number: u32) -> bool {
    number / FORMS == comptime!(LawKind::Slime as u32)
}

/// A set of laws that a kernel is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LawSet(u128);

impl LawSet {
    /// Returns the set with one more law.
    pub fn with(self, law: u32) -> LawSet {
        LawSet(self.0 | 1 << law)
    }

    /// Returns whether the set contains a law.
    pub fn contains(self, law: u32) -> bool {
        self.0 >> law & 1 == 1
    }

    /// Returns the subset of laws for surface or curve elements.
    pub fn of_elements(self) -> LawSet {
        (0..COUNT).filter(|&law| kind(law).has_elements() && self.contains(law)).fold(LawSet::default(), LawSet::with)
    }

    /// Returns the law if the set has exactly one.
    pub fn only(self) -> Option<u32> {
        (self.0.count_ones() == 1).then_some(self.0.trailing_zeros())
    }
}

/// The laws of all substances with their packed parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawTable {
    /// Parameters, one substance after the other.
    pub numbers: Vec<f32>,
    /// Start of each substance's parameters. [substances]
    pub first: Vec<u32>,
    /// Number of each substance's law. [substances]
    pub law: Vec<u32>,
    /// Set of all laws in the table.
    pub kinds: LawSet,
}

impl LawTable {
    /// Creates the table for the substances of a scene.
    pub fn new(substances: &[Substance]) -> Result<LawTable, NoKernel> {
        let mut table = LawTable::default();
        for substance in substances {
            table.first.push(table.numbers.len() as u32);
            let law = put(&substance.material, &mut table.numbers)?;
            table.law.push(law);
            table.kinds = table.kinds.with(law);
        }
        Ok(table)
    }
}

/// Computes the response of a particle's material to a trial deformation. `law` and `first` are the law's number and the start of its
/// parameters, from the [`LawTable`]; `table` holds the parameters of all laws. `alignment` is the alignment of oriented grains;
/// materials without oriented grains return it unchanged.
#[cube]
// The outer condition is evaluated when the kernel is compiled, the inner one when it runs.
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
        let mut response = AlignedResponse {
            response: Response { f: trial.f, tau: Sym3::isotropic(0.0), memory: trial.memory, modulus: f32::new(0.0) },
            alignment: *alignment,
        };
        #[unroll]
        for kind in 0..COUNT {
            if comptime!(laws.contains(kind)) {
                if law == kind {
                    response = respond_by(trial, alignment, first, table, kind);
                }
            }
        }
        response
    }
}

/// Computes the response of a curve or surface element to deformed material directions; other arguments as for [`respond`](fn@respond).
#[cube]
// The outer condition is evaluated when the kernel is compiled, the inner one when it runs.
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
        respond_element_by(d, first, table, comptime!(laws.only().unwrap_or(0)))
    } else {
        let mut response = ElementResponse {
            d: *d,
            tau: Sym3::isotropic(0.0),
            piola: Mat3::diagonal(0.0, 0.0, 0.0),
            modulus: f32::new(0.0),
        };
        #[unroll]
        for kind in 0..COUNT {
            if comptime!(laws.contains(kind)) {
                if law == kind {
                    response = respond_element_by(d, first, table, kind);
                }
            }
        }
        response
    }
}
