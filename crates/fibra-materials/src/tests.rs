//! Tests of the laws: stresses against energies written independently in `f64`, return mappings against closed forms, and
//! batches against single particles.

mod anisotropic;
mod anisotropic_derivatives;
mod batch;
mod elastic;
mod element;
mod exchanged;
mod fluid;
mod friction;
mod goo;
mod hessian;
mod oracle;
mod sand;
mod slime;
mod snow;
mod table;
mod tissue;
