//! Elastons: rods, shells and solids in one meshless method that never asks which of them something is [Martin2010].
//!
//! | module | holds |
//! |---|---|
//! | [`cloud`] | the material: points with a radius, a volume and an extent |
//! | [`elaston`] | small cuboids at which strain is measured |
//! | [`linear`] | the matrix of a step, its factor, conjugate gradients |

pub mod cloud;
pub mod elaston;
pub mod linear;
