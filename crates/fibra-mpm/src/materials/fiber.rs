//! Fibres: elastic curves whose mutual contact and friction is a plastic flow of their cross-section [Jiang2017].

use super::Lame;
use crate::law::ContactModel;

/// Yarns, hairs, threads. Deformations are given as the deformed material directions `d = [d1 d2 d3]`, `d1` along the fibre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fiber {
    /// Stiffness against stretching, `k` [Pa].
    pub stiffness: f32,
    /// Stiffness against shearing along the fibre, `gamma` [Pa].
    pub shear_stiffness: f32,
    /// Elasticity of the cross-section: of the contact between fibres.
    pub lame: Lame,
    /// Friction across the fibre, `alpha` [-].
    pub friction_across: f32,
    /// Friction along the fibre, `beta` [-].
    pub friction_along: f32,
    /// How contact is modelled.
    pub contact: ContactModel,
}
