//! The method on a graphics card.
//!
//! | module | does |
//! |---|---|
//! | [`laws`] | the constitutive laws, from the same source as the processor's, with their parameters in a table |

mod anisotropic_laws;
mod law_numbers;
pub mod laws;
