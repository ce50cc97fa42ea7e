//! Elastons: rods, shells and solids in one meshless method that never asks which of them something is [Martin2010].
//!
//! | module | holds |
//! |---|---|
//! | [`cloud`] | the material: points with a radius, a volume and an extent |
//! | [`fill`] | clouds made from cuboids, solids, sheets and wires |
//! | [`connectivity`] | what hangs together |
//! | [`sampling`] | where samples and elastons are |
//! | [`elaston`] | small cuboids at which strain is measured |
//! | [`support`] | how far samples reach |
//! | [`point_tree`] | who is near whom |
//! | [`symmetric_eigen`] | principal axes in full precision |
//! | [`gmls`] | shape functions on scattered samples, with gradients and Hessians |
//! | [`table`] | shape functions tabulated at places, and sums over them |
//! | [`law`] | strains of an elaston, their stress and energy |
//! | [`linear`] | the matrix of a step, its factor, conjugate gradients |
//! | [`world`] | what a run consists of |

pub mod cloud;
pub mod connectivity;
pub mod elaston;
pub mod fill;
pub mod gmls;
pub mod law;
pub mod linear;
pub mod point_tree;
pub mod sampling;
pub mod support;
pub mod symmetric_eigen;
pub mod table;
pub mod world;
