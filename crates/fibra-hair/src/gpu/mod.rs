//! The stages of hair on a graphics card, beside those of the processor that they mirror.
//!
//! | module | mirrors | does |
//! |---|---|---|
//! | `team` | | the units that share a strand, and how they tell each other numbers |
//! | `band` | [`band`](crate::band) | `L D L^T` of a band matrix by a team |
//! | [`ldl`] | [`band`](crate::band) | many systems that are in the device's memory |

mod band;
pub mod ldl;
mod team;
