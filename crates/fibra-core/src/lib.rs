//! Types and algorithms shared by all Fibra methods. Nothing here is specific to one paper.
//!
//! | module | contents |
//! |---|---|
//! | [`mat3`] | 3x3 matrices as plain structs of `f32`, used by all constitutive models |
//! | [`decompose`] | singular value, polar and QR decompositions of these matrices |
//! | [`invariants`] | matrix square roots, polar rotations and eigenvalues without eigenvectors |
//! | [`elementary`] | `exp` and `ln` that vectorize and are bitwise reproducible on all machines |
//! | [`bspline`] | linear, quadratic and cubic weights between particles and grid nodes |
//! | [`block_key`], [`block_grid`] | the sparse grid: keys of 4x4x4 blocks, allocated blocks, neighbor lists |
//! | [`particle_sort`] | deterministic parallel sort of particles by block |
//! | [`rod_joint`], [`edge_frames`] | bending and twisting of discrete elastic rods, and parallel transport of their directors |
//! | [`geometry`] | meshes and curves, their generators, shapes, motions, colliders, particle sampling of shapes |
//! | [`simd`] | run-time dispatch of hot loops to the widest SIMD instruction set |
//! | [`random`], [`random_field`] | counter-based random numbers (a hash of seed and index), and smooth random fields |
//! | [`frame`], [`frame_file`] | the output of a run at one time, and its file format |
//! | [`frame_parts`] | a frame's segments and triangles, grouped by object |
//! | [`appearance`] | display properties that are constant over a run: names, colors, sizes and shapes |
//! | [`mod@palette`] | colors by object and by name |
//! | [`tensor`], [`tensor_file`] | dense arrays, and named tensors with text metadata in safetensors files |
//! | [`stage_clock`] | names of the stages of a step, and the wall time spent in each |
//! | [`StepsTaken`] | number and lengths of the time steps of one call |
//! | [`atomic_file`] | atomic file writes |
//!
//! With the feature `gpu`, the first four modules also compile to GPU device functions, from the same source.

// CubeCL's macros generate undocumented items. Without the feature, `missing_docs` applies to everything.
#![cfg_attr(feature = "gpu", allow(missing_docs))]

pub mod appearance;
pub mod atomic_file;
pub mod block_grid;
pub mod block_key;
pub mod bspline;
pub mod decompose;
pub mod edge_frames;
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
pub mod rod_joint;
pub mod simd;
pub mod stage_clock;
mod steps_taken;
pub mod tensor;
pub mod tensor_file;

pub use steps_taken::StepsTaken;

/// Diagnostic quantities by name, in SI units: `mass`, `kinetic_energy`, `momentum_x`, ...
pub type Quantities = std::collections::BTreeMap<&'static str, f64>;

/// Ratio of an edge's length to its rest length above which the edge counts as torn [-].
pub const TORN_STRETCH: f64 = 2.0;

/// Re-exports the public items of private modules under the same module names.
///
/// The method crates keep their modules private and open the few that other Fibra crates need in one public module `internals`.
#[macro_export]
#[allow(clippy::crate_in_macro_def)] // the private modules are those of the calling crate
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
