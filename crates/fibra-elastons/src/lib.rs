//! Elastons: rods, shells and solids in one meshless method that never asks which of them something is [Martin2010].
//!
//! | module | holds |
//! |---|---|
//! | [`cloud`] | the material: points with a radius, a volume and an extent |
//! | [`cloud_file`] | clouds read from PLY, OBJ and CSV |
//! | [`fill`] | clouds made from cuboids, solids, sheets and wires |
//! | [`connectivity`] | what hangs together |
//! | [`sampling`] | where samples and elastons are |
//! | [`elaston`] | small cuboids at which strain is measured |
//! | [`support`] | how far samples reach |
//! | [`point_tree`] | who is near whom |
//! | [`symmetric_eigen`] | principal axes in full precision |

pub mod cloud;
pub mod cloud_file;
pub mod connectivity;
pub mod elaston;
pub mod fill;
pub mod point_tree;
pub mod sampling;
pub mod support;
pub mod symmetric_eigen;
