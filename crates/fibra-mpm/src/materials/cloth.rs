//! Cloth: elastic surfaces whose mutual contact and friction is a plastic flow of their normal [Jiang2017].

use super::Lame;
use crate::law::ContactModel;

/// Cloth, paper, skin. Deformations are given as the deformed material directions `d = [d1 d2 d3]`, `d3` the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloth {
    /// Elasticity within the surface.
    pub lame: Lame,
    /// Stiffness against compression of the normal, `k` [Pa].
    pub normal_stiffness: f32,
    /// Stiffness against shearing of the normal, `gamma` [Pa].
    pub shear_stiffness: f32,
    /// Coefficient of friction `c_F` [-].
    pub friction: f32,
    /// How contact is modelled.
    pub contact: ContactModel,
}
