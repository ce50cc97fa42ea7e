//! What every Fibra method shares. No paper lives here.
//!
//! | module | holds |
//! |---|---|
//! | [`atomic_file`] | files that are either whole or not there |
//! | [`frame`] | what one moment of a run looks like to the outside: points, attributes, collider poses |
//! | [`frame_file`] | which tensors and metadata a frame's file holds |
//! | [`tensor`] | a dense array with a shape |
//! | [`tensor_file`] | named tensors with text metadata as safetensors files |

pub mod atomic_file;
pub mod frame;
pub mod frame_file;
pub mod tensor;
pub mod tensor_file;
