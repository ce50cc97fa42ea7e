//! What every Fibra method shares. No paper lives here.
//!
//! | module | holds |
//! |---|---|
//! | [`mat3`] | 3x3 matrices as plain structs of `f32`, the currency of constitutive laws |
//! | [`decompose`] | their singular value, polar and QR decompositions |
//! | [`invariants`] | their roots, rotations and eigenvalues without eigenvectors |
//! | [`elementary`] | `exp` and `ln` that vectorize and give the same bits everywhere |
//! | [`bspline`] | linear, quadratic and cubic weights between particles and grid nodes |
//! | [`block_key`], [`block_grid`] | the sparse grid: names of 4x4x4 blocks, which exist, who neighbors whom |
//! | [`particle_sort`] | deterministic parallel sort of particles by block |
//! | [`geometry`] | meshes and curves, their files and generators, shapes, motions, colliders, filling shapes with particles |
//! | [`simd`] | hot loops compiled for each width of the machine's vectors |
//! | [`random`], [`random_field`] | random numbers that depend on a seed and an index alone, and smooth fields of them |
//! | [`frame`], [`frame_file`] | what one moment of a run looks like to the outside, and the file it is kept in |
//! | [`frame_parts`] | its segments and triangles, sorted by object |
//! | [`appearance`] | what stays the same from frame to frame: names, colors, sizes and shapes |
//! | [`mod@palette`] | colors by object and by name |
//! | [`tensor`], [`tensor_file`] | dense arrays, and named ones with text metadata as safetensors files |
//! | [`stage_clock`] | names of the stages of a step, and the wall time spent in each |
//! | [`atomic_file`] | files that are either whole or not there |
//!
//! With the feature `gpu` the first four are functions of a graphics card too, from the same source.

// What CubeCL's macros write has no docs; without the feature everything is checked.
#![cfg_attr(feature = "gpu", allow(missing_docs))]

pub mod appearance;
pub mod atomic_file;
pub mod block_grid;
pub mod block_key;
pub mod bspline;
pub mod decompose;
pub mod elementary;
pub mod frame;
pub mod frame_file;
pub mod frame_parts;
pub mod geometry;
pub mod invariants;
pub mod mat3;
pub mod palette;
pub mod particle_sort;
pub mod random;
pub mod random_field;
pub mod simd;
pub mod stage_clock;
pub mod tensor;
pub mod tensor_file;

/// Diagnostic quantities by name, in SI units: `mass`, `kinetic_energy`, `momentum_x`, ...
pub type Quantities = std::collections::BTreeMap<&'static str, f64>;

/// Length of an edge over that at rest beyond which it counts as torn [-].
pub const TORN_STRETCH: f64 = 2.0;

/// Re-exports the public items of private modules under the same module names.
///
/// The method crates keep their modules private and open the few that other Fibra crates need in one public module `internals`.
#[macro_export]
macro_rules! expose_modules {
    ($($name:ident),* $(,)?) => {
        $(
            #[doc = concat!("Public items of the module `", stringify!($name), "`.")]
            pub mod $name {
                pub use crate::$name::*;
            }
        )*
    };
}
