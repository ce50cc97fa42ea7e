//! Constitutive laws from other crates, stored as trait objects.

use super::{energy_of, piola_change_of, piola_of, respond_to};
use crate::law::{Batch, ElasticBatch, ImplicitLaw, Law};
use fibra_core::mat3::Mat3;
use std::any::type_name;
use std::fmt::{Debug, Formatter, Result as FmtResult};
use std::sync::Arc;

/// A law behind a pointer. The loops over a batch of particles are compiled for the concrete law, so there is one virtual call
/// per batch. Two custom laws are equal if they are clones of the same one.
#[derive(Clone)]
pub struct CustomLaw {
    law: Arc<dyn AnyLaw>,
    derivatives: Option<Arc<dyn AnyDerivatives>>,
}

/// Object-safe form of [`Law`], on batches.
trait AnyLaw: Send + Sync {
    fn name(&self) -> &'static str;
    fn respond_batch(&self, batch: &mut Batch, n: usize, dt: f32);
    fn energy_at(&self, f: &Mat3, memory: f32) -> f32;
    fn memory_at_start(&self) -> f32;
    fn volume_at(&self, f: &Mat3, memory: f32) -> f32;
    fn viscosity(&self) -> f32;
}

impl<L: Law> AnyLaw for L {
    fn name(&self) -> &'static str {
        type_name::<L>()
    }

    fn respond_batch(&self, batch: &mut Batch, n: usize, dt: f32) {
        respond_to(*self, batch, n, dt);
    }

    fn energy_at(&self, f: &Mat3, memory: f32) -> f32 {
        self.energy(f, memory)
    }

    fn memory_at_start(&self) -> f32 {
        self.initial_memory()
    }

    fn volume_at(&self, f: &Mat3, memory: f32) -> f32 {
        self.volume_ratio(f, memory)
    }

    fn viscosity(&self) -> f32 {
        self.explicit_viscosity()
    }
}

/// Object-safe form of [`ImplicitLaw`], on batches.
trait AnyDerivatives: Send + Sync {
    fn energies(&self, batch: &mut ElasticBatch, n: usize);
    fn piola_batch(&self, batch: &mut ElasticBatch, n: usize);
    fn piola_change_batch(&self, batch: &mut ElasticBatch, n: usize);
}

impl<L: ImplicitLaw> AnyDerivatives for L {
    fn energies(&self, batch: &mut ElasticBatch, n: usize) {
        energy_of(*self, batch, n);
    }

    fn piola_batch(&self, batch: &mut ElasticBatch, n: usize) {
        piola_of(*self, batch, n);
    }

    fn piola_change_batch(&self, batch: &mut ElasticBatch, n: usize) {
        piola_change_of(*self, batch, n);
    }
}

impl CustomLaw {
    /// Wraps a law for explicit steps.
    pub fn new<L: Law + 'static>(law: L) -> CustomLaw {
        CustomLaw { law: Arc::new(law), derivatives: None }
    }

    /// Wraps a law for explicit and implicit steps.
    pub fn with_derivatives<L: ImplicitLaw + 'static>(law: L) -> CustomLaw {
        let law = Arc::new(law);
        CustomLaw { law: law.clone(), derivatives: Some(law) }
    }

    /// Returns the name of the law's type.
    pub fn name(&self) -> &'static str {
        self.law.name()
    }

    /// Returns whether the law can be used in implicit steps.
    pub fn has_derivatives(&self) -> bool {
        self.derivatives.is_some()
    }

    pub(super) fn respond(&self, batch: &mut Batch, n: usize, dt: f32) {
        self.law.respond_batch(batch, n, dt);
    }

    pub(super) fn energy(&self, f: &Mat3, memory: f32) -> f32 {
        self.law.energy_at(f, memory)
    }

    pub(super) fn energies(&self, batch: &mut ElasticBatch, n: usize) {
        if let Some(law) = &self.derivatives {
            law.energies(batch, n);
        }
    }

    pub(super) fn piola(&self, batch: &mut ElasticBatch, n: usize) {
        if let Some(law) = &self.derivatives {
            law.piola_batch(batch, n);
        }
    }

    pub(super) fn piola_change(&self, batch: &mut ElasticBatch, n: usize) {
        if let Some(law) = &self.derivatives {
            law.piola_change_batch(batch, n);
        }
    }

    pub(super) fn initial_memory(&self) -> f32 {
        self.law.memory_at_start()
    }

    pub(super) fn volume_ratio(&self, f: &Mat3, memory: f32) -> f32 {
        self.law.volume_at(f, memory)
    }

    pub(super) fn explicit_viscosity(&self) -> f32 {
        self.law.viscosity()
    }
}

impl PartialEq for CustomLaw {
    fn eq(&self, other: &CustomLaw) -> bool {
        Arc::ptr_eq(&self.law, &other.law)
    }
}

impl Debug for CustomLaw {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "CustomLaw({})", self.name())
    }
}
